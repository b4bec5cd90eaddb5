"""The functions that the JupyterLab extension calls in a kernel: each returns JSON, never with a key in it.

Functions that must answer at once do not contact the service; the others wait only a moment for it, so that the user's
cells never wait long for the sidebar.
"""

import copy
import hmac
import itertools
import json
import threading
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import wraps
from typing import Any, ParamSpec, TypeVar
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from svc_nb.engine.billing import PROCESS_BILLED
from svc_nb.engine.skip_rules import SAME_LANGUAGE
from svc_nb.errors import SvcError, UnknownLanguage, one_line
from svc_nb.language_codes import name_of, normal, target_code
from svc_nb.panels.parts.texts import error_line
from svc_nb.session import Session, current, known
from svc_nb.session import connect as connect_session
from svc_nb.settings import DEFAULT_PROFILE, Settings
from svc_nb.tabular.report import plural
from svc_nb.wire.languages import listed
from svc_nb.wire.models import Usage

MOMENT = 1.0  # seconds that the kernel may be held for the sidebar
PANELS = {"usage": "Usage", "glossary": "Glossary", "style": "StyleRules", "documents": "Documents"}

P = ParamSpec("P")
T = TypeVar("T")
Answer = dict[str, Any]

# ---- at once


def _answered(question: Callable[P, Answer]) -> Callable[P, str]:
    """Return the answer as JSON; an error is one line under "error"."""

    @wraps(question)
    def answer(*args: P.args, **kwargs: P.kwargs) -> str:
        try:
            return json.dumps(question(*args, **kwargs))
        except Exception as problem:
            return json.dumps({"error": _advice_first(problem)})

    return answer


def _advice_first(problem: Exception) -> str:
    """*problem* in a line whose end may be cut off, so only the trace comes after the advice."""
    trace = problem.trace_id if isinstance(problem, SvcError) else None
    if trace:
        problem = copy.copy(problem)
        problem.trace_id = None  # type: ignore[attr-defined]
    return error_line(problem) + (f" (trace {trace})" if trace else "")


@_answered
def status() -> Answer:
    """Whether there is a session, with which service, and what all runs of this process were billed."""
    return _status(known())


@_answered
def connect() -> Answer:
    """Connect with the current settings, or to the embedded service, unless there is a session; returns the status."""
    return _status(known() or connect_session())


def _status(session: Session | None) -> Answer:
    found: Answer = {"connected": session is not None, "characters": PROCESS_BILLED.characters}
    if session is not None:
        found |= {
            "session": _number(session),
            "embedded": session.service is not None,
            "title": session.title,
            "address": session.base_url,
        }
    return found


def _number(session: Session) -> int:
    """The number of a session in this process, so that answers for one are not shown for another."""
    with _lock:
        return _numbers.setdefault(session, next(_count))


_lock = threading.Lock()
_numbers: WeakKeyDictionary[Session, int] = WeakKeyDictionary()
_count = itertools.count(1)


# ---- with the service


