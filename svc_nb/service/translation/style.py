"""Configured style rules that a regular rewriting of the output can apply exactly; all others are left alone.

Each option in `catalogue/style_options.json` is one function from text to text that changes nothing when applied twice
and never touches a placeholder: ["sub", pattern, replacement], [a named pattern, replacement], or one of `_MAKERS` with
its arguments. A list of those is applied one after the other; an object has one for each language.
"""

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from ..catalogue import read

Rewrite = Callable[[str], str]
Rules = Mapping[str, Mapping[str, str]]
"""Configured rules as the service stores them: category, rule, option."""

_TABLES = read("style_options.json")
_PASSES = 4  # what one rule writes may be for another to rewrite: all is settled when a pass changes nothing


def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile *pattern*, in which <NAME> stands for a part that several patterns have in common."""
    return re.compile(re.sub("<([A-Z]+)>", lambda part: str(_TABLES["parts"][part[1]]), pattern))


_PATTERNS = {name: _compiled(pattern) for name, pattern in _TABLES["patterns"].items()}

_INNER = '[^"“”„«»]+'
_WIDE = "\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60"
_QUOTED = {  # by how guillemets are read: not at all, pointing out, pointing in
    guillemets: _compiled(
        rf"(?<![^\s(\[{{–—{_WIDE}<PLACEHOLDER>-])"
        rf'(?:"(?=\S)({_INNER})(?<=\S)"|“({_INNER})”|„({_INNER})[“”]{pair})'
        r"(?![A-Za-z0-9_À-ɏ\"“”„«»])"
    )
    for guillemets, pair in (
        ("", ""),
        ("«»", rf"|«<SPACE>?({_INNER}?)<SPACE>?»"),
        ("»«", rf"|»(?=\S)({_INNER})(?<=\S)«"),
    )
}


def _quotes(opening: str, closing: str) -> Rewrite:
    """Rewrite every pair of double quotation marks whose ends are beyond doubt."""

    def requoted(pair: re.Match[str]) -> str:
        if pair[0][0] == opening[0] and pair[0][-1] == closing[-1]:
            return pair[0]
        inner = next(group for group in pair.groups() if group is not None)
        return opening + inner + closing

    def rewritten(text: str) -> str:
        """Read guillemets only if they all point the same way."""
        guillemets = "".join(re.findall("[«»]", text))
        same_way = guillemets == guillemets[:2] * (len(guillemets) // 2)
        return _QUOTED.get(guillemets[:2] if same_way else "", _QUOTED[""]).sub(requoted, text)

    return rewritten


def _range(written: str, read: str = "–") -> Rewrite:
    number = r"\d+(?:[.,]\d+)*"
    pattern = rf"(?<![\w.,:/–~〜～-])({number})<SPACE>?[{read}]<SPACE>?({number})(?![\w–~〜～/:-]|[.,]\d)"
    return partial(_compiled(pattern).sub, rf"\1{written}\2")


def _email(at: str, dot: str = ".") -> Rewrite:
    def written(address: re.Match[str]) -> str:
        return address[1].replace(".", dot) + at + address[2].replace(".", dot)

    return partial(re.compile(r"(?<![\w.+-])([\w.+-]+)@([\w-]+(?:\.[\w-]+)+)(?![\w@])").sub, written)


def _dimensions(written: str) -> Rewrite:
    times = _compiled("<SPACE>?[x×]<SPACE>?")
    row = _compiled(r"(?<![\w.,])(?!0x)<NUMBER>(?:<SPACE>?[x×]<SPACE>?<NUMBER>)++")
    return partial(row.sub, lambda found: times.sub(written, found[0]))


def _thousands(written: str, read: str) -> Rewrite:
    """Rewrite the separators of grouped numbers, spaces and those to *read*; 192.168.100.200 is an address."""
    grouped = re.compile(
        rf"(?<![\w.,'’])(?!\d{{3}}(?:\.\d{{3}}){{3}}(?!\d))[1-9]\d{{0,2}}([{read}\u00a0\u202f])\d{{3}}(?:\1\d{{3}})*+"
        rf"(?![\w'’]|[.,]\d{{3}}(?!\d))"
    )
    return partial(grouped.sub, lambda found: found[0].replace(found[1], written))


def _date(form: str, *patterns: str) -> Rewrite:
    """Rewrite every date that one of the patterns reads in one way only."""

    def written(found: re.Match[str]) -> str:
        d, m, y = (int(found[name]) for name in "dmy")
        if not (1 <= d <= 31 and 1 <= m <= 12):
            return found[0]
        months = {name: names[m - 1] for name, names in _TABLES["months"].items()}
        return form.format(d=d, m=m, y=y, yy=y % 100, sep=found.groupdict().get("sep") or "", **months)

    return _one_after_the_other([partial(_PATTERNS[name].sub, written) for name in patterns])


def _time(pattern: str, form: str, full_hour: str = "") -> Rewrite:
    """Rewrite every time of day; *full_hour* is the form without minutes, if there is one."""

    def written(found: re.Match[str]) -> str:
        h, m, hour = found["h"], found["m"], int(found["h"])
        if hour > 24 or int(m) > 59:
            return found[0]
        own = full_hour if full_hour and m == "00" else form
        return own.format(h=h, m=m, hour=hour, sep=found.groupdict().get("sep") or "")

    return partial(_PATTERNS[pattern].sub, written)


def _sub(pattern: str, written: str) -> Rewrite:
    return partial(_compiled(pattern).sub, written)


def _map(table: Mapping[str, str]) -> Rewrite:
    translation = str.maketrans(dict(table))
    return lambda text: text.translate(translation)


def _one_after_the_other(rewrites: list[Rewrite]) -> Rewrite:
    def rewritten(text: str) -> str:
        for rewrite in rewrites:
            text = rewrite(text)
        return text

    return rewritten


_MAKERS: dict[str, Callable[..., Rewrite]] = {
    **{name: partial(partial, pattern.sub) for name, pattern in _PATTERNS.items()},
    "sub": _sub,
    "map": _map,
    "quotes": _quotes,
    "range": _range,
    "email": _email,
    "dimensions": _dimensions,
    "thousands": _thousands,
    "date": _date,
    "time": _time,
}


def _made(option: Any) -> Mapping[str, Rewrite]:
    """What applies an option, by language; "" is any language."""
    if isinstance(option, dict):
        return {language: _made(each)[""] for language, each in option.items()}
    if isinstance(option[0], list):
        return {"": _one_after_the_other([_made(each)[""] for each in option])}
    return {"": _MAKERS[option[0]](*option[1:])}


# The order matters: quotation marks settle before the spaces beside them, digits before the dates made of them.
_REWRITES: dict[tuple[str, str, str], Mapping[str, Rewrite]] = {
    (*rule.split("."), option): _made(written)
    for rule, options in _TABLES["options"].items()
    for option, written in options.items()
}

APPLIED: frozenset[tuple[str, str, str]] = frozenset(_REWRITES)  # the (category, rule, option) triples that are applied


def unapplied(configured_rules: Rules, language: str) -> list[tuple[str, str]]:
    """Return the rules, by category and name, whose option is not applied to texts in *language*."""
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
