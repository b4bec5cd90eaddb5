"""The pages that people read, and their code: what is in them, and how a page is run from its first block to its last.

A block in Python is run; one that begins with `>>>` must also show what it says. Lines before a block say more:

    <!-- setup            Python that the page does not show, up to a line with -->
    <!-- needs: polars    the block (or the page, in its first lines) is for machines that have this
    <!-- not run: …       why the block cannot be run in a test
    <!-- run -->          a shell block that is run, too
"""

import dataclasses
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
README = ROOT / "README.md"
PAGES = [README, *sorted(DOCS.rglob("*.md")), *sorted((ROOT / "notebooks").glob("*.md"))]

SETUP = re.compile(r"^<!-- setup\n(.*?)^-->$", re.DOTALL | re.MULTILINE)
FENCED = re.compile(
    r"(?:^<!-- (?P<word>needs|not run|run)(?P<said>[^\n]*?)-->\n\n?)?^```(?P<kind>python|sh)\n(?P<code>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)


@dataclasses.dataclass
class Block:
    """Some code of a page: its kind is python, sh or setup; *word* and *said* are what stands before it."""

    line: int
    kind: str
    code: str
    word: str = ""
    said: str = ""


def blocks(page):
    text = page.read_text(encoding="utf-8")
    found = [Block(_line(text, each.start(1)), "setup", each[1]) for each in SETUP.finditer(text)]
    for each in FENCED.finditer(text):
        said = (each["said"] or "").strip(": ")
        found.append(Block(_line(text, each.start("code")), each["kind"], each["code"], each["word"] or "", said))
    return sorted(found, key=lambda block: block.line)


def _line(text, place):
    return text.count("\n", 0, place) + 1


def missing(needed):
    """Which of the programs and modules in *needed*, such as "apertium, polars", this machine lacks."""
    names = [name.strip() for name in needed.split(",") if name.strip()]
    return [name for name in names if not shutil.which(name) and not importlib.util.find_spec(name.split(".")[0])]


def page_needs(page):
    """What a page says in its first lines that it needs."""
    said = re.search(r"\A(?:.*\n){0,4}<!-- page needs: (.*?) -->", page.read_text(encoding="utf-8"))
    return said[1] if said else ""


RUNNER = r"""
import doctest, json, os, subprocess, sys, traceback, warnings
warnings.simplefilter("error")
page, blocks = json.load(sys.stdin)
names, wrong = {"__name__": "__main__"}, 0
parser, flags = doctest.DocTestParser(), doctest.REPORT_NDIFF | doctest.ELLIPSIS
for block in blocks:
    place = f"{page}:{block['line']}"
    if block["kind"] == "sh":
        shell = 'svc-nb() { "$PYTHON" -m svc_nb "$@"; }\n' + block["code"]
        ended = subprocess.run(["bash", "-eo", "pipefail", "-c", shell], capture_output=True, text=True)
        if ended.returncode:
            wrong += 1
            print(place, ended.returncode, ended.stdout, ended.stderr, sep="\n")
    elif block["code"].startswith(">>> "):
        runner = doctest.DocTestRunner(optionflags=flags)
        test = parser.get_doctest(block["code"], {}, page, page, block["line"] - 1)
        test.globs = names
        runner.run(test, clear_globs=False)
        wrong += runner.failures
    else:
        try:
            exec(compile("\n" * (block["line"] - 1) + block["code"], page, "exec"), names)
        except BaseException:
            wrong += 1
            print(place)
            traceback.print_exc(file=sys.stdout)
    if wrong:
        break
sys.exit(bool(wrong))
"""


def run(page, folder):
    """Run all blocks of *page* one after another in *folder*, as somebody who has never used svc_nb; its output."""
    chosen = [
        dataclasses.asdict(block)
        for block in blocks(page)
        if block.word != "not run"
        and (block.kind != "sh" or block.word == "run")
        and not (block.word == "needs" and missing(block.said))
    ]
    fresh = {name: value for name, value in os.environ.items() if not name.startswith(("SVC_", "XDG_"))}
    fresh |= {"HOME": str(folder), "PYTHONIOENCODING": "utf-8", "PYTHON": sys.executable, "MPLBACKEND": "agg"}
    fresh["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), fresh.get("PYTHONPATH")]))
    return subprocess.run(
        [sys.executable, "-c", RUNNER],
        input=json.dumps([str(page.relative_to(ROOT)), chosen]),
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=fresh,
        cwd=folder,
        timeout=240,
    )


# ---- links


def tables():
    """docs/reference_tables.py, which the pages are built with."""
    spec = importlib.util.spec_from_file_location("reference_tables", DOCS / "reference_tables.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def prose(page):
    """The text of a page with its tables, but without its code."""
    text = tables().filled(page.read_text(encoding="utf-8")) if page.is_relative_to(DOCS) else page.read_text("utf-8")
    return re.sub(r"^ *(```+).*?^ *\1$", "", text, flags=re.DOTALL | re.MULTILINE)


def links(page):
    """The targets of all links and pictures of a page that lead to something in the project."""
    text = re.sub(r"`[^`\n]+`(?!\])", "", prose(page))
    found = re.findall(r"\]\((?!https?:|mailto:)([^)\s]+)\)", text)
    return [*found, *re.findall(r"(?:src|href)=\"(?!https?:)([^\"]+)\"", text)]


def anchors(page):
    """The names in a page that a link can lead to, as GitHub and MyST make them."""
    found = set(re.findall(r"^\((\S+)\)=$", prose(page), re.MULTILINE))
    for title in re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).lower()
        name = re.sub(r"[^\w\- ]", "", plain).strip().replace(" ", "-")
        number = next(n for n in range(99) if (name if not n else f"{name}-{n}") not in found)
        found.add(f"{name}-{number}" if number else name)
    return found
