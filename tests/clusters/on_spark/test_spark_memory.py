"""What this process holds of a large table on Spark: its different texts, never its rows."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.clusters.on_spark import java

ROOT = Path(__file__).parents[3]
# Spark itself refuses to bring more than this to the driver in one job.
MOST_BROUGHT = "1m"
MEMORY = """
    import json, resource, sys, warnings
    from pathlib import Path

    warnings.simplefilter("ignore")
    import svc_nb
    from tests.clusters.on_spark.sparks import started

    def grown(session, rows):
        table = session.range(0, rows, 1, 4).selectExpr(
            "concat('Satz ', cast(id % 2000 as string), ' mit einigen Worten mehr') text", "id n"
        )
        made = svc_nb.translate(table, "text", "FR", progress=False)
        [[number, done]] = made.selectExpr("count(*)", "count(text_FR)").collect()
        assert number == done == rows
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

    svc_nb.connect()
    with started(Path(sys.argv[1]), **{"spark.driver.maxResultSize": sys.argv[2]}) as session:
        first = grown(session, 10_000)
        print(json.dumps(grown(session, 2_000_000) - first))
"""


@pytest.mark.long
def test_memory_here_does_not_grow_with_the_rows(tmp_path):
    java.needed()
    script = tmp_path / "memory.py"
    script.write_text(textwrap.dedent(MEMORY))
    own = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    own.pop("SVC_STORE", None)
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path), MOST_BROUGHT],
        capture_output=True,
        text=True,
        env=own,
        cwd=tmp_path,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(done.stdout.splitlines()[-1]) < 2_000_000 * 40 / 8  # the rows are 40 bytes each
