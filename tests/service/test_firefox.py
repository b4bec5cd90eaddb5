"""The engine for Firefox models, with a library in its processes that does, and misdoes, as its models say."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pandas as pd
import psutil
import pytest

from svc_nb import service, session
from svc_nb.service.models import manifest
from svc_nb.service.models.manifest import Manifest
from svc_nb.service.translators import TextFailed, TranslatorFailed, Translators, installed
from svc_nb.service.translators.firefox import Firefox
from svc_nb.settings import Settings
from tests.sessions import current
from tests.toy_firefox import build, install_library
from tests.waiting import until

GERMAN = {"The": "Das", "house": "Haus", "is": "ist", "big.": "groß.", "We": "Wir", "water": "Wasser"}
ENGLISH = {"Das": "The", "Haus": "house", "ist": "is", "groß.": "big."}
FRENCH = {"The": "La", "house": "maison", "is": "est", "big.": "grande."}


@pytest.fixture(autouse=True)
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_library(tmp_path / "library", monkeypatch)


@pytest.fixture
def model_dir(tmp_path: Path) -> Path:
    folder = tmp_path / "models"
    build(folder / "en-de", GERMAN)
    build(folder / "de-en", ENGLISH, split=True)
    build(folder / "en-fr", FRENCH)
    return folder


Open = Callable[..., Firefox]


@pytest.fixture
def opened(model_dir: Path) -> Iterator[Open]:
    engines = []

    def opened(**options) -> Firefox:
        engines.append(Firefox(model_dir, **options))
        return engines[-1]

    yield opened
    for engine in engines:
        engine.close()


def test_a_model_translates_in_a_process_of_its_own(opened: Open) -> None:
    engine = opened()
    assert engine.running == {}
    assert engine.translate(["The house is big."], "en", "de") == ["Das Haus ist groß."]
    assert list(engine.running) == ["en-de"]
    assert engine.running["en-de"] != os.getpid()


def test_a_pair_without_a_model_goes_through_english_and_says_so(opened: Open) -> None:
    engine = opened()
    assert engine.pairs() == {
        ("en", "de"): "firefox",
        ("de", "en"): "firefox",
        ("en", "fr"): "firefox",
        ("de", "fr"): "firefox (de-en, en-fr)",
    }
    assert engine.translate(["Das Haus ist groß."], "de", "fr") == ["La maison est grande."]
    assert Translators([engine]).choose("de", "fr").name == "firefox (de-en, en-fr)"


def test_a_model_of_the_pair_itself_goes_before_two(model_dir: Path, opened: Open) -> None:
    build(model_dir / "de-fr", {"Das": "La", "Haus": "case"})
    engine = opened()
    assert engine.pairs()["de", "fr"] == "firefox"
    assert engine.translate(["Das Haus"], "de", "fr") == ["La case"]


@pytest.mark.parametrize(
    ("name", "pair"),
    [("ja-en", ("ja", "en")), ("firefox-no-en", ("nb", "en")), ("en-zh_hant", ("en", "zh-hant")), ("x", ("es", "it"))],
)
def test_the_pair_is_read_from_the_name_of_the_folder_or_of_the_model(tmp_path: Path, name: str, pair) -> None:
    folder = build(tmp_path / "more" / name, GERMAN)
    (folder / "model.xxyy.intgemm.alphas.bin").rename(folder / "model.esit.intgemm.alphas.bin")
    assert list(Firefox(tmp_path / "more").pairs()) == [pair]
    assert list(Firefox(folder).pairs()) == [pair]


def test_what_is_no_whole_model_is_left_out(model_dir: Path, opened: Open, caplog: pytest.LogCaptureFixture) -> None:
    (build(model_dir / "en-it", GERMAN) / "vocab.xxyy.spm").unlink()
    (build(model_dir / "en-es", GERMAN) / "model.second.bin").touch()
    build(model_dir / "nonsense", GERMAN).joinpath("model.xxyy.intgemm.alphas.bin").rename(
        model_dir / "nonsense" / "model.x.bin"
    )
    (model_dir / "empty").mkdir()
    assert len(opened().pairs()) == 4
    for name in ("en-it", "en-es", "nonsense"):
        assert f"The model {name} is left out" in caplog.text


def test_the_first_folder_counts_and_a_broken_model_makes_way(model_dir: Path, tmp_path: Path) -> None:
    build(tmp_path / "first" / "en-de", {**GERMAN, "The": "Dieses"})
    build(tmp_path / "mute" / "en-de", {"*": ""})
    for folder, said in ((tmp_path / "first", "Dieses Haus"), (tmp_path / "mute", "Das Haus")):
        engine = Firefox(folder, model_dir)
        assert engine.translate(["The house"], "en", "de") == [said]
        engine.close()


@pytest.mark.parametrize("words", [{"*": ""}, {}, {"The": "abort", "*": "x " * 900}])
def test_a_model_that_says_nothing_sensible_fails_its_self_test(
    model_dir: Path, opened: Open, words: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    shutil.rmtree(model_dir / "en-de")
    build(model_dir / "en-de", words)
    engine = opened()
    assert not engine.ready("en", "de")
    assert ("en", "de") not in engine.pairs()
    assert "The model en-de is left out: it failed its self-test" in caplog.text
    assert engine.running == {}
    with pytest.raises(TranslatorFailed):
        engine.translate(["The house"], "en", "de")


def test_a_model_that_cannot_be_loaded_is_left_out(model_dir: Path, opened: Open, caplog) -> None:
    (model_dir / "en-de" / "model.xxyy.intgemm.alphas.bin").write_bytes(b"\0torn")
    assert not opened().ready("en", "de")
    assert "The model en-de is left out" in caplog.text


def test_a_model_that_is_not_what_was_added_is_not_used(model_dir: Path, opened: Open, caplog) -> None:
    folder = model_dir / "en-de"
    Manifest("firefox", (("en", "de"),), "here", files=manifest.hashes(folder)).write(folder)
    assert opened().ready("en", "de")
    (folder / "vocab.xxyy.spm").write_text("other")
    assert not opened().ready("en", "de")
    assert "its file vocab.xxyy.spm has changed since the model was added" in caplog.text


@pytest.mark.parametrize("word", ["abort", "panic", pytest.param("hang", marks=pytest.mark.long)])
def test_a_text_that_breaks_the_engine_is_one_error_and_the_rest_goes_on(opened: Open, word: str) -> None:
    engine = opened(patience=1 if word == "hang" else 20)
    for _ in range(2):  # the second time nothing breaks, for it is known
        with pytest.raises(TextFailed, match=r"firefox \(en-de\) has no answer for a text of \d+ characters") as failed:
            engine.translate(["The house", f"The {word} house", "water"], "en", "de")
        assert "house" not in str(failed.value)
    assert engine.translate(["The house", "water"], "en", "de") == ["Das Haus", "Wasser"]


def test_what_the_library_prints_is_no_answer(opened: Open) -> None:
    assert opened().translate(["The print house", "water"], "en", "de") == ["Das print Haus", "Wasser"]


@pytest.mark.parametrize("word", ["mumble", "silent"])
def test_what_cannot_be_a_translation_is_not_passed_on(opened: Open, word: str) -> None:
    with pytest.raises(TextFailed):
        opened().translate([f"The house is {word}"], "en", "de")


def test_an_engine_that_breaks_down_for_good_is_given_up_at_once_by_all_who_wait(model_dir: Path, opened: Open) -> None:
    engine = opened()
    assert engine.ready("en", "de")
    (model_dir / "en-de" / "model.xxyy.intgemm.alphas.bin").write_text("torn")
    os.kill(engine.running["en-de"], signal.SIGKILL)
    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(engine.translate, [f"The house {number}"], "en", "de") for number in range(8)]
    assert all(isinstance(each.exception(), TranslatorFailed) for each in asked)
    assert ("en", "de") not in engine.pairs()


def test_a_process_that_was_killed_is_started_again(opened: Open) -> None:
    engine = opened()
    engine.ready("en", "de")
    pid = engine.running["en-de"]
    os.kill(pid, signal.SIGKILL)
    assert engine.translate(["The house"], "en", "de") == ["Das Haus"]
    assert engine.running["en-de"] != pid


def test_models_beyond_the_limit_are_ended_and_started_again(opened: Open) -> None:
    engine = opened(live=1)
    for _ in range(2):
        assert engine.translate(["The house"], "en", "de") == ["Das Haus"]
        assert engine.translate(["The house"], "en", "fr") == ["La maison"]
        assert list(engine.running) == ["en-fr"]


def test_the_processes_end_with_the_engine(opened: Open) -> None:
    engine = opened()
    engine.ready("de", "fr")
    pids = list(engine.running.values())
    engine.close()
    assert len(pids) == 2
    until(lambda: not any(map(psutil.pid_exists, pids)))
    with pytest.raises(TranslatorFailed):
        engine.translate(["Das Haus"], "de", "fr")


def test_callers_from_many_threads_get_their_own_texts(opened: Open) -> None:
    engine = opened(live=2)

    def translated(caller: int) -> bool:
        target, house = (("de", "Das Haus"), ("fr", "La maison"))[caller % 2]
        texts = [f"The house {caller} b{number}" for number in range(20)]
        return engine.translate(texts, "en", target) == [f"{house} {caller} b{number}" for number in range(20)]

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(translated, range(16)))


def test_white_space_order_and_what_has_no_words_survive(opened: Open) -> None:
    texts = ["", "The", "  The house\n", " ", "12.5", "👍", "The", "The\0house", "The \ud800 house"]
    out = ["", "Das", "  Das Haus\n", " ", "12.5", "👍", "Das", "Das Haus", "Das \ufffd Haus"]
    assert opened().translate(texts, "en", "de") == out


PLACEHOLDERS = ("{name}", "{{ x }}", "${x}", "%s", "%(n)d", "<b>", "&amp;", "`code`", "$HOME", "\ue000", "\uf001")
EMOJI = ("👍🏽", "👨\u200d👩\u200d👧", "1️⃣", "🇩🇪")


@pytest.mark.parametrize("kept", [*PLACEHOLDERS, *EMOJI])
def test_what_a_model_would_change_is_not_shown_to_it(opened: Open, kept: str) -> None:
    assert opened().translate([f"The {kept} house {kept} is big."], "en", "de") == [f"Das {kept} Haus {kept} ist groß."]


def test_percent_signs_and_prices_are_no_placeholders(opened: Open) -> None:
    assert opened().translate(["The 50% house", "The $5 house"], "en", "de") == ["Das 50% Haus", "Das $5 Haus"]


def test_a_sign_that_a_model_loses_is_put_between_its_pieces(model_dir: Path, opened: Open) -> None:
    shutil.rmtree(model_dir / "en-de")
    build(model_dir / "en-de", {**GERMAN, "[11]": "weg", "#11": "weg"})
    assert opened().translate(["The {x} house"], "en", "de") == ["Das {x} Haus"]


def test_long_texts_go_in_pieces_and_come_back_whole(opened: Open) -> None:
    text = "The house is big. " * 40 + "The house, " * 60 + "The " * 300 + "x" * 1000
    (made,) = opened().translate([text], "en", "de")
    assert made.replace("x ", "x") == "Das Haus ist groß. " * 40 + "Das house, " * 60 + "Das " * 300 + "x" * 1000


def test_without_the_library_there_are_no_pairs(model_dir: Path, monkeypatch, caplog) -> None:
    monkeypatch.setitem(sys.modules, "fxtranslate", None)
    assert Firefox(model_dir).pairs() == {}
    assert "pip install fxtranslate" in caplog.text


def test_the_service_translates_names_the_steps_and_says_which_text_failed(model_dir: Path, raw) -> None:
    chosen = ["firefox", "pseudo"]
    with service.start(memory=True, translators=chosen, model_dir=model_dir) as running:
        raw.running = running

        def ask(*texts: str, source="DE"):
            body = {"text": texts, "source_lang": source, "target_lang": "FR", "model_type": "quality_optimized"}
            return raw("POST", "/v2/translate", json=body)

        (made,) = ask("Das Haus ist groß.").json()["translations"]
        assert made["text"] == "La maison est grande."
        assert made["model_type_used"] == "firefox (de-en, en-fr)"
        answer = ask("Das abort Haus")
        assert answer.status_code == 400
        assert "firefox (de-en) has no answer for a text of 14 characters" in answer.json()["message"]
        assert ask("Das Haus").json()["translations"][0]["text"] == "La maison"
        languages = raw("GET", "/v3/languages?resource=translate_text").json()
        (french,) = (each for each in languages if each["lang"] == "fr")
        assert french["translators"]["de"] == "firefox (de-en, en-fr)"


def test_a_text_that_breaks_the_engine_is_the_error_of_its_row_alone(model_dir: Path, tmp_path: Path) -> None:
    texts = pd.Series(["The house", "The abort house", "water", "The water"])
    with service.start(memory=True, translators=["firefox"], model_dir=model_dir) as running:
        settings = Settings(store=str(tmp_path / "answers.sqlite"), first_wait=0.01)
        with current(session.Session.embedded(running, settings)):
            made = texts.svc.translate_table("DE", source_lang="EN")
    assert list(made["status"]) == ["done", "failed", "done", "done"]
    assert list(made["text"].dropna()) == ["Das Haus", "Wasser", "Das Wasser"]
    assert "firefox (en-de) has no answer for a text of 15 characters" in made["reason"][1]


def test_a_model_of_the_users_own_goes_first_and_rules_come_last() -> None:
    assert [engine.name for engine in installed()._engines] == ["ctranslate", "firefox", "apertium", "pseudo"]
