import unicodedata

import pytest

from svc_nb import documents, glossaries, samples
from svc_nb.samples import reviews, terms_file
from svc_nb.service.catalogue.languages import DETECTION


@pytest.fixture(scope="module")
def table():
    return reviews()


def test_there_are_enough_reviews_in_enough_languages(table):
    assert list(table.columns) == ["review_id", "product", "language", "review", "rating"]
    assert len(table) >= 200
    counts = table["language"].value_counts()
    assert set(counts.index) >= DETECTION
    assert counts[sorted(DETECTION)].min() >= 6
    assert counts[["en", "es", "fr", "it", "pt", "de"]].min() >= 12


def test_some_reviews_are_in_other_languages_or_in_none(table):
    assert len(set(table["language"].dropna()) - DETECTION) >= 5
    assert table["language"].isna().sum() >= 3


def test_ids_and_texts_are_unique(table):
    assert table["review_id"].is_unique
    assert table["review"].is_unique


def test_texts_are_composed_and_free_of_stray_white_space(table):
    for text in table["review"]:
        assert unicodedata.is_normalized("NFC", text)
        assert text == " ".join(text.split())
        assert text


def test_ratings_are_one_to_five_stars(table):
    assert set(table["rating"]) == {1, 2, 3, 4, 5}


def test_only_the_language_may_be_missing(table):
    assert not table.drop(columns="language").isna().any(axis=None)


def test_each_call_gives_a_table_of_its_own(table):
    other = reviews()
    other["review"] = "gone"
    assert not (reviews()["review"] == "gone").any()


def test_the_glossary_has_three_languages_two_terms_twice_and_a_byte_order_mark():
    import openpyxl

    rows = list(openpyxl.load_workbook(terms_file()).active.values)
    assert rows[0][0].startswith("\ufeff")
    assert {len(row) for row in rows} == {3}
    terms = glossaries.read(terms_file())
    assert terms.groupby(["source_lang", "target_lang"]).size().to_dict() == {
        ("en", "de"): 16,
        ("en", "fr"): 16,
    }
    assert terms["source"].str.strip().duplicated().sum() == 2 * 2 + 14
    mended = terms.svc.fix()
    assert len(mended) == 28
    assert mended.svc.lint()["severity"].tolist() == ["info"] * 2


def test_the_documents_are_of_four_kinds_and_all_can_be_sent(connected):
    planned = documents.plan(samples.documents(), target_lang="ES")
    assert planned["kind"].tolist() == ["srt", "html", "json", "docx"]
    assert set(planned["status"]) == {"to send"}
