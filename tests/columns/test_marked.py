"""A text that no translator has is never called done: in every place where texts are translated."""

from __future__ import annotations

import json
from dataclasses import replace

import nbformat
import pandas as pd
import polars as pl
import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

import svc_nb
from svc_nb import lab, panels, service, session
from svc_nb.cli import main
from svc_nb.settings import Settings
from tests.sessions import current
from tests.toy import TOY

TEXTS = ["Das Haus ist rot.", "Der Garten ist groß.", "Der Garten ist groß.", None, "42"]
MARKED = ["[JA] Das Haus ist rot.", "[JA] Der Garten ist groß."]
STATUSES = ["marked", "marked", "marked", "skipped", "skipped"]
PAIR = "DE → JA"


@pytest.fixture
def column() -> pd.Series:
    return pd.Series(TEXTS, name="text")


@pytest.fixture
def file(tmp_path, monkeypatch, marking):
    """A file for a command that reaches the service that only marks."""
    monkeypatch.setenv("SVC_BASE_URL", marking.base_url)
    monkeypatch.setenv("SVC_API_KEY", marking.service.api_key)
    path = tmp_path / "texts.csv"
    path.write_text("text\nDas Haus ist rot.\n42\n", encoding="utf-8")
    return path


def warned():
    return pytest.warns(svc_nb.MarkedOnly, match=f"NOT TRANSLATED.*no translator for {PAIR}")


# ---- columns


def test_a_column_and_its_run(marking, column):
    with warned():
        table = column.svc.translate_table("JA", progress=False)
    assert table["status"].tolist() == STATUSES
    assert table["translator"].tolist()[:3] == ["pseudo"] * 3
    assert table["reason"].tolist()[:3] == ["no_translator"] * 3
    run = svc_nb.last_run()
    assert (run.progress.done, run.progress.marked) == (0, 3)
    assert run.table()["status"].tolist() == STATUSES
    for shown in (str(run), run._repr_html_()):
        assert "NOT TRANSLATED, only marked" in shown
    with warned():
        assert column.svc.translate("JA", progress=False).tolist()[:2] == MARKED


def test_a_frame(marking, column):
    with warned():
        table = column.to_frame().svc.translate_table(["text"], ["JA"], progress=False)
    assert table["status"].tolist() == STATUSES


def test_a_job(marking, column):
    job = column.svc.start_translate("JA")
    with warned():
        job.result()
    assert (job.progress.done, job.progress.marked) == (0, 3)


def test_a_plan_says_so_before_anything_is_paid(marking, column):
    plan = column.svc.plan("JA")
    assert plan.untranslated == {PAIR: 3}
    assert "rows WITHOUT A TRANSLATOR" in str(plan)
    assert plan.untranslated_characters == plan.characters
    assert column.svc.plan("JA", budget=0).untranslated == {}, "what is not sent is not marked"
    assert column.svc.plan("DE").untranslated == {}


def test_the_ledger(marking, column):
    with warned():
        column.svc.translate("JA", progress=False)
    booked = svc_nb.ledger()
    assert booked["marked_characters"].sum() == booked["billed_characters"].sum() == 37
    assert "37 characters of these NOT TRANSLATED" in booked.said


def test_with_a_translator_nothing_is_marked(connected, column):
    table = column.svc.translate_table("JA", progress=False)
    assert table["status"].tolist() == ["done"] * 3 + ["skipped"] * 2
    assert table["translator"].tolist()[:3] == ["toy"] * 3
    assert column.svc.plan("JA").untranslated == {}
    assert svc_nb.ledger()["marked_characters"].sum() == 0


# ---- a mark is not an answer


def test_a_marked_text_is_sent_again_once_there_is_a_translator(marking, column, tmp_path):
    with warned():
        column.svc.translate("JA", progress=False)
    with warned():
        assert column.svc.translate_table("JA", progress=False)["billed_characters"].sum() == 0
    settings = Settings(store=str(tmp_path / "answers.sqlite"))
    with (
        service.start(memory=True, translators=TOY) as better,
        current(session.Session.embedded(better, settings)),
    ):
        table = column.svc.translate_table("JA", progress=False)
    assert table["status"].tolist()[:3] == ["done"] * 3
    assert not table["from_store"].any()


