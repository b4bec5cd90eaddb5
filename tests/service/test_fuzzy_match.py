"""What a memory finds: the same text as it is, a similar one by threshold, numbers carried over or nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from svc_nb.service.memories.storage import FuzzyIndex

PAIRS = [
    ("Good morning", "Guten Morgen"),
    ("The red shoe is in the box.", "Der rote Schuh ist in der Kiste."),
    ("Page 12 of 40", "Seite 12 von 40"),
    ("Wait 5 minutes, then 10 seconds.", "Warten Sie 5 Minuten, dann 10 Sekunden."),
    ("It costs 1,000 dollars", "Es kostet 1.000 Dollar"),
    ("You have 1 message", "Sie haben 1 Nachricht"),
    ("Twice 7 and 7", "Zweimal 7 und 7"),
    ("Between 6 and 6", "Genau 6"),
    ("今日は天気がいいですね", "Schönes Wetter heute"),
]


@pytest.fixture(scope="module")
def recall():
    return FuzzyIndex(PAIRS)


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_the_same_text_is_found_as_it_is_at_every_threshold(recall, source, target):
    for threshold in (0, 75, 100):
        assert recall.find(source, threshold) == target


def test_white_space_and_composed_letters_do_not_count():
    recall = FuzzyIndex([("Caf\u00e9 au lait", "Milchkaffee")])
    assert recall.find("Cafe\u0301  au\nlait", 100) == "Milchkaffee"


def test_of_two_translations_of_a_text_the_later_counts():
    assert FuzzyIndex([("a", "alt"), ("a", "neu")]).find("a", 100) == "neu"


def test_a_similar_text_is_found_from_its_threshold_on(recall):
    text = "The blue shoe is in the box."
    assert recall.find(text, 80) == "Der rote Schuh ist in der Kiste."
    assert recall.find(text, 90) is None
    assert recall.find(text, 100) is None


def test_another_letter_is_another_word(recall):
    memory = FuzzyIndex([("Open the door", "Öffne die Tür"), ("Open", "Öffnen")])
    assert memory.find("Oven the door", 75) is None
    assert memory.find("Oven", 50) is None


def test_scripts_without_spaces_are_compared_by_character(recall):
    assert recall.find("今日は天気がいいですよ", 80) == "Schönes Wetter heute"
    assert recall.find("明日は雨が降りますか", 60) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Page 13 of 40", "Seite 13 von 40"),
        ("Page 40 of 12", "Seite 40 von 12"),
        ("Page 13 of 44", "Seite 13 von 44"),
        ("Wait 6 minutes, then 30 seconds.", "Warten Sie 6 Minuten, dann 30 Sekunden."),
        ("Page 1 of 40", None),  # one is written otherwise than many
        ("Page 13.5 of 40", None),  # written otherwise in another language
        ("It costs 2,000 dollars", None),
        ("You have 2 message", None),
        ("Twice 7 and 8", None),  # which of the two?
        ("Between 6 and 8", None),
        ("Page 12", None),
    ],
)
def test_numbers_are_carried_over_where_that_is_safe_and_else_the_segment_is_not_used(recall, text, expected):
    assert recall.find(text, 70) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Good morning!", "Guten Morgen!"),
        ("Good morning.", "Guten Morgen."),
        ("Good morning?!", "Guten Morgen?!"),
    ],
)
def test_the_mark_at_the_end_is_that_of_the_text(recall, text, expected):
    assert recall.find(text, 80) == expected


def test_marks_in_the_middle_of_a_very_long_translation_cost_little():
    target = "Guten" + "." * 500_000 + "Morgen"
    assert FuzzyIndex([("Good morning", target)]).find("Good morning!", 80) == f"{target}!"  # it was minutes


def test_a_mark_before_a_script_without_spaces_is_wide():
    assert FuzzyIndex([("Good morning", "おはよう")]).find("Good morning!", 80) == "おはよう！"


@pytest.mark.parametrize(
    ("segment", "text"),
    [
        ("Do not open the red door now", "Do open the red door now"),
        ("You can open the red door now", "You can't open the red door now"),
        ("Die rote Tür ist heute nicht offen", "Die rote Tür ist heute offen"),
        ("ここに荷物を置きます", "ここに荷物を置きません"),
        ("请打开这个红色的门", "请不打开这个红色的门"),
    ],
)
def test_a_segment_that_says_the_opposite_is_not_used(segment, text):
    assert FuzzyIndex([(segment, "x")]).find(text, 50) is None
    assert FuzzyIndex([(text, "x")]).find(segment, 50) is None


@pytest.mark.parametrize("text", ["", "...", "7", "x" * 100_000, "ab " * 50_000])
def test_what_has_no_words_or_too_many_is_not_found(recall, text):
    assert recall.find(text, 0) is None


words = st.lists(st.sampled_from(["the", "a", "red", "blue", "shoe", "box", "is", "in", "of"]), min_size=1, max_size=8)


def test_a_text_that_is_exactly_as_similar_as_asked_is_found():
    assert FuzzyIndex([("the the is", "x")]).find("the", 30) == "x"
    for length in range(2, 60):
        segment = " ".join(["ab"] * length)
        for other in range(1, length):
            text = " ".join(["ab"] * other + ["cd"] * (length - other))
            by_letters = Levenshtein.normalized_similarity(segment, text)
            percent = round(100 * min(by_letters, other / length), 9)
            if percent.is_integer() and percent >= 1:
                assert FuzzyIndex([(segment, "x")]).find(text, int(percent)) == "x"


@given(st.lists(words, min_size=1, max_size=12), words, st.integers(30, 99))
def test_the_index_finds_what_a_look_at_every_segment_finds(sources, text, threshold):
    joined = [" ".join(source) for source in sources]
    recall = FuzzyIndex((source, source) for source in joined)
    asked = " ".join(text)

    def likeness(source):
        by_letters = Levenshtein.normalized_similarity(asked, source)
        return min(by_letters, Levenshtein.normalized_similarity(text, source.split()))

    best = max(map(likeness, joined))
    found = recall.find(asked, threshold)
    if best < threshold / 100 - 1e-9:
        assert found is None
    else:
        assert found is not None
        assert likeness(found) == best
