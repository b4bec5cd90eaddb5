"""Scores with a round trip: who translates back, what it costs, and what has no such part."""

from __future__ import annotations

import gc
import shutil

import pandas as pd
import pytest

import svc_nb
from svc_nb.errors import Closed
from svc_nb.secret import Secret
from svc_nb.session import Session
from svc_nb.settings import Settings
from tests.sessions import current

SOURCE = pd.Series(["The house is red.", None, "Good morning, my friend!", "The house is red."], index=list("aabb"))
WANTED = {"source_lang": "en", "target_lang": "es", "progress": False}
translating = pytest.mark.skipif(not shutil.which("apertium"), reason="Apertium is not installed")


def elsewhere(running, tmp_path) -> Session:
    """A session with the same service as if it were on another machine, where translations are paid for."""
    port = running.base_url.rpartition(":")[2]
    settings = Settings(
        base_url=f"http://0.0.0.0:{port}",
        allow_http="0.0.0.0",
        api_key=Secret(running.api_key),
        store=str(tmp_path / "elsewhere.sqlite"),
    )
    return Session(settings)


@translating
def test_translations_are_translated_back_and_compared(connected):
    spanish = SOURCE.svc.translate("ES", source_lang="en", progress=False)
    ran = svc_nb.last_run()
    table = SOURCE.svc.score_table(spanish, round_trip=True, **WANTED)
    assert table["round_trip"].isna().tolist() == [False, True, False, False]
    assert table["round_trip"].iloc[0] == table["round_trip"].iloc[3] > 60
    assert (table["score"].dropna() <= SOURCE.svc.score(spanish, **WANTED).dropna()).all()
    wrong = spanish.copy()
    wrong.iloc[0] = "El perro come pan."
    assert SOURCE.svc.score_table(wrong, round_trip=True, **WANTED)["round_trip"].iloc[0] < 40
    assert svc_nb.last_run() is ran


@translating
def test_what_is_kept_at_home_is_not_sent_for_a_round_trip_either(connected):
    source = pd.Series(["The house of Ann Lee is red."])
    kept = {"protect": "personal", "names": ["ANN LEE"], "source_lang": "en"}
    spanish = source.svc.translate("ES", progress=False, **kept)
    assert "Ann Lee" in spanish[0]
    source.svc.score(spanish, target_lang="ES", round_trip=True, progress=False, **kept)
    sent = svc_nb.store.find("")["source"].tolist()
    assert len(sent) == 2
    assert not any("Ann" in text or "Lee" in text for text in sent)
    with pytest.raises(ValueError, match="names: pass source_lang= too"):
        source.svc.score(spanish, target_lang="ES", round_trip=True, names=["Ann Lee"])


@translating
def test_languages_that_are_not_named_are_detected(connected):
    source = pd.Series(["La casa es roja y el perro come pan.", "The house is red and the dog eats bread."])
    translated = pd.Series(["La maison est rouge et le chien mange du pain."] * 2)
    table = source.svc.score_table(translated, round_trip=True, progress=False)
    assert table["round_trip"].notna().all()


def test_what_is_only_marked_has_no_round_trip(marking):
    with pytest.warns(svc_nb.MarkedOnly, match="round_trip: 3 of 4 texts could not be translated back"):
        table = SOURCE.svc.score_table(pd.Series(["Rot"] * 4, index=SOURCE.index), round_trip=True, **WANTED)
    assert table["round_trip"].isna().all()
    assert table["score"].notna().sum() == 3


def test_texts_that_were_translated_back_already_are_taken(connected):
    table = SOURCE.svc.score_table(SOURCE, round_trip=SOURCE, **WANTED)
    assert table["round_trip"].dropna().tolist() == [100] * 3


