"""Every block of code in the README, docs/ and the page of recipes does what it says; every link leads somewhere."""

import re
import shlex

import pytest

from svc_nb.cli.command import build_parser
from svc_nb.service.__main__ import _parser as service_parser
from tests.documentation import DOCS, PAGES, README, ROOT, anchors, blocks, links, missing, page_needs, run

RUN = [
    page
    for page in PAGES
    if page.parent.name != "notebooks" and any(each.kind == "python" or each.word == "run" for each in blocks(page))
]


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=() if page == README else pytest.mark.long) for page in RUN],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_the_blocks_run_as_shown(page, tmp_path):
    if lacking := missing(page_needs(page)):
        pytest.skip(f"the page needs {', '.join(lacking)}: make translators says how to get Apertium")
    ended = run(page, tmp_path)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_what_is_not_run_says_why():
    assert not [
        (page.name, each.line) for page in PAGES for each in blocks(page) if each.word == "not run" and not each.said
    ]


def test_nearly_all_of_it_is_run():
    python = [each for page in PAGES for each in blocks(page) if each.kind == "python"]
    assert sum(each.word == "not run" for each in python) <= 6


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_of_the_shell_are_known(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.txt").write_text("Ann Lee\n")
    for block in blocks(page):
        if block.kind == "sh":
            for line in block.code.replace("\\\n", " ").splitlines():
                for command in re.split(r"&&|\|\|?|;", line):
                    parse(shlex.split(command, comments=True))


def parse(words):
    """Have the command line understand *words*, if they are for it; it says and does nothing."""
    while words and "=" in words[0]:
        words = words[1:]
    if words[:1] == ["svc-nb"]:
        end = next((n for n, word in enumerate(words) if word in (">", "<", "2>")), None)
        words = words[1:end]
        if words[:1] == ["serve"]:
            service_parser("svc-nb serve").parse_args(words[1:])
        elif "--help" not in words and "--version" not in words:
            build_parser().parse(words)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_within_the_project_lead_somewhere(page):
    wrong = []
    for target in links(page):
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        if not there.exists() or (anchor and there.suffix == ".md" and anchor not in anchors(there)):
            wrong.append(target)
    assert not wrong


def test_no_page_is_too_long_to_read():
    lengths = {str(page.relative_to(ROOT)): len(page.read_text("utf-8").splitlines()) for page in DOCS.rglob("*.md")}
    assert not {name: length for name, length in lengths.items() if length > 250}


def test_the_readme_is_short_enough_to_read():
    assert len(README.read_text("utf-8").splitlines()) <= 100
