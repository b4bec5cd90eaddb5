"""The widgets that panels are made of: lines, fields, buttons, questions, choices, a meter, and a try-out box."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeVar
from uuid import uuid4

from traitlets import Bool, Dict, Enum, Int, List, Unicode

from svc_nb.panels.parts import controls as widgets
from svc_nb.panels.parts.controls import Part

GIVEN = object()  # a value given in code that is not among the choices
AS_GIVEN = "as given in code"
FORMALITIES = {"prefer_more": "More formal", "prefer_less": "Less formal"}
Heard = Callable[[dict[str, Any]], None]
Kind = TypeVar("Kind", bound=Part)


def row(*children: Part) -> widgets.HBox:
    """Fields and buttons side by side, wrapped if there is little room."""
    return classed(widgets.HBox(children), "svc-row-of-fields")


def field(widget: Kind, width: str = "150px") -> Kind:
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
    """The buttons of a panel by name; the panel decides what each of them does."""

    def add(self, name: str, text: str, *, style: str = "", help: str = "") -> None:
        """A button labelled *text*; *style* is "primary", "warning" or nothing."""
        self[name] = button(text, style=style, help=help)

    def row(self, *names: str) -> Part:
        """Some of them side by side."""
        return classed(row(*(self[name] for name in names)), "svc-buttons")

    def show(self, **wanted: bool) -> None:
        """Show the buttons that can be used, and hide the others."""
        for name, has_something in wanted.items():
            show(self[name], has_something)


def classed(widget: Kind, *names: str) -> Kind:
    """*widget* with these CSS classes."""
    for name in names:
        widget.add_class(name)
    return widget


def show(widget: Part, wanted: bool) -> None:
    """Show *widget*, or hide it."""
    display = None if wanted else "none"
    if widget.layout.display != display:
        widget.layout.display = display


def is_shown(widget: Part) -> bool:
    """Whether *widget* is not hidden."""
    return widget.layout.display != "none"


class Line(Part):
    """*text* as plain text, never markup; `kind` is "error", "change" for a pending change, or "info".

    It brings the style sheet of all panels. `still` is the name of the panel's saved view in a notebook.
    """

    front = "line"
    text = Unicode().tag(sync=True)
    kind = Enum(("info", "error", "change"), "info").tag(sync=True)
    still = Unicode().tag(sync=True)
    retry = Unicode().tag(sync=True)

    def __init__(self) -> None:
        super().__init__(still=uuid4().hex)

    def say(self, text: str, kind: str = "info", *, retry: str = "") -> None:
        """Replace the text with *text*, in one step, with a button labelled *retry* if that is not empty."""
        with self.hold_sync():
            self.text, self.kind, self.retry = text, kind, retry

    def on_retry(self, pressed: Callable[[], Any]) -> None:
        """Call *pressed* when that button is pressed."""
        self.on_msg(lambda part, message, buffers: pressed())

    def download(self, name: str, data: bytes, *, kind: str) -> None:
        """Have the browser save *data*, of the MIME type *kind*, as a file called *name*."""
        self.send({"kind": "download", "name": name, "type": kind}, buffers=[data])


class Notice:
    """A question in a panel: a line, *answers* below, and optional content between; hidden until `ask`. Escape presses
    the last answer if *escapes*, for answers that change nothing.
    """

    def __init__(self, *answers: widgets.Button, shown: tuple[Part, ...] = (), escapes: bool = True) -> None:
        self.line, self.answers = Line(), answers
        self.box = classed(widgets.Question([self.line, *shown, row(*answers)], escapes=escapes), "svc-notice")
        self.drop()

    def ask(self, text: str) -> None:
        """Ask *text*."""
        self.line.say(text, "change")
        show(self.box, True)

    def drop(self) -> None:
        """Close the question."""
        show(self.box, False)
        self.line.say("")

    @property
    def waits(self) -> bool:
        """Whether the question is open."""
        return is_shown(self.box)


class Meter(Part):
    """`done` and `failed` of `total`; `text` says it in words. `state` is "", "running", "paused" or the outcome:
    "done", "stopped" by a person, "failed", or "marked" if texts were not translated.
    """

    front = "meter"
    name = Unicode().tag(sync=True)
    total = Int(0).tag(sync=True)
    done = Int(0).tag(sync=True)
    failed = Int(0).tag(sync=True)
    text = Unicode().tag(sync=True)
    state = Unicode().tag(sync=True)

    def show(self, *, total: int, done: int, failed: int, text: str, state: str) -> None:
        """Show the progress, in one step."""
        with self.hold_sync():
            self.total, self.done, self.failed = total, done, failed
            self.text, self.state = text, state


class MessageWidget(Part):
    """Shows the content given to `show`; a new browser gets all of it, and other messages go to *heard*."""

    def __init__(self, heard: Heard = lambda message: None, **state: Any) -> None:
        super().__init__(**state)
        self.content: dict[str, Any] = {}
        self._heard = heard
        self.on_msg(lambda widget, message, buffers: self.hear(message))

    def show(self, **content: Any) -> None:
        """Replace the values named in *content*, which are JSON values; the rest stays."""
        changed = {name: value for name, value in content.items() if self.content.get(name, self) != value}
        self.content |= changed
        if changed:
            self.send({"kind": "shown", **changed})

    def pushed(self) -> None:
        """Send all content to a browser that starts to show it."""
        self.send({"kind": "shown", **self.content})

    def hear(self, message: dict[str, Any]) -> None:
        """Answer the browser, or pass on a user action."""
        if message.get("kind") == "ready":
            self.pushed()
        else:
            self._heard(message)


class TryOutBox(Part):
    """A field for a sentence and a button; `tried` is called with the sentence, and `show` shows the results below."""

    front = "try_out"
    label = Unicode("A sentence to try").tag(sync=True)
    action = Unicode().tag(sync=True)
    busy = Bool(False).tag(sync=True)

    def __init__(self, tried: Callable[[str], None], *, action: str = "Translate") -> None:
        super().__init__(action=action)
        self.text = ""
        self.results: list[tuple[str, Any]] = []
        self._tried = tried
        self.on_msg(lambda widget, message, buffers: self.hear(message))

    def write(self, text: str) -> None:
        """Enter a sentence, as a person does."""
        self.text = text
        self.show(self.results)

    def show(self, results: Sequence[tuple[str, str | Sequence[tuple[str, bool]]]]) -> None:
        """Show *results*, a title and a text each, replacing earlier ones.

        A text may be in pieces, each with whether it differs from the other result; differences are marked.
        """
        self.results = list(results)
        self.send({"kind": "shown", "text": self.text, "results": self.results})

    def hear(self, message: dict[str, Any]) -> None:
        """Answer the browser: send all content if it has none yet, or try the sentence entered."""
        if message.get("kind") == "ready":
            self.show(self.results)
        elif message.get("kind") == "try":
            self.text = str(message.get("text", ""))
            self._tried(self.text)


class MultiSelect(Part):
    """A choice of some of many things: those picked are shown by name, the others can be searched.

    `value` has the keys of the picked options, in the order of picking. `options` has a key, a title and a note each.
    """

    front = "multi_select"
    name = Unicode().tag(sync=True)
    adds = Unicode("Add …").tag(sync=True)
    options: List[dict[str, str]] = List(Dict()).tag(sync=True)
    value: List[str] = List(Unicode()).tag(sync=True)
    counted = Bool(False).tag(sync=True)
    disabled = Bool(False).tag(sync=True)

    def __init__(self, name: str, *, adds: str) -> None:
        super().__init__(name=name, adds=adds)
        self.add_class("svc-picks-field")

    def offer(self, options: Iterable[tuple[str, str, str]], value: Sequence[str]) -> None:
        """Offer *options*, each with key, title and note, with *value* picked, in one step."""
        offered = [{"key": key, "title": title, "note": note} for key, title, note in options]
        known = {each["key"] for each in offered}
        with self.hold_sync():
            if offered != self.options:
                self.options = offered
            self.value = [key for key in value if key in known]


class Checklist(MultiSelect):
    """A choice of some of many names, with the number ticked on its button; if none is ticked, all of them count."""

    counted = Bool(True).tag(sync=True)

    def __init__(self, name: str) -> None:
        super().__init__(name, adds="")
        self._kept: dict[str, list[str]] = {}

    @property
    def names(self) -> list[str]:
        """The names to tick."""
        return [each["key"] for each in self.options]

    def turn_to(self, name: str) -> None:
        """Switch to other things, with those ticked that were when it last showed them."""
        if name != self.name:
            self._kept[self.name] = list(self.value)
            ticked = self._kept.get(name, [])
            with self.hold_sync():
                self.name = name
                self.offer_names(ticked, ticked)

    def offer_names(self, names: Sequence[str], ticked: Sequence[str]) -> None:
        """Offer *names*, with those *ticked* that are among them."""
        self.offer([(name, name, "") for name in names], ticked)


def names_by_id(things: Sequence[Any]) -> dict[Any, str]:
    """Each thing's name by its id; with a piece of the id if names are duplicated."""
    names = [thing.name for thing in things]
    return {
        thing.id: thing.name if names.count(thing.name) == 1 else f"{thing.name} ({thing.id[:8]})" for thing in things
    }


