"""A style rule list as it is being edited: what it began as, what it is now, and every step between, back and forth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from svc_nb.language_codes import normal
from svc_nb.style_rules.diff import StyleDiff, diff
from svc_nb.style_rules.merge import aligned
from svc_nb.style_rules.style import FIELDS, Content, Instruction, Style

Deed = Mapping[str, Any]
Place = tuple[Any, ...]


def whole_of(content: Content, called: str) -> Deed:
    """The deed that makes a list say *content*, all in one step."""
    return {"do": "all", "content": content.to_wire(), "called": called}


@dataclass(frozen=True)
class Step:
    """What was done, in words, and the content before it and after it; *place* is the field or rule it was done to."""

    name: str
    before: Content
    after: Content
    place: Place | None = None


class EditList:
    """One list under edit. A deed is a small value of JSON, so that a draft can keep it and `do` can do it again.

    Deeds: `rule` (category, rule, option or None), `name`, `add` (number, label, prompt, source_language), `write`
    (number, field, text), `drop` (number), `all` (content, called), `undo`, `redo`. What is done to one field or one
    rule in a row is one step.
    """

    def __init__(self, base: Style, began: Content | None = None) -> None:
        """*began* is what *base* says, where its instructions have numbers already."""
        self.base = base
        self.began = began or Content.of(base)
        self.content = self.began
        self._steps: list[Step] = []
        self._undone: list[Step] = []
        self._worked_out: tuple[Content, Style, StyleDiff] | None = None

    @property
    def style(self) -> Style:
        """The list as it is edited; its tables are copies."""
        return self._known[1].replace()

    @property
    def language(self) -> str:
        """Of the list, as the service compares it."""
        return normal(self.base.language or "")

    @property
    def diff(self) -> StyleDiff:
        """What has changed since the list was loaded."""
        return self._known[2]

    @property
    def _known(self) -> tuple[Content, Style, StyleDiff]:
        """What was worked out of the content last, as long as it is the same."""
        if self._worked_out is None or self._worked_out[0] is not self.content:
            style = self.content.to_style(self.base)
            self._worked_out = (self.content, style, diff(self.base, style))
        return self._worked_out

    @property
    def is_changed(self) -> bool:
        """Whether anything differs from what was loaded."""
        return self.content != self.began and bool(len(self.diff))

    @property
    def undoable(self) -> str:
        """The step that `undo` takes back, or nothing."""
        return self._steps[-1].name if self._steps else ""

    @property
    def redoable(self) -> str:
        """The step that `redo` does again, or nothing."""
        return self._undone[-1].name if self._undone else ""

    @property
    def next_number(self) -> int:
        """The number of the next instruction: none that was ever there has it."""
        known = (self.began, self.content, *(step.after for step in (*self._steps, *self._undone)))
        return 1 + max((each.number for content in known for each in content.instructions), default=0)

    def aligned(self, theirs: Style, content: Content) -> Content:
        """What *theirs* says, with the numbers that its instructions have here or in *content*."""
        return aligned(Content.of(theirs), self.began, content, language=self.language, next_number=self.next_number)

    def do(self, deed: Deed) -> bool:
        """Do *deed*; whether it changed anything. ValueError where there is no such instruction or deed."""
        if deed["do"] in ("undo", "redo"):
            return self._turn(back=deed["do"] == "undo")
        name, content, place = self._done(deed)
        if content == self.content:
            return False
        before = self.content
        if place is not None and self._steps and self._steps[-1].place == place:
            before = self._steps.pop().before
        if before != content:  # written back as it was, it is no step at all
            self._steps.append(Step(name, before, content, place))
        self._undone.clear()
        self.content = content
        return True

    def _turn(self, *, back: bool) -> bool:
        """Take back the last step, or do it again."""
        steps, others = (self._steps, self._undone) if back else (self._undone, self._steps)
        if not steps:
            return False
        step = steps.pop()
        others.append(step if back else replace(step, place=None))
        self.content = step.before if back else step.after
        return True

    def _done(self, deed: Deed) -> tuple[str, Content, Place | None]:
        """The name of a step, the content after it, and the place that it is about."""
        now, what = self.content, deed["do"]
        if what == "rule":
            rule = (deed["category"], deed["rule"])
            same = deed["option"] is None and rule not in now.rules
            return "an option", now if same else now.with_rule(*rule, deed["option"]), rule
        if what == "name":
            return "the name", now.with_name(deed["name"]), None
        if what == "all":
            return deed["called"], Content.from_wire(deed["content"]), None
        number = deed["number"]
        if what == "add":
            added = Instruction(number, *(deed[field] for field in FIELDS))
            return "a new instruction", now.with_instruction(added), None
        if number not in now.numbers:
            raise ValueError(f"there is no instruction number {number!r}; it was deleted, or never was there")
        if what == "drop":
            return "deleting an instruction", now.without_instruction(number), None
        if what != "write" or deed["field"] not in FIELDS:
            raise ValueError(f"expected something that can be done, found {what!r}")
        written = replace(now.numbers[number], **{deed["field"]: deed["text"]})
        return "an instruction", now.with_instruction(written), (number, deed["field"])
