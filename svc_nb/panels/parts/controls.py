"""The controls of panels, and the single widget that a panel is to its host.

1. A `Part` is a control or a box of controls. Its traits tagged `sync` are mirrored in the browser.
2. When a part is shown, a `PanelWidget` is made of it and everything in it. It carries their state and messages over
one connection, so a panel shows wherever an anywidget does, and its front end knows when the kernel is gone.
3. User actions come back with a number. They are done in that order and answered with that number, so the front end
sees what is still waiting, and sends lost actions again.

User texts are sent in messages and never in the state, because a notebook may save the state.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import date
from itertools import count
from pathlib import Path
from typing import Any, ClassVar
from uuid import uuid4

import anywidget
from traitlets import Any as AnyTrait
from traitlets import Bool, HasTraits, Int, List, TraitError, Unicode, observe, validate

FRONT = Path(__file__).parent.parent / "front"
# The modules of the front end by name: a file, or several files as one module; a folder stands for all its files.
MODULES = {
    "compare": ("style_rules/parts.js", "style_rules/compare.js"),
    "detail": ("detail.js",),
    "file_detail": ("documents/detail.js",),
    "figures": ("figures.js",),
    "grid": ("grid",),
    "instructions": ("style_rules/parts.js", "style_rules/instructions.js"),
    "line": ("line.js",),
    "meter": ("meter.js",),
    "multi_select": ("multi_select.js",),
    "new_glossary": ("new_glossary.js",),
    "path": ("documents/path.js",),
    "picture": ("picture.js",),
    "row_keys": ("row_keys.js",),
    "rules": ("style_rules/parts.js", "style_rules/rules.js"),
    "try_out": ("tryout.js",),
    "upload": ("upload.js",),
}
State = dict[str, Any]
Heard = Callable[[Any, Any, Any], None]
_numbers = count(1)


def _texts(name: str, suffix: str) -> list[str]:
    """The text of a front-end file, or of all files in a folder sorted by name."""
    path = FRONT / name
    paths = sorted(path.glob(f"*.{suffix}")) if path.is_dir() else [path]
    return [each.read_text("utf-8") for each in paths]


def script() -> str:
    """The front end as one module, in which each of `MODULES` has its own scope."""
    parts = ["const FRONTS = {};"]
    for name, files in MODULES.items():
        text = "\n".join(text for file in files for text in _texts(file, "js"))
        parts.append(f"FRONTS.{name} = (() => {{\n{text.replace('export default', 'return')}\n}})();")
    return "\n".join([*parts, *_texts("root", "js")])


def styles() -> str:
    """The style sheet."""
    return "\n".join(path.read_text("utf-8") for path in sorted(FRONT.rglob("*.css")))


class Layout(HasTraits):
    """The width of a part, and whether it is shown: `display` is "none" if it is hidden."""

    display = Unicode(None, allow_none=True)
    width = Unicode(None, allow_none=True)


class Part(HasTraits):
    """A control of a panel, drawn by the front-end module *front*.

    Traits tagged `sync` are mirrored in the browser, converted by the tags `to_wire` and `from_wire` if present. `send`
    sends the browser messages that are not state, and `on_msg` receives its messages.
    """

    front: ClassVar[str]
    unsaved: ClassVar[tuple[str, ...]] = ()  # traits with user texts
    classes = List(Unicode()).tag(sync=True)

    def __init__(self, *, layout: dict[str, str] | None = None, **traits: Any) -> None:
        self.id = f"p{next(_numbers)}"
        self.root: PanelWidget | None = None
        self._callbacks: list[Heard] = []
        self._held: set[str] | None = None
        self._from_browser: State = {}  # what the browser has just sent
        super().__init__(**traits)
        self.layout = Layout(**(layout or {}))
        self._synced: dict[str, Any] = self.traits(sync=True)
        self.observe(lambda change: self._changed(change.name), list(self._synced))
        self.layout.observe(lambda change: self._changed("layout"))

    def written(self, names: Iterable[str] | None = None) -> State:
        """The state for the browser, all or part of it."""
        return {name: self._wire(name) for name in ((*self._synced, "layout") if names is None else names)}

    def _wire(self, name: str) -> Any:
        if name == "layout":
            return {"display": self.layout.display, "width": self.layout.width}
        value = getattr(self, name)
        written = self._synced[name].metadata.get("to_wire")
        return written(value) if written else value

    def _changed(self, name: str) -> None:
        held, root = self._held, self.root  # another thread may set them in the meantime
        if held is not None:
            held.add(name)
        elif root is not None:
            state = self.written([name])
            if self._from_browser.get(name, self) != state[name]:
                root.tell_state(self, state)

    @contextmanager
    def hold_sync(self) -> Iterator[None]:
        """Send several changes to the browser in one step."""
        if self._held is not None:
            yield
            return
        self._held = set()
        try:
            yield
        finally:
            names, self._held = self._held, None
            if names and self.root is not None:
                state = self.written(sorted(names))
                self.root.tell_state(
                    self, {name: value for name, value in state.items() if self._from_browser.get(name, self) != value}
                )

    def take(self, state: State) -> None:
        """Set the traits that a person has set in the browser; unknown traits and invalid values are ignored."""
        known = {name: value for name, value in state.items() if name in self._synced}
        before, self._from_browser = self._from_browser, known
        try:
            for name, value in known.items():
                with suppress(TraitError):  # no one can have chosen that
                    setattr(self, name, self._read(name, value))
        finally:
            self._from_browser = before

    def _read(self, name: str, value: Any) -> Any:
        read = self._synced[name].metadata.get("from_wire")
        try:
            return read(value) if read else value
        except ValueError as problem:
            raise TraitError(str(problem)) from problem

    def send(self, content: State, buffers: Sequence[bytes] | None = None) -> None:
        """Send the browser a message; it is lost if the part is not shown."""
        if self.root is not None:
            self.root.tell(self, content, buffers)

    def on_msg(self, callback: Heard) -> None:
        """Call *callback* with the part, a message from the browser, and its buffers."""
        self._callbacks.append(callback)

    def heard(self, content: Any, buffers: Any) -> None:
        """Pass on a message from the browser."""
        for callback in self._callbacks:
            callback(self, content, buffers)

    def focus(self) -> None:
        """Move the focus to this part."""
        if self.root is not None:
            self.root.send({"kind": "focus", "part": self.id})

    def pushed(self) -> None:
        """Send a browser that starts to show the part whatever is not saved with it."""
        if self.root is not None:
            self.root.tell_state(self, {name: text for name, text in self.written(self.unsaved).items() if text})

    def add_class(self, name: str) -> Part:
        """Add a CSS class."""
        if name not in self.classes:
            self.classes = [*self.classes, name]
        return self

    def remove_class(self, name: str) -> Part:
        """Remove a CSS class."""
        self.classes = [each for each in self.classes if each != name]
        return self

    def inner(self) -> Iterator[Part]:
        """The part, and everything in it."""
        yield self

    def described(self) -> State:
        """It and everything in it by id: the module that draws it, its state, and the keys that are never saved."""
        return {self.id: [self.front, self.written(), self.unsaved]}

    def close(self) -> None:
        """Stop showing it."""
        self.root = None

    def _repr_mimebundle_(self, **options: Any) -> Any:
        return (self.root or PanelWidget(self))._repr_mimebundle_(**options)

    def _ipython_display_(self) -> None:
        from IPython.display import display

        display((self.root or PanelWidget(self)).shown())  # type: ignore[no-untyped-call]


class PanelWidget(anywidget.AnyWidget):
    """All of *top* as one widget; `account` is shown in a corner, and `kept` says what survives a kernel restart."""

    _esm = script()
    _css = styles()
    tree = AnyTrait().tag(sync=True, to_json=lambda value, widget: widget.snapshot())
    account = Unicode().tag(sync=True)
    kept = Unicode().tag(sync=True)

    def __init__(self, top: Part, *, account: str = "") -> None:
        self._name = uuid4().hex
        self.top = top
        self.parts: dict[str, Part] = {}
        self._lock = threading.RLock()  # for the parts and the count, because workers change parts, too
        self._told = 0  # number of messages sent
        self._in_order: dict[Any, InOrder] = {}  # one for each front end
        self._adopt(top)
        super().__init__(account=account)
        self.on_msg(lambda widget, message, buffers: self.hear(message, buffers))

    def _adopt(self, top: Part) -> list[Part]:
        """Become the root of *top* and everything in it; returns the new parts."""
        new = [part for part in top.inner() if self.parts.get(part.id) is not part]
        for part in new:
            part.root = self
            self.parts[part.id] = part
        return new

    def snapshot(self) -> State:
        """The current state of every part, without user texts."""
        told = self._told  # later messages will be sent again
        parts = self.top.described()
        for _, state, unsaved in parts.values():
            state |= dict.fromkeys(unsaved, "")
        return {"name": self._name, "top": self.top.id, "parts": parts, "told": told}

    def shown(self) -> PanelWidget:
        """The widget, after the browser is sent what is not in the state, above all rows, without having to ask."""
        for part in list(self.parts.values()):
            part.pushed()
        return self

    def tell_state(self, part: Part, state: State) -> None:
        """Tell the browser that *part* has changed, including parts that were added to it or removed."""
        if not state:
            return
        with self._lock:
            state = part.written(state)  # the current state, because the later of two threads may get here first
            message: State = {"kind": "state", "part": part.id, "state": state, "parts": {}, "gone": []}
            if "children" in state:
                new, left = self._adopt(part), {each.id for each in self.top.inner()}
                gone = [name for name in self.parts if name not in left]
                for name in gone:
                    self.parts.pop(name).root = None
                described = part.described()
                state["children"] = described[part.id][1]["children"]
                message["parts"] = {each.id: described[each.id] for each in new if each.id in described}
                message["gone"] = gone
            self._told += 1
            self.send(message)

    def tell(self, part: Part, content: State, buffers: Sequence[bytes] | None = None) -> None:
        """Send a message to *part* in the browser."""
        with self._lock:
            self._told += 1
            self.send({"kind": "custom", "part": part.id, "content": content}, buffers)

    def hear(self, message: State, buffers: Any) -> None:
        """Carry out user actions from the browser, in the order of their numbers."""
        if message.get("kind") == "begin":
            self._begin(int(message["told"]))
            return
        if message.get("kind") == "billed":  # the answer to `tell_billed`
            return
        connection, number = message.get("connection"), int(message["n"])
        actions = self._in_order.setdefault(connection, InOrder())
        if actions.is_done(number):
            self._answer(message)
        with closing(actions.take(number, (message, buffers))) as ready:
            for each in ready:
                self._do(*each)

    def _do(self, message: State, buffers: Any) -> None:
        """Carry out a user action, and answer that it is done, whatever the outcome."""
        part, state = self.parts.get(str(message.get("part"))), message.get("state")
        try:
            if part is not None and state is not None:
                part.take(state)
            elif part is not None:
                part.heard(message.get("content"), buffers)
        finally:
            self._answer(message)

    def _answer(self, message: State) -> None:
        """Answer that it is done, with the current values of what was set, or that the part is gone."""
        part, names = self.parts.get(str(message.get("part"))), message.get("state") or ()
        state = {} if part is None else part.written(name for name in part.trait_names(sync=True) if name in names)
        answer = {name: message.get(name) for name in ("connection", "part", "n")}
        self.send({"kind": "done", **answer, "state": state, "missing": part is None})

    def tell_billed(self) -> None:
        """Make the browser answer, because JupyterLab asks after each request how many characters were billed."""
        self.send({"kind": "billed"})

    def _begin(self, told: int) -> None:
        """Send a front end that has received *told* messages what it is missing: everything, or unsaved texts."""
        if told == self._told:
            for part in [part for part in list(self.parts.values()) if part.unsaved]:
                part.pushed()
            return
        with self._lock:
            self.send({"kind": "state", "part": self.top.id, "state": {}, "parts": self.top.described()})
        self.shown()

    def _send(self, msg: State, buffers: Any = None) -> None:
        """Send it, and make ipykernel forget where, because it would look there for all later answers, too.

        It assumes that a thread belongs to the kernel's last request, which may be in a subshell that has ended. User
        actions would be lost.
        """
        super()._send(msg, buffers)
        if self.comm is not None:
            self.comm.__dict__.pop("_reply_subshell_id", None)

    def close(self) -> None:
        """Close the widget and everything in it."""
        with self._lock:
            for part in self.parts.values():
                part.root = None
            self.parts = {}
        super().close()


class InOrder:
    """The actions of one front end in the order of their numbers, from 1: early ones wait for those before them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._next = 1
        self._early: dict[int, Any] = {}
        self._busy = False

    def is_done(self, number: int) -> bool:
        """Whether it was done before; the front end sends it again if the answer was lost."""
        return number < self._next

    def take(self, number: int, action: Any) -> Generator[Any]:
        """The actions whose turn it is, one after the other. If one raises, later ones wait for the next message."""
        with self._lock:
            if number < self._next or (self._busy and number == self._next):
                return
            self._early[number] = action
            if self._busy:  # another thread, or the one waiting in here, continues
                return
            self._busy = True
        try:
            while (each := self._turn()) is not None:
                try:
                    yield each
                finally:
                    self._next += 1
        except BaseException:
            self._busy = False
            raise

    def _turn(self) -> Any:
        """The action whose turn it is; None ends the work, and the next message starts it again."""
        with self._lock:
            self._busy = self._next in self._early
            return self._early.pop(self._next, None)


