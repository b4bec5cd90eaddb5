"""Folders and tables of documents through a real service, with its faults."""

from __future__ import annotations

import asyncio
import os
import re
import sys
import threading
from dataclasses import replace

import openpyxl
import pandas as pd
import pytest
from reportlab.pdfgen.canvas import Canvas

from svc_nb import documents, errors
from svc_nb.documents.job import DocumentJob, DocumentsFailed
from svc_nb.documents.plan import planned
from svc_nb.documents.storage import FETCHING, Storage
from svc_nb.service.state import Account
from svc_nb.wire.client.ignored_options import OptionsIgnored
from tests.documents.conftest import RESULT, STATUS, UPLOAD
from tests.waiting import until

COLUMNS = [
    "path",
    "document_id",
    "status",
    "translator",
    "seconds_remaining",
    "billed_characters",
    "error",
    "output",
]

GERMAN = {"target_lang": "EN-GB", "source_lang": "DE"}


def translate(files, out, **rest):
    return documents.translate(files, out=out, **{**GERMAN, "progress": False, **rest})


def start(files, out, **rest):
    return documents.start(files, out=out, **{**GERMAN, **rest})


# ---- what comes of them


def test_a_folder_goes_through_and_its_sub_folders_are_kept(office, folder, tmp_path):
    one = office()
    table = translate(folder(a="Guten Tag.", deep__er__b="Gute Nacht."), tmp_path / "out")
    assert table.columns.tolist() == COLUMNS
    assert table["status"].tolist() == ["done", "done"]
    assert table["translator"].tolist() == ["toy", "toy"]
    assert table["output"].tolist() == [str(tmp_path / "out" / name) for name in ("a.txt", "deep/er/b.txt")]
    assert (tmp_path / "out" / "deep" / "er" / "b.txt").read_text() == "[EN-GB] Gute Nacht."
    assert table["billed_characters"].sum() == one.billed > 0
    assert table["document_id"].str.fullmatch("[0-9A-F]{32}").all()
    assert len(documents.pending()) == 0


def test_what_was_translated_is_neither_sent_nor_billed_again(office, folder, tmp_path):
    one = office()
    first = translate(folder(), tmp_path / "out")
    billed = one.billed
    again = translate(folder(), tmp_path / "out")
    assert again.said.endswith("0 characters billed.")
    assert (first["billed_characters"].sum(), again["billed_characters"].tolist()) == (billed, [0, 0])
    pd.testing.assert_frame_equal(*(pd.DataFrame(each).drop(columns="billed_characters") for each in (first, again)))
    assert (one.answered(UPLOAD), one.billed) == (2, billed)
    plan = documents.plan(folder(), out=tmp_path / "other", **GERMAN)
    assert set(plan["status"]) == {"to fetch"}
    assert plan.said.endswith("0 bytes would be sent.")
    translate(folder(), tmp_path / "other")
    assert (one.answered(UPLOAD), one.billed) == (2, billed)


def test_a_file_whose_content_options_or_language_changed_is_sent_again(office, folder, tmp_path):
    one = office()
    translate(folder(a="Eins."), tmp_path / "out")
    translate(folder(a="Zwei."), tmp_path / "out")
    assert (tmp_path / "out" / "a.txt").read_text() == "[EN-GB] Zwei."
    translate(folder(a="Zwei."), tmp_path / "fr", target_lang="FR")
    with pytest.warns(OptionsIgnored, match="No effect: formality"):
        translate(folder(a="Zwei."), tmp_path / "formal", target_lang="FR", formality="prefer_more")
    assert one.answered(UPLOAD) == 4


def test_an_option_without_effect_is_warned_of_once(office, folder, tmp_path, recwarn):
    office()
    for number in range(2):
        translate(folder(a=f"Text {number}."), tmp_path / "out", target_lang="FR", formality="prefer_more")
    (warned,) = recwarn
    assert warned.category is OptionsIgnored


