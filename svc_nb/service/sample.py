"""A year of use by the twelve keys of Tannwick, an invented outdoor shop, for lessons and tests.

`year` only reckons: a last day gives the same numbers on every machine, as they are made of whole numbers, the four
rules of arithmetic and `random.random`. A day's luck hangs on its date, so that the years of two last days agree on
the days that both have, but for what is placed from the end. `add` books it.
"""

import functools
import random
import secrets
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple

from msgspec import Struct, convert

from .catalogue import read
from .database import Database, stamp
from .keys import mask
from .ledger import SPEECH

DAYS = 366  # as many as one report may cover
SEED = 20_261_115
NAMES = uuid.UUID("7a0c5d1e-94b2-4f38-8e61-2b9d03f4c7a5")

_TABLES = read("sample.json")
# Percent of a usual day: Monday to Sunday, and on the first of January to December; in between it glides.
WEEKS: dict[str, list[int]] = _TABLES["weeks"]
SEASONS: list[int] = _TABLES["seasons"]
HOURS = {
    "office": (time(8, 42, 17, 250_000), time(15, 20, 5)),
    "night": (time(0, 0), time(23, 59, 59, 999_000)),  # the very borders of a UTC day
}
NOON = time(12)

ODD_WEEKDAY, ODD_DAYS_AGO, ODD_FACTOR = 1, 66, 7

