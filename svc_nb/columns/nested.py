"""Texts inside cells: paths such as `messages[*].content`, and columns of lists, dicts, JSON texts and structs.

1. The paths of a column become one tree of steps, so that a value reached by two of them is visited once.
2. Every cell is walked along the tree. Each value that a path reaches is a row of a column of texts, which goes
   through a job like any other.
3. The same walk puts the results back. Only containers that change are copied; in a JSON text only string literals
   change.

The walk is as deep as the paths, however deep the cells are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Generator, Hashable, Mapping, Sequence
from copy import copy
from enum import Enum
from functools import lru_cache
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from svc_nb.advice import did_you_mean
from svc_nb.engine.plan import sendable
from svc_nb.errors import NoSuchColumn
from svc_nb.tabular.text_column import Codes, Column, NoText

MOST_STEPS = 100
# How many values are examined to explain why a path leads nowhere.
MOST_LOOKED_AT = 10_000

# ---- paths


class Every(Enum):
    """A step to every value of a dict, or to every item of a list."""

    KEY = ".*"
    ITEM = "[*]"


Step = str | int | Every

_PLAIN_KEY = r"""[^.\[\]*"']+"""
_STEP = re.compile(
    rf"""\.(?P<key>{_PLAIN_KEY})|\[(?P<item>[0-9]{{1,9}})\]|(?P<every>\.\*|\[\*\])"""
    r"""|\[(?:"(?P<double>(?:[^"\\]|\\.)*+)"|'(?P<single>(?:[^'\\]|\\.)*+)')\]""",
    re.DOTALL,
)


class Path(NamedTuple):
    """The place of texts in the cells of a column: the path as written, and its steps."""

    written: str
    steps: tuple[Step, ...]

    @classmethod
    def of(cls, written: str, start: int) -> Path:
        """The path whose steps begin at *start*, after the column's name; raises ValueError for an invalid step.

        >>> Path.of("messages[*].content", 8).steps, Path.of('a[0]["b c"].*', 1).steps
        ((<Every.ITEM: '[*]'>, 'content'), (0, 'b c', <Every.KEY: '.*'>))
        """
        steps: list[Step] = []
        at = start
        while at < len(written):
            found = _STEP.match(written, at)
            if not found:
                raise ValueError(
                    f'columns: {written!r} is not a path. At character {at + 1}, expected .key, ["key"], .* (every '
                    f"key), [0] or [*] (every item), found {written[at : at + 20]!r}."
                )
            value = found[found.lastgroup or 0]
            match found.lastgroup:
                case "key":
                    steps.append(value)
                case "item":
                    steps.append(int(value))
                case "every":
                    steps.append(Every(value))
                case _:
                    steps.append(re.sub(r"(?s)\\(.)", r"\1", value))
            at = found.end()
        if len(steps) > MOST_STEPS:
            raise ValueError(f"columns: expected a path of at most {MOST_STEPS} steps, found {len(steps):,}")
        return cls(written, tuple(steps))


def top_of(label: Hashable, names: Sequence[Hashable]) -> str | None:
    """The column that a path begins with: the longest of *names* that is followed by "." or "["; None if there is none.

    >>> top_of("a.b[0]", ["a", "a.b"]), top_of("text", ["text"])
    ('a.b', None)
    """
    if not isinstance(label, str):
        return None
    tops = (name for name in names if isinstance(name, str) and label.startswith((f"{name}.", f"{name}[")))
    return max(tops, key=len, default=None)


@lru_cache(maxsize=4096, typed=True)
def _written(step: Hashable) -> str:
    """A key or an index as a step of a path."""
    if isinstance(step, str):
        escaped = step.replace("\\", "\\\\").replace('"', '\\"')
        return f".{step}" if re.fullmatch(_PLAIN_KEY, step) else f'["{escaped}"]'
    return step.value if isinstance(step, Every) else f"[{step!r}]"


class Node:
    """A place that the paths in `ends` lead to, and the steps that continue from there."""

    __slots__ = ("any_item", "any_key", "ends", "items", "keys")

    def __init__(self, paths: Sequence[Path]) -> None:
        self.ends = [path.written for path in paths if not path.steps]
        on = [(path.steps[0], Path(path.written, path.steps[1:])) for path in paths if path.steps]

        def below(*firsts: Step) -> Node:
            return Node([path for first, path in on if first in firsts])

        firsts = dict.fromkeys(first for first, _ in on)
        self.keys = {first: below(first, Every.KEY) for first in firsts if isinstance(first, str)}
        self.items = {first: below(first, Every.ITEM) for first in firsts if isinstance(first, int)}
        self.any_key = below(Every.KEY) if Every.KEY in firsts else None
        self.any_item = below(Every.ITEM) if Every.ITEM in firsts else None


# ---- cells

# Called for each value that a path leads to, with the value, the node and the way there; returns the new value.
Visit = Callable[[Any, Node, str], Any]


def visited(value: Any, node: Node, visit: Visit, way: str) -> Any:
    """*value* with the results of *visit* wherever the paths of *node* lead; *value* itself if nothing changes."""
    if isinstance(value, str):
        return visit(value, node, way) if node.ends else _visited_json(value, node, visit, way)
    changed: dict[Any, Any] = {}
    if isinstance(value, dict) and (node.keys or node.any_key):
        keys: Any = value if node.any_key else [key for key in node.keys if key in value]
        for key in keys:
            old = value[key]
            below: Any = node.keys.get(key, node.any_key)
            new = visited(old, below, visit, way + _written(key))
            if new is not old:
                changed[key] = new
        return _changed(value, changed)
    if _is_list(value) and (node.items or node.any_item):
        places: Any = range(len(value)) if node.any_item else [place for place in node.items if place < len(value)]
        for place in places:
            old = value[place]
            below = node.items.get(place, node.any_item)
            new = visited(old, below, visit, f"{way}[{place}]")
            if new is not old:
                changed[place] = new
        return _changed(value, changed)
    return visit(value, node, way) if node.ends else value


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim > 0)


