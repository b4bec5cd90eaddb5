"""The rules of a list on one board: by category, with the options that its language offers and those that it has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from svc_nb.language_codes import name_of
from svc_nb.panels.style_rules.messages import Messaged, module
from svc_nb.panels.style_rules.sheet import Sheet
from svc_nb.style_rules.catalogue import Choice, languages_of, offers, options_of
from svc_nb.style_rules.content import Rule
from svc_nb.style_rules.labels import category_label, known_as, option_label, rule_label, search
from svc_nb.style_rules.lint import Finding

UNKNOWN = "not in the catalogue"
MOST_FOUND = 60


class Board(Messaged):
    """Categories to fold, a rule in each row, its options to choose from; `filter` is what is looked for."""

    _esm = module("board")

    def __init__(self, heard: Callable[[dict[str, Any]], None]) -> None:
        super().__init__(heard)
        self.clear()

    def clear(self) -> None:
        """Show no list."""
        self.show(categories=[], rules=[], base=[], findings=[], busy=False)

    def display(self, sheet: Sheet, findings: Iterable[Finding]) -> None:
        """Show the rules of *sheet*, what changed of them, and what is to be said of them."""
        self.show(
            categories=categories(sheet.language, sheet.began.rules, sheet.content.rules),
            rules=_rows(sheet.content.rules),
            base=_rows(sheet.began.rules),
            findings=_told(list(sheet.content.rules), findings),
        )

    def look_for(self, text: str, *, language: str | None) -> None:
        """Show only rules in which every word of *text* stands, and below what other languages have of it."""
        self.show(filter=text)
        self.show_elsewhere(text, language=language)

    def show_elsewhere(self, text: str, *, language: str | None) -> None:
        """Show which options of other languages *text* finds: to know of them, not to choose them."""
        found = (
            [choice for choice in search(text) if language and not _offered(choice, language)] if text else []
        )
        rows = [
            [rule_label(*choice[:2]), option_label(*choice), _languages(choice)]
            for choice in found[:MOST_FOUND]
        ]
        self.show(elsewhere={"text": text, "found": rows, "count": len(found)})


def categories(language: str, *chosen: Mapping[Rule, str]) -> list[dict[str, Any]]:
    """What the board has: all that *language* offers, in the catalogue's order, then what only the list itself has."""
    rules = {
        (category, rule): options_of(category, rule, language=language)
        for category, known in offers().items()
        for rule in known
    }
    for (category, rule), option in ((rule, option) for each in chosen for rule, option in each.items()):
        options = rules.setdefault((category, rule), [])
        if option not in options:
            options.append(option)
    found: dict[str, list[dict[str, Any]]] = {}
    for (category, rule), options in rules.items():
        if options:
            found.setdefault(category, []).append(_rule(category, rule, options, language))
    return [{"id": name, "label": category_label(name), "rules": each} for name, each in found.items()]


def _rule(category: str, rule: str, options: list[str], language: str) -> dict[str, Any]:
    known = rule in offers().get(category, {})
    rows = [
        {
            "id": option,
            "label": option_label(category, rule, option),
            "find": known_as(Choice(category, rule, option)),
            "odd": _odd(Choice(category, rule, option), language) if known else "",
        }
        for option in options
    ]
    return {"id": rule, "label": rule_label(category, rule), "odd": "" if known else UNKNOWN, "options": rows}


def _odd(choice: Choice, language: str) -> str:
    """What is unusual about an option that the list has."""
    languages = languages_of(choice)
    if languages is None:
        return UNKNOWN
    return "" if language in languages else f"not offered for {name_of(language)}"


def _offered(choice: Choice, language: str) -> bool:
    return language in (languages_of(choice) or ())


def _languages(choice: Choice) -> str:
    return ", ".join(name_of(each) for each in sorted(languages_of(choice) or ()))


def _rows(rules: Mapping[Rule, str]) -> list[list[str]]:
    return [[*rule, option] for rule, option in rules.items()]


def _told(rules: list[Rule], findings: Iterable[Finding]) -> list[list[Any]]:
    by_rule: dict[Rule, list[list[str]]] = {}
    for found in findings:
        if found.table == "rules":
            by_rule.setdefault(rules[found.place], []).append([found.severity, found.message])
    return [[*rule, told] for rule, told in by_rule.items()]
