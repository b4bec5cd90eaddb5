"""When Spark's executors must send: a job for each part, so many at once, and what each task may send at once.

Spark has no gate that all tasks share. So no more tasks are begun at once than may be, and each gets its share of the
requests: with `fleet=16` there are four tasks with four requests each, or, where Spark has only two slots (its default
parallelism), two tasks with eight. A task that Spark begins anew, because a worker was lost, finds what was answered
before in the store of its machine; only what was lost together with a machine's disk is paid for again, at most the
parts that were under way there.
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
# What Spark hides of itself, where it is not told.
REDACTED = "(?i)secret|password|token|access[.]?key"
NOTHING = "(?!)"
SHOWN = (
    "Spark shows its setting {name} to all who see its pages, and writes it to its event log, and a key stands in it. "
    "Put the key into the config file of each machine instead, or set it in the environment of the workers there; or "
    "have Spark hide it: spark.redaction.regex=(?i)secret|password|token|access[.]?key|svc_.*key"
)
DOUBLED = (
    "spark.speculation with spark.speculation.task.duration.threshold begins slow tasks twice, which would then send, "
    "and pay for, the same texts: unset one of the two."
)
LACKING = "The Python of the executors lacks {name}: install svc_nb there too, and what it needs for Spark ({command})."


def sent(session: Any, order: WorkOrder, parts: Sequence[Part], most: int, halted: Callable[[], bool]) -> Deliveries:
    """Have the executors send *parts*, with at most *most* requests at once in all."""
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
        pool.shutdown(cancel_futures=True)  # nobody is to send when this has ended
    if problem:
        raise problem


def task(order: WorkOrder) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """What Spark pickles and passes on to its executors: the order, and where the code is."""
    return partial(_carry_out, order)


def refuse_shown(found: Mapping[str, str]) -> None:
    """Raise SettingsError where a key stands in a setting that Spark shows, or where tasks may be begun twice."""
    try:
        hidden = re.compile(found.get("spark.redaction.regex", REDACTED))
    except re.error:  # only Java understands it: then it hides nothing, as far as is known
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
    """What came of a part, as one executor brings it."""
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
    """Runs on an executor. An error of ours is brought back: Spark would only begin the task again, three times."""
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
