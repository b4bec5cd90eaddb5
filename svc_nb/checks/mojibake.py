"""Text that was decoded wrongly: the characters that reveal it, and the original text; nothing is lost."""

import re
from functools import cache
from typing import Any

REPLACEMENT = "\ufffd"
"""The replacement for a character that could not be decoded."""
# How bytes 0x80 to 0xBF look if UTF-8 was read as cp1252 or Latin-1, for use in a character class.
FOLLOWS = "\x80-\xbf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ"

# UTF-8 letters that were read as cp1252 or Latin-1, which ftfy leaves unchanged if a text has no other evidence. A
# capital with an accent does not follow a small letter, nor do these signs follow it. First, text misread twice.
_LONE = re.compile(
    rf"(?P<twice>(?:[ÃÂ][{FOLLOWS}]|â[{FOLLOWS}]{{2}}){{2,}})|(?<=[a-zß-öø-ÿ])[ÃÄÅ][{FOLLOWS}]"
    rf"|[ÃÄÅ][¡¢£¤¥¦§¨¬¯±´µ¶¸¼½¾]|[ÃÄÅ][ª«»º](?=[a-z])|(?:[ã-é][{FOLLOWS}]{{2}}){{2,}}"
)
# The same for cp1251: a word of two Cyrillic letters, or a Latin letter in a word. Words in capitals may look like it.
_UPPER, _NOT_UPPER = "ЂЃЉЊЌЋЏЎЈҐЁЄЇІЅ", "\x98\xa0\xadѓђљњќћџўіґёєјѕї‚„…†‡€‰‹‘’“”•–—™›¤¦§©«¬®°±µ¶·№»"
_CYRILLIC = re.compile(
    rf"(?<![А-я])(?<![РС][{_UPPER}{_NOT_UPPER}])(?=(?:[РС][{_UPPER}])*+[РС][{_NOT_UPPER}])"
    rf"(?:[РС][{_UPPER}{_NOT_UPPER}]|Т[‘ђ]){{2,}}+(?![А-я])"
    rf"|(?<=[a-z])[ГДЕ][{_UPPER}{_NOT_UPPER}]|[ГДЕ][{_UPPER}{_NOT_UPPER}](?=[a-z])"
)
_NOT_MODERN = re.compile("[\u0460-\u0489\x80-\x9f]")
_ANGSTROMS = re.compile(r"\bÅ[²³](?!\w)")
_HALVES = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def without_mojibake(text: str) -> str:
    """*text* with wrong decoding repaired, even if it happened twice, or only to a part."""
    if REPLACEMENT in text:  # the encodings below do not have this character, and would lose it
        return REPLACEMENT.join(map(without_mojibake, text.split(REPLACEMENT)))
    fix, looks_bad, config = _ftfy()
    if _HALVES.search(text):
        text = _HALVES.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)
    if _CYRILLIC.search(text):
        whole = _from_cp1251(text)
        text = _CYRILLIC.sub(lambda found: _from_cp1251(found[0]), text) if whole == text else whole
    if looks_bad(text) and looks_bad(_ANGSTROMS.sub("", text)):
        text = fix(text, config)
    return _LONE.sub(_read_anew, text)


def _from_cp1251(text: str) -> str:
    """*text*, if it is UTF-8 read as cp1251, decoded correctly; otherwise unchanged."""
    try:
        letters = text.encode("sloppy-windows-1251").decode()
    except UnicodeError:
        return text
    return text if _NOT_MODERN.search(letters) else letters


def _read_anew(found: re.Match[str]) -> str:
    """The match, decoded as UTF-8; unchanged if that has no small letter, unless it was encoded twice."""
    try:
        letters = found[0].encode("sloppy-windows-1252").decode()
    except UnicodeError:
        return found[0]
    return letters if found["twice"] or (letters.isalpha() and not letters.isupper()) else found[0]


@cache
def _ftfy() -> tuple[Any, Any, Any]:
    """ftfy's function that repairs mojibake, the one that finds it, and settings under which it does nothing else."""
    from ftfy import TextFixerConfig, fix_encoding
    from ftfy.badness import is_bad

    return fix_encoding, is_bad, TextFixerConfig(unescape_html=False, replace_lossy_sequences=False, explain=False)
