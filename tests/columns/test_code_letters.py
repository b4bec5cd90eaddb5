"""Codes of languages: in tables in capitals, in files with the letters that other tools expect."""

from __future__ import annotations

import pandas as pd
import pytest

from svc_nb import glossaries, memories, spoken_terms, style_rules

TERMS = "house\tcasa\ten\tpt-BR\nhouse\t房子\ten\tzh-Hans\nhouse\tx\ten\tes-419\n"
PAIRS = [("EN", "PT-BR"), ("EN", "ZH-HANS"), ("EN", "ES-419")]
LETTERS = ("pt-BR", "zh-Hans", "es-419")


def pairs_of(table):
    return list(zip(table["source_lang"], table["target_lang"], strict=True))


@pytest.mark.parametrize("suffix", ["tsv", "csv", "tbx", "tmx"])
def test_a_glossary_has_capitals_as_a_table_and_its_files_stay_as_they_are(tmp_path, suffix):
    (tmp_path / "terms.tsv").write_text(TERMS, encoding="utf-8")
    table = glossaries.read(tmp_path / "terms.tsv")
    assert pairs_of(table) == PAIRS
    first = glossaries.write(table, tmp_path / f"first.{suffix}")
    again = glossaries.write(glossaries.read(first), tmp_path / f"again.{suffix}")
    assert pairs_of(glossaries.read(again)) == PAIRS
    assert first.read_bytes() == again.read_bytes()
    assert all(code in first.read_text(encoding="utf-8") for code in LETTERS)
    assert suffix != "tsv" or first.read_text(encoding="utf-8") == TERMS


def test_small_letters_and_capitals_are_one_language():
    small, large = (
        pd.DataFrame({"source_lang": [a], "target_lang": [b], "source": ["x"], "target": ["y"]})
        for a, b in (("en_gb", "de"), ("EN-GB", "DE"))
    )
    assert glossaries.diff(small, large).empty
    assert pairs_of(glossaries.merge(small, small, large).table) == [("EN-GB", "DE")]
    assert list(glossaries.to_wide(small).columns) == ["term", "DE"]
    assert glossaries.to_entries(pd.concat([small, large.assign(target_lang="FR")])) == (
        "x\ty\ten-GB\tde\nx\ty\ten-GB\tfr"
    )


def test_a_memory_has_capitals_as_a_table_and_its_file_stays_as_it_is(tmp_path):
    cells = {"source_lang": "en", "target_lang": list(LETTERS), "source": "house", "target": ["a", "b", "c"]}
    first = memories.write(pd.DataFrame(cells), tmp_path / "first.tmx")
    table = memories.read(first)
    assert pairs_of(table) == PAIRS
    assert memories.write(table, tmp_path / "again.tmx").read_bytes() == first.read_bytes()
    assert all(f'xml:lang="{code}"' in first.read_text(encoding="utf-8") for code in ("en", *LETTERS))


def test_spoken_terms_have_capitals_as_a_table_and_their_file_stays_as_it_is(tmp_path):
    (tmp_path / "first.csv").write_bytes(b"lang,term\nde,Haus\npt-BR,casa\n")
    table = spoken_terms.read(tmp_path / "first.csv")
    assert table["lang"].tolist() == ["DE", "PT-BR"]
    again = spoken_terms.write(table, tmp_path / "again.csv")
    assert again.read_text().splitlines() == ["lang,term", "de,Haus", "pt-BR,casa"]


@pytest.mark.parametrize("suffix", ["json", "csv", "tsv"])
def test_a_style_has_capitals_and_its_files_stay_as_they_are(tmp_path, suffix):
    told = pd.DataFrame({"label": ["l"], "prompt": ["p"], "source_language": ["fr"]})
    style = style_rules.Style(None, told, name="n", language="de")
    first = style_rules.write(style, tmp_path / f"first.{suffix}")
    found = style_rules.read(first)
    assert (found.language, found.instructions["source_language"].tolist()) == ("DE", ["FR"])
    assert style_rules.write(found, tmp_path / f"again.{suffix}").read_bytes() == first.read_bytes()
    text = first.read_text(encoding="utf-8")
    assert {"de", "fr", "FR"} - {code for code in ("de", "fr", "FR") if code in text} == {"FR"}
