"""The JupyterLab extension as it is kept: built from its sources, byte by byte, and complete without Node."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).parents[2] / "svc_nb" / "lab" / "extension"
BUILT = HERE / "built"
SOURCES = (
    "package-lock.json",
    "package.json",
    "schema",
    "src",
    "style",
    "tsconfig.json",
    "webpack.config.cjs",
)
REBUILD = "its sources have changed since it was built: run `make labextension`"


def files(folder: Path) -> dict[str, bytes]:
    """All files below *folder* by their paths."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def digest() -> str:
    """What `digest.mjs` writes."""
    found: dict[str, bytes] = {}
    for name in SOURCES:
        path = HERE / name
        below = {f"{name}/{inner}": content for inner, content in files(path).items()}
        found |= below if path.is_dir() else {name: path.read_bytes()}
    lines = [f"{path}\n{hashlib.sha256(found[path]).hexdigest()}\n" for path in sorted(found)]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def test_what_is_kept_was_built_from_these_sources():
    assert (BUILT / "sources.sha256").read_text().strip() == digest(), REBUILD


def test_all_that_jupyterlab_loads_is_there():
    package = json.loads((BUILT / "package.json").read_text())
    build = package["jupyterlab"]["_build"]
    assert (BUILT / build["load"]).is_file()
    assert build["extension"] == "./extension"
    assert build["style"] == "./style"
    schema = json.loads((BUILT / "schemas" / "svc-nb" / "plugin.json").read_text())
    assert schema == json.loads((HERE / "schema" / "plugin.json").read_text())


def test_the_extension_and_the_package_have_one_version():
    from svc_nb.wire.transport import version

    assert json.loads((HERE / "package.json").read_text())["version"] == version()


def test_no_file_names_a_place_on_this_machine_or_an_address_to_ask():
    for path, content in files(BUILT).items():
        assert str(HERE).encode() not in content, path
        if path.endswith(".js"):
            assert not re.search(rb"(?<![.\w])fetch\(|XMLHttpRequest|new WebSocket", content), path


def test_the_environment_has_what_is_kept():
    """An editable install copies it; `make labextension` brings the copy up to date."""
    installed = Path(sys.prefix) / "share" / "jupyter" / "labextensions" / "svc-nb"
    found = files(installed)
    assert found.pop("install.json") == (HERE / "install.json").read_bytes()
    assert found == files(BUILT), "the environment has another build: run `make labextension`"
