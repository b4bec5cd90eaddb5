"""Style options of dates and times: between forms that can be read in one way only."""

import re
from collections.abc import Callable, Sequence

from .rewriting import Options, Rewrite, both, options, sub

_MONTHS = (
    "Januar",
    "Februar",
    "März",
    "April",
    "Mai",
    "Juni",
    "Juli",
    "August",
    "September",
    "Oktober",
    "November",
    "Dezember",
)
_SHORT_MONTHS = (
    "Jan.",
    "Feb.",
    "Mrz.",
    "Apr.",
    "Mai",
    "Jun.",
    "Jul.",
    "Aug.",
    "Sep.",
    "Okt.",
    "Nov.",
    "Dez.",
)
_DUDEN_MONTHS = (
    "Jan.",
    "Febr.",
    "März",
    "Apr.",
    "Mai",
    "Juni",
    "Juli",
    "Aug.",
    "Sept.",
    "Okt.",
    "Nov.",
    "Dez.",
)

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

    return both(*(_replacing(pattern, written) for pattern in read))


def _replacing(pattern: re.Pattern[str], written: Callable[[re.Match[str]], str]) -> Rewrite:
    return lambda text: pattern.sub(written, text)


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

    return _replacing(pattern, written)


DATES: Options = (
    options(
        "dates_and_times",
        "date_format",
        {
            "use_dd_period_mm_period_yyyy_with_leading_zeros_for_single_digit_days_and_months": _day_first(
                "."
            ),
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
    )
    | options(
        "dates_and_times",
        "dates_in_numerical_form",
        {
            "use_dd_hyphen_mm_hyphen_yyyy": _day_first("-"),
            "use_dd_period_mm_period_yyyy": _day_first("."),
            "use_dd_slash_mm_slash_yyyy": _day_first("/"),
        },
    )
    | options(
        "dates_and_times",
        "single_digit_days_and_months",
        {"use_leading_zero": _PADDED, "do_not_use_leading_zero": _UNPADDED},
    )
    | options(
        "dates_and_times",
        "midnight_in_numerals",
        {
            "use_00_00": sub(r"(?<![\w:.])24:00(?![\w:]|\.\d)", "00:00"),
            "use_24_00": sub(r"(?<![\w:.])00:00(?![\w:]|\.\d)", "24:00"),
        },
    )
    | options(
        "dates_and_times",
        "hours_minutes_separator",
        {
            "use_colon_without_spaces": _time(_FRENCH_TIME, lambda h, m, _: f"{h}:{m}"),
            "use_letter_h_without_spaces": _time(_FRENCH_TIME, lambda h, m, _: f"{h}h{m}"),
            "use_letter_h_with_regular_space_on_either_side": _time(
                _FRENCH_TIME, lambda h, m, _: f"{h} h {m}"
            ),
        },
    )
    | options(
        "dates_and_times",
        "single_digit_hours",
        {
            "use_leading_zero": _time(_FRENCH_TIME, lambda h, m, sep: f"{h:0>2}{sep}{m}"),
            "do_not_use_leading_zero": _time(_FRENCH_TIME, lambda h, m, sep: f"{int(h)}{sep}{m}"),
        },
    )
    | options(
        "dates_and_times",
        "time_format",
        {
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
    )
)
