"""JupyterLab, Notebook 7, Voila and marimo on loopback, each started when first asked for, in a home of their own.

Nothing of the person who runs the tests is read or written: settings, kernels, history and caches are in a
temporary folder, and of the environment only what a program needs to start is passed on.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest

CHECKOUT = Path(__file__).parents[2]
GUARD = Path(__file__).with_name("guard.py")
EXTENSION = CHECKOUT / "svc_nb" / "lab" / "extension" / "built"
PATIENCE = 90.0
PASSED_ON = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "TZ")
HOMES = {
    "JUPYTER_CONFIG_DIR": "config",
    "JUPYTER_DATA_DIR": "data",
    "JUPYTER_RUNTIME_DIR": "runtime",
    "JUPYTERLAB_SETTINGS_DIR": "settings",
    "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
    "IPYTHONDIR": "ipython",
    "MPLCONFIGDIR": "matplotlib",
    "TMPDIR": "tmp",
}

OTHER = "other"  # the name of the default kernel, and of its language
IPYTHON = ("-m", "ipykernel_launcher")
IN_ANOTHER_LANGUAGE = (
    "-c",
    f"""from ipykernel.ipkernel import IPythonKernel
from ipykernel.kernelapp import IPKernelApp
class Other(IPythonKernel):
    language_info = IPythonKernel.language_info | {{"name": "{OTHER}"}}
IPKernelApp.launch_instance(kernel_class=Other)""",
)


class Place:
    """The folders the front ends live in: *root* is where the notebooks are."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.root = folder / "root"
        self.logs = folder / "logs"
        for made in (self.home, self.root, self.logs, *(self.home / name for name in HOMES.values())):
            made.mkdir(mode=0o700)
        (self.root / "marimo").mkdir()
        _add_kernel(self.home / "data" / "kernels" / "python3", "Python of the tests", "python", IPYTHON)
        _add_kernel(self.home / "data" / "kernels" / OTHER, "Another language", OTHER, IN_ANOTHER_LANGUAGE)
        _silence_news(self.home / "settings" / "@jupyterlab" / "apputils-extension")
        _add_template(self.home / "data" / "voila" / "templates" / "offline")
        # Before that of the environment, which another checkout may have installed.
        shutil.copytree(EXTENSION, self.home / "data" / "labextensions" / "svc-nb")

    def environ(self) -> dict[str, str]:
        """The whole environment of a front end, and of its kernels."""
        kept = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        homes = {name: str(self.home / folder) for name, folder in HOMES.items()}
        own = {"HOME": str(self.home), "PYTHONPATH": str(CHECKOUT), "JUPYTER_PREFER_ENV_PATH": "0"}
        return kept | homes | own


def _add_kernel(folder: Path, name: str, language: str, program: tuple[str, str]) -> None:
    folder.mkdir(parents=True)
    argv = [sys.executable, "-Xfrozen_modules=off", *program, "-f", "{connection_file}"]
    spec = {"argv": argv, "display_name": name, "language": language}
    (folder / "kernel.json").write_text(json.dumps(spec))


def _silence_news(folder: Path) -> None:
    """JupyterLab asks whether it may fetch news, on top of what is to be seen: answer no."""
    folder.mkdir(parents=True)
    answer = {"fetchNews": "false", "checkForUpdates": False}
    (folder / "notification.jupyterlab-settings").write_text(json.dumps(answer))


def _add_template(folder: Path) -> None:
    """Voila's own template, without the style sheets that it takes from a CDN."""
    folder.mkdir(parents=True)
    shipped = Path(sys.prefix) / "share/jupyter/voila/templates/lab/index.html.j2"
    text = re.sub(r"<link [^>]*https://[^>]*>", "", shipped.read_text(encoding="utf-8"))
    (folder / "index.html.j2").write_text(text, encoding="utf-8")
    (folder / "conf.json").write_text(json.dumps({"base_template": "lab"}))


