"""Files that come in small pieces are read as if they came whole, and memory holds only some of them."""

from __future__ import annotations

import csv
import io
import json
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.cli.file_job import ResultCache, TextResult, TextSet
from svc_nb.tabular.streaming import source
from svc_nb.tabular.streaming.separated import Dialect
from tests.cli.tables import column, extended, json_lines, places, separated

CELLS = st.text(st.sampled_from(list('ab",;\t\n\r é😀 ')), max_size=6)


@pytest.fixture
def cut(monkeypatch):
    """Makes all pieces as short as is told."""

    def to(size: int) -> None:
        monkeypatch.setattr(source, "BYTES", size)
        monkeypatch.setattr(source, "CHARACTERS", size)

    return to


def outcome(read):
    """What *read* gives, or what it fails with."""
    try:
        table = read()
    except ValueError as problem:
        return str(problem)
    cells = {name: column(table, name) for name in dict.fromkeys(table.names)}
    more = [f'x"{number}\n' for number in range(table.rows)]
    return table.names, cells, places(table), extended(table, {"added": more})


@given(st.text(st.sampled_from(list('ab",;\t\n\r é😀')), max_size=40), st.sampled_from(",\t"), st.integers(1, 9))
def test_whatever_stands_in_a_csv_pieces_change_nothing(text, usual, size):
    def read():
        return separated(text.encode(), usual)

    with pytest.MonkeyPatch.context() as patch:
        whole = outcome(read)
        patch.setattr(source, "BYTES", size)
        patch.setattr(source, "CHARACTERS", size)
        patch.setattr(Dialect.records, "__kwdefaults__", {"line": 1, "rows": size})
        assert outcome(read) == whole


@given(st.lists(st.lists(CELLS, min_size=2, max_size=2), max_size=6), st.sampled_from(["\n", "\r\n"]))
def test_cells_are_those_that_python_reads(rows, end):
    stream = io.StringIO()
    csv.writer(stream, lineterminator=end, quoting=csv.QUOTE_ALL).writerows(
        [["a", "b"], *([*row[:-1], row[-1] + "x"] for row in rows)]
    )
    table = separated(stream.getvalue().encode(), delimiter=",")
    read = list(csv.reader(io.StringIO(stream.getvalue(), newline="")))
    assert [list(row) for row in zip(column(table, "a"), column(table, "b"), strict=True)] == read[1:]


@given(
    st.lists(st.one_of(st.dictionaries(CELLS, CELLS, max_size=3), st.none()), min_size=1, max_size=6),
    st.integers(1, 9),
)
def test_whatever_stands_in_json_lines_pieces_change_nothing(objects, size):
    lines = "\n".join("" if each is None else json.dumps(each, ensure_ascii=False) for each in objects)
    with pytest.MonkeyPatch.context() as patch:
        whole = outcome(lambda: json_lines(lines.encode()))
        patch.setattr(source, "BYTES", size)
        patch.setattr(source, "CHARACTERS", size)
        assert outcome(lambda: json_lines(lines.encode())) == whole


def test_a_long_cell_in_quotes_is_read_without_looking_at_it_again_and_again(cut):
    cut(1000)
    lines = "\n".join(f"line {number}" for number in range(100_000))
    table = separated(f'a,b\n1,"{lines}"\n2,x\n'.encode())
    assert column(table, "b") == [lines, "x"]
    assert places(table) == [2, 100_002]


def test_a_quote_that_is_never_closed_is_told_before_all_of_the_file_is_in_memory(cut, monkeypatch):
    cut(100)
    monkeypatch.setattr(source, "LONGEST", 10_000)
    rows = "2,x\n" * 100_000
    with pytest.raises(ValueError, match="line 2: a quote is not closed"):
        separated(f'a,b\n1,"x\n{rows}'.encode())
    assert separated(f'a\tb\n1\t"x\n{rows}'.encode(), "\t").rows == 100_001


def test_an_open_quote_costs_no_more_memory_than_the_longest_line(cut, monkeypatch):
    cut(10_000)
    monkeypatch.setattr(source, "LONGEST", 1_000_000)
    data = b'a,b\n1,"x\n' + b"2,x\n" * 1_000_000
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="line 2: a quote is not closed"):
            separated(data)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 5_000_000 + len(data)


@pytest.mark.parametrize("read", [separated, json_lines])
def test_a_line_without_an_end_is_told(cut, monkeypatch, read):
    cut(100)
    monkeypatch.setattr(source, "LONGEST", 10_000)
    with pytest.raises(ValueError, match="line 1: the line has more than"):
        read(b"x" * 100_000)


def test_the_line_that_does_not_fit_is_named_wherever_it_stands(cut):
    cut(10)
    with pytest.raises(ValueError, match=r"a\.csv is not valid utf-8 \(line 1,002\)"):
        separated(b"a,b\n" + b"1,x\n" * 1000 + b"1,caf\xe9\n" + b"1,x\n" * 1000)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "iso2022_jp", "utf-7"])
def test_a_result_in_another_encoding_is_written_as_if_it_were_one_piece(cut, encoding):
    cut(10)
    text = "a,b\n" + "1,茶\n" * 50
    table = separated(text.encode())
    longer = "a,b,c\n" + "1,茶,é茶\n".replace("é", "") * 50
    assert extended(table, {"c": ["茶"] * 50}, encoding=encoding) == longer.encode(encoding)


def test_what_is_forgotten_was_not_asked_for_in_a_long_time():
    known = ResultCache(most=20_000)
    for number in range(1000):
        known.put(number, TextResult(("x",), 0))
        assert known.get(0) is not None
    assert known.get(999) is not None
    assert known.get(500) is None


@pytest.mark.parametrize("paired", [False, True])
def test_long_texts_are_weighed_as_what_came_of_them_is(paired):
    known, most = ResultCache(most=1_000_000), 0
    for number in range(1000):
        text = f"{number:010000}"
        known.put((text, "de") if paired else text, TextResult(("de",), 0))
        known.get(("0" * 10_000, "de") if paired else "0" * 10_000)
        kept = known._young.keys() | known._old.keys()
        most = max(most, sum(len(key[0] if paired else key) for key in kept))
    assert 400_000 < most < 1_000_000


def test_what_was_seen_stays_seen_at_eight_bytes_each():
    seen = TextSet()
    for start in range(0, 10_000, 100):
        seen.add([f"text {number}" for number in range(start, start + 100)])
        seen.add([])
    assert all(seen.has([f"text {number}" for number in range(10_000)]))
    assert not any(seen.has([f"text {number}" for number in range(10_000, 20_000)]))
    assert sum(part.nbytes for part in seen._parts) == 8 * 10_000
