"""Entries text and tables: each from the other, without loss or with an error that names rows."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.errors import InvalidRows
from svc_nb.glossaries.dictionaries import from_entries, parsed, to_entries
from svc_nb.service.glossaries import parse
from svc_nb.tabular.terms import COLUMNS, made
from tests.glossaries.drawn import tables, valid_tables

LANGUAGES = {"source_lang": "de", "target_lang": "en"}
forms = st.sampled_from(["tsv", "csv"])


def terms(table: pd.DataFrame) -> list[tuple[str, str]]:
    return list(zip(table["source"], table["target"], strict=True))


def named_or_done(work, table: pd.DataFrame) -> str | None:
    """What *work* gives, or None where it raised an error that names rows of *table*."""
    try:
        return work()
    except InvalidRows as problem:
        rows = problem.rows
    assert rows
    assert set(rows) <= set(table.index)
    return None


# ---- laws


@given(valid_tables(), forms)
def test_entries_that_we_wrote_come_back_byte_for_byte(table, form):
    text = to_entries(table, form)
    several = table[["source_lang", "target_lang"]].drop_duplicates().shape[0] > 1
    pair = {} if several else dict(zip(LANGUAGES, table.iloc[0, :2], strict=True))
    again = from_entries(text, form, **pair)
    pd.testing.assert_frame_equal(again, table)
    assert to_entries(again, form) == text


@given(tables(), forms)
def test_a_table_comes_back_as_it_was_or_an_error_names_rows(table, form):
    pairs = dict.fromkeys(zip(table["source_lang"], table["target_lang"], strict=True))
    text = named_or_done(lambda: to_entries(table, form), table)
    if text is None:
        return
    given = dict(zip(LANGUAGES, next(iter(pairs), ("de", "en")), strict=True))
    pd.testing.assert_frame_equal(from_entries(text, form, **given), table)


@given(st.text(alphabet='ab,"\t\n\r é', max_size=30), forms)
def test_every_text_that_the_service_takes_means_the_same_to_us(text, form):
    try:
        meant = parse(text, entries_format=form, source_lang="de", target_lang="en")
    except Exception:
        return
    table = from_entries(text, form, **LANGUAGES)
    own = table[(table["source_lang"] == "de") & (table["target_lang"] == "en")]
    assert dict(terms(own)) == meant
    again = from_entries(to_entries(own, form), form, **LANGUAGES)
    assert dict(terms(again)) == meant


@given(
    st.lists(
        st.tuples(st.text(alphabet="ab é\"'#NA0", max_size=4), st.text(alphabet="ab1.0", max_size=4)),
        min_size=1,
    )
)
def test_a_regular_text_reads_the_same_as_line_by_line(rows):
    text = "\n".join("\t".join(row) for row in rows)
    kept = [row for row in rows if "\t".join(row)]
    assert terms(from_entries(text, **LANGUAGES)) == kept
    assert terms(from_entries(text.replace("\n", "\r\n"), **LANGUAGES)) == kept


# ---- reading


def test_a_byte_order_mark_is_dropped():
    assert terms(from_entries("\ufeffHaus\thouse", **LANGUAGES)) == [("Haus", "house")]
    assert terms(from_entries("\ufeffHaus\thouse".encode(), **LANGUAGES)) == [("Haus", "house")]
    assert terms(from_entries('\ufeff"Haus, groß",house', "csv", **LANGUAGES)) == [("Haus, groß", "house")]


def test_only_one_mark_and_only_at_the_beginning_is_dropped():
    text = "\ufeff\ufeffa\tb\n\ufeffc\td"
    assert terms(from_entries(text, **LANGUAGES)) == [("\ufeffa", "b"), ("\ufeffc", "d")]


def test_empty_lines_and_windows_line_ends_mean_nothing():
    assert terms(from_entries("\r\na\tb\r\n\r\nc\td\r\n", **LANGUAGES)) == [("a", "b"), ("c", "d")]


def test_tsv_knows_no_quotes():
    assert terms(from_entries('"a"\t""b', **LANGUAGES)) == [('"a"', '""b')]


def test_csv_knows_commas_and_quotes():
    text = 'a,b\n"c, d","say ""hi"""\n'
    assert terms(from_entries(text, "csv", **LANGUAGES)) == [("a", "b"), ("c, d", 'say "hi"')]


