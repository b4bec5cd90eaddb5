"""Texts inside cells: a path says where they are, and nothing else in a cell changes."""

from __future__ import annotations

import json
from collections import OrderedDict, namedtuple
from copy import deepcopy

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

import svc_nb
from svc_nb import service, session
from svc_nb.columns.nested import Path, top_of
from svc_nb.errors import NoSuchColumn, RowsFailed, Unfinished
from svc_nb.settings import Settings
from svc_nb.wire.client.ignored_options import OptionsIgnored
from tests.counters import Counters
from tests.sessions import current
from tests.toy import TOY

OPTIONS = {"source_lang": "EN", "progress": False}
WORDS = ("one", "two words", "naïve café", "日本語", 'a "quote" \\ and / slash', "tab\there")
KEYS = ("a", "b", "b c", "x.y", 'q"[\\', "*", "", "é")

words = st.sampled_from(WORDS)
keys = st.sampled_from(KEYS)
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | words
structures = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=12,
)
cells = st.lists(structures, max_size=4) | st.dictionaries(keys, structures, max_size=4)
few = settings(max_examples=60, deadline=None)


@pytest.fixture(scope="module")
def running():
    with service.start(memory=True, translators=TOY) as started:
        yield started


@pytest.fixture(scope="module", autouse=True)
def shared(running, tmp_path_factory):
    """One session for all tests."""
    store = tmp_path_factory.mktemp("store") / "answers.sqlite"
    with current(session.Session.embedded(running, Settings(store=str(store)))) as opened:
        yield opened


def translated(values, *paths, **options):
    """The cells of a column "c" with the texts that the paths lead to translated."""
    given = values if isinstance(values, pd.Series) else pd.Series(list(values), dtype=object)
    made = pd.DataFrame({"c": given}).svc.translate([f"c{path}" for path in paths], "DE", **{**OPTIONS, **options})
    assert list(made.columns) == ["c_DE"]
    return made["c_DE"].tolist()


# ---- laws. The oracle is a separate implementation: it walks a whole cell, and checks whether each text is meant.


def text_places(value, steps=()):
    """The steps to every text in a structure."""
    if isinstance(value, str):
        yield steps
    elif isinstance(value, dict | list):
        for step, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from text_places(each, (*steps, step))


def written(pattern):
    """A path of steps; None among the steps means "every", with the matching values beside it."""
    parts = []
    for step, is_every in pattern:
        if isinstance(step, int):
            parts.append("[*]" if is_every else f"[{step}]")
        elif is_every:
            parts.append(".*")
        elif step in ("a", "b", "b c", "é"):
            parts.append(f".{step}")
        else:
            quoted = step.replace("\\", "\\\\").replace('"', '\\"')
            parts.append(f'["{quoted}"]')
    return "".join(parts)


def is_meant(steps, pattern):
    return len(steps) == len(pattern) and all(
        type(step) is type(wanted) and (is_every or step == wanted)
        for step, (wanted, is_every) in zip(steps, pattern, strict=True)
    )


def expected(value, patterns, steps=()):
    if isinstance(value, str):
        return f"[DE] {value}" if any(is_meant(steps, pattern) for pattern in patterns) else value
    if isinstance(value, dict):
        return {key: expected(each, patterns, (*steps, key)) for key, each in value.items()}
    if isinstance(value, list):
        return [expected(each, patterns, (*steps, place)) for place, each in enumerate(value)]
    return value


@st.composite
def cells_with_paths(draw):
    """Cells, and one to three paths that lead to texts in them, some steps of which are wildcards."""
    column = draw(st.lists(cells, min_size=1, max_size=4))
    places = [steps for cell in column for steps in text_places(cell)]
    if not places:
        column, places = [["one"]], [(0,)]
    chosen = draw(st.lists(st.sampled_from(places), min_size=1, max_size=3))
    patterns = [tuple((step, draw(st.booleans())) for step in steps) for steps in chosen]
    return column, list({written(pattern): pattern for pattern in patterns}.items())


@few
@given(cells_with_paths())
def test_the_shape_is_kept_and_the_texts_that_paths_lead_to_are_translated(drawn):
    column, paths = drawn
    before = deepcopy(column)
    made = translated(column, *(path for path, _ in paths))
    assert made == [expected(cell, [pattern for _, pattern in paths]) for cell in column]
    assert repr(made) == repr([expected(cell, [pattern for _, pattern in paths]) for cell in column])
    assert column == before


