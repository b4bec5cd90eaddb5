"""Faults of content: what is missing, added, untranslated, or says something else than the source."""

from __future__ import annotations

import re

from tests.benchmarks.labelled.kinds import EMAIL, NEGATED, PROTECTED, URL, Case, letters, note, sentences, warning
from tests.benchmarks.labelled.pairs import names, uses

NEAR = ({"da", "nb"}, {"cs", "sk"}, {"es", "ca"}, {"hr", "sl"})
SPACELESS = {"ja", "zh", "th"}
NOT = {
    "fr": r"\bne \w+ pas\b",
    "el": "δεν|μην?",
    "pt-BR": "não",
    "ja": "ありません|ません|ない",
    "zh": "不能|没有|不|勿",
}
NOT |= {"ko": "지 않|없", "tr": "değil", "cs": "nelze|není|nejsou", "fa": "نیست|نمی", "lv": "nav", "lt": "nėra"}
UNITS = {
    "km": "m",
    "cm": "mm",
    "m": "km",
    "kg": "g",
    "°C": "°F",
    "км": "м",
    "см": "мм",
    "м": "км",
    "кг": "г",
    "公里": "米",
}
LOOKALIKES = [("a", "а"), ("e", "е"), ("o", "о"), ("p", "р"), ("c", "с"), ("x", "х")]


@warning
def empty(case: Case) -> str | None:
    return case.random.choice(["", " ", "\n"])


@warning
def untranslated(case: Case) -> str | None:
    return case.source if letters(case.source) > 12 and " " in case.source else None


@warning
def partly_untranslated(case: Case) -> str | None:
    ours, theirs = sentences(case.source), sentences(case.target)
    if len(ours) != len(theirs) or len(ours) < 2 or letters(ours[-1]) < 20:
        return None
    return "".join(theirs[:-1]) + ours[-1]


@warning
def sentence_dropped(case: Case) -> str | None:
    ours, theirs = sentences(case.source), sentences(case.target)
    if len(ours) < 2 or len(theirs) != len(ours):
        return None
    gone = case.random.randrange(len(theirs))
    return "".join(theirs[:gone] + theirs[gone + 1 :]).strip() if letters(theirs[gone]) > 8 else None


@warning
def sentence_added(case: Case) -> str | None:
    if letters(case.source) < 20 or case.source[-1:] != "." or case.target[-1:] not in (".", "。", "।"):
        return None
    more = [one.target for one in case.column if one.target[-1] in ".。।" and one.target != case.target]
    more = [one for one in more if len(sentences(one)) == 1 and 25 < letters(one) < 90]
    more = [one for one in more if not PROTECTED.search(one) and not re.search(r"\d", one)]
    return case.target + " " * (case.lang not in SPACELESS) + case.random.choice(more) if more else None


@warning
def half_dropped(case: Case) -> str | None:
    if letters(case.source) < 60 or letters(case.target) < 24:
        return None
    middle = len(case.target) // 2
    cut = middle if case.lang in SPACELESS else case.target.rfind(" ", 0, middle)
    return case.target[:cut].rstrip() or None


@warning
def truncated_mid_word(case: Case) -> str | None:
    places = [one.end() - 2 for one in re.finditer(r"[^\W\d_]{5,}", case.target) if one.end() < len(case.target) * 0.85]
    places = [place for place in places if place > len(case.target) * 0.5]
    return case.target[: case.random.choice(places)] if places and letters(case.target) > 30 else None


@warning
def text_doubled(case: Case) -> str | None:
    return f"{case.target} {case.target}" if letters(case.target) > 15 and "\n" not in case.target else None


@warning
def preamble_added(case: Case) -> str | None:
    said = ["Here is the translation: ", "Sure! ", "Translation: ", "Translated text:\n"]
    return case.random.choice(said) + case.target if letters(case.target) > 15 else None


@warning
def translation_of_another_row(case: Case) -> str | None:
    others = [one.target for one in case.column if one.source != case.source]
    return case.random.choice(others) if letters(case.source) > 30 else None


