"""Translation memories as a person has them: a table or a file there, a table or a file back, and translations."""

import pandas as pd
import pytest

from svc_nb import errors, memories
from svc_nb.memories import sync
from tests import served

running = served.fresh

PAIRS = pd.DataFrame(
    {
        "source_lang": ["EN", "EN", "EN", "EN"],
        "target_lang": ["DE", "FR", "DE", "DE"],
        "source": ["Good morning", "Good morning", "The shoe fits.", 'Press <ph x="1"/> now & then'],
        "target": ["Moin", "Salut", "Der Schuh passt.", 'Jetzt <ph x="1"/> drücken'],
    }
)
COLUMNS = list(PAIRS.columns)


def rows(table):
    return [tuple(row) for row in table[COLUMNS].itertuples(index=False)]


def test_a_table_becomes_a_memory_and_comes_back_the_same(connected):
    done = memories.push(PAIRS, "Mine")
    assert rows(memories.pull("Mine")) == rows(PAIRS)
    assert rows(memories.pull(done.translation_memory_id)) == rows(PAIRS)
    assert "3 segments in the memory 'Mine'" in done.said
    listed = memories.list()
    assert listed["translation_memory_id"].tolist() == [done.translation_memory_id]
    assert listed["target_langs"].tolist() == ["DE, FR"]
    assert memories.get("Mine").segment_count == 3


def test_a_file_is_sent_as_it_is_and_exported_to_one_like_it(connected, tmp_path):
    path = memories.write(PAIRS, tmp_path / "shoes.tmx")
    memories.push(path)
    out = memories.export("shoes", tmp_path / "out.tmx")
    assert rows(memories.read(out)) == rows(memories.read(path)) == rows(PAIRS)
    assert sorted(each.name for each in tmp_path.iterdir() if "tmx" in each.name) == ["out.tmx", "shoes.tmx"]


def test_a_column_is_translated_by_the_memory(connected, unwarned):
    memory_id = memories.push(PAIRS, "Mine").translation_memory_id
    texts = pd.Series(["Good morning!", "The shoe fits.", None], name="text")
    made = texts.svc.translate("DE", source_lang="EN", translation_memory_id=memory_id)
    assert made.iloc[:2].tolist() == ["Moin!", "Der Schuh passt."]
    assert pd.isna(made.iloc[2])


def test_a_push_by_name_replaces_the_memory_and_keeps_a_copy(connected):
    first = memories.push(PAIRS, "Mine")
    assert first["step"].tolist() == ["create", "create"]
    planned = memories.push(PAIRS.iloc[:1], "Mine", dry_run=True)
    assert planned["step"].tolist() == ["replace"]
    assert not planned["done"].any()
    assert memories.list()["translation_memory_id"].tolist() == [first.translation_memory_id]
    second = memories.push(PAIRS.iloc[:1], "Mine")
    assert memories.list()["translation_memory_id"].tolist() == [second.translation_memory_id]
    assert second.translation_memory_id != first.translation_memory_id
    assert rows(memories.read(second.backup)) == rows(PAIRS)
    assert second.backup.stat().st_mode & 0o777 == 0o600
    memories.push(second.backup, "Mine")
    assert rows(memories.pull("Mine")) == rows(PAIRS)


def test_a_push_that_drops_languages_names_them(connected):
    memories.push(pd.concat([PAIRS, PAIRS.assign(target_lang="IT")], ignore_index=True), "Mine")
    for dry_run in (True, False):
        said = memories.push(PAIRS, "Mine", dry_run=dry_run).said
        assert "The old one had 7 segments, including some into IT, which this one does not have." in said


