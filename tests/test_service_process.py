"""The embedded service in its own process: what it does, and how it ends, is nothing to the notebook."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from contextlib import closing
from html import escape
from pathlib import Path
from typing import Any

import openpyxl
import pptx
import pytest

import svc_nb
from svc_nb import documents, errors, service_process, session
from svc_nb.service.documents.worker import TOO_SLOW
from svc_nb.service_process import ServiceProcess
from svc_nb.settings import Settings
from svc_nb.wire.models import Dictionary
from tests import forked
from tests.panels.documents.samples import docx
from tests.service.formats.paper import canvas
from tests.sessions import current
from tests.waiting import until

linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


@pytest.fixture
def opened(tmp_path, monkeypatch):
    """A session with an embedded service of its own, whose account is kept in the test's folder."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    started = ServiceProcess()
    settings = Settings(store=str(tmp_path / "answers.sqlite"), first_wait=0.01, longest_wait=0.1)
    with current(session.Session.embedded(started, settings)) as made:
        yield made
    started.stop()


def pid(made):
    return made.service._process.pid


def kill(made):
    os.kill(pid(made), signal.SIGKILL)
    until(lambda: made.service._process.poll() is not None)


def test_a_service_that_was_killed_is_started_again_with_what_it_keeps(opened):
    opened.client.glossaries.create("kept", [Dictionary("de", "en", "a\tb")])
    before = pid(opened)
    kill(opened)
    assert [each.name for each in opened.client.glossaries.list()] == ["kept"]
    assert pid(opened) != before
    assert opened.service.base_url == opened.base_url


@pytest.mark.long
def test_of_many_threads_one_starts_it_again(opened):
    kill(opened)
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(opened.client.account.usage())) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(answers) == 8


@pytest.mark.long
def test_where_its_port_is_taken_meanwhile_the_error_says_what_to_do(opened):
    kill(opened)
    with socket.create_server(("127.0.0.1", opened.service.port)):
        for _ in range(2):
            with pytest.raises(errors.Closed, match=r"ended by itself.*cannot be had.*svc_nb\.connect\(\)"):
                opened.client.account.usage()


@pytest.mark.long
def test_what_was_in_memory_only_is_gone_and_the_next_connect_has_a_new_service():
    try:
        made = svc_nb.connect(sample=True)
        kill(made)
        with pytest.raises(errors.Closed, match=r"kept in memory is lost\. Call svc_nb\.connect"):
            made.client.account.usage()
        again = svc_nb.connect(sample=True)
        assert again.client.account.usage().character_count > 0
        assert again.has_sample
        kill(again)
        assert svc_nb.connect(sample=True).client.account.usage().character_count > 0
    finally:
        svc_nb.close()


@pytest.mark.long
def test_why_it_cannot_start_is_one_error(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "executable", str(tmp_path / "nothing"))
    with pytest.raises(errors.SettingsError, match=r"embedded service cannot start.*nothing: No such file"):
        ServiceProcess()
    monkeypatch.setattr(sys, "executable", shutil.which("false"))
    with pytest.raises(errors.SettingsError, match=r"embedded service cannot start.*ended at once, with status 1"):
        ServiceProcess()


@linux
def test_its_keys_are_in_no_argument_and_no_variable(opened):
    shown = b"".join(Path(f"/proc/{pid(opened)}/{name}").read_bytes() for name in ("cmdline", "environ"))
    for key in (opened.service.api_key, opened.service.admin_key):
        assert key.encode() not in shown
        assert key not in repr(opened.service)


@linux
def test_when_memory_runs_out_it_goes_before_the_kernel(opened):
    assert int(Path(f"/proc/{pid(opened)}/oom_score_adj").read_text()) == 1000


