"""Glossaries, style rules, usage, documents and notebooks from the command line."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from svc_nb import samples


@pytest.fixture
def terms(shell) -> Path:
    Path("terms.csv").write_text(
        "source,target,source_lang,target_lang\nbackpack,Rucksack,en,de\ntent,Zelt,en,de\n"
    )
    return Path("terms.csv")


def test_terms_that_were_pushed_are_pulled_and_differ_in_nothing(shell, terms):
    ended = shell("glossary", "push", terms, "Shop", "--dry-run", "--json")
    assert ended.code == 0
    assert json.loads(shell("glossary", "list", "--json").out) == []
    assert shell("glossary", "push", terms, "Shop").code == 0
    (listed,) = json.loads(shell("glossary", "list", "--json").out)
    assert (listed["name"], listed["entry_count"]) == ("Shop", 2)
    assert shell("glossary", "pull", "Shop", "back.tsv").code == 0
    assert shell("glossary", "diff", "back.tsv", "Shop").code == 0
    assert shell("glossary", "diff", "back.tsv", terms).code == 0
    assert "backpack" in shell("glossary", "pull", listed["glossary_id"]).out


def test_a_difference_is_shown_and_is_the_exit_code(shell, terms):
    shell("glossary", "push", terms, "Shop")
    terms.write_text(terms.read_text().replace("Zelt", "Campingzelt"))
    ended = shell("glossary", "diff", terms, "Shop", "--csv")
    assert ended.code == 1
    (row,) = csv.DictReader(io.StringIO(ended.out))
    assert row["change"] == "changed"


def test_what_is_wrong_in_a_file_is_the_exit_code_and_nothing_is_connected(shell, terms, environ):
    environ.setenv("SVC_BASE_URL", "https://service.invalid")
    assert shell("glossary", "lint", terms).code == 0
    terms.write_text(terms.read_text() + "tent,Stoffhaus,en,de\n")
    ended = shell("glossary", "lint", terms, "--json")
    assert ended.code == 1
    assert {row["severity"] for row in json.loads(ended.out)} == {"error"}


def test_a_file_that_is_there_is_not_pulled_over(shell, terms):
    shell("glossary", "push", terms, "Shop")
    before = terms.read_bytes()
    ended = shell("glossary", "pull", "Shop", terms)
    assert ended.code == 1
    assert "is there already; --replace" in ended.line
    assert terms.read_bytes() == before
    assert shell("glossary", "pull", "Shop", terms, "--replace").code == 0


def test_deleting_wants_a_word_where_nobody_can_be_asked_and_can_be_undone(shell, terms):
    shell("glossary", "push", terms, "Shop")
    ended = shell("glossary", "delete", "Shop")
    assert ended.code == 2
    assert "--yes" in ended.line
    assert len(json.loads(shell("glossary", "list", "--json").out)) == 1
    assert shell("glossary", "delete", "Shop", "--yes").code == 0
    assert json.loads(shell("glossary", "list", "--json").out) == []
    assert shell("glossary", "undo", "Shop").code == 0
    assert len(json.loads(shell("glossary", "list", "--json").out)) == 1


def test_a_glossary_that_is_not_there_is_one_line_in_the_words_of_a_shell(shell):
    ended = shell("glossary", "pull", "Nothing")
    assert ended.code == 1
    assert "`svc-nb glossary list` shows the glossaries there are" in ended.line


def test_style_rules_are_pushed_pulled_and_compared(shell):
    rules = "category,rule,option\nnumbers,percentage_format,use_numerals_followed_by_space_then_spell_out_percent\n"
    Path("house.csv").write_text(rules)
    assert shell("style", "lint", "house.csv").code == 0
    assert shell("style", "push", "house.csv", "--name", "House", "--language", "en").code == 0
    assert shell("style", "pull", "House", "house.json").code == 0
    assert shell("style", "diff", "house.json", "House").code == 0
    assert [row["name"] for row in json.loads(shell("style", "list", "--json").out)] == ["House"]
    Path("other.csv").write_text("category,rule,option\n")
    assert shell("style", "pull", "House", "house.json").code == 1


def test_usage_is_a_table_for_people_and_for_programs(shell):
    Path("a.csv").write_text("t\nGood morning\n")
    shell("translate", "a.csv", "--columns", "t", "--to", "DE")
    ended = shell("usage", "--from", "7 days")
    assert ended.code == 0
    assert "total_characters" in ended.out
    assert "speech" not in ended.out  # what nobody used leaves room
    (row,) = json.loads(shell("usage", "--by", "key", "--json").out)
    assert row["total_characters"] == 12
    (row,) = csv.DictReader(io.StringIO(shell("usage", "--by", "none", "--csv").out))
    assert row["total_characters"] == "12"


def test_a_label_that_looks_like_a_formula_is_a_text_in_a_csv_and_as_it_is_in_json(shell, running):
    from datetime import UTC, datetime

    key = running.create_key("=1+1")
    running.record_usage(key, "text_translation", 5, moment=datetime.now(UTC))
    assert "'=1+1" in shell("usage", "--by", "key", "--csv").out
    assert json.loads(shell("usage", "--by", "key", "--json").out)[0]["api_key_label"] == "=1+1"


def test_usage_without_an_administrators_key_says_what_is_missing(shell, environ):
    environ.delenv("SVC_ADMIN_KEY")
    ended = shell("usage")
    assert ended.code == 1
    assert "SVC_ADMIN_KEY" in ended.line


def test_a_range_that_means_nothing_is_one_line(shell):
    assert "2026-13-01" in shell("usage", "--from", "2026-13-01").line


def test_documents_are_translated_beside_each_other_and_a_failure_is_the_exit_code(shell):
    Path("in").mkdir()
    Path("in/a.txt").write_text("Good morning.")
    planned = shell("documents", "in", "--to", "DE", "--out", "out", "--plan", "--json")
    assert [row["status"] for row in json.loads(planned.out)] == ["to send"]
    ended = shell("documents", "in", "--to", "DE", "--out", "out", "--json", "-q")
    assert ended.code == 0
    assert [row["status"] for row in json.loads(ended.out)] == ["done"]
    assert "Good morning" in Path("out/a.txt").read_text()
    assert json.loads(shell("documents", "--pending", "--json").out) == []
    Path("in/b.docx").write_bytes(b"no document")
    assert shell("documents", "in", "--to", "DE", "--out", "out").code == 1
    assert shell("documents", "--to", "DE").code == 2
    assert "there is no file or folder nowhere" in shell("documents", "nowhere", "--to", "DE").line


def notebook() -> str:
    cells = [
        {
            "cell_type": "markdown",
            "id": "a",
            "metadata": {},
            "source": ["# A *fine* day\n", "\n", "See `code`."],
        },
        {
            "cell_type": "code",
            "id": "b",
            "metadata": {},
            "execution_count": 1,
            "outputs": [],
            "source": ["x = 1"],
        },
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"


def test_a_notebook_is_translated_beside_itself_and_again_for_nothing(shell):
    Path("n.ipynb").write_text(notebook())
    assert "characters to pay" in shell("notebook", "n.ipynb", "--to", "DE", "--plan").out
    first = json.loads(
        shell("notebook", "n.ipynb", "--to", "DE", "ES", "--json").out.partition("}\n")[0] + "}"
    )
    assert first["billed_characters"] > 0
    made = json.loads(Path("n.de.ipynb").read_text())
    assert made["cells"][0]["source"][0] == "# [DE] A *fine* day\n"
    assert made["cells"][1] == json.loads(notebook())["cells"][1]
    assert "0 characters billed" in shell("notebook", "n.ipynb", "--to", "DE").out
    Path("n.de.ipynb").write_text("mine")
    ended = shell("notebook", "n.ipynb", "--to", "DE")
    assert ended.code == 1
    assert "--replace replaces it, --out writes elsewhere" in ended.line


def test_a_file_that_is_no_notebook_is_one_line(shell):
    Path("n.ipynb").write_text("{")
    assert "n.ipynb: no notebook" in shell("notebook", "n.ipynb", "--to", "DE").line
    assert "there is no file m.ipynb" in shell("notebook", "m.ipynb", "--to", "DE").line
    Path("n.ipynb").write_text(notebook())
    assert "name a folder" in shell("notebook", "n.ipynb", "--to", "DE", "FR", "--out", "x.ipynb").line


def test_a_workbook_of_terms_is_checked_as_it_is(shell):
    ended = shell("glossary", "lint", samples.terms_file())
    assert ended.code == 1
    assert "duplicate" in ended.out


def test_what_is_safe_to_mend_is_mended_into_another_file(shell):
    ended = shell("glossary", "push", samples.terms_file(), "Outdoor")
    assert ended.code == 1
    assert "`svc-nb glossary fix` mends what is safe to mend" in ended.line
    ended = shell("glossary", "fix", samples.terms_file(), "clean.csv")
    assert ended.code == 0
    assert ended.out.startswith("clean.csv: Mended 2 sources; dropped 4 duplicates.")
    assert shell("glossary", "push", "clean.csv", "Outdoor").code == 0
    assert shell("glossary", "fix", samples.terms_file(), "clean.csv").code == 1
