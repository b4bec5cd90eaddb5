"""Documents that no translator has: never done, told everywhere, and asked for again."""

from __future__ import annotations

import shutil

import pandas as pd
import pytest

import svc_nb
from svc_nb import documents, errors, session
from svc_nb.marked import MarkedOnly
from svc_nb.service.translators import installed
from svc_nb.settings import Settings
from tests.documents.conftest import RESULT, UPLOAD
from tests.toy import Toy

MARKING = ["pseudo"]
GERMAN = {"target_lang": "JA", "source_lang": "DE", "progress": False}
NOT_TRANSLATED = "NOT TRANSLATED: no translator for DE → JA"


class Loud(Toy):
    """A translator whose translations are told from the texts at a glance."""

    name = "loud"

    def translate(self, texts, source, target):
        return [text.upper() for text in texts]


def translate(files, out, **rest):
    return documents.translate(files, out=out, **{**GERMAN, **rest})


def row(table: pd.DataFrame, number: int = 0) -> tuple[str, ...]:
    return tuple(table[["status", "translator", "error"]].iloc[number])


def test_a_marked_document_is_written_but_not_done(office, folder, tmp_path):
    one = office(translators=MARKING)
    with pytest.warns(MarkedOnly, match="DE → JA"):
        table = translate(folder(a="Guten Tag.", b="2 + 2"), tmp_path / "out")
    assert row(table) == ("marked", "pseudo", NOT_TRANSLATED)
    assert row(table, 1)[:2] == ("done", "unchanged")
    assert (tmp_path / "out" / "a.txt").read_text() == "[JA] Guten Tag."
    assert table["output"].tolist() == [str(tmp_path / "out" / name) for name in ("a.txt", "b.txt")]
    assert table.said == f"1 marked, 1 done; 10 characters billed. 1 {NOT_TRANSLATED}."
    assert one.billed == 10
    assert not len(documents.pending())


def test_the_language_that_was_detected_is_reported(office, folder, tmp_path):
    office(translators=MARKING)
    text = "Das Haus ist groß und hat einen schönen Garten hinter dem Hof."
    with pytest.warns(MarkedOnly, match="DE → JA"):
        table = translate(folder(a=text), tmp_path / "out", source_lang=None)
    assert row(table) == ("marked", "pseudo", NOT_TRANSLATED)


def test_a_document_that_is_translated_in_part_says_how_much_is_not(office, folder, tmp_path):
    one = office(translators=MARKING)
    pairs = pd.DataFrame(
        {"source_lang": "de", "target_lang": "ja", "source": ["Guten Tag."], "target": ["こんにちは。"]}
    )
    memory = svc_nb.memories.push(pairs, "Hello").translation_memory_id
    source = folder(a="Guten Tag.\nGute Nacht.\n")
    with pytest.warns(MarkedOnly):
        table = translate(source, tmp_path / "out", translation_memory_id=memory)
    assert row(table) == ("marked", "pseudo, translation_memory", f"11 characters {NOT_TRANSLATED}")
    assert f"1 NOT TRANSLATED in part: {NOT_TRANSLATED.partition(': ')[2]}." in table.said
    assert (tmp_path / "out" / "a.txt").read_text() == "こんにちは。\n[JA] Gute Nacht.\n"
    assert one.answered(UPLOAD) == 1


@pytest.mark.usefixtures("unwarned")
def test_a_mark_is_no_answer_and_is_asked_for_again_until_there_is_a_translator(office, folder, tmp_path):
    one = office(translators=MARKING)
    source, seen = folder(a="Guten Tag.", b="Guten Tag."), []
    for translators in (MARKING, MARKING, [Loud()], [Loud()]):
        one.running.state.translators = installed(translators)
        assert set(documents.plan(source, target_lang="JA", source_lang="DE", out=tmp_path / "out")["status"]) == (
            {"to send"} if len(seen) < 3 else {"done"}
        )
        table = translate(source, tmp_path / "out")
        seen.append((set(table["status"]), set(table["translator"]), one.answered(UPLOAD)))
    marked, done = ({"marked"}, {"pseudo"}), ({"done"}, {"loud"})
    assert seen == [(*marked, 1), (*marked, 2), (*done, 3), (*done, 3)]
    assert {path.read_text() for path in (tmp_path / "out").iterdir()} == {"GUTEN TAG."}
    assert len(list((tmp_path / "out").iterdir())) == 2