@_answered
def account() -> Answer:
    """The quota left, and the glossaries; {"asking": true} if the service takes longer than a moment.

    The next call then has the answer.
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


_asked: dict[Session, Future[Answer]] = {}


def in_thread(question: Callable[[], T]) -> Future[T]:
    """The future answer to *question*; a thread that still waits does not delay the end of the process."""
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
        "session": _number(session),
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
    """The usage of the tightest limit, the key's own or the plan's; a limit of null is unlimited."""
    of, used, limit = usage.nearest_limit()
    until = usage.end_time.isoformat() if usage.end_time else None
    return {"of": of, "used": used, "limit": limit, "until": until}


# ---- user actions


@_answered
def translate_cell(source: str, kind: str, target: str) -> Answer:
    """Translate the source of a cell into a language, given by code or name; returns the text, its cost, and notes.

    In a code cell ("code") the comments and docstrings are translated, in a Markdown cell ("markdown") the prose. A
    text without a translator stays as it is and, if its language is known, is not sent. If nothing could be translated,
    "untranslated" is true; "already" is whether the text is in the language.
    """
    from svc_nb.columns import last_run
    from svc_nb.notebooks import translate_source

    session = current()
    code = _target(target)
    with _noting() as notes, closing(Session(replace(session.settings, strict=True), session.service)) as strict:
        strict.store = session.store
        done = translate_source(source, code, kind=kind, session=strict, errors="coerce")
    untranslated = len(done.left) > 0 and done.text == source
    reasons = dict.fromkeys(done.left["reason"])
    lacking = [reason.removeprefix(LACKING).split(" → ") for reason in reasons if reason.startswith(LACKING)]
    if lacking:
        pairs = "; ".join(" → ".join(map(name_of, pair)) for pair in lacking)
        notes.append(f"{'Not' if untranslated else 'Only partly'} translated: no translator for {pairs}.")
    others = done.left[~done.left["reason"].str.startswith(LACKING)]
    if len(others):
        said = plural(len(others), "text was left unchanged", "texts were left unchanged")
        notes.append(f"{said}: {others['reason'].iloc[0]}.")
    return {
        "text": done.text,
        "target": code,
        "characters": done.billed_characters,
        "untranslated": untranslated,
        "already": bool(done.segments) and SAME_LANGUAGE in set(last_run().table()["reason"]),
        "notes": [one_line(note) for note in notes],
    }


LACKING = "failed: NOT TRANSLATED: no translator for "


def _target(written: str) -> str:
    """The code of a language named in the settings or a menu."""
    from svc_nb.notebooks.run import language_code

    try:
        return language_code(written)
    except UnknownLanguage as problem:
        code = target_code(written)
        unknown = f"The service does not translate into {name_of(code)}" if code else f"Unknown language “{written}”"
        meant = f" {problem.advice}" if problem.meant else ""
        raise ValueError(f"{unknown}.{meant} Change it in Settings › Translation.") from None


@contextmanager
def _noting() -> Iterator[list[str]]:
    """Collect warnings of this thread; those of other threads are shown as usual, because the filters are shared."""
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
    """The languages that the service translates into, including beta ones, by code."""
    client = current().client
    known = listed(client)
    targets = known.targets if known else {normal(each.language): each.name for each in client.languages.target()}
    return {"languages": [{"code": code, "name": targets[code]} for code in sorted(targets)]}


# ---- panels in tabs


@_answered
def whose(tab: str) -> Answer:
    """Which account the panel of *tab* shows or, if this kernel has no such panel, would show now.

    "account" is the same for the same account, even in other kernels, "name" is for people and "short" for a tab; none
    contains the key. "connected" is whether there is a session, which would then be used.
    """
    session = known()
    settings = Settings.load() if session is None else session.settings
    service = None if session is None else session.service
    if settings.address is None or service is not None:
        is_sample = session is not None and session.has_sample
        account = name = "the embedded service" + (" with the sample" if is_sample else "")
        short = "sample" if is_sample else "embedded"
    else:
        profile = "" if settings.profile == DEFAULT_PROFILE else f" (profile {settings.profile})"
        account, name = f"{settings.address} {_key_mark(settings)}", urlsplit(settings.address).netloc + profile
        short = settings.profile if profile else name
    found = {"account": account, "name": name, "short": short}
    return {**found, "connected": session is not None, "shown": tab in _shown}


def _key_mark(settings: Settings) -> str:
    """Eight digits that distinguish keys, but are too few to recover a key."""
    key = settings.api_key or settings.admin_key
    return "" if key is None else hmac.digest(key.reveal().encode(), b"svc_nb tab", "sha256").hex()[:8]


def show(panel: str, tab: str, glossary_id: str = "", page: str = "", draft: str = "") -> None:
    """Display one of `PANELS`, as the output of the request that made this call.

    A panel already shown in *tab* by this kernel is shown again in its current state, including unsaved changes. A
    kernel without it opens it at *page*, a number, and restores *draft*, which is from `unsent`.
    """
    from IPython.display import display

    from svc_nb import panels

    made = getattr(panels, PANELS[panel])
    if tab not in _shown:
        shown = _shown[tab] = made(glossary_id) if glossary_id else made()
        if page.isdecimal() and isinstance(shown, panels.Usage):
            shown.tabs.selected_index = int(page)
        if draft and isinstance(shown, panels.Usage):
            shown.caps.resume(**json.loads(draft))
    display(_shown[tab])  # type: ignore[no-untyped-call]


@_answered
def unsent(tab: str) -> Answer:
    """The unsent edits of the panel of *tab* that are kept nowhere else: in words, and for `show`."""
    caps = getattr(_shown.get(tab), "caps", None)
    count = 0 if caps is None else caps.count
    words = f"{plural(count, 'cap')} {'has' if count == 1 else 'have'} not been sent." if count else ""
    if caps is None or not count:
        return {"unsent": "", "draft": ""}
    names = {key_id: caps.names[key_id] for key_id in caps.draft if key_id in caps.names}
    return {"unsent": words, "draft": json.dumps({"draft": caps.draft, "names": names})}


@_answered
def close(tab: str) -> Answer:
    """Close the panel of a closed *tab*; requests in progress are finished in the background."""
    panel = _shown.pop(tab, None)
    if panel is not None:
        in_thread(panel.close)
    return {"closed": panel is not None}


_shown: dict[str, Any] = {}
