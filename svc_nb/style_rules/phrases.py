"""How the names of the catalogue read as English: turns of phrase for all, and a table of those that need more."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache

LANGUAGE = "(?:chinese|english|french|german|italian|japanese|korean|spanish)"
PART = "(?:dd|mm|hh|yyyy|yy)"
SIGN = "(?:period|slash|hyphen|colon|comma|space)"
SIGNS = {"period": ".", "slash": "/", "hyphen": "-", "colon": ":", "comma": ",", "space": " "}
# Words of a language that stand together in a name; every other word of a language stands alone.
TOGETHER = {
    "por cien": "“por cien”",
    "por ciento": "“por ciento”",
    "per cento": "“per cento”",
    "da a": "“da … a”",
    "de a": "“de … a”",
    "부터 까지": "“부터 … 까지”",
    "만 억 조": "“만”, “억”, “조”",
}

Wording = str | Callable[[re.Match[str]], str]


@cache
def phrase(name: str) -> str:
    """*name*, one of the catalogue's, as a phrase that begins with a capital letter.

    >>> phrase("use_12_hour_clock_and_lowercase_am_or_pm_with_periods")
    'Use 12-hour clock and lowercase a.m. or p.m., with periods'
    """
    words = name.replace("_", " ")
    for pattern, wording in TURNS:
        words = pattern.sub(wording, words)
    return capital(words)


def capital(words: str) -> str:
    """*words* with a capital letter at the start, and no other change."""
    return words[:1].upper() + words[1:]


def _format(found: re.Match[str]) -> str:
    """A date or time as it is written: dd period mm period yyyy is DD.MM.YYYY."""
    spoken = found[0].split(" ")
    return "".join(SIGNS.get(word) or word.upper() for word in spoken)


def _turns(*pairs: tuple[str, Wording]) -> tuple[tuple[re.Pattern[str], Wording], ...]:
    return tuple((re.compile(pattern), wording) for pattern, wording in pairs)


TURNS = _turns(
    (rf"\b{PART}(?: {SIGN}){{1,2}}(?: {PART}(?: {SIGN}){{1,2}})* {PART}\b", _format),
    (rf"\b{PART}\b", lambda found: found[0].upper()),
    (r"\b(DD|YYYY) space (spelled out month) space (YYYY)\b", r"\1 \2 \3"),
    # words of a language stand in quotation marks
    (rf"\b{LANGUAGE} words? ({'|'.join(TOGETHER)})(?= |$)", lambda found: TOGETHER[found[1]]),
    (rf"\b{LANGUAGE} words? (\S+) (and|or) (?!use |do |except )(\S+)", r"“\1” \2 “\3”"),
    (rf"\b{LANGUAGE} words? (?!if )(\S+)", r"“\1”"),
    # what has a spelling of its own
    (rf"\b{LANGUAGE}\b", lambda found: found[0].capitalize()),
    (r"\b(?:latin|arabic|roman|north american)\b", lambda found: found[0].title()),
    (r"\b(?:iso|si|bc|ad|bce|ce)\b", lambda found: found[0].upper()),
    (r"\b(00|24) 00\b", r"\1:00"),
    (r"\b12 am and 12 pm\b", "12 a.m. and 12 p.m."),
    (r"\blowercase am or pm with periods\b", "lowercase a.m. or p.m., with periods"),
    (r"\buppercase am or pm with periods\b", "uppercase A.M. or P.M., with periods"),
    (r"\blowercase am or pm without\b", "lowercase am or pm, without"),
    (r"\buppercase am or pm without\b", "uppercase AM or PM, without"),
    (r"\bunits of three\b", "groups of three digits"),
    (r"\bellipsis character$", "ellipsis character (…)"),
    (r"\bdesu masu\b", "desu/masu"),
    (r"\bdearu\b", "de aru"),
    (r"\bsino Korean\b", "Sino-Korean"),
    (r"\buse x between\b", "use “x” between"),
    (r"\byou must\b", "“you must”"),
    (r"\bletter h\b", "letter “h”"),
    (r"\bat symbol\b", "@"),
    (r"\bspell out (per ?cent)\b", r"“\1”"),
    (r"\bcenter\b", "centre"),
    # hyphens
    (r"\b(12|24) hour\b", r"\1-hour"),
    (r"\b(full|half) width\b", r"\1-width"),
    (r"\bsingle digit\b", "single-digit"),
    (r"\b(first|second) person\b", r"\1-person"),
    (r"\bgender neutral\b", "gender-neutral"),
    (r"\bnon (binary|quoted|Japanese)\b", r"non-\1"),
    (r"\bculture specific\b", "culture-specific"),
    (r"\bhard to translate\b", "hard-to-translate"),
    (r"\bdaily use\b", "daily-use"),
    (r"\bspelled out (month|currency|numbers)\b", r"spelled-out \1"),
    (r"\bsubject verb\b", "subject–verb"),
    # pauses
    (r" except (use|for|in|to)\b", r", except \1"),
    (r" but (use|spell|YYYY|avoid|abbreviate)\b", r", but \1"),
    (r" then (spell|unit|currency|ISO|amount|alternate|abbreviation|half|percent|“)", r", then \1"),
    (r" space, then ", " a space, then "),
    (r"\b(with|without) space\b", r"\1 a space"),
    (r" (with|without) a space on either side", r", \1 a space on either side"),
    (r" (with|without) leading zero(s?) for", r", \1 leading zero\2 for"),
    (r" vs ", " or "),
)

# ---- what does not come out well by itself

RULES: Mapping[str, str] = {
    "abbreviating_french_word_numero": "Abbreviation of “numéro”",
    "active_passive_voice": "Active or passive voice",
    "ampersand_abbreviation_spacing": "Spaces around an ampersand in abbreviations",
    "ampersand_usage": "Ampersand",
    "colon_to_replace_versus_or_to": "Colon in place of “versus” or “to”",
    "comma_after_i_e_and_e_g": "Comma after i.e. and e.g.",
    "corner_bracket_and_periods": "Corner bracket at the end of a sentence",
    "corner_brackets_and_periods": "Corner bracket within a sentence",
    "decimal_numbers_less_than_one": "Decimal numbers below one",
    "dimensions_separator": "Sign between dimensions",
    "equation_formula_reference": "References to equations and formulas",
    "eszett": "Eszett (ß)",
    "explanatory_note_indicator": "Sign for explanatory notes",
    "foreign_word_translation": "Translation of foreign words",
    "french_verbs_ending_in_eler_and_eter": "Verbs ending in -eler and -eter",
    "gender_neutral_language_readability": "Readability of gender-neutral language",
    "hours_minutes_seconds_separator": "Sign between hours, minutes and seconds",
    "hours_minutes_separator": "Sign between hours and minutes",
    "i_and_u_with_circumflex_accents": "Circumflex on i and u (î, û)",
    "idioms_colloquialisms_and_culture_specific_references": "Idioms, colloquialisms and culture-specific references",
    "inflected_words_masculine_noun_agreement": "Agreement of inflected words with masculine nouns",
    "instructions_style": "Form of instructions",
    "large_number_format": "Large numbers",
    "large_sums_of_money_format": "Format of large sums of money",
    "list_of_measurements_with_units": "Units in lists of measurements",
    "mathematical_expression_spacing": "Spaces in mathematical expressions",
    "phone_number_country_code_format": "Country code of phone numbers",
    "plus_sign_usage": "Plus sign",
    "possessives_of_proper_names_ending_in_s_style": "Possessives of proper names ending in s",
    "quotation_mark": "Quotation marks",
    "quotation_mark_and_apostrophe": "Quotation marks and apostrophes",
    "quotation_modification": "Changes within quotations",
    "quotation_style": "Quotation marks for primary and nested quotations",
    "range_indicator": "Ranges",
    "bracket": "Brackets",
    "abbreviation_usage": "Use of abbreviations",
    "colon_in_heading": "Colon in headings",
    "pluralizing_foreign_words": "Plurals of foreign words",
    "reference_to_symbol": "References to symbols",
    "uppercase_acronyms": "Spaces in uppercase acronyms",
    "reader_action_required": "Required actions of the reader",
    "related_phrases_indicator": "Sign between related phrases",
    "sentence_break_indicator": "Dash as a break in a sentence",
    "slash": "Spaces around slashes",
    "slash_usage": "Slash",
    "spacing_and_punctuation": "Spaces before punctuation",
    "spanish_word_solo": "Accent on “solo”",
    "special_characters": "Symbols",
    "text_position_references": "References to places in the text",
    "titles_of_creative_works_trade_names_laws_and_regulations": (
        "Titles of creative works, trade names, laws and regulations"
    ),
    "units_of_measure_spacing": "Space before units of measure",
    "use_of_hiragana_and_kanji": "Hiragana and kanji with counters",
}

_MONTHS = "Use DD. month YYYY with abbreviated months"
_RADIO = "and period for radio stations"
_AMPERSAND = "except in company names, common abbreviations, titles, software code and equations"
_CHINESE_CLOCK = "Use 12-hour clock with “上午” or “下午”, “早上” or “晚上”"

OPTIONS: Mapping[str, str] = {
    "abbreviate_as_n_then_degree_symbol": "Abbreviate as n° (degree symbol)",
    "abbreviate_as_n_then_o_in_superscript": "Abbreviate as nᵒ (o in superscript)",
    "abbreviate_as_no": "Abbreviate as “no”",
    "add_apostrophe_s": "Add an apostrophe and s",
    "add_apostrophe_only": "Add an apostrophe only",
    "avoid_directional_terms_as_only_reference_to_position_in_text_specify_exact_position_instead": (
        "Name the exact place; do not refer to it by direction alone"
    ),
    "do_not_use_all_caps_except_for_acronyms_initialisms_or_proper_nouns": (
        "Do not use all caps, except for acronyms, initialisms or proper nouns"
    ),
    "do_not_use_comma_after_salutation_capitalize_following_word": (
        "Do not use a comma after the salutation, and capitalize the next word"
    ),
    "replace_eszett_with_ss": "Replace ß with ss",
    "replace_umlauts_with_ae_oe_ue": "Replace umlauts with ae, oe, ue",
    "separate_country_code_area_code_local_prefix_and_last_four_digits_with_hyphens": (
        "Separate country code, area code, local prefix and last four digits with hyphens"
    ),
    "separate_country_code_area_code_local_prefix_and_last_four_digits_with_periods": (
        "Separate country code, area code, local prefix and last four digits with periods"
    ),
    "separate_country_code_area_code_local_prefix_and_last_four_digits_with_spaces": (
        "Separate country code, area code, local prefix and last four digits with spaces"
    ),
    "use_12_hour_clock_and_write_chinese_word_上午_or_下午_or_chinese_word_早上_or_晚上_followed_by_arabic_numerals": (
        f"{_CHINESE_CLOCK} and Arabic numerals"
    ),
    "use_12_hour_clock_and_write_chinese_word_上午_or_下午_or_chinese_word_早上_or_晚上_followed_by_arabic_numerals_with"
    "_chinese_word_点_for_hours": f"{_CHINESE_CLOCK}, Arabic numerals and “点” for hours",
    "use_12_hour_clock_and_write_chinese_word_上午_or_下午_or_chinese_word_早上_or_晚上_followed_by_arabic_numerals_with"
    "_chinese_words_时_and_分_for_hours_and_minutes": f"{_CHINESE_CLOCK}, Arabic numerals, “时” and “分”",
    "use_12_hour_clock_and_write_chinese_word_上午_or_下午_or_chinese_word_早上_or_晚上_followed_by_chinese_numbers_with"
    "_chinese_words_时_and_分_for_hours_and_minutes": f"{_CHINESE_CLOCK}, Chinese numbers, “时” and “分”",
    "use_12_hour_clock_without_leading_zero_or_minutes_for_full_hours_use_colon_as_separator_and_lowercase_am_or_pm"
    "_without_periods": (
        "Use 12-hour clock with colon and lowercase am or pm, without leading zero, and full hours without minutes"
    ),
    "use_12_hour_clock_without_leading_zero_or_minutes_for_full_hours_use_colon_as_separator_and_uppercase_am_or_pm"
    "_without_periods": (
        "Use 12-hour clock with colon and uppercase AM or PM, without leading zero, and full hours without minutes"
    ),
    "use_12_hour_clock_without_leading_zero_use_period_as_separator_and_lowercase_am_or_pm_with_periods_and_spaces": (
        "Use 12-hour clock with period and lowercase a. m. or p. m. (with periods and spaces), without leading zero"
    ),
    "use_apostrophe_yy": "Use an apostrophe and YY (’90)",
    "use_comma_as_decimal_separator_period_as_thousands_separator_and_period_for_radio_stations": (
        f"Use comma as decimal separator, period as thousands separator, {_RADIO}"
    ),
    "use_comma_as_decimal_separator_space_as_thousands_separator_and_period_for_radio_stations": (
        f"Use comma as decimal separator, space as thousands separator, {_RADIO}"
    ),
    "use_comma_do_not_use_thousands_separator_and_use_period_only_for_radio_stations": (
        "Use comma, period only for radio stations, and no thousands separator"
    ),
    "use_dd_period_space_abbreviated_month_yyyy_with_abbreviations_jan_period_feb_period_mrz_period_apr_period_mai_jun"
    "_period_jul_period_aug_period_sep_period_okt_period_nov_period_dez_period_without_leading_zeros_for_single_digit"
    "_days": f"{_MONTHS} (Jan., Feb., Mrz., Apr., Mai, Jun., Jul., …, Sep., …), without leading zeros",
    "use_dd_period_space_abbreviated_month_yyyy_with_abbreviations_jan_period_febr_period_maerz_apr_period_mai_juni_juli"
    "_aug_period_sept_period_okt_period_nov_period_dez_period_without_leading_zeros_for_single_digit_days": (
        f"{_MONTHS} (Jan., Febr., März, Apr., Mai, Juni, Juli, …, Sept., …), without leading zeros"
    ),
    "use_dd_period_space_month_yyyy_without_leading_zeros_for_single_digit_days": (
        "Use DD. month YYYY, without leading zeros for single-digit days"
    ),
    "use_dd_space_spelled_out_month_space_yyyy_and_use_spanish_word_septiembre_for_ninth_month": (
        "Use DD spelled-out month YYYY, and “septiembre” for the ninth month"
    ),
    "use_dd_space_spelled_out_month_space_yyyy_and_use_spanish_word_setiembre_for_ninth_month": (
        "Use DD spelled-out month YYYY, and “setiembre” for the ninth month"
    ),
    "use_english_word_and_except_in_company_names_common_abbreviations_titles_software_code_and_mathematical"
    "_equations": f"Use “and”, {_AMPERSAND}",
    "use_german_word_und_except_in_company_names_common_abbreviations_titles_software_code_and_mathematical"
    "_equations": f"Use “und”, {_AMPERSAND}",
    "use_guillemets_for_primary_quotations_double_curly_quotation_marks_for_secondary_quotations_and_single_curly"
    "_quotation_marks_for_further_nested_quotations": (
        "Use guillemets for primary quotations, double curly quotation marks for secondary and single curly ones for "
        "further nested quotations"
    ),
    "use_half_width_comma_to_separate_large_numbers_into_units_of_three_except_for_calendar_years_and_use_half_width"
    "_period_as_decimal_separator": (
        "Use half-width comma between groups of three digits, except for calendar years, and half-width period as "
        "decimal separator"
    ),
    "use_hh_colon_mm_german_word_uhr_with_leading_zeros_for_single_digit_hours": (
        "Use HH:MM Uhr, with leading zeros for single-digit hours"
    ),
    "use_hh_colon_mm_german_word_uhr_without_leading_zeros_for_single_digit_hours": (
        "Use HH:MM Uhr, without leading zeros for single-digit hours"
    ),
    "use_hh_period_mm_german_word_uhr_with_leading_zeros_for_single_digit_hours": (
        "Use HH.MM Uhr, with leading zeros for single-digit hours"
    ),
    "use_hh_period_mm_german_word_uhr_without_leading_zeros_for_single_digit_hours": (
        "Use HH.MM Uhr, without leading zeros for single-digit hours"
    ),
    "use_hh_period_mm_german_word_uhr_without_leading_zeros_for_single_digit_hours_and_for_full_hours_state_hour"
    "_only": "Use HH.MM Uhr, without leading zeros for single-digit hours, and full hours without minutes",
    "use_hiragana_japanese_word_か所_or_か月_when_using_arabic_numerals_in_horizontal_writing_but_use_kanji_japanese_word"
    "_箇所_or_箇月_when_using_kanji_numbers": (
        "Use hiragana “か所” or “か月” with Arabic numerals in horizontal writing, but kanji “箇所” or “箇月” with "
        "kanji numbers"
    ),
    "use_historical_eras_and_write_numbers_in_chinese_followed_by_chinese_word_公元前_or_公元后_with_arabic_numerals_in"
    "_parentheses": (
        "Use historical eras with Chinese numbers, then “公元前” or “公元后” and Arabic numerals in parentheses"
    ),
    "use_invariable_form_french_word_laissé": "Use the invariable form “laissé”",
    "use_italian_words_mio_and_mrd_instead_of_italian_words_milione_and_miliardo": (
        "Use “Mio” and “Mrd” instead of “milione” and “miliardo”"
    ),
    "use_kanji_for_trillions_hundred_millions_and_ten_thousands": (
        "Use kanji for trillions, hundred millions and ten thousands"
    ),
    "use_numerals_followed_by_space_then_german_word_prozent": "Use numerals followed by a space, then “Prozent”",
    "use_simple_words_and_sentences_avoid_hard_to_translate_words_and_figures_of_speech": (
        "Use simple words and sentences; avoid figures of speech and words that are hard to translate"
    ),
    "use_space_after_colon_not_before": "Use a space after the colon, not before",
    "use_spelled_out_month_space_dd_comma_space_yyyy_and_use_spanish_word_septiembre_for_ninth_month": (
        "Use spelled-out month DD, YYYY, and “septiembre” for the ninth month"
    ),
    "use_spelled_out_month_space_dd_comma_space_yyyy_without_leading_zeros_for_single_digit_days": (
        "Use spelled-out month DD, YYYY, without leading zeros for single-digit days"
    ),
    "use_dearu_style_to_give_impression_content_is_accurate_and_rigorous_or_to_convey_sense_of_confidence_and"
    "_reliability": "Use de aru style: accurate and rigorous, or confident and reliable",
    "use_desu_masu_style_to_give_impression_content_is_plain_and_straightforward_or_to_give_reader_reassuring_or_soft"
    "_impression": "Use desu/masu style: plain and straightforward, or reassuring and soft",
    "use_yyyy_chinese_word_年_mm_chinese_word_月_dd_chinese_word_日_with_chinese_numbers": (
        "Use YYYY年MM月DD日 with Chinese numbers"
    ),
    "use_yyyy_chinese_word_年_mm_chinese_word_月_dd_chinese_word_日_without_leading_zero_for_single_digit_months_and"
    "_days": "Use YYYY年MM月DD日, without leading zero for single-digit months and days",
    "use_yyyy_korean word_년_space_mm_korean word_월_space_dd_korean word_일_without_leading_zero_for_single_digit"
    "_days_and_months": "Use YYYY년 MM월 DD일, without leading zero for single-digit days and months",
    "use_yyyy_period_space_mm_period_space_dd_period_space_without_leading_zero_for_single_digit_days_and_months": (
        "Use YYYY. MM. DD., without leading zero for single-digit days and months"
    ),
    "separate_each_abbreviated_word_with_period_without_space": (
        "Separate each abbreviated word with period and no space"
    ),
    "separate_each_abbreviated_word_with_space_without_period": (
        "Separate each abbreviated word with space and no period"
    ),
    "use_full_width_japanese_periods_and_full_width_japanese_commas": (
        "Use Japanese periods and Japanese commas (。、)"
    ),
    "use_full_width_japanese_periods_and_full_width_non_japanese_commas": (
        "Use Japanese periods and full-width commas (。，)"
    ),
    "use_full_width_non_japanese_periods_and_full_width_japanese_commas": (
        "Use full-width periods and Japanese commas (．、)"
    ),
    "use_full_width_non_japanese_periods_and_full_width_non_japanese_commas": (
        "Use full-width periods and commas (．，)"
    ),
    "use_as_is": "Use as it is",
    "use_informal_french_word_tu": "Use informal “tu” (French)",
    "use_informal_italian_word_tu": "Use informal “tu” (Italian)",
    "use_italian_word_grado_and_do_not_specify_temperature_scale": "Use “grado” without the scale (Italian)",
    "use_spanish_word_grado_and_do_not_specify_temperature_scale": "Use “grado” without the scale (Spanish)",
    "use_as_is_with_explanation_in_parentheses": "Use as it is, with an explanation in parentheses",
}
