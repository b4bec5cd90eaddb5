"""What the JupyterLab extension asks a kernel: every answer is a JSON text, and no key is in any of them.

A question that should be answered at once asks nobody else; one that needs the service waits for a moment at most, so
that a cell of the person in front of it never waits long for the sidebar.
"""

import json
import threading
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from svc_nb.engine.billing import PROCESS_BILLED
from svc_nb.errors import one_line
from svc_nb.panels.parts.texts import error_line
from svc_nb.session import Session, current, known
from svc_nb.session import connect as connect_session
from svc_nb.wire.models import Usage

MOMENT = 1.0  # seconds that the kernel may be held for the sidebar
PANELS = {"usage": "Usage", "glossary": "Glossary", "style": "StyleRules"}

P = ParamSpec("P")
T = TypeVar("T")
Answer = dict[str, Any]

# ---- at once


def _answered(question: Callable[P, Answer]) -> Callable[P, str]:
    """The answer as JSON; what went wrong is one line under "error"."""

    @wraps(question)
    def answer(*args: P.args, **kwargs: P.kwargs) -> str:
        try:
            return json.dumps(question(*args, **kwargs))
        except Exception as problem:
            return json.dumps({"error": error_line(problem)})

    return answer


@_answered
def status() -> Answer:
    """Whether there is a session and with what service, and what all runs of this process were billed."""
    return _status(known())


@_answered
def connect() -> Answer:
    """Connect with the settings that are there, or with the embedded service, unless there is a session; its status."""
    return _status(known() or connect_session())


def _status(session: Session | None) -> Answer:
    found: Answer = {"connected": session is not None, "characters": PROCESS_BILLED.characters}
    if session is not None:
        found |= {"embedded": session.service is not None, "address": session.base_url}
    return found


# ---- with the service


@_answered
def account() -> Answer:
    """What is left of the quota, and the glossaries; {"asking": true} where the service takes longer than a moment.

    Then the next call has its answer.
    """
    session = known()
    if session is None:
        return {}
    with _lock:
        future = _asked.get(session) or _asked.setdefault(session, in_thread(lambda: _account(session)))
    if not wait([future], MOMENT).done:
        return {"asking": True}
    with _lock:
        _asked.pop(session, None)
    return future.result()


_lock = threading.Lock()
_asked: dict[Session, Future[Answer]] = {}


def in_thread(question: Callable[[], T]) -> Future[T]:
    """The answer to *question*, as it comes; a thread that still waits does not hold up the end of the process."""
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(question())
        except BaseException as problem:
            future.set_exception(problem)

    threading.Thread(target=run, name="svc_nb lab", daemon=True).start()
    return future


def _account(session: Session) -> Answer:
    client = session.client
    return {
        "quota": quota(client.account.usage()),
        "glossaries": [
            {
                "id": each.glossary_id,
                "name": each.name,
                "pairs": [[one.source_lang, one.target_lang] for one in each.dictionaries],
                "terms": sum(one.entry_count for one in each.dictionaries),
            }
            for each in client.glossaries.list()
        ],
    }


def quota(usage: Usage) -> Answer:
    """What was used of the limit that is nearest: the key's own, or the plan's; a limit of null is none."""
    of, used, limit = usage.nearest_limit()
    until = usage.end_time.isoformat() if usage.end_time else None
    return {"of": of, "used": used, "limit": limit, "until": until}


# ---- what a person asks for


@_answered
def translate_cell(source: str, kind: str, target: str) -> Answer:
    """The source of a cell in another language, what it cost, and notes on what was not as asked.

    Of a code cell ("code") the comments and docstrings are translated, of one with Markdown ("markdown") the prose.
    """
    from svc_nb.notebooks import translate_source

    with _noting() as notes:
        done = translate_source(source, target, kind=kind)
    if done.marked and not any("NOT TRANSLATED" in note for note in notes):
        notes.append(done.said)
    if len(done.left):
        notes.append(done.left.said)
    return {"text": done.text, "characters": done.billed_characters, "notes": [one_line(note) for note in notes]}


@contextmanager
def _noting() -> Iterator[list[str]]:
    """Collect what is warned of; in other threads it goes where it always goes, since the filters are everybody's."""
    notes: list[str] = []
    if threading.current_thread() is not threading.main_thread():
        yield notes
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield notes
    notes += dict.fromkeys(str(each.message) for each in caught)


@_answered
def languages() -> Answer:
    """The languages that the service translates into."""
    return {"languages": sorted(each.language for each in current().client.languages.target())}


def show(panel: str, glossary_id: str | None = None) -> None:
    """Display one of `PANELS`, as the output of the request that this call came with."""
    from IPython.display import display

    from svc_nb import panels

    made = getattr(panels, PANELS[panel])
    display(made() if glossary_id is None else made(glossary_id))  # type: ignore[no-untyped-call]
