"""What all panels share: a box of named widgets, a line that says how things stand, work in threads, and an end.

What stays of a panel in a saved notebook is an output of its own below it; while the panel is alive in the page, its
front end hides that.
"""

import asyncio
import base64
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from html import escape
from typing import Any, Self

import ipywidgets as widgets

from svc_nb.panels.parts.texts import error_line
from svc_nb.panels.parts.widgets import Line, close_all
from svc_nb.panels.parts.worker import Latest, Worker

PATIENCE = 20.0
MOST_KEPT = 15  # rows that a saved notebook keeps
VIEW = "application/vnd.jupyter.widget-view+json"


class Panel:
    """A panel in a notebook; whoever makes one fills `box` and says in `_stays` what a saved notebook keeps of it.

    Whatever a click does, a public method does too. `line` says how things stand; what went wrong is told there, and
    `problem` has it with its traceback. Questions to the service, of which only the latest counts, go through `_find`;
    deeds, each of which counts, through `_do`; both run in threads, and `wait` waits for them.
    """

    box: widgets.Box
    _words: Callable[[Exception], str] = staticmethod(error_line)  # how a problem is told

    def __init__(self) -> None:
        self.line = Line()
        self.problem: Exception | None = None
        self._latest = Latest()
        self._turns = Worker()
        self._workers: list[Worker] = [self._turns, self._latest]  # all that `wait` waits for
        self._lock = threading.RLock()  # answers come in threads, and clicks in another
        self._held = 0
        self._still: Snapshot | None = None

    def wait(self, timeout: float | None = PATIENCE) -> bool:
        """Wait until the service has answered and its answer is shown; False where *timeout* seconds are too few."""
        return all(worker.wait(timeout) for worker in self._workers)

    def close(self) -> None:
        """End the panel: its widgets go, and no thread stays. What was begun on the service is finished."""
        for worker in self._workers:
            worker.close(PATIENCE)
        if self._still is not None:
            self._still.close()
        close_all(self.box)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def _on(self, pressed: widgets.Button, action: Callable[..., Any], *rest: Any) -> None:
        """Have a button do *action*; a slip is told in the line."""
        pressed.on_click(lambda _: self._clicked(action, *rest))

    def _on_each(self, actions: Mapping[widgets.Button, Callable[[], Any]]) -> None:
        """Have each button do its action."""
        for pressed, action in actions.items():
            self._on(pressed, action)

    def _clicked(self, action: Callable[..., Any], *rest: Any) -> None:
        """Do what a click asks for, unless it is the panel itself that sets the control; a slip is told in the line."""
        with self._lock:
            if self._held:
                return
            try:
                action(*rest)
            except Exception as problem:
                self._tell(problem)

    @contextmanager
    def _quietly(self) -> Iterator[None]:
        """Set several controls as one change; clicks, which come in other threads, wait meanwhile."""
        with self._lock:
            self._held += 1
            try:
                yield
            finally:
                self._held -= 1

    def _find(self, work: Callable[[], Any], then: Callable[[Any], None], worker: Latest | None = None) -> None:
        """Do *work* in a thread, then *then* with what came of it, unless something else is looked for by then."""
        (worker or self._latest).ask(work, lambda answer: self._take(answer, then))

    def _do(self, work: Callable[[], Any], then: Callable[[Any], None]) -> None:
        """Do *work* in a thread, after what was asked before, then *then* with what came of it."""
        self._turns.ask(work, lambda answer: self._take(answer, then))

    def _take(self, answer: Any, then: Callable[[Any], None]) -> None:
        with self._lock:
            try:
                if isinstance(answer, Exception):
                    self._failed(answer)
                else:
                    then(answer)
            except Exception as problem:
                self._tell(problem)
            self._settled()

    def _failed(self, problem: Exception) -> None:
        """What to do where work in a thread went wrong: a panel that shows more than a line adds it here."""
        self._tell(problem)

    def _settled(self) -> None:
        """The saved notebook follows what is shown now."""
        if self._still is not None:
            self._still.refresh()

    def _say(self, text: str, kind: str = "info") -> None:
        self.problem = None
        self.line.say(text, kind)

    def _tell(self, problem: Exception) -> None:
        self.problem = problem
        self.line.say(self._words(problem), "error")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} panel: {self.line.text}>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """The panel, and beside it what shows where no kernel is."""
        self._ready()
        return {**self._view(), **self._stays()}

    def _ipython_display_(self) -> None:
        from IPython.display import display

        self._ready()
        display(self._view(), raw=True)  # type: ignore[no-untyped-call]
        if self._still is not None:
            self._still.close()
        self._still = Snapshot(self._stays)

    def _ready(self) -> None:
        """Wait for what the panel shows first, so that it is shown whole."""
        self.wait()

    def _view(self) -> dict[str, Any]:
        model = {"version_major": 2, "version_minor": 0, "model_id": self.box.model_id}
        return {"text/plain": repr(self), VIEW: model}

    def _stays(self) -> dict[str, Any]:
        """What a saved notebook keeps: here no more than what the line says."""
        return self._kept()

    def _kept(
        self, heading: Sequence[str] = (), rows: Sequence[Sequence[str]] = (), *, png: bytes = b"", alt: str = ""
    ) -> dict[str, Any]:
        """A picture, the first *rows* and the line as a saved notebook keeps them; every text is escaped."""
        picture = base64.b64encode(png).decode("ascii")
        shown = (
            f"<img alt='{escape(alt, quote=True)}' style='max-width: 100%; width: 900px; background: #fff' "
            f"src='data:image/png;base64,{picture}'>"
        )
        head = "".join(f"<th style='text-align: left'>{escape(cell)}</th>" for cell in heading)
        body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows[:MOST_KEPT])
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" if rows else ""
        html = (
            f"<div class='svc-still svc-still-{self.line.still} tex2jax_ignore mathjax_ignore'>"
            f"{shown if png else ''}{table}<p>{escape(self.line.text)}</p></div>"
        )
        return {"text/plain": repr(self), **({"image/png": picture} if png else {}), "text/html": html}


class Snapshot:
    """The output below the panel; `refresh` has it made anew by *made*, a MIME bundle, a moment later."""

    PAUSE = 1.0

    def __init__(self, made: Callable[[], dict[str, Any]]) -> None:
        from IPython.display import display

        self._made = made
        try:
            self._loop: asyncio.AbstractEventLoop | None = asyncio.get_running_loop()
        except RuntimeError:
            self._loop = None
        self._later: Any = None
        self._handle = display(made(), raw=True, display_id=True)  # type: ignore[no-untyped-call]

    def refresh(self) -> None:
        """Have the output follow the panel, from any thread; many changes in a row are one."""
        if self._loop is not None:
            with suppress(RuntimeError):  # the notebook has ended
                self._loop.call_soon_threadsafe(self._soon)

    def close(self) -> None:
        """Leave the output as it is from now on."""
        self._handle = None

    def _soon(self) -> None:
        if self._later is not None:
            self._later.cancel()
        if self._loop is not None:
            self._later = self._loop.call_later(self.PAUSE, self._update)

    def _update(self) -> None:
        self._later = None
        if self._handle is not None:
            self._handle.update(self._made(), raw=True)
