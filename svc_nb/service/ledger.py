"""What was used, by whom and when, and what may still be used.

`check` looks before the work is done; `charge` looks again and books in the same transaction, so that requests
which run side by side can never spend more than a cap allows.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import datetime

from .clock import month, stamp
from .database import Database
from .keys import Key
from .problems import Problem

TRANSLATION = "text_translation"
DOCUMENTS = "document_translation"
IMPROVEMENT = "text_improvement"
SPEECH = "speech_to_text"
CHARACTER_PRODUCTS = (TRANSLATION, DOCUMENTS, IMPROVEMENT)
PRODUCTS = (*CHARACTER_PRODUCTS, SPEECH)


class Ledger:
    """The account book; *quota* is what the whole account may use in a month, in characters."""

    def __init__(self, database: Database, *, quota: int, now: Callable[[], datetime]) -> None:
        self._database = database
        self._now = now
        self.quota = quota

    def check(self, key: Key, characters: int, *, others: int = 0) -> None:
        """Raise 456 when *characters* more would pass the key's cap, or with those of *others* the account's quota."""
        with self._database.read() as connection:
            self._refuse_overspending(connection, key, characters, others=others)

    def charge(self, key: Key, product: str, characters: int, *, tag: str | None = None) -> None:
        """Book *characters*, or raise 456 and book nothing."""
        if not characters:
            return
        with self._database.write() as connection:
            self._refuse_overspending(connection, key, characters)
            _book(connection, self._now(), key.key_id, product, characters, tag)

    def book(
        self,
        connection: sqlite3.Connection,
        key: Key,
        product: str,
        characters: int,
        *,
        tag: str | None = None,
    ) -> None:
        """Book *characters* in a transaction of the caller, for work that `check` allowed and that is handed out."""
        if characters:
            _book(connection, self._now(), key.key_id, product, characters, tag)

    def record(
        self, key_id: str, product: str, units: int, *, moment: datetime, tag: str | None = None
    ) -> None:
        """Book use of the past without asking any cap: for samples and tests."""
        if product not in PRODUCTS:
            raise ValueError(f"there is no product {product!r}; there are {', '.join(PRODUCTS)}")
        with self._database.write() as connection:
            _book(connection, moment, key_id, product, units, tag)

    def spent(self) -> dict[tuple[str, str], int]:
        """What was used this month, by key and product, as of one moment."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT key_id, product, units FROM spent WHERE month = ?", (month(self._now()),)
            )
            return {(row["key_id"], row["product"]): row["units"] for row in rows}

    def _refuse_overspending(
        self, connection: sqlite3.Connection, key: Key, characters: int, *, others: int = 0
    ) -> None:
        row = connection.execute("SELECT characters FROM keys WHERE key_id = ?", (key.key_id,)).fetchone()
        cap = row["characters"] if row else 0
        period = month(self._now())
        if cap is not None and (cap == 0 or _spent(connection, period, key_id=key.key_id) + characters > cap):
            raise Problem(456, detail="The usage limit of this key is reached.")
        if _spent(connection, period) + characters + others > self.quota:
            raise Problem(456, detail="The character quota of this account is reached.")


def _spent(connection: sqlite3.Connection, period: str, *, key_id: str | None = None) -> int:
    """Characters used in a month, by one key or by all."""
    question = "SELECT COALESCE(SUM(units), 0) FROM spent WHERE month = ? AND product <> ?"
    values = [period, SPEECH]
    if key_id is not None:
        question += " AND key_id = ?"
        values.append(key_id)
    return int(connection.execute(question, values).fetchone()[0])


def _book(
    connection: sqlite3.Connection, moment: datetime, key_id: str, product: str, units: int, tag: str | None
) -> None:
    connection.execute(
        "INSERT INTO usage (at, key_id, product, tag, units) VALUES (?, ?, ?, ?, ?)",
        (stamp(moment), key_id, product, tag, units),
    )
    connection.execute(
        "INSERT INTO spent (month, key_id, product, units) VALUES (?, ?, ?, ?) "
        "ON CONFLICT DO UPDATE SET units = units + excluded.units",
        (month(moment), key_id, product, units),
    )
