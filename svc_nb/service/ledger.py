"""What was used, by whom and when, and what may still be used: `charge` looks and books in one transaction."""

from collections.abc import Callable
from datetime import datetime

from .database import Connection, Database, month, stamp
from .keys import Key
from .problems import Problem

TRANSLATION = "text_translation"
DOCUMENTS = "document_translation"
IMPROVEMENT = "text_improvement"
SPEECH = "speech_to_text"
CHARACTER_PRODUCTS = (TRANSLATION, DOCUMENTS, IMPROVEMENT)
UNLIMITED = 1_000_000_000_000
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
            self.book(connection, key.key_id, product, characters, tag=tag)

    def book(
        self,
        connection: Connection,
        key_id: str,
        product: str,
        units: int,
        *,
        moment: datetime | None = None,
        tag: str | None = None,
    ) -> None:
        """Book *units* in a transaction of the caller, now or at a *moment* of the past; caps are not asked."""
        moment = moment or self._now()
        connection.add("usage", at=stamp(moment), key_id=key_id, product=product, tag=tag, units=units)
        adding = "ON CONFLICT DO UPDATE SET units = units + excluded.units"
        connection.add("spent", adding, month=month(moment), key_id=key_id, product=product, units=units)

    def record(self, key_id: str, product: str, units: int, *, moment: datetime, tag: str | None = None) -> None:
        """Book use of the past without asking any cap: for samples and tests."""
        if product not in PRODUCTS:
            raise ValueError(f"there is no product {product!r}; there are {', '.join(PRODUCTS)}")
        with self._database.write() as connection:
            self.book(connection, key_id, product, units, moment=moment, tag=tag)

    def spent(self) -> dict[tuple[str, str], int]:
        """What was used this month, by key and product, as of one moment."""
        with self._database.read() as connection:
            rows = connection.execute("SELECT * FROM spent WHERE month = ?", (month(self._now()),))
            return {(row["key_id"], row["product"]): row["units"] for row in rows}

    def _refuse_overspending(self, connection: Connection, key: Key, characters: int, *, others: int = 0) -> None:
        row = connection.find("keys", key_id=key.key_id)
        cap = row["characters"] if row else 0
        by_key, by_all = connection.execute(
            "SELECT COALESCE(SUM(units) FILTER (WHERE key_id = ?), 0), COALESCE(SUM(units), 0) "
            "FROM spent WHERE month = ? AND product <> ?",
            (key.key_id, month(self._now()), SPEECH),
        ).fetchone()
        if cap is not None and (cap == 0 or by_key + characters > cap):
            raise Problem(456, detail="The usage limit of this key is reached.")
        if by_all + characters + others > self.quota:
            raise Problem(456, detail="The character quota of this account is reached.")
