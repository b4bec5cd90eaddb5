"""A list of columns to choose from, each with a sample of its texts and how long they are."""

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from traitlets import Bool

from svc_nb.panels.parts.columns import TextColumn
from svc_nb.panels.parts.widgets import MultiSelect


class ColumnSelect(MultiSelect):
    """Columns to choose from: several, or exactly one where it is `single`; `labels` are those that are chosen.

    Samples are texts of the table: they travel as messages, and never are in the state of the widget.
    """

    single = Bool(False).tag(sync=True)

    def __init__(self, name: str, *, adds: str, single: bool = False) -> None:
        super().__init__(name, adds=adds)
        self.single = single
        self._keys: dict[Hashable, str] = {}  # a label keeps its key: a click may come while others are offered
        self.samples: dict[str, str] = {}
        self.on_msg(lambda widget, message, buffers: self.hear(message))

    def hear(self, message: dict[str, Any]) -> None:
        """Tell a browser that has nothing yet what the columns have."""
        if message.get("kind") == "ready":
            self.send({"kind": "samples", "samples": self.samples})

    def pushed(self) -> None:
        """Tell a browser that begins to show it the samples, without being asked."""
        self.hear({"kind": "ready"})

    def offer_columns(self, columns: Iterable[TextColumn], chosen: Sequence[Hashable]) -> None:
        """Offer *columns* in their order, with those labelled *chosen* chosen."""
        found = list(columns)
        keys = self._keys
        for column in found:
            keys.setdefault(column.label, str(len(keys)))
        samples = {keys[column.label]: column.sample for column in found if column.sample}
        if samples != self.samples:
            self.samples = samples
            self.send({"kind": "samples", "samples": samples})
        self.offer(
            [(keys[column.label], column.title, column.note) for column in found],
            [keys[label] for label in chosen if label in keys],
        )

    @property
    def labels(self) -> tuple[Hashable, ...]:
        """The labels of the columns that are chosen."""
        labels = {key: label for label, key in self._keys.items()}
        return tuple(labels[key] for key in self.value)
