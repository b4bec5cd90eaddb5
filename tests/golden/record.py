"""What people see of svc_nb, as text files beside this one. A change that only moves code leaves them equal.

    python -m tests.golden.record

rewrites them. A wanted change of what people see is a commit of its own, with these files in it.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

import svc_nb
from svc_nb import service, session
from svc_nb.cli import command
from svc_nb.settings import Settings

FOLDER = Path(__file__).parent
PACKAGE = Path(svc_nb.__file__).parent
TEXTS = ("checks/checks.tsv", "columns/option_help.txt")
WORDS = re.compile(r"[^\W\d_]{2,}\S* +\S*[^\W\d_]{2,}\S* +\S*[^\W\d_]{2,}")  # three in a row: a sentence or part of one


# ---- names


def names() -> str:
    """Every public name, with its parameters and the first line of its help."""
    lines = [line for name in svc_nb.PUBLIC for line in _described(f"svc_nb.{name}", getattr(svc_nb, name))]
    with tempfile.TemporaryDirectory() as folder:
        for name, value in _objects(Path(folder)):
            lines += _members(name, value)
    return "\n".join(sorted(set(lines))) + "\n"


def _objects(folder: Path) -> Iterator[tuple[str, Any]]:
    """What a person holds after the usual calls."""
    frame = pd.DataFrame({"text": ["Guten Tag"]})
    column = frame["text"]
    yield "Series.svc", column.svc
    yield "DataFrame.svc", frame.svc
    with service.start(memory=True, translators=["pseudo"]) as running:
        opened = session.Session.embedded(running, Settings(store=str(folder / "answers.sqlite")))
        before = session.make_current(opened)
        job = column.svc.start_translate("EN-US", source_lang="DE")
        job.wait()
        yield "a session", opened
        yield "a client", opened.client
        yield "a plan", column.svc.plan("EN-US", source_lang="DE")
        yield "a job", job
        yield "a job's progress", job.progress
        yield "changes", column.svc.changes(column)
        yield "a report", svc_nb.glossaries.list()
        yield "usage", svc_nb.usage("7 days")
        session.make_current(before)
        opened.close()
        opened.store.close()


def _described(name: str, value: Any) -> Iterator[str]:
    if inspect.ismodule(value):
        for each in getattr(value, "__all__", None) or _own(value):
            yield from _described(f"{name}.{each}", getattr(value, each))
    elif inspect.isclass(value):
        yield f"class {name}{_parameters(value)}: {_first_line(value)}"
        yield from _members(name, value)
    elif callable(value):
        yield f"{name}{_parameters(value)}: {_first_line(value)}"
    else:
        yield name


def _own(module: Any) -> list[str]:
    return [name for name in _public(module) if getattr(getattr(module, name), "__module__", "") == module.__name__]


def _members(name: str, value: Any) -> Iterator[str]:
    """The public members that a class of ours adds to those of other packages."""
    kind = value if inspect.isclass(value) else type(value)
    theirs = {each for base in kind.__mro__ if not base.__module__.startswith("svc_nb") for each in dir(base)}
    for each in _public(value):
        if each in theirs:
            continue
        member = inspect.getattr_static(kind, each, None)
        member = member.__func__ if isinstance(member, classmethod | staticmethod) else member
        if inspect.isfunction(member):
            yield f"{name}.{each}{_parameters(member)}: {_first_line(member)}"
        else:
            yield f"{name}.{each}" + (f": {_first_line(member)}" if isinstance(member, property) else "")


def _public(value: Any) -> list[str]:
    return [name for name in dir(value) if not name.startswith("_")]


def _parameters(value: Any) -> str:
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return ""
    bare = ", ".join(str(each.replace(annotation=inspect.Parameter.empty)) for each in parameters)
    return re.sub(r"<[^<>]*(<[^<>]*>)?[^<>]*>", "...", f"({bare})")


def _first_line(value: Any) -> str:
    return (inspect.getdoc(value) or "").partition("\n")[0]


# ---- the command line


def command_line() -> str:
    """Every command with its options; written out here, because every Python lays out help in its own way."""
    return "\n".join(_command(command.build_parser())) + "\n"


def _command(parser: argparse.ArgumentParser) -> Iterator[str]:
    yield f"$ {parser.prog}: {parser.description}"
    for action in parser._actions:
        if not isinstance(action, argparse._SubParsersAction):
            called = ", ".join(action.option_strings) or action.dest
            facts = {name: getattr(action, name) for name in ("metavar", "nargs", "choices", "default", "required")}
            told = " ".join(f"{name}={value!r}" for name, value in facts.items() if value not in (None, False))
            yield f"    {called} [{told}]: {action.help}"
    yield f"{parser.epilog or ''}\n"
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for each in action._choices_actions:
                yield f"    {each.dest}: {each.help}"
            for each in dict.fromkeys(action.choices.values()):
                yield from _command(each)


# ---- sentences


def sentences() -> str:
    """Every sentence, or part of one, in the code and its texts but for docstrings: errors, labels, what tables say.

    What is filled in is shown as {}.
    """
    texts = [(PACKAGE / name).read_text(encoding="utf-8") for name in TEXTS]
    found = {" ".join(part.split()) for text in texts for part in re.split(r"[\t\n]", text) if WORDS.search(part)}
    for path in PACKAGE.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        inside = {
            id(part)
            for node in ast.walk(tree)
            for part in ([node.value] if isinstance(node, ast.Expr) else [])
            + (node.values if isinstance(node, ast.JoinedStr) else [])
        }
        for node in ast.walk(tree):
            if id(node) not in inside and (text := _text(node)) and WORDS.search(text):
                found.add(" ".join(text.split()))
    return "\n".join(sorted(found)) + "\n"


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(each.value if isinstance(each, ast.Constant) else "{}" for each in node.values)
    return ""


# ---- the demo


def demo() -> str:
    """What `make demo` prints where no translator is installed, with every number as 0, whatever the day."""
    with tempfile.TemporaryDirectory() as home:
        environ = {
            "HOME": home,
            "PATH": os.path.dirname(sys.executable),
            "PYTHONIOENCODING": "utf-8",
            "COLUMNS": "100",
        }
        told = subprocess.run(
            [sys.executable, "-W", "error", "-m", "svc_nb.demo"],
            env=environ,
            cwd=PACKAGE.parent,
            capture_output=True,
            encoding="utf-8",
            check=True,
            timeout=180,
        ).stdout
    told = re.sub(r"\b[0-9a-f]{4}\*+[0-9a-f]{4}", "0000****0000", told)
    # Which caps last to the end of the month, and which is used up first, depends on the day.
    told = re.sub(r" +\d{4}-\d\d-\d\d$", "", told, flags=re.MULTILINE)
    told = re.sub(r"(?<=exhausted_on\n)(.+\n)+", lambda rows: "".join(sorted(rows[0].splitlines(True))), told)
    told = re.sub(r"(?<=\S) {2,}", "  ", told)  # how wide a column is
    return re.sub(r" *(\d[\d,.]*\d|\d)", " 0", told)


# ---- the wheel


def wheel(path: Path) -> str:
    """What a wheel holds besides Python files, the programs and plug-ins it installs, and what it needs."""
    with zipfile.ZipFile(path) as file:
        inside = file.namelist()
        folder = next(name for name in inside if name.endswith(".dist-info/METADATA")).rpartition("/")[0]
        points, metadata = (file.read(f"{folder}/{name}").decode() for name in ("entry_points.txt", "METADATA"))
    needs = [line for line in metadata.splitlines() if line.startswith(("Requires-", "Provides-"))]
    files = [name for name in inside if not name.endswith(".py")]
    whole = "\n".join([*sorted(files), "", points.strip(), "", *needs])
    return re.sub(r"svc_nb-[^/]+?\.(dist-info|data)", r"svc_nb.\1", whole) + "\n"


RECORDED = {"names": names, "command_line": command_line, "sentences": sentences, "demo": demo}


def recorded(name: str) -> str:
    """What was recorded."""
    return (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


def write(name: str, text: str) -> None:
    """Record it anew."""
    (FOLDER / f"{name}.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    for each, make in RECORDED.items():
        write(each, make())
    for given in sys.argv[1:]:
        write("wheel", wheel(Path(given)))