@pytest.mark.parametrize(("form", "separator"), [("tsv", "\t"), ("csv", ",")])
def test_three_and_four_columns_say_the_languages(form, separator):
    lines = [["a", "b", "de", "en"], ["c", "d", "fr"], ["e", "f"]]
    text = "\n".join(separator.join(line) for line in lines)
    table = from_entries(text, form, source_lang="ja", target_lang="ko")
    assert table["source_lang"].tolist() == ["DE", "FR", "JA"]
    assert table["target_lang"].tolist() == ["EN", "KO", "KO"]


def test_languages_that_are_not_given_are_asked_for():
    with pytest.raises(ValueError, match=r'source_lang: .* Pass it, such as source_lang="de"'):
        from_entries("a\tb")
    with pytest.raises(ValueError, match="target_lang"):
        from_entries("a\tb\tde")


@pytest.mark.parametrize(
    ("text", "form", "line", "said"),
    [
        ("a\tb\nc", "tsv", 2, "no tab"),
        ("a\tb\tde\ten\tx", "tsv", 1, "5 columns"),
        ("a,b\n\nc", "csv", 3, "no comma"),
        ('a,b\n"c\nd",e', "csv", 2, "line break"),
        ('"a"b,c', "csv", 1, "quotes are not closed"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(text, form, line, said):
    with pytest.raises(InvalidRows, match=said) as raised:
        from_entries(text, form, **LANGUAGES)
    assert raised.value.rows == [line]
    assert f"line {line}" in str(raised.value)


def test_an_empty_text_is_an_empty_table():
    for nothing in ("", "\n\r\n", "\ufeff"):
        table = from_entries(nothing)
        assert table.empty
        assert tuple(table.columns) == COLUMNS
    assert to_entries(from_entries("")) == ""


def test_numbers_and_words_that_pandas_takes_for_gaps_stay_texts():
    lines = ["007\t1.0", "NA\tnull", "1e5\tTrue", "nan\t"]
    assert terms(from_entries("\n".join(lines), **LANGUAGES)) == [tuple(line.split("\t")) for line in lines]


def test_a_service_text_keeps_its_first_character():
    assert terms(parsed("\ufeffa\tb", "tsv", **LANGUAGES)) == [("\ufeffa", "b")]


def test_wrong_arguments_are_reported():
    with pytest.raises(ValueError, match="form: expected"):
        from_entries("a\tb", "xls")
    with pytest.raises(TypeError, match="expected text or bytes, found int"):
        from_entries(5)
    with pytest.raises(ValueError, match="not valid UTF-8: byte 0"):
        from_entries(b"\xff\xfea")
    with pytest.raises(TypeError, match="source_lang: expected a code, found int"):
        from_entries("a\tb", source_lang=1, target_lang="en")


# ---- writing


def test_one_pair_is_two_columns_and_several_are_four():
    table = made(["de", "de"], ["en", "fr"], ["a", "a"], ["b", "c, d"])
    assert to_entries(table, "csv") == 'a,b,de,en\na,"c, d",de,fr'
    assert to_entries(table, target_lang="FR") == "a\tc, d"
    assert to_entries(table[:1]) == "a\tb"


def test_a_pair_that_is_not_there_is_reported():
    with pytest.raises(ValueError, match="no terms from any to KO"):
        to_entries(made("de", "en", ["a"], ["b"]), target_lang="ko")


def test_a_table_that_is_none_is_refused_with_what_it_lacks():
    with pytest.raises(ValueError, match=r"has no target_lang, target, only 'source_lang', 'source'"):
        to_entries(pd.DataFrame({"source_lang": ["de"], "source": ["a"]}))
    with pytest.raises(TypeError, match="found list"):
        to_entries([])
    with pytest.raises(TypeError, match="column 'source', row 0: expected text, found int"):
        to_entries(pd.DataFrame({"source_lang": ["de"], "target_lang": ["en"], "source": [5], "target": ["a"]}))


def test_categories_and_objects_are_texts_too():
    table = made("de", "en", ["a", "b,"], ["c", "d"])
    for dtype in (object, "category", "string"):
        assert to_entries(table.astype(dtype), "csv") == 'a,c\n"b,",d'


def test_labels_may_be_anything_and_repeat():
    table = made("de", "en", ["a", "a "], ["b", "c"], index=pd.Index(["x", "x"]))
    with pytest.raises(InvalidRows, match="the service would refuse 1 row") as raised:
        to_entries(table)
    assert raised.value.rows == ["x"]
    assert raised.value.findings["code"].tolist() == ["edge_space"]


def test_a_mark_at_the_very_beginning_is_not_lost_silently():
    with pytest.raises(InvalidRows, match="byte order mark"):
        to_entries(made("de", "en", ["\ufeffa"], ["b"]))
