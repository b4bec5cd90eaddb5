"""Files larger than a block: each text is paid for once, a killed command goes on, and memory holds a block."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from svc_nb.engine.store import Store
from tests import forked
from tests.counters import TRANSLATE
from tests.waiting import until

BLOCK = 131_072
COMMAND = ["--columns", "text", "--to", "DE"]
PEAK = """
import resource, sys
from pathlib import Path
from svc_nb.cli import main
from svc_nb.tabular.streaming import parquet, source

parquet.ROWS, source.CHARACTERS = 10_000, 500_000
assert main(sys.argv[1:]) == 0
status = Path("/proc/self/status")
if status.exists():  # what a process that is started from another has as its own peak is that of the other one
    print(next(line.split()[1] for line in status.read_text().splitlines() if line.startswith("VmHWM:")))
else:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.fixture
def small(monkeypatch):
    """Blocks are of three rows."""
    monkeypatch.setattr("svc_nb.tabular.streaming.parquet.ROWS", 3)


def written(name: str, texts, **more) -> Path:
    """A file of *texts*: in the form that its name says."""
    path = Path(name)
    if path.suffix == ".parquet":
        pq.write_table(pa.table({"id": list(range(len(texts))), "text": texts, **more}), path)
    elif path.suffix == ".jsonl":
        path.write_text("".join(f'{{"id": {place}, "text": "{text}"}}\n' for place, text in enumerate(texts)))
    else:
        path.write_text("id,text\n" + "".join(f"{place:07},{text}\n" for place, text in enumerate(texts)))
    return path


def read(path: str, column: str = "text_DE") -> list[str | None]:
    if path.endswith(".parquet"):
        return pq.read_table(path)[column].to_pylist()
    with open(path, newline="") as file:
        return [row[column] for row in csv.DictReader(file)]


def translate(shell, source, *words):
    ended = shell("translate", source, *COMMAND, "--json", *words)
    return ended, json.loads(ended.out) if ended.out.startswith("{") else {}


def spent(running) -> int:
    return sum(running.state.ledger.spent().values())


def characters(texts) -> int:
    return sum(len(text) for text in set(texts) if text)


TEXTS = [None if number % 7 == 0 else f"word {number % 5} of many" for number in range(30)]


@pytest.mark.long
@pytest.mark.parametrize("most", [1 << 26, 0], ids=["kept in memory", "forgotten at once"])
def test_a_text_of_many_blocks_is_paid_for_once_and_told_as_paid(shell, running, small, monkeypatch, most):
    monkeypatch.setattr("svc_nb.cli.file_job.ResultCache.__init__.__defaults__", (most,))
    source = written("a.parquet", TEXTS)
    _, counts = translate(shell, source)
    cells = sum(text is not None for text in TEXTS)
    assert (counts["cells"], counts["done"], counts["skipped"]) == (30, cells, 30 - cells)
    assert (counts["from_store"], counts["failed"], counts["unsent"]) == (0, 0, 0)
    assert counts["billed_characters"] == spent(running) == characters(TEXTS)
    assert read("a.de.parquet") == [text and f"[DE] {text}" for text in TEXTS]
    _, counts = translate(shell, source)
    assert (counts["done"], counts["from_store"], counts["billed_characters"]) == (cells, cells, 0)


def test_what_is_known_is_not_asked_for_again(shell, running, small):
    written("a.parquet", ["the same text", "123"] * 30)
    assert shell("translate", "a.parquet", *COMMAND).code == 0
    assert running.traffic.answered[TRANSLATE, 200] == 1


def test_several_columns_share_their_texts(shell, running, small):
    written("a.parquet", TEXTS, title=TEXTS[::-1])
    ended = shell("translate", "a.parquet", "--columns", "text", "title", "--to", "DE", "FR", "--json")
    counts = json.loads(ended.out)
    assert (counts["cells"], counts["billed_characters"]) == (120, 2 * characters(TEXTS))
    assert read("a.de.fr.parquet", "title_FR") == [text and f"[FR] {text}" for text in TEXTS[::-1]]


