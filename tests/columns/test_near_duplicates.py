import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.columns.near_duplicates import KINDS, distinct, near_duplicates

REVIEWS = pd.Series(
    [
        "Great backpack, light and roomy!",
        "great backpack,  light and roomy",
        "Great backpack, light and rooomy.",
        "Order 12 is late.",
        "Order 13 is late.",
        "order 13 is late",
        "Is it late?",
        "It is late",
        None,
        "Great backpack, light and roomy!",
    ],
    index=list("abcdefghhj"),
    name="review",
)


def test_groups_are_told_with_what_is_kept_and_how_the_others_differ():
    found = REVIEWS.svc.near_duplicates()
    assert found.columns.tolist() == ["group", "position", "text", "keep", "difference", "similarity"]
    assert found.index.tolist() == ["a", "b", "c", "j", "d", "e", "f"]
    assert found["position"].tolist() == [0, 1, 2, 9, 3, 4, 5]
    assert found["group"].tolist() == [1, 1, 1, 1, 2, 2, 2]
    assert found["keep"].unique().tolist() == ["Great backpack, light and roomy!", "Order 12 is late."]
    assert found["difference"].tolist() == [
        "", "white_space, case, punctuation", "letters", "", "", "digits", "case, punctuation, digits",
    ]  # fmt: skip
    assert found["similarity"].between(0.8, 1).all()
    assert found.said == (
        "6 of 8 texts in 2 groups of near duplicates. merged() saves 2 texts, 48 characters. "
        'merged("all") saves 4 texts, 98 characters, but differences in digits (2) and letters (1) may change the '
        "meaning. Next: .merged(), then .svc.translate(...)."
    )


def characters(column):
    return sum(map(len, column.dropna().unique()))


@pytest.mark.parametrize("options", [{}, {"skip": "case"}, {"skip": "letters"}, {"kinds": "case"}])
@given(texts=st.lists(st.sampled_from([*REVIEWS.dropna(), "IS IT LATE?", "Is it late", "order 12 is late"])))
def test_the_sentence_says_what_merging_saves(options, texts):
    column = pd.Series(texts, dtype=object)
    found = column.svc.near_duplicates(**options)
    for call, merged in (("merged()", found.merged()), ('merged("all")', found.merged("all"))):
        texts_saved, saved = column.nunique() - merged.nunique(), characters(column) - characters(merged)
        said = f"{texts_saved:,} text{'s' * (texts_saved != 1)}, {saved:,} character{'s' * (saved != 1)}"
        if f"{call} saves nothing" in found.said:
            said = "nothing"
            assert texts_saved == 0
        assert f"{call} saves {said}" in found.said or call not in found.said
    if len(found):
        assert "merged() saves" in found.said


def test_merging_leaves_apart_what_the_table_was_told_to_keep_apart():
    texts = pd.Series(["Hello there", "hello there", "hello there!"])
    found = texts.svc.near_duplicates(skip="case")
    assert found.merged().tolist() == ["Hello there", "hello there", "hello there"]
    with pytest.raises(ValueError, match=r"kinds: there is no kind 'case'\. There are 'white_space'"):
        found.merged("case")


@pytest.mark.parametrize("kind", ["punctuation", "signs", "case"])
def test_what_differs_only_in_a_kind_that_is_skipped_is_not_taken_for_letters(kind):
    texts = {"punctuation": "Is the parcel late!", "signs": "Is the parcel late?", "case": "Is the Parcel late"}
    column = pd.Series(["Is the parcel late", texts[kind]])
    assert column.svc.near_duplicates()["difference"].tolist() == ["", kind]
    assert len(column.svc.near_duplicates(skip=kind)) == 0


def test_what_is_kept_is_the_most_frequent_text():
    found = pd.Series(["Hello there", "hello there", "hello there", "HELLO THERE"]).svc.near_duplicates()
    assert found["keep"].unique().tolist() == ["hello there"]


def test_one_text_of_each_group_is_put_in_place_of_the_others_but_no_other_number():
    merged = REVIEWS.svc.near_duplicates().merged()
    assert merged.index.equals(REVIEWS.index)
    assert (merged.name, merged.dtype) == (REVIEWS.name, REVIEWS.dtype)
    assert merged.isna().tolist() == REVIEWS.isna().tolist()
    assert merged.iloc[[0, 1, 9]].unique().tolist() == ["Great backpack, light and roomy!"]
    assert merged.iloc[2:6].tolist() == [*REVIEWS.iloc[2:5], "Order 13 is late."]
    assert REVIEWS.svc.near_duplicates().merged("all").iloc[3:6].unique().tolist() == ["Order 12 is late."]


def test_merged_texts_cost_less_to_translate(connected):
    merged = REVIEWS.svc.near_duplicates().merged()
    before, after = (texts.svc.plan("DE", source_lang="EN") for texts in (REVIEWS, merged))
    assert (before.unique, after.unique) == (8, 6)
    assert after.characters < before.characters


def test_kinds_of_difference_can_be_left_out():
    found = REVIEWS.svc.near_duplicates(skip="digits")
    assert "digits" not in " ".join(found["difference"])
    assert found["keep"].unique().tolist() == ["Great backpack, light and roomy!", "Order 13 is late."]
    assert REVIEWS.svc.near_duplicates(kinds="case").said == "None of 8 different texts is almost the same as another."
    with pytest.raises(ValueError, match="there is no kind 'spaces'"):
        REVIEWS.svc.near_duplicates(skip="spaces")
    with pytest.raises(ValueError, match=r"similarity: expected a number from 0\.5 to 1, found 90"):
        REVIEWS.svc.near_duplicates(similarity=90)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Is it late?", "Is it late"),  # a question
        ("1.5 kg of rice", "15 kg of rice"),
        ("-5 degrees today", "5 degrees today"),
        ("now here", "nowhere"),
        ("C# code", "C code"),
        ("100% sure", "100 sure"),
    ],
)
def test_what_may_change_the_meaning_is_not_punctuation(first, second):
    texts = pd.Series([first, second])
    assert len(texts.svc.near_duplicates(skip=["signs", "digits", "letters"])) == 0
    assert texts.svc.near_duplicates().merged().tolist() == [first, second]


