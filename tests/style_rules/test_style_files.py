from __future__ import annotations

import csv
import io
import json
import os
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from svc_nb.errors import InvalidRows
from svc_nb.style_rules.files import read, write
from svc_nb.style_rules.style import Style
from svc_nb.tabular.cells import STARTS, guarded, unguarded
from svc_nb.wire.models import CustomInstruction
from tests.style_rules.drawn import HOSTILE, RULES, styles

ENDINGS = ["json", "csv", "tsv", "xlsx"]
SPREADSHEETS = ENDINGS[1:]
MOMENT = datetime(2026, 11, 15, 0, 12, 20, 483000, UTC)
WILD = st.one_of(st.sampled_from([*HOSTILE, "\ud800", "a\0b", "\x1b", "\ufffe", "\x85", "\u2028"]), st.text(max_size=6))
IN_ONE_FOLDER = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def house(**members):
    told = [CustomInstruction(f"label {place}", text, None, None) for place, text in enumerate(HOSTILE)]
    told.append(CustomInstruction("tone", "Be kind.", "fr", "i-1"))
    return Style(RULES, told, **{"name": "house", "language": "en", **members})


@pytest.mark.long
@pytest.mark.parametrize("ending", ENDINGS)
@IN_ONE_FOLDER
@given(style=styles(WILD), safe=st.booleans())
def test_a_file_gives_back_what_was_written_or_names_the_rows(tmp_path, ending, style, safe):
    path = tmp_path / f"style.{ending}"
    path.unlink(missing_ok=True)
    refused = None
    try:
        write(style, path, formula_safe=safe and ending != "json")
    except InvalidRows as problem:
        refused = problem
    if refused is None:
        assert read(path) == style
    else:
        assert len(refused.rows) == len(refused.findings) > 0
        assert not path.exists()


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("members", [{}, {"style_id": "s-1", "version": 3, "creation_time": MOMENT}])
def test_hostile_texts_survive_every_form(tmp_path, ending, members):
    path = write(house(**members), str(tmp_path / f"s.{ending.upper()}"))
    assert read(path) == house(**members)


@given(st.text(max_size=8) | st.text("'=+-@\t\r＝a", max_size=5), st.booleans())
def test_a_guard_is_taken_away_exactly(text, safe):
    cell = guarded(text, formula_safe=safe)
    assert unguarded(cell) == text
    assert not (safe and cell[:1] in set(STARTS))


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_no_cell_of_a_safe_file_begins_a_formula(tmp_path, ending):
    path = write(house(name="=1+1"), tmp_path / f"s.{ending}", formula_safe=True)
    rows = csv.reader(
        io.StringIO(path.read_bytes().decode("utf-8-sig"), newline=""),
        delimiter="\t" if ending == "tsv" else ",",
    )
    cells = [cell for row in rows for cell in row]
    assert "'=1+1" in cells
    assert not [cell for cell in cells if cell[:1] and cell[0] in STARTS]
    assert read(path) == house(name="=1+1")


@pytest.mark.parametrize("safe", [False, True])
def test_no_cell_of_a_spreadsheet_is_a_formula_or_a_number(tmp_path, safe):
    path = write(house(name="=1+1", version=7), tmp_path / "s.xlsx", formula_safe=safe)
    with zipfile.ZipFile(path) as archive:
        sheets = [archive.read(name).decode() for name in archive.namelist() if "worksheets/" in name]
    assert len(sheets) == 3
    for sheet in sheets:
        assert "<f>" not in sheet
        assert sheet.count("<c ") == sheet.count('t="s"') + sheet.count('t="inlineStr"')


def test_a_text_that_looks_like_an_escape_of_a_spreadsheet_is_escaped(tmp_path):
    style = Style(None, [CustomInstruction("_x000D_ _x0041_", "_x005F_x000D_")], name="n")
    path = write(style, tmp_path / "s.xlsx")
    with zipfile.ZipFile(path) as archive:
        parts = [archive.read(name) for name in archive.namelist()]
    assert any(b"_x005F_x000D_ _x005F_x0041_" in part for part in parts)
    assert read(path) == style