def _jupyter(module: str, app: str) -> Callable[[Place, int, str], list[str]]:
    def command(place: Place, port: int, token: str) -> list[str]:
        return [
            *(sys.executable, "-m", module, "--allow-root", "--expose-app-in-browser"),
            *("--ip=127.0.0.1", f"--port={port}", "--port-retries=0"),
            *("--ServerApp.open_browser=False", f"--{app}.open_browser=False"),
            f"--ServerApp.root_dir={place.root}",
            f"--IdentityProvider.token={token}",
            f"--MultiKernelManager.default_kernel_name={OTHER}",
            "--LabApp.news_url=None",
            "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        ]

    return command


def _voila(place: Place, port: int, token: str) -> list[str]:
    return [
        *(sys.executable, "-m", "voila", str(place.root), "--no-browser", "--show_tracebacks=True"),
        *("--Voila.ip=127.0.0.1", f"--port={port}", f"--token={token}", "--template=offline"),
    ]


def _marimo(place: Place, port: int, token: str) -> list[str]:
    return [
        *(sys.executable, "-m", "marimo", "--quiet", "--yes", "run", str(place.root / "marimo"), "--headless"),
        *("--host=127.0.0.1", f"--port={port}", "--token", f"--token-password={token}", "--no-sandbox", "--no-check"),
    ]


COMMANDS = {
    "lab": _jupyter("jupyterlab", "LabApp"),
    "notebook": _jupyter("notebook", "JupyterNotebookApp"),
    "voila": _voila,
    "marimo": _marimo,
}


class Server:
    """One front end, running and answering."""

    def __init__(self, front: str, place: Place) -> None:
        self.front = front
        self.place = place
        self.token = secrets.token_hex(16)
        self._address = ("127.0.0.1", _free_port())
        self.base_url = "http://{}:{}/".format(*self._address)
        self.log = place.logs / f"{front}-{secrets.token_hex(4)}.log"
        command = COMMANDS[front](place, self._address[1], self.token)
        with self.log.open("wb") as log:
            self._guard = subprocess.Popen(
                [sys.executable, str(GUARD), *command],
                env=place.environ(),
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=log,
                start_new_session=True,
            )
        self._wait()

    @property
    def alive(self) -> bool:
        """Whether it still runs and listens."""
        with socket.socket() as probe:
            return self._guard.poll() is None and probe.connect_ex(self._address) == 0

    def url(self, path: str, **query: str) -> str:
        """The address of *path*, with what lets a browser in."""
        name = "access_token" if self.front == "marimo" else "token"
        return f"{self.base_url}{quote(path)}?{urlencode({name: self.token, **query})}"

    def ask(self, method: str, path: str) -> bytes:
        """Its answer to a plain request."""
        request = urllib.request.Request(self.base_url + path, method=method)
        request.add_header("Authorization", f"token {self.token}")
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=30) as response:
            return response.read()

    def end_kernel(self, kernel: str) -> None:
        """End one of its kernels; one that is gone already is no error."""
        method, path = ("POST", "voila/api/shutdown/") if self.front == "voila" else ("DELETE", "api/kernels/")
        with contextlib.suppress(urllib.error.HTTPError):
            self.ask(method, path + kernel)

    def end(self) -> None:
        """End it, and its kernels with it."""
        self._guard.stdin.close()
        self._guard.wait(30)

    def _wait(self) -> None:
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until and self._guard.poll() is None:
            try:
                self.ask("GET", "api" if self.front != "voila" else "voila/static/main.js")
            except urllib.error.HTTPError:
                return
            except OSError:
                time.sleep(0.1)
            else:
                return
        said = self.log.read_text(errors="replace")[-3000:]
        self.end()
        pytest.fail(f"{self.front} did not start:\n{said}", pytrace=False)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Servers:
    """The front ends by name, each started when first asked for, and again when it has died since."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self._running: dict[str, Server] = {}

    def __getitem__(self, front: str) -> Server:
        server = self._running.get(front)
        if server is not None and not server.alive:
            self._running.pop(front).end()
        if front not in self._running:
            self._running[front] = Server(front, self.place)
        return self._running[front]

    def end(self) -> None:
        """End them all."""
        while self._running:
            self._running.popitem()[1].end()
