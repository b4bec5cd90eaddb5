"""`svc_nb.documents` as people use it: bars in a terminal, Ctrl-C, and nothing secret anywhere."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
import time
from pathlib import Path

import pandas as pd
import pytest

import svc_nb
from svc_nb import documents, session
from svc_nb.documents import job as bars
from svc_nb.documents.job import FileProgress
from svc_nb.settings import Settings
from tests.test_progress import Terminal, environment
from tests.toy import TOY
from tests.waiting import until

unix = pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminal, no SIGINT to oneself")

SCRIPT = """
import svc_nb
from svc_nb import documents

svc_nb.connect()
table = documents.translate({folder!r}, target_lang="EN-GB", source_lang="DE", out={out!r})
print(table["status"].tolist())
"""


@pytest.fixture(autouse=True)
def no_keyring(monkeypatch):
    """No test touches the keyring of the person who runs it."""
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    import keyring
    from keyring.backends import null

    before = keyring.get_keyring()
    keyring.set_keyring(null.Keyring())
    yield
    keyring.set_keyring(before)


@pytest.fixture
def letters(tmp_path):
    for number in range(3):
        path = tmp_path / "in" / f"letter{number}.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"Guten Tag, Nummer {number}.")
    return tmp_path / "in"


@pytest.mark.usefixtures("unwarned")
def test_a_glossary_is_given_by_its_name(connected, letters, tmp_path):
    terms = pd.DataFrame({"source_lang": "de", "target_lang": "en", "source": ["Tag"], "target": ["DAY"]})
    pushed = svc_nb.glossaries.push(terms, "Letters")
    how = {"target_lang": "EN-GB", "source_lang": "DE", "out": tmp_path / "out", "progress": False}
    table = documents.translate(letters, glossary="Letters", **how)
    assert "DAY" in Path(table["output"][0]).read_text()
    # By name or by id, it is the same wish.
    for glossary in (pushed.glossary_id, ["Letters"]):
        plan = documents.plan(letters, glossary=glossary, **{k: v for k, v in how.items() if k != "progress"})
        assert set(plan["status"]) == {"done"}
    with pytest.raises(svc_nb.errors.NotFound, match=r"Did you mean 'Letters'\?"):
        documents.translate(letters, glossary="Leters", **how)
    with pytest.raises(svc_nb.errors.NotFound, match="There is no style rule list 'House'"):
        documents.translate(letters, style="House", **how)
    with pytest.raises(TypeError, match=r"glossary: documents take the name or id .*Push the table first"):
        documents.translate(letters, glossary=terms, **how)
    with pytest.raises(ValueError, match="glossary and glossary_id exclude each other"):
        documents.translate(letters, glossary="Letters", glossary_id=pushed.glossary_id, **how)


def test_the_one_line_of_the_documentation(connected, letters, tmp_path):
    assert documents.plan(str(letters), "EN-GB", out=str(tmp_path / "out"))["status"].tolist() == ["to send"] * 3
    table = documents.translate(str(letters), "EN-GB", out=str(tmp_path / "out"))
    assert isinstance(table, pd.DataFrame)
    assert "3 done" in repr(table)
    assert "3 done" in table._repr_html_()
    assert len(documents.pending()) == 0
    assert "No documents are in progress" in repr(documents.pending())


def test_a_wrong_argument_is_one_line_before_anything_is_sent(connected, letters):
    before = connected.service.traffic.requests
    with pytest.raises(ValueError, match="errors: expected"):
        documents.translate(letters, target_lang="DE", errors="ignore")
    with pytest.raises(TypeError, match="Did you mean 'formality'"):
        documents.start(letters, target_lang="DE", formalty="more")
    with pytest.raises(TypeError, match="target_lang"):
        documents.plan(letters)
    assert connected.service.traffic.requests == before


def test_a_document_is_known_again_whatever_port_the_embedded_service_has(letters, tmp_path):
    ports, statuses = set(), []
    settings = Settings(store=str(tmp_path / "answers.sqlite"))
    before = session.make_current(None)
    for _ in range(2):
        with svc_nb.service.start(folder=tmp_path / "service", translators=TOY) as running:
            opened = svc_nb.Session.embedded(running, settings)
            session.make_current(opened)
            table = documents.translate(letters, target_lang="EN-GB", out=tmp_path / "out", progress=False)
            statuses.append((set(table["status"]), running.traffic.answered["POST /v2/document", 200]))
            ports.add(running.port)
            opened.close()
    session.make_current(before)
    assert len(ports) == 2
    assert statuses == [({"done"}, 3), ({"done"}, 0)]


def once_sent(service, number):
    """Send this process a signal when the three letters were uploaded."""

    def interrupt():
        until(lambda: service.traffic.answered["POST /v2/document", 200] >= 3)
        os.kill(os.getpid(), number)

    threading.Thread(target=interrupt, daemon=True).start()


@unix
def test_ctrl_c_leaves_everything_to_be_resumed(connected, letters, tmp_path):
    connected.service.faults.add("hang", operation="POST /v2/document/{document_id}", seconds=0.4, count=20)
    once_sent(connected.service, signal.SIGINT)
    said = r"^0 of 3 documents done, 3 with the service; run it again .*resume\(\)"
    with pytest.raises(KeyboardInterrupt, match=said):
        documents.translate(letters, target_lang="EN-GB", source_lang="DE", out=tmp_path / "out")
    assert documents.pending()["status"].tolist() == ["queued"] * 3
    connected.service.faults.clear()
    assert set(documents.resume(progress=False)["status"]) == {"done"}
    assert connected.service.traffic.answered["POST /v2/document", 200] == 3


@pytest.mark.long
@unix
def test_what_others_make_of_ctrl_c_ends_the_job_too(connected, letters, tmp_path):
    """As the handler that a stopped Spark leaves behind."""

    def broken(number, frame):
        raise AttributeError("'NoneType' object has no attribute 'sc'")

    connected.service.faults.add("hang", operation="POST /v2/document/{document_id}", seconds=0.2)
    before = signal.signal(signal.SIGUSR1, broken)
    once_sent(connected.service, signal.SIGUSR1)
    try:
        with pytest.raises(AttributeError, match="sc"):
            documents.translate(letters, target_lang="EN-GB", source_lang="DE", out=tmp_path / "out")
    finally:
        signal.signal(signal.SIGUSR1, before)
    time.sleep(1)
    asked = connected.service.traffic.requests
    time.sleep(1)
    assert connected.service.traffic.requests == asked
    connected.service.faults.clear()
    assert set(documents.resume(progress=False)["status"]) == {"done"}


@pytest.mark.long
@unix
def test_in_a_terminal_there_is_a_bar_for_all_and_one_for_each_file_on_its_way(running, letters, tmp_path):
    running.faults.add("latency", seconds=0.2)
    script = SCRIPT.format(folder=str(letters), out=str(tmp_path / "out"))
    with Terminal(script, environment(running, tmp_path)) as terminal:
        terminal.end()
        assert "documents: 100%" in terminal.painted
        assert "letter1.txt" in terminal.painted
        assert "uploading" in terminal.painted
        assert "['done', 'done', 'done']" in terminal.painted


@pytest.mark.parametrize(
    ("status", "seconds", "said"),
    [
        ("translating", 40, "translating, 40 s left"),
        ("translating", None, "translating, waiting for the service"),
        ("elsewhere", None, "elsewhere, waiting for another kernel"),
        ("downloading", None, "downloading"),
    ],
)
def test_a_bar_says_what_is_waited_for(status, seconds, said):
    assert bars._said(FileProgress(Path("a.txt"), status, 0.5, seconds, None, None)) == said


class Screen(io.StringIO):
    """A terminal, as far as a bar can tell."""

    def isatty(self):
        return True


@unix
def test_the_name_of_a_file_cannot_command_the_terminal(connected, tmp_path, monkeypatch):
    commands = "\x1b]0;mine\x07", "\x1b[2J", "\x9b1m"
    path = tmp_path / f"{''.join(commands)}letter.txt"
    path.write_text("Guten Tag.")
    connected.service.faults.add("latency", operation="POST /v2/document", seconds=0.3)
    screen = Screen()
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stderr", screen)
        table = documents.translate([path], target_lang="EN-GB", source_lang="DE", out=tmp_path / "out")
    assert table["status"].tolist() == ["done"]
    assert "letter.txt" in screen.getvalue()
    assert not any(command in screen.getvalue() for command in commands)


def test_what_is_pending_is_reported_without_connecting(monkeypatch, tmp_path):
    monkeypatch.setenv("SVC_STORE", str(tmp_path / "answers.sqlite"))
    before = session.make_current(None)
    try:
        assert len(documents.pending()) == 0
        with pytest.raises(KeyError):
            documents.forget("D")
        assert session.make_current(None) is None
    finally:
        session.make_current(before)


@unix
def test_where_no_one_watches_there_is_no_bar(connected, letters, tmp_path, capfd):
    documents.translate(letters, target_lang="EN-GB", out=tmp_path / "out")
    assert capfd.readouterr() == ("", "")


def test_the_key_of_a_document_is_in_no_file_in_the_clear(connected, letters, tmp_path):
    seen = []
    upload = connected.client.documents.upload

    class Watched:
        """The real operations, whose handles are remembered."""

        def __getattr__(self, name):
            return getattr(real, name)

        def upload(self, *arguments, **rest):
            seen.append(upload(*arguments, **rest))
            return seen[-1]

    real, connected.client.documents = connected.client.documents, Watched()
    job = documents.start(letters, target_lang="EN-GB", out=tmp_path / "out")
    job.result(30)
    keys = [handle.document_key.reveal().encode() for handle in seen]
    assert len(keys) == 3
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(key in path.read_bytes() for path in files for key in keys)
    assert not any(key.decode() in repr([job, job.table(), job.progress, vars(job)]) for key in keys)