# ---- strict


@pytest.fixture
def strict(marking, tmp_path):
    settings = Settings(store=str(tmp_path / "strict.sqlite"), strict=True)
    with current(session.Session.embedded(marking.service, settings)) as opened:
        yield opened


def test_a_strict_session_makes_it_an_error_for_each_row_and_pays_nothing(strict, column):
    table = column.svc.translate_table("JA", errors="coerce", progress=False)
    assert table["status"].tolist() == ["failed"] * 3 + ["skipped"] * 2
    assert set(table["reason"][:3]) == {f"NOT TRANSLATED: no translator for {PAIR}"}
    assert table["billed_characters"].sum() == 0
    with pytest.raises(svc_nb.errors.RowsFailed, match=f"NOT TRANSLATED: no translator for {PAIR}"):
        column.svc.translate("JA", progress=False)


def test_strict_without_knowing_the_language_before(strict, column):
    table = column.svc.translate_table("JA", errors="coerce", skip=["no_letters"], progress=False)
    assert table["status"].tolist()[:3] == ["failed"] * 3


@pytest.mark.filterwarnings("ignore::svc_nb.MarkedOnly")
def test_a_strict_session_uses_what_a_person_wrote_and_what_a_glossary_has(marking, column):
    column.svc.translate("JA", progress=False)
    found = svc_nb.store.find("Haus", target_lang="JA")
    found["text"] = "家は赤い。"
    svc_nb.store.correct(found)
    assert column.svc.plan("JA").untranslated == {PAIR: 2}
    terms = pd.DataFrame({"source_lang": ["de"], "target_lang": ["ja"], "source": ["Haus"], "target": ["家"]})
    with current(session.Session.embedded(marking.service, replace(marking.settings, strict=True))):
        assert column[:1].svc.translate_table("JA", progress=False)["translator"].tolist() == ["person"]
        plan = column.svc.plan("JA")
        assert (plan.failed, plan.untranslated, plan.characters) == (2, {PAIR: 2}, 0)
        table = pd.Series(["Haus"]).svc.translate_table("JA", source_lang="DE", glossary=terms, progress=False)
        assert table[["text", "status"]].to_numpy().tolist() == [["家", "done"]]


def test_a_plan_tells_of_languages_that_cannot_be_named(marking):
    assert pd.Series(["Mae'r babell yn ysgafn ac yn hawdd"]).svc.plan("EN-US").untranslated == {"CY → EN-US": 1}


def test_a_plan_does_not_lose_rows_where_the_service_cannot_be_asked():
    settings = Settings(base_url="http://127.0.0.1:9", api_key=svc_nb.settings.Secret("k"), tries=1)
    with current(session.Session(settings)):
        plan = pd.Series(["Hola a todos", "Guten Morgen"]).svc.plan("EN-US")
    assert (plan.unique, plan.characters, plan.undetected) == (2, 24, 2)


def test_strict_is_a_setting(monkeypatch):
    monkeypatch.setenv("SVC_STRICT", "1")
    assert Settings.load(keyring=lambda profile: None).strict is True


# ---- engines


@pytest.mark.parametrize("engine", ["pandas", "polars", "arrow", "duckdb"])
def test_engines(marking, column, engine):
    pa = pytest.importorskip("pyarrow")
    frame = column.to_frame()
    if engine == "polars":
        frame = pl.from_pandas(frame)
    elif engine == "arrow":
        frame = pa.Table.from_pandas(frame)
    elif engine == "duckdb":
        frame = pytest.importorskip("duckdb").from_arrow(pa.Table.from_pandas(frame))
    with warned():
        svc_nb.translate(frame, "text", "JA", progress=False)
    run = svc_nb.last_run()
    assert (run.progress.done, run.progress.marked) == (0, 3)
    table = run.table()
    assert set(table["status"]) - {"skipped"} == {"marked"}
    assert "pseudo" in set(table["translator"])


# ---- the command line