@few
@given(
    cells_with_paths(),
    st.sampled_from([None, (",", ":"), (" , ", "  :  ")]),
    st.sampled_from([None, 0, 3, "\t"]),
    st.booleans(),
)
def test_of_a_json_text_only_the_literals_change_that_paths_lead_to(drawn, separators, indent, ensure_ascii):
    column, paths = drawn

    def dumped(value):
        return f"\n {json.dumps(value, separators=separators, indent=indent, ensure_ascii=ensure_ascii)} "

    patterns = [pattern for _, pattern in paths]
    made = translated(map(dumped, column), *(path for path, _ in paths))
    assert made == [dumped(expected(cell, patterns)) for cell in column]


@few
@given(cells_with_paths())
def test_what_is_not_changed_is_not_copied(drawn):
    column, paths = drawn
    made = translated(column, *(path for path, _ in paths))
    for old, new in zip(column, made, strict=True):
        assert (new is old) == (new == old)


@few
@given(cells_with_paths())
def test_the_table_has_a_row_for_each_text_and_its_path_leads_there(drawn):
    column, paths = drawn
    frame = pd.DataFrame({"c": pd.Series(column, dtype=object)}).set_axis(["same"] * len(column))
    table = frame.svc.translate_table([f"c{path}" for path, _ in paths], "DE", **OPTIONS)
    texts = table[table["status"] == "done"]
    found = {(row.position, Path.of(row.path, 1).steps): row.text for row in texts.itertuples()}
    patterns = [pattern for _, pattern in paths]
    assert found == {
        (position, steps): f"[DE] {text}"
        for position, cell in enumerate(column)
        for steps in text_places(cell)
        if any(is_meant(steps, pattern) for pattern in patterns)
        for text in [_at(cell, steps)]
    }
    assert len(found) == len(texts)
    assert set(table.index) <= {"same"}


def _at(value, steps):
    for step in steps:
        value = value[step]
    return value


# ---- what cells may be


CHAT = [
    [
        {"role": "user", "content": "Where is it?", "n": 1},
        {"role": "assistant", "content": "It is here.", "n": None},
    ],
    [],
    None,
    [{"role": "user", "content": "Where is it?", "n": 3}],
]
IN_GERMAN = [
    [
        {"role": "user", "content": "[DE] Where is it?", "n": 1},
        {"role": "assistant", "content": "[DE] It is here.", "n": None},
    ],
    [],
    None,
    [{"role": "user", "content": "[DE] Where is it?", "n": 3}],
]


@pytest.mark.parametrize("backend", ["numpy_nullable", "pyarrow", None])
def test_parquet_goes_in_and_comes_out_with_the_same_types(tmp_path, backend):
    kind = pa.list_(pa.struct({"role": pa.string(), "content": pa.large_string(), "n": pa.int8()}))
    source = pa.table({"messages": pa.array(CHAT, kind), "x": pa.array([1, 2, 3, 4])})
    parquet.write_table(source, tmp_path / "chat.parquet")
    how = {} if backend is None else {"dtype_backend": backend}
    frame = pd.read_parquet(tmp_path / "chat.parquet", **how)
    made = frame.svc.translate("messages[*].content", "DE", **OPTIONS)
    made.to_parquet(tmp_path / "german.parquet")
    back = parquet.read_table(tmp_path / "german.parquet")
    assert back["messages_DE"].to_pylist() == IN_GERMAN
    if backend == "pyarrow":
        assert made.dtypes["messages_DE"] == frame.dtypes["messages"] == pd.ArrowDtype(kind)
        assert back.schema.field("messages_DE").type == kind
    else:
        assert isinstance(made["messages_DE"][0], np.ndarray)


def test_structs_of_arrow_keep_nan_and_fine_times():
    kind = pa.struct({"t": pa.string(), "x": pa.float32(), "at": pa.timestamp("ns", "UTC"), "m": pa.map_("str", "str")})
    cell = {"t": "one", "x": float("nan"), "at": pd.Timestamp(1, tz="UTC"), "m": [("k", "one"), ("k", "two words")]}
    column = pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([pa.array([cell, None], kind)])))
    made = pd.DataFrame({"c": column}).svc.translate(["c.t", "c.m[*][1]"], "DE", **OPTIONS)["c_DE"]
    assert made.dtype == column.dtype
    found = made.array.__arrow_array__()
    assert found.null_count == 1
    assert np.isnan(found[0]["x"].as_py())
    assert found[0]["at"].value == 1
    assert found[0]["m"].as_py() == [("k", "[DE] one"), ("k", "[DE] two words")]
    times = pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([pa.array([], pa.list_(pa.time64("ns")))])))
    with pytest.raises(TypeError, match=r"time64\[us\]"):
        translated(times, "[*]")


