import unicodedata
from pathlib import Path

import pytest

from svc_nb import documents, glossaries, samples
from svc_nb.samples import messages, reviews, terms_file
from svc_nb.service.catalogue import languages

DETECTION = {code.upper() for code in languages.DETECTION}


@pytest.fixture(scope="module")
def table():
    return reviews()


def test_there_are_enough_reviews_in_enough_languages(table):
    assert list(table.columns) == ["review_id", "product", "language", "review", "rating"]
    assert len(table) >= 200
    counts = table["language"].value_counts()
    assert set(counts.index) >= DETECTION
    assert counts[sorted(DETECTION)].min() >= 6
    assert counts[["EN", "ES", "FR", "IT", "PT", "DE"]].min() >= 12


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
        ("EN", "DE"): 16,
        ("EN", "FR"): 16,
    }
    assert terms["source"].str.strip().duplicated().sum() == 2 * 2 + 14
    mended = terms.svc.fix()
    assert len(mended) == 28
    assert mended.svc.lint()["severity"].tolist() == ["info"] * 2


def test_the_documents_are_of_four_kinds_and_all_can_be_sent(connected):
    planned = documents.plan(samples.documents(), target_lang="ES")
    assert planned["kind"].tolist() == ["srt", "html", "json", "docx"]
    assert set(planned["status"]) == {"to send"}


@pytest.fixture(scope="module")
def translated():
    return messages()


def test_every_message_has_a_translation_into_each_of_32_languages(translated):
    assert list(translated.columns) == ["message_id", "language", "english", "text"]
    assert set(translated["language"]) == DETECTION - {"EN"}
    assert set(translated.groupby("language").size()) == {translated["message_id"].nunique()}
    assert translated["message_id"].nunique() >= 250
    assert not translated.isna().any(axis=None)
    assert (translated["text"].str.strip() != "").all()


def test_a_message_is_the_same_english_text_in_every_language(translated):
    by_message = translated.groupby("message_id")["english"]
    assert (by_message.nunique() == 1).all()
    assert by_message.first().is_unique
    assert not translated[["english", "text"]].apply(lambda column: column.str.contains("\n")).any(axis=None)


def test_messages_are_shipped_with_the_licence_they_are_under():
    folder = Path(samples.__file__).parent
    licence = (folder / "messages.LICENSE").read_text(encoding="utf-8")
    assert licence.startswith("Copyright (c) Django Software Foundation and individual contributors.")
    assert "Redistributions in binary form must reproduce the above copyright" in licence
    assert "BSD-3-Clause" in messages.__doc__
    assert (folder / "messages.csv").stat().st_size < 320_000
