"""Data about languages, from `language_data.json`: number words, scripts, lengths, stop words."""

import json
import re
from functools import cache
from importlib import resources

_DATA = json.loads(resources.files(__package__).joinpath("language_data.json").read_text("utf-8"))


UNSPACED = ("ja", "ko", "th", "zh")
# Languages that use a space instead of a full stop, and separate words with invisible characters.
NO_FULL_STOP = frozenset({"th", "lo", "km", "my"})
QUESTIONS = ("?", "？", "؟")


def _patterns(words: str, edge: str) -> list[str]:
    """A pattern for each of the words; "|" separates forms, a final "*" allows endings, "_" is a space."""
    return [
        "|".join(
            edge + re.escape(form.rstrip("*")).replace("_", r"\s") + (r"\w*" if form.endswith("*") else edge)
            for form in word.split("|")
        )
        for word in words.split()
    ]


# Words for small numbers; in scripts without spaces, they have no word boundaries.
NUMBER_WORDS: dict[str, list[str]] = {
    code: _patterns(words, "" if code in UNSPACED else r"\b") for code, words in _DATA["number_words"].items()
}
# The beginnings of month names, in one pattern for all languages.
MONTHS: dict[int, str] = dict(enumerate(_DATA["months"], 1))
# Names of months and weekdays, Monday first.
MONTH_NAMES, WEEKDAY_NAMES = (
    {code: _patterns(names, "" if code in UNSPACED else r"\b") for code, names in _DATA[kind].items()}
    for kind in ("month_names", "weekday_names")
)
HEAD = 3
# The beginnings of the words above, to find rows with one.
WORDS_OF: dict[str, dict[str, frozenset[str]]] = {
    kind: {
        code: frozenset(form[:HEAD].lower() for word in words.split()[skipped:] for form in word.split("|"))
        for code, words in _DATA[name].items()
    }
    for kind, name, skipped in (
        ("months", "month_names", 0),
        ("weekdays", "weekday_names", 0),
        ("numbers", "number_words", 2),  # zero and one are too weak
    )
}


class Negation:
    """The negation of a language: `words` that always negate, their pattern `clear`, and `any` for all that may."""

    def __init__(self, listed: str) -> None:
        clear, _, hints = listed.partition(";")
        self.words = frozenset(word.replace("*n't", "t").replace("*n’t", "t") for word in clear.split())
        self.clear = _any_of(clear)
        self.any = _any_of(f"{clear} {hints}")


def _any_of(listed: str) -> re.Pattern[str]:
    """A pattern for any of the words; "*" matches the rest of a word; after "@" they are found within words."""
    if "@" in listed:
        return re.compile("|".join(map(re.escape, listed.replace("@", "").split())))
    words = (re.escape(word).replace(r"\*", r"\w*") for word in listed.split())
    return re.compile(rf"(?<!\w)(?:{'|'.join(words) or '(?!)'})(?!\w)", re.IGNORECASE)


@cache
def negation_in(lang: str | None) -> Negation | None:
    """The negation of *lang*; None if unknown."""
    listed = _DATA["negations"].get(lang)
    return Negation(listed) if listed else None


# Languages that write 12,500.75; most others write 12.500,75, and some write both.
DECIMAL_POINTS = frozenset(_DATA["decimal_points"].split())
EITHER_MARK = frozenset(_DATA["either_mark"].split())
# The order of the parts of a date, if the day is not the first.
DATE_ORDERS: dict[str, str] = {code: order for order, codes in _DATA["date_orders"].items() for code in codes.split()}
# The plural arms that a language needs.
PLURAL_ARMS: dict[str, frozenset[str]] = {
    code: frozenset(arms.split()) for arms, codes in _DATA["plural_arms"].items() for code in codes.split()
}
# The international symbol of every unit, and words for some of them.
UNITS: dict[str, str] = {written: unit for unit, forms in _DATA["units"].items() for written in forms.split()}
# The beginnings of words for units of length, weight, volume and time, from CLDR, the longest first.
UNIT_NAMES: dict[str, dict[str, str]] = {
    code: dict(
        sorted(
            (
                (stem, unit)
                for unit, _, stems in (each.partition("=") for each in listed.split())
                for stem in stems.split("|")
            ),
            key=lambda pair: -len(pair[0]),
        )
    )
    for code, listed in _DATA["unit_names"].items()
}
UNIT_WORDS: dict[str, re.Pattern[str]] = {
    unit: re.compile("|".join(map(re.escape, words.replace("_", " ").split())), re.IGNORECASE)
    for unit, words in _DATA["unit_words"].items()
}
MAGNITUDES: dict[str, int] = {
    word: 10 ** int(zeros) for zeros, words in _DATA["magnitudes"].items() for word in words.split()
}

# The letters of scripts, as parts of character classes, and the scripts of each language.
SCRIPTS: dict[str, str] = _DATA["scripts"]
WRITTEN_IN: dict[str, tuple[str, ...]] = {
    code: tuple(scripts.split()) for scripts, codes in _DATA["written_in"].items() for code in codes.split()
}

# The letters other than a to z of languages in Latin script.
ALPHABETS: dict[str, str] = _DATA["alphabets"]
# Characters per character of English, if a character of Chinese, Japanese or Korean counts as 2.2.
LENGTHS: dict[str, float] = _DATA["lengths"]
# Words that may appear twice in a row.
MAY_DOUBLE: dict[str, frozenset[str]] = {code: frozenset(words.split()) for code, words in _DATA["may_double"].items()}
RELATIVES = [frozenset(family.split()) for family in _DATA["relatives"]]

# Words at which no term begins or ends, in the main languages.
STOPWORDS: dict[str, frozenset[str]] = {code: frozenset(words.split()) for code, words in _DATA["stopwords"].items()}
# Chinese and Japanese characters between words, and those that rarely begin or end a word.
BREAKS: str = _DATA["breaks"]
EDGES: str = _DATA["edges"]
# Korean particles at the end of words, the longest first, and the endings of sentences.
PARTICLES = tuple(_DATA["particles"].split())
VERB_ENDS = tuple(_DATA["verb_ends"].split())
# Words of Chinese and Japanese that mean too little alone.
WHOLE = frozenset(_DATA["says_too_little"].split())
