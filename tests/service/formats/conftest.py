"""LibreOffice, for documents that other programs make and must be able to open again."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Convert = Callable[..., list[Path]]


@pytest.fixture(scope="session")
def soffice(tmp_path_factory: pytest.TempPathFactory) -> Convert:
    """Converts files: `soffice("pdf", file, …, out=folder)`; a start takes seconds, so give it many files at once."""
    program = shutil.which("soffice")
    if program is None:
        if "CI" in os.environ:
            pytest.fail("LibreOffice is missing")
        pytest.skip("LibreOffice is not installed")
    profile = tmp_path_factory.mktemp("libreoffice")

    def convert(kind: str, *files: Path, out: Path) -> list[Path]:
        command = [program, f"-env:UserInstallation={profile.as_uri()}", "--headless", "--convert-to", kind]
        done = subprocess.run([*command, "--outdir", out, *files], capture_output=True, timeout=120)
        assert done.returncode == 0, done.stderr.decode()
        made = [out / f"{file.stem}.{kind.partition(':')[0]}" for file in files]
        assert all(file.exists() for file in made), done.stdout.decode()
        return made

    return convert
