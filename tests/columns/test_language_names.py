"""Languages as people give them, over real HTTP: what is sent, what is asked, and what is refused before."""

from __future__ import annotations

import pandas as pd
import pytest

import svc_nb
from svc_nb import errors, service, session
from svc_nb.engine.skip_rules import same_language
from svc_nb.secret import Secret
from svc_nb.service import Fault
from svc_nb.settings import Settings
from svc_nb.wire import languages
from tests.counters import DETECT
from tests.sessions import current

pytestmark = pytest.mark.usefixtures("unwarned")
LIST = "GET /v3/languages"
TEXTS = pd.Series(["Good morning", None, "How are you?"])


@pytest.mark.parametrize(
    ("written", "code"),
    [("ja", "JA"), ("zh_CN", "ZH-HANS"), ("pt-br", "PT-BR"), ("jpn", "JA"), ("ger", "DE"), ("Deutsch", "DE")],
)
def test_a_column_goes_into_the_language_that_is_meant(counters, written, code):
    TEXTS.svc.translate(written, source_lang="eng", progress=False)
    assert svc_nb.store.export()[["source_lang", "target_lang"]].drop_duplicates().to_numpy().tolist() == [["EN", code]]
    counted = counters.requests()
    TEXTS.svc.translate(code, source_lang="EN", progress=False)
    assert counters.requests() == counted  # the same wish, the same answer


def test_columns_are_named_by_the_normal_form_of_the_code(connected):
    frame = pd.DataFrame({"review": TEXTS})
    done = frame.svc.translate("review", ["german", "zh_TW"], source_lang="en_US", progress=False)
    assert list(done.columns) == ["review_DE", "review_ZH-HANT"]
    table = TEXTS.svc.translate_table(["german", "zh_TW"], source_lang="en", progress=False)
    assert set(table["target_lang"]) == {"DE", "ZH-HANT"}
    assert set(table["detected_source_lang"].dropna()) == {"EN"}


@pytest.mark.parametrize(
    ("targets", "told"),
    [
        (["DE", "jp"], "there is no language 'jp'. Did you mean JA?"),
        (["DE", "Klingonese"], "there is no language 'Klingonese'. svc_nb.languages() lists the codes."),
        (["DE", "EN-ZZ"], "Did you mean EN, EN-GB or EN-US?"),
        (["DE", "xx"], "there is no language 'xx'"),
    ],
)
def test_a_wrong_target_is_refused_before_any_is_sent(counters, targets, told):
    for verb in (TEXTS.svc.translate, TEXTS.svc.plan, TEXTS.svc.start_translate):
        with pytest.raises(errors.UnknownLanguage) as refused:
            verb(targets, source_lang="EN")
        assert told in str(refused.value)
    assert counters.texts_requests == 0


def test_a_language_named_twice_is_refused(connected):
    with pytest.raises(TypeError, match="Translate the rows of each language separately"):
        pd.Series(["a", "b"]).svc.translate(pd.Series(["DE", "FR"]))
    with pytest.raises(ValueError, match="duplicate language 'DE'"):
        TEXTS.svc.plan(["DE", "German"])


@pytest.mark.parametrize("source", ["jp", ["EN", "EN", "Englsih"]])
def test_a_wrong_source_is_refused_before_anything_is_sent(counters, source):
    with pytest.raises(errors.UnknownLanguage, match=r"source_lang: there is no language .* Did you mean"):
        TEXTS.svc.translate("DE", source_lang=source, progress=False)
    assert counters.texts_requests == 0


def test_with_errors_coerced_only_the_rows_of_a_wrong_language_fail(connected):
    table = TEXTS.svc.translate_table("DE", source_lang=["English", "en", "Elvish"], errors="coerce", progress=False)
    assert table["status"].tolist() == ["done", "skipped", "failed"]


def test_a_column_of_that_name_says_the_languages(connected):
    frame = pd.DataFrame({"text": ["Good morning", "Guten Tag"], "src": ["en_US", "German"], "en": ["x", "y"]})
    table = frame.svc.translate_table("text", "FR", source_lang="src", progress=False)
    assert table["detected_source_lang"].tolist() == ["EN", "DE"]
    with pytest.raises(errors.UnknownLanguage, match=r"source_lang \(column 'en'\): there is no language 'x'"):
        frame.svc.plan("text", "FR", source_lang="en")
    table = frame.svc.translate_table("text", "FR", source_lang="EN", progress=False)
    assert table["detected_source_lang"].tolist() == ["EN", "EN"]


def test_a_column_that_is_translated_does_not_say_the_languages(connected):
    frame = pd.DataFrame({"en": ["Good morning"], "de": ["Guten Tag"]})
    table = frame.svc.translate_table("en", "FR", source_lang="en", progress=False)
    assert table["detected_source_lang"].tolist() == ["EN"]
    assert frame["en"].svc.plan("FR", source_lang="en").rows == 1


def test_detect_gives_codes_in_their_normal_form(counters):
    found = pd.Series(["Der Bus kommt heute leider wieder viel zu spät.", "12"]).svc.detect_table(progress=False)
    assert found["language"].fillna("").tolist() == ["DE", ""]
    assert counters.requests(operation=DETECT) == 1


