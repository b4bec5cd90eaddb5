"""Sentences in Apertium's stream format: nothing is lost, nothing is gained."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.service.translators.apertium import OutOfStep, Sentence, decode, encode

texts = st.text(st.characters(exclude_characters="\0\uffff", codec="utf-8"))
marked = st.text(st.sampled_from("aB e.,! \n\ue000\ue001\ue002ñ中~[]\\^$/<>@{}"))


@given(texts, st.integers(min_value=0))
def test_a_text_comes_back_as_it_was(text: str, serial: int) -> None:
    assert decode(encode(text, serial), serial) == text.rstrip()


@given(st.text(), st.integers(min_value=0))
def test_no_text_makes_a_nul_or_an_end_of_file(text: str, serial: int) -> None:
    stream = encode(text, serial)
    assert b"\0" not in stream
    assert "\uffff" not in stream.decode()


@given(texts, st.integers(0, 9), st.integers(0, 9))
def test_the_answer_to_another_text_is_refused(text: str, serial: int, other: int) -> None:
    if serial != other:
        with pytest.raises(OutOfStep):
            decode(encode(text, serial), other)


@pytest.mark.parametrize("answer", [b"", b"Hola.", b"Hola.[][", b"\xff\xfe", b"[=1] and more words"])
def test_an_answer_without_its_number_is_refused(answer: bytes) -> None:
    with pytest.raises(OutOfStep):
        decode(answer, 1)


def test_reserved_signs_of_a_text_cannot_command_the_programs() -> None:
    stream = encode("[<STREAMCMD:FLUSH>] ^a<n>$ [=7]", 1).decode()
    assert stream == r"\[\<STREAMCMD:FLUSH\>\] \^a\<n\>\$ \[=7\].[][+1]"


def test_a_full_stop_is_added_only_for_the_way() -> None:
    assert encode("Hola", 1) == b"Hola.[][+1]"
    assert decode(b"Hello.[][+1]", 1) == "Hello"
    assert encode("Hola.", 1) == b"Hola.[][=1]"
    assert decode(b"Hello.[][=1]", 1) == "Hello."


@given(marked)
def test_placeholders_and_surrounding_space_survive_a_translator_that_changes_nothing(text: str) -> None:
    sentence = Sentence.of(text)
    out = sentence.finished(sentence.core, "en") if sentence.core else sentence.text
    assert [sign for sign in out if "\ue000" <= sign <= "\uf8ff"] == [
        sign for sign in text if "\ue000" <= sign <= "\uf8ff"
    ]
    body = text.strip()
    assert out[: len(text) - len(text.lstrip())] == text[: len(text) - len(text.lstrip())]
    assert not body or out.endswith(text[len(text.rstrip()) :])


def test_a_placeholder_alone_is_a_word_and_one_that_touches_a_word_is_not() -> None:
    assert Sentence.of("\ue000 es bueno").core == "Xqzb es bueno"
    assert Sentence.of("Es \ue000muy bueno\ue001.").core == "Es \ue000muy bueno\ue001."
    assert encode("\ue000muy", 1).decode() == "[\ue000]muy.[][+1]"


def test_many_placeholders_get_words_of_their_own() -> None:
    signs = [chr(0xE000 + number) for number in range(500)]
    sentence = Sentence.of(" a ".join(signs))
    assert len(set(sentence.core.split()) - {"a"}) == 500
    assert sentence.finished(sentence.core, "en") == sentence.text


def test_a_text_that_has_an_invented_word_itself_keeps_it() -> None:
    sentence = Sentence.of("xqzb es \ue000 bueno")
    assert sentence.finished(sentence.core, "en") == "xqzb es \ue000 bueno"


@pytest.mark.parametrize("text", ["", "  ", "12.5", "👍 !!", "\ue000", "…"])
def test_a_text_without_letters_is_not_sent(text: str) -> None:
    assert Sentence.of(text).core == ""


def test_a_text_in_capitals_is_translated_in_small_letters_and_comes_back_in_capitals() -> None:
    sentence = Sentence.of("ENVÍO RÁPIDO \ue000")
    assert sentence.core == "envío rápido Xqzb"
    assert sentence.finished("fast sending Xqzb", "en") == "FAST SENDING \ue000"
    assert Sentence.of("USB").core == "USB"


@pytest.mark.parametrize(
    ("source", "raw", "target", "tidy"),
    [
        ("Gracias por la ayuda", "Thank you By the help", "en", "Thank you by the help"),
        ("Gracias a María", "Thank you To María", "en", "Thank you To María"),
        ("envío rápido", "Fast sending", "en", "fast sending"),
        ("no lo compro", "I do not buy it", "en", "I do not buy it"),
        (
            "los zapatos italianos del lunes",
            "The Italian shoes of the Monday",
            "en",
            "the Italian shoes of the Monday",
        ),
        ("Muy bueno. Gracias", "Very good. Thank you", "en", "Very good. Thank you"),
        ("\ue000 es bueno", "Xqzb Is good", "en", "\ue000 is good"),
        ("Se rompió el asa", "Broke  the handle .", "en", "Broke the handle."),
        ("dos  espacios , aquí", "two  spaces , here", "en", "two  spaces , here"),
        ("Cafe\u0301", "Cafe\u0301", "fr", "Café"),
    ],
)
def test_capitals_and_spaces_are_as_in_the_source(source: str, raw: str, target: str, tidy: str) -> None:
    assert Sentence.of(source).finished(raw, target) == tidy


def test_a_text_of_which_nothing_came_out_stays() -> None:
    assert Sentence.of(" hola ").finished(" ", "en") == " hola "
