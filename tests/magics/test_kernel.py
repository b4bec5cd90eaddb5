"""In a real kernel, as JupyterLab talks to it: outputs, completion, help, errors, the stop button, and no key in it."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Callable, Iterator

import pytest

from svc_nb import service
from tests.kernel import Kernel, started
from tests.toy import TOY
from tests.waiting import until


@pytest.fixture(scope="module")
def served() -> Iterator[service.Service]:
    """A service in this process, which the kernel reaches by its address."""
    with service.start(memory=True, translators=TOY) as started:
        yield started


@pytest.fixture(scope="module")
def kernel(served, tmp_path_factory) -> Iterator[Kernel]:
    with started(served, tmp_path_factory.mktemp("kernel")) as kernel:
        assert kernel.runs("%load_ext svc_nb")["reply"]["status"] == "ok"
        assert "connected with" in kernel.runs("%svc connect")["execute_result"]["data"]["text/plain"]
        yield kernel


def test_a_cell_is_shown_as_html_and_as_text(kernel):
    data = kernel.runs("%%translate DE\nThe **dog** <script>x</script>")["execute_result"]["data"]
    assert data["text/plain"].startswith("[DE] The **dog**")
    assert "<strong>dog</strong>" in data["text/html"]
    assert "<script" not in data["text/html"]


def test_an_error_is_one_line_and_stops_what_comes_after(kernel, served):
    slip = kernel.runs("%svc statsu")
    assert slip["reply"]["status"] == "error"
    assert slip["stream"]["text"] == "UsageError: %svc has no command 'statsu'. Did you mean status?\n"
    served.faults.add("quota", operation="/v2/translate", characters=0)
    refused = kernel.runs("%svc translate 'the cat' --to DE")
    served.faults.clear()
    assert refused["reply"]["status"] == "error"
    assert len(refused["error"]["traceback"]) == 1
    assert refused["error"]["traceback"][0].startswith("QuotaExceeded: 456")
    assert "\n" not in refused["error"]["traceback"][0]


def test_lines_are_completed_with_the_names_of_languages(kernel):
    line = "%%translate Ger"
    reply = kernel.asked("complete", line, len(line))
    assert reply["matches"] == ["DE"]
    assert line[: reply["cursor_start"]] == "%%translate "
    (kind,) = reply["metadata"]["_jupyter_types_experimental"]
    assert kind["type"] == "German"


def test_help_is_a_tab_away(kernel):
    shown = kernel.asked("inspect", "%svc", 4)["data"]["text/plain"]
    assert "%svc translate df.review --to DE --as german" in shown
    payload = kernel.runs("%svc?")["reply"]["payload"][0]["data"]["text/plain"]
    assert "%svc status" in payload


def test_the_status_has_a_table_and_nothing_that_was_said_holds_a_key(kernel, served):
    status = kernel.runs("%svc status")["execute_result"]["data"]
    assert "set, with an administrator key" in status["text/plain"]
    assert "<table>" in status["text/html"]
    kernel.runs("%svc usage")
    kernel.runs("%history -n")
    said = json.dumps(kernel.said, default=str)
    assert "%svc usage" in said
    for key in (served.api_key, served.admin_key):
        assert key not in said


def test_a_key_can_be_asked_for_unseen(kernel, served):
    line = f"%svc connect --ask --base-url {served.base_url}"
    assert "UsageError: there is no way to type a key here" in kernel.runs(line)["stream"]["text"]
    assert "connected with" in kernel.runs(line, typed=served.api_key)["execute_result"]["data"]["text/plain"]
    wrong = kernel.runs(line, typed="abcdef-wrong")["execute_result"]["data"]["text/plain"]
    assert "refused by" in wrong
    kernel.runs("%history -n")
    kernel.runs("svc_nb_names = sorted(str(v) for v in globals().copy().values())")
    kernel.runs("print(svc_nb_names)")
    said = json.dumps(kernel.said, default=str)
    assert served.api_key not in said
    assert "abcdef-wrong" not in said
    kernel.runs("%svc connect")


PAID = "svc_nb.session.current().client.account.usage().character_count"
TEXTS = [f"The dog number {number}" for number in range(150)]  # three requests


@pytest.fixture
def slow(kernel, served) -> Iterator[Callable[[], bool]]:
    """A service that takes its time, asked one request after the other; tells whether it was asked a second time."""
    kernel.runs(f"import svc_nb, pandas as pd\nsvc_nb.connect(pool_size=1)\ntexts = pd.Series({TEXTS})")
    fault = served.faults.add("latency", seconds=0.3, operation="/v2/translate")
    yield lambda: served.faults.taken(fault) > 1
    served.faults.clear()
    kernel.runs("%svc connect")


def test_a_stopped_column_keeps_what_is_done_and_the_rest_is_paid_once(kernel, served, slow):
    before = int(kernel.prints(PAID))
    (line,) = kernel.stops("%svc translate texts --to DE --as german", slow)["error"]["traceback"]
    done = int(kernel.prints("svc_nb.last_run().partial().notna().sum()"))
    assert 0 < done < len(TEXTS)
    assert line.startswith(f"KeyboardInterrupt: {done} of 150 rows are done and stored (")
    assert line.endswith("; run it again to continue, or see svc_nb.last_run().partial()")
    assert kernel.prints("'german' in globals()") == "False", "nothing half gets a name"
    served.faults.clear()
    kernel.runs("%svc translate texts --to DE --as german")
    assert kernel.prints("german.notna().all()") == "True"
    assert int(kernel.prints(PAID)) - before == sum(map(len, TEXTS))


def test_a_stopped_cell_says_so_in_one_line_and_the_rest_is_paid_once(kernel, served, slow):
    before = int(kernel.prints(PAID))
    cell = "%%translate FR --as french\n" + "\n".join(f"- {text}" for text in TEXTS)
    (line,) = kernel.stops(cell, slow)["error"]["traceback"]
    assert re.match("KeyboardInterrupt: (50|100) of 150 texts are done and stored ", line)
    assert kernel.prints("'french' in globals()") == "False", "nothing half gets a name"
    served.faults.clear()
    kernel.runs(cell)
    assert kernel.prints("french.count('[FR]')") == str(len(TEXTS))
    assert int(kernel.prints(PAID)) - before == sum(map(len, TEXTS))


@pytest.mark.usefixtures("slow")
def test_run_all_ends_with_the_cell_that_is_stopped_and_that_one_pays_for_the_rest_when_run_again(kernel, served):
    kernel.runs("cats = pd.Series([f'The cat number {number}' for number in range(400)])")  # eight requests
    paid, length = int(kernel.prints(PAID)), sum(len(f"The cat number {number}") for number in range(400))
    half = served.traffic.answered["POST /v2/translate", 200] + 4
    cells = ["spanish = cats.svc.translate('ES', source_lang='EN')", "spanish.to_csv('x.csv')", "third = 1"]
    queued = [kernel.client.execute(cell) for cell in cells]
    until(lambda: served.traffic.answered["POST /v2/translate", 200] >= half)
    os.kill(kernel.manager.provisioner.pid, signal.SIGINT)
    replies = [kernel.client.get_shell_msg(timeout=60) for _ in cells]
    assert [reply["parent_header"]["msg_id"] for reply in replies] == queued
    assert [reply["content"]["status"] for reply in replies] == ["error", "aborted", "aborted"]
    assert replies[0]["content"]["ename"] == "KeyboardInterrupt"
    done = int(kernel.prints("svc_nb.last_run().progress.done"))
    assert 200 <= done < 400
    assert replies[0]["content"]["evalue"].startswith(f"{done} of 400 rows are done and stored (")
    assert kernel.prints("{'spanish', 'third'} & {*globals()}") == "set()"
    assert int(kernel.prints("svc_nb.last_run().partial().notna().sum()")) == done
    first = int(kernel.prints(PAID)) - paid
    assert 0 < first < length
    served.faults.clear()
    assert kernel.runs(cells[0])["reply"]["status"] == "ok"
    assert kernel.prints("spanish.notna().all()") == "True"
    assert int(kernel.prints(PAID)) - paid == length
    assert int(kernel.prints("svc_nb.last_run().progress.billed")) == length - first
    logged = "svc_nb.ledger().query(\"target_lang == 'ES'\")['billed_characters'].tolist()"
    assert kernel.prints(logged) == str([first, length - first])
