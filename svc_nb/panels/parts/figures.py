"""Counts with their names, side by side; pressing one that has a kind shows its rows."""

from collections.abc import Sequence

from traitlets import Bool, Dict, List, Unicode

from svc_nb.panels.parts.controls import Part
from svc_nb.tabular.report import plural

Figure = dict[str, str]


def figure(
    name: str,
    count: int | str,
    note: str = "",
    *,
    unit: str = "",
    key: str = "",
    kind: str = "",
    does: str = "",
    help: str = "",
) -> Figure:
    """A count, of *unit* if given, or a text, with its name and a note on what it consists of.

    *key* sets the style, *kind* the rows it shows, and *help* says what is counted. With *does* the note is a button
    that asks the panel for that action.
    """
    value = count if isinstance(count, str) else plural(count, unit) if unit else f"{count:,}"
    return {"name": name, "value": value, "note": note, "key": key, "kind": kind, "does": does, "help": help}


class Figures(Part):
    """`figures` as made by `figure`; `pressed` is the kind whose rows are shown, and `busy` fades all of them."""

    front = "figures"
    name = Unicode().tag(sync=True)
    figures: List[Figure] = List(Dict()).tag(sync=True)
    pressed = Unicode().tag(sync=True)
    busy = Bool(False).tag(sync=True)

    def show(self, figures: Sequence[Figure], *, pressed: str = "") -> None:
        """Show these figures only, with the one of the kind *pressed* as pressed."""
        with self.hold_sync():
            self.figures, self.pressed, self.busy = list(figures), pressed, False
