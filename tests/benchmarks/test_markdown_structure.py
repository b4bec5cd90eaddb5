"""How often the structure of a Markdown text survives its translation, against the package that people use instead."""

from __future__ import annotations

import contextlib
import importlib
import io
import re
import subprocess
import sys
import sysconfig
from importlib import metadata
from pathlib import Path
from urllib.parse import unquote

import pytest
from markdown_it import MarkdownIt
from mdit_py_plugins.anchors import anchors_plugin

import svc_nb
from svc_nb.notebooks.documents import Markdown
from tests.notebooks.translators import answered, longer, louder

HEAD = """# Notebooks and Markdown

Written by `make bench`: the Markdown descriptions of installed packages, from English into Spanish by Apertium.
The structure is kept where markdown-it finds the same blocks, and in each the same code, links and tags.

"""
WORDS = ("text", "softbreak")
MOST, MOST_FILES = 40, 100
ANCHOR = re.compile(r'<a id="[^"]*"></a>')
LONGEST = 12_000
THEIRS = ("jupyter-translate==2025.1.1", "deep-translator==1.11.4")
PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def descriptions() -> dict[str, str]:
    """The Markdown descriptions of the packages that are installed, by name."""
    found = {}
    for package in metadata.distributions():
        told = package.metadata
        # As a header: importlib_metadata, once another package has imported it, leaves no payload.
        text = str(told.get("Description", ""))
        if "text/markdown" in (told.get("Description-Content-Type", "")) and 500 < len(text) <= LONGEST:
            found[told["Name"].lower()] = text
    return dict(sorted(found.items())[:MOST])


def files() -> dict[Path, str]:
    """Different Markdown files of the packages of Python and Node that are installed; half have links to headings."""
    folders = [Path(sysconfig.get_path("purelib")), *map(Path, ("/usr/lib/node_modules", "/usr/share/nodejs"))]
    found: dict[str, Path] = {}
    for path in sorted(path for folder in folders for path in folder.rglob("*.md")):
        text = path.read_text(encoding="utf-8", errors="replace")
        if 500 < len(text) <= LONGEST:
            found.setdefault(text, path)
    linked = [text for text in found if "](#" in text][: MOST_FILES // 2]
    others = [text for text in found if "](#" not in text]
    step = max(len(others) // (MOST_FILES - len(linked)), 1)
    return {found[text]: text for text in [*linked, *others[::step]]}


def skeleton(text: str) -> list:
    """What must stay: every block in its order, and in each all marks, links, code and tags, wherever they moved.

    Anchors are left out, as headings that are linked to get one, and so is what is in the directives of MyST.
    """
    return [
        (_kept(token), sorted(_kept(child) for child in token.children or [] if child.type not in WORDS))
        for token in PARSER.parse(ANCHOR.sub("", text))
    ]


def living_fragments(text: str) -> set[str]:
    """The names that a page links to and has, as GitHub makes them."""
    page = MarkdownIt("commonmark").enable("table").use(anchors_plugin, max_level=6).render(text)
    names = set(re.findall(r"""\s(?:id|name)=["']?([^"'\s>]+)""", page))
    return names & {unquote(name) for name in re.findall(r'href="#([^"]+)"', page)}


def _kept(token) -> tuple[str, ...]:
    links = [token.attrs.get(name, "") for name in ("href", "src")]
    return token.type, token.tag, token.info, *links, _verbatim(token)


def _verbatim(token) -> str:
    """What stands there to the letter; of a tag, all but the words in it."""
    if token.type == "html_inline":
        return re.sub(r"""\b(alt|title)=("[^"]*"|'[^']*')""", r"\1", token.content)
    is_code = token.type in ("fence", "code_block", "code_inline") and not token.info.startswith("{")
    return token.content if is_code else ""


class Plain:
    """A translator as that package wants one: our service, and nothing around it."""

    def __init__(self, session: svc_nb.Session) -> None:
        self._client = session.client

    def translate(self, text: str) -> str:
        return self._client.text.translate([text], target_lang="ES", source_lang="EN")[0].text


@pytest.fixture(scope="module")
def theirs(tmp_path_factory):
    """Their function; its package wants old versions of others, so it stands alone in a folder."""
    folder = tmp_path_factory.mktemp("theirs")
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(folder), *THEIRS]
    command += ["beautifulsoup4", "soupsieve"]
    if subprocess.run(command, capture_output=True).returncode:
        pytest.skip("jupyter-translate cannot be fetched")
    sys.path.insert(0, str(folder))
    yield importlib.import_module("jupyter_translate").translate_markdown
    sys.path.remove(str(folder))


def test_the_structure_survives_more_often_than_with_what_people_use(theirs, tmp_path, monkeypatch):
    monkeypatch.setenv("SVC_STORE", str(tmp_path / "answers.sqlite"))
    session = svc_nb.connect()
    sources = descriptions()
    assert len(sources) >= 20
    ours, other = {}, {}
    for name, text in sources.items():
        ours[name] = svc_nb.translate_markdown(text, "ES", source_lang="EN")
        with contextlib.redirect_stdout(io.StringIO()):
            other[name] = theirs(text, Plain(session), 0)
    kept = {
        way: sum(_same(sources[name], text) for name, text in texts.items())
        for way, texts in {"svc_nb": ours, "jupyter-translate": other}.items()
    }
    changed = sum(ours[name] != text for name, text in sources.items())
    svc_nb.close()
    lines = [f"- {way}: structure kept in {count} of {len(sources)} texts\n" for way, count in kept.items()]
    lines.append(f"- svc_nb translated something in {changed} of them\n")
    Path(__file__).with_name("notebooks.md").write_text(HEAD + "".join(lines))
    print("".join(lines))
    assert kept["svc_nb"] == len(sources) == changed


def test_the_files_of_installed_packages_keep_their_structure_and_their_links():
    sources = files()
    assert len(sources) >= 100
    changed, dead, alive = [], [], 0
    for path, text in sources.items():
        wanted = living_fragments(text)
        alive += len(wanted)
        for translate in (louder, longer):
            made = answered(Markdown(text), translate).text
            changed += [] if _same(text, made) else [path]
            dead += [(path, name) for name in wanted - living_fragments(made)]
    print(f"{len(sources)} files: {len(changed)} changed, {len(dead)} of {alive} links to headings are dead")
    assert not changed
    assert not dead
    assert alive


def _same(source: str, result: str) -> bool:
    return skeleton(source) == skeleton(result)