@pytest.mark.parametrize(
    ("first", "second", "difference"),
    [
        ("Straße", "STRASSE", "case"),
        ("ＡＢＣ word", "abc word", "case"),
        ("one\ntwo", " one two\u200b", "white_space"),
        ("well-known fact", "well known fact", "white_space, punctuation"),
        ("don’t worry", "dont worry", "punctuation"),
        ("你好，世界。", "你好，世界！", "punctuation"),
        ("Ready", "Ready?", "signs"),
        ("¿Listo?", "listo", "case, signs"),
        ("Costs $ 5 today", "Costs € 5 today", "signs"),
        ("Well done 🎉", "well done!", "white_space, case, punctuation, signs"),
        ("Room 7 is free", "Room 1,024 is free", "digits"),
        ("सूची १२ देखें", "सूची १३ देखें", "digits"),
        ("I recieve the parcel tomorrow", "I receive the parcel tomorrow", "letters"),
        ("The parcel is here, thank you so much", "The parcel is really here, thank you so much", "letters"),
    ],
)
def test_each_kind_of_difference_is_found(first, second, difference):
    found = pd.Series([first, second]).svc.near_duplicates(similarity=0.8)
    assert found["difference"].tolist() == ["", difference]


DICTIONARY = pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))


@pytest.mark.parametrize(
    "dtype", ["object", "string", "category", "str", pd.ArrowDtype(pa.string()), DICTIONARY], ids=str
)
def test_every_kind_of_text_column_is_taken(dtype):
    texts = pd.Series(["Hello there", None, "hello there"], dtype=dtype)
    found = texts.svc.near_duplicates()
    assert found["position"].tolist() == [0, 2]
    assert found.merged().dtype == texts.dtype
    assert found.merged().iloc[[0, 2]].tolist() == ["Hello there"] * 2
    assert found.merged().isna().tolist() == [False, True, False]


def test_an_index_an_empty_column_and_other_cells():
    assert (
        pd.Index(["Hello there", "hello there"], name="n").svc.near_duplicates().merged().tolist()
        == ["Hello there"] * 2
    )
    for empty in ([], [None], ["!!!", "???", "1", "2"]):
        found = pd.Series(empty, dtype=object).svc.near_duplicates()
        assert len(found) == 0
        assert found.said.startswith("None of ")
        assert len(found.merged()) == len(empty)
    with pytest.raises(TypeError, match="expected text, found int"):
        pd.Series(["a", 1], dtype=object).svc.near_duplicates()


@given(st.lists(st.text("aAbB1 .\u200bé", max_size=6), max_size=12))
def test_a_merged_column_has_one_text_for_each_key_and_stays_when_merged_again(texts):
    column = pd.Series(texts, dtype=object)
    merged = column.svc.near_duplicates(skip="letters").merged()
    assert set(merged) <= set(texts)
    assert merged.svc.near_duplicates(skip="letters").merged().tolist() == merged.tolist()
    for before, after in zip(texts, merged, strict=True):
        letters = ["".join(filter(str.isalnum, text)).casefold() for text in (before, after)]
        assert letters[0] == letters[1]


@given(st.lists(st.sampled_from(["Hello there", "hello  there!", "Bye now", "BYE NOW", "x"]), max_size=8))
def test_the_texts_that_a_plan_counts_are_those_that_merging_leaves(texts):
    column = pd.Series(texts, dtype=object)
    assert distinct(texts) == column.svc.near_duplicates().merged().nunique()


def test_one_letter_anywhere_is_found_among_many_texts():
    dice = np.random.default_rng(0)
    words = ["the", "parcel", "order", "arrived", "late", "early", "broken", "fine", "box", "blue", "green", "small"]
    texts = [" ".join(dice.choice(words, 12)) for _ in range(2_000)]
    broken = []
    for text in texts:
        place = int(dice.integers(len(text)))
        broken.append(text[:place] + "q" + text[place + int(dice.integers(2)) :])
    found = near_duplicates(pd.Series(texts + broken))
    pairs = found.groupby("group")["position"].agg(set).tolist()
    together = sum(any({number, number + 2_000} <= pair for pair in pairs) for number in range(2_000))
    assert together >= 0.99 * 2_000


def test_members_of_a_group_are_like_the_text_that_is_kept_and_not_only_like_each_other():
    start = "abcdefghijklmnopqrstuvwxyz"
    chain = [start[:number].upper() * 2 + start[number:] * 2 for number in range(len(start))]
    found = pd.Series(chain).svc.near_duplicates(kinds="letters")
    assert (found["similarity"] >= 0.9).all()


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_can_be_given_by_itself(kind):
    assert set(REVIEWS.svc.near_duplicates(kinds=kind)["difference"]) <= {"", kind, "digits, letters"}


def test_long_texts_are_compared_without_their_letters():
    text = "The parcel arrived. " * 5_000
    found = pd.Series([text, text.upper(), text + "x"]).svc.near_duplicates()
    assert found["difference"].tolist() == ["", "case"]
    assert found["similarity"].isna().all()
