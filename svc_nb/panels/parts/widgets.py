"""The widgets that panels are made of: lines, fields, buttons, questions, choices, a meter, and a try-out box."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import anywidget
import ipywidgets as widgets
from traitlets import Bool, Dict, Enum, Int, List, Unicode

FRONT = Path(__file__).parent.parent / "front"
GIVEN = object()  # what was given in code and has no name to choose it by
AS_GIVEN = "as given in code"
FORMALITIES = {"prefer_more": "More formal", "prefer_less": "Less formal"}
Heard = Callable[[dict[str, Any]], None]


def joined(folder: str, suffix: str) -> str:
    """The files of a folder of the front end as one, in the order of their names."""
    return "\n".join(path.read_text("utf-8") for path in sorted((FRONT / folder).glob(f"*.{suffix}")))


def row(*children: widgets.Widget) -> widgets.HBox:
    """Fields and buttons side by side, wrapped where there is little room."""
    return classed(widgets.HBox(children, layout={"overflow": "visible"}), "svc-row-of-fields")


def field(widget: widgets.Widget, width: str = "150px") -> widgets.Widget:
    """*widget* with its name above it."""
    widget.layout.width = width
    return classed(widget, "svc-field")


def button(name: str, pressed: Callable[[], Any] | None = None, *, style: str = "", help: str = "") -> widgets.Button:
    """A button that is as wide as its name; *style* is "primary", "warning", … or nothing."""
    made = widgets.Button(description=name, tooltip=help or name, button_style=style, layout={"width": "auto"})
    if pressed is not None:
        made.on_click(lambda _: pressed())
    return made


class Buttons(dict[str, widgets.Button]):
    """The buttons of a panel by name; the panel says what each of them does."""

    def add(self, name: str, text: str, *, style: str = "", help: str = "") -> None:
        """A button that says *text*; *style* is "primary", "warning" or nothing."""
        self[name] = button(text, style=style, help=help)

    def row(self, *names: str) -> widgets.Widget:
        """Some of them side by side."""
        return classed(row(*(self[name] for name in names)), "svc-buttons")

    def show(self, **wanted: bool) -> None:
        """Show those that have something to do, and hide the others."""
        for name, has_something in wanted.items():
            show(self[name], has_something)


def classed(widget: widgets.Widget, *names: str) -> widgets.Widget:
    """*widget* with the classes that its looks come from."""
    for name in names:
        widget.add_class(name)
    return widget


def show(widget: widgets.Widget, wanted: bool) -> None:
    """Show *widget*, or hide it."""
    display = None if wanted else "none"
    if widget.layout.display != display:
        widget.layout.display = display


def is_shown(widget: widgets.Widget) -> bool:
    """Whether *widget* is not hidden."""
    return str(widget.layout.display) != "none"


def close_all(widget: widgets.Widget) -> None:
    """Close *widget* with all that it holds, looks included."""
    for name in ("children", "layout", "style"):
        inner = getattr(widget, name, None)
        for part in inner if isinstance(inner, tuple | list) else (inner,):
            if isinstance(part, widgets.Widget):
                close_all(part)
    widget.close()


class Line(anywidget.AnyWidget):
    """*text* as it is, never markup; `kind` says whether it is an "error", a "change" to come, or plain "info".

    It brings the looks of all panels. `still` is the name of what stands for the panel in a saved notebook.
    """

    _esm = FRONT / "line.js"
    _css = joined("panel", "css")
    text = Unicode().tag(sync=True)
    kind = Enum(("info", "error", "change"), "info").tag(sync=True)
    still = Unicode().tag(sync=True)

    def __init__(self) -> None:
        super().__init__(still=uuid4().hex)

    def say(self, text: str, kind: str = "info") -> None:
        """Show *text* in the place of what stood there, in one step."""
        with self.hold_sync():
            self.text, self.kind = text, kind

    def download(self, name: str, data: bytes, *, kind: str) -> None:
        """Have the browser save *data*, of the MIME type *kind*, as a file called *name*."""
        self.send({"kind": "download", "name": name, "type": kind}, buffers=[data])


class Notice:
    """A question in a panel: a line, *answers* below, and maybe something to look at between; hidden until `ask`."""

    def __init__(self, *answers: widgets.Widget, shown: tuple[widgets.Widget, ...] = ()) -> None:
        self.line, self.answers = Line(), answers
        self.box = classed(widgets.VBox([self.line, *shown, row(*answers)]), "svc-notice")
        self.drop()

    def ask(self, text: str) -> None:
        """Ask *text*."""
        self.line.say(text, "change")
        show(self.box, True)

    def drop(self) -> None:
        """Ask nothing."""
        show(self.box, False)
        self.line.say("")

    @property
    def waits(self) -> bool:
        """Whether it is asked."""
        return is_shown(self.box)


class Meter(anywidget.AnyWidget):
    """`done` and `failed` of `total`; `text` says it in words. `state` is "", "running", "paused" or "ended"."""

    _esm = FRONT / "meter.js"
    name = Unicode().tag(sync=True)
    total = Int(0).tag(sync=True)
    done = Int(0).tag(sync=True)
    failed = Int(0).tag(sync=True)
    text = Unicode().tag(sync=True)
    state = Unicode().tag(sync=True)

    def show(self, *, total: int, done: int, failed: int, text: str, state: str) -> None:
        """Show how it stands, in one step."""
        with self.hold_sync():
            self.total, self.done, self.failed = total, done, failed
            self.text, self.state = text, state


class MessageWidget(anywidget.AnyWidget):
    """Shows what `show` is given; a browser that has nothing yet gets all of it, and says the rest to *heard*."""

    def __init__(self, heard: Heard = lambda message: None, **state: Any) -> None:
        super().__init__(**state)
        self.content: dict[str, Any] = {}
        self._heard = heard
        self.on_msg(lambda widget, message, buffers: self.hear(message))

    def show(self, **content: Any) -> None:
        """Show *content*, values of JSON, in the place of what had these names; the rest stays."""
        changed = {name: value for name, value in content.items() if self.content.get(name, self) != value}
        self.content |= changed
        if changed:
            self.send({"kind": "shown", **changed})

    def hear(self, message: dict[str, Any]) -> None:
        """Answer the browser, or pass on what a person did there."""
        if message.get("kind") == "ready":
            self.send({"kind": "shown", **self.content})
        else:
            self._heard(message)


class TryOutBox(anywidget.AnyWidget):
    """A sentence and a button; `tried` is called with the sentence, and `show` puts the results below it."""

    _esm = FRONT / "tryout.js"
    _css = FRONT / "tryout.css"
    label = Unicode("A sentence to try").tag(sync=True)
    action = Unicode().tag(sync=True)
    busy = Bool(False).tag(sync=True)

    def __init__(self, tried: Callable[[str], None], *, action: str = "Translate") -> None:
        super().__init__(action=action)
        self.text = ""
        self.results: list[tuple[str, str]] = []
        self._tried = tried
        self.on_msg(lambda widget, message, buffers: self.hear(message))

    def write(self, text: str) -> None:
        """Put a sentence into the box, as a person does."""
        self.text = text
        self.show(self.results)

    def show(self, results: Sequence[tuple[str, str]]) -> None:
        """Show *results*, a title and a text each, in the place of those before."""
        self.results = list(results)
        self.send({"kind": "shown", "text": self.text, "results": self.results})

    def hear(self, message: dict[str, Any]) -> None:
        """Answer the browser: with all there is where it has nothing yet, and by trying what was written."""
        if message.get("kind") == "ready":
            self.show(self.results)
        elif message.get("kind") == "try":
            self.text = str(message.get("text", ""))
            self._tried(self.text)


class MultiSelect(anywidget.AnyWidget):
    """Some of many things: those picked stand there with their names, the others are searched for.

    `value` has the keys of what is picked, in the order of picking. `options` are what there is to pick: a key, a title
    and a note for each.
    """

    _esm = FRONT / "multi_select.js"
    _css = FRONT / "multi_select.css"
    name = Unicode().tag(sync=True)
    adds = Unicode("Add …").tag(sync=True)
    options: List[dict[str, str]] = List(Dict()).tag(sync=True)
    value: List[str] = List(Unicode()).tag(sync=True)
    disabled = Bool(False).tag(sync=True)

    def __init__(self, name: str, *, adds: str) -> None:
        super().__init__(name=name, adds=adds)
        self.add_class("svc-picks-field")

    def offer(self, options: Iterable[tuple[str, str, str]], value: Sequence[str]) -> None:
        """Offer what is in *options*, each with key, title and note, with *value* picked, in one step."""
        offered = [{"key": key, "title": title, "note": note} for key, title, note in options]
        known = {each["key"] for each in offered}
        with self.hold_sync():
            if offered != self.options:
                self.options = offered
            self.value = [key for key in value if key in known]


class Checklist(anywidget.AnyWidget):
    """Some of many texts, with a search box; `value` has those that are ticked, and an empty one means all."""

    _esm = FRONT / "checklist.js"
    _css = FRONT / "checklist.css"
    options = List(Unicode()).tag(sync=True)
    value = List(Unicode()).tag(sync=True)
    noun = Unicode("key").tag(sync=True)
    nouns = Unicode("keys").tag(sync=True)
    disabled = Bool(False).tag(sync=True)

    def __init__(self, **looks: Any) -> None:
        super().__init__(**looks)
        self._kept: dict[str, list[str]] = {}

    def turn_to(self, noun: str, nouns: str) -> None:
        """Be about *nouns* from now on, with what was ticked when it was last about them."""
        if noun != self.noun:
            self._kept[self.noun] = list(self.value)
            with self.hold_sync():
                self.noun, self.nouns = noun, nouns
                self.value = self._kept.get(noun, [])
                self.options = list(self.value)

    def offer(self, options: Sequence[str], *, noun: str, nouns: str) -> None:
        """Offer *options* from now on; of what was ticked, that which they lack is dropped."""
        there = set(options)
        with self.hold_sync():
            self.noun, self.nouns = noun, nouns
            self.options = list(options)
            self.value = [name for name in self.value if name in there]


def names_by_id(things: Sequence[Any]) -> dict[Any, str]:
    """Each thing's name by its id; where two have one name, a piece of the id stands with it."""
    names = [thing.name for thing in things]
    return {
        thing.id: thing.name if names.count(thing.name) == 1 else f"{thing.name} ({thing.id[:8]})" for thing in things
    }


