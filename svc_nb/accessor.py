"""`.svc` on pandas: every method is one job of `frames`. Light to import: the rest loads when it is used."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Hashable, Sequence
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, Unpack

import pandas as pd

if TYPE_CHECKING:
    from svc_nb.frames.job import TextJob
    from svc_nb.frames.manner import Manner
    from svc_nb.frames.summary import PlanSummary
    from svc_nb.frames.text import Translation

__all__ = ["ColumnTexts", "FrameTexts", "last_run"]

Method = TypeVar("Method", bound=Callable[..., Any])
Job = TypeVar("Job", bound="TextJob")
Columns = Hashable | Sequence[Hashable]


class RowFields(TypedDict, total=False):
    """How a job treats its rows."""

    errors: str
    budget: int | None
    skip: Collection[str] | None


class Fields(RowFields, total=False):
    """What a translation takes by name; the options have the service's own names."""

    source_lang: Any
    reporting_tag: str | None
    formality: str | None
    glossary_id: str | None
    glossary_ids: Sequence[str] | None
    style_id: str | None
    custom_instructions: Sequence[str] | None
    context: str | None
    model_type: str | None
    tag_handling: str | None
    tag_handling_version: str | None
    outline_detection: bool | None
    non_splitting_tags: Sequence[str] | None
    splitting_tags: Sequence[str] | None
    ignore_tags: Sequence[str] | None
    split_sentences: str | None
    preserve_formatting: bool | None
    translation_memory_id: str | None
    translation_memory_threshold: int | None
    enable_beta_languages: bool | None


PARAMETERS = """
        source_lang
            What the texts are in: a code, one code per row (a Series or a list), or on a frame the name of a column.
            "detect" finds it out first and leaves alone what is in the target language already. None leaves it to the
            service; with a glossary, which needs to know it, None means "detect".
        errors
            "raise" does all that can be done and then raises what failed; "coerce" leaves gaps in its place.
            `svc_nb.last_run()` knows what came of every row.
        budget
            The most characters to pay for: a hard stop. What was done is returned and kept.
        skip
            The rules that keep a text from being sent and paid for: "blank", "no_letters", "emoji", "url", "email",
            "same_language". None is all of them, `()` sends everything. What is skipped passes through as it is.
PROGRESS        reporting_tag
            The tag to book the characters under.
        formality, glossary_id, style_id, context, tag_handling, ...
            What else shapes the translation: every option of the service, by its own name.
"""


PROGRESS = """        progress
            Whether to paint a bar.
"""


def spelled_out(fields: type) -> Callable[[Method], Method]:
    """Show every name in *fields* to whoever asks for help or completion, and say once what they mean."""

    def show(method: Method) -> Method:
        signature = inspect.signature(method)
        *kept, _ = signature.parameters.values()
        named = [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default="raise" if name == "errors" else None
            )
            for name in fields.__annotations__
        ]
        method.__signature__ = signature.replace(parameters=[*kept, *named])  # type: ignore[attr-defined]
        progress = PROGRESS if "progress" in signature.parameters else ""
        told = PARAMETERS.lstrip("\n").replace("PROGRESS", progress)
        method.__doc__ = (method.__doc__ or "").replace("        ...\n", told)
        return method

    return show


