"""One notebook in several languages: translations below each cell, told apart by tags, and updated by the next run."""

from __future__ import annotations

import json
import re

import nbformat
import pytest
from nbconvert.preprocessors import TagRemovePreprocessor

import svc_nb
from svc_nb.notebooks.markup.anchors import renamed

pytestmark = pytest.mark.usefixtures("connected", "unwarned")


@pytest.fixture
def notebook(tmp_path):
    cells = [
        nbformat.v4.new_markdown_cell('# Some words\n\nSee [more](#More-words) and [this](#x).\n\n<a id="x"></a>Here.'),
        nbformat.v4.new_code_cell("# a comment\nx = 1.50"),
        nbformat.v4.new_markdown_cell("## More words", metadata={"tags": ["kept"]}),
        nbformat.v4.new_markdown_cell("$$x^2$$"),
    ]
    made = nbformat.v4.new_notebook(cells=cells)
    made.cells[2]["attachments"] = {"p.png": {"image/png": "aGk="}}
    path = tmp_path / "report.ipynb"
    nbformat.write(made, path)
    return path


def translate(path, *, to=("DE", "JA"), **options):
    return svc_nb.translate_notebook(path, to, source_lang="EN", progress=False, **options)


def in_language(path, lang):
    """The texts of the Markdown cells, after nbconvert has left out the other languages."""
    removed = {f"lang-{each}" for each in ("EN", "DE", "JA")} - {f"lang-{lang}"}
    preprocessor = TagRemovePreprocessor(remove_cell_tags=removed, enabled=True)
    page, _ = preprocessor.preprocess(nbformat.read(path, 4), {})
    return [cell.source for cell in page.cells if cell.cell_type == "markdown"]


def test_each_language_can_be_taken_out_by_its_tag(notebook):
    made = translate(notebook)
    assert made.path.name == "report.de-ja.ipynb"
    assert made.target_lang == "DE, JA"
    nbformat.validate(nbformat.read(made.path, 4))
    assert in_language(made.path, "EN") == [c.source for c in nbformat.read(notebook, 4).cells if c.cell_type != "code"]
    for lang in ("DE", "JA"):
        first, second, formula = in_language(made.path, lang)
        assert first.startswith(f"# [{lang}] Some words")
        assert f"[{lang}] More words" in second
        assert formula == "$$x^2$$"


def test_cells_of_all_languages_are_side_by_side_and_keep_what_they_had(notebook):
    page = nbformat.read(translate(notebook).path, 4)
    langs = [cell.metadata.get("svc_nb", {}).get("lang") for cell in page.cells]
    assert langs == ["EN", "DE", "JA", None, "EN", "DE", "JA", None]
    assert [cell.metadata.tags for cell in page.cells[4:7]] == [["kept", f"lang-{lang}"] for lang in ("EN", "DE", "JA")]
    assert all(cell.attachments for cell in page.cells[4:7])
    assert len({cell.id for cell in page.cells}) == len(page.cells)


def test_links_stay_within_their_language_and_no_id_is_there_twice(notebook):
    path = translate(notebook).path
    everything = " ".join(cell.source for cell in nbformat.read(path, 4).cells)
    ids = re.findall(r'id="([^"]+)"', everything)
    assert sorted(ids) == ["More-words-de", "More-words-ja", "x", "x-de", "x-ja"]
    for lang in ("DE", "JA"):
        text = " ".join(in_language(path, lang))
        assert set(re.findall(r"\(#([^)]+)\)", text)) == set(re.findall(r'id="([^"]+)"', text))


def test_another_run_updates_and_does_not_double(notebook):
    once = translate(notebook).path.read_text()
    assert translate(notebook).path.read_text() == once
    page = nbformat.read(notebook, 4)
    page.cells[2].source = "## Other words"
    nbformat.write(page, notebook)
    made = translate(notebook)
    assert "[DE] Other words" in made.text
    assert "More words" not in made.text
    assert made.text.count('"cell_type"') == once.count('"cell_type"')


def test_the_notebook_with_all_languages_can_be_translated_itself(notebook):
    path = translate(notebook).path
    once = path.read_text()
    made = translate(path)
    assert made.path == path
    assert made.text == once
    assert translate(path, to=["JA"], replace=True).text.count("lang-DE") == 0


def test_what_someone_edited_stays_until_its_source_changes(notebook):
    path = translate(notebook).path
    content = json.loads(path.read_text())
    german = next(cell for cell in content["cells"] if "lang-DE" in cell["metadata"].get("tags", []))
    german["source"] = ["# Ein paar Worte"]
    path.write_text(json.dumps(content))
    with pytest.raises(FileExistsError):
        translate(notebook)
    made = translate(notebook, replace=True)
    assert in_language(made.path, "DE")[0] == "# Ein paar Worte"
    again = translate(notebook)
    assert in_language(again.path, "DE")[0] == "# Ein paar Worte"
    page = nbformat.read(notebook, 4)
    page.cells[0].source = "# New words"
    nbformat.write(page, notebook)
    assert in_language(translate(notebook).path, "DE")[0] == "# [DE] New words"


