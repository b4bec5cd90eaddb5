"""The widgets that panels are made of: lines, fields, buttons, questions, choices, a meter, and a try-out box."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeVar
from uuid import uuid4

from traitlets import Bool, Dict, Enum, Int, List, Unicode

from svc_nb.panels.parts import controls as widgets
from svc_nb.panels.parts.controls import Part

GIVEN = object()  # what was given in code and has no name to choose it by
AS_GIVEN = "as given in code"
FORMALITIES = {"prefer_more": "More formal", "prefer_less": "Less formal"}
Heard = Callable[[dict[str, Any]], None]
Kind = TypeVar("Kind", bound=Part)


def row(*children: Part) -> widgets.HBox:
    """Fields and buttons side by side, wrapped where there is little room."""
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
    """The buttons of a panel by name; the panel says what each of them does."""

    def add(self, name: str, text: str, *, style: str = "", help: str = "") -> None:
        """A button that says *text*; *style* is "primary", "warning" or nothing."""
        self[name] = button(text, style=style, help=help)

    def row(self, *names: str) -> Part:
        """Some of them side by side."""
        return classed(row(*(self[name] for name in names)), "svc-buttons")

    def show(self, **wanted: bool) -> None:
        """Show those that have something to do, and hide the others."""
        for name, has_something in wanted.items():
            show(self[name], has_something)


def classed(widget: Kind, *names: str) -> Kind:
    """*widget* with the classes that its looks come from."""
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
    """*text* as it is, never markup; `kind` says whether it is an "error", a "change" to come, or plain "info".

    It brings the looks of all panels. `still` is the name of what stands for the panel in a saved notebook.
    """

    front = "line"
    text = Unicode().tag(sync=True)
    kind = Enum(("info", "error", "change"), "info").tag(sync=True)
    still = Unicode().tag(sync=True)
    retry = Unicode().tag(sync=True)

    def __init__(self) -> None:
        super().__init__(still=uuid4().hex)

    def say(self, text: str, kind: str = "info", *, retry: str = "") -> None:
        """Show *text* in the place of what stood there, in one step, with a button called *retry* if it has a name."""
        with self.hold_sync():
            self.text, self.kind, self.retry = text, kind, retry

    def on_retry(self, pressed: Callable[[], Any]) -> None:
        """Call *pressed* when that button is pressed."""
        self.on_msg(lambda part, message, buffers: pressed())

    def download(self, name: str, data: bytes, *, kind: str) -> None:
        """Have the browser save *data*, of the MIME type *kind*, as a file called *name*."""
        self.send({"kind": "download", "name": name, "type": kind}, buffers=[data])


class Notice:
    """A question in a panel: a line, *answers* below, and maybe something to look at between; hidden until `ask`.

    Escape gives the last answer, where it only leaves things as they are: *escapes*.
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
        """Ask nothing."""
        show(self.box, False)
        self.line.say("")

    @property
    def waits(self) -> bool:
        """Whether it is asked."""
        return is_shown(self.box)


class Meter(Part):
    """`done` and `failed` of `total`; `text` says it in words. `state` is "", "running", "paused" or how it ended.

    It ends as "done", as "stopped" by a person, as "failed", or with what no translator had "marked".
    """

    front = "meter"
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


class MessageWidget(Part):
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

    def pushed(self) -> None:
        """Tell a browser that begins to show it all there is."""
        self.send({"kind": "shown", **self.content})

    def hear(self, message: dict[str, Any]) -> None:
        """Answer the browser, or pass on what a person did there."""
        if message.get("kind") == "ready":
            self.pushed()
        else:
            self._heard(message)


class TryOutBox(Part):
    """A sentence and a button; `tried` is called with the sentence, and `show` puts the results below it."""

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
        """Put a sentence into the box, as a person does."""
        self.text = text
        self.show(self.results)

    def show(self, results: Sequence[tuple[str, str | Sequence[tuple[str, bool]]]]) -> None:
        """Show *results*, a title and a text each, in the place of those before.

        A text may be in pieces, each with whether it differs from the other result: these are marked.
        """
        self.results = list(results)
        self.send({"kind": "shown", "text": self.text, "results": self.results})

    def hear(self, message: dict[str, Any]) -> None:
        """Answer the browser: with all there is where it has nothing yet, and by trying what was written."""
        if message.get("kind") == "ready":
            self.show(self.results)
        elif message.get("kind") == "try":
            self.text = str(message.get("text", ""))
            self._tried(self.text)


class MultiSelect(Part):
    """Some of many things: those picked stand there with their names, the others are searched for.

    `value` has the keys of what is picked, in the order of picking. `options` are what there is to pick: a key, a title
    and a note for each.
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
        """Offer what is in *options*, each with key, title and note, with *value* picked, in one step."""
        offered = [{"key": key, "title": title, "note": note} for key, title, note in options]
        known = {each["key"] for each in offered}
        with self.hold_sync():
            if offered != self.options:
                self.options = offered
            self.value = [key for key in value if key in known]


class Checklist(MultiSelect):
    """Some of many names, with how many are ticked on its button; where none is, all of them count."""

    counted = Bool(True).tag(sync=True)

    def __init__(self, name: str) -> None:
        super().__init__(name, adds="")
        self._kept: dict[str, list[str]] = {}

    @property
    def names(self) -> list[str]:
        """What there is to tick."""
        return [each["key"] for each in self.options]

    def turn_to(self, name: str) -> None:
        """Be about other things from now on, with what was ticked when it was last about them."""
        if name != self.name:
            self._kept[self.name] = list(self.value)
            ticked = self._kept.get(name, [])
            with self.hold_sync():
                self.name = name
                self.offer_names(ticked, ticked)

    def offer_names(self, names: Sequence[str], ticked: Sequence[str]) -> None:
        """Offer *names* from now on, with those *ticked* that are among them."""
        self.offer([(name, name, "") for name in names], ticked)


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
