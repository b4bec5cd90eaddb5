"""Web and e-mail addresses and paths in a text: where they are, found in one pass. No translator gets to see them."""

import re

_HINTS = ("/", "\\", "@", "www.", "WWW.", "Www.")
# Scripts that put no space between words: a sentence may continue right behind an address.
_WIDE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
)
_WORD = rf"[^\W{_WIDE}]"
_LINK = rf"""[^\s<>"`(){{}}\[\]،؛؟۔।॥—\ue000-\uf8ff{_WIDE}]"""
_NAME = rf"(?:{_WORD}|[.@+~$-]){{1,100}}+"
_FOLDER = r"""[^\s\\/:*?"'<>|,;`()\[\]{}\ue000-\uf8ff]{1,100}+"""
_SPACED = rf"{_FOLDER}(?:[ ](?:[A-Z\d]{_FOLDER}|\({_FOLDER}\))){{0,3}}"  # Program Files (x86)
_ADDRESS = re.compile(
    rf"(?<!{_WORD})(?:"
    rf"(?:(?i:[a-z][a-z\d+.-]{{1,20}}://)(?:[\w-]{{1,63}}\.)?|(?i:www\.)(?=[\w-]{{1,63}}\.))(?:{_LINK}|\({_LINK}*+\)|\[{_LINK}*+\])++"
    rf"|(?<![.-])(?:[A-Za-z\d-]{{1,63}}\.){{1,5}}(?:com|edu|gov|io|ly|net|org)/(?:{_LINK}|\({_LINK}*+\))*+"  # bit.ly/x
    rf"|(?<![.!#$&*+=?^|~-])(?:(?i:mailto:))?(?:{_WORD}|[.!#$&*+=?^|~-]){{1,64}}+@(?:(?:{_WORD}|-){{1,63}}+\.){{1,9}}[^\W\d_{_WIDE}]{{2,63}}"
    r"|(?<![</\\%.&@$~+)-])(?:"
    rf"(?:[A-Za-z]:[\\/](?!/)|\\\\\w{_FOLDER}\\|%\w{{1,40}}%\\)(?:{_SPACED}[\\/]){{0,50}}(?:{_FOLDER})?"
    rf"|(?:~|\.\.?)(?:/{_NAME}){{1,50}}+/?"
    rf"|/(?=\w){_NAME}(?:/{_NAME}){{1,50}}+/?"
    rf"|(?P<file>(?:/|(?:{_NAME}[/\\]){{1,50}}+){_NAME})"  # src/main.py, but not and/or
    r"))"
)
_FILE = re.compile(r".*\w\.[a-z][a-z\d]{0,4}", re.DOTALL)
_BEHIND = ".,;:!?…*_'’”»"  # what a sentence puts behind an address


def find(text: str) -> list[tuple[int, int]]:
    """Where addresses and paths stand in *text*, in order."""
    if not any(hint in text for hint in _HINTS):
        return []
    spans = []
    for found in _ADDRESS.finditer(text):
        address = found[0].rstrip(_BEHIND)
        if address and (not found["file"] or _FILE.fullmatch(address)):
            spans.append((found.start(), found.start() + len(address)))
    return spans
