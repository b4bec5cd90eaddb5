"""Style rules: each option does its one thing, twice is like once, and placeholders are never touched."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.service.catalogue import read
from svc_nb.service.translation.style import APPLIED, rewriter

PRIVATE = re.compile("[\ue000-\uf8ff]")
LANGUAGES = ["de", "en", "es", "fr", "it", "ja", "ko", "zh"]


def apply(text, configured_rules, language):
    return rewriter(configured_rules, language)(text)


def the_one(rule, option):
    """Return the category and the full name of an option that may be cut short with a "…"."""
    fits = str.startswith if option.endswith("…") else str.__eq__
    ((category, name),) = {(c, name) for c, r, name in APPLIED if r == rule and fits(name, option.rstrip("…"))}
    return category, name


@pytest.mark.parametrize(
    ("language", "rule", "option", "text", "wanted"),
    [
        ("fr", "apostrophe", "use_curly_apostrophes", "l'eau d'Ali, 5'", "l’eau d’Ali, 5'"),
        ("fr", "apostrophe", "use_curly_apostrophes", "l'\ue000", "l’\ue000"),
        ("fr", "apostrophe", "use_straight_apostrophes", "l’eau", "l'eau"),
        ("fr", "quotation_mark", "use_guillemets",
         'Il dit "oui" et “non”.', "Il dit «\u00a0oui\u00a0» et «\u00a0non\u00a0»."),
        ("es", "quotation_mark", "use_guillemets", 'Dice "sí".', "Dice «sí»."),
        ("es", "quotation_mark", "use_double_straight…", "«a» y “b”", '"a" y "b"'),
        ("es", "quotation_mark", "use_double_curly…", '5" x 6" y "a"', '5" x 6" y “a”'),
        ("en", "quotation_mark_and_apostrophe", "use_curly…", '"It\'s"', "“It’s”"),
        ("en", "quotation_mark_and_apostrophe", "use_straight…", "“It’s”", '"It\'s"'),
        ("it", "quotation_mark_and_apostrophe", "use_guillemets_and_curly…", '"l\'ora"', "«l’ora»"),
        ("en", "ellipsis", "use_ellipsis_character", "Well... no.... Or . . .", "Well… no.... Or …"),
        ("en", "ellipsis", "use_three_spaced_periods", "Well…", "Well. . ."),
        ("de", "ellipsis", "use_three_periods_without…", "Na … ja", "Na ... ja"),
        ("ja", "ellipsis", "use_two_ellipsis_characters", "そう…", "そう……"),
        ("en", "range_indicator", "use_en_dash_without_space_on…", "5 – 10, 2020-01-02", "5–10, 2020-01-02"),
        ("en", "range_indicator", "use_english_word_to", "5–10 but 1–2–3", "5 to 10 but 1–2–3"),
        ("de", "range_indicator", "use_german_word_bis", "5–10", "5 bis 10"),
        ("ko", "range_indicator", "use_tilde", "5–10", "5~10"),
        ("en", "sentence_break_indicator", "use_em_dash_without…", "so – well — ok", "so—well—ok"),
        ("de", "sentence_break_indicator", "use_en…", "so—gut", "so – gut"),
        ("en", "comma_after_i_e_and_e_g", "use", "e.g. this, i.e. that", "e.g., this, i.e., that"),
        ("en", "comma_after_i_e_and_e_g", "do_not_use", "e.g., this", "e.g. this"),
        ("de", "slash", "do…", "und / oder", "und/oder"),
        ("fr", "spacing_and_punctuation", "do_not_use_space", "Quoi ? « Oui » : non !", "Quoi? «Oui»: non!"),
        ("fr", "spacing_and_punctuation", "use_regular_space", "Quoi? «Oui» à 12:30!", "Quoi ? « Oui » à 12:30 !"),
        ("zh", "em_dash", "use_double_em_dash", "他—她", "他——她"),
        ("zh", "colon", "use_full_width_colon", "注意: 看 a:b", "注意：看 a:b"),
        ("ja", "round_brackets", "use_full_width_round_brackets", "東京(日本) f(x)", "東京（日本） f(x)"),
        ("ja", "round_brackets", "use_half_width_round_brackets", "東京（日本）", "東京(日本)"),
        ("ja", "periods_and_commas", "use_full_width_non_japanese_periods_and_full_width_non…",
         "はい、そう。", "はい，そう．"),
        ("ko", "colon_between_hours_and_minutes_or_chapters_and_verses", "do…", "10 : 30", "10:30"),
        ("en", "percentage_format", "use_numerals_followed_by_percent…", "5 % or 6 percent", "5% or 6%"),
        ("de", "percentage_format", "use_numerals_followed_by_space_then_percent…",
         "5% und 6 Prozent", "5 % und 6 %"),
        ("it", "percentage_format", "use_numerals_followed_by_space_then_italian_word_percento",
         "5% e 6 per cento", "5 percento e 6 percento"),
        ("en", "units_of_measure_spacing", "use…", "5kg, 3.5km/h, 5G", "5 kg, 3.5 km/h, 5G"),
        ("es", "units_of_measure_spacing", "do…", "5 kg", "5kg"),
        ("en", "temperature_format", "use_numerals_followed_by_unit…", "20 °C", "20°C"),
        ("de", "dimensions_separator", "use_multiplication_sign_between_dimensions_with_space…",
         "3x4x5 cm, 0x1F", "3 × 4 × 5 cm, 0x1F"),
        ("en", "decimal_numbers_less_than_one", "always…", ".5 and 1.5 and .NET", "0.5 and 1.5 and .NET"),
        ("de", "thousands_separator", "do_not_use_thousands_separator",
         "1.234.567,89 und 192.168.100.200", "1234567,89 und 192.168.100.200"),
        ("de", "thousands_separator", "use_straight…", "1.234.567", "1'234'567"),
        ("en", "thousands_separator", "use_space_to…", "1,234,567.5 1,2", "1\u00a0234\u00a0567.5 1,2"),
        ("de", "date_format", "use_dd_period_mm_period_yyyy_with…",
         "3.4.2020, 2020-04-03, 99.99.2020", "03.04.2020, 03.04.2020, 99.99.2020"),
        ("de", "date_format", "use_dd_period_space_month…", "am 03.04.2020.", "am 3. April 2020."),
        ("en", "date_format", "use_mm…", "2020-04-03, 3/4/2020", "04/03/2020, 3/4/2020"),
        ("fr", "date_format", "use_yyyy_slash_mm_slash_dd", "03/04/2020", "2020/04/03"),
        ("zh", "date_format", "use_yyyy_hyphen_mm_hyphen_dd_with_leading_zero_for…", "2020年4月3日", "2020-04-03"),
        ("ko", "date_format", "use_yyyy_korean word…", "2020-04-03", "2020년 4월 3일"),
        ("it", "single_digit_days_and_months", "do_not_use_leading_zero", "03/04/2020", "3/4/2020"),
        ("fr", "hours_minutes_separator", "use_letter_h_with_regular…", "à 08:30 et 9h15", "à 08 h 30 et 9 h 15"),
        ("fr", "single_digit_hours", "use_leading_zero", "8h30, 18h30", "08h30, 18h30"),
        ("de", "time_format", "use_hh_period_mm_german_word_uhr_without_leading_zeros_for_single_digit_hours_and…",
         "08:00 Uhr, 9:15 Uhr", "8 Uhr, 9.15 Uhr"),
        ("it", "midnight_in_numerals", "use_00_00", "alle 24:00", "alle 00:00"),
        ("de", "eszett", "replace_eszett_with_ss", "Straße", "Strasse"),
        ("fr", "accents_and_cedillas", "do_not_use_on_capital_letters", "École ÇA été", "Ecole CA été"),
        ("en", "email_address_format", "replace_at_symbol_with_english_word_at_in_brackets_with…",
         "To a.b@c.example.", "To a.b [at] c.example."),
        ("de", "email_address_format", "use_standard_format", "an a (at) c.example", "an a@c.example"),
        ("zh", "space_between_chinese_and_english", "do_not_use", "我 love 你", "我love你"),
    ],
)  # fmt: skip
def test_an_option_does_its_one_thing(language, rule, option, text, wanted):
    category, option = the_one(rule, option)
    assert apply(text, {category: {rule: option}}, language) == wanted
    assert apply(wanted, {category: {rule: option}}, language) == wanted


def test_every_option_applied_is_in_the_catalogue():
    catalogue = read("style_rules.json")
    known = {
        (category, rule, option) for category, rules in catalogue.items() for rule in rules for option in rules[rule]
    }
    assert known >= APPLIED
    assert len(APPLIED) > 40


def test_rules_that_cannot_be_applied_change_nothing():
    rules = {
        "style_and_tone": {"formality": "use_formal_tone"},
        "numbers": {"no_such_rule": "x"},
        "nothing": {},
    }
    assert apply("Any text, 5 %...", rules, "en") == "Any text, 5 %..."


PIECES = [
    *(
        "a",
        "L",
        "é",
        "ß",
        "Ä",
        "5",
        "10",
        "2020",
        "0",
        "x",
        "×",
        "%",
        "percent",
        "Prozent",
        "per cent",
        "kg",
        "°C",
        "h",
    ),
    *(
        " ",
        " ",
        "\u00a0",
        "\u202f",
        "'",
        "’",
        "‘",
        '"',
        "“",
        "”",
        "„",
        "«",
        "»",
        ".",
        "..",
        "...",
        "…",
        ",",
        ";",
        ":",
        "!",
    ),
    *(
        "?",
        "-",
        "–",
        "—",
        "/",
        "(",
        ")",
        "（",
        "）",
        "~",
        "〜",
        "我",
        "の",
        "한",
        "。",
        "、",
        "，",
        "．",
        "：",
        "&",
        "＆",
        "@",
    ),
    *(
        "[at]",
        "e.g.",
        "i.e.,",
        "Uhr",
        "24:00",
        "3.4.2020",
        "2020-04-03",
        "8h30",
        "1.234",
        "1,234",
        "\ue000",
        "\ue001",
    ),
    *("年", "月", "日", "년", "월", "일", "만", "\n"),
]
texts = st.lists(st.sampled_from(PIECES), max_size=14).map("".join) | st.text()
by_rule: dict[tuple[str, str], list[str]] = {}
for each in sorted(APPLIED):
    by_rule.setdefault(each[:2], []).append(each[2])
rule_sets = st.fixed_dictionaries({}, optional={rule: st.sampled_from(options) for rule, options in by_rule.items()})


def configured(chosen):
    rules: dict[str, dict[str, str]] = {}
    for (category, rule), option in chosen.items():
        rules.setdefault(category, {})[rule] = option
    return rules


@given(texts, st.sampled_from(sorted(APPLIED)), st.sampled_from(LANGUAGES))
def test_each_option_settles_and_leaves_placeholders_alone(text, each, language):
    category, rule, option = each
    rewrite = rewriter({category: {rule: option}}, language)
    once = rewrite(text)
    assert rewrite(once) == once
    assert PRIVATE.findall(once) == PRIVATE.findall(text)


@given(texts, rule_sets, st.sampled_from(LANGUAGES))
def test_any_set_of_options_settles(text, chosen, language):
    rewrite = rewriter(configured(chosen), language)
    once = rewrite(text)
    assert rewrite(once) == once
    assert PRIVATE.findall(once) == PRIVATE.findall(text)