def edit(path, **texts):
    """Write texts to cells of a notebook, by id."""
    content = json.loads(path.read_text())
    for cell in content["cells"]:
        cell["source"] = texts.get(cell["id"].replace("-", "_"), cell["source"])
    path.write_text(json.dumps(content))


def cells_with_ids(path, **texts):
    """Write a notebook with these Markdown cells."""
    cells = [nbformat.v4.new_markdown_cell(text, id=name) for name, text in texts.items()]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)


def test_edits_of_cells_with_the_same_source_stay_with_their_cell(tmp_path):
    path = tmp_path / "a.ipynb"
    cells_with_ids(path, a="Same words", b="Same words", c="Same words")
    made = translate(path, to=["DE"]).path
    edit(made, b_de="Zwei", c_de="Drei")
    assert in_language(translate(path, to=["DE"], replace=True).path, "DE")[1:] == ["Zwei", "Drei"]
    cells_with_ids(path, c="Same words", new="Same words", b="Same words")
    third, new, second = in_language(translate(path, to=["DE"]).path, "DE")
    assert (third, second) == ("Drei", "Zwei")
    assert new.startswith("[DE]")
    cells_with_ids(path, x="Same words", y="Same words")  # other ids: in order
    assert in_language(translate(path, to=["DE"]).path, "DE") == ["Drei", new]


def test_an_edit_whose_source_was_changed_is_reported(tmp_path):
    path = tmp_path / "a.ipynb"
    cells_with_ids(path, a="Some words", b="More words")
    edit(translate(path).path, a_de="Ein paar Worte", b_ja="もっと")
    cells_with_ids(path, a="Some new words", b="More words")
    made = translate(path, replace=True)
    assert in_language(made.path, "JA")[1] == "もっと"
    assert made.left[["kind", "text"]].values.tolist() == [["edit", "Ein paar Worte"]]
    assert "changed" in made.left["reason"][0]


def test_no_language_is_dropped_by_the_way(notebook):
    path = translate(notebook).path
    once = path.read_text()
    with pytest.raises(FileExistsError, match="also has translations into DE"):
        translate(path, to=["JA"])
    with pytest.raises(ValueError, match="EN is the language of the notebook"):
        translate(notebook, to=["EN", "DE"])
    assert path.read_text() == once


def test_one_language_of_a_notebook_with_several_is_made_from_its_source_cells(notebook):
    made = svc_nb.translate_notebook(translate(notebook).path, "DE", source_lang="EN", progress=False)
    alone = svc_nb.translate_notebook(notebook, "DE", source_lang="EN", progress=False)
    assert made.path.name == "report.de-ja.de.ipynb"
    assert made.text == alone.text


def test_a_plan_for_several_languages_is_the_sum(notebook):
    plans = [svc_nb.plan_notebook(notebook, to, source_lang="EN", price=20) for to in ("DE", "JA", ["DE", "JA"])]
    assert plans[2].characters == plans[0].characters + plans[1].characters > 0
    assert plans[2].cost == plans[0].cost + plans[1].cost
    translate(notebook)
    assert svc_nb.plan_notebook(notebook, ["DE", "JA"], source_lang="EN").characters == 0


def test_names_with_brackets_get_the_ending_of_their_language(tmp_path):
    path = tmp_path / "a.ipynb"
    cells_with_ids(path, a="# The results (2024)", b="See [them](#The-results-(2024))")
    heading, link = in_language(translate(path, to=["DE"]).path, "DE")
    assert 'id="The-results-(2024)-de"' in heading
    assert "(#The-results-(2024)-de)" in link


def test_code_cells_are_shared_and_a_markdown_file_takes_one_language(notebook, tmp_path):
    with pytest.raises(ValueError, match="share its code cells"):
        translate(notebook, code="comments")
    (tmp_path / "a.md").write_text("Words")
    with pytest.raises(ValueError, match="takes one language"):
        translate(tmp_path / "a.md")
    with pytest.raises(ValueError, match="at least one language"):
        translate(notebook, to=[])


def test_names_in_code_and_of_fields_stay():
    text = '`[x](#Setup)` [y](#Setup)\n\n```html\n<div id="Setup">\n```\n\n<input name="Setup"> <a name="Setup"></a>\n'
    after = renamed(text, {"Setup"}, "-de")
    assert after == text.replace("[y](#Setup)", "[y](#Setup-de)").replace('<a name="Setup">', '<a name="Setup-de">')
