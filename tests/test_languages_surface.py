"""One way to write a language on every surface, over real HTTP: understood, or refused before anything is sent."""

from __future__ import annotations

import json

import duckdb
import nbformat
import pandas as pd
import polars as pl
import pytest

import svc_nb
from svc_nb import documents, lab, notebooks, panels, service, session, store
from svc_nb.cli import main
from svc_nb.errors import UnknownLanguage
from svc_nb.notebooks import preprocessor
from svc_nb.panels.documents.job import DocumentOrder
from svc_nb.settings import Settings
from tests.counters import Counters
from tests.sessions import current
from tests.toy import TOY

TEXT = "Guten Tag, meine Damen und Herren."
SLIP = "Did you mean JA"


@pytest.fixture(scope="module")
def lasting():
    with service.start(memory=True, translators=TOY) as started:
        yield started


@pytest.fixture
def sent(lasting, tmp_path):
    """Counts what was sent since the test began, in a session of its own."""
    settings = Settings(store=str(tmp_path / "answers.sqlite"), first_wait=0.01)
    with current(session.Session.embedded(lasting, settings)) as opened:
        yield Counters(lasting, opened)


def targets() -> list[str]:
    """The languages that were translated into."""
    return sorted(set(store.export(operation="translate")["target_lang"]))


@pytest.mark.parametrize(
    "table",
    [
        pytest.param(lambda: pd.DataFrame({"text": [TEXT], "src": ["deu"]}), id="pandas"),
        pytest.param(lambda: pl.DataFrame({"text": [TEXT], "src": ["deu"]}), id="polars"),
        pytest.param(lambda: pl.LazyFrame({"text": [TEXT], "src": ["deu"]}), id="lazy"),
        pytest.param(lambda: duckdb.sql(f"SELECT '{TEXT}' AS text, 'deu' AS src"), id="duckdb"),
        pytest.param(lambda: pl.DataFrame({"text": [TEXT], "src": ["deu"]}).to_arrow(), id="arrow"),
    ],
)
def test_tables_of_every_engine(sent, table):
    for wrong in (["fr", "jp"], ["Frenhc"]):
        with pytest.raises(UnknownLanguage):
            svc_nb.translate(table(), "text", wrong, progress=False)
    with pytest.raises(UnknownLanguage, match=SLIP):
        svc_nb.plan(table(), "text", "fr", source_lang="jp")
    assert sent.texts_requests == 0
    for source in ("src", "German", "de_AT"):
        done = svc_nb.translate(table(), "text", ["Japanese", "zh_cn"], source_lang=source, progress=False)
        done = done.collect() if isinstance(done, pl.LazyFrame) else done
        names = getattr(done, "column_names", None) or list(done.columns)
        assert names[-2:] == ["text_JA", "text_ZH-HANS"]
    assert sent.requests() == 2
    assert set(store.export(operation="translate")["source_lang"]) == {"DE"}


def test_a_column_of_wrong_languages_on_another_engine(sent):
    with pytest.raises(UnknownLanguage, match="Did you mean DE"):
        pl.DataFrame({"text": [TEXT], "src": ["Germna"]}).svc.translate("text", "fr", source_lang="src", progress=False)
    assert sent.requests() == 0


def test_notebooks_markdown_html_and_code(sent, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(TEXT)
    with pytest.raises(UnknownLanguage, match=SLIP):
        notebooks.translate_notebook(page, "jp")
    with pytest.raises(UnknownLanguage, match=SLIP):
        notebooks.plan_notebook(page, "jp")
    for verb in (notebooks.translate_markdown, notebooks.translate_html, notebooks.translate_code):
        with pytest.raises(UnknownLanguage, match=SLIP):
            verb(TEXT, "jp")
    assert sent.texts_requests == 0
    made = notebooks.translate_notebook(page, "Brazilian Portuguese", source_lang="Deutsch", progress=False)
    assert (made.path.name, made.target_lang) == ("page.pt-br.md", "PT-BR")
    assert svc_nb.translate_markdown(TEXT, "pt_BR", source_lang="deu")
    assert targets() == ["PT-BR"]
    assert sent.requests() == 1


def test_the_preprocessor_of_nbconvert(sent):
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(TEXT)])
    _, resources = preprocessor.Translate(target_lang="Portuguese (Brazilian)").preprocess(book, {})
    assert resources["language_code"] == "pt-BR"


def test_the_command_of_jupyterlab(sent):
    assert SLIP in json.loads(lab.translate_cell(TEXT, "markdown", "jp"))["error"]
    assert sent.texts_requests == 0
    assert json.loads(lab.translate_cell(TEXT, "markdown", "zh_TW"))["text"].startswith("[ZH-HANT]")


