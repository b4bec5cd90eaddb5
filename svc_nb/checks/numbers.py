"""Whether both sides of a translation have the same numbers, in whatever way each writes them.

Stretches of digits are compared first, as bags, for all rows at once. Rows where they differ are read once more:
`1,000.5`, `1.000,5` and `1 000,5` are one number, so are `3 pm` and `15`, `XXI` and `21`, `5 million` and `500万`.
A small number that the other side writes as a word is only told as such.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from decimal import Decimal
from itertools import product
from typing import NamedTuple

import numpy as np

from svc_nb.checks.findings import Finding, listing
from svc_nb.checks.text_array import Hashes
from svc_nb.checks.text_pairs import Side, TextPairs, rows_where

# ---- words for small numbers, months and magnitudes in the languages that matter most here


def _patterns(words: str, *, spaced: bool = True) -> list[str]:
    """A pattern for each of the words for 0, 1, 2 ...; "|" separates forms, a final "*" takes endings."""
    edge = r"\b" if spaced else ""
    return [
        "|".join(
            edge + re.escape(form.rstrip("*")) + (r"\w*" if form.endswith("*") else edge) for form in word.split("|")
        )
        for word in words.split()
    ]


WORDS: dict[str | None, list[str]] = {
    "cs": _patterns("""
        nul* jed* dva|dvě|dvou|dvěma tři|tří|třem* čtyři|čtyř* pět* šest* sedm* osm* devět|devíti deset*
        jedenáct* dvanáct*"""),
    "da": _patterns("nul en|et|én|ét to tre fire fem seks syv otte ni ti elleve tolv"),
    "de": _patterns("null|kein* ein* zwei* drei* vier* fünf* sechs* sieb* acht* neun* zehn* elf* zwölf*"),
    "en": _patterns("""
        zero one|single|once|first two|twice|second|both three|third four* five|fifth six* seven*
        eight* nine|ninth ten|tenth eleven* twelve|twelfth|dozen"""),
    "es": _patterns("""
        cero un|uno|una|primer* dos|segund* tres|tercer* cuatro|cuart* cinco|quint* seis|sext* siete ocho
        nueve diez once doce"""),
    "fi": _patterns("""
        nolla* yksi|yhde*|yhtä kaksi|kahde*|kahta kolme* neljä* viisi|viide*|viittä kuusi|kuude*|kuutta
        seitsemän* kahdeksan* yhdeksän* kymmene* yksitoista kaksitoista"""),
    "fr": _patterns("""
        zéro un|une|premi* deux|second* trois* quatr* cinq* six* sept* huit* neuf|neuv* dix* onz* douz*"""),
    "hu": _patterns("""
        nulla egy* két|kettő* három* négy* öt* hat* hét* nyolc* kilenc* tíz* tizenegy* tizenkettő*|tizenkét"""),
    "it": _patterns("""
        zero un|uno|una|prim* due|second* tre|terz* quattro|quart* cinque|quint* sei|sest* sette|settim*
        otto nove dieci undici dodici"""),
    "ja": _patterns("零|ゼロ 一|ひと|壱 二|ふた|両 三 四 五 六 七 八 九 十 十一 十二", spaced=False),
    "ko": _patterns("""
        영|공 한|하나|일 두|둘|이 세|셋|삼 네|넷|사 다섯|오 여섯|육 일곱|칠 여덟|팔 아홉|구 열|십 열한|십일
        열두|십이""", spaced=False),
    "nb": _patterns("null en|ett|én|et to tre fire fem seks sju|syv åtte ni ti elleve tolv"),
    "nl": _patterns("""
        nul|geen een|één|eerste twee* drie|derde vier* vijf* zes* zeven* acht* negen* tien* elf* twaalf*"""),
    "pl": _patterns("""
        zero jed* dwa|dwie|dwóch|dwoma|dwu* trzy|trzech|trze* czter* pięć|pięci* sześć|sześci*
        siedem|siedmi* osiem|ośmi* dziewię* dziesię* jedena* dwana*"""),
    "pt": _patterns("""
        zero um|uma|primeir* dois|duas|segund* três|terceir* quatro|quart* cinco|quint* seis|sext* sete oito
        nove dez onze doze"""),
    "ro": _patterns("""
        zero un|una|unu|o|prim* doi|două|doua trei|treia patru* cinci* șase* șapte* opt* nouă zece*
        unsprezece doisprezece"""),
    "ru": _patterns("""
        нол* од* два|две|дву*|втор* три|трех|трёх|трет* четыр*|четверт* пят* шест* сем*|седьм* вос* девят*
        десят* одиннадцат* двенадцат*"""),
    "sv": _patterns("noll en|ett två tre fyra fem sex sju åtta nio tio elva tolv"),
    "tr": _patterns("sıfır* bir* iki* üç* dört* beş* altı* yedi* sekiz* dokuz* on* onbir* oniki*"),
    "uk": _patterns("""
        нул* од* два|дві|дво*|друг* три|трьох|трет* чотир*|четверт* п'ят*|п’ят* шіст*|шест* сім|сем*|сьом*
        вісім|вось* дев'ят*|дев’ят* десят* одинадцят* дванадцят*"""),
    "zh": _patterns("零 一|首|单 二|两|双 三 四 五 六 七 八 九 十 十一 十二", spaced=False),
}  # fmt: skip

