"""Which Java Spark would run on here, and how to get one; nothing is started but `java -version`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

LOWEST = 17
HOW = (
    f"install Java {LOWEST} or newer (on Debian: apt-get install default-jre-headless), "
    "or name the folder of one in JAVA_HOME"
)


def find(environ: Mapping[str, str] | None = None) -> str | None:
    """The java that Spark takes: the one in JAVA_HOME where that is set, else the one on the PATH; None without one."""
    found = os.environ if environ is None else environ
    home = found.get("JAVA_HOME")
    if home:
        return shutil.which(str(Path(home, "bin", "java")))
    return shutil.which("java", path=found.get("PATH"))


def version(java: str) -> int | None:
    """The main number of its version; None where it does not say."""
    try:
        said = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(r'version "(?:1\.)?(\d+)', said.stderr + said.stdout)
    return int(found[1]) if found else None


def problem(environ: Mapping[str, str] | None = None) -> str | None:
    """What is wrong with Java here and what to do, in a line; None where it fits."""
    java = find(environ)
    if java is None:
        return f"no Java was found: {HOW}"
    number = version(java)
    if number is None or number < LOWEST:
        return f"{java} is {f'Java {number}' if number else 'no Java that runs'}: {HOW}"
    return None
