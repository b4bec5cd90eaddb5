"""Programs in Python that need no fresh interpreter: forked from one that has pandas and svc_nb loaded.

`Popen` and `run` are those of `subprocess`, for `[sys.executable, "-c", code, *words]` and for `-m module`. Not for
what measures memory, or looks at what an import does.
"""

from __future__ import annotations

import atexit
import functools
import gc
import importlib
import os
import pickle
import runpy
import select
import signal
import socket
import subprocess
import sys
import types
import warnings
from pathlib import Path

LOADED = (
    "svc_nb.cli.translate",
    "svc_nb.frames.desk",
    "svc_nb.frames.documents",
    "svc_nb.service.server",
    "svc_nb.session",
)
NUMBER = 8  # the bytes of a number on the way from a child


class Popen(subprocess.Popen):
    """A program of its own process, whose parent is the server and not this process."""

    def _execute_child(self, args, executable, preexec_fn, close_fds, pass_fds, cwd, env, *rest) -> None:
        pipes = rest[3:9]
        given = [number if end == -1 else end for number, end in enumerate((pipes[0], pipes[3], pipes[5]))]
        wanted = [str(word) for word in args[1:]], os.fspath(cwd or os.getcwd()), dict(env or os.environ)
        self._told, tell = os.pipe()
        socket.send_fds(_server(), [pickle.dumps(wanted)], [*given, tell])
        os.close(tell)
        self._close_pipe_fds(*pipes)
        self.pid = self._read()
        self._child_created = True

    def _try_wait(self, wait_flags: int) -> tuple[int, int]:
        if wait_flags & os.WNOHANG and not select.select([self._told], [], [], 0)[0]:
            return 0, 0
        status = self._read()
        os.close(self._told)
        return self.pid, status

    def _read(self) -> int:
        read = os.read(self._told, NUMBER)
        assert read, "the process that forks is gone"
        return int.from_bytes(read)

    def _internal_poll(self, *_, **__) -> int | None:
        try:
            return self.wait(0)
        except subprocess.TimeoutExpired:
            return None


if sys.platform != "linux":
    Popen = subprocess.Popen


def run(
    command: list[str], *, capture_output=False, check=False, timeout=120, **how
) -> subprocess.CompletedProcess:
    """What became of a program."""
    if capture_output:
        how |= {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with Popen(command, **how) as process:
        try:
            out, err = process.communicate(timeout=timeout)
        finally:
            process.kill()
    ended = subprocess.CompletedProcess(command, process.returncode, out, err)
    if check:
        ended.check_returncode()
    return ended


@functools.cache
def _server() -> socket.socket:
    """The way to the process that forks; it ends with this one."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        command = [sys.executable, "-m", __name__, str(theirs.fileno())]
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
        process = subprocess.Popen(
            command, pass_fds=[theirs.fileno()], cwd=Path(__file__).parents[1], **quiet
        )
        process.returncode = 0  # nobody waits for it
    atexit.register(ours.close)
    return ours


def _serve(wire: socket.socket) -> list[str]:
    """Fork for everyone who asks; in the child, return the words that stood behind the interpreter."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        asked, given, *_ = socket.recv_fds(wire, 1_000_000, 4)
        if not asked:
            os._exit(0)
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            wire.close()
            return _begun(*pickle.loads(asked), *given)
        for end in given:
            os.close(end)


def _begun(
    words: list[str], folder: str, environ: dict[str, str], stdin: int, stdout: int, stderr: int, tell: int
) -> list[str]:
    """Fork the program; stay to tell of its number and of its end."""
    child = os.fork()
    if child:
        for end in (stdin, stdout, stderr):
            os.close(end)
        os.write(tell, child.to_bytes(NUMBER))
        os.write(tell, os.waitpid(child, 0)[1].to_bytes(NUMBER))
        os._exit(0)
    os.close(tell)
    for number, end in enumerate((stdin, stdout, stderr)):
        os.dup2(end, number)
        os.close(end)
    sys.stdin, sys.stdout = os.fdopen(0, closefd=False), os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, errors="backslashreplace", closefd=False)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environ)
    return words


def _go(words: list[str]) -> None:
    """Do what the interpreter does with *words*."""
    while words[0] == "-W":
        warnings.simplefilter(words[1])
        words = words[2:]
    how, what, *rest = words
    sys.path[0] = ""
    sys.argv = [how, *rest]
    if how == "-m":
        runpy.run_module(what, run_name="__main__", alter_sys=True)
    else:
        main = sys.modules["__main__"] = types.ModuleType("__main__")
        exec(compile(what, "<string>", "exec"), vars(main))


if __name__ == "__main__":
    for name in LOADED:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()
    _go(_serve(socket.socket(fileno=int(sys.argv[1]))))