@pytest.mark.parametrize("quiet", [[], ["--quiet"]])
@pytest.mark.parametrize("out", ["file", "stdout"])
def test_the_command_line(file, capsys, quiet, out):
    where = ["--out", "-"] if out == "stdout" else []
    code = main(["translate", str(file), "--columns", "text", "--to", "JA", *where, *quiet])
    said = capsys.readouterr()
    line = (said.err if out == "stdout" else said.out).splitlines()[-1]
    assert code == 3
    assert "0 of 2 cells translated into JA" in line
    assert f"1 NOT TRANSLATED, only marked: no translator for {PAIR}" in line


def test_the_command_line_in_json(file, capsys):
    assert main(["translate", str(file), "--columns", "text", "--to", "JA", "--json", "--quiet"]) == 3
    said = capsys.readouterr()
    counts = json.loads(said.out)
    assert (counts["done"], counts["marked"]) == (0, 1)
    assert "NOT TRANSLATED" in said.err


def test_the_strict_command_line(file, capsys):
    assert main(["translate", str(file), "--columns", "text", "--to", "JA", "--strict"]) == 1
    assert f"NOT TRANSLATED: no translator for {PAIR}" in capsys.readouterr().err
    assert not file.with_name("texts.ja.csv").exists()


@pytest.mark.parametrize("quiet", [[], ["--quiet"]])
def test_a_notebook_on_the_command_line(file, capsys, quiet):
    path = file.with_name("page.md")
    path.write_text("# Das Haus ist rot und der Garten ist groß.\n", encoding="utf-8")
    assert main(["notebook", str(path), "--to", "JA", *quiet]) == 3
    assert "1 NOT TRANSLATED, only marked" in capsys.readouterr().out


# ---- notebooks, Markdown, HTML


def test_a_notebook(marking, tmp_path):
    path = tmp_path / "one.ipynb"
    cell = nbformat.v4.new_markdown_cell("Das Haus ist rot und der Garten ist groß.")
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), path)
    with warned():
        made = svc_nb.translate_notebook(path, "JA", progress=False)
    assert made.marked == 1
    for shown in (str(made), made._repr_html_(), made.said):
        assert "NOT TRANSLATED, only marked" in shown


@pytest.mark.parametrize(
    ("translate", "text"),
    [
        (svc_nb.translate_markdown, "Das Haus ist rot und der Garten ist groß."),
        (svc_nb.translate_html, "<p>Das Haus ist rot und der Garten ist groß.</p>"),
    ],
)
def test_markdown_and_html(marking, translate, text):
    with warned():
        translate(text, "JA", progress=False)
    assert svc_nb.last_run().progress.marked == 1


# ---- in a notebook


@pytest.mark.filterwarnings("always::svc_nb.MarkedOnly")
def test_magics(marking, capsys):
    config = {"HistoryManager": {"enabled": False}, "InteractiveShell": {"colors": "nocolor"}}
    shell = InteractiveShell(config=Config(config))
    shell.run_cell("%load_ext svc_nb")
    capsys.readouterr()
    for cell in (
        "%translate JA Das Haus ist rot.",
        "%translate JA Das Haus ist rot.",
        "%%translate JA\nDer Garten ist sehr groß und grün.",
        "%svc translate ['Der Garten ist sehr groß.'] --to JA",
    ):
        assert shell.run_cell(cell).success
        said = capsys.readouterr()
        assert f"no translator for {PAIR}" in said.out + said.err, cell


def test_the_jupyterlab_command(marking):
    source = "Das Haus ist rot und groß."
    for _ in range(2):
        answer = json.loads(lab.translate_cell(source, "markdown", "JA"))
        notes = ["Not translated: no translator for German → Japanese."]
        told = {"text": source, "target": "JA", "characters": 0, "untranslated": True, "already": False}
        assert answer == told | {"notes": notes}


def test_the_panel(marking, column):
    with panels.Translate(column.to_frame(), "text", "JA") as shown:
        assert shown.wait(60)
        figures = {each["name"]: each["value"] for each in shown.layout.figures.figures}
        assert figures["No translator"] == "3 rows"
        shown.run()
        assert shown.wait(60)
        assert "3 rows NOT TRANSLATED, only marked." in shown.line.text
        facts = {each["name"]: each for each in shown.listing.facts.figures}
        assert (facts["Not translated"]["value"], facts["Not translated"]["note"]) == ("3", f"no translator for {PAIR}")
        assert set(shown.table["status"]) == {"marked", "skipped"}