@linux
@pytest.mark.long
def test_it_is_told_no_settings(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("SVC_API_KEY", "hush-hush")
    started = ServiceProcess()
    try:
        assert b"hush-hush" not in Path(f"/proc/{started._process.pid}/environ").read_bytes()
    finally:
        started.stop()


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_it_ends_with_a_kernel_that_is_killed(tmp_path):
    code = "import svc_nb; made = svc_nb.connect(); print(made.service._process.pid, flush=True); input()"
    environ = {**os.environ, "XDG_DATA_HOME": str(tmp_path)}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with forked.Popen([sys.executable, "-c", code], env=environ, **pipes) as kernel:
        child = int(kernel.stdout.readline())
        os.kill(child, 0)
        kernel.kill()
    until(lambda: is_gone(child))


def is_gone(number):
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return True
    status = Path(f"/proc/{number}/stat")
    return status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z"


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="no signals to a group")
def test_ctrl_c_in_a_terminal_leaves_it_alone(tmp_path):
    code = """
import os, signal, svc_nb
made = svc_nb.connect()
child = made.service._process.pid
try:
    os.killpg(0, signal.SIGINT)  # as a terminal does
    signal.pause()
except KeyboardInterrupt:
    print(made.client.account.usage().character_count, child == made.service._process.pid)
"""
    environ = {**os.environ, "XDG_DATA_HOME": str(tmp_path)}
    told = subprocess.run([sys.executable, "-c", code], env=environ, stdout=subprocess.PIPE, start_new_session=True)
    assert told.stdout.split() == [b"0", b"True"]


@pytest.mark.long
def test_modules_that_lie_in_the_kernels_folder_are_not_run(tmp_path):
    for name in ("json", "numpy", "starlette", "uvicorn", "svc_nb", "socket", "ctranslate2"):
        (tmp_path / f"{name}.py").write_text(f"open('ran-{name}', 'w').close()")
    code = f"""
import sys
sys.path = [each for each in sys.path if each]
import os, svc_nb
os.chdir({str(tmp_path)!r})
sys.path[:0] = ["", {str(tmp_path)!r}]
print(svc_nb.connect().client.account.usage().character_count)
"""
    environ = {**os.environ, "XDG_DATA_HOME": str(tmp_path / "data")}
    assert forked.run([sys.executable, "-c", code], env=environ, capture_output=True).stdout.split() == [b"0"]
    assert not list(tmp_path.glob("ran-*"))


@pytest.mark.long
def test_a_forked_process_keeps_it_no_longer_than_its_parent(tmp_path):
    code = """
import os, sys, time, svc_nb
made = svc_nb.connect()
fork = os.fork()
if fork == 0:
    os.close(1)
    time.sleep(60)
print(made.service._process.pid, fork, flush=True)
os._exit(0)
"""
    environ = {**os.environ, "XDG_DATA_HOME": str(tmp_path)}
    told = forked.run([sys.executable, "-c", code], env=environ, stdout=subprocess.PIPE).stdout
    child, fork = map(int, told.split())
    try:
        until(lambda: is_gone(child))
        assert not is_gone(fork)
    finally:
        os.kill(fork, signal.SIGKILL)


FROZEN = """
import re, sys, threading
from svc_nb.service import child

child.FROZEN_SECONDS = 1.0
for number in range(4):
    threading.Timer(2, re.match, ["(a+)+b", "a" * 100]).start()  # for years, and no other thread has a turn
child.main(open(0, "rb", 0), sys.stdout)
"""


@pytest.mark.long
def test_a_service_that_is_frozen_ends_itself(tmp_path):
    environ = {**os.environ, "XDG_DATA_HOME": str(tmp_path)}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", FROZEN], env=environ, **pipes) as frozen:
        try:
            assert b"port" in frozen.stdout.readline()
            assert frozen.wait(60) == 1
            assert b"Timeout" in frozen.stderr.read()
        finally:
            frozen.kill()


STUCK = """
    from pathlib import Path
    from svc_nb.service.documents.worker import DocumentWorker
    from svc_nb.service.formats import text

    def translate(source, target, words, wish, *, read=text.translate_txt):
        while b"endless" in Path(source).read_bytes():
            pass
        return read(source, target, words, wish)

    text.translate_txt = translate
    DocumentWorker.__init__.__kwdefaults__["deadline"] = 2.0
    main("""


@pytest.mark.long
def test_a_document_whose_work_never_ends_is_given_up_and_the_service_answers_meanwhile(
    tmp_path, monkeypatch, unwarned
):
    monkeypatch.setattr(service_process, "CODE", service_process.CODE.replace("    main(", STUCK))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    for name in ("endless", "other"):
        (tmp_path / f"{name}.txt").write_text(f"An {name} text.")
    settings = Settings(store=str(tmp_path / "answers.sqlite"), first_wait=0.01, longest_wait=0.1)
    service = ServiceProcess()
    with current(session.Session.embedded(service, settings)) as made:
        stuck = documents.start(tmp_path / "endless.txt", target_lang="DE", source_lang="EN")
        until(lambda: stuck.progress.files[0].status == "translating")
        other = documents.translate(tmp_path / "other.txt", target_lang="DE", source_lang="EN", progress=False)
        assert other["status"].tolist() == ["marked"]
        assert made.client.account.usage()
        assert stuck.progress.files[0].status == "translating"
        until(lambda: stuck.wait(0.1))
        assert stuck.table()["error"].tolist() == [TOO_SLOW]
    service.stop()


