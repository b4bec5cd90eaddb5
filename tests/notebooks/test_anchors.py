"""Links to headings work in the translation: within a text, between the cells of a notebook, and between files."""

from __future__ import annotations

import json
import re

import nbformat
import pytest
from markdown_it import MarkdownIt
from mdit_py_plugins.anchors import anchors_plugin
from nbconvert import HTMLExporter

import svc_nb
from svc_nb.notebooks.documents import Markdown, Notebook
from svc_nb.notebooks.markup import anchors
from tests.notebooks.translators import answered, longer, louder

PAGE = """\
# A manual
See [one](#first-steps), [two](#the-c-api), [three](#usage-1), [four](#own), <a href="#in-html">five</a>, [six][ref].

[ref]: #größe-und-maß

## First *steps*

## The `C++` API

Usage
-----

> ## Usage

## Another {#own}

<h2 align="center">In HTML</h2>

## Größe und Maß
"""


def alive(page: str) -> set[str]:
    """The ids on the page that GitHub's way to name headings gives, made by another program."""
    parser = MarkdownIt("commonmark").use(anchors_plugin, max_level=6)
    return set(re.findall(r"""(?:id|name)="([^"]+)\"""", parser.render(page)))


def test_links_to_headings_work_in_the_translation():
    edited = answered(Markdown(PAGE), longer)
    wanted = {name for _, name in anchors.fragments(PAGE)} - {"own"}
    assert wanted == {"first-steps", "the-c-api", "usage-1", "in-html", "größe-und-maß"}
    assert wanted <= alive(edited.text)
    assert "{#own}" in edited.text
    assert not edited.left


@pytest.mark.parametrize(
    ("name", "heading"),
    [
        ("some-words-here", "Some words: here!"),  # GitHub
        ("Some-words:-here!", "Some words: here!"),  # Jupyter
        ("uber-uns_1", "Über uns\n\n# Über uns"),  # MkDocs, the second of its name
        ("a-b", "A -- b"),  # Sphinx
        ("-start", "🚀 Start"),  # GitHub, an emoji
        ("%C3%BCber-uns", "Über uns"),
    ],
)
def test_names_of_headings_are_known_as_each_program_makes_them(name, heading):
    edited = answered(Markdown(f"[x]({'#' + name})\n\n# {heading}\n"), longer)
    assert not edited.left
    assert edited.text.count("<a id=") == 1


def test_a_heading_no_one_links_to_and_one_that_keeps_its_name_get_no_anchor():
    source = "[x](#api)\n\n# API\n\n## More words\n"
    assert "<a id" not in answered(Markdown(source), louder).text


def test_what_was_dead_before_is_reported():
    (left,) = answered(Markdown("Words\n\n[a](#nowhere) [b](#top) [c](#words)\n\n# Words\n"), longer).left
    assert (left.kind, left.line, left.reason, left.text) == ("link", 3, anchors.DEAD, "#nowhere")


def test_in_myst_a_target_is_written_before_the_heading():
    source = "(mine)=\n# Some words\n\n```{note}\nSee [this](#some-words) and [that](#mine).\n```\n"
    edited = answered(Markdown(source), longer)
    assert edited.text.startswith("(mine)=\n(some-words)=\n# Some Somex")
    assert not edited.left
    assert answered(Markdown(source.replace("\n", "\r\n")), longer).text == edited.text.replace("\n", "\r\n")


def test_a_second_translation_adds_no_second_anchor():
    once = answered(Markdown(PAGE), longer).text
    assert answered(Markdown(once), louder).text.count("<a id=") == once.count("<a id=")


def test_links_between_the_cells_of_a_notebook_work():
    cells = [
        nbformat.v4.new_markdown_cell("- [Go](#Some-more-words)\n- [There](#here)\n- [Off](#Nowhere)"),
        nbformat.v4.new_markdown_cell("# Some more words"),
        nbformat.v4.new_markdown_cell('<a id="here"></a>\n## Other words'),
    ]
    text = nbformat.writes(nbformat.v4.new_notebook(cells=cells))
    edited = answered(Notebook.read(text), longer)
    (left,) = edited.left
    assert (left.cell, left.line, left.text) == (0, 3, "#Nowhere")
    html, _ = HTMLExporter(template_name="basic").from_notebook_node(nbformat.reads(edited.text, as_version=4))
    assert {"Some-more-words", "here"} <= set(re.findall(r'id="([^"]+)"', html))


@pytest.mark.usefixtures("connected", "unwarned")
def test_links_between_the_files_of_a_folder_work(tmp_path):
    guide, index = tmp_path / "docs" / "guide.md", tmp_path / "docs" / "more" / "index.ipynb"
    index.parent.mkdir(parents=True)
    guide.write_text("# First steps\n\n# Unlinked words\n")
    cell = {"cell_type": "markdown", "metadata": {}, "source": "See [it](../guide.md#first-steps)."}
    index.write_text(json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}))
    out = tmp_path / "docs" / "de"
    out.mkdir()
    made = svc_nb.translate_notebook(guide, "DE", out=out, source_lang="EN", progress=False)
    assert made.path.read_text().startswith('# <a id="first-steps"></a>')
    assert made.path.read_text().count("<a id") == 1
