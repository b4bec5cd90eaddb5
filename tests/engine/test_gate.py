"""The gate against a simulated service with a hidden capacity; its clock is simulated too, so nothing sleeps."""

import heapq
import random
import threading
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.engine.gate import Gate

LATENCY = 0.08
REFUSAL = 0.002
SEEDS = range(4)


class World:
    """Time, and what is to happen in it."""

    def __init__(self):
        self.now = 0.0
        self.turn = count()
        self.events = []

    def clock(self):
        return self.now

    def after(self, seconds, act):
        heapq.heappush(self.events, (self.now + seconds, next(self.turn), act))

    def go(self, until=600.0):
        while self.events and self.events[0][0] <= until:
            self.now, _, act = heapq.heappop(self.events)
            act()


class Service:
    """Holds at most *capacity(now)* requests, refuses some *stray* ones, and admits *rate* a second with bursts."""

    def __init__(self, world, capacity, *, seed=0, uneven=0.0, stray=0.0, rate=None, retry_after=None):
        self.world = world
        self.capacity = capacity if callable(capacity) else lambda now: capacity
        self.random = random.Random(seed)
        self.uneven = uneven
        self.stray = stray
        self.rate = rate
        self.retry_after = retry_after
        self.tokens, self.filled = 5.0, 0.0
        self.held = self.requests = self.refused = self.done = 0

    def send(self, answer):
        self.requests += 1
        full = self.held >= self.capacity(self.world.now)
        if full or self.random.random() < self.stray or not self.admits():
            self.refused += 1
            self.world.after(REFUSAL, lambda: answer(False))
            return
        self.held += 1
        stretch = 1 + self.uneven * self.random.uniform(-1, 1)
        self.world.after(LATENCY * stretch, lambda: self.finish(answer))

    def admits(self):
        if self.rate is None:
            return True
        self.tokens = min(5.0, self.tokens + (self.world.now - self.filled) * self.rate)
        self.filled = self.world.now
        if self.tokens < 1 - 1e-9:
            return False
        self.tokens -= 1
        return True

    def finish(self, answer):
        self.held -= 1
        self.done += 1
        answer(True)


class Run:
    """Sends *batches*; one that is refused stays away for a while, alone."""

    def __init__(self, world, gate, service, batches, *, seed=0):
        self.world, self.gate, self.service = world, gate, service
        self.random = random.Random(seed)
        self.ready = [0] * batches
        self.left = batches
        self.looks = False
        self.end = None
        self.launch()

    def launch(self):
        while self.ready:
            ticket = self.gate.enter(len(self.ready) - 1, self.wake)
            if ticket is None:
                self.wait()
                return
            refusals = self.ready.pop(0)
            self.service.send(lambda ok, ticket=ticket, refusals=refusals: self.take(ok, ticket, refusals))

    def wait(self):
        self.gate.wait(self.wake)
        pause = self.gate.opens_in()
        if pause is not None and not self.looks:
            self.looks = True
            self.world.after(pause, self.look)

    def look(self):
        self.looks = False
        self.launch()

    def wake(self):
        self.world.after(1e-5, self.launch)

    def take(self, ok, ticket, refusals):
        if ok:
            self.gate.accepted(ticket)
            self.left -= 1
            self.end = None if self.left else self.world.now
        else:
            self.gate.refuse(ticket, self.service.retry_after)
            away = self.service.retry_after or min(8.0, 0.05 * 2**refusals) * self.random.random()
            self.world.after(away, lambda: self.back(refusals + 1))
        self.launch()

    def back(self, refusals):
        self.ready.append(refusals)
        self.launch()


def simulate(batches, capacity, *, seed=0, until=600.0, **service):
    world = World()
    gate = Gate(clock=world.clock)
    served = Service(world, capacity, seed=seed, uneven=0.1 if seed else 0.0, **service)
    run = Run(world, gate, served, batches, seed=seed)
    world.go(until)
    return run, served, gate