# ---- boxes


def _ids(parts: Iterable[Part]) -> list[str]:
    return [part.id for part in parts]


class Box(Part):
    """Parts one after the other."""

    front = "box"
    children = AnyTrait(()).tag(sync=True, to_wire=_ids, from_wire=lambda ids: ())

    def __init__(self, children: Iterable[Part] = (), **traits: Any) -> None:
        super().__init__(children=tuple(children), **traits)

    @validate("children")
    def _as_tuple(self, proposal: Any) -> tuple[Part, ...]:
        return tuple(proposal.value)

    def take(self, state: State) -> None:
        """Ignore the children, because only the kernel changes them."""
        super().take({name: value for name, value in state.items() if name != "children"})

    def inner(self) -> Iterator[Part]:
        """The box, and everything in it."""
        yield self
        for child in self.children:
            yield from child.inner()

    def described(self) -> State:
        """As in all parts; the children it names are included, even if a worker replaces them in the meantime."""
        children = self.children
        found = {self.id: [self.front, self.written() | {"children": _ids(children)}, self.unsaved]}
        for child in children:
            found |= child.described()
        return found

    def close(self) -> None:
        """Stop showing it and everything in it."""
        for child in self.children:
            child.close()
        super().close()


class VBox(Box):
    """Parts one below the other."""

    front = "column"


