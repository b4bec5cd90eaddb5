"""Document translation: a file is taken, its status told, its translation handed out once."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import PurePath

from msgspec import Struct

from ..catalogue import languages
from ..documents import DONE, ERROR, Ticket, Wanted
from ..documents.cipher import Spoiled
from ..formats import KINDS, MB, UNREADABLE, Kind
from ..operations import Call, Nothing, Operations
from ..ordering import Order, ordered
from ..problems import Problem, bad_request
from ..uploads import Received
from ..wire import FORM, JSON, MULTIPART, File, Stated
from .texts import reporting_tag, with_ignored

operations = Operations()

SCOPE = "translate:document"
LARGEST = max(kind.pro for kind in KINDS.values())
LONGEST_NAME = 255
WATERMARKED = ("docx", "pdf")

_NOT_IN_NAMES = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


class DocumentBody(Wanted):
    """The fields that come with a file."""

    filename: str | None = None
    enable_beta_languages: bool = False


class DocumentHandle(Struct):
    """What a document is asked for by; the key is told only here."""

    document_id: str
    document_key: str


class DocumentKeyBody(Struct):
    """The key of a document."""

    document_key: str


class DocumentStatus(Struct, omit_defaults=True):
    """How far a document is; when it is done, also who translated it, which is not in the contract.

    *marked_characters* are those of texts that no translator has: they were only marked with the target language.
    """

    document_id: str
    status: str
    seconds_remaining: int | None = None
    billed_characters: int | None = None
    error_message: str | None = None
    message: str | None = None
    model_type_used: str | None = None
    marked_characters: int = 0
    detected_source_language: str | None = None


@operations.add(
    "POST",
    "/v2/document",
    scope=SCOPE,
    body=DocumentBody,
    answer=DocumentHandle,
    media=(MULTIPART,),
    upload="multipart",
    limit=LARGEST + MB,
)
def upload(call: Call[DocumentBody, Nothing]) -> Stated:
    """Take a document, to be translated as soon as there is time; a header names the options without effect."""
    state, body, file = call.state, call.body, call.file
    assert file is not None  # noqa: S101  an upload always has one
    tag = reporting_tag(call.headers)
    name = _name(body.filename or file.name)
    extension = PurePath(name).suffix.removeprefix(".").lower()
    kind = _kind(extension, file, free=state.account.free)
    body.output_format = _output_format(body.output_format, extension, kind)
    order = ordered(state, body)
    _refuse_equal_languages(order)
    state.ledger.check(call.key, max(kind.least, 1))
    ticket = Ticket(name, extension, body, tag)
    document_id, key = state.documents.add(file.file, ticket)
    state.clerk.offer(document_id, key)
    unmarked = body.enable_watermark and ticket.result not in WATERMARKED
    return with_ignored(
        DocumentHandle(document_id, key), [*order.ignored, *(["enable_watermark"] if unmarked else [])]
    )


@operations.add(
    "POST",
    "/v2/document/{document_id}",
    scope=SCOPE,
    body=DocumentKeyBody,
    answer=DocumentStatus,
    media=(JSON, FORM),
)
def status(call: Call[DocumentKeyBody, Nothing]) -> DocumentStatus:
    """Tell how far a document is."""
    state, key = call.state, call.body.document_key
    document = state.documents.get(call.path["document_id"], key)
    if document.unfinished:
        state.clerk.offer(document.document_id, key)
    shown, seconds = state.documents.shown(document)
    answer = DocumentStatus(document.document_id, shown, seconds)
    if shown == DONE:
        answer.billed_characters = document.characters
        with suppress(Spoiled):  # the download says that it is damaged
            _add_maker(answer, state.documents.ticket(document, key))
    if shown == ERROR:
        answer.error_message = answer.message = document.error
    return answer


@operations.add(
    "POST",
    "/v2/document/{document_id}/result",
    scope=SCOPE,
    body=DocumentKeyBody,
    answer=File,
    media=(JSON, FORM),
)
def result(call: Call[DocumentKeyBody, Nothing]) -> File:
    """Hand out the translated document, once; it is billed when all of it was sent."""
    return call.state.delivery.begin(call.path["document_id"], call.body.document_key, payer=call.key)


def _add_maker(answer: DocumentStatus, ticket: Ticket) -> None:
    """Say who translated the document; one that an older version of the service translated does not know."""
    if (made := ticket.made) is not None:
        answer.model_type_used = made.engines
        answer.marked_characters = made.marked
        answer.detected_source_language = made.source and languages.wire_v2(made.source)


def _name(given: str) -> str:
    """The bare name of a file: no folders, nothing that cannot be seen, not too long."""
    name = _NOT_IN_NAMES.sub("", re.split(r"[/\\]", given)[-1]).strip()
    return name[-LONGEST_NAME:]


def _kind(extension: str, file: Received, *, free: bool) -> Kind:
    if extension in UNREADABLE:
        raise bad_request(UNREADABLE[extension])
    kind = KINDS.get(extension)
    if kind is None:
        known = ", ".join(KINDS)
        raise bad_request("Invalid file data.", detail=f"The file's name must end in one of: {known}.")
    if not file.size:
        raise bad_request("Invalid file data.", detail="The file is empty.")
    most = kind.free if free else kind.pro
    if file.size > most:
        raise Problem(413, detail=f"A {extension} file may have {most:,} bytes at most on this plan.")
    return kind


def _output_format(wanted: str | None, extension: str, kind: Kind) -> str | None:
    """The extension to convert to, or None; 400 where that cannot be done."""
    if not wanted or wanted.lower() == extension:
        return None
    if wanted.lower() not in kind.outputs:
        raise bad_request("output_format not supported.")
    return wanted.lower()


def _refuse_equal_languages(order: Order) -> None:
    if order.source is not None and languages.base(order.source) == languages.base(order.target):
        raise bad_request("Source and target language are equal.")
