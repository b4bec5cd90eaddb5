"""CTranslate2 models as people have them, with tiny ones that really translate."""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from svc_nb.service.translators import NoTranslator, TranslatorFailed, Translators, installed
from svc_nb.service.translators.ctranslate import CTranslate


def _tiny_model():
    """The builder beside this file: test folders are not packages."""
    spec = importlib.util.spec_from_file_location("tiny_model", Path(__file__).with_name("tiny_model.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


tiny_model = _tiny_model()

FRENCH = {"the": "la", "house": "maison", "is": "est", "big": "grande"}


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Models of every kind, built once."""
    folder = tmp_path_factory.mktemp("shelf")
    tiny_model.build_argos(folder / "translate-en_de-1_0")
    tiny_model.build_opus(folder / "opus-mt-en-fr", FRENCH)
    tiny_model.build_opus(folder / "eos-en_it", adds_eos=True)
    tiny_model.build_opus(folder / "opus-mt-en-ROMANCE", tokens=[">>spa<<", ">>pob<<", ">>por<<"])
    tiny_model.build_opus(folder / "opus-mt-tc-big-en-zh-ctranslate2", tokens=[">>cmn_Hans<<", ">>cmn_Hant<<"])
    return folder


@pytest.fixture
def model_dir(tmp_path: Path) -> Path:
    (tmp_path / "models").mkdir()
    return tmp_path / "models"


Open = Callable[..., CTranslate]


@pytest.fixture
def opened(shelf: Path, tmp_path: Path, model_dir: Path) -> Iterator[Open]:
    """Take models from the shelf and open the engine."""
    engines = []

    def opened(*names: str) -> CTranslate:
        for name in names:
            shutil.copytree(shelf / name, model_dir / name)
        engines.append(CTranslate(model_dir, cache_dir=tmp_path / "cache"))
        return engines[-1]

    yield opened
    for engine in engines:
        engine.close()


def test_an_argos_package_translates(opened: Open) -> None:
    engine = opened("translate-en_de-1_0")
    assert list(engine.pairs()) == [("en", "de")]
    assert engine.translate(["the house is big", "we and water"], "en", "de") == [
        "das Haus ist groß",
        "wir und Wasser",
    ]


def test_an_opus_model_translates_with_its_own_pieces_on_each_side(opened: Open) -> None:
    engine = opened("opus-mt-en-fr")
    assert engine.translate(["the house is big."], "en", "fr") == ["la maison est grande."]


@pytest.mark.parametrize(
    "name",
    [
        "en-de",
        "en_de",
        "ct2-opus-mt-en-de",
        "opus-mt-en-de-ct2",
        "opus-mt-tc-big-eng-deu",
        "opus_mt_en_de_int8",
    ],
)
def test_the_languages_of_an_opus_model_are_read_from_its_name(shelf: Path, model_dir: Path, name: str) -> None:
    shutil.copytree(shelf / "opus-mt-en-fr", model_dir / name)
    assert list(CTranslate(model_dir).pairs()) == [("en", "de")]


def test_the_end_of_a_sentence_is_added_where_the_model_does_not_do_it_itself(shelf: Path, model_dir: Path) -> None:
    shutil.copytree(shelf / "eos-en_it", model_dir / "en-it")
    shutil.copytree(shelf / "opus-mt-en-fr", model_dir / "en-fr")
    assert json.loads((model_dir / "en-it" / "config.json").read_text())["add_source_eos"] is True
    assert json.loads((model_dir / "en-fr" / "config.json").read_text())["add_source_eos"] is False
    engine = CTranslate(model_dir)
    assert engine.translate(["the house"], "en", "it") == ["das Haus"]
    assert engine.translate(["the house"], "en", "fr") == ["la maison"]


def test_a_model_of_many_targets_is_told_which_one(opened: Open) -> None:
    engine = opened("opus-mt-en-ROMANCE")
    assert sorted(engine.pairs()) == [("en", "es"), ("en", "pt"), ("en", "pt-br")]
    assert engine.translate(["the house"], "en", "es") == ["spa: das Haus"]
    assert engine.translate(["the house"], "en", "pt-br") == ["pob: das Haus"]
    assert engine.translate(["the house"], "en", "pt") == ["por: das Haus"]
    assert engine.loaded == ["opus-mt-en-ROMANCE"]


def test_the_prefix_that_an_argos_package_asks_for_is_given_and_taken_away(shelf: Path, model_dir: Path) -> None:
    shutil.copytree(shelf / "translate-en_de-1_0", model_dir / "en_de")
    about = {"from_code": "en", "to_code": "de", "target_prefix": "▁und"}
    (model_dir / "en_de" / "metadata.json").write_text(json.dumps(about), "utf-8")
    engine = CTranslate(model_dir)
    assert engine.translate(["the house is big"], "en", "de") == ["Haus ist groß"]  # "und" stands for the first word


def test_chinese_scripts_are_kept_apart(opened: Open) -> None:
    chosen = Translators([opened("opus-mt-tc-big-en-zh-ctranslate2")])
    for target, token in (("zh-hant", "cmn_Hant"), ("zh-hans", "cmn_Hans"), ("zh", "cmn_Hans")):
        assert chosen.choose("en", target).translate(["the house"], "en", target) == [f"{token}: das Haus"]


def test_a_variant_is_served_by_the_base_language(opened: Open) -> None:
    found = Translators([opened("translate-en_de-1_0")]).choose("en-gb", "de-ch")
    assert found.translate(["the house"], "en-gb", "de-ch") == ["das Haus"]
    assert found.name == "ctranslate"


def test_the_folder_may_be_the_model_itself(shelf: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert CTranslate(shelf / "opus-mt-en-fr").translate(["the house"], "en", "fr") == ["la maison"]
    assert CTranslate(shelf / "translate-en_de-1_0").translate(["the house"], "en", "de") == ["das Haus"]
    assert caplog.text == ""


@pytest.mark.long
def test_a_hundred_placeholders_are_not_mixed_up(opened: Open) -> None:
    text = "x " + " ".join(chr(0xE000 + number) for number in range(120))
    assert opened("translate-en_de-1_0").translate([text], "en", "de") == [text]


def test_length_order_and_white_space_survive(opened: Open) -> None:
    engine = opened("translate-en_de-1_0")
    texts = [
        "",
        "the",
        "  the house\n",
        " ",
        "12.5",
        "👍",
        *(f"the house x{number}" for number in range(100)),
        "the",
    ]
    out = engine.translate(texts, "en", "de")
    assert out[:6] == ["", "das", "  das Haus\n", " ", "12.5", "👍"]
    assert out[6:] == [*(f"das Haus x{number}" for number in range(100)), "das"]


def test_a_nul_or_half_a_character_shifts_no_results(opened: Open) -> None:
    engine = opened("translate-en_de-1_0")
    out = engine.translate(["the\0house", "water", "the \ud800 house", "big"], "en", "de")
    assert out == ["das Haus", "Wasser", "das \ufffd Haus", "groß"]


@pytest.mark.parametrize(
    ("text", "out"),
    [
        ("\ue000 is big", "\ue000 ist groß"),
        ("the \ue000 and the \ue001.", "das \ue000 und das \ue001."),
        ("the \ue000house\ue001 is big", "das \ue000Haus\ue001 ist groß"),
        ("the [11] \ue000 [12]", "das [11] \ue000 [12]"),
        ("\ue000\ue001 the \uf8ff", "\ue000\ue001 das \uf8ff"),
    ],
)
def test_placeholders_are_carried_through(opened: Open, text: str, out: str) -> None:
    assert opened("translate-en_de-1_0").translate([text], "en", "de") == [out]


def test_a_sign_the_model_loses_is_replaced_by_another(shelf: Path, model_dir: Path) -> None:
    tiny_model.build_opus(model_dir / "en-de", {**FRENCH, "[11]": "lost"})
    engine = CTranslate(model_dir)
    assert engine.translate(["the \ue000 house"], "en", "de") == ["la \ue000 maison"]


def test_a_text_longer_than_the_model_can_take_is_translated_in_full(opened: Open) -> None:
    engine = opened("translate-en_de-1_0")
    assert engine.translate(["the house " * 400], "en", "de") == [("das Haus " * 400)[:-1] + " "]


def test_an_argos_archive_is_read_where_it_lies_and_unpacked_once(shelf: Path, model_dir: Path, tmp_path: Path) -> None:
    pack(shelf / "translate-en_de-1_0", model_dir / "en_de.argosmodel")
    cache = tmp_path / "cache"
    assert list(CTranslate(model_dir, cache_dir=cache).pairs()) == [("en", "de")]
    assert not cache.exists()
    for _ in range(2):
        assert CTranslate(model_dir, cache_dir=cache).translate(["the house"], "en", "de") == ["das Haus"]
    assert len(list(cache.iterdir())) == 1


@pytest.mark.parametrize("member", ["../evil", "/evil", "a/../../evil", "..\\evil", "C:evil"])
def test_an_archive_cannot_write_outside_its_folder(
    shelf: Path, model_dir: Path, tmp_path: Path, member: str, caplog: pytest.LogCaptureFixture
) -> None:
    pack(shelf / "translate-en_de-1_0", model_dir / "en_de.argosmodel", **{member: b"x"})
    before = sorted(tmp_path.rglob("*"))
    engine = CTranslate(model_dir, cache_dir=tmp_path / "cache")
    assert not engine.ready("en", "de")
    assert "outside its folder" in caplog.text
    assert [path for path in sorted(tmp_path.rglob("*")) if path not in before] == [tmp_path / "cache"]


def test_a_link_in_an_archive_is_refused(shelf: Path, model_dir: Path, tmp_path: Path) -> None:
    pack(shelf / "translate-en_de-1_0", model_dir / "en_de.argosmodel")
    with zipfile.ZipFile(model_dir / "en_de.argosmodel", "a") as archive:
        link = zipfile.ZipInfo("en_de/link")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    assert not CTranslate(model_dir, cache_dir=tmp_path / "cache").ready("en", "de")


def test_an_archive_of_too_many_files_is_refused(shelf: Path, model_dir: Path, tmp_path: Path) -> None:
    pack(
        shelf / "translate-en_de-1_0",
        model_dir / "en_de.argosmodel",
        **{f"en_de/{number}": b"" for number in range(1_001)},
    )
    assert not CTranslate(model_dir, cache_dir=tmp_path / "cache").ready("en", "de")


def test_broken_models_are_named_and_left_out_and_the_good_one_works(
    shelf: Path, model_dir: Path, caplog: pytest.LogCaptureFixture
) -> None:
    broken = {
        "no-json": {"metadata.json": b"{", "model/model.bin": b"", "sentencepiece.model": b""},
        "not-an-object": {"metadata.json": b"[]", "model/model.bin": b"", "sentencepiece.model": b""},
        "no-codes": {"metadata.json": b"{}", "model/model.bin": b"", "sentencepiece.model": b""},
        "odd-code": {
            "metadata.json": b'{"from_code": "../x", "to_code": "de"}',
            "model/model.bin": b"",
            "sentencepiece.model": b"",
        },
        "no-pieces": {"metadata.json": b'{"from_code": "en", "to_code": "de"}', "model/model.bin": b""},
        "opus-mt-en-nl": {"model.bin": b""},
        "a-b-c": {"model.bin": b"", "source.spm": b"", "target.spm": b""},
        "ROMANCE-en": {"model.bin": b"", "source.spm": b"", "target.spm": b""},
    }
    for name, members in broken.items():
        for member, content in members.items():
            (model_dir / name / member).parent.mkdir(parents=True, exist_ok=True)
            (model_dir / name / member).write_bytes(content)
    (model_dir / "torn.argosmodel").write_bytes(b"PK\x03\x04 torn")
    (model_dir / "notes.txt").write_text("not a model")
    (model_dir / "empty").mkdir()
    shutil.copytree(shelf / "opus-mt-en-fr", model_dir / "opus-mt-en-fr")
    assert list(CTranslate(model_dir).pairs()) == [("en", "fr")]
    for name in (*broken, "torn.argosmodel"):
        assert f"The model {name} is left out" in caplog.text
    assert "notes.txt" not in caplog.text


@pytest.mark.parametrize("part", ["model.bin", "source.spm", "target.spm", "shared_vocabulary.json"])
def test_a_model_with_a_damaged_file_fails_its_self_test(
    shelf: Path, model_dir: Path, part: str, caplog: pytest.LogCaptureFixture
) -> None:
    folder = model_dir / "opus-mt-en-de"
    shutil.copytree(shelf / "opus-mt-en-fr", folder)
    for file in folder.glob(part.replace("shared", "*")):
        file.write_bytes(file.read_bytes()[:100])
    engine = CTranslate(model_dir)
    assert not engine.ready("en", "de")
    assert list(engine.pairs()) == []
    assert engine.loaded == []
    assert "The model opus-mt-en-de is left out" in caplog.text
    with pytest.raises(TranslatorFailed):
        engine.translate(["the house"], "en", "de")


def test_a_model_that_says_nothing_fails_its_self_test(model_dir: Path, caplog: pytest.LogCaptureFixture) -> None:
    tiny_model.build_opus(model_dir / "en-de", mute=True)
    assert not CTranslate(model_dir).ready("en", "de")
    assert "failed its self-test" in caplog.text


def test_the_next_model_of_a_pair_takes_the_place_of_a_broken_one(shelf: Path, model_dir: Path) -> None:
    shutil.copytree(shelf / "translate-en_de-1_0", model_dir / "a")
    (model_dir / "a" / "sentencepiece.model").write_bytes(b"")
    shutil.copytree(shelf / "translate-en_de-1_0", model_dir / "b")
    engine = CTranslate(model_dir)
    assert engine.translate(["the house"], "en", "de") == ["das Haus"]


def test_models_beyond_the_cap_are_dropped_and_loaded_again(shelf: Path) -> None:
    engine = CTranslate(shelf, loaded=1)
    for _ in range(2):
        assert engine.translate(["the house"], "en", "de") == ["das Haus"]
        assert engine.translate(["the house"], "en", "fr") == ["la maison"]
        assert len(engine.loaded) == 1
    engine.close()
    assert engine.loaded == []
    with pytest.raises(TranslatorFailed):
        engine.translate(["the house"], "en", "de")


def test_callers_from_many_threads_get_their_own_texts(shelf: Path) -> None:
    engine = CTranslate(shelf, loaded=1)

    def translated(caller: int) -> bool:
        target, house = (("de", "das Haus"), ("fr", "la maison"))[caller % 2]
        texts = [f"the house {caller} b{number}" for number in range(20)]
        return engine.translate(texts, "en", target) == [f"{house} {caller} b{number}" for number in range(20)]

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(translated, range(16)))
    engine.close()


def test_without_models_there_are_no_pairs(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert list(CTranslate(None).pairs()) == []
    assert list(CTranslate(tmp_path).pairs()) == []
    assert list(CTranslate(tmp_path / "none").pairs()) == []
    assert "cannot be read" in caplog.text


def test_without_the_libraries_there_are_no_pairs(shelf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ctranslate2", None)
    assert list(CTranslate(shelf).pairs()) == []
    with pytest.raises(NoTranslator):
        installed(["ctranslate"], model_dir=shelf).choose("en", "de")


def pack(folder: Path, archive: Path, **more: bytes) -> None:
    with zipfile.ZipFile(archive, "w") as packed:
        for file in sorted(folder.rglob("*")):
            packed.write(file, f"en_de/{file.relative_to(folder)}")
        for name, content in more.items():
            packed.writestr(name, content)