def offer(control: widgets.Dropdown, options: list[tuple[str, Any]], chosen: Any) -> None:
    """Give *control* these options, and choose one; nothing is sent where nothing changes."""
    if list(control.options) != options:
        control.options = options  # this chooses the first one
    if control.value != chosen:
        control.value = chosen


def offer_titles(control: widgets.Dropdown, titles: Mapping[Any, str]) -> None:
    """Offer *titles* by value; what was chosen stays if it is among them, and where nothing was, nothing is."""
    options, chosen = [(title, value) for value, title in titles.items()], control.value
    if list(control.options) != options:
        control.options = options
        if chosen in titles:
            control.value = chosen


def offer_choices(control: widgets.Dropdown, titles: Mapping[Any, str], chosen: Any) -> None:
    """Offer *titles* by value with *chosen* chosen, "" for None; what has no title is there as given in code."""
    chosen = "" if chosen is None else chosen
    value = chosen if isinstance(chosen, Hashable) and chosen in titles else GIVEN
    if isinstance(chosen, str) and value is GIVEN:
        value = next((each for each in titles if isinstance(each, str) and each.upper() == chosen.upper()), GIVEN)
    given = [(AS_GIVEN, GIVEN)] if value is GIVEN else []
    offer(control, [*((title, value) for value, title in titles.items()), *given], value)
