"""Jobs driven in random orders, while the service misbehaves: no row is lost, shifted or paid for twice.

`HYPOTHESIS_PROFILE=search` takes 10,000 steps.
"""

from __future__ import annotations

import tempfile
import warnings
from collections import Counter
from contextlib import suppress
from pathlib import Path

import hypothesis.strategies as st
import pandas as pd
import pytest
from hypothesis import settings
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule

import svc_nb
from svc_nb import errors, service, session
from svc_nb.columns.job import JobOptions, TextJob
from svc_nb.columns.operations import translate
from svc_nb.columns.selection import Selection
from svc_nb.settings import Settings
from tests.toy import PAIRS, Toy

GOOD = [f"Das ist der Satz mit der Nummer {number}." for number in range(20)]
BAD = [f"これは{number}番目の文です。" for number in range(3)]  # the service refuses any request with one of these
SPACED = [f"  {GOOD[0]}", f"{GOOD[1]}\n"]
IDLE = ["42", " ", None]
CELLS = st.lists(st.sampled_from([*GOOD, *BAD, *SPACED, *IDLE]), min_size=1, max_size=40)
FAULTS = [
    {"kind": "status", "status": 503},
    {"kind": "status", "status": 429},
    {"kind": "status", "status": 500},
    {"kind": "reset"},
    {"kind": "latency", "seconds": 0.02},
]
SPOKEN = frozenset(pair for pair in PAIRS if pair[0] != "ja")
STEPS = 50


class German(Toy):
    """A translator without Japanese."""

    def pairs(self):
        return SPOKEN


@pytest.fixture(scope="module", autouse=True)
def running():
    with service.start(memory=True, translators=[German()]) as Jobs.running:
        yield


