"""Models that somebody brings: what passes its self-test counts, what is broken or hostile leaves nothing behind."""

from __future__ import annotations

import io
import os
import shutil
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest

from svc_nb.service.models import BrokenModel, archives, library, manifest
from svc_nb.service.models.library import PASSED, UNTESTED, AlreadyThere
from svc_nb.service.translators.ctranslate import CTranslate
from svc_nb.service.translators.firefox import Firefox
from tests.toy_firefox import build, install_library

GERMAN = {"The": "Das", "house": "Haus", "is": "ist", "big.": "groß.", "We": "Wir", "water": "Wasser"}


@pytest.fixture(autouse=True)
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_library(tmp_path / "library", monkeypatch)


@pytest.fixture
def own(tmp_path: Path) -> Path:
    return tmp_path / "own" / "models"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return build(tmp_path / "brought" / "en-de", GERMAN)


def zipped(folder: Path, archive: Path, **more: bytes) -> Path:
    with zipfile.ZipFile(archive, "w") as packed:
        for file in sorted(folder.rglob("*")):
            packed.write(file, f"{folder.name}/{file.relative_to(folder)}")
        for name, content in more.items():
            packed.writestr(name, content)
    return archive


def test_a_folder_is_copied_tested_and_then_counts(model: Path, own: Path) -> None:
    added = library.add(model, own, source="a friend", licence="MPL-2.0")
    assert (added.name, added.pairs, added.test) == ("firefox-en-de", (("en", "de"),), PASSED)
    assert stat.S_IMODE(own.stat().st_mode) == 0o700
    shutil.rmtree(model)
    engine = Firefox(own)
    assert engine.translate(["The house"], "en", "de") == ["Das Haus"]
    engine.close()
    (listed,) = library.listed([own])
    assert listed == added
    assert (listed.source, listed.licence, listed.size) == ("a friend", "MPL-2.0", manifest.size(own / added.name))
    assert [each.name for each in own.iterdir()] == [added.name]


@pytest.mark.parametrize("form", ["zip", "tar", "gztar", "bztar", "xztar"])
def test_an_archive_of_any_usual_kind_will_do(model: Path, own: Path, tmp_path: Path, form: str) -> None:
    archive = shutil.make_archive(str(tmp_path / "archive"), form, model.parent)
    assert library.add(Path(archive), own, source="x").pairs == (("en", "de"),)


def test_an_archive_without_a_folder_of_its_own_is_named_by_its_file(model: Path, own: Path, tmp_path: Path) -> None:
    (model / "model.xxyy.intgemm.alphas.bin").rename(model / "model.bin.bin")
    archive = shutil.make_archive(str(tmp_path / "en-it"), "gztar", model)
    assert library.add(Path(archive), own, source="x").pairs == (("en", "it"),)


@pytest.mark.parametrize("packed", [True, False])
def test_models_of_ctranslate_are_added_too(own: Path, tmp_path: Path, tiny_model, packed: bool) -> None:
    argos = tiny_model.build_argos(tmp_path / "translate-en_de-1_0")
    place = zipped(argos, tmp_path / "en_de.argosmodel") if packed else argos
    assert library.add(place, own, source="x").name == "argos-en-de"
    tiny_model.build_opus(tmp_path / "opus-mt-en-ROMANCE", tokens=[">>spa<<", ">>por<<"])
    added = library.add(tmp_path / "opus-mt-en-ROMANCE", own, source="x")
    assert added.pairs == (("en", "es"), ("en", "pt"))
    engine = CTranslate(own)
    assert engine.translate(["the house"], "en", "de") == ["das Haus"]
    assert engine.translate(["the house"], "en", "es") == ["spa: das Haus"]
    engine.close()
    (own / "argos-en-de" / "sentencepiece.model").write_bytes(b"other")
    assert not CTranslate(own).ready("en", "de")


