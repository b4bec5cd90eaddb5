"""Translation memories: listed, shown, deleted, read segment by segment, imported and exported.

An import or export is a job; its file is uploaded or downloaded under a signed address.
"""

import hashlib
import io
import uuid
from base64 import urlsafe_b64decode, urlsafe_b64encode
from itertools import islice
from pathlib import PurePath
from typing import Annotated

from msgspec import Meta, Struct

from ..answers import File, FullAnswer
from ..memories.jobs import AWAITING, COMPLETED
from ..memories.storage import Memory
from ..operations import Call, Nothing, Operations
from ..problems import Problem, bad_request, unsupported

operations = Operations()
READ, WRITE = "translation_memories:read", "translation_memories:write"
PATH = "/v3/translation_memories"
ONE = PATH + "/{translation_memory_id}"
JOB = PATH + "/jobs/{job_id}"
XML = "application/xml"
MAX_FILE = 1_000_000_000
MAX_NAME = 1024


# ---- imports and exports, before what takes any word for an id


class SourceFile(Struct):
    """The file that will be uploaded."""

    file_name: Annotated[str, Meta(min_length=1, max_length=100)]
    content_length: Annotated[int, Meta(ge=1, le=MAX_FILE)]
    content_type: Annotated[str, Meta(min_length=1, max_length=127)] = XML


class ImportParameters(Struct):
    """What the new memory is called."""

    display_name: Annotated[str, Meta(max_length=MAX_NAME)] | None = None


class ImportBody(Struct):
    """An import that is asked for."""

    source_file: SourceFile
    parameters: ImportParameters | None = None


class SignedQuery(Struct):
    """The right to the file of a job."""

    expires: int = 0
    signature: str = ""


class ImportAnswer(Struct):
    """Where the file goes, and until when."""

    job_id: str
    upload_url: str
    expires_at: str


class JobParameters(Struct, omit_defaults=True):
    """What a job is about."""

    display_name: str | None = None
    translation_memory_id: str | None = None


class ExportAnswer(Struct):
    """An export that has begun, or is there already."""

    job_id: str
    parameters: JobParameters


class JobFile(Struct):
    """The file of an import."""

    content_type: str
    content_length: int


class StatusMetadata(Struct):
    """What the caller has to do."""

    required_action: str


class JobError(Struct):
    """Why a job failed."""

    message: str


class JobResult(Struct, omit_defaults=True):
    """How a job stands."""

    status: str
    status_metadata: StatusMetadata | None = None
    download_url: str | None = None
    expires_at: str | None = None
    error: JobError | None = None
    translation_memory_id: str | None = None
    skipped_segment_count: int | None = None


class JobAnswer(Struct, omit_defaults=True):
    """An import or an export."""

    job_id: str
    product: str
    operation: str
    creation_time: str
    updated_time: str
    parameters: JobParameters
    results: list[JobResult]
    source_file: JobFile | None = None


@operations.add("POST", PATH + "/import", scope=WRITE, status=202)
def begin_import(call: Call[ImportBody, Nothing]) -> ImportAnswer:
    """Begin an import: the file goes to the address of the answer."""
    file, jobs = call.body.source_file, call.state.memory_jobs
    given = (call.body.parameters or ImportParameters()).display_name or ""
    name = given.strip() or PurePath(file.file_name).stem.strip() or file.file_name
    job = jobs.begin_import(name, file.content_type, file.content_length)
    return ImportAnswer(job.job_id, jobs.link(call.address, "PUT", job), job.expires_at)


@operations.add("GET", JOB, scope=READ)
def job(call: Call[Nothing, Nothing]) -> JobAnswer:
    """Show how an import or an export stands."""
    found = call.state.memory_jobs.get(call.path["job_id"])
    is_import = found.operation == "import"
    result = JobResult(found.status)
    if found.status == AWAITING:
        result.status_metadata = StatusMetadata("upload_file")
        result.expires_at = found.expires_at
    if found.error is not None:
        result.error = JobError(found.error)
    if found.status == COMPLETED:
        result.translation_memory_id = found.translation_memory_id
        result.skipped_segment_count = found.skipped
        if not is_import:
            result.download_url = call.state.memory_jobs.link(call.address, "GET", found)
            result.expires_at = found.expires_at
    times = found.creation_time, found.updated_time
    parameters = JobParameters(found.display_name, None if is_import else found.translation_memory_id)
    file = JobFile(found.content_type or XML, found.content_length or 0) if is_import else None
    return JobAnswer(found.job_id, "translation_memory", found.operation, *times, parameters, [result], file)


