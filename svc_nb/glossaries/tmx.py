"""Translation memories in TMX 1.4, taken and given as pairs of terms: a `tu` for each."""

from __future__ import annotations

from typing import Any
from xml.sax.saxutils import escape, quoteattr

import pandas as pd

from svc_nb.glossaries.tbx import Concept, flat, language, local, paired
from svc_nb.tabular.report import plural

ROOT = "tmx"
ALL = "*all*"
# What these hold is markup of the document the segment came from, and no part of the term.
CODES = ("bpt", "ept", "ph", "it", "ut")


def table(root: Any, source_lang: str | None = None) -> tuple[pd.DataFrame, list[str]]:
    """The terms of a TMX file as a tidy table, and what was left out."""
    header = next((each for each in root if local(each) == "header"), None)
    usual = _said(header)
    units = list(root.iter("{*}tu"))
    tidy, notes = paired([_concept(unit) for unit in units], source_lang, usual or "", "unit")
    tagged = sum(len(each) > 0 for unit in units for each in _segments(unit))
    if tagged:
        notes.append(f"Inline tags were taken out of {plural(tagged, 'term')}")
    return tidy, notes


def _said(element: Any) -> str | None:
    """The source language that an element names; None for all of them, or where it names none."""
    said = "" if element is None else (element.get("srclang") or "").strip()
    return said if said and said.lower() != ALL else None


def _concept(unit: Any) -> Concept:
    terms = []
    for variant in unit:
        text = "".join(flat(_text(each)) for each in variant if local(each) == "seg")
        if text and not text.isspace() and language(variant):
            terms.append((language(variant), text))
    return Concept(unit.sourceline, terms, _said(unit))


def _segments(unit: Any) -> list[Any]:
    return [segment for variant in unit for segment in variant if local(segment) == "seg"]


def _text(element: Any) -> str:
    """The text of a segment without the codes in it."""
    if not len(element):
        return element.text or ""
    inner = "".join(("" if local(each) in CODES else _text(each)) + (each.tail or "") for each in element)
    return (element.text or "") + inner


def written(terms: pd.DataFrame) -> str:
    """*terms* as TMX, a unit for each, in their order."""
    languages = list(dict.fromkeys(terms["source_lang"].tolist()))
    spoken = languages[0] if len(languages) == 1 else ALL
    body = "".join(_unit(row, spoken == ALL) for row in terms.itertuples(index=False, name=None))
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4">\n'
        '<header creationtool="svc_nb" creationtoolversion="1" segtype="phrase" o-tmf="svc_nb" adminlang="en" '
        f'srclang={quoteattr(spoken)} datatype="plaintext"/>\n<body>\n{body}</body>\n</tmx>\n'
    )


def _unit(row: tuple[str, str, str, str], mixed: bool) -> str:
    source_lang, target_lang, source, target = row
    srclang = f" srclang={quoteattr(source_lang)}" if mixed else ""
    variants = "".join(
        f"<tuv xml:lang={quoteattr(code)}><seg>{escape(text)}</seg></tuv>\n"
        for code, text in ((source_lang, source), (target_lang, target))
    )
    return f"<tu{srclang}>\n{variants}</tu>\n"