@pytest.mark.usefixtures("unwarned")
def test_another_service_replaces_what_was_only_marked(office, folder, tmp_path):
    office(translators=MARKING)
    translate(folder(a="Guten Tag."), tmp_path / "out")
    other = office(translators=[Loud()])
    assert row(translate(folder(a="Guten Tag."), tmp_path / "out"))[:2] == ("done", "loud")
    assert (tmp_path / "out" / "a.txt").read_text() == "GUTEN TAG."
    assert other.answered(UPLOAD) == 1


@pytest.mark.usefixtures("unwarned")
def test_a_marked_file_that_someone_edited_is_not_replaced_but_one_of_a_moved_source_is(office, folder, tmp_path):
    one = office(translators=MARKING)
    translate(folder(a="Guten Tag."), tmp_path / "out")
    one.running.state.translators = installed([Loud()])
    shutil.move(folder(a="Guten Tag."), tmp_path / "moved")
    written = tmp_path / "out" / "a.txt"
    marked = written.read_text()
    written.write_text("By hand.")
    assert row(translate(tmp_path / "moved", tmp_path / "out", errors="coerce"))[0] == "refused"
    assert written.read_text() == "By hand."
    written.write_text(marked)
    assert row(translate(tmp_path / "moved", tmp_path / "out"))[0] == "done"
    assert written.read_text() == "GUTEN TAG."


@pytest.mark.usefixtures("unwarned")
def test_what_is_under_way_says_that_it_is_only_marked(office, folder, tmp_path):
    one = office(translators=MARKING)
    one.running.faults.add("status", operation=RESULT, status=400)
    table = translate(folder(a="Guten Tag."), tmp_path / "out", errors="coerce")
    assert table["status"].tolist() == ["ready"]
    assert documents.pending()[["status", "translator"]].values.tolist() == [["marked", "pseudo"]]
    one.running.faults.clear()
    assert row(documents.resume(progress=False)) == ("marked", "pseudo", NOT_TRANSLATED)
    assert one.answered(UPLOAD) == 1


@pytest.mark.usefixtures("unwarned")
def test_a_marked_document_whose_process_ended_after_the_rename_is_not_sent_again(office, folder, tmp_path):
    one = office(translators=MARKING)
    translate(folder(a="Guten Tag."), tmp_path / "out")
    storage = one.workspace.storage
    (made,) = storage.copies(storage.made(str(tmp_path / "out" / "a.txt")).identity)
    storage.note(made.identity, stage="fetching", output_digest=made.digest)
    assert row(documents.resume(progress=False)) == ("marked", "pseudo", NOT_TRANSLATED)
    assert (one.answered(UPLOAD), one.billed) == (1, 10)


@pytest.mark.usefixtures("unwarned")
def test_two_jobs_at_once_send_a_document_that_is_only_marked_once(office, folder, tmp_path):
    one = office(translators=MARKING, seconds=0.4)
    asked = {"target_lang": "JA", "source_lang": "DE", "out": tmp_path / "out"}
    given = folder(a="Guten Tag.")
    jobs = [documents.start(given, **asked) for _ in range(2)]
    assert [row(job.result(60)) for job in jobs] == [("marked", "pseudo", NOT_TRANSLATED)] * 2
    assert (one.answered(UPLOAD), one.billed) == (1, 10)


# ---- strict


def test_a_strict_session_has_an_error_and_no_file_and_pays_nothing(office, folder, tmp_path):
    one = office(translators=MARKING, strict=True)
    with pytest.raises(errors.DocumentsFailed, match="No translator for DE → JA; it was not downloaded"):
        translate(folder(a="Guten Tag."), tmp_path / "out")
    table = translate(folder(a="Guten Tag."), tmp_path / "out", errors="coerce")
    assert table["status"].tolist() == ["error"]
    assert table["output"].isna().all()
    assert not (tmp_path / "out").exists()
    assert (one.answered(UPLOAD), one.answered(RESULT), one.billed) == (2, 0, 0)
    one.running.state.translators = installed([Loud()])
    assert row(translate(folder(a="Guten Tag."), tmp_path / "out"))[0] == "done"


def test_a_strict_session_does_not_fetch_what_another_one_sent(office, folder, tmp_path):
    one = office(translators=MARKING)
    one.running.faults.add("status", operation=RESULT, status=400)
    translate(folder(a="Guten Tag."), tmp_path / "out", errors="coerce")
    one.running.faults.clear()
    strict = session.Session(
        Settings(
            base_url=one.session.base_url,
            api_key=one.session.settings.api_key,
            store=one.session.settings.store,
            strict=True,
        )
    )
    session.make_current(strict)
    assert documents.resume(progress=False, errors="coerce")["status"].tolist() == ["error"]
    strict.close()
    assert (one.answered(RESULT), one.billed) == (0, 0)
    assert not len(documents.pending())