def test_files_of_the_same_content_are_paid_once_and_each_gets_its_copy(office, folder, tmp_path):
    one = office()
    table = translate(folder(a="Gleich.", b="Gleich.", c__d="Gleich."), tmp_path / "out")
    assert table["status"].tolist() == ["done"] * 3
    assert {path.read_text() for path in (tmp_path / "out").rglob("*.txt")} == {"[EN-GB] Gleich."}
    assert (one.answered(UPLOAD), table["billed_characters"].tolist()) == (1, [7, 0, 0])


def test_a_translation_is_copied_into_another_folder_without_being_paid_again(office, folder, tmp_path):
    one = office()
    translate(folder(a="Guten Tag."), tmp_path / "out")
    table = translate(folder(a="Guten Tag."), tmp_path / "other")
    assert table["output"].tolist() == [str(tmp_path / "other" / "a.txt")]
    assert (tmp_path / "other" / "a.txt").read_text() == "[EN-GB] Guten Tag."
    assert one.answered(UPLOAD) == 1


@pytest.mark.filterwarnings("ignore::svc_nb.OptionsIgnored")
def test_a_table_has_options_in_its_rows_and_keeps_its_index(office, folder, tmp_path):
    office()
    source = folder(a="Guten Tag.", b="Gute Nacht.")
    rows = {"path": [str(source / "a.txt"), source / "b.txt"], "target_lang": ["FR", None]}
    table = pd.DataFrame({**rows, "formality": [None, "prefer_less"]}, index=["x", "x"])
    done = translate(table, tmp_path / "out")
    assert done.index.tolist() == ["x", "x"]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a.FR.txt", "b.EN-GB.txt"]


def test_beside_their_sources_translations_have_the_language_in_their_names(office, folder):
    one = office()
    source = folder(a="Guten Tag.")
    for _ in range(2):
        table = translate(source, None)
        assert table["output"].tolist() == [str(source / "a.EN-GB.txt")]
    assert one.answered(UPLOAD) == 1


@pytest.mark.long
def test_a_job_can_be_awaited_and_shows_how_far_it_is(office, folder, tmp_path):
    office(seconds=1.0)
    seen = []

    async def work():
        job = start(folder(), tmp_path / "out")
        while not job.done():
            seen.append(job.progress)
            await asyncio.sleep(0.01)
        return await job, job

    table, job = asyncio.run(work())
    assert table["status"].tolist() == ["done", "done"]
    assert all(0 <= each.fraction <= 1 and len(each.files) == 2 for each in seen)
    assert {"queued", "translating"} <= {file.status for each in seen for file in each.files}
    assert (job.progress.fraction, job.progress.ended) == (1.0, 2)
    assert repr(job) == "<DocumentJob: 2 of 2 files, ended>"


# ---- what cannot be done


def test_a_document_that_the_service_cannot_read_is_reported_in_its_row(office, folder, tmp_path):
    office()
    source = folder(a="Guten Tag.")
    (source / "b.docx").write_bytes(b"PK\x05\x06" + bytes(18))  # a zip with nothing in it
    with pytest.raises(DocumentsFailed, match=r"1 of 2 documents.*b\.docx") as caught:
        translate(source, tmp_path / "out")
    assert caught.value.table["status"].tolist() == ["done", "error"]
    table = translate(source, tmp_path / "out", errors="coerce")
    assert "damaged" in table["error"].iloc[1]
    assert pd.isna(table["output"].iloc[1])
    assert len(documents.pending()) == 0


def test_texts_of_a_pdf_that_are_too_small_to_read_are_reported(office, tmp_path):
    office()
    page = Canvas(str(tmp_path / "a.pdf"))
    page.setFont("Helvetica", 9)
    for number, word in enumerate(("Schirm", "Sommer", "42")):
        page.rect(100 + 34 * number, 700, 34, 13)
        page.drawString(102 + 34 * number, 703, word)
    page.save()
    for _ in range(2):  # the second time, of what was there already
        table = translate(tmp_path / "a.pdf", tmp_path / "out")
        assert table["status"].tolist() == ["done"]
        assert table["error"].tolist() == [
            '2 texts did not fit and are too small to read; output_format="docx" has room for every text'
        ]