class HBox(Box):
    """Parts side by side."""

    front = "row"


class Question(VBox):
    """A box that takes the focus when it is shown, and returns it when it goes.

    Escape presses its last button, unless `escapes` is False because that button does more than close the question.
    """

    front = "question"
    escapes = Bool(True).tag(sync=True)


class UndoBox(VBox):
    """A box that receives Ctrl-Z and the like, except while typing in it, as `{"kind": "undo"}` or "redo"."""

    front = "undo_box"


class Tab(Box):
    """Pages with *titles*, one of which is shown."""

    front = "tabs"
    titles = AnyTrait(()).tag(sync=True, to_wire=list, from_wire=tuple)
    selected_index = Int(0, allow_none=True).tag(sync=True)

    @validate("titles")
    def _titles_as_tuple(self, proposal: Any) -> tuple[str, ...]:
        return tuple(proposal.value)


# ---- controls


class Control(Part):
    """A control that a person sets, with its name and a help text."""

    description = Unicode().tag(sync=True)
    tooltip = Unicode(None, allow_none=True).tag(sync=True)
    disabled = Bool(False).tag(sync=True)


class Label(Part):
    """A short text."""

    front = "label"
    value = Unicode().tag(sync=True)

    def __init__(self, value: str = "", **traits: Any) -> None:
        super().__init__(value=value, **traits)


