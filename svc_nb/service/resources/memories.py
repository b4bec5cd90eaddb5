"""Translation memories: listed, shown, deleted, and read segment by segment."""

from __future__ import annotations

import hashlib
import uuid
from base64 import urlsafe_b64decode, urlsafe_b64encode
from itertools import islice
from typing import Annotated

from msgspec import Meta, Struct

from ..memories import Memory
from ..memories.shelf import Segment
from ..memories.tmx import Text
from ..operations import Call, Nothing, Operations
from ..problems import bad_request

operations = Operations()
READ, WRITE = "translation_memories:read", "translation_memories:write"
PATH = "/v3/translation_memories"


class MemoryPageQuery(Struct):
    """Which page of the list."""

    page: Annotated[int, Meta(ge=0, le=1_000_000)] = 0
    page_size: Annotated[int, Meta(ge=1, le=25)] = 10


class SegmentQuery(Struct):
    """Which segments: those with a text, and from where on."""

    page_size: Annotated[int, Meta(ge=1, le=100)] = 50
    page_cursor: str | None = None
    filter_text: Annotated[str, Meta(min_length=2)] | None = None
    filter_case_sensitive: bool = False


class MemoryAnswer(Struct):
    """A memory without its segments."""

    translation_memory_id: str
    name: str
    source_language: str
    target_languages: list[str]
    segment_count: int
    creation_time: str
    updated_time: str


class MemoriesAnswer(Struct):
    """A page of the memories."""

    translation_memories: list[MemoryAnswer]
    total_count: int


class TargetAnswer(Struct, omit_defaults=True):
    """A translation of a segment."""

    target_segment_id: str
    target_language: str
    target_text: str
    creation_time: str | None = None
    updated_time: str | None = None
    last_used_time: str | None = None


class SegmentAnswer(Struct, omit_defaults=True):
    """A segment with its translations."""

    source_segment_id: str
    source_text: str
    targets: list[TargetAnswer]
    creation_time: str | None = None
    updated_time: str | None = None
    last_used_time: str | None = None


class SegmentsAnswer(Struct, omit_defaults=True):
    """A page of segments; the count is that of the whole memory."""

    segments: list[SegmentAnswer]
    segment_count: int
    next_page_cursor: str | None = None


@operations.add("GET", PATH, scope=READ, query=MemoryPageQuery, answer=MemoriesAnswer)
def index(call: Call[Nothing, MemoryPageQuery]) -> MemoriesAnswer:
    """List the memories, page by page."""
    found, total = call.state.memories.page(call.query.page, call.query.page_size)
    return MemoriesAnswer([_answer(each) for each in found], total)


@operations.add("GET", f"{PATH}/{{translation_memory_id}}", scope=READ, answer=MemoryAnswer)
def show(call: Call[Nothing, Nothing]) -> MemoryAnswer:
    """Show one memory, without its segments."""
    return _answer(call.state.memories.get(call.path["translation_memory_id"]))


@operations.add("DELETE", f"{PATH}/{{translation_memory_id}}", scope=WRITE, status=204)
def delete(call: Call[Nothing, Nothing]) -> None:
    """Delete a memory with all its segments."""
    call.state.memories.delete(call.path["translation_memory_id"])


@operations.add(
    "GET", f"{PATH}/{{translation_memory_id}}/segments", scope=READ, query=SegmentQuery, answer=SegmentsAnswer
)
def segments(call: Call[Nothing, SegmentQuery]) -> SegmentsAnswer:
    """Show the segments of a memory, those with a text in them or all, page by page."""
    query = call.query
    memory = call.state.memories.get(call.path["translation_memory_id"])
    binding = _binding(memory, query)
    after = 0 if query.page_cursor is None else _opened(query.page_cursor, binding)
    found = call.state.memories.segments(memory.translation_memory_id, after=after)
    fitting = (each for each in found if _fits(each, query))
    page = list(islice(fitting, query.page_size))
    more = len(page) == query.page_size and next(fitting, None) is not None
    cursor = _cursor(page[-1].number, binding) if more else None
    return SegmentsAnswer([_segment(memory, each) for each in page], memory.segment_count, cursor)


# ---- answers


def _answer(memory: Memory) -> MemoryAnswer:
    return MemoryAnswer(
        memory.translation_memory_id,
        memory.name,
        memory.source_lang,
        list(memory.target_langs),
        memory.segment_count,
        memory.creation_time,
        memory.updated_time,
    )


def _segment(memory: Memory, segment: Segment) -> SegmentAnswer:
    def named(place: int) -> str:
        return str(uuid.uuid5(uuid.UUID(memory.translation_memory_id), f"{segment.number} {place}"))

    targets = [
        TargetAnswer(named(place), each.language, _text(each), *each.times)
        for place, each in enumerate(segment.targets, start=1)
    ]
    return SegmentAnswer(named(0), _text(segment.source), targets, *segment.source.times)


def _text(text: Text) -> str:
    return text.plain if text.markup is None else text.markup


# ---- filter and cursor


def _fits(segment: Segment, query: SegmentQuery) -> bool:
    if query.filter_text is None:
        return True
    texts = [_text(each) for each in (segment.source, *segment.targets)]
    if query.filter_case_sensitive:
        return any(query.filter_text in text for text in texts)
    wanted = query.filter_text.casefold()
    return any(wanted in text.casefold() for text in texts)


def _binding(memory: Memory, query: SegmentQuery) -> str:
    """What a cursor is bound to: the memory and the filter."""
    told = repr((memory.translation_memory_id, query.filter_text, query.filter_case_sensitive))
    return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _cursor(number: int, binding: str) -> str:
    return urlsafe_b64encode(f"{number} {binding}".encode()).decode().rstrip("=")


def _opened(cursor: str, binding: str) -> int:
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        number, _, bound = urlsafe_b64decode(padded).decode("ascii").partition(" ")
        if bound == binding and number.isdecimal():
            return min(int(number[:18]), 2**62)
    except ValueError:
        pass
    raise bad_request(
        "Value for 'page_cursor' not supported.", detail="It belongs to another filter or memory."
    )
