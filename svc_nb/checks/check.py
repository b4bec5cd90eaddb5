"""All checks over two columns, texts and their translations, in chunks of limited size."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from svc_nb.checks import characters, numbers, placeholders, punctuation, sentences, units, vocabulary, wording
from svc_nb.checks.codepoints import INVISIBLE, SPACE
from svc_nb.checks.findings import AGAIN, Finding, chosen
from svc_nb.checks.glossary import glossary_terms, prepared
from svc_nb.checks.language_data import WRITTEN_IN
from svc_nb.checks.report import Checked, CheckReport
from svc_nb.checks.text_array import Bools, Places, aligned, chunks
from svc_nb.checks.text_pairs import Side, TextPairs, base_of, rows_by_language
from svc_nb.tabular.report import named
from svc_nb.wire import languages

# The codes of each check, so that a check that is left out costs nothing.
ROW_CHECKS: tuple[tuple[tuple[str, ...], Callable[[TextPairs], Iterator[Finding]]], ...] = (
    (("untranslated", "untranslated_word"), wording.untranslated),
    (("partly_untranslated",), wording.partly),
    (("wrong_language",), wording.another_language),
    (("wrong_script",), characters.scripts),
    (("numbers", "number_words"), numbers.numbers),
    (("numbers", "dates"), numbers.chains),
    (("numbers",), vocabulary.number_words),
    (("units",), units.units),
    (("units",), units.unit_names),
    (("calendar",), vocabulary.calendar),
    (("negation",), vocabulary.negation),
    (("placeholders", "icu"), placeholders.placeholders),
    (("urls",), placeholders.urls),
    (("emails",), placeholders.emails),
    (("tags", "tag_attributes"), placeholders.tags),
    (("entities",), placeholders.entities),
    (("identifiers",), placeholders.identifiers),
    (("accelerators",), placeholders.accelerators),
    (("mask",), placeholders.masks),
    (("brackets", "added_brackets"), punctuation.brackets),
    (("quotes", "added_quotes"), punctuation.quotes),
    (("end_punctuation", "full_stop"), punctuation.ends),
    (("inverted_mark",), punctuation.inverted),
    (("locale_punctuation",), punctuation.of_language),
    (("edge_spaces",), punctuation.edges),
    (("double_spaces",), punctuation.doubles),
    (("space_before_mark",), punctuation.before_marks),
    (("newlines",), punctuation.newlines),
    (("doubled_words",), wording.doubled),
    (("repeated_words",), wording.loops),
    (("repeated_characters",), characters.repeated),
    (("preamble",), wording.preambles),
    (("sentences",), sentences.sentences),
    (("length",), sentences.lengths),
    (("shifted",), sentences.shifted),
    (("first_letter",), wording.first_letters),
    (("all_caps",), wording.capitals),
    (("lost_letters",), characters.lost_letters),
    (("emoji",), characters.emoji),
    (("mojibake",), characters.mojibake),
    (("invisible", "bidi", "control"), characters.unseen),
)


def check(
    source: pd.Series[Any],
    translated: pd.Series[Any],
    *,
    source_lang: Any = None,
    target_lang: Any = None,
    glossary: pd.DataFrame | Mapping[str, str] | None = None,
    detect: wording.Detect | None = None,
    codes: Iterable[str] | str | None = None,
    skip: Iterable[str] | str | None = None,
) -> CheckReport:
    """What looks wrong in translations, as a table of findings in the order of the texts; empty if nothing does.

    Parameters
    ----------
    source, translated
        The texts and their translations, row by row. Rows without a source are left out.
    source_lang, target_lang
        The languages, if known: one for all rows, or a column of languages. Some checks depend on them.
    glossary
        A table of terms, or a mapping from term to translation, that the translations should use, in any inflection.
    detect
        A function that takes texts and returns the language code of each, or None; requires `target_lang`.
    codes, skip
        The only codes to look for, or those to leave out; `checks()` lists them.
    """
    wanted = chosen(codes, skip)
    found = checked(source, translated, source_lang, target_lang, wanted, glossary=glossary, detect=detect)
    return CheckReport({None: found}, len(wanted), _unknown(target_lang))


def check_columns(
    frame: pd.DataFrame,
    translations: Mapping[str | None, Mapping[Hashable, Hashable]],
    *,
    source_lang: Any,
    glossary: pd.DataFrame | Mapping[str, str] | None,
    detect: wording.Detect | None,
    wanted: frozenset[str],
) -> CheckReport:
    """Like `check`, for columns of *frame*: for each target language, the column with the translations of each."""
    parts = {
        made: checked(frame[label], frame[made], source_lang, target_lang, wanted, glossary=glossary, detect=detect)
        for target_lang, names in translations.items()
        for label, made in names.items()
    }
    return CheckReport(parts, len(wanted), _unknown([lang for lang in translations if lang]))


def _unknown(target_lang: Any) -> str:
    """A sentence about target languages without data; "" if there are none."""
    given = [target_lang] if isinstance(target_lang, str) else [] if target_lang is None else list(target_lang)
    codes = sorted({code for code in given if isinstance(code, str) and base_of(code) not in WRITTEN_IN})
    return (
        f" There is no data for {named(codes)}, so checks that depend on the language were left out." if codes else ""
    )


def checked(
    source: Any,
    translated: Any,
    source_lang: Any,
    target_lang: Any,
    wanted: frozenset[str],
    *,
    glossary: pd.DataFrame | Mapping[str, str] | None = None,
    detect: wording.Detect | None = None,
) -> Checked:
    """Two columns and all findings in them; each language is one for all rows, or a column of languages."""
    ours, theirs = aligned(source, translated, "source", "translated")
    if detect is not None:
        if target_lang is None:
            raise ValueError("detect: the expected language is missing. Pass target_lang= too.")
        detect = wording.Remembering(detect)
    parts = [
        # A row without a language cannot be compared.
        (rows, Checker(own, other, wanted, glossary=glossary, detect=detect if other else None))
        for own, other, rows in rows_by_language(ours, source_lang, target_lang)
    ]
    look = partial(_findings, parts, ours)
    return Checked(ours, theirs, look(theirs), look)


def _findings(parts: Iterable[tuple[Places, Checker]], ours: pd.Series[Any], theirs: pd.Series[Any]) -> list[Finding]:
    """The findings of each checker in its rows."""
    found: list[Finding] = []
    for rows, checker in parts:
        if len(rows) == len(ours):
            return checker.findings(ours, theirs)
        some = checker.findings(ours.iloc[rows], theirs.iloc[rows])
        found += (one._replace(row=int(rows[one.row])) for one in some)
    return found


class Checker:
    """The checks of translations from one language into another."""

    def __init__(
        self,
        source_lang: str | None,
        target_lang: str | None,
        wanted: frozenset[str],
        *,
        glossary: pd.DataFrame | Mapping[str, str] | None = None,
        detect: wording.Detect | None = None,
    ) -> None:
        self._source_lang = source_lang and languages.source(source_lang)
        self._target_lang = target_lang and languages.target(target_lang)
        self._wanted = wanted
        self._row_checks = [look for codes, look in ROW_CHECKS if wanted.intersection(codes)]
        if glossary is not None and "glossary" in wanted:
            terms = prepared(glossary, self._source_lang, self._target_lang)
            self._row_checks.append(partial(glossary_terms, wanted=terms))
        if detect is not None and "wrong_language" in wanted:
            self._row_checks.remove(wording.another_language)
            self._row_checks.append(partial(wording.wrong_language, detect=detect))

    def findings(self, ours: pd.Series[Any], theirs: pd.Series[Any]) -> list[Finding]:
        """All findings in two columns with the same rows."""
        found: list[Finding] = []
        seen = wording.Repetitions(ours, theirs)
        for first, piece in chunks(theirs, ours):
            before = Side(ours.iloc[first : first + len(piece)])
            live, lacking, pairs = self._paired(before, Side(piece))
            found += (one._replace(row=first + one.row) for one in lacking)
            places = (np.flatnonzero(live) + first).tolist()
            for look in self._row_checks if len(pairs) else ():
                found += (one._replace(row=places[one.row]) for one in look(pairs))
            seen.add(places, pairs)
        if "inconsistent" in self._wanted:
            found += seen.inconsistent()
        if "same_target" in self._wanted:
            found += seen.same_target()
        return [one for one in found if one.code in self._wanted]

    def _paired(self, source: Side, target: Side) -> tuple[Bools, list[Finding], TextPairs]:
        """The rows that have a translation, the findings about those that do not, and the pairs of the former."""
        visible = [side.sums((side.kinds & (SPACE | INVISIBLE)) == 0) > 0 for side in (source, target)]
        live: Bools = visible[0] & visible[1]
        empty = np.flatnonzero(visible[0] & ~visible[1]).tolist()
        lacking = [Finding(row, "empty", "no translation", advice=AGAIN) for row in empty]
        if "marked" in self._wanted:  # all other findings in these rows would follow from the mark
            marked = [one for one in wording.marked(source, target, self._target_lang) if live[one.row]]
            live[[one.row for one in marked]] = False
            lacking += marked
        if not live.all():
            rows = np.flatnonzero(live).tolist()
            source, target = (Side([side[row] for row in rows]) for side in (source, target))
        return live, lacking, TextPairs(source, target, source_lang=self._source_lang, target_lang=self._target_lang)
