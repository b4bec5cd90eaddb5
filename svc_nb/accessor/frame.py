"""`.svc` on a DataFrame: the texts in its columns, or what it is a table of."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import pandas as pd

from svc_nb.accessor.tables import Tables
from svc_nb.columns import detection, finished, improvement, started, tabled, translation
from svc_nb.columns.options import DetectFields, Fields, ImproveFields, spelled_out
from svc_nb.tracebacks import verbs

if TYPE_CHECKING:
    from svc_nb.columns.changes import Changes
    from svc_nb.columns.job import TextJob, TranslationJob
    from svc_nb.columns.summary import PlanSummary

Columns = Hashable | Sequence[Hashable]


@pd.api.extensions.register_dataframe_accessor("svc")
@verbs
class FrameTexts(Tables):
    """The texts in columns of a frame; all columns and targets share one pool, one budget and one bar.

    A table of terms, of style rules or of instructions has more: `lint`, `fix`, `to_entries`, `coverage`, …
    """

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame

    @spelled_out(DetectFields)
    def detect(self, columns: Columns, *, progress: bool = True, **fields: Unpack[DetectFields]) -> Any:
        """The languages of the texts in *columns*: a frame with the same names.

        Parameters
        ----------
        columns
            One or several.
        ...
        """
        return finished(detection(self._frame, columns, progress, fields)).result()

    @spelled_out(DetectFields)
    def detect_table(self, columns: Columns, *, progress: bool = True, **fields: Unpack[DetectFields]) -> pd.DataFrame:
        """The languages of the texts in *columns* with what came of every one: one row for each cell.

        The columns are those of `detect_table` of a column, after one that names the column.

        Parameters
        ----------
        columns
            One or several.
        ...
        """
        return tabled(detection(self._frame, columns, progress, fields))

    @spelled_out(Fields)
    def plan(
        self,
        columns: Columns,
        target_lang: str | Sequence[str],
        *,
        price: float | None = None,
        **fields: Unpack[Fields],
    ) -> PlanSummary:
        """What `translate` would do and cost; nothing is paid.

        Parameters
        ----------
        columns, target_lang
            One or several of each.
        price
            What a million characters cost, to see the cost.
        ...
        """
        return translation(self._frame, columns, target_lang, False, fields).plan(price=price)

    @spelled_out(Fields)
    def translate(
        self, columns: Columns, target_lang: str | Sequence[str], *, progress: bool = True, **fields: Unpack[Fields]
    ) -> Any:
        """Translate *columns* into one or several languages: a frame of the new columns, such as "title_DE", alone.

        They have the index of this frame, so that `df.join` puts them beside the others. Tables of other engines cannot
        be aligned so: there `.svc.translate` gives the table with the new columns, as
        `svc_nb.translate(df, columns, target_lang)` does everywhere.

        Parameters
        ----------
        columns, target_lang
            One or several of each.
        ...
        """
        return finished(translation(self._frame, columns, target_lang, progress, fields)).result()

    @spelled_out(Fields)
    def translate_table(
        self, columns: Columns, target_lang: str | Sequence[str], *, progress: bool = True, **fields: Unpack[Fields]
    ) -> pd.DataFrame:
        """As `translate`, with what came of every cell: one row for each, with its column and target_lang."""
        return tabled(translation(self._frame, columns, target_lang, progress, fields))

    @spelled_out(Fields)
    def start_translate(
        self, columns: Columns, target_lang: str | Sequence[str], **fields: Unpack[Fields]
    ) -> TranslationJob:
        """As `translate`, but returns a job at once: progress, partial(), pause(), resume(), cancel(), result()."""
        return started(translation(self._frame, columns, target_lang, False, fields))

    @spelled_out(ImproveFields)
    def rephrase(
        self,
        columns: Columns,
        *,
        target_lang: str | None = None,
        writing_style: str | None = None,
        tone: str | None = None,
        progress: bool = True,
        **fields: Unpack[ImproveFields],
    ) -> Any:
        """The texts of *columns* in better words: a frame with the same names; see `rephrase` of a column."""
        return finished(self._rephrasing(columns, target_lang, writing_style, tone, progress, fields)).result()

    @spelled_out(ImproveFields)
    def rephrase_table(
        self,
        columns: Columns,
        *,
        target_lang: str | None = None,
        writing_style: str | None = None,
        tone: str | None = None,
        progress: bool = True,
        **fields: Unpack[ImproveFields],
    ) -> pd.DataFrame:
        """As `rephrase`, with what came of every cell: one row for each, with its column."""
        return tabled(self._rephrasing(columns, target_lang, writing_style, tone, progress, fields))

    @spelled_out(ImproveFields)
    def correct(
        self,
        columns: Columns,
        *,
        target_lang: str | None = None,
        progress: bool = True,
        **fields: Unpack[ImproveFields],
    ) -> Any:
        """The texts of *columns* corrected: a frame with the same names; see `changes`."""
        return finished(self._correction(columns, target_lang, progress, fields)).result()

    @spelled_out(ImproveFields)
    def correct_table(
        self,
        columns: Columns,
        *,
        target_lang: str | None = None,
        progress: bool = True,
        **fields: Unpack[ImproveFields],
    ) -> pd.DataFrame:
        """As `correct`, with what came of every cell: one row for each, with its column."""
        return tabled(self._correction(columns, target_lang, progress, fields))

    def changes(self, improved: pd.DataFrame) -> Changes:
        """What was changed in the columns that *improved* has, word by word: a row for each cell that changed.

        Parameters
        ----------
        improved
            The texts as they are now, under the same names: what `correct` or `rephrase` gave.
        """
        from svc_nb.columns.changes import changes_of_columns

        return changes_of_columns(self._frame, improved)

    def _rephrasing(
        self,
        columns: Columns,
        target_lang: str | None,
        writing_style: str | None,
        tone: str | None,
        progress: bool,
        fields: ImproveFields,
    ) -> TextJob:
        styles = {"target_lang": target_lang, "writing_style": writing_style, "tone": tone}
        return improvement(self._frame, columns, "rephrase", styles, progress, fields)

    def _correction(self, columns: Columns, target_lang: str | None, progress: bool, fields: ImproveFields) -> TextJob:
        return improvement(self._frame, columns, "correct", {"target_lang": target_lang}, progress, fields)