def test_every_kind_of_container_keeps_its_class():
    pair = namedtuple("pair", "left right")
    frozen = np.array(["one", "two words"])
    column = [("one", 2), pair("one", "two words"), OrderedDict(a="one"), np.array(["one", None], object), frozen]
    made = translated(column, "[*]", ".*")
    assert made[0] == ("[DE] one", 2)
    assert made[1] == pair("[DE] one", "[DE] two words")
    assert type(made[1]) is pair
    assert made[2] == OrderedDict(a="[DE] one")
    assert type(made[2]) is OrderedDict
    assert made[3].tolist() == ["[DE] one", None]
    assert made[4].tolist() == ["[DE] one", "[DE] two words"]
    assert frozen.tolist() == ["one", "two words"]


def test_cells_of_different_kinds_may_share_a_column():
    column = [["one"], '["one", 1.0]', None, float("nan"), "plain", 7, {"a": "one"}, pd.NA, '{"a": "one"}']
    made = translated(column, "[*]")
    assert made[:3] == [["[DE] one"], '["[DE] one", 1.0]', None]
    assert made[4:7] == ["plain", 7, {"a": "one"}]
    assert made[7] is pd.NA
    assert made[8] == '{"a": "one"}'


@pytest.mark.parametrize("dtype", ["str", "string", "category", pd.ArrowDtype(pa.string()), object])
def test_a_column_of_json_texts_keeps_its_type(dtype):
    column = pd.Series(['["one"]', None, '["one"]'], dtype=dtype)
    made = pd.DataFrame({"c": column}).svc.translate("c[*]", "DE", **OPTIONS)["c_DE"]
    assert made[0] == made[2] == '["[DE] one"]'
    assert made.isna().tolist() == [False, True, False]
    assert (made.dtype == column.dtype) or dtype == "category" == made.dtype.name


@pytest.mark.parametrize(
    ("cell", "result"),
    [
        ('{"t":"one","t" : "one","x":[1.0,1e400,-0,NaN]}', '{"t":"[DE] one","t" : "[DE] one","x":[1.0,1e400,-0,NaN]}'),
        ('{"t":"one", "y": "\\ud800", "\\u0074":"one"}', '{"t":"[DE] one", "y": "\\ud800", "\\u0074":"[DE] one"}'),
        ('{"t":"caf\\u00e9 \\ud83d\\ude00"}', '{"t":"[DE] caf\\u00e9 \\ud83d\\ude00"}'),
        ('{"t":"café \\u0041"}', '{"t":"[DE] café A"}'),
        ('{"t":"a\\/b","u":"a\\/b"}', '{"t":"[DE] a\\/b","u":"a\\/b"}'),
        ('{"u":"}]\\"{[", "v":{"t":"x"}, "t":"one"}', '{"u":"}]\\"{[", "v":{"t":"x"}, "t":"[DE] one"}'),
        ('{"n":' + "9" * 5000 + ',"t":"one"}', '{"n":' + "9" * 5000 + ',"t":"[DE] one"}'),
        ('{"t":{"deep":"one"},"a":null}', '{"t":{"deep":"one"},"a":null}'),
        ('{"t":["one"]}', '{"t":["one"]}'),
        ('{"t":"one"} trailing', '{"t":"one"} trailing'),
        ("{}", "{}"),
    ],
)  # fmt: skip
def test_json_is_kept_as_it_is_written(cell, result):
    assert translated([cell, {"t": 5}], ".t") == [result, {"t": 5}]


def test_json_within_json_and_within_dicts_is_read_too():
    arguments = json.dumps({"q": "one", "n": 1})
    column = [{"call": arguments}, json.dumps({"call": arguments})]
    made = translated(column, ".call.q")
    assert made[0] == {"call": json.dumps({"q": "[DE] one", "n": 1})}
    assert made[1] == json.dumps({"call": json.dumps({"q": "[DE] one", "n": 1})})