def test_texts_of_a_workbook_that_stay_for_its_formulas_are_reported(office, tmp_path):
    office()
    book = openpyxl.Workbook()
    for row in (["Der Schirm"], ["Das Haus"], ['=COUNTIF(A1:A2,"Der*")']):
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    for _ in range(2):
        table = translate(tmp_path / "a.xlsx", tmp_path / "out")
        assert table["error"].tolist() == ["1 text not translated, so that formulas give the same results"]
        assert "The column error has a remark on 1 document" in str(table)
    cells = openpyxl.load_workbook(tmp_path / "out" / "a.xlsx").active
    assert cells["A1"].value == "Der Schirm"
    assert cells["A2"].value != "Das Haus"


def test_a_bill_that_the_store_cannot_take_is_warned_of(office, folder, tmp_path):
    office()
    (tmp_path / "store" / "answers.sqlite").mkdir(parents=True)
    with pytest.warns(errors.NotInLedger, match="is missing what this run was billed"):
        assert translate(folder(a="Guten Tag."), tmp_path / "out")["status"].tolist() == ["done"]


def test_formulas_that_may_give_other_results_are_reported_with_their_cells(office, tmp_path):
    office()
    book = openpyxl.Workbook()
    book.active.title = "Summary"
    for row in (["Haus", "Tür", "Haus-Tür"], ['=COUNTIF(C1,A1&"-"&B1)', '="Total: "&A1']):
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    for _ in range(2):
        table = translate(tmp_path / "a.xlsx", tmp_path / "out")
        assert table["error"].tolist() == [
            "1 formula compares translated texts in ways that may give other results (Summary!A2)"
        ]
        assert "The column error has a remark on 1 document" in str(table)


def test_what_is_refused_here_is_never_sent(office, folder, tmp_path):
    one = office()
    source = folder(a="Guten Tag.", b="x" * 1_000_001, c="")
    (source / "note.md").write_text("x")
    files = [*sorted(source.iterdir()), tmp_path / "none.txt"]
    table = translate(files, tmp_path / "out", errors="coerce")
    assert table["status"].tolist() == ["done", "refused", "refused", "refused", "refused"]
    for word, error in zip(["the limit for", "empty", "kind", "no such file"], table["error"][1:], strict=True):
        assert word in error
    assert one.answered(UPLOAD) == 1


def test_what_is_no_document_in_a_folder_is_skipped_without_an_error(office, folder, tmp_path):
    office()
    source = folder(a="Guten Tag.")
    for name in ("note.md", ".hidden.txt", "~$a.docx"):
        (source / name).write_text("x")
    table = translate(source, tmp_path / "out")
    assert [path.rpartition("/")[2] for path in table["path"]] == ["a.txt", "note.md"]
    assert table["status"].tolist() == ["done", "skipped"]


def test_a_file_that_is_there_is_not_replaced(office, folder, tmp_path):
    one = office()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a.txt").write_text("mine")
    table = translate(folder(a="Guten Tag."), tmp_path / "out", errors="coerce")
    assert table["status"].tolist() == ["refused"]
    assert (tmp_path / "out" / "a.txt").read_text() == "mine"
    assert one.answered(UPLOAD) == 0


def test_a_translation_that_someone_has_edited_is_left_alone(office, folder, tmp_path):
    one = office()
    translate(folder(a="Guten Tag."), tmp_path / "out")
    (tmp_path / "out" / "a.txt").write_text("edited")
    assert translate(folder(a="Guten Tag."), tmp_path / "out")["status"].tolist() == ["done"]
    assert translate(folder(a="Anders."), tmp_path / "out", errors="coerce")["status"].tolist() == ["refused"]
    assert (tmp_path / "out" / "a.txt").read_text() == "edited"
    assert one.answered(UPLOAD) == 1


