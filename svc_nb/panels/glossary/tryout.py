"""A sentence translated with the terms as they are edited, and without them, before anything is pushed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets as widgets

from svc_nb.glossaries.table import Pair
from svc_nb.glossaries.tryout import TriedTerms
from svc_nb.panels.glossary.pairs import arrow
from svc_nb.panels.parts.line import Line
from svc_nb.panels.parts.tryout import Trial
from svc_nb.tabular.report import plural

HOW = "Both translations are billed. A temporary glossary is made for it and removed again."


class TryOut:
    """The box to try in; *tried* is called with the sentence, and `last` is what came of the last one."""

    def __init__(self, tried: Callable[[str], Any]) -> None:
        self.trial = Trial(tried)
        self.line = Line()
        self.line.say(HOW)
        self.box = widgets.VBox([self.trial, self.line])
        self.last: TriedTerms | None = None

    def begin(self, text: str) -> None:
        """Show that *text* is being translated."""
        self.trial.text = text
        self.trial.busy = True
        self.line.say("Translating …")

    def end(self) -> None:
        """Show that nothing is being translated any more."""
        if self.trial.busy:
            self.trial.busy = False
            self.line.say(HOW)

    def show(self, found: TriedTerms, pair: Pair) -> None:
        """Show both translations, what they cost, and what was left out."""
        self.last, self.trial.busy = found, False
        self.trial.show([("With the terms as edited", found.text), ("Without the glossary", found.plain)])
        parts = [f"{arrow(pair)}, {plural(found.billed, 'character')} billed."]
        if found.text == found.plain:
            parts.append("The terms make no difference to this text.")
        if found.left_out:
            parts.append(f"Left out, because the service would refuse them: {plural(found.left_out, 'row')}.")
        if found.marked_only:
            parts.append("The embedded service has no translator for this pair: texts are only marked.")
        if found.left_behind:
            parts.append("The temporary glossary could not be removed; the next try-out removes it.")
        self.line.say(" ".join(parts))