class Button(Control):
    """A button; `button_style` is "primary", "warning", "danger" or nothing."""

    front = "button"
    button_style = Unicode().tag(sync=True)

    def __init__(self, **traits: Any) -> None:
        super().__init__(**traits)
        self._pressed: list[Callable[[Button], Any]] = []
        self.on_msg(lambda part, message, buffers: None if self.disabled else self.click())

    def on_click(self, pressed: Callable[[Button], Any]) -> None:
        """Call *pressed* with the button when it is pressed."""
        self._pressed.append(pressed)

    def click(self) -> None:
        """Do what a click does."""
        for pressed in self._pressed:
            pressed(self)


class ToggleButton(Control):
    """A button that stays pressed until pressed again."""

    front = "toggle"
    value = Bool(False).tag(sync=True)


class Checkbox(Control):
    """A checkbox."""

    front = "checkbox"
    value = Bool(False).tag(sync=True)


class Text(Control):
    """A text field; if `continuous_update` is False, the kernel only gets the finished text.

    Enter calls the callbacks of `on_submit`.
    """

    front = "text"
    unsaved = ("value",)
    value = Unicode().tag(sync=True)
    placeholder = Unicode().tag(sync=True)
    continuous_update = Bool(True).tag(sync=True)
    submits = Bool(False).tag(sync=True)

    def on_submit(self, pressed: Callable[[], Any]) -> None:
        """Call *pressed* when Enter is pressed."""
        self.submits = True
        self.on_msg(lambda part, message, buffers: pressed())


