from __future__ import annotations

import json

import pytest

from svc_nb.language_codes import SOURCES, meant_by
from svc_nb.service.catalogue import languages as service_languages
from svc_nb.style_rules.catalogue import (
    STYLE_LANGUAGES,
    Choice,
    catalogue,
    close,
    nearest,
    offers,
    style_language,
)
from tests import offered_options


def test_the_catalogue_has_every_option_the_service_has_and_no_other():
    ours = {
        category: {rule: sorted(options) for rule, options in rules.items()} for category, rules in offers().items()
    }
    theirs = {
        category: {rule: sorted(options) for rule, options in rules.items()}
        for category, rules in offered_options.options().items()
    }
    assert ours == theirs
    assert len(catalogue()) == 518


@pytest.mark.parametrize("language", STYLE_LANGUAGES)
def test_a_language_offers_what_the_service_says_it_offers(language):
    table = catalogue(language)
    found = {(row.category, row.rule, row.option) for row in table.itertuples()}
    assert found == {
        (category, rule, option)
        for category, rules in offered_options.options(language.lower()).items()
        for rule, options in rules.items()
        for option in options
    }
    assert all(language in languages.split() for languages in table["languages"])


def test_the_languages_are_those_of_the_service():
    assert set(map(str.lower, STYLE_LANGUAGES)) == service_languages.STYLE_LANGUAGES
    assert set(map(str.lower, SOURCES)) == service_languages.SOURCES


def test_the_catalogue_is_a_plain_table_that_says_what_to_do_next():
    table = catalogue()
    assert list(table.columns) == ["category", "rule", "option", "languages"]
    assert not table.isna().any(axis=None)
    assert not table.duplicated(["category", "rule", "option"]).any()
    assert "518 options of 159 rules" in table.said
    assert "push" in table.said
    assert json.loads(table.to_json(orient="records"))[0]["languages"] == "EN"


@pytest.mark.parametrize(
    ("written", "code"),
    [("de", "DE"), ("en-GB", "EN"), ("zh_Hant", "ZH"), ("German", "DE"), ("日本語", "JA")],
)
def test_a_language_may_be_written_as_people_do(written, code):
    assert style_language(written) == code
    assert len(catalogue(written)) == len(catalogue(code))


@pytest.mark.parametrize("written", ["pl", "", "klingon", "{0}", "<b>"])
def test_a_language_without_style_rules_is_a_clear_error(written):
    with pytest.raises(ValueError, match="DE, EN, ES, FR, IT, JA, KO, ZH"):
        catalogue(written)


def test_what_is_unclear_means_no_language():
    assert meant_by("klingon") == ""


def test_names_are_near_in_any_case_and_with_spaces_or_hyphens():
    rules = offers()["punctuation"]
    assert close("Serial Comma", rules) == ["serial_comma"]
    assert close("serial-coma", rules) == ["serial_comma"]
    assert close("nothing of the kind at all", rules) == []
    assert close("x" * 1_000_000, rules) == []


def test_the_nearest_options_are_those_of_the_rule_or_of_its_category():
    found = nearest(Choice("dates_and_times", "date_format", "use_dd_slash_mm_slash_yyyy"), "EN")
    assert found[0].startswith("use_dd_slash_mm_slash_yyyy")
    assert len(found) == 3
    elsewhere = nearest(Choice("dates_and_times", "dates_in_numerical_form", "use_dd_slash_mm_slash_yyyy"), "DE")
    assert all(": " in each for each in elsewhere)
    comma = Choice("numbers", "decimal_separator", "use_comma_as_decimal_separator")
    assert nearest(comma, "EN") == [], "what is only alike in letters is about something else"
    marks = Choice("punctuation", "quotation_mark", "use_curly_quotation_marks")
    assert nearest(marks, "EN")[0] == "quotation_mark_and_apostrophe: use_curly_quotation_marks_and_apostrophes"
    uhr = "use_hh_colon_mm_german_word_uhr_with_leading_zeros_for_single_digit_hours"
    assert nearest(Choice("dates_and_times", "time_format", uhr), "EN") == ["use_24_hour_clock"]
    assert nearest(Choice("vocabulary", "no_rule", "no_option"), "DE") == []
