"""The ledger: what runs were billed is known to the character, whatever happens to the process that pays."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb import errors
from svc_nb.engine.billing import PROCESS_BILLED, Bill, Context
from svc_nb.engine.gate import Gate
from svc_nb.engine.outcome import TextAnswer
from svc_nb.engine.store import Store, StoredAnswer
from tests.engine.scripted import QUICK, Full, Scripted, request_kind, run

# The file as svc_nb 0.1 made it; it must not follow the code.
VERSION_1 = """
CREATE TABLE runs (
    id INTEGER PRIMARY KEY, owner TEXT NOT NULL, name TEXT NOT NULL, at REAL NOT NULL, UNIQUE (owner, name)
);
CREATE TABLE claims (id INTEGER PRIMARY KEY, run INTEGER NOT NULL, held INTEGER NOT NULL, keys BLOB NOT NULL);
CREATE TABLE answers (
    id INTEGER PRIMARY KEY,
    key BLOB NOT NULL UNIQUE,
    made REAL NOT NULL,
    operation TEXT NOT NULL,
    service TEXT NOT NULL,
    source_lang TEXT,
    target_lang TEXT COLLATE NOCASE,
    billed INTEGER,
    answer BLOB NOT NULL,
    source TEXT NOT NULL
);
PRAGMA application_id = 0x53564E42;
PRAGMA user_version = 1;
"""
# What versions 2 and 3 made of it, with answers and runs in it.
VERSION_3 = """
CREATE TABLE ledger (
    day TEXT NOT NULL, run TEXT NOT NULL, operation TEXT NOT NULL, target_lang TEXT NOT NULL, started REAL NOT NULL,
    notebook TEXT, columns TEXT, tag TEXT, api_key TEXT, service TEXT NOT NULL, requests INTEGER NOT NULL,
    billed INTEGER NOT NULL, unclear INTEGER NOT NULL, open INTEGER NOT NULL,
    PRIMARY KEY (day, run, operation, target_lang)
) WITHOUT ROWID;
ALTER TABLE ledger ADD COLUMN marked INTEGER NOT NULL DEFAULT 0;
INSERT INTO answers (key, made, operation, service, target_lang, billed, answer, source) VALUES
(x'01', 1.0, 'translate', 's', 'DE', 7, '{"text":"alt","billed":7}', 'old'),
(x'02', 2.0, 'translate', 's', 'de', 5, '{"text":"neu","billed":5}', 'new'),
(x'03', 3.0, 'detect', 's', NULL, NULL, '{"language":"EN"}', 'old');
INSERT INTO ledger VALUES
('2026-10-01', 'a', 'translate', 'DE', 1.0, 'a.ipynb', NULL, NULL, '1***2', 's', 2, 30, 4, 5, 1),
('2026-10-01', 'b', 'translate', 'DE', 2.0, 'a.ipynb', NULL, NULL, '1***2', 's', 1, 10, 0, 0, 0),
('2026-10-01', 'c', 'translate', 'FR', 3.0, NULL, 'body', 't', NULL, 's', 1, 1, 0, 0, 0),
('2026-10-02', 'c', 'translate', 'FR', 3.0, NULL, 'body', 't', NULL, 's', 1, 2, 0, 0, 0);
PRAGMA user_version = 3;
"""
KIND = request_kind(None)
TEXTS = [f"text number {number}" for number in range(400)]
LENGTH = sum(map(len, TEXTS))


class Clock:
    """Says the time that it was set to."""

    def __init__(self, text):
        self.set(text)

    def set(self, text):
        self.now = datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()

    def __call__(self):
        return self.now


@pytest.fixture
def path(tmp_path):
    return tmp_path / "answers.sqlite"


@pytest.fixture
def store(path):
    with closing(Store(path)) as store:
        yield store


def entry(number):
    return StoredAnswer(number.to_bytes(16, "big"), f"source {number}", TextAnswer("text", billed=8), "translate")


def charged(bill, *amounts):
    for billed in amounts:
        bill.answered(bill.send(KIND, billed), billed)


def sums(store):
    """Requests, characters billed and possibly billed, over the whole ledger."""
    charges = store.charges()
    return tuple(sum(getattr(each, name) for each in charges) for name in ("requests", "billed", "unclear"))


# ---- what is written


def test_a_bill_is_written_with_the_answers_that_it_is_for(store, path):
    bill = Bill(Context(notebook="a.ipynb", columns="body", tag="team", api_key="1***2", service="https://s"))
    charged(bill, 8)
    store.put([entry(1)], "run", bill)
    with closing(Store(path)) as other:
        (charge,) = other.charges()
    assert (charge.notebook, charge.columns, charge.tag) == ("a.ipynb", "body", "team")
    assert (charge.api_key, charge.service) == ("1***2", "https://s")
    assert (charge.operation, charge.target_lang) == ("translate", "EN-US")
    assert (charge.requests, charge.billed, charge.unclear) == (1, 8, 0)


def test_what_is_put_again_is_billed_once(store):
    bill = Bill()
    charged(bill, 8)
    for _ in range(3):
        store.put([entry(1)], "run", bill)
        store.log(bill)
    store.put([entry(1)])
    assert sums(store) == (1, 8, 0)


def test_runs_are_billed_apart(store):
    for amount in (3, 4):
        bill = Bill()
        charged(bill, amount)
        store.log(bill)
    assert sorted(charge.billed for charge in store.charges()) == [3, 4]


def test_answers_and_bill_are_kept_together_or_not_at_all_and_nothing_is_lost(path):
    with closing(Full(path)) as store:
        bill = Bill()
        charged(bill, 8)
        store.full = True
        with pytest.raises(errors.StoreError, match="full"):
            store.put([entry(1)], "run", bill)
        assert (store.charges(), list(store.entries())) == ([], [])
        store.full = False
        store.put([entry(2)], "run", bill)
        assert sums(store) == (1, 8, 0)


def test_clear_leaves_the_ledger_alone(store):
    bill = Bill()
    charged(bill, 8)
    store.put([entry(1)], "run", bill)
    assert store.clear() == 1
    assert sums(store) == (1, 8, 0)


def test_memory_has_a_ledger_of_its_own():
    with closing(Store()) as store, closing(Store()) as other:
        bill = Bill()
        charged(bill, 8)
        store.put([entry(1)], "run", bill)
        assert (sums(store), sums(other)) == ((1, 8, 0), (0, 0, 0))


def test_a_file_of_the_first_version_keeps_its_answers_and_gets_a_ledger(path):
    with closing(sqlite3.connect(path)) as db:
        db.executescript(VERSION_1)
        row = (b"k" * 16, 1.0, "translate", "", None, "DE", 7, b'{"text":"alt","billed":7}', "old")
        with db:
            db.execute(
                "INSERT INTO answers (key, made, operation, service, source_lang, target_lang, billed, answer, source)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                row,
            )
    with closing(Store(path)) as store:
        assert store.get([b"k" * 16]) == {b"k" * 16: TextAnswer("alt", billed=7)}
        assert store.charges() == []
        bill = Bill()
        charged(bill, 8)
        store.put([entry(1)], "run", bill)
    with closing(Store(path)) as store:
        assert sums(store) == (1, 8, 0)
        assert store.info().entries == 2


def test_a_file_of_the_third_version_gets_its_counts_and_sums(path):
    with closing(sqlite3.connect(path)) as db:
        db.executescript(VERSION_1 + VERSION_3)
    with closing(Store(path)) as store:
        info = store.info()
        assert (info.entries, info.billed) == (3, 12)
        assert info.counts == {("detect", None): 1, ("translate", "DE"): 2}
        assert len(store.charges()) == 4
        *summed, last = store.charges(runs_for=1)
        assert [(each.run, each.started, each.target_lang, each.columns, each.tag) for each in summed] == [
            ("", None, "DE", None, None),
            ("", None, "FR", "body", "t"),
        ]
        assert [(each.requests, each.billed, each.unclear, each.marked) for each in summed] == [
            (3, 40, 9, 1),
            (1, 1, 0, 0),
        ]
        assert (last.run, last.started, last.billed) == ("c", 3.0, 2)


def test_a_file_that_another_kernel_is_just_opening_is_waited_for(path):
    """SQLite itself does not wait before it turns a file into one that can be shared."""
    other = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
    other.executescript(VERSION_1)
    other.execute("BEGIN IMMEDIATE")
    with closing(other), closing(Store(path)) as store:
        ends = threading.Timer(0.1, other.execute, ["ROLLBACK"])
        ends.start()
        store.put([entry(1)])
        ends.join()
        assert store.info().entries == 1


# ---- days


def test_a_run_over_midnight_is_billed_by_day_in_utc(path):
    clock = Clock("2026-10-16T23:59:59")
    with closing(Store(path, clock=clock)) as store:
        bill = Bill(clock=store.clock)
        charged(bill, 8)
        late = bill.send(KIND, 100)
        store.log(bill)
        assert [(each.day, each.billed, each.unclear) for each in store.charges()] == [("2026-10-16", 8, 200)]
        clock.set("2026-10-17T00:00:00")
        bill.answered(late, 99)
        store.log(bill)
        found = [(each.day, each.requests, each.billed, each.unclear) for each in store.charges()]
        assert found == [("2026-10-16", 2, 8, 0), ("2026-10-17", 0, 99, 0)]
        assert {each.started for each in store.charges()} == {clock.now - 1}


@pytest.mark.parametrize(
    ("first", "last", "count"),
    [(None, None, 3), ("2026-10-02", None, 2), (None, "2026-10-02", 2), ("2026-10-02", "2026-10-02", 1)],
)
def test_charges_are_found_by_their_days(first, last, count, path):
    clock = Clock("2026-10-01T12:00:00")
    with closing(Store(path, clock=clock)) as store:
        for day in (1, 2, 3):
            clock.set(f"2026-10-0{day}T12:00:00")
            bill = Bill(clock=clock)
            charged(bill, 1)
            store.log(bill)
        assert len(store.charges(first, last)) == count


charged_days = st.lists(
    st.tuples(
        st.integers(0, 3),
        st.integers(1, 9),
        st.sampled_from(["answered", "lost"]),
        st.sampled_from([None, "a.ipynb"]),
        st.booleans(),
    ),
    max_size=20,
)


@given(charged_days)
def test_the_sums_by_day_are_those_of_the_runs(steps):
    clock, bills = Clock("2026-10-01"), {}
    with closing(Store(clock=clock)) as store:
        for day, amount, what, notebook, again in steps:
            clock.set(f"2026-10-0{day + 1}")
            bill = bills.setdefault(notebook, Bill(Context(notebook=notebook), clock))
            if not again:
                bill = Bill(Context(notebook=notebook), clock)
            getattr(bill, what)(bill.send(KIND, amount), *([amount] if what == "answered" else []))
            store.log(bill)
            store.log(bill)
        known = {each.day for each in store.charges()}
        last = max(known, default=None)
        for summed in (store.charges(runs_for=1), store.charges("2026-10-02", runs_for=1)):
            of_runs = [each for each in store.charges() if not summed or each.day >= summed[0].day]
            assert by_day(summed) == by_day(of_runs if summed else [])
            assert {each.day for each in summed if each.run} <= {last}


def by_day(charges):
    sums = {}
    for each in charges:
        found = sums.setdefault((each.day, each.notebook), [0, 0, 0])
        for place, name in enumerate(("requests", "billed", "unclear")):
            found[place] += getattr(each, name)
    return sums


# ---- what is on its way

steps = st.lists(
    st.tuples(st.sampled_from(["send", "answered", "lost", "returned", "log"]), st.integers(1, 500)),
    max_size=60,
)


@given(steps)
def test_what_may_have_been_billed_is_never_less_than_what_was(steps):
    """The file, read after any step: billed is certain, and what the service may have charged is covered."""
    with closing(Store()) as store:
        bill, flying, billed, lost = Bill(), [], 0, 0
        for step, amount in steps:
            if step == "send":
                flying.append(bill.send(KIND, amount))
                if not bill.covered:
                    store.log(bill)
            elif step == "log":
                store.log(bill)
            elif flying:
                sent = flying.pop(amount % len(flying))
                getattr(bill, step)(sent, *([sent.characters] if step == "answered" else []))
                billed += sent.characters if step == "answered" else 0
                lost += sent.characters if step == "lost" else 0
            _, known, unclear = sums(store)
            assert known <= billed
            assert sum(sent.characters for sent in flying) + billed + lost <= known + unclear
        for sent in flying:
            bill.returned(sent)
        store.log(bill)
        assert sums(store)[1:] == (billed, lost)


def test_every_request_is_in_the_file_before_it_is_sent(path):
    """A process that is killed in this very moment leaves a ledger that has all that was, or may be, billed."""
    short = []
    other = Store(path)

    def look(number, texts):
        with service.lock:
            under_way = sum(map(len, texts)) + service.characters
        _, billed, unclear = sums(other)
        if billed + unclear < under_way:
            short.append((billed, unclear, under_way))

    service = Scripted(fault=look, seconds=0.002)
    with closing(Store(path)) as store, closing(other):
        run(service, TEXTS, store=store, gate=Gate(8, start=2), most_texts=7)
        assert short == []
        assert sums(store) == (len(service.requests), LENGTH, 0)


def test_no_answer_is_stored_without_what_it_cost(path):
    short = []
    other = Store(path)

    def look(number, texts):
        stored = other.info().billed
        if sums(other)[1] < stored:
            short.append(stored)

    service = Scripted(fault=look, seconds=0.002)
    with closing(Store(path)) as store, closing(other):
        run(service, TEXTS, store=store, gate=Gate(8, start=2), most_texts=7)
        assert short == []
        assert other.info().billed == LENGTH


# ---- runs


def test_the_ledger_has_what_the_service_billed_when_texts_are_refused_and_retried(store):
    def fault(number, texts):
        if number % 3 == 1:
            return errors.ServerError("broke", status=503)
        if number % 7 == 2:
            return errors.TooManyRequests("wait", status=429)
        return None

    bad = errors.ApiError("bad", status=400)
    service = Scripted(fault=fault, bad=lambda text: bad if text.endswith("77") else None)
    # Which requests break depends on the threads; with few tries a text alone could meet breaks only, and fail too.
    _, report = run(service, TEXTS, store=store, most_texts=10, patience=replace(QUICK, tries=1000))
    assert report.failed == 4
    assert sums(store) == (len(service.requests), service.characters, 0)


def test_answers_that_never_came_whole_are_kept_apart(store):
    service = Scripted(fault=lambda number, texts: (lambda answers: answers[:-1]) if number == 2 else None)
    _, report = run(service, TEXTS, store=store)
    _, billed, unclear = sums(store)
    assert (billed, unclear) == (report.billed, report.unclear)
    assert billed + unclear == service.characters > billed == LENGTH


def test_a_run_from_the_store_is_logged_and_costs_nothing(store):
    for _ in range(2):
        run(Scripted(), TEXTS, store=store)
    assert sorted((each.requests, each.billed) for each in store.charges()) == [(0, 0), (8, LENGTH)]


def test_two_runs_side_by_side_share_the_costs_and_count_none_twice(path):
    service = Scripted(seconds=0.003)
    stores = [Store(path), Store(path)]
    threads = [
        threading.Thread(target=run, args=(service, TEXTS), kwargs={"store": each, "most_texts": 9}) for each in stores
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert service.characters == LENGTH
    assert sums(stores[0])[1:] == (LENGTH, 0)
    assert len({charge.run for charge in stores[0].charges()}) == 2
    for each in stores:
        each.close()


def test_a_text_that_is_cut_is_billed_once(store):
    text = "\n\n".join(f"Paragraph {number}: " + "word " * 50 for number in range(40))
    service = Scripted()
    run(service, [text], store=store, most_bytes=4000)
    assert len(service.requests) > 1
    assert sums(store)[1:] == (service.characters, 0)


def test_what_the_store_could_not_take_stays_on_the_bill(path):
    service = Scripted(seconds=0.005)
    with closing(Full(path)) as store:
        bill = Bill()
        charged(bill, 1)  # so that there is a file
        store.log(bill)

        def fault(number, texts):
            store.full = number >= 2

        service.fault = fault
        _, report = run(service, TEXTS, store=store, gate=Gate(2, start=2), bill=bill)
        assert isinstance(report.error, errors.StoreError)
        store.full = False
        store.log(bill)
        assert sums(store)[1:] == (service.characters + 1, 0)


def test_detection_is_logged_and_costs_nothing(store):
    run(Scripted(), TEXTS, store=store, billed=False)
    assert sums(store) == (8, 0, 0)


def test_the_tally_is_what_all_bills_of_the_process_come_to():
    before = PROCESS_BILLED.characters
    paid, refused, lost = Bill(), Bill(), Bill()
    paid.answered(paid.send(KIND, 7), 5)
    refused.returned(refused.send(KIND, 11))
    lost.lost(lost.send(KIND, 13))
    paid.answered(paid.send(KIND, 3), 3)
    assert PROCESS_BILLED.characters - before == 8
