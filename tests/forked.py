"""Start Python programs for tests quickly, by forking a process that has pandas and svc_nb loaded.

`Popen` and `run` work like those of `subprocess`, for `[sys.executable, "-c", code, *words]` and for `-m module`.
Programs that measure memory or look at imports need a fresh interpreter instead.
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
    "svc_nb.cli.file_commands",
    "svc_nb.columns.job",
    "svc_nb.documents",
    "svc_nb.service.server",
    "svc_nb.session",
)
NUMBER = 8  # bytes


class Popen(subprocess.Popen):
    """A program that the server forks: so its pid and its exit status come through a pipe, not from the system.

    Everything else is inherited. The methods below override private ones of `subprocess`.
    """

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


def run(command: list[str], *, capture_output=False, check=False, timeout=120, **how) -> subprocess.CompletedProcess:
    """Run a program to its end."""
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
    """Start the process that forks, and return the socket to it; it ends when the socket is closed."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        command = [sys.executable, "-m", __name__, str(theirs.fileno())]
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
        process = subprocess.Popen(command, pass_fds=[theirs.fileno()], cwd=Path(__file__).parents[1], **quiet)
        process.returncode = 0  # or Python warns that nobody waited for it
    atexit.register(ours.close)
    return ours


def _serve(wire: socket.socket) -> list[str]:
    """Fork for every request; in the child, return the arguments for the interpreter."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        asked, given, *_ = socket.recv_fds(wire, 1_000_000, 4)
        if not asked:
            os._exit(0)
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            wire.close()
            return _start(*pickle.loads(asked), *given)
        for end in given:
            os.close(end)


def _start(
    words: list[str], folder: str, environ: dict[str, str], stdin: int, stdout: int, stderr: int, tell: int
) -> list[str]:
    """Fork once more: the parent stays to report the pid and the exit status, the child becomes the program."""
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


def _interpret(words: list[str]) -> None:
    """Do what the interpreter would do with these arguments."""
    if words[0] == "-W":
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
    _interpret(_serve(socket.socket(fileno=int(sys.argv[1]))))
