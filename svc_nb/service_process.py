"""The embedded service in a separate process, started and watched from here, so that it cannot freeze this one.

It receives its options and returns its keys through pipes, so no argument, variable or file shows a key. It ends when
its pipe is closed, and so together with this process, however that ends.
"""

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, cast

from svc_nb.errors import Closed, SettingsError
from svc_nb.secret import Secret

__all__ = ["ServiceProcess"]

HOST = "127.0.0.1"
START_SECONDS = 120.0
END_SECONDS = 10.0
NO_KEYS: Mapping[str, Secret] = MappingProxyType({})
# `svc_nb` itself is not imported: the service does not need it, and it would load pandas.
CODE = """
import json, os, sys, types
orders, answers = open(0, "rb", 0), os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
options = json.loads(orders.readline())
package = sys.modules["svc_nb"] = types.ModuleType("svc_nb")
package.__path__ = [options.pop("package")]
sys.path += options.pop("path")
try:
    from svc_nb.service.child import main
except Exception as error:
    print(json.dumps({"problem": f"{type(error).__name__}: {error}"}), file=answers, flush=True)
else:
    main(orders, answers, **options)
"""


class ServiceProcess:
    """The embedded service in its process; with *sample* it keeps nothing and has a year of invented usage.

    It translates with *translators*, by default with those that are installed; *keys* are the keys that their addresses
    name.

    A client needs only `base_url`, `api_key` and `admin_key`. `folder` is where the account is kept (None: in memory).
    `unreadable_documents` maps the kinds of documents that this installation cannot read to the reasons. `lost` says
    why the process can no longer be used. Raises SettingsError if it cannot start.
    """

    def __init__(
        self, *, sample: bool = False, translators: Sequence[str] | None = None, keys: Mapping[str, Secret] = NO_KEYS
    ) -> None:
        self._sample = sample
        self._translators = translators
        self._keys = keys
        self._lock = threading.Lock()
        self.lost = ""
        self._process: subprocess.Popen[bytes] | None
        self._process, told = self._start(0)
        self.port: int = told["port"]
        self.base_url = f"http://{HOST}:{self.port}"
        self.api_key: str = told["api_key"]
        self.admin_key: str = told["admin_key"]
        self.folder = Path(told["folder"]) if told["folder"] else None
        self.unreadable_documents: dict[str, str] = told["unreadable_documents"]

    def __repr__(self) -> str:
        return f"<ServiceProcess at {self.base_url}>"

    def __reduce__(self) -> str:
        raise TypeError("A running service cannot be pickled. Send its base_url instead.")

    def ensure(self) -> None:
        """Restart it on the same port if it has ended by itself; raises Closed if that is useless or impossible."""
        ended = self._process
        if not self.lost and (ended is None or ended.poll() is None):
            return
        with self._lock:
            if not self.lost and ended is not None and self._process is ended:  # else another thread was faster
                _end(ended)
                if self.folder is None:
                    self.lost = "The embedded service has ended by itself, and the data it kept in memory is lost"
                else:
                    try:
                        self._process, _ = self._start(self.port)
                    except SettingsError as problem:
                        self.lost = f"The embedded service has ended by itself. {problem.message.rstrip('.')}"
            if self.lost:
                raise Closed(f"{self.lost}. Call svc_nb.connect() to start a new one.")

    def stop(self) -> None:
        """Let it finish its current requests, then end it; a second call does nothing."""
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            _end(process)

    def abandon(self) -> None:
        """Leave it to the parent: in a forked process, the open pipe would keep it alive after the parent has ended."""
        process, self._process = self._process, None
        if process is not None:
            process.returncode = 0  # or Python warns that no one waited for it
            for pipe in _pipes(process):
                pipe.close()

    def _start(self, port: int) -> tuple["subprocess.Popen[bytes]", dict[str, Any]]:
        """Start the process; return it and what it reports once it accepts requests."""
        options = {
            "package": str(Path(__file__).parent),
            "path": _import_path(),
            "memory": self._sample,
            "sample": self._sample,
            "port": port,
            "translators": self._translators,
        }
        secret = {*self._keys, *(name for name in os.environ if name.startswith("SVC_"))}
        kept = {name: value for name, value in os.environ.items() if name not in secret}
        if "SVC_MODEL_DIR" in os.environ:
            kept["SVC_MODEL_DIR"] = os.environ["SVC_MODEL_DIR"]
        # A group of its own: Ctrl-C is for the notebook. Windows has flags for this, and no sessions.
        flags = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0) | getattr(subprocess, "CREATE_NO_WINDOW", 0)
        try:
            process = subprocess.Popen(  # noqa: S603 -- our own interpreter, our own code
                [sys.executable, "-I", "-c", CODE],
                bufsize=0,  # a buffer has a lock, which may be held at the time of a fork
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=kept,
                start_new_session=True,
                creationflags=flags,
            )
        except OSError as problem:
            raise _cannot_start(f"{sys.executable or 'Python'}: {problem.strerror}") from None
        limit = threading.Timer(START_SECONDS, process.kill)
        limit.daemon = True
        limit.start()
        try:
            into, out = _pipes(process)
            with suppress(BrokenPipeError):  # then there is no answer
                into.write(_line(options, self._keys))
            line = out.readline()
            if limit.finished.is_set():
                raise _cannot_start(f"it was not ready after {START_SECONDS:g} s")
            if not line.endswith(b"\n"):
                raise _cannot_start(f"its process ended at once, with status {process.wait()}")
            told: dict[str, Any] = json.loads(line)
            if "problem" in told:
                raise _cannot_start(told["problem"])
        except BaseException:
            process.kill()
            _end(process)
            raise
        finally:
            limit.cancel()
        return process, told


def translator_keys(translators: Sequence[str] | None) -> dict[str, Secret]:
    """The keys that the addresses of *translators* name, from the environment; one that is not set is left out."""
    names = re.findall(r"[?&]key=(\w+)", " ".join(translators or ()))
    return {name: Secret(os.environ[name]) for name in sorted(set(names)) if os.environ.get(name)}


def _line(options: Mapping[str, Any], keys: Mapping[str, Secret]) -> bytes:
    environ = {name: key.reveal() for name, key in keys.items()}
    return json.dumps({**options, "environ": environ}).encode() + b"\n"


def _cannot_start(why: str) -> SettingsError:
    return SettingsError(f"The embedded service cannot start: {why}")


def _import_path() -> list[str]:
    """Where this process finds packages, except the working directory, whose files must not run in the service."""
    with suppress(FileNotFoundError):  # the working directory has been removed
        here = Path.cwd().resolve()
        return [each for each in sys.path if Path(each).is_absolute() and Path(each).resolve() != here]
    return [each for each in sys.path if Path(each).is_absolute()]


def _pipes(process: "subprocess.Popen[bytes]") -> tuple[IO[bytes], IO[bytes]]:
    return cast("IO[bytes]", process.stdin), cast("IO[bytes]", process.stdout)


def _end(process: "subprocess.Popen[bytes]") -> None:
    into, out = _pipes(process)
    into.close()
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    out.close()