# A monthly cap by what is spent in the month and what is to come in it: so each means the same on any day of a month.
CAPS: dict[str, Callable[[int, int], int]] = {
    "blocked": lambda spent, to_come: 0,
    "nearly hit": lambda spent, to_come: _round_number(spent * 26 // 25, spent * 27 // 25),
    "hit later": lambda spent, to_come: _round_number(spent + to_come * 6 // 10, spent + to_come * 8 // 10),
    "ample": lambda spent, to_come: _round_number(2 * (spent + to_come), 3 * (spent + to_come)),
}


class Use(Struct, frozen=True):
    """What a key does with one product: *usual* units on a usual day, on *often* percent of the days."""

    product: str
    usual: int
    week: str = "office"
    often: int = 100
    tags: tuple[str | None, ...] = (None,)


class Habit(Struct, frozen=True):
    """One key of the shop: days are counted back from the last one, those of *created* from the first use."""

    label: str
    uses: tuple[Use, ...]
    created: int
    begins: int = DAYS - 1
    ends: int = 0
    is_deactivated: bool = False
    has_odd_day: bool = False
    hours: str = "office"
    cap: str | None = None
    speech_cap: int | None = None


HABITS = convert(_TABLES["habits"], tuple[Habit, ...])


class SampleKey(NamedTuple):
    """A key as it is stored; no one knows its secret."""

    key_id: str
    masked: str
    label: str
    creation_time: str
    deactivated_time: str | None
    characters: int | None
    speech_to_text_milliseconds: int | None


class Booking(NamedTuple):
    """One entry of the account book."""

    at: str
    key_id: str
    product: str
    tag: str | None
    units: int


@dataclass(frozen=True, slots=True)
class Year:
    """The keys in the order of their creation, and all they used."""

    keys: tuple[SampleKey, ...]
    bookings: tuple[Booking, ...]


def year(until: date) -> Year:
    """The 366 days that end on *until*, which itself is booked to noon only: like today, it is not over.

    There are weekly rhythms and seasons; an odd day, seven times the usual use of "Product catalogue", on a Tuesday
    ten weeks ago; a key that began 24 days ago, and one that was deactivated 121 days ago. "Support desk" has used more
    than nine tenths of this month's cap; "Web shop" will come to its own before the month ends if it continues like
    this; of two keys called "Test" the newer is blocked. One label is but a space. Nine reporting tags are on a part
    of the translations and of the speech.
    """
    until = date.fromordinal(until.toordinal())
    used = []
    for number, habit in enumerate(HABITS):
        days = (until - timedelta(days=ago) for ago in range(habit.begins, habit.ends - 1, -1))
        bookings = (booking for day in days for booking in _day(number, habit, day, until))
        used.append([booking for booking in bookings if booking.at < _moment(until, NOON)])
    keys = [_key(number, habit, until, used[number]) for number, habit in enumerate(HABITS)]
    return Year(tuple(keys), tuple(booking for each in used for booking in each))


def add(database: Database, until: date) -> bool:
    """Put the year that ends on *until* into an account, all or nothing; False where the account has one already."""
    made = year(until)
    with database.write() as connection:
        if connection.find("keys", key_id=_key_id(0)):
            return False
        for key in made.keys:
            connection.add("keys", **key._asdict(), digest=secrets.token_bytes(32))
        spent: Counter[tuple[str, str, str]] = Counter()
        for each in made.bookings:
            connection.add("usage", **each._asdict())
            spent[each.at[:7], each.key_id, each.product] += each.units
        for (month, key_id, product), units in spent.items():
            connection.add("spent", month=month, key_id=key_id, product=product, units=units)
    return True


def _day(number: int, habit: Habit, day: date, until: date) -> Iterator[Booking]:
    """A day of one key: each product is used twice, at the key's hours."""
    dice = random.Random(SEED + 100 * day.toordinal() + number)
    # The last Tuesday that is at least 66 days ago: seen in 90 days, and too long ago to bend a forecast.
    odd_day = until - timedelta(days=ODD_DAYS_AGO)
    odd_day -= timedelta(days=(odd_day.weekday() - ODD_WEEKDAY) % 7)
    factor = ODD_FACTOR if habit.has_odd_day and day == odd_day else 1
    for use in habit.uses:
        is_used, noise = dice.random() * 100 < use.often, 0.8 + 0.4 * dice.random()
        units = factor * int(_usual(use, day) * noise) if is_used else 0
        first = int(units * (0.35 + 0.3 * dice.random()))
        for hour, part in zip(HOURS[habit.hours], (first, units - first), strict=True):
            tag = use.tags[int(dice.random() * len(use.tags))]
            if part:
                yield Booking(_moment(day, hour), _key_id(number), use.product, tag, part)


def _usual(use: Use, day: date) -> float:
    """What a day of this weekday and season sees when the product is used."""
    here, there = SEASONS[day.month - 1], SEASONS[day.month % 12]
    season = here + (there - here) * (day.day - 1) / 31
    return use.usual * WEEKS[use.week][day.weekday()] * season / 10_000


def _key(number: int, habit: Habit, until: date, used: list[Booking]) -> SampleKey:
    created = until - timedelta(days=habit.begins + habit.created)
    ended = until - timedelta(days=habit.ends)
    cap = None
    if habit.cap:
        month = f"{until:%Y-%m}"
        spent = sum(each.units for each in used if each.product != SPEECH and each.at.startswith(month))
        # The rest of the month by this habit: half of the last day, and the days after it.
        uses = [use for use in habit.uses if use.product != SPEECH]
        days = (until + timedelta(days=ahead) for ahead in range(1, 31))
        after = sum(_usual(use, day) for day in days if day.month == until.month for use in uses)
        cap = CAPS[habit.cap](spent, int(after + sum(_usual(use, until) for use in uses) / 2))
    return SampleKey(
        key_id=_key_id(number),
        masked=mask(uuid.uuid5(NAMES, f"secret of key {number}").hex),
        label=habit.label,
        creation_time=_moment(created, time(7, 5 + number, 31, 480_000)),
        deactivated_time=_moment(ended, time(17, 30, 12, 75_000)) if habit.is_deactivated else None,
        characters=cap,
        speech_to_text_milliseconds=habit.speech_cap,
    )


def _round_number(least: int, most: int) -> int:
    """The number between *least* and *most* that people would set.

    >>> _round_number(955_784, 1_085_999), _round_number(1_445, 1_500), _round_number(7, 7)
    (1000000, 1500, 7)
    """
    steps = (int(10**zeros) for zeros in range(len(str(most)), -1, -1))
    return next(number for step in steps if (number := -(-least // step) * step) <= most)


@functools.cache
def _key_id(number: int) -> str:
    return f"{uuid.uuid5(NAMES, f'account of key {number}')}:{uuid.uuid5(NAMES, f'key {number}')}"


def _moment(day: date, hour: time) -> str:
    return stamp(datetime.combine(day, hour, UTC))
