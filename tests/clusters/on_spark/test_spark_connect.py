"""Spark Connect, whose frames are of another class: in a process of its own, since a process has one kind of Spark."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.clusters.on_spark import java
from tests.clusters.on_spark.sparks import JAVA_OPTIONS

ROOT = Path(__file__).parents[3]
CONNECT = """
    import os, sys, warnings

    warnings.simplefilter("ignore")
    import pyarrow as pa
    from pyspark.sql import SparkSession

    import svc_nb
    from tests.clusters.cases import cells, rows

    def equal(session):
        table = rows(times=2)
        frame = session.createDataFrame(pa.Table.from_pandas(table, preserve_index=False))
        made = frame.svc.translate(["text", "title"], "DE", source_lang="lang", progress=False).orderBy("n").collect()
        want = svc_nb.translate(table, ["text", "title"], "DE", source_lang="lang", progress=False)
        for name in ("text_DE", "title_DE"):
            assert [row[name] for row in made] == cells(want[name])

    def sent(session):
        frame = session.range(60).selectExpr("concat('Qx ', cast(id % 20 as string)) text")
        made = frame.svc.translate("text", "DE", fleet=2, progress=False)
        assert made.filter("text_DE = concat('[DE] ', text)").count() == 60

    def refused(session):
        from svc_nb.clusters.join_table import JoinTable

        JoinTable.__init__.__kwdefaults__["most_bytes"] = 1
        try:
            session.sql("select 'Guten Tag' text").svc.translate("text", "DE", progress=False)
        except ValueError as problem:
            assert "staging=" in str(problem)
        else:
            raise AssertionError("the files of this machine were taken for the server's")

    service = svc_nb.connect().service
    os.environ |= {"SVC_API_KEY": service.api_key, "SVC_BASE_URL": service.base_url}
    session = SparkSession.builder.remote("local[2]").config("spark.sql.shuffle.partitions", "2").getOrCreate()
    try:
        for law in (equal, sent, refused):
            law(session)
    finally:
        session.stop()
    print("all")
"""


@pytest.mark.long
def test_a_frame_of_spark_connect_can_do_the_same(tmp_path):
    java.needed()
    script = tmp_path / "connect.py"
    script.write_text(textwrap.dedent(CONNECT))
    own = {
        **os.environ,
        **JAVA_OPTIONS,
        "PYTHONPATH": str(ROOT),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "HOME": str(tmp_path),
        "XDG_DATA_HOME": str(tmp_path),
    }
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, env=own, cwd=tmp_path, timeout=240
    )
    assert done.stdout.splitlines()[-1:] == ["all"], done.stderr[-2000:]