def test_a_deep_cell_is_no_trouble_unless_it_is_json_that_python_cannot_read():
    deep = {"t": "one"}
    for _ in range(100_000):
        deep = {"d": deep, "t": "one"}
    made = translated([deep], ".t")[0]
    assert made["t"] == "[DE] one"
    assert made["d"] is deep["d"]
    while deep is not None:  # Python takes it apart without recursion then
        deep = deep.pop("d", None)
        made.pop("d", None)
    with pytest.raises(ValueError, match=r"column 'c', row 1 \(label 1\).*nested too deeply"):
        translated(["[]", "[" * 200_000 + "]" * 200_000], "[0]")


def test_a_huge_cell_takes_no_longer_than_its_size():
    cell = {"t": "one", "rest": [{"k": 'x "} ' * 5, "n": [[1, {"a": {}}]]}] * 50_000, "u": "b" * 5_000_000}
    text = json.dumps(cell)
    assert translated([text], ".t") == [json.dumps({**cell, "t": "[DE] one"})]


# ---- chats


def test_texts_and_lists_of_parts_make_one_column():
    parts = [{"type": "text", "text": "one"}, {"type": "image_url", "image_url": {"url": "https://x.example"}}]
    column = pd.Series([[{"role": "user", "content": parts}, {"role": "user", "content": "two words"}]])
    frame = pd.DataFrame({"c": column, "title": ["one"]})
    both = ["c[*].content", "c[*].content[*].text"]
    [made] = frame.svc.translate(both, "DE", **OPTIONS)["c_DE"]
    assert made[0]["content"] == [{"type": "text", "text": "[DE] one"}, parts[1]]
    assert made[1]["content"] == "[DE] two words"
    plan = frame.svc.plan(["title", *both], "DE", source_lang="EN")
    assert (plan.rows, plan.skipped) == (3, {})
    # With the first path alone the list stays, and is counted.
    alone = frame.svc.plan("c[*].content", "DE", source_lang="EN")
    assert (alone.rows, alone.skipped) == (2, {"not_text": 1})
    table = frame.svc.translate_table(["title", *both], ["DE", "FR"], **OPTIONS)
    assert table[["column", "target_lang", "position", "path"]].to_numpy().tolist() == [
        [column, target, 0, path]
        for column, paths in {"title": ["title"], "c": ["c[0].content[0].text", "c[1].content"]}.items()
        for target in ("DE", "FR")
        for path in paths
    ]
    assert svc_nb.translate(frame, both, "DE", **OPTIONS).columns.tolist() == ["c", "title", "c_DE"]
    assert svc_nb.detect(frame, both, progress=False).columns.tolist() == ["c", "title", "c_lang"]


FENCED = "Run this:\n\n```sh\n  ls `x`\n```\n\n  Then `cat it`.\n\n~~~\none\n~~~"


def test_code_stays_byte_for_byte_and_alone_is_not_sent(running, shared):
    counters = Counters(running, shared)
    made = translated([[FENCED, "```\nprint()\n```", "`ls`"]], "[*]")[0]
    assert made[0] == FENCED.replace("Run", "[DE] Run").replace("Then", "[DE] Then")
    assert made[1:] == ["```\nprint()\n```", "`ls`"]
    assert counters.characters < len(FENCED)
    plan = pd.DataFrame({"c": [["`ls`"]]}).svc.plan("c[*]", "DE", source_lang="EN")
    assert plan.skipped == {"protected": 1}


def test_code_is_kept_with_whatever_else_is_protected_unless_that_is_nothing():
    text = "See `one` at Acme"
    frame = pd.DataFrame({"c": [[text]], "flat": [text]})
    job = frame.svc.start_translate("c[*]", "DE", protect="Acme", source_lang="EN")
    assert job.result()["c_DE"].tolist() == [[f"[DE] {text}"]]
    assert {stretch for result in job._results for stretch in result.masked[0].stretches} == {"`one`", "Acme"}
    bare = frame.svc.start_translate("c[*]", "DE", protect=[], source_lang="EN")
    assert not bare._results or not bare._results[0].masked
    assert bare.result()["c_DE"].tolist() == [[f"[DE] {text}"]]


# ---- one machine with all other columns


