"""Whatever the column looks like, the result looks the same: index, name, length, gaps, equal texts."""

from __future__ import annotations

import datetime
import enum

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import svc_nb
from svc_nb import service, session
from svc_nb.settings import Settings
from svc_nb.tabular.text_column import MANY, TEXT, Column
from svc_nb.wire.models import Dictionary
from tests.counters import listed, marked, quiet
from tests.sessions import current
from tests.toy import TOY

pytestmark = [
    pytest.mark.usefixtures("shared"),
]

WORDS = ("one", "two words", "three small words", "naïve café", "日本語", "слово")
NO_TEXTS = (
    7,
    b"bytes",
    ["list"],
    {"dict": 1},
    ("tu", "ple"),
    2.5,
    datetime.date(2026, 1, 2),
    pd.Timestamp(0),
)
GAPS = (None, float("nan"), pd.NA, pd.NaT)
DICTIONARY = pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))
TEXT_TYPES = (
    TEXT,
    "string[python]",
    "string[pyarrow]",
    pd.ArrowDtype(pa.string()),
    pd.ArrowDtype(pa.large_string()),
    DICTIONARY,
)

words = st.sampled_from(WORDS)
# Any text at all, but such that it has a form in every text type.
texts = words | st.text(max_size=12)
gaps = st.sampled_from(GAPS)
names = st.sampled_from([None, "review", 0, ("a", 1), "<b>&'\"", ""])
few = settings(max_examples=25)


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """One service and one session for all examples."""
    with service.start(memory=True, translators=TOY) as running:
        store = tmp_path_factory.mktemp("store") / "answers.sqlite"
        with current(session.Session.embedded(running, Settings(store=str(store)))) as opened:
            yield opened


@st.composite
def indexes(draw, length):
    """Row labels of any kind: counted, with duplicates, of several levels, with gaps."""
    kind = draw(st.sampled_from(["range", "duplicates", "levels", "gaps", "dates"]))
    numbers = draw(st.lists(st.integers(0, 2), min_size=length, max_size=length))
    if kind == "range":
        return pd.RangeIndex(length, name=draw(names.filter(lambda name: not isinstance(name, tuple))))
    if kind == "duplicates":
        return pd.Index(numbers, name="n", dtype="int64")
    if kind == "levels":
        return pd.MultiIndex.from_arrays([numbers, ["x"] * length], names=["n", None])
    if kind == "gaps":
        return pd.Index([None if number == 2 else f"k{number}" for number in numbers], dtype=object)
    return pd.DatetimeIndex(["2026-01-01"] * length)


@st.composite
def columns(draw, cells=texts):
    """A column of *cells* and gaps, in every type that pandas has for texts."""
    kind = draw(st.sampled_from(["object", "text", "category"]))
    some_gap = gaps if kind == "object" else st.none()
    values = draw(st.lists(cells | some_gap, max_size=8))
    index, name = draw(indexes(len(values))), draw(names)
    if kind == "object":
        return pd.Series(values, index=index, name=name, dtype=object)
    if kind == "text":
        return pd.Series(values, index=index, name=name, dtype=draw(st.sampled_from(TEXT_TYPES)))
    return pd.Series(_categorical(draw, values), index=index, name=name)


def _categorical(draw, values):
    unused = ["never used"] if draw(st.booleans()) else []
    found = sorted({value for value in values if value is not None} | set(unused), reverse=draw(st.booleans()))
    return pd.Categorical(values, categories=pd.Index(found, dtype=TEXT), ordered=draw(st.booleans()))


def assert_same_shape(result, column):
    assert len(result) == len(column)
    assert result.name == column.name
    assert result.isna().tolist() == column.isna().tolist()
    if isinstance(column, pd.Series):
        pd.testing.assert_index_equal(result.index, column.index, exact=True)
    results = {}
    for text, translated in zip(listed(column), listed(result), strict=True):
        assert results.setdefault(text, translated) == translated


def assert_same_kind(result, column):
    if isinstance(column.dtype, pd.CategoricalDtype):
        assert isinstance(result.dtype, pd.CategoricalDtype)
        assert result.dtype.ordered == column.dtype.ordered
        result, column = result.dtype.categories, column.dtype.categories
    # Where there are only gaps, pandas may have taken them for numbers or times.
    holds_texts = column.dtype in (object, DICTIONARY) or pd.api.types.is_string_dtype(column.dtype)
    assert result.dtype == (column.dtype if holds_texts else pd.Series([], dtype=TEXT).dtype)