@pytest.mark.parametrize("written", ["en-gb", "EN_GB", "British English"])
def test_correct_and_rephrase_understand_the_same(counters, written):
    texts = pd.Series(["This is is a test of the colour."])
    texts.svc.correct(target_lang=written, progress=False)
    assert svc_nb.store.export(operation="correct")["target_lang"].tolist() == ["EN-GB"]
    with pytest.raises(errors.UnknownLanguage, match="Did you mean JA"):
        texts.svc.rephrase(target_lang="jp", progress=False)
    assert counters.requests(operation="POST /v2/write/rephrase") == 0


# ---- what the service lists


def test_rare_languages_are_looked_up_once(counters):
    client = svc_nb.current().client
    assert [languages.target(each, client) for each in ("de", "German", "zh_CN", "pt-br", "jpn")] == [
        "DE", "DE", "ZH-HANS", "PT-BR", "JA",
    ]  # fmt: skip
    assert counters.requests(operation=LIST) == 0
    assert [languages.target(each, client) for each in ("Catalan", "eus", "welsh")] == ["CA", "EU", "CY"]
    assert counters.requests(operation=LIST) == 1


def test_what_the_service_lists_and_no_one_else_knows_is_taken(connected, monkeypatch):
    known = languages.Listed({"XE": "Elvish"}, {"XE": "Elvish", "DE": "German"})
    languages._known[connected.client] = known, 0.0
    assert languages.target("elvish", connected.client) == languages.target("xe", connected.client) == "XE"
    assert languages.source("XE", connected.client) == "XE"
    with pytest.raises(errors.UnknownLanguage, match=r"does not translate into Catalan \(CA\)"):
        languages.target("ca", connected.client)
    with pytest.raises(errors.UnknownLanguage, match="Did you mean XE"):
        languages.target("Elvisch", connected.client)


def test_without_a_list_known_codes_pass_and_typos_do_not(running, connected):
    running.faults.add(Fault("status", "/v3/languages", status=503))
    plan = TEXTS.svc.plan(["ca", "tlh"], source_lang="EN")
    assert "CA, TLH" in str(plan)
    with pytest.raises(errors.UnknownLanguage, match="Did you mean JA"):
        TEXTS.svc.plan("jp")
    running.faults.clear()


def test_a_plan_needs_no_service(tmp_path):
    with service.start(memory=True) as running:
        settings = Settings(store=str(tmp_path / "answers.sqlite"), base_url=running.base_url, api_key=Secret("k"))
    with current(session.Session(settings)):
        assert TEXTS.svc.plan(["DE", "Catalan"], source_lang="English").rows == 6
        with pytest.raises(errors.UnknownLanguage, match="Did you mean DE"):
            TEXTS.svc.plan("Germna")


def test_a_code_that_cannot_be_a_file_name_is_not_taken_from_a_list(running, connected, monkeypatch):
    support = connected.client.languages.support("translate_text")
    evil = type(support[0]).from_wire({**support[0].to_wire(), "lang": "../../x", "name": "Evil"})
    monkeypatch.setattr(connected.client.languages, "support", lambda *_, **__: [*support, evil])
    languages._known.pop(connected.client, None)
    with pytest.raises(errors.UnknownLanguage):
        languages.target("Evil", connected.client)


# ---- tables


def test_languages_is_a_table_of_what_the_service_says(connected):
    table = svc_nb.languages()
    assert table.columns[:6].tolist() == ["code", "name", "source", "target", "status", "glossary"]
    rows = table.set_index("code")
    assert rows.loc["DE", ["source", "target", "glossary"]].tolist() == [True, True, True]
    assert rows.loc["EN-US", ["source", "target", "glossary"]].tolist() == [False, True, True]
    assert not rows.loc["CA", "glossary"]
    assert rows.loc["CA", "status"] == "beta"
    assert rows.loc["ZH-HANS", "name"] == "Chinese (simplified)"
    assert set(svc_nb.languages("style_rules")["code"]) == {"DE", "EN", "ES", "FR", "IT", "JA", "KO", "ZH"}
    with pytest.raises(errors.BadRequest):
        svc_nb.languages("poetry")


def test_pairs_are_those_that_are_really_translated(connected):
    pairs = connected.service.pairs()
    real = {(source.upper(), target.upper()) for source, target in pairs if not same_language(source, target)}
    table = svc_nb.pairs()
    found = set(zip(table["source_lang"], table["target_lang"], strict=True))
    assert real <= found
    bases = {(source, target.partition("-")[0]) for source, target in real}
    assert {(source, target.partition("-")[0]) for source, target in found} == bases
    assert set(table["translator"]) == set(pairs.values())


def test_the_pairs_of_an_account_are_all_that_it_claims(connected, monkeypatch):
    support = connected.client.languages.support("translate_text")
    plain = [type(each).from_wire({**each.to_wire(), "translators": None}) for each in support]
    monkeypatch.setattr(connected.client.languages, "support", lambda *_, **__: plain)
    table = svc_nb.pairs()
    found = set(zip(table["source_lang"], table["target_lang"], strict=True))
    assert ("DE", "JA") in found
    assert ("ZH", "ZH-HANT") in found
    assert ("EN", "EN-US") not in found
    assert table["translator"].isna().all()