def offer(control: widgets.Dropdown, options: list[tuple[str, Any]], chosen: Any) -> None:
    """Give *control* these options, and choose one; sends nothing if nothing changes."""
    if list(control.options) != options:
        control.options = options  # this chooses the first one
    if control.value != chosen:
        control.value = chosen


def offer_titles(control: widgets.Dropdown, titles: Mapping[Any, str]) -> None:
    """Offer *titles* by value; the current choice, or no choice, stays if possible."""
    options, chosen = [(title, value) for value, title in titles.items()], control.value
    if list(control.options) != options:
        control.options = options
        if chosen in titles:
            control.value = chosen


def offer_choices(control: widgets.Dropdown, titles: Mapping[Any, str], chosen: Any) -> None:
    """Offer *titles* by value with *chosen* chosen, "" for None; a value without a title is "as given in code"."""
    chosen = "" if chosen is None else chosen
    value = chosen if isinstance(chosen, Hashable) and chosen in titles else GIVEN
    if isinstance(chosen, str) and value is GIVEN:
        value = next((each for each in titles if isinstance(each, str) and each.upper() == chosen.upper()), GIVEN)
    given = [(AS_GIVEN, GIVEN)] if value is GIVEN else []
    offer(control, [*((title, value) for value, title in titles.items()), *given], value)