@few
@given(columns())
@example(pd.Series([], dtype=object))
@example(pd.Series([None, None]))
@example(pd.Series([np.nan, np.nan], name="floats"))
@example(pd.Series([None, None], dtype="category"))
@example(pd.Series([], dtype="category"))
@example(pd.Series(["a\0b", "a\r\nb", "\u2028"], dtype=object))
def test_a_column_keeps_its_index_name_length_and_gaps(column):
    before = column.copy(deep=True)
    result = column.svc.translate("DE", source_lang="EN", progress=False)
    assert_same_shape(result, column)
    assert_same_kind(result, column)
    pd.testing.assert_series_equal(column, before)


@few
@given(columns(words))
def test_every_row_has_the_translation_of_its_own_text(column):
    result = column.svc.translate("DE", source_lang="EN", progress=False)
    assert listed(result) == marked(column)


@few
@given(columns(words))
def test_a_table_has_a_row_for_every_row(column):
    table = column.svc.translate_table("DE", source_lang="EN", progress=False)
    pd.testing.assert_index_equal(table.index, column.index, exact=True)
    assert listed(table["text"]) == marked(column)
    assert (table["status"] == "done").tolist() == column.notna().tolist()
    assert table["reason"][table["status"] == "skipped"].eq("missing").all()


@few
@given(columns())
def test_detection_keeps_the_shape_too(column):
    result = column.svc.detect(progress=False)
    assert len(result) == len(column)
    assert result.name == column.name
    pd.testing.assert_index_equal(result.index, column.index, exact=True)
    assert result[column.isna()].isna().all()


@few
@given(columns(words))
def test_an_index_keeps_its_name_length_and_gaps(column):
    index = pd.Index(column.array, name=column.name)
    result = index.svc.translate("DE", source_lang="EN", progress=False)
    assert isinstance(result, pd.Index)
    assert_same_shape(result, index)
    assert_same_kind(result, index)
    assert listed(result) == marked(column)


@few
@given(st.data(), st.lists(st.tuples(words | st.none(), words | st.none()), max_size=6))
def test_columns_and_targets_of_a_frame_stand_side_by_side(data, rows):
    frame = pd.DataFrame(rows, columns=["title", "body"], index=data.draw(indexes(len(rows))), dtype=object)
    result = frame.svc.translate(["title", "body"], ["DE", "JA"], source_lang="EN", progress=False)
    pd.testing.assert_index_equal(result.index, frame.index, exact=True)
    assert list(result.columns) == ["title_DE", "title_JA", "body_DE", "body_JA"]
    for column in frame:
        for target in ("DE", "JA"):
            assert listed(result[f"{column}_{target}"]) == marked(frame[column], target)


@few
@given(columns(words))
def test_a_table_of_several_targets_has_every_row_label_for_each_of_them(column):
    table = column.svc.translate_table(["DE", "JA"], source_lang="EN", progress=False)
    labels = column.index.take([*range(len(column))] * 2)
    pd.testing.assert_index_equal(table.index, labels, exact="equiv")


def test_columns_of_several_levels_keep_their_levels():
    frame = pd.DataFrame({("t", "title"): ["one"], ("t", "body"): ["two words"]})
    result = frame.svc.translate([("t", "title"), ("t", "body")], "DE", source_lang="EN", progress=False)
    assert list(result.columns) == [("t", "title_DE"), ("t", "body_DE")]
    assert result.iloc[0].tolist() == ["[DE] one", "[DE] two words"]


def test_several_targets_of_a_column_or_index_make_a_frame():
    for column in (pd.Series(["one", None], index=["r", "r"]), pd.Index(["one", None])):
        result = column.svc.translate(["DE", "JA"], source_lang="EN", progress=False)
        assert list(result.columns) == ["DE", "JA"]
        assert listed(result["DE"]) == ["[DE] one", None]
        assert listed(result["JA"]) == ["[JA] one", None]
        index = column.index if isinstance(column, pd.Series) else column
        pd.testing.assert_index_equal(result.index, index)