def test_an_account_is_asked_only_within_a_budget(running, tmp_path, unwarned):
    spanish = pd.Series(["La casa es roja.", None, "¡Buenos días, mi amigo!", "La casa es roja."], index=SOURCE.index)
    with current(elsewhere(running, tmp_path)) as session:
        characters = len("La casa es roja.") + len("¡Buenos días, mi amigo!")
        with pytest.raises(ValueError, match=rf"2 texts back .* {characters} characters\. Pass budget={characters}"):
            SOURCE.svc.score(spanish, round_trip=session, **WANTED)
        table = SOURCE.svc.score_table(spanish, round_trip=session, budget=characters, **WANTED)
        assert table["round_trip"].notna().sum() == 3
        # What is stored is free, and needs no budget.
        again = SOURCE.svc.score_table(spanish, round_trip=session, **WANTED)
        pd.testing.assert_frame_equal(again, table)


@translating
def test_the_embedded_service_is_used_where_it_has_the_languages_because_it_is_free(running, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    spanish = pd.Series(["La casa es roja.", None, "¡Buenos días, mi amigo!", "La casa es roja."], index=SOURCE.index)
    with current(elsewhere(running, tmp_path)) as session:
        try:
            table = SOURCE.svc.score_table(spanish, round_trip=True, **WANTED)
            assert svc_nb.current() is session
            assert table["round_trip"].notna().sum() == 3
            with pytest.raises(ValueError, match="an embedded service is free, but has no translator for all"):
                SOURCE.svc.score(spanish, round_trip=True, source_lang="ja", target_lang="de", progress=False)
        finally:
            svc_nb.close()


def test_a_budget_without_a_round_trip_is_a_mistake(connected):
    for round_trip in (False, SOURCE):
        with pytest.raises(ValueError, match="budget: it has no effect without round_trip="):
            SOURCE.svc.score(SOURCE, round_trip=round_trip, budget=100)


@pytest.mark.parametrize("wrong", ["yes", "", 1, 0.5, svc_nb])
def test_a_round_trip_of_another_kind_names_what_it_may_be(wrong):
    with pytest.raises(TypeError, match=r"^round_trip: expected True, False, a session, or a column of texts .* found"):
        SOURCE.svc.score(SOURCE, round_trip=wrong)


def test_texts_translated_back_must_have_the_rows_of_the_sources():
    with pytest.raises(ValueError, match="source and round_trip have different row labels"):
        SOURCE.svc.score(SOURCE, round_trip=SOURCE.reset_index(drop=True))
    with pytest.raises(ValueError, match=r"source and round_trip .* found 4 and 1"):
        SOURCE.svc.score(SOURCE, round_trip=["The house is red."])
    assert SOURCE.svc.score_table(SOURCE, round_trip=SOURCE.tolist())["round_trip"].dropna().tolist() == [100] * 3


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"target_lang": ["es"]}, "target_lang: expected a language, or 4 of them"),
        ({"source_lang": pd.Series(["en"] * 4)}, "source_lang: its row labels"),
        ({"similarity": "cosine"}, "similarity: expected a function"),
        ({"skip": ["nunbers"]}, "nunbers"),
        ({"glossary": pd.DataFrame({"term": ["house"]})}, "source"),
    ],
)
def test_nothing_is_sent_before_all_that_is_given_was_checked(connected, counters, wrong, told):
    spanish = pd.Series(["La casa es roja."] * 4, index=SOURCE.index)
    with pytest.raises((TypeError, ValueError), match=told):
        SOURCE.svc.score(spanish, **{**WANTED, **wrong}, round_trip=connected, budget=1000)
    assert counters.characters == 0


def test_the_session_that_was_opened_for_it_is_closed_also_after_an_error(running, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))

    def embedded() -> list[Session]:
        return [each for each in gc.get_objects() if isinstance(each, Session) and each.service is not None]

    before = embedded()
    with current(elsewhere(running, tmp_path)):
        try:
            with pytest.raises(ValueError, match="Pass budget=") as refused:  # keeps its frames, and so the session
                SOURCE.svc.score(SOURCE, round_trip=True, source_lang="ja", target_lang="de", progress=False)
            opened = [each for each in embedded() if each not in before]
            assert opened
            for each in opened:
                with pytest.raises(Closed):
                    each.client.account.usage()
            del refused
        finally:
            svc_nb.close()
