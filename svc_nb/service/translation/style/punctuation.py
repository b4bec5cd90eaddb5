"""Style options of punctuation, of addresses and of spelling."""

import re
import unicodedata

from .rewriting import CJK, HAN, LETTER, PLACEHOLDER, SPACE, WIDE, Options, Rewrite, both, mapping, sub

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
        "use_corner_brackets_for_primary_quotations"
        "_and_double_corner_brackets_for_secondary_quotations": _quotes("「", "」"),
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
        "use_standard_format": sub(
            r"(?<![\w.+-])([\w.+-]+) ?(?:\[at\]|\(at\)) ?([\w-]+(?:\.[\w-]+)+)(?!\w)", r"\1@\2"
        ),
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
        "replace_umlauts_with_ae_oe_ue": mapping(
            {"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"}
        )
    },
    ("spelling_and_grammar", "accents_and_cedillas"): {
        "do_not_use_on_capital_letters": mapping(_CAPITALS),
        "never_use": mapping(_CAPITALS | {letter: _bare(letter) for letter in _ACCENTED}),
    },
    ("spelling_and_grammar", "spanish_word_solo"): {
        "never_use_acute_accent": sub(r"(?<!\w)([sS])ólo(?!\w)", r"\1olo")
    },
}
