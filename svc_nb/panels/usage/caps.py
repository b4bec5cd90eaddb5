"""The caps of the keys: edited in a table, described in words, confirmed, and undone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import timedelta
from decimal import ROUND_HALF_UP
from typing import Any, ClassVar

import pandas as pd

from svc_nb import keys
from svc_nb.keys.changes import KeyChange, OwnChanges, report, set_limits, undo, words
from svc_nb.keys.table import CAPS
from svc_nb.panels.parts import controls as widgets
from svc_nb.panels.parts.amounts import LONGEST, number, written
from svc_nb.panels.parts.grid import Field, Grid
from svc_nb.panels.parts.panel import Panel
from svc_nb.panels.parts.texts import admin_error_line, cut, written_day, written_text
from svc_nb.panels.parts.widgets import Buttons, Notice, classed, row
from svc_nb.panels.parts.worker import tried
from svc_nb.panels.usage.rows import NEAR, written_amount
from svc_nb.plots.text import day_in_words, percent, whole
from svc_nb.session import current, known
from svc_nb.tabular.report import Report, plural
from svc_nb.usage import days, usage
from svc_nb.usage.display_names import called_by_id, masks_of
from svc_nb.wire.client.admin import UNSET, Unset

Draft = dict[str, dict[str, int | None]]
Refused = dict[tuple[str, str], tuple[str, str]]  # text that is not a cap, and why, by key_id and column
Written = tuple[Draft, Refused]  # the caps, and the texts that are not caps
Step = tuple[str, Written]  # the key whose cap was edited, "" for all, and the earlier edits

MINUTE = 60_000
SPEECH = "speech_to_text_milliseconds"
SHARES = ("share_characters", f"share_{SPEECH}")
WORDY = 18  # width in characters of the share if one is over and says so
MOST_TOLD = 12
MOST_NAMED = 3
TAKEN_BACK = "Undone"
HOW = "Click a cap to change it: enter a number, “no cap” or “blocked”. Nothing is sent before you confirm."
SHARED = (
    "Keys with the same label are distinguished by their id here and by their masked key on charts, "
    "because the service does not say which is which."
)
IN_MINUTES = re.compile(r"(?<=\d)\s*(?:mins?|minutes?)$")
EITHER = re.compile(r".*\d\s*m")  # for speech: minutes, or a million of them
UNITS = {"characters": 1, SPEECH: MINUTE}
UNSENT = "svc-unsent"  # the class of a box with changes that only the kernel has
MOST_OVER = 9.99  # multiples of a cap: above this the exact number does not matter


class Caps(Panel):
    """A table of keys with editable caps; `draft` has the unsent edits, by key_id."""

    _words = staticmethod(admin_error_line)
    _unsent_ones: ClassVar[list[Caps]] = []  # panels of this kernel with unsent edits, the latest changed last

    def __init__(
        self,
        *,
        changed: Callable[[], None] = lambda: None,
        masks: Callable[[], Mapping[str, str]] = dict,
    ) -> None:
        super().__init__()
        self.grid = CapsGrid(lambda key_id, column, text: self.write(key_id, column, text), self.turn)
        self.draft: Draft = {}
        self._address: str | None = None  # of the service with the keys
        self._history: dict[str, list[Step]] = {"undo": [], "redo": []}
        self.listed: pd.DataFrame | None = None
        self.names: dict[str, str] = {}  # of all keys listed so far, by key_id
        self.drafted: Callable[[], None] = lambda: None  # called when the number of unsent edits changes
        self._told = changed
        self._masks = masks
        self.used: pd.DataFrame | None = None  # of this month, which the caps count
        self.used_before: pd.DataFrame | None = None  # of last month
        self._sending = False
        self._made = OwnChanges()
        self._last: list[KeyChange] = []  # the last change made here, which can be undone
        self._took_back = False  # the last change was undone, so the next undo is of an earlier one
        self._asks_undo = False
        self.buttons = Buttons()
        self.buttons.add("change", "Change caps …")
        self.buttons.add("discard", "Discard")
        self.buttons.add("refresh", "Refresh")
        self.buttons.add("undo", "Undo", help="Undo the last change of caps made here")
        self.answers = Buttons()
        self.answers.add("confirm", "Change caps", style="primary")
        self.answers.add("cancel", "Cancel")
        on, answers = self.buttons, self.answers
        self._on_each({on["change"]: self.ask, on["discard"]: self.discard, on["refresh"]: self.load})
        self._on_each({on["undo"]: self.ask_undo, answers["confirm"]: self.confirm, answers["cancel"]: self.cancel})
        self.notice = Notice(*self.answers.values())
        toolbar = row(*self.buttons.values())
        self.box = classed(widgets.VBox([toolbar, self.notice.box, self.grid, self.line]), "svc-caps")
        self._show_buttons()

    # ---- actions

    def open(self) -> None:
        """Load the keys unless they are loaded."""
        if self.listed is None:
            self.load()

    def load(self, *, focus: bool = False) -> None:
        """Ask the service for the keys; edits stay. A change in progress loads the keys itself.

        With *focus*, the focus goes to the first edited key.
        """
        if self._sending:
            return
        self.notice.drop()
        if self.listed is None:
            self.line.say("Asking the service …")
        months = ("this month", "last month")
        self._latest.ask(
            lambda: (keys.list(), *(usage(each, group_by="key") for each in months)),
            lambda answer: self._loaded(answer, focus=focus),
        )

    def write(self, key_id: str, column: str, text: str) -> None:
        """Edit a cap as a user does: *text* is a number, "no cap" or "blocked"; the line reports invalid text."""
        before = self._written()
        self.grid.refused.pop((key_id, column), None)
        try:
            limit = read(text, minutes=column == SPEECH)
            self._note(key_id, column, limit, before)
        except ValueError as problem:
            with self._lock:
                self.grid.refused[key_id, column] = text, str(problem)
                self.draft.get(key_id, {}).pop(column, None)  # only what the cell shows is sent
                self.draft = {key_id: caps for key_id, caps in self.draft.items() if caps}
                self._remember(key_id, before)
                self.notice.drop()
                self.problem = problem
                told = f"{self.names.get(key_id, key_id)}: {problem}"
                self.line.say("\n".join([told, *self._unsent()]), "error")
                self._show()

    def set(
        self, key_id: str, *, characters: int | Unset | None = UNSET, minutes: float | Unset | None = UNSET
    ) -> None:
        """Edit the caps of a key: None is no cap, 0 blocks; nothing is sent before `confirm`."""
        if not isinstance(characters, Unset):
            self._note(key_id, "characters", characters)
        if not isinstance(minutes, Unset):
            self._note(key_id, SPEECH, None if minutes is None else round(minutes * MINUTE))

    def ask(self) -> None:
        """Load the current caps, and ask for confirmation; without changes, say how to make one."""
        with self._lock:
            if self.draft and self.listed is not None and not self._sending:
                self._find(keys.list, self._ask_about)
            else:
                self._say_draft()
                self._show()

    def cancel(self) -> None:
        """Close the question without sending anything; edits stay."""
        with self._lock:
            self.notice.drop()
            self._say_draft()
            self._show()

    def discard(self) -> None:
        """Discard the edits; `turn` restores them."""
        with self._lock:
            before = self._written()
            self.draft.clear()
            self.grid.refused.clear()
            self._remember("", before)
            self.notice.drop()
            self._say_draft()
            self._show()

    def turn(self, kind: str) -> str | None:
        """Undo the last unsent edit of a cap, or with "redo" redo it; returns its key_id."""
        other = "redo" if kind == "undo" else "undo"
        with self._lock:
            if self._sending or not self._history[kind]:
                return None
            key_id, (draft, refused) = self._history[kind].pop()
            self._history[other].append((key_id, self._written()))
            self.draft, self.grid.refused = draft, refused
            self._settle()
            self.notice.drop()
            self._say_draft()
            self._show()
            return key_id or None

    def confirm(self) -> None:
        """Confirm: change the caps on the service; edits made in the meantime still have to be confirmed."""
        with self._lock:
            if self.notice.waits and self._asks_undo:
                self.undo()
                return
            draft = {key_id: dict(caps) for key_id, caps in self.draft.items()}
            if draft and self.listed is not None and not self._sending:
                seen = self.listed
                self._send(lambda: _set_caps(draft, self._made, seen=seen), "Changed", draft)

    def ask_undo(self) -> None:
        """Undo the last change made here; if that was undone already, ask whether to undo an earlier one."""
        with self._lock:
            if self._took_back and self._last and not self._sending:
                self._asks_undo = True
                self.line.say("")
                made = report([(each, cap) for each in self._last for cap in each.after], "", done=True)
                self.notice.ask(f"Undo an earlier change, too? It was: {self._told_report(made, most=1)}.")
                self._show_buttons()
            else:
                self.undo()

    def undo(self) -> None:
        """Undo the last change of caps made here, then the one before; changes made elsewhere stay."""

        def take_back() -> Report:
            session = current()
            return undo(session.admin, log=self._made.of(keys.log(session)))

        with self._lock:
            if not self._sending:
                self._send(take_back, TAKEN_BACK, {})

    # ---- the service's answers

    def _loaded(self, answer: Any, *, focus: bool = False) -> None:
        with self._lock:
            if isinstance(answer, Exception):
                self._tell(answer)
                self.grid.show(pd.DataFrame(), ())
            else:
                listed, self.used, self.used_before = answer
                self._list(listed)
                self._say_draft(self._settle() or ("" if len(listed) else "There are no keys yet."))
            self._show(steady=False)
            if focus and self.listed is not None:
                self.grid.focus_on([*self.draft, *(key_id for key_id, _ in self.grid.refused)])

    def _ask_about(self, listed: pd.DataFrame) -> None:
        """Ask to confirm the draft, with the keys as *listed* now."""
        written, before = self.draft, self._table
        self._list(listed)
        changed = _changed_elsewhere(written, before, self._table)
        left_out = " ".join(filter(None, [*changed, self._settle()]))
        if self.draft:
            self._asks_undo = False
            self.line.say("")
            question = f"Change {plural(self.count, 'cap')} on the service?"
            more = [*filter(None, [left_out]), *self._refusals(), *self._left_as_they_are()]
            self.notice.ask("\n".join([question, *self._changes(), *more]))
        self._say_draft("" if self.draft else left_out)
        self._show()

    def _send(self, work: Callable[[], Report], what: str, draft: Draft) -> None:
        """Do *work* in a thread, then list the keys again; *draft* has the caps that are sent."""
        self._sending = True
        self.notice.drop()
        self.line.say("Changing caps …")
        self._latest.drop()  # keys listed before are out of date
        # Changes already made count, even if not all could be made or the keys cannot be read afterwards.
        self._turns.ask(lambda: (tried(work), tried(keys.list)), lambda answer: self._ended(answer, what, draft))

    def _ended(self, answer: Any, what: str, draft: Draft) -> None:
        done, listed = answer
        with self._lock:
            self._sending = False
            self._last = self._made.last()
            if isinstance(done, Exception):
                self._failed_with(done, listed)
            else:
                for key_id, caps in draft.items():  # edits made after sending stay
                    own = self.draft.get(key_id, {})
                    for column, limit in caps.items():
                        if column in own and own[column] == limit:
                            del own[column]
                self.draft = {key_id: caps for key_id, caps in self.draft.items() if caps}
                self._begin_history()
                self._took_back = what == TAKEN_BACK
                self._accept(done, listed, what)
            self._show()
        self._told()

    def _failed_with(self, problem: Exception, listed: Any) -> None:
        """Report what went wrong, what was done before that, and what was not sent, with the keys as *listed* now."""
        left_out = ""
        if not isinstance(listed, Exception):
            self._list(listed)
            left_out = self._settle()
        self.problem = problem
        notes = getattr(problem, "__notes__", ())
        said = " ".join(filter(None, [f"{self._words(problem).rstrip('.')}.", *notes, left_out]))
        self.line.say("\n".join([said, *self._unsent()]), "error")

    def _accept(self, report: pd.DataFrame, listed: Any, what: str) -> None:
        """Take over the changes made and the current keys, or the error on listing them."""
        said = f"{what}: {self._told_report(report)}."
        if not isinstance(listed, Exception):
            self._list(listed)
            self._say_draft(" ".join(filter(None, [said, self._settle()])))
            return
        caps: Draft = {}
        for key_id, column, limit in zip(report["key_id"], report["limit"], report["after"], strict=True):
            caps.setdefault(key_id, {})[column] = _limit(limit)
        self.listed = _with(caps, self._table)
        self._settle()
        self.problem = listed
        why = admin_error_line(listed).rstrip(".")
        self.line.say(f"{said} But the list could not be loaded again: {why}. Press Refresh to retry.", "error")

    def _settle(self) -> str:
        """Keep the edits that still change a key; returns the keys that can no longer be changed, in words."""
        table = self._table
        ended = [key_id for key_id in self.draft if key_id not in table.index or table["is_deactivated"][key_id]]
        names = [self.names.get(key_id, key_id) for key_id in ended]
        left = {
            key_id: {column: limit for column, limit in caps.items() if limit != _limit(table[column][key_id])}
            for key_id, caps in self.draft.items()
            if key_id not in ended
        }
        self.draft = {key_id: caps for key_id, caps in left.items() if caps}
        return f"Left out, because they can no longer be changed: {', '.join(names)}." if ended else ""

    def _list(self, listed: pd.DataFrame) -> None:
        table = pd.DataFrame(listed).set_index("key_id", drop=False)
        table["label"] = table["label"].fillna("")
        ids, labels = ([str(cell) for cell in table[column]] for column in ("key_id", "label"))
        self._address = session.base_url if (session := known()) is not None else None
        masks = [masks_of(used) for used in (self.used_before, self.used) if used is not None]
        known_masks = {label: mask for found in [*masks, self._masks()] for label, mask in found.items()}
        self.listed = table.assign(name=called_by_id(ids, labels, masks=known_masks))
        self.names |= dict(zip(ids, self.listed["name"], strict=True))
        self.problem = None

    # ---- what is shown

    @property
    def _table(self) -> pd.DataFrame:
        return pd.DataFrame() if self.listed is None else self.listed

    def _written(self) -> Written:
        """A copy of the unsent edits: the caps, and the texts that are not caps."""
        return {key_id: dict(caps) for key_id, caps in self.draft.items()}, dict(self.grid.refused)

    def _remember(self, key_id: str, before: Written) -> None:
        """Let `turn` undo to *before* what was done since to the cap of a key or, with "", to all."""
        if before != self._written():
            self._history = {"undo": [*self._history["undo"], (key_id, before)], "redo": []}

    def _begin_history(self) -> None:
        """Let `turn` undo the current edits, key by key; sent changes are no longer part of it."""
        draft, refused = self._written()
        steps = [(key_id, (dict(list(draft.items())[:at]), refused)) for at, key_id in enumerate(draft)]
        self._history = {"undo": steps, "redo": []}

    def _note(self, key_id: str, column: str, limit: int | None, before: Written | None = None) -> None:
        with self._lock:
            before = before or self._written()
            if self.listed is None or key_id not in self.listed.index:
                raise ValueError(f"there is no key with the key_id {key_id!r}; load() loads the keys again")
            key = self.listed.loc[key_id]
            if key["is_deactivated"]:
                raise ValueError("This key is permanently deactivated, so its caps cannot be changed")
            if limit is not None and limit < 0:
                raise ValueError("A cap is 0 or more")
            self.draft.setdefault(key_id, {})[column] = limit
            if not self._sending:  # otherwise the list is about to change
                self._settle()
            self._remember(key_id, before)
            self.notice.drop()
            self._say_draft()
            self._show()

    def _say_draft(self, first: str = "") -> None:
        """Say what will change, after the text *first*."""
        self.problem = None
        left = self._left_as_they_are() if len(self._table) else []
        told = [*filter(None, [first]), *left]
        if not self.draft or self.notice.waits:
            self.line.say("\n".join(told) or HOW, "change" if left else "info")
        else:
            self.line.say("\n".join([*told, *self._unsent()]), "change")

    @property
    def count(self) -> int:
        """How many edited caps are not sent."""
        return sum(map(len, self.draft.values()))

    @property
    def survives(self) -> str:
        """The unsent edits, in a sentence for when the kernel is gone."""
        told = [line.removeprefix("• ") for line in self._changes()]
        return (
            f"{plural(self.count, 'cap')} {'was' if self.count == 1 else 'were'} not sent: {'; '.join(told)}."
            if told
            else ""
        )

    def resume(self, draft: Draft, names: Mapping[str, str] | None = None, *, focus: bool = False) -> None:
        """Restore *draft* from another kernel; edits that change nothing, or have no key, are left out.

        *names* are the names of its keys, for messages about keys that are gone. *focus* as in `load`.
        """
        with self._lock:
            self.draft = {key_id: dict(caps) for key_id, caps in draft.items()}
            self.names |= names or {}
            self.listed = None
            self.load(focus=focus)

    @property
    def question(self) -> str:
        """The question whether another panel of the notebook takes over the unsent edits."""
        told = [*self._changes(), *(f"• {line.removeprefix('Not sent: ')}" for line in self._left_as_they_are())]
        which = "it" if len(told) == 1 else "them"
        return "\n".join(["Unsent edits in another panel of this notebook:", *told, f"Take {which} over?"])

    def waiting(self) -> Caps | None:
        """The caps of another panel in this kernel with unsent edits on the same service."""
        session = known()
        address = session.base_url if session is not None else None
        found = [each for each in self._unsent_ones if each is not self and each._address == address]
        return found[-1] if found else None

    def take_over(self, other: Caps) -> None:
        """Move the unsent edits of *other* here; `turn` restores them there."""
        draft, refused = other._written()
        other.discard()
        self.grid.refused = refused | self.grid.refused
        self.resume(draft | self.draft, focus=True)

    def close(self) -> None:
        """Close the panel; unsent edits are lost."""
        self.draft, self.grid.refused = {}, {}
        self._show_buttons()
        super().close()

    def _unsent(self) -> list[str]:
        return ["Not sent yet:", *self._changes()] if self.draft else []

    def _refusals(self) -> list[str]:
        """A line for each key whose requests the new cap will refuse at once, because it has used as much already."""
        table = _with_use(self._table, self.used) if self.used is not None else self._table
        until = day_in_words((days.today().replace(day=1) + timedelta(days=31)).replace(day=1))
        lines = []
        for key_id, caps in self.draft.items():
            for column, limit in caps.items():
                cell = table[f"used_{column}"][key_id] if f"used_{column}" in table else pd.NA
                used = None if pd.isna(cell) else float(cell)
                if limit == 0 or (limit and used and used * UNITS[column] >= limit):
                    speech = " minutes of speech" if column == SPEECH else ""
                    amount = f" has used {whole(used)}{speech}:" if used else ""
                    again = "" if limit == 0 else f", until {until}"
                    what = "speech" if column == SPEECH and not amount else "it"
                    lines.append(f"{table['name'][key_id]}{amount or ':'} {what} will be refused at once{again}.")
        return lines

    def _left_as_they_are(self) -> list[str]:
        """A line for each key with a text that is not a cap and will not be sent, and why."""
        refused = self.grid.refused.items()
        return [f"Not sent: {self.names.get(key_id, key_id)}: {why}" for (key_id, _), (_, why) in refused]

    def _changes(self) -> list[str]:
        """The unsent edits, a line for each cap."""
        table = self._table
        if not len(table):
            return []
        lines = [
            f"• {table['name'][key_id]}: {_meant(column, limit)} (now {_meant(column, _limit(table[column][key_id]))})"
            for key_id, caps in self.draft.items()
            for column, limit in caps.items()
        ]
        more = [f"… and {plural(len(lines) - MOST_TOLD, 'cap')} more"] if len(lines) > MOST_TOLD else []
        return [*lines[:MOST_TOLD], *more]

    def _told_report(self, report: pd.DataFrame, *, most: int = MOST_TOLD) -> str:
        """The changes made, with the names of the keys; at most *most* are listed."""
        if "change" not in report.columns or not len(report):
            return "nothing"
        told = [
            f"{self.names.get(key_id, label)}: {change}"
            for key_id, label, change in zip(report["key_id"], report["label"], report["change"], strict=True)
        ]
        more = f"; and {plural(len(told) - most, 'cap')} more" if len(told) > most else ""
        return "; ".join(told[:most]) + more

    def _show(self, *, steady: bool = True) -> None:
        """Show the keys; *steady* leaves the rows where they are, even if the sorted values have changed."""
        self._show_buttons()
        if self.listed is None or self.used is None:
            return
        table = _with_use(_with(self.draft, self.listed), self.used)
        if self.used_before is not None:
            table = table.assign(used_before=_by_key(table, self.used_before)["total_characters"])
        table = table.drop(columns="key_id").rename_axis("key_id")
        over = table.index[((table[list(SHARES)] > 1).fillna(False)).any(axis=1)]
        marks = dict.fromkeys(over, "warning") | dict.fromkeys(table.index[table["is_deactivated"]], "faded")
        notes = {key_id: "Used more than its cap this month." for key_id in over if marks[key_id] == "warning"}
        notes |= {key_id: f"Not sent: {why}" for (key_id, _), (_, why) in self.grid.refused.items()}
        marks |= dict.fromkeys(self.draft, "changed")
        marks |= {key_id: "error" for key_id, _ in self.grid.refused if key_id in table.index}
        shared = bool(table["label"].duplicated().any())
        month = f"Caps and use count from {days.today().replace(day=1)} to the end of the month (UTC)."
        said = f"{month} {SHARED}" if shared else month
        turns = {kind: self._turn_in_words(kind) for kind in self._history}
        fields = [
            replace(each, wide=WORDY) if each.name in SHARES and (table[each.name] > 1).any() else each
            for each in FIELDS
        ]
        self.grid.show(table, fields, marks=marks, notes=notes, said=said, turns=turns, steady=steady)

    def _turn_in_words(self, kind: str) -> str:
        """The names of the steps that `turn` would undo or redo."""
        if not self._history[kind]:
            return ""
        key_id = self._history[kind][-1][0]
        return f"cap of {self.names.get(key_id, key_id)}" if key_id else "discard"

    def _show_buttons(self) -> None:
        count, change = self.count, self.buttons["change"]
        caps = plural(count, "cap") if count else "caps"
        # It stays when there is nothing to change, so that the focus can return to it.
        change.description, change.disabled = f"Change {caps} …", not count
        change.tooltip = "" if count else "Enter a cap in the table first"
        change.button_style = "primary" if count and not self.notice.waits else ""
        self.answers["confirm"].description = "Undo" if self._asks_undo else f"Change {caps}"
        self.buttons["undo"].description = self._undo_in_words()
        self.buttons.show(discard=bool(count or self.grid.refused), undo=self._made.any_left() and not count)
        (self.box.add_class if count else self.box.remove_class)(UNSENT)
        waits = bool(count or self.grid.refused)
        self._unsent_ones[:] = [each for each in self._unsent_ones if each is not self] + [self] * waits
        self.drafted()

    def _undo_in_words(self) -> str:
        """The label of the button that undoes a change on the service."""
        if not self._last:
            return "Undo"
        told = [self.names.get(each.key_id, str(each.label)) for each in self._last]
        more = f" and {len(told) - MOST_NAMED} more" if len(told) > MOST_NAMED else ""
        changes = plural(sum(len(each.after) for each in self._last), "cap change")
        return f"Undo {changes} ({', '.join(told[:MOST_NAMED])}{more})"


class CapsGrid(Grid):
    """A grid of caps: texts that are not caps, in `refused` by key_id and column, stay to be corrected."""

    def __init__(self, edited: Callable[[str, str, str], None], turned: Callable[[str], str | None]) -> None:
        super().__init__("Caps of the keys", edited=edited, turned=turned, signed=True)
        self.height = 560
        self.refused: Refused = {}
        self.add_class(NEAR)

    def focus_on(self, key_ids: Iterable[str]) -> None:
        """Move the focus to the first of *key_ids* in view, unless the user is working elsewhere."""
        places = filter(None, map(self._place_of, key_ids))
        if place := next(places, None):
            self.send({"kind": "change", "go": [*place[:-1], 1], "focus": True})

    def rows(self, first: int, last: int) -> list[dict[str, Any]]:
        """The rows in view, with rejected texts."""
        found = super().rows(first, last)
        labels, names = self._labels(row["row"] for row in found), [field.name for field in self._fields]
        for (key_id, column), (text, _) in self.refused.items():
            if key_id in labels and column in names:
                found[labels.index(key_id)]["cells"][names.index(column)] = cut(text)
        return found


def _with(draft: Draft, table: pd.DataFrame) -> pd.DataFrame:
    """*table*, whose index is the key_id, with the caps of *draft*."""
    changed = table.copy()
    for key_id, caps in draft.items():
        for column, limit in caps.items():
            changed.loc[key_id, column] = pd.NA if limit is None else limit
    return changed


def _with_use(table: pd.DataFrame, used: pd.DataFrame) -> pd.DataFrame:
    """*table* with what each key has used this month, and the share of its cap.

    Usage has masks and labels, the list has ids and labels, so usage of keys with the same label cannot be assigned.
    """
    found = _by_key(table, used)
    for cap, field in (("characters", "total_characters"), (SPEECH, "speech_to_text_minutes")):
        amounts, limits = found[field], table[cap].astype("Float64")
        part = amounts * UNITS[cap] / limits.where(limits > 0)
        table = table.assign(**{f"used_{cap}": amounts, f"share_{cap}": part})
    return table


def _by_key(table: pd.DataFrame, used: pd.DataFrame) -> pd.DataFrame:
    """What each key of *table* has *used*; a missing value if it cannot be assigned to one key."""
    labels = table["label"]
    alone = ~labels.duplicated(keep=False)
    by_label = pd.DataFrame(used).assign(label=used["api_key_label"].fillna("")).groupby("label")
    sums, counts = by_label[["total_characters", "speech_to_text_minutes"]].sum(), by_label.size()
    alone &= ~labels.isin(counts[counts > 1].index)
    return sums.reindex(labels).fillna(0.0).set_axis(table.index).where(alone).astype("Float64")


def _changed_elsewhere(draft: Draft, before: pd.DataFrame, now: pd.DataFrame) -> list[str]:
    """A sentence for each cap in *draft* that others changed too, unless to the same value."""
    return [
        f"Changed elsewhere in the meantime: {before['name'][key_id]} now has {_meant(column, there)}."
        for key_id, caps in draft.items()
        for column, limit in caps.items()
        if key_id in before.index
        and key_id in now.index
        and (there := _limit(now[column][key_id])) not in (limit, _limit(before[column][key_id]))
    ]


def _set_caps(draft: Draft, made: OwnChanges, *, seen: pd.DataFrame) -> Report:
    """Set the caps of *draft* unless they have changed since *seen*, and leave the others as they are now."""
    listed = pd.DataFrame(keys.list()).set_index("key_id", drop=False)
    if changed := _changed_elsewhere(draft, seen, listed):
        raise ValueError(f"{' '.join(changed)} Nothing was sent. Confirm again if you still want your caps.")
    known = {key_id: caps for key_id, caps in draft.items() if key_id in listed.index}
    table = _with(known, listed).loc[list(known), ["key_id", *CAPS]].reset_index(drop=True)
    session = current()
    return set_limits(session.admin, table, log=made.of(keys.log(session)))


def read(text: str, *, minutes: bool = False) -> int | None:
    """The cap that a person wrote, in characters or, for *minutes*, in milliseconds; None is no cap.

    Minutes may have their unit, "min". Ambiguous text is rejected, such as "m" after minutes, which could mean a
    million.

    >>> read("500,000"), read("1.5 M"), read("no cap"), read("blocked"), read("90", minutes=True)
    (500000, 1500000, None, 0, 5400000)
    """
    plain = text.strip().lower()
    if plain in {"", "no cap", "none", "-", "–", "unlimited"}:
        return None
    if plain in {"blocked", "block"}:
        return 0
    if minutes:
        if len(text.strip()) <= LONGEST and EITHER.fullmatch(text.strip()):
            count = text.strip()[:-1].strip()
            raise ValueError(f"“{text.strip()}” can be read in two ways: write {count} min, or {count} million")
        plain = IN_MINUTES.sub("", plain)
    amount = number(plain, fraction="a fraction of a minute" if minutes else "")
    if amount is None:
        raise ValueError(f"“{_shown(text)}” is not a cap. Enter a number such as 500,000, “no cap” or “blocked”.")
    cap = amount * (MINUTE if minutes else 1)
    if cap >= 2**63 or 0 < cap < 1:
        raise ValueError(f"“{_shown(text)}” is not a cap that the service can store")
    if not minutes and cap != int(cap):
        raise ValueError(f"“{_shown(text)}” has a fraction of a character: a cap is a whole number of characters")
    return int(cap.to_integral_value(ROUND_HALF_UP))


def _shown(text: str) -> str:
    """The beginning of the text, because it may be a key pasted in the wrong place."""
    return text if len(text) <= 24 else f"{text[:12]}…"


def _limit(cell: Any) -> int | None:
    return None if pd.isna(cell) else int(cell)


def _meant(column: str, limit: int | None) -> str:
    speech = column == SPEECH and not limit
    return f"{words(column, limit)}{' for speech' if speech else ''}"


def _written_speech(limit: Any) -> str:
    if not limit:
        return "no cap" if limit is None else "blocked"
    return written(limit / MINUTE)


def _written_part(part: float | None) -> str:
    """The used share of a cap; more than 100 % is also said in words."""
    if part is None:
        return ""
    return percent(part) if part <= 1 else "> 999 %, over" if part > MOST_OVER else f"{part * 100:,.0f} %, over"


# If there is little room, full names are more important than anything but the caps.
FIELDS = (
    Field("name", "Key", written_text, kind="text", least=20),
    Field("characters", "Cap", lambda cap: f"{cap:,}" if cap else _written_speech(cap), editable=True),
    Field("used_characters", "Used", written_amount("total_characters"), spare=1),
    Field("share_characters", "Of cap", _written_part, kind="share", wide=12, spare=2),
    Field("used_before", "Last month", written_amount("total_characters"), spare=3),
    Field(SPEECH, "Speech cap min", _written_speech, editable=True, spare=4),
    Field(f"used_{SPEECH}", "Used min", written_amount("speech_to_text_minutes"), spare=5),
    Field(f"share_{SPEECH}", "Of speech cap", _written_part, kind="share", wide=16, spare=6),
    Field("is_deactivated", "State", lambda ended: "deactivated" if ended else "active", kind="text", spare=7),
    Field("creation_time", "Created", written_day, kind="text", spare=8),
)
