"""A list of columns to choose from, each with a sample of its texts and their length."""

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from traitlets import Bool

from svc_nb.panels.parts.columns import TextColumn
from svc_nb.panels.parts.widgets import MultiSelect


class ColumnSelect(MultiSelect):
    """Columns to choose from: several, or exactly one if it is `single`; `labels` has the chosen ones.

    Samples are texts of the table, so they are sent as messages and are never in the widget's state.
    """

    single = Bool(False).tag(sync=True)

    def __init__(self, name: str, *, adds: str, single: bool = False) -> None:
        super().__init__(name, adds=adds)
        self.single = single
        self._keys: dict[Hashable, str] = {}  # stable: a click may arrive after other columns are offered
        self.samples: dict[str, str] = {}
        self.on_msg(lambda widget, message, buffers: self.hear(message))

    def hear(self, message: dict[str, Any]) -> None:
        """Send the samples to a browser that has none yet."""
        if message.get("kind") == "ready":
            self.send({"kind": "samples", "samples": self.samples})

    def pushed(self) -> None:
        """Send the samples to a browser that starts to show it, without being asked."""
        self.hear({"kind": "ready"})

    def offer_columns(self, columns: Iterable[TextColumn], chosen: Sequence[Hashable]) -> None:
        """Offer *columns* in their order, with the labels *chosen* selected."""
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
        """The labels of the chosen columns."""
        labels = {key: label for label, key in self._keys.items()}
        return tuple(labels[key] for key in self.value)