def test_a_translation_that_is_gone_is_paid_again_only_when_asked(office, folder, tmp_path):
    one = office()
    translate(folder(a="Guten Tag."), tmp_path / "out")
    (tmp_path / "out" / "a.txt").unlink()
    table = translate(folder(a="Guten Tag."), tmp_path / "out", errors="coerce")
    assert table["status"].tolist() == ["lost"]
    assert "again=True" in table["error"].iloc[0]
    assert one.answered(UPLOAD) == 1
    assert translate(folder(a="Guten Tag."), tmp_path / "out", again=True)["status"].tolist() == ["done"]
    assert one.answered(UPLOAD) == 2


def test_two_documents_are_not_written_to_one_file(office, folder, tmp_path):
    office()
    source = folder(a="Eins.", b__A="Zwei.")
    files = [source / "a.txt", source / "b" / "A.txt"]
    assert translate(files, tmp_path / "out", errors="coerce")["status"].tolist() == ["done", "refused"]


def test_a_file_that_is_named_twice_is_translated_once(office, folder, tmp_path):
    one = office()
    source = folder(a="Guten Tag.") / "a.txt"
    assert translate([source, source], tmp_path / "out")["status"].tolist() == ["done", "done"]
    assert one.answered(UPLOAD) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="only there names are bytes")
def test_a_name_that_is_no_text_is_refused_and_keeps_no_one_else_back(office, folder, tmp_path):
    office()
    source = folder(a="Guten Tag.")
    (source / os.fsdecode(b"b\xff.txt")).write_text("x")
    table = translate(source, tmp_path / "out", errors="coerce")
    assert sorted(table["status"]) == ["done", "refused"]


def test_where_nothing_can_be_written_nothing_is_sent(office, folder, tmp_path):
    one = office()
    source = folder(a="Guten Tag.")
    (tmp_path / "file").write_text("x")
    long = source / f"{'x' * 250}.txt"
    long.write_text("Guten Abend.")
    assert translate(source / "a.txt", tmp_path / "file" / "out", errors="coerce")["status"].tolist() == ["refused"]
    assert translate(long, None, errors="coerce")["status"].tolist() == ["refused"]
    assert one.answered(UPLOAD) == 0


def test_a_translation_into_another_language_is_not_replaced(office, folder, tmp_path):
    one = office()
    translate(folder(a="Guten Tag."), tmp_path / "out")
    table = translate(folder(a="Guten Tag."), tmp_path / "out", target_lang="FR", errors="coerce")
    assert table["status"].tolist() == ["refused"]
    assert (tmp_path / "out" / "a.txt").read_text() == "[EN-GB] Guten Tag."
    assert one.answered(UPLOAD) == 1


# ---- what goes wrong on the way


@pytest.mark.parametrize("kind", ["status", "reset", "truncate"])
@pytest.mark.parametrize("operation", [UPLOAD, STATUS, RESULT])
def test_what_may_pass_is_waited_out_and_paid_once(office, folder, tmp_path, kind, operation):
    one = office()
    one.running.faults.add(kind, operation=operation, count=2, **({"status": 503} if kind == "status" else {}))
    table = translate(folder(a="Guten Tag.", b="Gute Nacht."), tmp_path / "out")
    assert table["status"].tolist() == ["done", "done"]
    assert (tmp_path / "out" / "a.txt").read_text() == "[EN-GB] Guten Tag."
    assert one.billed == table["billed_characters"].sum() == 21
    assert one.session.gate.in_flight == 0


def test_two_documents_are_downloaded_at_a_time_by_all_jobs_of_a_kernel(office, folder, tmp_path):
    one = office()
    one.running.faults.add("latency", operation=RESULT, seconds=0.2)
    one.running.faults.add("capacity", operation=RESULT, limit=2)
    folder(**{f"{part}__{number}": f"{part} {number}." for part in "xy" for number in range(4)})
    jobs = [start(tmp_path / "in" / part, tmp_path / "out" / part) for part in "xy"]
    assert {status for job in jobs for status in job.result(60)["status"]} == {"done"}
    assert (one.answered(RESULT), one.answered(RESULT, 429)) == (8, 0)


