"""`svc_nb.spoken_terms` as a person uses it: from a file to the service, to a voice session, and back."""

from __future__ import annotations

import inspect
import os
import stat

import pandas as pd
import pytest

from svc_nb import errors, service, spoken_terms
from svc_nb.tabular.report import Report
from svc_nb.wire.models import VoiceRequest
from tests.toy import TOY

TERMS = pd.DataFrame({"lang": ["DE", "DE", "EN"], "term": ["Kubernetes", "Brötchen", "kubectl"]})


@pytest.fixture(scope="module")
def lasting():
    with service.start(memory=True, translators=TOY) as started:
        yield started


@pytest.fixture
def running(lasting):
    """One service for all tests of this file; each finds it without spoken terms."""
    with lasting.state.database.write() as connection:
        connection.execute("DELETE FROM spoken_terms")
    return lasting


def test_from_a_file_to_a_voice_session_and_back(connected, tmp_path):
    path = spoken_terms.write(TERMS, tmp_path / "names.xlsx")
    terms = spoken_terms.read(path)
    assert len(spoken_terms.lint(terms)) == 0
    pushed = spoken_terms.push(terms, "Names")
    assert spoken_terms.get("Names").spoken_terms_id == pushed.spoken_terms_id
    assert spoken_terms.list()["entry_count"].tolist() == [3]
    request = VoiceRequest(source_media_content_type="audio/auto", spoken_terms_id=pushed.spoken_terms_id)
    assert connected.client.voice.session(request).session_id
    table = spoken_terms.pull("Names")
    assert table.to_numpy().tolist() == TERMS.to_numpy().tolist()
    assert len(spoken_terms.diff(table, "Names")) == 0
    spoken_terms.delete("Names")
    assert spoken_terms.list().empty
    spoken_terms.undo()
    assert len(spoken_terms.diff(TERMS, spoken_terms.pull("Names"))) == 0
    assert spoken_terms.history("Names")["action"].tolist() == ["create", "delete", "create"]


def test_a_table_of_spoken_terms_is_linted_by_its_columns():
    assert TERMS.svc.lint().said.startswith("3 terms, no findings")
    assert TERMS.assign(term="x ").svc.lint()["code"].unique().tolist() == ["edge_space", "duplicate"]
    note = TERMS.assign(note="of mine")
    assert note.svc.lint().empty


@pytest.mark.usefixtures("connected")
def test_a_pulled_table_can_be_changed_and_pushed():
    spoken_terms.push(TERMS, "Names")
    table = spoken_terms.pull("Names")
    table.loc[len(table)] = ["fr", "baguette"]
    assert spoken_terms.push(table, "Names")["step"].tolist() == ["nothing", "nothing", "put"]
    with pytest.raises(errors.InvalidRows) as caught:
        spoken_terms.push(pd.concat([table, table[:1]]), "Names")
    assert caught.value.rows == [0]


def test_backups_are_for_their_owner_alone_and_beside_those_of_glossaries(connected):
    spoken_terms.push(TERMS, "Names")
    folder = os.path.join(connected.settings.backups_path, "spoken_terms")
    (name,) = os.listdir(folder)
    assert stat.S_IMODE(os.stat(os.path.join(folder, name)).st_mode) == 0o600


@pytest.mark.usefixtures("connected")
def test_every_report_says_what_comes_next():
    first = spoken_terms.list()
    pushed = spoken_terms.push(TERMS, "Names")
    more = pd.concat([TERMS, pd.DataFrame({"lang": ["fr"], "term": ["baguette"]})])
    reports = [
        first,
        pushed,
        spoken_terms.list(),
        spoken_terms.pull("Names"),
        spoken_terms.diff(more, "Names"),
    ]
    for report in [*reports, spoken_terms.lint(TERMS), spoken_terms.history()]:
        assert isinstance(report, Report)
        assert "svc_nb.spoken_terms." in report.said.partition("Next: ")[2]


def test_every_name_is_mentioned():
    for name in spoken_terms.__all__:
        assert inspect.getdoc(getattr(spoken_terms, name))


@pytest.mark.usefixtures("connected")
def test_a_table_of_spoken_terms_is_written_compared_and_pushed_by_its_columns(tmp_path):
    assert TERMS.svc.push("Names").spoken_terms_id
    assert TERMS[:1].svc.diff("Names")["change"].tolist() == ["removed"]
    assert spoken_terms.read(TERMS.svc.write(tmp_path / "names.csv"))["term"].tolist() == TERMS["term"].tolist()


@pytest.mark.usefixtures("connected")
@pytest.mark.parametrize("name", ["half \ud83d", " ", "ä" * 513])
def test_a_name_that_the_service_does_not_take_is_reported_before_anything_is_sent(name):
    with pytest.raises(ValueError, match="name: expected"):
        spoken_terms.push(TERMS, name)
    assert spoken_terms.list().empty


def test_a_file_that_cannot_be_read_says_why(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no file"):
        spoken_terms.read(tmp_path / "none.csv")
    (tmp_path / "names.txt").write_text("Kubernetes")
    with pytest.raises(TypeError, match="lang: expected a code"):
        spoken_terms.read(tmp_path / "names.txt", lang=3)