def _changed(value: Any, changed: dict[Any, Any]) -> Any:
    """A copy of a container with the changed values; the container itself if there are none."""
    if not changed:
        return value
    if isinstance(value, tuple):
        items = [changed.get(place, item) for place, item in enumerate(value)]
        return value._make(items) if hasattr(value, "_make") else tuple(items)
    if (
        isinstance(value, np.ndarray) and value.dtype.kind == "U"
    ):  # which has no room for longer texts or missing values
        value = value.astype(object)
    made = copy(value)
    for place, new in changed.items():
        made[place] = new
    return made


# ---- JSON texts: checked as a whole first, so that the code below need not look for mistakes

_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_COLON = re.compile(r"\s*+:\s*+")
_BRACKET = re.compile(rf"{_STRING}|[\[\]{{}}]")
_END = re.compile(rf"{_STRING}|[^\s,\[\]{{}}]++")
_GAP = re.compile(r"[\s,]*+")
# Numbers stay as written, however long.
_DECODER = json.JSONDecoder(parse_int=str, parse_float=str)


def _visited_json(text: str, node: Node, visit: Visit, way: str) -> str:
    """`visited` for a text that may be JSON: literals are replaced in place, and everything else stays."""
    first = _end(_GAP, text, 0)
    if text[first : first + 1] not in ("{", "["):
        return text
    try:
        _DECODER.decode(text)
    except ValueError:
        visit(BROKEN, node, way)
        return text
    done: list[str] = []
    at = 0
    for start, end, place, there in _places(text, first, node, way):
        literal = text[start:end]
        if literal[0] != '"':
            visit(None if literal == "null" else {} if literal[0] in "{[" else NO_TEXT, place, there)
            continue
        old = scanstring(text, start + 1, True)[0]
        new = visited(old, place, visit, there)
        if new is not old:
            done += [text[at:start], _literal(new, literal, text)]
            at = end
    return "".join([*done, text[at:]]) if done else text


def _literal(new: str | None, old: str, text: str) -> str:
    """A text as a JSON literal, in the style of the *old* literal and the *text* around it."""
    if new is None:
        return "null"
    is_escaped = text.isascii() and "\\u" in text
    made = json.dumps(new, ensure_ascii=is_escaped or not sendable(new))
    return made.replace("/", "\\/") if "\\/" in old else made


