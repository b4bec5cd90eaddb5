"""The memories of the account, segment by segment; one that is being filled is seen by no one."""

import re
import sqlite3
import threading
import unicodedata
import uuid
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain
from math import ceil

import numpy as np
import numpy.typing as npt

from ..catalogue import languages
from ..database import Connection, Database, now, stamp
from ..problems import UUID_FORM, check_id, not_found
from .tmx import Text, Unit

BATCH = 500
STALE = timedelta(minutes=5)  # memories that were begun but not touched for so long belong to a process that ended
MOST_READY = 4


# ---- what a memory knows about a text: its translation where it has the same one, or that of the most similar
#
# How similar two texts are is the smaller of two numbers, each 100 for equal texts: by the edit distance between their
# characters, and by that between their words. So one other letter counts as a whole other word. Numbers are left out of
# this: those of the text are put in the place of the memory's, and where that is not safe the segment is not used. Nor
# is one that says no where the text does not, or the other way round.
#
# A segment that is similar enough shares words with the text: at least one of its rarest few. Only segments that do are
# looked at, so that a hundred thousand of them cost no more than a few.

_UNSPACED_LETTERS = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_UNSPACED = re.compile(f"[{_UNSPACED_LETTERS}]")
# One character of a script that writes no spaces, or a run of letters and digits.
_WORD = re.compile(rf"[{_UNSPACED_LETTERS}]|[^\W{_UNSPACED_LETTERS}]+")
_MARKS = ".!?…。！？"
_FULL_WIDTH = str.maketrans(".!?", "。！？")
_NUMBER = re.compile(r"\d+(?:[.,:/]\d+)*")
_MASK = "#0#"
_PLAIN_NUMBER = re.compile("[0-9]+")
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nothing|without|cannot|nicht|kein\w*|nie|niemals|ohne|pas|jamais|sans|aucun\w*|nunca|sin"
    r"|non|mai|senza|nessun\w*)\b|n['’]t\b|ない|ませ|[不没未無无非않없못]",
    re.IGNORECASE,
)
_SINGULAR = frozenset({"0", "1"})  # words around these are written otherwise than around other numbers
# Of the segments that share a rare word with a text so many are looked at, those that share the most.
_MOST_LOOKED_AT = 1000
_MOST_SCORED = 50
_MOST_ALIKE = 8
# What fractions may be off by; and rapidfuzz, which loses some of those that are just similar enough.
_ROUNDING = 1e-9
_SLACK = 1e-3
_LONGEST = 5000  # a text longer than this is only looked for as it is: its edit distance costs the square of its length


