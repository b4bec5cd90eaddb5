"""A run sends everything once, in order, whatever happens on the way; what it cannot do, it says."""

from __future__ import annotations

import threading
import time
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from svc_nb import errors
from svc_nb.backoff import Patience
from svc_nb.engine.accounting import Budget
from svc_nb.engine.gate import Gate
from svc_nb.engine.job import Control
from svc_nb.engine.outcome import Outcome, RunReport, TextAnswer
from svc_nb.engine.plan import Plan, TextGroup
from svc_nb.engine.probe import STRIKES
from svc_nb.engine.run import Run
from svc_nb.engine.store import Store
from tests.engine.scripted import Scripted, outcomes, request_kind, run, texts_of
from tests.waiting import until

TEXTS = [f"text number {number}" for number in range(500)]
UPPER = [text.upper() for text in TEXTS]


def statuses(plan):
    return [outcome.status for outcome in outcomes(plan)]


def test_every_text_is_sent_once_and_answered_in_its_place():
    service = Scripted()
    plan, report = run(service, TEXTS)
    assert texts_of(plan) == UPPER
    assert set(service.billed.values()) == {1}
    assert (len(service.requests), report.requests, report.done) == (10, 10, 500)
    assert report.billed == service.characters == sum(map(len, TEXTS))


def test_a_slow_store_holds_the_sending_back():
    unstored = []

    class Slow(Store):
        def put(self, *what):
            time.sleep(0.02)
            super().put(*what)
            unstored.append(sum(service.billed.values()) - self.info().entries)

    service = Scripted()
    plan, _ = run(service, TEXTS, store=Slow(), gate=Gate(2))
    assert texts_of(plan) == UPPER
    assert max(unstored) <= 2 * 2 * 50


def test_a_second_run_sends_nothing(tmp_path):
    service, store = Scripted(), Store(tmp_path / "store")
    run(service, TEXTS, store=store)
    sent = len(service.requests)
    plan, report = run(service, TEXTS, store=store)
    assert len(service.requests) == sent
    assert texts_of(plan) == UPPER
    assert (report.stored, report.billed) == (500, 0)


