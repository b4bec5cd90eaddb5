"""A service in a few lines that does what a test says: real threads, no network."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections import Counter

from svc_nb.backoff import Patience
from svc_nb.engine.accounting import Budget
from svc_nb.engine.gate import Gate
from svc_nb.engine.job import Control
from svc_nb.engine.outcome import RunReport, TextAnswer
from svc_nb.engine.plan import Plan, RequestKind, TextGroup
from svc_nb.engine.run import Run
from svc_nb.engine.skip_rules import RULES
from svc_nb.engine.store import Store

QUICK = Patience(tries=5, first_wait=0.001, longest_wait=0.01)


class Scripted:
    """Answers each text with itself in capitals; *bad* texts, *fault* and *seconds* are its other behaviour."""

    def __init__(self, *, bad=lambda text: None, fault=lambda number, texts: None, seconds=0.0):
        self.bad = bad
        self.fault = fault
        self.seconds = seconds
        self.lock = threading.Lock()
        self.requests = []
        self.billed = Counter()
        self.in_flight = self.peak = 0

    def __call__(self, texts):
        with self.lock:
            number = len(self.requests)
            self.requests.append(list(texts))
            self.in_flight += 1
            self.peak = max(self.peak, self.in_flight)
        try:
            time.sleep(self.seconds)
            return self._answer(number, texts)
        finally:
            with self.lock:
                self.in_flight -= 1

    def _answer(self, number, texts):
        error = self.fault(number, texts) or next(filter(None, map(self.bad, texts)), None)
        if isinstance(error, Exception):
            raise error
        with self.lock:
            self.billed.update(texts)
        answers = [TextAnswer(text.upper(), "DE", len(text)) for text in texts]
        return error(answers) if error else answers

    @property
    def characters(self):
        return sum(len(text) * count for text, count in self.billed.items())


class Full(Store):
    """A store that can keep no transaction while `full` is true."""

    full = False

    def __init__(self, path):
        super().__init__(path)
        write = self._database.write
        self._database.write = lambda *works: write(*works, self._commit)

    def _commit(self, db):
        if self.full:
            raise sqlite3.OperationalError("database or disk is full")


def request_kind(service, **rest):
    return RequestKind("translate", service, b"test", target_lang="EN-US", **rest)


def run(
    service,
    texts,
    *,
    store=None,
    gate=None,
    budget=None,
    rules=RULES,
    control=None,
    patience=QUICK,
    rows=None,
    on=None,
    bill=None,
    again=(),
    report=None,
    **rest,
):
    """Carry out a plan for *texts*; gives the plan and the report."""
    kept = Store() if store is None else store
    group = TextGroup(on or request_kind(service, **rest), texts, rows or [1] * len(texts), again)
    plan = Plan([group], store=kept, rules=rules, budget=budget)
    report = report or RunReport()
    report.rows, report.unique = sum(group.rows), len(plan.asked)
    Run(
        plan,
        gate=gate or Gate(),
        store=kept,
        budget=Budget(budget),
        report=report,
        control=control or Control(),
        bill=bill,
        patience=patience,
    ).go()
    return plan, report


def outcomes(plan):
    return [part.outcome for part in plan.parts[0]]


def texts_of(plan):
    return [outcome.answer.text if outcome.answer else None for outcome in outcomes(plan)]
