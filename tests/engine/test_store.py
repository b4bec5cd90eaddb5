"""The store: nothing paid for is lost or sent twice, whatever threads, kernels, forks, kills and full disks do."""

import gc
import os
import random
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
import time
import weakref
from collections import Counter
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.engine import store as engine_store
from svc_nb.engine.billing import Bill, Purpose
from svc_nb.engine.outcome import PERSON, DetectedLanguage, TextAnswer
from svc_nb.engine.store import Store, StoredAnswer
from svc_nb.errors import NotStored, StoreError
from tests import forked
from tests.engine.scripted import Full
from tests.growth import LINEAR, growth

KERNEL = """
import os, random, signal, sys, threading, time
from svc_nb.engine.outcome import TextAnswer
from svc_nb.engine.store import StoredAnswer, Store
from svc_nb.errors import StoreError

def key(number):
    return number.to_bytes(16, "big")

def entry(number):
    return StoredAnswer(key(number), f"source {number}", TextAnswer(f"text {number}", billed=number), "translate")

def say(*words):
    print(*words, flush=True)

store = Store(sys.argv[1])
"""
said = (
    st.none() | st.text(),
    st.none() | st.text(max_size=5),
    st.none() | st.integers(0, 2**40),
    st.none() | st.text(max_size=5),
    st.none() | st.text(max_size=5),
)
answers = st.builds(TextAnswer, *said) | st.builds(
    DetectedLanguage, *said, st.none() | st.text(max_size=5), st.none() | st.floats(0, 1)
)


def key(number):
    return number.to_bytes(16, "big")


def keys(count, start=0):
    return [key(number) for number in range(start, start + count)]


def entry(number, **fields):
    given = {
        "answer": TextAnswer(f"text {number}", "DE", 10),
        "operation": "translate",
        "target_lang": "EN-US",
        **fields,
    }
    return StoredAnswer(key(number), f"source {number}", **given)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "answers.db"


@pytest.fixture
def store(path):
    with closing(Store(path)) as store:
        yield store


