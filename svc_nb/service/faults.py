"""Misbehaviour on demand: what goes wrong, where and how often; `misbehaving` does it.

A `Fault` says what goes wrong, on which operation, and how often:

| kind | what happens | its own settings |
|---|---|---|
| `latency` | the answer comes no sooner than this after the request | `seconds` |
| `capacity` | more than `limit` requests at once are refused | `limit`, `status` (429 or 529), `retry_after` |
| `status` | the request is refused unread | `status`, `retry_after` |
| `quota` | 456 once `characters` characters of text have passed | `characters` |
| `reset` | the connection is reset before any answer | |
| `hang` | no answer for `seconds`, then the connection is closed | `seconds` |
| `truncate` | the answer's JSON ends in the middle; a file breaks off in the middle | |
| `miscount` | the last result of a list is missing | |
| `drip` | the answer's body comes in slow pieces, all of them in this time | `seconds` |

The `operation` is a path as the contract writes it ("/v2/translate", "/v3/glossaries/{glossary_id}"), a method
and a path ("POST /v2/translate"), or "*". Of its requests a fault takes those that its `probability` hits, until it
has taken `count` of them. Of several faults of one kind the first that hits is the one that happens. `truncate` and
`miscount` happen to answers of 2xx, after the service has done and billed the work, as they would in life; a file that
breaks off is the exception: it is billed when all of it was sent, so it is not billed.
"""

from __future__ import annotations

import contextlib
import random
import shlex
import threading
from collections.abc import Collection, Iterator
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

Kind = Literal["latency", "capacity", "status", "quota", "reset", "hang", "truncate", "miscount", "drip"]


@dataclass(frozen=True, slots=True)
class Fault:
    """One way to misbehave; see the module's table."""

    kind: Kind
    operation: str = "*"
    probability: float = 1.0
    count: int | None = None
    seconds: float = 30.0
    limit: int = 8
    status: int = 429
    retry_after: int | None = None
    characters: int = 0

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise ValueError(f"there is no fault {self.kind!r}; there are {', '.join(get_args(Kind))}")
        bounds = {"probability": (0, 1), "status": (400, 599), "count": (1, None)}
        for name in ("probability", "status", "count", "seconds", "limit", "retry_after", "characters"):
            least, most = bounds.get(name, (0, None))
            value = getattr(self, name)
            if value is not None and (value < least or (most is not None and value > most)):
                raise ValueError(f"{name} is {least} or more{f', up to {most}' if most else ''}, not {value}")

    @classmethod
    def parse(cls, text: str) -> Fault:
        """A fault from the command line.

        >>> Fault.parse("capacity limit=4 status=529 operation='POST /v2/translate'").limit
        4
        """
        kind, *settings = shlex.split(text) or [""]
        kinds: dict[str, Any] = {"probability": float, "seconds": float, "operation": str}
        names = {field.name for field in fields(cls)} - {"kind"}
        values: dict[str, Any] = {}
        for setting in settings:
            name, equals, value = setting.partition("=")
            if name not in names or not equals:
                raise ValueError(
                    f"{setting!r} is no setting of a fault; there are {', '.join(sorted(names))}"
                )
            values[name] = kinds.get(name, int)(value)
        return cls(kind, **values)  # type: ignore[arg-type]

    def concerns(self, name: str) -> bool:
        """Whether the operation *name* is one of this fault's."""
        return self.operation in ("*", name, name.partition(" ")[2])


class _Armed:
    """A fault in force, and what it has done so far."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        self.taken = 0
        self.in_flight = 0
        self.passed = 0

    @property
    def spent(self) -> bool:
        return self.fault.count is not None and self.taken >= self.fault.count


class Faults:
    """The faults that are in force, changed at any time from any thread; *operations* are the names there are."""

    def __init__(self, operations: Collection[str], *, seed: int | None = None) -> None:
        self._operations = operations
        self._random = random.Random(seed)
        self._lock = threading.Lock()
        self._armed: list[_Armed] = []

    def add(self, kind: Kind | Fault, **settings: Any) -> Fault:
        """Put a fault in force: `add("status", status=503, probability=0.05)`."""
        fault = kind if isinstance(kind, Fault) else Fault(kind, **settings)
        if not any(fault.concerns(name) for name in self._operations):
            raise ValueError(f"there is no operation {fault.operation!r}; write it as the contract does")
        with self._lock:
            self._armed.append(_Armed(fault))
        return fault

    def remove(self, fault: Fault) -> None:
        """End a fault, and every one that is equal to it."""
        with self._lock:
            self._armed = [armed for armed in self._armed if armed.fault != fault]

    def clear(self) -> None:
        """Behave again."""
        with self._lock:
            self._armed = []

    def taken(self, fault: Fault) -> int:
        """How many requests a fault in force has hit."""
        return sum(armed.taken for armed in self._armed if armed.fault == fault)

    def strike(self, kind: Kind, name: str) -> Fault | None:
        """The fault of this kind that hits a request for the operation *name*, if any; it is counted."""
        with self._lock:
            for armed in self._concerned(kind, name):
                if not armed.spent and self._dice(armed.fault):
                    armed.taken += 1
                    return armed.fault
        return None

    @contextlib.contextmanager
    def room(self, name: str) -> Iterator[Fault | None]:
        """Hold a place under each capacity; gives the one that is full and refuses, if any."""
        with self._lock:
            held = list(self._concerned("capacity", name))
            full = next((armed for armed in held if self._is_full(armed)), None)
            if full:
                full.taken += 1
                held = []
            for armed in held:
                armed.in_flight += 1
        try:
            yield full.fault if full else None
        finally:
            with self._lock:
                for armed in held:
                    armed.in_flight -= 1

    def overspent(self, name: str, characters: int) -> bool:
        """Count *characters* towards the quotas; True when they do not fit any more."""
        with self._lock:
            quotas = list(self._concerned("quota", name))
            for armed in quotas:
                if not armed.spent and armed.passed + characters > armed.fault.characters:
                    armed.taken += 1
                    return True
            for armed in quotas:
                armed.passed += characters
        return False

    def any(self, kind: Kind, name: str) -> bool:
        """Whether a fault of this kind is in force for the operation *name*."""
        return next(self._concerned(kind, name), None) is not None

    def _concerned(self, kind: Kind, name: str) -> Iterator[_Armed]:
        return (armed for armed in self._armed if armed.fault.kind == kind and armed.fault.concerns(name))

    def _is_full(self, armed: _Armed) -> bool:
        return armed.in_flight >= armed.fault.limit and not armed.spent and self._dice(armed.fault)

    def _dice(self, fault: Fault) -> bool:
        return fault.probability >= 1 or self._random.random() < fault.probability
