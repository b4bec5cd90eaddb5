"""`.svc` on a DataFrame: the texts in its columns, or the table it represents."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import pandas as pd

from svc_nb.columns import detection, finished, improvement, languages, started, tabled, translation
from svc_nb.columns.options import DetectFields, Fields, ImproveFields, check_names, spelled_out
from svc_nb.signatures import shows
from svc_nb.tracebacks import verbs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from svc_nb.checks.report import CheckReport
    from svc_nb.columns.changes import Changes
    from svc_nb.columns.job import TranslationJob
    from svc_nb.columns.summary import PlanSummary
    from svc_nb.tabular.report import Report

Columns = Hashable | Sequence[Hashable]


@verbs
class Tables:
    """The methods of a table of terms: `source_lang, target_lang, source, target`.

    `lint`, `write`, `diff` and `push` also take a table of spoken terms (`lang, term`), `lint` one of style rules
    (`category, rule, option`) or of instructions (`label, prompt`), and `plot` draws a table of usage.
    """

    _frame: pd.DataFrame

    def lint(self, *, language: str | None = None) -> Report:
        """Everything in this table that the service would refuse (errors) or that looks wrong: a row for each finding.

        Parameters
        ----------
        language
            The language of a style rule list, to find rules that it does not offer. A table of terms contains its
            languages.
        """
        from svc_nb.glossaries.lint import lint
        from svc_nb.spoken_terms.lint import lint as lint_spoken_terms
        from svc_nb.spoken_terms.table import is_spoken_terms
        from svc_nb.style_rules.style import styled
        from svc_nb.style_rules.table import is_part

        if is_part(self._frame):
            return styled(self._frame, language=language).lint()
        if is_spoken_terms(self._frame):
            return lint_spoken_terms(self._frame)
        return lint(self._frame)

    def fix(self, *, keep: str | None = None) -> Report:
        """The terms with the safe fixes applied; the last line says what was done and what to do next.

        Parameters
        ----------
        keep
            Which of several targets of one term to keep: "first" or "last"; None leaves the decision to you.
        """
        from svc_nb.glossaries.fix import fix

        return fix(self._frame, keep=keep)

    def fixes(self, *, keep: str | None = None) -> Report:
        """What `fix` would change: row, column, before and after."""
        from svc_nb.glossaries.fix import fixes

        return fixes(self._frame, keep=keep)

    def to_entries(self, form: str = "tsv", *, source_lang: str | None = None, target_lang: str | None = None) -> str:
        """The terms as text in the service's own format, "tsv" or "csv"; see `svc_nb.glossaries.to_entries`."""
        from svc_nb.glossaries import to_entries

        return to_entries(self._frame, form, source_lang=source_lang, target_lang=target_lang)

    def to_wide(self) -> pd.DataFrame:
        """The terms with a column for each target language: `term, DE, FR, JA`."""
        from svc_nb.glossaries.wide_table import to_wide

        return to_wide(self._frame)

    @shows(["header", "columns", "formula_safe", "sheet"])
    def write(self, path: str | PathLike[str], **how: Any) -> Path:
        """Write the terms to a .tsv, .csv, .xlsx, .tbx or .tmx file; spoken terms not to .tbx and .tmx.

        See `svc_nb.glossaries.write`, which also describes header=, columns=, formula_safe= and sheet=, and
        `svc_nb.spoken_terms.write`.
        """
        written: Path = self._home.write(self._frame, path, **how)
        return written

    def diff(self, other: pd.DataFrame | str, *, prune: bool = False) -> Report:
        """What these terms add, change and remove compared with *other*.

        See `svc_nb.glossaries.diff` and `svc_nb.spoken_terms.diff`.
        """
        found: Report = self._home.diff(self._frame, other, prune=prune)
        return found

    @shows(["glossary_id", "spoken_terms_id", "dry_run", "prune", "base"])
    def push(self, name: str | None = None, **how: Any) -> Any:
        """Push these terms to a glossary, or a collection of spoken terms, on the service.

        See `svc_nb.glossaries.push` and `svc_nb.spoken_terms.push`.
        """
        return self._home.push(self._frame, name, **how)

    @property
    def _home(self) -> Any:
        """The part of the package that this kind of table belongs to."""
        from svc_nb import glossaries, spoken_terms
        from svc_nb.spoken_terms.table import is_spoken_terms

        return spoken_terms if is_spoken_terms(self._frame) else glossaries

    def coverage(
        self, column: pd.Series[Any] | Iterable[str], *, source_lang: str | None = None, longest: bool = True
    ) -> Report:
        """How often each term appears in the texts of *column*: the terms with `hits`, `rows` and `dead`.

        Parameters
        ----------
        column
            The texts, in the language of the sources.
        source_lang
            Use only the terms from this language.
        longest
            Whether to ignore a term within a longer one that was found.
        """
        from svc_nb.glossaries.corpus import coverage

        return coverage(self._frame, column, source_lang=source_lang, longest=longest)  # type: ignore[arg-type]

    @shows(["field", "top", "every", "keys", "on"])
    def plot(self, kind: str = "by_day", *, ax: Axes | None = None, theme: str | None = None, **options: Any) -> Axes:
        """Draw a table of usage, and return the axes; see `svc_nb.plots`.

        Parameters
        ----------
        kind
            "by_day", "by_key", "by_product", "heat_map", "share", "caps" (with keys=svc_nb.keys.list()) or "tags".
        ax
            The axes to draw on, which are cleared first; by default a new figure is created.
        theme
            "light" or "dark"; by default chosen for the figure.
        options
            `field`, the amount to draw, `top`, how many keys to show separately, `every`, "day", "week" or "month", and
            other parameters of the chart.
        """
        from svc_nb.plots import draw

        return draw(kind, self._frame, ax=ax, theme=theme, **options)


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
        """The languages of the texts in *columns*: a frame with the same names."""
        return finished(detection(self._frame, columns, progress, fields)).result()

    @spelled_out(DetectFields)
    def detect_table(self, columns: Columns, *, progress: bool = True, **fields: Unpack[DetectFields]) -> pd.DataFrame:
        """The languages of the texts in *columns* with the outcome of every text: one row for each cell.

        The columns are those of `detect_table` of a column, after one with the name of the column.
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
        """What `translate` would do and cost; free of charge."""
        check_names(dict(fields), Fields, "price")
        return translation(self._frame, columns, target_lang, False, fields).plan(price=price)

    def protect_report(self, columns: Columns, *, protect: Any = None, names: Any = None) -> Report:
        """Which parts of the texts in *columns* would leave this machine, and which would not. Nothing is sent.

        Like `protect_report` of a column, with the name of the column as the first column.

        Parameters
        ----------
        columns
            One or several.
        protect, names
            As for `translate`.
        """
        from svc_nb.columns.protection_report import protect_report
        from svc_nb.columns.selection import Selection

        selection = Selection(self._frame, columns)
        people = selection.people(names)
        return protect_report(selection.columns(coerce=False), protect=protect, names=people, has_columns=True)

    @spelled_out(Fields)
    def translate(
        self, columns: Columns, target_lang: str | Sequence[str], *, progress: bool = True, **fields: Unpack[Fields]
    ) -> Any:
        """Translate *columns* into one or several languages: a frame with only the new columns, such as "title_DE".

        They have the index of this frame, so that `df.join` adds them to the others. Tables of other engines cannot be
        aligned like this: their `.svc.translate` returns the table with the new columns, and so does
        `svc_nb.translate(df, columns, target_lang)` on every engine.

        A path after a column's name leads to texts inside its cells, "messages[*].content": in lists, dicts, JSON texts
        and structs. The new column, "messages_DE", has cells of the same shape; code in the texts is kept.
        """
        return finished(translation(self._frame, columns, target_lang, progress, fields)).result()

    @spelled_out(Fields)
    def translate_table(
        self, columns: Columns, target_lang: str | Sequence[str], *, progress: bool = True, **fields: Unpack[Fields]
    ) -> pd.DataFrame:
        """Like `translate`, with the outcome of every cell: one row for each, with its column and target_lang."""
        return tabled(translation(self._frame, columns, target_lang, progress, fields))

    @spelled_out(Fields)
    def start_translate(
        self, columns: Columns, target_lang: str | Sequence[str], **fields: Unpack[Fields]
    ) -> TranslationJob:
        """Like `translate`, but returns a job at once: progress, partial(), pause(), resume(), cancel(), result()."""
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
        """The texts of *columns* rephrased: a frame with the same names; see `rephrase` of a column."""
        styles = {"target_lang": target_lang, "writing_style": writing_style, "tone": tone}
        return finished(improvement(self._frame, columns, "rephrase", styles, progress, fields)).result()

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
        """Like `rephrase`, with the outcome of every cell: one row for each, with its column."""
        styles = {"target_lang": target_lang, "writing_style": writing_style, "tone": tone}
        return tabled(improvement(self._frame, columns, "rephrase", styles, progress, fields))

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
        styles = {"target_lang": target_lang}
        return finished(improvement(self._frame, columns, "correct", styles, progress, fields)).result()

    @spelled_out(ImproveFields)
    def correct_table(
        self,
        columns: Columns,
        *,
        target_lang: str | None = None,
        progress: bool = True,
        **fields: Unpack[ImproveFields],
    ) -> pd.DataFrame:
        """Like `correct`, with the outcome of every cell: one row for each, with its column."""
        return tabled(improvement(self._frame, columns, "correct", {"target_lang": target_lang}, progress, fields))

    def clean(
        self,
        columns: Columns,
        *,
        kinds: Iterable[str] | str | None = None,
        also: Iterable[str] | str | None = None,
        skip: Iterable[str] | str | None = None,
        tags: str | None = None,
    ) -> pd.DataFrame:
        """The texts of *columns* without damage: a frame with the same names; see `clean` of a column."""
        from svc_nb.columns.cleaning import clean, kinds_of_damage
        from svc_nb.columns.selection import Selection, whole_columns

        on = kinds_of_damage(kinds=kinds, also=also, skip=skip, tags=tags)
        names = whole_columns(self._frame, columns)
        cells = [clean(self._frame[label], on) for label in names]
        return Selection(self._frame, names).framed(cells, names)

    def clean_plan(
        self,
        columns: Columns,
        *,
        kinds: Iterable[str] | str | None = None,
        also: Iterable[str] | str | None = None,
        skip: Iterable[str] | str | None = None,
        tags: str | None = None,
    ) -> Report:
        """What `clean` would change, for each of *columns* and each kind; see `clean_plan` of a column."""
        from svc_nb.columns.cleaning import clean_plan, kinds_of_damage
        from svc_nb.columns.selection import whole_columns

        on = kinds_of_damage(kinds=kinds, also=also, skip=skip, tags=tags)
        return clean_plan([self._frame[label] for label in whole_columns(self._frame, columns)], on, in_frame=True)

    def changes(self, improved: pd.DataFrame) -> Changes:
        """What was changed in the columns of *improved*, word by word: a row for each cell that changed.

        Parameters
        ----------
        improved
            The new texts, under the same names: the result of `correct`, `rephrase` or `clean`.
        """
        from svc_nb.columns.changes import changes_of_columns

        return changes_of_columns(self._frame, improved)

    def check(
        self,
        columns: Columns | Mapping[Hashable, Hashable],
        target_lang: str | Sequence[str] | None = None,
        *,
        source_lang: str | Sequence[str] | pd.Series[Any] | None = None,
        glossary: pd.DataFrame | Mapping[str, str] | str | None = None,
        detect: bool = False,
        codes: Iterable[str] | str | None = None,
        skip: Iterable[str] | str | None = None,
    ) -> CheckReport:
        """What looks wrong in the translations of several columns: like `check` of a column, with the column of each.

        Parameters
        ----------
        columns
            The columns with the source texts, whose translations are in "title_DE" for "title" and "DE"; or a mapping
            from each of them to the column with its translations.
        target_lang
            The language, or languages, of the translations.
        source_lang, glossary, detect, codes, skip
            As for a column.
        """
        from svc_nb.checks.check import check_columns
        from svc_nb.checks.findings import chosen
        from svc_nb.columns.selection import translated_columns
        from svc_nb.glossaries import pull

        return check_columns(
            self._frame,
            translated_columns(self._frame, columns, target_lang),
            source_lang=source_lang,
            glossary=pull(glossary) if isinstance(glossary, str) else glossary,
            detect=languages if detect else None,
            wanted=chosen(codes, skip),
        )

    # ---- which rows to review

    def agreement(self) -> Report:
        """How well the scores agree with the `verdict`, in a filled-in table from `review` of a column.

        A verdict is "good" or "bad" (or yes or no, true or false), or a number: 0 to 1, 1 to 5 or 0 to 100, where the
        upper half is good. All numbers are on the smallest of these scales that includes them; "80%" always means 80 of
        100. Rows without a verdict do not count, and any other verdict raises ValueError with its row.

        Returns
        -------
        Report
            One row for all, and one for each language if there are several: rows, good, bad; auc, how often a good row
            has a higher score than a bad one; spearman, the correlation of the ranks; threshold, the score below which
            rows should be reviewed, `texts[scores < threshold]`; bad_found and looked_at, the shares of the bad rows
            and of all rows below it. If no threshold separates good from bad, it is missing.
        """
        from svc_nb.checks.review import agreement

        return agreement(self._frame)
