"""The half of the style rule panel that needs no service: one list under edit, every edit kept, all of it shown."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

import pandas as pd

from svc_nb.errors import warn
from svc_nb.panels import still
from svc_nb.panels.panel import Panel
from svc_nb.panels.style_rules.compare import titled
from svc_nb.panels.style_rules.keeper import Kept, whole_of
from svc_nb.panels.style_rules.parts import Parts, titles
from svc_nb.panels.style_rules.sheet import Sheet
from svc_nb.panels.words import told
from svc_nb.style_rules.diff import Diff
from svc_nb.style_rules.labels import category_label, option_label, rule_label, search
from svc_nb.style_rules.lint import Finding, findings, report
from svc_nb.style_rules.style import Style
from svc_nb.style_rules.tables import HALF_A_PAIR
from svc_nb.tabular.report import Report, plural

HOW = "Choose a style rule list, or give a name and a language and create one."
LOST = "not kept, because no draft could be written; the panel's `style` still has them"


class Editing(Panel, ABC):
    """One open list and what a person does to it; `parts` has all widgets by name, `buttons` the buttons."""

    def __init__(self, *, keep_texts: bool = False) -> None:
        super().__init__()
        self.keep_texts = keep_texts
        self.parts = Parts(
            self.line,
            pressed=lambda name: self._clicked(getattr(self, f"_press_{name}", None) or getattr(self, name)),
            heard=lambda message: self._clicked(self._heard, message),
            tried=lambda text: self._clicked(self._press_try, text),
        )
        self.buttons = self.parts.buttons
        self.board, self.instructions = self.parts.board, self.parts.instructions
        self.box = self.parts.box
        self._kept: dict[str, Kept] = {}  # by the id of the list, or by another key where it has none yet
        self._key = ""
        self._first = ""  # what the line says before all else, once

    # ---- what is there

    @property
    def style(self) -> Style | None:
        """The list as it is edited now; None where none is open."""
        return self._kept[self._key].sheet.style if self._key else None

    @property
    def style_id(self) -> str | None:
        """The id of the open list; None where none is open, and until a new one is pushed."""
        return self._sheet.base.style_id if self._key else None

    @property
    def version(self) -> int | None:
        """The version that the edits began with."""
        return self._sheet.base.version if self._key else None

    @property
    def changes(self) -> Diff:
        """What would be pushed: a table of what differs from the list as it was loaded."""
        return self._sheet.diff

    @property
    def findings(self) -> Report:
        """What is wrong with the list as it is edited, or might be."""
        return report(findings(self._sheet.style))

    @property
    def _sheet(self) -> Sheet:
        return self._open_one.sheet

    @property
    def _open_one(self) -> Kept:
        if not self._key:
            raise ValueError("no style rule list is open: choose one, or create one")
        return self._kept[self._key]

    # ---- what a person can do

    def set_rule(self, category: str, rule: str, option: str | None) -> Self:
        """Choose an option of a rule by their names; None is that the rule is not set."""
        return self._edit(do="rule", category=category, rule=rule, option=option)

    def add_instruction(
        self, label: str = "", prompt: str = "", *, source_language: str | None = None
    ) -> int:
        """Add an instruction, and return the number by which it is written to and dropped."""
        with self._lock:
            number = self._sheet.next_number
            texts = {
                "label": whole(label),
                "prompt": whole(prompt),
                "source_language": source_language or None,
            }
            self._edit(do="add", number=number, **texts)
            return number

    def write_instruction(
        self,
        number: int,
        *,
        label: str | None = None,
        prompt: str | None = None,
        source_language: str | None = None,
    ) -> Self:
        """Write to an instruction; what is not given stays. A source language of "" is that of the list."""
        given = {"label": label, "prompt": prompt, "source_language": source_language}
        for field, text in given.items():
            if text is not None:
                empty = None if field == "source_language" else ""
                self._edit(do="write", number=number, field=field, text=whole(text) or empty)
        return self

    def drop_instruction(self, number: int) -> Self:
        """Delete an instruction."""
        return self._edit(do="drop", number=number)

    def rename(self, name: str) -> Self:
        """Give the list another name."""
        if not name.strip():
            raise ValueError("A list needs a name: write one first.")
        return self._edit(do="name", name=whole(name.strip()))

    def undo(self) -> str:
        """Take back the last step, and return its name; nothing where there is none."""
        with self._lock:
            name = self._sheet.undoable
            self._edit(do="undo")
            return name

    def redo(self) -> str:
        """Do again what was undone last, and return its name; nothing where there is none."""
        with self._lock:
            name = self._sheet.redoable
            self._edit(do="redo")
            return name

    def discard(self) -> Self:
        """Go back to the list as it was loaded; that can be undone."""
        return self._edit(**whole_of(self._sheet.began, "discarding"))

    def search(self, text: str) -> pd.DataFrame:
        """Show only rules that have every word of *text*; returns the options found, with their labels.

        They are those of the list's language, or of all where no list is open.
        """
        with self._lock:
            language = self._sheet.language if self._key else None
            self.board.look_for(text, language=language)
        rows = [
            (*choice, category_label(choice[0]), rule_label(*choice[:2]), option_label(*choice))
            for choice in search(text, language=language)
        ]
        names = ["category", "rule", "option", "category_label", "rule_label", "option_label"]
        return pd.DataFrame(rows, columns=names)

    def close(self) -> None:
        """End the panel: its widgets go, and no thread stays. Edits that were not pushed are kept as drafts."""
        super().close()
        lost = sum(kept.leave() for kept in self._kept.values())
        if lost:
            warn(UserWarning(f"{plural(lost, 'step was', 'steps were')} not sent and {LOST}"))

    # ---- clicks

    def _press_rename(self) -> None:
        self.rename(self.parts.new_name.value)

    def _heard(self, message: dict[str, Any]) -> None:
        kind = message["kind"]
        if kind == "set":
            self.set_rule(message["category"], message["rule"], message["option"])
        elif kind == "add":
            self.add_instruction()
        elif kind == "write":
            self.write_instruction(message["number"], **{message["field"]: message["text"]})
        elif kind == "drop":
            self.drop_instruction(message["number"])
        elif kind == "search":
            self.board.content["filter"] = message["text"]
            language = self._sheet.language if self._key else None
            self.board.show_elsewhere(message["text"], language=language)

    @abstractmethod
    def _press_try(self, text: str) -> None:
        """Try the list on a sentence."""

    # ---- edits, and how they are shown

    def _edit(self, **deed: Any) -> Self:
        with self._lock:
            if self._open_one.do(deed):
                self._show()
        return self

    def _lay_open(self, key: str, sheet: Sheet) -> None:
        """Open *sheet* in the place of what was open under *key*."""
        if key in self._kept:
            self._kept[key].end()
        self._kept[key] = Kept(sheet, self._warn)
        self._key = key

    def _close_one(self, key: str) -> None:
        self._kept.pop(key).end()
        if key == self._key:
            self._key = ""

    def _warn(self, problem: Exception) -> None:
        self._first = f"The edits are not kept on the disk: {told(problem)}"

    def _show(self) -> None:
        """Show the open list, or that there is none."""
        if not self._key:
            self.board.clear()
            self.instructions.clear()
            self.parts.tabs.titles = titles(0, 0)
            self._sum_up([], None)
            return
        sheet = self._sheet
        found = findings(sheet.style)
        changes = sheet.diff
        self.board.display(sheet, found)
        self.instructions.display(sheet, found)
        self.parts.differences.display_diff(changes)
        self.parts.tabs.titles = titles(len(sheet.content.instructions), len(changes))
        self._sum_up(found, changes)

    def _sum_up(self, found: list[Finding], changes: Diff | None) -> None:
        """Say how things stand: in counts and names of the catalogue, never in what people wrote."""
        first, self._first = self._first, ""
        if changes is None:
            self._say(" ".join(filter(None, [first, HOW])))
        else:
            said = [first, self._counts(), _changed(len(changes)), _wrong(found)]
            self._say(" ".join(filter(None, said)))
        self._settled()

    def _counts(self) -> str:
        sheet = self._sheet
        offered = sum(len(each["rules"]) for each in self.board.content["categories"])
        base, content = sheet.base, sheet.content
        instructions = plural(len(content.instructions), "instruction")
        title = titled(content.name, sheet.language, base.version)
        return f"{title}: {len(content.rules):,} of {offered:,} rules set, {instructions}."

    # ---- what a saved notebook keeps

    def _stays(self) -> dict[str, Any]:
        rows: list[tuple[str, ...]] = []
        if self.keep_texts and self._key:
            content = self._sheet.content
            rows = [
                (rule_label(*rule), option_label(*rule, option)) for rule, option in content.rules.items()
            ]
            rows += [(each.label, each.prompt) for each in content.instructions]
        heading = ("Rule or instruction", "Option or prompt") if rows else ()
        page = still.page(
            name=self.line.still, said=self.line.text, heading=heading, rows=rows[: still.MOST_ROWS]
        )
        return {"text/plain": repr(self), "text/html": page}


def whole(text: str) -> str:
    """*text* with a sign in the place of half a surrogate pair, which can neither be sent nor kept."""
    return HALF_A_PAIR.sub("\ufffd", text)


def _changed(count: int) -> str:
    return f"{plural(count, 'change')} not pushed." if count else "Nothing is changed."


def _wrong(found: list[Finding]) -> str:
    errors = sum(each.severity == "error" for each in found)
    warnings = len(found) - errors
    counts = [plural(count, name) for count, name in ((errors, "error"), (warnings, "warning")) if count]
    return f"{' and '.join(counts)}: see Rules and Instructions." if counts else ""
