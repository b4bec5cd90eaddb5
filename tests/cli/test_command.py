"""The command line as such: slips, keys, help, pipes and narrow terminals."""

from __future__ import annotations

import io
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.cli.command import build_parser
from svc_nb.cli.failure import Failure, interrupting
from svc_nb.cli.options import KEYS
from svc_nb.cli.output import breadth, lines, write_out

PARSERS = {
    parser.prog: parser
    for command in build_parser().commands.values()
    for parser in (command.commands.values() or [command])
}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            "transalte a.csv",
            "there is no command 'transalte'. Did you mean translate? See svc-nb --help",
        ),
        ("glossary pul x", "there is no command 'pul'. Did you mean pull? See svc-nb glossary --help"),
        ("translate a.csv --colums t --to DE", "there is no option --colums. Did you mean --columns?"),
        ("usage --by month", "--by"),
        ("translate --to DE a.csv", "expected also FILE (before --to and --columns)"),
        ("translate a.csv --columns t --to DE --budget much", "expected a whole number of characters"),
        ("translate a.csv --columns t --to JP", "--to: there is no language 'JP'. Did you mean JA?"),
        ("glossary list there", "there is a word too many. See svc-nb glossary list --help"),
    ],
)
def test_a_slip_is_one_line_with_what_was_meant(bare, words, said):
    ended = bare(*words.split())
    assert ended.code == 2
    assert said in ended.line
    assert ended.out == ""


@pytest.mark.parametrize("option", KEYS)
@pytest.mark.parametrize("form", ["{} SECRET-1", "{}=SECRET-1"])
def test_a_key_is_not_taken_from_the_command_line_and_not_repeated(bare, option, form):
    ended = bare("usage", *form.format(option).split())
    assert ended.code == 2
    assert "a key is not taken from the command line" in ended.line
    assert "SECRET-1" not in ended.err + ended.out


def test_a_value_of_an_unknown_option_is_not_repeated(bare):
    ended = bare("usage", "--secret=SECRET-1", "SECRET-2")
    assert ended.code == 2
    assert "there is no option --secret" in ended.line
    assert "SECRET" not in ended.line


@pytest.mark.parametrize("prog", PARSERS)
def test_every_command_has_help_with_an_example_that_is_understood(bare, prog):
    ended = bare(*prog.split()[1:], "--help")
    assert ended.code == 0
    if prog == "svc-nb serve":
        return
    examples = re.findall(r"^  (svc-nb .*)$", ended.out.partition("example:\n")[2], flags=re.M)
    assert examples
    for example in examples:
        words = shlex.split(example.partition(" > ")[0])
        build_parser().parse(words[1:])
        assert example.startswith(prog)


def test_a_file_too_many_is_named(bare):
    Path("a.csv").write_text("t\nx\n")
    Path("b.csv").write_text("t\nx\n")
    ended = bare("translate", "a.csv", "b.csv", "--columns", "t", "--to", "DE")
    assert ended.code == 2
    assert "b.csv is one file too many: svc-nb translate takes one at a time" in ended.line


def test_a_workbook_is_not_poured_over_a_terminal(nothing):
    class Terminal(io.TextIOWrapper):
        def isatty(self) -> bool:
            return True

    nothing.setattr(sys, "stdout", Terminal(io.BytesIO()))
    write_out(b"t\nx\n")
    with pytest.raises(Failure, match="cannot be read on a terminal"):
        write_out(b"PK\x03\x04")
    assert sys.stdout.buffer.getvalue() == b"t\nx\n"


def test_no_command_at_all_shows_first_steps_that_work_when_pasted(shell):
    ended = shell()
    assert ended.code == 2
    assert ended.out == ""
    pasted = [shlex.split(line, comments=True) for line in re.findall(r"^  (\S.*)$", ended.err, flags=re.M)]
    steps = [words[3 if "-m" in words else 1 :] for words in pasted if words]
    assert [words[0] for words in steps] == ["demo", "samples", "translate", "translate", "doctor"]
    for words in steps[1:4]:
        assert shell(*words).code in (0, 3), words
    assert Path("samples/reviews.en-us.csv").exists()


def test_the_first_steps_name_the_program_as_it_was_called(bare, nothing):
    nothing.setenv("PATH", "")
    nothing.setattr(sys, "argv", ["./my env/bin/svc-nb"])
    assert "  './my env/bin/svc-nb' demo " in bare().err
    nothing.setattr(sys, "argv", ["/somewhere/svc_nb/__main__.py"])
    assert f"  {shlex.quote(sys.executable)} -m svc_nb demo " in bare().err


