"""We send nothing that the service refuses, and refuse nothing that it takes: generated tables, over real HTTP."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings

from svc_nb import service
from svc_nb.checks.service_terms import to_dictionaries
from svc_nb.errors import BadRequest, InvalidRows, Unsendable
from svc_nb.glossaries.dictionaries import from_dictionaries, located, to_entries
from svc_nb.glossaries.lint import lint
from svc_nb.session import Session
from svc_nb.tabular.terms import COLUMNS, made
from svc_nb.wire.models import Dictionary
from tests.glossaries.drawn import tables, valid_tables

PAIRS = [("de", "en"), ("DE", "EN-GB"), ("en", "de"), ("xx", "en"), ("de", "de")]
slow = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def shelf():
    with service.start(memory=True) as running:
        session = Session.embedded(running)
        yield session.client.glossaries
        session.close()


def plainly(table: pd.DataFrame) -> list[Dictionary]:
    """What a person would send who checks nothing."""
    grouped = table.groupby(["source_lang", "target_lang"], sort=False)
    return [
        Dictionary(*pair, "\n".join(f"{row.source}\t{row.target}" for row in rows.itertuples()))
        for pair, rows in grouped
    ]


def taken(shelf, dictionaries: list[Dictionary]) -> bool:
    try:
        made_there = shelf.create("Proof", dictionaries)
    except (BadRequest, Unsendable):
        return False
    shelf.delete(made_there.glossary_id)
    return True


@slow
@given(table=tables(pairs=PAIRS[:1]))
def test_the_service_takes_exactly_what_we_would_send(shelf, table):
    if table.empty:
        return
    errors = set(lint(table).query("severity == 'error'")["code"])
    tabbed = table["source"].str.contains("[\t\n]").any() or table["target"].str.contains("[\t\n]").any()
    # Sent without a check, a tab or a newline in a term makes other entries of it, which may be right by accident.
    if not tabbed and not ({"empty"} == errors and ((table["source"] == "") & (table["target"] == "")).any()):
        assert taken(shelf, plainly(table)) == (not errors)


@slow
@given(table=tables(pairs=PAIRS))
def test_what_we_send_is_taken_and_what_we_refuse_is_named(shelf, table):
    if table.empty:
        return
    try:
        dictionaries = to_dictionaries(table)
    except InvalidRows as problem:
        assert len(problem.findings)  # noqa: PT017
        return
    assert taken(shelf, dictionaries)


@slow
@given(table=valid_tables())
def test_a_table_comes_back_from_the_service_as_it_was(shelf, table):
    there = shelf.create("Round", to_dictionaries(table))
    back = from_dictionaries(shelf.entries(there.glossary_id))
    shelf.delete(there.glossary_id)
    ordered = table.sort_values(list(COLUMNS), ignore_index=True)
    pd.testing.assert_frame_equal(back.sort_values(list(COLUMNS), ignore_index=True), ordered)


@slow
@given(table=valid_tables(pairs=(("de", "en"),)))
def test_csv_and_the_older_form_mean_the_same(shelf, table):
    there = shelf.v2.create("CSV", "de", "en", to_entries(table, "csv"), entries_format="csv")
    entries = shelf.v2.entries(there.glossary_id)
    back = from_dictionaries([Dictionary(there.source_lang, there.target_lang, entries)])
    shelf.delete(there.glossary_id)
    pd.testing.assert_frame_equal(back, table)


@slow
@given(table=valid_tables())
def test_a_csv_of_several_pairs_gives_each_pair_its_own(shelf, table):
    text = to_entries(table, "csv")
    pairs = list(dict.fromkeys(zip(table["source_lang"], table["target_lang"], strict=True)))
    there = shelf.create("Pairs", [Dictionary(*pair, text, "csv") for pair in pairs])
    back = from_dictionaries(shelf.entries(there.glossary_id))
    shelf.delete(there.glossary_id)
    by = list(COLUMNS)
    pd.testing.assert_frame_equal(back.sort_values(by, ignore_index=True), table.sort_values(by, ignore_index=True))


@pytest.mark.long
def test_ten_mebibytes_are_taken_and_one_byte_more_is_not(shelf):
    def table(extra: int) -> pd.DataFrame:
        count = 10 * 1024 * 1024 // 1024
        sources = [f"{number:06}" + "x" * 505 for number in range(count)]
        targets = ["y" * 511] * (count - 1) + ["y" * (512 + extra)]
        return made("de", "en", sources, targets)

    (full,) = to_dictionaries(table(0))
    assert len(full.entries.encode()) == 10 * 1024 * 1024
    assert taken(shelf, [full])
    with pytest.raises(InvalidRows, match="10,485,761 bytes"):
        to_dictionaries(table(1))


def test_a_complaint_of_the_service_is_mapped_to_rows(shelf):
    table = made(["fr", "de", "de", "de"], ["en"] * 4, ["a", "b", "c", "b"], ["x", "y", "z", "w"], index=[5, 6, 7, 8])
    with pytest.raises(BadRequest) as raised:
        shelf.create("Twice", plainly(table))
    problem = located(raised.value, table)
    assert problem is not None
    assert problem.rows == [8, 6]
    assert problem.findings["row"].tolist() == [8]
    assert problem.status == 400
    assert "duplicates key" in str(problem)


def test_a_complaint_that_names_no_entry_of_ours_is_left_as_it_is(shelf):
    table = made("de", "en", ["a"], ["b"])
    for told in ("Something else", "Key with the index 7 (starting at position 3) is bad", ""):
        assert located(BadRequest("Invalid glossary entries provided", detail=told), table) is None
