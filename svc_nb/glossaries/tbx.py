"""Term bases in TBX (ISO 30042), and XML that is read without harm.

Read are the versions 2 (`martif`) and 3 (`tbx`), with data categories as attributes (DCA) or as elements (DCT): names
are compared without their namespaces. Of each language of a concept one term is taken: the preferred one, or else
the first that is not deprecated. Written is TBX-Basic, version 3, DCA, a concept for each source term.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple
from xml.sax.saxutils import escape, quoteattr

import numpy as np
import pandas as pd

from svc_nb.glossaries.languages import code_of
from svc_nb.glossaries.table import made
from svc_nb.glossaries.wide import choose, same_language
from svc_nb.language_codes import WELL_FORMED
from svc_nb.tabular.cells import LEFT_OUT
from svc_nb.tabular.findings import ERROR, Findings
from svc_nb.tabular.report import plural, short
from svc_nb.tabular.sheets import ILLEGAL, SAFELY

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
# In a file of several source languages: each concept begins with its own.
SEVERAL = "mul"
UNWRITABLE: tuple[tuple[str, Callable[[str], Any], str], ...] = (
    ("empty", lambda text: not text or text.isspace(), "is empty"),
    ("control", re.compile("[\n\r]").search, "has a line break"),
    ("control", ILLEGAL.search, "has a character that no XML can hold"),
)


# The line of a concept, and a row of the tidy table.
Row = tuple[int, str, str, str, str]


class Concept(NamedTuple):
    """The terms of an entry by language, the line where it begins, and the language it says it is translated from."""

    line: int
    terms: list[tuple[str, str]]
    source_lang: str | None = None


# ---- reading


def parsed(data: bytes, encoding: str | None = None) -> Any:
    """The root of *data*; no entity is resolved, no file and no address is opened."""
    from lxml import etree

    try:
        root = etree.fromstring(data, etree.XMLParser(encoding=encoding, **SAFELY))
    except LookupError:
        raise ValueError(
            f"encoding: no XML can have {encoding!r}. Leave it out: an XML file says its own"
        ) from None
    except etree.XMLSyntaxError as problem:
        raise ValueError(
            f"it is no well-formed XML: {_fault(problem)}. Mend that place in an editor, or save the file anew where "
            "it came from"
        ) from None
    left = next(root.iter(etree.Entity), None)
    if left is not None:
        raise ValueError(
            f"line {left.sourceline}: the entity {short(str(left.text))} is declared elsewhere, and for safety "
            "nothing is looked up. Replace it by the character it stands for"
        )
    return root


def _fault(problem: Exception) -> str:
    """What went wrong and where; the name that lxml gives the text would mean nothing to a person."""
    said = str(getattr(problem, "msg", None) or problem)
    return said.partition("\n")[0][:200].rstrip(". ")


def local(element: Any) -> str:
    """The name of an element without its namespace."""
    tag: str = element.tag
    return tag.rpartition("}")[2]


def language(element: Any) -> str:
    """The language an element says it is in; nothing where it says none."""
    said: str = element.get(LANG) or element.get("lang") or ""
    return said.strip()


def flat(text: str) -> str:
    """*text* without the line breaks and indents that only lay it out."""
    if "\n" not in text and "\r" not in text:
        return text
    return " ".join(filter(None, (part.strip() for part in re.split("[\r\n]+", text))))


def table(root: Any, source_lang: str | None = None) -> tuple[pd.DataFrame, list[str]]:
    """The terms of a TBX file as a tidy table, and what was left out."""
    reader = _Reader()
    concepts = [reader.concept(entry) for entry in root.iter(*ENTRIES)]
    tidy, notes = paired(concepts, source_lang, language(root), "concept")
    return tidy, [*notes, *reader.notes()]


class _Reader:
    """Takes one term of each language, and counts those it left."""

    def __init__(self) -> None:
        self.deprecated = self.synonyms = self.nameless = 0

    def concept(self, entry: Any) -> Concept:
        terms = []
        for section in entry.iter(*SECTIONS):
            term = self._term(section)
            if term and not (code := language(section)):
                self.nameless += 1
            elif term:
                terms.append((code, term))
        return Concept(entry.sourceline, terms)

    def _term(self, section: Any) -> str | None:
        ranked = [found for block in section if local(block) in BLOCKS for found in _ranked(block)]
        usable = [found for found in ranked if found[0] != DEPRECATED]
        self.deprecated += len(ranked) - len(usable)
        self.synonyms += max(len(usable) - 1, 0)
        return min(usable, key=lambda found: found[0])[1] if usable else None

    def notes(self) -> list[str]:
        """What was left out, in words."""
        counted = (
            (self.synonyms, "synonym", "synonyms"),
            (self.deprecated, "deprecated term", "deprecated terms"),
            (self.nameless, "section that names no language", "sections that name no language"),
        )
        return [LEFT_OUT + plural(count, one, several) for count, one, several in counted if count]


def _ranked(block: Any) -> Iterator[tuple[int, str]]:
    """The term of a block, where it has one, with its rank."""
    term, rank = None, PLAIN
    for element in block.iter():
        name = local(element)
        if name == "term" and term is None:
            term = flat("".join(element.itertext()))
        elif name in STATUSES or element.get("type") in STATUSES:
            said = re.sub("[^a-z]", "", "".join(element.itertext()).lower())
            rank = next((value for start, value in RANKS.items() if said.startswith(start)), rank)
    if term and not term.isspace():
        yield rank, term


def paired(
    concepts: Sequence[Concept], source_lang: str | None, usual: str, noun: str
) -> tuple[pd.DataFrame, list[str]]:
    """The terms from the source language of every concept to each of its others.

    That is *source_lang*, or what the concept says, or *usual* where any concept has it, or else its first.
    """
    spoken = list(dict.fromkeys(code for concept in concepts for code, _ in concept.terms))
    if source_lang is not None and choose(spoken, source_lang) is None:
        found = ", ".join(map(short, spoken)) or "none"
        raise ValueError(f"source_lang: expected one of the file's languages, {found}; found {source_lang!r}")
    if not code_of(usual) or choose(spoken, usual) is None:
        usual = ""
    rows: list[Row] = []
    without = variants = 0
    for concept in concepts:
        found_rows, same = _rows(concept, source_lang or concept.source_lang or usual)
        rows += found_rows
        variants += same
        without += not found_rows
    return _tidy(rows), _notes(without, variants, noun)


def _rows(concept: Concept, wanted: str) -> tuple[list[Row], int]:
    """The rows of one concept, and how many terms are in variants of the language *wanted*, or of the first."""
    codes = [code for code, _ in concept.terms]
    place = choose(codes, wanted) if wanted else 0
    if place is None or not codes:
        return [], 0
    spoken, source = concept.terms[place]
    rows = [
        (concept.line, spoken, code, source, term)
        for code, term in concept.terms
        if not same_language(spoken, code)
    ]
    return rows, len(codes) - 1 - len(rows)


def _tidy(rows: list[Row]) -> pd.DataFrame:
    lines, *columns = zip(*rows, strict=True) if rows else ((), (), (), (), ())
    source_lang, target_lang, source, target = columns
    index = pd.Index(lines, dtype="int64", name="line")
    return made(list(source_lang), list(target_lang), list(source), list(target), index=index)


def _notes(without: int, variants: int, noun: str) -> list[str]:
    lacking = "without terms in the source language and another"
    counted = (
        (without, f"{noun} {lacking}", f"{noun}s {lacking}"),
        (variants, "term in a variant of the source language", "terms in variants of the source language"),
    )
    return [LEFT_OUT + plural(count, one, several) for count, one, several in counted if count]


# ---- writing


def unwritable(terms: pd.DataFrame) -> Findings:
    """Which rows have no form in TBX and TMX."""
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
            f"{name} is no language code",
        )
    pairs = list(zip(terms["source_lang"], terms["target_lang"], strict=True))
    same = {pair for pair in set(pairs) if same_language(*pair)}
    _add(found, pairs, same.__contains__, "same_language", "source and target are in the same language")
    return found


def _add(found: Findings, cells: Iterable[Any], wrong: Callable[[Any], Any], code: str, message: str) -> None:
    rows = [row for row, cell in enumerate(cells) if wrong(cell)]
    found.add(np.array(rows), ERROR, code, message, "use .svc.fix()" if code == "control" else "")


def written(terms: pd.DataFrame) -> str:
    """*terms* as TBX-Basic, in their order but for those with one source.

    They make one concept where the first of them stands, as far as they are in different languages.
    """
    concepts: dict[tuple[str, str, int], list[tuple[str, str]]] = {}
    seen: dict[tuple[str, str, str], int] = {}
    for source_lang, target_lang, source, target in terms.itertuples(index=False, name=None):
        again = seen.get((source_lang, source, target_lang), 0)
        seen[source_lang, source, target_lang] = again + 1
        concepts.setdefault((source_lang, source, again), [(source_lang, source)]).append(
            (target_lang, target)
        )
    languages = {source_lang for source_lang, _, _ in concepts}
    spoken = languages.pop() if len(languages) == 1 else SEVERAL
    body = "".join(_concept(number, each) for number, each in enumerate(concepts.values(), start=1))
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<tbx xmlns="urn:iso:std:iso:30042:ed-2" type="TBX-Basic" style="dca" xml:lang={quoteattr(spoken)}>\n'
        "<tbxHeader><fileDesc><sourceDesc><p>A glossary written by svc_nb</p></sourceDesc></fileDesc></tbxHeader>\n"
        f"<text><body>\n{body}</body></text>\n</tbx>\n"
    )


def _concept(number: int, terms: list[tuple[str, str]]) -> str:
    sections = "".join(
        f"<langSec xml:lang={quoteattr(code)}><termSec><term>{escape(term)}</term></termSec></langSec>\n"
        for code, term in terms
    )
    return f'<conceptEntry id="c{number}">\n{sections}</conceptEntry>\n'