class FuzzyIndex:
    """The segments of one language pair, ready to be found; built once, then never changed."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self._targets = {_normal(source): target for source, target in pairs}
        # The segments that differ in their numbers alone, by what they have in common; a few of each.
        self._alike: dict[str, list[str]] = {}
        for source in self._targets:
            group = self._alike.setdefault(_NUMBER.sub(_MASK, source), [])
            if len(group) < _MOST_ALIKE:
                group.append(source)
        self._masked = list(self._alike)
        self._numbers = numbers = dict[str, int]()
        self._words = [
            tuple([numbers.setdefault(word, len(numbers)) for word in _words(masked)]) for masked in self._masked
        ]
        self._lengths = np.fromiter(map(len, self._words), dtype=np.intp, count=len(self._words))
        # For every word the places of the segments that have it.
        flat = np.fromiter(chain.from_iterable(self._words), dtype=np.intp, count=int(self._lengths.sum()))
        order = np.argsort(flat, kind="stable")
        bounds = np.searchsorted(flat[order], np.arange(1, len(numbers)))
        places = np.repeat(np.arange(len(self._words)), self._lengths)[order]
        self._postings: list[npt.NDArray[np.intp]] = np.split(places, bounds) if numbers else []

    def __len__(self) -> int:
        return len(self._targets)

    def find(self, text: str, threshold: int) -> str | None:
        """The translation of the segment that is most like *text*, if that is *threshold* per cent or more."""
        source = _normal(text)
        known = self._targets.get(source)
        if known is not None or threshold >= 100 or len(source) > _LONGEST or not source:
            return known
        from rapidfuzz import process
        from rapidfuzz.distance import Levenshtein

        masked, denied = _NUMBER.sub(_MASK, source), _denials(source)
        words = [self._numbers.get(word, -1) for word in _words(masked)]
        best, answer = max(threshold, 1) / 100 - _ROUNDING, None
        places = self._candidates(words, best)
        similar = process.extract(  # by their letters, the most similar first
            masked,
            [self._masked[place] for place in places],
            scorer=Levenshtein.normalized_similarity,
            score_cutoff=max(0.0, best - _SLACK),
            limit=_MOST_SCORED,
        )
        for segment, by_letters, at in similar:
            if by_letters < best:
                break
            by_words = float(Levenshtein.normalized_similarity(words, self._words[places[at]]))
            score = min(by_letters, by_words)
            if score < best or (answer is not None and score == best):
                continue
            # The first of those alike that can have the numbers of the text, with them and its end.
            for alike in self._alike[segment]:
                if _denials(alike) != denied:
                    break
                target = renumbered(self._targets[alike], alike, source)
                if target is not None:
                    best, answer = score, with_ending(target, alike, source)
                    break
        return answer

    def _candidates(self, words: Sequence[int], least: float) -> list[int]:
        """The places of all segments that can be similar enough, or of the likeliest where those are too many."""
        if not words:
            return []
        # At least so many words are shared, so among any others and one more there is one that is.
        shared = max(1, ceil(least * len(words) - 1e-9))
        rarest = sorted(words, key=lambda word: len(self._postings[word]) if word >= 0 else 0)
        rarest = rarest[: len(words) - shared + 1]
        found = [self._postings[word] for word in set(rarest) if word >= 0]
        if not found:
            return []
        marked = np.zeros(len(self._masked), dtype=np.bool_)
        for each in found:
            marked[each] = True
        places = np.flatnonzero(marked)
        lengths = self._lengths[places]
        longest, shortest = len(words) / least, least * len(words)
        places = places[(lengths <= longest + 1e-9) & (lengths >= shortest - 1e-9)]
        if len(places) > _MOST_LOOKED_AT:  # those that share the most words with the text
            counts = np.zeros(len(self._masked), dtype=np.int32)
            for word in set(words) - {-1}:
                counts[self._postings[word]] += 1
            places = np.sort(places[np.argpartition(-counts[places], _MOST_LOOKED_AT)[:_MOST_LOOKED_AT]])
        listed: list[int] = places.tolist()
        return listed


def _normal(text: str) -> str:
    """*text* as it is compared: letters composed, white space as single blanks."""
    text = " ".join(text.split())
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _denials(text: str) -> list[str]:
    """The words that turn what *text* says into its opposite."""
    return sorted(word.casefold() for word in _NEGATION.findall(text))


def _words(text: str) -> list[str]:
    found: list[str] = _WORD.findall(text.casefold())
    return found


def renumbered(target: str, had: str, has: str) -> str | None:
    """*target*, the translation of *had*, with the numbers of *has*; None if that is not safe.

    >>> renumbered("Seite 12 von 40", "Page 12 of 40", "Page 13 of 40")
    'Seite 13 von 40'
    """
    before, after = _NUMBER.findall(had), _NUMBER.findall(has)
    if before == after:
        return target
    if len(before) != len(after):
        return None
    changed = {old: new for old, new in zip(before, after, strict=True) if old != new}
    written = Counter(_NUMBER.findall(target))
    kept = Counter(before)
    for old, new in changed.items():
        plain = _PLAIN_NUMBER.fullmatch(old) and _PLAIN_NUMBER.fullmatch(new)
        if not plain or {old, new} & _SINGULAR or kept[old] != 1 or written[old] != 1:
            return None
    return _NUMBER.sub(lambda found: changed.get(found[0], found[0]), target)


def with_ending(target: str, had: str, has: str) -> str:
    """*target*, the translation of *had*, with the mark that *has* ends with.

    >>> with_ending("Guten Morgen", "Good morning", "Good morning!"), with_ending("Ja.", "Yes.", "Yes")
    ('Guten Morgen!', 'Ja')
    """
    old, new, written = (text[len(text.rstrip(_MARKS)) :] for text in (had, has, target))
    if old == new or bool(old) != bool(written):
        return target
    bare = target.removesuffix(written)
    return bare + (new.translate(_FULL_WIDTH) if _UNSPACED.search(bare[-1:]) else new)


# ---- memories as they are stored


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
        """The id of a new memory that no one sees until `finish`."""
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
        with self._database.write() as connection:
            connection.remove("memories", translation_memory_id=memory_id)

    # ---- asking

    def page(self, page: int, size: int) -> tuple[list[Memory], int]:
        """The memories of one page, in the order of creation, and how many there are in all."""
        with self._database.read() as connection:
            rows = connection.rows("memories", limit=(size, page * size), ready=1)
            return [_memory(connection, row) for row in rows], connection.count("memories", ready=1)

    def get(self, memory_id: str) -> Memory:
        """One memory; 400 if it is not an id, 404 for an unknown one."""
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