def measure(name, ideal, *args, **rest):
    """The time over the best possible, and the share of requests that were refused: the worst of some seeds."""
    ends = [simulate(*args, seed=seed, **rest) for seed in SEEDS]
    ratio = max(run.end / ideal for run, _, _ in ends)
    refused = max(service.refused / service.requests for _, service, _ in ends)
    print(f"{name}: {ratio:.3f} x the limit, {refused:.1%} refused")
    return ratio, refused


def eight_two_sixteen(now):
    return 8 if now < 2 else 2 if now < 6 else 16


def four_sixteen_six(now):
    return (4, 16, 6)[int(now / 5) % 3]


# ---- the speed of the service, without knowing it


def test_a_service_with_room_for_as_many_as_the_gate_starts_with_refuses_nothing():
    ratio, refused = measure("40 batches at 8", 40 * LATENCY / 8, 40, 8)
    assert ratio <= 1.1
    assert refused == 0


@pytest.mark.parametrize("capacity", [1, 2, 4])
def test_a_small_capacity_is_filled_with_few_refusals(capacity):
    ratio, refused = measure(f"40 batches at {capacity}", 40 * LATENCY / capacity, 40, capacity)
    assert ratio <= 1.15
    assert refused <= 0.25


@pytest.mark.parametrize(("capacity", "bar"), [(32, 1.2), (64, 1.4)])
def test_a_large_capacity_is_found_with_few_refusals(capacity, bar):
    ratio, refused = measure(f"400 batches at {capacity}", 400 * LATENCY / capacity, 400, capacity)
    assert ratio <= bar
    assert refused <= 0.03


@pytest.mark.parametrize(
    ("before", "after", "ideal"), [(24, 3, 1.0 + 100 * LATENCY / 3), (4, 24, 1.0 + 350 * LATENCY / 24)]
)
def test_a_capacity_that_falls_or_rises_at_once_is_followed(before, after, ideal):
    ratio, refused = measure(
        f"400 batches at {before}, then {after}", ideal, 400, lambda now: before if now < 1 else after
    )
    assert ratio <= 1.3
    assert refused <= 0.08


def test_a_capacity_that_falls_and_rises_is_followed():
    ratio, refused = measure("400 batches at 8, 2, 16", 6.5, 400, eight_two_sixteen)
    assert ratio <= 1.12
    assert refused <= 0.1


@pytest.mark.long
def test_a_long_run_uses_nearly_all_there_is_and_is_rarely_refused():
    for seed in SEEDS:
        _, service, _ = simulate(100_000, four_sixteen_six, seed=seed, until=30.0)
        goodput = service.done / (30.0 / LATENCY * (4 + 16 + 6) / 3)
        refused = service.refused / service.requests
        print(f"4, 16, 6: {goodput:.1%} of the capacity, {refused:.1%} refused")
        assert goodput >= 0.9
        assert refused <= 0.05


def test_stray_refusals_cost_little():
    for seed in SEEDS:
        _, service, _ = simulate(100_000, 8, seed=seed, until=20.0, stray=0.02)
        assert service.done >= 0.9 * 20.0 / LATENCY * 8
        assert service.refused <= 0.1 * service.requests


@pytest.mark.parametrize(("rate", "refusals"), [(50, 0.25), (5, 4.0)])
def test_a_service_that_counts_requests_a_second_gives_all_it_has(rate, refusals):
    for seed in SEEDS:
        _, service, _ = simulate(100_000, 1000, seed=seed, until=20.0, rate=rate)
        print(f"{rate} a second: {service.done / rate / 20:.1%}, {service.refused / service.done:.2f} refused each")
        assert service.done >= 0.9 * rate * 20.0
        assert service.refused <= refusals * service.done


def test_an_outage_is_not_hammered_and_ends_with_the_service():
    for seed in SEEDS:
        run, service, _ = simulate(200, lambda now: 0 if 1 < now < 5 else 8, seed=seed)
        assert run.end <= 5 + 2.5 + 100 * LATENCY / 8 * 1.5
        assert service.refused <= 40


