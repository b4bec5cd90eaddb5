"""One thing that `svc-nb doctor` looked at: how it is, in a line, and what to do where it is not well."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from textwrap import TextWrapper
from typing import Any

from svc_nb.errors import one_line

OK, NOTE, PROBLEM = "ok", "note", "problem"
LONGEST = 600


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at: how it is, and what to do where it is not well."""

    state: str
    what: str
    said: str
    advice: str = ""

    def lines(self, width: int | None) -> list[str]:
        """The finding to be read, in lines of *width*, or one for each part of it."""
        first = f"{self.state:<8} {self.what:<12} "
        told = [(first, self.said)] + ([(" " * len(first) + "-> ", self.advice)] if self.advice else [])
        return [line for head, text in told for line in _wrapped(head, one_line(text, limit=LONGEST), width)]

    def record(self) -> dict[str, Any]:
        """The finding as plain values."""
        return asdict(self)


def _wrapped(head: str, text: str, width: int | None) -> list[str]:
    if width is None or width < 2 * len(head):
        return [head + text]
    wrap = TextWrapper(width, initial_indent=head, subsequent_indent=" " * len(head), break_on_hyphens=False)
    return wrap.wrap(text)
