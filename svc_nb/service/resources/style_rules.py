"""Style rule lists: rules and instructions, with a version that every change raises, and what one may hold."""

import json
import uuid
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, convert, structs
from msgspec.structs import replace

from ..catalogue import languages
from ..database import Connection, stamp
from ..operations import Call, Nothing, Operations
from ..problems import bad_request, not_found, unsupported
from ..style_rules import ConfiguredRules, Instruction, StyleRuleList, check, find, stored

operations = Operations()
READ, WRITE = "style_rules:read", "style_rules:write"
ROOT = "/v3/style_rules"
ONE = ROOT + "/{style_id}"
INSTRUCTIONS = ONE + "/custom_instructions"
INSTRUCTION = INSTRUCTIONS + "/{instruction_id}"

MAX_INSTRUCTIONS = 200
MAX_NAME = 1024
MAX_LABEL = 100
MAX_PROMPT = 300


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
    query = call.query
    with call.state.database.read() as connection:
        # In the order of creation, so that a later one never moves an earlier page.
        rows = connection.rows("style_rules", limit=(query.page_size, query.page * query.page_size))
        lists = [stored(connection, row["style_id"]) for row in rows]
    return ListsAnswer([_answer(each, detailed=query.detailed) for each in lists])


@operations.add("POST", ROOT, scope=WRITE, status=201)
def create(call: Call[ListBody, Nothing]) -> ListAnswer:
    """Create a list with its rules and instructions."""
    body = call.body
    language = languages.normalise(body.language)
    if language not in languages.STYLE_LANGUAGES:
        raise unsupported("language", f"No style rules for '{body.language}'.")
    instructions = [_instruction(each) for each in body.custom_instructions]
    _check_name(body.name)
    style_id, moment = str(uuid.uuid4()), stamp(call.state.clock())
    columns = {"name": body.name, "language": language, "configured_rules": _checked(body.configured_rules)}
    with call.state.database.write() as connection:
        times = {"creation_time": moment, "updated_time": moment}
        connection.add("style_rules", style_id=style_id, version=1, **columns, **times)
        for each in instructions:
            _insert(connection, style_id, each, language)
        return _answer(stored(connection, style_id))


@operations.add("GET", ONE, scope=READ)
def show(call: Call[Nothing, Nothing]) -> ListAnswer:
    """Show one list, whole."""
    return _answer(find(call.state.database, call.path["style_id"]))


@operations.add("PATCH", ONE, scope=WRITE)
def rename(call: Call[NameBody, Nothing]) -> ListAnswer:
    """Rename a list."""
    _check_name(call.body.name)
    return _changed(call, name=call.body.name)


@operations.add("DELETE", ONE, scope=WRITE, status=204)
def delete(call: Call[Nothing, Nothing]) -> None:
    """Delete a list with its rules and instructions."""
    with call.state.database.write() as connection:
        if not connection.remove("style_rules", style_id=call.path["style_id"]):
            raise not_found("Style rule list not found.")


@operations.add("PUT", ONE + "/configured_rules", scope=WRITE)
def replace_rules(call: Call[RulesBody, Nothing]) -> ListAnswer:
    """Replace all configured rules of a list."""
    rules = {category: getattr(call.body, category) for category in RulesBody.__struct_fields__}
    chosen = {category: members for category, members in rules.items() if members}
    return _changed(call, configured_rules=_checked(chosen))


@operations.add("POST", INSTRUCTIONS, scope=WRITE, status=201)
def add_instruction(call: Call[InstructionBody, Nothing]) -> Instruction:
    """Add an instruction to a list."""
    new = _instruction(call.body)
    with call.state.database.write() as connection:
        known = stored(connection, call.path["style_id"])
        if len(known.custom_instructions) >= MAX_INSTRUCTIONS:
            raise bad_request(f"A style rule list has at most {MAX_INSTRUCTIONS} custom instructions.")
        _raise_version(call, connection)
        return _insert(connection, known.style_id, new, known.language)


@operations.add("GET", INSTRUCTION, scope=READ)
def instruction(call: Call[Nothing, Nothing]) -> Instruction:
    """Show one instruction."""
    return _known(find(call.state.database, call.path["style_id"]), call.path["instruction_id"])


@operations.add("PUT", INSTRUCTION, scope=WRITE)
def replace_instruction(call: Call[InstructionBody, Nothing]) -> Instruction:
    """Replace one instruction."""
    changed, instruction_id = _instruction(call.body), call.path["instruction_id"]
    with call.state.database.write() as connection:
        holder = stored(connection, call.path["style_id"])
        _known(holder, instruction_id)
        source_language = changed.source_language or holder.language
        changed = replace(changed, id=instruction_id, source_language=source_language)
        connection.change("instructions", {"id": instruction_id}, **structs.asdict(changed))
        _raise_version(call, connection)
    return changed


@operations.add("DELETE", INSTRUCTION, scope=WRITE, status=204)
def delete_instruction(call: Call[Nothing, Nothing]) -> None:
    """Delete one instruction."""
    instruction_id = call.path["instruction_id"]
    with call.state.database.write() as connection:
        _known(stored(connection, call.path["style_id"]), instruction_id)
        connection.remove("instructions", id=instruction_id)
        _raise_version(call, connection)


def _changed(call: Call[Any, Nothing], **columns: str) -> ListAnswer:
    """Set some columns of the list that is called, or 404."""
    with call.state.database.write() as connection:
        stored(connection, call.path["style_id"])
        _raise_version(call, connection, **columns)
        return _answer(stored(connection, call.path["style_id"]))


def _raise_version(call: Call[Any, Nothing], connection: Connection, **columns: str) -> None:
    style_id = call.path["style_id"]
    connection.change("style_rules", {"style_id": style_id}, updated_time=stamp(call.state.clock()), **columns)
    connection.execute("UPDATE style_rules SET version = version + 1 WHERE style_id = ?", (style_id,))


def _check_name(name: str) -> None:
    if not name.strip() or len(name) > MAX_NAME:
        raise bad_request("Missing or invalid argument: name", detail=f"A name has 1 to {MAX_NAME} characters.")


def _checked(rules: ConfiguredRules) -> str:
    """The rules as they are stored; 400 for one there is not in any language: the schema merges all."""
    try:
        check(rules)
    except ValueError as error:
        raise unsupported("configured_rules", str(error)) from None
    return json.dumps(rules, ensure_ascii=False, sort_keys=True)


def _instruction(body: InstructionBody) -> Instruction:
    source = None if body.source_language is None else languages.normalise(body.source_language)
    if source is not None and source not in languages.SOURCES:
        raise unsupported("source_language")
    return Instruction("", body.label, body.prompt, source)


def _insert(connection: Connection, style_id: str, new: Instruction, language: str) -> Instruction:
    made = replace(new, id=str(uuid.uuid4()), source_language=new.source_language or language)
    connection.add("instructions", style_id=style_id, **structs.asdict(made))
    return made


def _known(holder: StyleRuleList, instruction_id: str) -> Instruction:
    for each in holder.custom_instructions:
        if each.id == instruction_id:
            return each
    raise not_found("Custom instruction not found.")


def _answer(known: StyleRuleList, *, detailed: bool = True) -> ListAnswer:
    answer = convert(known, ListAnswer, from_attributes=True)
    if not detailed:
        answer.configured_rules = answer.custom_instructions = None
    return answer
