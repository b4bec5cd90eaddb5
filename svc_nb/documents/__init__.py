"""Documents: translate whole files and folders, safe against a lost connection and a killed kernel.

    svc_nb.documents.plan("in/", "DE", out="out/")         # what would be sent; nothing is
    svc_nb.documents.translate("in/", "DE", out="out/")    # a row for each file, and the files in out/
    svc_nb.documents.pending()                             # what is in progress, from any kernel
    svc_nb.documents.resume()                              # and continue

A document is billed when its translation is downloaded, and it can be downloaded only once. Every document that was
sent is recorded, with its key encrypted, in a file beside the store, so a second run continues where the first one
ended: nothing is sent or billed twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

# The module of that name is loaded here; if it were loaded later, it would replace the function.
from svc_nb.documents import items
from svc_nb.documents import plan as _plan
from svc_nb.documents.files import formats
from svc_nb.documents.storage import Workspace, open_storage
from svc_nb.session import current, current_settings
from svc_nb.signatures import shows
from svc_nb.tracebacks import module_verbs
from svc_nb.wire.models.text import DOCUMENT_OPTIONS

if TYPE_CHECKING:
    import pandas as pd

    from svc_nb.documents.job import DocumentJob
    from svc_nb.tabular.report import Report

__all__ = ["forget", "formats", "pending", "plan", "resume", "start", "start_resume", "translate"]

PathOf = str | PathLike[str]


@shows(DOCUMENT_OPTIONS)
def translate(
    files: PathOf | Sequence[PathOf] | pd.DataFrame,
    target_lang: str | None = None,
    *,
    out: PathOf | None = None,
    progress: bool = True,
    errors: str = "raise",
    again: bool = False,
    reporting_tag: str | None = None,
    **options: Any,
) -> Report:
    """Translate files, several at once, and return a table with the result and the translation of each.

    A file that was translated before into the same language with the same options is not sent again, unless it was only
    marked, and a file that is in progress is only fetched. Ctrl-C raises KeyboardInterrupt; everything that was sent
    can be resumed.

    Parameters
    ----------
    files
        A folder, with everything below it; a file; a list of files; or a table with a column `path` and optionally
        `target_lang` and the options by name, whose cells override the arguments.
    target_lang
        The language to translate into: a code, a locale or a name, as everywhere.
    out
        The folder for the translations, which get their sources' names; subfolders are kept. None means beside each
        source. If a name could be mistaken for a source, it contains the language: `name.DE.docx`.
    progress
        Whether to show bars.
    errors
        "raise" raises DocumentsFailed at the end if a document has no translation; "coerce" reports it in its row.
    again
        Translate, and pay for, files again that were translated before.
    reporting_tag
        The tag under which the characters are reported, instead of the one in the settings.
    options
        `source_lang`, `formality`, `glossary` (a name or an id, or a list of up to 5; it needs `source_lang`) or
        `glossary_id` or `glossary_ids`, `style` (a name or an id) or `style_id`, `translation_memory_id`,
        `translation_memory_threshold`, `output_format` ("docx" for a pdf) and `enable_watermark` (docx and pdf).

    Returns
    -------
    A row for each file, in order (a table's index is kept), with `path`, `document_id`, `status`, `translator`
    (who translated it, if the service says so), `seconds_remaining`, `billed_characters` (by this run: 0 for existing
    translations), `error` and `output`. Files of a folder that are not documents, and links that lead out of it, are
    "skipped"; a pdf in which some texts did not fit is "done", and `error` says so. The status "marked" means that
    there is no translator for the document, or a part of it: its texts are only marked with the target language. There
    is a warning, MarkedOnly, and the next run sends it again. With `connect(strict=True)` this is an error: nothing is
    written, and nothing billed.
    """
    if errors not in ("raise", "coerce"):
        raise ValueError(f"errors: expected 'raise' or 'coerce', found {errors!r}")
    job = start(files, target_lang=target_lang, out=out, again=again, reporting_tag=reporting_tag, **options)
    return _followed(job, progress=progress, errors=errors)


@shows(DOCUMENT_OPTIONS)
def start(
    files: PathOf | Sequence[PathOf] | pd.DataFrame,
    target_lang: str | None = None,
    *,
    out: PathOf | None = None,
    again: bool = False,
    reporting_tag: str | None = None,
    **options: Any,
) -> DocumentJob:
    """Start what `translate` does in background threads, and return the job immediately.

    Problems with the arguments are raised here; problems with a file are reported in its row.
    """
    from svc_nb.documents.job import DocumentJob

    workspace = Workspace.of(current())
    found = _plan.planned(files, workspace, target_lang=target_lang, out=out, options=options)
    return DocumentJob(workspace, found, look_first=True, again=again, reporting_tag=reporting_tag).start()


@shows(DOCUMENT_OPTIONS)
def plan(
    files: PathOf | Sequence[PathOf] | pd.DataFrame,
    target_lang: str | None = None,
    *,
    out: PathOf | None = None,
    again: bool = False,
    **options: Any,
) -> Report:
    """Say what `translate` would do with each file; nothing is sent.

    Returns a row for each file with `path`, `target_lang`, `kind`, `size`, `status`, `characters`, `billed_before`,
    `error` and `output`. The status is "to send", "to fetch" (it was sent before, and is billed once, when it is
    fetched), "elsewhere" (another job is translating it), "done", "refused", "skipped" (no document) or "lost".
    `characters` is about how many will be billed; for docx, doc, pptx, xlsx and pdf it is the minimum, and it is
    missing if it cannot be known. `billed_before` is what was already billed; documents that were only marked are
    billed again.
    """
    workspace = Workspace.of(current())
    found = _plan.planned(files, workspace, target_lang=target_lang, out=out, options=options)
    _plan.look(found, workspace, again=again)
    return items.plan_table(found, workspace.storage)


def pending() -> Report:
    """All documents that are running or not fetched yet, from any kernel, oldest first.

    No request is sent, and no service is connected: `status` and `seconds_remaining` are the last known values.
    `at_work` says whether a job, here or in another kernel, is working on it.
    """
    storage = open_storage(current_settings().documents_path)  # even if nothing is connected
    return items.pending_table(storage.under_way(), storage)


def resume(out: PathOf | None = None, *, progress: bool = True, errors: str = "raise") -> Report:
    """Continue with all documents of this service that are running or not fetched yet, and return their table.

    Parameters
    ----------
    out
        The folder for the translations; None means the place that each had when it was sent.
    progress, errors
        As for `translate`.
    """
    return _followed(start_resume(out), progress=progress, errors=errors)


def start_resume(out: PathOf | None = None, *, document_ids: Sequence[str] | None = None) -> DocumentJob:
    """Start what `resume` does, and return the job immediately; *document_ids* selects some documents."""
    from svc_nb.documents.job import DocumentJob

    workspace = Workspace.of(current())
    folder = _plan.out_folder(out)
    records = [
        each
        for each in workspace.storage.under_way(workspace.address)
        if document_ids is None or each.document_id in document_ids
    ]
    found = []
    for number, record in enumerate(records):
        place = Path(record.output or record.path)
        found.append(items.Item.of_record(record, folder / place.name if folder else place))
        found[-1].label = number
    return DocumentJob(workspace, found).start()


def forget(document_id: str) -> None:
    """Forget a document permanently, with its key: its translation can no longer be fetched.

    Nothing is billed. Raises KeyError if there is no such document.
    """
    if not open_storage(current_settings().documents_path).forget(document_id):
        raise KeyError(f"There is no document {document_id!r}. svc_nb.documents.pending() lists the documents")


def _followed(job: DocumentJob, *, progress: bool, errors: str) -> Report:
    from svc_nb.documents.job import follow

    follow(job, shown=progress)
    return job.result(errors=errors)


module_verbs(globals())
