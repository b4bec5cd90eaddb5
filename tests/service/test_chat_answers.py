"""What a chat model answers: what is taken for a translation, and what is not."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.service.translators.chat import PROMPT, _listed, _tidied, fault

TEXT = "Das Haus ist rot und der Garten ist groß."


@pytest.mark.parametrize(
    "content",
    [
        '["a", "b"]',
        ' \n["a", "b"]\n',
        '```json\n["a", "b"]\n```',
        '```\n["a", "b"]\n```\n',
        '{"translations": ["a", "b"]}',
        '<think>\nThe user wants ["x"] …\n</think>\n\n["a", "b"]',
    ],
)
def test_a_list_is_found_also_in_what_models_put_around_it(content: str) -> None:
    assert _listed(content, 2) == ["a", "b"]


@pytest.mark.parametrize(
    "content",
    [
        "",
        "a, b",
        'Here you are: ["a", "b"]',
        '["a"]',
        '["a", "b", "c"]',
        '["a", 1]',
        '["a", null]',
        '"ab"',
        "12",
        "{}",
        '{"a": "b", "c": "d"}',
        '[["a", "b"]]',
        '["a", "b"',
        "[" * 100_000,
    ],
)
def test_what_is_no_such_list_is_not_guessed(content: str) -> None:
    assert isinstance(_listed(content, 2), str)


@given(st.lists(st.text(), min_size=1))
def test_every_list_of_texts_comes_through(texts: list[str]) -> None:
    assert _listed(json.dumps(texts), len(texts)) == texts


@pytest.mark.parametrize(
    ("text", "answer", "kept"),
    [
        ("Hallo", '"Hello"', "Hello"),
        ("Hallo", "“It’s me”", "It’s me"),
        ("Hallo", " „Hello“\n", "Hello"),
        ('"Hallo"', '"Hello"', '"Hello"'),
        ("»Hallo«", '"Hello"', '"Hello"'),
        ("A und B", '"A" and "B"', '"A" and "B"'),
        ("Hallo", '"', '"'),
        ("Hallo", "", ""),
    ],
)
def test_quotation_marks_that_a_model_adds_are_taken_away(text: str, answer: str, kept: str) -> None:
    assert _tidied(text, answer) == kept


@pytest.mark.parametrize(
    ("answer", "target"),
    [
        ("", "fr"),
        ("I'm sorry, but I can't assist with that.", "fr"),
        ("I’m sorry, I cannot translate this.", "en"),
        ("As an AI language model, I have no garden.", "en-us"),
        ("Sure! Here is the translation: La maison est rouge.", "fr"),
        ("Here is the translation: The house is red.", "en"),
        ("Here's the French translation: La maison …", "fr"),
        ("Translation: La maison est rouge.", "fr"),
        ("```\nLa maison est rouge.\n```", "fr"),
        ("La maison est rouge.<|im_end|>", "fr"),
        ("La maison est rouge. [/INST]", "fr"),
        ("<think>Le jardin", "fr"),
        ('["La maison est rouge."]', "fr"),
        ('{"translation": "La maison est rouge."}', "fr"),
        (PROMPT, "en"),
        (TEXT, "fr"),
        ("La maison est rouge. " * 40, "fr"),
    ],
)
def test_what_is_plainly_no_translation_is_refused(answer: str, target: str) -> None:
    assert fault(TEXT, answer, "de", target)


@pytest.mark.parametrize(
    ("text", "answer", "source", "target"),
    [
        (TEXT, "La maison est rouge et le jardin est grand.", "de", "fr"),
        ("Es tut mir leid, aber ich kann nicht kommen.", "I'm sorry, but I can't come.", "de", "en"),
        ("Ich kann Ihnen leider nicht helfen.", "I cannot help you.", "de", "en"),
        ("I'm sorry, but I can't come.", "I'm sorry, but I can't come (titre)", "en", "fr"),
        ("Natürlich!", "Of course!", "de", "en"),
        ("Selbstverständlich, hier ist sie.", "Certainly, that is it.", "de", "en"),
        ("As an AI model, it is small.", "Als AI-Modell ist es klein. As an AI", "en", "de"),
        ("Adobe Photoshop 2025", "Adobe Photoshop 2025", "de", "en"),
        ("a b c d e f g h i", "a b c d e f g h i", "da", "nb"),
        ("a b c d e f g h i", "a b c d e f g h i", "hr", "bs"),
        ("[1] Siehe oben", "[1] See above", "de", "en"),
        ("Siehe [1]", "[1]", "de", "en-us"),
        ("`code` und ```mehr```", "`code` and ```more```", "de", "en"),
        ("你好", "Hello, how are you doing today?", "zh", "en"),
    ],
)
def test_what_may_be_a_translation_is_taken(text: str, answer: str, source: str, target: str) -> None:
    assert fault(text, answer, source, target) == ""


@given(st.text(min_size=1), st.text())
def test_no_answer_breaks_the_check(text: str, answer: str) -> None:
    assert isinstance(fault(text, _tidied(text, answer), "de", "fr"), str)
