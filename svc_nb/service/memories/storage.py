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
from ..database import Database, now, stamp
from ..problems import UUID_FORM, check_id, not_found
from .fuzzy_match import FuzzyIndex
from .tmx import Text, Unit

BATCH = 500
# Memories that were begun but not touched for so long belong to a process that ended.
STALE = timedelta(minutes=5)
MOST_READY = 4

_ADD_SEGMENT = (
    "INSERT INTO memory_segments (translation_memory_id, source, markup, creation_time, updated_time, last_used_time) "
    "VALUES (?, ?, ?, ?, ?, ?)"
)
_ADD_TARGET = "INSERT INTO memory_targets VALUES (?, ?, ?, ?, ?, ?, ?, ?)"


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
            connection.execute(
                "DELETE FROM memories WHERE NOT ready AND updated_time < ?", (stamp(self._clock() - STALE),)
            )
            connection.execute(
                "INSERT INTO memories (translation_memory_id, name, source_lang, creation_time, updated_time) "
                "VALUES (?, ?, ?, ?, ?)",
                (memory_id, name, source_lang, moment, moment),
            )
        return memory_id

    def fill(self, memory_id: str, units: Sequence[Unit]) -> None:
        """Add segments: the first text of each unit is the source."""
        moment = stamp(self._clock())
        with self._database.write() as connection:
            for unit in units:
                source, *targets = unit.texts
                row = (memory_id, source.plain, source.markup, *_since(source, moment))
                segment = connection.execute(_ADD_SEGMENT, row).lastrowid
                connection.executemany(
                    _ADD_TARGET,
                    [
                        (segment, place, each.language, each.plain, each.markup, *_since(each, moment))
                        for place, each in enumerate(targets)
                    ],
                )
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
            connection.execute(
                "UPDATE memories SET ready = 1, creation_time = ?, updated_time = ? WHERE translation_memory_id = ?",
                (moment, moment, memory_id),
            )

    def discard(self, memory_id: str) -> None:
        """Take a memory away that was not filled to the end."""
        self._database.change("DELETE FROM memories WHERE translation_memory_id = ?", memory_id)

    # ---- asking

    def page(self, page: int, size: int) -> tuple[list[Memory], int]:
        """The memories of one page, in the order of creation, and how many there are in all."""
        with self._database.read() as connection:
            total = connection.execute("SELECT COUNT(*) FROM memories WHERE ready").fetchone()[0]
            rows = connection.execute(
                "SELECT * FROM memories WHERE ready ORDER BY rowid LIMIT ? OFFSET ?", (size, page * size)
            ).fetchall()
            return [_memory(connection, row) for row in rows], total

    def get(self, memory_id: str) -> Memory:
        """One memory; 400 for what is no id, 404 for an unknown one."""
        with self._database.read() as connection:
            return _found(connection, memory_id)

    def delete(self, memory_id: str) -> None:
        """Take a memory away with all its segments, or 404."""
        with self._database.write() as connection:
            found = _found(connection, memory_id).translation_memory_id
            connection.execute("DELETE FROM memories WHERE translation_memory_id = ?", (found,))
            connection.execute(
                "DELETE FROM memory_jobs WHERE translation_memory_id = ? AND operation = 'export'", (found,)
            )

    def segments(self, memory_id: str, *, after: int = 0) -> Iterator[Segment]:
        """The segments in their order, from the one behind the number *after*; read a few at a time.

        Raises 404 where the memory is gone, also in the middle.
        """
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


def _since(text: Text, moment: str) -> tuple[str, str, str | None]:
    creation, change, usage = text.times
    return creation or moment, change or creation or moment, usage


def _found(connection: sqlite3.Connection, memory_id: str) -> Memory:
    check_id("translation_memory_id", memory_id)
    row = connection.execute(
        "SELECT * FROM memories WHERE translation_memory_id = ? AND ready", (memory_id.lower(),)
    ).fetchone()
    if row is None:
        raise not_found("Translation memory not found.")
    return _memory(connection, row)


def _memory(connection: sqlite3.Connection, row: sqlite3.Row) -> Memory:
    memory_id = row["translation_memory_id"]
    targets = connection.execute(
        "SELECT target_lang FROM memory_languages WHERE translation_memory_id = ? ORDER BY rowid",
        (memory_id,),
    )
    return Memory(
        memory_id,
        row["name"],
        row["source_lang"],
        tuple(each[0] for each in targets),
        row["segment_count"],
        row["creation_time"],
        row["updated_time"],
    )


def _segments(connection: sqlite3.Connection, memory: Memory, after: int) -> list[Segment]:
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
