from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from svc_nb.service.database import Database
from svc_nb.service.keys import Keys
from svc_nb.service.ledger import IMPROVEMENT, SPEECH, TRANSLATION, Ledger
from svc_nb.service.problems import Problem

NOVEMBER = datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC)
DECEMBER = datetime(2026, 12, 1, 0, 0, 0, tzinfo=UTC)


class Book:
    """A ledger, a key, and a clock that can be set."""

    def __init__(self, quota=1000):
        self.moment = NOVEMBER
        self.database = Database()
        self.keys = Keys(self.database)
        self.key = self.keys.add("secret", moment=NOVEMBER)
        self.ledger = Ledger(self.database, quota=quota, now=lambda: self.moment)

    def characters(self):
        return sum(units for (_, product), units in self.ledger.spent().items() if product != SPEECH)

    def cap(self, characters):
        self.key = self.keys.change(self.key.key_id, {"characters": characters})


@pytest.fixture
def book():
    made = Book()
    yield made
    made.database.close()


def refused(book, characters):
    with pytest.raises(Problem) as caught:
        book.ledger.charge(book.key, TRANSLATION, characters)
    return caught.value.status


def test_the_quota_can_be_spent_to_the_last_character(book):
    book.ledger.charge(book.key, TRANSLATION, 999)
    assert refused(book, 2) == 456
    book.ledger.charge(book.key, IMPROVEMENT, 1)
    assert book.characters() == 1000


def test_a_cap_of_zero_blocks_even_an_empty_request(book):
    book.cap(0)
    with pytest.raises(Problem) as caught:
        book.ledger.check(book.key, 0)
    assert caught.value.status == 456


def test_a_cap_counts_all_character_products_and_can_be_removed(book):
    book.cap(10)
    book.ledger.charge(book.key, TRANSLATION, 6)
    book.ledger.charge(book.key, IMPROVEMENT, 4)
    assert refused(book, 1) == 456
    book.cap(None)
    book.ledger.charge(book.key, TRANSLATION, 1)
    assert book.ledger.spent() == {(book.key.key_id, TRANSLATION): 7, (book.key.key_id, IMPROVEMENT): 4}


def test_speech_is_no_character(book):
    book.ledger.record(book.key.key_id, SPEECH, 90_000, moment=NOVEMBER)
    assert book.characters() == 0
    assert book.ledger.spent() == {(book.key.key_id, SPEECH): 90_000}


def test_a_new_month_begins_with_nothing_spent(book):
    book.ledger.charge(book.key, TRANSLATION, 1000)
    assert refused(book, 1) == 456
    book.moment = DECEMBER
    book.ledger.charge(book.key, TRANSLATION, 1)
    assert book.characters() == 1


def test_requests_side_by_side_never_pass_the_cap(book):
    book.cap(100)

    def spend(_):
        try:
            book.ledger.charge(book.key, TRANSLATION, 7)
        except Problem:
            return 0
        return 7

    with ThreadPoolExecutor(8) as pool:
        spent = sum(pool.map(spend, range(50)))
    assert spent == book.characters() == 98


def test_a_product_there_is_not_cannot_be_recorded(book):
    with pytest.raises(ValueError, match="no product 'tea'"):
        book.ledger.record(book.key.key_id, "tea", 1, moment=NOVEMBER)
