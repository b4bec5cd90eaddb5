"""Every fault, always, now and then, from the middle on, and in a burst: no row is wrong, none is lost, all comes to an
end, and no text is paid more often than it must be."""

import threading
from collections import Counter
from contextlib import closing

import pandas as pd
import pytest

from svc_nb import errors, service, session
from svc_nb.secret import Secret
from svc_nb.settings import Settings
from tests.columns.spoiling import BILLED, HARMLESS, PASSING, SCHEDULES, SLOW, UNREAD, Proxy
from tests.counters import listed, marked
from tests.toy import TRANSLATORS

pytestmark = [pytest.mark.long, pytest.mark.filterwarnings("ignore::svc_nb.errors.Unfinished")]

# Of different lengths in each request: by these an answer to another request is known.
TEXTS = [f"{'long ' * (number % 7 + number // 50)}text number {number}" for number in range(600)]
BOUNDED = 60  # seconds, on a slow machine: each of these runs takes a few at most
# So many texts are sent alone after they were lost twice: a few, to see whether anything is answered again; but where
# others are answered all the while, all of the batch, because one of them may break the answer.
LOOKED_AT_ALONE = 8
LOST_TWICE = len(TEXTS) // 3


@pytest.fixture(scope="module")
def proxy():
    with service.start(memory=True, translators=TRANSLATORS) as running, Proxy(running.port) as proxy:
        proxy.key = running.create_key()
        threading.Thread(target=proxy.serve_forever, args=(0.05,), daemon=True).start()
        yield proxy
        proxy.shutdown()


@pytest.fixture
def through(proxy, tmp_path, kind):
    """A session that reaches the service through the proxy, with answers of its own."""
    before = session.make_current(None)
    waits = {
        "read_timeout": 3 if kind in SLOW else 30,
        "first_wait": 0.01,
        "longest_wait": 0.05,
        "longest_retry_after": 2,
        "give_up_after": 2,
    }
    settings = Settings(api_key=Secret(proxy.key), base_url=proxy.url, store=str(tmp_path / "answers.sqlite"), **waits)
    with closing(session.Session(settings)) as opened:
        session.make_current(opened)
        yield
        session.make_current(before)
        opened.store.close()


def translated():
    """The partial column, and the outcomes of its rows."""
    job = pd.Series(TEXTS).svc.start_translate("DE", source_lang="EN", errors="coerce")
    assert job.wait(BOUNDED), "the run goes on and on"
    try:
        result = listed(job.result())
    except errors.SvcError:
        result = listed(job.partial())
    return result, job


def check_rows(result, job):
    for text, came, status in zip(TEXTS, result, job.table()["status"], strict=True):
        assert (came, status) in [(f"[DE] {text}", "done"), (None, "failed"), (None, "unsent")]


def check_paid(paid, *, thrice):
    """At most twice on average, and each text; *thrice* may be once more, to see whether it is about them."""
    assert sum(paid.values()) <= 2 * len(TEXTS)
    often = Counter(paid.values())
    assert max(often, default=0) <= 3, often
    assert often[3] <= thrice, often


def check_recovery(proxy, done_before):
    """Once all is well, the rest is translated, and what was done is not paid again."""
    proxy.behave()
    result, _ = translated()
    assert result == marked(TEXTS)
    assert not done_before & proxy.paid.keys()
    assert max(proxy.paid.values(), default=0) <= 1


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("kind", [*UNREAD, *BILLED])
def test_no_fault_shifts_or_loses_a_row_or_has_it_paid_again_and_again(proxy, through, kind, schedule):
    proxy.spoil({**UNREAD, **BILLED}[kind], SCHEDULES[schedule])
    result, job = translated()
    check_rows(result, job)
    check_paid(proxy.paid, thrice=LOST_TWICE if schedule in PASSING else LOOKED_AT_ALONE)
    if kind in UNREAD:
        assert max(proxy.paid.values(), default=0) <= 1
    check_recovery(proxy, {text for text, came in zip(TEXTS, result, strict=True) if came})


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("kind", HARMLESS)
def test_what_only_looks_odd_costs_nothing(proxy, through, kind, schedule):
    proxy.spoil(HARMLESS[kind], SCHEDULES[schedule])
    result, job = translated()
    assert result == marked(TEXTS)
    assert set(proxy.paid.values()) == {1}
    assert job.progress.unclear == 0
