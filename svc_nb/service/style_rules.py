"""The style rule lists of the account: rules, instructions, and a version that every change raises."""

from __future__ import annotations

import json
import sqlite3
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from .catalogue import style_rules as catalogue
from .clock import stamp
from .database import Database
from .problems import bad_request, not_found

MAX_INSTRUCTIONS = 200
MAX_NAME = 1024
MAX_LABEL = 100
MAX_PROMPT = 300

ConfiguredRules = dict[str, dict[str, str]]


@dataclass(frozen=True, slots=True)
class Instruction:
    """A custom instruction; its id is given by the shelf."""

    label: str
    prompt: str
    source_language: str | None = None
    id: str = ""


@dataclass(frozen=True, slots=True)
class StyleRuleList:
    """One list, whole."""

    style_id: str
    name: str
    language: str
    creation_time: str
    updated_time: str
    version: int
    configured_rules: ConfiguredRules
    instructions: tuple[Instruction, ...]


class StyleRules:
    """The shelf of style rule lists."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(
        self,
        name: str,
        language: str,
        rules: ConfiguredRules,
        instructions: Iterable[Instruction],
        moment: datetime,
    ) -> StyleRuleList:
        """Put a list on the shelf."""
        check_name(name)
        check_rules(rules)
        style_id, at = str(uuid.uuid4()), stamp(moment)
        with self._database.write() as connection:
            connection.execute(
                "INSERT INTO style_rules VALUES (?, ?, ?, ?, ?, 1, ?)",
                (style_id, name, language, at, at, _dump(rules)),
            )
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

    def rename(self, style_id: str, name: str, moment: datetime) -> StyleRuleList:
        """Give a list another name."""
        check_name(name)
        return self._change(style_id, "name", name, moment)

    def replace_rules(self, style_id: str, rules: ConfiguredRules, moment: datetime) -> StyleRuleList:
        """Make *rules* all the configured rules of a list."""
        check_rules(rules)
        return self._change(style_id, "configured_rules", _dump(rules), moment)

    def delete(self, style_id: str) -> None:
        """Take a list away with its instructions."""
        with self._database.write() as connection:
            _list(connection, style_id)
            connection.execute("DELETE FROM style_rules WHERE style_id = ?", (style_id,))

    def add_instruction(self, style_id: str, instruction: Instruction, moment: datetime) -> Instruction:
        """Add an instruction at the end of a list."""
        with self._database.write() as connection:
            known = _list(connection, style_id)
            if len(known.instructions) >= MAX_INSTRUCTIONS:
                raise bad_request(f"A style rule list has at most {MAX_INSTRUCTIONS} custom instructions.")
            made = _insert(connection, style_id, instruction, known.language)
            _touch(connection, style_id, moment)
            return made

    def instruction(self, style_id: str, instruction_id: str) -> Instruction:
        """One instruction of a list, or 404."""
        return _find(self.get(style_id), instruction_id)

    def replace_instruction(
        self, style_id: str, instruction_id: str, changed: Instruction, moment: datetime
    ) -> Instruction:
        """Change what an instruction says; it keeps its id and place."""
        with self._database.write() as connection:
            known = _list(connection, style_id)
            _find(known, instruction_id)
            connection.execute(
                "UPDATE instructions SET label = ?, prompt = ?, source_language = ? WHERE id = ?",
                (changed.label, changed.prompt, changed.source_language or known.language, instruction_id),
            )
            _touch(connection, style_id, moment)
            return _find(_list(connection, style_id), instruction_id)

    def delete_instruction(self, style_id: str, instruction_id: str, moment: datetime) -> None:
        """Take one instruction away."""
        with self._database.write() as connection:
            _find(_list(connection, style_id), instruction_id)
            connection.execute("DELETE FROM instructions WHERE id = ?", (instruction_id,))
            _touch(connection, style_id, moment)

    def _change(self, style_id: str, column: str, value: str, moment: datetime) -> StyleRuleList:
        with self._database.write() as connection:
            _list(connection, style_id)
            connection.execute(f"UPDATE style_rules SET {column} = ? WHERE style_id = ?", (value, style_id))  # noqa: S608
            _touch(connection, style_id, moment)
            return _list(connection, style_id)


def check_name(name: str) -> None:
    """Raise 400 for a name the contract does not allow."""
    if not name.strip() or len(name) > MAX_NAME:
        raise bad_request(
            "Missing or invalid argument: name", detail=f"A name has 1 to {MAX_NAME} characters."
        )


def check_rules(rules: ConfiguredRules) -> None:
    """Raise 400 for a rule or option there is not; which language offers it is no matter: the schema merges all."""
    try:
        catalogue.check(rules)
    except ValueError as error:
        raise bad_request("Value for 'configured_rules' not supported.", detail=str(error)) from None


def _dump(rules: ConfiguredRules) -> str:
    return json.dumps(rules, ensure_ascii=False, sort_keys=True)


def _insert(
    connection: sqlite3.Connection, style_id: str, instruction: Instruction, language: str
) -> Instruction:
    made = Instruction(
        instruction.label, instruction.prompt, instruction.source_language or language, str(uuid.uuid4())
    )
    connection.execute(
        "INSERT INTO instructions (id, style_id, label, prompt, source_language) VALUES (?, ?, ?, ?, ?)",
        (made.id, style_id, made.label, made.prompt, made.source_language),
    )
    return made


def _touch(connection: sqlite3.Connection, style_id: str, moment: datetime) -> None:
    connection.execute(
        "UPDATE style_rules SET version = version + 1, updated_time = ? WHERE style_id = ?",
        (stamp(moment), style_id),
    )


def _list(connection: sqlite3.Connection, style_id: str) -> StyleRuleList:
    row = connection.execute("SELECT * FROM style_rules WHERE style_id = ?", (style_id,)).fetchone()
    if row is None:
        raise not_found("Style rule list not found.")
    instructions = connection.execute(
        "SELECT label, prompt, source_language, id FROM instructions WHERE style_id = ? ORDER BY rowid",
        (style_id,),
    )
    fields: dict[str, Any] = {name: row[name] for name in row.keys() if name != "configured_rules"}  # noqa: SIM118
    return StyleRuleList(
        **fields,
        configured_rules=json.loads(row["configured_rules"]),
        instructions=tuple(Instruction(*each) for each in instructions),
    )


def _find(known: StyleRuleList, instruction_id: str) -> Instruction:
    for instruction in known.instructions:
        if instruction.id == instruction_id:
            return instruction
    raise not_found("Custom instruction not found.")