@contextmanager
def kernel(code, path):
    """Another process at work on the store at *path*."""
    process = forked.Popen(
        [sys.executable, "-W", "error", "-c", KERNEL + code, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def told(code, path):
    """The lines that *code* prints in another process."""
    with kernel(code, path) as process:
        lines = process.communicate(timeout=60)[0].splitlines()
    assert process.returncode == 0
    return lines


# ---- what goes in comes out


def test_what_a_person_wrote_stays_until_the_person_undoes_it(store):
    own = entry(1, answer=TextAnswer("mine", "DE", 10, PERSON))
    store.put([entry(1)])
    store.put([own])
    store.put([entry(1)])
    assert store.get([key(1)]) == {key(1): own.answer}
    store.put([entry(1)], over_person=True)
    assert store.get([key(1)]) == {key(1): entry(1).answer}


@given(st.dictionaries(st.binary(min_size=16, max_size=16), st.tuples(st.text(), answers)))
def test_what_was_put_is_what_one_gets(texts):
    with closing(Store()) as store:
        store.put([StoredAnswer(key, source, answer, "translate") for key, (source, answer) in texts.items()])
        assert store.get([*texts, b"another key!!!!!"]) == {key: answer for key, (_, answer) in texts.items()}
        assert [(entry.key, entry.source) for entry in store.entries()] == [
            (key, source) for key, (source, _) in texts.items()
        ]


@pytest.mark.parametrize("text", ["", "a\0b\0", "🙂👩‍👩‍👧", "שלום \u202e עולם", "é" * 1_000_000, "\r\n\t\ufeff"])
def test_any_text_survives_in_the_file(text, path):
    with closing(Store(path)) as store:
        store.put([StoredAnswer(key(1), text, TextAnswer(text), "rephrase", "https://a.example", "DE", "FR")])
    with closing(Store(path)) as store:
        [found] = store.entries()
        assert store.get([key(1)]) == {key(1): TextAnswer(text)} == {key(1): found.answer}
    assert (found.source, found.operation, found.service, found.source_lang, found.target_lang) == (
        text,
        "rephrase",
        "https://a.example",
        "DE",
        "FR",
    )


def test_the_last_write_wins(store):
    store.put([entry(1), entry(2), entry(1, answer=TextAnswer("second"))])
    assert store.get([key(1)]) == {key(1): TextAnswer("second")}
    store.put([entry(1, answer=TextAnswer("third"))])
    assert store.get([key(1)]) == {key(1): TextAnswer("third")}
    assert store.info().entries == 2


def test_all_entries_are_kept_or_none(store):
    with pytest.raises(StoreError):
        store.put([entry(1), entry(2, operation=None)])
    assert store.get(keys(3)) == {}
    store.put([entry(1)])
    assert set(store.get(keys(3))) == {key(1)}


@pytest.mark.parametrize("count", [0, 1, 40, 899, 900, 901, 2500])
def test_many_and_few_keys_find_the_same(count, store):
    stored = [number for number in range(3000) if number % 3]
    store.put([entry(number) for number in stored])
    expected = {key(number): entry(number).answer for number in stored if number < count}
    assert store.get(keys(count)) == store.get(keys(count) * 2) == expected
    assert store.claim(keys(count), "run").answers == expected


def test_memory_is_private_and_shared_by_threads():
    with closing(Store()) as one, closing(Store()) as other:
        thread = threading.Thread(target=one.put, args=([entry(1)],))
        thread.start()
        thread.join()
        assert set(one.get(keys(3))) == {key(1)}
        assert other.get(keys(3)) == {}


def test_a_closed_store_opens_again(store):
    store.put([entry(1)])
    store.close()
    store.close()
    assert set(store.get(keys(3))) == {key(1)}


# ---- claims


def test_a_key_is_claimed_by_one_run_until_it_is_answered_or_released(store):
    assert store.claim(keys(3), "one").ours == set(keys(3))
    assert store.claim(keys(4), "two").ours == {key(3)}
    assert store.claim(keys(4), "one").ours == set(keys(3)), "claiming again is no conflict with oneself"
    store.release("one", [key(0), key(3)])
    assert store.claim(keys(4), "three").ours == {key(0)}, "nobody releases the claims of another run"
    store.put([entry(1)], "one")
    claimed = store.claim(keys(3), "two")
    assert (set(claimed.ours), set(claimed.answers)) == (set(), {key(1)})
    store.release("one")
    assert store.claim(keys(4), "three").ours == {key(0), key(2)}


def test_what_is_requested_again_is_free_once_the_other_run_has_its_answer(store):
    store.put([entry(0)])
    before = store.newest()
    assert store.claim(keys(1), "one", again=keys(1), since=before).ours == {key(0)}
    claimed = store.claim(keys(1), "two", again=keys(1), since=before)
    assert (set(claimed.ours), claimed.answers) == (set(), {}), "the other run is at work on it"
    store.put([entry(0)], "one")
    assert set(store.claim(keys(1), "two", again=keys(1), since=before).answers) == {key(0)}
    assert store.claim(keys(1), "three", again=keys(1), since=store.newest()).ours == {key(0)}


def test_two_stores_on_one_file_exclude_each_other(store, path):
    with closing(Store(path)) as other:
        assert store.claim(keys(3), "run").ours == set(keys(3))
        assert other.claim(keys(4), "run").ours == {key(3)}
        store.close()
        assert other.claim(keys(4), "run").ours == set(keys(4))


def test_a_run_that_gives_no_sign_for_a_quarter_of_an_hour_loses_its_claims(path):
    now = [1000.0]
    with closing(Store(path)) as slow, closing(Store(path, seconds=lambda: now[0])) as store:
        slow.claim(keys(3), "slow")
        assert store.claim(keys(3), "other").ours == set()
        now[0] += 800
        slow.put([entry(0)], "slow")
        assert store.claim(keys(3), "other").ours == set()
        now[0] += 800
        assert store.claim(keys(3), "other").ours == set(), "it has put something in between"
        now[0] += 200
        assert store.claim(keys(3), "other").ours == {key(1), key(2)}
        assert slow.claim(keys(3), "slow").ours == set()


@pytest.mark.parametrize("minutes", [-20, 20, 60 * 24])
def test_claims_do_not_depend_on_the_clock(minutes, store, path):
    with closing(Store(path, clock=lambda: time.time() + 60 * minutes)) as other:
        assert store.claim(keys(3), "one").ours == set(keys(3))
        assert other.claim(keys(4), "two").ours == {key(3)}
        assert store.claim(keys(4), "one").ours == set(keys(3))
        before = [each.newest() for each in (store, other)]
        store.put([entry(0)], "one")
        other.put([entry(3)], "two")
        assert set(other.claim(keys(1), "two", again=keys(1), since=before[1]).answers) == {key(0)}
        assert set(store.claim([key(3)], "one", again=[key(3)], since=before[0]).answers) == {key(3)}


def test_a_run_that_ended_without_being_able_to_write_holds_nothing(path):
    with closing(Full(path)) as store, closing(Store(path)) as other:
        store.claim(keys(3), "one")
        store.claim([key(9)], "two")
        store.full = True
        with pytest.raises(StoreError):
            store.release("one")
        store.full = False
        assert store.claim(keys(3), "two").ours == set(keys(3)), "the process knows that the run is over"
        store.full = True
        with pytest.raises(StoreError):
            store.release("two")
        assert other.claim([*keys(3), key(9)], "run").ours == {*keys(3), key(9)}, "and so do others when none goes on"


def test_threads_share_the_work_without_overlap(store):
    wanted, got = keys(1000), {}

    def work(name):
        mine = random.Random(name).sample(wanted, len(wanted))
        got[name] = []
        for start in range(0, len(mine), 50):
            ours = store.claim(mine[start : start + 50], name).ours
            got[name] += ours
            store.put([entry(int.from_bytes(key, "big")) for key in ours], name)

    threads = [threading.Thread(target=work, args=(str(number),)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(key for mine in got.values() for key in mine) == wanted
    assert sorted(store.get(wanted)) == wanted


@pytest.mark.long
def test_two_kernels_share_the_work_without_overlap(path):
    code = """
numbers = random.sample(range(2000), 2000)
say("ready")
input()
for start in range(0, 2000, 50):
    claimed = store.claim([key(number) for number in numbers[start:start + 50]], "run")
    say(*[int.from_bytes(key, "big") for key in claimed.ours])
    store.put([entry(int.from_bytes(key, "big")) for key in list(claimed.ours)[::2]], "run")
    time.sleep(0.003)  # as for the service: so both get something to do
input()
"""
    with kernel(code, path) as one, kernel(code, path) as other:
        for process in (one, other):
            assert process.stdout.readline() == "ready\n"
        for process in (one, other):
            process.stdin.write("\n")
            process.stdin.flush()
        got = [[int(word) for _ in range(40) for word in process.stdout.readline().split()] for process in (one, other)]
    assert sorted(got[0] + got[1]) == list(range(2000))


@pytest.mark.long
def test_the_claims_of_the_living_are_respected_and_those_of_the_killed_are_free_at_once(store, path):
    code = """
store.claim([key(number) for number in range(100)], "run")
store.put([entry(number) for number in range(30)], "run")
say("ready")
input()
"""
    with kernel(code, path) as process:
        assert process.stdout.readline() == "ready\n"
        claimed = store.claim(keys(101), "run")
        assert (set(claimed.ours), set(claimed.answers)) == ({key(100)}, set(keys(30)))
        assert len(os.listdir(f"{path}.owners")) == 2
        process.send_signal(signal.SIGKILL)
        process.wait()
    claimed = store.claim(keys(100), "run")
    assert (set(claimed.ours), set(claimed.answers)) == (set(keys(70, start=30)), set(keys(30)))
    assert len(os.listdir(f"{path}.owners")) == 1, "the file of the dead is removed"


@pytest.mark.long
def test_the_dead_leave_nothing_behind(store, path):
    claim = 'store.claim([key(number) for number in range(10)], "run");'
    told(f'{claim} store.release("run"); os._exit(0)', path)
    told(f"{claim} os._exit(0)", path)
    store.claim([key(99)], "run")
    assert len(os.listdir(f"{path}.owners")) == 1
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT count(*) FROM claims").fetchone() == (1,)
        assert db.execute("SELECT count(*) FROM runs").fetchone() == (1,)
    store.release("run")
    store.close()
    assert sorted(os.listdir(path.parent)) == ["answers.db", "answers.db.owners"]
    assert os.listdir(f"{path}.owners") == []


# ---- forks


def test_a_forked_child_is_an_owner_of_its_own(store, path):
    code = """
store.claim([key(0)], "run")
child = os.fork()
if child == 0:
    say(len(store.claim([key(0), key(1)], "run").ours))
    store.put([entry(2)])
    os._exit(0)
os.waitpid(child, 0)
say(len(store.claim([key(0), key(1)], "run").ours), *store.get([key(2)]).values())
"""
    child, parent = told(code, path)
    assert child == "1", "what the parent has claimed is the parent's"
    assert parent == "2 " + repr(TextAnswer("text 2", billed=2)), "what the child had claimed is free at its end"


@pytest.mark.long
def test_a_child_does_not_keep_its_dead_parents_claims(store, path):
    code = """
store.claim([key(0)], "run")
if os.fork():
    os.kill(os.getpid(), signal.SIGKILL)
say(len(store.claim([key(1)], "run").ours))
sys.stdin.read()
"""
    with kernel(code, path) as process:
        assert process.stdout.readline() == "1\n"
        process.wait()
        assert store.claim(keys(2), "run").ours == {key(0)}


@pytest.mark.long
def test_forking_while_threads_write_loses_nothing(store, path):
    code = """
def write(start):
    for number in range(start, start + 200):
        store.put([entry(number)])

threads = [threading.Thread(target=write, args=(start,)) for start in (0, 1000)]
for thread in threads:
    thread.start()
children = []
for number in range(10):
    child = os.fork()
    if child == 0:
        store.put([entry(5000 + number)])
        os._exit(0)
    children.append(child)
for thread in threads:
    thread.join()
say(*[os.waitpid(child, 0)[1] for child in children])
"""
    assert told("import warnings; warnings.simplefilter('ignore')\n" + code, path) == ["0 0 0 0 0 0 0 0 0 0"]
    written = keys(200) + keys(200, start=1000) + keys(10, start=5000)
    assert set(store.get(written)) == set(written)
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@pytest.mark.long
def test_a_forked_child_has_a_copy_of_what_is_in_memory():
    code = """
store.put([entry(1)])
store.claim([key(2)], "run")
child = os.fork()
if child == 0:
    say(len(store.get([key(1)])), len(store.claim([key(2)], "run").ours))
    os._exit(0)
os.waitpid(child, 0)
say(len(store.claim([key(2)], "other").ours))
"""
    assert told(code, ":memory:") == ["1 1", "0"]


# ---- interrupts and faults


def is_in_del(frame):
    """Whether an object is being destroyed, or its weak references called: Python ignores an interrupt there."""
    code = frame and frame.f_code
    return code and (code.co_name == "__del__" or code.co_filename == weakref.__file__ or is_in_del(frame.f_back))


def interrupted(work, moment):
    """Interrupt *work* at a possible place: at the start of a function, or after one written in C."""

    def watch(frame, event, arg):
        nonlocal moment
        moment -= event in ("call", "c_return")
        if moment <= 0 and not is_in_del(frame):
            sys.setprofile(None)
            raise KeyboardInterrupt

    try:
        sys.setprofile(watch)
        work()
    except KeyboardInterrupt as stopped:
        return stopped
    finally:
        sys.setprofile(None)


@pytest.fixture
def no_collection():
    """What others do on a collection of garbage is not to be interrupted."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_collection")
@pytest.mark.parametrize("name", ["put", "claim", "get", "release", "info", "clear"])
def test_an_interrupt_at_any_moment_leaves_the_store_usable(name, path):
    store, moment, last = Store(path), 0, None
    work = {"put": ([entry(1)],), "claim": (keys(3), "run"), "get": (keys(3),), "release": ("run",)}.get(name, ())
    store.put([entry(2)])
    while stopped := interrupted(lambda: getattr(store, name)(*work), moment + 1):
        last, moment = stopped, moment + 1  # the last traceback keeps every frame, as a notebook does
        thread = threading.Thread(target=store.put, args=([entry(3)],), daemon=True)
        thread.start()
        thread.join(timeout=10)
        assert not thread.is_alive()
        assert moment < 5_000, "what was interrupted leaves ever more to do"
    assert last is not None
    assert moment > 10
    store.close()


def test_a_full_disk_is_reported_and_costs_nothing_that_was_kept(path):
    code = """
import resource
store.put([entry(0)])
resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, resource.RLIM_INFINITY))
number = 0
try:
    while True:
        store.put([entry(number + 1)])
        number += 1
except StoreError as error:
    say(error)
found = store.get([key(wanted) for wanted in range(number + 2)])
say(len(found) == number + 2, number > 5)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
store.put([entry(0)])
say(len(Store(sys.argv[1]).get([key(number + 1)])))
"""
    message, *rest = told(code, path)
    assert str(path) in message
    assert "Free some space" in message
    assert "paid answers are still in memory" in message
    assert rest == ["True True", "1"]


def test_what_cannot_be_written_is_found_and_billed_and_written_with_the_next(path):
    with closing(Full(path)) as store:
        store.put([entry(1), entry(2)])
        store.full = True
        bill = Bill()
        bill.answered(bill.send(Purpose("translate", "EN-US"), 10), 10)
        for number in (2, 3):
            with pytest.raises(StoreError):
                store.put([entry(number, answer=TextAnswer("late", billed=5))], "run", bill)
        with pytest.raises(StoreError):
            store.release("another run")
        assert {key: answer.text for key, answer in store.get(keys(5)).items()} == {
            key(1): "text 1",
            key(2): "late",
            key(3): "late",
        }
        assert store.info().entries == 2, "what is in the file"
        store.full = False
        assert set(store.claim([*keys(4), key(9)], "next").answers) == set(keys(3, start=1))
        with closing(Store(path)) as other:
            assert [answer.text for answer in other.get([key(2), key(3)]).values()] == ["late"] * 2
            assert [charge.billed for charge in other.charges()] == [10]
            assert other.info().entries == 3


def test_what_cannot_be_written_is_kept_up_to_a_limit_and_reported(path, monkeypatch):
    monkeypatch.setattr(engine_store, "MOST_UNWRITTEN", 1000)
    store = Full(path)
    store.full = True
    with pytest.raises(StoreError, match="there is no room in memory for 1 answer, which will be paid for again"):
        store.put([entry(1, answer=TextAnswer("long" * 1000))])
    with pytest.raises(StoreError, match=r"disk is full$"):
        store.put([entry(2)])
    assert set(store.get(keys(3))) == {key(2)}
    with pytest.warns(NotStored, match="Could not store 1 answer that this process paid for: .* is full"):
        store.close()
    store.full = False
    store.close()
    with closing(Store(path)) as other:
        assert set(other.get(keys(3))) == {key(2)}, "it was still there, and could be written then"


def test_what_a_parent_could_not_write_is_not_its_childs_to_write(path):
    code = """
import sqlite3
from tests.engine.scripted import Full
store = Full(sys.argv[1])
store.full = True
try:
    store.put([entry(1)])
except StoreError:
    pass
child = os.fork()
if child == 0:
    store.full = False
    store.put([entry(2)])
    os._exit(0)
os.waitpid(child, 0)
say(len(Store(sys.argv[1]).get([key(1), key(2)])))
store.full = False
store.close()
say(len(Store(sys.argv[1]).get([key(1), key(2)])))
"""
    assert told(code, path) == ["1", "2"]


def test_a_locked_store_is_reported(path):
    with (
        closing(Store(path, patience=0.01)) as store,
        closing(sqlite3.connect(path, isolation_level=None)) as other,
    ):
        store.put([entry(1)])
        other.execute("BEGIN IMMEDIATE")
        assert set(store.get(keys(3))) == {key(1)}, "reading goes on"
        for attempt in (lambda: store.put([entry(2)]), lambda: store.claim(keys(3), "run")):
            with pytest.raises(StoreError, match="locked by another process"):
                attempt()
        other.execute("ROLLBACK")
        store.put([entry(2)])
        assert set(store.get(keys(3))) == {key(1), key(2)}


def test_a_file_that_is_no_database_is_left_alone(store, path):
    path.write_text("my diary\n" * 1000)
    for attempt in (lambda: store.get(keys(3)), lambda: store.put([entry(1)]), store.info, store.clear):
        with pytest.raises(StoreError, match="Move it away") as caught:
            attempt()
        assert str(path) in str(caught.value)
        assert "\n" not in str(caught.value)
    assert path.read_text() == "my diary\n" * 1000
    path.rename(path.with_name("diary"))
    store.put([entry(1)])
    assert set(store.get(keys(3))) == {key(1)}


def test_the_database_of_another_program_is_left_alone(store, path):
    with closing(sqlite3.connect(path)) as db:
        db.executescript("CREATE TABLE mine (x); PRAGMA user_version = 1")
    content = path.read_bytes()
    with pytest.raises(StoreError, match="another program"):
        store.put([entry(1)])
    assert path.read_bytes() == content
    with pytest.warns(NotStored, match="another program"):
        store.close()
    path.unlink()


def test_a_file_of_a_newer_version_is_left_alone(store, path):
    store.put([entry(1)])
    store.close()
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(StoreError, match="newer") as caught:
        store.get(keys(3))
    assert str(path) in str(caught.value)


def test_damage_is_reported(store, path):
    store.put([entry(number) for number in range(1000)])
    store.close()
    with path.open("r+b") as file:
        file.seek(8192)
        file.write(random.Random(1).randbytes(path.stat().st_size - 8192))
    with pytest.raises(StoreError, match="Move it away"):
        store.get(keys(1000))


def test_a_damaged_answer_is_reported(store, path):
    store.put([entry(number) for number in range(100)])
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE answers SET answer = x'00'")
    for attempt in (
        lambda: store.get(keys(100)),
        lambda: store.get(keys(1)),
        lambda: store.claim(keys(1), "run"),
        lambda: list(store.entries()),
    ):
        with pytest.raises(StoreError, match="Move it away"):
            attempt()


def test_a_file_that_was_removed_is_made_again(store, path):
    store.put([entry(1)])
    for file in path.parent.glob("answers.db*"):
        shutil.rmtree(file) if file.is_dir() else file.unlink()
    store.put([entry(2)])
    with closing(Store(path)) as other:
        assert set(other.get(keys(3))) == {key(2)}


@pytest.mark.parametrize("name", [".", "file/answers.db"])
def test_a_place_that_cannot_have_a_file_is_reported(name, tmp_path):
    (tmp_path / "file").touch()
    store = Store(tmp_path / name)
    with pytest.raises(StoreError, match="choose another place") as caught:
        store.put([entry(1)])
    with pytest.warns(NotStored, match="Could not store 1 answer"):
        store.close()
    assert str(tmp_path) in str(caught.value)


def test_a_place_without_write_permission_is_reported(tmp_path):
    tmp_path.chmod(0o500)
    code = """
if os.getuid() == 0:
    os.setuid(65534)
try:
    store.put([entry(1)])
except StoreError as error:
    say(error)
"""
    [message] = told(code, tmp_path / "answers.db")
    tmp_path.chmod(0o700)
    assert "Check the folder and its permissions" in message


# ---- the file


@pytest.mark.parametrize("umask", [0, 0o027])
def test_no_one_else_can_read_the_store(umask, tmp_path):
    before = os.umask(umask)
    try:
        with closing(Store(tmp_path / "new" / "answers.db")) as store:
            store.put([entry(1)])
            store.claim(keys(3), "run")
            modes = {str(file.relative_to(tmp_path)): stat.S_IMODE(file.stat().st_mode) for file in tmp_path.rglob("*")}
    finally:
        os.umask(before)
    [owner] = [name for name in modes if name.startswith("new/answers.db.owners/")]
    assert modes == {
        "new": 0o700,
        "new/answers.db": 0o600,
        "new/answers.db-wal": 0o600,
        "new/answers.db-shm": 0o600,
        "new/answers.db.owners": 0o700,
        owner: 0o600,
    }


def test_a_store_shows_its_path_only(store, path):
    store.put([entry(1)])
    assert repr(store) == f"<Store at {path}>"


def test_a_store_stays_where_it_was_when_the_folder_changes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with closing(Store("answers.db")) as store:
        monkeypatch.chdir("/")
        store.put([entry(1)])
    assert (tmp_path / "answers.db").exists()


# ---- looking at it and clearing it


@pytest.fixture
def mixed(path):
    """A store of 60 entries, made at one a second from the epoch on."""
    now = [0.0]
    with closing(Store(path, clock=lambda: now[0])) as store:
        for number in range(60):
            now[0] = float(number)
            store.put(
                [
                    entry(
                        number,
                        operation=("translate", "translate", "detect")[number % 3],
                        target_lang=("DE", "FR", None)[number % 3],
                        service=("a", "b")[number % 2],
                        answer=TextAnswer("x", billed=None if number % 3 == 2 else number),
                    )
                ]
            )
        yield store


def test_info_counts(mixed, path):
    info = mixed.info()
    assert info.path == str(path)
    assert info.entries == 60
    assert info.billed == sum(number for number in range(60) if number % 3 != 2)
    assert info.counts == {("translate", "DE"): 20, ("translate", "FR"): 20, ("detect", None): 20}
    assert info.oldest == datetime.fromtimestamp(0, UTC)
    assert info.newest == datetime.fromtimestamp(59, UTC)
    assert info.bytes == sum(path.with_name(path.name + end).stat().st_size for end in ("", "-wal"))


def test_an_empty_store_has_no_oldest(store):
    info = store.info()
    assert (info.entries, info.billed, info.oldest, info.newest, info.counts) == (0, 0, None, None, {})


@pytest.mark.parametrize(
    ("conditions", "chosen"),
    [
        ({}, lambda number: True),
        ({"operation": "translate"}, lambda number: number % 3 != 2),
        ({"target_lang": "fr"}, lambda number: number % 3 == 1),
        ({"service": "a"}, lambda number: number % 2 == 0),
        ({"service": "a", "operation": "detect"}, lambda number: number % 6 == 2),
        ({"service": "c"}, lambda number: False),
    ],
)
def test_entries_and_clear_choose_alike(conditions, chosen, mixed):
    numbers = [number for number in range(60) if chosen(number)]
    found = list(mixed.entries(**conditions))
    assert [entry.key for entry in found] == [key(number) for number in numbers], "oldest first"
    assert [entry.made.timestamp() for entry in found] == numbers
    assert mixed.clear(**conditions) == len(numbers)
    assert set(mixed.get(keys(60))) == {key(number) for number in range(60) if not chosen(number)}
    assert mixed.clear(**conditions) == 0


def test_clear_takes_what_is_older(mixed):
    assert mixed.clear(older_than=timedelta(seconds=19), target_lang="DE") == 14
    assert [entry.made.timestamp() for entry in mixed.entries(target_lang="DE")] == [42, 45, 48, 51, 54, 57]
    assert mixed.info().entries == 46


def test_clear_gives_the_room_back_and_leaves_claims_and_no_trace(store, path):
    store.put([entry(number, answer=TextAnswer("treacherous " * 100)) for number in range(1000)])
    store.claim([key(5000)], "run")
    full = store.info().bytes
    assert store.clear() == 1000
    assert store.info().bytes < full / 10
    assert not [file for file in path.parent.glob("answers.db*") if file.is_file() and b"treach" in file.read_bytes()]
    assert store.claim([key(5000)], "other").ours == set()


def test_entries_can_be_written_while_they_are_read(store):
    store.put([entry(number) for number in range(250)])
    seen = 0
    for found in store.entries():
        store.put([entry(int.from_bytes(found.key, "big"), answer=TextAnswer("again")), entry(10_000 + seen)])
        seen += 1
    assert seen == 250
    assert store.info().entries == 500


def steps(store, work):
    """How many steps of SQLite's machine *work* takes, in units of 100."""
    store.info()
    db, count = store._database._db, 0

    def step():
        nonlocal count
        count += 1

    db.set_progress_handler(step, 100)
    try:
        work()
    finally:
        db.set_progress_handler(None, 0)
    return count


@pytest.mark.parametrize(
    "work",
    [
        lambda store: store.info(),
        lambda store: store.clear(operation="rephrase"),
        lambda store: store.clear(target_lang="FR"),
        lambda store: store.clear(service="elsewhere"),
        lambda store: store.clear(older_than=timedelta(days=1)),
        lambda store: store.clear(operation="translate", target_lang="DE", older_than=timedelta(days=1)),
        lambda store: list(store.entries(target_lang="FR")),
        lambda store: list(store.entries(target_lang="DE")),
        lambda store: list(store.entries(operation="detect")),
        lambda store: store.claim([key(10**9)], "run"),
        lambda store: store.newest(),
    ],
)
def test_what_is_asked_costs_the_same_in_a_large_store(work):
    counts = []
    for size in (1, 20):
        with closing(Store()) as store:
            for start in range(size):
                store.put([entry(number) for number in range(1000 * start, 1000 * (start + 1))])
            store.put([entry(10**8, target_lang="DE")])
            counts.append(steps(store, lambda store=store: work(store)))
    assert counts[1] <= counts[0] + 3


def test_counts_are_right_whatever_was_put_replaced_and_forgotten(mixed):
    mixed.put([entry(1, target_lang="FR", answer=TextAnswer("x", billed=100)), entry(99, target_lang="fr")])
    mixed.put([entry(3, target_lang="de", answer=TextAnswer("mine", billed=7, model=PERSON))])
    mixed.put([entry(3, target_lang="DE"), entry(3, target_lang="DE")])
    mixed.forget(keys(6))
    mixed.clear(older_than=timedelta(seconds=40), target_lang="FR")
    kept = list(mixed.entries())
    info = mixed.info()
    assert info.entries == len(kept) == len({entry.key for entry in kept})
    assert info.billed == sum(entry.answer.billed or 0 for entry in kept)
    assert info.counts == Counter((entry.operation, entry.target_lang and entry.target_lang.upper()) for entry in kept)


@pytest.mark.long
def test_the_cost_grows_with_the_work(tmp_path):
    full = {size: Store(tmp_path / str(size)) for size in (2000, 8000)}
    entries = {size: [entry(number) for number in range(size)] for size in full}

    def put(size):
        for start in range(0, size, 50):
            full[size].claim(keys(50, start), "run")
            full[size].put(entries[size][start : start + 50], "run")

    assert growth(put, 2000, 8000) < LINEAR
    assert growth(lambda size: full[size].get(keys(size)), 2000, 8000) < LINEAR
    assert growth(lambda size: full[8000].claim(keys(size), "run"), 2000, 8000) < LINEAR
    assert growth(lambda size: list(full[size].entries()), 2000, 8000) < LINEAR
    for store in full.values():
        store.close()


def test_what_was_read_once_is_not_mistaken_for_what_another_store_has_now(tmp_path):
    """Two stores on one file are as two kernels: what one changes or clears, the other sees at its next look."""
    here, there = Store(tmp_path / "store"), Store(tmp_path / "store")
    key = b"k" * 16
    here.put([StoredAnswer(key, "Haus", TextAnswer("house"), "translate")])
    assert here.get([key])[key].text == "house"
    there.put([StoredAnswer(key, "Haus", TextAnswer("home"), "translate")])
    assert here.get([key])[key].text == "home"
    here.put([StoredAnswer(key, "Haus", TextAnswer("building"), "translate")])
    assert here.get([key])[key].text == "building"
    there.clear()
    assert here.get([key]) == {}
    there.put([StoredAnswer(key, "Haus", TextAnswer("house"), "translate")])
    assert here.get([key])[key].text == "house"
    here.clear()
    assert here.get([key]) == {}