def test_samples_that_are_there_stay_as_they_are(bare):
    assert bare("samples", "here").out.split() == bare("samples", "here").out.split()
    Path("here/reviews.csv").write_text("mine")
    assert bare("samples", "here").code == 0
    assert Path("here/reviews.csv").read_text() == "mine"


def test_a_group_of_commands_alone_shows_what_is_in_it(bare):
    ended = bare("glossary")
    assert ended.code == 2
    assert "write the terms of a glossary to a file" in ended.err
    assert bare("--version").out.startswith("svc-nb ")


def test_where_nothing_is_configured_it_is_said_that_the_embedded_service_answers(shell, environ):
    from svc_nb import close

    for name in ("SVC_BASE_URL", "SVC_API_KEY", "SVC_ADMIN_KEY"):
        environ.delenv(name)
    ended = shell("style", "list")
    close()
    assert ended.code == 0
    assert "no address is set, so this is the embedded service on this machine" in ended.err


def test_an_address_without_a_key_says_where_a_key_comes_from(shell, environ):
    environ.delenv("SVC_API_KEY")
    environ.delenv("SVC_ADMIN_KEY")
    ended = shell("glossary", "list")
    assert ended.code == 1
    assert "set SVC_API_KEY, or store one with `python -m keyring" in ended.line


def test_a_profile_is_chosen_and_one_that_is_not_there_is_named(shell):
    ended = shell("glossary", "list", "--profile", "work")
    assert ended.code == 1
    assert "There is no profile 'work'" in ended.line


def test_a_bug_keeps_its_traceback(nothing):
    from svc_nb.cli import main

    class Broken:
        def __fspath__(self) -> str:
            raise AssertionError("a bug")

    with pytest.raises(AttributeError):
        main(["translate", Broken(), "--columns", "t", "--to", "DE"])


@pytest.mark.long
def test_a_reader_who_leaves_is_no_failure_and_letters_survive_a_poor_locale(environ):
    Path("a.csv").write_text("t\n" + "Ein schöner Tag 日本語\n" * 5_000, encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, "-m", "svc_nb", "detect", "a.csv", "--column", "t", "--out", "-"],
        env={**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "ascii"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
    )
    with process, process.stdout, process.stderr:
        read = process.stdout.read(60).decode()
        assert read.startswith("t,t_lang,t_confidence\nEin schöner Tag 日本語,DE,0.")
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


CELLS = st.one_of(st.text(max_size=30), st.none())


@given(st.lists(st.tuples(CELLS, CELLS, st.integers(0, 10**9)), min_size=1, max_size=5), st.integers(10, 100))
def test_a_table_fits_the_terminal_and_cannot_move_its_cursor(rows, width):
    shown = lines(pd.DataFrame(rows, columns=["name", "what it says", "count"]), width=width)
    assert all(breadth(line) <= width for line in shown)
    assert not any(ord(letter) < 32 or 127 <= ord(letter) < 160 for line in shown for letter in line)


def test_a_pipe_gets_all_of_a_table_and_columns_stay_in_line():
    table = pd.DataFrame({"title": ["日本", "a" * 200], "n": [1, 2000]})
    assert lines(table, width=None) == [
        "title".ljust(200) + "      n",
        "日本".ljust(198) + "      1",
        "a" * 200 + "  2,000",
    ]
    assert lines(table, width=20) == ["title              n", "日本               1", "aaaaaaaaaaaa…  2,000"]


def test_names_are_broken_into_lines_before_cells_are_cut():
    table = pd.DataFrame({"api_key_label": ["Web shop"], "total_characters": [1234]})
    assert lines(table, width=40) == ["api_key_label  total_characters", "Web shop                  1,234"]
    assert lines(table, width=20) == [
        "api_key_      total_",
        "label     characters",
        "Web shop       1,234",
    ]


def test_where_columns_do_not_fit_rows_become_blocks():
    table = pd.DataFrame({f"column {number}": ["some text"] for number in range(4)})
    assert lines(table, width=24)[:2] == ["column 0  some text", "column 1  some text"]


def test_the_embedded_service_is_served_by_its_own_command_line(bare):
    ended = bare("serve", "--memory", "--port", "99999")
    assert ended.code == 1
    assert "port 99999 cannot be had" in ended.err


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGHUP")
def test_a_signal_that_is_ignored_stays_so_and_all_are_as_before_at_the_end():
    before = [signal.getsignal(signal.SIGTERM), signal.signal(signal.SIGHUP, signal.SIG_IGN)]
    try:
        with interrupting():
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        assert signal.getsignal(signal.SIGTERM) is before[0]
    finally:
        signal.signal(signal.SIGHUP, before[1])