class Jobs(RuleBasedStateMachine):
    """Any number of jobs over one column and one store, and what each may say at any time."""

    running: service.Service
    jobs = Bundle("jobs")

    @initialize(cells=CELLS)
    def connect(self, cells) -> None:
        self.cells = cells
        self.column = pd.Series(cells, dtype=object, index=[number % 5 for number in range(len(cells))])
        self.started: list[TextJob] = []
        self.own: dict[str, str] = {}
        self.asked_again = self.forgotten = 0
        self.folder = tempfile.TemporaryDirectory()
        kept = Settings(store=str(Path(self.folder.name) / "answers.sqlite"), first_wait=0.005, longest_wait=0.02)
        self.session = session.Session.embedded(self.running, kept)
        self.before = session.make_current(self.session)
        self.billed = self.session.client.account.usage().character_count

    def teardown(self) -> None:
        if not hasattr(self, "session"):
            return
        self.running.faults.clear()
        for job in self.started:
            job.resume()
        for job in self.started:
            assert job.wait(60), "two jobs wait for each other"
            self.look(job)
        spent = self.session.client.account.usage().character_count - self.billed
        assert spent == sum(job.progress.billed for job in self.started)
        kept = {entry.source: entry.answer for entry in self.session.store.entries(operation="translate")}
        once = sum(map(len, kept))
        most = (once + self.forgotten) * (1 + self.asked_again)
        assert once <= spent <= most, "paid for twice, or paid for and lost"
        assert {source: kept[source].text for source in self.own} == self.own, "a person's wording is gone"
        session.make_current(self.before)
        self.session.close()
        self.session.store.close()
        self.folder.cleanup()

    # ---- what a person does

    @rule(
        target=jobs,
        coerce=st.booleans(),
        budget=st.sampled_from([None, None, 0, 100]),
        again=st.sampled_from([False, False, True]),
    )
    def start(self, coerce, budget, again):
        self.asked_again += again
        options = JobOptions(errors="coerce" if coerce else "raise", skip=RULES, budget=budget, again=again)
        job = TextJob(self.session, Selection(self.column), translate(self.session, "EN-US"), options)
        if not coerce:
            self.plan(job)
        job.start()
        self.started.append(job)
        return job

    @rule(target=jobs, job=jobs)
    def again(self, job):
        if not job.done():
            return job
        self.asked_again += job.options.again is not False
        other = job.again()
        self.look(other)
        other.start()
        self.started.append(other)
        return other

    @rule(job=jobs)
    def plan(self, job):
        before = job.table() if job.started and job.done() else None
        assert job.plan().rows == len(self.cells)
        if before is not None:
            assert job.table().equals(before)

    @rule(job=jobs)
    def look(self, job):
        """Every cell is right or a gap, and the table, which is read later, says the same or has more."""
        over = job.done()
        cells, table = job.partial(), job.table()
        assert cells.index.equals(self.column.index)
        for given, cell, status, text in zip(
            self.cells, cells.tolist(), table["status"], table["text"].tolist(), strict=True
        ):
            assert pd.isna(cell) or cell == text
            assert not over or pd.isna(cell) == pd.isna(text)
            if status == "done":
                assert text in self.right(given)
            elif status == "skipped":
                assert text == given or (given is None and pd.isna(text))
            else:
                assert pd.isna(cell)

    @rule(job=jobs)
    def pause(self, job):
        job.pause()

    @rule(job=jobs)
    def resume(self, job):
        job.resume()

    @rule(job=jobs)
    def cancel(self, job):
        job.cancel()

    @rule(job=jobs, seconds=st.sampled_from([0, 0.01, 0.05]))
    def wait(self, job, seconds):
        job.wait(seconds)

    @rule(job=jobs)
    def result(self, job):
        if not job.done():
            return
        report, table = job.progress, job.table()
        counts = Counter(table["status"])
        assert (report.done, report.marked, report.failed) == (
            counts["done"],
            counts["marked"],
            counts["failed"],
        )
        assert (report.skipped.total(), report.unsent.total()) == (counts["skipped"], counts["unsent"])
        assert table["billed_characters"].sum() == report.billed
        with warnings.catch_warnings(), suppress(errors.SvcError):
            warnings.simplefilter("ignore")
            assert job.result(0).equals(job.partial())

    @rule(job=jobs)
    def retry(self, job):
        if not job.done() or job.options.budget is not None:
            return
        self.running.faults.clear()
        self.asked_again += job.options.again is not False
        other = job.again()
        other.start()
        self.started.append(other)
        if not other.wait(20):
            assert any(not each.done() for each in self.started if each is not other)  # it waits for a paused one
            return
        assert other.progress.unsent.total() == 0
        found = set(other.partial())
        assert all(found & self.right(given) for given in self.cells if given in GOOD)

    @rule()
    def correct(self):
        found = svc_nb.store.find(operation="translate").head(1)
        found["text"] = [f"My words for {source}" for source in found["source"]]
        svc_nb.store.correct(found)
        self.own |= dict(zip(found["source"], found["text"], strict=True))

    @rule()
    def forget(self):
        found = svc_nb.store.find(operation="translate").tail(1)
        svc_nb.store.forget(found)
        for source in found["source"]:
            self.own.pop(source, None)
            self.forgotten += len(source)

    @rule(fault=st.sampled_from(FAULTS), count=st.integers(1, 4))
    def break_something(self, fault, count):
        self.running.faults.add(**fault, operation="/v2/translate", count=count)

    @rule()
    def mend_all(self):
        self.running.faults.clear()

    @invariant()
    def counts_are_never_more_than_the_rows(self):
        for job in getattr(self, "started", ()):
            assert 0 <= job.progress.finished <= len(self.cells)

    def right(self, given: str) -> set[str]:
        """The allowed results for *given*: the service's answer, or what a person wrote."""
        bare = given.strip()
        return {given.replace(bare, made) for made in (f"[EN-US] {bare}", f"My words for {bare}")}


RULES = ("blank", "no_letters")


TestJobs = Jobs.TestCase
TestJobs.settings = settings(stateful_step_count=STEPS)
