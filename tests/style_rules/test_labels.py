"""Labels of style rules: every one of the catalogue reads well, and is found by its words."""

from __future__ import annotations

import re

import pytest

from svc_nb.style_rules import labels
from svc_nb.style_rules.catalogue import STYLE_LANGUAGES, Choice, languages_of, offers, options_of
from svc_nb.style_rules.labels import category_label, examples, option_example, option_label, rule_label, search

CHOICES = [
    Choice(category, rule, option)
    for category, rules in offers().items()
    for rule, options in rules.items()
    for option in options
]
LABEL = re.compile(r"[A-Z“](?!.*(?:_|  | ,|\b[A-Z][a-z]+ words? “)).{1,140}")


def reads_well(label: str) -> bool:
    return bool(LABEL.fullmatch(label)) and label == label.strip()


def test_every_category_rule_and_option_has_a_label_that_reads_well():
    assert len(CHOICES) > 500
    categories = [category_label(name) for name in offers()]
    rules = [rule_label(category, rule) for category, rules in offers().items() for rule in rules]
    options = [option_label(*choice) for choice in CHOICES]
    assert [label for label in (*categories, *rules, *options) if not reads_well(label)] == []


def test_no_two_rules_of_a_category_and_no_two_options_of_a_rule_are_called_the_same():
    for category, rules in offers().items():
        assert len({rule_label(category, rule) for rule in rules}) == len(rules)
        for rule, options in rules.items():
            assert len({option_label(category, rule, option) for option in options}) == len(options)


def test_no_two_options_that_a_language_offers_differ_in_no_more_than_a_letter():
    for category, rules in offers().items():
        for rule in rules:
            for language in STYLE_LANGUAGES:
                labels = [
                    option_label(category, rule, option).removesuffix("s")
                    for option in options_of(category, rule, language=language)
                ]
                assert len({label.replace("zeros", "zero") for label in labels}) == len(labels)


def test_the_tables_of_special_labels_hold_nothing_that_the_catalogue_does_not_have():
    assert set(labels.written()["options"]) <= {choice.option for choice in CHOICES}
    assert set(labels.written()["rules"]) <= {choice.rule for choice in CHOICES}


# What an option of these changes is longer than an example can be.
TOO_LONG = {
    "complex_sentences",
    "phone_number_format",  # of it only what keeps the format
    "centuries",  # of it only the numerals, of which nobody says which
    "quotation_modification",
    "redundant_introductory_phrases",
    "redundant_phrases",
    "simple_words_and_sentences",
}


def test_there_is_an_entry_for_an_example_of_every_option_and_of_nothing_else():
    entries = {
        Choice(category, rule, option)
        for category, rules in examples().items()
        for rule, options in rules.items()
        for option in options
    }
    assert entries == set(CHOICES)
    none = {choice for choice in CHOICES if not any(option_example(*choice, each) for each in STYLE_LANGUAGES)}
    assert {choice.rule for choice in none} == TOO_LONG
    assert len(none) == 9


def test_every_language_that_offers_an_option_with_an_example_has_one_and_it_is_short():
    for choice in CHOICES:
        shown = {language: option_example(*choice, language) for language in languages_of(choice) or ()}
        assert all(shown.values()) or not any(shown.values()), choice
        assert all(len(text) <= 45 and text == text.strip() for text in shown.values()), choice


def test_no_two_options_of_a_rule_that_a_language_offers_have_the_same_example():
    for category, rules in offers().items():
        for rule in rules:
            for language in STYLE_LANGUAGES:
                options = options_of(category, rule, language=language)
                shown = [text for each in options if (text := option_example(category, rule, each, language))]
                assert len(set(shown)) == len(shown), (rule, language, shown)


@pytest.mark.parametrize(
    ("choice", "label"),
    [
        (
            ("dates_and_times", "writing_dates", "use_dd_space_spelled_out_month_space_yyyy"),
            "Use DD spelled-out month YYYY",
        ),
        (("punctuation", "range_indicator", "use_korean_words_부터_까지"), "Use “부터 … 까지”"),
        (("numbers", "currency_format", "use_iso_code"), "Use ISO code"),
        (("punctuation", "serial_comma", "do_not_use"), "Do not use"),
    ],
)  # fmt: skip
def test_names_become_words(choice, label):
    assert option_label(*choice) == label


def test_what_the_catalogue_lacks_is_called_by_its_own_name():
    assert category_label("new_things") == "new_things"
    assert rule_label("punctuation", "new_rule") == "new_rule"
    assert rule_label("new_things", "serial_comma") == "serial_comma"
    assert option_label("punctuation", "serial_comma", "<b>often</b>") == "<b>often</b>"


@pytest.mark.long
def test_every_option_is_found_by_its_own_label():
    for choice in CHOICES:
        assert choice in search(option_label(*choice))
        assert choice in search(f"{rule_label(*choice[:2])} {choice.option}")


def test_a_search_finds_options_by_their_examples_and_the_german_clock_by_its_hours():
    assert ("punctuation", "serial_comma", "use") in search("red green", language="EN")
    for text in ("24", "24 hours", "9:05"):
        assert "time_format" in {choice.rule for choice in search(text, language="DE")}


def test_a_search_takes_all_words_without_case_and_accents_and_only_what_a_language_offers():
    assert search("") == CHOICES
    assert {choice.rule for choice in search("OXFORD comma")} == {"serial_comma"}
    assert search("ceder grave") == search("grave CÉDER") != []
    german = search("date", language="German")
    assert german
    assert all("DE" in offers()[category][rule][option] for category, rule, option in german)
    assert search("date no-such-thing") == []
    assert "time_format" in {choice.rule for choice in search("times of day", language="EN")}
    assert search("time of day") == search("times of the day") != []


@pytest.mark.parametrize(
    ("words", "rule"),
    [
        ("…", "ellipsis"),
        ("am/pm", "time_format"),
        ("24h", "time_format"),
        ("speech marks", "quotation_mark"),
        ("smart quotes", "quotation_mark"),
        ("capitals", "all_caps"),
        ("politeness", "addressing_the_reader"),
        ("telephone", "phone_number_format"),
        ("e-mail", "email_address_format"),
        ("decimal point", "decimal_separator"),
        ("°C", "temperature_format"),
        ("euro", "currency_format"),
    ],
)
def test_words_that_people_type_find_what_is_called_otherwise(words, rule):
    assert rule in {choice.rule for choice in search(words)}


def test_a_word_is_looked_for_at_the_beginning_of_words():
    assert {choice.rule for choice in search("era")} == {"calendar_era", "date_format", "years"}
    assert {choice.rule for choice in search("tu")} == {"addressing_the_reader"}
    assert {choice.category for choice in search("phone")} == {"formatting"}
