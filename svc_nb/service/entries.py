"""Glossary entries as text: tab- or comma-separated, checked by the service's rules, kept as TSV.

A complaint names the entry by index and by the position of its first character, as the contract's errors do.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping

from .catalogue.languages import glossary_code
from .problems import Problem, bad_request

MAX_TERM_BYTES = 1024
MAX_GLOSSARY_BYTES = 10 * 1024 * 1024

_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")

Row = tuple[int, str, str]


def parse(text: str, *, entries_format: str, source_lang: str, target_lang: str) -> dict[str, str]:
    """The entries of one pair in their order, or 400 (413 when *text* is too large) with the reason.

    >>> parse("Haus\\thouse\\n", entries_format="tsv", source_lang="de", target_lang="en")
    {'Haus': 'house'}
    """
    refuse_size(len(text.encode()))
    rows = _tsv(text) if entries_format == "tsv" else _csv(text, source_lang, target_lang)
    entries: dict[str, str] = {}
    first: dict[str, tuple[int, int]] = {}
    for index, (position, source, target) in enumerate(rows):
        place = f"Key with the index {index} (starting at position {position})"
        _check(source, place, "source")
        _check(target, place, "target")
        if source in entries:
            earlier, at = first[source]
            raise _invalid(f"{place} duplicates key with the index {earlier} (starting at position {at})")
        entries[source] = target
        first[source] = (index, position)
    if not entries:
        raise _invalid("There are no entries")
    return entries


def to_tsv(entries: Mapping[str, str]) -> str:
    """One `source<TAB>target` a line."""
    return "\n".join(f"{source}\t{target}" for source, target in entries.items())


def from_tsv(text: str) -> dict[str, str]:
    """The entries of a text that `to_tsv` wrote."""
    return dict(line.split("\t") for line in text.split("\n"))


def refuse_size(size: int) -> None:
    """Raise 413 when a glossary would be larger than the contract allows."""
    if size > MAX_GLOSSARY_BYTES:
        raise Problem(413, detail=f"A glossary holds at most {MAX_GLOSSARY_BYTES} bytes.")


def _lines(text: str) -> Iterator[tuple[int, str]]:
    position = 0
    for line in text.split("\n"):
        bare = line.removesuffix("\r")
        if bare:
            yield position, bare
        position += len(line) + 1


def _tsv(text: str) -> Iterator[Row]:
    for index, (position, line) in enumerate(_lines(text)):
        fields = line.split("\t")
        place = f"Key with the index {index} (starting at position {position})"
        if len(fields) < 2:
            raise _invalid(f"{place} misses tab separator")
        if len(fields) > 2:
            raise _invalid(f"{place} has more than one tab separator")
        yield position, fields[0], fields[1]


def _csv(text: str, source_lang: str, target_lang: str) -> Iterator[Row]:
    for index, (position, line) in enumerate(_lines(text)):
        place = f"Key with the index {index} (starting at position {position})"
        fields = _csv_fields(line, place)
        if len(fields) < 2:
            raise _invalid(f"{place} misses comma separator")
        if len(fields) > 4:
            raise _invalid(f"{place} has more than four columns")
        columns = map(glossary_code, fields[2:])
        if all(column == wanted for column, wanted in zip(columns, (source_lang, target_lang), strict=False)):
            yield position, fields[0], fields[1]


def _csv_fields(line: str, place: str) -> list[str]:
    try:
        return next(csv.reader([line], strict=True))
    except (csv.Error, StopIteration):
        raise _invalid(f"{place} is not valid CSV: quotes are not closed or not doubled") from None


def _check(term: str, place: str, side: str) -> None:
    if not term:
        raise _invalid(f"{place} has an empty {side}")
    if _FORBIDDEN.search(term):
        raise _invalid(f"{place} has a control character or line break in its {side}")
    if term != term.strip():
        raise _invalid(f"{place} has leading or trailing whitespace in its {side}")
    if len(term) * 4 > MAX_TERM_BYTES and len(term.encode()) > MAX_TERM_BYTES:
        raise _invalid(f"{place} has a {side} of more than {MAX_TERM_BYTES} bytes")


def _invalid(detail: str) -> Problem:
    return bad_request("Invalid glossary entries provided", detail=detail)
