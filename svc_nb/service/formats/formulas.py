"""Texts that a workbook compares with its cells: formulas, filters, lists and pivot tables, renamed as the cells are.

Every string constant that is the text of a cell gets the translation of that cell, so that ``COUNTIF(A:A,"Open")``
counts what it counted. Where no new constant could do that (wildcards, parts of texts, what is before or after in
the alphabet), the cells in the columns of the formula keep their text: `Compared.staying` says which.

1. `Compared` looks through all formulas, filters, lists and pivot tables, however large the sheets are.
2. `Compared.staying` gets all translations, and returns the texts that must stay.
3. `renamed` puts the new texts into a part.
"""

import fnmatch
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from html import unescape
from typing import Literal
from xml.sax.saxutils import escape

from .comparisons import FUNCTIONS, Risks, column_number, columns_of, plain_name
from .zip_package import MAX_PART, Package

LONGEST = 255  # characters of a constant in a formula, and of a list
_MOST_READ = 200_000_000
_MOST_COMPARISONS = 20_000_000
_MOST_ROUNDS = 50  # in each of which texts stay because others do; after two or three nothing changes
_UNIT = r"(?:[\w.-]+:)?"  # the prefix of a tag
_FORMULA = re.compile(
    rf"(<{_UNIT}(f|formula[12]?|definedName|calculatedColumnFormula|totalsRowFormula)(?:\s[^<>]*)?>)([^<]*)(?=</)"
)
_VALUES = re.compile(
    rf"(<{_UNIT}(?:filter|customFilter|cfRule|s|cacheField|pivotField|dataField|tableColumn|queryTableField"
    r"""|slicer|slicerCacheDefinition|timelineCacheDefinition)"""
    r"""\s(?:[^<>]*\s)?(val|text|v|name|totalsRowLabel|caption|sourceName)=)("[^"]*"|'[^']*')"""
)
_SLICER = re.compile(rf"<{_UNIT}slicer\w*\s[^<>]*\bname=$")
_CALCULATED = re.compile(rf"<{_UNIT}cacheField\s[^<>]*\bformula=")
_FIELD = re.compile(rf"""<{_UNIT}cacheField\s(?:[^<>]*\s)?name=["']([^"']*)""")
_TABLE_COLUMN = re.compile(rf"<{_UNIT}tableColumn\s[^<>]*name=$")
_CACHED = re.compile(
    rf"(<{_UNIT}c\s[^<>]*\bt=[\"']str[\"'][^<>]*>(?:<{_UNIT}f(?:\s[^<>]*)?(?:/>|>[^<]*</{_UNIT}f>))?<{_UNIT}v>)([^<]*)"
)
_TOKEN = re.compile(
    r""""(?P<text>(?:[^"]|"")*+)"|'(?:[^']|'')*+'|(?<![\w.\\])(?P<table>[\w.\\]*+)"""
    r"""(?P<columns>\[(?:[^\[\]']|'.|\[(?:[^\[\]']|'.){0,500}+\]){0,1000}+\])|(?<![\w.])(?P<function>[\w.]++)\s*+\(|(?P<group>\()"""
    r"|(?P<close>\))"
)
_NAMED = re.compile(rf"<{_UNIT}(?:sheet|definedName|table|tableColumn)\s[^<>]*")
_NAME = re.compile(r"""\b(?:name|displayName)=(?:"([^"]*)"|'([^']*)')""")
_COLUMN_NAME = re.compile(r"(?:[^\[\]']|'.)++")
_WITH_FORMULA = re.compile(rf"""<{_UNIT}c\s(?:[^<>]*\s)?r=["']([A-Z]{{1,3}})\d+["'][^<>]*>\s*<{_UNIT}f[\s>]""")
_SHARED = 't="shared"'
_LENGTH_OF_CONSTANT = re.compile(r'\bLEN\(\s*"', re.IGNORECASE)
_CRITERION = re.compile(r"[*?]|\A(?:<>|[<>]=?|=)")
_OPERATOR = re.compile("<>|<=|>=|=|<|>")
_AFTER_ORDER = re.compile(r"(?:(?<!<)>|<|[<>]=)\s*\Z")
_BEFORE_ORDER = re.compile(r"\s*+(?:<(?!>)|>)")

_CRITERIA, _LOOKUPS, _EXACT, _PARTS, _BY_PLACE, _NO_TEXTS = (
    FUNCTIONS[key] for key in ("criteria", "lookups", "exact", "parts", "by_place", "no_texts")
)

Kind = Literal["whole", "pattern", "part", "fixed", "order", "none"]
"""How a constant is compared: as a whole, by wildcards, as a part of texts, the same by its place, by its order."""

