"""The style rule panel: open, edit, try out, push, copy and undo lists, and merge changes by others."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import count
from typing import Any
from weakref import WeakSet

import pandas as pd

from svc_nb import style_rules
from svc_nb.language_codes import name_of
from svc_nb.panels.parts.controls import Part
from svc_nb.panels.parts.drafts import DraftWriter, drafts_of
from svc_nb.panels.parts.edit_panel import Conflicts, EditPanel, Meanwhile, locked
from svc_nb.panels.parts.texts import error_line
from svc_nb.panels.parts.widgets import show
from svc_nb.panels.style_rules import messages, push
from svc_nb.panels.style_rules.lists import EditList, OpenLists, connected, restored, whole, whole_of
from svc_nb.panels.style_rules.push import Found
from svc_nb.panels.style_rules.view import CHANGES, MORE, StyleRulesView
from svc_nb.panels.style_rules.widgets import CLASH_COLUMNS, conflict_rows, tabled
from svc_nb.session import Session, current
from svc_nb.signatures import hides
from svc_nb.style_rules.catalogue import style_language
from svc_nb.style_rules.clone import with_nearest
from svc_nb.style_rules.diff import StyleDiff
from svc_nb.style_rules.merge import Merge
from svc_nb.style_rules.style import Style
from svc_nb.style_rules.sync import listed
from svc_nb.style_rules.tryout import Tried
from svc_nb.sync.changes import Push
from svc_nb.tabular.report import Report, plural
from svc_nb.tracebacks import verbs

Then = Callable[[], None]


@hides("board", "parts", "open_panels")
@verbs
class StyleRules(EditPanel):
    """Choose style rules and write instructions, try them on a sentence, and push only what changed.

    Nothing is sent until `push` and then `confirm`. Unpushed edits of each list stay when you open another, and are
    kept on disk: a panel in another kernel offers to restore them.

    Parameters
    ----------
    style_id
        The list to open, by its id or its name.
    keep_texts
        Keep rules and instructions in the saved notebook; otherwise it only keeps how many there are.
    """

    open_panels: WeakSet[StyleRules] = WeakSet()  # of this kernel: running a cell again creates another one
    _numbers = count()
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
        self._first = ""  # what the line says first, once
        self._ignored: set[str] = set()  # what had no effect in try-outs
        self._number = next(self._numbers)
        self._declined: set[tuple[int, str]] = set()  # panels by number, and their lists, not to be offered again
        self.open_panels.add(self)
        self._refresh()
        self._listen()
        self.open(style_id)

    # ---- content

    @property
    def style(self) -> Style | None:
        """The edited list; None if none is open."""
        return self._edits.style if self._lists.key else None

    @property
    def style_id(self) -> str | None:
        """The id of the open list; None if none is open, or until a new one is pushed."""
        return self._edits.base.style_id if self._lists.key else None

    @property
    def version(self) -> int | None:
        """The version that the edits are based on."""
        return self._edits.base.version if self._lists.key else None

    @property
    def changes(self) -> StyleDiff:
        """What would be pushed: a table of the differences from the list as loaded."""
        return self._edits.diff

    @property
    def findings(self) -> Report:
        """Problems and possible problems of the edited list."""
        return self._edits.style.lint()

    @property
    def conflicts(self) -> pd.DataFrame:
        """The conflicts between changes made here and on the service, which are to be settled."""
        return tabled([]) if self._push.conflicts is None else self._push.conflicts.table

    @property
    def _edits(self) -> EditList:
        return self._lists.shown.edits

    # ---- opening

    @locked
    def open(self, style_id: str | None = None) -> None:
        """Open a list by its id or name, with its edits here; None only asks the service which lists there are."""
        self.parts.clear_search()
        if style_id in self._lists:
            self._latest.drop()
            self._lists.key = style_id or ""
            self._begin()
            return
        before, session = self._lists.key, current()

        def opened(found: Found) -> None:
            self._listed, self._lists.waiting = found.listed, found.waiting
            key = "" if found.style is None else found.style.style_id or ""
            if before != self._lists.key:  # another list was opened since
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
        again = partial(self.open, style_id)  # with the earlier session, whose key may be different
        self._find(lambda: push.find(session, style_id), opened, again=again)

    @locked
    def reload(self) -> None:
        """Ask the service for the lists and the open list again; your edits stay."""
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

        self._find(lambda: push.find(session, style_id, missing_ok=True), reloaded, again=self.reload)

    @locked
    def create(self, name: str, language: str) -> None:
        """Start a new list; the first push creates it on the service."""
        code = style_language(language)
        if not name.strip():
            raise ValueError("A new list needs a name. Enter one next to its language.")
        self._lists.refuse_name(name.strip(), code, self._listed)
        self._lists.lay(current(), EditList(Style(name=name.strip(), language=code)))
        self.parts.name.value = ""
        show(self.parts.making, False)
        self.parts.clear_search()
        self._begin()

    @locked
    def restore(self) -> None:
        """Restore the edits that the panel offers: of another panel or an earlier kernel."""
        if beside := self._beside:
            self._take_over(*beside[0])
            return
        waiting, session = self._lists.offered, current()
        if waiting is None:
            self._refresh()
            raise ValueError("There are no edits to restore.")

        def taken(answer: tuple[EditList, Found]) -> None:
            edits, found = answer
            self._listed = found.listed
            self._first = "Your draft is restored."
            show(self.parts.making, False)
            self.parts.clear_search()
            style_id, key = edits.base.style_id, self._lists.lay(session, edits)
            self._lists.waiting = [each for each in self._lists.waiting if each != waiting]
            is_gone = style_id is not None and style_id not in set(found.listed["style_id"])
            self._orphan(key) if is_gone else self._begin()
            if self._lists.shown.draft.problem is None:  # otherwise it is the only copy on disk
                drafts_of(session).forget(waiting)
            if style_id is not None and not is_gone:
                self.reload()

        self._do_alone(lambda: (restored(session, waiting), push.find(session, None)), taken)

    @locked
    def forget(self) -> None:
        """Ask whether to remove the edits of an earlier kernel that the panel offers; `confirm` removes them.

        Edits of another panel are kept and only no longer offered.
        """
        if beside := self._beside:
            panel, key = beside[0]
            self._declined.add((panel._number, key))
            self._refresh()
            return
        waiting, session = self._lists.offered, current()
        if waiting is None:
            raise ValueError("There are no edits to forget.")

        def forgotten() -> None:
            drafts_of(session).forget(waiting)
            self._lists.waiting = [each for each in self._lists.waiting if each != waiting]
            self._first = "The draft is removed."
            self._show()

        self.parts.show_left(None)
        self._ask("Forget the edits", messages.forget_question(waiting), forgotten, style="danger")

    def close(self) -> None:
        """Close the panel: its widgets go, and its threads end. Unpushed edits are kept as drafts."""
        self.open_panels.discard(self)
        super().close()

    # ---- editing

    def set_rule(self, category: str, rule: str, option: str | None) -> StyleRules:
        """Choose an option of a rule, by name; None unsets the rule."""
        return self._edit(do="rule", category=category, rule=rule, option=option)

    def add_instruction(self, label: str = "", prompt: str = "", *, source_language: str | None = None) -> int:
        """Add an instruction, and return its number, for editing and deleting it."""
        with self._lock:
            number = self._edits.next_number
            texts = {"label": whole(label), "prompt": whole(prompt), "source_language": source_language or None}
            self._edit(do="add", number=number, **texts)
            return number

    def write_instruction(
        self, number: int, *, label: str | None = None, prompt: str | None = None, source_language: str | None = None
    ) -> StyleRules:
        """Edit an instruction; fields not given stay as they are. A source language of "" is that of the list."""
        given = {"label": label, "prompt": prompt, "source_language": source_language}
        for field, text in given.items():
            if text is not None:
                empty = None if field == "source_language" else ""
                self._edit(do="write", number=number, field=field, text=whole(text) or empty)
        return self

    def drop_instruction(self, number: int) -> StyleRules:
        """Delete an instruction."""
        return self._edit(do="drop", number=number)

    def reset_instruction(self, number: int) -> StyleRules:
        """Restore an instruction as it was loaded."""
        with self._lock:
            was = self._edits.began.numbers.get(number)
            if was is None:
                raise ValueError(f"there was no instruction number {number!r} when the list was loaded")
            return self._edit(**whole_of(self._edits.content.with_instruction(was), "an instruction"))

    def rename(self, name: str) -> StyleRules:
        """Rename the list."""
        if not name.strip():
            raise ValueError("A list needs a name. Enter one first.")
        return self._edit(do="name", name=whole(name.strip()))

    def undo(self) -> str:
        """Undo the last step, and return its name; "" if there is none."""
        return self._turn("undo", self._edits.undoable, "Undone")

    def redo(self) -> str:
        """Redo the step undone last, and return its name; "" if there is none."""
        return self._turn("redo", self._edits.redoable, "Redone")

    def _turn(self, do: str, name: str, done: str) -> str:
        """Undo or redo the step called *name*, say so, and scroll to the change."""
        with self._lock:
            before = self._edits.content
            self._first = f"{done}: {name}." if name else ""
            self._edit(do=do)
            self.parts.bring_into_view(before, self._edits.content)
            return name

    def discard(self) -> StyleRules:
        """Return to the list as loaded; this can be undone."""
        with self._lock:
            self._first = "Your edits are discarded. Undo brings them back." if self._edits.is_changed else ""
            return self._edit(**whole_of(self._edits.began, "discarding"))

    def search(self, text: str) -> pd.DataFrame:
        """Show only rules that contain every word of *text*; returns the options found, with their labels, in the
        list's language, or in all languages if no list is open.
        """
        with self._lock:
            return self.board.look_for(text, language=self._edits.language if self._lists.key else None)

    # ---- trying and comparing

    @locked
    def try_out(self, text: str, *, source_lang: str | None = None, before: str | None = None) -> None:
        """Translate *text* with the edited list, and without it or, with *before* = "service", as on the service."""
        if not text.strip():
            raise ValueError("Enter some text first.")
        self.parts.go_to_error(self._edits)
        push.refuse_errors(self._edits.style)
        style, content, session = self._edits.style, self._edits.content, self._lists.shown.session
        then = self.style_id if before == "service" else None
        self.parts.trial.busy = True
        self.parts.tried.say("Asking the service …")

        def tried(answer: Tried) -> None:
            self.parts.show_tried(content, answer, "As on the service" if then else "Without a style")
            self._ignored.update(answer.ignored_options)
            self._show_list()

        self._do(lambda: push.tried(session, style, text, source_lang=source_lang, before=then), tried)

    def diff(self) -> StyleDiff:
        """Show the changes, and return them."""
        self.parts.tabs.selected_index = CHANGES
        return self.changes

    # ---- pushing

    @locked
    def push(self) -> None:
        """Check the current version on the service, and ask for confirmation; `confirm` sends the changes."""
        session = connected(self._lists.shown.session)
        if self._push.conflicts is not None:
            raise ValueError(messages.COLLIDES)
        self.parts.go_to_error(self._edits)
        push.refuse_errors(self._edits.style)
        key, style, base = self._lists.key, self._edits.style, self._edits.base
        if base.style_id is not None and not len(self.changes):
            self._say("There are no changes to push.")
            return
        self._push.asked = None

        def looked(found: Meanwhile | None) -> None:
            """Ask whether to push after merging changes by others, unless another list is open by then."""
            if key == self._lists.key:
                self._ask_to_push(key) if found is None else self._met(key, found)

        self._do_alone(lambda: push.looked(session, style, base), looked)

    def _ask_to_push(self, key: str) -> None:
        """Ask for confirmation, if any changes are left after a merge."""
        if self._edits.base.style_id is None or len(self.changes):
            question, yes = messages.push_question(self._edits)
            self._ask(yes, question, lambda: self._send(key))

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
            self._first = f"Pushed {plural(edits.diff.total, 'change')}." if base.style_id else "Created."
            self._lists.settle(key, after, content)
            self._begin()

        self._do_alone(lambda: (push.send(session, style, base), listed(session.client)), sent)

    @locked
    def confirm(self) -> None:
        """Confirm what the panel asked about: push, copy or delete."""
        asked = self._push.confirmed("There is nothing to confirm. Push, copy or delete first.")
        self._refresh()
        asked()

    @locked
    def cancel(self) -> None:
        """Cancel what the panel asked about; the next push finds any conflicts again."""
        self._begin()

    @locked
    def undo_push(self) -> None:
        """Undo this panel's last push or deletion on the service; the edits stay here, not pushed."""
        if self._undoable is None:
            raise ValueError("There is no push of this list from this panel to undo.")
        style_id, version, session = self._undoable
        connected(session)

        def undone(answer: tuple[Push, pd.DataFrame]) -> None:
            done, self._listed = answer
            self._push.undoable = None
            if done.after is None and style_id in self._lists:  # it was new, and is so again
                gone = "The push was undone: the list is no longer on the service. It is still here, not pushed."
                self._orphan(style_id, gone)
                return
            self._first = messages.TAKEN_BACK
            if version is None:
                self._first = messages.deletion_taken_back(done.after and done.after.style_id)
            if done.after is not None:
                self._lists.take_back(session, style_id, done.after)
            self._begin()

        self._do_alone(lambda: (push.take_back(session, style_id, version), listed(session.client)), undone)

    @property
    def _undoable(self) -> tuple[str, int | None, Session] | None:
        """The last push if its list is open, or the last deletion if none is: id, version after it, session."""
        last: tuple[str, int | None, Session] | None = self._push.undoable
        return last if last is not None and self._lists.key == ("" if last[1] is None else last[0]) else None

    # ---- copying and deleting

    @locked
    def clone(self, language: str, name: str | None = None, *, nearest: bool = False) -> None:
        """Show what carries over to another language and what does not; `confirm` opens the copy, for you to push.

        With *nearest*, which can still be ticked in the panel, the copy has the nearest options for what does not.
        """
        made = style_rules.clone(self._edits.style, language, name=name or None)
        with self._quietly():
            self.parts.show_left(made, nearest=nearest)
        self.parts.tabs.selected_index = MORE
        self._ask_to_copy()

    def _ask_to_copy(self) -> None:
        """Ask whether to create the copy shown, with the nearest options if ticked."""
        made = self.parts.left_behind
        if made is None:
            return
        style = with_nearest(made) if self.parts.nearest.value else made.style

        def cloned() -> None:
            self._lists.refuse_name(style.name or "", style.language or "", self._listed)
            self._lists.lay_new(current(), style)
            self.parts.clear_search()
            self._begin()
            self.parts.tabs.selected_index = 0
            self.parts.lists.focus()  # the button for copying is in another tab

        self._ask(f"Copy to {name_of(style.language or '')}", messages.clone_question(made, style), cloned)

    @locked
    def delete(self) -> None:
        """Ask whether to delete the open list; `confirm` deletes it on the service."""
        key, question = self._lists.key, messages.delete_question(self._edits)
        connected(self._lists.shown.session)
        self.parts.show_left(None)
        self._ask("Delete list", question, lambda: self._delete(key), style="danger")

    def _delete(self, key: str) -> None:
        session, base = connected(self._lists[key].session), self._lists[key].edits.base

        def deleted(answer: tuple[Push | Meanwhile | None, pd.DataFrame | None]) -> None:
            done, self._listed = answer
            if isinstance(done, Meanwhile) and done.theirs is not None:  # others have changed the list to be deleted
                self._meet(key, done.theirs, lambda: self._say(f"It was not deleted. {self.line.text}"))
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

    # ---- changes by others

    def _met(self, key: str, found: Meanwhile) -> None:
        """Merge changes by others before a push, then ask for confirmation."""
        if found.theirs is None:
            self._orphan(key)
        else:
            self._meet(key, found.theirs, lambda: self._ask_to_push(key))

    def _meet(self, key: str, theirs: Style, then: Then = lambda: None, choices: dict[Any, str] | None = None) -> None:
        """Merge changes by others with the edits here, then do *then*; conflicts are shown first."""
        before = self._lists[key].edits.base.version
        merge = self._lists.merge(key, theirs, choices or {})
        if merge is not None and not merge.is_settled:
            self._collide(key, theirs, merge, then)
            return
        if merge is not None and theirs.version != before:
            self._first = messages.changed_elsewhere(merge, theirs.version)
        self._begin()
        then()

    def _collide(self, key: str, theirs: Style, merge: Merge, then: Then) -> None:
        """Ask which side to keep for each conflict, and merge *theirs* again with the answers."""
        self._lists.key = key
        places = [clash.place for clash in merge.clashes]
        chosen = {label: merge.choices[place] for label, place in enumerate(places) if place in merge.choices}

        def go_on(sides: dict[int, str]) -> None:
            self._meet(key, theirs, then, {places[label]: side for label, side in sides.items()})

        said = messages.what_collides(len(places), self.version, theirs.version)
        rows = conflict_rows(merge.clashes)
        self._push.conflicts = Conflicts(tabled(merge.clashes), go_on, chosen, CLASH_COLUMNS, rows, said)
        self._show()

    def _orphan(self, key: str, said: str = "") -> None:
        """Continue with a list that was deleted on the service as a new one."""
        self._first = said or "The list was deleted elsewhere. It is still here. Pushing it gives it a new id."
        self._lists.orphan(key)
        self._begin()

    @property
    def _beside(self) -> list[tuple[StyleRules, str]]:
        """Edits of other panels in this kernel to offer: each panel with the key of a list that is not edited here.

        First those of the list open here, then those of earlier panels, the latest first.
        """
        others = [panel for panel in self.open_panels if panel is not self and not panel._busy]
        others.sort(key=lambda panel: panel._number, reverse=True)
        here = {self._lists[key].edits.base.style_id for key in self._lists.changed_here}
        found = [
            (panel, key)
            for panel in others
            for key in panel._lists.changed_here
            if key not in here and (panel._number, key) not in self._declined
        ]
        own = [each for each in found if each[1] == self.style_id]
        return own + [each for each in found if each not in own and each[0]._number < self._number]

    def _take_over(self, panel: StyleRules, key: str) -> None:
        """Continue with a list that another panel has edited."""
        with panel._lock:
            taken = panel._lists.pop(key)
            if key == panel._lists.key:
                panel._lists.key = ""
                panel._push.drop()
                panel._first = "Another panel has taken over the edits."
            panel._show()
        self._lists.take_over(taken)
        show(self.parts.making, False)
        self._begin()
        if self.style_id is not None:
            self.reload()

    # ---- open lists

    def _begin(self) -> None:
        """Show what is open, without questions or conflicts."""
        self._push.drop()
        self._show()

    @locked
    def _edit(self, /, **done: Any) -> None:
        asked, self._push.asked = self._push.asked, None
        if self._lists.shown.do(done) or asked is not None:
            self._show()

    def _warn(self, problem: Exception) -> None:
        self._first = f"The edits could not be saved to disk: {error_line(problem)}"

    @property
    def _edited_part(self) -> Part:
        return self.parts.lists

    def _drafts(self) -> list[DraftWriter]:
        return [each.draft for each in self._lists.values() if each.edits.is_changed]

    def _leave_drafts(self) -> int:
        return sum(each.draft.leave(each.edits.is_changed) for each in self._lists.values())

    # ---- clicks

    def _listen(self) -> None:
        parts, on = self.parts, self.buttons
        parts.lists.observe(lambda change: self._clicked(self.open, change.new or None), "value")
        sending = ("push", "delete", "confirm", "cancel")
        for name in ("reload", "discard", "undo", "redo", "forget", *sending):
            self._on(on[name], getattr(self, name))
        parts.nearest.observe(lambda change: self._clicked(self._ask_to_copy), "value")
        for name in ("restore", "undo_push"):
            self._on(on[name], self._press, getattr(self, name))
        self._on_each({on["leave"]: self.cancel, on["settle"]: self._push.go_on})
        self._on_each({on["clone"]: self._press_clone, on["rename"]: self._press_rename})
        parts.other_name.on_submit(lambda: self._clicked(self._press_clone))
        parts.new_name.on_submit(lambda: self._clicked(self._press_rename))
        parts.name.observe(lambda change: self._clicked(self._correct), "value")
        self._on_each({on["create"]: self._press_create, on["new"]: parts.show_making})
        parts.name.on_submit(lambda: self._clicked(self._press_create))
        self._on(on["close_new"], parts.show_making, False)
        self._on(on["all_mine"], self._choose, "mine")
        self._on(on["all_theirs"], self._choose, "theirs")

    def _press_create(self) -> None:
        self.create(self.parts.name.value, self.parts.language.value)
        self.parts.lists.focus()

    def _press_clone(self) -> None:
        self.clone(self.parts.other.value, self.parts.other_name.value)

    def _press_rename(self) -> None:
        self.rename(self.parts.new_name.value)

    def _correct(self) -> None:
        """Clear the message that a name is missing or taken while a new one is typed."""
        if isinstance(self.problem, ValueError):
            self._show()

    def _press_try(self, text: str) -> None:
        self.try_out(text, source_lang=self.parts.source.value or None, before=self.parts.before.value or None)

    def _hear(self, message: dict[str, Any]) -> None:
        """Handle user actions in the rules, the instructions or the conflicts."""
        match message["kind"]:
            case "set":
                self.set_rule(message["category"], message["rule"], message["option"])
            case "add":
                self.add_instruction()
            case "write":
                self.write_instruction(message["number"], **{message["field"]: message["text"]})
            case "drop":
                self.drop_instruction(message["number"])
            case "reset":
                self.reset_instruction(message["number"])
            case "choose":
                self._choose({message["place"]: message["whose"]})
            case "undo" | "redo" as turn if not self.buttons[turn].disabled:
                getattr(self, turn)()
            case "search":
                self.board.show_elsewhere(message["text"], language=self._edits.language if self._lists.key else None)

    # ---- what is shown

    def _ask(self, answer: str, question: str, action: Callable[[], None], *, style: str = "primary") -> None:
        self._push.asked, yes = action, self.buttons["confirm"]
        yes.description, yes.tooltip, yes.button_style = answer, answer, style
        self.parts.question.ask(question)
        self._refresh()

    def _failed(self, problem: Exception) -> None:
        self.parts.drop_trial()
        super()._failed(problem)

    def _show(self) -> None:
        """Show the open list, or that there is none, and the current state."""
        first, self._first = self._first, ""
        said = self._show_list()
        self._say(" ".join(filter(None, [first, said])))
        self._settled()
        self._refresh()

    def _show_list(self) -> str:
        """Show the open list, or that there is none, and return the current state."""
        none_yet = self._listed is not None and not self._lists.titles(self._listed)
        edits, session = (self._edits, self._lists.shown.session) if self._lists.key else (None, None)
        heard = session.client.ignored_options.heard if session else frozenset()
        return self.parts.display(edits, none_yet=none_yet, idle=messages.idle_rules(heard | self._ignored))

    def _refresh(self) -> None:
        """Update everything around the list for what is open, open questions and conflicts."""
        with self._quietly():
            name = self._edits.content.name if self._lists.key else ""
            self.parts.offer_lists(
                self._lists.titles(self._listed), self._lists.key, name=name, is_there=self.style_id is not None
            )
            beside, waiting = self._beside, self._lists.offered
            edits = beside[0][0]._lists[beside[0][1]].edits if beside else None
            self.parts.offer_edits(edits, waiting, others=len(beside) + len(self._lists.waiting) - 1)
            self.parts.allow(
                self._edits if self._lists.key else None,
                busy=bool(self._busy),
                asked=self._push.asked is not None,
                collides=self._push.conflicts is not None,
                undoable=self._undoable,
            )
            self.parts.conflicts.show(self._push.conflicts)

    def _stays(self) -> dict[str, Any]:
        """What a saved notebook keeps: rules and instructions only if the user asked for that."""
        rows = messages.kept_rows(self._edits.content) if self.keep_texts and self._lists.key else []
        return self._kept(("Rule or instruction", "Option or prompt"), rows)
