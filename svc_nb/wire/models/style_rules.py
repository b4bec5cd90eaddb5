"""Style rule lists and the custom instructions in them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from svc_nb.wire.models.base import Noun, Timed


@dataclass(frozen=True, slots=True)
class CustomInstruction(Noun):
    """One instruction in plain words; `id` is None until the service has stored it."""

    label: str
    prompt: str
    source_language: str | None = None
    id: str | None = None


@dataclass(frozen=True, slots=True)
class StyleRuleList(Timed):
    """A named set of style rules for one language; `version` grows with every change.

    `configured_rules` maps category to rule to option. It and `custom_instructions` are None where a listing
    left them out, which is not the same as empty.
    """

    style_id: str
    name: str
    creation_time: datetime
    updated_time: datetime
    language: str
    version: int
    configured_rules: Mapping[str, Mapping[str, str]] | None = None
    custom_instructions: tuple[CustomInstruction, ...] | None = None
