"""The worked notebooks: what they show, what must not be in them, and how they are run anew and saved.

`python -m tests.worked_notebooks` runs all of them, or those that are named, and saves what they show.
"""

from __future__ import annotations

import copy
import json
import os
import re
import subprocess
import sys
import tempfile
from base64 import b64decode, b64encode
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "notebooks"
PATHS = sorted(path for path in FOLDER.glob("*.ipynb") if "." not in path.stem)  # translations have a dot
NEEDED = {("en", "es"), ("es", "fr"), *((source, "en-us") for source in ("es", "fr", "it", "pt", "ro"))}
LACKING = "the notebooks were saved with translations by Apertium, which is not installed: run `make translators`"
WIDGET = "application/vnd.jupyter.widget-view+json"

KEY = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
MACHINE = re.compile(r"(?<![\w.:/])/(?:home|root|tmp|work|usr|var|opt|Users|private)/|[A-Z]:\\\\|site-packages|\.venv")
ADDRESS = re.compile(r"127\.0\.0\.1:\d+(?!\d*/status)")  # a link to a dashboard ends with its cluster
WARNING = re.compile(r"Warning\b")

PNG = re.compile(r"(data:image/png;base64,)([\w+/=]+)")

# What two runs may differ in: days and times, seconds, masked keys, and what pandas pads or breaks for them.
PASSING = [
    (re.compile(r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?(?:\+00:00|Z)?"), "(day)"),
    (re.compile(r"[0-9a-f]{4}\*+[0-9a-f]{4}"), "(key)"),
    (re.compile(r"127\.0\.0\.1:\d+/status"), "(dashboard)"),
    (re.compile(r"\b\d+(?:\.\d+)? (?:s|ms|seconds)\b"), "(seconds)"),
    (re.compile(r"\s+|\\\n"), " "),
]

# In a process of its own: what the kernel's tools warn of is not ours, and the home is read when they are imported.
EXECUTE = """
import sys
import nbformat
from nbclient import NotebookClient

notebook = nbformat.read(sys.argv[1], as_version=4)
options = {"timeout": 240, "kernel_name": "python3", "record_timing": False, "store_widget_state": False}
NotebookClient(notebook, **options).execute()
nbformat.write(notebook, sys.argv[2])
"""


def read(path: Path) -> dict:
    """A notebook as it is in its file."""
    return json.loads(path.read_text(encoding="utf-8"))


def code(notebook: dict) -> list[dict]:
    """The cells that are run."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def outputs(notebook: dict) -> Iterator[dict]:
    """What the cells show, without the pictures, whose bytes mean nothing as text."""
    for cell in notebook["cells"]:
        for output in copy.deepcopy(cell.get("outputs", [])):
            for media in [name for name in output.get("data", {}) if name.startswith("image/")]:
                del output["data"][media]
            yield output


def shown(notebook: dict) -> str:
    """All that the cells show and the widgets keep, as one text; embedded pictures are left out."""
    kept = notebook["metadata"].get("widgets", {})
    return re.sub(r"base64,[\w+/=]+", "", json.dumps([list(outputs(notebook)), kept], ensure_ascii=False))


def pictures(notebook: dict) -> list[str]:
    """The pictures that the cells show."""
    return [
        data
        for cell in notebook["cells"]
        for output in cell.get("outputs", [])
        for media, data in output.get("data", {}).items()
        if media.startswith("image/")
    ]


def said(cell: dict) -> str:
    """What a cell shows as plain text, with what passes from run to run written as its kind."""
    told = []
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        if WIDGET not in data:
            told.append("".join(output.get("text") or data.get("text/plain") or output.get("traceback", "")))
    text = "".join(told)
    for pattern, kind in PASSING:
        text = pattern.sub(kind, text)
    return text.strip()


def check(notebook: dict) -> None:
    """Nothing went wrong, nothing was warned of, and nothing tells of this machine or opens an account."""
    for output in outputs(notebook):
        assert output["output_type"] != "error", output
        assert output.get("name") != "stderr", output
    text = shown(notebook)
    for pattern in (KEY, MACHINE, ADDRESS, WARNING):
        assert not pattern.search(text), text[max(0, pattern.search(text).start() - 80) :][:200]


def check_same(rerun: dict, saved: dict) -> None:
    """Check that a rerun notebook shows what it was saved with."""
    check(rerun)
    assert len(pictures(rerun)) == len(pictures(saved))
    for now, before in zip(code(rerun), code(saved), strict=True):
        assert said(now) == said(before), "the output has changed: run `make notebooks` to save it"


def need_translators() -> None:
    """Skip the test if the translators that the notebooks were saved with are missing; in CI, fail."""
    import pytest

    from svc_nb import service

    with service.start(memory=True) as running:
        engines = running.pairs()
    if {engines.get(pair) for pair in NEEDED} != {"apertium"}:
        (pytest.fail if "CI" in os.environ else pytest.skip)(LACKING)


def run(path: Path) -> dict:
    """Run the notebook alone in an empty home, and return it with what it shows."""
    with tempfile.TemporaryDirectory() as folder:
        ended = Path(folder) / path.name
        command = [sys.executable, "-c", EXECUTE, str(path), str(ended)]
        subprocess.run(command, env=_alone(folder, path.name), cwd=folder, check=True, timeout=280)
        return read(ended)


def save_anew(path: Path) -> None:
    """Run the notebook, and save it with what it shows.

    Of a panel its picture is saved, not its widgets: nobody could click on them.
    """
    notebook = run(path)
    notebook["metadata"].pop("widgets", None)
    for cell in code(notebook):
        cell["outputs"] = [each for each in cell["outputs"] if WIDGET not in each.get("data", {})]
        for output in cell["outputs"]:
            shrink(output.get("data", {}))
    check(notebook)
    path.write_text(written(notebook), encoding="utf-8")


def shrink(data: dict) -> None:
    """Make the pictures of an output smaller: charts, and those in the HTML of a panel."""
    if "image/png" in data:
        data["image/png"] = _shrunk("".join(data["image/png"]).strip())
    if "text/html" in data:
        html = "".join(data["text/html"])
        html = PNG.sub(lambda found: found[1] + _shrunk(found[2]), html)
        data["text/html"] = html.splitlines(keepends=True)


def _shrunk(picture: str) -> str:
    from tests.small_png import small_png

    return b64encode(small_png(b64decode(picture))).decode()


def written(notebook: dict) -> str:
    """A notebook as Jupyter writes it."""
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def _alone(home: str, name: str) -> dict[str, str]:
    """An environment without the settings of the person who runs this."""
    alien = ("SVC_", "XDG_", "JUPYTER", "IPYTHON", "MPL")
    environ = {name: value for name, value in os.environ.items() if not name.startswith(alien)}
    return environ | {"HOME": home, "PYTHONIOENCODING": "utf-8", "JPY_SESSION_NAME": name}


if __name__ == "__main__":
    for named in [Path(each).resolve() for each in sys.argv[1:]] or PATHS:
        print(named.name)
        save_anew(named)
