"""What benchmarks share: the service in a process of its own, a session with it, and columns to translate."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from svc_nb import session
from svc_nb.secret import Secret
from svc_nb.settings import Settings
from tests.sessions import current

TRANSLATE = "POST /v2/translate"


@dataclass
class Counts:
    """The server's counters: the truth."""

    answered: Counter
    peak: int
    billed: int

    @property
    def requests(self) -> int:
        """Translations that were answered with success."""
        return self.answered[TRANSLATE, 200]

    @property
    def refused(self) -> int:
        """Translations that were refused for want of room."""
        return self.answered[TRANSLATE, 429] + self.answered[TRANSLATE, 529]

    def __sub__(self, before: Counts) -> Counts:
        return Counts(self.answered - before.answered, self.peak, self.billed - before.billed)


class Remote:
    """The embedded service in another process, or what another *script* makes of it."""

    def __init__(self, script: str = "remote.py") -> None:
        pipe = subprocess.PIPE
        command = [sys.executable, str(Path(__file__).with_name(script))]
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
        told = self._read()
        self.base_url, self.api_key = told["base_url"], told["api_key"]

    def add(self, kind: str, **settings) -> None:
        self._order({"add": {"kind": kind, "operation": "/v2/translate", **settings}})

    def clear(self) -> None:
        self._order({"clear": True})

    def counts(self) -> Counts:
        told = self._order({"count": True})
        answered = Counter({(name, status): count for name, status, count in told["answered"]})
        return Counts(answered, told["peak"], told["billed"])

    def stop(self) -> None:
        self.process.stdin.close()
        self.process.wait(10)
        self.process.stdout.close()

    def _order(self, order: dict) -> dict:
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        return self._read()

    def _read(self) -> dict:
        return json.loads(self.process.stdout.readline())


@contextmanager
def connected(remote: Remote, store: str | None = None, **settings):
    """A fresh session as the current one: its gate has learned nothing yet, its store is a new file."""
    session._gates.clear()
    with tempfile.TemporaryDirectory() as folder:
        store = store or str(Path(folder, "answers.sqlite"))
        key = Secret(remote.api_key)
        made = Settings(base_url=remote.base_url, api_key=key, store=store, **settings)
        with current(session.Session(made)) as opened:
            yield opened


def column(rows: int, unique: int, *, seed: int = 0, salt: str = "") -> pd.Series:
    """German review-like texts of 66 characters on average; each of *unique* texts stands there at least once."""
    texts = np.array([sentence(number, salt) for number in range(unique)], dtype=object)
    places = np.random.default_rng(seed).integers(0, unique, rows)
    places[:unique] = np.arange(unique)
    return pd.Series(texts[places], name="review").astype("str" if pd.__version__ >= "3" else "string")


def sentence(number: int, salt: str = "") -> str:
    return f"Bestellung {salt}{number}: Der Rucksack ist leicht, und die Lieferung kam schnell an."
