"""JSON lines: an object a line, to which members are added; everything else in the line stays as it was."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from svc_nb.cli.failure import Failure
from svc_nb.cli.files.encoded import Encoded
from svc_nb.cli.files.table import LINES, Cells

ESCAPED = re.compile(r"\\u[0-9a-fA-F]{4}")


class JsonLines:
    """The objects of a file; a column is a name that they have, and what is no text there is a gap."""

    row_word = "line"
    endings = LINES

    def __init__(self, source: Encoded, called: str) -> None:
        self.called = called
        self._source = source
        self._lines = source.text.split("\n")
        self._objects = {
            number: self._object(line, number)
            for number, line in enumerate(self._lines, start=1)
            if line.strip()
        }
        self.names = list(dict.fromkeys(name for each in self._objects.values() for name in each))
        self.places = list(self._objects)
        self._ascii = source.text.isascii() and bool(ESCAPED.search(source.text))

    def column(self, name: str) -> Cells:
        """The texts under a name."""
        cells = (each.get(name) for each in self._objects.values())
        return [cell if isinstance(cell, str) else None for cell in cells]

    def extended(self, added: Mapping[str, Cells], *, encoding: str | None = None) -> bytes:
        """The file with members added to every object."""
        lines = list(self._lines)
        for row, number in enumerate(self._objects):
            members = {name: cells[row] for name, cells in added.items()}
            lines[number - 1] = self._line(lines[number - 1], members)
        return self._source.encode("\n".join(lines), self.called, encoding)

    def _line(self, line: str, members: dict[str, str | None]) -> str:
        end = line.rindex("}")
        before = line[:end].rstrip()
        roomy = '": ' in line or "\n" in line or before == "{"
        separators = (", ", ": ") if roomy else (",", ":")
        written = json.dumps(members, ensure_ascii=self._ascii, separators=separators)[1:-1]
        comma = "" if before.endswith("{") else separators[0]
        return f"{before}{comma}{written}{line[len(before) :]}"

    def _object(self, line: str, number: int) -> dict[str, Any]:
        try:
            found = json.loads(line)
        except (ValueError, RecursionError) as problem:
            said = getattr(problem, "msg", "it is nested too deep")
            raise Failure(f"{self.called}, line {number}: this is no JSON ({said})") from None
        if not isinstance(found, dict):
            raise Failure(f"{self.called}, line {number}: expected an object, {{…}}, on every line")
        return found
