"""`.svc` on a DataFrame: the texts in its columns, or what it is a table of."""

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
        """What the service would refuse in this table (errors), and what looks wrong: a row for each finding.

        Parameters
        ----------
        language
            Of a style rule list: what it does not offer is found then. A table of terms says its languages itself.
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
        """The terms with all that is safe to mend mended; the last line says what was done and what is next.

        Parameters
        ----------
        keep
            Which of several targets of one term stays: "first" or "last"; None leaves them for you to decide.
        """
        from svc_nb.glossaries.fix import fix

        return fix(self._frame, keep=keep)

    def fixes(self, *, keep: str | None = None) -> Report:
        """What `fix` would change: row, column, before and after."""
        from svc_nb.glossaries.fix import fixes

        return fixes(self._frame, keep=keep)

    def to_entries(self, form: str = "tsv", *, source_lang: str | None = None, target_lang: str | None = None) -> str:
        """The terms as text in the service's own form, "tsv" or "csv"; see `svc_nb.glossaries.to_entries`."""
        from svc_nb.glossaries import to_entries

        return to_entries(self._frame, form, source_lang=source_lang, target_lang=target_lang)

    def to_wide(self) -> pd.DataFrame:
        """The terms with a column for each target language: `term, DE, FR, JA`."""
        from svc_nb.glossaries.wide_table import to_wide

        return to_wide(self._frame)

    @shows(["header", "columns", "formula_safe", "sheet"])
    def write(self, path: str | PathLike[str], **how: Any) -> Path:
        """Write the terms to a .tsv, .csv, .xlsx, .tbx or .tmx file; spoken terms have no .tbx and .tmx.

        See `svc_nb.glossaries.write`, which also tells of header=, columns=, formula_safe= and sheet=, and
        `svc_nb.spoken_terms.write`.
        """
        written: Path = self._home.write(self._frame, path, **how)
        return written

    def diff(self, other: pd.DataFrame | str, *, prune: bool = False) -> Report:
        """What these terms add, change and remove against *other*.

        See `svc_nb.glossaries.diff` and `svc_nb.spoken_terms.diff`.
        """
        found: Report = self._home.diff(self._frame, other, prune=prune)
        return found

    @shows(["glossary_id", "spoken_terms_id", "dry_run", "prune", "base"])
    def push(self, name: str | None = None, **how: Any) -> Any:
        """Make a glossary, or a collection of spoken terms, on the service have these terms.

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
        """How often each term stands in the texts of *column*: the terms with `hits`, `rows` and `dead`.

        Parameters
        ----------
        column
            The texts, in the language of the sources.
        source_lang
            Only the terms from this language.
        longest
            Whether a term within a longer one that was found does not count.
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
            The axes to draw on, which are cleared first; without, a figure is made.
        theme
            "light" or "dark"; without, as suits the figure.
        options
            `field`, the amount to draw, `top`, how many keys to show apart, `every`, "day", "week" or "month", and what
            else the chart takes.
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
        """The languages of the texts in *columns* with what came of every one: one row for each cell.

        The columns are those of `detect_table` of a column, after one that names the column.
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
        """What `translate` would do and cost; nothing is paid."""
        check_names(dict(fields), Fields, "price")
        return translation(self._frame, columns, target_lang, False, fields).plan(price=price)

    def protect_report(self, columns: Columns, *, protect: Any = None, names: Any = None) -> Report:
        """What of the texts in *columns* would leave this machine, and what would not. Nothing is sent.

        As `protect_report` of a column, with a column that names the column before all others.

        Parameters
        ----------
        columns
            One or several.
        protect, names
            As `translate` takes them.
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
        """Translate *columns* into one or several languages: a frame of the new columns, such as "title_DE", alone.

        They have the index of this frame, so that `df.join` puts them beside the others. Tables of other engines cannot
        be aligned so: there `.svc.translate` gives the table with the new columns, as
        `svc_nb.translate(df, columns, target_lang)` does everywhere.

        A path behind a column's name leads to texts inside of its cells, "messages[*].content": in lists, dicts, JSON
        texts and structs. The new column, "messages_DE", has cells of the same shape; code in the texts stays.
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
        """As `rephrase`, with what came of every cell: one row for each, with its column."""
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
        """As `correct`, with what came of every cell: one row for each, with its column."""
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
        """What was changed in the columns that *improved* has, word by word: a row for each cell that changed.

        Parameters
        ----------
        improved
            The texts as they are now, under the same names: what `correct`, `rephrase` or `clean` gave.
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
        """What looks wrong in the translations of several columns: as `check` of a column, with the column of each.

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

    # ---- which rows to look at

    def agreement(self) -> Report:
        """How far the scores agree with a filled-in `verdict`: this is a table that `review` of a column gave.

        A verdict is "good" or "bad" (or yes or no, true or false), or a number: 0 to 1, 1 to 5 or 0 to 100, where the
        upper half is good. All numbers are on the smallest of these scales that holds them; "80%" is of 100 in any
        case. Rows whose verdict is empty do not count, and any other verdict raises ValueError that names its row.

        Returns
        -------
        Report
            One row for all, and one for each language if there are several: rows, good, bad; auc, how often a good
            one has a higher score than a bad one; spearman, the correlation of the ranks; threshold: the rows with a
            lower score are best looked at, `texts[scores < threshold]`; bad_found and looked_at, the shares of the bad
            ones and of all rows below it. A threshold that does not separate good from bad is missing.
        """
        from svc_nb.checks.review import agreement

        return agreement(self._frame)
