"""Documents in the ledger: each is booked once, under the tag it was sent with, whoever fetches it."""

from __future__ import annotations

import pytest

import svc_nb
from svc_nb import documents
from svc_nb.documents.transfer import Bills
from svc_nb.errors import StoreError
from tests.documents.conftest import RESULT
from tests.documents.test_job import GERMAN, sent, translate
from tests.waiting import until


def booked(ledger):
    names = ["operation", "target_lang", "custom_tag", "requests", "billed_characters", "unclear_characters"]
    return list(ledger[names].astype(object).where(ledger[names].notna(), None).itertuples(index=False, name=None))


def test_every_document_is_in_the_ledger_once(office, folder, tmp_path):
    one = office()
    for _ in range(2):
        translate(folder(a="Guten Tag.", b="Gute Nacht.", c="Guten Tag."), tmp_path / "out")
    assert booked(svc_nb.ledger()) == [("document", "EN-GB", None, 2, 21, 0)]
    assert one.billed == 21


def test_the_tables_of_all_runs_add_up_to_what_was_billed(office, folder, tmp_path):
    one = office(seconds=0.3)
    translate(folder(a="Guten Tag."), tmp_path / "out")
    job = documents.start(folder(b="Gute Nacht.", c="Guten Tag."), out=tmp_path / "out", **GERMAN)
    until(lambda: job.progress.files[1].status == "queued")
    job.cancel()
    assert job.result(errors="coerce")["billed_characters"].sum() == 0
    before = one.billed
    resumed = documents.resume(progress=False)
    assert resumed["billed_characters"].tolist() == [one.billed - before] == [11]
    whole = translate(folder(), tmp_path / "out")
    assert (whole["status"].tolist(), whole["billed_characters"].tolist()) == (["done"] * 3, [0] * 3)


def test_a_resumed_document_is_booked_under_the_tag_it_was_sent_with(office, folder, tmp_path):
    one = office(seconds=0.3)
    job = documents.start(folder(a="Guten Tag."), out=tmp_path / "out", reporting_tag="Letters", **GERMAN)
    until(lambda: job.progress.files[0].status == "queued")
    job.cancel()
    job.wait()
    assert [each.tag for each in one.workspace.storage.under_way()] == ["Letters"]
    documents.resume(progress=False)
    assert booked(svc_nb.ledger()) == [("document", "EN-GB", "letters", 1, 10, 0)]


def test_what_is_lost_is_booked_as_perhaps_billed(office, folder, tmp_path):
    one = office(seconds=0.3)
    identity = sent(one, folder, tmp_path, a="Guten Tag.")
    storage = one.workspace.storage
    until(lambda: one.session.client.documents.status(storage.handle(identity)).done)
    one.session.client.documents.download(storage.handle(identity), tmp_path / "swallowed")
    storage.note(identity, stage="fetching", billed_characters=10)
    table = translate(folder(a="Guten Tag."), tmp_path / "out", errors="coerce")
    assert table["status"].tolist() == ["lost"]
    assert booked(svc_nb.ledger()) == [("document", "EN-GB", None, 1, 0, 10)]


def test_what_was_not_written_down_is_not_booked(office):
    bills = Bills(office().workspace)

    def fail():
        with bills.booked(None, "DE", 7, sure=True):
            assert booked(svc_nb.ledger())[0][-1] >= 7  # a process that is killed here may have been billed
            raise StoreError("the disk is full")

    with pytest.raises(StoreError):
        fail()
    assert booked(svc_nb.ledger()) == [("document", "DE", None, 1, 0, 0)]


def test_the_report_of_the_service_and_the_ledger_agree(connected, tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("Guten Tag.")
    connected.service.faults.add("reset", operation=RESULT, count=1)
    documents.translate(path, target_lang="EN-GB", source_lang="DE", out=tmp_path / "out", progress=False)
    (row,) = svc_nb.reconcile(svc_nb.usage()).to_dict("records")
    assert (row["reported"], row["logged"], row["difference"]) == (10, 10, 0)
