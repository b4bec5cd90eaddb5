"""What is in the target language already is not sent, wherever texts are translated, with no language named."""

from __future__ import annotations

import json

import pandas as pd
import polars as pl
import pytest

import svc_nb
from svc_nb import lab, service, session
from svc_nb.cli import main
from svc_nb.settings import Settings
from tests.counters import Counters
from tests.sessions import current
from tests.toy import TOY

GERMAN = "Das alte Haus auf dem Hügel ist wirklich sehr schön."
ENGLISH = "The old house on the hill is really very beautiful."
RULES = ["blank", "no_letters", "emoji", "url", "email"]


@pytest.fixture
def counters(running, connected) -> Counters:
    return Counters(running, connected)


def test_a_column_leaves_it_out_counts_it_and_says_so(counters):
    column = pd.Series([GERMAN, ENGLISH, GERMAN])
    assert column.svc.plan("DE").skipped == {"same_language": 2}
    table = column.svc.translate_table("DE", progress=False)
    assert table["status"].tolist() == ["skipped", "done", "skipped"]
    assert table["reason"].tolist()[::2] == ["same_language"] * 2
    assert table["text"].tolist() == [GERMAN, f"[DE] {ENGLISH}", GERMAN]
    assert svc_nb.last_run().progress.skipped["same_language"] == 2
    assert counters.characters == len(ENGLISH)


def test_the_rule_can_be_switched_off(counters):
    pd.Series([GERMAN]).svc.translate("DE", skip=RULES, progress=False)
    assert counters.requests() == 1


@pytest.mark.parametrize(
    ("text", "target", "sent"),
    [
        ("這是一本關於歷史的書，我們覺得很有意思。", "ZH-HANT", False),
        ("這是一本關於歷史的書，我們覺得很有意思。", "ZH-HANS", True),
        ("这是一本关于历史的书，我们觉得很有意思。", "ZH-HANS", False),
        ("这是一本关于历史的书，我们觉得很有意思。", "ZH-HANT", True),
    ],
)
def test_chinese_is_told_apart_by_its_script(counters, text, target, sent):
    table = pd.Series([text]).svc.translate_table(target, progress=False)
    assert (table["reason"].fillna("").tolist() == ["same_language"]) != sent
    assert counters.requests() == sent


def test_a_gap_in_a_column_of_languages_is_found_out(counters):
    frame = pd.DataFrame({"text": [GERMAN, ENGLISH], "src": [None, "EN"]})
    table = frame.svc.translate_table("text", "DE", source_lang="src", progress=False)
    assert table["reason"].tolist()[0] == "same_language"
    assert counters.characters == len(ENGLISH)


def test_what_comes_back_unchanged_says_why(counters):
    table = pd.Series(["The colour is lovely."]).svc.translate_table("EN-US", source_lang="en_GB", progress=False)
    assert table[["translator", "reason"]].to_numpy().tolist() == [["unchanged", "same_language"]]


@pytest.mark.parametrize("text", ["这是一本关于历史的书，我们觉得很囧。", "国語"])
@pytest.mark.filterwarnings("ignore::svc_nb.MarkedOnly")
def test_chinese_with_letters_of_both_scripts_is_marked_and_paid_once(marking, text):
    for from_store in (False, True):
        table = pd.Series([text]).svc.translate_table("ZH-HANT", source_lang="ZH", progress=False)
        assert table[["status", "from_store"]].to_numpy().tolist() == [["marked", from_store]]
    assert pd.Series([text]).svc.plan("ZH-HANT", source_lang="ZH").untranslated == {"ZH → ZH-HANT": 1}


@pytest.mark.filterwarnings("ignore::svc_nb.MarkedOnly")
@pytest.mark.parametrize("skip", [RULES, (*RULES, "same_language")])
def test_chinese_in_the_other_script_is_not_called_unchanged(marking, skip):
    text = "這是一本關於歷史的書，我們覺得很有意思。"
    table = pd.Series([text]).svc.translate_table("ZH-HANS", skip=skip, progress=False)
    assert table["status"].tolist() == ["marked"]
    assert table["text"].tolist() == [f"[ZH-HANS] {text}"]


def test_a_service_that_may_not_detect_gets_everything(tmp_path):
    account = service.Account(detection=False)
    settings = Settings(store=str(tmp_path / "answers.sqlite"))
    with (
        service.start(memory=True, translators=TOY, account=account) as poor,
        current(session.Session.embedded(poor, settings)),
    ):
        table = pd.Series([GERMAN, ENGLISH]).svc.translate_table("FR", progress=False)
        assert table["status"].tolist() == ["done", "done"]


def test_a_frame_and_an_engine(counters):
    frame = pd.DataFrame({"text": [GERMAN, ENGLISH]})
    assert frame.svc.translate("text", "DE", progress=False).iloc[:, 0].tolist() == [
        GERMAN,
        f"[DE] {ENGLISH}",
    ]
    made = svc_nb.translate(pl.from_pandas(frame), "text", "DE", progress=False)
    assert made["text_DE"].to_list() == [GERMAN, f"[DE] {ENGLISH}"]
    assert counters.characters == len(ENGLISH)


def test_markdown_html_and_the_jupyterlab_command(counters):
    assert svc_nb.translate_markdown(f"# {GERMAN}\n", "DE", progress=False) == f"# {GERMAN}\n"
    assert svc_nb.translate_html(f"<p>{GERMAN}</p>", "DE", progress=False) == f"<p>{GERMAN}</p>"
    answer = json.loads(lab.translate_cell(GERMAN, "markdown", "DE"))
    assert answer["text"] == GERMAN
    assert counters.characters == 0


def test_magics(counters):
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    shell = InteractiveShell(config=Config({"HistoryManager": {"enabled": False}}))
    for cell in ("%load_ext svc_nb", f"%translate DE {GERMAN}", f"%%translate DE\n{GERMAN}"):
        assert shell.run_cell(cell).success
    assert counters.characters == 0


def test_the_command_line(counters, connected, monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("SVC_BASE_URL", connected.base_url)
    monkeypatch.setenv("SVC_API_KEY", connected.service.api_key)
    path = tmp_path / "texts.csv"
    path.write_text(f"text\n{GERMAN}\n{ENGLISH}\n", encoding="utf-8")
    assert main(["translate", str(path), "--columns", "text", "--to", "DE"]) == 0
    assert "1 of 2 cells translated into DE; 1 needed none" in capsys.readouterr().out
    assert counters.characters == len(ENGLISH)
