"""The jobs behind the methods of `.svc`: built for the current session, watched, and remembered as the last run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from svc_nb.columns.options import DetectFields, Fields, ImproveFields, RowFields, check_names

if TYPE_CHECKING:
    import pandas as pd

    from svc_nb.columns.job import TextJob
    from svc_nb.columns.manner import Manner
    from svc_nb.columns.relay import Relay
    from svc_nb.columns.sheet import Sheet
    from svc_nb.columns.text import Translation

# What a translation takes besides the options that go to the service as they are.
TAKEN = ("source_lang", "context", "glossary", "style", "protect", "reporting_tag")

Job = TypeVar("Job", bound="TextJob")
PARTIAL = "run it again to go on, or see svc_nb.last_run().partial()"


def last_run() -> TextJob | Relay[Any]:
    """The last run of this process: its counts, `table()` with what came of every row, and `retry_failed()`.

    After Ctrl-C `partial()` has the result as far as it goes, with gaps for the rest. A run on another engine than
    pandas does not keep its table: there `partial()` and `retry_failed()` raise TypeError, which says what to do.
    """
    if _last is None:
        raise LookupError("Nothing was run yet: try df['column'].svc.translate(\"EN-US\").")
    return _last


_last: TextJob | Relay[Any] | None = None


def remember(job: TextJob | Relay[Any]) -> None:
    """Have `last_run` give *job*."""
    global _last
    _last = job


def started(job: Job) -> Job:
    """Start *job* and give it back."""
    remember(job)
    job.start()
    return job


def finished(job: Job) -> Job:
    """Run *job* to its end, watched, and give it back; Ctrl-C raises KeyboardInterrupt."""
    job.start()
    job.watch(job)
    return job


def relayed(relay: Relay[Any], *, progress: bool) -> None:
    """Run *relay* to its end, watched; raises what it ends with."""
    from svc_nb.columns.relay import READ, STORED
    from svc_nb.progress import follow

    remember(relay)
    relay.start()
    follow(relay, shown=progress, unit=READ, advice=STORED)
    relay.result()


def tabled(job: TextJob) -> pd.DataFrame:
    """Run *job* to its end, and give what came of every row."""
    finished(job).wait()
    table = job.table()
    job.warn()
    return table


def translation(
    table: Any, columns: Any, target_lang: str | Sequence[str], progress: bool, fields: Fields
) -> Translation:
    """A job that translates."""
    from svc_nb.columns.text import Translation
    from svc_nb.session import current
    from svc_nb.wire.models import TranslateOptions

    given: dict[str, Any] = dict(fields)
    check_names(given, Fields)
    rest = {name: given.pop(name, None) for name in TAKEN}
    return Translation(
        current(),
        _sheet(table, columns),
        target_lang,
        manner=manner(given),
        options=TranslateOptions(**given),
        watch=_watch(progress),
        **rest,
    )


def detection(table: Any, columns: Any, progress: bool, fields: DetectFields) -> TextJob:
    """A job that detects languages."""
    from svc_nb.columns.text import Detection
    from svc_nb.session import current

    given: dict[str, Any] = dict(fields)
    check_names(given, DetectFields)
    least = given.pop("min_confidence", None)
    how = manner(given), _watch(progress)
    return Detection(current(), _sheet(table, columns), *how, min_confidence=least)


def improvement(
    table: Any,
    columns: Any,
    operation: str,
    styles: dict[str, str | None],
    progress: bool,
    fields: ImproveFields,
) -> TextJob:
    """A job that rephrases or corrects."""
    from svc_nb.columns.sheet import Sheet
    from svc_nb.columns.text import Improvement
    from svc_nb.session import current

    given: dict[str, Any] = dict(fields)
    check_names(given, ImproveFields)
    return Improvement(
        current(),
        Sheet(table, columns),
        operation,
        styles=styles,
        reporting_tag=given.pop("reporting_tag", None),
        manner=manner(given),
        watch=_watch(progress),
    )


def _sheet(table: Any, columns: Any) -> Sheet:
    """What is worked on; a sheet is one already."""
    from svc_nb.columns.sheet import Sheet

    return table if isinstance(table, Sheet) else Sheet(table, columns)


def manner(given: dict[str, Any]) -> Manner:
    """How rows are treated; what says so is taken out of *given*."""
    from svc_nb.columns.manner import Manner

    taken = {name: given.pop(name) for name in RowFields.__annotations__ if name in given}
    return Manner(**{name: value for name, value in taken.items() if value is not None})


def _watch(progress: bool) -> Callable[[TextJob], None]:
    from svc_nb.progress import follow

    def watch(job: TextJob) -> None:
        remember(job)
        follow(job, shown=progress, advice=PARTIAL)

    return watch


def languages(texts: list[str]) -> list[str | None]:
    """The language of each text, as the service detects it; None where it detects none."""
    import pandas as pd

    from svc_nb.columns.manner import Manner
    from svc_nb.columns.sheet import Sheet
    from svc_nb.columns.text import Detection
    from svc_nb.progress import follow
    from svc_nb.session import current

    sheet = Sheet(pd.Series(texts, dtype=object), None)
    job = Detection(current(), sheet, Manner(), lambda job: follow(job, shown=False))
    return [None if pd.isna(code) else code for code in finished(job).result().tolist()]
