"""Style rule lists being edited: their undo steps, and the drafts that keep the edits until they are pushed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from svc_nb.language_codes import name_of, normal
from svc_nb.panels.parts.drafts import DraftWriter, drafts_of
from svc_nb.session import Session, current
from svc_nb.style_rules.diff import StyleDiff, diff
from svc_nb.style_rules.files import from_json, to_json
from svc_nb.style_rules.labels import rule_label
from svc_nb.style_rules.merge import Merge, aligned
from svc_nb.style_rules.style import FIELDS, Content, Instruction, Style
from svc_nb.sync.drafts import Waiting
from svc_nb.tabular.cells import HALF_A_PAIR

Deed = Mapping[str, Any]
Place = tuple[Any, ...]


def titled(name: str, language: str, version: int | None) -> str:
    """The name of a list in a dropdown and in a line."""
    known = f"version {version}" if version is not None else "not on the service yet"
    return f"{name} · {name_of(language)} · {known}"


def named(name: str, language: str) -> str:
    """The name of a list in a sentence, with the language, because copies for other languages have the same name."""
    return f"“{name}” ({name_of(language)})"


def whole(text: str) -> str:
    """*text* with a replacement for half a surrogate pair, which can be neither sent nor saved."""
    return HALF_A_PAIR.sub("\ufffd", text)


def whole_of(content: Content, called: str) -> Deed:
    """The action that sets the whole *content* of a list, in one step."""
    return {"do": "all", "content": content.to_wire(), "called": called}


@dataclass(frozen=True)
class ListStep:
    """The name of a step, and the content before and after it; *place* is the edited field."""

    name: str
    before: Content
    after: Content
    place: Place | None = None


class EditList:
    """A list being edited. An action is a small JSON value, so that a draft can keep it and `do` can repeat it.

    Actions: `rule` (category, rule, option or None), `name`, `add` (number, label, prompt, source_language), `write`
    (number, field, text), `drop` (number), `all` (content, called), `undo`, `redo`. Successive edits of one field are
    one step.
    """

    def __init__(self, base: Style, began: Content | None = None) -> None:
        """*began* is the content of *base* if its instructions already have numbers."""
        self.base = base
        self.began = began or Content.of(base)
        self.content = self.began
        self._steps: list[ListStep] = []
        self._undone: list[ListStep] = []
        self._worked_out: tuple[Content, Style, StyleDiff] | None = None

    @property
    def style(self) -> Style:
        """The edited list; its tables are copies."""
        return self._known[1].replace()

    @property
    def language(self) -> str:
        """The language of the list, as the service compares it."""
        return normal(self.base.language or "")

    @property
    def diff(self) -> StyleDiff:
        """The changes since the list was loaded."""
        return self._known[2]

    @property
    def _known(self) -> tuple[Content, Style, StyleDiff]:
        """Results computed from the content, until it changes."""
        if self._worked_out is None or self._worked_out[0] is not self.content:
            style = self.content.to_style(self.base)
            self._worked_out = (self.content, style, diff(self.base, style))
        return self._worked_out

    @property
    def is_changed(self) -> bool:
        """Whether anything differs from the loaded list."""
        return self.content != self.began and bool(len(self.diff))

    @property
    def undoable(self) -> str:
        """The step that `undo` would undo, or ""."""
        return self._steps[-1].name if self._steps else ""

    @property
    def redoable(self) -> str:
        """The step that `redo` would redo, or ""."""
        return self._undone[-1].name if self._undone else ""

    @property
    def next_number(self) -> int:
        """The number of the next instruction, which was never used before."""
        known = (self.began, self.content, *(step.after for step in (*self._steps, *self._undone)))
        return 1 + max((each.number for content in known for each in content.instructions), default=0)

    def aligned(self, theirs: Style, content: Content) -> Content:
        """The content of *theirs*, with the numbers its instructions have here or in *content*."""
        return aligned(Content.of(theirs), self.began, content, language=self.language, next_number=self.next_number)

    def do(self, deed: Deed) -> bool:
        """Do an action; returns whether it changed anything. Raises ValueError for an unknown instruction or action."""
        if deed["do"] in ("undo", "redo"):
            back = deed["do"] == "undo"
            steps, others = (self._steps, self._undone) if back else (self._undone, self._steps)
            if not steps:
                return False
            step = steps.pop()
            others.append(step if back else replace(step, place=None))
            self.content = step.before if back else step.after
            return True
        name, content, place = self._done(deed)
        if content == self.content:
            return False
        before = self.content
        if place is not None and self._steps and self._steps[-1].place == place:
            before = self._steps.pop().before
        if before != content:  # set back to the earlier value, it is not a step at all
            self._steps.append(ListStep(name, before, content, place))
        self._undone.clear()
        self.content = content
        return True

    def _done(self, deed: Deed) -> tuple[str, Content, Place | None]:
        """The name of a step, the content after it, and the place it is about."""
        now, what = self.content, deed["do"]
        if what == "rule":
            rule = (deed["category"], deed["rule"])
            same = deed["option"] is None and rule not in now.rules
            return f"“{rule_label(*rule)}”", now if same else now.with_rule(*rule, deed["option"]), None
        if what == "name":
            return "the name", now.with_name(deed["name"]), None
        if what == "all":
            return deed["called"], Content.from_wire(deed["content"]), None
        number = deed["number"]
        if what == "add":
            added = Instruction(number, *(deed[field] for field in FIELDS))
            return "a new instruction", now.with_instruction(added), None
        if number not in now.numbers:
            raise ValueError(f"there is no instruction number {number!r}; it was deleted or never existed")
        if what == "drop":
            return "deleting an instruction", now.without_instruction(number), None
        if what != "write" or deed["field"] not in FIELDS:
            raise ValueError(f"expected a known action, found {what!r}")
        written = replace(now.numbers[number], **{deed["field"]: deed["text"]})
        return "an instruction", now.with_instruction(written), (number, deed["field"])


KIND = "style_rules"


class OpenList:
    """A list being edited and the session it was opened with; a draft keeps every action, or *told* gets the error."""

    def __init__(self, session: Session, edits: EditList, told: Callable[[Exception], Any]) -> None:
        self.session, self.edits = session, edits
        self.draft = DraftWriter(told, large=False)
        base, drafts = edits.base, drafts_of(session)
        whole = {"style": to_json(base), "began": edits.began.to_wire()}
        earlier = whole_of(edits.content, "earlier edits") if edits.is_changed else None
        self.draft.begin(drafts.begin(base.style_id, base.name or "", kind=KIND, base=whole), earlier)

    def do(self, deed: Deed) -> bool:
        """Do an action, and keep it in the draft if it changes anything."""
        done = self.edits.do(deed)
        if done:
            self.draft.note(dict(deed))
        return done


def restored(session: Session, waiting: Waiting) -> EditList:
    """The list of an earlier kernel, with all its edits."""
    found = drafts_of(session).restore(waiting)
    edits = EditList(from_json(found.base["style"]), Content.from_wire(found.base["began"]))
    for deed in found.changes:
        edits.do(deed)
    return edits


def is_connected(session: Session) -> bool:
    """Whether the service of *session* is the one currently connected."""
    return session.account == current().account


def connected(session: Session) -> Session:
    """*session*; raises ValueError if another service is connected now."""
    if not is_connected(session):
        raise ValueError(
            "This list belongs to a different service than the one you are connected to. Connect to that service "
            "again, or open another list."
        )
    return session


class OpenLists(dict[str, OpenList]):
    """The open lists by id, or by another key while they have none; `key` is the one shown, or ""."""

    def __init__(self, told: Callable[[Exception], Any]) -> None:
        super().__init__()
        self.key = ""
        self.told = told
        self.waiting: list[Waiting] = []  # edits of earlier kernels
        self._made = 0

    @property
    def shown(self) -> OpenList:
        """The list shown; raises ValueError if there is none."""
        if not self.key:
            raise ValueError("no style rule list is open: choose or create one")
        return self[self.key]

    @property
    def offered(self) -> Waiting | None:
        """The edits of earlier kernels to offer: those of the list shown, or else those of any list."""
        own = [each for each in self.waiting if self.key and each.thing_id == self.shown.edits.base.style_id]
        return next(iter(own or self.waiting), None)

    @property
    def changed_here(self) -> list[str]:
        """The keys of the lists with unpushed changes on the currently connected service."""
        return [key for key, each in [*self.items()] if each.edits.is_changed and is_connected(each.session)]

    def new_key(self) -> str:
        """A key for a list that is not on the service yet."""
        self._made += 1
        return f"new {self._made}"

    def lay(self, session: Session, edits: EditList) -> str:
        """Open a list and show it, replacing the same one, whose edits are kept as a draft; returns its key."""
        key = edits.base.style_id or self.new_key()
        if key in self:
            here = self[key]
            here.draft.check(here.edits.is_changed)
            here.draft.leave(here.edits.is_changed)
        self[key], self.key = OpenList(session, edits, self.told), key
        return key

    def take_over(self, taken: OpenList) -> None:
        """Continue with a list of another panel, with the current session, and show it."""
        taken.session, taken.draft.told = current(), self.told
        key = taken.edits.base.style_id or self.new_key()
        if key in self:
            self[key].draft.leave(self[key].edits.is_changed)
        self[key], self.key = taken, key

    def lay_new(self, session: Session, style: Style) -> None:
        """Open a list that is not on the service yet, with the content of *style*."""
        self.lay(session, EditList(Style(name=style.name, language=style.language)))
        self.shown.do(whole_of(Content.of(style), "the whole list"))

    def orphan(self, key: str) -> None:
        """Continue with a list that was deleted on the service as a new one."""
        session, style = self[key].session, self[key].edits.style
        self.drop(key)
        self.lay_new(session, style.replace(instructions=style.instructions.assign(id=None)))

    def merge(self, key: str, theirs: Style, choices: dict[Any, str]) -> Merge | None:
        """Merge changes by others with the edits here; None if others changed nothing."""
        edits = self[key].edits
        if theirs.version == edits.base.version and not len(diff(edits.base, theirs)):
            return None
        other = edits.aligned(theirs, edits.content)
        merge = Merge(edits.began, edits.content, other, language=edits.language)
        merge.choices |= choices
        if merge.is_settled:
            self._replace(key, self[key].session, EditList(theirs, other), merge.content, "the edits from before")
        return merge

    def settle(self, key: str, after: Style, sent: Content) -> None:
        """Record that the service has the list *after* a push of *sent*; later edits stay."""
        edits = self[key].edits
        theirs = edits.aligned(after, sent)
        merged = Merge(sent, edits.content, theirs, language=edits.language).content
        self._replace(key, self[key].session, EditList(after, theirs), merged, "the edits made since")

    def take_back(self, session: Session, key: str, now: Style) -> None:
        """Open the list as it is *now*, after an undo; the content here stays as unpushed edits."""
        mine = self[key].edits if key in self else EditList(now)
        edits = EditList(now, mine.aligned(now, mine.content))
        self._replace(key, session, edits, mine.content, "the edits that were pushed")

    def _replace(self, key: str, session: Session, edits: EditList, content: Content, called: str) -> None:
        """Open *edits* in place of *key*, under the list's current id, with *content*."""
        if key in self:
            self.drop(key)
        self.lay(session, edits)
        self.shown.do(whole_of(content, called))

    def drop(self, key: str) -> None:
        """Close a list, and discard its edits."""
        self.pop(key).draft.leave(is_edited=False)
        if key == self.key:
            self.key = ""

    def titles(self, listed: pd.DataFrame | None) -> list[tuple[str, str]]:
        """The lists of the service, as *listed*, and those open here, each with its key."""
        options = {}
        if listed is not None:
            columns = (listed[name] for name in ("style_id", "name", "language", "version"))
            for key, name, language, version in zip(*columns, strict=True):
                options[key] = titled(name, language, int(version))
        for key, each in self.items():
            edits = each.edits  # which may be newer than the one listed
            mark = " · edited" if edits.base.style_id and edits.is_changed else ""
            options[key] = titled(edits.content.name, edits.language, edits.base.version) + mark
        return [(title, key) for key, title in options.items()]

    def refuse_name(self, name: str, language: str, listed: pd.DataFrame | None) -> None:
        """Raise a ValueError if a list here, or *listed* on the service, has this name in this language."""
        taken = {(each.edits.content.name, each.edits.language) for each in self.values()}
        if listed is not None:
            taken |= set(zip(listed["name"], listed["language"], strict=True))
        if (name, language) in taken:
            raise ValueError(
                f"There is already a list with this name for {name_of(language)}. Open it, or choose another name."
            )
