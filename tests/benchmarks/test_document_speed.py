"""A folder of 200 small documents against one by one with the `deepl` client, and the memory of a large upload."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import deepl
import pytest

from svc_nb import documents, session
from svc_nb.secret import Secret
from svc_nb.settings import Settings
from tests.benchmarks.bench import Remote
from tests.sessions import current

MANY = 200
ONE_BY_ONE = 10
LATENCY = 0.08
HEAD = """# Documents

Written by `make bench`: the embedded service in a process of its own, every answer 80 ms late.

"""
LINES: list[str] = []


@pytest.fixture(scope="module", autouse=True)
def results():
    yield
    Path(__file__).with_name("documents.md").write_text(HEAD + "\n".join(LINES) + "\n")


@pytest.fixture
def remote(tmp_path):
    far = Remote()
    far.add("latency", operation="*", seconds=LATENCY)
    store = str(tmp_path / "store" / "answers.sqlite")
    settings = Settings(base_url=far.base_url, api_key=Secret(far.api_key), store=store)
    with current(session.Session(settings)):
        yield far
    far.stop()


def told(line: str) -> None:
    LINES.append(f"- {line}")
    print("\n" + LINES[-1])


def letters(folder: Path) -> Path:
    folder.mkdir()
    for number in range(MANY):
        (folder / f"letter{number}.txt").write_text(f"Guten Tag, hier ist Nummer {number}.\n" * 20)
    return folder


def test_200_small_documents_go_at_the_gates_speed(remote, tmp_path):
    source = letters(tmp_path / "in")
    begun = time.perf_counter()
    table = documents.translate(source, target_lang="EN-GB", source_lang="DE", out=tmp_path / "out", progress=False)
    together = time.perf_counter() - begun
    assert set(table["status"]) == {"done"}
    begun = time.perf_counter()
    client = deepl.DeepLClient(remote.api_key, server_url=remote.base_url)
    for number in range(ONE_BY_ONE):
        name = f"letter{number}.txt"
        client.translate_document_from_filepath(
            source / name, tmp_path / f"one-{name}", target_lang="EN-GB", source_lang="DE"
        )
    client.close()
    apart = (time.perf_counter() - begun) / ONE_BY_ONE * MANY
    told(
        f"{MANY} documents together: {together:.1f} s; one by one with deepl: {apart:.0f} s ({apart / together:.0f} x)"
    )
    assert together < apart / 5


CHILD = """
import sys
from pathlib import Path
import svc_nb
from svc_nb import documents

where = Path(sys.argv[1])
svc_nb.connect()
(where / "small.txt").write_text("Guten Tag.")
documents.translate(where / "small.txt", target_lang="EN-GB", out=where / "out", progress=False)

def kilobytes(name):
    return int(Path("/proc/self/status").read_text().partition(name + ":")[2].split()[0])

Path("/proc/self/clear_refs").write_text("5")  # the peak counts from here
before = kilobytes("VmRSS")
job = documents.start(where / "large.docx", target_lang="EN-GB", out=where / "out")
table = job.result(errors="coerce")
print(table["document_id"].notna().all(), kilobytes("VmHWM") - before)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells the peak of a part")
def test_an_upload_of_100_mb_needs_less_than_20_mb_of_memory(remote, tmp_path):
    with open(tmp_path / "large.docx", "wb") as stream:
        stream.truncate(100_000_000)
    environ = {name: value for name, value in os.environ.items() if not name.startswith("SVC_")}
    environ |= {"SVC_BASE_URL": remote.base_url, "SVC_API_KEY": remote.api_key}
    environ |= {"SVC_STORE": str(tmp_path / "child" / "answers.sqlite")}
    child = subprocess.run(
        [sys.executable, "-c", CHILD, str(tmp_path)], env=environ, capture_output=True, text=True, check=True
    )
    uploaded, grown = child.stdout.split()
    told(f"100 MB uploaded: {int(grown) / 1000:.1f} MB more memory (bound 20)")
    assert uploaded == "True"
    assert int(grown) < 20_000