@warning
def wrong_language(case: Case) -> str | None:
    near = next((group for group in NEAR if case.lang in group), {case.lang})
    own = {text for lang, text in case.elsewhere.items() if lang in near} | {case.target, case.source}
    others = [text for lang, text in sorted(case.elsewhere.items()) if lang not in near and text not in own]
    for script in ("[a-z]{3}", "[а-я]{3}", "[ء-ي]{3}"):  # the language next door is harder to tell
        if re.search(script, PROTECTED.sub("", case.target)):
            others = [text for text in others if re.search(script, PROTECTED.sub("", text))] or others
    return case.random.choice(others) if others and letters(case.target) > 30 else None


@warning
def wrong_script(case: Case) -> str | None:
    word = case.one(r"[^\W\d_]{5,}", free=True)
    if not word or word[0] in case.source:
        return None
    table = str.maketrans(dict(LOOKALIKES if word[0].isascii() else [(ours, theirs) for theirs, ours in LOOKALIKES]))
    changed = word[0].translate(table)
    return case.put(word, changed) if changed != word[0] else None


@warning
def number_changed(case: Case) -> str | None:
    number = case.one(r"(?<![\w.,])\d+(?![\w]|[.,]\d)", shared=True, free=True)
    if not number:
        return None
    return case.put(number, str(int(number[0]) + case.random.choice([1, 2, 10])))


@warning
def digit_dropped(case: Case) -> str | None:
    number = case.one(r"(?<![\w.,])\d{2,}(?![\w]|[.,]\d)", shared=True, free=True)
    return case.put(number, number[0][:-1]) if number else None


@warning
def digits_swapped(case: Case) -> str | None:
    number = case.one(r"(?<![\w.,])\d*([1-9])(?!\1)\d\d*(?![\w]|[.,]\d)", shared=True, free=True)
    if not number:
        return None
    at = number.start(1)
    return case.target[:at] + case.target[at + 1] + case.target[at] + case.target[at + 2 :]


@warning
def separator_misread(case: Case) -> str | None:
    grouped = re.search(r"(?<![\d.,])(\d{1,3}),(\d{3})(?![\d.,]\d)", case.source)
    found = grouped and case.one(rf"(?<!\d){grouped[1]}([., \u00a0\u202f]){grouped[2]}(?!\d)")
    if not grouped or not found:
        return None
    return case.put(found, grouped[1] + ("." if found[1] == "," else ",") + grouped[2].rstrip("0"))


@warning
def sign_lost(case: Case) -> str | None:
    sign = case.one(r"(?<![\w.])[-−](?=\d)", shared=False, free=True)
    return case.put(sign, "") if sign and re.search(r"(?<![\w.])-\d", case.source) else None


@warning
def percent_lost(case: Case) -> str | None:
    sign = case.one(r"(?<=\d)\s?%(?![\w(])|%(?=\d+\b)(?!\d\$)")
    return case.put(sign, "") if sign and re.search(r"\d%", case.source) else None


@warning
def percent_added(case: Case) -> str | None:
    number = case.one(r"(?<![\w.,/-])\d+(?![\w.,:/%-]| ?[°%])", shared=True, free=True)
    return case.put(number, number[0] + "%") if number and "%" not in case.source else None


@warning
def currency_changed(case: Case) -> str | None:
    sign = case.one("[€£$]") if re.search(r"[€£$]\d", case.source) else None
    return case.put(sign, {"€": "$", "£": "€", "$": "£"}[sign[0]]) if sign else None


@warning
def unit_changed(case: Case) -> str | None:
    if not re.search(r"\d ?(km|cm|m|kg|°C)\b", case.source):
        return None
    unit = case.one(r"(?<=\d)(?:\s?)(" + "|".join(UNITS) + r")(?![^\W\d_])")
    if not unit:
        return None
    return case.target[: unit.start(1)] + UNITS[unit[1]] + case.target[unit.end(1) :]


@warning
def date_in_english_order(case: Case) -> str | None:
    date = re.search(r"\b(\d\d)/(\d\d)/\d{4}", case.source)
    found = date and case.one(rf"\b({date[2]})(\W)({date[1]})\b|\b({date[1]})(\W+)({date[2]})\b")
    if not found:
        return None
    first, between, second = (one for one in found.groups() if one)
    return case.put(found, second + between + first)


@warning
def month_changed(case: Case) -> str | None:
    return _another(case, "months") or _another(case, "months_alone")


@warning
def weekday_changed(case: Case) -> str | None:
    return _another(case, "weekdays")