@pytest.mark.parametrize("retry_after", [1.0, 5.0])
def test_a_retry_after_keeps_only_the_refused_away(retry_after):
    for seed in SEEDS:
        run, service, _ = simulate(400, 4, seed=seed, retry_after=retry_after)
        assert run.end <= 1.1 * 400 * LATENCY / 4
        assert service.refused <= 0.05 * service.requests


# ---- how it learns, step by step


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def filled(gate, backlog=1000):
    """As many tickets as there are."""
    return list(iter(lambda: gate.enter(backlog), None))


def round_trips(gate, clock, times, backlog=1000):
    for _ in range(times):
        tickets = filled(gate, backlog)
        clock.now += LATENCY
        for ticket in tickets:
            gate.accepted(ticket)


def test_what_was_accepted_may_grow_threefold_up_to_the_ceiling():
    gate = Gate(40, clock=(clock := Clock()))
    limits = []
    for _ in range(4):
        round_trips(gate, clock, 1)
        limits.append(gate.limit)
    assert limits == [24, 40, 40, 40]
    assert gate.refused == 0


def test_the_places_of_a_step_open_one_after_another_and_a_refusal_keeps_the_others_shut():
    gate = Gate(clock=(clock := Clock()))
    tickets = filled(gate)
    assert len(tickets) == 8
    while len(tickets) < 12:
        clock.now += gate.opens_in()
        tickets += filled(gate)
    clock.now += REFUSAL
    gate.refuse(tickets.pop())
    clock.now += 10 * LATENCY
    assert filled(gate) == []
    assert gate.opens_in() is None


def test_a_service_that_keeps_refusing_is_left_alone_until_it_has_answered_more():
    gate = Gate(clock=(clock := Clock()))
    round_trips(gate, clock, 10)
    tickets, refused = filled(gate), 0
    while len(tickets) > 4:
        clock.now += REFUSAL
        gate.accepted(tickets.pop())
        for ticket in filled(gate):
            clock.now += REFUSAL
            gate.refuse(ticket)
            refused += 1
    assert refused <= 12


def test_with_little_work_behind_it_no_new_place_is_tried():
    gate = Gate(clock=(clock := Clock()))
    round_trips(gate, clock, 10, backlog=32)
    assert gate.peak == 8
    assert len(filled(gate, backlog=1000)) > 8


def test_the_part_of_a_step_that_was_accepted_needs_no_more_work_behind_it():
    gate = Gate(clock=(clock := Clock()))
    round_trips(gate, clock, 1)
    clock.now += LATENCY
    for ticket in [gate.enter(1000) for _ in range(12)]:
        gate.accepted(ticket)
    assert len(filled(gate, backlog=0)) == 12
    assert gate.limit == 36


def test_a_refusal_leaves_the_places_that_the_service_holds():
    gate = Gate(clock=Clock())
    tickets = filled(gate)
    for ticket in tickets[3:]:
        gate.refuse(ticket)
    assert gate.limit == gate.in_flight == 3
    assert gate.refused == 5
    assert gate.enter(1000) is None


def test_answers_that_came_just_before_a_refusal_do_not_deepen_it():
    gate = Gate(clock=Clock())
    *answered, refused = filled(gate)
    for ticket in answered:
        gate.accepted(ticket)
    gate.refuse(refused)
    assert gate.limit == 7


def fall_to_one(gate, clock, retry_after=None):
    held, *refused = filled(gate)
    clock.now += REFUSAL
    for ticket in refused:
        gate.refuse(ticket, retry_after)
    gate.leave(held)


def answers_until_a_try(gate, clock, backlog=1000):
    """How many answers of success it takes until there are two places; they are taken then."""
    answers = 0
    while len(tickets := filled(gate, backlog)) < 2:
        clock.now += LATENCY
        gate.accepted(tickets[0])
        answers += 1
    return answers, tickets


def spacings(gate, clock, tries):
    """How many answers come before each of some tries when all of them are refused."""
    found = []
    for _ in range(tries):
        answers, (held, tried) = answers_until_a_try(gate, clock)
        found.append(answers)
        gate.refuse(tried)
        assert gate.limit == 1
        gate.leave(held)
    return found