def test_a_push_and_a_deletion_are_undone_and_done_again(connected):
    memories.push(PAIRS, "Mine")
    memories.push(PAIRS.iloc[:1], "Mine")
    assert not memories.undo(dry_run=True)["done"].any()
    assert rows(memories.pull("Mine")) == rows(PAIRS.iloc[:1])
    assert memories.undo().said.startswith("Undone. 3 segments")
    assert rows(memories.pull("Mine")) == rows(PAIRS)
    memories.undo("Mine")
    assert rows(memories.pull("Mine")) == rows(PAIRS.iloc[:1])
    first = memories.history()["backup"].iloc[-2]
    memories.undo(backup=first)
    assert rows(memories.pull("Mine")) == rows(PAIRS)
    assert "undo('Mine') recreates it" in memories.delete("Mine").said
    assert memories.undo()["step"].tolist() == ["create", "create"]
    assert rows(memories.pull("Mine")) == rows(PAIRS)
    memories.undo()
    assert memories.list().empty
    assert memories.history()["action"].tolist() == ["delete", "create", "delete", *["change"] * 4, "create"]


def test_an_undo_does_not_replace_what_others_made_unless_replace_is_set(connected, tmp_path):
    with pytest.raises(ValueError, match="nothing to undo"):
        memories.undo()
    memories.push(PAIRS, "Mine")
    memories.push(PAIRS.iloc[:1], "Mine")
    client = connected.client.memories
    client.delete(memories.get("Mine").translation_memory_id)
    with pytest.raises(ValueError, match="'Other' was not changed from here"):
        memories.undo("Other")
    theirs = memories.write(PAIRS.iloc[2:3], tmp_path / "theirs.tmx")
    begun = client.begin_import("theirs.tmx", theirs.stat().st_size, name="Mine")
    client.upload(begun, theirs)
    client.wait(begun.job_id)
    with pytest.raises(ValueError, match=r"Others have created a memory called 'Mine' since .*replace=True"):
        memories.undo()
    memories.undo(replace=True)
    assert rows(memories.pull("Mine")) == rows(PAIRS)


def test_an_undo_of_a_creation_deletes_what_was_made_here_and_nothing_else(connected, tmp_path):
    mine = memories.push(PAIRS, "Mine").translation_memory_id
    other = memories.push(PAIRS.iloc[:1], "Other").translation_memory_id
    with connected.service.state.database.write() as connection:
        connection.execute("UPDATE memories SET name = 'Mine'")
    assert memories.undo(mine, replace=True).said.startswith("Undone.")
    assert memories.list()["translation_memory_id"].tolist() == [other]


def test_copies_of_one_memory_do_not_push_out_those_of_another(connected, monkeypatch):
    monkeypatch.setattr(sync, "MOST_KEPT", 2)
    memories.push(PAIRS, "Old")
    memories.delete("Old")
    for count in (1, 2, 3, 4, 3, 2):
        memories.push(PAIRS.iloc[:count], "Mine")
    memories.undo("Old")
    assert rows(memories.pull("Old")) == rows(PAIRS)


def test_a_source_in_two_variants_is_the_one_that_read_takes(connected, tmp_path):
    path = tmp_path / "x.tmx"
    texts = (("en-US", "color"), ("en-GB", "colour"), ("de", "Farbe"))
    body = "".join(f'<tuv xml:lang="{code}"><seg>{text}</seg></tuv>' for code, text in texts)
    path.write_text(f'<tmx version="1.4"><header srclang="en-GB"/><body><tu>{body}</tu></body></tmx>')
    memories.push(path, "Mine")
    assert rows(memories.pull("Mine")) == [("EN", "DE", "colour", "Farbe")]
    assert "Nothing to do" in memories.push(path, "Mine").said


def test_a_push_of_what_is_there_already_sends_nothing(connected, tmp_path):
    table = pd.concat([PAIRS, PAIRS.iloc[:1].assign(target_lang="pt"), PAIRS.iloc[:1].assign(target_lang="it-CH")])
    first = memories.push(table, "Mine")
    again = memories.push(table.iloc[::-1], "Mine")
    assert "Nothing to do" in again.said
    assert again.translation_memory_id == first.translation_memory_id
    assert again.backup is None
    assert memories.push(table, "Mine", dry_run=True)["step"].tolist() == ["nothing", "nothing", "skip", "nothing"]
    assert memories.push(PAIRS.assign(target="x"), "Mine").translation_memory_id != first.translation_memory_id