@pd.api.extensions.register_series_accessor("svc")
@pd.api.extensions.register_index_accessor("svc")
class ColumnTexts:
    """The texts of a column or an index; results have the same index, name and length, and gaps where gaps were."""

    def __init__(self, texts: pd.Series[Any] | pd.Index[Any]) -> None:
        self._texts = texts

    def detect(self, *, progress: bool = True, **rows: Unpack[RowFields]) -> Any:
        """The language of every text as a code; a gap where none was detected. Costs nothing."""
        return _finished(_detection(self._texts, None, progress, rows)).result()

    def detect_table(self, *, progress: bool = True, **rows: Unpack[RowFields]) -> pd.DataFrame:
        """The language of every text with its detection_status, and what came of every row."""
        return _tabled(_detection(self._texts, None, progress, rows))

    @spelled_out(Fields)
    def plan(
        self, target_lang: str | Sequence[str], *, price: float | None = None, **fields: Unpack[Fields]
    ) -> PlanSummary:
        """What `translate` would do and cost: rows, different texts, stored, skipped by reason, characters, requests.

        No text is sent.

        Parameters
        ----------
        target_lang
            The language to translate into: "DE", "EN-US"; or several.
        price
            What a million characters cost, to see the cost.
        ...
        """
        return _translation(self._texts, None, target_lang, False, fields).plan(price=price)

    @spelled_out(Fields)
    def translate(
        self, target_lang: str | Sequence[str], *, progress: bool = True, **fields: Unpack[Fields]
    ) -> Any:
        """Translate every text: each different one is paid for once, ever, and what is done is never lost.

        Returns a column of the same shape; for several targets a frame with a column for each.

        Parameters
        ----------
        target_lang
            The language to translate into: "DE", "EN-US"; or several.
        ...
        """
        return _finished(_translation(self._texts, None, target_lang, progress, fields)).result()

    @spelled_out(Fields)
    def translate_table(
        self, target_lang: str | Sequence[str], *, progress: bool = True, **fields: Unpack[Fields]
    ) -> pd.DataFrame:
        """As `translate`, with what came of every row.

        The columns: text, detected_source_lang, status, reason, billed_characters, from_store, http_status, trace_id.
        Nothing is raised for single rows.
        """
        return _tabled(_translation(self._texts, None, target_lang, progress, fields))

    @spelled_out(Fields)
    def start_translate(self, target_lang: str | Sequence[str], **fields: Unpack[Fields]) -> Translation:
        """As `translate`, but returns a job at once: progress, partial(), pause(), resume(), cancel(), result()."""
        return _started(_translation(self._texts, None, target_lang, False, fields))

    def rephrase(
        self,
        *,
        target_lang: str | None = None,
        writing_style: str | None = None,
        tone: str | None = None,
        progress: bool = True,
        **rows: Unpack[RowFields],
    ) -> Any:
        """Every text in better words; without *target_lang* each stays in its own language."""
        styles = {"target_lang": target_lang, "writing_style": writing_style, "tone": tone}
        return _finished(_improvement(self._texts, None, "rephrase", styles, progress, rows)).result()

    def correct(
        self, *, target_lang: str | None = None, progress: bool = True, **rows: Unpack[RowFields]
    ) -> Any:
        """Every text with its spelling and grammar corrected and nothing else changed."""
        styles = {"target_lang": target_lang}
        return _finished(_improvement(self._texts, None, "correct", styles, progress, rows)).result()


