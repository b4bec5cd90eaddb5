"""The caps of the keys: written into a table, told in words, confirmed, and taken back."""

import re
from collections.abc import Callable, Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import ipywidgets as widgets
import pandas as pd

from svc_nb import keys
from svc_nb.keys.changes import OwnChanges, set_limits, undo, words
from svc_nb.keys.table import CAPS
from svc_nb.panels.parts.grid import Field, Grid
from svc_nb.panels.parts.panel import Panel
from svc_nb.panels.parts.texts import admin_error_line, written_day, written_text
from svc_nb.panels.parts.widgets import Buttons, button, classed, row
from svc_nb.panels.parts.worker import tried
from svc_nb.session import current
from svc_nb.tabular.report import Report, plural
from svc_nb.usage.display_names import called_by_id
from svc_nb.wire.client.admin import UNSET, Unset

Draft = dict[str, dict[str, int | None]]

MINUTE = 60_000
SPEECH = "speech_to_text_milliseconds"
MOST_TOLD = 12
HOW = "Click a monthly cap to change it: write a number, “no cap” or “blocked”. Nothing is sent before you confirm."
SHARED = (
    "Keys that share a label are told apart by their id here and by their masked key on charts: "
    "the service does not say which is which."
)
GROUPED = r"(?!0)\d{1,3}(?P<sign>[,_'’ \u00a0\u2009\u202f])\d{3}(?:(?P=sign)\d{3})*"
NUMBER = re.compile(rf"(?P<whole>\d+|{GROUPED})(?:(?P<point>[.,])(?P<part>\d+))?\s*(?P<size>k|thousand|m|million)?")
DOTTED = re.compile(r"(?!0)\d{1,3}(?:\.\d{3}){2,}")
IN_MINUTES = re.compile(r"(?<=\d)\s*(?:mins?|minutes?)$")
EITHER = re.compile(r".*\d\s*m")  # of speech: minutes, or a million of them
LONGEST = 40
SIZES = {"k": 1000, "thousand": 1000, "m": 1_000_000, "million": 1_000_000}


