"""The style rule panel: lists opened, tried, pushed, copied and taken back, and what others did meanwhile."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from svc_nb import style_rules
from svc_nb.language_codes import name_of
from svc_nb.panels.style_rules import exchange
from svc_nb.panels.style_rules.compare import tabled, titled
from svc_nb.panels.style_rules.keeper import drafts, restored
from svc_nb.panels.style_rules.traffic import Traffic
from svc_nb.signatures import hides
from svc_nb.style_rules.diff import Diff
from svc_nb.style_rules.languages import style_language
from svc_nb.style_rules.lint import findings
from svc_nb.style_rules.style import Style
from svc_nb.tabular.report import plural
from svc_nb.tracebacks import verbs

CHANGES = 3  # the tab
MORE = 4


@hides("board", "parts", "open_panels")
@verbs
class StyleRules(Traffic):
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

    def __init__(self, style_id: str | None = None, *, keep_texts: bool = False) -> None:
        super().__init__(keep_texts=keep_texts)
        self.parts.lists.observe(lambda change: self._clicked(self._choose, change.new), "value")
        self.open(style_id)

    # ---- opening

    def open(self, style_id: str | None = None) -> StyleRules:
        """Open a list by its id or its name, with the edits it has here; None only asks which lists there are."""
        if style_id in self._kept:
            with self._lock:
                self._latest.drop()
                self._key = style_id or ""
                self._begin()
        else:
            self._say("Asking the service …")
            before = self._key
            self._find(lambda: exchange.find(style_id), lambda found: self._found(before, found))
        return self

    def reload(self) -> StyleRules:
        """Ask the service for the lists and the open one anew; what was edited stays."""
        self._refuse_strange()
        self._reload()
        return self

    def create(self, name: str, language: str) -> StyleRules:
        """Begin a new list; it is made on the service by the first push."""
        with self._lock:
            code = style_language(language)
            if not name.strip():
                raise ValueError("A new list needs a name: write one beside its language.")
            self._refuse_name(name.strip(), code)
            self._lay_new(Style(name=name.strip(), language=code))
        return self

    def restore(self) -> StyleRules:
        """Bring back the edits that the panel offers: of another panel, or of an earlier kernel."""
        if self._beside is not None:
            self._take_over(*self._beside)
            return self
        waiting = self._offered
        if waiting is None:
            self._refresh()
            raise ValueError("There are no edits to restore.")
        self._deed(
            lambda: (restored(waiting), exchange.find(None)), lambda found: self._restored(waiting, *found)
        )
        return self

    def forget(self) -> StyleRules:
        """Remove the edits of an earlier kernel that the panel offers; what they have is lost."""
        with self._lock:
            waiting = self._offered
            if waiting is None:
                raise ValueError("There are no edits to forget.")
            drafts().forget(waiting)
            self._waiting.remove(waiting)
            self._refresh()
        return self

    # ---- trying and comparing

    def try_out(self, text: str, *, source_lang: str | None = None, before: str | None = None) -> StyleRules:
        """Translate *text* with the list as it is edited, and without it, or *before* = "service": as it is there."""
        with self._lock:
            if not text.strip():
                raise ValueError("Write a sentence to try first.")
            self._refuse_errors()
            style = self._sheet.style
            then = self.style_id if before == "service" else None
            self.parts.trial.busy = True
            self.parts.tried.say("Asking the service …")
        self._do(
            lambda: exchange.tried(style, text, source_lang=source_lang, before=then),
            lambda answer: self._tried(answer, before=then),
        )
        return self

    def diff(self) -> Diff:
        """Show what has changed, and return it."""
        self.parts.tabs.selected_index = CHANGES
        return self.changes

    @property
    def conflicts(self) -> pd.DataFrame:
        """What was changed here and on the service, differently, and waits to be settled."""
        return tabled([] if self._merge is None else self._merge.clashes)

    # ---- pushing

    def push(self) -> StyleRules:
        """Look what is on the service, and ask whether the changes are meant; `confirm` sends them."""
        with self._lock:
            self._refuse_strange()
            if self._merge is not None:
                raise ValueError(
                    "Some was changed here and on the service: choose what to take first, then go on."
                )
            self._refuse_errors()
            key, style, base = self._key, self._sheet.style, self._sheet.base
            if base.style_id is not None and not len(self.changes):
                self._say("There is nothing to push: nothing is changed.")
                return self
            self._asked = None
        self._deed(lambda: exchange.there(style, base), lambda found: self._looked(key, found))
        return self

    def confirm(self) -> StyleRules:
        """Do what the panel has asked about: push, copy or delete."""
        with self._lock:
            asked, self._asked = self._asked, None
            if asked is None:
                raise ValueError("There is nothing to confirm: push, clone or delete first.")
            asked[1]()
            self._refresh()
        return self

    def cancel(self) -> StyleRules:
        """Do not do what the panel has asked about; what collides is found again by the next push."""
        with self._lock:
            self.parts.left.display((), [], said="")
            self._begin()
        return self

    def undo_push(self) -> StyleRules:
        """Take back the last push, or deletion, from this panel; the edits can be done again with `redo`."""
        if self._undoable is None:
            raise ValueError("There is no push from here to undo.")
        style_id, version = self._undoable
        self._deed(
            lambda: (exchange.take_back(style_id, version), style_rules.list()),
            lambda found: self._undone(style_id, *found),
        )
        return self

    def settle(self, choice: str | Mapping[int, str]) -> StyleRules:
        """Settle conflicts as "mine" or "theirs": all, or some by their labels; with the last one it goes on."""
        with self._lock:
            self._pick(choice)
            if self._merge is not None and self._merge.is_settled:
                self._press_settle()
        return self

    # ---- copying and deleting

    def clone(self, language: str, name: str | None = None) -> StyleRules:
        """Show what carries over to another language and what does not; `confirm` opens the copy, to be pushed."""
        with self._lock:
            made = style_rules.clone(self._sheet.style, language, name=name or None)
            self.parts.left.display_clone(made)
            self.parts.tabs.selected_index = MORE
            to = name_of(made.style.language or "")
            rules, instructions = len(made.style.rules), len(made.style.instructions)
            counts = f"{plural(rules, 'rule')} and {plural(instructions, 'instruction')}"
            question = f"Copy for {to}: {counts} carry over. Make it? A push then puts it on the service."
            self._ask("Yes, make the copy", question, lambda: self._cloned(made))
        return self

    def delete(self) -> StyleRules:
        """Ask whether the open list is to be deleted; `confirm` deletes it on the service."""
        with self._lock:
            self._refuse_strange()
            key, sheet = self._key, self._sheet
            title = titled(sheet.base.name or "", sheet.language, sheet.base.version)
            unsaved = (
                f" {plural(len(sheet.diff), 'change')} not pushed will be lost." if sheet.is_changed else ""
            )
            question = f"Really delete {title} with all its rules and instructions?{unsaved}"
            self._ask("Yes, delete this list", question, lambda: self._delete(key))
        return self

    def _refuse_errors(self) -> None:
        errors = [each for each in findings(self._sheet.style) if each.severity == "error"]
        if errors:
            where = " and ".join(dict.fromkeys(each.table for each in errors))
            raise ValueError(
                f"Nothing was sent: {plural(len(errors), 'error')} in the {where} would be refused by the service. "
                "They are marked; correct them first."
            )

    def _refuse_strange(self) -> None:
        if self._key and not self._open_one.is_current:
            raise ValueError(
                "This list is of another service than the one that is connected now: connect to that one again, "
                "or open another list."
            )

    def _pick(self, choice: str | Mapping[int, str]) -> None:
        """Choose a side for all conflicts, or for some by their labels."""
        if self._merge is None:
            raise ValueError("There are no conflicts to settle.")
        places = [clash.place for clash in self._merge.clashes]
        given = dict.fromkeys(range(len(places)), choice) if isinstance(choice, str) else dict(choice)
        for label, whose in given.items():
            if label not in range(len(places)):
                raise ValueError(f"there is no conflict {label!r}")
            self._merge.choose(whose, places[label])
        self._refresh()

    # ---- clicks

    def _choose(self, key: str) -> None:
        if key and key != self._key:
            self.open(key)

    def _press_create(self) -> None:
        self.create(self.parts.name.value, self.parts.language.value)
        self.parts.name.value = ""

    def _press_clone(self) -> None:
        self.clone(self.parts.other.value, self.parts.other_name.value)

    def _press_all_mine(self) -> None:
        self._pick("mine")

    def _press_all_theirs(self) -> None:
        self._pick("theirs")

    def _press_settle(self) -> None:
        if self._merge is None or self._theirs is None or not self._merge.is_settled:
            raise ValueError("Choose what to take in every row first.")
        self._meet(self._key, self._theirs, choices=self._merge.choices)

    def _press_try(self, text: str) -> None:
        self.try_out(
            text, source_lang=self.parts.source.value or None, before=self.parts.before.value or None
        )

    def _heard(self, message: dict[str, Any]) -> None:
        if message["kind"] == "choose":
            self._pick({message["place"]: message["whose"]})
        else:
            super()._heard(message)
