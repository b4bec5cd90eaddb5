"""Terms that were changed here and on the service, differently: a person chooses, row by row or all at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd

from svc_nb.panels.glossaries.edits import Key
from svc_nb.panels.glossaries.meeting import keys_of
from svc_nb.panels.glossaries.notice import Notice
from svc_nb.panels.glossaries.pairs import arrow
from svc_nb.panels.grid import Field, Grid
from svc_nb.panels.panel import button
from svc_nb.panels.rows import written_text
from svc_nb.tabular.column import TEXT
from svc_nb.tabular.report import plural

SIDES = ("mine", "theirs")
TITLES = {"mine": "as here", "theirs": "as on the service"}
GONE = "(deleted)"


def _written_side(text: Any) -> str:
    return GONE if text is None else str(text)


def _written_choice(text: Any) -> str:
    return str(text) or "choose …"


FIELDS = (
    Field("source", "Source", written_text, kind="text"),
    Field("choice", "Take it", _written_choice, kind="text", editable=True, options=tuple(TITLES.values())),
    Field("base", "As loaded", _written_side, kind="text"),
    Field("mine", "Here", _written_side, kind="text"),
    Field("theirs", "On the service", _written_side, kind="text"),
    Field("pair", "Pair", written_text, kind="text"),
)


class Conflicts(Notice):
    """The conflicts of a meeting, `table`, and what was chosen for them, `choices`; *settled* is called to go on."""

    def __init__(
        self, *, settled: Callable[[], Any], left: Callable[[], Any], clicked: Callable[..., None]
    ) -> None:
        self.grid = Grid("Conflicts", edited=lambda *edit: clicked(self._edited, *edit))
        self.go_on = button("Go on", settled, style="primary", help="Take what was chosen for each term")
        self.all_mine = button("All as here", lambda: clicked(self.choose, "mine"))
        self.all_theirs = button("All as on the service", lambda: clicked(self.choose, "theirs"))
        self.table = pd.DataFrame()
        self.choices: dict[int, str] = {}
        super().__init__(
            self.all_mine, self.all_theirs, self.go_on, button("Not now", left), shown=(self.grid,)
        )

    def show(self, table: pd.DataFrame) -> None:
        """Ask for a choice in each row of *table*: base, mine, theirs; nothing is chosen yet."""
        self.table, self.choices = table.reset_index(drop=True), {}
        self._refresh()

    def choose(self, choice: str | Mapping[int, str]) -> None:
        """Choose "mine" or "theirs" for all, or for some by their labels."""
        given = dict.fromkeys(range(len(self.table)), choice) if isinstance(choice, str) else dict(choice)
        wrong = [each for each in given.values() if each not in SIDES]
        if wrong:
            raise ValueError(f'a conflict is settled as "mine" or "theirs", found {wrong[0]!r}')
        if lacking := [label for label in given if label not in self.table.index]:
            raise ValueError(f"there is no conflict {lacking[0]!r}")
        self.choices.update(given)
        self._refresh()

    def drop(self) -> None:
        """Ask nothing, and forget the conflicts."""
        self.table, self.choices = pd.DataFrame(), {}
        super().drop()

    @property
    def chosen(self) -> dict[Key, str]:
        """What was chosen, by the terms."""
        return {
            key: self.choices[label] for key, label in keys_of(self.table).items() if label in self.choices
        }

    @property
    def is_settled(self) -> bool:
        """Whether there is a choice for every one."""
        return len(self.choices) == len(self.table)

    def _edited(self, label: Any, column: str, text: str) -> None:
        sides = {title: side for side, title in TITLES.items()}
        if text in sides:
            self.choose({int(label): sides[text]})
        else:
            self.choices.pop(int(label), None)
            self._refresh()

    def _refresh(self) -> None:
        table = self.table
        languages = zip(table["source_lang"], table["target_lang"], strict=True)
        shown = table.assign(
            pair=pd.array([arrow(pair) for pair in languages], dtype=TEXT),
            choice=pd.array(
                [TITLES.get(self.choices.get(label, ""), "") for label in table.index], dtype=TEXT
            ),
        )
        marks = {label: "changed" if label in self.choices else "warning" for label in table.index}
        fields = [field for field in FIELDS if field.name != "pair" or shown["pair"].nunique() > 1]
        self.grid.show(shown, fields, marks=marks)
        self.go_on.disabled = not self.is_settled
        self.ask(_asked(len(table), len(table) - len(self.choices)))


def _asked(count: int, left: int) -> str:
    """What is asked, of so many conflicts of which so many are *left*."""
    terms = plural(count, "term was", "terms were")
    more = "." if left == count else f": {left:,} are left." if left else ": all are chosen, go on."
    return f"{terms} changed here and on the service, differently. Nothing is overwritten. Choose what to take{more}"
