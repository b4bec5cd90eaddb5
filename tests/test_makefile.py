"""`make translators` where only some packages are known, where nobody may install, and where there is no apt-get."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from svc_nb.service.translators import apertium

ROOT = Path(__file__).parents[1]
UNKNOWN = "apertium-es-ro"
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither make nor apt-get"),
]


@pytest.fixture
def translators(tmp_path):
    """Run `make translators` on a system whose programs are those given, as scripts: `translators(dpkg="exit 1")`."""
    venv, programs = tmp_path / "venv", tmp_path / "programs"
    (venv / "bin").mkdir(parents=True)
    programs.mkdir()
    for done in ("bin/pip", "demo.done"):
        (venv / done).touch()
    _script(venv / "bin" / "python", f'exec {sys.executable} "$@"')
    for name in ("sh", "make", "expr", "getconf", "touch"):
        (programs / name).symlink_to(shutil.which(name))

    def run(**scripts):
        for name, script in scripts.items():
            _script(programs / name.replace("_", "-"), script)
        environ = {"PATH": str(programs), "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
        command = ["make", "--no-print-directory", "translators", f"VENV={venv}"]
        done = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    return run


def _script(path, code):
    path.write_text(f"#!/bin/sh\n{code}\n")
    path.chmod(0o755)


@pytest.fixture
def system(tmp_path):
    """A Debian on which nothing is installed, and one package is unknown; what apt-get was told is in a file."""
    return {
        "dpkg": "exit 1",
        "apt_cache": f'[ "$2" != {UNKNOWN} ]',
        "apt_get": f'echo "$@" >>{tmp_path}/told',
    }


def test_only_packages_that_the_system_knows_are_asked_for_and_the_others_are_named(translators, system, tmp_path):
    said = translators(**system, id="echo 0")
    assert said.splitlines() == [f"Apertium: this system has no {UNKNOWN}", "Installing Apertium"]
    _, install = (tmp_path / "told").read_text().splitlines()
    names = {word for word in install.split() if word.startswith("apertium")}
    assert names == {*apertium.DEBIAN_PACKAGES} - {UNKNOWN}


def test_who_may_not_install_is_told_in_one_line_what_to_install(translators, system, tmp_path):
    said = translators(**{**system, "apt_cache": "true"}, id="echo 1000")
    assert said.startswith("For real translations, install Apertium:  sudo apt-get install apertium")
    assert len(said.splitlines()) == 1
    assert not (tmp_path / "told").exists()


def test_where_there_is_no_apt_get_one_line_says_what_could_be_installed(translators):
    assert translators(id="echo 1000") == "For real translations, install Apertium"


def test_where_apt_get_knows_no_package_one_line_says_so_and_nothing_is_installed(translators, system, tmp_path):
    said = translators(**{**system, "apt_cache": "exit 100"}, id="echo 0")
    assert said == "Apertium: apt-get knows no package of it; see apt-get update"
    assert (tmp_path / "told").read_text().split() == ["update", "-q"]


def test_the_packages_to_install_are_those_that_the_system_knows(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert apertium.packages_here() == apertium.DEBIAN_PACKAGES
    known = [name for name in apertium.DEBIAN_PACKAGES if name != UNKNOWN]
    _script(
        tmp_path / "apt-cache", "".join(f"echo 'Package: {name}'; echo 'Version: 1'; " for name in known) + "exit 100"
    )
    assert apertium.packages_here() == known
    _script(tmp_path / "apt-cache", "exit 100")
    assert apertium.packages_here() == apertium.DEBIAN_PACKAGES


def test_nothing_is_said_where_all_is_there(translators):
    assert translators(dpkg="true", id="echo 0") == ""
