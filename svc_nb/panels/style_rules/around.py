"""What stands around the open list: which lists there are, what is asked, what collides, and what can be done now."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self
from weakref import WeakSet

import pandas as pd

from svc_nb.panels.style_rules.compare import titled, what_collides
from svc_nb.panels.style_rules.editing import Editing
from svc_nb.panels.style_rules.keeper import Kept
from svc_nb.panels.style_rules.parts import visible
from svc_nb.style_rules.merge import Merge
from svc_nb.style_rules.style import Style
from svc_nb.sync.drafts import Waiting
from svc_nb.tabular.report import plural

LISTED = ("style_id", "name", "language", "version")


class Around(Editing):
    """The open list among all others; what a person is asked, and work that is under way."""

    open_panels: WeakSet[Around] = WeakSet()  # of this kernel: a cell that is run again makes another

    def __init__(self, *, keep_texts: bool = False) -> None:
        super().__init__(keep_texts=keep_texts)
        self.open_panels.add(self)
        self._listed: pd.DataFrame | None = None
        self._waiting: list[Waiting] = []
        self._asked: tuple[str, Callable[[], None]] | None = None
        self._merge: Merge | None = None
        self._theirs: Style | None = None
        self._undoable: tuple[str, int | None] | None = None  # the last push or deletion from here
        self._busy = 0
        self._refresh()

    def close(self) -> None:
        """End the panel: its widgets go, and no thread stays. Edits that were not pushed are kept as drafts."""
        self.open_panels.discard(self)
        super().close()

    def _deed(self, work: Callable[[], Any], then: Callable[[Any], None]) -> None:
        """Do *work* in its turn, with all that could disturb it at rest meanwhile."""
        with self._lock:
            self._busy += 1
            self._refresh()

        def counted() -> Any:
            try:
                return work()
            finally:
                with self._lock:
                    self._busy -= 1

        def taken(answer: Any) -> None:
            try:
                then(answer)
            finally:
                self._refresh()

        self._do(counted, taken)

    def _failed(self, problem: Exception) -> None:
        super()._failed(problem)
        if self.parts.trial.busy:
            self.parts.trial.busy = False
            self.parts.tried.say("")
        self._refresh()

    def _ask(self, answer: str, question: str, action: Callable[[], None]) -> None:
        self._asked = (answer, action)
        self._say(question, "change")
        self._refresh()

    def _edit(self, **deed: Any) -> Self:
        with self._lock:
            asked, self._asked = self._asked, None
            super()._edit(**deed)
            if asked is not None:
                self._show()
        return self

    def _show(self) -> None:
        super()._show()
        self._refresh()

    @property
    def _offered(self) -> Waiting | None:
        """The edits of earlier kernels to offer: those of the open list, else those of any."""
        own = [each for each in self._waiting if self._key and each.thing_id == self.style_id]
        return next(iter(own or self._waiting), None)

    @property
    def _beside(self) -> tuple[Around, str] | None:
        """Another panel of this kernel with edits to offer: of the list that is open here and not edited, or of any."""
        if self._key and self._sheet.is_changed:
            return None
        found = (
            (panel, key)
            for panel in [*self.open_panels]
            if panel is not self and not panel._busy
            for key, kept in [*panel._kept.items()]
            if kept.sheet.is_changed and kept.is_current and (not self._key or key == self.style_id)
        )
        return next(found, None)

    def _give(self, key: str) -> Kept:
        """Let another panel have a list with its edits."""
        with self._lock:
            kept = self._kept.pop(key)
            if key == self._key:
                self._key, self._asked, self._merge = "", None, None
                self._first = "The edits were taken up in another panel."
            self._show()
            return kept

    def _refresh(self) -> None:
        """Have everything around the list follow what is open, what is asked, and what collides."""
        with self._quietly():
            self._show_lists()
            self._show_offer()
            self._show_conflicts()
            self._show_buttons()

    def _show_lists(self) -> None:
        rows = (
            [] if self._listed is None else list(zip(*(self._listed[name] for name in LISTED), strict=True))
        )
        options = [(titled(name, language, int(version)), key) for key, name, language, version in rows]
        known = {key for _, key in options}
        options += [
            (titled(each.sheet.content.name, each.sheet.language, each.sheet.base.version), key)
            for key, each in self._kept.items()
            if key not in known
        ]
        self.parts.offer_lists(_apart(options), self._key)
        self.parts.offer_befores(self.style_id is not None)
        self.parts.new_name.value = self._sheet.content.name if self._key else ""

    def _show_offer(self) -> None:
        waiting, beside = self._offered, self._beside
        visible(self.parts.offer_box, waiting is not None or beside is not None)
        self.parts.show(forget=beside is None)
        self.buttons["restore"].description = "Restore" if beside is None else "Go on here"
        if beside is not None:
            sheet = beside[0]._kept[beside[1]].sheet
            edits = f"Edits of “{sheet.content.name}” are in another panel of this notebook"
            self.parts.offer.say(
                f"{edits}: {plural(len(sheet.diff), 'change')}. Go on with them here?", "change"
            )
        elif waiting is not None:
            when = f"{waiting.made.astimezone():%d %B %Y, %H:%M}"
            steps, others = plural(waiting.steps, "step"), len(self._waiting) - 1
            more = f" There are edits of {plural(others, 'other list')}, too." if others else ""
            said = f"Edits of “{waiting.name}” from {when} were not pushed: {steps}. Restore them?{more}"
            self.parts.offer.say(said, "change")

    def _show_conflicts(self) -> None:
        merge = self._merge
        visible(self.parts.conflict_box, merge is not None)
        if merge is not None and self._theirs is not None:
            said = what_collides(len(merge.clashes), self.version, self._theirs.version)
            self.parts.collisions.display_clashes(merge, said=said)
            self.buttons["settle"].disabled = not merge.is_settled

    def _show_buttons(self) -> None:
        sheet = self._sheet if self._key else None
        changes = len(sheet.diff) if sheet else 0
        on, asked = self.buttons, self._asked
        on["push"].description = f"Push {plural(changes, 'change')} …" if changes else "Push …"
        on["confirm"].description = asked[0] if asked else "Yes"
        deleted = self._undoable is not None and self._undoable[1] is None
        on["undo_push"].description = "Undo the deletion" if deleted else "Undo the push"
        new = sheet is not None and sheet.base.style_id is None
        can = {
            "undo": bool(sheet and sheet.undoable),
            "redo": bool(sheet and sheet.redoable),
            "discard": bool(changes),
            "push": bool(changes or new) and asked is None and self._merge is None,
            **dict.fromkeys(("rename", "clone", "delete"), sheet is not None),
        }
        for name, button in on.items():
            if name != "settle":
                button.disabled = bool(self._busy) or not can.get(name, True)
        waits = asked is not None or self._merge is not None
        self.parts.show(confirm=asked is not None, cancel=waits, undo_push=self._undoable is not None)
        self.parts.lists.disabled = bool(self._busy)
        self.board.show(busy=bool(self._busy))
        self.instructions.show(busy=bool(self._busy))


def _apart(options: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Titles that are the same told apart by the beginning of the id."""
    titles = [title for title, _ in options]
    return [(f"{title} · {key[:8]}" if titles.count(title) > 1 else title, key) for title, key in options]
