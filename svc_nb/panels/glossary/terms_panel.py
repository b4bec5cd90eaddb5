"""The Glossary panel as its parts see it: what is open, and what they may ask of the panel."""

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, Self

import pandas as pd

from svc_nb.panels.glossary.open_glossary import OpenGlossary
from svc_nb.panels.glossary.view import GlossaryView
from svc_nb.panels.parts.edit_panel import EditPanel
from svc_nb.panels.parts.edit_table import EditTable
from svc_nb.tabular.terms import Pair


class TermsPanel(EditPanel):
    """A panel with an open glossary."""

    opened: OpenGlossary
    view: GlossaryView

    @property
    def book(self) -> EditTable:
        """The terms with their undo."""
        return self.opened.book

    @property
    def name(self) -> str:
        """The name of the glossary that is open."""
        return self.opened.name

    @property
    def pair(self) -> Pair | None:
        """The language pair that is shown; None where all are."""
        return self.view.pair

    @abstractmethod
    def turn_to(self, tab: str) -> Self:
        """Show a tab by its title."""

    @abstractmethod
    def recreate(self) -> Any:
        """Take a glossary that was deleted elsewhere for a new one with the same terms."""

    @abstractmethod
    def open(self, glossary_id: str | None) -> Any:
        """Open a glossary."""

    @abstractmethod
    def push(self) -> Any:
        """See what the service has by now, and ask whether the changes are meant."""

    @abstractmethod
    def create(self, name: str, source_lang: str | None = None, target_lang: str | None = None) -> Any:
        """Begin a new glossary."""

    @abstractmethod
    def forget(self) -> Any:
        """Ask whether to remove the draft that is offered."""

    @abstractmethod
    def suggest(self) -> Any:
        """Look for words that are no terms yet."""

    @abstractmethod
    def accept(self, label: int) -> Any:
        """Make a suggestion a term."""

    @abstractmethod
    def dismiss(self, label: int) -> Any:
        """Show a suggestion no more."""

    @abstractmethod
    def bring_in(self, how: str = "add") -> Any:
        """Bring in the file that was read."""

    @abstractmethod
    def download(self, form: str) -> Any:
        """Have the browser save all terms."""

    def _while_open(self, then: Callable[[Any], None]) -> Callable[[Any], None]:
        """*then*, unless another book is open by the time it is called."""
        book = self.book
        return lambda answer: then(answer) if self.book is book else None

    @abstractmethod
    def _begin_new(self) -> None:
        """Show the form of a new glossary, with the focus."""

    @abstractmethod
    def _go_to(self, row: int, column: str = "") -> None:
        """Go to a cell of the grid."""

    @abstractmethod
    def _list(self, listed: pd.DataFrame) -> None:
        """Offer the glossaries that there are."""

    @abstractmethod
    def _show_book(self) -> None:
        """Show the book that is open now."""

    @abstractmethod
    def _rebased(self) -> None:
        """The base is another now."""

    @abstractmethod
    def _sum_up(self, said: str = "", *, over_error: bool = True) -> None:
        """Say how things stand."""