def test_segments_are_searched_as_a_table_and_as_a_loop(connected):
    memories.push(PAIRS, "Mine")
    assert rows(memories.search("Mine", "SCHUH")) == rows(PAIRS.iloc[[2]])
    assert memories.search("Mine", "SCHUH", case_sensitive=True).empty
    assert rows(memories.search("Mine"))[:3] == rows(PAIRS)[:3]
    first = memories.search("Mine", most=1)
    assert len(first) == 2
    assert "from the first 1 segment; most=None takes all" in first.said
    assert "most=None" not in memories.search("Mine", most=3).said
    assert [each.source_text for each in memories.segments("Mine", "good")] == ["Good morning"]
    with pytest.raises(ValueError, match="two characters"):
        memories.segments("Mine", "x")
    with pytest.raises(TypeError, match="text: expected text to search for, found int"):
        memories.search("Mine", 12)
    for most in (0, -1, 2.5):
        with pytest.raises(ValueError, match="most: expected None or a whole number of 1 or more"):
            memories.search("Mine", most=most)


def test_a_deleted_memory_is_gone(connected):
    memories.push(PAIRS, "Mine")
    assert "deleted with 3 segments" in memories.delete("Mine").said
    assert memories.list().empty
    with pytest.raises(errors.NotFound, match=r"no translation memory 'Mine'.*memories\.list"):
        memories.pull("Mine")


@pytest.mark.parametrize("name", ["import", "jobs", "../a/b?c#d", "%2e", "🏕️", "00000000-0000-0000-0000-000000000000"])
def test_a_memory_is_found_by_its_name_whatever_that_is(connected, name):
    done = memories.push(PAIRS, name)
    assert memories.get(name).translation_memory_id == done.translation_memory_id
    memories.delete(name)
    with pytest.raises(errors.NotFound, match="There is no translation memory"):
        memories.get(name)


def test_a_new_memory_of_the_same_name_gives_its_own_translations_and_none_of_the_old_ones(connected, unwarned):
    texts = pd.Series(["Good morning"])
    for target in ("Moin", "Servus"):
        table = PAIRS.iloc[:1].assign(target=target)
        made = memories.push(table, "Mine")
        asked = {
            "source_lang": "EN",
            "target_lang": "DE",
            "translation_memory_id": made.translation_memory_id,
        }
        assert texts.svc.translate(**asked).tolist() == [target]
        assert texts.svc.translate(**asked).tolist() == [target]
    assert texts.svc.translate(source_lang="EN", target_lang="DE").tolist() != ["Servus"]


def test_languages_that_a_memory_does_not_have_are_named_with_their_rows(connected, tmp_path):
    more = [PAIRS.iloc[:1].assign(target_lang=code) for code in ("pt", "fr-ca", "zh-TW")]
    table = pd.concat([PAIRS, *more], ignore_index=True)
    made = memories.push(table, "Mine")
    assert made.set_index("target_lang")["kept_as"].fillna("").to_dict() == {
        "DE": "DE",
        "FR": "FR",
        "PT": "",
        "FR-CA": "FR",
        "ZH-TW": "",
    }
    assert made["step"].tolist() == ["create", "create", "skip", "create", "skip"]
    assert "FR-CA is kept as FR (row 5)." in made.said
    assert "1 translation into PT, which memories do not have, skipped (row 4)." in made.said
    assert "by the service" not in made.said
    found = memories.push(memories.write(table.assign(source_lang="EN-GB"), tmp_path / "x.tmx"))
    assert "FR-CA is kept as FR (line 18)." in found.said
    assert "EN-GB is kept as EN (lines 5, 10, 14, 18)." in found.said


