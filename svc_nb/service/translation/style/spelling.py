"""Style options of spelling: letters that a language may do without."""

import unicodedata

from .rewriting import Options, mapping, options, sub

_ACCENTED = "àâäçéèêëîïôöùûüÿ"


def _bare(letter: str) -> str:
    return unicodedata.normalize("NFD", letter)[0]


_CAPITALS = {letter.upper(): _bare(letter.upper()) for letter in _ACCENTED}

SPELLING: Options = (
    options("spelling_and_grammar", "eszett", {"replace_eszett_with_ss": mapping({"ß": "ss", "ẞ": "SS"})})
    | options(
        "spelling_and_grammar",
        "umlauts",
        {
            "replace_umlauts_with_ae_oe_ue": mapping(
                {"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"}
            )
        },
    )
    | options(
        "spelling_and_grammar",
        "accents_and_cedillas",
        {
            "do_not_use_on_capital_letters": mapping(_CAPITALS),
            "never_use": mapping(_CAPITALS | {letter: _bare(letter) for letter in _ACCENTED}),
        },
    )
    | options(
        "spelling_and_grammar",
        "spanish_word_solo",
        {"never_use_acute_accent": sub(r"(?<!\w)([sS])ólo(?!\w)", r"\1olo")},
    )
)