# The beginnings of the names of months, in one pattern for all languages.
MONTHS = dict(enumerate((
    "jan|ene|gen|янв|січ|sty|led|tammi|ocak|ιαν|يناير", "feb|fev|fév|фев|лют|lut|úno|helmi|şub|φεβ|فبراير",
    "mar|mär|maa|mrt|мар|бер|bře|mart|μαρ|مارس", "apr|avr|abr|апр|kwi|dub|квіт|huhti|nisan|απρ|أبريل",
    "may|mai|maj|mag|mei|май|мая|трав|kvě|touko|mayıs|μαΐ|مايو", "jun|juin|giu|июн|черв|cze|čer|kesä|haz|ιουν|يونيو",
    "jul|juil|lug|июл|лип|lip|heinä|tem|ιουλ|يوليو", "aug|aoû|ago|aoû|авг|серп|sie|srp|elo|ağu|αυγ|أغسطس",
    "sep|set|сент|верес|wrz|zář|syys|eyl|σεπ|سبتمبر", "oct|okt|out|ott|окт|жовт|paź|říj|loka|eki|οκτ|أكتوبر",
    "nov|ноя|листоп|lis|marras|kas|νοε|نوفمبر", "dec|déc|dez|dic|des|дек|груд|gru|pro|joulu|ara|δεκ|ديسمبر",
), 1))  # fmt: skip

MAGNITUDES: dict[str, int] = {
    **dict.fromkeys(["hundred", "hundert", "百", "백"], 10**2),
    **dict.fromkeys([
        "k", "thousand", "tausend", "tsd.", "mille", "mil", "mila", "tys.", "тыс.", "тысяч", "тысячи", "千",
        "천", "bin", "tisíc", "duizend", "tusen", "tusind"
    ], 10**3),
    **dict.fromkeys(["万", "萬", "만"], 10**4),
    **dict.fromkeys([
        "m", "mio", "mio.", "mln", "million", "millionen", "millions", "millones", "millón", "milhões",
        "milhão", "milioni", "milione", "milionów", "miliony", "miljoen", "miljoner", "миллионов",
        "миллиона", "млн", "milyon", "百万", "백만", "milionů", "millió", "مليون", "ملايين"
    ], 10**6),
    **dict.fromkeys(["千万", "천만"], 10**7),
    **dict.fromkeys(["亿", "億", "억"], 10**8),
    **dict.fromkeys([
        "billion", "mrd", "mrd.", "milliarde", "milliarden", "milliard", "milliards", "bn", "mld",
        "miliardi", "miliard", "miljard", "млрд", "миллиардов", "миллиарда", "milyar", "bilhões", "十亿",
        "십억", "مليار"
    ], 10**9),
    **dict.fromkeys(["trillion", "billionen", "兆", "조", "万亿"], 10**12),
}  # fmt: skip


