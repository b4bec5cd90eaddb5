"""Style options of numbers: separators, percentages, units, dimensions."""

import re

from .rewriting import SPACE, Options, Rewrite, options, sub

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

NUMBERS: Options = (
    options(
        "numbers",
        "percentage_format",
        {
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
    )
    | options(
        "numbers",
        "units_of_measure_spacing",
        {
            "use_space_between_numeral_and_unit_of_measure": _unit(" "),
            "do_not_use_space_between_numeral_and_unit_of_measure": _unit(""),
        },
    )
    | options("formatting", "space_between_arabic_numerals_and_unit", {"do_not_use": _unit("")})
    | options(
        "numbers",
        "temperature_format",
        {
            "use_numerals_followed_by_space_then_unit_symbol": _temperature(" "),
            "use_numerals_followed_by_unit_symbol_without_space": _temperature(""),
            "use_arabic_numerals_followed_by_unit_symbol_without_space": _temperature(""),
        },
    )
    | options(
        "numbers",
        "dimensions_separator",
        {
            "use_multiplication_sign_between_dimensions_with_space_on_either_side": _dimensions(" × "),
            "use_multiplication_sign_between_dimensions_without_space_on_either_side": _dimensions("×"),
            "use_x_between_dimensions_with_space_on_either_side": _dimensions(" x "),
            "use_x_between_dimensions_without_space_on_either_side": _dimensions("x"),
        },
    )
    | options(
        "numbers",
        "decimal_numbers_less_than_one",
        {
            "always_use_0_before_decimal_separator": {
                "en": sub(r"(?<![\w.,])\.(?=\d++(?![\w.]))", "0."),
                "de": sub(r"(?<![\w.,]),(?=\d++(?![\w,]))", "0,"),
            }
        },
    )
    | options(
        "numbers",
        "thousands_separator",
        {
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
    )
)
