"""Administration of developer keys: labels, caps, and the end of a key."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from ..keys import ADMIN, Key, new_secret
from ..operations import Call, Nothing, Operations

operations = Operations()

ROOT = "/v2/admin/developer-keys"
MOST = 2**63 - 1  # what the database can count

Cap = Annotated[int, Meta(ge=0, le=MOST)] | None
Label = Annotated[str, Meta(min_length=1, max_length=1024)]


class LabelBody(Struct):
    """A new key's name."""

    label: Label | None = None


class RenameBody(Struct):
    """A key and its new name."""

    key_id: str
    label: Label


class KeyBody(Struct):
    """A key."""

    key_id: str


class LimitsBody(Struct):
    """A key and its monthly caps: 0 blocks, null removes, and a cap left out stays as it is."""

    key_id: str
    characters: Cap | UnsetType = UNSET
    speech_to_text_milliseconds: Cap | UnsetType = UNSET


class UsageLimits(Struct):
    """A key's monthly caps; null is unlimited."""

    characters: int | None
    speech_to_text_milliseconds: int | None


class DeveloperKey(Struct, omit_defaults=False):
    """A developer key; `api_key` is its secret, told once, when the key is made."""

    key_id: str
    label: str
    creation_time: str
    deactivated_time: str | None
    is_deactivated: bool
    usage_limits: UsageLimits
    api_key: str | UnsetType = UNSET


@operations.add("GET", ROOT, scope=ADMIN, answer=list[DeveloperKey])
def index(call: Call[Nothing, Nothing]) -> list[DeveloperKey]:
    """List all developer keys, deactivated ones too."""
    return [_answer(key) for key in call.state.keys.all() if not key.is_admin]


@operations.add("POST", ROOT, scope=ADMIN, body=LabelBody, answer=DeveloperKey)
def create(call: Call[LabelBody, Nothing]) -> DeveloperKey:
    """Create a developer key."""
    secret = new_secret()
    answer = _answer(call.state.keys.add(secret, moment=call.state.clock(), label=call.body.label))
    answer.api_key = secret
    return answer


@operations.add("PUT", ROOT + "/deactivate", scope=ADMIN, body=KeyBody, answer=DeveloperKey)
def deactivate(call: Call[KeyBody, Nothing]) -> DeveloperKey:
    """Deactivate a key, at once and for good."""
    return _answer(call.state.keys.deactivate(call.body.key_id, call.state.clock()))


@operations.add("PUT", ROOT + "/label", scope=ADMIN, body=RenameBody, answer=DeveloperKey)
def rename(call: Call[RenameBody, Nothing]) -> DeveloperKey:
    """Rename a key."""
    return _answer(call.state.keys.change(call.body.key_id, {"label": call.body.label}))


@operations.add("PUT", ROOT + "/limits", scope=ADMIN, body=LimitsBody, answer=DeveloperKey)
def set_limits(call: Call[LimitsBody, Nothing]) -> DeveloperKey:
    """Set or remove the monthly caps of a key."""
    caps = {name: getattr(call.body, name) for name in ("characters", "speech_to_text_milliseconds")}
    changes = {name: cap for name, cap in caps.items() if cap is not UNSET}
    return _answer(call.state.keys.change(call.body.key_id, changes))


def _answer(key: Key) -> DeveloperKey:
    return DeveloperKey(
        key_id=key.key_id,
        label=key.label,
        creation_time=key.creation_time,
        deactivated_time=key.deactivated_time,
        is_deactivated=key.deactivated_time is not None,
        usage_limits=UsageLimits(key.characters, key.speech_to_text_milliseconds),
    )