def test_each_different_text_is_paid_for_once(running, shared):
    texts = ["a text that nobody sent before", "another that nobody sent before"]
    counters = Counters(running, shared)
    frame = pd.DataFrame({"c": [texts, json.dumps(texts), {"k": texts}] * 50, "flat": [texts[0]] * 150})
    columns = ["c[*]", "c.k[*]", "flat"]
    table = frame.svc.translate_table(columns, "DE", **OPTIONS)
    assert counters.characters == sum(map(len, texts)) == table["billed_characters"].sum()
    assert len(table) == 450
    assert frame.svc.plan(columns, "DE", source_lang="EN").stored == 2


def test_options_of_rows_go_with_all_texts_of_a_row():
    frame = pd.DataFrame({"c": [["uno", "due"], ["one"]], "lang": ["IT", "EN"], "about": ["x", None]})
    with pytest.warns(OptionsIgnored, match="context"):
        table = frame.svc.translate_table("c[*]", "DE", source_lang="lang", context="about", progress=False)
    assert table["detected_source_lang"].tolist() == ["IT", "IT", "EN"]


def test_again_asks_for_all_texts_of_the_rows_that_are_named(running, shared):
    frame = pd.DataFrame({"c": [["first text here", "second text"], ["third text"]]}, index=["p", "q"])
    frame.svc.translate("c[*]", "DE", **OPTIONS)
    counters = Counters(running, shared)
    frame.svc.translate("c[*]", "DE", again=["p"], **OPTIONS)
    assert counters.characters == len("first text here" + "second text")


def test_what_the_budget_leaves_out_is_a_gap_in_its_place():
    frame = pd.DataFrame({"c": [["a short text", "x" * 500 + " long"], '["a short text", "%s long"]' % ("x" * 500)]})
    with pytest.warns(Unfinished):
        made = frame.svc.translate("c[*]", "DE", budget=100, **OPTIONS)["c_DE"].tolist()
    assert made == [["[DE] a short text", None], '["[DE] a short text", null]']
    assert svc_nb.last_run().partial()["c_DE"].tolist() == made
    whole = frame.svc.translate("c[*]", "DE", **OPTIONS)["c_DE"].tolist()
    assert whole[0] == json.loads(whole[1]) == [f"[DE] {text}" for text in frame["c"][0]]


def test_a_retry_asks_for_the_rows_that_have_a_text_that_was_not_sent():
    frame = pd.DataFrame({"c": [["a short text"], ["a short text", "y" * 500 + " long"], []]})
    with pytest.warns(Unfinished):
        frame.svc.translate("c[*]", "DE", budget=100, again=True, **OPTIONS)
    assert svc_nb.last_run().again().options.again.tolist() == [False, True, False]


def test_a_text_that_fails_says_in_which_row_it_is():
    frame = pd.DataFrame({"c": [["one", "one"], ["one", "half \ud800 pair"]]}, index=["p", "q"])
    with pytest.raises(RowsFailed, match=r"1 of 4 rows failed; the first is row 1 \(label 'q', c\[1\]\)"):
        frame.svc.translate("c[*]", "DE", **OPTIONS)
    assert translated(frame["c"], "[*]", errors="coerce") == [["[DE] one"] * 2, ["[DE] one", None]]
    retried = svc_nb.last_run().again()
    assert retried.start().wait()
    assert retried.progress.failed == 1


def test_cells_that_change_during_a_run_are_an_error_and_not_a_mixture():
    cell = ["one", "two words"]
    job = pd.DataFrame({"c": [cell]}).svc.start_translate("c[*]", "DE", source_lang="EN")
    job.wait()
    cell.reverse()
    with pytest.raises(ValueError, match="changed during"):
        job.partial()


def test_languages_come_in_the_shape_of_the_cells_and_corrections_too():
    frame = pd.DataFrame({"c": [[{"t": "Das ist ein schöner Tag."}, {"t": 5}, {"t": "That is  is a nice day."}]]})
    assert frame.svc.detect("c[*].t", progress=False)["c"].tolist() == [[{"t": "DE"}, {"t": 5}, {"t": "EN"}]]
    table = frame.svc.detect_table("c[*].t", progress=False)
    assert table[["path", "language"]].iloc[[0, 2]].to_numpy().tolist() == [["c[0].t", "DE"], ["c[2].t", "EN"]]
    [made] = frame.svc.correct("c[*].t", progress=False)["c"]
    changes = svc_nb.last_run().changes()
    assert made[2]["t"] != frame["c"][0][2]["t"]
    assert changes["after"].tolist() == [made[2]["t"]]
    assert made[1] == {"t": 5}


