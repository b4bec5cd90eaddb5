"""Lint names what the service would refuse and what people get wrong, row by row."""

from __future__ import annotations

import unicodedata

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.checks.term_arrays import spotless
from svc_nb.checks.text_array import in_arrow
from svc_nb.glossaries.fix import fix
from svc_nb.glossaries.lint import lint
from svc_nb.tabular.cells import cleaned
from svc_nb.tabular.terms import made
from tests.glossaries.drawn import cells
from tests.growth import LINEAR, growth


def codes(table: pd.DataFrame) -> list[tuple[object, str, str]]:
    found = lint(table)
    return list(zip(found["row"], found["severity"], found["code"], strict=True))


def pair(source: str, target: str) -> pd.DataFrame:
    return made("de", "en", [source], [target])


def test_a_good_table_has_no_findings_and_says_what_is_next():
    found = lint(made("de", "en", ["Haus", "Zelt"], ["house", "tent"]))
    assert found.empty
    assert found.columns.tolist() == ["row", "severity", "code", "message", "suggestion"]
    assert found.said == "2 terms, no findings. Next: svc_nb.glossaries.push(table, name)."


def test_an_empty_table_has_no_findings():
    found = lint(made([], [], [], []))
    assert found.empty
    assert found.said == "No terms, so nothing to check. Next: svc_nb.glossaries.read(path)."


@pytest.mark.long
def test_terms_in_the_language_columns_by_mistake_cost_no_more_than_a_multiple():
    def work(wrong: pd.DataFrame) -> None:
        lint(wrong)
        fix(wrong)

    def wrong(rows: int) -> pd.DataFrame:
        return made([f"x{row}" for row in range(rows)], "en", [f"a{row}" for row in range(rows)], ["b"] * rows)

    assert growth(work, wrong(2_000), wrong(8_000)) <= LINEAR


@pytest.mark.parametrize(
    ("source", "target", "severity", "code"),
    [
        ("", "x", "error", "empty"),
        ("x", "", "error", "empty"),
        (" x", "y", "error", "edge_space"),
        ("x", "y\u3000", "error", "edge_space"),
        ("x", "y\u00a0", "error", "edge_space"),
        ("a\tb", "y", "error", "control"),
        ("a\nb", "y", "error", "control"),
        ("a\x00b", "y", "error", "control"),
        ("a\x85b", "y", "error", "control"),
        ("a\x9fb", "y", "error", "control"),
        ("a\u2028b", "y", "error", "control"),
        ("a", "y\u2029z", "error", "control"),
        ("x" * 1025, "y", "error", "too_long"),
        ("x", "é" * 513, "error", "too_long"),
        ("x", "𝄞" * 257, "error", "too_long"),
        ("\ufeffx", "y", "warning", "invisible"),
        ("\u200dx", "y", "warning", "joiner"),
        ("x", "y\u200c", "warning", "joiner"),
        ("x", "y\u200bz", "warning", "invisible"),
        ("x", "y\u202ez", "warning", "invisible"),
        ("cafe\u0301", "y", "warning", "decomposed"),
        ("=SUM(A)", "y", "warning", "formula"),
        ("x", "@cmd", "warning", "formula"),
        ("-x", "y", "warning", "formula"),
        ("same", "same", "info", "equal"),
        ("{name} x", "y", "warning", "placeholder"),
        ("x %s", "y %d", "warning", "placeholder"),
        ("<b>x</b>", "<b>y", "warning", "placeholder"),
        ("iPad 2", "iPad 3", "warning", "number"),
        ("tent\u00a0peg", "y", "warning", "odd_space"),
        ("tent  peg", "y", "warning", "odd_space"),
        ("x", "two  spaces", "warning", "odd_space"),
        ("5 kg", "kg", "warning", "number"),
        ("guy line", "Abspannleine / Zeltleine", "warning", "several"),
        ("bivouac", "Biwak; Biwaksack", "warning", "several"),
        ("x", "a|b", "warning", "several"),
    ],
)
def test_every_fault_of_a_term_has_its_code(source, target, severity, code):
    assert codes(pair(source, target)) == [(0, severity, code)]


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("x" * 1024, "é" * 512),
        ("a b", "c\u00a0d"),
        ("{x} 5", "5 {x}"),
        ("100 %", "100%"),
        ("3.5 kg, 1,000 m", "3,5 kg, 1.000 m"),
        ("山\u3000川", "tente\u00a0: rouge"),
        ("می\u200cخواهم", "I want"),
        ("👩\u200d🚀", "astronaut"),
        ("C++", ".NET"),
        ("and/or", "und/oder"),
        ("rod; line", "Rute; Leine"),
        ("R and D", "F &amp; E"),
        ("x", "y;"),
        ("-", "+"),
    ],
)
def test_what_is_right_is_not_found_fault_with(source, target):
    assert codes(pair(source, target)) == []