def test_a_list_of_one_target_gives_what_a_longer_list_gives():
    for column in (pd.Series(["one", None], index=["r", "r"], name="c"), pd.Index(["one", None])):
        both = column.svc.translate(["DE", "JA"], source_lang="EN", progress=False)
        for codes in (["DE"], ("DE",)):
            alone = column.svc.translate(codes, source_lang="EN", progress=False)
            pd.testing.assert_frame_equal(alone, both[["DE"]])
        table = column.svc.translate_table(["DE"], source_lang="EN", progress=False)
        assert table.columns[0] == "target_lang"
        job = column.svc.start_translate(["DE"], source_lang="EN")
        pd.testing.assert_frame_equal(job.result(), both[["DE"]])
        pd.testing.assert_frame_equal(job.retry_failed(), both[["DE"]])
    frame = pd.DataFrame({"c": ["one"]})
    alone, listed_alone = (frame.svc.translate("c", codes, source_lang="EN") for codes in ("DE", ["DE"]))
    pd.testing.assert_frame_equal(alone, listed_alone)


@pytest.mark.parametrize("kind", [*TEXT_TYPES, object, "category"], ids=str)
def test_texts_come_back_in_the_type_that_they_had(kind):
    dog, cat = "The dog sleeps in the garden.", "The cat is in the house."
    column = pd.Series([dog, None, dog, cat], dtype=kind, name="c")
    frame = column.to_frame().svc.translate("c", ["DE", "JA"], source_lang="EN", progress=False)
    made = [
        column.svc.translate("DE", source_lang="EN", progress=False),
        column.svc.detect(progress=False),
        frame["c_DE"],
        frame["c_JA"],
        pd.Index(column).svc.translate("DE", source_lang="EN", progress=False),
    ]
    for each in made:
        assert_same_kind(each, column)
        assert each.isna().tolist() == column.isna().tolist()
        assert listed(each)[0] == listed(each)[2]


def test_a_dictionary_of_arrow_with_too_few_numbers_for_the_results_becomes_texts():
    texts, few = [f"text {number}" for number in range(200)], pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))
    column = Column(pd.Series(["one", "one"], dtype=few))
    assert column.filled(texts, np.arange(2)).dtype == pd.ArrowDtype(pa.string())
    assert column.filled(texts[:100], np.arange(2)).dtype == few


def test_an_index_of_several_levels_is_refused_by_name():
    index = pd.MultiIndex.from_tuples([("a", "b")])
    with pytest.raises(TypeError, match="get_level_values"):
        index.svc.translate("DE", progress=False)


# ---- categories


@pytest.mark.parametrize("ordered", [True, False])
def test_categories_keep_their_order_and_those_that_no_row_uses_are_not_paid_for(ordered):
    column = pd.Series(pd.Categorical(["one", None, "two"], ["two", "three", "one"], ordered=ordered))
    result = column.svc.translate("DE", source_lang="EN", progress=False)
    assert result.cat.categories.tolist() == ["[DE] two", "[DE] one"]
    assert result.cat.ordered is ordered
    assert listed(result) == ["[DE] one", None, "[DE] two"]


@pytest.mark.parametrize("ordered", [True, False])
def test_categories_that_become_equal_become_one(shared, ordered):
    glossary = shared.client.glossaries.create("g", [Dictionary("en", "de", "cat\tTier\ndog\tTier\n")])
    column = pd.Series(pd.Categorical(["cat", "bird", None, "dog"], ["dog", "bird", "cat"], ordered=ordered))
    result = column.svc.translate("DE", source_lang="EN", glossary_id=glossary.glossary_id, progress=False)
    assert listed(result) == ["Tier", "[DE] bird", None, "Tier"]
    assert result.cat.categories.tolist() == ["Tier", "[DE] bird"]
    assert result.cat.ordered is ordered


def test_a_category_in_two_languages_becomes_two():
    column = pd.Series(["one", "one", None, "two"], dtype="category")
    result = column.svc.translate("DE", source_lang=["EN", "DE", "EN", "EN"], progress=False)
    assert listed(result) == ["[DE] one", "one", None, "[DE] two"]


# ---- cells that are not text


@st.composite
def mixed(draw):
    """Texts, missing cells and at least one cell that is not text."""
    values = draw(st.lists(words | gaps | st.sampled_from(NO_TEXTS), min_size=1, max_size=8))
    place = draw(st.integers(0, len(values)))
    values.insert(place, draw(st.sampled_from(NO_TEXTS)))
    column = pd.Series(index=draw(indexes(len(values))), name=draw(names), dtype=object)
    for row, value in enumerate(values):
        column.iat[row] = value
    return column


