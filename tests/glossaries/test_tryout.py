"""A text is tried with terms that are not pushed, and nothing of it stays on the service."""

from __future__ import annotations

import os
import signal
import sys
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb import errors
from svc_nb.checks.service_terms import to_dictionaries
from svc_nb.engine.billing import PROCESS_BILLED
from svc_nb.glossaries.tryout import MOST_WHOLE, _concerning, try_out
from svc_nb.service.translation.terms import Terms, find
from svc_nb.sync.tryout import LONGEST_SECONDS, NAME
from svc_nb.tabular.terms import made
from svc_nb.wire.models import TranslateOptions
from tests.children import Child
from tests.counters import Counters
from tests.waiting import until

TEXT = "The tent has a tent peg."
TERMS = made("en", "ja", ["tent", "tent peg"], ["テント", "ペグ"])
CREATE = "POST /v3/glossaries"
DELETE = "DELETE /v3/glossaries/{glossary_id}"
SCRIPT = f"""
from pathlib import Path
from svc_nb.tabular.terms import made
from svc_nb.glossaries.tryout import try_out
table = made("en", "ja", ["tent"], ["テント"])
folder = Path(svc_nb.current().settings.drafts_path)
try_out(svc_nb.current().client, table, {TEXT!r}, source_lang="en", target_lang="ja", folder=folder)
"""


@pytest.fixture
def client(connected):
    return connected.client


@pytest.fixture
def folder(connected):
    return connected.settings.drafts_path


@pytest.fixture
def tried(client, folder):
    """Tries terms with a text."""

    def go(terms=TERMS, text=TEXT, source_lang="EN", target_lang="ja", **options):
        langs = {"source_lang": source_lang, "target_lang": target_lang}
        return try_out(client, terms, text, **langs, folder=folder, **options)

    return go


def left(client) -> list[str]:
    return [each.name for each in client.glossaries.list() if each.name.startswith(NAME)]


def notes(folder) -> list[str]:
    return os.listdir(folder) if os.path.isdir(folder) else []


def test_a_text_is_translated_with_the_terms_and_without_and_nothing_stays(tried, client, folder, running, connected):
    counters, before = Counters(running, connected), PROCESS_BILLED.characters
    came = tried()
    assert PROCESS_BILLED.characters == before + came.billed, "the status bar of JupyterLab counts it"
    assert came.text == "[JA] The テント has a ペグ."
    assert came.plain == f"[JA] {TEXT}"
    assert came.billed == 2 * len(TEXT) == counters.characters
    assert (came.terms, came.passed_over, came.left_out) == (2, 0, 0)
    assert not came.marked_only
    assert came.left_behind == ""
    assert left(client) == []
    assert notes(folder) == []
    assert connected.store.info().entries == 0


def test_it_tells_that_a_text_was_only_marked(marking, folder):
    langs = {"source_lang": "EN", "target_lang": "ja"}
    assert try_out(marking.client, TERMS, TEXT, **langs, folder=folder).marked_only


def test_only_the_pair_is_sent_and_only_what_the_service_takes(tried):
    table = made(
        ["en", "EN-GB", "en", "en", "de", "en", "en"],
        ["ja", "ja", "ja", "ja", "ja", "zh", "ja"],
        ["tent", "tent peg", "tent", " has", "a", "tent", ""],
        ["テント", "ペグ", "天幕", "x", "x", "x", "x"],
        index=[1, 1, 1, 2, 3, 4, 5],
    )
    came = tried(table)
    assert came.text == "[JA] The テント has a ペグ."
    assert (came.terms, came.left_out) == (2, 3)


@pytest.mark.parametrize(
    "terms", [made([], [], [], []), made("de", "ja", ["tent"], ["x"]), made("en", "ja", [" "], ["x"])]
)
def test_without_terms_for_the_pair_the_text_is_translated_once_and_no_glossary_is_made(
    tried, running, connected, terms
):
    counters = Counters(running, connected)
    came = tried(terms)
    assert came.text == came.plain == f"[JA] {TEXT}"
    assert came.billed == counters.characters == len(TEXT)
    assert counters.requests(operation=CREATE) == 0


def test_a_blank_text_is_not_sent(tried, running, connected):
    counters = Counters(running, connected)
    assert tried(text=" \n").text == " \n"
    assert counters.texts_requests == 0


def test_options_go_with_both_translations_and_a_glossary_is_none_of_them(tried):
    came = tried(text="One. Two.", split_sentences="0")
    assert came.plain == "[JA] One. Two."
    with pytest.raises(ValueError, match="Leave the glossary out"):
        tried(glossary_id="x")
    with pytest.raises(TypeError):
        tried(no_such_option=1)


# ---- large tables


