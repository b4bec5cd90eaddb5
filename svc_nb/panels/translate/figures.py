"""A few counts with their names, side by side, for a person to read at a glance."""

from __future__ import annotations

from collections.abc import Sequence

import anywidget
from traitlets import Bool, Dict, List, Unicode

from svc_nb.panels.line import FRONT


class Figures(anywidget.AnyWidget):
    """`figures` are counts: each has a name, a value, a note, and a key that says how it looks; `busy` fades them."""

    _esm = FRONT / "figures.js"
    name = Unicode().tag(sync=True)
    figures: List[dict[str, str]] = List(Dict()).tag(sync=True)
    busy = Bool(False).tag(sync=True)

    def show(self, figures: Sequence[dict[str, str]]) -> None:
        """Show these and no others."""
        with self.hold_sync():
            self.figures, self.busy = list(figures), False
