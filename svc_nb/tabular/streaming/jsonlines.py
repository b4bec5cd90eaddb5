"""JSON lines: one object per line, to which members are added; everything else in the line stays as it was."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, BinaryIO

from svc_nb.tabular.streaming import source
from svc_nb.tabular.streaming.source import LONGEST, EncodedText, LineTooLong, whole_lines
from svc_nb.tabular.streaming.table import JSON_LINES, Block, CodedCells, Table, Write

KINDS = {bool: "true or false", int: "numbers", float: "numbers", list: "lists", dict: "objects"}
ESCAPED = re.compile(r"\\u[0-9a-fA-F]{4}")


class JsonLines(Table):
    """The objects of a file; a column is a member name, and a value that is not text is a gap."""

    row_word = "line"
    endings = JSON_LINES

    def __init__(self, text: EncodedText) -> None:
        super().__init__(text.source)
        self._text = text
        names: dict[str, None] = {}
        others: dict[str, str] = {}  # what the first member is that is neither a text nor a gap
        texts: set[str] = set()
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

    def blocks(self, columns: Sequence[str] = (), *, whole: bool = True) -> Iterator[Block]:
        """All lines, in blocks, with the texts of *columns*."""
        for line, text in self._lines():
            lines = text.split("\n")
            objects = self._objects(line, lines)
            texts: dict[str, list[str | None]] = {name: [] for name in columns}
            for each in objects.values():
                for name, cells in texts.items():
                    value = each.get(name)
                    cells.append(value if isinstance(value, str) else None)
            yield Block([line + place for place in objects], partial(_column, texts), (lines, list(objects)))

    @contextmanager
    def writing(self, stream: BinaryIO, added: Mapping[str, str], *, encoding: str | None = None) -> Iterator[Write]:
        """A writer of the lines with members added to every object."""

        def as_json(text: str | None) -> str:
            return json.dumps(text, ensure_ascii=self._ascii)

        with self._text.writing(stream, encoding) as write_text:

            def write(block: Block, added: Mapping[str, CodedCells]) -> None:
                lines, filled = [*block.held[0]], block.held[1]
                names = list(map(as_json, added))
                rows = zip(*(cells.mapped(as_json) for cells in added.values()), strict=True)
                for place, cells in zip(filled, rows, strict=True):
                    lines[place] = _extended(lines[place], list(zip(names, cells, strict=True)))
                write_text("\n".join(lines))

            yield write

    def _lines(self) -> Iterator[tuple[int, str]]:
        """Whole lines in blocks, with the number of the first line."""
        line = 1
        try:
            for text in whole_lines(self._text.pieces(), least=source.CHARACTERS):
                yield line, text
                line += text.count("\n")
        except LineTooLong:
            raise ValueError(f"{self.called}, line {line}: the line has more than {LONGEST:,} characters") from None

    def _objects(self, line: int, lines: Sequence[str]) -> dict[int, dict[str, Any]]:
        """The objects by their position in *lines*; *line* is the number of the first."""
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
                wrong = f"this is not valid JSON ({problem.msg})"
            except RecursionError:
                wrong = "the object is nested too deep"
            except ValueError:  # the only other error that Python raises
                wrong = "a number has too many digits"
            if wrong:
                raise ValueError(f"{self.called}, line {line + place}: {wrong}")
        return objects


def _column(texts: Mapping[str, Sequence[str | None]], name: str) -> CodedCells:
    return CodedCells.of(texts[name])


def _extended(line: str, members: Sequence[tuple[str, str]]) -> str:
    """An object with members added at its end, spaced like the others."""
    end = line.rindex("}")
    before = line[:end].rstrip()
    roomy = '": ' in line or before == "{"
    comma, colon = (", ", ": ") if roomy else (",", ":")
    written = comma.join(name + colon + value for name, value in members)
    return f"{before}{'' if before.endswith('{') else comma}{written}{line[len(before) :]}"
