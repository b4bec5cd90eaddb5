"""Style options of numbers (separators, percentages, units, dimensions), dates and times.

Dates and times are rewritten between forms that can be read in one way only.
"""

import re
from collections.abc import Callable, Sequence

from .rewriting import SPACE, Options, Rewrite, both, sub

_NUMBER = r"\d+(?:[.,]\d+)*+"
_UNIT = (
    "(?:mm|cm|dm|km|nm|µm|mg|kg|ml|cl|dl|hl|kB|KB|MB|GB|TB|Hz|kHz|MHz|GHz|kW|MW|GW|kWh|MWh|mW|mV|kV|mA|Pa|hPa|kPa|MPa"
    "|bar|dB|lm|lx|km/h|m²|m³|cm²|cm³|km²|mph|lb|lbs|oz|ft)"
)
_PERCENT = (
    r"(?:[%％]|퍼센트|パーセント|(?:per cento|per cent|percento|percent|por ciento|por cien|Prozent)(?!\w))"
)
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
        "use_yyyy_hyphen_mm_hyphen_dd_with_leading_zero_for_single_digit_days_and_months": _year_first(
            "-", *_ASIAN
        ),
        "use_yyyy_slash_mm_slash_dd_with_leading_zero_for_single_digit_days_and_months": _year_first(
            "/", *_ASIAN
        ),
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
