import contextlib
import os
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
import time

import pytest

from svc_nb.service import database as database_module
from svc_nb.service.database import Database, NewerFile
from svc_nb.service.glossaries import Glossaries
from tests import forked

WRITER = """
import sys, pathlib
from svc_nb.service.database import Database
from svc_nb.service.glossaries import Glossaries
shelf = Glossaries(Database(pathlib.Path(sys.argv[1])))
for number in range(int(sys.argv[2])):
    made = shelf.create(f"{sys.argv[3]} {number}", {("de", "en"): {"Haus": f"house {number}"}})
    print(made.glossary_id, flush=True)
"""

OPENER = """
import pathlib, runpy, sys
Database = runpy.run_path(sys.argv[1])["Database"]  # alone: starting four times what is around it takes long
for line in sys.stdin:
    Database(pathlib.Path(line.strip())).close()
    print("opened", flush=True)
"""


ANY_ID = "00000000-0000-0000-0000-000000000001"
INSERT = "INSERT INTO glossaries VALUES (?, 'name', 'now', 0)"


def writer(path, count, name):
    command = [sys.executable, "-c", WRITER, str(path), str(count), name]
    return forked.Popen(command, stdout=subprocess.PIPE, text=True)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "account" / "service.sqlite3"


def test_a_failed_transaction_leaves_no_trace(path):
    database = Database(path)

    def spoil():
        with database.write() as connection:
            connection.execute(INSERT, (ANY_ID,))
            raise ValueError("spoiled")

    with pytest.raises(ValueError, match="spoiled"):
        spoil()
    with database.read() as connection:
        assert connection.execute("SELECT COUNT(*) FROM glossaries").fetchone()[0] == 0
    database.close()


def test_files_are_for_their_owner_alone(path):
    database = Database(path)
    with database.write() as connection:
        connection.execute(INSERT, (ANY_ID,))
        modes = {each.name: stat.S_IMODE(each.stat().st_mode) for each in path.parent.iterdir()}
    assert set(modes.values()) == {0o600}
    assert len(modes) == 3
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    database.close()


def test_threads_of_a_memory_database_see_one_account():
    database = Database()

    def add(number):
        with database.write() as connection:
            connection.execute(INSERT, (str(number),))

    threads = [threading.Thread(target=add, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(Glossaries(Database()).all()) == 0
    with database.read() as connection:
        assert connection.execute("SELECT COUNT(*) FROM glossaries").fetchone()[0] == 20
    database.close()


@pytest.mark.long
def test_two_processes_write_to_one_account_and_lose_nothing(path):
    writers = [writer(path, 60, name) for name in ("one", "two")]
    made = {line for each in writers for line in each.communicate(timeout=120)[0].split()}
    assert [each.returncode for each in writers] == [0, 0]
    database = Database(path)
    assert {each.glossary_id for each in Glossaries(database).all()} == made
    assert len(made) == 120
    database.close()


@pytest.mark.long
def test_processes_that_open_a_new_file_at_once_all_get_it(tmp_path):
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
    with contextlib.ExitStack() as ended:
        start = [sys.executable, "-c", OPENER, database_module.__file__]
        processes = [ended.enter_context(forked.Popen(start, **pipes)) for _ in range(4)]
        for number in range(30):
            for each in processes:
                each.stdin.write(f"{tmp_path / str(number)}\n")
            assert [each.stdout.readline() for each in processes] == ["opened\n"] * 4


@pytest.mark.long
def test_what_was_committed_survives_a_kill_in_the_middle_of_writes(path):
    process = writer(path, 100_000, "victim")
    told = [process.stdout.readline().strip() for _ in range(40)]
    os.kill(process.pid, signal.SIGKILL)
    told += [line for line in process.stdout.read().split() if len(line) == 36]
    process.wait()
    process.stdout.close()
    database = Database(path)
    shelf = Glossaries(database)
    kept = {each.glossary_id for each in shelf.all()}
    assert set(told) <= kept
    assert all(len(shelf.entries(glossary_id)) == 1 for glossary_id in kept)
    with database.read() as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    database.close()


def test_a_file_of_a_newer_version_is_refused(path):
    database = Database(path)
    with database.write() as connection:
        connection.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(NewerFile, match="newer svc_nb"):
        Database(path)


def test_after_the_end_nothing_is_written():
    database = Database()
    shelf = Glossaries(database)
    with database.read():
        database.close()
    with pytest.raises(sqlite3.OperationalError, match="ended"):
        shelf.create("late", {("de", "en"): {"a": "b"}})


@pytest.mark.long
def test_a_second_process_waits_for_its_turn(path):
    database = Database(path)
    with database.write() as connection:
        connection.execute(INSERT, (ANY_ID,))
        process = writer(path, 1, "patient")
        time.sleep(0.2)  # the other process is held for a while, as a slow commit would hold it
    assert process.communicate(timeout=60)[0]
    assert len(Glossaries(database).all()) == 2
    database.close()


def test_a_reader_sees_one_state_however_long_it_asks(path):
    database = Database(path)
    shelf = Glossaries(database)
    made = shelf.create("terms", {("de", "en"): {"a": "b"}})
    with database.read() as connection:
        count = "SELECT COUNT(*) FROM glossaries"
        before = connection.execute(count).fetchone()[0]
        shelf.delete(made.glossary_id)
        assert connection.execute(count).fetchone()[0] == before == 1
    assert shelf.all() == []
    database.close()


def test_a_full_disk_is_an_error_and_leaves_the_account_whole(path):
    database = Database(path)
    with database.read() as connection:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages + 4}")
    shelf = Glossaries(database)
    with pytest.raises(sqlite3.OperationalError, match="full"):
        shelf.create("large", {("de", "en"): {"a": "b" * 100_000}})
    assert shelf.all() == []
    database.close()
