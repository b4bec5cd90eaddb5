"""What comes of the service's answers: lists opened and sent, and what others did meanwhile met with what is here."""

from __future__ import annotations

from typing import Any

import pandas as pd

from svc_nb import style_rules
from svc_nb.language_codes import name_of
from svc_nb.panels.style_rules import exchange
from svc_nb.panels.style_rules.around import Around
from svc_nb.panels.style_rules.compare import spoken, titled
from svc_nb.panels.style_rules.exchange import Found, Meanwhile
from svc_nb.panels.style_rules.keeper import drafts, whole_of
from svc_nb.panels.style_rules.sheet import Sheet
from svc_nb.style_rules.clone import Clone
from svc_nb.style_rules.content import Content
from svc_nb.style_rules.diff import Difference, diff
from svc_nb.style_rules.merge import Merge, aligned
from svc_nb.style_rules.style import Style
from svc_nb.style_rules.tables import rows_of
from svc_nb.style_rules.tryout import Tried
from svc_nb.sync.changes import Push
from svc_nb.sync.drafts import Waiting
from svc_nb.tabular.report import plural
from svc_nb.wire.client.ignored_options import without_effect

MOST_TOLD = 12


class Traffic(Around):
    """Takes in what the service answered, each answer into the list that it is about."""

    def __init__(self, *, keep_texts: bool = False) -> None:
        super().__init__(keep_texts=keep_texts)
        self._made = 0

    # ---- opening

    def _found(self, before: str, found: Found) -> None:
        """Open what was found, unless another list was opened since *before*; edits that it has here stay."""
        self._listed, self._waiting = found.listed, found.waiting
        key = "" if found.style is None else found.style.style_id or ""
        if before != self._key:
            self._refresh()
        elif found.style is None:
            self._begin()
        elif key in self._kept:
            self._key = key
            self._meet(key, found.style)
        else:
            self._lay_open(key, Sheet(found.style))
            self._begin()

    def _reload(self) -> None:
        """Ask for the lists and the open one anew, and take in what others did."""
        style_id, key = self.style_id, self._key
        self._find(lambda: exchange.find_again(style_id), lambda found: self._reloaded(key, found))

    def _reloaded(self, key: str, found: Found) -> None:
        self._listed, self._waiting = found.listed, found.waiting
        if key != self._key:
            self._refresh()
        elif found.style is not None:
            self._meet(key, found.style)
        elif self.style_id is not None:
            self._orphan(key)
        else:
            self._show()

    def _restored(self, waiting: Waiting, sheet: Sheet, found: Found) -> None:
        self._listed = found.listed
        drafts().forget(waiting)
        self._waiting = [each for each in self._waiting if each != waiting]
        known = set(found.listed["style_id"])
        key = sheet.base.style_id or self._new_key()
        self._first = f"Restored: {plural(waiting.steps, 'step')}."
        self._lay_open(key, sheet)
        if sheet.base.style_id is not None and sheet.base.style_id not in known:
            self._orphan(key)
            return
        self._begin()
        if sheet.base.style_id is not None:
            self._reload()

    def _take_over(self, panel: Around, key: str) -> None:
        """Go on with a list that another panel has edited."""
        with self._lock:
            kept = panel._give(key)
            kept.hand_to(self._warn)
            own = kept.sheet.base.style_id or self._new_key()
            if own in self._kept:
                self._close_one(own)
            self._kept[own], self._key = kept, own
            self._begin()
            if self.style_id is not None:
                self._reload()

    def _tried(self, answer: Tried, *, before: str | None) -> None:
        self.parts.trial.busy = False
        title = "The list as on the service" if before else "Without a style"
        self.parts.trial.show([(title, answer.plain), ("As edited", answer.text)])
        same = " Both are the same." if answer.text == answer.plain else ""
        marked = (
            " The embedded service has no translator for this pair: it only marked the text."
            if answer.marked_only
            else ""
        )
        behind = (
            f" A temporary list could not be removed yet: {answer.left_behind}." if answer.left_behind else ""
        )
        idle = " ".join(filter(None, ["", without_effect(answer.ignored_options)]))
        self.parts.tried.say(
            f"Billed for both: {plural(answer.billed, 'character')}.{same}{marked}{behind}{idle}"
        )

    def _looked(self, key: str, found: Meanwhile | None) -> None:
        """Ask whether to push, unless others were there first, or another list is looked at by now."""
        if key != self._key or (found is not None and self._met(key, found)):
            return
        changes = [Difference(*cells) for _, cells in rows_of(pd.DataFrame(self.changes))]
        lines = [f"• {line}" for line in dict.fromkeys(map(spoken, changes))]
        more = [f"… and {plural(len(lines) - MOST_TOLD, 'change')} more"] if len(lines) > MOST_TOLD else []
        sheet = self._sheet
        title = titled(sheet.content.name, sheet.language, sheet.base.version)
        what, yes = f"Push to {title}?", f"Yes, push {plural(len(changes), 'change')}"
        if sheet.base.style_id is None:
            what, yes = f"Create {title}?", "Yes, create it"
        self._ask(yes, "\n".join([what, *lines[:MOST_TOLD], *more]), lambda: self._push(key))

    def _push(self, key: str) -> None:
        sheet = self._kept[key].sheet
        style, content, base = sheet.style, sheet.content, sheet.base
        self._deed(
            lambda: (exchange.send(style, base), style_rules.list()),
            lambda found: self._sent(key, content, *found),
        )

    def _sent(self, key: str, content: Content, answer: Push | Meanwhile, listed: pd.DataFrame) -> None:
        self._listed = listed
        if isinstance(answer, Meanwhile):
            self._met(key, answer)
            return
        after = answer.after
        if after is None or after.style_id is None:
            return
        self._undoable = (after.style_id, after.version)
        sheet = self._kept[key].sheet
        theirs = self._aligned(sheet, after, content)
        merged = Merge(content, sheet.content, theirs, language=sheet.language).content
        self._first = f"Pushed: {titled(after.name or '', sheet.language, after.version)}."
        self._replace(key, Sheet(after, theirs), merged, "what was written meanwhile")

    def _undone(self, style_id: str, answer: Push, listed: pd.DataFrame) -> None:
        deleted = self._undoable is not None and self._undoable[1] is None
        self._listed, self._undoable = listed, None
        kept = self._kept.get(style_id)
        back = (
            "The deletion was taken back."
            if deleted
            else "The push was taken back; Redo brings the edits back."
        )
        self._first = back
        if answer.after is None and kept is not None:  # it was new, and is so again
            self._orphan(
                style_id, "The push was taken back: the list is gone again. It is still here, not pushed."
            )
        elif answer.after is None:
            self._begin()
        else:
            self._lay_back(style_id, answer.after)

    def _lay_back(self, key: str, now: Style) -> None:
        """Show the list as it is *now*, after an undo; what was edited here since stays, or can be done again."""
        mine = self._kept[key].sheet if key in self._kept else Sheet(now)
        edited, content = mine.is_changed, mine.content
        self._lay_open_as(key, Sheet(now, self._aligned(mine, now, content)))
        self._open_one.do(whole_of(content, "the edits that were pushed"))
        if not edited:
            self._open_one.do({"do": "undo"})
        self._begin()

    def _delete(self, key: str) -> None:
        base = self._kept[key].sheet.base
        if base.style_id is None:
            self._deleted(key, None, self._listed)
            return
        self._deed(
            lambda: (exchange.remove(base), style_rules.list()), lambda found: self._deleted(key, *found)
        )

    def _deleted(self, key: str, answer: Push | Meanwhile | None, listed: pd.DataFrame | None) -> None:
        self._listed = listed
        if isinstance(answer, Meanwhile) and answer.style is not None:  # others have changed what is to go
            self._meet(key, answer.style, said="It was not deleted.")
            return
        if isinstance(answer, Push):
            self._undoable = (key, None)
        self._close_one(key)
        self._first = "The list is deleted."
        self._begin()

    def _cloned(self, made: Clone) -> None:
        style = made.style
        self._refuse_name(style.name or "", style.language or "")
        self._lay_new(Style(name=style.name, language=style.language), style)
        self.parts.tabs.selected_index = 0

    # ---- others

    def _met(self, key: str, found: Meanwhile) -> bool:
        """Take in what others did; False where there is nothing to look at before going on."""
        if found.style is None:
            self._orphan(key)
            return True
        version = self._kept[key].sheet.base.version
        self._meet(key, found.style)
        return self._merge is not None or self._kept[key].sheet.base.version != version

    def _meet(
        self,
        key: str,
        theirs: Style,
        *,
        choices: dict[Any, str] | None = None,
        said: str = "",
    ) -> None:
        """Put what others did and what was edited here together, or show where they collide."""
        sheet = self._kept[key].sheet
        if theirs.version == sheet.base.version and not len(diff(sheet.base, theirs)):
            self._begin()
            return
        other = self._aligned(sheet, theirs, sheet.content)
        merge = Merge(sheet.began, sheet.content, other, language=sheet.language)
        merge.choices |= choices or {}
        if not merge.is_settled:
            self._merge, self._theirs, self._key = merge, theirs, key
            self._show()
            return
        self._merge = self._theirs = None
        if theirs.version != sheet.base.version:
            taken = f", {plural(len(merge.taken), 'change')} made there taken over" if merge.taken else ""
            said = said or ("Look, then push." if merge.content != other else "")
            self._first = (
                f"The list was changed elsewhere: version {theirs.version} now{taken}. {said}".strip()
            )
        self._replace(key, Sheet(theirs, other), merge.content, "the edits from before")

    def _aligned(self, sheet: Sheet, theirs: Style, content: Content) -> Content:
        return aligned(
            Content.of(theirs), sheet.began, content, language=sheet.language, next_number=sheet.next_number
        )

    def _orphan(self, key: str, said: str = "") -> None:
        """Go on with a list that is gone from the service as with a new one."""
        sheet = self._kept[key].sheet
        self._first = (
            said or "The list was deleted elsewhere. It is still here: a push makes it again, under a new id."
        )
        style = sheet.style
        self._close_one(key)
        instructions = style.instructions.assign(id=None)
        self._lay_new(
            Style(name=style.name, language=style.language), style.replace(instructions=instructions)
        )

    # ---- sheets

    def _begin(self) -> None:
        """Show what is open now, with nothing asked and nothing colliding."""
        self._asked = self._merge = self._theirs = None
        self._show()

    def _new_key(self) -> str:
        self._made += 1
        return f"new {self._made}"

    def _lay_new(self, base: Style, style: Style | None = None) -> None:
        key = self._new_key()
        self._lay_open(key, Sheet(base))
        if style is not None:
            self._open_one.do(whole_of(Content.of(style), "the whole list"))
        self._begin()

    def _lay_open_as(self, key: str, sheet: Sheet) -> None:
        """Open *sheet* in the place of *key*, under the id that its list has now."""
        if key in self._kept:
            self._close_one(key)
        self._lay_open(sheet.base.style_id or self._new_key(), sheet)

    def _replace(self, key: str, sheet: Sheet, content: Content, called: str) -> None:
        self._lay_open_as(key, sheet)
        self._open_one.do(whole_of(content, called))
        self._begin()

    def _refuse_name(self, name: str, language: str) -> None:
        taken = {(each.sheet.content.name, each.sheet.language) for each in self._kept.values()}
        if self._listed is not None:
            taken |= set(zip(self._listed["name"], self._listed["language"], strict=True))
        if (name, language) in taken:
            raise ValueError(
                f"There is a list of this name for {name_of(language)} already: choose it, or take another name."
            )
