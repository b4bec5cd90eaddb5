"""Glossaries in JSON, in the shapes that people use, as rows of cells with the lines where they begin.

- a list of objects with the same keys, `[{"en": "house", "de": "Haus"}]`, or of lists, `[["house", "Haus"]]`;
- an object from source to target, `{"house": "Haus"}`;
- an object from language to such objects, `{"de": {"house": "Haus"}}`, or from source to languages,
  `{"house": {"de": "Haus"}}`; the keys are the terms of the source language, unless that is one of the languages;
- objects or lists, one per line, in a file whose name ends in .jsonl;
- any of these as the only list or object in an object that has `source_lang` or `target_lang`, or nothing else of use.
  Keys that begin with "_", "$" or "@" are left out.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterator
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, NamedTuple

from svc_nb.advice import Option
from svc_nb.errors import InvalidRows
from svc_nb.glossaries.headings import COMMENTS, NAMES, plain
from svc_nb.glossaries.wide_table import choose
from svc_nb.tabular.cells import LEFT_OUT, Cells
from svc_nb.tabular.delimited import decoded
from svc_nb.tabular.report import named, short
from svc_nb.tabular.terms import LANGUAGE_COLUMNS, TERM_COLUMNS, variant_of

BLANK = re.compile(r"[ \t\r\n]*")
KINDS: dict[type, str] = {dict: "an object", list: "a list"}
DECODER = json.JSONDecoder(strict=False)
KEY = "key"
# Members that describe a glossary, besides its terms.
ABOUT = {"author", "created", "date", "description", "format", "id", "name", "project", "title", "updated", "version"}


class Member(NamedTuple):
    """One member of an object or a list: its `key` ("" in a list), its value, and where the value begins."""

    line: int
    key: str
    value: Any
    start: int


class Document:
    """A JSON text whose members are known with their lines, including those with the same key."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._breaks = [found.start() for found in re.finditer("\n", text)]
        try:
            DECODER.decode(text)
        except json.JSONDecodeError as problem:
            raise ValueError(
                f"it is not valid JSON (line {problem.lineno}, column {problem.colno}): {problem.msg}"
            ) from None
        except RecursionError:
            raise ValueError("it is nested too deeply to hold terms") from None

    def members(self, start: int = 0) -> list[Member]:
        """The members of the object or the list that begins at *start*; none if something else begins there."""
        return list(self._members(self._skip(start)))

    def _members(self, at: int) -> Iterator[Member]:
        opening = self.text[at]
        if opening not in "{[":
            return
        at = self._skip(at + 1)
        while self.text[at] not in "}]":
            line, key = bisect_left(self._breaks, at) + 1, ""
            if opening == "{":
                key, at = scanstring(self.text, at + 1, False)
                at = self._skip(self._skip(at) + 1)
            value, end = DECODER.raw_decode(self.text, at)
            yield Member(line, key, value, at)
            at = self._skip(end)
            at = self._skip(at + 1) if self.text[at] == "," else at

    def _skip(self, at: int) -> int:
        found = BLANK.match(self.text, at)
        return found.end() if found else at


Records = list[tuple[int, dict[str, str]]]


def cells(
    data: bytes, source_lang: str | None, encoding: str | None = None, *, in_lines: bool = False
) -> tuple[Cells, bool | None]:
    """The rows of a file, and whether the first names the columns; None if that is still open.

    A file *in_lines* has one value per line, which are read as a list.
    """
    text, notes = decoded(data, encoding)
    if in_lines:  # each comma goes to the beginning of its line, so that lines keep their numbers
        first = len(text) - len(text.lstrip())
        text = f"{text[:first]}[" + re.sub(r"\n(?=[^\S\n]*\S)", "\n,", text[first:].rstrip()) + "]"
    document = Document(text)
    members = document.members()
    more: dict[str, str] = {}
    while envelope := _envelope(members):
        said = {each.key: NAMES.get(plain(each.key)) for each in members if each.key != envelope.key}
        more |= {name: str(each.value) for each in members if (name := said.get(each.key)) in LANGUAGE_COLUMNS}
        left = [
            f"{short(each.key)!r} (line {each.line})"
            for each in members
            if each.key != envelope.key and said[each.key] not in LANGUAGE_COLUMNS
        ]
        notes += [f"{LEFT_OUT}{named(left)}"] if left else []
        members = document.members(envelope.start)
    hidden = [each for each in members if each.key[:1] in ("_", "$", "@")]
    members = [each for each in members if each not in hidden]
    notes += [f"{LEFT_OUT}{named([repr(short(each.key)) for each in hidden])}"] if hidden else []
    _refuse_mixed(members)
    if members and all(isinstance(each.value, list) for each in members):
        rows = [[_text(cell, each.line) for cell in each.value] for each in members]
        return Cells(rows, [each.line for each in members], notes), None
    records = _records(document, members, more.get("source_lang", source_lang))
    labels = list(dict.fromkeys(label for _, record in records for label in record))
    rows = [[*more.values(), *(record.get(label, "") for label in labels)] for _, record in records]
    if not rows:
        return Cells([], [], notes), None
    return Cells([[*more, *labels], *rows], [1, *(line for line, _ in records)], notes), True


