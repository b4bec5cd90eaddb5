"""A sentence translated with the terms as they are edited, and without them, before anything is pushed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets as widgets
import pandas as pd

from svc_nb.glossaries.table import Pair
from svc_nb.glossaries.tryout import Tried, try_out
from svc_nb.panels.glossaries.pairs import arrow
from svc_nb.panels.latest import Latest
from svc_nb.panels.line import Line
from svc_nb.panels.trial import Trial
from svc_nb.session import Session
from svc_nb.tabular.report import plural

HOW = "Both translations are billed. A temporary glossary is made for it and removed again."


class TryOut:
    """The box to try in; *tried* is called with the sentence, *taken* with what came of it and what to do with that."""

    def __init__(
        self,
        *,
        tried: Callable[[str], Any],
        taken: Callable[[Any, Callable[[Any], None]], None],
    ) -> None:
        self.trial = Trial(tried)
        self.line = Line()
        self.line.say(HOW)
        self.box = widgets.VBox([self.trial, self.line])
        self.last: Tried | None = None
        self._taken = taken
        self._latest = Latest()

    def go(self, session: Session, table: pd.DataFrame, text: str, pair: Pair) -> None:
        """Translate *text* in a thread, with the terms of *table* and without."""
        self.trial.text = text
        self.trial.busy = True
        self.line.say("Translating …")
        self._latest.ask(
            lambda: try_out(
                session.client,
                table,
                text,
                source_lang=pair[0],
                target_lang=pair[1],
                folder=session.settings.drafts_path,
            ),
            lambda answer: self._answered(answer, pair),
        )

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the service has answered."""
        return self._latest.wait(timeout)

    def close(self, timeout: float | None = None) -> None:
        """Leave no thread behind."""
        self._latest.close(timeout)

    def _answered(self, answer: Any, pair: Pair) -> None:
        self.trial.busy = False
        if isinstance(answer, Exception):
            self.line.say(HOW)
        self._taken(answer, lambda found: self._show(found, pair))

    def _show(self, found: Tried, pair: Pair) -> None:
        self.last = found
        self.trial.show([("With the terms as edited", found.text), ("Without the glossary", found.plain)])
        self.line.say(told(found, pair))


def told(found: Tried, pair: Pair) -> str:
    """What a try-out cost and what it left out, in words."""
    parts = [f"{arrow(pair)}, {plural(found.billed, 'character')} billed."]
    if found.text == found.plain:
        parts.append("The terms make no difference to this text.")
    if found.left_out:
        parts.append(f"Left out, because the service would refuse them: {plural(found.left_out, 'row')}.")
    if found.marked_only:
        parts.append("The embedded service has no translator for this pair: texts are only marked.")
    if found.left_behind:
        parts.append("The temporary glossary could not be removed; the next try-out removes it.")
    return " ".join(parts)
