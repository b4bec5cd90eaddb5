"""Notebooks as documents: the Markdown cells and, where asked for, the code; all else stays as it was."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from svc_nb.notebooks import code
from svc_nb.notebooks.documents import Code, Document, Markdown
from svc_nb.notebooks.edition import Edition

MARK = "\\u001f"  # as JSON writes it; around a number with a point or an exponent, so that its digits stay
NUMBER = re.compile(r'"\\u001f([-+.0-9eE]+)\\u001f"')


@dataclass(frozen=True)
class Notebook:
    """A notebook of format 4, as its JSON; *code* names what is translated in code cells."""

    content: dict[str, Any] = field(repr=False)
    code: Collection[str] = ()
    front_matter: Sequence[str] = ()

    @classmethod
    def read(cls, text: str, *, code: Collection[str] = (), front_matter: Sequence[str] = ()) -> Notebook:
        """The notebook in a text; raises ValueError, in one line, where there is none of format 4."""
        try:
            content = json.loads(text, parse_float=_verbatim if MARK not in text.lower() else None)
        except ValueError as problem:
            raise ValueError(f"no notebook: it is not JSON ({problem})") from None
        check(content)
        return cls(content, code, front_matter)

    def texts(self) -> list[str]:
        """The texts to send, cell by cell."""
        return [text for _, document in self._cells() for text in document.texts()]

    def edited(self, answers: Mapping[str, str]) -> Edition:
        """The notebook, as a file, with the answers in it."""
        content = deepcopy(self.content)
        editions = []
        for number, document in self._cells():
            edition = document.edited(answers).in_cell(number)
            cell = content["cells"][number]
            cell["source"] = _like(cell["source"], edition.text)
            editions.append(edition)
        return Edition(
            written(content),
            sum(edition.segments for edition in editions),
            [left for edition in editions for left in edition.left],
            [text for edition in editions for text in edition.again],
        )

    @property
    def language(self) -> str:
        """What the code is written in, as the notebook says; Python where it does not."""
        metadata = self.content.get("metadata") or {}
        info, kernel = metadata.get("language_info") or {}, metadata.get("kernelspec") or {}
        return str(info.get("name") or kernel.get("language") or "python")

    def _cells(self) -> Iterator[tuple[int, Document]]:
        """The cells with prose in them, and where they stand."""
        for number, cell in enumerate(self.content["cells"]):
            source = joined(cell["source"])
            if cell["cell_type"] == "markdown":
                yield number, Markdown(source, self.front_matter if number == 0 else ())
            elif cell["cell_type"] == "code" and self.code:
                yield number, Code(source, self.language, frozenset(self.code), self._keys)

    @cached_property
    def _keys(self) -> frozenset[str]:
        """The strings that the code uses as names anywhere: they are not translated in one cell and kept in another."""
        sources = (joined(cell["source"]) for cell in self.content["cells"] if cell["cell_type"] == "code")
        return frozenset().union(*(code.keys(source, language=self.language) for source in sources))


def check(content: Any) -> None:
    """Raise ValueError where this is no notebook of format 4."""
    if not isinstance(content, dict) or not isinstance(content.get("nbformat", None), int):
        raise ValueError("no notebook: it has no nbformat")
    if content["nbformat"] != 4:
        raise ValueError(
            f"a notebook of format {content['nbformat']}, not 4; `jupyter nbconvert --to notebook` makes one of it"
        )
    cells = content.get("cells")
    if not isinstance(cells, list) or not all(_is_cell(cell) for cell in cells):
        raise ValueError("no notebook: its cells are not what nbformat 4 says")


def joined(source: str | Sequence[str]) -> str:
    """The text of a cell, which is one string or a list of lines."""
    return source if isinstance(source, str) else "".join(source)


def written(content: dict[str, Any]) -> str:
    """A notebook as Jupyter writes it."""
    text = json.dumps(content, ensure_ascii=False, indent=1)
    try:
        text.encode()
    except UnicodeEncodeError:  # half a character in an output: only its escape can be written
        text = json.dumps(content, indent=1)
    return NUMBER.sub(r"\1", text) + "\n"


def _verbatim(number: str) -> str:
    return f"\x1f{number}\x1f"


def _like(source: str | Sequence[str], text: str) -> str | list[str]:
    """A text in the form that the cell had."""
    return text if isinstance(source, str) else text.splitlines(keepends=True)


def _is_cell(cell: Any) -> bool:
    if not isinstance(cell, dict) or not isinstance(cell.get("cell_type"), str):
        return False
    source = cell.get("source")
    lines = isinstance(source, list) and all(isinstance(line, str) for line in source)
    return lines or isinstance(source, str)
