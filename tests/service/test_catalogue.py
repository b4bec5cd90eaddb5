import pytest

from svc_nb.service import style_rules
from svc_nb.service.catalogue import languages
from svc_nb.service.detector import dominant
from svc_nb.service.translation.style import unapplied
from tests import offered_options

# The contract's own lists.
GLOSSARY = {
    "ar", "bg", "cs", "da", "de", "el", "en", "es", "et", "fi", "fr", "he", "hu", "id", "it", "ja", "ko",
    "lt", "lv", "nb", "nl", "pl", "pt", "ro", "ru", "sk", "sl", "sv", "th", "tr", "uk", "vi", "zh",
}  # fmt: skip
DETECTED = {
    "en", "de", "fr", "es", "pt", "it", "nl", "pl", "ru", "zh", "ja", "bg", "cs", "da", "el", "et", "fi",
    "hu", "lt", "lv", "ro", "sk", "sl", "sv", "tr", "id", "uk", "ko", "nb", "ar", "vi", "he", "th",
}  # fmt: skip
NAMED_OPTIONS = {
    ("dates_and_times", "calendar_era"): ["use_bc_and_ad", "use_bce_and_ce"],
    ("dates_and_times", "centuries"): [
        "spell_out", "use_arabic_numerals", "use_numerals", "use_roman_numerals",
    ],
    ("dates_and_times", "dates_in_numerical_form"): [
        "use_dd_hyphen_mm_hyphen_yyyy", "use_dd_period_mm_period_yyyy", "use_dd_slash_mm_slash_yyyy",
    ],
    ("dates_and_times", "date_format"): [
        "use_dd_period_mm_period_yyyy", "use_dd_slash_mm_slash_yyyy", "use_dd_space_spelled_out_month_space_yyyy",
        "use_numerals_only_with_leading_zero_for_single_digits",
        "use_numerals_only_without_leading_zero_for_single_digits", "use_yyyy_period_mm_period_dd",
        "use_yyyy_slash_mm_slash_dd", "use_traditional_calendar_system_with_chinese_numbers",
    ],
    ("dates_and_times", "decades"): ["spell_out"],
    ("style_and_tone", "abbreviations"): ["use_abbreviations_and_symbols"],
    ("style_and_tone", "short_vs_long_words"): ["use_short_words"],
    ("punctuation", "apostrophe"): ["use_curly_apostrophes"],
}  # fmt: skip


def listed(resource: str, *include: str) -> dict[str, dict]:
    return {entry["lang"]: entry for entry in languages.listed_v3(resource, include)}


def test_the_lists_are_the_contracts():
    assert set(GLOSSARY) == languages.GLOSSARY
    assert set(DETECTED) == languages.DETECTION
    assert {"de", "en", "es", "fr", "it", "ja", "ko", "zh"} == languages.STYLE_LANGUAGES


@pytest.mark.parametrize(
    ("resource", "stable", "everything"),
    [
        ("translate_text", 40, 123),
        ("translate_document", 40, 123),
        ("glossary", 33, 33),
        ("voice", 39, 44),
        ("write", 14, 14),
        ("style_rules", 8, 8),
        ("translation_memory", 12, 12),
    ],
)
def test_each_resource_lists_its_languages(resource, stable, everything):
    assert len(listed(resource)) == stable
    assert len(listed(resource, "beta", "external")) == everything


@pytest.mark.parametrize("text", ["EN-US", "en-us", "en_US", " En-Us "])
def test_codes_are_taken_in_any_case(text):
    assert languages.normalise(text) == "en-us"
    assert languages.base(text) == "en"
    assert languages.display(text) == "en-US"
    assert languages.wire_v2(text) == "EN-US"
    assert languages.normalise(text) in languages.TARGETS
    assert languages.normalise(text) not in languages.SOURCES


@pytest.mark.parametrize(
    ("code", "shown"),
    [("zh-hans", "zh-Hans"), ("es-419", "es-419"), ("pt-br", "pt-BR"), ("de-ch", "de-CH"), ("ceb", "ceb")],
)
def test_codes_are_shown_as_bcp_47_writes_them(code, shown):
    assert languages.display(code) == shown
    assert languages.normalise(shown) == code
    assert languages.normalise(languages.wire_v2(code)) == code


