"""JSON lines: an object a line, to which members are added; everything else in the line stays as it was."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO

from svc_nb.cli.failure import Failure
from svc_nb.cli.files.coded import Coded
from svc_nb.cli.files.encoded import Encoded
from svc_nb.cli.files.pieces import LONGEST, Pieces
from svc_nb.cli.files.table import LINES, Write

KINDS = {bool: "true or false", int: "numbers", float: "numbers", list: "lists", dict: "objects"}
ESCAPED = re.compile(r"\\u[0-9a-fA-F]{4}")


@dataclass(frozen=True, slots=True)
class Objects:
    """Lines of a file, of which the first has the number `line`; `filled` are the places of those with an object."""

    line: int
    lines: list[str]
    filled: list[int]
    texts: Mapping[str, Sequence[str | None]]

    def __len__(self) -> int:
        return len(self.filled)

    def column(self, name: str) -> Coded:
        """The texts under a name."""
        return Coded.of(self.texts[name])

    def place(self, row: int) -> int:
        """The line of a row."""
        return self.line + self.filled[row]


class JsonLines:
    """The objects of a file; a column is a name that they have, and what is no text there is a gap."""

    row_word = "line"
    endings = LINES
    packed = False
    longest: int | None = None

    def __init__(self, source: Encoded) -> None:
        self.source = source.source
        self.called = self.source.called
        self._text = source
        names: dict[str, None] = {}
        self.others: dict[str, str] = {}
        texts: set[str] = set()
        self.rows = 0
        ascii_only, escaped = True, False
        for line, text in self._texts():
            for found in self._objects(line, text.split("\n")).values():
                names.update(dict.fromkeys(found))
                texts.update(name for name, value in found.items() if isinstance(value, str))
                self._note_others(found)
                self.rows += 1
            ascii_only = ascii_only and text.isascii()
            escaped = escaped or (ascii_only and bool(ESCAPED.search(text)))
        if not self.rows:
            raise Failure(f"{self.called}: the file is empty")
        self.names = list(names)
        self.others = {name: kind for name, kind in self.others.items() if name not in texts}
        self._ascii = ascii_only and escaped

    def check(self, columns: Sequence[str]) -> None:
        """Do nothing: the names stand on all lines, so that all was looked at before."""

    def blocks(self, columns: Sequence[str] = (), *, whole: bool = True) -> Iterator[Objects]:
        """All lines, some at a time, with the texts of *columns*."""
        for line, text in self._texts():
            lines = text.split("\n")
            objects = self._objects(line, lines)
            texts = {name: [_text(each.get(name)) for each in objects.values()] for name in columns}
            yield Objects(line, lines, list(objects), texts)

    @contextmanager
    def writing(
        self, stream: BinaryIO, added: Mapping[str, str], *, encoding: str | None = None
    ) -> Iterator[Write]:
        """What writes the lines with members added to every object."""
        with self._text.writing(stream, encoding) as write:
            yield lambda block, cells: self._write(block, cells, write)

    def _write(self, block: Objects, added: Mapping[str, Coded], write: Callable[[str], None]) -> None:
        lines = list(block.lines)
        names = [self._written(name) for name in added]
        rows = zip(*map(self._cells, added.values()), strict=True)
        for place, cells in zip(block.filled, rows, strict=True):
            lines[place] = _extended(lines[place], list(zip(names, cells, strict=True)))
        write("\n".join(lines))

    def _cells(self, added: Coded) -> list[str]:
        """The cells as JSON; every different one is written once."""
        texts = [self._written(text) for text in (*added.texts, None)]
        return [texts[code] for code in added.codes.tolist()]

    def _written(self, text: str | None) -> str:
        return json.dumps(text, ensure_ascii=self._ascii)

    def _texts(self) -> Iterator[tuple[int, str]]:
        """Whole lines together, with the number of the first."""
        given, used, line = Pieces(self._text.texts()), 0, 1
        while given.more(used):
            used = len(given.text) if given.last else given.text.rfind("\n") + 1
            if used:
                yield line, given.text[:used]
                line += given.text.count("\n", 0, used)
        if not given.last:
            raise Failure(f"{self.called}, line {line}: the line has more than {LONGEST:,} characters")

    def _objects(self, line: int, lines: Sequence[str]) -> dict[int, dict[str, Any]]:
        """The objects by their place in *lines*."""
        return {place: self._object(text, line + place) for place, text in enumerate(lines) if text.strip()}

    def _note_others(self, found: Mapping[str, Any]) -> None:
        """Note which members are neither texts nor gaps, and what the first of each is."""
        for name, value in found.items():
            if value is not None and not isinstance(value, str) and name not in self.others:
                self.others[name] = KINDS[type(value)]

    def _object(self, line: str, number: int) -> dict[str, Any]:
        try:
            found = json.loads(line)
        except (ValueError, RecursionError) as problem:
            raise Failure(f"{self.called}, line {number}: {_told(problem)}") from None
        if not isinstance(found, dict):
            raise Failure(f"{self.called}, line {number}: expected an object, {{…}}, on every line")
        return found


def _extended(line: str, members: Sequence[tuple[str, str]]) -> str:
    """An object with members added at its end, as roomy as the others are."""
    end = line.rindex("}")
    before = line[:end].rstrip()
    roomy = '": ' in line or before == "{"
    comma, colon = (", ", ": ") if roomy else (",", ":")
    written = comma.join(name + colon + value for name, value in members)
    return f"{before}{'' if before.endswith('{') else comma}{written}{line[len(before) :]}"


def _told(problem: ValueError | RecursionError) -> str:
    """Why a line cannot be read."""
    if isinstance(problem, json.JSONDecodeError):
        return f"this is no JSON ({problem.msg})"
    if isinstance(problem, RecursionError):
        return "the object is nested too deep"
    return "a number has too many digits"  # the only other thing that Python refuses


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