def test_each_try_that_is_refused_makes_the_next_one_later_up_to_a_bound():
    gate = Gate(clock=(clock := Clock()))
    fall_to_one(gate, clock)
    assert spacings(gate, clock, 6) == [7, 13, 19, 19, 19, 19]


def test_a_service_that_had_more_room_before_is_tried_more_often():
    gate = Gate(start=2, clock=(clock := Clock()))
    round_trips(gate, clock, 1)
    fall_to_one(gate, clock)
    assert spacings(gate, clock, 4)[-1] == 10


def test_a_try_that_is_accepted_makes_the_steps_larger_and_the_next_try_early():
    gate = Gate(clock=(clock := Clock()))
    fall_to_one(gate, clock)
    spacings(gate, clock, 5)
    limits = []
    for _ in range(25):
        limits.append(gate.limit)
        round_trips(gate, clock, 1)
    grown = limits[limits.index(2) :]
    assert grown[:3] == [2, 5, 14]
    assert grown[-1] == gate.ceiling
    fall_to_one(gate, clock)
    assert spacings(gate, clock, 1) == [7]


def test_after_an_outage_more_places_are_tried_at_once():
    gate = Gate(clock=(clock := Clock()))
    fall_to_one(gate, clock)
    spacings(gate, clock, 5)
    for _ in range(3):
        refused_alone(gate, retry_after=10.0)
        clock.now += (gate.opens_in() or 0.0) + 1e-6
    assert answers_until_a_try(gate, clock, backlog=10)[0] == 1


def test_a_long_retry_after_makes_a_try_need_more_work_behind_it():
    gate = Gate(clock=(clock := Clock()))
    round_trips(gate, clock, 20, backlog=0)
    fall_to_one(gate, clock, retry_after=20 * LATENCY)
    round_trips(gate, clock, 20, backlog=19)
    assert len(tickets := filled(gate, backlog=19)) == 1
    assert len(tickets + filled(gate, backlog=28)) == 2


def test_a_lost_answer_and_an_unused_place_say_nothing_about_room():
    gate = Gate(clock=Clock())
    for ticket in filled(gate):
        gate.leave(ticket)
    assert (gate.limit, gate.in_flight, gate.refused) == (16, 0, 0)
    assert len(filled(gate)) == 8


def test_a_ticket_counts_once():
    gate = Gate(clock=Clock())
    first, *_ = filled(gate)
    gate.refuse(first)
    for close in (gate.refuse, gate.accepted, gate.leave):
        close(first)
    assert (gate.limit, gate.in_flight, gate.refused) == (7, 7, 1)


def test_a_lower_ceiling_holds_at_once_and_a_higher_one_is_grown_into():
    gate = Gate(clock=(clock := Clock()))
    round_trips(gate, clock, 5)
    gate.ceiling = 3
    assert len(filled(gate)) == gate.limit == 3
    gate = Gate(3, clock=clock)
    round_trips(gate, clock, 3)
    gate.ceiling = 12
    round_trips(gate, clock, 3)
    assert gate.limit == 12
    with pytest.raises(ValueError, match="at least 1, not 0"):
        gate.ceiling = 0


# ---- pauses


def refused_alone(gate, retry_after=None):
    ticket = gate.enter()
    assert gate.in_flight == 1
    gate.refuse(ticket, retry_after)


def test_a_retry_after_does_not_pause_a_gate_that_others_pass():
    gate = Gate(clock=(clock := Clock()))
    round_trips(gate, clock, 1)
    first, *others = filled(gate)
    gate.refuse(first, retry_after=30.0)
    assert gate.opens_in() is None
    for ticket in others:
        gate.accepted(ticket)
    round_trips(gate, clock, 5, backlog=0)
    refused_alone(gate, retry_after=30.0)
    assert gate.opens_in() is None
    assert gate.enter() is not None