def test_the_source_language_of_each_unit_is_that_of_read_also_where_a_file_is_pushed(connected, tmp_path):
    head = '<tmx version="1.4"><header srclang="{}"/><body>'
    en, de, fr = (
        f'<tuv xml:lang="{code}"><seg>{text}</seg></tuv>' for code, text in (("en", "a"), ("de", "d"), ("fr", "f"))
    )
    path = tmp_path / "x.tmx"
    for srclang, units, expected in (
        ("*all*", [f'<tu srclang="en">{de}{en}{fr}</tu>'], [("EN", "DE", "a", "d"), ("EN", "FR", "a", "f")]),
        ("de", [f'<tu srclang="en">{de}{en}</tu>'], [("EN", "DE", "a", "d")]),
        ("*all*", [f"<tu>{de}{en}</tu>"], [("DE", "EN", "d", "a")]),
        ("en", [f"<tu>{de}{en}</tu>"], [("EN", "DE", "a", "d")]),
    ):
        path.write_text(head.format(srclang) + "".join(units) + "</body></tmx>")
        assert rows(memories.read(path)) == expected
        memories.push(path, "Mine")
        assert rows(memories.pull("Mine")) == expected
    mixed = [f'<tu srclang="en">{en}{de}</tu>\n', f'<tu srclang="de">{en}{de}</tu>']
    path.write_text(head.format("*all*") + "".join(mixed) + "</body></tmx>")
    with pytest.raises(errors.InvalidRows, match=r"one source language, but there are 'EN', 'DE' \(line 2\)") as caught:
        memories.push(path, "Mine")
    assert caught.value.rows == [2]
    assert """table = read("x.tmx"), push(table[table["source_lang"] == "EN"], name)""" in str(caught.value)
    table = memories.read(path)
    memories.push(table[table["source_lang"] == "EN"], "Mine")
    assert rows(memories.pull("Mine")) == [("EN", "DE", "a", "d")]


def test_several_translations_of_a_source_reach_the_service_and_come_back(connected, tmp_path):
    table = pd.concat([PAIRS.iloc[:1], PAIRS.iloc[:1].assign(target="Servus")], ignore_index=True)
    memories.push(table, "Mine")
    assert rows(memories.pull("Mine")) == rows(table)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"source": "bell\x07"}, "1 row cannot be in a translation memory"),
        ({"target": ""}, "the target is empty"),
        ({"source_lang": "de", "target_lang": "en"}, "one source language"),
        ({"source_lang": None}, "source_lang is not a language code"),
    ],
)
def test_rows_that_no_memory_can_have_are_named_and_nothing_is_sent(connected, running, change, error):
    table = PAIRS.copy()
    for name, value in change.items():
        table.loc[2, name] = value
    with pytest.raises(errors.InvalidRows, match=error) as caught:
        memories.push(table, "Mine")
    assert caught.value.rows == [2]
    assert memories.list().empty


def test_what_is_no_tmx_is_not_sent(connected, tmp_path):
    for content, reason in (("<html/>", "expected TMX"), ("<tmx version='1.4'/>", "no translations")):
        (tmp_path / "x.tmx").write_text(content)
        with pytest.raises(ValueError, match=f"x.tmx: .*{reason}"):
            memories.push(tmp_path / "x.tmx")
    with pytest.raises(FileNotFoundError, match="there is no file"):
        memories.push(tmp_path / "nothing.tmx")
    with pytest.raises(TypeError, match="name: expected the name"):
        memories.push(PAIRS)


def test_two_memories_of_a_name_are_told_apart_by_id(connected):
    client = connected.client
    ids = [memories.push(PAIRS, name).translation_memory_id for name in ("a", "b")]
    with connected.service.state.database.write() as connection:
        connection.execute("UPDATE memories SET name = 'same'")
    with pytest.raises(ValueError, match="2 translation memories are called 'same'"):
        memories.pull("same")
    assert {each.translation_memory_id for each in client.memories.list()} == set(ids)
    with pytest.raises(ValueError, match="2 translation memories are called 'same'"):
        memories.push(PAIRS.iloc[:1], "same")
    assert len(memories.list()) == 2


def test_an_export_that_fails_leaves_the_old_file(connected, running, tmp_path):
    memories.push(PAIRS, "Mine")
    path = tmp_path / "old.tmx"
    path.write_text("before")
    from svc_nb.service import Fault

    running.faults.add(Fault("truncate", operation="GET /v3/translation_memories/jobs/{job_id}/file"))
    with pytest.raises(errors.SvcError):
        memories.export("Mine", path)
    running.faults.clear()
    assert path.read_text() == "before"
    assert [each.name for each in tmp_path.glob("*.tmx*")] == ["old.tmx"]
    assert not list(tmp_path.glob(".old*"))