@pytest.mark.parametrize("code", sorted(languages.NAMES))
def test_every_code_is_a_target_and_its_base_a_source(code):
    assert code == languages.normalise(languages.display(code))
    assert code in languages.TARGETS
    assert languages.base(code) in languages.SOURCES
    assert (code in languages.SOURCES) == ("-" not in code)
    assert languages.NAMES[code]


@pytest.mark.parametrize("code", ["", "xx", "english", "en-", "en-xx", "zh-hans-cn", "🏴", "../en", "e" * 10_000])
def test_an_unknown_code_is_neither_source_nor_target(code):
    known = languages.SOURCES | languages.TARGETS | languages.FORMALITY_TARGETS
    assert languages.normalise(code) not in known


def test_formality_is_for_some_targets():
    targets = ["de", "ES", "es-419", "fr", "it", "ja", "nl", "pl", "pt-BR", "PT-PT", "ru"]
    assert languages.FORMALITY_TARGETS.issuperset(map(languages.normalise, targets))
    assert languages.FORMALITY_TARGETS.isdisjoint(["en", "en-us", "en-gb", "ko", "zh-hans", "sv"])


def test_style_and_tone_are_for_some_targets():
    assert languages.STYLE_AND_TONE_TARGETS.issuperset(["de", "en-us", "en-gb", "en", "pt-br"])
    assert languages.STYLE_AND_TONE_TARGETS.isdisjoint(["ja", "ko", "zh", "zh-hans", "nl"])


def test_an_entry_of_version_3_says_what_a_language_can_do():
    stable = {"status": "stable"}
    assert listed("translate_text")["de"] == {
        "lang": "de",
        "name": "German",
        "usable_as_source": True,
        "usable_as_target": True,
        "status": "stable",
        "features": {
            "auto_detection": stable,
            "tag_handling": stable,
            "glossary": stable,
            "style_rules": stable,
            "translation_memory": stable,
        },
    }


def test_a_variant_is_a_target_only_and_has_the_features_of_targets():
    entry = listed("translate_text")["en-US"]
    assert (entry["usable_as_source"], entry["usable_as_target"]) == (False, True)
    assert set(entry["features"]) == {"tag_handling", "glossary", "style_rules", "translation_memory"}


def test_beta_languages_are_shown_on_demand():
    assert not {"hi", "ca", "de-CH", "fr-CA"} & listed("translate_text").keys()
    shown = listed("translate_text", "beta")
    assert {shown[code]["status"] for code in ("hi", "ca", "de-CH", "fr-CA")} == {"beta"}
    assert set(shown["hi"]["features"]) == {"tag_handling"}


def test_languages_of_partners_are_shown_on_demand():
    assert "hr" not in listed("voice")
    assert "hr" in listed("voice", "external")


NOT_DONE = {
    *("formality", "writing_style", "tone"),
    *("transcription", "translated_speech"),
}


def test_nothing_is_claimed_that_nothing_here_does():
    for resource in languages.RESOURCES:
        for entry in languages.listed_v3(resource, ["beta", "external"]):
            assert not NOT_DONE & entry["features"].keys(), (resource, entry["lang"])
    assert {name for entry in listed("voice").values() for name in entry["features"]} == {"spoken_terms"}
    assert not any(entry["supports_formality"] for entry in languages.listed_v2("target"))


def test_a_language_that_claims_style_rules_has_some_that_are_applied():
    claimed = {code for code, entry in listed("translate_text").items() if "style_rules" in entry["features"]}
    rules = {"punctuation": {"ellipsis": "use_ellipsis_character"}}
    assert {languages.base(code) for code in claimed} == languages.STYLE_LANGUAGES
    assert not any(unapplied(rules, code) for code in claimed)


def test_glossary_languages_go_both_ways_and_have_no_features():
    for entry in languages.listed_v3("glossary"):
        assert entry["usable_as_source"]
        assert entry["usable_as_target"]
        assert entry["features"] == {}


def test_features_of_an_entry_are_features_of_its_resource():
    for resource in languages.listed_resources():
        names = {feature["name"] for feature in resource["features"]}
        entries = languages.listed_v3(resource["name"], ["beta", "external"])
        assert all(entry["features"].keys() <= names for entry in entries)


def test_resources_say_on_which_side_a_feature_must_hold():
    resources = {part["name"]: part["features"] for part in languages.listed_resources()}
    assert list(resources) == list(languages.RESOURCES)
    needs = {feature["name"]: feature for feature in resources["translate_text"]}
    assert needs["auto_detection"] == {"name": "auto_detection", "needs_source_support": True}
    assert needs["formality"] == {"name": "formality", "needs_target_support": True}
    assert needs["glossary"] == {
        "name": "glossary",
        "needs_source_support": True,
        "needs_target_support": True,
    }
    assert resources["glossary"] == resources["style_rules"] == resources["translation_memory"] == []