def test_a_plan_counts_every_text_of_the_file_once(shell, running, small):
    source = written("a.parquet", [*TEXTS, "123", "123", "123", "123"])
    _, plan = translate(shell, source, "--plan", "--price", "20")
    assert (plan["rows"], plan["unique"], plan["characters"]) == (34, 5, characters(TEXTS))
    assert plan["skipped"] == {"missing": 5, "no_letters": 4}
    assert plan["cost"] == pytest.approx(characters(TEXTS) * 20 / 1_000_000)
    assert translate(shell, source, "--plan", "--budget", "30")[1]["over_budget"] == 3
    assert running.traffic.answered[TRANSLATE, 200] == 0
    assert shell("translate", source, *COMMAND).code == 0
    plan = translate(shell, source, "--plan")[1]
    assert (plan["unique"], plan["stored"], plan["characters"]) == (5, 5, 0)


def test_the_budget_is_one_for_all_blocks(shell, running, small):
    source = written("a.parquet", TEXTS)
    ended, _ = translate(shell, source, "--budget", "30")
    assert ended.code == 1
    assert "over the budget" in ended.line
    assert "nothing was written" in ended.line
    assert 0 < spent(running) <= 30
    assert not Path("a.de.parquet").exists()
    ended, counts = translate(shell, source, "--budget", "0", "--partial", "-q")
    assert ended.code == 1
    assert counts["done"] + counts["unsent"] + counts["skipped"] == 30
    cells = read("a.de.parquet")
    assert cells.count(None) == counts["unsent"] + TEXTS.count(None)
    assert translate(shell, source)[0].code == 0
    assert spent(running) == characters(TEXTS)


def test_a_spent_quota_ends_the_run_and_the_next_one_goes_on(shell, running, small):
    source = written("a.parquet", [f"sentence number {number}" for number in range(30)])
    running.faults.add("quota", operation="/v2/translate", characters=150)
    ended, _ = translate(shell, source)
    assert ended.code == 1
    assert "left when the quota was spent" in ended.line
    paid = spent(running)
    ended, counts = translate(shell, source, "--partial", "-q")
    assert ended.code == 1
    assert 0 < counts["done"] == 30 - counts["unsent"] < 30
    assert read("a.de.parquet").count(None) == counts["unsent"]
    assert spent(running) == paid
    running.faults.clear()
    assert translate(shell, source)[0].code == 0
    assert spent(running) == characters(f"sentence number {number}" for number in range(30))


def test_languages_are_counted_over_all_blocks(shell, running, small):
    german, english = "Das ist ein schöner Tag heute", "This is a fine day, my friend"
    written("a.parquet", [german, None, english, english] * 5)
    ended = shell("detect", "a.parquet", "--column", "text", "--write", "--json")
    assert {row["language"]: row["texts"] for row in json.loads(ended.out)} == {
        "DE": 5,
        "EN": 10,
        "(none)": 5,
    }
    assert read("a.lang.parquet", "text_lang") == ["DE", None, "EN", "EN"] * 5
    assert running.traffic.answered["POST /v3/detect/language", 200] == 1


def test_a_device_is_refused_before_anything_is_paid(shell, running):
    source = written("a.csv", ["some text"])
    ended = shell("translate", source, *COMMAND, "--out", os.devnull, "--replace")
    assert ended.code == 1
    # Without root, the error is about the folder: it is checked first.
    assert re.search(r"is not a regular file but a device or the like|nothing can be written in the folder", ended.line)
    assert spent(running) == 0


def test_cells_that_fail_are_told_by_their_place_in_the_file(shell, running, small):
    texts = [f"sentence number {number}" for number in range(10)]
    Path("a.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in [*texts, "half \ud800"]))
    words = ["translate", "a.jsonl", "--columns", "text", "--to", "DE", "FR", "-q"]
    ended = shell(*words)
    assert ended.code == 1
    assert "20 of 22 cells are done, 2 failed (line 11: The text contains half of a surrogate pair" in ended.line
    assert shell(*words, "--partial").code == 1
    assert json.loads(Path("a.de.fr.jsonl").read_text().splitlines()[10])["text_FR"] is None


def test_what_fails_for_all_ends_the_run_at_the_first_block(shell, running, small):
    written("a.parquet", [f"Das ist der Satz Nummer {number}." for number in range(300)])
    ended = shell("translate", "a.parquet", "--columns", "text", "--to", "EN-US", "--formality", "more")
    assert ended.code == 1
    assert sum(running.traffic.answered.values()) < 10


def test_a_file_that_is_changed_meanwhile_is_told_and_nothing_is_written(shell, running, small):
    source = written("a.parquet", [f"sentence number {number}" for number in range(30)])
    running.faults.add("latency", operation="/v2/translate", seconds=0.02)

    def change() -> None:
        until(lambda: running.traffic.answered[TRANSLATE, 200])
        with source.open("ab") as file:
            file.write(b"more")

    thread = threading.Thread(target=change)
    thread.start()
    ended = shell("translate", source, *COMMAND)
    thread.join()
    assert ended.code == 1
    assert "a.parquet was changed while it was read, so nothing was written" in ended.line
    assert sorted(Path().glob("*.parquet")) + sorted(Path().glob(".a*")) == [source]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes in folders")
def test_a_pipe_with_a_name_is_read_as_a_file(shell):
    os.mkfifo("a.csv")
    writer = threading.Thread(target=lambda: Path("a.csv").write_text("text\nA fine day\n"))
    writer.start()
    assert shell("translate", "a.csv", *COMMAND).code == 0
    writer.join()
    assert read("a.de.csv") == ["[DE] A fine day"]


def child(*words, **how) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "svc_nb", "translate", *words]
    return forked.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **how)


