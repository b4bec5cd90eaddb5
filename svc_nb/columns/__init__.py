"""Jobs that send the texts of columns through one operation of the current session's service; cheap to import."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from svc_nb.columns import running
from svc_nb.columns.options import DetectFields, Fields, ImproveFields, check_names
from svc_nb.columns.running import finished, started

if TYPE_CHECKING:
    import pandas as pd

    from svc_nb.columns.chunked import ChunkedRun
    from svc_nb.columns.job import ImprovementJob, JobOptions, TextJob, TranslationJob
    from svc_nb.columns.selection import Selection
    from svc_nb.session import Session

    Prepared = tuple[Session, Selection, JobOptions, dict[str, Any]]

__all__ = ["detection", "finished", "improvement", "languages", "last_run", "started", "tabled", "translation"]

# The parameters of a translation that are not options of the service.
TAKEN = ("source_lang", "context", "glossary", "style", "protect", "names", "reporting_tag")


def last_run() -> TextJob | ChunkedRun[Any]:
    """The last run of this process: its counts, `table()` with the outcome of every row, and `retry_failed()`.

    After Ctrl-C, `partial()` has the result so far, with missing values for the rest. A run on another engine than
    pandas does not keep its table: its `partial()` and `retry_failed()` raise a TypeError that says what to do.
    """
    if running.last is None:
        raise LookupError("Nothing has run yet. Try df['column'].svc.translate(\"EN-US\").")
    return cast("TextJob | ChunkedRun[Any]", running.last)


def tabled(job: TextJob) -> pd.DataFrame:
    """Run *job* to its end, and return the outcome of every row."""
    finished(job).wait()
    table = job.table()
    job.warn()
    return table


def _prepared(table: Any, columns: Any, fields: Any, known: type, session: Session | None = None) -> Prepared:
    """What a job needs, and the rest of *fields*, which are checked; *table* may already be a selection."""
    from svc_nb.columns.job import JobOptions
    from svc_nb.columns.selection import Selection
    from svc_nb.session import current

    given: dict[str, Any] = dict(fields)
    check_names(given, known)
    options = JobOptions.taken_from(given)
    selection = table if isinstance(table, Selection) else Selection(table, columns)
    return session or current(), selection, options, given


def translation(
    table: Any,
    columns: Any,
    target_lang: str | Sequence[str],
    progress: bool,
    fields: Fields,
    session: Session | None = None,
) -> TranslationJob:
    """A job that translates, with the current session unless another is given; *table* may already be a selection."""
    from svc_nb.columns.job import TranslationJob
    from svc_nb.columns.operations import translate
    from svc_nb.wire.models import TranslateOptions

    session, selection, options, given = _prepared(table, columns, fields, Fields, session)
    rest = {name: given.pop(name, None) for name in TAKEN}
    if selection.is_nested:
        from svc_nb.columns.protection import with_code

        rest["protect"] = with_code(rest["protect"])
    rest["names"] = selection.people(rest["names"])
    operation = translate(session, target_lang, options=TranslateOptions(**given), **rest)
    return TranslationJob(session, selection, operation, options, shown=progress)


def detection(table: Any, columns: Any, progress: bool, fields: DetectFields) -> TextJob:
    """A job that detects languages; *table* may already be a selection."""
    from svc_nb.columns.job import TextJob
    from svc_nb.columns.operations import detect

    session, selection, options, given = _prepared(table, columns, fields, DetectFields)
    return TextJob(session, selection, detect(session, **given), options, shown=progress)


def improvement(
    table: Any, columns: Any, operation: str, styles: dict[str, str | None], progress: bool, fields: ImproveFields
) -> ImprovementJob:
    """A job that rephrases or corrects."""
    from svc_nb.columns.job import ImprovementJob
    from svc_nb.columns.operations import improve

    session, selection, options, given = _prepared(table, columns, fields, ImproveFields)
    improved = improve(session, operation, styles, **given)
    if selection.is_nested:
        from svc_nb.columns.protection import Protection

        improved = replace(improved, protection=Protection("code"))
    return ImprovementJob(session, selection, improved, options, shown=progress)


def languages(texts: list[str]) -> list[str | None]:
    """The language of each text, as detected by the service; None if it detects none."""
    import pandas as pd

    from svc_nb.progress import follow

    job = detection(pd.Series(texts, dtype=object), None, False, {})
    follow(job.start(), shown=False)
    return [None if pd.isna(code) else code for code in job.result().tolist()]