def test_an_unknown_resource_is_a_key_error():
    with pytest.raises(KeyError):
        languages.listed_v3("speech")


def test_version_2_lists_sources_and_targets_in_capitals():
    sources = {entry["language"]: entry for entry in languages.listed_v2()}
    targets = {entry["language"]: entry for entry in languages.listed_v2("target")}
    assert sources["EN"] == {"language": "EN", "name": "English"}
    assert targets["DE"] == {"language": "DE", "name": "German", "supports_formality": False}
    assert targets["ZH"]["name"] == "Chinese (simplified)"
    assert not {"EN-US", "PT-BR", "ZH-HANS"} & sources.keys()
    assert not {"EN", "PT"} & targets.keys()
    with pytest.raises(ValueError, match="source"):
        languages.listed_v2("voice")


@pytest.mark.parametrize("place", NAMED_OPTIONS, ids=".".join)
def test_the_options_that_the_contract_names_exist(place):
    category, rule = place
    assert set(NAMED_OPTIONS[place]) <= set(offered_options.options()[category][rule])


def test_there_are_159_rules_with_518_options():
    rules = [rule for rules in offered_options.options().values() for rule in rules.values()]
    assert (len(rules), sum(map(len, rules))) == (159, 518)


@pytest.mark.parametrize(
    ("code", "rules", "options"),
    [
        ("de", 45, 94), ("en", 50, 108), ("es", 24, 81), ("fr", 34, 79),
        ("it", 29, 73), ("ja", 31, 60), ("ko", 29, 74), ("zh", 27, 64),
    ],
)  # fmt: skip
def test_each_language_offers_its_own(code, rules, options):
    offered = [rule for rules in offered_options.options(code).values() for rule in rules.values()]
    assert (len(offered), sum(map(len, offered))) == (rules, options)


@pytest.mark.parametrize("code", [None, *sorted(languages.STYLE_LANGUAGES)])
def test_whatever_is_offered_passes_the_check(code):
    for category, rules in offered_options.options(code).items():
        for rule, options in rules.items():
            for option in options:
                style_rules.check({category: {rule: option}}, code)


@pytest.mark.parametrize("rules", [{}, {"punctuation": {}}])
def test_no_rule_is_no_error(rules):
    style_rules.check(rules, "en")


@pytest.mark.parametrize(
    ("rules", "named"),
    [
        ({"colours": {}}, "category 'colours'"),
        ({"punctuation": {"smileys": "use"}}, "rule 'smileys' in punctuation"),
        ({"punctuation": {"apostrophe": "use_none"}}, "option 'use_none' of punctuation.apostrophe"),
        ({"punctuation": {"apostrophe": 5}}, "option 'int' of punctuation.apostrophe"),
        ({"punctuation": {"apostrophe": None}}, "option 'NoneType'"),
        ({"punctuation": {"apostrophe": ["use_curly_apostrophes"]}}, "option 'list'"),
        ({"punctuation": "use"}, "punctuation must be an object"),
        ([], "configured_rules must be an object"),
        (None, "configured_rules must be an object"),
        (
            {"vocabulary": {"abbreviations": "write_original_term_then_abbreviation_and_explanation"}},
            "is for ja",
        ),
    ],
)
def test_what_is_unknown_is_named(rules, named):
    with pytest.raises(ValueError, match=named):
        style_rules.check(rules, "en")


def test_the_name_of_something_unknown_is_cut_short():
    with pytest.raises(ValueError, match="no category") as caught:
        style_rules.check({"x" * 100_000: {}}, "en")
    assert len(str(caught.value)) < 200


def test_an_option_of_another_language_passes_where_no_language_is_given():
    rules = {"style_and_tone": {"abbreviations": "use_abbreviations_and_symbols"}}
    style_rules.check(rules)
    with pytest.raises(ValueError, match="is for de"):
        style_rules.check(rules, "en")


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("Straße", "latin"),
        ("ok ок окей", "cyrillic"),
        ("東京の店", "kana"),
        ("店", "han"),
        ("", ""),
        ("ᏣᎳᎩ", ""),
    ],
)
def test_the_dominant_script_is_named(text, script):
    assert dominant(text) == script