def test_a_service_that_refuses_everything_is_asked_ever_less_often():
    gate = Gate(clock=(clock := Clock()))
    pauses = []
    for _ in range(2000):
        refused_alone(gate)
        pauses.append(round(gate.opens_in() or 0.0, 6))
        if pauses[-1]:
            assert gate.enter() is None
        clock.now += pauses[-1] + 1e-6
    assert pauses == sorted(pauses)
    assert pauses[0] == 0
    assert pauses[-1] == 2.0


def test_when_nothing_succeeds_for_two_round_trips_a_retry_after_holds_for_all():
    gate = Gate(clock=(clock := Clock()))
    refused_alone(gate, retry_after=30.0)
    refused_alone(gate, retry_after=30.0)
    assert gate.opens_in() < 1
    clock.now += 1
    refused_alone(gate, retry_after=30.0)
    assert gate.opens_in() == 30.0


def test_successes_make_pauses_short_again():
    gate = Gate(clock=(clock := Clock()))
    for _ in range(10):
        refused_alone(gate)
        clock.now += (gate.opens_in() or 0.0) + 1e-6
    for _ in range(4):
        ticket = gate.enter()
        clock.now += LATENCY
        gate.accepted(ticket)
    refused_alone(gate)
    assert gate.opens_in() is None


def test_after_a_pause_the_gate_says_so_until_someone_enters():
    gate = Gate(clock=(clock := Clock()))
    refused_alone(gate)
    refused_alone(gate)
    clock.now += 5
    assert gate.opens_in() == 0
    gate.enter()
    assert gate.opens_in() is None


# ---- waiting


def test_waiters_are_called_once_each_in_the_order_in_which_they_came():
    gate = Gate(start=2, clock=Clock())
    ticket, _ = filled(gate)
    calls = []
    first, second, third = wakes = [lambda name=name: calls.append(name) for name in "abc"]
    for wake in (first, second, first):
        gate.wait(wake)
    gate.leave(ticket)
    gate.wait(third)
    assert calls == ["a"]
    for place, wake in enumerate(wakes):
        assert calls == list("abc")[: place + 1]
        gate.leave(gate.enter(0, wake))
    assert calls == ["a", "b", "c"]


def test_a_waiter_that_is_forgotten_is_not_called_and_its_place_goes_to_the_next():
    gate = Gate(start=2, clock=Clock())
    ticket, _ = filled(gate)
    calls = []
    first, second, third = (lambda name=name: calls.append(name) for name in "abc")
    for wake in (first, second, third):
        gate.wait(wake)
    gate.forget(first)
    gate.leave(ticket)
    assert calls == ["b"]
    gate.forget(second)
    assert calls == ["b", "c"]


def test_who_waits_while_a_place_is_free_is_called_at_once():
    gate = Gate(clock=Clock())
    calls = []
    gate.wait(lambda: calls.append("at once"))
    assert calls == ["at once"]


def test_who_was_called_and_waits_again_is_called_again():
    gate = Gate(start=2, clock=Clock())
    ticket, _ = filled(gate)
    calls = []
    gate.wait(wake := lambda: calls.append("again"))
    gate.leave(ticket)
    gate.wait(wake)
    assert calls == ["again", "again"]


def test_a_wake_may_use_the_gate():
    gate = Gate(start=1, clock=Clock())
    tickets = [gate.enter()]
    gate.wait(lambda: tickets.append(gate.enter()))
    gate.leave(tickets[0])
    assert gate.in_flight == 1
    assert tickets[1] is not None


def test_when_a_pause_begins_all_who_wait_are_told_once():
    gate = Gate(start=1, clock=Clock())
    refused_alone(gate)
    ticket = gate.enter()
    calls = []
    wakes = [lambda name=name: calls.append(name) for name in "ab"]
    for wake in wakes:
        gate.wait(wake)
    gate.refuse(ticket)
    assert calls == ["a", "b"]
    for wake in wakes:
        gate.wait(wake)
    assert calls == ["a", "b"]


def test_a_place_is_kept_for_who_was_called_but_not_for_ever():
    gate = Gate(start=2, clock=(clock := Clock()))
    ticket, _ = filled(gate)
    gate.wait(absent := lambda: None)
    gate.leave(ticket)
    assert gate.enter(0, lambda: None) is None
    clock.now += 1
    assert gate.enter(0, lambda: None) is not None
    gate.forget(absent)