Rename = Callable[[str, Kind, str], str]
"""What becomes of a constant of that kind in a formula; "" is one that is copied to other cells."""


@dataclass(slots=True)
class Compared:
    """What a workbook compares: constants, the lists of choices, the tables whose columns are named.

    *tests* are constants that texts are not simply equal to, and the columns that those texts are in, if that is known.
    *criteria* are the columns of formulas with criteria, which may be in cells; *names* are those of sheets, ranges,
    tables and their columns, which the texts of cells stand for if the workbook is *indirect*.
    """

    constants: set[str] = field(default_factory=set)
    tests: dict[tuple[Kind, str], frozenset[int] | None] = field(default_factory=dict)
    lists: set[str] = field(default_factory=set)
    tables: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))  # and their columns; "" is all
    names: set[str] = field(default_factory=set)
    indirect: bool = False
    criteria: frozenset[int] | None = frozenset()
    made: set[int] = field(default_factory=set)  # columns with formulas, which may give the texts of other columns
    risks: Risks = field(default_factory=Risks)
    looks_up: bool = False  # cells are compared with cells
    whole: bool = True  # everything was read

    def read(self, package: Package, part: str, budget: int = _MOST_READ, *, sheet: str = "") -> int:
        """Look through a part, and return what is left of *budget*, in bytes; `whole` says whether it sufficed.

        *sheet* is the name of the sheet that the part is, in lower case, if it is one.
        """
        too_large = package.size(part) > MAX_PART  # its formulas cannot be changed

        def heard(text: str, kind: Kind, formula: str) -> str:
            if kind in ("whole", "part"):
                self.constants.add(text.casefold())
            if too_large and kind == "whole":
                kind = "fixed"
            if kind not in ("whole", "none"):
                key = kind, text.casefold()
                known, new = self.tests.get(key, frozenset()), columns_of(formula)
                self.tests[key] = None if known is None or new is None else known | new
            return text

        for text in chunks(package, part):
            budget -= len(text)
            if budget < 0:
                self.whole = False
                break
            for formula in _FORMULA.finditer(text):
                self._read_formula(unescape(formula[3]), formula[2])
            self.made.update(column_number(letters) for letters in set(_WITH_FORMULA.findall(text)))
            _edited(text, heard)
            self.risks.read(text, sheet)
            if _CALCULATED.search(text):  # in which fields are named without quotes
                self.tests |= {("fixed", unescape(name).casefold()): frozenset() for name in _FIELD.findall(text)}
            for found in _NAMED.findall(text):
                self.names.update(_as_name(unescape(one or other)) for one, other in _NAME.findall(found))
        return budget

    def _read_formula(self, formula: str, tag: str) -> None:
        if tag == "formula1" and (choices := _choices(formula)):
            self.lists.add(choices)
        for token in _TOKEN.finditer(formula):
            function = plain_name(token["function"] or "")
            if token["columns"]:
                columns = [re.sub("'(.)", r"\1", name).lstrip("@, ") for name in _COLUMN_NAME.findall(token["columns"])]
                named = {name.casefold() for name in columns if name and name[0] != "#"}
                self.tables[token["table"].casefold()] |= {""} if ":" in columns else named
            if function == "INDIRECT":
                self.indirect = True
            if function in _EXACT:
                self.looks_up = True
            if function in _CRITERIA | _LOOKUPS and self.criteria is not None:
                new = columns_of(formula)
                self.criteria = None if new is None else self.criteria | new

    def staying(self, names: Mapping[str, str], places: Mapping[str, set[int]] | None = None) -> set[str]:
        """Return the texts, in lower case, that must stay if the texts of cells become *names*.

        A text stays if a comparison would come out in another way: its translation is that of another text, matches
        another pattern, or does not fit where the constant is. *places* are the columns that each text is in, if known.
        """
        self._read_criteria(names, places)
        staying = {text for kind, text in self.tests if kind == "fixed"}
        by_text: dict[str, set[str]] = defaultdict(set)
        for text, name in names.items():
            by_text[text.casefold()].add(name.casefold())
        for text in self.constants & by_text.keys():
            [*answers] = by_text[text]
            if len(answers) > 1 or len(answers[0]) > LONGEST or re.search(r"[*?~]|\A[<>=]", answers[0]):
                staying.add(text)
        if self.tests:  # which of the answers would be tested is not known
            staying.update(text for text, answers in by_text.items() if len(answers) > 1)
        known = sorted(self.names) if self.indirect else []
        for text in by_text if known else ():  # what is the beginning of a name may be put together with the rest of it
            name = _as_name(text)
            at = bisect_left(known, name)
            if at < len(known) and (known[at] == name or (len(name) > 1 and known[at].startswith(name))):
                staying.add(text)
        for _ in range(_MOST_ROUNDS):
            new = {
                text: text if text in staying else min(answers) if len(answers) == 1 else ""
                for text, answers in by_text.items()
            }
            found = {*self._merged(new), *self._too_long(names, staying), *self._matched(new, places)}
            if found <= staying:
                return staying
            staying |= found
        return staying | by_text.keys()

    def has_criteria(self, texts: Iterable[str]) -> bool:
        """Tell whether some of *texts*, which are in cells, may be criteria of formulas."""
        return self.criteria != frozenset() and any(map(_CRITERION.search, texts))

    def _read_criteria(self, texts: Iterable[str], places: Mapping[str, set[int]] | None) -> None:
        """Take the texts of cells that are criteria, such as ``Op*`` and ``<>Open``, for constants that stay."""
        if self.criteria == frozenset():
            return
        folded = {text.casefold() for text in texts}
        for text in list(filter(_CRITERION.search, folded))[: _MOST_COMPARISONS // max(1, len(folded))]:
            operator, operand = _operand(text)
            is_pattern = re.search("[*?]", operand)
            looked_at = self.criteria is None or places is None or self.criteria & places.get(text, set())
            finds = is_pattern and any(map(wildcards(operand), folded - {text}))
            if looked_at and (finds or (operator and operand in folded)):
                self.tests["fixed", text] = frozenset()
                if is_pattern or operator in ("<", ">", "<=", ">="):
                    self.tests["pattern" if is_pattern else "order", operand] = self.criteria
                else:
                    self.tests["fixed", operand] = frozenset()

    def _merged(self, new: Mapping[str, str]) -> Iterator[str]:
        """Yield the texts that would become equal to another one, if any of them is compared."""
        owners: dict[str, set[str]] = defaultdict(set)
        for text, name in new.items():
            owners[name or text].add(text)
        for text in self.constants - new.keys():  # that no cell has
            owners[text].add(text)
        for name, texts in owners.items():
            if len(texts) > 1 and name and (self.looks_up or texts & self.constants):
                yield from texts & new.keys()

    def _too_long(self, names: Mapping[str, str], staying: set[str]) -> Iterator[str]:
        """Yield the items of lists that would not fit: with a comma in them, or in a list that is too long then."""
        for choices in self.lists:
            items = [item.strip() for item in choices.split(",")]
            changed = [item if item.casefold() in staying else names.get(item, item) for item in items]
            if len(",".join(changed)) > LONGEST:
                yield from (item.casefold() for item in items)
            yield from (item.casefold() for item, name in zip(items, changed, strict=True) if "," in name)

    def _matched(self, new: Mapping[str, str], places: Mapping[str, set[int]] | None) -> Iterator[str]:
        """Yield the texts whose translations match other patterns, hold other parts or have another place in order."""
        if len(self.tests) * len(new) > _MOST_COMPARISONS:
            yield from new
            return
        for (kind, constant), asked in self.tests.items():
            columns = None if asked is None or asked & self.made else asked
            if not any(letter.isalpha() or (letter == "?" and kind == "pattern") for letter in constant):
                continue
            before = after = wildcards(constant) if kind == "pattern" else constant.__lt__
            if kind in ("part", "fixed"):
                before, after = _holds(constant), _holds(new.get(constant, constant))
            for text, name in new.items():
                looked_at = columns is None or places is None or columns & places.get(text, set())
                if name and looked_at and before(text) != after(name):
                    yield constant if name == text else text  # where the text stays, so must the constant


def chunks(package: Package, part: str) -> Iterator[str]:
    """Yield a part, of any size, in pieces that end behind the ``</`` of an element, and never inside of a tag."""
    rest = b""
    for chunk in package.chunks(part):
        together = rest + chunk
        cut = together.rfind(b"</") + 2
        rest = together[cut:] if cut > 1 else together[-MAX_PART:]
        if cut > 1:
            yield together[:cut].decode("utf-8", "replace")


def _as_name(text: str) -> str:
    """Return *text* as a defined name would be written, which has no blanks."""
    return re.sub(r"\W+", "_", text.strip().casefold())


def _holds(part: str) -> Callable[[str], bool]:
    return lambda text: part in text


def wildcards(pattern: str) -> Callable[[str], bool]:
    """Return what tells whether a text in lower case matches *pattern*, in which ``~`` makes a wildcard a letter."""
    shell = re.sub(r"~([*?~])|(\[)", lambda found: f"[{found[1] or '['}]", pattern.casefold())
    matches = re.compile(fnmatch.translate(shell)).match
    return lambda text: matches(text) is not None


def renamed(xml: str, names: Mapping[str, str], staying: set[str]) -> str:
    """Return a part in which the constants that are texts of cells have their *names*, unless they are *staying*."""
    folded = {text.casefold(): name for text, name in names.items()}

    def rename(text: str, kind: Kind, formula: str = "") -> str:
        if kind not in ("whole", "part") or text.casefold() in staying:
            return text
        return names.get(text) or folded.get(text.casefold(), text)

    cached = _CACHED.sub(lambda found: found[1] + escape(rename(unescape(found[2]), "whole")), xml)
    return _edited(cached, rename)


def _edited(xml: str, rename: Rename) -> str:
    """Return *xml* with what *rename* makes of each constant in formulas, filters, rules and pivot tables."""

    def formula(found: re.Match[str]) -> str:
        if "&quot;" not in found[3] and '"' not in found[3] and "&#34;" not in found[3]:
            return found[0]
        before = unescape(found[3])
        after = _renamed_list(before, rename) if found[2] == "formula1" else None
        after = after or _renamed_formula(before, partial(_renamed_copy, rename) if _SHARED in found[1] else rename)
        return found[0] if after == before else found[1] + escape(after)

    def value(found: re.Match[str]) -> str:
        if found[2] == "name" and (_TABLE_COLUMN.match(found[1]) or _SLICER.match(found[1])):
            return found[0]  # a column is named with its header; what a slicer is called is for programs
        before = unescape(found[3][1:-1])
        is_criterion = "customFilter" in found[1]
        operator, text = _operand(before) if is_criterion else ("", before)
        stays = is_criterion and re.search(r"[*?]|\A[<>]", before)  # the rows it leaves out are hidden already
        after = operator + rename(text, "none" if stays else "whole", "")
        return found[0] if after == before else found[1] + '"' + escape(after, {'"': "&quot;"}) + '"'

    return _VALUES.sub(value, _FORMULA.sub(formula, xml))


def _renamed_copy(rename: Rename, text: str, kind: Kind, formula: str) -> str:
    return rename(text, kind, "")


def _choices(formula: str) -> str:
    """Return the choices of a list that is a constant, or nothing."""
    whole = re.fullmatch(r'\s*"((?:[^"]|"")*)"\s*', formula)
    return whole[1].replace('""', '"') if whole else ""


def _renamed_list(formula: str, rename: Rename) -> str | None:
    if not (choices := _choices(formula)):
        return None
    items = (item.strip() for item in choices.split(","))
    return '"' + ",".join(rename(item, "whole", "") for item in items).replace('"', '""') + '"'


def _renamed_formula(formula: str, rename: Rename) -> str:
    tokens = list(_TOKEN.finditer(formula))
    used = {plain_name(token["function"]) for token in tokens if token["function"]}
    if not _LENGTH_OF_CONSTANT.search(formula):
        used.discard("LEN")
    functions: list[str] = []
    out, at = list[str](), 0
    for token in tokens:
        if token["function"] or token["group"]:
            functions.append(plain_name(token["function"] or ""))
        elif token["close"] and functions:
            functions.pop()
        elif token["text"] is not None:
            text = token["text"].replace('""', '"')
            within = next((name for name in reversed(functions) if name), "")
            operator, operand = _operand(text) if within in _CRITERIA else ("", text)
            kind = _kind(operator, operand, within, used)
            beside = formula[max(0, token.start() - 5) : token.start()], formula[token.end() : token.end() + 5]
            if kind == "whole" and (_AFTER_ORDER.search(beside[0]) or _BEFORE_ORDER.match(beside[1])):
                kind = "order"
            new = operator + rename(operand, kind, formula)
            if new != text:
                out += (formula[at : token.start()], '"', new.replace('"', '""'), '"')
                at = token.end()
    return "".join((*out, formula[at:]))


def _operand(criterion: str) -> tuple[str, str]:
    """Return the operator of a criterion, such as ``<>``, and the rest of it."""
    operator = _OPERATOR.match(criterion)
    return (operator[0], criterion[operator.end() :]) if operator else ("", criterion)


def _kind(operator: str, operand: str, within: str, used: set[str]) -> Kind:
    """Return how a constant in the function *within* is compared, in a formula with the functions *used*."""
    if within in _NO_TEXTS or not operand:
        return "none"
    if within in _PARTS:
        return "part"
    if _BY_PLACE & used and "LEN" not in used:
        return "fixed"
    if operator in ("<", ">", "<=", ">="):
        return "order"
    return "pattern" if within in _CRITERIA | _LOOKUPS and re.search("[*?]", operand) else "whole"
