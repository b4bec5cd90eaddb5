"""The memories of the account, segment by segment; one that is being filled is seen by nobody."""

from __future__ import annotations

import sqlite3
import threading
import uuid
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from ..catalogue import languages
from ..database import Connection, Database, now, stamp
from ..problems import UUID_FORM, check_id, not_found
from .fuzzy_match import FuzzyIndex
from .tmx import Text, Unit

BATCH = 500
# Memories that were begun but not touched for so long belong to a process that ended.
STALE = timedelta(minutes=5)
MOST_READY = 4


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory without its segments."""

    translation_memory_id: str
    name: str
    source_language: str
    target_languages: tuple[str, ...]
    segment_count: int
    creation_time: str
    updated_time: str


@dataclass(frozen=True, slots=True)
class Segment:
    """A text in the memory's source language and its translations; *number* is its place among all segments."""

    number: int
    source: Text
    targets: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class OpenMemory:
    """A memory opened for a translation: finds what is at least *threshold* per cent like a text."""

    source_lang: str
    threshold: int
    index: FuzzyIndex

    def find(self, text: str) -> str | None:
        """The translation of *text* that the memory has, within the white space around the text."""
        core = text.strip()
        found = self.index.find(core, self.threshold) if core else None
        return None if found is None else text.replace(core, found.strip(), 1)


class Memories:
    """The memories of an account."""

    def __init__(self, database: Database, *, clock: Callable[[], datetime] = now) -> None:
        self._database = database
        self._clock = clock
        self._opened: OrderedDict[tuple[str, str], FuzzyIndex] = OrderedDict()
        self._opening = threading.Lock()

    # ---- filling

    def begin(self, name: str, source_lang: str) -> str:
        """The id of a new memory that nobody sees until `finish`."""
        memory_id = str(uuid.uuid4())
        moment = stamp(self._clock())
        with self._database.write() as connection:
            stale = stamp(self._clock() - STALE)
            connection.execute("DELETE FROM memories WHERE NOT ready AND updated_time < ?", (stale,))
            row = {"name": name, "source_lang": source_lang, "creation_time": moment, "updated_time": moment}
            connection.add("memories", translation_memory_id=memory_id, **row)
        return memory_id

    def fill(self, memory_id: str, units: Sequence[Unit]) -> None:
        """Add segments: the first text of each unit is the source."""
        moment = stamp(self._clock())
        with self._database.write() as connection:
            for unit in units:
                source, *targets = unit.texts
                row = {"source": source.plain, "markup": source.markup, **_since(source, moment)}
                segment = connection.add("memory_segments", translation_memory_id=memory_id, **row)
                for place, each in enumerate(targets):
                    row = {"target_lang": each.language, "target": each.plain, "markup": each.markup}
                    connection.add("memory_targets", segment=segment, place=place, **row, **_since(each, moment))
            connection.execute(
                "UPDATE memories SET updated_time = ?, segment_count = segment_count + ? "
                "WHERE translation_memory_id = ?",
                (moment, len(units), memory_id),
            )

    def finish(self, memory_id: str) -> None:
        """Show a memory that is filled."""
        moment = stamp(self._clock())
        with self._database.write() as connection:
            connection.execute(
                "INSERT INTO memory_languages SELECT DISTINCT translation_memory_id, target_lang "
                "FROM memory_segments JOIN memory_targets USING (segment) WHERE translation_memory_id = ? "
                "ORDER BY target_lang",
                (memory_id,),
            )
            own = {"translation_memory_id": memory_id}
            connection.change("memories", own, ready=1, creation_time=moment, updated_time=moment)

    def discard(self, memory_id: str) -> None:
        """Take a memory away that was not filled to the end."""
        self._database.change("DELETE FROM memories WHERE translation_memory_id = ?", memory_id)

    # ---- asking

    def page(self, page: int, size: int) -> tuple[list[Memory], int]:
        """The memories of one page, in the order of creation, and how many there are in all."""
        with self._database.read() as connection:
            rows = connection.rows("memories", limit=(size, page * size), ready=1)
            return [_memory(connection, row) for row in rows], connection.count("memories", ready=1)

    def get(self, memory_id: str) -> Memory:
        """One memory; 400 for what is no id, 404 for an unknown one."""
        with self._database.read() as connection:
            return _found(connection, memory_id)

    def delete(self, memory_id: str) -> None:
        """Take a memory away with all its segments, or 404."""
        with self._database.write() as connection:
            found = _found(connection, memory_id).translation_memory_id
            connection.remove("memories", translation_memory_id=found)
            connection.remove("memory_jobs", translation_memory_id=found, operation="export")

    def segments(self, memory_id: str, *, after: int = 0) -> Iterator[Segment]:
        """The segments behind the number *after*, read a few at a time; 404 if the memory is gone, even midway."""
        while True:
            with self._database.read() as connection:
                found = _found(connection, memory_id)
                batch = _segments(connection, found, after)
            yield from batch
            if len(batch) < BATCH:
                return
            after = batch[-1].number

    def open(self, memory_id: str, *, source: str | None, target: str, threshold: int) -> OpenMemory:
        """The memory opened for a translation; 404 where there is none, or it does not have the pair."""
        if not UUID_FORM.fullmatch(memory_id):
            raise not_found("Translation memory not found.")
        memory = self.get(memory_id)
        name = f"Translation Memory {memory.translation_memory_id}"
        if source is not None and languages.base(source) != memory.source_language:
            raise not_found(f"{name} does not support the source language {languages.wire_v2(source)}")
        language = covering(target, memory.target_languages)
        if language is None:
            raise not_found(f"{name} does not support the target language {languages.wire_v2(target)}")
        # A memory never changes, so the last few are kept ready.
        opened = memory.translation_memory_id, language
        with self._opening:
            index = self._opened.get(opened)
            if not index:
                with self._database.read() as connection:
                    rows = connection.execute(
                        "SELECT s.source, t.target FROM memory_segments s JOIN memory_targets t USING (segment) "
                        "WHERE translation_memory_id = ? AND target_lang = ? ORDER BY segment, place",
                        opened,
                    )
                    index = FuzzyIndex((row[0], row[1]) for row in rows)
            self._opened[opened] = index
            self._opened.move_to_end(opened)
            while len(self._opened) > MOST_READY:
                self._opened.popitem(last=False)
        return OpenMemory(memory.source_language, threshold, index)


