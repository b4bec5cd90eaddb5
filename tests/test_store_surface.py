"""`svc_nb.store` as a person uses it: how much is there, a table of it, files that read back the same, an end to it."""

from __future__ import annotations

import stat
import sys
from datetime import UTC, datetime, timedelta

import pandas as pd
import pytest

import svc_nb
from svc_nb import errors, service, session
from svc_nb.engine.outcome import TextAnswer
from svc_nb.engine.store import StoredAnswer
from svc_nb.tabular.cells import unguarded
from tests.counters import Counters, listed, marked, quiet
from tests.toy import TRANSLATORS

HOSTILE = [
    'say "hello"',
    'quote at the end"',
    '"',
    "a, b; c\td",
    "two\nlines",
    "two\r\nlines",
    "an old\rline end",
    "=1+1",
    "+SUM(A1)",
    "@import",
    "-2+3 words",
    '=HYPERLINK("http://a.example","x")',
    'back\\slash \\n \\"',
    "  spaces around  ",
    "日本語 и текст",
    "emoji 👍🏽",
    "\ufeffa mark in front",
    "line\u2028separator",
    "NA",
    "null",
    "None words",
    "1e5 words",
    "'single'",
    "<b>bold</b>",
]


@pytest.fixture(scope="module")
def running():
    with service.start(memory=True, translators=TRANSLATORS) as started:
        yield started


def translated(texts=("one", "two words", "one"), target_lang="DE", **fields):
    return pd.Series(list(texts)).svc.translate(
        target_lang, **{"source_lang": "EN", "progress": False, "skip": (), **fields}
    )


# ---- info


def test_an_empty_store_says_so(connected):
    told = svc_nb.store.info()
    assert told.path == connected.settings.store_path
    assert (told.entries, told.billed, told.oldest, told.newest, told.counts) == (0, 0, None, None, {})


def test_info_counts_answers_and_what_they_cost(running, connected):
    counters = Counters(running, connected)
    translated()
    translated(target_lang="JA")
    pd.Series(["The weather is fine today."]).svc.detect(progress=False)
    told = svc_nb.store.info()
    assert told.entries == 5
    assert told.billed == counters.characters == 24
    assert told.counts == {("translate", "DE"): 2, ("translate", "JA"): 2, ("detect", None): 1}
    assert told.oldest <= told.newest <= datetime.now(UTC)
    assert told.bytes > 0


@pytest.mark.skipif(sys.platform == "win32", reason="no file modes")
def test_no_one_else_can_read_the_store(connected, tmp_path):
    translated()
    files = list(tmp_path.glob("answers.sqlite*"))
    assert files
    assert {stat.S_IMODE(file.stat().st_mode) & 0o077 for file in files} == {0}


# ---- clear


def test_what_is_cleared_costs_again(running, connected):
    counters = Counters(running, connected)
    translated()
    assert svc_nb.store.clear() == 2
    assert svc_nb.store.info().entries == 0
    assert svc_nb.store.clear() == 0
    assert listed(translated()) == marked(["one", "two words", "one"])
    assert counters.characters == 24


def test_clearing_can_be_narrowed_down(connected):
    translated()
    translated(target_lang="JA")
    pd.Series(["The weather is fine today."]).svc.detect(progress=False)
    assert svc_nb.store.clear(target_lang="ja") == 2
    assert svc_nb.store.clear(operation="detect", target_lang="DE") == 0
    assert svc_nb.store.clear(operation="detect") == 1
    assert svc_nb.store.info().counts == {("translate", "DE"): 2}


@pytest.mark.parametrize("age", [timedelta(days=30), "30 days", pd.Timedelta("30D")], ids=str)
def test_only_what_is_old_enough_is_cleared(connected, age):
    translated()
    assert svc_nb.store.clear(older_than=age) == 0
    assert svc_nb.store.clear(older_than=timedelta(0)) == 2


@pytest.mark.parametrize("age", ["thirty days", object()], ids=["words", "object"])
def test_an_age_that_is_none_is_one_clear_error_and_clears_nothing(connected, age):
    translated()
    with pytest.raises((ValueError, TypeError)):
        svc_nb.store.clear(older_than=age)
    assert svc_nb.store.info().entries == 2


def test_an_age_without_a_unit_clears_nothing(connected):
    translated()
    with pytest.raises((ValueError, TypeError)):
        svc_nb.store.clear(older_than=30)
    assert svc_nb.store.info().entries == 2


def test_room_is_given_back(connected):
    translated([f"text number {number} " + "word " * 50 for number in range(300)])
    full = svc_nb.store.info().bytes
    svc_nb.store.clear()
    assert svc_nb.store.info().bytes < full / 2


# ---- export


COLUMNS = [
    "operation",
    "source_lang",
    "target_lang",
    "source",
    "text",
    "language",
    "translator",
    "billed_characters",
    "service",
    "made",
]


def test_a_table_has_a_row_for_every_answer(connected):
    translated()
    table = svc_nb.store.export()
    assert list(table.columns) == COLUMNS
    assert table["source"].tolist() == ["one", "two words"]
    assert table["text"].tolist() == ["[DE] one", "[DE] two words"]
    assert table["billed_characters"].tolist() == [3, 9]
    assert set(table["target_lang"]) == {"DE"}
    assert set(table["source_lang"]) == {"EN"}
    assert set(table["language"]) == {"EN"}
    assert str(table["made"].dtype) == "datetime64[us, UTC]"


