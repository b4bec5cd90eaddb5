"""Term bases in TBX (ISO 30042) and translation memories in TMX 1.4 as terms; XML is read safely.

TBX is read in versions 2 (`martif`) and 3 (`tbx`), with data categories as attributes (DCA) or as elements (DCT); names
are compared without their namespaces. One term is taken for each language of a concept: the preferred one, or otherwise
the first that is not deprecated. TBX-Basic is written in version 3 (DCA) or 2, with a concept for each source term. In
TMX a pair of terms is a unit.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple
from xml.sax.saxutils import escape, quoteattr

import numpy as np
import pandas as pd

from svc_nb.advice import Call
from svc_nb.glossaries.wide_table import choose, same_language
from svc_nb.language_codes import WELL_FORMED, as_normal
from svc_nb.tabular.cells import LEFT_OUT
from svc_nb.tabular.findings import ERROR, Findings
from svc_nb.tabular.report import named, plural, short
from svc_nb.tabular.sheets import ILLEGAL, SAFELY
from svc_nb.tabular.terms import code_of, made

LANG = "{http://www.w3.org/XML/1998/namespace}lang"
ROOTS = ("tbx", "martif")
ENTRIES = ("{*}conceptEntry", "{*}termEntry")
SECTIONS = ("{*}langSec", "{*}langSet")
BLOCKS = ("termSec", "tig", "ntig")
STATUSES = ("administrativeStatus", "normativeAuthorization")
PREFERRED, PLAIN, ADMITTED, DEPRECATED = range(4)
# By the beginning of a status: "preferredTerm-admn-sts", "deprecatedTerm", "obsolete", ...
RANKS = {
    "preferred": PREFERRED,
    "admitted": ADMITTED,
    "deprecated": DEPRECATED,
    "superseded": DEPRECATED,
    "obsolete": DEPRECATED,
    "notrecommended": DEPRECATED,
    "forbidden": DEPRECATED,
}
# In TMX these hold markup of the document that the segment came from, which is not part of the term.
CODES = ("bpt", "ept", "ph", "it", "ut")
# In a TMX file of several source languages.
ALL = "*all*"
# In a TBX file of several source languages: each concept begins with its own.
SEVERAL = "mul"
UNWRITABLE: tuple[tuple[str, Callable[[str], Any], str], ...] = (
    ("empty", lambda text: not text or text.isspace(), "is empty"),
    ("control", re.compile("[\n\r]").search, "has a line break"),
    ("control", ILLEGAL.search, "has a character that XML cannot hold"),
)


# The line of a concept, and a row of the tidy table.
Row = tuple[int, str, str, str, str]


class Concept(NamedTuple):
    """The terms of an entry by language, the line where it begins, and its own source language."""

    line: int
    terms: list[tuple[str, str]]
    source_lang: str | None = None


# ---- reading


def parsed(data: bytes, encoding: str | None = None) -> Any:
    """The root of *data*; no entity is resolved, no file or address is opened."""
    from lxml import etree

    try:
        root = etree.fromstring(data, etree.XMLParser(encoding=encoding, **SAFELY))
    except LookupError:
        raise ValueError(
            f"encoding: XML cannot be in {encoding!r}. Leave it out: an XML file names its encoding"
        ) from None
    except etree.XMLSyntaxError as problem:
        # Without lxml's name for the text, which means nothing to a person.
        said = str(problem.msg or problem).partition("\n")[0][:200].rstrip(". ")
        raise ValueError(
            f"it is not well-formed XML: {said}. Fix that line in an editor, or export the file again"
        ) from None
    left = next(root.iter(etree.Entity), None)
    if left is not None:
        raise ValueError(
            f"line {left.sourceline}: the entity {short(str(left.text))} is declared elsewhere, and is not looked up "
            "for safety. Replace it with the character that it stands for"
        )
    return root


def local(element: Any) -> str:
    """The name of an element without its namespace."""
    tag: str = element.tag
    return tag.rpartition("}")[2]


def language(element: Any) -> str:
    """The language of an element; empty if it names none."""
    said: str = element.get(LANG) or element.get("lang") or ""
    return said.strip()


def flat(text: str) -> str:
    """*text* without the line breaks and indents of its layout."""
    if "\n" not in text and "\r" not in text:
        return text
    return " ".join(filter(None, (part.strip() for part in re.split("[\r\n]+", text))))


def read_tbx(root: Any, source_lang: str | None = None) -> tuple[pd.DataFrame, list[str]]:
    """The terms of a TBX file as a tidy table, and notes on what was left out."""
    left: dict[str, list[str]] = {"synonyms": [], "deprecated": [], "nameless": []}
    concepts = []
    for entry in root.iter(*ENTRIES):
        codes: dict[str, str] = {}  # the first spelling of each; some tools have a section for each term of a language
        by_code: dict[str, list[tuple[int, str, int]]] = {}
        for section in entry.iter(*SECTIONS):
            ranked = [found for block in section if local(block) in BLOCKS for found in _ranked(block)]
            usable = [found for found in ranked if found[0] != DEPRECATED]
            left["deprecated"] += [_at(line, term) for rank, term, line in ranked if rank == DEPRECATED]
            if usable and (code := language(section)):
                by_code.setdefault(codes.setdefault(as_normal(code), code), []).extend(usable)
            elif usable:
                left["nameless"].append(_at(section.sourceline, usable[0][1]))
        terms = []
        for code, usable in by_code.items():
            best = min(usable, key=lambda found: found[0])
            terms.append((code, best[1]))
            left["synonyms"] += [_at(line, term) for _, term, line in usable if term != best[1]]
        concepts.append(Concept(entry.sourceline, terms))
    tidy, notes = _paired(concepts, source_lang, language(root), "concept")
    counted = (
        (left["synonyms"], "synonym", "synonyms"),
        (left["deprecated"], "deprecated term", "deprecated terms"),
        (left["nameless"], "section that names no language", "sections that name no language"),
    )
    return tidy, [*notes, *_left_out(counted)]


def _at(line: int, term: str) -> str:
    """The line and text of a term, for a message."""
    return f"line {line}: {short(term)!r}"


def _ranked(block: Any) -> Iterator[tuple[int, str, int]]:
    """The term of a block, if it has one, with its rank and its line."""
    term, rank, line = None, PLAIN, block.sourceline
    for element in block.iter():
        name = local(element)
        if name == "term" and term is None:
            term, line = flat("".join(element.itertext())), element.sourceline
        elif name in STATUSES or element.get("type") in STATUSES:
            said = re.sub("[^a-z]", "", "".join(element.itertext()).lower())
            rank = next((value for start, value in RANKS.items() if said.startswith(start)), rank)
    if term and not term.isspace():
        yield rank, term, line


def read_tmx(root: Any, source_lang: str | None = None) -> tuple[pd.DataFrame, list[str]]:
    """The terms of a TMX file as a tidy table, and notes on what was left out."""
    header = next((each for each in root if local(each) == "header"), None)
    concepts, tagged = [], 0
    for unit in root.iter("{*}tu"):
        terms = []
        for variant in unit:
            segments = [each for each in variant if local(each) == "seg"]
            tagged += sum(len(each) > 0 for each in segments)
            text = "".join(flat(_segment_text(each)) for each in segments)
            if text and not text.isspace() and language(variant):
                terms.append((language(variant), text))
        concepts.append(Concept(unit.sourceline, terms, _source_lang(unit)))
    tidy, notes = _paired(concepts, source_lang, _source_lang(header) or "", "unit")
    if tagged:
        notes.append(f"Inline tags were removed from {plural(tagged, 'term')}")
    return tidy, notes


def _source_lang(element: Any) -> str | None:
    """The source language that a TMX element names; None for all languages, or if it names none."""
    said = "" if element is None else (element.get("srclang") or "").strip()
    return said if said and said.lower() != ALL else None


def _segment_text(element: Any) -> str:
    """The text of a segment without the codes in it."""
    if not len(element):
        return element.text or ""
    inner = "".join(("" if local(each) in CODES else _segment_text(each)) + (each.tail or "") for each in element)
    return (element.text or "") + inner


def _paired(
    concepts: Sequence[Concept], source_lang: str | None, usual: str, noun: str
) -> tuple[pd.DataFrame, list[str]]:
    """The terms from the source language of every concept to each of its others.

    This is *source_lang*, or the concept's own, or *usual* if any concept has it, or otherwise the concept's first.
    """
    spoken = list(dict.fromkeys(code for concept in concepts for code, _ in concept.terms))
    if source_lang is not None and choose(spoken, source_lang) is None:
        found = ", ".join(map(short, spoken)) or "none"
        raise ValueError(f"source_lang: expected one of the file's languages, {found}; found {source_lang!r}")
    if not code_of(usual) or choose(spoken, usual) is None:
        usual = ""
    rows: list[Row] = []
    without, variants = [], []
    for concept in concepts:
        found_rows, same = _rows(concept, source_lang or concept.source_lang or usual)
        rows += found_rows
        variants += [_at(concept.line, term) for term in same]
        without += [] if found_rows else [f"line {concept.line}"]
    lines, *columns = map(list, zip(*rows, strict=True)) if rows else ([], [], [], [], [])
    source_langs, target_langs, sources, targets = columns
    index = pd.Index(lines, dtype="int64", name="line")
    tidy = made(source_langs, target_langs, sources, targets, index=index)
    lacking = "without terms in the source language and another"
    counted = (
        (without, f"{noun} {lacking}", f"{noun}s {lacking}"),
        (variants, "term in a variant of the source language", "terms in variants of the source language"),
    )
    return tidy, _left_out(counted)


def _left_out(counted: Iterable[tuple[Sequence[str], str, str]]) -> list[str]:
    return [
        f"{LEFT_OUT}{plural(len(places), one, several)} ({named(places)})" for places, one, several in counted if places
    ]


def _rows(concept: Concept, wanted: str) -> tuple[list[Row], list[str]]:
    """The rows of one concept, and its other terms in variants of the language *wanted*, or of the first."""
    codes = [code for code, _ in concept.terms]
    place = choose(codes, wanted) if wanted else 0
    if place is None or not codes:
        return [], []
    spoken, source = concept.terms[place]
    rows = [
        (concept.line, spoken, code, source, term) for code, term in concept.terms if not same_language(spoken, code)
    ]
    return rows, [term for at, (code, term) in enumerate(concept.terms) if at != place and same_language(spoken, code)]


# ---- writing


def unwritable(terms: pd.DataFrame) -> Findings:
    """The rows that cannot be written to TBX and TMX."""
    found = Findings()
    for name in ("source", "target"):
        for code, wrong, what in UNWRITABLE:
            _add(found, terms[name], wrong, code, f"the {name} {what}")
    for name in ("source_lang", "target_lang"):
        _add(
            found,
            terms[name],
            lambda code: not WELL_FORMED.fullmatch(code),
            "language",
            f"{name} is not a language code",
        )
    pairs = list(zip(terms["source_lang"], terms["target_lang"], strict=True))
    same = {pair for pair in set(pairs) if same_language(*pair)}
    _add(found, pairs, same.__contains__, "same_language", "source and target are in the same language")
    return found


def _add(found: Findings, cells: Iterable[Any], wrong: Callable[[Any], Any], code: str, message: str) -> None:
    rows = [row for row, cell in enumerate(cells) if wrong(cell)]
    found.add(np.array(rows), ERROR, code, message, f"use {Call('.svc.fix')}" if code == "control" else "")


class TbxForm(NamedTuple):
    """The names of the parts of TBX-Basic in a version."""

    root: str
    header: str
    entry: str
    section: str
    block: str


TBX_FORMS = {
    2: TbxForm('martif type="TBX-Basic"', "martifHeader", "termEntry", "langSet", "tig"),
    3: TbxForm(
        'tbx xmlns="urn:iso:std:iso:30042:ed-2" type="TBX-Basic" style="dca"',
        "tbxHeader",
        "conceptEntry",
        "langSec",
        "termSec",
    ),
}


def write_tbx(terms: pd.DataFrame, version: int = 3) -> str:
    """*terms* as TBX-Basic; terms with the same source form one concept if they are in different languages."""
    form = TBX_FORMS[version]
    concepts: dict[tuple[str, str, int], list[tuple[str, str]]] = {}
    seen: dict[tuple[str, str, str], int] = {}
    for source_lang, target_lang, source, target in terms.itertuples(index=False, name=None):
        again = seen.get((source_lang, source, target_lang), 0)
        seen[source_lang, source, target_lang] = again + 1
        concepts.setdefault((source_lang, source, again), [(source_lang, source)]).append((target_lang, target))
    languages = {source_lang for source_lang, _, _ in concepts}
    spoken = languages.pop() if len(languages) == 1 else SEVERAL
    body = []
    for number, each in enumerate(concepts.values(), start=1):
        sections = "".join(
            f"<{form.section} xml:lang={quoteattr(code)}><{form.block}><term>{escape(term)}</term></{form.block}>"
            f"</{form.section}>\n"
            for code, term in each
        )
        body.append(f'<{form.entry} id="c{number}">\n{sections}</{form.entry}>\n')
    origin = "<fileDesc><sourceDesc><p>A glossary written by svc_nb</p></sourceDesc></fileDesc>"
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f"<{form.root} xml:lang={quoteattr(spoken)}>\n<{form.header}>{origin}</{form.header}>\n"
        f"<text><body>\n{''.join(body)}</body></text>\n</{form.root.partition(' ')[0]}>\n"
    )


def write_tmx(terms: pd.DataFrame) -> str:
    """*terms* as TMX, a unit for each, in their order."""
    languages = list(dict.fromkeys(terms["source_lang"].tolist()))
    spoken = languages[0] if len(languages) == 1 else ALL
    body = []
    for source_lang, target_lang, source, target in terms.itertuples(index=False, name=None):
        srclang = f" srclang={quoteattr(source_lang)}" if spoken == ALL else ""
        variants = "".join(
            f"<tuv xml:lang={quoteattr(code)}><seg>{escape(text)}</seg></tuv>\n"
            for code, text in ((source_lang, source), (target_lang, target))
        )
        body.append(f"<tu{srclang}>\n{variants}</tu>\n")
    units = "".join(body)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4">\n'
        '<header creationtool="svc_nb" creationtoolversion="1" segtype="phrase" o-tmf="svc_nb" adminlang="en" '
        f'srclang={quoteattr(spoken)} datatype="plaintext"/>\n<body>\n{units}</body>\n</tmx>\n'
    )