@pytest.fixture
def tiny_model():
    import importlib.util

    spec = importlib.util.spec_from_file_location("tiny_model", Path(__file__).with_name("tiny_model.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_model_is_not_added_twice(model: Path, own: Path) -> None:
    library.add(model, own, source="x")
    with pytest.raises(AlreadyThere, match="firefox-en-de"):
        library.add(model, own, source="x")
    assert len(list(own.iterdir())) == 1


def test_files_that_are_links_are_copied_as_in_caches_of_downloads(model: Path, own: Path, tmp_path: Path) -> None:
    blob = tmp_path / "blob"
    file = model / "vocab.xxyy.spm"
    file.rename(blob)
    file.symlink_to(blob)
    added = library.add(model, own, source="x")
    assert not (added.place / file.name).is_symlink()


def test_what_is_wrong_with_a_model_is_said_in_the_list(model: Path, own: Path, tmp_path: Path) -> None:
    added = library.add(model, own, source="x")
    build(tmp_path / "by-hand" / "en-fr", GERMAN)
    build(tmp_path / "by-hand" / "en-it", GERMAN).joinpath("vocab.xxyy.spm").unlink()
    (added.place / "vocab.xxyy.spm").write_text("other")
    tests = {each.name: each.test for each in library.listed([own, tmp_path / "by-hand", tmp_path / "none"])}
    assert tests["en-fr"] == UNTESTED
    assert "srcvocab" in tests["en-it"]
    assert "has changed since the model was added" in tests["firefox-en-de"]
    (added.place / manifest.NAME).write_text("{")
    (broken,) = library.listed([own])
    assert broken.test == f"its {manifest.NAME} cannot be read"


def test_a_removed_model_is_gone_whole(model: Path, own: Path) -> None:
    library.remove(library.add(model, own, source="x"))
    assert list(own.iterdir()) == []


def test_what_a_killed_command_left_is_tidied_by_the_next(model: Path, own: Path) -> None:
    (own / ".new-x" / "half").mkdir(parents=True)
    (own / ".gone-x" / "half").mkdir(parents=True)
    library.add(model, own, source="x")
    assert [each.name for each in own.iterdir()] == ["firefox-en-de"]


# ---- what does not count


def refused(place: Path, own: Path, reason: str, *, outside: Path) -> None:
    """Adding *place* is refused for *reason*, and no file of the world changes."""
    own.mkdir(parents=True, exist_ok=True)
    before = sorted(outside.rglob("*"))
    with pytest.raises(BrokenModel, match=reason):
        library.add(place, own, source="x")
    assert sorted(outside.rglob("*")) == before


@pytest.mark.parametrize("words", [{"*": ""}, {"*": "hang"}, {}, {"*": "la " * 500}])
def test_a_model_that_translates_nothing_is_refused(own: Path, tmp_path: Path, words: dict[str, str]) -> None:
    refused(build(tmp_path / "en-de", words), own, "failed its self-test", outside=tmp_path)


def test_a_torn_model_is_refused(model: Path, own: Path, tmp_path: Path) -> None:
    (model / "model.xxyy.intgemm.alphas.bin").write_bytes(b"{torn")
    refused(model, own, "one of its files is probably damaged or incomplete", outside=tmp_path)


def test_a_model_whose_folder_and_files_name_other_pairs_is_refused(model: Path, own: Path, tmp_path: Path) -> None:
    (model / "model.xxyy.intgemm.alphas.bin").rename(model / "model.enpt.intgemm.alphas.bin")
    refused(model, own, "its folder is named for en-de, but its files are for en-pt", outside=tmp_path)
    right = library.add(model.rename(model.parent / "en-pt"), own, source="a friend")
    assert right.pairs == (("en", "pt"),)


def test_a_folder_without_a_model_says_what_was_expected(own: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    refused(tmp_path / "empty", own, r"it has no model: expected model\.\*\.bin", outside=tmp_path)


def test_of_several_models_none_is_chosen(own: Path, tmp_path: Path) -> None:
    for name in ("en-de", "en-fr"):
        build(tmp_path / "several" / name, GERMAN)
    refused(tmp_path / "several", own, "2 models; add them one by one: en-de, en-fr", outside=tmp_path)


def test_a_device_in_a_folder_is_not_read(model: Path, own: Path, tmp_path: Path) -> None:
    os.mkfifo(model / "lex.pipe")
    refused(model, own, "a broken link or a device", outside=tmp_path)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 torn", b"\x1f\x8b torn", b"<html>", b"\0" * 2048, b"BZh9 torn"])
def test_a_file_that_is_no_archive_is_refused(own: Path, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "en-de.zip").write_bytes(content)
    refused(tmp_path / "en-de.zip", own, "no archive that can be read|is empty", outside=tmp_path)


@pytest.mark.parametrize("form", ["zip", "gztar", "xztar", "tar"])
def test_half_an_archive_is_refused(model: Path, own: Path, tmp_path: Path, form: str) -> None:
    (model / "lex.xxyy.bin").write_bytes(os.urandom(200_000))
    archive = Path(shutil.make_archive(str(tmp_path / "archive"), form, model.parent))
    archive.write_bytes(archive.read_bytes()[: archive.stat().st_size // 2])
    refused(archive, own, "no archive that can be read", outside=tmp_path)


@pytest.mark.parametrize("name", ["../evil", "/evil", "en-de/../../evil", "..\\evil", "C:evil", "a\nb", "a\x1bb"])
@pytest.mark.parametrize("form", ["zip", "tar"])
def test_no_member_gets_out_of_its_folder(model: Path, own: Path, tmp_path: Path, name: str, form: str) -> None:
    archive = tmp_path / f"en-de.{form}"
    if form == "zip":
        zipped(model, archive, **{name: b"x"})
    else:
        with tarfile.open(archive, "w") as tar:
            tar.add(model, "en-de")
            tar.addfile(tarfile.TarInfo(name))
    refused(archive, own, "outside its folder|without a proper name", outside=tmp_path)


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE])
def test_links_and_devices_are_refused(model: Path, own: Path, tmp_path: Path, kind: bytes) -> None:
    archive = tmp_path / "en-de.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(model, "en-de")
        odd = tarfile.TarInfo("en-de/odd")
        odd.type, odd.linkname = kind, "/etc/passwd"
        tar.addfile(odd)
    refused(archive, own, "a link or a device", outside=tmp_path)


def test_a_link_in_a_zip_is_refused(model: Path, own: Path, tmp_path: Path) -> None:
    archive = zipped(model, tmp_path / "en-de.zip")
    link = zipfile.ZipInfo("en-de/link")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(archive, "a") as packed:
        packed.writestr(link, "/etc/passwd")
    refused(archive, own, "a link or a device", outside=tmp_path)


@pytest.mark.parametrize("form", ["zip", "tar.gz", "tar.xz"])
def test_a_bomb_is_refused(own: Path, tmp_path: Path, form: str) -> None:
    archive = tmp_path / f"en-de.{form}"
    bomb = bytes(4 << 20)
    if form == "zip":
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
            packed.writestr("en-de/model.x.bin", bomb)
    else:
        with tarfile.open(archive, f"w:{form[4:]}") as tar:
            member = tarfile.TarInfo("en-de/model.x.bin")
            member.size = len(bomb)
            tar.addfile(member, io.BytesIO(bomb))
    refused(archive, own, "swells to many times its size", outside=tmp_path)


def test_a_head_that_asks_for_memory_is_refused(own: Path, tmp_path: Path) -> None:
    member = tarfile.TarInfo("name")
    member.type, member.size = tarfile.XHDTYPE, 1 << 33
    (tmp_path / "en-de.tar").write_bytes(member.tobuf(tarfile.GNU_FORMAT) + bytes(4096))
    refused(tmp_path / "en-de.tar", own, "larger than any model|no archive", outside=tmp_path)


@pytest.mark.long
def test_thousands_of_members_are_refused(own: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "en-de.zip", "w") as packed:
        for number in range(archives.MOST_MEMBERS + 1):
            packed.writestr(f"en-de/{number}", b"x")
    refused(tmp_path / "en-de.zip", own, "larger than any model", outside=tmp_path)


@pytest.mark.parametrize(("one", "other"), [("Model.bin", "model.BIN"), ("é", "e\u0301"), ("a", "a/b"), ("x", "x")])
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_names_that_collide_are_refused(own: Path, tmp_path: Path, one: str, other: str) -> None:
    with zipfile.ZipFile(tmp_path / "en-de.zip", "w") as packed:
        packed.writestr(f"en-de/{one}", b"x")
        packed.writestr(f"en-de/{other}", b"y")
    refused(tmp_path / "en-de.zip", own, "twice, in capitals or not|no archive that can be read", outside=tmp_path)


def test_a_zip_with_a_password_is_refused(model: Path, own: Path, tmp_path: Path) -> None:
    archive = zipped(model, tmp_path / "en-de.zip")
    data = bytearray(archive.read_bytes())
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):  # the flag that says so
        at = data.find(signature)
        while at >= 0:
            data[at + offset] |= 1
            at = data.find(signature, at + 1)
    archive.write_bytes(data)
    refused(archive, own, "no archive that can be read", outside=tmp_path)
