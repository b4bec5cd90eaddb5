"""`.svc` on a Series or an Index: its texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import pandas as pd

from svc_nb.columns import detection, finished, improvement, languages, started, tabled, translation
from svc_nb.columns.options import SCORES, DetectFields, Fields, ImproveFields, ScoreFields, check_names, spelled_out
from svc_nb.tracebacks import verbs

if TYPE_CHECKING:
    from svc_nb.checks.report import CheckReport
    from svc_nb.columns.changes import Changes
    from svc_nb.columns.compare import Comparison
    from svc_nb.columns.job import TranslationJob
    from svc_nb.columns.near_duplicates import NearDuplicates
    from svc_nb.columns.summary import PlanSummary
    from svc_nb.session import Session
    from svc_nb.tabular.report import Report


@pd.api.extensions.register_series_accessor("svc")
@pd.api.extensions.register_index_accessor("svc")
@verbs
class ColumnTexts:
    """The texts of a column or an index; results have the same index, name and length, and missing stays missing."""

    def __init__(self, texts: pd.Series[Any] | pd.Index[Any]) -> None:
        self._texts = texts

    @spelled_out(DetectFields)
    def detect(self, *, progress: bool = True, **fields: Unpack[DetectFields]) -> Any:
        """The language code of every text; missing if none was detected. Free of charge."""
        return finished(detection(self._texts, None, progress, fields)).result()

    @spelled_out(DetectFields)
    def detect_table(self, *, progress: bool = True, **fields: Unpack[DetectFields]) -> pd.DataFrame:
        """The language of every text with its confidence, and the outcome of every row.

        The columns: language, detection_status, confidence, best_guess, second_guess, second_confidence, script, and
        status, reason, billed_characters, from_store, http_status, trace_id. detection_status is "success",
        "insufficient_confidence", "unsupported_language" or "no_language_detected"; best_guess is the code that was
        found even then, if any, and confidence (0 to 1) belongs to it. script is an ISO 15924 code, such as "Latn",
        "Hans" or "Hant". The columns from confidence to script are missing if the service does not report them.
        """
        return tabled(detection(self._texts, None, progress, fields))

    @spelled_out(DetectFields)
    def detect_spans(self, *, progress: bool = True, **fields: Unpack[DetectFields]) -> pd.DataFrame:
        """The parts of every text that are in different languages: one row for each part. Free of charge.

        The columns: position (of the text's row, from 0), start, end, text, language, confidence; the index has the
        row's label. The part is `text[start:end]`, and language is missing if none was detected. Texts are cut at the
        ends of sentences and lines and where the script changes; the language of each piece is detected, and adjacent
        pieces in the same language are joined. A piece that is too short joins the one before it. A second language
        within a sentence in the same script is not found.
        """
        from svc_nb.columns.language_spans import detect_spans

        def detect_table(pieces: pd.Series[Any]) -> pd.DataFrame:
            job = finished(detection(pieces, None, progress, fields))
            job.result()
            return job.table()

        return detect_spans(self._texts, detect_table, coerce=fields.get("errors") == "coerce")

    @spelled_out(Fields)
    def plan(
        self, target_lang: str | Sequence[str], *, price: float | None = None, **fields: Unpack[Fields]
    ) -> PlanSummary:
        """What `translate` would do and cost: rows, different texts, stored, skipped by reason, characters, requests.

        No text is sent.
        """
        check_names(dict(fields), Fields, "price")
        return translation(self._texts, None, target_lang, False, fields).plan(price=price)

    def protect_report(self, *, protect: Any = None, names: Any = None) -> Report:
        """Which parts of these texts would leave this machine, and which would not: a row for each. Nothing is sent.

        It finds personal data (e-mail addresses, phone numbers, IBANs, cards, network addresses, national ids), and
        everything that *protect* and *names* protect. The columns: row (the label), position (from 0), kind, stretch
        (with its middle hidden, because notebooks are saved), start, end, and leaves, which is True for a stretch that
        would be sent.

        Parameters
        ----------
        protect, names
            As for `translate`.
        """
        from svc_nb.columns.protection_report import protect_report
        from svc_nb.columns.selection import Selection

        return protect_report(Selection(self._texts).columns(coerce=False), protect=protect, names=names)

    @spelled_out(Fields)
    def translate(self, target_lang: str | Sequence[str], *, progress: bool = True, **fields: Unpack[Fields]) -> Any:
        """Translate every text: each different text is paid for only once, ever, and finished rows are never lost.

        Returns a column with the same index, name, length and type; for a list of languages, even with one item, a
        frame with a column for each, named by its code. Ctrl-C raises KeyboardInterrupt; then
        `svc_nb.last_run().partial()` has the finished rows.
        """
        return finished(translation(self._texts, None, target_lang, progress, fields)).result()

    @spelled_out(Fields)
    def translate_table(
        self, target_lang: str | Sequence[str], *, progress: bool = True, **fields: Unpack[Fields]
    ) -> pd.DataFrame:
        """Like `translate`, with the outcome of every row.

        The columns: text, detected_source_lang, status, reason, billed_characters, from_store, http_status, trace_id.
        Failed rows do not raise an error.
        """
        return tabled(translation(self._texts, None, target_lang, progress, fields))

    @spelled_out(Fields)
    def start_translate(self, target_lang: str | Sequence[str], **fields: Unpack[Fields]) -> TranslationJob:
        """Like `translate`, but returns a job at once: progress, partial(), pause(), resume(), cancel(), result()."""
        return started(translation(self._texts, None, target_lang, False, fields))

    @spelled_out(ImproveFields)
    def rephrase(
        self,
        *,
        target_lang: str | None = None,
        writing_style: str | None = None,
        tone: str | None = None,
        progress: bool = True,
        **fields: Unpack[ImproveFields],
    ) -> Any:
        """Every text rephrased; without *target_lang* each stays in its own language.

        The embedded service cannot rephrase: it only corrects the texts, and warns with TidiedOnly.

        Parameters
        ----------
        target_lang
            The variant to write in, such as "EN-GB"; the language of a text stays.
        writing_style
            "academic", "business", "casual" or "simple"; "prefer_academic" … is ignored if not supported.
        tone
            "confident", "diplomatic", "enthusiastic" or "friendly", or "prefer_confident" …; cannot be combined with
            writing_style.
        ...
        """
        styles = {"target_lang": target_lang, "writing_style": writing_style, "tone": tone}
        return finished(improvement(self._texts, None, "rephrase", styles, progress, fields)).result()

    @spelled_out(ImproveFields)
    def rephrase_table(
        self,
        *,
        target_lang: str | None = None,
        writing_style: str | None = None,
        tone: str | None = None,
        progress: bool = True,
        **fields: Unpack[ImproveFields],
    ) -> pd.DataFrame:
        """Like `rephrase`, with the outcome of every row; failed rows do not raise an error."""
        styles = {"target_lang": target_lang, "writing_style": writing_style, "tone": tone}
        return tabled(improvement(self._texts, None, "rephrase", styles, progress, fields))

    @spelled_out(ImproveFields)
    def correct(self, *, target_lang: str | None = None, progress: bool = True, **fields: Unpack[ImproveFields]) -> Any:
        """Every text with its spelling and grammar corrected and nothing else changed; see `changes`.

        The embedded service corrects only certain errors: spelling in six languages, spaces, doubled words and
        capitals.
        """
        styles = {"target_lang": target_lang}
        return finished(improvement(self._texts, None, "correct", styles, progress, fields)).result()

    @spelled_out(ImproveFields)
    def correct_table(
        self, *, target_lang: str | None = None, progress: bool = True, **fields: Unpack[ImproveFields]
    ) -> pd.DataFrame:
        """Like `correct`, with the outcome of every row; failed rows do not raise an error."""
        return tabled(improvement(self._texts, None, "correct", {"target_lang": target_lang}, progress, fields))

    def clean(
        self,
        *,
        kinds: Iterable[str] | str | None = None,
        also: Iterable[str] | str | None = None,
        skip: Iterable[str] | str | None = None,
        tags: str | None = None,
    ) -> Any:
        """Repair certain damage in these texts before they are paid for; see `clean_plan`.

        Returns a column with the same index, name, length, type and missing values. Cells of bytes become texts; those
        that cannot be decoded stay, with a warning. Anything else that is not text raises TypeError.

        Parameters
        ----------
        kinds
            The kinds of damage to repair, by default "bytes", "entities", "mojibake", "control", "invisible" and
            "unicode_form". The others are "tags", "doubled_spaces", "outer_spaces" and "repeated_characters". One
            kind, a list, or "all".
        also
            Additional kinds to repair.
        skip
            Kinds not to repair.
        tags
            "strip" to remove HTML tags, with scripts, styles and comments, like also="tags"; "keep" to keep them in
            any case. If they stay, `translate(protect="tags")` protects them.
        """
        from svc_nb.columns.cleaning import clean, kinds_of_damage

        return clean(self._texts, kinds_of_damage(kinds=kinds, also=also, skip=skip, tags=tags))

    def clean_plan(
        self,
        *,
        kinds: Iterable[str] | str | None = None,
        also: Iterable[str] | str | None = None,
        skip: Iterable[str] | str | None = None,
        tags: str | None = None,
    ) -> Report:
        """What `clean` would change: `kind, on, rows, example_before, example_after`, including kinds that are off.

        Parameters
        ----------
        kinds, also, skip, tags
            As for `clean`.
        """
        from svc_nb.columns.cleaning import clean_plan, kinds_of_damage

        return clean_plan([self._texts], kinds_of_damage(kinds=kinds, also=also, skip=skip, tags=tags))

    def near_duplicates(
        self,
        *,
        similarity: float = 0.9,
        kinds: Iterable[str] | str | None = None,
        skip: Iterable[str] | str | None = None,
    ) -> NearDuplicates:
        """The rows whose texts are almost the same as others, and what paying for one of each would save.

        The columns: group, position (from 0), text, keep (the text of the group to pay for: the most frequent, or the
        first), difference (from that one), similarity (to that one; missing for texts of over 4,000 characters). Texts
        that are the same count as one. `merged()` returns the column with one text of each group.

        Parameters
        ----------
        similarity
            The share of letters, 0.5 to 1, that two texts must have in common if they differ by a few letters.
        kinds
            How texts of a group may differ: "white_space", "case", "punctuation", "signs" (symbols, question marks and
            # % & * / @), "digits", "letters"; a list of them, or "all", which is the default.
        skip
            How they may not differ, with the same names.
        """
        from svc_nb.columns.near_duplicates import near_duplicates

        return near_duplicates(self._texts, similarity=similarity, kinds=kinds, skip=skip)

    def changes(self, improved: pd.Series[Any] | pd.Index[Any]) -> Changes:
        """What was changed in these texts, word by word: the rows that changed, with the text before and after.

        Parameters
        ----------
        improved
            The new texts, row by row: the result of `correct`, `rephrase` or `clean`. `svc_nb.last_run().changes()`
            shows the changes of the last run.
        """
        from svc_nb.columns.changes import changes

        return changes(self._texts, improved)

    def check(
        self,
        translated: pd.Series[Any],
        *,
        source_lang: str | Sequence[str] | pd.Series[Any] | None = None,
        target_lang: str | Sequence[str] | pd.Series[Any] | None = None,
        glossary: pd.DataFrame | Mapping[str, str] | str | None = None,
        detect: bool = False,
        codes: Iterable[str] | str | None = None,
        skip: Iterable[str] | str | None = None,
    ) -> CheckReport:
        """What looks wrong in the translations of these texts: a row for each finding, the worst of a text first.

        The columns: row (the label), position (from 0), severity, code, message, replacement (a text that can replace
        the translation) and advice (what to do). `apply()` on the result returns the translations with the
        replacements. Free of charge. `svc_nb.checks()` lists all checks.

        Parameters
        ----------
        translated
            The translations, row by row.
        source_lang, target_lang
            The languages, if known: one for all rows, or a column of languages. Some checks depend on them.
        glossary
            The terms that the translations should use: a table of terms, a mapping from term to translation, or the
            name or id of a glossary on the service.
        detect
            Whether to detect the language of every translation with the service; requires *target_lang*.
        codes, skip
            The only checks to run, or those to leave out.
        """
        from svc_nb.checks.check import check
        from svc_nb.glossaries import pull

        return check(
            pd.Series(self._texts),
            translated,
            source_lang=source_lang,
            target_lang=target_lang,
            glossary=pull(glossary) if isinstance(glossary, str) else glossary,
            detect=languages if detect else None,
            codes=codes,
            skip=skip,
        )

    def term_candidates(
        self,
        *,
        terms: pd.DataFrame | Iterable[str] | None = None,
        most: int = 100,
        lang: str | None = None,
        min_count: int = 3,
    ) -> Report:
        """Frequent expressions in these texts that may deserve a term: `candidate, count, rows, score, example`.

        Parameters
        ----------
        terms
            Existing terms, which are not shown: a table of terms, or only source terms.
        most
            The most candidates to return.
        lang
            The language of the texts; by default it is guessed.
        min_count
            The least number of occurrences of a candidate.
        """
        from svc_nb.glossaries.corpus import term_candidates

        return term_candidates(pd.Series(self._texts), terms=terms, most=most, lang=lang, min_count=min_count)

    # ---- which rows to review

    @spelled_out(ScoreFields, SCORES)
    def score(
        self, translated: pd.Series[Any], *, progress: bool = True, **fields: Unpack[ScoreFields]
    ) -> pd.Series[Any]:
        """A number from 0 to 100 for every translation: an order for reviewing them, not a measure of quality.

        A column with the same index, missing if there is no source text. Without *round_trip* it is free of charge.

        Parameters
        ----------
        translated
            The translations, row by row: a column with the same index, or a list.
        ...
        """
        return self.score_table(translated, progress=progress, **fields)["score"]

    @spelled_out(ScoreFields, SCORES)
    def score_table(
        self, translated: pd.Series[Any], *, progress: bool = True, **fields: Unpack[ScoreFields]
    ) -> Report:
        """Like `score`, with the parts of the number.

        The columns: score; findings, length, script, translated, kept, signs, round_trip and similarity, each from 0 to
        100, where 100 means nothing unusual, and missing if unknown; worst, the most serious finding.

        Parameters
        ----------
        translated
            The translations, row by row: a column with the same index, or a list.
        ...
        """
        from svc_nb.columns.round_trip import scored
        from svc_nb.glossaries import pull

        if isinstance(named := fields.get("glossary"), str):
            fields["glossary"] = pull(named)
        return scored(self._texts, translated, progress, fields)

    def review(
        self,
        translated: pd.Series[Any],
        n: int = 50,
        *,
        score: pd.Series[Any] | pd.DataFrame | None = None,
        source_lang: Any = None,
        target_lang: Any = None,
        seed: int = 0,
    ) -> Report:
        """Rows to review, the lowest score first, with an empty column `verdict` to fill in.

        A fifth of them have the lowest scores of all; the others are drawn evenly from bands of scores and from the
        languages. The columns: row, source_lang (if it is a column), source, translation, score, worst, verdict, note.
        Write "good" or "bad", or a number (0 to 1, 1 to 5 or 0 to 100, the same scale in all rows), into `verdict`.
        `.svc.agreement()` on that table, even after it was a CSV or Excel file, shows how well the scores agree.

        Parameters
        ----------
        translated
            The translations, row by row.
        n
            How many rows to draw.
        score
            The result of `score` or `score_table`; by default the rows are scored first.
        source_lang, target_lang
            As for `score`.
        seed
            The same seed draws the same rows.
        """
        from svc_nb.checks.review import reviewed

        langs = {"source_lang": source_lang, "target_lang": target_lang}
        return reviewed(self._texts, translated, n, scores=score, seed=seed, **langs)

    def compare(
        self,
        target_lang: str,
        a: Mapping[str, Any] | Session,
        b: Mapping[str, Any] | Session,
        *,
        price: float | None = None,
        progress: bool = True,
    ) -> Comparison:
        """Translate these texts in two ways and show both side by side; see `svc_nb.compare`.

        Parameters
        ----------
        target_lang
            The language to translate into.
        a, b
            Each a dict of options of `translate`, such as `{"formality": "more"}`, or a session. A dict may also have a
            session: `{"session": other, "glossary": terms}`.
        price
            The price of a million characters, to see the cost of each.
        progress
            Whether to show bars.
        """
        from svc_nb.columns.compare import compare_options

        return compare_options(self._texts, target_lang, a, b, progress, price)
