"""Notebooks and Markdown files through the service: what is sent, what is written, and what never happens."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import threading
from pathlib import Path

import pytest

import svc_nb
from svc_nb import notebooks, service, session
from svc_nb.errors import QuotaExceeded, SvcError
from svc_nb.notebooks.markup.markdown import same_structure
from svc_nb.service.translators import Translators
from svc_nb.settings import Settings
from tests.counters import Counters
from tests.toy import TRANSLATORS
from tests.waiting import until

ROOT = Path(__file__).parents[2]

WORDS = {
    "cell_type": "markdown",
    "id": "a1",
    "metadata": {"tags": ["x"]},
    "source": ["# A *first* title\n", "\n", "Some words."],
}
CODE = {
    "cell_type": "code",
    "execution_count": 3,
    "id": "b2",
    "metadata": {"scrolled": True},
    "outputs": [{"name": "stdout", "output_type": "stream", "text": ["Some words.\n"]}],
    "source": ["# count the words\n", "x = 1.50"],
}
PICTURE = {
    "attachments": {"p.png": {"image/png": "aGk="}},
    "cell_type": "markdown",
    "id": "c3",
    "metadata": {},
    "source": "![A picture](attachment:p.png)",
}
RAW = {"cell_type": "raw", "id": "d4", "metadata": {}, "source": ["Some words."]}
CELLS = [WORDS, CODE, PICTURE, RAW]
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
METADATA = {"kernelspec": KERNEL, "title": "Some words", "n": 1.0, "é": None}
NOTEBOOK = {"cells": CELLS, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5}

pytestmark = pytest.mark.usefixtures("connected", "unwarned")


@pytest.fixture(scope="module")
def lasting():
    with service.start(memory=True, translators=TRANSLATORS) as started:
        yield started


@pytest.fixture
def running(lasting):
    """One service for all tests here; it behaves again when a test is over."""
    yield lasting
    lasting.faults.clear()


@pytest.fixture
def counters(running, connected) -> Counters:
    return Counters(running, connected)


@pytest.fixture
def notebook(tmp_path) -> Path:
    path = tmp_path / "report.ipynb"
    path.write_text(json.dumps(NOTEBOOK, indent=1, ensure_ascii=False) + "\n")
    return path


def translate(path, **options):
    return svc_nb.translate_notebook(path, "DE", source_lang="EN", progress=False, **options)


def test_only_the_words_of_markdown_cells_change(notebook):
    made = translate(notebook)
    assert made.path == notebook.with_name("report.de.ipynb")
    expected = json.loads(json.dumps(NOTEBOOK))
    expected["cells"][0]["source"] = ["# [DE] A *first* title\n", "\n", "[DE] Some words."]
    expected["cells"][2]["source"] = "![[DE] A picture](attachment:p.png)"
    assert made.path.read_text() == json.dumps(expected, indent=1, ensure_ascii=False) + "\n"


def test_comments_are_translated_on_request(notebook):
    made = translate(notebook, code="comments")
    cells = json.loads(made.path.read_text())["cells"]
    assert cells[1]["source"] == ["# [DE] count the words\n", "x = 1.50"]
    assert cells[1]["outputs"] == CELLS[1]["outputs"]


def test_the_second_run_sends_nothing_and_an_edit_sends_only_itself(notebook, counters):
    first = translate(notebook)
    assert (first.sent, first.stored, counters.characters) == (3, 0, first.billed_characters)
    before = counters.characters
    second = translate(notebook)
    assert (second.sent, second.stored, second.billed_characters) == (0, 3, 0)
    edited = json.loads(notebook.read_text())
    edited["cells"][0]["source"][-1] = "More."
    notebook.write_text(json.dumps(edited))
    third = translate(notebook)
    assert (third.sent, third.stored, third.billed_characters) == (1, 2, len("More."))
    assert counters.characters - before == len("More.")


def test_the_plan_says_what_the_run_bills_at_most_and_sends_nothing(notebook, counters):
    plan = svc_nb.plan_notebook(notebook, "DE", source_lang="EN", price=20)
    assert counters.characters == 0
    assert (plan.unique, plan.stored) == (3, 0)
    tags = len("<b1></b1>")
    assert plan.characters == translate(notebook).billed_characters + tags
    assert svc_nb.plan_notebook(notebook, "DE", source_lang="EN").characters == 0


def test_a_file_that_is_not_ours_stays(notebook):
    there = notebook.with_name("report.de.ipynb")
    there.write_text("mine")
    with pytest.raises(FileExistsError, match="replace=True"):
        translate(notebook)
    assert there.read_text() == "mine"
    assert translate(notebook, replace=True).path == there


def test_a_translation_that_someone_edited_stays(notebook):
    made = translate(notebook)
    made.path.write_text(made.path.read_text().replace("[DE] Some", "Manche"))
    with pytest.raises(FileExistsError):
        translate(notebook)
    assert "Manche" in made.path.read_text()


@pytest.mark.parametrize("out", ["report.ipynb", "./report.ipynb"])
def test_the_source_is_never_replaced(notebook, out):
    before = notebook.read_bytes()
    with pytest.raises(ValueError, match="is the source"):
        translate(notebook, out=notebook.parent / out, replace=True)
    assert notebook.read_bytes() == before


def test_a_folder_gets_the_name_of_the_source(notebook, tmp_path):
    (tmp_path / "de").mkdir()
    assert translate(notebook, out=tmp_path / "de").path == tmp_path / "de" / "report.ipynb"


def test_a_spent_budget_writes_nothing_and_loses_nothing(notebook, counters):
    with pytest.raises(SvcError, match="budget"):
        translate(notebook, budget=20)
    assert not notebook.with_name("report.de.ipynb").exists()
    paid = counters.characters
    assert 0 < paid <= 20
    assert paid + translate(notebook).billed_characters == counters.characters


class Forgetful:
    """A translator that leaves a word out, so that the tags around it stand around nothing."""

    name = "forgetful"

    def pairs(self):
        return {("en", "de")}

    def ready(self, source, target):
        return True

    def translate(self, texts, source, target):
        return [text if text == "fine" else text.replace("fine", "") for text in texts]

    def close(self):
        pass


def test_what_has_to_be_sent_again_in_pieces_is_paid_from_the_same_budget(running, counters, tmp_path, monkeypatch):
    monkeypatch.setattr(running.state, "translators", Translators([Forgetful()]))
    source = tmp_path / "page.md"
    source.write_text("Some *fine* words.")
    whole, again = len("Some fine words."), sum(map(len, ("Some", "fine", "words.")))
    with pytest.raises(SvcError, match="budget"):
        translate(source, budget=whole + again - 1)
    assert whole < counters.characters < whole + again
    assert not source.with_name("page.de.md").exists()
    translate(source, budget=whole + again)
    assert counters.characters == whole + again


def test_a_spent_quota_writes_nothing(notebook, running):
    running.faults.add("status", status=456)
    with pytest.raises(QuotaExceeded):
        translate(notebook)
    assert list(notebook.parent.glob("report.de*")) == []


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to oneself")
def test_ctrl_c_writes_nothing_and_the_next_run_pays_only_the_rest(running, connected, counters, tmp_path):
    source = tmp_path / "long.md"
    source.write_text("\n\n".join(f"Paragraph number {number}." for number in range(400)))
    slow = session.Session.embedded(running, Settings(store=str(tmp_path / "slow.sqlite"), pool_size=1))
    session.make_current(slow)
    running.faults.add("latency", operation="/v2/translate", seconds=0.1)

    def interrupt() -> None:
        until(lambda: counters.so_far(200) >= 2)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt, match=r"of 400 texts are done and stored .* nothing is written"):
        translate(source)
    running.faults.clear()
    assert not source.with_name("long.de.md").exists()
    made = translate(source)
    session.make_current(connected)
    slow.close()
    slow.store.close()
    assert 0 < made.sent < 400
    assert counters.characters == sum(len(text) for text in source.read_text().split("\n\n"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("no json", "not valid JSON"),
        ('{"nbformat": 3, "worksheets": []}', "format 3"),
        ('{"nbformat": 4, "cells": [{"cell_type": "markdown"}]}', "cells"),
        ("[]", "nbformat"),
    ],
)
def test_what_is_no_notebook_is_reported_in_a_line(tmp_path, content, message):
    (tmp_path / "bad.ipynb").write_text(content)
    with pytest.raises(ValueError, match=message) as caught:
        translate(tmp_path / "bad.ipynb")
    assert "\n" not in str(caught.value)


def test_bad_arguments_are_reported_before_anything_is_sent(notebook, tmp_path, counters):
    with pytest.raises(ValueError, match="code: expected 'comments' or 'strings'"):
        translate(notebook, code="all")
    with pytest.raises(ValueError, match="expected a file"):
        translate(tmp_path / "report.docx")
    with pytest.raises(TypeError, match="no option 'formalty'"):
        translate(notebook, formalty="more")
    with pytest.raises(TypeError, match="XML"):
        translate(notebook, tag_handling="html")
    assert counters.characters == 0


def test_a_markdown_file_keeps_its_mark_line_ends_and_front_matter(tmp_path):
    source = tmp_path / "page.md"
    source.write_bytes("\ufeff---\r\ntitle: Some words\r\n---\r\n\r\nSome more words\r\non two lines.\r\n".encode())
    made = translate(source)
    front = "\ufeff---\r\ntitle: Some words\r\n---\r\n\r\n"
    assert made.path.read_bytes().decode() == front + "[DE] Some more words\r\non two lines.\r\n"
    made = translate(source, front_matter="title", out=tmp_path / "with.md")
    assert "title: '[DE] Some words'\r\n" in made.path.read_bytes().decode()


def test_half_a_character_in_an_output_is_kept(notebook):
    notebook.write_text(notebook.read_text().replace('"Some words.\\n"', '"\\ud83d"'))
    made = translate(notebook)
    assert json.loads(made.path.read_text())["cells"][1]["outputs"][0]["text"] == ["\ud83d"]


def test_what_became_of_it_is_shown(notebook):
    made = translate(notebook)
    assert "report.ipynb into DE" in repr(made)
    assert "texts sent          3" in repr(made)
    assert "report.de.ipynb" in made._repr_html_()
    counts = f"3 segments: 3 sent, 0 from the store, {made.billed_characters} characters billed"
    assert made.said == f"{counts}; nothing was left out"


def test_options_reach_the_service(raw):
    told = notebooks.translate_source("Some *words*.", "DE", source_lang="EN", formality="more", protect=["words"])
    assert told.text == "[DE] Some *words*."


PAGES = ["README.md", "CHANGELOG.md", *sorted(f"docs/{path.name}" for path in ROOT.glob("docs/*.md"))]


@pytest.mark.long
@pytest.mark.parametrize("name", PAGES)
def test_our_own_pages_obey_the_law_in_spanish(name):
    source = (ROOT / name).read_text()
    told = notebooks.translate_source(source, "ES", source_lang="EN")
    before, after = (re.sub(r'<a id="[^"]+"></a>', "", text) for text in (source, told.text))
    assert same_structure(before, after)  # but for anchors of headings that are linked to
    assert len(told.left) <= told.segments / 50
    assert told.text.count("\n") == source.count("\n")


@pytest.mark.parametrize("path", sorted(ROOT.glob("notebooks/*.ipynb")), ids=lambda path: path.stem)
def test_our_own_notebooks_obey_the_law_in_spanish(path, tmp_path):
    made = svc_nb.translate_notebook(
        path, "ES", source_lang="EN", code="comments", out=tmp_path / path.name, progress=False
    )
    before, after = json.loads(path.read_text()), json.loads(made.path.read_text())
    for old, new in zip(before["cells"], after["cells"], strict=True):
        if old["cell_type"] == "markdown":
            assert same_structure("".join(old.pop("source")), "".join(new.pop("source")))
        elif old["cell_type"] == "code":
            old.pop("source"), new.pop("source")
    assert before == after


def test_nbconvert_translates_on_the_way(notebook):
    import nbformat
    from nbconvert import MarkdownExporter
    from traitlets.config import Config

    chosen = {"target_lang": "DE", "source_lang": "EN", "code": ["comments"]}
    config = Config(Exporter={"preprocessors": ["svc_nb.notebooks.preprocessor.Translate"]}, Translate=chosen)
    page, resources = MarkdownExporter(config=config).from_filename(str(notebook))
    assert "[DE] Some words." in page
    assert "[DE] count the words" in page
    assert resources["language_code"] == "de"
    assert nbformat.read(notebook, 4)["cells"][0]["source"].endswith("Some words.")


def test_numbers_in_outputs_and_metadata_keep_their_digits(tmp_path):
    path = tmp_path / "n.ipynb"
    cell = '{"cell_type": "markdown", "metadata": {"a": 1e-7, "b": 1.50, "c": -2E5}, "source": ["Some words"]}'
    path.write_text(f'{{"nbformat": 4, "nbformat_minor": 5, "metadata": {{"d": NaN}}, "cells": [{cell}]}}')
    written = svc_nb.translate_notebook(path, "DE", source_lang="EN", progress=False).path.read_text()
    for number in ('"a": 1e-7,', '"b": 1.50,', '"c": -2E5', '"d": NaN'):
        assert number in written
