"""Executors that send themselves, workers that are killed meanwhile, and a key that is on no page and in no log."""

from __future__ import annotations

import os
import signal
import threading
import time
import venv
from pathlib import Path

import psutil
import pytest
import requests

import svc_nb
from svc_nb.clusters.fleet import FleetJob, Part, WorkOrder
from svc_nb.clusters.spark import fleet
from svc_nb.columns.selection import CountedTexts
from svc_nb.errors import QuotaExceeded, SettingsError
from svc_nb.service.faults import Fault
from tests.clusters.on_spark.sparks import PANDAS_3, listed, processes, started
from tests.counters import TRANSLATE
from tests.waiting import until

pytestmark = [pytest.mark.long, pytest.mark.filterwarnings(PANDAS_3)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("spark")


@pytest.fixture(scope="module")
def spark(folder, lasting):
    """Workers have the key in their own environment, and so has the driver; all that Spark tells of itself is on."""
    own = {
        "SVC_API_KEY": lasting.api_key,
        "SVC_BASE_URL": lasting.base_url,
        "SVC_STORE": str(folder / "workers.sqlite"),
        "SVC_FIRST_WAIT": "0.01",
    }
    (folder / "events").mkdir()
    settings = {
        "spark.ui.enabled": "true",
        "spark.ui.port": "0",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.compress": "false",
        "spark.eventLog.dir": f"file:{folder / 'events'}",
    }
    with started(folder, master="local[2,3]", environ=own, **settings) as session:
        svc_nb.clusters.register()
        yield session


def sentences(spark, word: str, number: int):
    """Each of *number* different sentences in three rows, and how many characters they have."""
    frame = spark.range(number * 3).selectExpr(f"concat('{word} ', cast(id % {number} as string)) text", "id n")
    return frame, sum(len(f"{word} {each}") for each in range(number))


def is_right(made, number: int) -> bool:
    cells = listed(made, "text", "text_DE")
    return len(cells) == number * 3 and all(cell == f"[DE] {text}" for text, cell in cells)


def test_executors_send_each_text_once_and_never_more_than_they_may(spark, running, counters, connected, monkeypatch):
    monkeypatch.setattr("svc_nb.clusters.fleet.TEXTS_A_PART", 100)
    frame, characters = sentences(spark, "Qxa", 500)
    running.faults.add(Fault("latency", TRANSLATE, seconds=0.05))
    made = frame.svc.translate("text", "DE", fleet=3, progress=False)
    assert 0 < running.traffic.peak <= 3
    running.faults.clear()
    assert is_right(made, 500)
    assert is_right(made.orderBy("text_DE"), 500)
    assert counters.characters == characters
    frame.svc.translate("text", "DE", fleet=3, progress=False).collect()
    assert counters.characters == characters
    assert connected.gate.peak == 0


def test_a_killed_worker_costs_nothing(spark, running, counters, monkeypatch):
    """What it had under way is never answered, so that it is not paid for; what was answered is in its store."""
    monkeypatch.setattr("svc_nb.clusters.fleet.TEXTS_A_PART", 300)
    frame, characters = sentences(spark, "Qxb", 600)
    came: list = []
    thread = threading.Thread(target=lambda: came.append(frame.svc.translate("text", "DE", fleet=4, progress=False)))
    running.faults.add(Fault("latency", TRANSLATE, seconds=0.1))
    thread.start()
    until(lambda: counters.so_far(200) >= 2)
    running.faults.add(Fault("hang", TRANSLATE, seconds=2))
    time.sleep(0.3)  # what was answered before is in the store now
    killed = workers(spark)
    for worker in killed:
        worker.kill()
    running.faults.clear()
    thread.join(120)
    assert killed
    assert came
    assert is_right(came[0], 600)
    assert counters.characters == characters


def workers(spark) -> list[psutil.Process]:
    """The processes that run Python for Spark: what its daemon has forked."""
    found = processes(spark, "pyspark.daemon")
    return [each for each in found if each.parent() in found]


def test_a_spent_quota_ends_the_run_and_what_was_paid_is_kept(spark, running, counters, monkeypatch):
    monkeypatch.setattr("svc_nb.clusters.fleet.TEXTS_A_PART", 100)
    frame, characters = sentences(spark, "Qxc", 600)
    running.faults.add(Fault("quota", TRANSLATE, characters=1500))
    with pytest.raises(QuotaExceeded):
        frame.svc.translate("text", "DE", fleet=2, progress=False)
    running.faults.clear()
    assert is_right(frame.svc.translate("text", "DE", fleet=2, progress=False), 600)
    assert counters.characters == characters


def test_what_others_were_paid_for_is_kept_here_when_one_fails(spark, running, counters, connected, monkeypatch):
    """The first part fails while the second is under way: that one is still brought, and no other is begun."""
    monkeypatch.setattr("svc_nb.clusters.fleet.TEXTS_A_PART", 200)
    texts = [f"Qxh {number}" for number in range(1000)]
    running.faults.add(Fault("latency", TRANSLATE, seconds=0.3))

    def sent(order, parts, halted):
        broken = Part([threading.Lock()], [1], {})  # nobody can pass that on to another process
        return fleet.sent(spark, order, [broken, *parts[1:]], 8, halted)

    job = FleetJob(WorkOrder(("DE",), {}), CountedTexts(texts, [1] * len(texts)), sent, connected.store)
    job.start()
    assert job.wait(120)
    spent = counters.characters
    with pytest.raises(TypeError, match="pickle"):
        job.result()
    assert spent == connected.store.info().billed == sum(map(len, texts[200:400]))
    time.sleep(1)
    assert counters.characters == spent


def test_languages_are_detected_by_executors(spark, counters, connected):
    frame = spark.sql("select 'Das ist ein deutscher Satz, und er ist lang.' text")
    assert listed(frame.svc.detect("text", fleet=2, progress=False), "text_lang") == [("DE",)]
    assert connected.gate.peak == 0


def test_the_key_may_stand_in_a_file_of_the_workers_machine(spark, running, counters, monkeypatch, tmp_path):
    frame, characters = sentences(spark, "Qxd", 20)
    surroundings = spark.sparkContext.environment
    for name in ("SVC_API_KEY", "SVC_BASE_URL"):
        monkeypatch.setitem(surroundings, name, "")
    with pytest.raises(SettingsError, match="This worker knows no service"):
        frame.svc.translate("text", "DE", fleet=2, progress=False)
    assert counters.requests() == 0
    file = tmp_path / "config.toml"
    file.write_text(f'[default]\nbase_url = "{running.base_url}"\napi_key = "{running.api_key}"\n')
    monkeypatch.setitem(surroundings, "SVC_CONFIG_FILE", str(file))
    assert is_right(frame.svc.translate("text", "DE", fleet=2, progress=False), 20)
    assert counters.characters == characters


def test_executors_without_our_package_are_told_of(spark, counters, monkeypatch, tmp_path):
    venv.create(tmp_path / "bare", with_pip=False, symlinks=True)
    monkeypatch.setattr(spark.sparkContext, "pythonExec", str(tmp_path / "bare" / "bin" / "python"))
    monkeypatch.setitem(spark.sparkContext.environment, "PYTHONPATH", "")
    frame, _ = sentences(spark, "Qxe", 20)
    with pytest.raises(SettingsError, match="The Python of the executors lacks"):
        frame.svc.translate("text", "DE", fleet=2, progress=False)


SHOWN = "spark.executorEnv.SVC_API_KEY"


def test_a_key_that_spark_would_show_is_refused(spark, counters):
    frame, _ = sentences(spark, "Qxf", 20)
    spark.conf.set(SHOWN, "a-key-that-is-shown")
    try:
        with pytest.raises(SettingsError, match="config file of each machine") as caught:
            frame.svc.translate("text", "DE", fleet=2, progress=False)
    finally:
        spark.conf.unset(SHOWN)
    assert "a-key-that-is-shown" not in str(caught.value)
    assert counters.requests() == 0


@pytest.mark.parametrize(
    ("settings", "refused"),
    [
        ({SHOWN: "k"}, SHOWN),
        ({"spark.yarn.appMasterEnv.SVC_ADMIN_KEY": "k"}, "SVC_ADMIN_KEY"),
        ({"spark.executor.extraJavaOptions": "-DSVC_API_KEY=k"}, "extraJavaOptions"),
        ({SHOWN: "k", "spark.redaction.regex": "(?i)svc_.*key"}, None),
        ({SHOWN: "k", "spark.redaction.regex": "secret|(?i)svc_api_key"}, SHOWN),
        ({"spark.executorEnv.SVC_BASE_URL": "https://api.example.com"}, None),
        ({"spark.speculation": "true"}, None),
        ({"spark.speculation": "true", "spark.speculation.task.duration.threshold": "1s"}, "same texts"),
    ],
)
def test_which_settings_are_refused(settings, refused):
    if refused is None:
        fleet.refuse_shown(settings)
        return
    with pytest.raises(SettingsError, match=refused):
        fleet.refuse_shown(settings)


def test_what_is_passed_on_to_executors_holds_no_key(running, connected):
    from pyspark.cloudpickle import dumps

    packed = dumps(fleet.task(WorkOrder(("DE",), {"formality": "more"})))
    assert b"formality" in packed
    assert running.api_key.encode() not in packed
    assert b"Secret" not in packed


PAGES = [
    "jobs/",
    "stages/",
    "storage/",
    "environment/",
    "executors/",
    "executors/threadDump/?executorId=driver",
    "SQL/",
]
RECORDS = [
    "jobs",
    "stages?details=true&withSummaries=true",
    "allexecutors",
    "executors/driver/threads",
    "storage/rdd",
    "environment",
    "sql?details=true&planDescription=true&length=1000",
]


def shown(spark) -> dict[str, bytes]:
    """Everything that Spark's own pages and records say, with a page for every job, stage and query that there was."""
    caller = requests.Session()
    caller.trust_env = False
    root = spark.sparkContext.uiWebUrl
    api = f"{root}/api/v1/applications/{spark.sparkContext.applicationId}"

    def got(place: str) -> requests.Response:
        answer = caller.get(place, timeout=60)
        assert answer.status_code == 200, (place, answer.status_code)
        return answer

    with caller:
        places = [f"{root}/{page}" for page in PAGES] + [f"{api}/{record}" for record in RECORDS]
        places += [f"{root}/jobs/job/?id={each['jobId']}" for each in got(f"{api}/jobs").json()]
        places += [
            f"{root}/stages/stage/?id={each['stageId']}&attempt={each['attemptId']}"
            for each in got(f"{api}/stages").json()
        ]
        places += [f"{root}/SQL/execution/?id={each['id']}" for each in got(f"{api}/sql?length=1000").json()]
        return {place: got(place).content for place in places}


def test_the_key_is_in_no_plan_no_event_log_and_on_no_page(spark, folder, running, connected):
    frame, _ = sentences(spark, "Qxg", 30)
    made = frame.svc.translate("text", "DE", progress=False)
    made.collect()
    sent = frame.svc.translate("text", "FR", fleet=2, progress=False)
    sent.cache().count()
    said = {
        "plan": made._jdf.queryExecution().toString().encode(),
        "fleet's plan": sent._jdf.queryExecution().toString().encode(),
        **shown(spark),
        **{str(file): file.read_bytes() for file in (folder / "events").rglob("*") if file.is_file()},
    }
    together = b"".join(said.values())
    assert sum("SQL/execution/" in place for place in said) > 10
    for sign in (
        b"MapInArrow",
        b"__svc_nb_text0__",
        b"SparkListenerEnvironmentUpdate",
        b"spark.eventLog.dir",
    ):
        assert sign in together
    for key in (running.api_key, running.admin_key):
        assert [place for place, text in said.items() if key.encode() in text] == []
    sent.unpersist()


@pytest.mark.parametrize("most", [4, None])
def test_ctrl_c_is_an_interrupt_whoever_sends(spark, running, counters, monkeypatch, most):
    """Spark hears of it, too, and kills its tasks: requests that they have under way may be lost with them."""
    monkeypatch.setattr("svc_nb.clusters.fleet.TEXTS_A_PART", 100)
    frame, characters = sentences(spark, f"Interrupted {most} says", 2000)
    running.faults.add(Fault("latency", "/v2/translate", seconds=0.1))

    def interrupt() -> None:
        until(lambda: counters.so_far(200) >= 3)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt, match=r"are done and stored .* run it again to continue"):
        svc_nb.translate(frame, "text", "FR", fleet=most, progress=False)
    thread.join()
    running.faults.clear()
    assert 0 < counters.characters < characters
    made = svc_nb.translate(frame, "text", "FR", fleet=most, progress=False)
    assert made.where("text_FR IS NULL").count() == 0
    lost = counters.characters - characters
    assert 0 <= lost <= (most or 0) * 50 * len(f"Interrupted {most} says 1999")