def _is_no_text(value):
    return any(value is each for each in NO_TEXTS)


@few
@given(mixed())
def test_the_first_cell_that_is_not_text_is_named_and_nothing_is_sent(column):
    before = quiet(svc_nb.current().service)
    with pytest.raises(TypeError, match="expected text, found") as caught:
        column.svc.translate("DE", source_lang="EN", progress=False)
    first = next(row for row, value in enumerate(column) if _is_no_text(value))
    assert f"row {first} (label {column.index[first]!r})" in str(caught.value)
    assert f"found {type(column.iat[first]).__name__}" in str(caught.value)
    assert quiet(svc_nb.current().service) == before


@few
@given(mixed())
def test_cells_that_are_not_text_are_marked_and_the_others_are_done(column):
    table = column.svc.translate_table("DE", source_lang="EN", errors="coerce", progress=False)
    for value, status, reason, text in zip(
        column, table["status"], table["reason"], listed(table["text"]), strict=True
    ):
        if isinstance(value, str):
            assert (status, text) == ("done", f"[DE] {value}")
        elif _is_no_text(value):
            assert (status, reason, text) == ("failed", f"expected text, found {type(value).__name__}", None)
        else:
            assert (status, reason, text) == ("skipped", "missing", None)


@few
@given(mixed())
def test_a_coerced_column_has_gaps_for_what_is_not_text(column):
    result = column.svc.translate("DE", source_lang="EN", errors="coerce", progress=False)
    pd.testing.assert_index_equal(result.index, column.index, exact=True)
    assert listed(result) == marked(column)


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([1, 2], name="n"),
        pd.Series([1.5, None], name="n"),
        pd.Series([True, False], name="n"),
        pd.Series(pd.to_datetime(["2026-01-01", "2026-01-02"]), name="n"),
        pd.Series([1, 2], name="n", dtype="category"),
        pd.Series([("a", 1), ("b", 2)], name="n"),
    ],
    ids=lambda column: str(column.dtype),
)
def test_a_column_of_another_type_is_refused_whole_or_marked_whole(column):
    with pytest.raises(TypeError, match=r"column 'n', row 0 \(label 0\): expected text, found"):
        column.svc.translate("DE", progress=False)
    table = column.svc.translate_table("DE", errors="coerce", progress=False)
    assert table["status"].tolist() == ["skipped" if gap else "failed" for gap in column.isna()]


class Mood(enum.StrEnum):
    GOOD = "good mood"


@pytest.mark.parametrize("text", [np.str_("one"), Mood.GOOD], ids=["numpy", "enum"])
def test_a_kind_of_string_is_a_text(text):
    column = pd.Series([text, "two words"], dtype=object)
    result = column.svc.translate("DE", source_lang="EN", progress=False)
    assert listed(result) == [f"[DE] {str.__str__(text)}", "[DE] two words"]


@pytest.mark.parametrize("broken", ["\ud800", "\ud800 half a pair", "words \udfff"])
def test_half_a_surrogate_pair_costs_its_own_row_only(broken):
    column = pd.Series([broken, "one", "two words"], dtype=object)
    result = column.svc.translate("DE", source_lang="EN", errors="coerce", progress=False)
    assert listed(result)[1:] == ["[DE] one", "[DE] two words"]
    assert svc_nb.last_run().progress.done == 2


def test_texts_that_differ_only_after_a_nul_stay_apart():
    cells = ["a\0b", "a", None, "a\0c", "a", 5]
    for values in (pd.Series(cells, dtype=object), pd.Index(cells, dtype=object)):
        column = Column(values, coerce=True)
        assert column.codes.tolist() == [0, 1, -1, 2, 1, 3]
        assert column.texts == ["a\0b", "a", "a\0c", None]
    assert Column(pd.Series(cells[:5], dtype=TEXT)).codes.tolist() == [0, 1, -1, 2, 1]


@pytest.mark.parametrize("dtype", ["str", "string", "object", "category"])
@pytest.mark.parametrize("more", [[], [np.nan, "text 3"]])
def test_a_column_of_many_texts_keeps_its_order(dtype, more):
    texts = pd.Series([*(f"text {number}" for number in range(MANY + 5)), *more], dtype=dtype)
    column = Column(texts)
    pd.testing.assert_series_equal(column.filled(column.texts, column.codes), texts)