@pytest.mark.parametrize(
    "error",
    [
        errors.TooManyRequests("no room", status=429),
        errors.Overloaded("no room", status=529),
        errors.Unavailable("later", status=503),
        errors.ServerError("oops", status=500),
        errors.NotConnected("nobody"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_that_passes_is_waited_out(error):
    service = Scripted(fault=lambda number, texts: error if number % 3 == 0 else None)
    plan, report = run(service, TEXTS)
    assert texts_of(plan) == UPPER
    assert report.refused + report.retried > 0


LOST = [errors.Unreachable("reset"), errors.TimedOut("too long"), errors.BadReply("half of it")]


def sent_by(service):
    return Counter(text for texts in service.requests for text in texts)


@pytest.mark.parametrize("error", LOST, ids=repr)
def test_answers_that_are_lost_for_a_while_cost_no_row(error):
    service = Scripted(fault=lambda number, texts: error if 3 <= number <= 8 else None)
    plan, report = run(service, TEXTS)
    assert texts_of(plan) == UPPER
    assert max(sent_by(service).values()) <= 3
    assert report.unclear == sum(len(text) for texts in service.requests[3:9] for text in texts)


@pytest.mark.parametrize("error", LOST, ids=repr)
def test_where_all_answers_are_lost_one_text_at_a_time_is_sent_to_see(error):
    service = Scripted(fault=lambda number, texts: error, seconds=0.01)
    _, report = run(service, TEXTS)
    assert report.error is error
    assert report.unsent.total() == 500
    sizes = Counter(map(len, service.requests))
    assert sizes[1] == 6
    assert sizes[50] <= 12
    assert max(sent_by(service).values()) == 2


@pytest.mark.parametrize("error", LOST, ids=repr)
def test_what_is_lost_again_and_again_is_not_sent_more_than_three_times(error):
    service = Scripted(fault=lambda number, texts: error if number % 3 == 0 else None)
    plan, report = run(service, TEXTS)
    assert all(came in (text, None) for came, text in zip(texts_of(plan), UPPER, strict=True))
    assert report.done + report.failed == 500
    assert report.done > 400
    assert max(sent_by(service).values()) <= 3


def test_a_small_text_that_is_refused_as_too_large_is_not_cut():
    refusal = errors.TooLarge("too large", status=413)
    plan, _ = run(Scripted(fault=lambda number, texts: refusal if 2 <= number < 12 else None), TEXTS[:200])
    assert all(came in (text, None) for came, text in zip(texts_of(plan), UPPER, strict=False))


def test_an_answer_that_cannot_be_read_is_bought_once_more_and_then_text_by_text():
    service = Scripted(bad=lambda text: (lambda answers: answers[:-1]) if text == TEXTS[137] else None)
    plan, report = run(service, TEXTS)
    assert texts_of(plan) == [None if text == TEXTS[137] else text.upper() for text in TEXTS]
    assert report.failed == 1
    assert service.billed[TEXTS[137]] <= 3
    assert sum(service.billed.values()) <= len(TEXTS) + 2 * 50
    assert report.billed + report.unclear == service.characters


def test_a_service_whose_answers_can_never_be_read_is_paid_for_each_text_at_most_twice():
    service = Scripted(fault=lambda number, texts: lambda answers: answers[:-1])
    _, report = run(service, TEXTS)
    assert max(service.billed.values()) <= 2
    assert report.done == 0
    assert isinstance(next(iter(report.causes.values()), report.error), errors.BadReply)


def test_a_service_whose_answers_cannot_be_read_any_more_is_given_up_on():
    service = Scripted(fault=lambda number, texts: (lambda answers: answers[:-1]) if number >= 4 else None)
    _, report = run(service, TEXTS, gate=Gate(4))
    assert (report.stopped, report.done) == ("error", 200)
    assert max(service.billed.values()) <= 2


def test_a_wrong_number_of_answers_shifts_no_row():
    service = Scripted(fault=lambda number, texts: (lambda answers: answers[:-1]) if number == 2 else None)
    plan, report = run(service, TEXTS)
    assert texts_of(plan) == UPPER
    assert report.retried == 1
    assert report.unclear == sum(map(len, service.requests[2]))


def test_a_bad_text_stands_alone_in_the_end():
    refusal = errors.BadRequest("broken markup", status=400)
    service = Scripted(bad=lambda text: refusal if text.endswith("77") else None)
    plan, report = run(service, TEXTS)
    bad = [text for text in TEXTS if text.endswith("77")]
    assert [text for text, status in zip(TEXTS, statuses(plan), strict=True) if status == "failed"] == bad
    assert report.failed == len(bad)
    assert set(service.billed.values()) == {1}
    assert report.causes == {"broken markup": refusal}


def test_options_that_are_refused_are_not_tried_on_every_text():
    refusal = errors.BadRequest("no such language", status=400)
    service = Scripted(bad=lambda text: refusal)
    plan, _ = run(service, TEXTS)
    assert statuses(plan) == ["failed"] * 500
    assert len(service.requests) <= 8 + 8
    assert not service.billed


def test_a_batch_that_is_refused_after_its_kind_was_condemned_fails_with_it():
    alone, condemned, carried = [], threading.Event(), []

    def fault(number, texts):
        if len(texts) == 1:
            alone.append(texts)
        elif texts[0] == TEXTS[50]:  # its answer is late
            condemned.wait(20)
        return errors.BadRequest("no such language", status=400)

    thread = threading.Thread(target=lambda: carried.append(run(Scripted(fault=fault), TEXTS[:100])), daemon=True)
    thread.start()
    until(lambda: len(alone) == 8)
    time.sleep(0.2)
    condemned.set()
    thread.join(20)
    [(plan, report)] = carried
    assert statuses(plan) == ["failed"] * 100
    assert report.failed == 100


def test_a_bad_text_in_the_very_first_request_does_not_condemn_the_others():
    refusal = errors.BadRequest("broken markup", status=400)
    service = Scripted(bad=lambda text: refusal if text == TEXTS[0] else None)
    plan, _ = run(service, TEXTS, gate=Gate(1, start=1))
    assert statuses(plan) == ["failed"] + ["done"] * 499
    assert set(service.billed.values()) == {1}


@pytest.mark.parametrize(
    "kind", [errors.QuotaExceeded, errors.NotAuthenticated, errors.Forbidden, errors.Untrusted, errors.Redirected]
)
def test_what_cannot_get_better_stops_the_run_within_what_is_in_flight(kind):
    refusal = kind("no", status=456)
    service = Scripted(fault=lambda number, texts: refusal if number >= 4 else None, seconds=0.005)
    plan, report = run(service, TEXTS, gate=Gate(4, start=4))
    assert len(service.requests) <= 4 + 4
    assert report.error is refusal
    assert report.done == 200
    assert report.done + report.unsent.total() == 500
    assert texts_of(plan).count(None) == 300


def test_while_nothing_may_go_before_a_retry_the_run_waits_and_does_not_look_again_and_again():
    def fault(number, texts):
        if number < 3:
            return errors.NotConnected("nobody")
        return errors.TooManyRequests("no", status=429, retry_after=0.5) if number < 6 else None

    started = time.thread_time()
    plan, _ = run(Scripted(fault=fault), TEXTS, gate=Gate(1, start=1), patience=Patience(first_wait=0.01))
    assert texts_of(plan) == UPPER
    assert time.thread_time() - started < 0.5  # of about 1.5 s


def test_a_service_that_is_down_ends_the_run():
    service = Scripted(fault=lambda number, texts: errors.Unreachable("nobody"))
    _, report = run(service, TEXTS, gate=Gate(2, start=2))
    assert isinstance(report.error, errors.Unreachable)
    assert report.unsent.total() == 500
    assert len(service.requests) <= (3 + 2) * 5 < 10 * 5


def test_a_service_that_breaks_on_everything_is_not_asked_text_by_text():
    service = Scripted(fault=lambda number, texts: errors.Unavailable("later", status=503) if number >= 3 else None)
    _, report = run(service, TEXTS)
    assert isinstance(report.error, errors.Unavailable)
    assert report.done == 150
    assert len(service.requests) <= 60


def test_one_text_that_always_breaks_the_service_costs_no_neighbour():
    service = Scripted(bad=lambda text: errors.ServerError("crash", status=500) if text == TEXTS[7] else None)
    plan, _ = run(service, TEXTS)
    assert statuses(plan) == ["failed" if text == TEXTS[7] else "done" for text in TEXTS]


def test_a_mistake_of_ours_is_not_swallowed():
    service = Scripted(fault=lambda number, texts: ZeroDivisionError("bug"))
    _, report = run(service, TEXTS)
    assert isinstance(report.error, ZeroDivisionError)
    assert report.unsent.total() == 500


def test_retry_after_holds_the_refused_batch_and_no_one_else():
    refusal = errors.TooManyRequests("no room", status=429, retry_after=0.6)
    times, held = [], []

    def fault(number, texts):
        times.append((time.monotonic(), tuple(texts)))
        if number:
            return None
        held.append(tuple(texts))
        return refusal

    service = Scripted(fault=fault, seconds=0.01)
    plan, _ = run(service, TEXTS, gate=Gate(2, start=2))
    (refused,) = held
    again = [moment for moment, texts in times if texts == refused]
    between = [moment for moment, texts in times if texts != refused]
    assert texts_of(plan) == UPPER
    assert len(again) == 2
    assert again[1] - again[0] >= 0.6
    assert max(between) < again[1]


@settings(max_examples=30)
@given(
    lengths=st.lists(st.integers(1, 60), min_size=1, max_size=120),
    budget=st.integers(0, 2000),
    trouble=st.sets(st.integers(0, 20)),
)
def test_the_budget_is_never_exceeded_by_one_character(lengths, budget, trouble):
    """The service bills what it answers, even when the answer is lost on the way."""
    texts = [f"{'x' * length}{number:04}" for number, length in enumerate(lengths)]
    lost = lambda answers: answers[:-1]  # noqa: E731
    service = Scripted(fault=lambda number, texts: lost if number in trouble else None)
    plan, report = run(service, texts, budget=budget)
    assert service.characters <= budget
    assert report.done + report.unsent.total() + report.failed == len(texts)
    assert report.billed == sum(outcome.billed for outcome in outcomes(plan))
    if not trouble and budget >= sum(map(len, texts)):
        assert report.done == len(texts)


def test_under_a_budget_the_first_rows_come_first():
    plan, report = run(Scripted(), TEXTS, budget=sum(map(len, TEXTS[:100])))
    assert statuses(plan) == ["done"] * 100 + ["unsent"] * 400
    assert report.unsent == {"budget": 400}


def test_a_cancelled_run_keeps_what_is_answered_and_sends_nothing_more(tmp_path):
    control, store = Control(), Store(tmp_path / "store")
    service = Scripted(fault=lambda number, texts: control.cancel() if number == 3 else None, seconds=0.01)
    _, report = run(service, TEXTS, gate=Gate(2, start=2), control=control, store=store)
    assert 0 < report.done < 500
    assert report.done == 50 * len(service.requests)
    assert report.stopped == "interrupted"
    run(service, TEXTS, store=store)
    assert set(service.billed.values()) == {1}


def test_a_paused_run_sends_nothing_until_it_is_resumed():
    service, control = Scripted(), Control()
    control.pause()
    done = threading.Thread(target=run, args=(service, TEXTS), kwargs={"control": control})
    done.start()
    time.sleep(0.05)
    assert not service.requests
    control.resume()
    done.join(10)
    assert len(service.requests) == 10


def test_two_runs_on_one_store_send_each_text_once(tmp_path):
    service, store, gate = Scripted(seconds=0.01), Store(tmp_path / "store"), Gate(4, start=4)
    found = []

    def one():
        found.append(run(service, TEXTS, store=store, gate=gate))

    threads = [threading.Thread(target=one) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert [texts_of(plan) for plan, _ in found] == [UPPER] * 3
    assert set(service.billed.values()) == {1}
    assert service.peak <= 4
    assert sum(report.billed for _, report in found) == service.characters


def test_what_another_run_could_not_do_is_taken_over(tmp_path):
    """The first run holds its texts, and is then ended by a refusal; the second, waiting for them, sends them."""
    store, started, refuse = Store(tmp_path / "store"), threading.Event(), threading.Event()

    def late_refusal(number, texts):
        started.set()
        refuse.wait(10)
        return errors.Forbidden("no", status=403)

    first = threading.Thread(target=run, args=(Scripted(fault=late_refusal), TEXTS[:50]), kwargs={"store": store})
    first.start()
    started.wait(10)
    threading.Timer(0.1, refuse.set).start()
    service = Scripted()
    plan, _ = run(service, TEXTS[:50], store=store)
    first.join(10)
    assert texts_of(plan) == UPPER[:50]
    assert set(service.billed.values()) == {1}


def test_a_store_that_fails_ends_the_run_and_loses_nothing(tmp_path):
    class Full(Store):
        def put(self, *what):
            raise errors.StoreError("disk full")

    service = Scripted(seconds=0.005)
    plan, report = run(service, TEXTS, store=Full(), gate=Gate(2, start=2))
    answered = sum(len(texts) for texts in service.requests)
    assert isinstance(report.error, errors.StoreError)
    assert report.done == answered < 500
    assert texts_of(plan).count(None) == 500 - answered


def test_that_answers_were_not_stored_is_told_after_ctrl_c_too():
    control = Control()

    class Full(Store):
        def put(self, *what):
            control.cancel()
            until(lambda: report_of[0].stopped)
            raise errors.StoreError("disk full")

    report_of = [RunReport()]
    _, report = run(Scripted(), TEXTS, store=Full(), gate=Gate(1, start=1), control=control, report=report_of[0])
    assert report.stopped == "store"
    assert isinstance(report.error, errors.StoreError)


def test_a_store_that_cannot_be_asked_leaves_each_row_once():
    class Busy(Store):
        asked = 0

        def claim(self, *what, **how):
            self.asked += 1
            if self.asked > 1:
                raise errors.StoreError("locked")
            return super().claim(*what, **how)

    plan, report = run(Scripted(seconds=0.005), TEXTS, store=Busy(), gate=Gate(2, start=2))
    assert report.finished == 500
    assert statuses(plan).count("unsent") == report.unsent["store"] > 0


def test_two_runs_that_ask_again_for_the_same_both_end(tmp_path):
    """Neither waits for what the other one has answered since, and nothing is paid for a third time."""
    store, service = Store(tmp_path / "store"), Scripted(seconds=0.005)
    run(service, TEXTS, store=store)
    ended = []

    def ask(texts):
        ended.append(run(service, texts, store=store, again=range(len(texts)), gate=Gate(2, start=2))[1])

    both = [threading.Thread(target=ask, args=(texts,), daemon=True) for texts in (TEXTS, TEXTS[::-1])]
    for each in both:
        each.start()
    for each in both:
        each.join(60)
    assert [report.done for report in ended] == [500, 500]
    assert max(service.billed.values()) <= 3


def test_a_text_too_large_for_a_request_is_cut_and_joined_again(tmp_path):
    paragraphs = [f"Paragraph {number}: " + "word " * 50 for number in range(40)]
    text, store = "\n\n".join(paragraphs), Store(tmp_path / "store")
    service = Scripted()
    plan, report = run(service, [text, *TEXTS[:10]], store=store, most_bytes=4096)
    assert texts_of(plan) == [text.upper(), *UPPER[:10]]
    assert all(len("".join(sent)) < 4096 for sent in service.requests)
    assert report.rows == report.done == 11
    again, second = run(service, [text], store=store, most_bytes=4096)
    assert (second.requests, texts_of(again)) == (0, [text.upper()])


def test_white_space_that_makes_a_text_too_large_is_kept_and_not_sent():
    service = Scripted()
    plan, report = run(service, ["hello" + " " * 9000], most_bytes=4096)
    assert texts_of(plan) == ["HELLO" + " " * 9000]
    assert service.requests == [["hello"]]
    assert report.billed == 5


def test_equal_pieces_are_sent_once():
    service = Scripted()
    text = "\n\n".join(["The same paragraph again and again. " * 20] * 30)
    plan, report = run(service, [text], most_bytes=1024)
    assert texts_of(plan) == [text.upper()]
    assert report.billed == service.characters < len(text) / 2
    assert report.billed == outcomes(plan)[0].billed


def test_a_text_that_the_service_finds_too_large_is_cut_smaller():
    refusal = errors.TooLarge("too large", status=413)
    service = Scripted(fault=lambda number, texts: refusal if sum(map(len, texts)) > 700 else None)
    text = "\n\n".join(f"Paragraph {number}: {'word ' * 20}" for number in range(20))
    plan, _ = run(service, [text, *TEXTS[:10]])
    assert texts_of(plan) == [text.upper(), *UPPER[:10]]


def test_half_a_surrogate_pair_fails_alone():
    plan, _ = run(Scripted(), [*TEXTS[:5], "broken \ud83d text"])
    assert statuses(plan) == ["done"] * 5 + ["failed"]
    assert "surrogate" in outcomes(plan)[-1].reason


def test_a_refusal_that_never_ends_is_given_up():
    refusal = errors.TooManyRequests("no room", status=429)
    service = Scripted(fault=lambda number, texts: refusal)
    _, report = run(service, TEXTS, patience=Patience(give_up_after=0.3, longest_wait=0.01))
    assert report.error is refusal
    assert "the service had no room for 0.3 s (give_up_after)" in str(refusal)
    assert report.unsent.total() == 500


def test_a_service_that_finds_everything_too_large_is_asked_a_few_times_only():
    refusal = errors.TooLarge("too large", status=413)
    _, report = run(Scripted(fault=lambda number, texts: refusal), TEXTS, gate=Gate(4, start=4))
    assert report.failed == 500
    assert report.requests <= 4 + 2 * STRIKES


def test_a_retry_after_beyond_patience_is_told_at_once():
    refusal = errors.TooManyRequests("tomorrow", status=429, retry_after=86_400)
    _, report = run(Scripted(fault=lambda number, texts: refusal), TEXTS[:50])
    assert report.error is refusal


def test_texts_of_different_lanes_never_share_a_request():
    service = Scripted()
    kinds = [request_kind(service), request_kind(service, source_lang="FR")]
    for each in kinds:
        run(service, TEXTS[:60], on=each)
    assert sorted(map(len, service.requests)) == [10, 10, 50, 50]


# ---- what a review found


@pytest.mark.parametrize("trouble", [errors.ServerError("crash", status=500), errors.TooLarge("too large", status=413)])
def test_a_text_sent_ahead_that_ends_in_another_way_does_not_hold_up_its_kind(trouble):
    """The first request is called invalid; the text that goes ahead then runs into something else."""

    def fault(number, texts):
        if number == 0:
            return errors.BadRequest("broken markup", status=400)
        return trouble if len(texts) == 1 and texts == ["text number 15"] else None

    _, report = run(Scripted(fault=fault), TEXTS[:30], gate=Gate(1, start=1))
    assert report.done + report.failed == 30
    assert report.failed <= 1


def test_a_writer_that_breaks_ends_the_run_and_is_reported():
    class Broken(Store):
        def put(self, *what):
            raise OverflowError("int too large")

    _, report = run(Scripted(), TEXTS, store=Broken(), gate=Gate(2, start=2))
    assert isinstance(report.error, OverflowError)
    assert report.done + report.unsent.total() == 500


@pytest.mark.parametrize("name", ["svc_nb-send", "svc_nb-keep"])
def test_without_a_thread_the_run_ends_and_its_places_come_back(monkeypatch, name):
    start = threading.Thread.start

    def refused(thread):
        if thread.name == name:
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", refused)
    gate, store = Gate(4, start=4), Store()
    plan, report = run(Scripted(), TEXTS, gate=gate, store=store)
    assert (gate.in_flight, report.requests, report.unsent.total()) == (0, 0, 500)
    assert str(report.error) == "can't start new thread"
    assert store.claim([part.key for part in plan.parts[0]], "another").ours == set(plan.known)


def test_with_fewer_threads_than_places_everything_is_sent(monkeypatch):
    start, started = threading.Thread.start, []

    def two(thread):
        if thread.name == "svc_nb-send":
            if len(started) == 2:
                raise RuntimeError("can't start new thread")
            started.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", two)
    plan, report = run(Scripted(), TEXTS)
    assert texts_of(plan) == UPPER
    assert report.requests == 10


@pytest.mark.parametrize("step", ["claim", "log"])
def test_what_goes_wrong_in_launching_gives_all_places_back_and_keeps_what_is_on_its_way(step):
    class Broken(Store):
        broken = False

        def claim(self, *what, **more):
            if self.broken and step == "claim":
                raise MemoryError
            return super().claim(*what, **more)

        def log(self, bill, *works):
            if self.broken and step == "log" and not works:
                raise MemoryError
            super().log(bill, *works)

    store, gate = Broken(), Gate(2, start=2)

    def fault(number, texts):
        store.broken = number >= 1

    service = Scripted(fault=fault, seconds=0.02)
    texts = [f"{'long ' * number}text {number}" for number in range(500)]
    _, report = run(service, texts, store=store, gate=gate)
    assert isinstance(report.error, MemoryError)
    assert gate.in_flight == 0
    assert report.done == store.info().entries == sum(service.billed.values()) > 0
    assert report.done + report.unsent.total() == 500


def test_two_runs_with_a_budget_do_not_wait_for_each_other_forever(tmp_path):
    store, gate = Store(tmp_path / "store"), Gate(4, start=4)
    lost = lambda answers: answers[:-1]  # noqa: E731
    services = [Scripted(fault=lambda number, texts: lost) for _ in range(2)]
    texts = [TEXTS, TEXTS[::-1]]
    threads = [
        threading.Thread(target=run, args=(service, order), kwargs={"store": store, "gate": gate, "budget": 27})
        for service, order in zip(services, texts, strict=True)
    ]
    for thread in threads:
        thread.daemon = True
        thread.start()
    for thread in threads:
        thread.join(20)
        assert not thread.is_alive()


def test_a_paused_run_leaves_its_texts_to_others(tmp_path):
    """It has taken a batch apart and has half of it in its hands when it is paused."""
    store, control = Store(tmp_path / "store"), Control()
    bad = errors.BadRequest("broken markup", status=400)

    def fault(number, texts):
        if number == 1:
            control.pause()
            return bad
        return None

    paused = Scripted(fault=fault)
    first = threading.Thread(
        target=run,
        args=(paused, TEXTS[:100]),
        kwargs={"store": store, "control": control, "gate": Gate(1, start=1)},
        daemon=True,
    )
    first.start()
    until(lambda: control.paused)
    plan, _ = run(Scripted(), TEXTS[:100], store=store)
    assert texts_of(plan) == UPPER[:100]
    control.resume()
    first.join(20)
    assert not first.is_alive()


def test_texts_taken_over_from_another_run_keep_the_limits_of_their_kind(tmp_path):
    store, started, refuse = Store(tmp_path / "store"), threading.Event(), threading.Event()

    def late_refusal(number, texts):
        started.set()
        refuse.wait(10)
        return errors.Forbidden("no", status=403)

    kwargs = {"store": store, "most_texts": 10, "gate": Gate(4, start=4)}
    first = threading.Thread(target=run, args=(Scripted(fault=late_refusal), TEXTS[:40]), kwargs=kwargs)
    first.start()
    started.wait(10)
    threading.Timer(0.2, refuse.set).start()
    service = Scripted()
    plan, _ = run(service, TEXTS[:40], **kwargs)
    first.join(10)
    assert texts_of(plan) == UPPER[:40]
    assert max(map(len, service.requests)) <= 10


def test_what_a_large_text_cost_is_counted_once_in_the_store(tmp_path):
    store = Store(tmp_path / "store")
    text = "\n\n".join(f"Paragraph {number}: {'word ' * 50}" for number in range(40))
    _, report = run(Scripted(), [text], store=store, most_bytes=4096)
    assert store.info().billed == report.billed


def test_what_waits_for_a_text_that_goes_ahead_continues_when_another_run_has_that_text():
    """Claimed while it waited at the gate, it had nothing left to send, and the rest of its kind waited for ever."""
    store = Store()
    plan = Plan([TextGroup(request_kind(Scripted()), TEXTS[:3], [1] * 3)], store=store, rules=())
    carried = Run(plan, gate=Gate(), store=store, budget=Budget(), report=RunReport(), control=Control())
    batch = carried._ready.pop()
    carried._probes.suspect(batch)
    [ahead] = carried._probes.next_to_go(batch.kind)
    ahead.parts.pop().outcome = Outcome("done", TextAnswer("theirs"), from_store=True)
    carried._ready.append(ahead)
    carried.go()
    assert sorted(texts_of(plan)) == sorted(["theirs", *(UPPER[:3][place] for place in (0, 2))])