def parts(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.suffix == ".part"]


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_a_killed_command_goes_on_where_it_was_and_leaves_nothing_behind(shell, running, tmp_path, form):
    texts = [f"first {number % 50}" for number in range(BLOCK)] + [f"then {n}" for n in range(5000)]
    source = written(f"big.{form}", texts)
    target = Path(f"big.de.{form}")
    running.faults.add("latency", operation="/v2/translate", seconds=0.03)
    with child(source, *COMMAND) as process, closing(Store(os.environ["SVC_STORE"])) as store:
        # One block is written, and of the next one some is answered: then nothing more is, until all that was
        # answered is in the store.
        until(lambda: any(path.stat().st_size > BLOCK for path in parts(tmp_path)), process=process)
        running.faults.add("status", operation="/v2/translate", status=429, retry_after=0)
        until(lambda: running.traffic.answered[TRANSLATE, 429] > 10 and not target.exists(), process=process)
        until(lambda: sum(each.billed for each in store.charges()) == spent(running), process=process)
        process.send_signal(signal.SIGKILL)
        process.communicate()
    assert 0 < spent(running) < characters(texts)
    assert not target.exists()
    assert len(parts(tmp_path)) == 1
    running.faults.clear()
    ended, counts = translate(shell, source)
    assert ended.code == 0
    assert spent(running) == characters(texts)
    assert 0 < counts["from_store"] < counts["done"] == len(texts)
    assert read(str(target)) == [f"[DE] {text}" for text in texts]
    assert parts(tmp_path) == []


@pytest.mark.long
def test_what_another_process_is_writing_is_left_alone(shell, running, tmp_path):
    source = written("a.csv", ["Guten Tag"])
    running.faults.add("latency", operation="/v2/translate", seconds=1)
    with child(source, *COMMAND) as process:
        until(lambda: parts(tmp_path), process=process)
        (part,) = parts(tmp_path)
        assert shell("translate", source, *COMMAND, "--plan").code == 0
        assert shell("translate", source, *COMMAND).code == 0
        assert part.exists() or process.wait() == 0
        process.communicate()
    assert process.returncode == 0
    assert parts(tmp_path) == []


@pytest.mark.long
@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_ctrl_c_between_blocks_says_how_much_is_done(shell, running, tmp_path, form):
    texts = [f"first {number % 50}" for number in range(BLOCK)] + [f"then {n}" for n in range(5000)]
    source = written(f"big.{form}", texts)
    running.faults.add("latency", operation="/v2/translate", seconds=0.03)
    running.faults.add("capacity", operation="/v2/translate", limit=2, status=429, retry_after=0)
    with child(source, *COMMAND) as process:
        until(lambda: any(path.stat().st_size > BLOCK for path in parts(tmp_path)), process=process)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert f"of {len(texts):,} cells are done and stored" in err
    assert "Traceback" not in err
    assert sorted(tmp_path.glob("big.*")) == [tmp_path / source]
    assert parts(tmp_path) == []
    running.faults.clear()
    assert shell("translate", source, *COMMAND).code == 0
    assert spent(running) == characters(texts)


@pytest.mark.long
@pytest.mark.parametrize("form", ["parquet", "csv", "jsonl"])
def test_memory_holds_a_block_and_not_the_file(shell, form):
    peaks = []
    for rows in (20_000, 120_000):
        texts = [f"{number % 100} of the words that are many" for number in range(rows)]
        source = written(f"a{rows}.{form}", texts)
        words = [sys.executable, "-c", PEAK, "translate", source, *COMMAND, "-q"]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        peaks.append(int(done.stdout.split()[-1]))
    assert peaks[1] < 1.3 * peaks[0]