@pytest.mark.long
def test_a_table_can_be_narrowed_down(connected):
    translated()
    translated(target_lang="JA")
    assert svc_nb.store.export(target_lang="ja")["text"].tolist() == ["[JA] one", "[JA] two words"]
    assert len(svc_nb.store.export(operation="detect")) == 0
    assert len(svc_nb.store.export(operation="translate")) == 4


def test_an_empty_store_gives_an_empty_table_of_the_same_kind(connected, tmp_path):
    empty = svc_nb.store.export()
    assert len(empty) == 0
    translated()
    assert (svc_nb.store.export().dtypes == empty.dtypes).all()
    svc_nb.store.clear()
    assert svc_nb.store.export(tmp_path / "e.csv") == 0
    assert list(pd.read_csv(tmp_path / "e.csv").columns) == COLUMNS


@pytest.mark.parametrize("ending", ["csv", "tsv", "CSV"])
def test_hostile_texts_come_back_from_a_file_as_they_were(connected, tmp_path, ending):
    translated(HOSTILE, protect=False)
    path = tmp_path / f"answers.{ending}"
    assert svc_nb.store.export(path) == len(HOSTILE)
    read = pd.read_csv(path, sep="\t" if ending == "tsv" else ",", keep_default_na=False)
    table = svc_nb.store.export()
    assert sorted(read["source"]) == sorted(text.strip() for text in HOSTILE)
    assert read["source"].tolist() == table["source"].tolist()
    assert read["text"].tolist() == table["text"].tolist()


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_a_formula_safe_file_has_no_text_that_a_spreadsheet_runs(connected, tmp_path, ending):
    texts = ["=cmd|'/c calc'!A1", "+1 and more", "-2 of those", "@SUM(A1) here", "'=quoted one", "'tis plain"]
    translated(texts, protect=False)
    path = tmp_path / f"answers.{ending}"
    assert svc_nb.store.export(path, formula_safe=True) == len(texts)
    read = pd.read_csv(path, sep="\t" if ending == "tsv" else ",")
    table = svc_nb.store.export()
    for name in ("source", "text"):
        assert not read[name].str.contains(r"^[=+@\t\r-]").any()
        assert read[name].map(unguarded).tolist() == table[name].tolist()


def test_a_file_holds_what_the_table_holds(connected, tmp_path):
    translated()
    translated(target_lang="JA")
    assert svc_nb.store.export(str(tmp_path / "a.csv"), target_lang="JA") == 2
    read = pd.read_csv(tmp_path / "a.csv", parse_dates=["made"])
    table = svc_nb.store.export(target_lang="JA")
    assert read["source"].tolist() == table["source"].tolist()
    assert read["billed_characters"].tolist() == table["billed_characters"].tolist()
    assert read["made"].tolist() == table["made"].tolist()


@pytest.mark.long
def test_a_large_store_is_written_whole(connected, tmp_path):
    entries = [
        StoredAnswer(
            number.to_bytes(16),
            f"source {number}",
            TextAnswer(f"text {number}", "EN", 5),
            "translate",
            "s",
            "EN",
            "DE",
        )
        for number in range(20_001)
    ]
    connected.store.put(entries)
    assert svc_nb.store.export(tmp_path / "a.csv") == 20_001
    assert pd.read_csv(tmp_path / "a.csv")["text"].tolist() == [f"text {number}" for number in range(20_001)]


@pytest.mark.parametrize("name", ["answers.xlsx", "answers", "answers.json"])
def test_another_kind_of_file_is_refused_before_it_is_touched(connected, tmp_path, name):
    with pytest.raises(ValueError, match=r"\.csv or \.tsv"):
        svc_nb.store.export(tmp_path / name)
    assert not (tmp_path / name).exists()


# ---- without a session


def test_the_store_can_be_used_without_a_session_and_connects_to_nothing(running, connected, tmp_path, monkeypatch):
    translated()
    before = session.make_current(None)
    requests = quiet(running)
    try:
        assert svc_nb.store.info().entries == 2
        assert svc_nb.store.export()["source"].tolist() == ["one", "two words"]
        assert svc_nb.store.clear() == 2
        assert session.make_current(None) is None
    finally:
        session.make_current(before)
    assert quiet(running) == requests
    assert svc_nb.store.info().entries == 0


def test_a_file_that_is_no_store_is_one_clear_error_and_stays_as_it_is(tmp_path, monkeypatch):
    precious = tmp_path / "precious.txt"
    precious.write_text("not a database, but dear to somebody" * 100)
    monkeypatch.setenv("SVC_STORE", str(precious))
    before = session.make_current(None)
    try:
        for call in (svc_nb.store.info, svc_nb.store.clear, svc_nb.store.export):
            with pytest.raises(errors.StoreError, match=r"precious\.txt"):
                call()
    finally:
        session.make_current(before)
    assert precious.read_text() == "not a database, but dear to somebody" * 100


def test_looking_at_a_store_that_is_not_there_is_no_error(tmp_path, monkeypatch):
    monkeypatch.setenv("SVC_STORE", str(tmp_path / "new" / "answers.sqlite"))
    before = session.make_current(None)
    try:
        assert svc_nb.store.info().entries == 0
        assert len(svc_nb.store.export()) == 0
    finally:
        session.make_current(before)
