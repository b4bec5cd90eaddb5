"""A machine without Node and with an empty home, fresh environments on it, and the files that a checkout has."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NODE = {"node", "nodejs", "npm", "npx", "corepack", "yarn", "yarnpkg", "jlpm"}
OFFLINE = re.compile(r"name resolution|Failed to establish a new connection|Network is unreachable")
OF_OTHERS = ("SVC_", "XDG_", "JUPYTER", "IPYTHON", "MPL", "PYTEST", "PYTHON", "VIRTUAL_ENV")


class Machine:
    """A home of its own, settings of nobody, and a PATH without Node."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.home.mkdir()
        programs = folder / "programs"
        programs.mkdir()
        for place in map(Path, os.environ["PATH"].split(os.pathsep)):
            own = place == Path(sys.executable).parent or not place.is_dir()
            for program in [] if own else place.iterdir():
                if program.name not in NODE and not os.path.lexists(programs / program.name):
                    (programs / program.name).symlink_to(program)
        kept = {name: value for name, value in os.environ.items() if not name.startswith(OF_OTHERS)}
        self.environ = {**kept, "HOME": str(self.home), "PATH": str(programs), "PYTHONIOENCODING": "utf-8"}
        self.environ["PIP_CACHE_DIR"] = os.environ.get("PIP_CACHE_DIR", _cache())
        self.environ["PIP_DISABLE_PIP_VERSION_CHECK"] = "1"
        mirror = Path.home() / ".config" / "pip" / "pip.conf"
        if mirror.is_file():
            self.environ.setdefault("PIP_CONFIG_FILE", str(mirror))

    def run(self, *command: object, cwd: Path | None = None, timeout: float = 500) -> str:
        """Run a command to its end and return what it said; fail if it does, or skip where there is no network."""
        ended = subprocess.run(
            [str(part) for part in command],
            env=self.environ,
            cwd=cwd or self.home,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=timeout,
        )
        if ended.returncode and "CI" not in os.environ and OFFLINE.search(ended.stdout):
            pytest.skip("no package index can be reached")
        assert ended.returncode == 0, ended.stdout[-4000:]
        return ended.stdout


def _cache() -> str:
    """The packages that were fetched before: an empty home need not fetch them again."""
    asked = subprocess.run([sys.executable, "-m", "pip", "cache", "dir"], capture_output=True, text=True)
    return asked.stdout.strip()


def environment(machine: Machine, folder: Path) -> Path:
    """A fresh environment; the folder of its programs, which come first on the machine's PATH from now on."""
    programs = folder / "bin"
    machine.run(sys.executable, "-m", "venv", "--without-pip", folder)  # Debian's Python has no other
    machine.run(sys.executable, "-m", "pip", "--python", programs / "python", "install", "--quiet", "pip")
    machine.environ["PATH"] = os.pathsep.join([str(programs), machine.environ["PATH"]])
    return programs


def files() -> list[str]:
    """What git keeps, or would keep."""
    asked = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    ended = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in ended.stdout.split("\0") if name and (ROOT / name).is_file()]
