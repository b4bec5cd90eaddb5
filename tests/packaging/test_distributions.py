"""The wheel and the sdist: built without Node, complete, and good enough to run the demo from in an empty home."""

import email
import re
import shutil
import sys
import tarfile
import zipfile

import pytest

from tests.golden import record
from tests.packaging.machine import environment

pytestmark = pytest.mark.timeout(600)

SHARED = "svc_nb-{version}.data/data/share/jupyter/labextensions/svc-nb/"


@pytest.fixture(scope="module")
def built(clone, machine):
    """The sdist, and the wheel that is built from it, on a machine without Node."""
    assert not shutil.which("node", path=machine.environ["PATH"])
    machine.run(sys.executable, "-m", "build", "--outdir", machine.home / "dist", clone)
    (sdist,), (wheel,) = ((machine.home / "dist").glob(form) for form in ("*.tar.gz", "*.whl"))
    return sdist, wheel


@pytest.fixture(scope="module")
def installed(built, machine, tmp_path_factory):
    """The programs of a fresh environment into which pip put the wheel, with JupyterLab."""
    programs = environment(machine, tmp_path_factory.mktemp("fresh"))
    machine.run(programs / "python", "-m", "pip", "install", "--quiet", "--no-compile", f"{built[1]}[lab]")
    return programs


def names(wheel):
    with zipfile.ZipFile(wheel) as file:
        return file.namelist()


def test_the_wheel_has_all_that_a_user_needs_and_nothing_else(built, clone):
    inside = names(built[1])
    sources = {
        str(path.relative_to(clone))
        for path in (clone / "svc_nb").rglob("*")
        if path.is_file() and "extension" not in path.parts
    }
    assert sources <= set(inside)
    assert {"svc_nb/py.typed", "svc_nb/samples/reviews.csv"} <= sources
    assert not [name for name in inside if re.search(r"node_modules|__pycache__|^tests/|^docs/|\.ts$", name)]


def test_the_wheel_holds_what_was_recorded(built):
    assert record.wheel(built[1]).splitlines() == record.recorded("wheel").splitlines()


def test_the_extension_of_jupyterlab_lies_where_jupyterlab_looks(built):
    version = built[1].name.split("-")[1]
    inside = names(built[1])
    shared = SHARED.format(version=version)
    assert shared + "package.json" in inside
    assert [name for name in inside if re.fullmatch(re.escape(shared) + r"static/remoteEntry\.\w+\.js", name)]


def test_licences_and_the_readme_are_in_it(built):
    with zipfile.ZipFile(built[1]) as file:
        (facts,) = (name for name in file.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = email.message_from_bytes(file.read(facts))
    assert metadata["License-Expression"] == "MIT AND BSD-3-Clause"
    assert metadata["Description-Content-Type"] == "text/markdown"
    kept = [name.partition(".dist-info/licenses/")[2] for name in names(built[1]) if "/licenses/" in name]
    assert sorted(kept) == ["LICENSE", "svc_nb/samples/messages.LICENSE"]


def test_the_sdist_has_the_tests_the_pages_and_the_notebooks_too(built):
    with tarfile.open(built[0]) as file:
        inside = {name.partition("/")[2] for name in file.getnames()}
    assert {
        "Makefile",
        "docs/conf.py",
        "tests/conftest.py",
        "binder/postBuild",
        "notebooks/README.md",
    } <= inside
    assert not [name for name in inside if re.search(r"node_modules|__pycache__|\.venv", name)]


def test_the_demo_runs_from_the_wheel(installed, machine):
    said = machine.run(installed / "svc-nb", "demo")
    assert re.search(r"\d+ reviews of an invented shop", said)
    assert "usage_date" in said


def test_the_doctor_finds_nothing_wrong(installed, machine):
    assert "problem" not in machine.run(installed / "svc-nb", "doctor").casefold().split()


def test_jupyterlab_has_the_extension_switched_on(installed, machine):
    said = machine.run(installed / "jupyter", "labextension", "list")
    assert re.search(r"svc-nb v[\d.]+ \S*enabled\S* \S*OK", said), said


def test_the_sdist_installs_the_same_files(built, installed, machine):
    python = installed / "python"
    listed = [
        python,
        "-c",
        "import importlib.metadata as m; print(*sorted(map(str, m.files('svc-nb'))), sep='\\n')",
    ]
    of_wheel = machine.run(*listed)
    again = ["--quiet", "--no-compile", "--no-deps", "--force-reinstall"]
    machine.run(python, "-m", "pip", "install", *again, built[0])
    same = [
        re.sub(r".*(direct_url\.json|INSTALLER|REQUESTED|RECORD)\n", "", text)
        for text in (of_wheel, machine.run(*listed))
    ]
    assert same[0] == same[1]