@warning
def number_word_changed(case: Case) -> str | None:
    if not re.search(r"\b(two|three|four|five|six)\b", case.source, re.I):
        return None
    return _another(case, "numbers")


def _another(case: Case, name: str) -> str | None:
    """The translation with another word of a list instead of one that it has."""
    listed = case.words.get(name, [])
    ours = "January|February|March|April|May|June|July|August|September|October|November|December|day\\b"
    around = (r"(?<!\d)", "") if case.lang in SPACELESS else (r"(?i)(?<![^\W_])", r"(?![^\W\d_])")
    for place, word in enumerate(listed) if name == "numbers" or re.search(ours, case.source) else ():
        if found := case.one(around[0] + re.escape(word) + around[1]):
            return case.put(found, listed[(place + 1 + case.random.randrange(len(listed) - 1)) % len(listed)])
    return None


@warning
def version_parts_swapped(case: Case) -> str | None:
    version = case.one(r"(?<![\d.])(\d{1,2})\.(\d{1,2})\.(\d{1,2})(?![\d.]*\d)", shared=True)
    if not version or version[2] == version[3]:
        return None
    return case.put(version, f"{version[1]}.{version[3]}.{version[2]}")


@warning
def ip_parts_swapped(case: Case) -> str | None:
    address = case.one(r"\b(\d+)\.(\d+)\.(\d+)\.(\d+)\b", shared=True)
    return case.put(address, ".".join(address.group(2, 1, 3, 4))) if address else None


@warning
def phone_or_address_changed(case: Case) -> str | None:
    found = case.one(r"\+49 30 1234567|NW1 6XE|42 Baker Street|17:45", shared=True)
    changed = {"+49 30 1234567": "+49 30 1243567", "NW1 6XE": "NW6 1XE", "17:45": "14:75"}
    return case.put(found, changed.get(found[0], "24 Baker Street")) if found else None


@warning
def negation_dropped(case: Case) -> str | None:
    if not re.search(r"\b(not|cannot|never)\b|n['’]t\b", case.source, re.I) or len(sentences(case.source)) > 2:
        return None
    word = case.words.get("negation", "")
    pattern = NOT.get(case.lang) or (rf"(?<![^\W_]){word}(?![^\W_])" if word else r"(?!)")
    found = case.one(f"(?i)({pattern}) ?", free=True)
    if not found or len(re.findall(f"(?i){pattern}", case.target)) > 1:
        return None
    kept = found[0].split()[1] + " " if case.lang == "fr" else ""
    return case.put(found, kept)


@warning
def negation_added(case: Case) -> str | None:
    word = case.words.get("negation")
    if not word or NEGATED.search(case.source) or letters(case.source) < 20 or not case.source.endswith("."):
        return None
    if re.search(rf"(?i)(?<![^\W_]){word}", case.target):
        return None
    space = case.one(r"(?<=[^\W\d_]) (?=[^\W\d_])", free=True)
    return case.put(space, f" {word} ") if space else None


@warning
def term_not_used(case: Case) -> str | None:
    for term, wanted in case.terms.items():
        found = names(case.source, term) and uses(PROTECTED.sub(lambda m: "\0" * len(m[0]), case.target), wanted)
        if not found:
            continue
        others = [other for other in case.terms.values() if not uses(case.target, other) and not uses(other, wanted)]
        if others:
            other = case.random.choice(others)
            return case.put(found, other.capitalize() if found[0][0].isupper() else other)
    return None


@warning
def inconsistent(case: Case) -> str | None:
    return case.pair.other or None


@warning
def identifier_changed(case: Case) -> str | None:
    pattern = (
        r"(?<![\w/.@{%(:])(?:[a-z]+\.(?:py|html|ini|conf|json|css|js)|[A-Za-z]+(?:_[A-Za-z]+)+|/[a-z]+(?:/[\w.]+)+)\b"
    )
    found = case.one(pattern, shared=True)
    if not found or URL.search(found[0]) or EMAIL.search(found[0]):
        return None
    return case.put(found, case.random.choice([found[0][:-1], found[0].swapcase(), found[0].replace("_", " ")]))


@note
def emoji_lost(case: Case) -> str | None:
    found = case.one("[\u26a0\U0001f300-\U0001faff]\ufe0f?")
    return case.put(found, "").strip() if found else None
