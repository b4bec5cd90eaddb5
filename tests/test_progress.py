"""In a terminal a bar appears before the first answer, counts rows and characters, and ends full; elsewhere none."""

from __future__ import annotations

import os
import re
import signal
import sys
import threading

import pandas as pd
import pytest

import svc_nb
from tests import forked
from tests.counters import quiet
from tests.waiting import until

SCRIPT = """
import warnings
warnings.simplefilter("ignore")
import pandas as pd
import svc_nb

texts = pd.Series([f"text number {number}" for number in range(500)])
svc_nb.connect()
texts.svc.translate("DE", source_lang="EN"%s)
"""
LENGTH = sum(len(f"text number {number}") for number in range(500))

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminal")


def environment(running, tmp_path):
    environ = {name: value for name, value in os.environ.items() if not name.startswith("SVC_")}
    environ |= {"SVC_BASE_URL": running.base_url, "SVC_API_KEY": running.api_key}
    return environ | {"SVC_STORE": str(tmp_path / "answers.sqlite"), "TERM": "xterm"}


class Terminal:
    """A program in a terminal of its own, and all that it has painted so far."""

    def __init__(self, script, environ):
        import pty
        import termios

        self._ours, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (24, 160))
        self.process = forked.Popen(
            [sys.executable, "-c", script], env=environ, stdin=theirs, stdout=theirs, stderr=theirs
        )
        os.close(theirs)
        self._painted = b""
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.process.kill()
        self.process.wait()
        self._reader.join()
        os.close(self._ours)

    @property
    def painted(self):
        return self._painted.decode()

    @property
    def last(self):
        """The bar in its current state."""
        return re.split(r"[\r\n]+", self.painted.rstrip())[-1]

    def end(self, code=0):
        assert self.process.wait(60) == code
        self._reader.join()

    def _read(self):
        while True:
            try:
                chunk = os.read(self._ours, 65536)
            except OSError:  # the other end is closed
                return
            if not chunk:
                return
            self._painted += chunk


def answers(running):
    quiet(running)
    return running.traffic.answered["POST /v2/translate", 200]


@pytest.mark.long
def test_a_bar_is_painted_before_the_first_answer_and_ends_full(running, tmp_path):
    running.faults.add("capacity", operation="/v2/translate", limit=0)
    with Terminal(SCRIPT % "", environment(running, tmp_path)) as terminal:
        until(lambda: "0/500" in terminal.painted)
        assert answers(running) == 0
        until(lambda: "refused" in terminal.painted)
        assert answers(running) == 0
        running.faults.clear()
        terminal.end()
    assert answers(running) == 10
    assert "100%" in terminal.last
    assert "500/500" in terminal.last
    assert f"{LENGTH:,} characters" in terminal.last
    assert "translating" in terminal.last
    assert "Traceback" not in terminal.painted


def test_a_bar_stays_on_one_line_and_only_grows(running, tmp_path):
    running.faults.add("latency", operation="/v2/translate", seconds=0.02)
    environ = environment(running, tmp_path) | {"SVC_POOL_SIZE": "1"}
    with Terminal(SCRIPT % "", environ) as terminal:
        terminal.end()
    assert terminal.painted.count("\n") == 1
    rows = [int(rows) for rows in re.findall(r"(\d+)/500", terminal.painted)]
    assert rows == sorted(rows)
    assert (rows[0], rows[-1]) == (0, 500)


@pytest.mark.long
def test_a_second_run_shows_that_it_came_from_the_store(running, tmp_path):
    script = SCRIPT % ", progress=False" + 'texts.svc.translate("DE", source_lang="EN")\n'
    with Terminal(script, environment(running, tmp_path)) as terminal:
        terminal.end()
    assert "500/500" in terminal.last
    assert "0 characters, 500 stored" in terminal.last


@pytest.mark.long
def test_nothing_is_painted_when_asked_not_to(running, tmp_path):
    with Terminal(SCRIPT % ", progress=False", environment(running, tmp_path)) as terminal:
        terminal.end()
    assert terminal.painted == ""
    assert answers(running) == 10


@pytest.mark.long
def test_nothing_is_painted_where_no_one_watches(running, tmp_path):
    told = forked.run(
        [sys.executable, "-c", SCRIPT % ""],
        env=environment(running, tmp_path),
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert (told.stdout, told.stderr) == (b"", b"")
    assert answers(running) == 10


@pytest.mark.long
def test_of_a_run_that_never_began_no_bar_stays(running, tmp_path):
    script = (SCRIPT % "").replace("texts.svc", "texts.astype(object).where(texts != 'text number 7', 7).svc")
    with Terminal(script, environment(running, tmp_path)) as terminal:
        assert terminal.process.wait(60) == 1
    assert "0/500" in terminal.painted
    assert re.search(r"\r +\rTraceback", terminal.painted), "the bar is wiped away before the error"
    assert "row 7 (label 7): expected text, found int." in terminal.last


@pytest.mark.long
def test_an_interrupted_bar_is_closed_before_the_line_of_what_is_done(running, tmp_path):
    running.faults.add("latency", operation="/v2/translate", seconds=0.2)
    environ = environment(running, tmp_path) | {"SVC_POOL_SIZE": "1"}
    with Terminal(SCRIPT % "" + "print('the end')", environ) as terminal:
        until(lambda: "50/500" in terminal.painted)
        terminal.process.send_signal(signal.SIGINT)
        terminal.end(-signal.SIGINT)
    assert "the end" not in terminal.painted
    done = 50 * answers(running)
    assert 0 < done < 500
    assert re.findall(r"(\d+)/500", terminal.painted)[-1] == "500", "what was not sent is settled, too"
    assert terminal.last.startswith(f"KeyboardInterrupt: {done} of 500 rows are done and stored (")


class Interrupting:
    """A stream at which someone presses Ctrl-C as soon as it is checked."""

    encoding = "utf-8"

    def isatty(self):
        raise KeyboardInterrupt


@pytest.mark.filterwarnings("ignore")
def test_an_interrupt_while_the_bar_is_made_ends_the_job_too(running, connected, monkeypatch):
    running.faults.add("latency", operation="/v2/translate", seconds=0.05)
    texts = pd.Series([f"text number {number}" for number in range(5000)])
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stderr", Interrupting())
        with pytest.raises(KeyboardInterrupt, match="of 5,000 rows are done and stored"):
            texts.svc.translate("DE", source_lang="EN")
    assert svc_nb.last_run().done()
    assert svc_nb.last_run().progress.stopped == "interrupted"
    assert answers(running) < 100
