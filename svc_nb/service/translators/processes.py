"""Programs joined by pipes and kept running, which answer every NUL-ended message with one of their own.

1. The programs start with the first question, each reading what the one before writes.
2. A question writes its messages and reads the answers at the same time, so that full pipes cannot stop both ends,
   until as many NULs came back as went out.
3. Whoever asks waits until the one before has its answers: one conversation at a time.
4. Programs that end, hang, or answer too much are ended, and the asker is told. The next question starts them again.
5. The programs of a wary chain are started again after each message that they complain about, and those after it are
   asked again.

The programs never outlive their owner: they are ended when the chain is closed, collected or the interpreter exits,
and if this process is killed the end of their input ends them.
"""

import os
import selectors
import subprocess
import threading
import time
import weakref
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import IO, Protocol, cast

_CHUNK = 1 << 16
_ENVIRONMENT = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "TMPDIR")


class ChainBroken(Exception):
    """The programs ended, hung or answered out of step; the message names the program, never a text."""


class Chain:
    """A row of programs as one that answers messages.

    An answer may take *patience* seconds, and longer if it is to a question of many bytes: *bytes_a_second* is far
    slower than the programs are. *wary* is for a last program that a message can change, and that writes to its stderr
    when that happens.
    """

    def __init__(
        self,
        commands: Sequence[Sequence[str]],
        *,
        patience: float = 20.0,
        bytes_a_second: float = 2_000,
        wary: bool = False,
    ) -> None:
        self.last_used = 0.0
        self.commands = [list(command) for command in commands]
        self._patience = patience
        self._bytes_a_second = bytes_a_second
        self._lock = threading.Lock()
        self._programs: list[subprocess.Popen[bytes]] = []
        self._closed = False
        self._wary = wary
        self._complained = False
        self._is_calm = True
        weakref.finalize(self, _end, self._programs)

    @property
    def alive(self) -> bool:
        """Whether programs are running."""
        return bool(self._programs)

    @property
    def pids(self) -> list[int]:
        """The process ids, in the order of the programs."""
        return [program.pid for program in self._programs]

    def ask(self, messages: Sequence[bytes]) -> list[bytes]:
        """Return one answer for each message, in order, none of which holds a NUL; or raise ChainBroken."""
        if any(b"\0" in message for message in messages):
            raise ValueError("a message must not hold a NUL: it ends messages")
        if not messages:
            return []
        with self._lock:
            if self._closed:
                raise ChainBroken("closed")
            self.last_used = time.monotonic()
            try:
                return self._asked_warily(messages) if self._wary else self._asked(messages)
            except BaseException:  # an interrupt too: the next asker must not get these answers
                _end(self._programs)
                raise

    def _asked(self, messages: Sequence[bytes]) -> list[bytes]:
        if self._complained:
            _end(self._programs)
        self._start()
        return self._exchange(b"".join(message + b"\0" for message in messages), len(messages))

    def _asked_warily(self, messages: Sequence[bytes]) -> list[bytes]:
        """Ask all at once as long as there are no complaints; else one by one."""
        if self._is_calm:
            answers = self._asked(messages)
            if not self._complained:
                return answers
        self._is_calm, answers = True, []
        for message in messages:
            answers += self._asked([message])
            self._is_calm = self._is_calm and not self._complained
        return answers

    def rest(self) -> None:
        """End the programs until the next question, unless a question is being answered."""
        if self._lock.acquire(blocking=False):
            try:
                _end(self._programs)
            finally:
                self._lock.release()

    def close(self) -> None:
        """End the programs for good; who waits for an answer gets ChainBroken."""
        self._closed = True
        for program in list(self._programs):
            program.kill()
        with self._lock:
            _end(self._programs)

    def _start(self) -> None:
        if self._programs and all(program.poll() is None for program in self._programs):
            return
        _end(self._programs)
        self._complained = False
        # What a program needs, and none of this process's secrets.
        needed = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
        source: IO[bytes] | int = subprocess.PIPE
        for at, command in enumerate(self.commands, 1):
            is_watched = self._wary and at == len(self.commands)
            try:
                program = subprocess.Popen(  # noqa: S603 - a list without a shell, from the pair's own mode file
                    command,
                    stdin=source,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE if is_watched else subprocess.DEVNULL,  # it may hold texts
                    bufsize=0,
                    env={**needed, "LC_ALL": "C.UTF-8"},
                    start_new_session=True,  # an interrupt of the notebook's kernel is not for them
                )
            except OSError as error:
                raise ChainBroken(f"{command[0]} cannot be started: {error.strerror}") from None
            if not isinstance(source, int):
                source.close()  # the next program alone holds it, so that an end is passed on
            self._programs.append(program)
            source = cast("IO[bytes]", program.stdout)

    def _exchange(self, question: bytes, count: int) -> list[bytes]:
        into = cast("IO[bytes]", self._programs[0].stdin).fileno()
        out_of = cast("IO[bytes]", self._programs[-1].stdout).fileno()
        os.set_blocking(into, False)
        os.set_blocking(out_of, False)
        rest, answer, missing = memoryview(question), bytearray(), count
        deadline = time.monotonic() + self._patience + len(question) / self._bytes_a_second
        complaints = self._programs[-1].stderr
        with selectors.DefaultSelector() as waiting:
            waiting.register(out_of, selectors.EVENT_READ)
            waiting.register(into, selectors.EVENT_WRITE)
            if complaints is not None:
                os.set_blocking(complaints.fileno(), False)
                waiting.register(complaints, selectors.EVENT_READ)
            while missing > 0:
                events = waiting.select(max(0.0, deadline - time.monotonic()))
                if not events:
                    raise ChainBroken(f"no answer in {self._patience:g} s from {self._names()}")
                for key, _ in events:
                    if key.fileobj is complaints:
                        self._complained = True
                        if not os.read(key.fd, _CHUNK):  # closed: the end of the answers says the rest
                            waiting.unregister(complaints)
                        continue
                    if key.fd == out_of:
                        if not (part := os.read(out_of, _CHUNK)):
                            raise ChainBroken(self._ended())
                        missing -= part.count(0)
                        answer += part
                        continue
                    try:
                        rest = rest[os.write(into, rest[:_CHUNK]) :]
                    except BrokenPipeError:
                        raise ChainBroken(self._ended()) from None
                    if not rest:
                        waiting.unregister(into)
        if complaints is not None:  # it complains before it answers
            with suppress(BlockingIOError):
                self._complained = bool(os.read(complaints.fileno(), _CHUNK)) or self._complained
        if missing < 0 or rest or answer[-1] != 0:
            raise ChainBroken(f"more answers than messages from {self._names()}")
        return bytes(answer[:-1]).split(b"\0")

    def _ended(self) -> str:
        """Say which program ended and how; give the others a moment to follow."""
        for program, command in zip(self._programs, self.commands, strict=True):
            with suppress(subprocess.TimeoutExpired):
                if code := program.wait(0.2):
                    return f"{command[0]} ended with {code}"
        return f"{self._names()} ended early"

    def _names(self) -> str:
        return " | ".join(os.path.basename(command[0]) for command in self.commands)


class Restable(Protocol):
    """Programs that can be ended until they are asked again."""

    @property
    def alive(self) -> bool: ...  # noqa: D102

    @property
    def last_used(self) -> float: ...  # noqa: D102

    def rest(self) -> None: ...  # noqa: D102


def keep_running(most: int, chains: Iterable[Restable]) -> None:
    """Let those of *chains* rest that were not used for longest, if more than *most* are running."""
    running = sorted((chain for chain in chains if chain.alive), key=lambda chain: chain.last_used, reverse=True)
    for chain in running[most:]:
        chain.rest()


def _end(programs: list[subprocess.Popen[bytes]]) -> None:
    """Kill, reap and forget the programs: they keep nothing that a clean end would save."""
    for program in programs:
        program.kill()
    for program in programs:
        program.wait()
        for pipe in (program.stdin, program.stdout, program.stderr):
            if pipe is not None:
                pipe.close()
    programs.clear()
