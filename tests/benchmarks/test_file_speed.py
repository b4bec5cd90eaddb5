"""A large file through `svc-nb translate`, beside reading, translating and writing it with pandas: ratios in one run.

Every command runs in a process of its own against the service in another one; `files.md` is written anew by each run.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

from tests.benchmarks.bench import Remote, column

UNIQUE = 20_000
HEAD = """# Large files on the command line

Written by `make bench` on two cores: `svc-nb translate` on files with 20,000 different texts of about 75 characters, a
number and a price, against pandas (read, `.svc.translate`, write). The service is the embedded one, in a process of its
own; both begin with an empty store. Ratios compare within one run; seconds depend on the machine. The peak is that of
the whole process.

"""
LINES: list[str] = []
MEASURE = """
import sys, time, warnings
from pathlib import Path

warnings.simplefilter("ignore")
{imports}
started = time.perf_counter()
{work}
wall = time.perf_counter() - started
status = Path("/proc/self/status").read_text().splitlines()
peak = next(line.split()[1] for line in status if line.startswith("VmHWM:"))
print(wall, int(peak) / 1024)
"""
COMMAND = MEASURE.format(
    imports="from svc_nb.cli import main",
    work='assert main(["translate", *sys.argv[1:2], *"--columns review --to FR -q --out".split(), sys.argv[2]]) == 0',
)
PANDAS = MEASURE.format(
    imports="import pandas as pd, svc_nb; svc_nb.connect()",
    work="""
source, target = map(Path, sys.argv[1:])
form = source.suffix[1:]
table = getattr(pd, f"read_{form}")(source)
table["review_FR"] = table["review"].svc.translate("FR", progress=False)
getattr(table, f"to_{form}")(target, index=False)
""",
)


class Cost(NamedTuple):
    """Seconds, and megabytes at the peak."""

    wall: float
    peak: float


@pytest.fixture(scope="module", autouse=True)
def results():
    yield
    Path(__file__).with_name("files.md").write_text(HEAD + "\n".join(LINES) + "\n")


@pytest.fixture(scope="module")
def remote():
    started = Remote()
    yield started
    started.stop()


@pytest.fixture
def cost(remote, tmp_path):
    """What a script costs on a file, with a store of its own; the characters that it is billed are checked."""

    def measured(script: str, source: Path) -> Cost:
        place = tmp_path / f"{len(list(tmp_path.iterdir()))}"
        place.mkdir()
        target = place / f"out{source.suffix}"
        settings = {
            "SVC_BASE_URL": remote.base_url,
            "SVC_API_KEY": remote.api_key,
            "SVC_STORE": str(place / "answers.sqlite"),
            "XDG_DATA_HOME": str(place),
            "XDG_CONFIG_HOME": str(place),
        }
        before = remote.counts().billed
        words = [sys.executable, "-c", script, str(source), str(target)]
        done = subprocess.run(words, env={**os.environ, **settings}, capture_output=True, text=True, check=True)
        assert remote.counts().billed - before == sum(map(len, column(UNIQUE, UNIQUE)))
        return Cost(*map(float, done.stdout.splitlines()[-1].split()))

    return measured


def file(folder: Path, rows: int, form: str) -> Path:
    source = folder / f"{rows}.{form}"
    prices = np.random.default_rng(1).random(rows)
    table = pd.DataFrame({"id": np.arange(rows), "review": column(rows, UNIQUE), "price": prices})
    getattr(table, f"to_{form}")(source, index=False)
    return source


@pytest.mark.parametrize(("form", "rows", "bound"), [("parquet", 2_000_000, 2.0), ("csv", 1_000_000, 2.5)])
def test_a_file_takes_little_longer_than_with_pandas(cost, tmp_path, form, rows, bound):
    source = file(tmp_path, rows, form)
    cost(COMMAND, file(tmp_path, UNIQUE, form))  # the first request of all loads the language detector
    theirs, ours = cost(PANDAS, source), cost(COMMAND, source)
    LINES.append(
        f"- {form}, {rows:,} rows: {ours.wall:.1f} s, {ours.peak:.0f} MB; pandas {theirs.wall:.1f} s, "
        f"{theirs.peak:.0f} MB; {ours.wall / theirs.wall:.2f} x the time (bound {bound})"
    )
    assert ours.wall < bound * theirs.wall


@pytest.mark.parametrize(("form", "rows"), [("parquet", 1_000_000), ("csv", 250_000)])
def test_four_times_the_rows_take_no_more_memory(cost, tmp_path, form, rows):
    small, large = (cost(COMMAND, file(tmp_path, times * rows, form)) for times in (1, 4))
    LINES.append(
        f"- {form}, from {rows:,} to {4 * rows:,} rows: {small.peak:.0f} to {large.peak:.0f} MB, "
        f"{large.peak / small.peak:.2f} x (bound 1.3); {small.wall:.1f} to {large.wall:.1f} s"
    )
    assert large.peak < 1.3 * small.peak