@operations.add("POST", ONE + "/export", scope=READ, status=202, also=(200,))
def begin_export(call: Call[Nothing, Nothing]) -> FullAnswer[ExportAnswer]:
    """Begin an export, or show the one that is there."""
    found, is_new = call.state.memory_jobs.begin_export(call.path["translation_memory_id"])
    parameters = JobParameters(translation_memory_id=found.translation_memory_id)
    return FullAnswer(ExportAnswer(found.job_id, parameters), 202 if is_new else 200)


def _check_signature(call: Call[Nothing, SignedQuery], method: str) -> None:
    query = call.query
    call.state.memory_jobs.check_link(method, call.path["job_id"], query.expires, query.signature)


def _may_upload(call: Call[Nothing, SignedQuery]) -> None:
    _check_signature(call, "PUT")
    found = call.state.memory_jobs.get(call.path["job_id"])
    media = call.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media != (found.content_type or XML).partition(";")[0].strip().lower():
        raise Problem(403, detail="The Content-Type is not the one that was announced.")
    announced = call.headers.get("content-length", "")
    if announced.isdecimal() and int(announced) != found.content_length:
        raise bad_request(f"The file has {announced} bytes; {found.content_length} were announced.")


@operations.add("PUT", JOB + "/file", scope=None, upload="raw", signed=_may_upload, limit=MAX_FILE, media=(XML,))
def give(call: Call[Nothing, SignedQuery]) -> Nothing:
    """Upload the file of an import to its signed address; reading it begins by itself."""
    received = call.file
    if received is None:
        raise bad_request("There is no file.")
    file, received.file = received.file, io.BytesIO()  # it is read when this request is answered
    call.state.memory_jobs.take(call.path["job_id"], file, received.size)
    return Nothing()


@operations.add("GET", JOB + "/file", scope=None, signed=lambda call: _check_signature(call, "GET"))
def take(call: Call[Nothing, SignedQuery]) -> File:
    """Download the file of an export from its signed address."""
    return File(call.state.memory_jobs.file(call.path["job_id"]), media=XML, name="memory.tmx")


# ---- memories and their segments


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


class MemoriesAnswer(Struct):
    """A page of the memories."""

    translation_memories: list[Memory]
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


@operations.add("GET", PATH, scope=READ)
def index(call: Call[Nothing, MemoryPageQuery]) -> MemoriesAnswer:
    """List the memories, page by page."""
    return MemoriesAnswer(*call.state.memories.page(call.query.page, call.query.page_size))


@operations.add("GET", ONE, scope=READ)
def show(call: Call[Nothing, Nothing]) -> Memory:
    """Show one memory, without its segments."""
    return call.state.memories.get(call.path["translation_memory_id"])


@operations.add("DELETE", ONE, scope=WRITE, status=204)
def delete(call: Call[Nothing, Nothing]) -> None:
    """Delete a memory with all its segments."""
    call.state.memories.delete(call.path["translation_memory_id"])


@operations.add("GET", ONE + "/segments", scope=READ)
def segments(call: Call[Nothing, SegmentQuery]) -> SegmentsAnswer:
    """Show the segments of a memory, those with a text in them or all, page by page."""
    query = call.query
    memory = call.state.memories.get(call.path["translation_memory_id"])
    # A cursor is bound to the memory and the filter.
    told = repr((memory.translation_memory_id, query.filter_text, query.filter_case_sensitive))
    binding = hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    after = 0 if query.page_cursor is None else _number(query.page_cursor, binding)
    found = call.state.memories.segments(memory.translation_memory_id, after=after)
    wanted, fold = query.filter_text, str if query.filter_case_sensitive else str.casefold
    fitting = (
        each
        for each in found
        if wanted is None or any(fold(wanted) in fold(text.shown) for text in (each.source, *each.targets))
    )
    page = list(islice(fitting, query.page_size))
    cursor = None
    if len(page) == query.page_size and next(fitting, None) is not None:
        cursor = urlsafe_b64encode(f"{page[-1].number} {binding}".encode()).decode().rstrip("=")
    answers = []
    for each in page:
        texts = [each.source, *each.targets]
        names = (f"{each.number} {place}" for place in range(len(texts)))
        ids = [str(uuid.uuid5(uuid.UUID(memory.translation_memory_id), name)) for name in names]
        targets = [
            TargetAnswer(own_id, text.language, text.shown, *text.times)
            for own_id, text in zip(ids[1:], each.targets, strict=True)
        ]
        answers.append(SegmentAnswer(ids[0], each.source.shown, targets, *each.source.times))
    return SegmentsAnswer(answers, memory.segment_count, cursor)


def _number(cursor: str, binding: str) -> int:
    """The number of the segment that a cursor stands for, or 400."""
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        number, _, bound = urlsafe_b64decode(padded).decode("ascii").partition(" ")
        if bound == binding and number.isdecimal():
            return min(int(number[:18]), 2**62)
    except ValueError:
        pass
    raise unsupported("page_cursor", "It belongs to another filter or memory.")