def _places(text: str, at: int, node: Node, way: str) -> Generator[tuple[int, int, Node, str], None, int]:
    """Find the places that the paths of *node* lead to in the value that begins *at*; returns where that value ends."""
    first = text[at]
    if first == "{" and (node.keys or node.any_key):
        at = _end(_GAP, text, at + 1)
        while text[at] != "}":
            key, end = scanstring(text, at + 1, True)
            end = _end(_COLON, text, end)
            below = node.keys.get(key, node.any_key)
            at = (yield from _places(text, end, below, way + _written(key))) if below else _value_end(text, end)
            at = _end(_GAP, text, at)
        return at + 1
    if first == "[" and (node.items or node.any_item):
        at, item = _end(_GAP, text, at + 1), 0
        while text[at] != "]":
            below = node.items.get(item, node.any_item)
            at = (yield from _places(text, at, below, f"{way}[{item}]")) if below else _value_end(text, at)
            at, item = _end(_GAP, text, at), item + 1
        return at + 1
    end = _value_end(text, at)
    if node.ends or first == '"':
        yield at, end, node, way
    return end


def _value_end(text: str, at: int) -> int:
    if text[at] not in "{[":
        return _end(_END, text, at)
    depth = 0
    for found in _BRACKET.finditer(text, at):
        mark = text[found.start()]
        depth += (mark in "{[") - (mark in "]}")
        if not depth:
            return found.end()
    return len(text)


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


# ---- columns

# Counted for values that stay unchanged although a path leads to them: not text, or text that only looks like JSON.
NO_TEXT, BROKEN = NoText("not_text"), NoText("not_json")


class NestedColumn(Column):
    """The texts that *paths* lead to in the cells of a column; `rows` has the row of each.

    Values that are not text stay unchanged, and are counted in `kinds`. Raises NoSuchColumn for a path that leads
    nowhere in any cell, unless all cells are missing or empty.
    """

    nested = True

    def __init__(self, values: pd.Series[Any], paths: Sequence[Path]) -> None:
        self._values = values
        self._tree = Node(paths)
        self._cells = _cells(values)
        texts: list[Any] = []
        counts: list[int] = []
        met: set[Node] = set()

        def take(value: Any, node: Node, way: str) -> Any:
            if isinstance(value, str) or value is BROKEN:
                texts.append(value)
                met.add(node)
            elif isinstance(value, dict) or _is_list(value):
                texts.append(NO_TEXT)
            else:
                texts.append(None if value is None or value is pd.NA or value != value else NO_TEXT)
                met.add(node)
            return value

        try:
            for cell in self._cells:
                visited(cell, self._tree, take, "")
                counts.append(len(texts))
        except RecursionError:
            row = len(counts)
            raise ValueError(
                f"column {values.name!r}, row {row} (label {values.index[row]!r}): expected JSON, found JSON that "
                "is nested too deeply to be read. Split it up first."
            ) from None
        ends = {end for node in met for end in node.ends}
        for path in paths:
            if path.written not in ends and (problem := _explained(path, str(values.name), self._cells)):
                raise NoSuchColumn(problem)
        self.rows: Codes = np.repeat(np.arange(len(counts)), np.diff(np.array([0, *counts])))
        labels = values.index.take(self.rows)
        super().__init__(pd.Series(texts, index=labels, name=values.name, dtype=object), coerce=True)

    @property
    def ways(self) -> list[str]:
        """The way to each text, such as `messages[2].content`."""
        found: list[str] = []

        def note(value: Any, node: Node, way: str) -> Any:
            found.append(way)
            return value

        for cell in self._cells:
            visited(cell, self._tree, note, str(self.name))
        return found

    def filled(self, values: Sequence[str | None], codes: Codes) -> Any:
        """The column with each text replaced by the value that its code in *codes* selects; None for -1 and None."""
        olds = (None if code < 0 else self.texts[code] for code in self.codes.tolist())
        news = (None if code < 0 else values[code] for code in codes.tolist())
        both = zip(olds, news, strict=True)

        def put(value: Any, node: Node, way: str) -> Any:
            old, new = next(both, (None, None))
            if not isinstance(value, str) or value == new:
                return value
            if value != old:
                raise ValueError(
                    f"column {self.name!r}: its cells were changed during the run. Run it again; finished rows are "
                    "not paid for again."
                )
            return new

        made = _array([visited(cell, self._tree, put, "") for cell in self._cells], self._values)
        return pd.Series(made, index=self._values.index, name=self.name, copy=False, dtype=made.dtype)


