"""The Glossary panel as its parts see it: the open glossary, and what they can ask the panel to do."""

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
        """The name of the open glossary."""
        return self.opened.name

    @property
    def pair(self) -> Pair | None:
        """The language pair shown; None if all are."""
        return self.view.pair

    @abstractmethod
    def turn_to(self, tab: str) -> Self:
        """Show a tab by its title."""

    @abstractmethod
    def recreate(self) -> Any:
        """Treat a glossary that was deleted elsewhere as a new one with the same terms."""

    @abstractmethod
    def open(self, glossary_id: str | None) -> Any:
        """Open a glossary."""

    @abstractmethod
    def push(self) -> Any:
        """Check the current version on the service, and ask for confirmation."""

    @abstractmethod
    def create(self, name: str, source_lang: str | None = None, target_lang: str | None = None) -> Any:
        """Start a new glossary."""

    @abstractmethod
    def forget(self) -> Any:
        """Ask whether to remove the offered draft."""

    @abstractmethod
    def suggest(self) -> Any:
        """Search for words that are not terms yet."""

    @abstractmethod
    def accept(self, label: int) -> Any:
        """Add a suggestion as a term."""

    @abstractmethod
    def dismiss(self, label: int) -> Any:
        """Dismiss a suggestion."""

    @abstractmethod
    def bring_in(self, how: str = "add") -> Any:
        """Import the file that was read."""

    @abstractmethod
    def download(self, form: str) -> Any:
        """Have the browser save all terms."""

    def _while_open(self, then: Callable[[Any], None]) -> Callable[[Any], None]:
        """*then*, made to do nothing if another book is open when it is called."""
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
        """Offer the glossaries on the service."""

    @abstractmethod
    def _show_book(self) -> None:
        """Show the open book."""

    @abstractmethod
    def _rebased(self) -> None:
        """Follow a change of the base."""

    @abstractmethod
    def _sum_up(self, said: str = "", *, over_error: bool = True) -> None:
        """Show the current state."""