@pytest.mark.parametrize(
    ("written", "code", "severity", "offered"),
    [
        ("xx", "language", "error", ""),
        ("", "language", "error", ""),
        ("English", "language", "error", "EN"),
        ("no", "language", "error", "NB"),
        ("EN-GB", "region", "warning", "EN"),
        ("pt_BR", "region", "warning", "PT"),
        ("DE", "same_language", "error", ""),
    ],
)
def test_wrong_languages_are_found_and_the_right_code_is_offered(written, code, severity, offered):
    found = lint(made("de", written, ["a"], ["b"]))
    assert found[["severity", "code", "suggestion"]].to_numpy().tolist() == [[severity, code, offered]]


def test_codes_in_upper_case_are_right():
    assert codes(made("DE", "EN", ["a"], ["b"])) == []


def test_a_duplicate_by_its_region_alone_says_that_glossaries_know_no_regions():
    table = made("EN", ["ZH-HANS", "ZH-HANT", "ZH-HANT"], ["mouse", "mouse", "mouse"], ["鼠标", "滑鼠", "滑鼠"])
    said = lint(table).query("code == 'conflict'")["message"].tolist()
    assert len(said) == 2
    assert all("(glossaries know no regions: ZH-HANS and ZH-HANT are one language there)" in each for each in said)
    alone = lint(made("EN", "ZH", ["mouse", "mouse"], ["a", "b"])).query("code == 'conflict'")["message"].item()
    assert "regions" not in alone


def test_duplicates_are_named_with_the_positions_the_service_would_name():
    table = made(
        "de",
        "en",
        ["Haus", "Zelt", "Haus", "Zelt"],
        ["house", "tent", "house", "marquee"],
        index=[10, 20, 30, 40],
    )
    found = lint(table)
    assert list(zip(found["row"], found["code"], strict=True)) == [(30, "duplicate"), (40, "conflict")]
    assert (
        "index 2 (starting at position 21) duplicates key with the index 0 (starting at position 0)"
        in found["message"][0]
    )
    assert "row 20" in found["message"][1]
    assert "'tent'" in found["message"][1]


def test_positions_count_only_the_rows_of_the_pair():
    table = made(["de", "fr", "de", "DE"], ["en", "en", "en-GB", "en"], ["a", "a", "b", "a"], ["x", "x", "y", "x"])
    (message,) = lint(table).query("code == 'duplicate'")["message"]
    assert "index 2 (starting at position 8) duplicates key with the index 0 (starting at position 0)" in message


def test_terms_that_differ_only_in_how_they_are_written_are_found():
    table = made("de", "en", ["Haus", "haus", "é", "e\u0301", "ａｂ", "ab"], ["a", "b", "c", "d", "e", "f"])
    found = lint(table).query("code == 'alike'")
    assert found["row"].tolist() == [1, 3, 5]
    assert [message.rpartition("only in ")[2] for message in found["message"]] == [
        "case",
        "its Unicode form",
        "width, case or Unicode form",
    ]


def test_terms_that_differ_only_in_spaces_say_so():
    table = made("de", "en", ["tent peg", "tent\u00a0peg"], ["a", "b"])
    (message,) = lint(table).query("code == 'alike'")["message"]
    assert message.endswith("only in spaces")


def test_chains_are_found():
    table = made("de", "en", ["a", "b", "c"], ["b", "d", "x"])
    assert codes(table) == [(0, "warning", "chain")]


def test_a_pair_whose_other_direction_disagrees_is_found():
    table = made(["de", "en", "de"], ["en", "de", "en"], ["Haus", "house", "Heim"], ["house", "Heim", "house"])
    found = lint(table)
    assert list(zip(found["row"], found["code"], strict=True)) == [(0, "reversed")]
    assert "row 1, translates the target as 'Heim'" in found["message"][0]


def test_terms_that_are_a_part_of_others_are_found_also_without_spaces():
    table = made(
        ["de"] * 4 + ["ja"] * 3,
        ["en"] * 7,
        ["Zelt", "das Zelt aufbauen", "Zeltstange", "zelt-boden", "登山", "登山靴", "靴"],
        ["a", "b", "c", "d", "e", "f", "g"],
    )
    found = lint(table).query("code == 'overlap'")
    assert found["row"].tolist() == [0, 4, 6]
    assert "2 other terms, first in row 1;" in found["message"].iloc[0]


