"""Document translation: a file is taken, its status told, its translation handed out once."""

import re
from contextlib import suppress
from pathlib import PurePath

from msgspec import Struct

from ..answers import File, FullAnswer
from ..bodies import MULTIPART, UploadedFile
from ..catalogue import languages
from ..documents.cipher import Damaged
from ..documents.storage import DONE, ERROR, DocumentDetails, DocumentOptions
from ..formats import KINDS, MB, UNREADABLE, Kind
from ..operations import JSON_OR_FORM, Call, Nothing, Operations
from ..problems import Problem, bad_request
from ..translate import check_options
from .texts import reporting_tag, with_ignored

operations = Operations()

SCOPE = "translate:document"
LARGEST = max(kind.pro for kind in KINDS.values())
LONGEST_NAME = 255
WATERMARKED = ("docx", "pdf")

_NOT_IN_NAMES = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


class DocumentBody(DocumentOptions):
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
    small_texts: int = 0
    kept_texts: int = 0
    risky_formulas: int = 0
    risky_cells: str = ""


@operations.add("POST", "/v2/document", scope=SCOPE, media=(MULTIPART,), upload="multipart", limit=LARGEST + MB)
def upload(call: Call[DocumentBody, Nothing]) -> FullAnswer[DocumentHandle]:
    """Take a document, to be translated as soon as there is time; a header names the options without effect."""
    state, body, file = call.state, call.body, call.file
    assert file is not None  # noqa: S101  an upload always has one
    tag = reporting_tag(call.headers)
    # The bare name: no folders, nothing that cannot be seen, not too long.
    name = _NOT_IN_NAMES.sub("", re.split(r"[/\\]", body.filename or file.name)[-1]).strip()[-LONGEST_NAME:]
    extension = PurePath(name).suffix.removeprefix(".").lower()
    kind = _kind(extension, file, free=state.account.free)
    wanted = (body.output_format or "").lower()
    if wanted not in ("", extension, *kind.outputs):
        raise bad_request("output_format not supported.")
    body.output_format = None if wanted in ("", extension) else wanted
    options = check_options(state, body.target_lang, body)
    if options.source is not None and languages.base(options.source) == languages.base(options.target):
        raise bad_request("Source and target language are equal.")
    state.ledger.check(call.key, max(kind.least, 1))
    details = DocumentDetails(name, extension, body, tag)
    document_id, key = state.documents.add(file.file, details)
    state.worker.offer(document_id, key)
    unmarked = body.enable_watermark and details.result not in WATERMARKED
    return with_ignored(
        DocumentHandle(document_id, key), [*options.ignored, *(["enable_watermark"] if unmarked else [])]
    )


def _kind(extension: str, file: UploadedFile, *, free: bool) -> Kind:
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


@operations.add("POST", "/v2/document/{document_id}", scope=SCOPE, media=JSON_OR_FORM)
def status(call: Call[DocumentKeyBody, Nothing]) -> DocumentStatus:
    """Tell how far a document is."""
    state, key = call.state, call.body.document_key
    document = state.documents.get(call.path["document_id"], key)
    if document.unfinished:
        state.worker.offer(document.document_id, key)
    shown, seconds = state.documents.shown(document)
    answer = DocumentStatus(document.document_id, shown, seconds)
    if shown == DONE:
        answer.billed_characters = document.characters
        with suppress(Damaged):  # the download says that it is damaged
            made = state.documents.details(document, key).made
            if made is not None:  # else an older version of the service translated it
                answer.model_type_used = made.engines
                answer.marked_characters = made.marked
                answer.small_texts, answer.kept_texts = made.small, made.kept
                answer.risky_formulas, answer.risky_cells = made.formulas, made.cells
                answer.detected_source_language = made.source and languages.wire_v2(made.source)
    if shown == ERROR:
        answer.error_message = answer.message = document.error
    return answer


@operations.add("POST", "/v2/document/{document_id}/result", scope=SCOPE, media=JSON_OR_FORM)
def result(call: Call[DocumentKeyBody, Nothing]) -> File:
    """Hand out the translated document, once; it is billed when all of it was sent."""
    return call.state.documents.send(call.path["document_id"], call.body.document_key, payer=call.key)
