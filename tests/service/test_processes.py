"""Programs kept running: order, count, restart, and that none is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from svc_nb.service.translators.processes import Chain, ChainBroken
from tests.waiting import until

# Answers a message in capitals, unless the message tells it to misbehave.
PROGRAM = """
import os, sys, time
rest = b""
while part := os.read(0, 65536):
    *messages, rest = (rest + part).split(b"\\0")
    for message in messages:
        if message == b"die": sys.exit(3)
        if message == b"hang": time.sleep(60)
        if message == b"names": message = " ".join(os.environ).encode()
        answer = message.upper() + b"\\0"
        os.write(1, answer * 2 if message == b"twice" else answer)
"""

# Counts the words that it did not know, and says so: an answer depends on the messages before.
LEARNING = """
import os, sys
rest, learned = b"", 0
while part := os.read(0, 65536):
    *messages, rest = (rest + part).split(b"\\0")
    for message in messages:
        os.write(1, message + b" %d\\0" % learned if b"new" not in message else b"")
        if b"new" in message:
            learned += 1
            os.write(2, b"a new word" * (20_000 if b"long" in message else 1))
            os.write(1, message + b" 0\\0")
"""

Start = Callable[..., Chain]


@pytest.fixture
def start() -> Iterator[Start]:
    started: list[Chain] = []

    def start(*commands: list[str], patience: float = 20.0, wary: bool = False) -> Chain:
        default = [["cat"], [sys.executable, "-SEc", PROGRAM], ["cat"]]
        started.append(Chain(commands or default, patience=patience, wary=wary))
        return started[-1]

    yield start
    for chain in started:
        chain.close()


def ended(pid: int) -> bool:
    """Whether a process is gone, or dead and only waits for whoever adopted it."""
    if not Path("/proc/self").exists():
        state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True).stdout.strip()
        return not state or state.startswith("Z")
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].startswith("Z")
    except (FileNotFoundError, ProcessLookupError):
        return True


def all_ended(pids: list[int]) -> bool:
    return until(lambda: all(map(ended, pids)))


def test_every_message_gets_its_answer_in_order(start: Start) -> None:
    messages = [f"text {number}".encode() for number in range(500)]
    assert start().ask(messages) == [message.upper() for message in messages]


def test_empty_messages_and_no_messages_are_answered_too(start: Start) -> None:
    chain = start()
    assert chain.ask([b"", b"a", b""]) == [b"", b"A", b""]
    assert chain.ask([]) == []


def test_a_question_larger_than_all_pipes_does_not_block(start: Start) -> None:
    message = b"x" * 3_000_000
    assert start(["cat"], ["cat"]).ask([message, b"y"]) == [message, b"y"]


def test_a_wary_chain_gives_answers_that_do_not_depend_on_the_messages_before(start: Start) -> None:
    chain = start(["cat"], [sys.executable, "-SEc", LEARNING], wary=True)
    for messages in ([b"a", b"b"], [b"a", b"new", b"b", b"long new", b"c"], [b"d"], [b"new", b"new"], [b"e", b"f"]):
        assert chain.ask(messages) == [message + b" 0" for message in messages]
    assert start(["cat"], [sys.executable, "-SEc", LEARNING]).ask([b"new", b"b"]) == [b"new 0", b"b 1"]


def test_a_wary_chain_keeps_programs_that_do_not_complain(start: Start) -> None:
    chain = start([sys.executable, "-SEc", LEARNING], wary=True)
    chain.ask([b"a", b"b"])
    pids = chain.pids
    chain.ask([b"c"])
    assert chain.pids == pids
    chain.ask([b"new"])
    chain.ask([b"d"])
    assert chain.pids != pids
    assert all_ended(pids)


def test_the_programs_stay_the_same_from_question_to_question(start: Start) -> None:
    chain = start()
    chain.ask([b"a"])
    pids = chain.pids
    chain.ask([b"b"])
    assert chain.pids == pids
    assert len(pids) == 3


def test_a_message_with_a_nul_is_refused(start: Start) -> None:
    with pytest.raises(ValueError, match="NUL"):
        start().ask([b"a\0b"])


def test_a_killed_program_is_started_again(start: Start) -> None:
    chain = start()
    chain.ask([b"a"])
    before = chain.pids
    os.kill(before[1], signal.SIGKILL)
    assert all_ended(before[1:2])
    assert chain.ask([b"b"]) == [b"B"]
    assert not set(before) & set(chain.pids)


def test_a_program_that_ends_at_a_message_is_named_and_started_again(start: Start) -> None:
    chain = start()
    with pytest.raises(ChainBroken, match="ended with 3"):
        chain.ask([b"a", b"die", b"b"])
    assert chain.ask([b"c"]) == [b"C"]


@pytest.mark.long
def test_a_program_that_hangs_is_ended_after_the_time_limit_and_started_again(start: Start) -> None:
    chain = start(patience=2.0)
    chain.ask([b"a"])
    pids = chain.pids
    with pytest.raises(ChainBroken, match=r"no answer in 2 s"):
        chain.ask([b"hang"])
    assert all_ended(pids)
    assert chain.ask([b"c"]) == [b"C"]


def test_an_answer_too_many_is_never_given_to_the_next_message(start: Start) -> None:
    chain = start()
    with pytest.raises(ChainBroken, match="more answers"):
        chain.ask([b"twice"])
    assert chain.ask([b"next"]) == [b"NEXT"]


def test_a_program_that_is_not_there_is_named(start: Start) -> None:
    with pytest.raises(ChainBroken, match="no-such-program cannot be started"):
        start(["cat"], ["no-such-program"]).ask([b"a"])


def test_askers_from_many_threads_get_their_own_answers(start: Start) -> None:
    chain = start()

    def asked(asker: int) -> bool:
        messages = [f"{asker} {number}".encode() for number in range(30)]
        return all(chain.ask(messages) == messages for _ in range(10))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(asked, range(8)))


def test_the_programs_get_none_of_our_secrets(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SVC_API_KEY", "secret")
    (names,) = start().ask([b"names"])
    assert b"PATH" in names
    assert b"SVC_API_KEY" not in names


def test_resting_ends_the_programs_until_the_next_question(start: Start) -> None:
    chain = start()
    chain.ask([b"a"])
    pids = chain.pids
    chain.rest()
    assert not chain.alive
    assert all_ended(pids)
    assert chain.ask([b"b"]) == [b"B"]


def test_a_closed_chain_leaves_no_process_and_answers_no_more(start: Start) -> None:
    chain = start()
    chain.ask([b"a"])
    pids = chain.pids
    chain.close()
    assert all_ended(pids)
    with pytest.raises(ChainBroken, match="closed"):
        chain.ask([b"a"])


@pytest.mark.long
@pytest.mark.parametrize("end", ["leave", "be killed"])
def test_no_program_outlives_its_owner(end: str) -> None:
    owner = (
        "import sys; from svc_nb.service.translators.processes import Chain; chain = Chain([['cat'], ['cat']]);"
        "chain.ask([b'a']); print(*chain.pids, flush=True); sys.stdin.readline()"
    )
    with subprocess.Popen([sys.executable, "-c", owner], stdin=-1, stdout=-1, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        pids = [int(pid) for pid in process.stdout.readline().split()]
        assert len(pids) == 2
        assert not any(map(ended, pids))
        if end == "be killed":
            process.kill()
        else:
            process.stdin.close()
        process.wait()
        assert all_ended(pids)