def test_a_service_that_has_little_room_is_given_time(office, folder, tmp_path):
    one = office()
    one.running.faults.add("capacity", limit=2)
    texts = {f"n{number}": f"Nummer {number}." for number in range(20)}
    assert set(translate(folder(**texts), tmp_path / "out")["status"]) == {"done"}
    assert one.session.gate.refused > 0
    assert one.answered(UPLOAD) == 20


def test_a_spent_quota_keeps_back_what_was_not_sent_and_what_it_does_not_cover(office, folder, tmp_path):
    one = office(account=Account(quota=25, document_seconds=0.2))
    source = folder(a="Guten Tag, Welt.", b="Gute Nacht, Welt.", c="Schon spaet, Welt.")
    with pytest.raises(DocumentsFailed, match="456") as caught:
        translate(source, tmp_path / "out")
    done = caught.value.table["status"] == "done"
    assert (done.sum(), one.answered(RESULT)) == (1, 1)
    assert one.billed == caught.value.table["billed_characters"][done].sum() <= 25
    assert caught.value.table["error"][~done].str.contains("Quota").all()


def test_what_is_not_sent_when_the_quota_is_spent_is_said_to_wait(office, folder, tmp_path):
    one = office()
    one.running.faults.add("status", operation=UPLOAD, status=456)
    table = translate(folder(), tmp_path / "out", errors="coerce")
    assert table["status"].tolist() == ["waiting", "waiting"]
    assert len(documents.pending()) == 0


@pytest.mark.long
@pytest.mark.parametrize("status", [401, 403])
def test_a_key_that_is_refused_ends_everything(office, folder, tmp_path, status):
    one = office()
    one.running.faults.add("status", status=status)
    texts = {f"n{number}": f"Nummer {number}." for number in range(30)}
    with pytest.raises(errors.ApiError) as caught:
        translate(folder(**texts), tmp_path / "out")
    assert caught.value.status == status
    assert one.answered(UPLOAD, status) <= one.session.gate.peak
    one.running.faults.clear()
    assert set(translate(folder(**texts), tmp_path / "out")["status"]) == {"done"}


def test_a_service_that_is_gone_is_not_asked_for_ever(office, folder, tmp_path):
    one = office(tries=2)
    one.running.stop()
    texts = {f"n{number}": f"Nummer {number}." for number in range(30)}
    with pytest.raises(errors.Unreachable):
        translate(folder(**texts), tmp_path / "out")


@pytest.mark.parametrize("status", [429, 503, 529])
@pytest.mark.parametrize("operation", [UPLOAD, STATUS, RESULT])
def test_a_wait_that_is_too_long_ends_the_job_at_once(office, folder, tmp_path, status, operation):
    one = office()
    one.running.faults.add("status", operation=operation, status=status, retry_after=3600)
    with pytest.raises(errors.SvcError, match="asked to wait 3600 s, until"):
        start(folder(a="Guten Tag."), tmp_path / "out").result(30)
    one.running.faults.clear()
    assert start(folder(a="Guten Tag."), tmp_path / "out").result(30)["status"].tolist() == ["done"]
    assert one.answered(UPLOAD) == 1


@pytest.mark.long
@pytest.mark.parametrize(("status", "operation"), [(429, "*"), (529, UPLOAD), (503, STATUS), (429, RESULT)])
def test_a_service_that_always_refuses_is_given_up_on(office, folder, tmp_path, status, operation):
    one = office(give_up_after=1.0, tries=100)
    one.running.faults.add("status", operation=operation, status=status)
    texts = {f"n{number}": f"Nummer {number}." for number in range(30)}
    with pytest.raises(errors.ApiError, match=r"no request got a response for 1 s \(give_up_after\)") as caught:
        start(folder(**texts), tmp_path / "out").result(60)
    assert caught.value.status == status
    one.running.faults.clear()
    assert set(translate(folder(**texts), tmp_path / "out")["status"]) == {"done"}
    assert one.answered(UPLOAD) == 30


