"""Imports and exports of translation memories: the jobs, and their files under signed addresses."""

from __future__ import annotations

import io
from pathlib import PurePath
from typing import Annotated, Any

from msgspec import Meta, Struct

from ..memories import links
from ..memories.jobs import AWAITING, COMPLETED, Job, signing_key
from ..operations import Call, Nothing, Operations
from ..problems import Problem, bad_request
from ..wire import File, Stated
from .memories import PATH, READ, WRITE

operations = Operations()
XML = "application/xml"

MAX_FILE = 1_000_000_000
MAX_NAME = 1024


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


@operations.add("POST", f"{PATH}/import", scope=WRITE, body=ImportBody, answer=ImportAnswer, status=202)
def begin_import(call: Call[ImportBody, Nothing]) -> ImportAnswer:
    """Begin an import: the file goes to the address of the answer."""
    file, parameters = call.body.source_file, call.body.parameters or ImportParameters()
    name = (parameters.display_name or "").strip() or PurePath(file.file_name).stem.strip() or file.file_name
    job = call.state.memory_jobs.begin_import(name, file.content_type, file.content_length)
    return ImportAnswer(job.job_id, _link(call, "PUT", job), job.expires_at)


@operations.add("GET", f"{PATH}/jobs/{{job_id}}", scope=READ, answer=JobAnswer)
def job(call: Call[Nothing, Nothing]) -> JobAnswer:
    """Show how an import or an export stands."""
    found = call.state.memory_jobs.get(call.path["job_id"])
    is_import = found.operation == "import"
    file = JobFile(found.content_type or XML, found.content_length or 0) if is_import else None
    return JobAnswer(
        job_id=found.job_id,
        product="translation_memory",
        operation=found.operation,
        creation_time=found.creation_time,
        updated_time=found.updated_time,
        parameters=JobParameters(found.display_name, None if is_import else found.translation_memory_id),
        results=[_result(call, found)],
        source_file=file,
    )


@operations.add(
    "POST",
    f"{PATH}/{{translation_memory_id}}/export",
    scope=READ,
    answer=ExportAnswer,
    status=202,
    also=(200,),
)
def begin_export(call: Call[Nothing, Nothing]) -> Stated:
    """Begin an export, or show the one that is there."""
    found, is_new = call.state.memory_jobs.begin_export(call.path["translation_memory_id"])
    parameters = JobParameters(translation_memory_id=found.translation_memory_id)
    return Stated(ExportAnswer(found.job_id, parameters), 202 if is_new else 200)


def _result(call: Call[Nothing, Nothing], found: Job) -> JobResult:
    result = JobResult(found.status)
    if found.status == AWAITING:
        result.status_metadata = StatusMetadata("upload_file")
        result.expires_at = found.expires_at
    if found.error is not None:
        result.error = JobError(found.error)
    if found.status == COMPLETED:
        result.translation_memory_id = found.translation_memory_id
        result.skipped_segment_count = found.skipped
        if found.operation == "export":
            result.download_url, result.expires_at = _link(call, "GET", found), found.expires_at
    return result


# ---- the files of jobs


def _may_give(call: Call[Nothing, SignedQuery]) -> None:
    _check(call, "PUT")
    found = call.state.memory_jobs.get(call.path["job_id"])
    media = call.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media != (found.content_type or XML).partition(";")[0].strip().lower():
        raise Problem(403, "Forbidden", detail="The Content-Type is not the one that was announced.")
    announced = call.headers.get("content-length", "")
    if announced.isdecimal() and int(announced) != found.content_length:
        raise bad_request(f"The file has {announced} bytes; {found.content_length} were announced.")


def _may_take(call: Call[Nothing, SignedQuery]) -> None:
    _check(call, "GET")


@operations.add(
    "PUT",
    f"{PATH}/jobs/{{job_id}}/file",
    scope=None,
    query=SignedQuery,
    upload="raw",
    signed=_may_give,
    limit=MAX_FILE,
    media=(XML,),
)
def give(call: Call[Nothing, SignedQuery]) -> Nothing:
    """Upload the file of an import to its signed address; reading it begins by itself."""
    received = call.file
    if received is None:
        raise bad_request("There is no file.")
    file, received.file = received.file, io.BytesIO()  # it is read when this request is answered
    call.state.memory_jobs.take(call.path["job_id"], file, received.size)
    return Nothing()


@operations.add(
    "GET", f"{PATH}/jobs/{{job_id}}/file", scope=None, query=SignedQuery, signed=_may_take, answer=File
)
def take(call: Call[Nothing, SignedQuery]) -> File:
    """Download the file of an export from its signed address."""
    return File(call.state.memory_jobs.file(call.path["job_id"]), media=XML, name="memory.tmx")


def _check(call: Call[Nothing, SignedQuery], method: str) -> None:
    links.check(
        signing_key(call.state.database),
        method=method,
        job_id=call.path["job_id"],
        expires=call.query.expires,
        signed=call.query.signature,
        now=call.state.clock(),
    )


def _link(call: Call[Any, Nothing], method: str, found: Job) -> str:
    key = signing_key(call.state.database)
    return links.link(call.address, key, method=method, job_id=found.job_id, until=found.until)