# ---- numbers as they are written

TOKEN = re.compile(r"\d+(?:[.,'’٫٬·\u00a0\u202f\u2009 ]\d+)*")
FRACTION = re.compile("[²³¹¼-¾⁰-⁹₀-₉⅐-⅞①-⑳]")
OTHER_DIGIT = re.compile(r"[^\D0-9]")
SPLIT = re.compile(r"[.,'’٫٬·\u00a0\u202f\u2009 ]")
GROUPED = re.compile(r"\d{1,3}(?:(?P<mark>\D)\d{2,3}(?:(?P=mark)\d{2,3})*)?(?P=mark)\d{3}|\d{1,3}(?P<one>\D)\d{3}")
AFTERNOON = re.compile(r"p\.?\s?m\b|오후|下午|午後|\bم\b", re.IGNORECASE)
MAGNITUDE = re.compile(
    r"[\s\u00a0\u202f-]{0,2}(?:"
    + "|".join(sorted(map(re.escape, MAGNITUDES), key=len, reverse=True))
    + r")(?![a-zà-ÿ])",
    re.IGNORECASE,
)
ROMANS = tuple(
    zip(
        (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1),
        ["M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"],
        strict=True,
    )
)
MOST_ROMAN = 3000
ROMAN = re.compile(r"\b[MDCLXVI]{2,15}(?![MDCLXVI])")


class Amount(NamedTuple):
    """A number as it is written, and the values it may have."""

    written: str
    values: frozenset[Decimal]


def numbers(pairs: TextPairs) -> Iterator[Finding]:
    """Codes `numbers` and `number_words`."""
    differing = _bags(pairs.source) != _bags(pairs.target)
    for row in rows_where(differing & ~pairs.equal):
        source, target = (_western(text) for text in pairs.bare(row))
        lost, new = _unmatched(source, target)
        if not lost and not new:
            continue
        told = _in_words(lost, target, pairs.target_lang) and _in_words(new, source, pairs.source_lang)
        parts = (("missing", lost), ("new", new))
        message = "; ".join(f"{word} {listing(one.written for one in some)}" for word, some in parts if some)
        yield Finding(row, "number_words" if told else "numbers", message + (" (as a word)" if told else ""))


def _bags(side: Side) -> Hashes:
    """For every row a hash of the bag of its stretches of digits."""
    places, codes = side.digits.places, side.digits.codes
    if not len(places):
        return np.zeros(len(side), dtype=np.uint64)
    values = codes.astype(np.uint64) - np.uint64(ord("0"))
    for code in np.unique(codes[codes > ord("9")]).tolist():
        values[codes == code] = unicodedata.decimal(chr(code))
    starts = np.flatnonzero(np.concatenate(([True], np.diff(places) != 1)))
    lengths = np.diff(np.append(starts, len(places)))
    # A digit counts by its distance from the end of its stretch; wrapping around is as good as a hash.
    distance = np.repeat(places[starts] + lengths, lengths) - places - 1
    powers = np.cumprod(np.full(64, 11, dtype=np.uint64))[np.minimum(distance, 63)]
    items = np.add.reduceat((values + np.uint64(1)) * powers, starts)
    return side.bags(side.digits.rows[starts], items)


def _western(text: str) -> str:
    """*text* with the digits that everybody knows."""
    if text.isascii():
        return text
    plain = FRACTION.sub(lambda found: unicodedata.normalize("NFKC", found[0]).replace("⁄", "/"), text)
    return OTHER_DIGIT.sub(lambda found: str(unicodedata.decimal(found[0])), plain)