@pytest.mark.long
def test_a_service_that_always_says_done_and_never_gives_is_given_up_on(office, folder, tmp_path):
    one = office(give_up_after=1.0)
    one.running.faults.add("status", operation=RESULT, status=503)
    with pytest.raises(errors.DocumentsFailed, match=r"the document was refused for 1 s \(give_up_after\)"):
        start(folder(a="Guten Tag."), tmp_path / "out").result(30)
    one.running.faults.clear()
    assert documents.resume(progress=False)["status"].tolist() == ["done"]


@pytest.mark.long
@pytest.mark.parametrize(("status", "operation"), [(429, UPLOAD), (503, RESULT)])
def test_a_job_says_what_it_waits_for(office, folder, tmp_path, status, operation):
    one = office()
    one.running.faults.add("status", operation=operation, status=status, retry_after=4, count=1)
    job = start(folder(a="Guten Tag."), tmp_path / "out")
    said = until(lambda: job.progress.waiting)
    assert re.match(rf"waiting [34] s: ({status} |rate limit)", said)
    assert said in repr(job)
    assert job.result(60)["status"].tolist() == ["done"]
    assert job.progress.waiting == ""


@pytest.mark.long
def test_a_file_that_changes_before_it_is_sent_is_reported_in_its_row(office, folder, tmp_path):
    one = office()
    source = folder(a="Guten Tag.")
    one.running.faults.add("status", operation=UPLOAD, status=503, count=1, retry_after=1)
    job = start(source, tmp_path / "out")
    until(lambda: one.so_far(UPLOAD, 503))
    (source / "a.txt").write_text("Ganz anders.")
    assert "changed" in job.result(30, errors="coerce")["error"].iloc[0]
    assert len(documents.pending()) == 0


# ---- cancelled, resumed, lost


def test_what_is_cancelled_can_be_resumed_and_is_sent_once(office, folder, tmp_path):
    one = office(seconds=0.6)
    job = start(folder(), tmp_path / "out")
    until(lambda: all(file.status in ("queued", "translating") for file in job.progress.files))
    job.cancel()
    assert job.wait(10)
    assert set(documents.pending()["status"]) <= {"queued", "translating"}
    assert not documents.pending()["at_work"].any()
    table = documents.resume(progress=False)
    assert table["status"].tolist() == ["done", "done"]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a.txt", "b.txt"]
    assert (one.answered(UPLOAD), len(documents.pending())) == (2, 0)


def test_an_upload_is_broken_off_when_it_is_cancelled(office, tmp_path):
    one = office()
    one.running.faults.add("hang", operation=UPLOAD, seconds=0.5)
    (tmp_path / "a.txt").write_text("Wort " * 100_000)
    job = start(tmp_path / "a.txt", tmp_path / "out")
    until(lambda: one.running.traffic.in_flight)
    job.cancel()
    assert job.wait(10)
    assert job.result()["status"].tolist() == ["waiting"]
    assert len(documents.pending()) == 0


def test_a_download_under_way_is_finished_when_it_is_cancelled(office, folder, tmp_path):
    one = office()
    one.running.faults.add("drip", operation=RESULT, seconds=0.5)
    job = start(folder(a="Guten Tag."), tmp_path / "out")
    until(lambda: job.progress.files[0].status == "downloading")
    job.cancel()
    assert job.result(30)["status"].tolist() == ["done"]
    assert (tmp_path / "out" / "a.txt").read_text() == "[EN-GB] Guten Tag."


def test_a_resumed_document_can_go_elsewhere_and_needs_no_source(office, folder, tmp_path):
    office(seconds=0.5)
    source = folder(a="Guten Tag.")
    job = start(source, tmp_path / "out")
    until(lambda: job.progress.files[0].status == "queued")
    job.cancel()
    job.wait()
    (source / "a.txt").unlink()
    table = documents.resume(tmp_path / "elsewhere", progress=False)
    assert table["output"].tolist() == [str(tmp_path / "elsewhere" / "a.txt")]


def sent(office, folder, tmp_path, **texts):
    """A document that was sent by a job that ended; its identity."""
    job = start(folder(**texts), tmp_path / "out")
    until(lambda: job.progress.files[0].status in ("queued", "translating"))
    job.cancel()
    job.wait()
    (record,) = office.workspace.storage.under_way()
    return record.identity


