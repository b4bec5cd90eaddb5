"""The half of the panel for languages that puts them into the frame as a column, and takes it out again."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import Any

import pandas as pd

from svc_nb.panels.additions import Additions
from svc_nb.panels.columns import written
from svc_nb.panels.detect import speech
from svc_nb.panels.detect.controls import Controls, show
from svc_nb.panels.detect.findings import NOTHING_YET, Findings
from svc_nb.panels.detect.source import Source
from svc_nb.panels.panel import Panel

ADVICE = "Detect again, or take panel.languages."


class Adding(Panel, ABC):
    """A panel whose `languages`, of a column of its source, can be a column of the frame too.

    What is known, and the buttons that follow it, is what the other half fills in.
    """

    controls: Controls

    def __init__(self, table: Any) -> None:
        super().__init__()
        self._source = Source(table)
        frame = self._source.frame
        self._additions = None if frame is None else Additions(frame, advice=ADVICE)

    @property
    @abstractmethod
    def languages(self) -> pd.Series[Any]:
        """The language of every row."""

    @property
    @abstractmethod
    def _findings(self) -> Findings:
        """What is known of the column."""

    @abstractmethod
    def _chosen_place(self) -> int:
        """Where the column stands in the source."""

    @abstractmethod
    def _show_buttons(self) -> None:
        """Have the buttons follow what is known."""

    def add_column(self, name: Hashable = None, *, replace: bool = False) -> Hashable:
        """Put `languages` into the frame, under *name* or one such as "text_lang", which is returned.

        Raises ValueError where the frame has such a column already, or one that was changed since it was added, unless
        *replace* is said; where its rows and texts are no more those that were detected, or nothing was detected yet;
        and for the column of the texts themselves.
        """
        with self._lock:
            additions, own, texts = self._additable(), self.languages, self._findings.texts
            wanted = additions.label(own.name if name is None else name)
            source = self._source.names[self._chosen_place()]
            if self._findings.detected is None:
                raise ValueError(NOTHING_YET)
            if wanted == source:
                raise ValueError(f"{written(wanted)} holds the texts themselves: choose another name")
            additions.put(_framed(own, wanted), made_of=texts.to_frame(source), replace=replace)
            self._show_buttons()
            how = f" translate(source_lang={wanted!r}) takes it." if isinstance(wanted, str) else ""
            self._say(f"Added to the frame: {written(wanted)}.{how}")
            return wanted

    def remove_column(self) -> list[Hashable]:
        """Take the last column that was added out of the frame; what stood there before is there again."""
        with self._lock:
            names = self._additable().take_out()
            self._show_buttons()
            self._say(f"Taken out of the frame again: {', '.join(map(written, names))}.")
            return names

    def _add(self, *, replace: bool = False) -> None:
        wanted = self._wanted_name()
        texts = self._source.names[self._chosen_place()]
        if not replace and wanted != texts and self._additable().there([wanted]):
            self._ask_to_replace(True)
            self.line.say(
                f"The frame has {written(wanted)} already. Really replace what stands there?", "change"
            )
            return
        self.add_column(wanted, replace=replace)
        self._ask_to_replace(False)

    def _wanted_name(self) -> Hashable:
        """The name that stands in its field; the one that was proposed keeps its levels."""
        proposed, name = self.languages.name, self.controls.name.value.strip()
        return self._additable().label(proposed if name in ("", written(proposed)) else name)

    def _ask_to_replace(self, asking: bool) -> None:
        on = self.controls
        if not asking and on.replace.layout.display is None and self.line.kind == "change":
            self._say(speech.found(self._findings))
        for widget in (on.replace, on.keep):
            show(widget, asking)
        show(on.add, not asking)

    def _additable(self) -> Additions:
        if self._additions is None:
            raise ValueError("there is no frame to add a column to, but a Series: take panel.languages")
        return self._additions


def _framed(languages: pd.Series[Any], name: Hashable) -> pd.DataFrame:
    """*languages* as a frame of one column, whose name may have several levels."""
    columns = pd.MultiIndex.from_tuples([name]) if isinstance(name, tuple) else pd.Index([name])
    return languages.to_frame().set_axis(columns, axis=1)
