"""A Spark on this machine for the tests of a file: quiet, small, and gone when they are over."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import psutil
import pytest

from tests.clusters.on_spark import java

QUIET = """\
rootLogger.level = off
rootLogger.appenderRef.console.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %m%n
"""
SMALL = {
    "spark.driver.memory": "1g",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
# Queries in tests are short: compile quickly, and collect garbage in one thread.
JAVA_OPTIONS = {"JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
EXECUTOR = "CoarseGrainedExecutorBackend"
# What pyspark itself says wherever it meets pandas 3.
PANDAS_3 = "ignore:PySpark does not yet fully support pandas:FutureWarning"


@contextmanager
def started(
    folder: Path, *, master: str = "local[2]", environ: dict[str, str] | None = None, **settings: str
) -> Iterator:
    """A session; with *environ* more in the environment of its Java and of its Python workers."""
    java.needed()
    from pyspark.sql import SparkSession

    (folder / "log4j2.properties").write_text(QUIET)
    with pytest.MonkeyPatch.context() as patch:
        surroundings = {
            "PYSPARK_PYTHON": sys.executable,
            "PYSPARK_DRIVER_PYTHON": sys.executable,
            "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[3]), os.environ.get("PYTHONPATH", "")]),
            "SPARK_CONF_DIR": str(folder),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "PYARROW_IGNORE_TIMEZONE": "1",
            **JAVA_OPTIONS,
            **(environ or {}),
        }
        for name, value in surroundings.items():
            patch.setenv(name, value)
        builder = SparkSession.builder.master(master).appName("tests")
        warehouse = {"spark.sql.warehouse.dir": str(folder / "warehouse"), "spark.local.dir": str(folder)}
        for name, value in {**SMALL, **warehouse, **settings}.items():
            builder = builder.config(name, value)
        ctrl_c = signal.getsignal(signal.SIGINT)
        session = builder.getOrCreate()
        try:
            yield session
        finally:
            _end(session)
            signal.signal(signal.SIGINT, ctrl_c)  # Spark's own stays there, and fails once it was stopped


def _end(session) -> None:
    """Stop the session, and the Java that it ran on."""
    from pyspark import SparkContext

    session.stop()
    gateway = SparkContext._gateway
    gateway.shutdown()
    gateway.proc.stdin.close()
    gateway.proc.wait(60)
    SparkContext._gateway = SparkContext._jvm = None


def spread(session, table: pd.DataFrame, partitions: int = 3):
    """*table* on Spark, in the same order, in several partitions."""
    import pyarrow as pa

    frame = session.createDataFrame(pa.Table.from_pandas(table, preserve_index=False))
    return frame.repartitionByRange(partitions, "n").sortWithinPartitions("n") if partitions > 1 else frame


def listed(frame, *names: str) -> list[tuple]:
    """The rows of a frame as tuples, in the order in which they come."""
    return [tuple(row) for row in frame.select(*(f"`{name.replace('`', '``')}`" for name in names)).collect()]


def processes(session, sign: str) -> list[psutil.Process]:
    """What runs below the Java of *session* and has *sign* in its command line."""
    java = psutil.Process(session.sparkContext._gateway.proc.pid)
    alive = [each for each in java.children(recursive=True) if each.status() != psutil.STATUS_ZOMBIE]
    return [each for each in alive if sign in " ".join(each.cmdline())]


def killing(armed: Path) -> Callable:
    """For mapInArrow: rows as they are; the first task that finds the file *armed* ends its executor in the middle."""

    def passed(batches):
        for batch in batches:
            yield batch
            try:
                armed.unlink()
            except FileNotFoundError:
                continue
            [executor] = [each for each in psutil.Process().parents() if EXECUTOR in " ".join(each.cmdline())]
            os.kill(executor.pid, signal.SIGKILL)

    return passed
