"""`binder/`: understood by repo2docker, and an environment made by it, from a clone and without Node, is ready."""

import subprocess
import sys

import pytest

from svc_nb.service.translators import apertium
from tests.packaging.machine import ROOT, environment

pytestmark = pytest.mark.timeout(600)

BINDER = ROOT / "binder"


def test_the_packages_are_those_that_the_translator_names():
    asked = subprocess.run([sys.executable, "-m", apertium.__name__], capture_output=True, text=True, check=True)
    assert (BINDER / "apt.txt").read_text().split() == asked.stdout.split()


def test_repo2docker_understands_it(clone, machine):
    asked = ["--no-build", "--debug", "--Repo2Docker.platform=linux/amd64", clone]
    said = machine.run(sys.executable, "-m", "repo2docker", *asked)
    assert "Building conda environment for python=3.11" in said
    packages = " ".join((BINDER / "apt.txt").read_text().split())
    steps = (
        f"no-install-recommends {packages} ",
        " src/ ${REPO_DIR}/",
        '-r "binder/requirements.txt"',
        "RUN ./binder/postBuild",
    )
    places = [said.rfind(step) for step in steps]
    assert -1 not in places
    assert places == sorted(places)


def test_an_environment_made_as_binder_does_is_ready(clone, machine, tmp_path_factory):
    programs = environment(machine, tmp_path_factory.mktemp("binder"))
    how = ["--quiet", "--no-compile", "-r", "binder/requirements.txt"]
    machine.run(programs / "pip", "install", *how, cwd=clone)
    said = machine.run("binder/postBuild", cwd=clone)
    assert "problem" not in said.casefold().split()