class Caps(Panel):
    """A table of keys whose caps can be written to; `draft` has what was written and not sent, by key_id."""

    _words = staticmethod(admin_error_line)

    def __init__(
        self, *, changed: Callable[[], None] = lambda: None, masks: Callable[[], Mapping[str, str]] = dict
    ) -> None:
        super().__init__()
        self.grid = Grid("Caps of the keys", edited=lambda key_id, column, text: self.write(key_id, column, text))
        self.draft: Draft = {}
        self.listed: pd.DataFrame | None = None
        self._told = changed
        self._masks = masks
        self._asking = False
        self._sending = False
        self._made = OwnChanges()
        self.buttons = Buttons()
        self.buttons["change"] = button("Change caps …", self.ask)
        self.buttons["confirm"] = button("Yes, change them", self.confirm, style="warning")
        self.buttons["discard"] = button("Discard", self.discard)
        self.buttons["undo"] = button("Undo the last change", self.undo)
        self.buttons["refresh"] = button("Refresh", self.load)
        self.box = classed(widgets.VBox([self.line, self.grid, row(*self.buttons.values())]), "svc-caps")
        self._show_buttons()

    # ---- what a person can do

    def open(self) -> None:
        """Load the keys unless they are there."""
        if self.listed is None:
            self.load()

    def load(self) -> None:
        """Ask the service for the keys; what was written stays. A change on its way brings the keys itself."""
        if self._sending:
            return
        self._asking = False
        if self.listed is None:
            self.line.say("Asking the service …")
        self._latest.ask(keys.list, self._loaded)

    def write(self, key_id: str, column: str, text: str) -> None:
        """Write a cap as a person does: *text* is a number, "no cap" or "blocked"; a slip is told in a line."""
        try:
            limit = read(text, minutes=column == SPEECH)
            self._note(key_id, column, limit)
        except ValueError as problem:
            with self._lock:
                self._tell(problem)
                self._show()

    def set(
        self, key_id: str, *, characters: int | Unset | None = UNSET, minutes: float | Unset | None = UNSET
    ) -> None:
        """Write caps for a key: None is no cap, 0 blocks; nothing is sent before `confirm`."""
        if not isinstance(characters, Unset):
            self._note(key_id, "characters", characters)
        if not isinstance(minutes, Unset):
            self._note(key_id, SPEECH, None if minutes is None else round(minutes * MINUTE))

    def ask(self) -> None:
        """Ask whether the changes are meant."""
        with self._lock:
            self._asking = bool(self.draft)
            self._show()
            self._say_draft()

    def discard(self) -> None:
        """Forget what was written."""
        with self._lock:
            self.draft.clear()
            self._asking = False
            self.line.say(HOW)
            self._show()

    def confirm(self) -> None:
        """Change the caps on the service; what is written meanwhile stays to be confirmed."""
        with self._lock:
            draft = {key_id: dict(caps) for key_id, caps in self.draft.items()}
            if draft and self.listed is not None and not self._sending:
                self._send(lambda: _set_caps(draft, self._made), "Changed", draft)

    def undo(self) -> None:
        """Take back the last change of caps made here, then the one before; what was changed elsewhere is left."""

        def take_back() -> Report:
            session = current()
            return undo(session.admin, log=self._made.of(keys.log(session)))

        with self._lock:
            if not self._sending:
                self._send(take_back, "Taken back", {})

    # ---- the service's answers

    def _loaded(self, answer: Any) -> None:
        with self._lock:
            if isinstance(answer, Exception):
                self._tell(answer)
                self.grid.show(pd.DataFrame(), ())
            else:
                self._list(answer)
                self._say_draft(self._settle() or ("" if len(answer) else "There are no keys yet."))
            self._show()

    def _send(self, work: Callable[[], Report], what: str, draft: Draft) -> None:
        """Do *work* in a thread, and list the keys as they are then; *draft* is what is sent."""
        self._busy(True)
        # What was done is done, also where the keys cannot be read after it.
        self._latest.ask(lambda: (work(), tried(keys.list)), lambda answer: self._ended(answer, what, draft))

    def _ended(self, answer: Any, what: str, draft: Draft) -> None:
        with self._lock:
            self._busy(False)
            self._asking = False
            if isinstance(answer, Exception):
                self._tell(answer)
            else:
                for key_id, caps in draft.items():  # what was written since it was sent stays
                    own = self.draft.get(key_id, {})
                    for column, limit in caps.items():
                        if column in own and own[column] == limit:
                            del own[column]
                self.draft = {key_id: caps for key_id, caps in self.draft.items() if caps}
                report, listed = answer
                self._accept(report, listed, what)
            self._show()
        if not isinstance(answer, Exception):
            self._told()

    def _accept(self, report: pd.DataFrame, listed: Any, what: str) -> None:
        """Take what was done and the keys as they are now, or the error that came instead of them."""
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
        self.line.say(f"{said} But the list could not be read anew: {why}. Refresh asks again.", "error")

    def _settle(self) -> str:
        """Keep of the draft what still changes a key; the keys that can be changed no more, in words."""
        table = self._table
        ended = [key_id for key_id in self.draft if key_id not in table.index or table["is_deactivated"][key_id]]
        names = [table["name"].get(key_id, key_id) for key_id in ended]
        left = {
            key_id: {column: limit for column, limit in caps.items() if limit != _limit(table[column][key_id])}
            for key_id, caps in self.draft.items()
            if key_id not in ended
        }
        self.draft = {key_id: caps for key_id, caps in left.items() if caps}
        return f"Can be changed no more and was left out: {', '.join(map(str, names))}." if ended else ""

    def _list(self, listed: pd.DataFrame) -> None:
        table = pd.DataFrame(listed).set_index("key_id", drop=False)
        table["label"] = table["label"].fillna("")
        ids, labels = ([str(cell) for cell in table[column]] for column in ("key_id", "label"))
        self.listed = table.assign(name=called_by_id(ids, labels, masks=self._masks()))
        self.problem = None

    # ---- what is shown

    @property
    def _table(self) -> pd.DataFrame:
        return pd.DataFrame() if self.listed is None else self.listed

    def _note(self, key_id: str, column: str, limit: int | None) -> None:
        with self._lock:
            if self.listed is None or key_id not in self.listed.index:
                raise ValueError(f"there is no key with the key_id {key_id!r}; load() asks for the keys anew")
            key = self.listed.loc[key_id]
            if key["is_deactivated"]:
                raise ValueError(f"{key['name']} is deactivated for good: its caps cannot be changed")
            if limit is not None and limit < 0:
                raise ValueError("a cap is 0 or more")
            self.draft.setdefault(key_id, {})[column] = limit
            if not self._sending:  # what is listed is about to change otherwise
                self._settle()
            self._asking = False
            self._say_draft()
            self._show()

    def _say_draft(self, first: str = "") -> None:
        """Say what will change, after what is to be said *first*."""
        if not self.draft or self.listed is None:
            self.line.say(first or HOW)
            return
        names = self.listed["name"]
        lines = [
            f"• {names[key_id]}: {_meant(column, limit)} (now {_meant(column, _limit(self.listed[column][key_id]))})"
            for key_id, caps in self.draft.items()
            for column, limit in caps.items()
        ]
        more = [f"… and {plural(len(lines) - MOST_TOLD, 'cap')} more"] if len(lines) > MOST_TOLD else []
        head = "Really change this on the service?" if self._asking else "What will change:"
        self.line.say("\n".join([*filter(None, [first]), head, *lines[:MOST_TOLD], *more]), "change")

    def _told_report(self, report: pd.DataFrame) -> str:
        """What was changed, with the names of the keys as they are listed."""
        if "change" not in report.columns or not len(report):
            return "nothing"
        names = {} if self.listed is None else self.listed["name"].to_dict()
        told = [
            f"{names.get(key_id, label)}: {change}"
            for key_id, label, change in zip(report["key_id"], report["label"], report["change"], strict=True)
        ]
        more = f"; and {plural(len(told) - MOST_TOLD, 'cap')} more" if len(told) > MOST_TOLD else ""
        return "; ".join(told[:MOST_TOLD]) + more

    def _show(self) -> None:
        self._show_buttons()
        if self.listed is None:
            return
        table = _with(self.draft, self.listed).drop(columns="key_id").rename_axis("key_id")
        marks = dict.fromkeys(table.index[table["is_deactivated"]], "faded")
        marks |= dict.fromkeys(self.draft, "changed")
        shared = bool(table["label"].duplicated().any())
        self.grid.show(table, FIELDS, marks=marks, said=SHARED if shared else "")

    def _show_buttons(self) -> None:
        count = sum(map(len, self.draft.values()))
        self.buttons["change"].description = f"Change {plural(count, 'cap')} …"
        self.buttons["confirm"].description = f"Yes, change {plural(count, 'cap')}"
        self.buttons.show(
            change=bool(count) and not self._asking,
            confirm=bool(count) and self._asking,
            discard=bool(count),
            undo=self._made.any_left() and not count,
        )

    def _busy(self, busy: bool) -> None:
        self._sending = busy
        for each in self.buttons.values():
            each.disabled = busy


