"""Slips of who calls `translate` and `detect`: told clearly, before anything is sent, and nothing is passed over."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from openpyxl import Workbook

from svc_nb.cli import file_commands
from svc_nb.cli.output import breadth
from svc_nb.tabular.streaming import opened, source

GO_ON = "Run the same command again"


def parquet() -> str:
    pq.write_table(pa.table({"t": ["x"]}), "a.parquet")
    return "a.parquet"


def workbook() -> str:
    book = Workbook()
    book.active.append(["t"])
    book.active.append(["x"])
    book.save("a.xlsx")
    return "a.xlsx"


def lines() -> str:
    Path("a.jsonl").write_text('{"t": "x"}\n')
    return "a.jsonl"


def separated() -> str:
    Path("a.csv").write_text("id,t\n1,x\n")
    return "a.csv"


MEANINGLESS = [
    *((parquet, option) for option in ("--delimiter", "--sheet", "--encoding", "--out-encoding")),
    *((workbook, option) for option in ("--delimiter", "--encoding", "--out-encoding")),
    *((lines, option) for option in ("--delimiter", "--sheet")),
    (separated, "--sheet"),
]


@pytest.mark.parametrize(("made", "option"), MEANINGLESS)
def test_an_option_that_means_nothing_for_a_file_is_refused(bare, made, option):
    name = made()
    ended = bare("translate", name, "--columns", "t", "--to", "DE", option, "utf-8")
    assert ended.code == 2
    assert f"{option} is for " in ended.line
    assert f"does not apply to {name}" in ended.line
    assert bare("detect", name, "--column", "t", option, "utf-8").code == 2


@pytest.mark.parametrize(
    ("value", "told"),
    [(7, "numbers"), ({"a": "x"}, "objects"), (["x"], "lists"), (True, "true or false")],
)
def test_json_lines_without_a_single_text_are_refused(bare, value, told):
    rows = [{"t": value}, {"t": None}, {}]
    Path("a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    ended = bare("translate", "a.jsonl", "--columns", "t", "--to", "DE")
    assert ended.code == 2
    assert f"a.jsonl: the column 't' holds no texts but {told}" in ended.line


def test_json_lines_of_gaps_or_with_some_texts_are_taken(shell):
    for rows in ([{"t": None}, {}], [{"t": 7}, {"t": "Guten Tag"}]):
        Path("a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        assert shell("translate", "a.jsonl", "--columns", "t", "--to", "DE").code == 0


def test_both_commands_take_column_and_columns(shell):
    name = separated()
    for option in ("--column", "--columns"):
        assert shell("translate", name, option, "t", "--to", "DE").code == 0
        assert shell("detect", name, option, "t").code == 0
    ended = shell("detect", name, "--columns", "id", "t")
    assert ended.code == 2
    assert "detect takes one column at a time, found 2" in ended.line


def test_columns_with_commas_between_are_told_to_be_separated_by_spaces(bare):
    ended = bare("translate", separated(), "--columns", "id,t", "--to", "DE")
    assert ended.code == 2
    assert "there is no column 'id,t'; these are several columns: separate them by spaces" in ended.line
    assert "spaces" not in bare("translate", "a.csv", "--columns", "id,x", "--to", "DE").line


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["phone"], "--protect: there is no kind 'phone'; did you mean \"phones\"?"),
        (["gdpr"], "--protect: there is no kind 'gdpr'. The kinds are"),
        (["urls", "none"], '--protect: "none" cannot be combined with anything else'),
    ],
)
def test_what_can_be_no_kind_to_protect_is_told_in_the_words_of_a_shell(bare, words, told):
    ended = bare("translate", separated(), "--columns", "t", "--to", "DE", "--protect", *words)
    assert ended.code == 2
    assert told in ended.line
    assert ("put it in a file and name that with --names" in ended.line) == ("no kind" in told)
    assert "re.compile" not in ended.line


def test_a_file_of_names_that_is_not_there_or_no_text_is_told(bare):
    command = ["translate", separated(), "--columns", "t", "--to", "DE", "--names"]
    missing = bare(*command, "nope.txt")
    assert missing.code == 2
    assert (
        "--names: there is no file nope.txt; expected a text file with the name of a person in each line"
        in missing.line
    )
    Path("latin.txt").write_bytes("Müller".encode("latin-1"))
    assert "--names: latin.txt is not valid UTF-8; save it as UTF-8" in bare(*command, "latin.txt").line
    assert "--names: . cannot be read: " in bare(*command, ".").line


def test_words_to_keep_may_come_from_a_file(shell):
    Path("a.csv").write_text("t\nA house for phone\n")
    Path("keep.txt").write_text("phone\n")
    ended = shell("translate", "a.csv", "--columns", "t", "--to", "DE", "--from", "EN", "--names", "keep.txt", "--plan")
    assert ended.code == 0
    assert str(len("A house for [[0]]")) in ended.out


def test_help_names_the_file_that_is_written(bare):
    assert "beside FILE: reviews.lang.csv" in " ".join(bare("detect", "--help").out.split())
    assert "beside FILE: reviews.de.csv" in " ".join(bare("translate", "--help").out.split())


def test_what_fails_again_is_not_said_to_be_tried_again(shell):
    rows = [{"t": "Guten Tag"}, {"t": "half \ud800"}]
    Path("a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    command = ["translate", "a.jsonl", "--columns", "t", "--to", "DE"]
    ended = shell(*command)
    assert ended.code == 1
    assert "1 failed (line 2" in ended.line
    assert GO_ON not in ended.line
    assert "--partial writes the file with gaps" in ended.line
    assert GO_ON in shell(*command, "--budget", "0", "--to", "FR").line


@pytest.fixture
def large(monkeypatch):
    """Writes a file of many pieces, of which only the last line is broken, if any."""
    monkeypatch.setattr(source, "BYTES", 1000)
    monkeypatch.setattr(source, "CHARACTERS", 1000)

    def write(name: str, *, broken: bool) -> None:
        Path(name).write_text("id,t\n" + "1,Guten Tag\n" * 4000 + ("1,2,3\n" if broken else ""))

    return write


def test_a_slip_is_told_before_all_of_the_file_is_read(shell, running, large):
    large("a.csv", broken=True)
    Path("a.de.csv").write_text("mine")
    command = ["translate", "a.csv", "--to", "DE"]
    assert "there is no column 'x'" in shell(*command, "--columns", "x").line
    assert "a.de.csv already exists" in shell(*command, "--columns", "t").line
    assert "line 4002: expected 2 cells" in shell(*command, "--columns", "t", "--replace").line
    assert "line 4002: expected 2 cells" in shell(*command, "--columns", "t", "--plan").line
    assert "line 4002: expected 2 cells" in shell("detect", "a.csv", "--column", "t").line
    assert not running.traffic.answered


def test_a_sign_of_life_is_given_on_a_terminal_and_taken_away(monkeypatch, capsys, tmp_path, large):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(file_commands, "EVERY", 0)
    large("a.csv", broken=False)
    for terminal, shown in ((True, True), (True, False), (False, True)):
        monkeypatch.setattr(sys.stderr, "isatty", lambda terminal=terminal: terminal)
        with opened("a.csv") as table:
            with file_commands.show_reading(table.source, shown=shown):
                table.check(["t"])
            table.source.read(0)
        said = capsys.readouterr().err
        assert ("checking a.csv: 100%" in said) == (terminal and shown)
        assert said == "" or said.endswith(f"\r{' ' * len('checking a.csv: 100%')}\r")
    assert table.rows == 4000


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such names")
def test_a_name_cannot_move_the_cursor_of_who_watches(monkeypatch, capsys, tmp_path, large):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(file_commands, "EVERY", 0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    name = "\x1b[2J" + "日" * 60 + ".csv"
    large(name, broken=False)
    with opened(name) as table, file_commands.show_reading(table.source, shown=True):
        table.check(["t"])
    said = capsys.readouterr().err
    assert "\x1b" not in said
    assert max(map(breadth, said.split("\r"))) < 100
    assert said.endswith(f"\r{' ' * breadth(said.split(chr(13))[-3])}\r")
