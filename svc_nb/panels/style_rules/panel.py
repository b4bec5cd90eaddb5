"""The style rule panel: lists opened, edited, tried, pushed, copied and taken back, and what others did meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakSet

import pandas as pd

from svc_nb import style_rules
from svc_nb.panels.parts.drafts import drafts_of
from svc_nb.panels.parts.edit_panel import Conflicts, EditPanel, Meanwhile, locked
from svc_nb.panels.parts.texts import error_line
from svc_nb.panels.style_rules import messages, push
from svc_nb.panels.style_rules.lists import EditList, OpenLists, connected, is_connected, restored, titled, whole_of
from svc_nb.panels.style_rules.push import Found
from svc_nb.panels.style_rules.view import CHANGES, MORE, StyleRulesView
from svc_nb.panels.style_rules.widgets import tabled
from svc_nb.session import current
from svc_nb.signatures import hides
from svc_nb.style_rules.catalogue import style_language
from svc_nb.style_rules.diff import StyleDiff
from svc_nb.style_rules.merge import Merge
from svc_nb.style_rules.style import Style
from svc_nb.style_rules.sync import listed
from svc_nb.style_rules.tryout import Tried
from svc_nb.sync.changes import Push
from svc_nb.tabular.cells import HALF_A_PAIR
from svc_nb.tabular.report import Report, plural
from svc_nb.tracebacks import verbs


@hides("board", "parts", "open_panels")
@verbs
class StyleRules(EditPanel):
    """Choose style rules and write instructions, try them on a sentence, and push only what changed.

    Whatever is done here is done only here until `push` and then `confirm`. Unsaved edits of each list stay with it,
    also when another is opened, and are kept on the disk: a panel in another kernel offers them again.

    Parameters
    ----------
    style_id
        The list to open, by its id or its name.
    keep_texts
        Keep rules and instructions in the saved notebook; else it holds only how many there are.
    """

    open_panels: WeakSet[StyleRules] = WeakSet()  # of this kernel: a cell that is run again makes another
    _kept_in = "the panel's `style`"
    _no_conflicts = "There are no conflicts to settle."

    def __init__(self, style_id: str | None = None, *, keep_texts: bool = False) -> None:
        super().__init__()
        self.keep_texts = keep_texts
        self.parts = StyleRulesView(
            self.line,
            heard=lambda message: self._clicked(self._hear, message),
            tried=lambda text: self._clicked(self._press_try, text),
        )
        self.buttons, self.box = self.parts.buttons, self.parts.box
        self.board, self.instructions = self.parts.board, self.parts.instructions
        self._lists = OpenLists(self._warn)
        self._first = ""  # what the line says before all else, once
        self.open_panels.add(self)
        self._refresh()
        self._listen()
        self.open(style_id)

    # ---- what is there

    @property
    def style(self) -> Style | None:
        """The list as it is edited now; None where none is open."""
        return self._edits.style if self._lists.key else None

    @property
    def style_id(self) -> str | None:
        """The id of the open list; None where none is open, and until a new one is pushed."""
        return self._edits.base.style_id if self._lists.key else None

    @property
    def version(self) -> int | None:
        """The version that the edits began with."""
        return self._edits.base.version if self._lists.key else None

    @property
    def changes(self) -> StyleDiff:
        """What would be pushed: a table of what differs from the list as it was loaded."""
        return self._edits.diff

    @property
    def findings(self) -> Report:
        """What is wrong with the list as it is edited, or might be."""
        return self._edits.style.lint()

    @property
    def conflicts(self) -> pd.DataFrame:
        """What was changed here and on the service, differently, and waits to be settled."""
        return tabled([]) if self._push.conflicts is None else self._push.conflicts.table

    @property
    def _edits(self) -> EditList:
        return self._lists.shown.edits

    # ---- opening

    @locked
    def open(self, style_id: str | None = None) -> None:
        """Open a list by its id or its name, with the edits it has here; None only asks which lists there are."""
        if style_id in self._lists:
            self._latest.drop()
            self._lists.key = style_id or ""
            self._begin()
            return
        before, session = self._lists.key, current()

        def opened(found: Found) -> None:
            self._listed, self._lists.waiting = found.listed, found.waiting
            key = "" if found.style is None else found.style.style_id or ""
            if before != self._lists.key:  # another list was opened meanwhile
                self._refresh()
            elif found.style is None:
                self._begin()
            elif key in self._lists:
                self._lists.key = key
                self._meet(key, found.style)
            else:
                self._lists.lay(session, EditList(found.style))
                self._begin()

        self._say("Asking the service …")
        self._find(lambda: push.find(session, style_id), opened)

    @locked
    def reload(self) -> None:
        """Ask the service for the lists and the open one anew; what was edited stays."""
        style_id, key = self.style_id, self._lists.key
        session = connected(self._lists.shown.session) if key else current()

        def reloaded(found: Found) -> None:
            self._listed, self._lists.waiting = found.listed, found.waiting
            if key != self._lists.key:
                self._refresh()
            elif found.style is not None:
                self._meet(key, found.style)
            elif self.style_id is not None:
                self._orphan(key)
            else:
                self._show()

        self._find(lambda: push.find(session, style_id, missing_ok=True), reloaded)

    @locked
    def create(self, name: str, language: str) -> None:
        """Begin a new list; it is made on the service by the first push."""
        code = style_language(language)
        if not name.strip():
            raise ValueError("A new list needs a name: write one beside its language.")
        self._lists.refuse_name(name.strip(), code, self._listed)
        self._lists.lay(current(), EditList(Style(name=name.strip(), language=code)))
        self._begin()

    @locked
    def restore(self) -> None:
        """Bring back the edits that the panel offers: of another panel, or of an earlier kernel."""
        if (beside := self._beside) is not None:
            self._take_over(*beside)
            return
        waiting, session = self._lists.offered, current()
        if waiting is None:
            self._refresh()
            raise ValueError("There are no edits to restore.")

        def taken(answer: tuple[EditList, Found]) -> None:
            edits, found = answer
            self._listed = found.listed
            drafts_of(session).forget(waiting)
            self._lists.waiting = [each for each in self._lists.waiting if each != waiting]
            self._first = f"Restored: {plural(waiting.steps, 'step')}."
            style_id, key = edits.base.style_id, self._lists.lay(session, edits)
            if style_id is not None and style_id not in set(found.listed["style_id"]):
                self._orphan(key)
                return
            self._begin()
            if style_id is not None:
                self.reload()

        self._do_alone(lambda: (restored(session, waiting), push.find(session, None)), taken)

    @locked
    def forget(self) -> None:
        """Remove the edits of an earlier kernel that the panel offers; what they have is lost."""
        waiting = self._lists.offered
        if waiting is None:
            raise ValueError("There are no edits to forget.")
        drafts_of(current()).forget(waiting)
        self._lists.waiting.remove(waiting)
        self._refresh()

    def close(self) -> None:
        """End the panel: its widgets go, and no thread stays. Edits that were not pushed are kept as drafts."""
        self.open_panels.discard(self)
        super().close()

    # ---- editing

    def set_rule(self, category: str, rule: str, option: str | None) -> StyleRules:
        """Choose an option of a rule by their names; None is that the rule is not set."""
        return self._edit(do="rule", category=category, rule=rule, option=option)

    def add_instruction(self, label: str = "", prompt: str = "", *, source_language: str | None = None) -> int:
        """Add an instruction, and return the number by which it is written to and dropped."""
        with self._lock:
            number = self._edits.next_number
            texts = {"label": whole(label), "prompt": whole(prompt), "source_language": source_language or None}
            self._edit(do="add", number=number, **texts)
            return number

    def write_instruction(
        self, number: int, *, label: str | None = None, prompt: str | None = None, source_language: str | None = None
    ) -> StyleRules:
        """Write to an instruction; what is not given stays. A source language of "" is that of the list."""
        given = {"label": label, "prompt": prompt, "source_language": source_language}
        for field, text in given.items():
            if text is not None:
                empty = None if field == "source_language" else ""
                self._edit(do="write", number=number, field=field, text=whole(text) or empty)
        return self

    def drop_instruction(self, number: int) -> StyleRules:
        """Delete an instruction."""
        return self._edit(do="drop", number=number)

    def rename(self, name: str) -> StyleRules:
        """Give the list another name."""
        if not name.strip():
            raise ValueError("A list needs a name: write one first.")
        return self._edit(do="name", name=whole(name.strip()))

    def undo(self) -> str:
        """Take back the last step, and return its name; nothing where there is none."""
        with self._lock:
            name = self._edits.undoable
            self._edit(do="undo")
            return name

    def redo(self) -> str:
        """Do again what was undone last, and return its name; nothing where there is none."""
        with self._lock:
            name = self._edits.redoable
            self._edit(do="redo")
            return name

    def discard(self) -> StyleRules:
        """Go back to the list as it was loaded; that can be undone."""
        return self._edit(**whole_of(self._edits.began, "discarding"))

    def search(self, text: str) -> pd.DataFrame:
        """Show only rules that have every word of *text*; returns the options found, with their labels.

        They are those of the list's language, or of all where no list is open.
        """
        with self._lock:
            return self.board.look_for(text, language=self._edits.language if self._lists.key else None)

    # ---- trying and comparing

    @locked
    def try_out(self, text: str, *, source_lang: str | None = None, before: str | None = None) -> None:
        """Translate *text* with the list as it is edited, and without it, or *before* = "service": as it is there."""
        if not text.strip():
            raise ValueError("Write a sentence to try first.")
        push.refuse_errors(self._edits.style)
        style, session = self._edits.style, self._lists.shown.session
        then = self.style_id if before == "service" else None
        self.parts.trial.busy = True
        self.parts.tried.say("Asking the service …")

        def tried(answer: Tried) -> None:
            self.parts.trial.busy = False
            title = "The list as on the service" if then else "Without a style"
            self.parts.trial.show([(title, answer.plain), ("As edited", answer.text)])
            self.parts.tried.say(messages.tried_out(answer))

        self._do(lambda: push.tried(session, style, text, source_lang=source_lang, before=then), tried)

    def diff(self) -> StyleDiff:
        """Show what has changed, and return it."""
        self.parts.tabs.selected_index = CHANGES
        return self.changes

    # ---- pushing

    @locked
    def push(self) -> None:
        """Look what is on the service, and ask whether the changes are meant; `confirm` sends them."""
        session = connected(self._lists.shown.session)
        if self._push.conflicts is not None:
            raise ValueError(messages.COLLIDES)
        push.refuse_errors(self._edits.style)
        key, style, base = self._lists.key, self._edits.style, self._edits.base
        if base.style_id is not None and not len(self.changes):
            self._say("There is nothing to push: nothing is changed.")
            return
        self._push.asked = None

        def looked(found: Meanwhile | None) -> None:
            """Ask whether to push, unless others were there first, or another list is looked at by now."""
            if key == self._lists.key and not (found is not None and self._met(key, found)):
                question, yes = messages.push_question(self._edits)
                self._ask(yes, question, lambda: self._send(key))

        self._do_alone(lambda: push.looked(session, style, base), looked)

    def _send(self, key: str) -> None:
        session, edits = connected(self._lists[key].session), self._lists[key].edits
        style, content, base = edits.style, edits.content, edits.base

        def sent(answer: tuple[Push | Meanwhile, pd.DataFrame]) -> None:
            done, self._listed = answer
            if isinstance(done, Meanwhile):
                self._met(key, done)
                return
            after = done.after
            if after is None or after.style_id is None:
                return
            self._push.undoable = (after.style_id, after.version, session)
            self._first = f"Pushed: {titled(after.name or '', edits.language, after.version)}."
            self._lists.settle(key, after, content)
            self._begin()

        self._do_alone(lambda: (push.send(session, style, base), listed(session.client)), sent)

    @locked
    def confirm(self) -> None:
        """Do what the panel has asked about: push, copy or delete."""
        asked = self._push.confirmed("There is nothing to confirm: push, clone or delete first.")
        self._refresh()
        asked()

    @locked
    def cancel(self) -> None:
        """Do not do what the panel has asked about; what collides is found again by the next push."""
        self.parts.left.display((), [], said="")
        self._begin()

    @locked
    def undo_push(self) -> None:
        """Take back the last push, or deletion, from this panel; the edits can be done again with `redo`."""
        if self._push.undoable is None:
            raise ValueError("There is no push from here to undo.")
        style_id, version, session = self._push.undoable
        connected(session)

        def undone(answer: tuple[Push, pd.DataFrame]) -> None:
            done, self._listed = answer
            self._push.undoable = None
            if done.after is None and style_id in self._lists:  # it was new, and is so again
                gone = "The push was taken back: the list is gone again. It is still here, not pushed."
                self._orphan(style_id, gone)
                return
            back = "The push was taken back; Redo brings the edits back."
            self._first = "The deletion was taken back." if version is None else back
            if done.after is not None:
                self._lists.take_back(session, style_id, done.after)
            self._begin()

        self._do_alone(lambda: (push.take_back(session, style_id, version), listed(session.client)), undone)

    # ---- copying and deleting

    @locked
    def clone(self, language: str, name: str | None = None) -> None:
        """Show what carries over to another language and what does not; `confirm` opens the copy, to be pushed."""
        made = style_rules.clone(self._edits.style, language, name=name or None)
        style = made.style
        self.parts.left.display_clone(made)
        self.parts.tabs.selected_index = MORE

        def cloned() -> None:
            self._lists.refuse_name(style.name or "", style.language or "", self._listed)
            self._lists.lay_new(current(), style)
            self._begin()
            self.parts.tabs.selected_index = 0

        self._ask("Yes, make the copy", messages.clone_question(style), cloned)

    @locked
    def delete(self) -> None:
        """Ask whether the open list is to be deleted; `confirm` deletes it on the service."""
        key, question = self._lists.key, messages.delete_question(self._edits)
        connected(self._lists.shown.session)
        self._ask("Yes, delete this list", question, lambda: self._delete(key))

    def _delete(self, key: str) -> None:
        session, base = connected(self._lists[key].session), self._lists[key].edits.base

        def deleted(answer: tuple[Push | Meanwhile | None, pd.DataFrame | None]) -> None:
            done, self._listed = answer
            if isinstance(done, Meanwhile) and done.theirs is not None:  # others have changed what is to go
                self._meet(key, done.theirs, said="It was not deleted.")
                return
            if isinstance(done, Push):
                self._push.undoable = (key, None, session)
            self._lists.drop(key)
            self._first = "The list is deleted."
            self._begin()

        if base.style_id is None:
            deleted((None, self._listed))
        else:
            self._do_alone(lambda: (push.remove(session, base), listed(session.client)), deleted)

    # ---- what others did

    def _met(self, key: str, found: Meanwhile) -> bool:
        """Take in what others did; False where there is nothing to look at before going on."""
        if found.theirs is None:
            self._orphan(key)
            return True
        version = self._lists[key].edits.base.version
        self._meet(key, found.theirs)
        return self._push.conflicts is not None or self._lists[key].edits.base.version != version

    def _meet(self, key: str, theirs: Style, *, choices: dict[Any, str] | None = None, said: str = "") -> None:
        """Put what others did and what was edited here together, or show where they collide."""
        before = self._lists[key].edits.base.version
        merge = self._lists.merge(key, theirs, choices or {})
        if merge is not None and not merge.is_settled:
            self._collide(key, theirs, merge)
            return
        if merge is not None and theirs.version != before:
            said = said or ("Look, then push." if self._edits.is_changed else "")
            self._first = messages.changed_elsewhere(merge, theirs.version, said)
        self._begin()

    def _collide(self, key: str, theirs: Style, merge: Merge) -> None:
        """Ask whose change is to count in each place, and meet *theirs* again with the answers."""
        self._lists.key = key
        places = [clash.place for clash in merge.clashes]
        chosen = {label: merge.choices[place] for label, place in enumerate(places) if place in merge.choices}

        def go_on(sides: dict[int, str]) -> None:
            self._meet(key, theirs, choices={places[label]: side for label, side in sides.items()})

        self._push.conflicts = Conflicts(tabled(merge.clashes), go_on, chosen)
        said = messages.what_collides(len(places), self.version, theirs.version)
        self.parts.collisions.display_clashes(merge.clashes, said=said)
        self._show()

    def _orphan(self, key: str, said: str = "") -> None:
        """Go on with a list that is gone from the service as with a new one."""
        self._first = said or "The list was deleted elsewhere. It is still here: a push makes it again, under a new id."
        self._lists.orphan(key)
        self._begin()

    @property
    def _beside(self) -> tuple[StyleRules, str] | None:
        """Another panel of this kernel with edits to offer: of the list that is open here and not edited, or of any."""
        if self._lists.key and self._edits.is_changed:
            return None
        found = (
            (panel, key)
            for panel in [*self.open_panels]
            if panel is not self and not panel._busy
            for key, each in [*panel._lists.items()]
            if each.edits.is_changed and is_connected(each.session) and (not self._lists.key or key == self.style_id)
        )
        return next(found, None)

    def _take_over(self, panel: StyleRules, key: str) -> None:
        """Go on with a list that another panel has edited."""
        with panel._lock:
            taken = panel._lists.pop(key)
            if key == panel._lists.key:
                panel._lists.key = ""
                panel._push.drop()
                panel._first = "The edits were taken up in another panel."
            panel._show()
        self._lists.take_over(taken)
        self._begin()
        if self.style_id is not None:
            self.reload()

    # ---- open lists

    def _begin(self) -> None:
        """Show what is open now, with nothing asked and nothing colliding."""
        self._push.drop()
        self._show()

    @locked
    def _edit(self, /, **done: Any) -> None:
        asked, self._push.asked = self._push.asked, None
        if self._lists.shown.do(done) or asked is not None:
            self._show()

    def _warn(self, problem: Exception) -> None:
        self._first = f"The edits are not kept on the disk: {error_line(problem)}"

    def _leave_drafts(self) -> int:
        return sum(each.draft.leave(each.edits.is_changed) for each in self._lists.values())

    # ---- clicks

    def _listen(self) -> None:
        parts, on = self.parts, self.buttons
        parts.lists.observe(lambda change: self._clicked(self._choose_list, change.new), "value")
        sending = ("push", "confirm", "cancel", "undo_push", "reload", "delete")
        for name in ("undo", "redo", "discard", "restore", "forget", *sending):
            self._on(on[name], getattr(self, name))
        self._on_each({on["create"]: self._press_create, on["settle"]: self._push.go_on})
        self._on(on["clone"], lambda: self.clone(parts.other.value, parts.other_name.value))
        self._on(on["rename"], lambda: self.rename(parts.new_name.value))
        self._on(on["all_mine"], self._choose, "mine")
        self._on(on["all_theirs"], self._choose, "theirs")

    def _choose_list(self, key: str) -> None:
        if key and key != self._lists.key:
            self.open(key)

    def _press_create(self) -> None:
        self.create(self.parts.name.value, self.parts.language.value)
        self.parts.name.value = ""

    def _press_try(self, text: str) -> None:
        self.try_out(text, source_lang=self.parts.source.value or None, before=self.parts.before.value or None)

    def _hear(self, message: dict[str, Any]) -> None:
        """Do what a person did in the rules, the instructions or the conflicts."""
        match message["kind"]:
            case "set":
                self.set_rule(message["category"], message["rule"], message["option"])
            case "add":
                self.add_instruction()
            case "write":
                self.write_instruction(message["number"], **{message["field"]: message["text"]})
            case "drop":
                self.drop_instruction(message["number"])
            case "choose":
                self._choose({message["place"]: message["whose"]})
            case "search":
                self.board.content["filter"] = message["text"]
                self.board.show_elsewhere(message["text"], language=self._edits.language if self._lists.key else None)

    # ---- what is shown

    def _ask(self, answer: str, question: str, action: Callable[[], None]) -> None:
        self._push.asked = action
        self.buttons["confirm"].description = answer
        self._say(question, "change")
        self._refresh()

    def _failed(self, problem: Exception) -> None:
        if self.parts.trial.busy:
            self.parts.trial.busy = False
            self.parts.tried.say("")
        super()._failed(problem)

    def _show(self) -> None:
        """Show the open list, or that there is none, and say how things stand."""
        first, self._first = self._first, ""
        said = self.parts.display(self._edits if self._lists.key else None)
        self._say(" ".join(filter(None, [first, said])))
        self._settled()
        self._refresh()

    def _refresh(self) -> None:
        """Have everything around the list follow what is open, what is asked, and what collides."""
        with self._quietly():
            name = self._edits.content.name if self._lists.key else ""
            self.parts.offer_lists(
                self._lists.titles(self._listed), self._lists.key, name=name, is_there=self.style_id is not None
            )
            beside, waiting = self._beside, self._lists.waiting
            self.parts.offer_edits(
                beside and beside[0]._lists[beside[1]].edits, self._lists.offered, others=len(waiting) - 1
            )
            self.parts.allow(
                self._edits if self._lists.key else None,
                busy=bool(self._busy),
                asked=self._push.asked is not None,
                collides=self._push.conflicts is not None,
                undoable=self._push.undoable,
            )
            self.parts.show_conflicts(self._push.conflicts)

    def _stays(self) -> dict[str, Any]:
        """What a saved notebook keeps: rules and instructions only where that was asked for."""
        rows = messages.kept_rows(self._edits.content) if self.keep_texts and self._lists.key else []
        return self._kept(("Rule or instruction", "Option or prompt"), rows)


def whole(text: str) -> str:
    """*text* with a sign in the place of half a surrogate pair, which can neither be sent nor kept."""
    return HALF_A_PAIR.sub("\ufffd", text)
