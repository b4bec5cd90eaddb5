"""The style rule operations."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct, convert

from ..catalogue import languages
from ..operations import Call, Nothing, Operations
from ..problems import bad_request
from ..style_rules import MAX_INSTRUCTIONS, MAX_LABEL, MAX_PROMPT, ConfiguredRules, Instruction, StyleRuleList

operations = Operations()
READ, WRITE = "style_rules:read", "style_rules:write"
ROOT = "/v3/style_rules"
ONE = ROOT + "/{style_id}"
INSTRUCTIONS = ONE + "/custom_instructions"
INSTRUCTION = INSTRUCTIONS + "/{instruction_id}"


class InstructionBody(Struct):
    """An instruction as it is sent."""

    label: Annotated[str, Meta(min_length=1, max_length=MAX_LABEL)]
    prompt: Annotated[str, Meta(min_length=1, max_length=MAX_PROMPT)]
    source_language: str | None = None


class ListBody(Struct):
    """A new list."""

    name: str
    language: str
    configured_rules: ConfiguredRules = {}
    custom_instructions: Annotated[list[InstructionBody], Meta(max_length=MAX_INSTRUCTIONS)] = []


class NameBody(Struct):
    """A new name."""

    name: str


class RulesBody(Struct, forbid_unknown_fields=True):
    """The bare configured rules: one member for each category."""

    dates_and_times: dict[str, str] = {}
    formatting: dict[str, str] = {}
    numbers: dict[str, str] = {}
    punctuation: dict[str, str] = {}
    spelling_and_grammar: dict[str, str] = {}
    style_and_tone: dict[str, str] = {}
    vocabulary: dict[str, str] = {}


class PageQuery(Struct):
    """Which page of the lists."""

    page: Annotated[int, Meta(ge=0, le=2**31)] = 0
    page_size: Annotated[int, Meta(ge=1, le=25)] = 10
    detailed: bool = False


class ListAnswer(Struct, omit_defaults=True):
    """A list; its rules and instructions are there when details were asked for."""

    style_id: str
    name: str
    creation_time: str
    updated_time: str
    language: Literal["de", "en", "es", "fr", "it", "ja", "ko", "zh"]
    version: int
    configured_rules: ConfiguredRules | None = None
    custom_instructions: list[Instruction] | None = None


class ListsAnswer(Struct):
    """A page of lists."""

    style_rules: list[ListAnswer]


@operations.add("GET", ROOT, scope=READ)
def index(call: Call[Nothing, PageQuery]) -> ListsAnswer:
    """List the style rule lists, page by page."""
    lists = call.state.style_rules.page(call.query.page, call.query.page_size)
    return ListsAnswer([_answer(each, detailed=call.query.detailed) for each in lists])


@operations.add("POST", ROOT, scope=WRITE, status=201)
def create(call: Call[ListBody, Nothing]) -> ListAnswer:
    """Create a list with its rules and instructions."""
    body = call.body
    language = languages.normalise(body.language)
    if language not in languages.STYLE_LANGUAGES:
        raise bad_request(
            "Value for 'language' not supported.", detail=f"No style rules for '{body.language}'."
        )
    made = call.state.style_rules.create(
        body.name,
        language,
        body.configured_rules,
        [_instruction(each) for each in body.custom_instructions],
    )
    return _answer(made)


@operations.add("GET", ONE, scope=READ)
def show(call: Call[Nothing, Nothing]) -> ListAnswer:
    """Show one list, whole."""
    return _answer(call.state.style_rules.get(call.path["style_id"]))


@operations.add("PATCH", ONE, scope=WRITE)
def rename(call: Call[NameBody, Nothing]) -> ListAnswer:
    """Rename a list."""
    return _answer(call.state.style_rules.rename(call.path["style_id"], call.body.name))


@operations.add("DELETE", ONE, scope=WRITE, status=204)
def delete(call: Call[Nothing, Nothing]) -> None:
    """Delete a list with its rules and instructions."""
    call.state.style_rules.delete(call.path["style_id"])


@operations.add("PUT", ONE + "/configured_rules", scope=WRITE)
def replace_rules(call: Call[RulesBody, Nothing]) -> ListAnswer:
    """Replace all configured rules of a list."""
    rules = {category: getattr(call.body, category) for category in RulesBody.__struct_fields__}
    chosen = {category: members for category, members in rules.items() if members}
    return _answer(call.state.style_rules.replace_rules(call.path["style_id"], chosen))


@operations.add("POST", INSTRUCTIONS, scope=WRITE, status=201)
def add_instruction(call: Call[InstructionBody, Nothing]) -> Instruction:
    """Add an instruction to a list."""
    return call.state.style_rules.add_instruction(call.path["style_id"], _instruction(call.body))


@operations.add("GET", INSTRUCTION, scope=READ)
def instruction(call: Call[Nothing, Nothing]) -> Instruction:
    """Show one instruction."""
    return call.state.style_rules.instruction(call.path["style_id"], call.path["instruction_id"])


@operations.add("PUT", INSTRUCTION, scope=WRITE)
def replace_instruction(call: Call[InstructionBody, Nothing]) -> Instruction:
    """Replace one instruction."""
    return call.state.style_rules.replace_instruction(
        call.path["style_id"], call.path["instruction_id"], _instruction(call.body)
    )


@operations.add("DELETE", INSTRUCTION, scope=WRITE, status=204)
def delete_instruction(call: Call[Nothing, Nothing]) -> None:
    """Delete one instruction."""
    call.state.style_rules.delete_instruction(call.path["style_id"], call.path["instruction_id"])


def _instruction(body: InstructionBody) -> Instruction:
    source = None if body.source_language is None else languages.normalise(body.source_language)
    if source is not None and source not in languages.SOURCES:
        raise bad_request("Value for 'source_language' not supported.")
    return Instruction("", body.label, body.prompt, source)


def _answer(known: StyleRuleList, *, detailed: bool = True) -> ListAnswer:
    answer = convert(known, ListAnswer, from_attributes=True)
    if not detailed:
        answer.configured_rules = answer.custom_instructions = None
    return answer
