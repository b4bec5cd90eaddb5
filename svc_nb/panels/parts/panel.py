"""What all panels share: a box of named widgets, a status line, work in threads, and closing.

The saved view of a panel in a notebook is a separate output below it; its front end hides that output while the panel
is alive on the page.
"""

import asyncio
import base64
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from html import escape
from typing import Any, Self

from svc_nb.engine.billing import PROCESS_BILLED
from svc_nb.errors import ApiError, BadReply, BadRequest, NotFound, Redirected, TimedOut, Unreachable
from svc_nb.panels.parts.controls import Button, PanelWidget, Part
from svc_nb.panels.parts.texts import error_line
from svc_nb.panels.parts.widgets import Line
from svc_nb.panels.parts.worker import Latest, Worker
from svc_nb.session import Session, known

PATIENCE = 20.0
MOST_KEPT = 15  # rows that a saved notebook keeps
NUMBER = re.compile(r"[\d.,%<\s–]*")
SHORT = 24  # characters of a cell that stay on one line
VIEW = "application/vnd.jupyter.widget-view+json"
AGAIN = (ApiError, BadReply, Redirected, TimedOut, Unreachable)  # errors that may not occur the next time
# Without a kernel for the panel, Jupyter writes "Error displaying widget" in its place, and hides the saved view if the
# page had the panel before. These rules show only the saved view. The extension's style sheet has the same rules.
SAVED_VIEW_ALONE = """<style>
.jp-OutputArea-child:has(+ .jp-OutputArea-child .svc-still):not(:has(.svc-panel, .jupyter-widgets > *)) {
  display: none;
}
.jp-OutputArea-child:not(:has(.svc-panel)) + .jp-OutputArea-child:has(.svc-still) { display: flex !important; }
.jp-OutputArea-child:not(:has(.svc-panel)) + .jp-OutputArea-child .svc-still { display: block !important; }
</style>"""


def can_retry(problem: Exception) -> bool:
    """Whether the service may answer differently next time: when reachable, with another key, or with quota left."""
    return isinstance(problem, AGAIN) and not isinstance(problem, BadRequest | NotFound)


