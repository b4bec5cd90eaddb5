"""Let Spark's executors send texts: one job per part, with limited numbers of parallel tasks and requests.

Spark has no gate that all tasks could share. So the number of parallel tasks is limited, and each gets its share of the
requests: with `fleet=16` there are four tasks with four requests each, or, if Spark has only two slots (its default
parallelism), two tasks with eight. If Spark restarts a task because a worker was lost, the task finds previous answers
in the store of its machine; only answers lost with a machine's disk are paid for again, at most the parts that were
under way there.
"""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from svc_nb.advice import install
from svc_nb.clusters.fleet import LOOK_EVERY, Deliveries, Delivery, Part, WorkOrder, send_part, shares
from svc_nb.clusters.spark.pandas_on_spark import context
from svc_nb.errors import SettingsError, SvcError
from svc_nb.session import known

if TYPE_CHECKING:
    import pyarrow as pa

KEYS = ("SVC_API_KEY", "SVC_ADMIN_KEY")
# The settings that Spark hides by default.
REDACTED = "(?i)secret|password|token|access[.]?key"
NOTHING = "(?!)"
SHOWN = (
    "The Spark setting {name} contains a key, and Spark shows its settings on its web pages and in its event log. "
    "Put the key into the config file of each machine instead, or set it in the environment of the workers there, or "
    "let Spark hide it: spark.redaction.regex=(?i)secret|password|token|access[.]?key|svc_.*key"
)
DOUBLED = (
    "spark.speculation with spark.speculation.task.duration.threshold starts slow tasks twice, which would then send, "
    "and pay for, the same texts. Unset one of the two."
)
LACKING = "{name} is missing in the Python of the executors. Install svc_nb there, with what Spark needs ({command})."


def sent(session: Any, order: WorkOrder, parts: Sequence[Part], most: int, halted: Callable[[], bool]) -> Deliveries:
    """Let the executors send *parts*, with at most *most* parallel requests in total."""
    tasks, requests = shares(most)
    slots = getattr(context(session), "defaultParallelism", tasks)
    if tasks > slots:
        tasks, requests = slots, most // slots
    told = replace(order, requests=requests)
    waiting = iter(enumerate(parts))
    under_way: dict[Future[Delivery], int] = {}
    problem: BaseException | None = None
    pool = ThreadPoolExecutor(tasks, thread_name_prefix="svc_nb-spark")
    try:
        while True:
            room = 0 if problem or halted() else tasks - len(under_way)
            for number, part in islice(waiting, room):
                under_way[pool.submit(_brought, session, told, part)] = number
            if not under_way:
                break
            for future in wait(under_way, LOOK_EVERY, FIRST_COMPLETED).done:
                number, raised = under_way.pop(future), future.exception()
                if raised is None:
                    yield number, future.result()
                problem = problem or raised
    finally:
        pool.shutdown(cancel_futures=True)  # no task may send after this has ended
    if problem:
        raise problem


def task(order: WorkOrder) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """What Spark pickles and passes to its executors: the order, and the location of the code."""
    return partial(_carry_out, order)


def refuse_shown(found: Mapping[str, str]) -> None:
    """Raise SettingsError if Spark shows a setting with a key, or may start tasks twice."""
    try:
        hidden = re.compile(found.get("spark.redaction.regex", REDACTED))
    except re.error:  # only Java understands it, so assume that it hides nothing
        hidden = re.compile(NOTHING)
    session = known()
    own = session.settings.api_key if session is not None else None
    for name, value in found.items():
        holds_key = (
            name.rpartition(".")[2] in KEYS
            or any(f"{key}=" in value for key in KEYS)
            or (own is not None and own.reveal() in value)
        )
        if holds_key and not hidden.search(name) and not hidden.search(value):
            raise SettingsError(SHOWN.format(name=name))
    if (
        found.get("spark.speculation", "false").lower() == "true"
        and "spark.speculation.task.duration.threshold" in found
    ):
        raise SettingsError(DOUBLED)


def _brought(session: Any, order: WorkOrder, part: Part) -> Delivery:
    """The outcome of a part, as returned by an executor."""
    import pyarrow as pa
    from pyspark.errors import PySparkException

    table = session.createDataFrame(pa.table({"part": pa.array([pickle.dumps(tuple(part))], pa.large_binary())}))
    try:
        [[packed]] = table.mapInArrow(task(order), "delivery binary").collect()
    except PySparkException as problem:
        lacking = re.search(r"No module named '([\w.]+)'", str(problem))
        if lacking is None:
            raise
        raise SettingsError(LACKING.format(name=lacking[1], command=install("spark"))) from None
    came = pickle.loads(packed)  # noqa: S301 - our own task packed it
    if isinstance(came, SvcError):
        raise came
    return came  # type: ignore[no-any-return]


def _carry_out(order: WorkOrder, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Runs on an executor. Our own errors are returned, because Spark would only restart the task, three times."""
    import pyarrow as pa

    for batch in batches:
        for packed in batch.column(0).to_pylist():
            part = Part(*pickle.loads(packed))  # noqa: S301 - the driver packed it
            came: Delivery | SvcError
            try:
                came = send_part(order, part)
            except SvcError as problem:
                came = problem
            yield pa.record_batch([pa.array([pickle.dumps(came)], pa.binary())], ["delivery"])