@pytest.mark.long
@pytest.mark.parametrize("busy", [0, 1])
def test_a_result_that_was_lost_on_the_way_is_never_paid_again_silently(office, folder, tmp_path, busy):
    one = office(seconds=0.3)
    identity = sent(one, folder, tmp_path, a="Guten Tag.")
    storage = one.workspace.storage
    until(lambda: one.session.client.documents.status(storage.handle(identity)).done)
    one.session.client.documents.download(storage.handle(identity), tmp_path / "swallowed")
    storage.note(identity, stage=FETCHING)  # as a job that was killed when the last byte was on its way
    if busy:
        one.running.faults.add("status", operation=RESULT, status=503, count=busy)
    for _ in range(2):
        table = translate(folder(a="Guten Tag."), tmp_path / "out", errors="coerce")
        assert table["status"].tolist() == ["lost"]
        assert "again=True" in table["error"].iloc[0]
    assert one.answered(UPLOAD) == 1
    assert translate(folder(a="Guten Tag."), tmp_path / "out", again=True)["status"].tolist() == ["done"]
    assert one.answered(UPLOAD) == 2


@pytest.mark.long
def test_what_the_service_forgot_before_anyone_fetched_it_is_sent_again(office, folder, tmp_path):
    one = office(seconds=0.3)
    identity = sent(one, folder, tmp_path, a="Guten Tag.")
    storage = one.workspace.storage
    until(lambda: one.session.client.documents.status(storage.handle(identity)).done)
    one.session.client.documents.download(storage.handle(identity), tmp_path / "swallowed")
    assert translate(folder(a="Guten Tag."), tmp_path / "out")["status"].tolist() == ["done"]
    assert one.answered(UPLOAD) == 2


def test_a_forgotten_document_is_not_pending(office, folder, tmp_path):
    one = office(seconds=0.3)
    sent(one, folder, tmp_path, a="Guten Tag.")
    (document_id,) = documents.pending()["document_id"]
    documents.forget(document_id)
    assert len(documents.pending()) == 0
    with pytest.raises(KeyError, match="pending"):
        documents.forget(document_id)


# ---- several at once


@pytest.mark.long
def test_two_jobs_at_once_send_each_document_once(office, folder, tmp_path):
    one = office(seconds=0.2)
    source = folder(**{f"n{number}": f"Nummer {number}." for number in range(8)})
    jobs = [start(source, tmp_path / name) for name in ("one", "two")]
    for job in jobs:
        assert set(job.result(60)["status"]) == {"done"}
    assert (one.answered(UPLOAD), one.answered(RESULT)) == (8, 8)
    assert len(list((tmp_path / "one").iterdir())) == len(list((tmp_path / "two").iterdir())) == 8


@pytest.mark.long
def test_another_kernel_waits_for_the_one_that_is_at_it(office, folder, tmp_path):
    one = office(seconds=0.5)
    source = folder(a="Guten Tag.")
    job = start(source, tmp_path / "out")
    until(lambda: job.progress.files[0].status == "queued")
    workspace = one.workspace
    other = Storage(one.session.settings.documents_path)  # as another process has it
    assert other.is_held(other.under_way()[0].identity)
    found = planned(source, workspace, target_lang="EN-GB", out=tmp_path / "two", options={"source_lang": "DE"})
    second = DocumentJob(replace(workspace, storage=other), found, look_first=True).start()
    until(lambda: second.progress.files[0].status == "elsewhere")
    assert second.result(30)["status"].tolist() == ["done"]
    assert (tmp_path / "two" / "a.txt").read_text() == "[EN-GB] Guten Tag."
    assert one.answered(UPLOAD) == 1
    other.close()


def test_a_job_that_has_ended_leaves_no_thread_behind(office, folder, tmp_path):
    office()
    translate(folder(), tmp_path / "out")
    until(lambda: not [each for each in threading.enumerate() if each.name.startswith("svc_nb-document")])
