"""Which texts are not worth sending, and why: each text is in one class at most; nothing is sent or changed here."""

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from pathlib import Path

SAME_LANGUAGE = "same_language"
RULES: frozenset[str] = frozenset({"blank", "no_letters", "emoji", "url", "email", SAME_LANGUAGE})
"""All rules; leave one out to switch it off."""

BLANK = r"\s\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0"
"""Invisible characters, as part of a character class: white space, zero-width and direction marks, fillers."""

# Scripts whose words may touch a URL or an address without a space: letters after it are text.
UNSPACED = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\ua960-\ua97f\ua9e0-\ua9ff\uaa60-\uaa7f"
    r"\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
)
_WORD = rf"[^\W{UNSPACED}]"

_URL_CHARACTER = rf'[^{BLANK}{UNSPACED}<>"]'
_DOMAIN = r"(?i:(?:[a-z0-9-]++\.)++(?:com|edu|gov|io|ly|net|org)/)"
_URL = rf"(?:(?i:[a-z][a-z0-9+.-]*+://|www\.(?=[\w-]++\.)){_URL_CHARACTER}++|{_DOMAIN}{_URL_CHARACTER}*+)"

_LOCAL = rf"(?:{_WORD}|[.!#$%&'*+/=?^`{{|}}~-])++"
_ADDRESS = rf"(?i:mailto:)?+{_LOCAL}@(?:(?:{_WORD}|-)++\.)++[^\W\d_{UNSPACED}]{{2,}}+"

# Pictures, and plain signs that are pictures only if the next character requests it, or after a joiner.
_PICTURE, _SIGN = (f"[{those}]" for those in Path(__file__).with_name("emoji.txt").read_text("ascii").split())
_EMOJI = rf"(?:{_PICTURE}|{_SIGN}\ufe0f|(?<=\u200d){_SIGN}|[0-9#*]\ufe0f?+\u20e3)"
_JOINERS = rf"[{BLANK}\ufe0e\ufe0f\U000e0020-\U000e007f]*+"

# Possessive throughout, without backtracking, so that the time for a text is at most proportional to its length.
_CLASS = re.compile(
    rf"(?P<blank>[{BLANK}]*+)"
    rf"|(?P<emoji>{_JOINERS}(?:{_EMOJI}{_JOINERS})++)"
    rf"|(?P<url>[{BLANK}]*+(?:{_URL}(?:[{BLANK}]++|\Z))++)"
    rf"|(?P<email>[{BLANK},;]*+(?:{_ADDRESS}(?:[{BLANK},;]++|\Z))++)"
)

# Letters with which a text may begin without having words: "www.", "ℹ️", Hangul fillers.
_DOUBTFUL = "wWℹ\u115f\u1160\u3164\uffa0"

_USUAL_SCRIPT = {"zh": "hans"}
_TRADITIONAL = frozenset({"hk", "mo", "tw"})


def reason(text: str, rules: Collection[str]) -> str | None:
    """Return the class of *text*, if its rule is among *rules*; None for a text worth sending.

    >>> reason("42 %", RULES), reason("Hallo", RULES), reason("👍", {"no_letters"})
    ('no_letters', None, None)
    """
    found = _CLASS.fullmatch(text)
    if not found and any(map(str.isalpha, text)):
        return None
    name = found.lastgroup if found else "no_letters"
    return name if name in rules else None


def reasons(
    texts: Sequence[str], rules: Collection[str], source: str | None = None, target: str | None = None
) -> list[str | None]:
    """Return the `reason` of each text, in order, or `same_language` if it is known to be already in *target*.

    >>> reasons(["这是书", "這是書", "你好"], RULES, "ZH", "ZH-HANT")
    [None, 'same_language', 'same_language']
    """
    found = [
        None
        if text[:1].isalpha() and "@" not in text and "/" not in text and text[0] not in _DOUBTFUL
        else reason(text, rules)
        for text in texts
    ]
    if not source or not target or SAME_LANGUAGE not in rules:
        return found
    # The script of Chinese, if not given, is detected from its characters.
    base, script, _ = _subtags(target)
    if source.lower() == base == "zh":
        same = [chinese_script(text) in (None, script) for text in texts]
    else:
        same = [same_language(source, target)] * len(texts)
    return [why or (SAME_LANGUAGE if nothing else None) for why, nothing in zip(found, same, strict=True)]


@lru_cache(maxsize=4096)
def same_language(source: str, target: str) -> bool:
    """Return whether a text in *source* would gain nothing from a translation into *target*.

    Codes may be in any case, with "-" or "_". Regions count only if both sides have one; scripts always count, and
    Chinese without a script is simplified unless its region says otherwise. An empty code is not a language.

    >>> same_language("EN", "en-US"), same_language("EN-GB", "EN-US"), same_language("ZH", "ZH-HANT")
    (True, False, False)
    """
    base, script, region = _subtags(source)
    other_base, other_script, other_region = _subtags(target)
    regions_agree = not region or not other_region or region == other_region
    return bool(base) and base == other_base and script == other_script and regions_agree


def chinese_script(text: str) -> str | None:
    """Return "hans" or "hant", by the characters that only simplified or only traditional Chinese has; None for none.

    The character sets of both, GB 2312 and Big5, define these. The majority counts; if there are equally many of each,
    the text is "mixed".

    >>> chinese_script("这是"), chinese_script("這是"), chinese_script("国語"), chinese_script("你好 Привет")
    ('hans', 'hant', 'mixed', None)
    """
    letters = {letter for letter in text if "\u3400" <= letter <= "\u9fff"}
    simplified, traditional = (
        {letter for letter in letters if letter.encode(codec, "ignore")} for codec in ("gb2312", "big5")
    )
    hans, hant = len(simplified - traditional), len(traditional - simplified)
    if hans == hant:
        return "mixed" if hans else None
    return "hans" if hans > hant else "hant"


def _subtags(code: str) -> tuple[str, str, str]:
    base, *rest = code.lower().replace("_", "-").split("-")
    script = next((tag for tag in rest if len(tag) == 4 and tag.isalpha()), "")
    region = next((tag for tag in rest if len(tag) in (2, 3)), "")
    if not script and base == "zh" and region in _TRADITIONAL:
        script = "hant"
    return base, script or _USUAL_SCRIPT.get(base, ""), region
