"""All checks over two columns, texts and their translations, in pieces of bounded size."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from svc_nb.checks import characters, numbers, placeholders, punctuation, wording
from svc_nb.checks.codepoints import INVISIBLE, SPACE
from svc_nb.checks.findings import CHECKS, Finding, chosen
from svc_nb.checks.glossary import glossary_terms, prepared
from svc_nb.checks.text_array import Bools, aligned, chunks
from svc_nb.checks.text_pairs import Side, TextPairs
from svc_nb.tabular.findings import Findings, tally
from svc_nb.tabular.report import Report, plural
from svc_nb.wire import languages

# Which codes each check gives, so that what is left out costs nothing.
ROW_CHECKS: tuple[tuple[tuple[str, ...], Callable[[TextPairs], Iterator[Finding]]], ...] = (
    (("untranslated", "untranslated_word"), wording.untranslated),
    (("partly_untranslated",), wording.partly),
    (("wrong_script",), characters.scripts),
    (("numbers", "number_words"), numbers.numbers),
    (("placeholders", "icu"), placeholders.placeholders),
    (("urls",), placeholders.urls),
    (("emails",), placeholders.emails),
    (("tags", "tag_attributes"), placeholders.tags),
    (("entities",), placeholders.entities),
    (("mask",), placeholders.masks),
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
    detect: wording.Detect | None = None,
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
    ours, theirs = aligned(source, target, "source", "target")
    if detect is not None and target_lang is None:
        raise ValueError("detect: which language is wanted? Pass target_lang= as well.")
    row_checks = [look for codes, look in ROW_CHECKS if wanted.intersection(codes)]
    terms = None if glossary is None else prepared(glossary, source_lang, target_lang)
    if terms is not None and "glossary" in wanted:
        row_checks.append(partial(glossary_terms, wanted=terms))
    if detect is not None and "wrong_language" in wanted:
        row_checks.append(partial(wording.wrong_language, detect=detect))
    found: list[Finding] = []
    seen = wording.Repetitions(ours, theirs)
    for first, piece in chunks(theirs):
        before = Side(ours.iloc[first : first + len(piece)])
        live, lacking, pairs = _paired(before, Side(piece), source_lang, target_lang, wanted)
        found += (one._replace(row=first + one.row) for one in lacking)
        places = (np.flatnonzero(live) + first).tolist()
        for look in row_checks if len(pairs) else ():
            found += (one._replace(row=places[one.row]) for one in look(pairs))
        seen.add(places, pairs)
    if "inconsistent" in wanted:
        found += seen.inconsistent()
    if "same_target" in wanted:
        found += seen.same_target()
    return _report([one for one in found if one.code in wanted], ours.index, len(wanted))


def _paired(
    source: Side, target: Side, source_lang: str | None, target_lang: str | None, wanted: frozenset[str]
) -> tuple[Bools, list[Finding], TextPairs]:
    """Which rows have a text and its translation, what is said of those that lack one, and the former as pairs."""
    visible = [side.sums((side.kinds & (SPACE | INVISIBLE)) == 0) > 0 for side in (source, target)]
    live: Bools = visible[0] & visible[1]
    empty = np.flatnonzero(visible[0] & ~visible[1]).tolist()
    lacking = [Finding(row, "empty", "no translation") for row in empty]
    if "marked" in wanted:  # what else could be found in these rows follows from the mark
        marked = [one for one in wording.marked(source, target, target_lang) if live[one.row]]
        live[[one.row for one in marked]] = False
        lacking += marked
    if not live.all():
        rows = np.flatnonzero(live).tolist()
        source, target = (Side([side[row] for row in rows]) for side in (source, target))
    return live, lacking, TextPairs(source, target, source_lang=source_lang, target_lang=target_lang)


def _report(found: list[Finding], labels: pd.Index[Any], looked_for: int) -> Report:
    by_code: dict[str, list[Finding]] = {}
    for one in found:
        by_code.setdefault(one.code, []).append(one)
    gathered = Findings()
    for code in (code for code in CHECKS if code in by_code):
        rows, _, messages, suggestions = zip(*by_code[code], strict=True)
        # No column of texts can hold half of a surrogate pair.
        texts = ([text.encode("utf-8", "replace").decode() for text in some] for some in (messages, suggestions))
        gathered.add(np.array(rows), CHECKS[code][0], code, *texts)
    count = plural(len(labels), "text")
    said = f"Nothing found in {count} by {plural(looked_for, 'check')}."
    if len(gathered):
        said = (
            f"{plural(len(gathered), 'finding')} in {len(gathered.rows):,} of {count}: {tally(gathered.counts())}. "
            "Next: mend the gravest first, .query('severity == \"error\"'); leave out a kind with skip=[code]."
        )
    return gathered.table(labels, said, positions=True)