def _unmatched(source: str, target: str) -> tuple[list[Amount], list[Amount]]:
    """The numbers of each side that the other does not have, in whatever way they can be read."""
    best: tuple[list[Amount], list[Amount]] | None = None
    for ours, theirs in product(_ways(source), _ways(target)):
        lost, new = _matched(ours, theirs)
        if lost and new and (AFTERNOON.search(source) or AFTERNOON.search(target)):
            moved = [one._replace(values=frozenset(v + h for v in one.values for h in (12, -12))) for one in lost]
            left, new = _matched(moved, new)
            lost = [one for one, other in zip(lost, moved, strict=True) if other in left]
        found = _unnamed(lost, target), _unnamed(new, source)
        if found == ([], []):
            return found
        best = best or found
    return best or ([], [])


def _ways(text: str) -> list[list[Amount]]:
    """The ways to read the numbers of *text*: as they look, and with every stretch of digits a number of its own."""
    usual: list[Amount] = []
    apart: list[Amount] = []
    for token in TOKEN.finditer(text):
        written = token[0]
        parts = [Amount(part, frozenset({Decimal(part)})) for part in SPLIT.split(written)]
        apart += parts
        if not (values := _readings(written)):
            usual += parts
            continue
        if scale := MAGNITUDE.match(text, token.end()):
            factor = MAGNITUDES.get(scale[0].strip(" \u00a0\u202f-").casefold(), 1)
            values |= {value * factor for value in values}
        usual.append(Amount(written, frozenset(values)))
    return [usual, apart] if any(not one.written.isdecimal() for one in usual) else [usual]


def _readings(written: str) -> set[Decimal]:
    """The values of *written*, with any mark for thousands or decimals; none where it is several numbers, as a date."""
    marks = SPLIT.findall(written)
    plain = SPLIT.sub("", written)
    if not marks:
        return {Decimal(plain)}
    head, mark, tail = written.rpartition(marks[-1])
    grouped = GROUPED.fullmatch(written)
    if len(marks) > 1 and not grouped and not GROUPED.fullmatch(head):
        return set()
    values = {Decimal(plain)} if grouped else set()
    if mark in ".,٫·":
        values.add(Decimal(f"{SPLIT.sub('', head)}.{tail}"))
    return values or {Decimal(plain)}


def _matched(ours: list[Amount], theirs: list[Amount]) -> tuple[list[Amount], list[Amount]]:
    """What is left of each side when numbers that can be read as one are taken out."""
    places: dict[Decimal, list[int]] = {}
    for place, amount in enumerate(theirs):
        for value in amount.values:
            places.setdefault(value, []).append(place)
    left, used = [], set()
    for amount in ours:
        partner = next((place for value in amount.values for place in places.get(value, ()) if place not in used), None)
        if partner is None:
            left.append(amount)
        else:
            used.add(partner)
            for value in theirs[partner].values:
                places[value].remove(partner)
    return left, [amount for place, amount in enumerate(theirs) if place not in used]


def _unnamed(amounts: list[Amount], text: str) -> list[Amount]:
    """Those of *amounts* that *text* has neither as a Roman numeral nor as a month."""
    romans = set(ROMAN.findall(text)) if amounts else set()
    found = []
    for amount in amounts:
        value = min(amount.values)
        is_named = (
            0 < value < MOST_ROMAN
            and value == int(value)
            and (
                (romans and roman(int(value)) in romans)
                or (value in MONTHS and re.search(rf"\b(?:{MONTHS[int(value)]})", text, re.IGNORECASE))
            )
        )
        if not is_named:
            found.append(amount)
    return found


def roman(value: int) -> str:
    """*value* in Roman numerals.

    >>> roman(21), roman(1994)
    ('XXI', 'MCMXCIV')
    """
    written = ""
    for size, letters in ROMANS:
        count, value = divmod(value, size)
        written += letters * count
    return written


def _in_words(amounts: list[Amount], text: str, lang: str | None) -> bool:
    """Whether *text* has a word for each of *amounts*."""
    folded = text.casefold()
    tables = [WORDS[lang]] if lang in WORDS else list(WORDS.values())
    values = [min(amount.values) for amount in amounts]
    return all(
        0 <= value < len(tables[0])
        and value == int(value)
        and any(re.search(table[int(value)], folded) for table in tables)
        for value in values
    )
