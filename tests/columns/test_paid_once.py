"""Nothing is paid twice: after a full disk, by kernels whose clocks differ, and without locks."""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack

import pytest

from tests.children import Child

LENGTH = sum(len(f"text number {number}") for number in range(2000))
FULL = """
import resource

def limit(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

svc_nb.store.info()
limit(300_000)
try:
    translate(progress=False)
except svc_nb.errors.StoreError as error:
    print("still in memory, and the next run saves them" in str(error), flush=True)
limit(resource.RLIM_INFINITY)
"""
SHIFTED = """
import functools, time

def shifted(real=time.time):
    return real() + float({minutes}) * 60

time.time = shifted
svc_nb.session.Store = functools.partial(svc_nb.session.Store, clock=shifted)
tell(translate(progress=False))
"""
WITHOUT_LOCKS = """
import errno, fcntl

def no_locks(*asked):
    raise OSError(errno.ENOLCK, "No locks available")

fcntl.flock = no_locks
warnings.simplefilter("always")
with warnings.catch_warnings(record=True) as warned:
    try:
        tell(translate(progress=False))
        tell(translate(progress=False))
    except svc_nb.errors.StoreError as error:
        print(error, flush=True)
print([each.category.__name__ for each in warned], flush=True)
sys.stdin.readline()
"""

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform == "win32", reason="needs resource and fcntl, which Windows lacks"),
]


def spent(running):
    return sum(running.state.ledger.spent().values())


def told(running, path, script, **fields):
    """What a process printed that ran *script*."""
    with Child(running, path, script, rows=2000, **fields) as child:
        child.go()
        out, err, code = child.told()
    assert (err, code) == ("", 0)
    return out.splitlines()


@pytest.mark.parametrize("then", ["tell(translate(progress=False))", "translate(progress=False); tell(translate())"])
def test_what_a_full_disk_refused_is_stored_by_the_next_run_and_paid_once(then, running, tmp_path):
    before = spent(running)
    refused, texts = told(running, tmp_path / "answers.db", FULL + then)
    assert refused == "True"
    assert len(json.loads(texts)) == 2000
    assert None not in json.loads(texts)
    assert spent(running) - before == LENGTH
    told(running, tmp_path / "answers.db", "tell(translate(progress=False))")
    assert spent(running) - before == LENGTH, "another process finds all of it"


def test_what_a_full_disk_refused_is_stored_when_the_process_ends(running, tmp_path):
    before = spent(running)
    told(running, tmp_path / "answers.db", FULL)
    paid = spent(running) - before
    assert 0 < paid < LENGTH
    told(running, tmp_path / "answers.db", "tell(translate(progress=False))")
    assert spent(running) - before == LENGTH


@pytest.mark.parametrize("minutes", [-20, 20])
def test_a_kernel_with_another_clock_pays_for_nothing_twice(minutes, running, tmp_path):
    running.faults.add("latency", operation="/v2/translate", seconds=0.1)
    before = spent(running)
    with ExitStack() as stack:
        children = [
            stack.enter_context(
                Child(running, tmp_path / "answers.db", SHIFTED.format(minutes=each), rows=2000, pool_size=4)
            )
            for each in (0, minutes)
        ]
        for child in children:
            child.go()
        assert [child.told()[2] for child in children] == [0, 0]
    assert spent(running) - before == LENGTH


def test_without_locks_one_process_works_and_says_so_once(running, tmp_path):
    before = spent(running)
    path = tmp_path / "answers.db"
    with Child(running, path, WITHOUT_LOCKS, rows=100) as first:
        first.go()
        texts = first.process.stdout.readline()
        assert first.process.stdout.readline() == texts != ""
        assert first.process.stdout.readline() == "['NoLocks']\n"
        paid = spent(running) - before
        with Child(running, path, WITHOUT_LOCKS, rows=100) as second:
            second.go()
            assert "in use by another process" in second.process.stdout.readline()
        first.process.kill()
        first.process.wait()
    with Child(running, path, WITHOUT_LOCKS, rows=100) as third:
        third.go()
        assert third.process.stdout.readline() == texts, "what a killed process leaves is taken over"
    assert spent(running) - before == paid == sum(len(f"text number {number}") for number in range(100))