def test_of_a_large_table_only_what_can_concern_the_text_is_sent_and_the_answer_is_the_same(tried, client):
    many = [f"{chr(97 + number // 26 % 26)}{chr(97 + number % 26)}q{number}" for number in range(MOST_WHOLE)]
    table = made("en", "ja", ["TENT", "tent  peg", *many], ["テント", "ペグ", *["x"] * MOST_WHOLE])
    text = "A tent\npeg, two Tents and a TENT."
    came = tried(table, text)
    assert came.terms + came.passed_over == len(table)
    assert came.terms < 50
    whole = client.glossaries.create("whole", to_dictionaries(table))
    options = TranslateOptions(source_lang="en", glossary_id=whole.glossary_id)
    assert came.text == client.text.translate([text], "ja", options=options, warn=False)[0].text
    assert "ペグ" in came.text
    client.glossaries.delete(whole.glossary_id)


LETTERS = "aAäÄıIiİß ſSé\u0301\u00ad\u200dｱア각\u1100\u1161語\n-&"


@given(
    st.lists(st.text(LETTERS, min_size=1, max_size=4).filter(str.strip), min_size=1, max_size=4),
    st.lists(st.text(LETTERS, max_size=4), max_size=4),
    st.sampled_from([str, str.upper, str.lower, lambda text: unicodedata.normalize("NFD", text)]),
    st.sampled_from(["en", "tr", "de"]),
)
def test_no_term_that_the_service_finds_in_a_text_is_passed_over(sources, words, written, language):
    text = " ".join(map(written, [*words, *sources]))
    few = set(_concerning(made(language, "ja", sources, sources), text)["source"])
    for source in sources:
        if find(text, [Terms({source: "x"}, language, "ja")]):
            assert source in few


# ---- what goes wrong


def test_the_glossary_is_removed_also_when_the_translation_fails(tried, client, folder, running):
    running.faults.add("status", operation="POST /v2/translate", status=456)
    with pytest.raises(errors.QuotaExceeded):
        tried()
    assert left(client) == []
    assert notes(folder) == []


def test_a_glossary_whose_creation_was_not_answered_is_removed(tried, client, folder, running):
    running.faults.add("truncate", operation=CREATE, count=1)
    with pytest.raises(errors.BadReply):
        tried()
    assert left(client) == []
    assert notes(folder) == []


def test_what_could_not_be_removed_is_reported_and_removed_by_the_next_try_out(tried, client, folder, running):
    running.faults.add("status", operation=DELETE, status=403)
    came = tried()
    assert came.text == "[JA] The テント has a ペグ."
    assert left(client) == [came.left_behind]
    assert came.left_behind.startswith("svc_nb temporary, may be deleted")
    running.faults.clear()
    assert tried().left_behind == ""
    assert left(client) == []
    assert notes(folder) == []


@pytest.mark.long
def test_one_that_a_killed_kernel_left_is_removed_by_the_next_try_out(tried, client, running, tmp_path):
    running.faults.add("hang", operation="POST /v2/translate", count=1)
    with Child(running, tmp_path / "answers.sqlite", SCRIPT, rows=0) as child:
        child.go()
        until(lambda: left(client))
        until(lambda: running.traffic.in_flight)
        tried()
        assert len(left(client)) == 1, "that of a living kernel stays"
    assert len(left(client)) == 1
    tried()
    assert left(client) == []


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to another process")
def test_an_interrupt_removes_the_glossary(client, folder, running, tmp_path):
    hang = running.faults.add("hang", operation="POST /v2/translate")
    with Child(running, tmp_path / "answers.sqlite", SCRIPT, rows=0) as child:
        child.go()
        until(lambda: running.faults.taken(hang))
        assert len(left(client)) == 1
        child.process.send_signal(signal.SIGINT)
        _, err, _ = child.told()
        assert "KeyboardInterrupt" in err
    assert left(client) == []
    assert notes(folder) == []


def test_without_a_folder_for_its_note_nothing_is_made(client, running, connected, tmp_path):
    counters = Counters(running, connected)
    (tmp_path / "file").write_text("")
    with pytest.raises(errors.StoreError, match="Nothing was created"):
        try_out(client, TERMS, TEXT, source_lang="en", target_lang="ja", folder=tmp_path / "file" / "drafts")
    assert counters.requests(operation=CREATE) == 0


def test_old_and_broken_notes_are_forgotten_in_time_and_harm_no_one(tried, folder, tmp_path):
    tried()
    old = os.path.join(folder, "old.temporary")
    young = os.path.join(folder, "young.temporary")
    for path in (old, young):
        with open(path, "w") as file:
            file.write('{"kind": "glossary", "na')
    then = time.time() - LONGEST_SECONDS - 1
    os.utime(old, (then, then))
    assert tried().left_behind == ""
    assert notes(folder) == ["young.temporary"]
