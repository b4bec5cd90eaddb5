"""Where terms are found in a corpus."""

from __future__ import annotations

import re

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.checks import text_array as chunked
from svc_nb.glossaries.corpus import coverage
from svc_nb.tabular.report import Report
from svc_nb.tabular.terms import made


def hits(terms, texts, **options) -> list[int]:
    return coverage(terms, pd.Series(texts, dtype=object), **options)["hits"].tolist()


def test_terms_are_counted_by_occurrence_and_by_row():
    texts = pd.Series(["An order, another order.", "No ORDER here", None, "Reordered", ""])
    report = coverage(["order", "invoice"], texts)
    assert isinstance(report, Report)
    assert report.to_dict("list") == {
        "term": ["order", "invoice"],
        "hits": [3, 0],
        "rows": [2, 0],
        "dead": [False, True],
    }
    assert report.said.startswith("1 of 2 terms found, in 2 of 4 texts (50%). 1 term dead.")


@pytest.mark.parametrize(
    ("term", "text", "count"),
    [
        ("Straße", "In der STRASSE", 1),
        ("café", "Cafe\u0301 noir", 1),
        ("ＡＢＣ", "abc", 1),
        ("delivery note", "A delivery  note", 0),
        ("delivery note", "A delivery, note", 0),
        ("delivery note", "Delivery note", 1),
        ("C++", "C++ and C", 1),
        (".NET", "use .net or net", 1),
        ("→", "a → b → c", 2),
        ("注文番号", "ご注文番号と注文番号", 2),
        ("サーバー", "サーバールームのサーバー", 2),
        ("서버", "서버를 다시", 1),
        ("ราคา", "ราคาสินค้า", 1),
        ("e-mail", "An e-mail", 1),
        ("a\nb", "a\nb", 1),
        ("<b>", "<b>x</b>", 1),
        ("$x$", "cost $x$ now", 1),
        ("", "anything", 0),
        ("x", "", 0),
    ],
)
def test_a_term_is_found_as_people_would(term, text, count):
    assert hits([term], [text]) == [count]


def test_a_term_within_a_longer_one_counts_only_if_asked():
    terms, texts = ["note", "delivery note", "delivery"], ["a delivery note and a note"]
    assert hits(terms, texts) == [1, 1, 0]
    assert hits(terms, texts, longest=False) == [2, 1, 1]


def test_the_table_stays_as_it_was_and_languages_are_told_apart():
    terms = made(["en", "de", "EN-GB"], "fr", ["order", "order", "page"], ["a", "b", "c"], pd.Index(["x", "x", None]))
    report = coverage(terms, pd.Series(["Order page"]), source_lang="en")
    assert list(report.columns) == [*terms.columns, "hits", "rows", "dead"]
    assert report["hits"].tolist() == [1, 1]
    assert report.index[0] == "x"
    assert "hits" not in terms.columns
    assert len(coverage(terms, pd.Series(["x"]), source_lang="ja")) == 0


def test_what_are_no_terms_or_texts_is_refused():
    with pytest.raises(ValueError, match="source_lang, target_lang"):
        coverage(pd.DataFrame({"a": ["b"]}), pd.Series(["c"]))
    with pytest.raises(TypeError, match="put it into a list"):
        coverage("term", pd.Series(["c"]))
    with pytest.raises(TypeError, match="row 0"):
        coverage(["term"], pd.Series([1]))


def test_no_texts_and_no_terms_are_no_mistake():
    assert hits(["a"], []) == [0]
    assert len(coverage([], pd.Series(["a"]))) == 0


words = st.sampled_from(["a", "b", "ab", "A", "c.", "b-a", "字", "字号", "x"])
phrases = st.lists(words, max_size=5).map(" ".join)


@given(st.lists(phrases, min_size=1, max_size=5), st.lists(phrases, max_size=6))
def test_hits_are_those_of_a_plain_search(terms, texts):
    expected = []
    for term in terms:
        folded = term.strip().casefold()
        start = r"(?<![a-z])" if folded[:1].isascii() and folded[:1].isalnum() else ""
        end = r"(?![a-z])" if folded[-1:].isascii() and folded[-1:].isalnum() else ""
        pattern = re.compile(f"(?={start}{re.escape(folded)}{end})") if folded else None
        expected.append(sum(len(pattern.findall(text.casefold())) for text in texts) if pattern else 0)
    assert hits(terms, texts, longest=False) == expected


@given(st.lists(phrases, min_size=1, max_size=5), st.lists(phrases, min_size=4, max_size=9))
def test_the_size_of_the_pieces_does_not_matter(terms, texts):
    whole = coverage(terms, pd.Series(texts))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chunked, "MOST_CHARACTERS", 5)
        pieces = coverage(terms, pd.Series(texts))
    assert whole.to_dict() == pieces.to_dict()
    assert whole.said == pieces.said