@pd.api.extensions.register_dataframe_accessor("svc")
class FrameTexts:
    """The texts in columns of a frame; all columns and targets share one pool, one budget and one bar."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame

    def detect(self, columns: Columns, *, progress: bool = True, **rows: Unpack[RowFields]) -> Any:
        """The languages of the texts in *columns*: a frame with the same names."""
        return _finished(_detection(self._frame, columns, progress, rows)).result()

    def detect_table(
        self, columns: Columns, *, progress: bool = True, **rows: Unpack[RowFields]
    ) -> pd.DataFrame:
        """The languages of the texts in *columns* with what came of every one: one row for each cell."""
        return _tabled(_detection(self._frame, columns, progress, rows))

    @spelled_out(Fields)
    def plan(
        self,
        columns: Columns,
        target_lang: str | Sequence[str],
        *,
        price: float | None = None,
        **fields: Unpack[Fields],
    ) -> PlanSummary:
        """What `translate` would do and cost; no text is sent.

        Parameters
        ----------
        columns, target_lang
            One or several of each.
        price
            What a million characters cost, to see the cost.
        ...
        """
        return _translation(self._frame, columns, target_lang, False, fields).plan(price=price)

    @spelled_out(Fields)
    def translate(
        self,
        columns: Columns,
        target_lang: str | Sequence[str],
        *,
        progress: bool = True,
        **fields: Unpack[Fields],
    ) -> Any:
        """Translate *columns* into one or several languages: a frame with a column such as "title_DE" for each.

        Parameters
        ----------
        columns, target_lang
            One or several of each.
        ...
        """
        return _finished(_translation(self._frame, columns, target_lang, progress, fields)).result()

    @spelled_out(Fields)
    def translate_table(
        self,
        columns: Columns,
        target_lang: str | Sequence[str],
        *,
        progress: bool = True,
        **fields: Unpack[Fields],
    ) -> pd.DataFrame:
        """As `translate`, with what came of every cell: one row for each, with its column and target_lang."""
        return _tabled(_translation(self._frame, columns, target_lang, progress, fields))

    @spelled_out(Fields)
    def start_translate(
        self, columns: Columns, target_lang: str | Sequence[str], **fields: Unpack[Fields]
    ) -> Translation:
        """As `translate`, but returns a job at once: progress, partial(), pause(), resume(), cancel(), result()."""
        return _started(_translation(self._frame, columns, target_lang, False, fields))

    def rephrase(
        self,
        columns: Columns,
        *,
        target_lang: str | None = None,
        writing_style: str | None = None,
        tone: str | None = None,
        progress: bool = True,
        **rows: Unpack[RowFields],
    ) -> Any:
        """The texts of *columns* in better words: a frame with the same names."""
        styles = {"target_lang": target_lang, "writing_style": writing_style, "tone": tone}
        return _finished(_improvement(self._frame, columns, "rephrase", styles, progress, rows)).result()

    def correct(
        self,
        columns: Columns,
        *,
        target_lang: str | None = None,
        progress: bool = True,
        **rows: Unpack[RowFields],
    ) -> Any:
        """The texts of *columns* corrected: a frame with the same names."""
        styles = {"target_lang": target_lang}
        return _finished(_improvement(self._frame, columns, "correct", styles, progress, rows)).result()


def last_run() -> TextJob:
    """The last run of this process: its counts, `table()` with what came of every row, and `retry_failed()`."""
    if _last is None:
        raise LookupError("Nothing was run yet: try df['column'].svc.translate(\"EN-US\").")
    return _last


_last: TextJob | None = None


def _remember(job: TextJob) -> None:
    global _last
    _last = job


def _started(job: Job) -> Job:
    _remember(job)
    job.start()
    return job


def _finished(job: Job) -> Job:
    job.start()
    try:
        job.watch(job)
    except BaseException:
        job.cancel()
        raise
    return job


def _tabled(job: TextJob) -> pd.DataFrame:
    _finished(job).wait()
    table = job.table()
    job.warn()
    return table


def _translation(
    table: Any, columns: Any, target_lang: str | Sequence[str], progress: bool, fields: Fields
) -> Translation:
    from svc_nb.frames.sheet import Sheet
    from svc_nb.frames.text import Translation
    from svc_nb.models import TranslateOptions
    from svc_nb.session import current

    given: dict[str, Any] = dict(fields)
    _check_names(given, Fields)
    rest = {name: given.pop(name, None) for name in ("source_lang", "reporting_tag")}
    return Translation(
        current(),
        Sheet(table, columns),
        target_lang,
        manner=_manner(given),
        options=TranslateOptions(**given),
        watch=_watch(progress),
        **rest,
    )


def _detection(table: Any, columns: Any, progress: bool, rows: RowFields) -> TextJob:
    from svc_nb.frames.sheet import Sheet
    from svc_nb.frames.text import Detection
    from svc_nb.session import current

    _check_names(dict(rows), RowFields)
    return Detection(current(), Sheet(table, columns), _manner(dict(rows)), _watch(progress))


def _improvement(
    table: Any, columns: Any, operation: str, styles: dict[str, str | None], progress: bool, rows: RowFields
) -> TextJob:
    from svc_nb.frames.sheet import Sheet
    from svc_nb.frames.text import Improvement
    from svc_nb.session import current

    _check_names(dict(rows), RowFields)
    manner = _manner(dict(rows))
    return Improvement(
        current(), Sheet(table, columns), operation, styles=styles, manner=manner, watch=_watch(progress)
    )


def _check_names(given: dict[str, Any], fields: type) -> None:
    for name in given:
        if name not in fields.__annotations__:
            raise TypeError(f"there is no option {name!r}; there are {', '.join(fields.__annotations__)}")
    tag = given.get("reporting_tag")
    if tag is not None and not isinstance(tag, str):
        raise TypeError(f"reporting_tag: expected a string, found {type(tag).__name__}")


def _manner(given: dict[str, Any]) -> Manner:
    """How rows are treated; what says so is taken out of *given*."""
    from svc_nb.frames.manner import Manner

    taken = {name: given.pop(name) for name in RowFields.__annotations__ if name in given}
    return Manner(**{name: value for name, value in taken.items() if value is not None})


def _watch(progress: bool) -> Callable[[TextJob], None]:
    from svc_nb.bar import follow

    def watch(job: TextJob) -> None:
        _remember(job)
        follow(job, shown=progress)

    return watch
