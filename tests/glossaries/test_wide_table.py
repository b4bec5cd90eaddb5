"""A column for each language, and one row for each term and language: each from the other."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.errors import InvalidRows
from svc_nb.glossaries.headings import Heads, is_head
from svc_nb.glossaries.wide_table import from_wide, to_wide
from svc_nb.language_codes import NAMES
from svc_nb.tabular.terms import COLUMNS, LANGUAGES, in_tables, language_of, made
from svc_nb.tabular.text_column import TEXT

WORDS = st.one_of(
    st.text(min_size=1, max_size=4),
    st.sampled_from(["<script>", "{0}", "%s", "$x$", "=1", "عربى", "👍", "\0", " a", "5", "", " ", "\ud800"]),
)
SOURCES = ["en", "EN-GB", "tlh", "source_lang", ""]
TARGETS = ["de", "DE", "fr-CA", "id", "no", "ja", "en", "tlh", " de", "term", ""]


def table_of(rows):
    return pd.DataFrame(
        {name: pd.Series([row[place] for row in rows], dtype=object) for place, name in enumerate(COLUMNS)}
    )


def rows_of(table):
    return list(table[list(COLUMNS)].itertuples(index=False, name=None))


@given(st.lists(st.tuples(st.sampled_from(SOURCES), st.sampled_from(TARGETS), WORDS, WORDS), max_size=8))
def test_wide_and_back_gives_the_same_rows_or_names_those_that_cannot_be(rows):
    table = table_of(rows)
    try:
        wide = to_wide(table)
    except InvalidRows as caught:
        refused, again = caught.rows, None
    except UnicodeEncodeError:  # a type of pandas that cannot hold half of a pair
        return
    else:
        refused, again = [], rows_of(from_wide(wide)) if rows else []
    if again is None:
        assert refused
    else:
        assert sorted(again) == sorted(rows_of(in_tables(table)))
        assert [row[1] for row in again] == sorted((row[1] for row in again), key=list(wide.columns).index)


@given(
    st.dictionaries(
        st.tuples(st.sampled_from(["DE", "FR", "JA"]), st.text("abc ", min_size=1).filter(str.strip)),
        st.text("xyz<&", min_size=1),
        min_size=1,
    )
)
def test_good_tables_are_never_refused(terms):
    table = table_of([("EN", code, source, target) for (code, source), target in terms.items()])
    assert sorted(rows_of(from_wide(to_wide(table)))) == sorted(rows_of(table))


def test_one_source_language_is_kept_beside_the_table():
    table = made("en", ["de", "fr", "de"], ["house", "house", "cat"], ["Haus", "maison", "Katze"])
    wide = to_wide(table)
    assert list(wide.columns) == ["term", "DE", "FR"]
    assert wide.attrs == {"source_lang": "EN"}
    assert wide["FR"].isna().tolist() == [False, True]
    assert set(wide.dtypes) == {pd.Series([""], dtype=TEXT).dtype}


def test_several_source_languages_have_a_column():
    wide = to_wide(made(["en", "fr"], ["de", "de"], ["house", "chat"], ["Haus", "Katze"]))
    assert wide.to_numpy().tolist() == [["EN", "house", "Haus"], ["FR", "chat", "Katze"]]
    assert list(wide.columns) == ["source_lang", "term", "DE"]


def test_two_translations_in_one_language_are_refused_by_their_rows():
    table = made("en", "de", ["house", "cat", "house"], ["Haus", "Katze", "Heim"]).set_axis(["x", "y", "z"])
    with pytest.raises(InvalidRows, match=r"2 rows would be lost .*\(x, z\)") as caught:
        to_wide(table)
    assert caught.value.rows == ["x", "z"]
    assert caught.value.findings["code"].tolist() == ["duplicate", "duplicate"]


def test_labels_repeat_and_other_columns_stay_with_their_rows():
    wide = pd.DataFrame({"note": [1, 2], "term": ["a", "b"], "de": ["A", None], "fr": ["Á", "B"]}, index=["x", "x"])
    tidy = from_wide(wide, source_lang="en")
    assert tidy.index.tolist() == ["x", "x", "x"]
    assert tidy["note"].tolist() == [1, 1, 2]
    assert tidy["target"].tolist() == ["A", "Á", "B"]
    assert tidy.said == (
        "3 terms in 2 pairs (EN to DE, EN to FR), from 2 rows. Kept as additional columns, not languages: 'note'. "
        "Left out: 1 empty cell. Next: .svc.lint()"
    )


def test_without_a_term_column_the_first_language_or_the_one_named_is_the_source():
    wide = pd.DataFrame({"English": ["house"], "Deutsch": ["Haus"], "français": ["maison"]})
    assert rows_of(from_wide(wide)) == [("EN", "DE", "house", "Haus"), ("EN", "FR", "house", "maison")]
    assert rows_of(from_wide(wide, source_lang="DE-at")) == [
        ("DE", "EN", "Haus", "house"),
        ("DE", "FR", "Haus", "maison"),
    ]


def test_variants_of_the_source_language_are_no_translations():
    wide = pd.DataFrame({"en-US": ["color"], "en-GB": ["colour"], "de": ["Farbe"]})
    tidy = from_wide(wide)
    assert rows_of(tidy) == [("EN-US", "DE", "color", "Farbe")]
    assert "1 term in a variant of the source language" in tidy.said
    assert rows_of(from_wide(wide, source_lang="en-GB")) == [("EN-GB", "DE", "colour", "Farbe")]


def test_a_first_column_of_numbers_is_not_indonesian():
    wide = pd.DataFrame({"ID": ["T-1", "2"], "en": ["a", "b"], "de": ["A", "B"]})
    assert rows_of(from_wide(wide)) == [("EN", "DE", "a", "A"), ("EN", "DE", "b", "B")]
    assert from_wide(wide)["ID"].tolist() == ["T-1", "2"]
    wide = pd.DataFrame({"id": ["rumah"], "en": ["house"]})
    assert rows_of(from_wide(wide)) == [("ID", "EN", "rumah", "house")]


def test_rows_without_a_source_term_are_left_out_and_reported():
    tidy = from_wide(pd.DataFrame({"en": ["a", "", None], "de": ["A", "B", "C"]}))
    assert len(tidy) == 1
    assert "2 rows without a source term (1, 2)" in tidy.said


def test_what_is_no_wide_table_says_what_to_do():
    with pytest.raises(ValueError, match=r"columns named by language .* found the columns 'a', 'de'. Rename"):
        from_wide(pd.DataFrame({"a": ["x"], "de": ["y"]}))
    with pytest.raises(ValueError, match='source_lang="en"'):
        from_wide(pd.DataFrame({"term": ["x"], "de": ["y"]}))
    with pytest.raises(ValueError, match="one of the table's languages, DE, FR; found 'JA'"):
        from_wide(pd.DataFrame({"de": ["x"], "fr": ["y"]}), source_lang="ja")
    with pytest.raises(TypeError, match="column 'de', row 0: expected text, found int"):
        from_wide(pd.DataFrame({"term": ["x"], "de": [5]}), source_lang="en")
    with pytest.raises(TypeError, match="expected a table"):
        from_wide("term")


def test_the_same_language_twice_is_refused_by_its_columns():
    wide = pd.DataFrame([["a", "A", "Ä"]], columns=["term", "de", "German"])
    with pytest.raises(ValueError, match="language DE is in several columns: 2 and 3"):
        from_wide(wide, source_lang="en")


def test_the_language_that_a_csv_does_not_keep_is_asked_for(tmp_path):
    terms = made("en", ["de", "fr"], ["house", "house"], ["Haus", "maison"])
    to_wide(terms).to_csv(tmp_path / "t.csv", index=False)
    again = pd.read_csv(tmp_path / "t.csv")
    with pytest.raises(ValueError, match=r"the column 'term' .* such as source_lang=.*attrs"):
        from_wide(again)
    assert rows_of(from_wide(again, source_lang="en")) == rows_of(terms)


@pytest.mark.parametrize(
    ("label", "code"),
    [
        ("Brazilian Portuguese", "PT-BR"),
        ("Portuguese (Brazil)", "PT-BR"),
        ("Portuguese (BR)", "PT-BR"),
        ("Simplified Chinese", "ZH-HANS"),
        ("Chinese, Traditional", "ZH-HANT"),
        ("British English", "EN-GB"),
        ("English US", "EN-US"),
        ("Latin American Spanish", "ES-419"),
        ("French (fr-CA)", "FR-CA"),
        ("German (DE)", "DE"),
        ("de (German)", "DE"),
        ("Franc\u0327ais", "FR"),
        ("de-CH-1996", "DE-CH-1996"),
        ("pt_BR", "PT-BR"),
        ("Schwedisch", "SV"),
        ("tchèque", "CS"),
        ("jpn", "JA"),
        ("no", "NB"),
        ("id_number", None),
        ("Term ID", None),
        ("source no", None),
        ("ID (number)", None),
        ("German notes", None),
        ("Definition EN", None),
        ("Termen", None),
        ("tlh", None),
    ],
)
def test_a_head_names_a_language_and_its_variant(label, code):
    assert Heads([label]).languages == ({0: code} if code else {})


@pytest.mark.parametrize("code", sorted(LANGUAGES))
def test_every_name_of_a_language_means_it(code):
    assert {language_of(name.title()) for name in NAMES[code.lower()]} == {code}
    assert {len(name) for name in NAMES[code.lower()] if name.isascii()} >= {3}


@pytest.mark.parametrize(
    ("first", "second", "head"),
    [
        (["source", "target"], ["a", "b"], True),
        (["Source Term", "TARGET", "Notes"], ["a", "b", "c"], True),
        (["\ufeffterm", "de"], None, True),
        (["English", "German"], ["a", "b"], True),
        (["ID", "English", "German"], ["1", "a", "b"], True),
        (["term", "de", "fr"], ["a", "b", "c"], True),
        (["Notes", "en", "de"], ["a", "b", "c"], True),
        (["source", "target", "source_lang", "target_lang"], None, True),
        (["German Term", "Term (fr)"], ["a", "b"], True),
        (["en", "", "de", "fr"], ["a", "", "b", "c"], True),
        (["en", "de", "de"], ["a", "b", "c"], True),
        (["en", "de", "de"], ["a", "b", "en"], False),
        (["German term", "deutscher Begriff"], ["a", "b"], False),
        (["rum", "Rum"], ["a", "b"], False),
        (["german", "allemand"], ["a", "b"], False),
        (["german", "deutsch"], ["a", "b"], False),
        (["house", "Haus"], ["a", "b"], False),
        (["house", "Haus", "en", "de"], ["a", "b"], False),
        (["term", "Begriff", "en", "de"], ["a", "b", "en", "de"], False),
        (["source", "target", "en", "de"], ["a", "b", "en", "de"], False),
        (["source", "target", "en", "de"], None, False),
        (["source"], ["a"], False),
        (["English", "German", "Author", "Date", "Status"], ["a", "b", "c", "d", "e"], True),
        (["ID", "Note", "en", "de", "x"], ["1", "n", "a", "b", "c"], True),
        (["a", "b", "en", "de", "x"], ["c", "d", "en", "de", "y"], False),
        (["a", "b", "en", "de", "x"], None, False),
        ([], None, False),
    ],
)
def test_a_header_is_known_by_its_names(first, second, head):
    assert is_head(first, second) is head


def test_heads_know_names_in_any_spelling():
    heads = Heads(["TARGET-LANG", " source  language ", "Source_Term", "target", "source", "note"])
    assert heads.names == {"target_lang": 0, "source_lang": 1, "source": 2, "target": 3}
    assert heads.others == [4, 5]
