"""Whatever happens in whatever order: places come back, no one waits forever, no row is wrong or paid too often."""

from __future__ import annotations

import threading
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from svc_nb import errors
from svc_nb.engine.gate import Gate
from svc_nb.engine.outcome import DONE, RunReport
from svc_nb.engine.store import Store
from tests.engine.scripted import Scripted, outcomes, run, texts_of

MOST = 12


class Places(RuleBasedStateMachine):
    """A gate, the tickets that were given out, and those who wait."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.gate = Gate(MOST, start=3, clock=lambda: self.now)
        self.tickets = []
        self.used = []
        self.called = Counter()
        self.wakes = [lambda name=name: self.called.update([name]) for name in range(3)]

    @rule(backlog=st.sampled_from([0, 5, 10_000]), who=st.sampled_from([None, 0, 1, 2]))
    def enter(self, backlog, who):
        ticket = self.gate.enter(backlog, None if who is None else self.wakes[who])
        if ticket:
            self.tickets.append(ticket)

    @precondition(lambda self: self.tickets)
    @rule(data=st.data(), how=st.sampled_from(["accepted", "refuse", "leave", "asked to wait"]))
    def give_back(self, data, how):
        ticket = self.tickets.pop(data.draw(st.integers(0, len(self.tickets) - 1)))
        self.used.append(ticket)
        if how == "asked to wait":
            self.gate.refuse(ticket, 30.0)
        else:
            getattr(self.gate, how)(ticket)

    @precondition(lambda self: self.used)
    @rule(how=st.sampled_from(["accepted", "refuse", "leave"]))
    def give_back_twice(self, how):
        before = self.gate.limit, self.gate.refused
        getattr(self.gate, how)(self.used[-1])
        assert (self.gate.limit, self.gate.refused) == before

    @rule(seconds=st.sampled_from([0.001, 0.05, 1.0, 40.0]))
    def time_passes(self, seconds):
        self.now += seconds

    @rule(who=st.integers(0, 2), stays=st.booleans())
    def wait(self, who, stays):
        self.gate.wait(self.wakes[who])
        if not stays:
            self.gate.forget(self.wakes[who])

    @rule(places=st.integers(1, 20))
    def trust(self, places):
        self.gate.trust(places)

    @rule(ceiling=st.integers(1, 20))
    def set_ceiling(self, ceiling):
        self.gate.ceiling = ceiling

    @invariant()
    def counts_agree(self):
        assert self.gate.in_flight == len(self.tickets)
        assert 1 <= self.gate.limit <= 20
        opens = self.gate.opens_in()
        assert opens is None or 0 <= opens <= 30.0

    @precondition(lambda self: not self.tickets)
    @rule()
    def who_comes_to_an_empty_gate_gets_in_after_a_bounded_time(self):
        self.now += 31.0
        ticket = self.gate.enter(0)
        assert ticket, "nobody is inside, and nobody gets in"
        self.gate.leave(ticket)


TestPlaces = Places.TestCase
TestPlaces.settings = settings(max_examples=60, stateful_step_count=40)

TEXTS = [f"text number {number}" for number in range(120)]


def fewer(answers):
    return answers[:-1]


HAPPENS = st.sampled_from(
    [
        *[None] * 4,
        fewer,
        errors.Unreachable("reset"),
        errors.NotConnected("nobody"),
        errors.TimedOut("too long"),
        errors.ServerError("crash", status=500),
        errors.Unavailable("later", status=503),
        errors.Unavailable("much later", status=503, retry_after=3600),
        errors.TooManyRequests("no room", status=429),
        errors.BadRequest("broken markup", status=400),
        errors.TooLarge("too large", status=413),
        errors.Forbidden("no", status=403),
        errors.QuotaExceeded("spent", status=456),
        MemoryError(),
        KeyError("a bug"),
    ]
)
STEPS = ("claim", "put", "log", "start")


class Failing(Store):
    """A store, and a system that starts threads, that fail at the steps that are listed: `("put", 2)` is the third."""

    def __init__(self, path, fails) -> None:
        super().__init__(path)
        self.fails = fails
        self.took = Counter()

    def step(self, name) -> None:
        number = self.took[name]
        self.took[name] += 1
        if (name, number) in self.fails:
            raise RuntimeError(f"{name} fails")

    def claim(self, *what, **more):
        self.step("claim")
        return super().claim(*what, **more)

    def put(self, *what, **more):
        self.step("put")
        return super().put(*what, **more)

    def log(self, bill, *works):
        if not works:
            self.step("log")
        return super().log(bill, *works)


@given(
    happens=st.lists(HAPPENS, max_size=30),
    fails=st.sets(st.tuples(st.sampled_from(STEPS), st.integers(0, 5)), max_size=3),
    places=st.integers(1, 6),
)
@settings(max_examples=60)
def test_whatever_fails_at_whatever_step_every_place_and_text_comes_back(tmp_path_factory, happens, fails, places):
    path = tmp_path_factory.mktemp("run") / "store"
    store, gate = Failing(path, fails), Gate(8, start=places)
    service = Scripted(fault=lambda number, texts: happens[number] if number < len(happens) else None)
    start = threading.Thread.start

    def start_or_fail(thread):
        if thread.name == "svc_nb-send":
            store.step("start")
        start(thread)

    threading.Thread.start = start_or_fail
    try:
        thread = threading.Thread(
            target=lambda: came.append(run(service, TEXTS, store=store, gate=gate, most_texts=10))
        )
        came = []
        thread.daemon = True
        thread.start()
        thread.join(60)
    finally:
        threading.Thread.start = start
    assert not thread.is_alive(), "the run goes on and on"
    [(plan, report)] = came
    assert gate.in_flight == 0
    assert all(text in (None, sent.upper()) for sent, text in zip(TEXTS, texts_of(plan), strict=True))
    assert all(outcomes(plan))
    assert report.done + report.failed + report.unsent.total() == len(TEXTS)
    assert max(Counter(text for texts in service.requests for text in texts).values(), default=0) <= 16
    assert max(service.billed.values(), default=0) <= 3
    store.close()
    well = Scripted()
    plan, _ = run(well, TEXTS, store=Store(path), gate=gate)
    assert texts_of(plan) == [text.upper() for text in TEXTS]
    done = {text for text, outcome in zip(TEXTS, outcomes(plan), strict=True) if outcome.from_store}
    assert not done & well.billed.keys()


class Counting(RunReport):
    """A report that cannot count what is done: each attempt is one more failure."""

    def count(self, outcome, rows):
        if outcome.status == DONE:
            raise KeyError("a bug")
        super().count(outcome, rows)


def test_a_run_that_fails_while_it_stops_still_keeps_what_was_on_its_way(tmp_path):
    path = tmp_path / "store"
    service = Scripted(seconds=0.05)
    with pytest.raises(KeyError):
        run(service, TEXTS, store=Store(path), gate=Gate(8, start=4), most_texts=1, report=Counting())
    assert len(service.billed) >= 4
    well = Scripted()
    plan, _ = run(well, TEXTS, store=Store(path))
    assert texts_of(plan) == [text.upper() for text in TEXTS]
    assert not well.billed.keys() & service.billed.keys()