def test_a_csv_reads_as_a_person_expects(tmp_path):
    path = write(Style(RULES, name="house", language="en"), tmp_path / "s.csv")
    table = pd.read_csv(path)
    assert table["kind"].tolist() == ["list", "rule", "rule"]
    assert table["option"].tolist()[1:] == ["use_bc_and_ad", "use"]
    assert table["name"].tolist()[0] == "house"


def test_rows_are_labelled_with_the_lines_they_stand_at(tmp_path):
    told = [CustomInstruction("a", "two\nlines"), CustomInstruction("b", "one")]
    style = read(write(Style(RULES, told, name="n"), tmp_path / "s.csv"))
    assert style.rules.index.tolist() == [3, 4]
    assert style.instructions.index.tolist() == [5, 7]
    assert style.rules.index.name == "line"
    sheet = read(write(Style(RULES, told, name="n"), tmp_path / "s.xlsx"))
    assert sheet.instructions.index.tolist() == [2, 3]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("s.csv", "category,rule,option\r\npunctuation,serial_comma,use\r\n"),
        ("s.csv", "\ufeffOption;Rule;Category;notes\nuse;serial_comma;punctuation;mine\n\n;;;\n"),
        ("s.tsv", "kind\tcategory\trule\toption\n\nRule\tpunctuation\tserial_comma\tuse"),
        ("s.json", json.dumps({"configured_rules": {"punctuation": {"serial_comma": "use"}}})),
        ("s.json", '\ufeff{"rules": [{"category": "punctuation", "rule": "serial_comma", "option": "use"}]}'),
    ],
)
def test_rules_that_people_and_the_service_write_are_read(tmp_path, name, text):
    (tmp_path / name).write_bytes(text.encode())
    assert read(tmp_path / name) == Style({"punctuation": {"serial_comma": "use"}})


def test_instructions_alone_in_utf_16_are_read(tmp_path):
    (tmp_path / "s.tsv").write_bytes("label\tprompt\nTon\tSei höflich.\n".encode("utf-16"))
    assert read(tmp_path / "s.tsv") == Style(None, [CustomInstruction("Ton", "Sei höflich.")])


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("s.csv", b"", "empty"),
        ("s.csv", b"a,b\n1,2\n", "names of the columns"),
        ("s.csv", b"\n\n", "the file is empty"),
        ("s.csv", b"kind,rule,rule\n", "duplicate columns: rule"),
        ("s.csv", b"kind,name\nlist,a\nlist,b\n", "line 3: expected one list"),
        ("s.csv", b"kind,name\nfrog,a\n", "line 2: kind: expected list, rule, instruction"),
        ("s.csv", b"kind,name\nlist,a,b\n", "line 2: expected at most 2 cells"),
        ("s.csv", b'kind,name\nlist,"a\n', "line 2: the row cannot be read"),
        ("s.csv", b"kind,version\nlist,three\n", "whole number"),
        ("s.csv", b"\xff\xfekind\xff", "UTF-8"),
        ("s.csv", b"kind,name\nlist,\xe4\n", "UTF-8"),
        ("s.json", b"{", "expected JSON"),
        ("s.json", b"[" * 100_000, "expected JSON"),
        ("s.json", b"[]", "a style rule list"),
        ("s.json", b'{"a": 1}', "a style rule list"),
        ("s.json", b'{"rules": {}}', "list of objects"),
        ("s.json", b'{"rules": [{"option": true}]}', r"rules\[0\].option: expected text, found bool"),
        ("s.json", b'{"configured_rules": {"a": 1}}', "category to rule to option"),
        ("s.csv", b",,\n", "names of the columns.*found nothing"),
        ("s.xlsx", b"PK\x03\x04 rubbish", "not an Excel file"),
        ("s.xlsx", b"kind,name", "not an Excel file"),
    ],
)
def test_what_is_no_style_is_one_clear_error_that_names_the_file(tmp_path, name, data, said):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(ValueError, match=said) as caught:
        read(tmp_path / name)
    assert str(caught.value).startswith(f"{name}: ")


