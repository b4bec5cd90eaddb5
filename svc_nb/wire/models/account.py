"""What the account has used and may use."""

from dataclasses import dataclass
from datetime import datetime

from svc_nb.wire.models.noun import Noun, settle_times


@dataclass(frozen=True, slots=True)
class ProductUsage(Noun):
    """The use of one product in the current period."""

    product_type: str
    billing_unit: str | None = None
    api_key_unit_count: int | None = None
    account_unit_count: int | None = None
    api_key_character_count: int | None = None
    character_count: int | None = None


@dataclass(frozen=True, slots=True)
class Usage(Noun):
    """The use in the current period; what the plan does not tell is None."""

    character_count: int
    character_limit: int
    document_count: int | None = None
    document_limit: int | None = None
    team_document_count: int | None = None
    team_document_limit: int | None = None
    products: tuple[ProductUsage, ...] | None = None
    api_key_character_count: int | None = None
    api_key_character_limit: int | None = None
    speech_to_text_minutes_count: int | None = None
    speech_to_text_minutes_limit: int | None = None
    speech_to_speech_minutes_count: int | None = None
    speech_to_speech_minutes_limit: int | None = None
    speech_to_text_milliseconds_count: int | None = None
    speech_to_text_milliseconds_limit: int | None = None
    start_time: datetime | None = None
    end_time: datetime | None = None

    def __post_init__(self) -> None:
        settle_times(self, "start_time", "end_time")
