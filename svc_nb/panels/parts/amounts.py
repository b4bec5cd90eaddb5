"""Amounts as people write them; text that could mean either of two numbers is rejected."""

import re
from decimal import Decimal

GROUPED = r"(?!0)\d{1,3}(?P<sign>[,_'’ \u00a0\u2009\u202f])\d{3}(?:(?P=sign)\d{3})*"
NUMBER = re.compile(rf"(?P<whole>\d+|{GROUPED})(?:(?P<point>[.,])(?P<part>\d+))?\s*(?P<size>k|thousand|m|million)?")
DOTTED = re.compile(r"(?!0)\d{1,3}(?:\.\d{3}){2,}")
LONGEST = 40
SIZES = {"k": 1000, "thousand": 1000, "m": 1_000_000, "million": 1_000_000}


def number(text: str, *, fraction: str = "") -> Decimal | None:
    """The number in *text*, or None; raises ValueError if it could be either of two numbers.

    A comma, space, apostrophe or underscore groups thousands. A single dot or comma is decimal unless exactly three
    digits follow, and always if the number begins with 0 and before k or M. *fraction* is what to call a number with a
    fraction, if one makes sense.

    >>> number("2,500"), number("19,99"), number("1.5 M"), number("a lot")
    (Decimal('2500'), Decimal('19.99'), Decimal('1500000.0'), None)
    """
    plain = text.strip().lower()
    if len(plain) > LONGEST:
        return None
    if DOTTED.fullmatch(plain):
        raise ValueError(f"“{plain}” has dots between its digits: write {plain.replace('.', ',')}")
    found = NUMBER.fullmatch(plain)
    if found is None or (found["sign"] and found["sign"] == found["point"]):
        return None
    whole, part, size = re.sub(r"\D", "", found["whole"]), found["part"] or "", found["size"]
    if len(part) != 3 or size or plain.startswith("0"):
        return Decimal(f"{whole}.{part}") * SIZES.get(size or "", 1)
    if found["point"] == ".":
        raise _either(plain, fraction)
    return Decimal(whole + part) if len(whole) <= 3 else None


def _either(plain: str, fraction: str) -> ValueError:
    """The message that a dot before three digits is ambiguous, and how to write either number."""
    whole = int(re.sub(r"\D", "", plain))
    more = f", or {plain}0 for {fraction}" if fraction else ""
    return ValueError(f"“{plain}” can be read in two ways: write {whole:,}{more}")


def written(amount: float) -> str:
    """*amount* as `number` reads it.

    >>> written(2500), written(19.99), written(2.125)
    ('2,500', '19.99', '2.1250')
    """
    whole, _, part = f"{amount:,.6f}".rstrip("0").partition(".")
    return f"{whole}.{part}{'0' if len(part) == 3 else ''}" if part else whole  # three could be thousands
