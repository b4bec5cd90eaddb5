"""Which texts are not worth sending, and why: each text falls in one class at most; nothing is sent or changed here."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache

SAME_LANGUAGE = "same_language"
RULES: frozenset[str] = frozenset({"blank", "no_letters", "emoji", "url", "email", SAME_LANGUAGE})
"""Every rule there is; each can be switched off by leaving it out."""

BLANK = r"\s\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0"
"""What shows nothing: white space, zero-width and direction marks, fillers; the inside of a character class."""

# Scripts whose words may stand against a URL or an address without a space: there, what follows is a text.
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

_PICTURE = (
    r"[\u231a\u231b\u2328\u23cf\u23e9-\u23f3\u23f8-\u23fa\u25fd\u25fe\u2600-\u2604\u260e\u2611\u2614\u2615\u2618"
    r"\u261d\u2620\u2622\u2623\u2626\u262a\u262e\u262f\u2638-\u263a\u2640\u2642\u2648-\u2653\u265f\u2660\u2663"
    r"\u2665\u2666\u2668\u267b\u267e\u267f\u2692-\u2697\u2699\u269b\u269c\u26a0\u26a1\u26a7\u26aa\u26ab\u26b0\u26b1"
    r"\u26bd\u26be\u26c4\u26c5\u26c8\u26ce\u26cf\u26d1\u26d3\u26d4\u26e9\u26ea\u26f0-\u26f5\u26f7-\u26fa\u26fd"
    r"\u2702\u2705\u2708-\u270d\u270f\u2712\u2714\u2716\u271d\u2721\u2728\u2733\u2734\u2744\u2747\u274c\u274e"
    r"\u2753-\u2755\u2757\u2763\u2764\u2795-\u2797\u27a1\u27b0\u27bf\u2b1b\u2b1c\u2b50\u2b55"
    r"\U0001f004\U0001f0cf\U0001f170\U0001f171\U0001f17e\U0001f17f\U0001f18e\U0001f191-\U0001f19a"
    r"\U0001f1e6-\U0001f1ff\U0001f201\U0001f202\U0001f21a\U0001f22f\U0001f232-\U0001f23a\U0001f250\U0001f251"
    r"\U0001f300-\U0001f64f\U0001f680-\U0001f6ff\U0001f7e0-\U0001f7eb\U0001f7f0\U0001f90c-\U0001f9ff"
    r"\U0001fa70-\U0001faff]"
)
# Plain signs, and pictures only where the next character asks for one or a joiner stands before them.
_SIGN = (
    r"[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u2199\u21a9\u21aa\u24c2\u25aa\u25ab\u25b6\u25c0\u25fb\u25fc"
    r"\u2934\u2935\u2b05-\u2b07\u3030\u303d\u3297\u3299]"
)
_EMOJI = rf"(?:{_PICTURE}|{_SIGN}\ufe0f|(?<=\u200d){_SIGN}|[0-9#*]\ufe0f?+\u20e3)"
_JOINERS = rf"[{BLANK}\ufe0e\ufe0f\U000e0020-\U000e007f]*+"

# Possessive throughout: what one part has taken is never tried again, so that no text can cost more than its length.
_CLASS = re.compile(
    rf"(?P<blank>[{BLANK}]*+)"
    rf"|(?P<emoji>{_JOINERS}(?:{_EMOJI}{_JOINERS})++)"
    rf"|(?P<url>[{BLANK}]*+(?:{_URL}(?:[{BLANK}]++|\Z))++)"
    rf"|(?P<email>[{BLANK},;]*+(?:{_ADDRESS}(?:[{BLANK},;]++|\Z))++)"
)

# Letters a text may begin with and still not be words: "www.", "ℹ️", Hangul fillers.
_DOUBTFUL = "wWℹ\u115f\u1160\u3164\uffa0"

_USUAL_SCRIPT = {"zh": "hans"}
_TRADITIONAL = frozenset({"hk", "mo", "tw"})


def reason(text: str, rules: Collection[str]) -> str | None:
    """Return the class that *text* falls in, if its rule is among *rules*; None for a text worth sending.

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
    """Return `reason` of each text, in order, or that it is in *target* already, where its language *source* is known.

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
    # Chinese without a script is told by its letters.
    base, script, _ = _subtags(target)
    if source.lower() == base == "zh":
        same = [chinese_script(text) in (None, script) for text in texts]
    else:
        same = [same_language(source, target)] * len(texts)
    return [why or (SAME_LANGUAGE if nothing else None) for why, nothing in zip(found, same, strict=True)]


@lru_cache(maxsize=4096)
def same_language(source: str, target: str) -> bool:
    """Return whether a text in *source* has nothing to gain from a translation into *target*.

    Codes are taken in any case, with "-" or "_". Regions count only where both sides name one; scripts always count,
    and Chinese without a script is simplified unless its region says otherwise. An empty code is no language.

    >>> same_language("EN", "en-US"), same_language("EN-GB", "EN-US"), same_language("ZH", "ZH-HANT")
    (True, False, False)
    """
    base, script, region = _subtags(source)
    other_base, other_script, other_region = _subtags(target)
    regions_agree = not region or not other_region or region == other_region
    return bool(base) and base == other_base and script == other_script and regions_agree


def chinese_script(text: str) -> str | None:
    """Return "hans" or "hant", by the letters that only simplified or only traditional Chinese has; None for none.

    Which these are is known from the character sets of both: GB 2312 and Big5. Most of them count; where there are as
    many of one kind as of the other, the text is "mixed".

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
