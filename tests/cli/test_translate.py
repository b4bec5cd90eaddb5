"""`svc-nb translate` and `svc-nb detect`: what a person gets, and what is never lost or paid twice."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests import forked
from tests.ctrl_c import pressed
from tests.waiting import until

TEXTS = ["Guten Morgen", "Gute Nacht", "Guten Morgen", "12345", ""]


@pytest.fixture
def shop(shell) -> Path:
    rows = "".join(f"{number:03};{text};1,50\r\n" for number, text in enumerate(TEXTS, start=7))
    Path("shop.csv").write_bytes(b"\xef\xbb\xbf" + f"id;title;price\r\n{rows}".encode())
    return Path("shop.csv")


def translate(shell, *words, to="DE"):
    return shell("translate", "shop.csv", "--columns", "title", "--to", to, *words)


def used(shell) -> int:
    table = json.loads(shell("usage", "--by", "key", "--json").out)
    return sum(row["total_characters"] for row in table)


def test_the_result_stands_beside_the_file_with_everything_else_as_it_was(shell, shop):
    ended = translate(shell, to="FR")
    assert ended.code == 0
    assert "shop.fr.csv: 3 of 5 cells translated into FR" in ended.out
    assert "22 characters billed" in ended.out
    assert Path("shop.fr.csv").read_bytes() == (
        b"\xef\xbb\xbfid;title;price;title_FR\r\n"
        b"007;Guten Morgen;1,50;[FR] Guten Morgen\r\n"
        b"008;Gute Nacht;1,50;[FR] Gute Nacht\r\n"
        b"009;Guten Morgen;1,50;[FR] Guten Morgen\r\n"
        b"010;12345;1,50;12345\r\n"
        b"011;;1,50;\r\n"
    )


def test_a_formula_safe_result_has_no_new_cell_that_a_spreadsheet_runs(shell):
    Path("sums.csv").write_text("title\n=1+1\n-5\n'=2\nGuten Morgen\n")
    how = ("translate", "sums.csv", "--columns", "title", "--to", "FR")
    assert shell(*how).code == 0
    exact = "title,title_FR\n=1+1,=1+1\n-5,-5\n'=2,'=2\nGuten Morgen,[FR] Guten Morgen\n"
    assert Path("sums.fr.csv").read_text() == exact
    assert shell(*how, "--formula-safe", "--replace").code == 0
    assert Path("sums.fr.csv").read_text() == (
        "title,title_FR\n=1+1,'=1+1\n-5,'-5\n'=2,''=2\nGuten Morgen,[FR] Guten Morgen\n"
    )
    Path("sums.jsonl").write_text('{"title": "=1+1"}\n')
    ended = shell("translate", "sums.jsonl", "--columns", "title", "--to", "FR", "--formula-safe")
    assert ended.code == 2
    assert "--formula-safe is for CSV and TSV; in sums.jsonl no text is run as a formula" in ended.line


def test_several_languages_and_columns_stand_side_by_side(shell, shop):
    assert shell("translate", shop, "--columns", "title", "id", "--to", "fr,es", "--json").code == 0
    head = Path("shop.fr.es.csv").read_text("utf-8-sig").splitlines()[0]
    assert head == "id;title;price;title_FR;title_ES;id_FR;id_ES"


def test_a_second_run_replaces_its_own_file_and_pays_for_nothing(shell, shop):
    assert translate(shell).code == 0
    assert "0 characters billed" in translate(shell).out


def test_a_file_that_is_not_ours_is_refused_before_anything_is_paid(shell, shop):
    Path("shop.de.csv").write_text("mine")
    ended = translate(shell)
    assert ended.code == 1
    assert "shop.de.csv already exists; --replace" in ended.line
    assert Path("shop.de.csv").read_text() == "mine"
    assert used(shell) == 0
    assert translate(shell, "--replace").code == 0
    assert Path("shop.de.csv").read_bytes().startswith(b"\xef\xbb\xbfid;title")


def test_the_source_is_never_replaced(shell, shop):
    before = shop.read_bytes()
    ended = translate(shell, "--out", "shop.csv", "--replace")
    assert ended.code == 2
    assert "is the source itself" in ended.line
    assert shop.read_bytes() == before


def test_a_plan_sends_no_text_and_writes_nothing(shell, shop, running):
    ended = translate(shell, "--plan", "--price", "20", to="FR")
    assert ended.code == 0
    assert "characters billed    22" in ended.out
    assert json.loads(translate(shell, "--plan", "--json", to="FR").out)["characters"] == 22
    assert used(shell) == 0
    assert list(Path().glob("shop.*")) == [shop]


def test_a_spent_budget_writes_nothing_unless_gaps_are_allowed(shell, shop):
    ended = translate(shell, "--budget", "10", to="FR")
    assert ended.code == 1
    assert "over the budget" in ended.line
    assert "nothing was written" in ended.line
    assert not Path("shop.fr.csv").exists()
    ended = translate(shell, "--budget", "10", "--partial", to="FR")
    assert ended.code == 1
    assert "shop.fr.csv has gaps there" in ended.err
    with Path("shop.fr.csv").open(encoding="utf-8-sig") as file:
        cells = [row["title_FR"] for row in csv.DictReader(file, delimiter=";")]
    assert cells.count("") == 3  # two texts, and what was empty


def test_a_column_that_is_not_there_gets_a_suggestion_and_no_request_is_made(shell, shop, running):
    ended = shell("translate", shop, "--columns", "titel", "--to", "DE")
    assert ended.code == 2
    assert "there is no column 'titel'. Did you mean 'title'?" in ended.line
    assert "has id, title, price" in shell("translate", shop, "--to", "DE").line
    assert used(shell) == 0


def test_a_separator_that_does_not_fit_is_what_is_asked_about(shell, shop):
    ended = translate(shell, "--delimiter", "|")
    assert ended.code == 2
    assert "its only column is 'id;title;price': is the separator another one (--delimiter)?" in ended.line


def test_a_result_is_not_called_what_it_is_not(bare):
    Path("a.csv").write_text("t\nx\n")
    for out in ("b.xlsx", "b.jsonl", "b.csv.gz", "b.zip", "b.json", "b.docx"):
        ended = bare("translate", "a.csv", "--columns", "t", "--to", "de", "--out", out)
        assert ended.code == 2
        assert f"the result has the form of a.csv, so its name cannot end in {Path(out).suffix}" in ended.line


def test_a_column_that_would_be_there_twice_is_refused(bare):
    Path("a.csv").write_text("t,t_DE\nx,y\n")
    ended = bare("translate", "a.csv", "--columns", "t", "--to", "de")
    assert ended.code == 2
    assert "has a column 't_DE' already" in ended.line


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("empty.csv", b"", "empty.csv: the file is empty"),
        ("blank.csv", b"\n \n", "blank.csv: the file is empty"),
        ("latin.csv", b"t\ncaf\xe9\n", "--encoding cp1252"),
        ("a.json", b"[]", "name the file .jsonl"),
        ("a.xlsx", b"t\nx\n", "not an Excel file"),
        ("a.pdf", b"%PDF", "svc-nb documents"),
        ("a.feather", b"ARROW1", "Any table that pandas reads is translated in Python"),
    ],
)
def test_a_file_that_cannot_be_read_is_one_line(bare, name, data, said):
    Path(name).write_bytes(data)
    ended = bare("translate", name, "--columns", "t", "--to", "DE")
    assert ended.code == 1
    assert said in ended.line


def test_a_file_that_is_not_there_and_a_folder_are_one_line(bare):
    assert "there is no file no.csv" in bare("translate", "no.csv", "--columns", "t", "--to", "DE").line
    assert "is a folder" in bare("translate", ".", "--columns", "t", "--to", "DE").line


def test_stdin_goes_to_stdout_and_nothing_else_does(shell, shop):
    ended = shell("translate", "-", "--columns", "title", "--to", "FR", "-q", stdin=shop.read_bytes())
    assert ended.code == 0
    assert ended.err == ""
    assert ended.out.splitlines()[1] == "007;Guten Morgen;1,50;[FR] Guten Morgen"
    ended = shell("translate", "-", "--columns", "t", "--to", "FR", "-q", stdin=b'{"t": "Guten Tag"}\n')
    assert json.loads(ended.out) == {"t": "Guten Tag", "t_FR": "[FR] Guten Tag"}


def test_a_language_that_is_no_code_and_no_column_gets_a_suggestion(bare):
    Path("a.csv").write_text("t,language\nx,fr\n")
    ended = bare("translate", "a.csv", "--columns", "t", "--to", "DE", "--from", "langauge")
    assert ended.code == 2
    assert "--from: expected a language such as DE, a column of a.csv" in ended.line
    assert "Did you mean 'language'?" in ended.line


def test_the_language_may_stand_in_a_column(shell, running):
    Path("a.jsonl").write_text('{"t": "chat", "language": "fr"}\n{"t": "chat", "language": "en"}\n')
    assert shell("translate", "a.jsonl", "--columns", "t", "--to", "EN-GB", "--from", "language").code == 0
    made = [json.loads(line)["t_EN-GB"] for line in Path("a.en-gb.jsonl").read_text().splitlines()]
    assert made == ["[EN-GB] chat", "chat"]


def test_the_context_may_stand_in_a_column(shell, running):
    rows = [{"t": "Save", "where": "A bank"}, {"t": "Save", "where": "A match"}, {"t": "Save", "where": ""}]
    Path("a.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    ended = shell("translate", "a.jsonl", "--columns", "t", "--to", "DE", "--from", "EN", "--context", "where")
    assert "3 of 3 cells translated into DE; 12 characters billed" in ended.out
    again = ("translate", "a.jsonl", "--columns", "t", "--to", "DE", "--from", "EN", "--replace", "--context")
    assert "3 of them from the store" in shell(*again, "A bank").out
    assert "3 of 3 cells translated into DE; 4 characters billed" in shell(*again, "elsewhere").out


def test_a_glossary_is_named_by_its_name_and_a_slip_gets_a_suggestion(shell, shop):
    Path("terms.csv").write_text("Morgen,MORNING\n")
    assert shell("glossary", "push", "terms.csv", "Shop terms", "--from", "DE", "--to", "EN").code == 0
    assert translate(shell, "--glossary", "Shop terms", "--from", "DE", to="EN-US").code == 0
    assert "MORNING" in Path("shop.en-us.csv").read_text("utf-8-sig")
    ended = translate(shell, "--glossary", "Shop term", "--replace", "-q", to="EN-US")
    assert ended.code == 1
    assert "There is no glossary 'Shop term' on this service. Did you mean 'Shop terms'?" in ended.line


def test_a_glossary_may_be_a_file_of_terms(shell, shop, running):
    Path("terms.csv").write_text("Morgen,MORNING\n")
    ended = translate(shell, "--glossary", "terms.csv", "--from", "DE", to="EN-US")
    assert ended.code == 0
    assert "MORNING" in Path("shop.en-us.csv").read_text("utf-8-sig")
    assert "0 glossaries" in shell("glossary", "list").err
    ended = translate(shell, "--glossary", "no.csv", "--replace", "-q", to="EN-US")
    assert (ended.code, "there is no file no.csv" in ended.line) == (1, True)


def test_what_the_encoding_cannot_hold_costs_nothing_the_second_time(shell):
    Path("a.csv").write_bytes("t;u\nThé;é\n".encode("cp1252"))
    Path("terms.csv").write_text("Thé,茶\n", encoding="utf-8")
    assert shell("glossary", "push", "terms.csv", "T", "--from", "FR", "--to", "JA").code == 0
    words = [
        "translate",
        "a.csv",
        "--columns",
        "t",
        "--from",
        "FR",
        "--to",
        "JA",
        "--glossary",
        "T",
        "--encoding",
        "cp1252",
    ]
    ended = shell(*words, "-q")
    assert ended.code == 1
    assert "cp1252 has no form for '茶'" in ended.line
    paid = used(shell)
    assert shell(*words, "--out-encoding", "utf-8").code == 0
    assert used(shell) == paid
    assert "茶" in Path("a.ja.csv").read_text("utf-8")


def test_a_language_that_the_service_lacks_is_said_once(shell, shop):
    ended = translate(shell, to="XX")
    assert ended.code == 2
    assert ended.line.count("XX") == 1


def test_a_key_that_was_revoked_is_one_line_without_the_key(shell, shop, revoked, environ):
    environ.setenv("SVC_API_KEY", revoked)
    ended = translate(shell)
    assert ended.code == 1
    assert "403" in ended.line
    assert revoked not in ended.line


def test_a_page_in_place_of_an_answer_says_to_check_the_address(shell, shop, environ, page):
    environ.setenv("SVC_BASE_URL", page)
    ended = translate(shell)
    assert ended.code == 1
    assert "found a web page. Check the address (--base-url or SVC_BASE_URL)" in ended.line


def test_detect_counts_languages_and_writes_them_when_asked(shell):
    Path("a.csv").write_text('t,n\nDas ist ein schöner Tag heute,1\n"This is a fine day, my friend",2\n,3\n', "utf-8")
    table = json.loads(shell("detect", "a.csv", "--column", "t", "--json").out)
    assert {row["language"]: row["texts"] for row in table} == {"DE": 1, "EN": 1, "(none)": 1}
    sure = {row["language"]: row["confidence"] for row in table}
    assert min(sure["DE"], sure["EN"]) > 0.9
    assert sure["(none)"] is None
    assert not Path("a.lang.csv").exists()
    ended = shell("detect", "a.csv", "--column", "t", "--write")
    assert (ended.code, ended.line) == (0, "svc-nb: a.lang.csv written\n")
    assert shell("detect", "a.csv", "--column", "t", "--write", "-q").err == ""
    with Path("a.lang.csv").open(encoding="utf-8", newline="") as file:
        head, german, english, gap = csv.reader(file)
    assert head == ["t", "n", "t_lang", "t_confidence"]
    assert (german[:3], english[:3]) == (
        ["Das ist ein schöner Tag heute", "1", "DE"],
        ["This is a fine day, my friend", "2", "EN"],
    )
    assert min(float(german[3]), float(english[3])) > 0.9
    assert gap == ["", "3", "", ""]


def test_detect_counts_as_not_detected_what_is_below_the_confidence_asked_for(shell):
    Path("a.csv").write_text("t\nDas ist ein schöner Tag heute\nGut\n", "utf-8")
    words = ("detect", "a.csv", "--column", "t", "--json", "--min-confidence")
    assert [row["texts"] for row in json.loads(shell(*words, "0.1").out)] == [2]
    counted = json.loads(shell(*words, "0.999").out)
    assert {row["language"]: row["texts"] for row in counted} == {"DE": 1, "(none)": 1}
    ended = shell(*words, "7")
    assert ended.code == 2
    assert "expected a number from 0 to 1, found '7'" in ended.line


def test_detect_says_that_there_are_no_rows(shell):
    Path("a.csv").write_text("t,n\n")
    ended = shell("detect", "a.csv", "--column", "t")
    assert (ended.code, ended.out, ended.line) == (0, "", "svc-nb: a.csv has no rows\n")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows ends a process without asking it")
@pytest.mark.parametrize(
    ("name", "times", "code"),
    [
        ("SIGINT", 1, 130),
        pytest.param("SIGTERM", 2, 143, marks=pytest.mark.long),
        pytest.param("SIGHUP", 1, 129, marks=pytest.mark.long),
    ],
)
def test_an_interrupted_run_says_so_and_the_next_one_pays_only_for_the_rest(shell, running, name, times, code):
    with Path("long.csv").open("w") as file:
        file.write("id,text\n" + "".join(f"{number:05},The word number {number} of many\n" for number in range(1000)))
    running.faults.add("latency", operation="/v2/translate", seconds=0.2)
    running.faults.add("capacity", operation="/v2/translate", limit=2, status=429, retry_after=0)
    command = [sys.executable, "-m", "svc_nb", "translate", "long.csv", "--columns", "text", "--to", "DE"]
    process = forked.Popen(command, env={**os.environ}, stderr=subprocess.PIPE, text=True)
    until(lambda: running.traffic.answered["POST /v2/translate", 200], process=process)
    for _ in range(times):  # `timeout` asks twice
        process.send_signal(getattr(signal, name))
        time.sleep(0.01)
    _, err = process.communicate(timeout=60)
    assert process.returncode == code
    assert re.fullmatch(
        r"svc-nb: interrupted: [\d,]+ of 1,000 cells are done and stored \([\d,]+ characters billed\); nothing was "
        r"written; run the same command again: only what is left is paid for\n",
        err,
    )
    assert [*Path().glob("long.de.csv"), *Path().glob(".*.part")] == []
    paid = used(shell)
    everything = sum(len(f"The word number {number} of many") for number in range(1000))
    assert 0 < paid < everything
    running.faults.clear()
    assert shell("translate", "long.csv", "--columns", "text", "--to", "DE").code == 0
    assert used(shell) == everything
    assert len(Path("long.de.csv").read_text().splitlines()) == 1001


WORDS = [f"The word number {number} of many" for number in range(300)]
STOPPED = {
    "detect": (
        ("detect", "words.csv", "--column", "text", "--write"),
        "POST /v3/detect/language",
        "300 cells .* nothing was",
    ),
    "notebook": (("notebook", "words.md", "--to", "DE"), "POST /v2/translate", "300 texts .* nothing is"),
    "documents": (("documents", "texts", "--to", "DE", "--out", "out"), "POST /v2/document", "3 documents"),
}


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to oneself")
@pytest.mark.parametrize("name", STOPPED)
def test_every_command_that_sends_texts_ends_with_130_and_a_line(shell, environ, running, name):
    command, operation, said = STOPPED[name]
    Path("words.csv").write_text("\n".join(["text", *WORDS]))
    Path("words.md").write_text("\n\n".join(WORDS))
    Path("texts").mkdir()
    for number in range(3):
        Path(f"texts/{number}.txt").write_text(WORDS[number])
    environ.setenv("SVC_POOL_SIZE", "1")
    slow = "POST /v2/document/{document_id}" if name == "documents" else operation
    running.faults.add("latency", operation=slow, seconds=0.1)
    wanted = 3 if name == "documents" else 2
    with pressed(lambda: running.traffic.answered[operation, 200] >= wanted):
        ended = shell(*command)
    assert ended.code == 130
    assert re.match(f"svc-nb: interrupted: [0-9]+ of {said}", ended.line)
    assert "run the same command again: only what is left is paid for" in ended.line
    assert [*Path().glob("words.*.*"), *Path().glob(".*.part")] == []
    sent = running.traffic.answered[operation, 200]
    running.faults.clear()
    assert shell(*command).code == 0
    assert running.traffic.answered[operation, 200] == (3 if name == "documents" else 6) >= sent