def workbook(path, **sheets):
    from openpyxl import Workbook

    book = Workbook()
    book.remove(book.worksheets[0])
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def test_a_spreadsheet_made_by_hand_is_read_as_a_person_sees_it(tmp_path):
    path = workbook(
        tmp_path / "s.xlsx",
        notes=[["anything"]],
        Instructions=[
            ["Prompt", "Label", "Remark"],
            [5.0, True],
            [None, None],
            [datetime(2026, 1, 2), 1.5, "x"],
        ],
    )
    style = read(path)
    assert style.instructions["prompt"].tolist() == ["5", "2026-01-02"]
    assert style.instructions["label"].tolist() == ["TRUE", "1.5"]
    assert style.instructions.index.tolist() == [2, 4]


def test_an_error_in_a_cell_is_named(tmp_path):
    path = workbook(tmp_path / "s.xlsx", rules=[["category", "rule", "option"], ["a", "b", "#N/A"]])
    with pytest.raises(ValueError, match=r"sheet 'rules' has 1 cell with an error: C2 #N/A"):
        read(path)


def test_a_spreadsheet_without_our_sheets_is_a_clear_error(tmp_path):
    with pytest.raises(ValueError, match=r"expected sheets named list, rules, instructions, found 'tabelle1'"):
        read(workbook(tmp_path / "s.xlsx", Tabelle1=[["a"]]))


def test_a_spreadsheet_that_would_fill_the_memory_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "s.xlsx", "w") as archive:
        archive.writestr("1.xml", b"")
        archive.infolist()[0].file_size = 210 * 2**20
    with pytest.raises(ValueError, match="210 MiB"):
        read(tmp_path / "s.xlsx")


@pytest.mark.parametrize(("ending", "length"), [("csv", 131_072), ("tsv", 131_072), ("xlsx", 32_767)])
def test_a_text_too_long_for_a_cell_names_its_row(tmp_path, ending, length):
    table = pd.DataFrame({"label": ["a", "b"], "prompt": ["p", "x" * length]}, index=["first", "second"])
    with pytest.raises(InvalidRows, match=f"{length:,} characters") as caught:
        write(Style(None, table), tmp_path / f"s.{ending}")
    assert caught.value.rows == ["second"]
    shorter = Style(None, table.assign(prompt=["p", "=" * (length - 1)]))
    assert read(write(shorter, tmp_path / f"s.{ending}", formula_safe=True)) == shorter


@pytest.mark.parametrize("name", ["s", "s.xls", "s.txt", "s.csv.bak"])
def test_another_kind_of_file_is_refused_before_it_is_touched(tmp_path, name):
    for call in (lambda: write(house(), tmp_path / name), lambda: read(tmp_path / name)):
        with pytest.raises(ValueError, match=r"\.json, \.csv, \.tsv, \.xlsx"):
            call()
    assert not (tmp_path / name).exists()


def test_json_is_no_spreadsheet_and_a_table_is_no_style(tmp_path):
    with pytest.raises(ValueError, match="formula_safe"):
        write(house(), tmp_path / "s.json", formula_safe=True)
    with pytest.raises(TypeError, match=r"Style\(rules, instructions\)"):
        write(house().rules, tmp_path / "s.json")


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_file_that_cannot_be_written_leaves_the_old_one_and_nothing_else(tmp_path, ending):
    path = write(house(), tmp_path / f"s.{ending}")
    before = path.read_bytes()
    broken = house().replace(instructions=[CustomInstruction("a", "\ud800")])
    with pytest.raises(InvalidRows, match="surrogate"):
        write(broken, path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == [path.name]


def test_a_place_that_cannot_be_written_to_is_a_clear_error(tmp_path):
    with pytest.raises(FileNotFoundError, match="could not be written"):
        write(house(), tmp_path / "no" / "s.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(OSError, match=r"folder\.csv"):
        write(house(), tmp_path / "folder.csv")
    assert os.listdir(tmp_path) == ["folder.csv"]
    with pytest.raises(FileNotFoundError):
        read(Path(tmp_path / "none.csv"))