@pytest.mark.long
def test_two_kernels_have_one_account_and_one_goes_on_without_the_other(opened, tmp_path):
    other = ServiceProcess()
    try:
        opened.client.glossaries.create("shared", [Dictionary("de", "en", "a\tb")])
        with closing(session.Session.embedded(other, opened.settings)) as theirs:
            other.stop()
            with pytest.raises(errors.Unreachable):
                theirs.client.account.usage()
        other = ServiceProcess()
        with closing(session.Session.embedded(other, opened.settings)) as theirs:
            assert theirs.base_url != opened.base_url
            kill(opened)
            assert [each.name for each in theirs.client.glossaries.list()] == ["shared"]
        assert [each.name for each in opened.client.glossaries.list()] == ["shared"]
    finally:
        other.stop()


HOSTILE = {
    "hex": "0123456789abcdef" * 62_500,
    "dna": "GATTACA" * 142_857,
    "digits": "1" * 1_000_000,
    "brackets": "[({<" * 250_000,
}
XLF = (
    '<xliff version="1.2"><file source-language="de" target-language="en" datatype="plaintext" original="a"><body>'
    '<trans-unit id="1"><source>{}</source></trans-unit></body></file></xliff>'
)


def show(text):
    made = pptx.Presentation()
    made.slides.add_slide(made.slide_layouts[5]).shapes.title.text = text
    made.save(stream := io.BytesIO())
    return stream.getvalue()


def workbook(text):
    book = openpyxl.Workbook()
    for start in range(0, len(text), 32_000):  # the most that a cell may hold
        book.active.append([text[start : start + 32_000]])
    book.save(stream := io.BytesIO())
    return stream.getvalue()


# A json of more than 1 MB, or an srt of more than 150 KB, would not be sent.
MADE = {
    "txt": str.encode,
    "html": lambda text: f"<p>{escape(text)}</p>".encode(),
    "xml": lambda text: f"<a>{escape(text)}</a>".encode(),
    "json": lambda text: json.dumps({"a": text[:990_000]}).encode(),
    "srt": lambda text: f"1\n00:00:01,000 --> 00:00:02,000\n{text[:140_000]}\n".encode(),
    "xlf": lambda text: XLF.format(escape(text)).encode(),
    "docx": lambda text: docx(escape(text)),
    "pptx": show,
    "xlsx": workbook,
    "pdf": lambda text: canvas(lambda page: page.drawString(10, 100, text)),
}
TICKING = """
import sys, threading, time
gaps, ended = [0.0], threading.Event()
def tick():
    last = time.perf_counter()
    while not ended.wait(0.01):
        now = time.perf_counter()
        gaps.append(now - last)
        last = now
thread = threading.Thread(target=tick)
thread.start()
"""
ALONE = f"{TICKING}sys.stdin.read()\nended.set()\nthread.join()\nprint(max(gaps))"


@pytest.mark.long
@pytest.mark.parametrize("kind", MADE)
def test_a_hostile_document_leaves_the_kernel_free(opened, tmp_path, kind):
    (tmp_path / "in").mkdir()
    for name, text in HOSTILE.items():
        (tmp_path / "in" / f"{name}.{kind}").write_bytes(MADE[kind](text))
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    here: dict[str, Any] = {}
    with subprocess.Popen([sys.executable, "-I", "-c", ALONE], **pipes) as alone:  # how long the machine itself stalls
        exec(TICKING, here)
        job = documents.start(tmp_path / "in", target_lang="EN-GB", source_lang="DE", out=tmp_path / "out")
        try:
            job.wait(5)
        finally:
            job.cancel()
            here["ended"].set()
            here["thread"].join()
        stalled = float(alone.communicate()[0])
    opened.service._process.kill()  # whatever it is still at
    job.wait(60)
    assert "refused" not in {each.status for each in job.progress.files}
    assert max(here["gaps"]) <= 0.5 + stalled
