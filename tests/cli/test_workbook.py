"""Workbooks: what of a sheet is text, where new cells go, and what a cell cannot hold."""

from __future__ import annotations

import io
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from openpyxl import Workbook as Book
from openpyxl import load_workbook
from openpyxl.cell.cell import ERROR_CODES

from svc_nb.cli.failure import Misuse
from svc_nb.cli.file_commands import chosen
from svc_nb.tabular.streaming import workbook as module
from tests.cli.tables import column, extended, workbook

COMMAND = ["translate", "a.xlsx", "--columns", "t", "--to", "FR"]
LONGEST = 32_767


def saved(rows, *merged: str) -> bytes:
    book = Book()
    for row in rows:
        book.active.append(row)
    for cells in merged:
        book.active.merge_cells(cells)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def page(data: bytes | Path):
    return load_workbook(io.BytesIO(data) if isinstance(data, bytes) else data).active


def spent(running) -> int:
    return sum(running.state.ledger.spent().values())


def test_new_cells_stand_to_the_right_of_merged_ones():
    made = page(extended(workbook(saved([["t"], ["a"], ["b"]], "A2:D2")), {"t_DE": ["x", "y"]}))
    assert [made["E1"].value, made["E2"].value, made["E3"].value] == ["t_DE", "x", "y"]


def test_only_texts_of_a_workbook_are_texts():
    others = [1e25, 7, 1.5, True, datetime(2026, 1, 2), timedelta(days=3, hours=2), *ERROR_CODES]
    table = workbook(saved([["n", "t"], *([number, each] for number, each in enumerate(others)), [99, "#1"]]))
    assert column(table, "t") == [*[None] * len(others), "#1"]


def test_a_column_without_a_single_text_is_refused():
    table = workbook(saved([[2026, "t", "none"], [7, "a", None], [8, 2.5, None]]))
    assert table.names == ["2026", "t", "none"]
    assert chosen(table, ["t", "none"], "--columns") == ["t", "none"]
    with pytest.raises(Misuse, match="the column '2026' holds no texts but numbers"):
        chosen(table, ["2026"], "--columns")


def test_what_no_cell_can_hold_is_told_and_left_out_where_gaps_are_allowed(shell, running):
    long = ("Guten Tag " * LONGEST)[:LONGEST]
    Path("a.xlsx").write_bytes(saved([["t"], [long], ["Guten Tag"], [long]]))
    ended = shell(*COMMAND, "-q")
    assert ended.code == 1
    assert "1 of 3 cells is done, 2 failed (row 2: the translation is kept, but is longer than" in ended.line
    assert "save the sheet as .csv" in ended.line
    paid = spent(running)
    ended = shell(*COMMAND, "--partial")
    assert ended.code == 1
    assert "a.fr.xlsx has gaps there" in ended.err
    assert "1 of 3 cells translated into FR, 1 of them from the store" in ended.out
    made = page(Path("a.fr.xlsx"))
    assert [made["B2"].value, made["B3"].value, made["B4"].value] == [None, "[FR] Guten Tag", None]
    assert spent(running) == paid


@pytest.mark.parametrize(("most", "code"), [(2, 0), (1, 1)])
def test_a_sheet_without_room_for_a_column_is_refused_before_anything_is_paid(shell, running, monkeypatch, most, code):
    monkeypatch.setattr(module, "MOST_COLUMNS", most)
    Path("a.xlsx").write_bytes(saved([["t"], ["Guten Tag"]]))
    ended = shell(*COMMAND)
    assert ended.code == code
    assert ("there is no room for more" in ended.err) == bool(code) == (spent(running) == 0)
