"""Where personal data is in a text: e-mail addresses, phone numbers, accounts, cards, network addresses, ids.

1. Digits, spaces and dashes of all scripts are read as ASCII ones; every character keeps its position.
2. A pattern for each kind finds candidates, the kinds with a checksum first. A stretch found by one kind is not
   searched by the next.
3. Specialised libraries decide: checksums by python-stdnum, phone numbers by phonenumbers, addresses by ipaddress.

When in doubt, a number counts: if masked, it comes back unchanged, while one that was sent cannot be recalled.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from functools import cache, lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple

from svc_nb.columns.protected_spans import WIDE, Span, emails
from svc_nb.columns.protection import CARD, EMAIL, IBAN, ID, IP, PHONE


class Found(NamedTuple):
    """A stretch of a text, and its kind."""

    start: int
    end: int
    kind: str


def check_installed() -> None:
    """Raise ImportError if a library that is needed here is missing."""
    needed = {"phonenumbers": "phonenumbers", "stdnum": "python-stdnum"}
    if missing := [package for module, package in needed.items() if find_spec(module) is None]:
        raise ImportError(
            f"protect: personal data is found with {' and '.join(missing)}, which is not installed. "
            "Run: pip install 'svc-nb[personal]'"
        )


def found(text: str) -> list[Found]:
    """All personal data in *text*, in order; no two overlap."""
    everything = [Found(*span, EMAIL) for span in emails(text)]
    if not _DIGITS.search(text):
        return everything
    plain = text if text.isascii() else text.translate(_ascii())
    plain = _without(plain, everything)
    for kind, find in _FINDERS.items():
        if new := [Found(*span, kind) for span in find(plain)]:
            everything += new
            plain = _without(plain, new)
    return sorted(everything)


def _without(plain: str, found: list[Found]) -> str:
    parts, at = list[str](), 0
    for start, end, _ in found:
        parts += plain[at:start], _TAKEN * (end - start)
        at = end
    return "".join([*parts, plain[at:]])


def spans(kind: str | None, text: str) -> list[Span]:
    """Where data of this *kind* is, or of any kind if None."""
    return [(each.start, each.end) for each in found(text) if kind in (None, each.kind)]


# ---- how digits are read

_DIGITS = re.compile(r"\d\D*+\d\D*+\d")  # a text with fewer contains none of this
_TAKEN = "\0"
_ALIKE = {
    "\t\u00a0\u2007\u2009\u202f\u3000": " ",
    "‐‑‒–−－": "-",
    "＋": "+",
    "（": "(",
    "）": ")",
    "．": ".",
    "／": "/",
}


@cache
def _ascii() -> dict[int, str]:
    """Each digit, space, dash, plus sign and bracket of another script, and its ASCII counterpart."""
    digits = re.findall(r"\d", "".join(map(chr, range(0x80, 0x20000))))
    alike = {ord(each): read for those, read in _ALIKE.items() for each in those}
    return alike | {ord(digit): str(int(digit)) for digit in digits}


# A number does not begin or end within a word, another number, a path or an amount of money. It may touch scripts
# without spaces.
_BEFORE = rf"(?<![^\W{WIDE}])(?<!\d[.,:/'’+-])(?<![^\W\d_][-./\\&@_])(?<![$€£¥₹#=&%@_/\\+-])"
_UNITS = r"(?:[$€£¥₹%‰°]|(?:EUR|USD|GBP|CHF|JPY|[Bb]ytes?|[kKMGT]i?B|px|ms|km|kg)(?!\w))"
_AFTER = rf"(?![^\W{WIDE}]|[.,:/'’_-]\d|[-_/\\@=][^\W\d_]|[ ]?{_UNITS})"


_NO_COUNTRY = r"(?<!\+\d[ ])(?<!\+\d\d[ ])(?<!\+\d{3}[ ])"


def _checked(pattern: re.Pattern[str], is_one: Callable[[re.Match[str]], bool]) -> Callable[[str], list[Span]]:
    return lambda text: [each.span() for each in pattern.finditer(text) if is_one(each)]


# ---- accounts and cards

_IBAN = re.compile(rf"{_BEFORE}(?:[A-Z]{{2}}\d\d(?:[ -]?[A-Z0-9]){{10,31}}+|[a-z]{{2}}\d\d[a-z0-9]{{10,31}}+)")
_SHORTEST_IBAN = 14
_CARD = re.compile(
    rf"{_BEFORE}{_NO_COUNTRY}(?:\d{{12,19}}|\d{{4}}([ -])\d{{4}}\1\d{{4}}\1\d{{1,4}}(?:\1\d{{1,3}})?"
    r"|\d{4}([ -])\d{6}\2\d{4,5})(?![\w-]|[.,]\d)"
)
# No card begins with 0, and only old JCB cards begin with 1.
_ISSUERS = re.compile(r"[2-9]|1800")


def _ibans(text: str) -> list[Span]:
    """Accounts: the longest valid one of each candidate, because words may follow it."""
    mod_97_10 = import_module("stdnum.iso7064.mod_97_10")
    spans: list[Span] = []
    for each in _IBAN.finditer(text):
        start, end = each.span()
        while end - start >= _SHORTEST_IBAN:
            digits = re.sub("[ -]", "", text[start:end]).upper()
            whole = text[end : end + 1]
            if not (whole.isalnum() and whole.isascii()) and mod_97_10.is_valid(digits[4:] + digits[:4]):
                spans.append((start, end))
                break
            # Back to the end of a group.
            end = max(text.rfind(" ", start, end), text.rfind("-", start, end))
    return spans


def _is_card(each: re.Match[str]) -> bool:
    digits = re.sub(r"\D", "", each[0])
    return bool(_ISSUERS.match(digits)) and bool(import_module("stdnum.luhn").is_valid(digits))


# ---- network addresses

_IP = re.compile(
    rf"{_BEFORE}(?:(?P<v4>\d{{1,3}}(?:\.\d{{1,3}}){{3}})(?![\w-]|\.\w)"
    r"|(?P<mac>[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5}|[0-9A-Fa-f]{2}(?:-[0-9A-Fa-f]{2}){5})(?![\w:-])"
    r"|(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f]{0,4}(?![\w:]))"
)
_VERSION = re.compile(r"(?i)\b(?:v|ver|vers(?:ion|ión|ione|ão|ie|io)?|versi[oó]n|wersja|release|build|версия)\W{0,2}\Z")


def _is_ip(each: re.Match[str]) -> bool:
    """Whether it is an address that may belong to someone: not a version, loopback or netmask."""
    if each["mac"]:
        return True
    if each["v4"] and _VERSION.search(each.string, max(each.start() - 12, 0), each.start()):
        return False
    try:
        address = ipaddress.ip_address(each[0])
    except ValueError:
        return False
    if not _GROUPS.search(each[0]):  # a::b
        return False
    nobody = address.is_loopback or address.is_unspecified or address.is_multicast
    return not nobody and (address.version == 6 or not address.is_reserved)


# ---- national ids: the form of each, and the module that knows its checksum

_IDS: dict[str, str] = {
    r"[A-Z]{6}[\dLMNP-V]{2}[A-Z][\dLMNP-V]{2}[A-Z][\dLMNP-V]{3}[A-Z]": "it.codicefiscale",
    r"(?:[XYZ][- ]?\d{7}|\d{8})[- ]?[A-Z]": "es.nie es.dni",
    r"\d{7}[A-W][A-IW]?": "ie.pps",
    r"\d{6}[A-FU-Y]\d{3}[A-Z\d]|\d{6}[-+]\d{3}[A-Z]": "fi.hetu",
    r"[A-Z]{4}\d{6}[HMX][A-Z]{5}[A-Z\d]\d": "mx.curp",
    r"[A-Z]{3,4}\d{6}[A-Z\d]{3}": "mx.rfc",
    r"[A-Z]{5}\d{4}[A-Z]": "in_.pan",
    r"\d{8} ?\d ?[A-Z]{2}\d": "pt.cc",
    r"\d{1,2}\.\d{3}\.\d{3}-[\dK]": "cl.rut",
    r"\d{3}-\d\d-\d{4}": "us.ssn us.itin",
    r"(?:\d\d)?\d{6}[-+]\d{4}": "se.personnummer dk.cpr is_.kennitala fi.hetu",
    r"\d{6}-\d{5}": "lv.pvn",
    r"\d{6}/\d{3,4}": "cz.rc",
    r"\d{6}-\d\d-\d{4}": "my.nric",
    r"756\.?\d{4}\.?\d{4}\.?\d\d": "ch.ssn",
    r"\d{3}\.\d{3}\.\d{3}-\d\d": "br.cpf",
    r"\d\d\.\d{3}\.\d{3}/\d{4}-\d\d": "br.cnpj",
    r"\d\d\.\d\d\.\d\d-\d{3}\.\d\d": "be.nn",
    r"\d\d-\d{8}-\d": "ar.cuit",
    r"\d-\d{4}-\d{5}-\d\d-\d": "th.pin",
    r"\d{4}[ -]\d{4}[ -]\d{4}": "in_.aadhaar jp.in_",
    r"[1-478] ?\d\d ?[0-9]\d ?(?:\d\d|2[AB]) ?\d{3} ?\d{3} ?\d\d": "fr.nir",
    r"\d{3} \d{3} \d{4}": "gb.nhs",
    r"\d{3}[ -]\d{3}[ -]\d{3}": "ca.sin au.tfn",
    r"\d{2} \d{3} \d{3} \d{3}": "de.idnr",
    r"\d{4} \d{6}": "at.vnr",
    r"\d{10}": "cz.rc bg.egn at.vnr",
    r"\d{11}": "pl.pesel no.fodselsnummer be.nn tr.tckimlik br.cpf ee.ik gr.amka de.idnr",
    r"\d{12}": "se.personnummer ru.inn in_.aadhaar",
    r"\d{13}": "ro.cnp za.idnr si.emso kr.rrn th.pin",
    r"\d{14}": "br.cnpj",
    r"\d{16}": "id.nik",
    # Ids of China, South Korea and Great Britain: nothing else has this form, and not all have a checksum.
    r"\d{6}(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dX]": "",
    r"\d\d(?:0\d|1[0-2])(?:[0-2]\d|3[01])-[1-8]\d{6}": "",
    r"(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d\d ?\d\d ?\d\d ?[A-D]": "",
}
_ID = re.compile(
    rf"{_BEFORE}(?<![\d)][ ])(?<!\))(?:{'|'.join(f'(?P<id{number}>{form})' for number, form in enumerate(_IDS))})"
    rf"(?![^\W{WIDE}]|-\w|[ .,/]\d)"
)
_KNOWING = [known.split() for known in _IDS.values()]


def _is_id(each: re.Match[str]) -> bool:
    known = _KNOWING[int((each.lastgroup or "")[2:])]
    return not known or any(import_module(f"stdnum.{name}").is_valid(each[0]) for name in known)


# ---- phone numbers

# First the look-alikes: dates, with or without a time.
_PHONE = re.compile(
    rf"{_BEFORE}(?:(?:(?:1[6-9]|2[01])\d\d([-/.])[01]?\d\1[0-3]?\d"
    r"|(?:[0-3]?\d([-/.])[01]?\d\2|[01]?\d/[0-3]?\d/)(?:1[6-9]|2[01])?\d\d)(?![\d-]|[./]\d)"
    rf"|(?P<number>(?:\+ ?|(?:\+\(|\(\+?)\d{{1,5}}\)[ ./-]?[ ]?)?"
    rf"\d(?:(?:[ ]?\(\d{{1,5}}\)[ ./-]?[ ]?|/ |[-./ ])?\d){{4,16}})"
    rf"(?P<more>[ ]?(?:x|ext\.?|Ext\.?)[ ]?\d{{1,6}})?{_AFTER})"
)
_BEGINNING = re.compile(r"[ ](?=[0+(]\d)")
_YEARS = re.compile(r"(?:1[6-9]|2[01])\d\d")
_DAY = re.compile(
    r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])|(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])(?:19|20)\d\d"
)
_GROUPS = re.compile(r"\d+")
# The regions whose numbers count without a country code; more make no difference, because lengths repeat.
_REGIONS = (
    "US",
    "GB",
    "DE",
    "FR",
    "ES",
    "IT",
    "NL",
    "PL",
    "BR",
    "SE",
    "NO",
    "TR",
    "RU",
    "UA",
    "JP",
    "CN",
    "KR",
    "IN",
    "AU",
)
# A local number without area code is so short that it counts only in these groups.
_LOCAL = {(3, 4), (3, 2, 2), (3, 1, 3)}


def _is_phone(each: re.Match[str]) -> bool:
    number = each["number"]
    if not number:
        return False
    groups = _GROUPS.findall(number)
    count = sum(map(len, groups))
    if "+" in number:
        return count >= 9 or _is_possible(number, None)
    sizes = tuple(map(len, groups))
    dotted = "." in number and {*_GROUPS.split(number)[1:-1]} == {"."}
    if dotted and _VERSION.search(each.string, max(each.start() - 12, 0), each.start()):
        return False
    if (dotted and (len(groups) == 2 or sizes[0] == 1) and sizes != (4, 4)) or sizes[-1] == 1 or len(groups) > 6:
        return False
    least, most = 7 if len(groups) > 1 else 9, 16 if number.startswith("00") else 13
    has_code = groups[0][0] == "0" or number[0] == "(" or each["more"]  # an area code, or an extension
    if has_code and least <= count <= most:
        return True
    return _is_number_of_place(number, groups, sizes) and _is_possible("".join(groups), _REGIONS)


def _is_number_of_place(number: str, groups: list[str], sizes: tuple[int, ...]) -> bool:
    """Whether digits without country or area code are written like a phone number, not like an amount or years."""
    count = sum(sizes)
    if len(groups) == 1:
        return 8 <= count <= 11 and not _DAY.fullmatch(number)
    is_range = len(groups) == 2 and max(sizes) < 5 and groups[1].endswith("00")
    if is_range or all(map(_YEARS.fullmatch, groups)):
        return False
    if count < 8:
        return sizes in _LOCAL
    thousands = {*sizes[1:]} == {3} and sizes[0] < 4 and "-" not in number
    if thousands and (
        sizes != (3, 3, 3) or groups[-1] == "000" or ("." in number and not _is_spanish("".join(groups)))
    ):
        return False
    return count <= 12 and min(sizes[1:]) > 1 and (sizes[0] > 1 or count == 11)


@lru_cache(maxsize=10_000)
def _is_possible(number: str, regions: tuple[str, ...] | None) -> bool:
    """Whether its length is valid in one of *regions* or, without these, in the country whose code it has."""
    import phonenumbers

    for region in regions or (None,):
        try:
            if phonenumbers.is_possible_number(phonenumbers.parse(number, region)):
                return True
        except phonenumbers.NumberParseException:
            continue
    return False


@lru_cache(maxsize=10_000)
def _is_spanish(number: str) -> bool:
    """Whether it is a Spanish number: 612.345.678 is a phone number there, and an amount in most of Europe."""
    import phonenumbers

    return phonenumbers.is_valid_number(phonenumbers.parse(number, "ES"))


def _phones(text: str) -> list[Span]:
    spans: list[Span] = []
    at = 0
    while each := _PHONE.search(text, at):
        at = each.end()
        if _is_phone(each):
            spans.append(each.span())
        elif later := _BEGINNING.search(text, each.start() + 1, at):  # other numbers come before it
            at = later.end()
    return spans


_FINDERS: dict[str, Callable[[str], list[Span]]] = {
    IBAN: _ibans,
    CARD: _checked(_CARD, _is_card),
    ID: _checked(_ID, _is_id),
    IP: _checked(_IP, _is_ip),
    PHONE: _phones,
}
KINDS = (EMAIL, *_FINDERS)