def _cells(values: pd.Series[Any]) -> list[Any]:
    if not isinstance(values.dtype, pd.ArrowDtype):
        return values.tolist()
    if "time64[ns]" in str(values.dtype):
        raise TypeError(
            f"column {values.name!r}: found times in nanoseconds (time64[ns]), which Python does not have. Cast them "
            "to time64[us] first."
        )
    cells: list[Any] = values.array.__arrow_array__().to_pylist()
    return cells


def _array(cells: list[Any], like: pd.Series[Any]) -> Any:
    """*cells* as an array of the type of *like*."""
    if isinstance(like.dtype, pd.ArrowDtype):
        import pyarrow as pa

        made = pa.array(cells, type=like.dtype.pyarrow_dtype)  # not by pandas, which treats NaN in a struct as missing
        return pd.arrays.ArrowExtensionArray(made if isinstance(made, pa.ChunkedArray) else pa.chunked_array([made]))
    if isinstance(like.dtype, pd.CategoricalDtype):
        return pd.Categorical(cells)
    return pd.Series(cells, dtype=like.dtype).array


# ---- why a path leads nowhere


def _explained(path: Path, way: str, cells: Sequence[Any]) -> str | None:
    """What is wrong with a path that leads to no text; None if there is nothing it could lead to."""
    values = _opened(cells)
    for step in path.steps:
        dicts = [value for value in values if isinstance(value, dict)]
        lists = [value for value in values if _is_list(value)]
        keys = dict.fromkeys(key for value in dicts for key in value)
        match step:
            case Every.KEY:
                below = [each for value in dicts for each in value.values()]
            case Every.ITEM:
                below = [each for value in lists for each in value]
            case str():
                below = [value[step] for value in dicts if step in value]
            case _:
                below = [value[step] for value in lists if step < len(value)]
        if not below:
            return _lacking(step, way, values, keys, max(map(len, lists), default=0))
        values = _opened(below)
        way += _written(step)
    if not values:
        return None
    keys = dict.fromkeys(key for value in values if isinstance(value, dict) for key in value)
    kinds = " and ".join(sorted({type(value).__name__ for value in values}))
    goes_on = (
        did_you_mean("", keys, shown=lambda key: f"the key {key!r}") if keys else f"Did you mean {path.written}[*]?"
    )
    return f"{path.written!r} leads to {kinds}, not to text. {goes_on}"


def _lacking(step: Step, way: str, values: Sequence[Any], keys: Mapping[Any, None], longest: int) -> str | None:
    """The message if no value in *values* has the next *step* of a path."""
    if not keys and not longest and all(isinstance(value, dict) or _is_list(value) for value in values):
        return None  # they are empty
    is_key = isinstance(step, str) or step is Every.KEY
    if is_key and keys:
        return f"{way!r} has no key {step!r}. {did_you_mean(step, keys)}"
    if longest and not is_key:
        return f"{way!r} has no item [{step}]: the longest has {longest:,}."
    if longest:
        return f"{way!r} is a list. Did you mean {f'{way}[*]{_written(step)}'!r}?"
    if keys:
        return f"{way!r} is a dict, not a list. {did_you_mean('', keys)}"
    found = next(value for value in values if not isinstance(value, dict) and not _is_list(value))
    kind = "text that is not JSON" if isinstance(found, str) else type(found).__name__
    return f"{way!r}: expected lists, dicts or JSON for the next step {_written(step)}, found {kind}."


def _opened(values: Sequence[Any]) -> list[Any]:
    """Some of the values that are not missing, with JSON parsed."""
    found: list[Any] = []
    for value in values[:MOST_LOOKED_AT]:
        if isinstance(value, str):
            try:
                read = _DECODER.decode(value)
            except (ValueError, RecursionError):
                read = value
            found.append(read if isinstance(read, dict | list) else value)
        elif isinstance(value, dict) or _is_list(value) or not pd.isna(value):
            found.append(value)
    return found
