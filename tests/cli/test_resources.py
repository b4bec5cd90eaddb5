"""Glossaries, style rules, usage, documents and notebooks from the command line."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

from svc_nb import samples
from svc_nb.service.translators import installed


@pytest.fixture
def terms(shell) -> Path:
    Path("terms.csv").write_text("source,target,source_lang,target_lang\nbackpack,Rucksack,en,de\ntent,Zelt,en,de\n")
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
    (line,) = shell("glossary", "lint", terms).out.splitlines()
    assert line.startswith("terms.csv:4: error: this term is already in row 1 (line 3)")
    assert line.endswith("[conflict, EN to DE, source] -> keep one of the two")


def test_columns_are_named_and_a_finding_tells_the_heading(shell):
    Path("words.csv").write_text("Wort;Palabra;DE\nHaus;casa ;x\n", "utf-8")
    (line,) = shell("glossary", "lint", "words.csv", "--columns", "Wort=de", "--columns", "Palabra=es").out.splitlines()
    assert line.startswith("words.csv:2: error: the target has space")
    assert line.endswith("[edge_space, DE to ES, Palabra] -> casa")
    ended = shell("glossary", "push", "words.csv", "Words", "--columns", "Mot=fr")
    assert ended.code == 1
    assert "the file has no column 'Mot'. Its columns are 'Wort', 'Palabra', 'DE'" in ended.err
    assert "expected HEADING=LANG" in shell("glossary", "lint", "words.csv", "--columns", "Wort").err


@pytest.mark.parametrize("verb", [("lint",), ("push", "--dry-run"), ("fix", "out.csv"), ("diff", "terms.csv")])
def test_what_reading_a_file_of_terms_left_out_is_told(shell, terms, verb):
    Path("wide.csv").write_text("Our terms\nEnglish,German,Note\ntent,Zelt,x\ncart,,\n")
    told = "svc-nb: 1 term in 1 pair (EN to DE), from wide.csv. It has a column for each language. Kept as additional"
    left = "Left out: 1 row above the header, 1 empty cell."
    name = ["Shop"] if verb[0] == "push" else []
    first, *_ = shell("glossary", verb[0], "wide.csv", *name, *verb[1:]).err.splitlines()
    assert first.startswith(told)
    assert first.endswith(left)
    assert told not in shell("glossary", "lint", "wide.csv", "--quiet").err


def test_further_columns_of_a_file_are_kept_below_a_header(shell):
    Path("wide.csv").write_text("English,German,Note\ntent ,Zelt,x\n")
    ended = shell("glossary", "fix", "wide.csv", "out.csv", "--header")
    assert ended.code == 0
    assert "not written" not in ended.err
    assert Path("out.csv").read_text() == "source_lang,target_lang,source,target,Note\nen,de,tent,Zelt,x\n"
    ended = shell("glossary", "fix", "wide.csv", "out.tbx")
    assert (
        "the column 'Note' is not written: .tbx cannot hold additional columns. Write .xlsx or .csv, to keep "
        "them" in ended.err
    )


def test_tbx_is_written_in_the_version_that_is_asked_for(shell, terms):
    assert shell("glossary", "fix", terms, "two.tbx", "--tbx-version", "2").code == 0
    assert "<martif " in Path("two.tbx").read_text("utf-8")
    assert shell("glossary", "fix", terms, "three.tbx").code == 0
    assert "<tbx " in Path("three.tbx").read_text("utf-8")


def test_a_glossary_of_other_languages_is_not_relabelled_for_a_translation(shell):
    Path("terms.csv").write_text("French,Italian\nmaison,casa\n")
    Path("texts.csv").write_text("text\nmaison\n")
    pair = ("--from", "EN", "--to", "DE")
    ended = shell("translate", "texts.csv", "--column", "text", *pair, "--glossary", "terms.csv", "--out", "o.csv")
    assert ended.code == 1
    assert "has no dictionary for en to de" in ended.err


def test_languages_that_a_file_does_not_tell_are_asked_for_by_the_names_of_options(bare):
    Path("two.csv").write_text("cart,carro\ncheckout,pago\n")
    ended = bare("glossary", "lint", "two.csv")
    assert ended.code == 1
    assert "Pass it, such as --from de" in ended.line
    assert "pass --header; if it is a term, pass --no-header" in ended.line
    said = bare("glossary", "lint", "two.csv", "--from", "en", "--to", "es", "--no-header").err
    assert said == "svc-nb: 2 terms in 1 pair (EN to ES), from two.csv.\nsvc-nb: 2 terms, no findings.\n"
    said = bare("glossary", "lint", "two.csv", "--from", "en", "--to", "es", "--header").err
    assert said.startswith("svc-nb: 1 term in 1 pair (EN to ES), from two.csv. The header names no known column")


def test_a_file_that_is_there_is_not_pulled_over(shell, terms):
    shell("glossary", "push", terms, "Shop")
    before = terms.read_bytes()
    ended = shell("glossary", "pull", "Shop", terms)
    assert ended.code == 1
    assert "already exists; --replace" in ended.line
    assert terms.read_bytes() == before
    assert shell("glossary", "pull", "Shop", terms, "--replace").code == 0


def test_terms_and_styles_are_pulled_without_cells_that_a_spreadsheet_runs(shell):
    Path("sums.tsv").write_text("=1+1\tsum\tDE\tEN\n")
    assert shell("glossary", "fix", "sums.tsv", "safe.tsv", "--formula-safe").code == 0
    assert Path("safe.tsv").read_text("utf-8-sig").startswith("'=1+1\tsum")
    assert shell("glossary", "diff", "safe.tsv", "sums.tsv").code == 0
    Path("house.csv").write_text("category,rule,option\n")
    assert shell("style", "push", "house.csv", "--name", "=House", "--language", "en").code == 0
    assert shell("style", "pull", "=House", "back.csv", "--formula-safe").code == 0
    assert "'=House" in Path("back.csv").read_text("utf-8-sig")
    ended = shell("style", "pull", "=House", "back.json", "--formula-safe")
    assert ended.code != 0
    assert "for files that a spreadsheet opens" in ended.line


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
    assert "There is no glossary 'Nothing' on this service; `svc-nb glossary list` lists" in ended.line


@pytest.mark.parametrize("words", ["pull Shp", "diff terms.csv Shp", "delete Shp --yes"])
def test_a_name_that_is_nearly_right_gets_a_suggestion(shell, terms, words):
    shell("glossary", "push", terms, "Shop", "-q")
    ended = shell("glossary", *words.split())
    assert ended.code == 1
    assert "There is no glossary 'Shp' on this service. Did you mean 'Shop'?" in ended.err


def test_what_is_compared_with_a_file_that_is_not_there_connects_to_nothing(bare):
    Path("terms.csv").write_text("source,target,source_lang,target_lang\ntent,Zelt,en,de\n")
    assert "there is no file no.csv" in bare("glossary", "diff", "terms.csv", "no.csv").err


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


def test_what_a_style_rule_list_needs_is_asked_for_by_the_names_of_options(shell):
    Path("house.csv").write_text("category,rule,option\nnumbers,percentage_fromat,x\n")
    assert "Give --name, or the --id" in shell("style", "push", "house.csv").line
    assert "Give --language to create it" in shell("style", "push", "house.csv", "--name", "House").line
    ended = shell("style", "lint", "house.csv")
    assert ended.code == 1
    assert ended.out.startswith("house.csv:rules:2: warning: the catalogue has no rule 'percentage_fromat'")


def test_usage_is_a_table_for_people_and_for_programs(shell):
    Path("a.csv").write_text("t\nGood morning\n")
    shell("translate", "a.csv", "--columns", "t", "--to", "DE")
    ended = shell("usage", "--from", "7 days")
    assert ended.code == 0
    assert "total_characters" in ended.out
    assert "speech" not in ended.out + shell("usage", "--by", "key").out  # what nobody used leaves room
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
    ended = shell("usage", "--from", "2026-13-01")
    assert ended.code == 2
    assert ended.line.startswith("svc-nb: --from: expected a day")
    assert "2026-13-01" in ended.line
    ended = shell("usage", "--from", "2026-11-02", "--to", "2026-11-01")
    assert "--to (2026-11-01) is before --from (2026-11-02)" in ended.line


def test_usage_can_be_tried_with_a_year_of_invented_use(bare, nothing):
    nothing.delenv("SVC_BASE_URL")
    ended = bare("usage", "--sample", "--by", "key", "--from", "last month", "-q")
    assert ended.code == 0
    assert ended.err == ""
    keys = [line.split("  ")[0] for line in ended.out.splitlines()]
    assert "Support desk" in keys
    assert len(set(keys)) == len(keys)  # two are called Test, and one has no name
    assert all(re.fullmatch(r"Test \w{4}…\w{4}", key) for key in keys if key.startswith("Test"))


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
    assert shell("documents", "--resume").line == "svc-nb: No documents are in progress.\n"
    assert " in/a.txt" in f" {shell('documents', 'in', '--to', 'FR', '--plan').out.splitlines()[1]}"
    Path("in/b.docx").write_bytes(b"no document")
    assert shell("documents", "in", "--to", "DE", "--out", "out").code == 1
    assert shell("documents", "--to", "DE").code == 2
    assert "there is no file or folder nowhere" in shell("documents", "nowhere", "--to", "DE").line


def test_documents_that_no_translator_has_are_the_exit_code_also_when_it_is_quiet(shell, running):
    running.state.translators = installed(["pseudo"])
    for name in ("a", "b"):
        Path(f"{name}.txt").write_text("Good morning.")
    words = ["documents", "a.txt", "--to", "JA", "--from", "EN", "--out", "out"]
    ended = shell(*words)
    assert ended.code == 3
    assert ended.err.endswith("1 marked; 13 characters billed. 1 NOT TRANSLATED: no translator for EN → JA.\n")
    assert "only marked with the target language" in ended.err
    ended = shell(*words, "-q", "--json")
    assert ended.code == 3
    assert ended.line == "svc-nb: 1 NOT TRANSLATED: no translator for EN → JA.\n"
    (row,) = json.loads(ended.out)
    assert (row["status"], row["translator"]) == ("marked", "pseudo")
    Path("out/b.txt").write_text("somebody's")
    assert shell("documents", "a.txt", "b.txt", *words[2:], "-q").code == 1


def test_a_translation_that_is_gone_is_paid_for_again_only_when_that_is_said(shell):
    Path("a.txt").write_text("Good morning.")
    words = ["documents", "a.txt", "--to", "DE", "--out", "out"]
    assert shell(*words).code == 0
    Path("out/a.txt").unlink()
    ended = shell(*words, "--json", "-q")
    assert ended.code == 1
    assert "pass --again to translate and pay for it again" in json.loads(ended.out)[0]["error"]
    assert shell(*words, "--again").code == 0
    assert Path("out/a.txt").exists()


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
    assert "characters billed" in shell("notebook", "n.ipynb", "--to", "DE", "--plan").out
    planned = json.loads(shell("notebook", "n.ipynb", "--to", "DE", "--plan", "--json").out)
    made = json.loads(shell("notebook", "n.ipynb", "--to", "DE", "ES", "--json").out)
    assert [each["target_lang"] for each in made] == ["DE", "ES"]
    assert 0 < made[0]["billed_characters"] <= planned[0]["characters"]
    made = json.loads(Path("n.de.ipynb").read_text())
    assert made["cells"][0]["source"][0] == "# [DE] A *fine* day\n"
    assert made["cells"][1] == json.loads(notebook())["cells"][1]
    (one,) = json.loads(shell("notebook", "n.ipynb", "--to", "DE", "ES", "--one-file", "--json").out)
    assert one["path"] == "n.de-es.ipynb"
    assert one["sent"] == 0
    assert "0 characters billed" in shell("notebook", "n.ipynb", "--to", "DE").out
    Path("n.de.ipynb").write_text("mine")
    ended = shell("notebook", "n.ipynb", "--to", "DE")
    assert ended.code == 1
    assert "--replace replaces it, --out writes elsewhere" in ended.line


def test_a_file_that_is_no_notebook_is_one_line(shell):
    Path("n.ipynb").write_text("{")
    assert "n.ipynb: not a notebook" in shell("notebook", "n.ipynb", "--to", "DE").line
    assert "there is no file m.ipynb" in shell("notebook", "m.ipynb", "--to", "DE").line
    assert ". is a folder" in shell("notebook", ".", "--to", "DE").line
    Path("n.ipynb").write_text(notebook())
    assert "name an existing folder" in shell("notebook", "n.ipynb", "--to", "DE", "FR", "--out", "x.ipynb").line


def test_a_workbook_of_terms_is_checked_as_it_is(shell):
    ended = shell("glossary", "lint", samples.terms_file())
    assert ended.code == 1
    assert "duplicate" in ended.out


def test_what_is_safe_to_mend_is_mended_into_another_file(shell):
    ended = shell("glossary", "push", samples.terms_file(), "Outdoor")
    assert ended.code == 1
    assert "`svc-nb glossary fix` applies the safe fixes" in ended.err
    ended = shell("glossary", "fix", samples.terms_file(), "clean.csv")
    assert ended.code == 0
    assert ended.out.startswith("clean.csv: Fixed 2 sources; dropped 4 duplicates.")
    assert shell("glossary", "push", "clean.csv", "Outdoor").code == 0
    assert shell("glossary", "fix", samples.terms_file(), "clean.csv").code == 1
    Path("two.csv").write_text("tent,Zelt,en,de\ntent,Stoffhaus,en,de\n")
    assert "1 error left for you to fix" in (left := shell("glossary", "fix", "two.csv", "left.csv")).out
    assert left.code == 1
    assert shell("glossary", "fix", "two.csv", "kept.csv", "--keep", "first").code == 0
