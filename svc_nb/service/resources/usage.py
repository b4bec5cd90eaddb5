"""What the account and the calling key have used this month."""

from collections import Counter
from collections.abc import Mapping
from datetime import UTC

from msgspec import Struct

from ..database import stamp
from ..ledger import CHARACTER_PRODUCTS, DOCUMENTS, IMPROVEMENT, SPEECH, TRANSLATION, UNLIMITED
from ..operations import Call, Nothing, Operations

operations = Operations()


class ProductUsage(Struct):
    """Use of one product, by this key and by the account."""

    product_type: str
    billing_unit: str
    api_key_unit_count: int
    account_unit_count: int
    api_key_character_count: int
    character_count: int


class UsageAnswer(Struct, omit_defaults=True):
    """The account's usage in the current month; a free account is told the first two only."""

    character_count: int
    character_limit: int
    products: list[ProductUsage] | None = None
    api_key_character_count: int | None = None
    api_key_character_limit: int | None = None
    speech_to_text_minutes_count: int | None = None
    speech_to_text_minutes_limit: int | None = None
    speech_to_text_milliseconds_count: int | None = None
    speech_to_text_milliseconds_limit: int | None = None
    start_time: str | None = None
    end_time: str | None = None


@operations.add("GET", "/v2/usage", scope="usage:read")
def usage(call: Call[Nothing, Nothing]) -> UsageAnswer:
    """Show what was used this month, and the limits."""
    key, quota = call.key, call.state.ledger.quota
    spent = call.state.ledger.spent()
    own = {product: units for (key_id, product), units in spent.items() if key_id == key.key_id}
    total = Counter[str]()
    for (_, product), units in spent.items():
        total[product] += units
    if call.state.account.free:
        return UsageAnswer(_characters(total), quota)
    start = call.state.clock().astimezone(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    end = start.replace(year=start.year + start.month // 12, month=start.month % 12 + 1)
    return UsageAnswer(
        character_count=_characters(total),
        character_limit=quota,
        products=[
            _product("translate", "characters", (TRANSLATION, DOCUMENTS), own, total),
            _product("write", "characters", (IMPROVEMENT,), own, total),
            _product("speechToText", "minutes", (SPEECH,), own, total),
        ],
        api_key_character_count=_characters(own),
        api_key_character_limit=quota if key.characters is None else key.characters,
        speech_to_text_minutes_count=minutes(total[SPEECH]),
        speech_to_text_minutes_limit=minutes(UNLIMITED),
        speech_to_text_milliseconds_count=0,
        speech_to_text_milliseconds_limit=0,
        start_time=stamp(start),
        end_time=stamp(end),
    )


def minutes(milliseconds: int) -> int:
    """Whole minutes, rounded up."""
    return -(-milliseconds // 60_000)


def _characters(units: Mapping[str, int]) -> int:
    return sum(units.get(product, 0) for product in CHARACTER_PRODUCTS)


def _product(
    name: str, unit: str, products: tuple[str, ...], own: Mapping[str, int], total: Mapping[str, int]
) -> ProductUsage:
    by_key, by_all = (sum(units.get(product, 0) for product in products) for units in (own, total))
    if unit == "minutes":
        return ProductUsage(name, unit, minutes(by_key), minutes(by_all), 0, 0)
    return ProductUsage(name, unit, by_key, by_all, by_key, by_all)