def test_no_one_is_sent_away_when_nothing_is_in_flight():
    gate = Gate(start=1, clock=Clock())
    ticket = gate.enter()
    gate.wait(lambda: None)
    gate.leave(ticket)
    assert gate.enter(0, lambda: None) is not None


@pytest.mark.parametrize("runs", [2, 3])
def test_runs_on_one_gate_share_its_places_fairly(runs):
    world = World()
    gate = Gate(clock=world.clock)
    services = [Service(world, 1000, uneven=0.1, seed=seed) for seed in range(runs)]
    gate.ceiling = 8
    for late, service in enumerate(services):
        world.after(late * LATENCY, lambda service=service: Run(world, gate, service, 10_000))
    world.go(until=20.0)
    done = [service.done for service in services]
    assert min(done) >= 0.9 * max(done)
    assert sum(done) >= 0.95 * 8 * 20.0 / LATENCY
    assert gate.peak <= 8


# ---- laws


class Visitor(threading.Thread):
    """Enters and leaves a gate many times, and waits to be called when it cannot."""

    def __init__(self, gate, inside, seed):
        super().__init__(daemon=True)
        self.gate, self.inside = gate, inside
        self.random = random.Random(seed)
        self.called = threading.Event()
        self.stuck = False

    def run(self):
        for visit in range(400):
            while (ticket := self.gate.enter(400 - visit, self.called.set)) is None:
                self.called.clear()
                self.gate.wait(self.called.set)
                pause = self.gate.opens_in()
                if not self.called.wait(20 if pause is None else pause) and pause is None:
                    self.stuck = True
                    return
            self.inside.append(1)
            self.most = max(getattr(self, "most", 0), len(self.inside))
            self.inside.pop()
            close = self.random.choice([self.gate.accepted] * 20 + [self.gate.refuse, self.gate.leave, self.gate.leave])
            close(ticket)
        self.gate.forget(self.called.set)


def test_threads_that_hammer_the_gate_never_exceed_the_ceiling_and_never_hang():
    gate = Gate(5)
    inside = []
    visitors = [Visitor(gate, inside, seed) for seed in range(12)]
    for visitor in visitors:
        visitor.start()
    for visitor in visitors:
        visitor.join(60)
    assert not any(visitor.is_alive() or visitor.stuck for visitor in visitors)
    assert max(visitor.most for visitor in visitors) <= gate.peak <= 5
    assert gate.in_flight == 0
    assert 1 <= gate.limit <= 5


ACTS = st.one_of(
    st.tuples(st.just("enter"), st.integers(0, 500)),
    st.tuples(st.sampled_from(["accepted", "refuse", "lost", "leave"]), st.integers(0, 50)),
    st.tuples(st.just("pass"), st.floats(0, 3)),
    st.tuples(st.just("ceiling"), st.integers(1, 100)),
)


@given(st.integers(1, 20), st.integers(1, 20), st.lists(ACTS, max_size=120))
def test_whatever_happens_the_limit_is_in_its_bounds_and_the_gate_opens_again(ceiling, start, acts):
    gate = Gate(ceiling, start=start, clock=(clock := Clock()))
    tickets = []
    for act, amount in acts:
        if act == "enter":
            ticket = gate.enter(amount)
            assert ticket is None or ticket.level == gate.in_flight <= gate.limit
            tickets += [ticket] if ticket else []
        elif act == "pass":
            clock.now += amount
        elif act == "ceiling":
            gate.ceiling = amount
        elif tickets:
            getattr(gate, act)(tickets[amount % len(tickets)])
        assert 1 <= gate.limit <= gate.ceiling
        assert 0 <= gate.in_flight <= gate.peak
    for ticket in tickets:
        gate.leave(ticket)
    assert gate.in_flight == 0
    clock.now += (gate.opens_in() or 0.0) + 1e-6
    assert gate.enter(0, lambda: None) is not None
