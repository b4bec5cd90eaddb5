"""Documents: whole files and folders translated, safe against a lost connection and a killed kernel.

    svc_nb.documents.plan("in/", "DE", out="out/")         # what would be sent; nothing is
    svc_nb.documents.translate("in/", "DE", out="out/")    # a row for each file, and the files in out/
    svc_nb.documents.pending()                             # what is under way, from whatever kernel
    svc_nb.documents.resume()                              # and on

A document is billed when its translation is downloaded, and it can be downloaded once. What was sent is written down,
with its key encrypted, in a file beside the store of answers, so that a second run goes on where the first one ended:
nothing is sent or billed twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

# The file of that name is loaded at once: loaded later, it would take the place of the function.
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
    """Translate files, several at once, and return a table: what became of each, and where its translation is.

    A file that was translated before into the same language with the same options is not sent again, unless it was
    only marked, and one that is under way is only fetched. Ctrl-C raises KeyboardInterrupt, and leaves all that was
    sent to be resumed.

    Parameters
    ----------
    files
        A folder, with all below it; a file; a list of files; or a table with a column `path` and, as far as wanted,
        `target_lang` and the options by name, whose cells count before what is given here.
    target_lang
        The language to translate into: a code, a locale or a name, as everywhere.
    out
        The folder for the translations, which get their sources' names; sub-folders are kept. None is beside each
        source. Where a name could be mistaken for a source, it has the language in it: `name.DE.docx`.
    progress
        Whether to show bars.
    errors
        "raise" raises DocumentsFailed at the end when a document has no translation; "coerce" tells it in its row.
    again
        Translate, and pay, again what was translated before.
    reporting_tag
        The tag to book the characters under, in place of the one in the settings.
    options
        `source_lang`, `formality`, `glossary` (a name or an id, or a list of up to 5; it needs `source_lang`) or
        `glossary_id` or `glossary_ids`, `style` (a name or an id) or `style_id`, `translation_memory_id`,
        `translation_memory_threshold`, `output_format` ("docx" for a pdf) and `enable_watermark` (docx and pdf).

    Returns
    -------
    A row for each file, in their order (a table's index is kept), with `path`, `document_id`, `status`, `translator`
    (who translated it, where the service says so), `seconds_remaining`, `billed_characters` (by this run: 0 for what
    was there already), `error` and `output`. What of a folder is no document, or a link that leads out of it, is
    "skipped"; a pdf some of whose texts did not fit is "done", and `error` says so. The status "marked" means that no
    translator has the document, or a part of it: its texts are only marked with the target language. There is a
    warning, MarkedOnly, and the next run sends it again. With `connect(strict=True)` it is an error, nothing is
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
    """Begin what `translate` does, in threads of its own, and return the job at once.

    What is wrong with the arguments is raised here; what is wrong with a file is told in its row.
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
    `characters` is about how many will be billed; for docx, doc, pptx, xlsx and pdf it is the least, and where it
    cannot be known it is missing. `billed_before` is what was billed already; what came back only marked is billed
    again.
    """
    workspace = Workspace.of(current())
    found = _plan.planned(files, workspace, target_lang=target_lang, out=out, options=options)
    _plan.look(found, workspace, again=again)
    return items.plan_table(found, workspace.storage)


def pending() -> Report:
    """All documents that are running or not fetched yet, from whatever kernel they were sent, oldest first.

    Nothing is asked of the service, and none is connected: `status` and `seconds_remaining` are what was heard last.
    `at_work` says whether a job, here or in another kernel, is at it.
    """
    storage = open_storage(current_settings().documents_path)  # also where nothing is connected
    return items.pending_table(storage.under_way(), storage)


def resume(out: PathOf | None = None, *, progress: bool = True, errors: str = "raise") -> Report:
    """Go on with all documents of this service that are running or not fetched yet, and return their table.

    Parameters
    ----------
    out
        The folder for the translations; None is where each was to go when it was sent.
    progress, errors
        As for `translate`.
    """
    return _followed(start_resume(out), progress=progress, errors=errors)


def start_resume(out: PathOf | None = None, *, document_ids: Sequence[str] | None = None) -> DocumentJob:
    """Begin what `resume` does, and return the job at once; *document_ids* picks some."""
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
    """Forget a document for good, with its key: its translation cannot be fetched any more. Nothing is billed.

    Raises KeyError where there is no such document.
    """
    if not open_storage(current_settings().documents_path).forget(document_id):
        raise KeyError(f"There is no document {document_id!r}; see svc_nb.documents.pending()")


def _followed(job: DocumentJob, *, progress: bool, errors: str) -> Report:
    from svc_nb.documents.job import follow

    follow(job, shown=progress)
    return job.result(errors=errors)


module_verbs(globals())
