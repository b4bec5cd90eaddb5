"""The style rule lists of the account: rules, instructions, and a version that every change raises."""

from __future__ import annotations

import json
import sqlite3
import uuid
from collections.abc import Callable, Iterable
from datetime import datetime

from msgspec import Struct, convert
from msgspec.structs import replace

from .catalogue import style_rules as catalogue
from .database import Database, now, stamp
from .problems import bad_request, not_found

MAX_INSTRUCTIONS = 200
MAX_NAME = 1024
MAX_LABEL = 100
MAX_PROMPT = 300

ConfiguredRules = dict[str, dict[str, str]]


class Instruction(Struct, frozen=True, omit_defaults=True):
    """An instruction; its id is given when it is stored."""

    id: str
    label: str
    prompt: str
    source_language: str | None = None


class StyleRuleList(Struct, frozen=True):
    """One list, whole."""

    style_id: str
    name: str
    language: str
    creation_time: str
    updated_time: str
    version: int
    configured_rules: ConfiguredRules
    custom_instructions: tuple[Instruction, ...]


class StyleRules:
    """The style rule lists of an account."""

    def __init__(self, database: Database, *, clock: Callable[[], datetime] = now) -> None:
        self._database = database
        self._clock = clock

    def create(
        self, name: str, language: str, rules: ConfiguredRules, instructions: Iterable[Instruction]
    ) -> StyleRuleList:
        """Store a list."""
        _check_name(name)
        style_id, moment = str(uuid.uuid4()), stamp(self._clock())
        values = style_id, name, language, moment, moment, _checked(rules)
        with self._database.write() as connection:
            connection.execute("INSERT INTO style_rules VALUES (?, ?, ?, ?, ?, 1, ?)", values)
            for instruction in instructions:
                _insert(connection, style_id, instruction, language)
            return _list(connection, style_id)

    def page(self, number: int, size: int) -> list[StyleRuleList]:
        """*size* lists in the order of creation, so that a later one never moves an earlier page."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT style_id FROM style_rules ORDER BY rowid LIMIT ? OFFSET ?", (size, number * size)
            ).fetchall()
            return [_list(connection, row["style_id"]) for row in rows]

    def get(self, style_id: str) -> StyleRuleList:
        """One list, or 404."""
        with self._database.read() as connection:
            return _list(connection, style_id)

    def rename(self, style_id: str, name: str) -> StyleRuleList:
        """Give a list another name."""
        _check_name(name)
        return self._change(style_id, name=name)

    def replace_rules(self, style_id: str, rules: ConfiguredRules) -> StyleRuleList:
        """Make *rules* all the configured rules of a list."""
        return self._change(style_id, configured_rules=_checked(rules))

    def delete(self, style_id: str) -> None:
        """Take a list away with its instructions."""
        if not self._database.change("DELETE FROM style_rules WHERE style_id = ?", style_id):
            raise not_found("Style rule list not found.")

    def add_instruction(self, style_id: str, instruction: Instruction) -> Instruction:
        """Add an instruction at the end of a list."""
        with self._database.write() as connection:
            known = _list(connection, style_id)
            if len(known.custom_instructions) >= MAX_INSTRUCTIONS:
                raise bad_request(f"A style rule list has at most {MAX_INSTRUCTIONS} custom instructions.")
            self._raise_version(connection, style_id)
            return _insert(connection, style_id, instruction, known.language)

    def instruction(self, style_id: str, instruction_id: str) -> Instruction:
        """One instruction of a list, or 404."""
        return _find(self.get(style_id), instruction_id)

    def replace_instruction(self, style_id: str, instruction_id: str, changed: Instruction) -> Instruction:
        """Change what an instruction says; it keeps its id and place."""
        with self._database.write() as connection:
            known = _list(connection, style_id)
            _find(known, instruction_id)
            source_language = changed.source_language or known.language
            connection.execute(
                "UPDATE instructions SET label = ?, prompt = ?, source_language = ? WHERE id = ?",
                (changed.label, changed.prompt, source_language, instruction_id),
            )
            self._raise_version(connection, style_id)
            return replace(changed, id=instruction_id, source_language=source_language)

    def delete_instruction(self, style_id: str, instruction_id: str) -> None:
        """Take one instruction away."""
        with self._database.write() as connection:
            _find(_list(connection, style_id), instruction_id)
            connection.execute("DELETE FROM instructions WHERE id = ?", (instruction_id,))
            self._raise_version(connection, style_id)

    def _change(self, style_id: str, **columns: str) -> StyleRuleList:
        with self._database.write() as connection:
            _list(connection, style_id)
            self._raise_version(connection, style_id, **columns)
            return _list(connection, style_id)

    def _raise_version(self, connection: sqlite3.Connection, style_id: str, **columns: str) -> None:
        changes = {"updated_time": stamp(self._clock()), **columns}
        names = ", ".join(f"{name} = ?" for name in changes)
        connection.execute(
            f"UPDATE style_rules SET version = version + 1, {names} WHERE style_id = ?",  # noqa: S608
            (*changes.values(), style_id),
        )


def _check_name(name: str) -> None:
    if not name.strip() or len(name) > MAX_NAME:
        raise bad_request(
            "Missing or invalid argument: name", detail=f"A name has 1 to {MAX_NAME} characters."
        )


def _checked(rules: ConfiguredRules) -> str:
    """The rules as they are stored; 400 for one there is not in any language: the schema merges all."""
    try:
        catalogue.check(rules)
    except ValueError as error:
        raise bad_request("Value for 'configured_rules' not supported.", detail=str(error)) from None
    return json.dumps(rules, ensure_ascii=False, sort_keys=True)


def _insert(
    connection: sqlite3.Connection, style_id: str, instruction: Instruction, language: str
) -> Instruction:
    source_language = instruction.source_language or language
    made = replace(instruction, id=str(uuid.uuid4()), source_language=source_language)
    connection.execute(
        "INSERT INTO instructions (id, style_id, label, prompt, source_language) VALUES (?, ?, ?, ?, ?)",
        (made.id, style_id, made.label, made.prompt, made.source_language),
    )
    return made


def _list(connection: sqlite3.Connection, style_id: str) -> StyleRuleList:
    row = connection.execute("SELECT * FROM style_rules WHERE style_id = ?", (style_id,)).fetchone()
    if row is None:
        raise not_found("Style rule list not found.")
    instructions = connection.execute(
        "SELECT id, label, prompt, source_language FROM instructions WHERE style_id = ? ORDER BY rowid",
        (style_id,),
    )
    rules = json.loads(row["configured_rules"])
    columns = {**dict(row), "configured_rules": rules, "custom_instructions": list(map(dict, instructions))}
    return convert(columns, StyleRuleList)


def _find(known: StyleRuleList, instruction_id: str) -> Instruction:
    for instruction in known.custom_instructions:
        if instruction.id == instruction_id:
            return instruction
    raise not_found("Custom instruction not found.")