class Panel:
    """A panel in a notebook; subclasses fill `box`, and return from `_stays` what a saved notebook keeps.

    Everything a click does is also a public method. `line` shows the status and errors, and `problem` has the error
    with its traceback. Queries to the service, of which only the latest counts, go through `_find`; actions, each of
    which counts, through `_do`; both run in threads, and `wait` waits for them. `widget` is the whole panel.
    """

    box: Part
    _words: Callable[[Exception], str] = staticmethod(error_line)  # how a problem is worded

    def __init__(self) -> None:
        self.line = Line()
        self.problem: Exception | None = None
        self._latest = Latest()
        self._turns = Worker()
        self._workers: list[Worker] = [self._turns, self._latest]  # everything that `wait` waits for
        self._lock = threading.RLock()  # answers arrive in threads, and clicks in another one
        self._held = 0
        self._still: Snapshot | None = None
        self._widget: PanelWidget | None = None
        self._billed = PROCESS_BILLED.characters  # when the host was last informed
        self._again: Callable[[], Any] | None = None  # what failed, and can be retried
        self.line.on_retry(lambda: self._clicked(self.retry))

    @property
    def widget(self) -> PanelWidget:
        """The panel as one widget, for hosts and layouts that need one."""
        if self._widget is None:
            self._widget = PanelWidget(self.box)
            self._tell_host()
        return self._widget

    def retry(self) -> None:
        """Retry what the service could not answer."""
        again, self._again = self._again, None
        if again is None:
            raise ValueError("There is nothing to retry.")
        self._say("Asking the service again …")
        again()

    def wait(self, timeout: float | None = PATIENCE) -> bool:
        """Wait until the service has answered and its answer is shown; False if *timeout* seconds are too short."""
        return all(worker.wait(timeout) for worker in self._workers)

    def close(self) -> None:
        """Close the panel: its widgets go, and its threads end. Requests in progress are finished."""
        for worker in self._workers:
            worker.close(PATIENCE)
        if self._still is not None:
            self._still.close()
        self.box.close()
        if self._widget is not None:
            self._widget.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def _on(self, pressed: Button, action: Callable[..., Any], *rest: Any) -> None:
        """Make a button do *action*; user errors are shown in the line."""
        pressed.on_click(lambda _: self._clicked(action, *rest))

    def _on_each(self, actions: Mapping[Button, Callable[[], Any]]) -> None:
        """Make each button do its action."""
        for pressed, action in actions.items():
            self._on(pressed, action)

    def _clicked(self, action: Callable[..., Any], *rest: Any) -> None:
        """Handle a click, unless the panel itself is setting the control; user errors are shown in the line."""
        with self._lock:
            if self._held:
                return
            try:
                action(*rest)
            except Exception as problem:
                self._tell(problem)
            self._tell_host()

    @contextmanager
    def _quietly(self) -> Iterator[None]:
        """Set several controls as one change; clicks, which arrive in other threads, wait."""
        with self._lock:
            self._held += 1
            try:
                yield
            finally:
                self._held -= 1

    def _find(
        self,
        work: Callable[[], Any],
        then: Callable[[Any], None],
        worker: Latest | None = None,
        *,
        again: Callable[[], Any] | None = None,
    ) -> None:
        """Do *work* in a thread, then call *then* with the result, unless there is a newer query by then. *again*
        retries it; by default, the same *work* is repeated.
        """
        retry = again or (lambda: self._find(work, then, worker))
        (worker or self._latest).ask(work, lambda answer: self._take(answer, then, retry))

    def _do(
        self, work: Callable[[], Any], then: Callable[[Any], None], *, again: Callable[[], Any] | None = None
    ) -> None:
        """Do *work* in a thread, after earlier work, then call *then* with the result; *again* retries it."""
        self._turns.ask(work, lambda answer: self._take(answer, then, again))

    def _take(self, answer: Any, then: Callable[[Any], None], again: Callable[[], Any] | None = None) -> None:
        with self._lock:
            try:
                if isinstance(answer, Exception):
                    self._again = again if can_retry(answer) else None
                    self._failed(answer)
                else:
                    then(answer)
            except Exception as problem:
                self._tell(problem)
            self._settled()

    def _failed(self, problem: Exception) -> None:
        """What to do if work in a thread failed: a panel that shows more than a line adds to this."""
        self._tell(problem)

    def _settled(self) -> None:
        """Update the saved notebook, the account in the corner, and the count of billed characters."""
        self._tell_host()
        if self._widget is not None and PROCESS_BILLED.characters != self._billed:
            self._billed = PROCESS_BILLED.characters
            self._widget.tell_billed()
        if self._still is not None:
            self._still.refresh()

    def _say(self, text: str, kind: str = "info") -> None:
        self.problem = None
        self.line.say(text, kind)

    def _tell(self, problem: Exception) -> None:
        self.problem = problem
        can_help = self._again is not None and can_retry(problem)
        self.line.say(self._words(problem), "error", retry="Retry" if can_help else "")

    @property
    def _session(self) -> Session | None:
        """The session whose account the panel shows."""
        return known()

    @property
    def _survives(self) -> str:
        """What survives a kernel restart, in a sentence; empty if nothing does."""
        return ""

    def _tell_host(self) -> None:
        """Update the account and what survives the kernel in the frame around the panel."""
        if self._widget is not None:
            session = self._session
            self._widget.account = "" if session is None else session.title
            self._widget.kept = self._survives

    def __repr__(self) -> str:
        return f"<{type(self).__name__} panel: {self.line.text}>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """The panel, and what is shown without a kernel."""
        self._ready()
        return {**self._view(), **self._stays()}

    def _display_(self) -> PanelWidget:
        """What marimo displays."""
        return self.widget.shown()

    def _ipython_display_(self) -> None:
        from IPython.display import display

        display(self._view(), raw=True)  # type: ignore[no-untyped-call]
        self.widget.shown()
        self._ready()
        if self._still is not None:
            self._still.close()
        self._still = Snapshot(self._stays)

    def _ready(self) -> None:
        """Wait for the panel's first content, so that a saved notebook has it."""
        self.wait()

    def _view(self) -> dict[str, Any]:
        model = {"version_major": 2, "version_minor": 0, "model_id": self.widget.model_id}
        return {"text/plain": repr(self), VIEW: model}

    def _stays(self) -> dict[str, Any]:
        """What a saved notebook keeps: here only the text of the line."""
        return self._kept()

    def _kept(
        self, heading: Sequence[str] = (), rows: Sequence[Sequence[str]] = (), *, png: bytes = b"", alt: str = ""
    ) -> dict[str, Any]:
        """A picture, the first *rows*, the line and the time for a saved notebook; every text is escaped.

        The picture is only in the HTML, because everything that shows HTML prefers it to a separate picture.
        """
        picture = (
            f"<img alt='{escape(alt, quote=True)}' style='max-width: 100%; width: 900px; background: #fff' "
            f"src='data:image/png;base64,{base64.b64encode(png).decode('ascii')}'>"
        )
        # Notebooks have their own styles for cells: keep numbers right, texts left, and short texts on one line.
        looks = []
        for number, column in enumerate(zip(*rows[:MOST_KEPT], strict=True), start=1):
            side = "right" if all(map(NUMBER.fullmatch, column)) else "left"
            together = "nowrap" if max(map(len, column)) <= SHORT else "normal"
            place = f".svc-still-{self.line.still} tr > :nth-child({number})"
            looks.append(f"{place} {{ text-align: {side} !important; white-space: {together}; }}")
        head = "".join(f"<th>{escape(cell)}</th>" for cell in heading)
        body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows[:MOST_KEPT])
        inner = f"<style>{' '.join(looks)}</style><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        table = f"<div style='overflow-x: auto'>{inner}</div>" if rows else ""
        now = datetime.now().astimezone()
        since = f"Saved view of {now.day} {now:%b %Y, %H:%M}. Run this cell to work with it."
        html = (
            f"{SAVED_VIEW_ALONE}<div class='svc-still svc-still-{self.line.still} tex2jax_ignore mathjax_ignore'>"
            f"<p><em>{since}</em></p>{picture if png else ''}{table}<p>{escape(self.line.text)}</p></div>"
        )
        return {"text/plain": repr(self), "text/html": html}


class Snapshot:
    """The output below the panel; `refresh` updates it a moment later with the MIME bundle from *made*."""

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
        """Update the output to match the panel, from any thread; many changes in a row become one update."""
        if self._loop is not None:
            with suppress(RuntimeError):  # the notebook has ended
                self._loop.call_soon_threadsafe(self._soon)

    def close(self) -> None:
        """Stop updating the output."""
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