class Textarea(Text):
    """A text field with several lines."""

    front = "textarea"


class DatePicker(Control):
    """A day, or None."""

    front = "date"
    value = AnyTrait(None, allow_none=True).tag(
        sync=True,
        to_wire=lambda day: day.isoformat() if day else "",
        from_wire=lambda text: date.fromisoformat(text) if text else None,
    )


class Selection(Control):
    """One of *options*, each a value or a pair of label and value; None is no option.

    The first one is chosen at the start, unless there are no options yet or another *value* is given. New options also
    choose the first one, unless none was chosen before.
    """

    options = AnyTrait(())
    value = AnyTrait(None, allow_none=True)
    labels = List(Unicode()).tag(sync=True)
    tooltips = List(Unicode()).tag(sync=True)
    index = Int(None, allow_none=True).tag(sync=True)

    def __init__(self, *, options: Iterable[Any] = (), **traits: Any) -> None:
        self._values: list[Any] = []
        chosen = {"value": traits.pop("value")} if "value" in traits else {}
        super().__init__(**traits)
        self.options = options
        self.value = chosen["value"] if chosen else self._values[0] if self._values else None

    def take(self, state: State) -> None:
        """Choose what a person has chosen by its label, because the options may have changed since then."""
        label = state.get("label")
        if label is not None:
            if label not in self.labels:
                return
            at = int(state["index"])
            if self.labels[at : at + 1] != [label]:
                state = state | {"index": self.labels.index(label)}
        super().take(state)

    @property
    def label(self) -> str | None:
        """The label of the chosen option."""
        return None if self.index is None else self.labels[self.index]

    @validate("options")
    def _as_tuple(self, proposal: Any) -> tuple[Any, ...]:
        return tuple(proposal.value)

    @observe("options")
    def _offer(self, change: Any) -> None:
        pairs = [each if isinstance(each, tuple | list) else (str(each), each) for each in change.new]
        with self.hold_sync():
            self._values = [value for _, value in pairs]
            self.labels = [str(label) for label, _ in pairs]
            if self.index is not None:
                self.index = 0 if pairs else None
                self.value = self._values[0] if pairs else None

    @validate("value")
    def _known(self, proposal: Any) -> Any:
        if proposal.value is None or proposal.value in self._values:
            return proposal.value
        raise TraitError(f"expected one of the options, found {proposal.value!r}")

    @observe("value")
    def _follow_value(self, change: Any) -> None:
        self.index = self._values.index(change.new) if change.new in self._values else None

    @validate("index")
    def _in_range(self, proposal: Any) -> Any:
        if proposal.value is None or 0 <= proposal.value < len(self._values):
            return proposal.value
        raise TraitError(f"expected a number below {len(self._values)}, found {proposal.value!r}")

    @observe("index")
    def _follow_index(self, change: Any) -> None:
        self.value = None if change.new is None else self._values[change.new]


class Dropdown(Selection):
    """One of several options, in a drop-down list."""

    front = "select"


class ToggleButtons(Selection):
    """One of a few options, each a button."""

    front = "toggles"
