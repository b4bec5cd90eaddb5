"""The style options that can be applied: a pattern each and what takes its place."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence

Rewrite = Callable[[str], str]
Options = Mapping[tuple[str, str], Mapping[str, Rewrite | Mapping[str, Rewrite]]]
"""By category and rule: what applies each option, to every language unless it is given by language."""

LETTER = r"[^\W\d_]"
PLACEHOLDER = "\ue000-\uf8ff"
SPACE = "[ \u00a0\u202f]"
HAN = "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]"
WIDE = "\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60"
CJK = "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]"


def sub(pattern: str | re.Pattern[str], replacement: str | Callable[[re.Match[str]], str]) -> Rewrite:
    """Return the rewriting that puts *replacement* wherever *pattern* stands."""
    compiled = re.compile(pattern)
    return lambda text: compiled.sub(replacement, text)


def mapping(table: Mapping[str, str]) -> Rewrite:
    """Return the rewriting of single characters."""
    translation = str.maketrans(dict(table))
    return lambda text: text.translate(translation)


def both(*rewrites: Rewrite) -> Rewrite:
    """Return the rewritings one after the other."""

    def rewritten(text: str) -> str:
        for rewrite in rewrites:
            text = rewrite(text)
        return text

    return rewritten


# ---- punctuation, addresses and spelling

_INNER = '[^"“”„«»]+'
_GUILLEMET = re.compile("[«»]")
_POINTING_OUT = rf"|«{SPACE}?({_INNER}?){SPACE}?»"
_POINTING_IN = rf"|»(?=\S)({_INNER})(?<=\S)«"


def _pair(guillemets: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?<![^\s(\[{{–—{WIDE}{PLACEHOLDER}-])"
        rf'(?:"(?=\S)({_INNER})(?<=\S)"|“({_INNER})”|„({_INNER})[“”]{guillemets})'
        r"(?![A-Za-z0-9_À-ɏ\"“”„«»])"
    )


_PAIRS = (_pair(""), _pair(_POINTING_OUT), _pair(_POINTING_IN))


def _quotes(opening: str, closing: str) -> Rewrite:
    """Return the rewriting of every pair of double quotation marks whose ends are beyond doubt."""

    def requoted(pair: re.Match[str]) -> str:
        if pair[0][0] == opening[0] and pair[0][-1] == closing[-1]:
            return pair[0]
        inner = next(group for group in pair.groups() if group is not None)
        return opening + inner + closing

    def rewritten(text: str) -> str:
        """Read guillemets only if they all point the same way."""
        guillemets = "".join(_GUILLEMET.findall(text))
        half = len(guillemets) // 2
        if not guillemets or guillemets not in ("«»" * half, "»«" * half):
            return _PAIRS[0].sub(requoted, text)
        return _PAIRS[1 if guillemets[0] == "«" else 2].sub(requoted, text)

    return rewritten


def _range(written: str, read: str = "–") -> Rewrite:
    number = r"\d+(?:[.,]\d+)*"
    return sub(
        rf"(?<![\w.,:/–~〜～-])({number}){SPACE}?[{read}]{SPACE}?({number})(?![\w–~〜～/:-]|[.,]\d)",
        rf"\1{written}\2",
    )


def _ellipsis(written: str) -> Rewrite:
    tight = r"(?<![.…])(?:\.{3}|\.{6}|…{1,3})(?![.…])"
    spaced = r"(?<![.…])(?<!\. )\. \. \.(?! ?[.…])"
    return sub(f"{tight}|{spaced}", written)


def _break(written: str) -> Rewrite:
    return sub(rf"(?<={LETTER})(?: ?— ?| – )(?={LETTER})", written)


def _email(at: str, dot: str = ".") -> Rewrite:
    def written(address: re.Match[str]) -> str:
        return address[1].replace(".", dot) + at + address[2].replace(".", dot)

    return sub(r"(?<![\w.+-])([\w.+-]+)@([\w-]+(?:\.[\w-]+)+)(?![\w@])", written)


_CURLY = _quotes("“", "”")
_STRAIGHT = mapping(dict.fromkeys("“”„", '"'))
_GUILLEMETS = _quotes("«", "»")
_CURLY_APOSTROPHE = sub(rf"(?<={LETTER})'(?={LETTER}|[{PLACEHOLDER}])", "’")
_STRAIGHT_APOSTROPHE = sub(rf"(?<={LETTER})’(?={LETTER}|[{PLACEHOLDER}])", "'")
_STRAIGHT_PAIRS = _quotes('"', '"')
_FRENCH_MARK = r"(?:[!?»]|[;:](?![-()\w/]))"

PUNCTUATION: Options = {
    ("punctuation", "quotation_mark"): {
        "use_curly_quotation_marks": _CURLY,
        "use_straight_quotation_marks": _STRAIGHT,
        "use_double_curly_quotation_marks": _CURLY,
        "use_double_straight_quotation_marks": _STRAIGHT_PAIRS,
        "use_guillemets": {"es": _GUILLEMETS, "fr": _quotes("«\u00a0", "\u00a0»")},
    },
    ("punctuation", "quotation_style"): {
        "use_double_german_quotation_marks_for_primary_quotations"
        "_and_single_german_quotation_marks_for_secondary_quotations": _quotes("„", "“"),
        "use_guillemets_for_primary_quotations_and_single_guillemets_for_secondary_quotations": _GUILLEMETS,
        "use_reversed_guillemets_for_primary_quotations"
        "_and_single_reversed_guillemets_for_secondary_quotations": _quotes("»", "«"),
        "use_corner_brackets_for_primary_quotations_and_double_corner_brackets_for_secondary_quotations": _quotes(
            "「", "」"
        ),
    },
    ("punctuation", "quotation_mark_and_apostrophe"): {
        "use_curly_quotation_marks_and_apostrophes": both(_CURLY, _CURLY_APOSTROPHE),
        "use_double_and_single_curly_quotation_marks_and_curly_apostrophes": both(_CURLY, _CURLY_APOSTROPHE),
        "use_straight_quotation_marks_and_apostrophes": both(_STRAIGHT, mapping(dict.fromkeys("‘’‚", "'"))),
        "use_double_and_single_straight_quotation_marks_and_straight_apostrophes": both(
            _STRAIGHT_PAIRS, mapping(dict.fromkeys("‘’‚", "'"))
        ),
        "use_guillemets_and_curly_apostrophes": both(_GUILLEMETS, _CURLY_APOSTROPHE),
        "use_guillemets_and_straight_apostrophes": both(_GUILLEMETS, _STRAIGHT_APOSTROPHE),
    },
    ("punctuation", "apostrophe"): {
        "use_curly_apostrophes": _CURLY_APOSTROPHE,
        "use_straight_apostrophes": _STRAIGHT_APOSTROPHE,
    },
    ("punctuation", "ellipsis"): {
        "use_ellipsis_character": _ellipsis("…"),
        "use_three_periods": _ellipsis("..."),
        "use_three_periods_without_spaces": _ellipsis("..."),
        "use_three_spaced_periods": _ellipsis(". . ."),
        "use_one_ellipsis_character": _ellipsis("…"),
        "use_two_ellipsis_characters": _ellipsis("……"),
        "use_three_ellipsis_characters": _ellipsis("………"),
        "use_three_dots_at_the_bottom": _ellipsis("..."),
        "use_six_dots_at_the_bottom": _ellipsis("......"),
        "use_three_dots_in_the_center": _ellipsis("…"),
        "use_six_dots_in_the_center": _ellipsis("……"),
    },
    ("punctuation", "range_indicator"): {
        "use_en_dash_without_space_on_either_side": _range("–"),
        "use_en_dash_without_spaces": _range("–"),
        "use_en_dash_with_spaces": _range(" – "),
        "use_hyphen_without_space_on_either_side": _range("-"),
        "use_hyphen_without_spaces": _range("-"),
        "use_hyphen_with_space_on_either_side": _range(" - "),
        "use_hyphen_with_spaces": _range(" - "),
        "use_english_word_to": _range(" to "),
        "use_german_word_bis": _range(" bis "),
        "use_full_width_wave_dash": _range("〜", "–～~"),
        "use_japanese_word_から": _range("から", "–〜～~"),
        "use_hyphen": _range("-", "–〜～~"),
        "use_tilde": _range("~", "–〜～"),
    },
    ("punctuation", "sentence_break_indicator"): {
        "use_em_dash_with_space_on_either_side": _break(" — "),
        "use_em_dash_without_space_on_either_side": _break("—"),
        "use_en_dash_with_space_on_either_side": _break(" – "),
    },
    ("punctuation", "comma_after_i_e_and_e_g"): {
        "use": sub(r"(?<![\w.])(e\.g\.|i\.e\.)(?=\s)", r"\1,"),
        "do_not_use": sub(r"(?<![\w.])(e\.g\.|i\.e\.),++", r"\1"),
    },
    ("punctuation", "slash"): {
        "do_not_use_spaces_before_and_after_slashes": sub(rf"(?<=\w){SPACE}++/{SPACE}++(?=\w)", "/")
    },
    ("punctuation", "spacing_and_punctuation"): {
        "do_not_use_space": sub(rf"(?<!{SPACE}){SPACE}++(?={_FRENCH_MARK})|(?<=«){SPACE}++", ""),
        "use_regular_space": both(
            sub(rf"(?<=[\w)\]”\"’{PLACEHOLDER}]){SPACE}?(?=[;:!?]++(?:\s|$|»))", " "),
            sub(rf"(?<=\S)(?<!«){SPACE}?(?=»)|(?<=«){SPACE}?(?=[^\s»])", " "),
        ),
    },
    ("punctuation", "em_dash"): {"use_double_em_dash": sub("(?<!—)—(?!—)", "——")},
    ("punctuation", "colon"): {
        "use_full_width_colon": sub(rf"(?<={HAN}):(?![\d/]) *+", "："),
        "use_half_width_colon": mapping({"：": ":"}),
    },
    ("punctuation", "colon_between_hours_and_minutes_or_chapters_and_verses"): {
        "do_not_use_space_before_or_after_colon": sub(rf"(?<=\d){SPACE}*+:{SPACE}*+(?=\d)", ":")
    },
    ("punctuation", "round_brackets"): {
        "use_full_width_round_brackets": sub(
            r"\(([^()]*)\)", lambda pair: f"（{pair[1]}）" if re.search(CJK, pair[1]) else pair[0]
        ),
        "use_half_width_round_brackets": mapping({"（": "(", "）": ")"}),
    },
    ("punctuation", "periods_and_commas"): {
        f"use_full_width_{period}_periods_and_full_width_{comma}_commas": both(
            sub(r"(?<!\d)[。．](?!\d)", period_mark), sub(r"(?<!\d)[、，](?!\d)", comma_mark)
        )
        for period, period_mark in (("japanese", "。"), ("non_japanese", "．"))
        for comma, comma_mark in (("japanese", "、"), ("non_japanese", "，"))
    },
    ("punctuation", "ampersand_usage"): {
        "use_full_width_ampersand": sub(f"(?<={CJK})&|&(?={CJK})", "＆"),
        "use_half_width_ampersand": mapping({"＆": "&"}),
    },
    ("formatting", "email_address_format"): {
        "replace_at_symbol_with_english_word_at_in_brackets_with_space_on_either_side": _email(" [at] "),
        "replace_at_symbol_with_english_word_at_in_parentheses_with_space_on_either_side": _email(" (at) "),
        "replace_at_symbol_with_english_word_at_with_space_on_either_side": _email(" at "),
        "replace_at_symbol_with_english_word_at_in_brackets"
        "_and_replace_periods_with_english_word_dot_in_brackets": _email("[at]", "[dot]"),
        "use_standard_format": sub(r"(?<![\w.+-])([\w.+-]+) ?(?:\[at\]|\(at\)) ?([\w-]+(?:\.[\w-]+)+)(?!\w)", r"\1@\2"),
    },
    ("formatting", "space_between_chinese_and_english"): {
        "do_not_use": sub(rf"(?<={HAN}) ++(?=[A-Za-z])|(?<=[A-Za-z]) ++(?={HAN})", "")
    },
    ("formatting", "space_between_chinese_characters_and_arabic_numerals"): {
        "do_not_use": sub(rf"(?<={HAN}) ++(?=\d)|(?<=\d) ++(?={HAN})", "")
    },
}


_ACCENTED = "àâäçéèêëîïôöùûüÿ"


def _bare(letter: str) -> str:
    return unicodedata.normalize("NFD", letter)[0]


_CAPITALS = {letter.upper(): _bare(letter.upper()) for letter in _ACCENTED}

SPELLING: Options = {
    ("spelling_and_grammar", "eszett"): {"replace_eszett_with_ss": mapping({"ß": "ss", "ẞ": "SS"})},
    ("spelling_and_grammar", "umlauts"): {
        "replace_umlauts_with_ae_oe_ue": mapping({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})
    },
    ("spelling_and_grammar", "accents_and_cedillas"): {
        "do_not_use_on_capital_letters": mapping(_CAPITALS),
        "never_use": mapping(_CAPITALS | {letter: _bare(letter) for letter in _ACCENTED}),
    },
    ("spelling_and_grammar", "spanish_word_solo"): {"never_use_acute_accent": sub(r"(?<!\w)([sS])ólo(?!\w)", r"\1olo")},
}


# ---- numbers, dates and times; dates and times are rewritten between forms that can be read in one way only

_NUMBER = r"\d+(?:[.,]\d+)*+"
_UNIT = (
    "(?:mm|cm|dm|km|nm|µm|mg|kg|ml|cl|dl|hl|kB|KB|MB|GB|TB|Hz|kHz|MHz|GHz|kW|MW|GW|kWh|MWh|mW|mV|kV|mA|Pa|hPa|kPa|MPa"
    "|bar|dB|lm|lx|km/h|m²|m³|cm²|cm³|km²|mph|lb|lbs|oz|ft)"
)
_PERCENT = r"(?:[%％]|퍼센트|パーセント|(?:per cento|per cent|percento|percent|por ciento|por cien|Prozent)(?!\w))"
_DIMENSIONS = re.compile(rf"(?<![\w.,])(?!0x){_NUMBER}(?:{SPACE}?[x×]{SPACE}?{_NUMBER})++")
_TIMES = re.compile(rf"{SPACE}?[x×]{SPACE}?")


def _percent(written: str) -> Rewrite:
    return sub(rf"(?<=\d){SPACE}?{_PERCENT}", written)


def _unit(gap: str) -> Rewrite:
    return sub(rf"(?<![\w.,])({_NUMBER}){SPACE}?({_UNIT})(?!\w)", rf"\1{gap}\2")


def _temperature(gap: str) -> Rewrite:
    return sub(rf"(?<=\d){SPACE}?°{SPACE}?([CF])(?!\w)", rf"{gap}°\1")


def _dimensions(written: str) -> Rewrite:
    return lambda text: _DIMENSIONS.sub(lambda found: _TIMES.sub(written, found[0]), text)


def _thousands(written: str, read: str) -> Rewrite:
    """Return the rewriting of the separators of grouped numbers; an address such as 192.168.100.200 is none."""
    grouped = re.compile(
        rf"(?<![\w.,'’])(?!\d{{3}}(?:\.\d{{3}}){{3}}(?!\d))[1-9]\d{{0,2}}([{read}])\d{{3}}(?:\1\d{{3}})*+"
        rf"(?![\w'’]|[.,]\d{{3}}(?!\d))"
    )
    return lambda text: grouped.sub(lambda found: found[0].replace(found[1], written), text)


_GAPS = "\u00a0\u202f"

NUMBERS: Options = {
    ("numbers", "percentage_format"): {
        "use_numerals_followed_by_percent_symbol": _percent("%"),
        "use_arabic_numerals_followed_by_percent_symbol_without_space": _percent("%"),
        "use_numerals_followed_by_space_then_percent_symbol": _percent(" %"),
        "use_numerals_followed_by_space_then_half_width_percent_symbol": _percent(" %"),
        "use_numerals_followed_by_full_width_percent_symbol_without_space": _percent("％"),
        "use_numerals_followed_by_space_then_spell_out_percent": _percent(" percent"),
        "use_numerals_followed_by_space_then_spell_out_per_cent": _percent(" per cent"),
        "use_numerals_followed_by_space_then_german_word_prozent": _percent(" Prozent"),
        "use_numerals_followed_by_space_then_italian_word_per_cento": _percent(" per cento"),
        "use_numerals_followed_by_space_then_italian_word_percento": _percent(" percento"),
        "use_spanish_word_por_ciento": _percent(" por ciento"),
        "use_spanish_word_por_cien": _percent(" por cien"),
        "use_numerals_followed_by_korean_word_퍼센트": _percent("퍼센트"),
        "use_numerals_followed_by_space_then_korean_word_퍼센트": _percent(" 퍼센트"),
        "use_numerals_followed_by_japanese_word_パーセント_without_space": _percent("パーセント"),
    },
    ("numbers", "units_of_measure_spacing"): {
        "use_space_between_numeral_and_unit_of_measure": _unit(" "),
        "do_not_use_space_between_numeral_and_unit_of_measure": _unit(""),
    },
    ("formatting", "space_between_arabic_numerals_and_unit"): {"do_not_use": _unit("")},
    ("numbers", "temperature_format"): {
        "use_numerals_followed_by_space_then_unit_symbol": _temperature(" "),
        "use_numerals_followed_by_unit_symbol_without_space": _temperature(""),
        "use_arabic_numerals_followed_by_unit_symbol_without_space": _temperature(""),
    },
    ("numbers", "dimensions_separator"): {
        "use_multiplication_sign_between_dimensions_with_space_on_either_side": _dimensions(" × "),
        "use_multiplication_sign_between_dimensions_without_space_on_either_side": _dimensions("×"),
        "use_x_between_dimensions_with_space_on_either_side": _dimensions(" x "),
        "use_x_between_dimensions_without_space_on_either_side": _dimensions("x"),
    },
    ("numbers", "decimal_numbers_less_than_one"): {
        "always_use_0_before_decimal_separator": {
            "en": sub(r"(?<![\w.,])\.(?=\d++(?![\w.]))", "0."),
            "de": sub(r"(?<![\w.,]),(?=\d++(?![\w,]))", "0,"),
        }
    },
    ("numbers", "thousands_separator"): {
        "use_comma_to_separate_large_numbers_into_units_of_three": _thousands(",", _GAPS),
        "use_space_to_separate_large_numbers_into_units_of_three": _thousands("\u00a0", "," + _GAPS),
        "use_comma": _thousands(",", _GAPS),
        "do_not_use": _thousands("", "," + _GAPS),
        "use_period": _thousands(".", _GAPS),
        "use_space": _thousands("\u00a0", "." + _GAPS),
        "use_period_as_thousands_separator": _thousands(".", "'’" + _GAPS),
        "use_space_as_thousands_separator": _thousands("\u00a0", ".'’" + _GAPS),
        "use_straight_apostrophe_as_thousands_separator": _thousands("'", ".’" + _GAPS),
        "do_not_use_thousands_separator": _thousands("", ".'’" + _GAPS),
    },
}


_MONTHS = (
    "Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November",
    "Dezember",
)  # fmt: skip
_SHORT_MONTHS = (
    "Jan.", "Feb.", "Mrz.", "Apr.", "Mai", "Jun.", "Jul.", "Aug.", "Sep.", "Okt.", "Nov.", "Dez.",
)  # fmt: skip
_DUDEN_MONTHS = (
    "Jan.", "Febr.", "März", "Apr.", "Mai", "Juni", "Juli", "Aug.", "Sept.", "Okt.", "Nov.", "Dez.",
)  # fmt: skip

_AROUND = r"(?<![\w./-]){}(?![\w/-]|\.\d)"
_YEAR_FIRST = re.compile(_AROUND.format(r"(?P<y>\d{4})(?P<sep>[./-])(?P<m>\d{1,2})(?P=sep)(?P<d>\d{1,2})"))
_DAY_FIRST = re.compile(_AROUND.format(r"(?P<d>\d{1,2})(?P<sep>[./-])(?P<m>\d{1,2})(?P=sep)(?P<y>\d{4})"))
_CHINESE = re.compile(r"(?<!\d)(?P<y>\d{4})年(?P<m>\d{1,2})月(?P<d>\d{1,2})日")
_KOREAN = re.compile(r"(?<!\d)(?P<y>\d{4})년 ?(?P<m>\d{1,2})월 ?(?P<d>\d{1,2})일")
_UHR = re.compile(r"(?<![\w.:])(?P<h>\d{1,2})[.:](?P<m>\d{2}) Uhr(?!\w)")
_FRENCH_TIME = re.compile(r"(?<![\w.:,])(?P<h>\d{1,2})(?P<sep> ?h ?|:)(?P<m>\d{2})(?![\w:]|[.,]\d)")

_Form = Callable[[int, int, int, str], str]


def _date(form: _Form, *read: re.Pattern[str]) -> Rewrite:
    """Return the rewriting of every date that one of the patterns reads; *form* gets day, month, year, separator."""

    def written(found: re.Match[str]) -> str:
        day, month = int(found["d"]), int(found["m"])
        if not (1 <= day <= 31 and 1 <= month <= 12):
            return found[0]
        return form(day, month, int(found["y"]), found.groupdict().get("sep") or "")

    return both(*(sub(pattern, written) for pattern in read))


def _day_first(separator: str) -> Rewrite:
    return _date(lambda d, m, y, _: f"{d:02}{separator}{m:02}{separator}{y:04}", _DAY_FIRST, _YEAR_FIRST)


def _year_first(separator: str, *read: re.Pattern[str]) -> Rewrite:
    return _date(lambda d, m, y, _: f"{y:04}{separator}{m:02}{separator}{d:02}", *read)


def _german(months: Sequence[str]) -> Rewrite:
    return _date(lambda d, m, y, _: f"{d}. {months[m - 1]} {y:04}", _DAY_FIRST, _YEAR_FIRST)


_PADDED = _date(lambda d, m, y, sep: f"{d:02}{sep}{m:02}{sep}{y:04}", _DAY_FIRST)
_UNPADDED = _date(lambda d, m, y, sep: f"{d}{sep}{m}{sep}{y:04}", _DAY_FIRST)
_ASIAN = (_YEAR_FIRST, _CHINESE, _KOREAN)


def _time(pattern: re.Pattern[str], form: Callable[[str, str, str], str]) -> Rewrite:
    """Return the rewriting of every time of day that the pattern reads; *form* gets hour, minutes, separator."""

    def written(found: re.Match[str]) -> str:
        if int(found["h"]) > 24 or int(found["m"]) > 59:
            return found[0]
        return form(found["h"], found["m"], found.groupdict().get("sep") or "")

    return sub(pattern, written)


DATES: Options = {
    ("dates_and_times", "date_format"): {
        "use_dd_period_mm_period_yyyy_with_leading_zeros_for_single_digit_days_and_months": _day_first("."),
        "use_dd_period_mm_period_yy_with_leading_zeros_for_single_digit_days_and_months": _date(
            lambda d, m, y, _: f"{d:02}.{m:02}.{y % 100:02}", _DAY_FIRST, _YEAR_FIRST
        ),
        "use_dd_period_mm_period_yyyy": _day_first("."),
        "use_dd_slash_mm_slash_yyyy": _day_first("/"),
        "use_yyyy_period_mm_period_dd": _year_first(".", _DAY_FIRST, _YEAR_FIRST),
        "use_yyyy_slash_mm_slash_dd": _year_first("/", _DAY_FIRST, _YEAR_FIRST),
        "use_dd_period_space_month_yyyy_without_leading_zeros_for_single_digit_days": _german(_MONTHS),
        "use_dd_period_space_abbreviated_month_yyyy_with_abbreviations_jan_period_feb_period_mrz_period_apr_period"
        "_mai_jun_period_jul_period_aug_period_sep_period_okt_period_nov_period_dez_period"
        "_without_leading_zeros_for_single_digit_days": _german(_SHORT_MONTHS),
        "use_dd_period_space_abbreviated_month_yyyy_with_abbreviations_jan_period_febr_period_maerz_apr_period"
        "_mai_juni_juli_aug_period_sept_period_okt_period_nov_period_dez_period"
        "_without_leading_zeros_for_single_digit_days": _german(_DUDEN_MONTHS),
        "use_dd_slash_mm_slash_yyyy_with_leading_zeros_for_single_digit_days_and_months": _date(
            lambda d, m, y, _: f"{d:02}/{m:02}/{y:04}", _YEAR_FIRST
        ),
        "use_mm_slash_dd_slash_yyyy_with_leading_zeros_for_single_digit_days_and_months": _date(
            lambda d, m, y, _: f"{m:02}/{d:02}/{y:04}", _YEAR_FIRST
        ),
        "use_yyyy_hyphen_mm_hyphen_dd_with_leading_zeros_for_single_digit_days_and_months": _year_first(
            "-", _YEAR_FIRST
        ),
        "use_yyyy_hyphen_mm_hyphen_dd_with_leading_zero_for_single_digit_days_and_months": _year_first("-", *_ASIAN),
        "use_yyyy_slash_mm_slash_dd_with_leading_zero_for_single_digit_days_and_months": _year_first("/", *_ASIAN),
        "use_yyyy_chinese_word_年_mm_chinese_word_月_dd_chinese_word_日"
        "_without_leading_zero_for_single_digit_months_and_days": _date(
            lambda d, m, y, _: f"{y:04}年{m}月{d}日", _YEAR_FIRST, _CHINESE
        ),
        "use_yyyy_korean word_년_space_mm_korean word_월_space_dd_korean word_일"
        "_without_leading_zero_for_single_digit_days_and_months": _date(
            lambda d, m, y, _: f"{y:04}년 {m}월 {d}일", _YEAR_FIRST, _KOREAN
        ),
        "use_numerals_only_with_leading_zero_for_single_digits": _PADDED,
        "use_numerals_only_without_leading_zero_for_single_digits": _UNPADDED,
    },
    ("dates_and_times", "dates_in_numerical_form"): {
        "use_dd_hyphen_mm_hyphen_yyyy": _day_first("-"),
        "use_dd_period_mm_period_yyyy": _day_first("."),
        "use_dd_slash_mm_slash_yyyy": _day_first("/"),
    },
    ("dates_and_times", "single_digit_days_and_months"): {
        "use_leading_zero": _PADDED,
        "do_not_use_leading_zero": _UNPADDED,
    },
    ("dates_and_times", "midnight_in_numerals"): {
        "use_00_00": sub(r"(?<![\w:.])24:00(?![\w:]|\.\d)", "00:00"),
        "use_24_00": sub(r"(?<![\w:.])00:00(?![\w:]|\.\d)", "24:00"),
    },
    ("dates_and_times", "hours_minutes_separator"): {
        "use_colon_without_spaces": _time(_FRENCH_TIME, lambda h, m, _: f"{h}:{m}"),
        "use_letter_h_without_spaces": _time(_FRENCH_TIME, lambda h, m, _: f"{h}h{m}"),
        "use_letter_h_with_regular_space_on_either_side": _time(_FRENCH_TIME, lambda h, m, _: f"{h} h {m}"),
    },
    ("dates_and_times", "single_digit_hours"): {
        "use_leading_zero": _time(_FRENCH_TIME, lambda h, m, sep: f"{h:0>2}{sep}{m}"),
        "do_not_use_leading_zero": _time(_FRENCH_TIME, lambda h, m, sep: f"{int(h)}{sep}{m}"),
    },
    ("dates_and_times", "time_format"): {
        "use_hh_colon_mm_german_word_uhr_with_leading_zeros_for_single_digit_hours": _time(
            _UHR, lambda h, m, _: f"{h:0>2}:{m} Uhr"
        ),
        "use_hh_colon_mm_german_word_uhr_without_leading_zeros_for_single_digit_hours": _time(
            _UHR, lambda h, m, _: f"{int(h)}:{m} Uhr"
        ),
        "use_hh_period_mm_german_word_uhr_with_leading_zeros_for_single_digit_hours": _time(
            _UHR, lambda h, m, _: f"{h:0>2}.{m} Uhr"
        ),
        "use_hh_period_mm_german_word_uhr_without_leading_zeros_for_single_digit_hours": _time(
            _UHR, lambda h, m, _: f"{int(h)}.{m} Uhr"
        ),
        "use_hh_period_mm_german_word_uhr_without_leading_zeros_for_single_digit_hours"
        "_and_for_full_hours_state_hour_only": _time(
            _UHR, lambda h, m, _: f"{int(h)} Uhr" if m == "00" else f"{int(h)}.{m} Uhr"
        ),
    },
}
