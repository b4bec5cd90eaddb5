"""Forty office documents: words change in their places, and nothing else does; LibreOffice opens the translations."""

from __future__ import annotations

import re
import shutil
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pypdfium2
import pytest
from lxml import etree

from svc_nb.service.translators import installed
from tests.service.formats.office_corpus import CORPUS
from tests.service.formats.opendocument import bold, cell, flat, row
from tests.service.formats.renderings import pipeline
from tests.service.formats.wording import translated

PARAGRAPHS = frozenset({"p", "si", "is", "v", "title", "text", "oddHeader", "oddFooter"})
RUNS = frozenset({"r", "t", "rPr", "proofErr", "lang", "bidi"})
SYMBOL = re.compile(r"\bM2\b|\b1ST\b")  # raised letters make it one
WORDED = frozenset({"alt", "descr", "prompt", "promptTitle", "title"})
RENAMED = frozenset({"f", "formula", "formula1"})
CHANGED = {"filter": "val", "tableColumn": "name", "calcPr": "fullCalcOnLoad"}


def changed(source: Path, target: Path) -> dict[str, tuple[etree._Element, etree._Element]]:
    """The parts of XML that are not the same bytes in both, as trees; the names are the same, and so is their order."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target) as new:
        assert old.namelist() == new.namelist()
        names = [name for name in old.namelist() if old.read(name) != new.read(name)]
        assert all(name.endswith((".xml", ".xlsx")) for name in names)
        pairs = {name: (old.read(name), new.read(name)) for name in names if name.endswith(".xml")}
    return {name: (etree.fromstring(before), etree.fromstring(after)) for name, (before, after) in pairs.items()}


def local(element: etree._Element) -> str:
    return etree.QName(element).localname if isinstance(element.tag, str) else ""


def skeleton(root: etree._Element) -> list[tuple[str, tuple]]:
    """All elements in their order with their attributes, but for runs, which may be cut in other places, and words."""
    found = []
    for element in root.iter(etree.Element):
        name = local(element)
        if name in RUNS or any(local(each) in RUNS and local(each) != "r" for each in element.iterancestors()):
            continue
        kept = sorted(
            (key, value) for key, value in element.attrib.items() if key not in WORDED and key != CHANGED.get(name)
        )
        found.append((name, tuple(kept)))
    return found


def places(root: etree._Element) -> list[tuple[str, str]]:
    """The text of each paragraph, string and attribute that is for people to read."""
    found = []
    for element in root.iter(etree.Element):
        found += ((name, element.get(name)) for name in sorted(WORDED & set(element.attrib)))
        if local(element) not in PARAGRAPHS:
            continue
        texts = [element.text or ""] if len(element) == 0 else []
        for each in element.iter(etree.Element):
            around = next((one for one in each.iterancestors() if local(one) in PARAGRAPHS), None)
            if local(each) == "t" and around is element and "math" not in etree.QName(each).namespace:
                texts.append(each.text or "")
        found.append((local(element), "".join(texts)))
    return found


def letters(root: etree._Element) -> Iterator[tuple[str, tuple]]:
    """Each letter of the runs, with its formatting."""
    for text in (each for each in root.iter(etree.Element) if local(each) == "t"):
        properties = next((each for each in text.getparent() if local(each) == "rPr"), ())
        looks = [
            (local(each), *each.attrib.values()) for each in properties if local(each) not in ("lang", "noProof", "rtl")
        ]
        own = [item for item in getattr(properties, "attrib", {}).items() if item[0] in ("b", "i", "baseline")]
        yield from ((letter.casefold(), (*looks, *own)) for letter in text.text or "" if not letter.isspace())


def made(folder: Path, name: str) -> Path:
    kind = name.rpartition(".")[2]
    path = folder / f"{name.removesuffix(f'.{kind}').replace(' ', '-')}.{kind}"
    CORPUS[name].write(path)
    return path


def test_there_are_forty() -> None:
    assert len(CORPUS) == 40
    assert Counter(name.rpartition(".")[2] for name in CORPUS) == {"docx": 19, "xlsx": 10, "pptx": 11}


@pytest.mark.parametrize("name", CORPUS)
def test_words_change_in_their_places_and_nothing_else_does(tmp_path, name):
    source = made(tmp_path, name)
    found = changed(source, translated(source))
    said = []
    for part, (before, after) in found.items():
        assert skeleton(before) == skeleton(after), part
        assert list(letters(before)) == list(letters(after)), part
        for (where, old), (_, new) in zip(places(before), places(after), strict=True):
            said.append(old)
            is_value = where == "v" and "chart" not in part
            is_prompt = "slideMaster" in part and old != "On every slide"
            stays = is_value or is_prompt or old in CORPUS[name].kept | {"TRUE", "‹#›", "General"}
            wanted = old if stays else SYMBOL.sub(lambda symbol: symbol[0].lower(), old.upper())
            assert new == wanted, (part, where)
    assert len(said) >= 2
    assert CORPUS[name].kept <= set(said)


@pytest.fixture(scope="module")
def spanish():
    if shutil.which("apertium") is None:
        pytest.skip("Apertium is not installed")
    translators = installed(["apertium"])
    yield pipeline(translators), pipeline(translators, "es", "en")
    translators.close()


@pytest.mark.parametrize("name", CORPUS)
def test_words_move_to_spanish_and_back_and_the_structure_stays(tmp_path, name, spanish):
    to, back = spanish
    source = made(tmp_path, name)
    there = translated(source, to, target_lang="ES")
    again = translated(there, back, target_lang="EN-US")
    for found in (changed(source, there), changed(there, again)):
        for part, (before, after) in found.items():
            assert Counter(skeleton(before)) == Counter(skeleton(after)), part
            for (_, old), (_, new) in zip(places(before), places(after), strict=True):
                assert bool(old.strip()) == bool(new.strip()), (part, old)
        assert any(places(before) != places(after) for before, after in found.values())


TEXT = flat(
    "text",
    "<text:h text:outline-level='1'>The first chapter</text:h>"
    f"<text:p>The {bold('red')} house<text:note text:note-class='footnote'><text:note-citation>1</text:note-citation>"
    "<text:note-body><text:p>A note about it.</text:p></text:note-body></text:note> is big.</text:p>"
    f"<table:table>{row(cell('A cell'), cell('another cell'))}</table:table>"
    "<text:list><text:list-item><text:p>A point of a list</text:p></text:list-item></text:list>",
)
SHEET = flat(
    "spreadsheet",
    f"<table:table table:name='cars'>{row(cell('a ' + bold('red') + ' car'), cell('open'))}</table:table>",
)


def pages(path: Path) -> int:
    with pypdfium2.PdfDocument(path) as document:
        return len(document)


def test_libreoffice_opens_all_translations_and_pages_stay(tmp_path, soffice, spanish):
    to, _ = spanish
    (tmp_path / "text.fodt").write_text(TEXT)
    (tmp_path / "sheet.fods").write_text(SHEET)
    sources = [made(tmp_path, name) for name in CORPUS]
    sources += soffice("docx", tmp_path / "text.fodt", out=tmp_path)
    sources += soffice("xlsx", tmp_path / "sheet.fods", out=tmp_path)
    shown = {}
    for which, files in (("before", sources), ("after", [translated(each, to, target_lang="ES") for each in sources])):
        folder = tmp_path / which
        folder.mkdir()
        named = [shutil.copy(file, folder / f"{at:02}{file.suffix}") for at, file in enumerate(files)]
        shown[which] = [
            pages(each)
            for start in range(0, len(named), 14)
            for each in soffice("pdf", *named[start : start + 14], out=folder)
        ]
    different = {
        source.name: (before, after)
        for source, before, after in zip(sources, shown["before"], shown["after"], strict=True)
        if abs(before - after) > 1
    }
    assert not different