def _envelope(members: list[Member]) -> Member | None:
    """The only object or list in an object, if it is neither a term nor a language."""
    inner = [each for each in members if isinstance(each.value, dict | list)]
    if len(inner) != 1 or not inner[0].key or variant_of(inner[0].key):
        return None
    value = inner[0].value
    if len([each for each in members if plain(each.key) not in ABOUT.union(NAMES, [plain(inner[0].key)])]) > 1:
        return None  # these are terms
    if isinstance(value, list):
        return inner[0] if all(isinstance(each, dict | list) for each in value) else None
    others = [key for key, text in value.items() if not (variant_of(key) and isinstance(text, str))]
    is_term = len(others) < len(value) and all(plain(key) in COMMENTS.union(NAMES) for key in others)
    return None if is_term else inner[0]


def _refuse_mixed(members: list[Member]) -> None:
    """Refuse members if some are objects or lists and others are not, because it is unclear which are terms."""
    kinds = [next((kind for kind in KINDS if isinstance(each.value, kind)), object) for each in members]
    odd = [each for each, kind in zip(members, kinds, strict=True) if kind != kinds[0]]
    if odd:
        found = KINDS.get(kinds[members.index(odd[0])], "a text")
        raise InvalidRows(
            f"line {odd[0].line}: expected {KINDS.get(kinds[0], 'a text')}, as in line {members[0].line}, found "
            f"{found}: {short(json.dumps(odd[0].value, ensure_ascii=False))}. Write all terms in the same way",
            rows=[each.line for each in odd],
        )


def _records(document: Document, members: list[Member], source_lang: str | None) -> Records:
    """The terms by column, with their lines."""
    if all(isinstance(each.value, dict) and not each.key for each in members):
        return [(each.line, _flat(each)) for each in members]
    if not any(isinstance(each.value, dict) for each in members):
        terms = [(each.line, (each.key, _text(each.value, each.line))) for each in members]
        return [(line, dict(zip(TERM_COLUMNS, term, strict=True))) for line, term in terms]
    by_language = all(variant_of(each.key) for each in members)
    found: dict[str, tuple[int, dict[str, str]]] = {}
    again: Records = []  # terms with another translation into the same language, which `lint` reports
    for outer in members:
        for inner in document.members(outer.start):
            language, key = (outer.key, inner.key) if by_language else (inner.key, outer.key)
            record, text = found.setdefault(key, (inner.line, {}))[1], _text(inner.value, inner.line)
            if record.setdefault(language, text) != text:
                again.append((inner.line, {"": key, language: text}))
    languages = list(dict.fromkeys(code for _, record in found.values() for code in record))
    label = _key_label(languages, next(iter(found), ""), source_lang)
    records = [*((line, {"": key, **record}) for key, (line, record) in found.items()), *again]
    return [(line, {name or label: text for name, text in record.items()}) for line, record in records]


def _key_label(languages: list[str], key: str, source_lang: str | None) -> str:
    """The heading of keys: they are the source terms, or identifiers if their language is one of *languages*."""
    if source_lang is None:
        listed = ", ".join(map(short, languages[:5]))
        raise ValueError(
            f"it does not say the language of its keys, such as {short(key)!r}. Pass {Option('source_lang', 'en')}; if "
            f"the keys are not terms, pass the language to translate from, one of {listed}"
        )
    return "term" if choose([variant_of(each) or each for each in languages], source_lang) is None else KEY


def _flat(member: Member) -> dict[str, str]:
    """The columns of an object; an object in it with languages as keys becomes one column for each."""
    found: dict[str, str] = {}
    for label, value in member.value.items():
        if isinstance(value, dict):
            for inner, text in value.items():
                name = inner if variant_of(inner) else f"{label}.{inner}"
                found[name] = _noted(name, text, member.line)
        else:
            found[label] = _noted(label, value, member.line)
    return found


def _noted(label: str, value: Any, line: int) -> str:
    """The text of a cell under *label*; if that is neither a term nor a language, a list is a text too."""
    if isinstance(value, list) and plain(label) not in NAMES and not variant_of(label):
        are_texts = all(isinstance(each, str) for each in value)
        return ", ".join(value) if are_texts else json.dumps(value, ensure_ascii=False)
    return _text(value, line)


def _text(value: Any, line: int) -> str:
    """A value as the text of a cell; lists and objects are refused."""
    if isinstance(value, list | dict):
        what = KINDS[type(value)]
        raise InvalidRows(
            f"line {line}: expected a text, found {what}: {short(json.dumps(value, ensure_ascii=False))}. Write one "
            "entry for each text",
            rows=[line],
        )
    return "" if value is None else value if isinstance(value, str) else json.dumps(value)
