"""Which language a person means: codes, locales, names, and what is near to a slip."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.language_codes import (
    NAMES,
    STABLE,
    VARIANT_NAMES,
    as_bcp47,
    base_code,
    is_common,
    name_of,
    nearest,
    tag_of,
    target_code,
)
from svc_nb.service.catalogue import languages as catalogue

TARGETS = {
    "de": "DE",
    " En-Us ": "EN-US",
    "zh_CN": "ZH-HANS",
    "zh-TW": "ZH-HANT",
    "zh_Hant_HK": "ZH-HANT",
    "zh": "ZH",
    "pt-br": "PT-BR",
    "pt_AO": "PT-PT",
    "pt": "PT",
    "es_ES": "ES",
    "es_MX": "ES-419",
    "de_AT": "DE",
    "de_CH": "DE-CH",
    "de_DE.UTF-8@euro": "DE",
    "fr_BE": "FR",
    "fr_CA": "FR-CA",
    "en_AU": "EN-GB",
    "en-UK": "EN-GB",
    "en": "EN",
    "deu": "DE",
    "ger": "DE",
    "jpn": "JA",
    "cmn": "ZH",
    "fil": "TL",
    "no": "NB",
    "iw": "HE",
    "uz_Latn_UZ": "UZ",
    "sr-Cyrl": "SR",
    "German": "DE",
    "DEUTSCH": "DE",
    "français": "FR",
    "Francais": "FR",
    "Brazilian Portuguese": "PT-BR",
    "Portuguese (Brazilian)": "PT-BR",
    "European Portuguese": "PT-PT",
    "Portuguese, Brazil": "PT-BR",
    "Chinese (simplified)": "ZH-HANS",
    "Traditional Chinese": "ZH-HANT",
    "简体中文": "ZH-HANS",
    "日本語": "JA",
    "Русский": "RU",
    "tiếng Việt": "VI",
    "American English": "EN-US",
    "English": "EN",
    "Latin American Spanish": "ES-419",
    "Kurdish (Sorani)": "CKB",
    "Norwegian (bokmål)": "NB",
}
NONE = [
    "",
    " ",
    "jp",
    "cn",
    "XX",
    "tlh",
    "Klingon",
    "id_number",
    "EN-ZZ",
    "es-XX",
    "sr_Latn",
    "sr@latin",
    "zh_Arab",
]
NONE += ["../de", "de; DROP", "x" * 5000, "German French", "German, French", "German (old)", "🙂"]


@pytest.mark.parametrize(("written", "code"), TARGETS.items())
def test_a_code_a_locale_or_a_name_is_the_language_to_translate_into(written, code):
    assert target_code(written) == code


@pytest.mark.parametrize("written", NONE)
def test_what_is_not_a_language_is_none(written):
    assert target_code(written) is None


def test_a_source_has_no_variant():
    assert {base_code(each) for each in ("pt-br", "pt_PT", "Brazilian Portuguese", "por")} == {"PT"}
    assert base_code("sr_Latn") == "SR"
    assert base_code("EN-ZZ") == "EN"


def test_all_that_the_service_has_is_known_by_code_and_by_its_name():
    for code, name in catalogue.NAMES.items():
        assert target_code(code) == code.upper()
        assert target_code(name) == code.upper(), name
        assert base_code(code) == code.partition("-")[0].upper()
    assert {*NAMES} == catalogue.SOURCES
    assert {*NAMES, *VARIANT_NAMES} == catalogue.TARGETS
    assert catalogue.DETECTION == STABLE
    assert {code for code in catalogue.TARGETS if is_common(code.upper())} == catalogue.TARGETS - catalogue.BETA


def test_no_two_languages_share_a_name():
    names = [(name.casefold(), code) for code, all_ in NAMES.items() for name in (code, *all_)]
    owners = {}
    for name, code in names:
        assert owners.setdefault(name, code) == code, name
    assert all(base_code(name) == code.upper() for name, code in names)


@given(st.text(max_size=80))
def test_any_text_is_understood_or_not_and_what_is_understood_stays(written):
    code = target_code(written)
    assert code is None or (target_code(code) == code and tag_of(code) is not None)
    assert all(target_code(each) for each in nearest(written))


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("jp", ["JA"]),
        ("JP", ["JA"]),
        ("Japan", ["JA"]),
        ("Germna", ["DE"]),
        ("Portugese", ["PT"]),
        ("cn", ["ZH-HANS"]),
        ("us", ["EN-US"]),
        ("sr_Latn", ["SR"]),
        ("EN-ZZ", ["EN", "EN-GB", "EN-US"]),
        ("xx", []),
        ("", []),
    ],
)
def test_what_is_near_is_suggested(written, meant):
    assert nearest(written) == meant


def test_only_what_a_service_lists_is_suggested():
    assert nearest("jp", {"DE": "German"}) == []
    assert nearest("cn", {"ZH": "Chinese"}) == ["ZH"]
    assert nearest("Elvisch", {"XE": "Elvish"}) == ["XE"]


def test_a_code_is_written_as_people_and_files_have_it():
    assert [name_of(each) for each in ("ja", "EN-GB", "zh_hant", "xx")] == [
        "Japanese", "English (British)", "Chinese (traditional)", "xx",
    ]  # fmt: skip
    assert [as_bcp47(each) for each in ("EN-GB", "ZH-HANT", "DE")] == ["en-GB", "zh-Hant", "de"]