def test_a_term_of_one_pair_is_no_part_of_a_term_of_another():
    assert codes(made(["de", "fr"], ["en", "en"], ["Zelt", "Zelt aufbauen"], ["a", "b"])) == []


@pytest.mark.long
def test_too_large_a_glossary_is_found_by_the_bytes_really_sent():
    term = "é" * 252
    row = len(f"00000{term}\t{term}\n".encode())
    fits = (10 * 1024 * 1024 + 1) // row
    table = made("de", "en", [f"{number:05}{term}" for number in range(fits + 1)], [term] * (fits + 1))
    assert lint(table[:fits]).query("severity == 'error'").empty
    found = lint(table).query("code == 'too_large'")
    assert found["row"].tolist() == [fits]


def test_half_of_a_surrogate_pair_is_found():
    assert ("error", "surrogate") in [finding[1:] for finding in codes(pair("a\ud800", "b"))]


def test_gaps_are_empty_sides():
    table = pd.DataFrame({"source_lang": ["de"], "target_lang": ["en"], "source": [None], "target": [float("nan")]})
    assert codes(table) == [(0, "error", "empty")] * 2
    assert codes(table.assign(source="a", target="b", source_lang=None)) == [(0, "error", "language")]


def test_labels_may_repeat_and_the_gravest_finding_of_a_row_comes_first():
    table = made("de", "en", ["=x ", "b"], ["y", " c"], index=pd.Index(["r", "r"]))
    assert codes(table) == [
        ("r", "error", "edge_space"),
        ("r", "warning", "formula"),
        ("r", "error", "edge_space"),
    ]


def test_hostile_terms_stay_text():
    table = made("de", "en", ["<script>alert(1)</script>", "{0.__class__}", "%(x)s " + "y" * 2000], ["x", "y", "z"])
    html = lint(table)._repr_html_()
    assert "<script" not in html
    assert all(len(message) < 300 for message in lint(table)["message"])


def test_what_is_found_is_counted_in_words():
    table = made("de", "en", ["a ", "b", "c"], ["x", "b", "{y}"])
    assert lint(table).said.startswith(
        "3 terms: 1 error, 1 warning, 1 note. The service will not accept rows with errors. Next: .svc.fix()"
    )


def test_a_gap_among_equal_languages_is_found():
    for dtype in ("string", object):
        table = made(["de", None, "de"], "en", ["a", "b", "c"], ["x", "y", "z"]).astype({"source_lang": dtype})
        assert codes(table) == [(1, "error", "language")]


@given(st.lists(cells, min_size=1, max_size=5))
def test_a_column_is_called_spotless_only_where_no_term_breaks_a_rule(texts):
    column = made("de", "en", texts, texts)["source"]
    right = all(text and text == text.strip() and len(text.encode("utf-8", "replace")) <= 1024 for text in texts)
    plain = not any(unicodedata.category(letter) in ("Cc", "Zl", "Zp", "Cs") for text in texts for letter in text)
    if in_arrow(column):
        assert spotless(column, most_bytes=1024) == (right and plain)
        assert spotless(column[1:], most_bytes=1024) in (True, False)


def test_every_space_of_unicode_is_seen_at_both_edges():
    if not in_arrow(made("de", "en", ["a"], ["b"])["source"]):
        return
    for code in range(0x110000):
        letter = chr(code)
        if letter.isspace():
            for text in (f"{letter}x", f"x{letter}", f"é{letter}", f"{letter}日"):
                assert not spotless(made("de", "en", ["a", text, "b"], [""] * 3)["source"], most_bytes=1024)


@pytest.mark.parametrize(
    "term",
    # The fourth ends a word in Malayalam.
    ["می\u200cخواهم", "क्\u200dष", "👩\u200d👩\u200d👧", "ന്\u200d", "र्\u200dया", "x", ""],
)
def test_joiners_inside_of_a_term_and_behind_a_virama_are_right(term):
    table = pd.DataFrame({"source_lang": ["EN"], "target_lang": ["DE"], "source": ["a"], "target": [term]})
    assert "joiner" not in lint(table)["code"].tolist()
    assert cleaned(term) == unicodedata.normalize("NFC", term)


def test_joiners_at_the_edges_are_taken_off_by_a_fix():
    terms = ["\u200cخانه\u200d", "\u200d\u200c", " \u200dx\u200c\u200d "]
    table = pd.DataFrame({"source_lang": "EN", "target_lang": "FR", "source": ["a", "b", "c"], "target": terms})
    found = lint(table)
    assert found[found["code"] == "joiner"]["suggestion"].tolist() == ["خانه", ""]
    assert fix(table)["target"].tolist() == ["خانه", "", "x"]
