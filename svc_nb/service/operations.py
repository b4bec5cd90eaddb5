"""What the service can be asked: each operation with its path, scope, limits and shapes, declared where it is done."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import msgspec

from .keys import Key
from .state import State
from .wire import JSON

KIB = 1024
MIB = 1024 * KIB


class Nothing(msgspec.Struct):
    """An operation without a body, or without a query."""


B = TypeVar("B", bound=msgspec.Struct)
Q = TypeVar("Q", bound=msgspec.Struct)


@dataclass(frozen=True, slots=True)
class Call(Generic[B, Q]):
    """One request, read and allowed."""

    state: State
    key: Key
    body: B
    query: Q
    path: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)


Do = Callable[[Call[Any, Any]], Any]


@dataclass(frozen=True, slots=True)
class Operation:
    """One method on one path."""

    method: str
    path: str
    do: Do
    scope: str | None
    body: type[msgspec.Struct] | None = None
    query: type[msgspec.Struct] = Nothing
    answer: Any = None
    media: Sequence[str] = (JSON,)
    limit: int = 4 * MIB
    status: int = 200

    @property
    def name(self) -> str:
        """How faults and logs call it.

        >>> Operation("POST", "/v2/translate", do=print, scope=None).name
        'POST /v2/translate'
        """
        return f"{self.method} {self.path}"


class Operations(list[Operation]):
    """The operations of one resource; `add` declares the function below it as one of them."""

    def add(self, method: str, path: str, **rest: Any) -> Callable[[Do], Do]:
        """Declare the decorated function as the operation *method* *path*."""

        def declare(do: Do) -> Do:
            self.append(Operation(method, path, do, **rest))
            return do

        return declare