def covering(asked: str, has: Sequence[str]) -> str | None:
    """The target language among those that a memory *has* which serves a translation into *asked*.

    >>> covering("en-us", ["en-gb", "en"]), covering("en", ["en-gb"]), covering("en-us", ["en-gb"])
    ('en', 'en-gb', None)
    """
    known = languages.normalise(asked)
    base = languages.base(known)
    if known in has or base in has:
        return known if known in has else base
    variants = [code for code in has if languages.base(code) == base]
    if known == base or (known == "zh-hans" and variants):
        return variants[0] if variants else None
    return None


def _since(text: Text, moment: str) -> dict[str, str | None]:
    creation, change, usage = text.times
    first = creation or moment
    return {"creation_time": first, "updated_time": change or first, "last_used_time": usage}


def _found(connection: Connection, memory_id: str) -> Memory:
    check_id("translation_memory_id", memory_id)
    row = connection.find("memories", translation_memory_id=memory_id.lower(), ready=1)
    if row is None:
        raise not_found("Translation memory not found.")
    return _memory(connection, row)


def _memory(connection: Connection, row: sqlite3.Row) -> Memory:
    targets = connection.rows("memory_languages", "target_lang", translation_memory_id=row["translation_memory_id"])
    return Memory(
        source_language=row["source_lang"],
        target_languages=tuple(each[0] for each in targets),
        **{name: row[name] for name in Memory.__slots__ if name in row.keys()},  # noqa: SIM118
    )


def _segments(connection: Connection, memory: Memory, after: int) -> list[Segment]:
    rows = connection.execute(
        "SELECT * FROM memory_segments WHERE translation_memory_id = ? AND segment > ? ORDER BY segment LIMIT ?",
        (memory.translation_memory_id, after, BATCH),
    ).fetchall()
    if not rows:
        return []
    targets: dict[int, list[Text]] = {row["segment"]: [] for row in rows}
    found = connection.execute(
        "SELECT t.* FROM memory_targets t JOIN memory_segments s USING (segment) "
        "WHERE translation_memory_id = ? AND segment BETWEEN ? AND ? ORDER BY segment, place",
        (memory.translation_memory_id, rows[0]["segment"], rows[-1]["segment"]),
    )
    for row in found:
        targets[row["segment"]].append(_text(row, row["target_lang"], row["target"]))
    sources = [_text(row, memory.source_language, row["source"]) for row in rows]
    return [
        Segment(number, source, tuple(texts)) for source, (number, texts) in zip(sources, targets.items(), strict=True)
    ]


def _text(row: sqlite3.Row, language: str, plain: str) -> Text:
    times = row["creation_time"], row["updated_time"], row["last_used_time"]
    return Text(language, plain, row["markup"], times)
