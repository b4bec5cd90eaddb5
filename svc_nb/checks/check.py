"""All checks over two columns, texts and their translations, in pieces of bounded size."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from svc_nb.checks import (
    adherence,
    alphabet,
    carried,
    characters,
    consistency,
    language,
    numbers,
    punctuation,
    wording,
)
from svc_nb.checks.catalogue import CHECKS, Finding, chosen
from svc_nb.checks.couple import Couple
from svc_nb.checks.findings import Findings, tally
from svc_nb.checks.tape import Bools, Tape
from svc_nb.checks.texts import as_texts, chunks
from svc_nb.tabular.report import Report, plural
from svc_nb.wire import languages

# Which codes each check gives, so that what is left out costs nothing.
ROW_CHECKS: tuple[tuple[tuple[str, ...], Callable[[Couple], Iterator[Finding]]], ...] = (
    (("untranslated", "untranslated_word"), wording.untranslated),
    (("partly_untranslated",), wording.partly),
    (("wrong_script",), characters.scripts),
    (("numbers", "number_words"), numbers.numbers),
    (("placeholders", "icu"), carried.placeholders),
    (("urls",), carried.urls),
    (("emails",), carried.emails),
    (("tags", "tag_attributes"), carried.tags),
    (("entities",), carried.entities),
    (("mask",), carried.masks),
    (("brackets",), punctuation.brackets),
    (("quotes",), punctuation.quotes),
    (("end_punctuation",), punctuation.ends),
    (("inverted_mark",), punctuation.inverted),
    (("edge_spaces",), punctuation.edges),
    (("double_spaces",), punctuation.doubles),
    (("space_before_mark",), punctuation.before_marks),
    (("newlines",), punctuation.newlines),
    (("doubled_words",), wording.doubled),
    (("repeated_words",), wording.loops),
    (("repeated_characters",), characters.repeated),
    (("length",), wording.lengths),
    (("first_letter",), wording.first_letters),
    (("all_caps",), wording.capitals),
    (("emoji",), characters.emoji),
    (("mojibake",), characters.mojibake),
    (("invisible", "bidi", "control"), characters.unseen),
)


def check(
    source: pd.Series[Any],
    target: pd.Series[Any],
    *,
    source_lang: str | None = None,
    target_lang: str | None = None,
    glossary: pd.DataFrame | Mapping[str, str] | None = None,
    detect: language.Detect | None = None,
    codes: Iterable[str] | str | None = None,
    skip: Iterable[str] | str | None = None,
) -> Report:
    """What looks wrong in translations, as a table of findings.

    Parameters
    ----------
    source, target
        The texts and their translations, row by row. Rows without a source are left out.
    source_lang, target_lang
        The languages, where they are known: some checks are stricter or milder for them.
    glossary
        A table of terms, or a mapping from term to translation, that translations should follow, in any inflection.
    detect
        Takes texts and gives the code of the language of each, or None; `target_lang` is needed with it.
    codes, skip
        Look only for these codes, or for all but these; `checks()` lists them.

    Returns
    -------
    Report
        A row for each finding, in the order of the texts: `row` (the label of the text), `position` (from 0),
        `severity`, `code`, `message` and `suggestion` (a ready value or what to do, "" where there is none). Empty
        where nothing was found.
    """
    wanted = chosen(codes, skip)
    source_lang = source_lang and languages.source(source_lang)
    target_lang = target_lang and languages.target(target_lang)
    ours, theirs = _columns(source, target)
    if detect is not None and target_lang is None:
        raise ValueError("detect: which language is wanted? Pass target_lang= as well.")
    terms = None if glossary is None else adherence.prepared(glossary, source_lang, target_lang)
    found: list[Finding] = []
    seen: list[consistency.Rows] = []
    for first, piece in chunks(theirs):
        before = ours.iloc[first : first + len(piece)]
        live, lacking, couple = _paired(before, piece, source_lang, target_lang, wanted)
        found += (one._replace(row=first + one.row) for one in lacking)
        places = (np.flatnonzero(live) + first).tolist()
        found += (one._replace(row=places[one.row]) for one in _row_findings(couple, wanted, terms, detect))
        seen.append(consistency.Rows(places, *couple.numbers))
    found += _across(ours, theirs, consistency.Rows.joined(seen), wanted)
    return _report([one for one in found if one.code in wanted], ours.index, len(wanted))


def _columns(source: Any, target: Any) -> tuple[pd.Series[Any], pd.Series[Any]]:
    ours, theirs = as_texts(source, "source"), as_texts(target, "target")
    if len(ours) != len(theirs):
        raise ValueError(
            f"source and target are compared row by row: expected as many translations as texts, "
            f"found {len(ours):,} texts and {len(theirs):,} translations"
        )
    both = isinstance(source, pd.Series) and isinstance(target, pd.Series)
    if both and not ours.index.equals(theirs.index):
        raise ValueError(
            "source and target have different row labels; put them in the same order and use "
            "target.set_axis(source.index) to compare them by position"
        )
    return ours, theirs


def _paired(
    source: pd.Series[Any],
    target: pd.Series[Any],
    source_lang: str | None,
    target_lang: str | None,
    wanted: frozenset[str],
) -> tuple[Bools, list[Finding], Couple]:
    """Which rows have a text and its translation, what is said of those that lack one, and the former as a couple."""
    sides = [Tape(side) for side in (source, target)]
    texts, translated = (~_blank(tape) for tape in sides)
    live = texts & translated
    lacking = [
        Finding(row, "empty", "no translation") for row in np.flatnonzero(texts & ~translated).tolist()
    ]
    if "marked" in wanted:  # what else could be found in these rows follows from the mark
        marked = [one for one in wording.marked(sides[0], sides[1], target_lang) if live[one.row]]
        live[[one.row for one in marked]] = False
        lacking += marked
    if not live.all():
        sides = [tape.take(np.flatnonzero(live)) for tape in sides]
    return live, lacking, Couple(*sides, source_lang=source_lang, target_lang=target_lang)


def _blank(tape: Tape) -> Bools:
    """For every text whether there is nothing to see in it."""
    seen = (tape.kinds & (alphabet.SPACE | alphabet.INVISIBLE)) == 0
    blank: Bools = tape.sums(seen) == 0
    return blank


def _row_findings(
    couple: Couple, wanted: frozenset[str], terms: adherence.Glossary | None, detect: language.Detect | None
) -> Iterator[Finding]:
    if not len(couple):
        return
    for codes, look in ROW_CHECKS:
        if wanted.intersection(codes):
            yield from look(couple)
    if terms is not None and "glossary" in wanted:
        yield from adherence.terms(couple, terms)
    if detect is not None and "wrong_language" in wanted:
        yield from language.languages(couple, detect)


def _across(source: Any, target: Any, rows: consistency.Rows, wanted: frozenset[str]) -> Iterator[Finding]:
    """Findings that need all rows."""
    if "inconsistent" in wanted:
        yield from rows.inconsistent(source, target)
    if "same_target" in wanted:
        yield from rows.same_target(source, target)


def _report(found: list[Finding], labels: pd.Index[Any], looked_for: int) -> Report:
    by_code: dict[str, list[Finding]] = {}
    for one in found:
        by_code.setdefault(one.code, []).append(one)
    gathered = Findings()
    for code in (code for code in CHECKS if code in by_code):
        rows, _, messages, suggestions = zip(*by_code[code], strict=True)
        texts = [list(map(_storable, some)) for some in (messages, suggestions)]
        gathered.add(np.array(rows), CHECKS[code][0], code, *texts)
    return gathered.table(labels, _said(gathered, len(labels), looked_for), positions=True)


def _storable(text: str) -> str:
    """*text* without the halves of characters that no column of texts can hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def _said(found: Findings, texts: int, looked_for: int) -> str:
    if not len(found):
        return f"Nothing found in {plural(texts, 'text')} by {plural(looked_for, 'check')}."
    return (
        f"{plural(len(found), 'finding')} in {len(found.rows):,} of {plural(texts, 'text')}: {tally(found.counts())}. "
        "Next: mend the gravest first, .query('severity == \"error\"'); leave out a kind with skip=[code]."
    )