def test_documents(sent, tmp_path):
    (tmp_path / "in.txt").write_text(TEXT)
    for wrong in ({"target_lang": "jp"}, {"target_lang": "fr", "source_lang": "jp"}):
        with pytest.raises(UnknownLanguage, match=SLIP):
            documents.translate(tmp_path / "in.txt", **wrong)
    rows = pd.DataFrame({"path": [tmp_path / "in.txt"] * 2, "target_lang": ["French", "jp"]})
    with pytest.raises(UnknownLanguage, match=r"row 1: target_lang: there is no language 'jp'. Did you mean JA\?$"):
        documents.plan(rows)
    assert sent.requests(operation="POST /v2/document") == 0
    plan = documents.plan(tmp_path / "in.txt", target_lang="brazilian portuguese", source_lang="German")
    assert plan["target_lang"].tolist() == ["PT-BR"]


def test_panels(sent):
    shown = panels.Translate(
        pd.DataFrame({"text": [TEXT], "de": ["DE"]}), "text", ["french", "zh_CN"], source_lang="deu"
    )
    assert shown.order.targets == ("FR", "ZH-HANS")
    assert shown.order.options["source_lang"] == "DE"
    with pytest.raises(UnknownLanguage, match=SLIP):
        shown.choose(targets="jp")
    with pytest.raises(UnknownLanguage, match=SLIP):
        shown.choose(source_lang="jp")
    with pytest.raises(UnknownLanguage, match=SLIP):
        panels.Documents(target_lang="jp")
    order = DocumentOrder().with_target("french").with_options(source_lang="German")
    assert (order.target, order.options["source_lang"]) == ("FR", "DE")


def test_checks_and_tables_of_terms(sent):
    texts, done = pd.Series(["Ein Hund"]), pd.Series(["A dog"])
    assert len(texts.svc.check(done, source_lang="Deutsch", target_lang="en_GB")) == 0
    with pytest.raises(UnknownLanguage, match=SLIP):
        texts.svc.check(done, target_lang="jp")
    with pytest.raises(UnknownLanguage, match="lang: there is no language 'jp'"):
        texts.svc.term_candidates(lang="jp")
    with pytest.raises(UnknownLanguage, match=SLIP):
        store.export(target_lang="jp")
    with pytest.raises(UnknownLanguage, match=SLIP):
        store.clear(target_lang="jp")


def test_glossaries_memories_and_spoken_terms(sent, tmp_path):
    (tmp_path / "terms.tsv").write_text("Hund\tdog\n")
    terms = svc_nb.glossaries.read(tmp_path / "terms.tsv", source_lang="German", target_lang="en_US")
    assert terms[["source_lang", "target_lang"]].to_numpy().tolist() == [["DE", "EN-US"]]
    assert svc_nb.glossaries.to_entries(terms, source_lang="deu") == "Hund\tdog"
    (tmp_path / "words.txt").write_text("Hund\n")
    assert svc_nb.spoken_terms.read(tmp_path / "words.txt", lang="Deutsch")["lang"].tolist() == ["DE"]
    for read in (svc_nb.glossaries.read, svc_nb.memories.read):
        with pytest.raises(UnknownLanguage, match=r"source_lang: there is no language 'jp'\. Did you mean JA"):
            read(tmp_path / "terms.tsv", source_lang="jp")
    with pytest.raises(UnknownLanguage, match="lang: there is no language 'jp'"):
        svc_nb.spoken_terms.read(tmp_path / "words.txt", lang="jp")
    with pytest.raises(ValueError, match="expected one of DE, EN, ES"):
        svc_nb.style_rules.catalogue("jp")
    assert len(svc_nb.style_rules.catalogue("Japanese"))


def test_the_command_line(lasting, sent, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SVC_BASE_URL", lasting.base_url)
    monkeypatch.setenv("SVC_API_KEY", lasting.api_key)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text(f'text,src\n"{TEXT}",deu\n')
    (tmp_path / "a.md").write_text(TEXT)
    (tmp_path / "a.txt").write_text(TEXT)
    for words in (
        "translate a.csv --columns text --to fr jp",
        "translate a.csv --columns text --to fr --from jp",
        "notebook a.md --to fr jp",
        "documents a.txt --to jp",
    ):
        assert main(words.split()) == 2
        err = capsys.readouterr().err
        option = "--from" if "--from" in words else "--to"
        assert f"svc-nb: {option}: there is no language 'jp'. Did you mean JA?\n" in err
    assert sent.texts_requests == 0
    for source in ("src", "German"):
        words = f"translate a.csv --columns text --to french,zh_CN --from {source} --replace -q"
        assert main(words.split()) == 0
    assert (tmp_path / "a.fr.zh-hans.csv").read_text().splitlines()[0] == "text,src,text_FR,text_ZH-HANS"
    assert main(["translate", "a.csv", "--columns", "text", "--to", "Klingon", "-q"]) == 2
    assert "`svc-nb languages` lists the codes." in capsys.readouterr().err
    assert main(["languages", "--csv", "-q"]) == 0
    assert "\nDE,German,True,True,stable," in capsys.readouterr().out.replace("\r", "")
    assert main(["languages", "--pairs", "--json", "-q"]) == 0
    assert all(set(row) == {"source_lang", "target_lang", "translator"} for row in json.loads(capsys.readouterr().out))