def _with(draft: Draft, table: pd.DataFrame) -> pd.DataFrame:
    """*table*, whose index is the key_id, with the caps of *draft*."""
    changed = table.copy()
    for key_id, caps in draft.items():
        for column, limit in caps.items():
            changed.loc[key_id, column] = pd.NA if limit is None else limit
    return changed


def _set_caps(draft: Draft, made: OwnChanges) -> Report:
    """Set the caps of *draft*, and leave the others as they are on the service by now."""
    listed = pd.DataFrame(keys.list()).set_index("key_id", drop=False)
    known = {key_id: caps for key_id, caps in draft.items() if key_id in listed.index}
    table = _with(known, listed).loc[list(known), ["key_id", *CAPS]].reset_index(drop=True)
    session = current()
    return set_limits(session.admin, table, log=made.of(keys.log(session)))


def read(text: str, *, minutes: bool = False) -> int | None:
    """The cap that a person wrote, in characters or, for *minutes*, in milliseconds; None is no cap.

    A comma, space, apostrophe or underscore groups thousands. One dot or comma is decimal where other than three digits
    follow, where the number begins with 0, and before k or M. Minutes may have their unit, "min". What can be read in
    two ways is refused, as is "m" of minutes, which may be a million.

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
            number = text.strip()[:-1].strip()
            raise ValueError(f"{text.strip()!r} can be read in two ways: write {number} min, or {number} million")
        plain = IN_MINUTES.sub("", plain)
    amount = _number(plain, minutes=minutes) if len(plain) <= LONGEST else None
    if amount is None:
        raise ValueError(f"expected a number such as 500,000, “no cap” or “blocked”, found {text[:40]!r}")
    cap = amount * (MINUTE if minutes else 1)
    if cap >= 2**63 or 0 < cap < 1:
        raise ValueError(f"{text[:40]!r} is no cap that the service can keep")
    if not minutes and cap != int(cap):
        raise ValueError(f"{text[:40]!r} has a fraction of a character: a cap is a whole number of characters")
    return int(cap.to_integral_value(ROUND_HALF_UP))


def _number(plain: str, *, minutes: bool) -> Decimal | None:
    """The number that *plain* is, if it is one; a ValueError where it may be either of two."""
    if DOTTED.fullmatch(plain):
        raise _either(plain, minutes=False)
    found = NUMBER.fullmatch(plain)
    if found is None or (found["sign"] and found["sign"] == found["point"]):
        return None
    whole, part, size = re.sub(r"\D", "", found["whole"]), found["part"] or "", found["size"]
    if len(part) != 3 or size or plain.startswith("0"):
        return Decimal(f"{whole}.{part}") * SIZES.get(size or "", 1)
    if found["point"] == ".":
        raise _either(plain, minutes=minutes)
    return Decimal(whole + part) if len(whole) <= 3 else None


def _either(plain: str, *, minutes: bool) -> ValueError:
    """That a dot before three digits may be a point or group thousands, and how to write what is meant."""
    number = int(re.sub(r"\D", "", plain))
    fraction = f", or {plain}0 for a fraction of a minute" if minutes else ""
    return ValueError(f"{plain!r} can be read in two ways: write {number:,} or {number}{fraction}")


def _limit(cell: Any) -> int | None:
    return None if pd.isna(cell) else int(cell)


def _meant(column: str, limit: int | None) -> str:
    speech = column == SPEECH and not limit
    return f"{words(column, limit)}{' for speech' if speech else ''}"


def _written_speech(limit: Any) -> str:
    if not limit:
        return "no cap" if limit is None else "blocked"
    whole, _, part = f"{limit / MINUTE:,.6f}".rstrip("0").partition(".")
    return f"{whole}.{part}{'0' if len(part) == 3 else ''}" if part else whole  # three could be thousands


FIELDS = (
    Field("name", "Key", written_text, kind="text"),
    Field("characters", "Characters", lambda cap: f"{cap:,}" if cap else _written_speech(cap), editable=True),
    Field(SPEECH, "Speech min", _written_speech, editable=True),
    Field("is_deactivated", "State", lambda ended: "deactivated" if ended else "active", kind="text"),
    Field("creation_time", "Created", written_day, kind="text", spare=1),
)
