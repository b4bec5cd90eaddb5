"""JSON lines: an object a line, to which members are added; everything else in the line stays as it was."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO

from svc_nb.tabular.streaming import JSON_LINES, CodedCells, Write, source
from svc_nb.tabular.streaming.source import LONGEST, EncodedText, LineTooLong, whole_lines

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

    def column(self, name: str) -> CodedCells:
        """The texts under a name."""
        return CodedCells.of(self.texts[name])

    def place(self, row: int) -> int:
        """The line of a row."""
        return self.line + self.filled[row]


class JsonLines:
    """The objects of a file; a column is a name that they have, and what is no text there is a gap."""

    row_word = "line"
    endings = JSON_LINES
    packed = False
    longest: int | None = None

    def __init__(self, text: EncodedText) -> None:
        self.source = text.source
        self.called = self.source.called
        self._text = text
        names: dict[str, None] = {}
        others: dict[str, str] = {}  # what the first of the members is that are neither texts nor gaps
        texts: set[str] = set()
        self.rows = 0
        ascii_only, escaped = True, False
        for line, lines in self._lines():
            for found in self._objects(line, lines.split("\n")).values():
                self.rows += 1
                names.update(dict.fromkeys(found))
                for name, value in found.items():
                    if isinstance(value, str):
                        texts.add(name)
                    elif value is not None and name not in others:
                        others[name] = KINDS[type(value)]
            ascii_only = ascii_only and lines.isascii()
            escaped = escaped or (ascii_only and bool(ESCAPED.search(lines)))
        if not self.rows:
            raise ValueError(f"{self.called}: the file is empty")
        self.names = list(names)
        self.others = {name: kind for name, kind in others.items() if name not in texts}
        self._ascii = ascii_only and escaped

    def check(self, columns: Sequence[str]) -> None:
        """Do nothing: the names stand on all lines, so that all was looked at before."""

    def blocks(self, columns: Sequence[str] = (), *, whole: bool = True) -> Iterator[Objects]:
        """All lines, some at a time, with the texts of *columns*."""
        for line, text in self._lines():
            lines = text.split("\n")
            objects = self._objects(line, lines)
            texts: dict[str, list[str | None]] = {name: [] for name in columns}
            for each in objects.values():
                for name, cells in texts.items():
                    value = each.get(name)
                    cells.append(value if isinstance(value, str) else None)
            yield Objects(line, lines, list(objects), texts)

    @contextmanager
    def writing(self, stream: BinaryIO, added: Mapping[str, str], *, encoding: str | None = None) -> Iterator[Write]:
        """What writes the lines with members added to every object."""

        def as_json(text: str | None) -> str:
            return json.dumps(text, ensure_ascii=self._ascii)

        with self._text.writing(stream, encoding) as write_text:

            def write(block: Objects, added: Mapping[str, CodedCells]) -> None:
                lines = list(block.lines)
                names = list(map(as_json, added))
                rows = zip(*(cells.mapped(as_json) for cells in added.values()), strict=True)
                for place, cells in zip(block.filled, rows, strict=True):
                    lines[place] = _extended(lines[place], list(zip(names, cells, strict=True)))
                write_text("\n".join(lines))

            yield write

    def _lines(self) -> Iterator[tuple[int, str]]:
        """Whole lines together, with the number of the first."""
        line = 1
        try:
            for text in whole_lines(self._text.pieces(), least=source.CHARACTERS):
                yield line, text
                line += text.count("\n")
        except LineTooLong:
            raise ValueError(f"{self.called}, line {line}: the line has more than {LONGEST:,} characters") from None

    def _objects(self, line: int, lines: Sequence[str]) -> dict[int, dict[str, Any]]:
        """The objects by their place in *lines*, of which the first has the number *line*."""
        objects: dict[int, dict[str, Any]] = {}
        for place, text in enumerate(lines):
            if not text.strip():
                continue
            wrong = ""
            try:
                objects[place] = found = json.loads(text)
                if not isinstance(found, dict):
                    wrong = "expected an object, {…}, on every line"
            except json.JSONDecodeError as problem:
                wrong = f"this is no JSON ({problem.msg})"
            except RecursionError:
                wrong = "the object is nested too deep"
            except ValueError:  # the only other thing that Python refuses
                wrong = "a number has too many digits"
            if wrong:
                raise ValueError(f"{self.called}, line {line + place}: {wrong}")
        return objects


def _extended(line: str, members: Sequence[tuple[str, str]]) -> str:
    """An object with members added at its end, as roomy as the others are."""
    end = line.rindex("}")
    before = line[:end].rstrip()
    roomy = '": ' in line or before == "{"
    comma, colon = (", ", ": ") if roomy else (",", ":")
    written = comma.join(name + colon + value for name, value in members)
    return f"{before}{'' if before.endswith('{') else comma}{written}{line[len(before) :]}"
