"""The tables of the reference have every public name, option, status, reason, error, setting, check and command."""

import inspect

import pytest

import svc_nb
from svc_nb import settings
from svc_nb.accessor.column import ColumnTexts
from svc_nb.accessor.frame import FrameTexts, Tables
from svc_nb.cli.command import build_parser
from svc_nb.columns import nested, operations, protection, results
from svc_nb.columns.cleaning import KINDS
from svc_nb.columns.job import UNSENT_WORDS
from svc_nb.columns.options import TOLD, Fields
from svc_nb.documents import items
from svc_nb.engine import outcome, skip_rules
from svc_nb.magics.commands import COMMANDS
from tests.documentation import DOCS, tables


@pytest.fixture(scope="module")
def reference():
    return tables()


def shown(reference, name):
    """The first cells of a table, without the marks of code and links."""
    rows = [line.split(" | ")[0].strip("| ") for line in reference.TABLES[name]() if line.startswith("| ")]
    return {row.removeprefix("{py:obj}").strip("`").partition(" <")[0] for row in rows}


def test_every_table_stands_on_a_page(reference):
    pages = "".join(page.read_text("utf-8") for page in DOCS.rglob("*.md"))
    assert sorted(reference.PLACE.findall(pages)) == sorted(reference.TABLES)


def test_all_verbs_are_there(reference):
    found = shown(reference, "verbs")
    for kind in (ColumnTexts, FrameTexts, Tables):
        assert {name for name in vars(kind) if name[0] != "_"} <= found
    for name in svc_nb.__all__:
        thing = getattr(svc_nb, name)
        assert (set(getattr(thing, "__all__", ())) if inspect.ismodule(thing) else {name}) <= found


def test_all_options_are_there_and_described(reference):
    found = shown(reference, "options")
    assert set(Fields.__annotations__) <= found
    assert {name.strip() for names in TOLD for name in names.split(",")} <= found
    assert set(Fields.__annotations__) <= {*TOLD, *reference.SERVICE_OPTIONS}


def test_all_statuses_and_reasons_are_explained(reference):
    assert set(reference.STATUSES) == {outcome.DONE, outcome.MARKED, outcome.SKIPPED, outcome.FAILED, outcome.UNSENT}
    words = {
        *(skip_rules.RULES | set(UNSENT_WORDS)),
        *(results.MISSING.reason, protection.PROTECTED, protection.LOST, nested.NO_TEXT.kind, nested.BROKEN.kind),
        *(operations.MIN_CONFIDENCE, operations.GLOSSARY_LACKS_PAIR, operations.LANGUAGE_UNKNOWN),
    }
    assert set(reference.REASONS) == words
    for status, _ in reference.REASONS.values():
        assert set(status.split(", ")) <= set(reference.STATUSES)


def test_all_states_of_documents_are_explained(reference):
    words = {value for name, value in vars(items).items() if name.isupper() and isinstance(value, str)}
    assert set(reference.DOCUMENTS) == words - {items.PSEUDO, items.FETCHED, items.TO_FETCH}


def test_all_settings_are_there(reference):
    assert shown(reference, "settings") == {"setting", *settings.CHECKS}
    assert {*reference.VARIABLES, *settings.ENVIRONMENT} == set(settings.KNOWN_VARIABLES)


def test_all_commands_are_there_with_their_options(reference):
    text = "\n".join(reference.TABLES["commands"]())
    for command in reference.all_commands(build_parser()):
        if not command.commands:
            assert f"## {command.prog}\n" in text
            assert all(
                f"`{name}" in text for action in command._actions for name in action.option_strings if shows(action)
            )
    assert all(f"## %svc {name}\n" in "\n".join(reference.TABLES["magics"]()) for name in COMMANDS)


def shows(action):
    return action.help and action.help != "==SUPPRESS==" and action.dest != "help"


def test_the_page_about_cleaning_has_every_kind_with_its_default():
    rows = [line.strip("| ").split(" | ") for line in (DOCS / "how-to/clean.md").read_text("utf-8").splitlines()]
    told = {name.strip("`"): row[-1] for row in rows if len(row) == 3 for name in row[0].split(", ")}
    assert {name: told.get(name) for name in KINDS} == {
        name: "on" if kind.default else "off" for name, kind in KINDS.items()
    }


def test_a_page_without_a_table_stays_as_it_is(reference):
    assert reference.filled("# Title\n") == "# Title\n"
