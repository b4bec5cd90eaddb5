"""Words of a corpus that may deserve a term: accepted as a new row, or dismissed, from the keyboard."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets as widgets
import pandas as pd

from svc_nb.glossaries.candidates import term_candidates
from svc_nb.panels.grid import Field, Grid
from svc_nb.panels.latest import Latest
from svc_nb.panels.letters import Letters
from svc_nb.panels.line import Line
from svc_nb.panels.panel import button, row
from svc_nb.panels.rows import written_text
from svc_nb.tabular.report import plural

MOST = 300
ACCEPT, DISMISS = ("Enter", "a"), ("x",)
NO_CORPUS = 'Words of your texts that may deserve a term: panels.Glossary(…, corpus=df["text"]) finds them.'
HOW = "Enter or “a” makes one a term, “x” dismisses it."
FIELDS = (
    Field("candidate", "Candidate", written_text, kind="text"),
    Field("count", "Count", lambda number: f"{number:,}"),
    Field("example", "Example", written_text, kind="text"),
)


class Suggestions:
    """Candidates from *corpus*; *accept* is called with the text of one, *clicked* does what a click asks for."""

    def __init__(
        self,
        corpus: pd.Series[Any] | None,
        *,
        accept: Callable[[str], Any],
        ask: Callable[[], Any],
        clicked: Callable[..., None],
        taken: Callable[[Any, Callable[[Any], None]], None],
    ) -> None:
        self.line = Line()
        self.grid = Grid("Suggestions")
        self.letters = Letters(
            (*ACCEPT, *DISMISS),
            lambda key, place: clicked(self._press, key, place),
            within="svc-suggestions",
        )
        self.find = button("Look again", ask, help="Look through the texts with the terms as they are now")
        self.accept_one = button("Add as a term", lambda: clicked(self._each, self.accept))
        self.dismiss_one = button("Dismiss", lambda: clicked(self._each, self.dismiss))
        buttons = row(self.accept_one, self.dismiss_one, self.find)
        self.box = widgets.VBox([self.line, self.grid, buttons, self.letters])
        self.box.add_class("svc-suggestions")
        self.dismissed: set[str] = set()
        self.found: pd.DataFrame | None = None
        self.corpus = corpus
        self._accept, self._ask, self._taken = accept, ask, taken
        self._latest = Latest()
        self._show()

    def open(self) -> None:
        """Look through the texts unless that was done."""
        if self.found is None and self.corpus is not None:
            self._ask()

    def look(self, terms: list[str], lang: str | None) -> None:
        """Look through the texts, in a thread, for what is not among *terms*."""
        corpus = self.corpus
        if corpus is None:
            raise ValueError(NO_CORPUS)
        self.line.say("Looking through the texts …")
        self._latest.ask(
            lambda: pd.DataFrame(term_candidates(corpus, terms=terms, most=MOST, lang=lang)),
            lambda answer: self._taken(answer, self._take),
        )

    def accept(self, label: Any) -> None:
        """Make a candidate, by its label, a term."""
        self._accept(self._leave(label))

    def dismiss(self, label: Any) -> None:
        """Show a candidate no more."""
        self.dismissed.add(self._leave(label))

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the texts were looked through."""
        return self._latest.wait(timeout)

    def close(self, timeout: float | None = None) -> None:
        """Leave no thread behind."""
        self._latest.close(timeout)

    def _press(self, key: str, place: int) -> None:
        """Accept or dismiss the row at a place of the list as it stands."""
        shown = self.grid.table["candidate"].tolist()
        if self.found is None or place >= len(shown):
            return
        label = self.found.index[self.found["candidate"] == shown[place]][0]
        (self.accept if key in ACCEPT else self.dismiss)(label)

    def _each(self, action: Callable[[Any], None]) -> None:
        for label in list(self.grid.selected):
            action(label)

    def _take(self, found: pd.DataFrame) -> None:
        self.found = found[~found["candidate"].isin(list(self.dismissed))]
        self._show()

    def _leave(self, label: Any) -> str:
        """Take a candidate out of the list; a ValueError where it is not there."""
        if self.found is None or label not in self.found.index:
            raise ValueError(f"there is no suggestion {label!r}")
        text = str(self.found.at[label, "candidate"])
        self.found = self.found.drop(index=label)
        self._show()
        return text

    def _show(self) -> None:
        found = self.found
        for each in (self.accept_one, self.dismiss_one):
            each.disabled = found is None or not len(found)
        self.find.disabled = self.corpus is None
        if found is not None:
            self.grid.show(found, FIELDS)
        if self.corpus is None:
            self.line.say(NO_CORPUS)
        elif found is not None:
            said = (
                f"{plural(len(found), 'suggestion')}. {HOW}" if len(found) else "Nothing that is no term yet."
            )
            self.line.say(said)