# ---- paths


def test_a_column_whose_name_is_the_whole_path_wins_and_the_longest_name_begins_a_path():
    frame = pd.DataFrame({"c": [["one"]], "c[*]": ["two words"], "c.d": [{"e": "one"}]})
    assert frame.svc.translate("c[*]", "DE", **OPTIONS).to_dict("list") == {"c[*]_DE": ["[DE] two words"]}
    assert frame.svc.translate("c.d.e", "DE", **OPTIONS).to_dict("list") == {"c.d_DE": [{"e": "[DE] one"}]}
    assert top_of(("c", "x"), ["c"]) is None


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("messages[*].contnet", r"'messages\[\*\]' has no key 'contnet'. Did you mean 'content'\?"),
        ("messages[*].x", "There are 'role', 'content' and 'n'"),
        ("messages.content", r"'messages' is a list. Did you mean 'messages\[\*\].content'\?"),
        ("messages[*][0]", r"'messages\[\*\]' is a dict, not a list"),
        ("messages[9].content", r"no item \[9\]: the longest has 2"),
        ("messages[*]", r"'messages\[\*\]' leads to dict, not to text"),
        ("messages[*].role.x", "expected lists, dicts or JSON .* next step .x, found text that is not JSON"),
        ("number.x", "found int"),
        ("mesages[*].content", "no column 'mesages'. Did you mean 'messages'"),
    ],
)  # fmt: skip
def test_a_path_that_leads_nowhere_says_what_is_there(path, words):
    frame = pd.DataFrame({"messages": CHAT, "number": 5})
    with pytest.raises(NoSuchColumn, match=words):
        frame.svc.plan(path, "DE", source_lang="EN")
    as_json = frame.assign(messages=[None if cell is None else json.dumps(cell) for cell in CHAT])
    with pytest.raises(NoSuchColumn, match=words):
        as_json.svc.plan(path, "DE", source_lang="EN")


@pytest.mark.parametrize(
    ("path", "at"),
    [("m[", 2), ("m[*", 2), ("m.", 2), ("m..a", 2), ("m[-1]", 2), ("m.a[x]", 4), ('m["a]', 2), ("m[*]a", 5)],
)
def test_what_is_not_a_path_says_where_it_goes_wrong(path, at):
    with pytest.raises(ValueError, match=f"At character {at}, expected"):
        pd.DataFrame({"m": [[]]}).svc.plan(path, "DE")


def test_a_path_is_not_endless():
    with pytest.raises(ValueError, match="at most 100 steps, found 5,000"):
        pd.DataFrame({"m": [[]]}).svc.plan("m" + "[0]" * 5000, "DE")


@pytest.mark.parametrize(
    ("cell", "path"),
    [(["one", "two words"], "tags[*]"), (({"key": "one"},), "tags[*].key"), ({"key": "one"}, "tags.key")],
)
def test_a_column_of_lists_or_dicts_names_a_path_that_leads_to_the_texts(cell, path):
    frame = pd.DataFrame({"tags": [cell]})
    with pytest.raises(TypeError, match=r"Give the path to the texts in them: df\.svc\.translate\(") as raised:
        frame["tags"].svc.translate("DE")
    assert f'"{path}"' in str(raised.value)
    assert frame.svc.plan(path, "DE", source_lang="EN").rows > 0


def test_a_column_is_given_whole_or_by_path():
    frame = pd.DataFrame({"m": [["one"]]})
    with pytest.raises(ValueError, match="as a whole and with a path"):
        frame.svc.plan(["m[*]", "m"], "DE")
    with pytest.raises(ValueError, match="given twice"):
        frame.svc.plan(["m[*]", "m[*]"], "DE")


@pytest.mark.parametrize("column", [[], [None, None], [[], []], [{}], ["[]", None], [[{"content": None}]]])
def test_where_there_is_nothing_there_is_nothing_to_do(column):
    made = translated(pd.Series(column, dtype=object), "[*].content")
    assert made == list(column)


def test_other_engines_say_that_pandas_takes_paths():
    polars = pytest.importorskip("polars")
    table = polars.DataFrame({"m": [["one"]]})
    with pytest.raises(TypeError, match="only pandas supports paths"):
        svc_nb.translate(table, "m[*]", "DE", **OPTIONS)
