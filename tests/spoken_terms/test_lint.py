"""What lint finds in spoken terms is what the service refuses, no more and no less."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given, settings

from svc_nb.errors import InvalidRows
from svc_nb.service.problems import Problem
from svc_nb.service.resources import spoken_terms as service
from svc_nb.spoken_terms.lint import LANGUAGES, lint, refuse
from svc_nb.spoken_terms.table import lists_of, made, rows_of, table_of
from tests.spoken_terms.drawn import tables


def codes(table):
    found = lint(table)
    return list(zip(found["row"], found["code"], strict=True))


def is_taken(rows):
    """Whether the embedded service takes these terms, list by list."""
    try:
        lists = {}
        for lang, term in rows:
            lists.setdefault(service.lang_of(lang), []).append(term)
        for terms in lists.values():
            "".join(terms).encode()
            if any("\n" in term for term in terms) or len("\n".join(terms)) > service.MAX_LIST_CHARACTERS:
                return False
            for place, term in enumerate(terms):
                service.parse(term)
                if term in terms[:place]:
                    return False
    except (Problem, UnicodeEncodeError):
        return False
    return True


@given(tables())
def test_a_table_has_no_finding_just_when_the_service_takes_it(table):
    assert (len(lint(table)) == 0) == is_taken(rows_of(table))


def test_the_languages_are_those_of_the_service():
    assert {code.lower() for code in LANGUAGES} == service.LANGUAGES


@pytest.mark.parametrize(
    ("lang", "term", "code", "suggestion"),
    [
        ("de", "", "empty", "fill it in, or remove the row"),
        ("de", None, "empty", "fill it in, or remove the row"),
        ("de", " Haus", "edge_space", "Haus"),
        ("de", "Haus\tund Hof", "control", "Haus und Hof"),
        ("de", "a\x00b", "control", "ab"),
        ("de", "\ud800", "surrogate", ""),
        ("German", "Haus", "language", "DE"),
        ("xx", "Haus", "language", ""),
        (None, "Haus", "language", ""),
    ],
)
def test_each_rule_is_reported_with_what_to_do(lang, term, code, suggestion):
    rows = [[lang, term], ["fr", "maison"]]
    table = pd.DataFrame(rows, columns=["lang", "term"], index=["x", "y"], dtype=object)
    found = lint(table)
    assert found[["row", "severity", "code", "suggestion"]].to_numpy().tolist() == [["x", "error", code, suggestion]]


def test_duplicates_are_reported_by_language_and_case():
    table = made(["de", "DE", "en", "de"], ["Haus", "Haus", "Haus", "haus"])
    assert codes(table) == [(1, "duplicate")]


def test_a_list_of_300_characters_is_the_longest():
    assert codes(made("de", ["a" * 149, "b" * 150])) == []
    found = lint(made(["de", "de", "en", "DE-AT"], ["a" * 149, "b" * 151, "c", "d"]))
    assert found[["row", "code"]].to_numpy().tolist() == [[1, "too_large"]]
    assert "'DE' has 303 characters" in found["message"].iloc[0]
    assert found["suggestion"].iloc[0] == "remove 3 characters"


def test_a_language_that_may_have_none_is_a_warning_and_is_sent():
    table = made("ar", ["x"])
    assert lint(table)["severity"].tolist() == ["warning"]
    refuse(table)


def test_a_refusal_names_the_rows_and_has_the_findings():
    with pytest.raises(InvalidRows, match=r"2 rows \(1, 2\)") as caught:
        refuse(made("de", ["a", "b ", ""]))
    assert caught.value.rows == [1, 2]
    assert caught.value.findings["code"].tolist() == ["edge_space", "empty"]


def test_a_table_of_something_else_says_what_is_missing():
    with pytest.raises(ValueError, match="has no lang, only 'term'"):
        lint(pd.DataFrame({"term": ["a"]}))
    with pytest.raises(ValueError, match="two columns called"):
        lint(pd.DataFrame([["de", "a", "b"]], columns=["lang", "term", "term"]))
    with pytest.raises(TypeError, match=r"'term', row 'r': expected text, found int"):
        lint(pd.DataFrame({"lang": ["de"], "term": [7]}, index=["r"]))
    with pytest.raises(TypeError, match="DataFrame"):
        lint([("de", "a")])


def test_every_check_says_what_comes_next():
    assert lint(made("de", ["a"])).said == "1 term, no findings. Next: svc_nb.spoken_terms.push(table, name)."
    assert "read(path)" in lint(made("de", [])).said
    assert lint(made("de", [""])).said == "1 term: 1 error. Next: fix the rows by hand, and lint again."
    assert lint(made("ar", ["a"])).said.endswith("1 warning. Next: svc_nb.spoken_terms.push(table, name).")


def test_terms_are_shown_as_text_and_never_as_html():
    table = made("<b>x</b>", ["<script>"])
    assert "<b>" not in lint(table)._repr_html_()


@given(tables(langs=["de", "en", "ja"]))
@settings(max_examples=30)
def test_lists_and_tables_hold_the_same_terms(table):
    lists = lists_of(rows_of(table))
    assert lists_of(rows_of(table_of(lists))) == lists
