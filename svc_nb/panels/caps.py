"""The caps of the keys: written into a table, told in words, confirmed, and taken back."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import ipywidgets as widgets
import pandas as pd

from svc_nb import keys
from svc_nb.client.admin import UNSET, Unset
from svc_nb.frames.keys.limits import words
from svc_nb.frames.keys.table import CAPS
from svc_nb.frames.report import Report, plural
from svc_nb.frames.usage.names import called
from svc_nb.panels.grid import Field, Grid
from svc_nb.panels.latest import Latest
from svc_nb.panels.line import Line
from svc_nb.panels.rows import written_day, written_text
from svc_nb.panels.words import told

Draft = dict[str, dict[str, int | None]]

PATIENCE = 20.0
MINUTE = 60_000
SPEECH = "speech_to_text_milliseconds"
MOST_TOLD = 12
HOW = "Click a cap to change it: write a number, “no cap” or “blocked”. Nothing is sent before you confirm."
NUMBER = re.compile(r"(\d[\d,._ ' ]*?)\s*(k|thousand|m|million)?", re.IGNORECASE)
SIZES = {"k": 1000, "thousand": 1000, "m": 1_000_000, "million": 1_000_000}


class Caps:
    """A table of keys whose caps can be written to; `draft` has what was written and not sent, by key_id."""

    def __init__(self, *, changed: Callable[[], None] = lambda: None) -> None:
        """*changed* is called when caps have changed on the service."""
        self.grid = Grid(
            "Caps of the keys", edited=lambda key_id, column, text: self.write(key_id, column, text)
        )
        self.line = Line()
        self.buttons = {
            "change": _button("Change caps …", lambda: self.ask()),
            "confirm": _button("Yes, change them", lambda: self.confirm(), style="warning"),
            "discard": _button("Discard", lambda: self.discard()),
            "undo": _button("Undo the last change", lambda: self.undo()),
            "refresh": _button("Refresh", lambda: self.load()),
        }
        self.draft: Draft = {}
        self.listed: pd.DataFrame | None = None
        self.problem: Exception | None = None
        self._told = changed
        self._asking = False
        self._sent = False
        self._latest = Latest()
        row = widgets.HBox(list(self.buttons.values()))
        row.add_class("svc-row-of-fields")
        self.box = widgets.VBox([self.line, self.grid, row])
        self.box.add_class("svc-caps")
        self._show_buttons()

    # ---- what a person can do

    def open(self) -> None:
        """Load the keys unless they are there."""
        if self.listed is None:
            self.load()

    def load(self) -> None:
        """Ask the service for the keys; what was written and not sent is forgotten."""
        self.draft.clear()
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
        self._asking = bool(self.draft)
        self._show()
        self._say_draft()

    def discard(self) -> None:
        """Forget what was written."""
        self.draft.clear()
        self._asking = False
        self.line.say(HOW)
        self._show()

    def confirm(self) -> None:
        """Change the caps on the service."""
        if self.draft and self.listed is not None:
            draft = {key_id: dict(caps) for key_id, caps in self.draft.items()}
            self._busy(True)
            self._latest.ask(lambda: (_send(draft), keys.list()), self._changed)

    def undo(self) -> None:
        """Undo the last change of caps."""
        self._busy(True)
        self._latest.ask(lambda: (keys.undo(), keys.list()), self._undone)

    def wait(self, timeout: float | None = PATIENCE) -> bool:
        """Wait until the service has answered; False where *timeout* seconds were not enough."""
        return self._latest.wait(timeout)

    def close(self) -> None:
        """Leave no thread behind."""
        self._latest.close(PATIENCE)

    # ---- the service's answers

    def _loaded(self, answer: Any) -> None:
        if isinstance(answer, Exception):
            self._tell(answer)
            self.grid.show(pd.DataFrame(), ())
        else:
            self._take(answer)
            self.line.say(HOW if len(answer) else "There are no keys yet.")
        self._show()

    def _changed(self, answer: Any) -> None:
        self._ended(answer, lambda report: f"Changed: {_told_report(report)}.")
        self._sent = self._sent or not isinstance(answer, Exception)
        self._show()

    def _undone(self, answer: Any) -> None:
        self._ended(answer, lambda report: f"Taken back: {_told_report(report)}.")
        self._sent = self._sent and isinstance(answer, Exception)
        self._show()

    def _ended(self, answer: Any, said: Callable[[pd.DataFrame], str]) -> None:
        self._busy(False)
        self._asking = False
        if isinstance(answer, Exception):
            self._tell(answer)
            return
        report, listed = answer
        self.draft.clear()
        self._take(listed)
        self.line.say(said(report))
        self._told()

    def _take(self, listed: pd.DataFrame) -> None:
        table = pd.DataFrame(listed).set_index("key_id", drop=False)
        pairs = [
            (str(key_id)[:8], str(label))
            for key_id, label in zip(table["key_id"], table["label"], strict=True)
        ]
        self.listed = table.assign(name=called(pairs))
        self.problem = None

    # ---- what is shown

    def _note(self, key_id: str, column: str, limit: int | None) -> None:
        if self.listed is None or key_id not in self.listed.index:
            raise ValueError(f"there is no key with the key_id {key_id!r}; load() asks for the keys anew")
        row = self.listed.loc[key_id]
        if row["is_deactivated"]:
            raise ValueError(f"{row['name']} is deactivated for good: its caps cannot be changed")
        if limit is not None and limit < 0:
            raise ValueError("a cap is 0 or more")
        own = self.draft.setdefault(key_id, {})
        own[column] = limit
        if limit == _limit(row[column]):
            del own[column]
        if not own:
            del self.draft[key_id]
        self._asking = False
        self._say_draft()
        self._show()

    def _drafted(self) -> pd.DataFrame:
        table = self.listed if self.listed is not None else pd.DataFrame()
        return _with(self.draft, table).drop(columns="key_id").rename_axis("key_id")

    def _say_draft(self) -> None:
        if not self.draft or self.listed is None:
            self.line.say(HOW)
            return
        names = self.listed["name"]
        lines = [
            f"• {names[key_id]}: {_meant(column, limit)} (now {_meant(column, _limit(self.listed[column][key_id]))})"
            for key_id, caps in self.draft.items()
            for column, limit in caps.items()
        ]
        more = [f"… and {plural(len(lines) - MOST_TOLD, 'cap')} more"] if len(lines) > MOST_TOLD else []
        head = "Really change this on the service?" if self._asking else "What will change:"
        self.line.say("\n".join([head, *lines[:MOST_TOLD], *more]), "change")

    def _show(self) -> None:
        self._show_buttons()
        if self.listed is None:
            return
        table = self._drafted()
        marks = dict.fromkeys(table.index[table["is_deactivated"]], "faded")
        marks |= dict.fromkeys(self.draft, "changed")
        self.grid.show(table, FIELDS, marks=marks)

    def _show_buttons(self) -> None:
        count = sum(map(len, self.draft.values()))
        self.buttons["change"].description = f"Change {plural(count, 'cap')} …"
        self.buttons["confirm"].description = f"Yes, change {plural(count, 'cap')}"
        shown = {
            "change": bool(count) and not self._asking,
            "confirm": bool(count) and self._asking,
            "discard": bool(count),
            "undo": self._sent and not count,
        }
        for name, wanted in shown.items():
            self.buttons[name].layout.display = None if wanted else "none"

    def _busy(self, busy: bool) -> None:
        for button in self.buttons.values():
            button.disabled = busy

    def _tell(self, problem: Exception) -> None:
        self.problem = problem
        self.line.say(told(problem), "error")


def _with(draft: Draft, table: pd.DataFrame) -> pd.DataFrame:
    """*table*, whose index is the key_id, with the caps of *draft*."""
    changed = table.copy()
    for key_id, caps in draft.items():
        for column, limit in caps.items():
            changed.loc[key_id, column] = pd.NA if limit is None else limit
    return changed


def _send(draft: Draft) -> Report:
    """Set the caps of *draft*, and leave the others as they are on the service by now."""
    listed = pd.DataFrame(keys.list()).set_index("key_id", drop=False)
    known = {key_id: caps for key_id, caps in draft.items() if key_id in listed.index}
    return keys.set_limits(_with(known, listed).loc[list(known), ["key_id", *CAPS]].reset_index(drop=True))


def read(text: str, *, minutes: bool = False) -> int | None:
    """The cap that a person wrote, in characters or, for *minutes*, in milliseconds; None is no cap.

    >>> read("500,000"), read("1.5 M"), read("no cap"), read("blocked"), read("90", minutes=True)
    (500000, 1500000, None, 0, 5400000)
    """
    plain = text.strip().lower()
    if plain in {"", "no cap", "none", "-", "–", "unlimited"}:
        return None
    if plain in {"blocked", "block"}:
        return 0
    found = NUMBER.fullmatch(plain)
    amount = _number(found[1]) if found else None
    if found is None or amount is None:
        raise ValueError(f"expected a number such as 500,000, “no cap” or “blocked”, found {text[:40]!r}")
    cap = amount * SIZES.get(found[2] or "", 1) * (MINUTE if minutes else 1)
    if cap >= 2**63 or (0 < cap < 1):
        raise ValueError(f"{text[:40]!r} is no cap that the service can keep")
    return math.floor(cap + 0.5)


def _number(digits: str) -> float | None:
    """A number with separators for thousands, or with a decimal point."""
    plain = re.sub(r"[_ ' ]", "", digits)
    if re.fullmatch(r"\d{1,3}([,.]\d{3})+", plain):
        return float(re.sub(r"[,.]", "", plain))
    return float(plain) if re.fullmatch(r"\d+(\.\d+)?", plain) else None


def _limit(cell: Any) -> int | None:
    return None if pd.isna(cell) else int(cell)


def _meant(column: str, limit: int | None) -> str:
    speech = column == SPEECH and not limit
    return f"{words(column, limit)}{' for speech' if speech else ''}"


def _told_report(report: pd.DataFrame) -> str:
    if "change" not in report.columns or not len(report):
        return "nothing"
    pairs = list(zip(report["label"], report["change"], strict=True))
    more = f"; and {plural(len(pairs) - MOST_TOLD, 'cap')} more" if len(pairs) > MOST_TOLD else ""
    return "; ".join(f"{label}: {change}" for label, change in pairs[:MOST_TOLD]) + more


def _written_cap(limit: Any) -> str:
    return "no cap" if limit is None else "blocked" if limit == 0 else f"{limit:,}"


def _written_speech(limit: Any) -> str:
    return "no cap" if limit is None else "blocked" if limit == 0 else f"{limit / MINUTE:,.10g}"


def _written_state(deactivated: Any) -> str:
    return "deactivated" if deactivated else "active"


FIELDS = (
    Field("name", "Key", written_text, kind="text"),
    Field("characters", "Characters a month", _written_cap, editable=True),
    Field(SPEECH, "Speech min a month", _written_speech, editable=True),
    Field("is_deactivated", "State", _written_state, kind="text"),
    Field("creation_time", "Created", written_day, kind="text"),
)


def _button(text: str, action: Callable[[], None], *, style: str = "") -> widgets.Button:
    button = widgets.Button(description=text, button_style=style, layout={"width": "auto"})
    button.on_click(lambda clicked: action())
    return button
