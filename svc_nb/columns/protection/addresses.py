"""Web and e-mail addresses: found by the mark that each of them has, then followed to both sides."""

from __future__ import annotations

import re
import string

from svc_nb.columns.protection.letters import HAN_OR_KANA, LETTER, WIDE, WIDE_LETTER, WORD
from svc_nb.columns.protection.spans import Span

# Of each a part that is there however the mark is written.
URL_HINTS = ("/", "ww.", "WW.", "wW.", "Ww.", "o:", "O:")
EMAIL_HINTS = ("@",)

_URL_MARK = re.compile(
    r"[:wWmM.](?:(?<=:)(?P<scheme>//)"  # https://
    r"|(?<=[wW])[wW]{2}\.(?=[\w-]{1,63}\.)"  # www.
    r"|(?<=[mM])(?i:ailto:)"
    r"|(?<=\.)(?P<domain>(?i:com|edu|gov|io|ly|net|org)/))"  # bit.ly/x
)
_SCHEME = frozenset(string.ascii_letters + string.digits + "+.-")
_NO_LETTERS = string.digits + "+.-"
_DOMAIN = frozenset(string.ascii_letters + string.digits + ".-")
_LONGEST_SCHEME, _LONGEST_DOMAIN, _LONGEST_LOCAL = 21, 253, 64

# No address has these unless they are encoded: they end it even if no space follows.
_IN_URL = rf"""[^\s()\[\]{{}}<>"`،؛؟۔।॥—{WIDE}]"""
_CHARACTER = rf"(?:{_IN_URL}|\({_IN_URL}*+\)|\[{_IN_URL}*+\]|\{{{_IN_URL}*+\}})"
_BEHIND = r"[\s!-/:-@\[-`{-~]|\Z"  # a space, ASCII punctuation or the end
# Letters of scripts without spaces: labels of hosts, and what in a path is no sentence that goes on behind it.
_LABEL = (
    rf"(?<=[/.@]){WIDE_LETTER}++(?=[.-]\w)"  # 例え.jp
    rf"|(?<=\.){WIDE_LETTER}++(?=[/:])"  # example.中国/
    rf"|(?<=[{WIDE}]\.){WIDE_LETTER}++(?={_BEHIND})"  # 例子.中国
)
_STEP = (
    rf"(?:(?<=[/=-])|(?<=%[0-9A-Fa-f]{{2}})){WIDE_LETTER}++"  # /日本, =日本, %E3日本, -日本
    rf"|(?<![.,;:!?]){HAN_OR_KANA}++(?={_BEHIND})"  # /x日本 and a space
    rf"|\((?:{_IN_URL}|{WIDE_LETTER})*+\)"  # /x_(日本)
)
_PATH = rf"(?:{_CHARACTER}|{_STEP})*"
_END = r"""(?<![.,;:!?'’”»…*_])"""  # what a sentence puts behind an address
_REST_OF_URL = re.compile(rf"(?:(?![/?#]){_CHARACTER}|{_LABEL})*(?:[/?#]{_PATH})?{_END}")
_REST_OF_PATH = re.compile(rf"{_PATH}{_END}")
_OF_WORD = re.compile(WORD)

_LOCAL = frozenset(
    [*string.ascii_letters, *string.digits, *"_.!#$%&'*+/=?^`{|}~-", *map(chr, range(0xC0, 0xE00))]
)
_QUOTES = "'`*{|"  # an address does not begin with these, but may stand in them
_HOST = re.compile(
    rf"@(?:(?:(?:{WORD}++|-)++|{WIDE_LETTER}++)\.){{1,9}}"
    rf"(?:{LETTER}{{2,63}}|(?<=[{WIDE}]\.){WIDE_LETTER}{{2,12}}(?={_BEHIND}))"
)


def urls(text: str) -> list[Span]:
    """Addresses with a scheme, and those that are known by "www." or the end of their domain and a path."""
    spans: list[Span] = []
    at = 0
    while mark := _URL_MARK.search(text, at):
        at = mark.end()
        start = _url_start(text, mark)
        if start is None:
            continue
        rest = (_REST_OF_PATH if mark["domain"] else _REST_OF_URL).match(text, at)
        if rest and (mark["domain"] or rest.end() > at):
            at = rest.end()
            spans.append((start, at))
    return spans


def emails(text: str) -> list[Span]:
    """E-mail addresses."""
    spans: list[Span] = []
    at = text.find("@")
    while at >= 0:
        local = _run_before(text, at, _LOCAL, most=_LONGEST_LOCAL).lstrip(_QUOTES)
        host = _HOST.match(text, at) if local else None
        if host:
            spans.append((at - len(local), host.end()))
        at = text.find("@", host.end() if host else at + 1)
    return spans


def _url_start(text: str, mark: re.Match[str]) -> int | None:
    """Where the address with this *mark* begins; None where it is none."""
    place = mark.start()
    if mark["scheme"]:
        scheme = _run_before(text, place, _SCHEME, most=_LONGEST_SCHEME).lstrip(_NO_LETTERS)
        return place - len(scheme) if len(scheme) > 1 else None
    if mark["domain"]:
        domain = _run_before(text, place, _DOMAIN, most=_LONGEST_DOMAIN).lstrip(".-")
        start = place - len(domain)
        return start if domain and not _OF_WORD.match(text[start - 1 : start]) else None
    return place if not place or text[place - 1] not in _SCHEME else None


def _run_before(text: str, place: int, run: frozenset[str], *, most: int) -> str:
    """The run of such characters that ends at *place*; nothing where it is longer than *most*."""
    start, low = place, max(place - most - 1, 0)
    while start > low and text[start - 1] in run:
        start -= 1
    return text[start:place] if place - start <= most else ""
