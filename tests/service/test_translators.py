"""Which translator is chosen for a pair, and the one of last resort."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.service import models, translators
from svc_nb.service.translators import NoTranslator, Pseudo, Translators, installed
from svc_nb.service.translators.apertium import DEBIAN_PACKAGES


class Engine:
    """An engine that does as it is told and counts what it is asked."""

    def __init__(self, name: str, *pairs: tuple[str, str], sound: bool = True, raises: bool = False) -> None:
        self.name = name
        self.open = True
        self.tests: Counter[tuple[str, str]] = Counter()
        self._pairs = set(pairs)
        self._sound = sound
        self._raises = raises

    def pairs(self) -> set[tuple[str, str]]:
        return self._pairs

    def ready(self, source: str, target: str) -> bool:
        self.tests[source, target] += 1
        if self._raises:
            raise OSError("broken")
        if not self._sound:
            self._pairs.discard((source, target))
        return self._sound

    def translate(self, texts, source: str, target: str) -> list[str]:
        return [f"{self.name}:{source}>{target}:{text}" for text in texts]

    def close(self) -> None:
        self.open = False


def test_the_first_engine_that_has_the_pair_is_chosen() -> None:
    chosen = Translators([Engine("a", ("de", "en")), Engine("b", ("fr", "en"), ("de", "en"))])
    assert chosen.choose("de", "en").name == "a"
    assert chosen.choose("fr", "en").name == "b"


def test_an_engine_that_fails_its_self_test_makes_way_and_is_not_tried_again() -> None:
    broken = Engine("a", ("de", "en"), sound=False)
    chosen = Translators([broken, Engine("b", ("de", "en"))])
    assert [chosen.choose("de", "en").name for _ in range(3)] == ["b"] * 3
    assert broken.tests["de", "en"] == 1


def test_an_engine_that_cannot_even_be_tested_makes_way(caplog: pytest.LogCaptureFixture) -> None:
    chosen = Translators([Engine("a", ("de", "en"), raises=True), Engine("b", ("de", "en"))])
    assert chosen.choose("de", "en").name == "b"
    assert "could not be tested" in caplog.text


@pytest.mark.parametrize(
    ("asked", "had"),
    [
        (("de", "en-us"), ("de", "en")),
        (("de", "EN-GB"), ("de", "en")),
        (("pt-br", "de"), ("pt", "de")),
        (("zh-hant", "de"), ("zh", "de")),
        (("de", "zh-hans"), ("de", "zh")),
    ],
)
def test_a_variant_is_served_by_its_base_language(asked: tuple[str, str], had: tuple[str, str]) -> None:
    found = Translators([Engine("a", had)]).choose(*asked)
    assert found.translate(["x"], *asked) == [f"a:{had[0]}>{had[1]}:x"]


def test_a_variant_of_its_own_goes_before_the_base_language() -> None:
    found = Translators([Engine("a", ("de", "pt"), ("de", "pt-br"))]).choose("de", "pt-br")
    assert found.translate(["x"], "de", "pt-br") == ["a:de>pt-br:x"]


def test_chinese_in_the_other_script_is_not_passed_off() -> None:
    with pytest.raises(NoTranslator):
        Translators([Engine("a", ("de", "zh"))]).choose("de", "zh-hant")


def test_without_pseudo_a_missing_pair_is_an_error_that_says_what_to_do() -> None:
    with pytest.raises(NoTranslator, match=r"de to th.*svc-nb models add de-th.*SVC_MODEL_DIR.*Apertium.*pseudo"):
        installed(["apertium"]).choose("de", "th")


def test_the_pairs_are_those_of_real_translators_with_the_best_ones_name() -> None:
    chosen = Translators([Engine("a", ("de", "en")), Engine("b", ("de", "en"), ("fr", "en")), Pseudo()])
    assert chosen.pairs() == {("de", "en"): "a", ("fr", "en"): "b"}


def test_an_engine_may_name_each_of_its_pairs() -> None:
    class Named(Engine):
        def pairs(self) -> dict[tuple[str, str], str]:
            return {("de", "fr"): "a (de-en, en-fr)", ("de", "en"): "a"}

    chosen = Translators([Named("a"), Engine("b", ("fr", "en"))])
    assert chosen.pairs() == {("de", "fr"): "a (de-en, en-fr)", ("de", "en"): "a", ("fr", "en"): "b"}
    assert chosen.choose("de", "fr").name == "a (de-en, en-fr)"
    assert chosen.choose("fr", "en").name == "b"


def test_closing_closes_every_engine() -> None:
    engines = [Engine("a"), Engine("b")]
    Translators(engines).close()
    assert not any(engine.open for engine in engines)


def test_names_choose_the_engines() -> None:
    assert installed(["pseudo"]).choose("es", "en").name == "pseudo"
    assert installed(["pseudo", "apertium"]).choose("es", "en").name == "pseudo"


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"quantum.*ctranslate, firefox, apertium, pseudo"):
        installed(["quantum"])


def test_the_folder_of_models_comes_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "opus-mt-xx-yy").mkdir()
    for name in ("model.bin", "source.spm", "target.spm"):
        (tmp_path / "opus-mt-xx-yy" / name).touch()
    monkeypatch.setenv("SVC_MODEL_DIR", str(tmp_path))
    monkeypatch.setattr(models, "default_folder", lambda: tmp_path / "none")
    assert installed(["ctranslate"]).pairs() == {("xx", "yy"): "ctranslate"}
    assert installed(["ctranslate"], model_dir=tmp_path / "none").pairs() == {}


@pytest.mark.long
def test_setting_up_starts_and_loads_nothing() -> None:
    program = (
        "import sys; from svc_nb.service import translators; translators.installed();"
        "print([name for name in ('ctranslate2', 'sentencepiece') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.long
def test_the_debian_packages_can_be_printed_for_apt_get() -> None:
    command = [sys.executable, "-W", "error", "-m", "svc_nb.service.translators.apertium"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == list(DEBIAN_PACKAGES)
    assert done.stderr == ""


def test_every_engine_has_a_file_of_its_own_name() -> None:
    assert [installed([name])._engines[0].name for name in translators.ENGINES] == list(translators.ENGINES)


def test_pseudo_marks_with_the_full_code_that_was_asked_for() -> None:
    chosen = installed(["pseudo"])
    assert chosen.choose("de", "en-us").translate(["Hallo"], "de", "en-us") == ["[EN-US] Hallo"]
    assert chosen.choose("und", "de").translate(["x", "", " ", "\n y "], "und", "de") == [
        "[DE] x",
        "",
        " ",
        "\n [DE] y ",
    ]


@given(st.text())
def test_pseudo_keeps_the_text_itself(text: str) -> None:
    (marked,) = Pseudo().translate([text], "en", "de")
    assert marked.replace("[DE] ", "", 1) == text or "[DE] " in text
    assert len(marked) == len(text) + (5 if text.strip() else 0)
