"""Mechanical corrections: slips go, everything else stays, and twice is like once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.service.improvement import tidy
from svc_nb.service.translation.pipeline import formatted_as
from svc_nb.service.translation.terms import upper, with_capital


@pytest.mark.parametrize(
    ("language", "text", "wanted"),
    [
        ("en", "the the shoes  are nice , really. it is true.", "The shoes are nice, really. It is true."),
        ("en", "Good !  Yes ?", "Good! Yes?"),
        ("en", "i think i'm done, and i am.", "I think I'm done, and I am."),
        ("de", "das ist ein ein Haus .", "Das ist ein Haus."),
        ("fr", "c'est  bon ! vraiment ?", "C'est bon ! vraiment ?"),
        ("fr", "Oui , merci .", "Oui, merci."),
        ("es", "es el el mejor. este es bueno.", "Es el mejor. Este es bueno."),
        ("tr", "iyi günler.", "İyi günler."),
        ("nl", "ijs is lekker.", "IJs is lekker."),
        ("ru", "привет ,  мир.", "Привет, мир."),
        ("ja", "はい 。  そう", "はい 。 そう"),
    ],
)
def test_slips_are_corrected(language, text, wanted):
    assert tidy(text, language) == wanted


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "I had had it; that that is so."),
        ("en", "See e.g. the third, incl. the fourth."),
        ("en", "for i in range(5)"),
        ("en", "iPhone cases are great."),
        ("en", "https://a.example/b,c .5 and .NET ... :)"),
        ("en", "hello world"),
        ("en", "3 apples are here."),
        ("en", "a.example is down."),
        ("en", "    indented"),
        ("fr", "Nous nous aimons ; vous vous trompez !"),
        ("de", "Die, die die Schuhe kaufen."),
        ("en", ""),
    ],
)
def test_what_may_be_meant_stays(language, text):
    assert tidy(text, language) == text


PIECES = ["the", "The", " ", "  ", ".", ",", "!", "?", "i", "'m", "am", "a", "el", "nous", "it", "etc", "\n", '"', "(",
          "é", "我", "👍", "\ue000", "ij", ":", ";", "3", "shoes", "…", "\u00a0"]  # fmt: skip
texts = st.text() | st.lists(st.sampled_from(PIECES), max_size=20).map("".join)
languages = st.sampled_from(["en", "de", "fr", "es", "it", "nl", "pt-br", "tr", "ru", "zh", "ar"])


@given(texts, languages)
def test_twice_is_like_once(text, language):
    once = tidy(text, language)
    assert tidy(once, language) == once


@given(texts, languages)
def test_no_letter_is_added_and_lines_stay(text, language):
    result = tidy(text, language)
    assert result.count("\n") == text.count("\n")
    assert len(result.casefold()) <= len(text.casefold()) + result.count("İ")


@pytest.mark.parametrize(
    ("source", "answer", "language", "wanted"),
    [
        ("hello", "Hola.", "es", "hola"),
        ("Hello", "hola", "es", "Hola"),
        ("Hello!", "Hola", "es", "Hola!"),
        ("Hello.", "你好", "zh-hans", "你好。"),
        ("dog", "Hund", "de", "Hund"),
        ("nasa", "NASA", "es", "NASA"),
        ("\ue000 is", "\ue000 Es", "es", "\ue000 Es"),
        ("Why?", "¿Por qué?", "es", "¿Por qué?"),
    ],
)
def test_formatting_follows_the_source(source, answer, language, wanted):
    assert formatted_as(source, answer, language) == wanted
    assert formatted_as(source, wanted, language) == wanted


def test_capitals_are_the_language_s_own():
    assert upper("iyi", "tr") == "İYİ"
    assert upper("iyi", "en") == "IYI"
    assert with_capital("ijs", "nl") == "IJs"
    assert with_capital("ijs", "en") == "Ijs"
    assert with_capital("", "en") == ""
