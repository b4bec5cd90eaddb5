import ftfy.bad_codecs  # noqa: F401  it registers the encodings
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.checks.mojibake import FOLLOWS, without_mojibake
from svc_nb.columns.cleaning import DEFAULT, cleaned

PIECES = [
    "SchÃ¶n",
    "â€œ",
    "â€\ufffd",
    "Ã\ufffd",
    "\ufffd\ufffd",
    "Ã ",
    "â€?",
    "РџСЂРё",
    "ÃƒÂ¼",
    "ðŸ˜€",
    "&eacute;",
    "Ã¢â‚¬â„¢",
]
LETTERS = f"ab ?<&é{FOLLOWS.replace('-', '')}ÃÂâäåæãÄÅÐÑðïÎÏРСТГД\ufffd"
TEXTS = st.lists(st.one_of(st.sampled_from(PIECES), st.text(LETTERS, max_size=4), st.text(max_size=3))).map("".join)


@given(TEXTS)
def test_no_character_of_ascii_and_no_replacement_character_is_lost(text):
    made = without_mojibake(text)
    assert [letter for letter in made if "!" <= letter <= "~"] == [letter for letter in text if "!" <= letter <= "~"]
    assert made.count("\ufffd") >= text.count("\ufffd")


@given(st.text("abc zäöüßéèàñçøčšžğış", min_size=1), st.sampled_from(["latin-1", "sloppy-windows-1252"]))
def test_what_is_changed_gives_the_same_damage_when_it_is_decoded_wrongly_again(text, encoding):
    damaged = f"{text} schöne Grüße".encode().decode(encoding)
    assert without_mojibake(damaged).encode().decode(encoding) == damaged


@pytest.mark.parametrize("text", ["\ufffd\ufffd", "caf\ufffd\ufffd", "Â£5 caf\ufffd"])
def test_a_letter_that_was_lost_before_is_still_seen_to_be_missing(text):
    assert cleaned(text, DEFAULT).count("\ufffd") == text.count("\ufffd")


@pytest.mark.parametrize(
    ("translation", "replacement"),
    [
        ("Der Laden ist schÃ¶n.", "Der Laden ist schön."),
        ("Der Laden â€“ caf\ufffd", "Der Laden – caf\ufffd"),
        ("Der Laden â€\ufffd schön", ""),  # the original quotation mark is unknown
    ],
)
def test_a_check_proposes_what_cleaning_gives(translation, replacement):
    found = pd.Series(["The shop is beautiful."]).svc.check(pd.Series([translation]), codes="mojibake")
    assert found["replacement"].fillna("").tolist() == [replacement]
    assert without_mojibake(translation) == replacement or not replacement
