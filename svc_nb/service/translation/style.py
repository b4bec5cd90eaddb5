"""Configured style rules that a regular rewriting of the output can apply exactly; all others are left alone.

Each option is one function from text to text that changes nothing when applied twice and never touches a placeholder.
"""

from collections.abc import Callable, Mapping

from .style_options import DATES, NUMBERS, PUNCTUATION, SPELLING, Rewrite

Rules = Mapping[str, Mapping[str, str]]
"""Configured rules as the service stores them: category, rule, option."""

# The order matters: quotation marks settle before the spaces beside them, digits before the dates made of them.
_REWRITES: dict[tuple[str, str, str], Mapping[str, Rewrite]] = {
    (category, rule, option): rewrite if isinstance(rewrite, Mapping) else {"": rewrite}
    for table in (PUNCTUATION, SPELLING, NUMBERS, DATES)
    for (category, rule), options in table.items()
    for option, rewrite in options.items()
}

_PASSES = 4  # what one rule writes may be for another to rewrite: all is settled when a pass changes nothing

APPLIED: frozenset[tuple[str, str, str]] = frozenset(_REWRITES)
"""The (category, rule, option) triples that are applied."""


def unapplied(configured_rules: Rules, language: str) -> list[tuple[str, str]]:
    """Return the rules, by category and name, whose option is not applied to texts in *language*.

    >>> unapplied({"punctuation": {"ellipsis": "use_ellipsis_character"}, "style_and_tone": {"tone": "x"}}, "en")
    [('style_and_tone', 'tone')]
    """
    return [
        (category, rule)
        for category, rules in configured_rules.items()
        for rule, option in rules.items()
        if _rewrite(category, rule, option, language) is None
    ]


def rewriter(configured_rules: Rules, language: str) -> Callable[[str], str]:
    """Return what rewrites a text by those of the rules that can be applied mechanically.

    >>> rewriter({"punctuation": {"ellipsis": "use_ellipsis_character"}}, "en")("It's 5 %...")
    "It's 5 %…"
    """
    chosen = {
        (category, rule, option) for category, rules in configured_rules.items() for rule, option in rules.items()
    }
    rewrites = [found for key in _REWRITES if key in chosen and (found := _rewrite(*key, language))]

    def rewritten(text: str) -> str:
        for _ in range(_PASSES):
            before = text
            for rewrite in rewrites:
                text = rewrite(text)
            if text == before:
                break
        return text

    return rewritten


def _rewrite(category: str, rule: str, option: str, language: str) -> Rewrite | None:
    """What applies an option to texts in *language*, if it can be applied there."""
    by_language = _REWRITES.get((category, rule, option), {})
    return by_language.get(language.partition("-")[0]) or by_language.get("")
