"""InDesign packages: stories paragraph by paragraph, character styles and markers where they belong."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest

from tests.service.formats.wording import Shouting, by, translated

PLAIN = '<CharacterStyleRange AppliedCharacterStyle="plain">{}</CharacterStyleRange>'
BOLD = (
    '<CharacterStyleRange AppliedCharacterStyle="plain" FontStyle="Bold">'
    '<Properties><AppliedFont type="string">A</AppliedFont></Properties>{}</CharacterStyleRange>'
)
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'


def content(text: str) -> str:
    return f"<Content>{text}</Content>"


def package(tmp_path: Path, *ranges: str) -> Path:
    story = (
        f'{HEAD}<idPkg:Story xmlns:idPkg="http://ns.adobe.com/AdobeInDesign/idml/1.0/packaging" DOMVersion="18.0">'
        f'<Story Self="u1"><ParagraphStyleRange AppliedParagraphStyle="p">{"".join(ranges)}</ParagraphStyleRange>'
        "</Story></idPkg:Story>"
    )
    with zipfile.ZipFile(tmp_path / "a.idml", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("mimetype", "application/vnd.adobe.indesign-idml-package", zipfile.ZIP_STORED)
        file.writestr("designmap.xml", f"{HEAD}<Document><Name>left alone</Name></Document>")
        file.writestr("Stories/Story_u1.xml", story)
    return tmp_path / "a.idml"


def story(path: Path) -> str:
    with zipfile.ZipFile(path) as file:
        text = file.read("Stories/Story_u1.xml").decode()
    return text[text.index('Style="p">') + 10 : text.index("</ParagraphStyleRange>")]


def test_paragraphs_are_sent_whole_and_styles_stay_on_their_words(tmp_path):
    source = package(
        tmp_path,
        PLAIN.format(content("The ")),
        BOLD.format(content("red")),
        PLAIN.format(content(" house") + "<Br/>" + content("Next") + "<Br/>"),
        PLAIN.format(content("Last")),
    )
    words = Shouting()
    translated(source, words)
    assert words.calls == [["The <g1>red</g1> house", "Next", "Last"]]
    done = story(translated(source, by(lambda text: "La casa <g1>roja</g1>" if "red" in text else text)))
    assert done.startswith(PLAIN.format(content("La casa ")) + BOLD.format(content("roja")) + PLAIN.format("<Br/>"))
    assert re.findall("<Content>([^<]*)", done) == ["La casa ", "roja", "Next", "Last"]
    assert done.count("<Br/>") == 2


@pytest.mark.long
def test_a_range_of_many_paragraphs_is_cut_at_each_in_time_that_grows_no_faster(tmp_path):
    texts = [f"paragraph {at}" for at in range(5_000)]
    done = story(translated(package(tmp_path, BOLD.format("<Br/>".join(map(content, texts)))), Shouting()))
    assert done == "".join(BOLD.format(content(text.upper()) + "<Br/>" * (text is not texts[-1])) for text in texts)


def test_markers_footnotes_and_breaks_survive(tmp_path):
    inner = "<CharacterStyleRange><Content>a note</Content></CharacterStyleRange>"
    note = f"<Footnote><ParagraphStyleRange>{inner}</ParagraphStyleRange></Footnote>"
    source = package(tmp_path, PLAIN.format(content("Page <?ACE 18?> of\tthe\u2028book") + note + content(" here")))
    words = Shouting()
    with zipfile.ZipFile(translated(source, words)) as file:
        done = file.read("Stories/Story_u1.xml").decode()
    assert words.calls == [["Page <x1/> of\n<x2/>the\n<x3/>book<x4/> here", "a note"]]
    assert content("PAGE <?ACE 18?> OF\tTHE\u2028BOOK") + "<Footnote>" in done
    assert content("A NOTE") in done
    assert content(" HERE") in done


def test_a_paragraph_that_does_not_change_loses_nothing_when_others_do(tmp_path):
    source = package(tmp_path, PLAIN.format(content("12 <?ACE 18?> 34") + "<Br/>" + content("words")))
    assert content("12 <?ACE 18?> 34") in story(translated(source))


def test_links_keep_their_words(tmp_path):
    link = '<HyperlinkTextSource Self="u2"><Content>this page</Content></HyperlinkTextSource>'
    done = story(translated(package(tmp_path, PLAIN.format(content("see ") + link))))
    assert '<HyperlinkTextSource Self="u2"><Content>THIS PAGE</Content></HyperlinkTextSource>' in done


def test_the_type_stays_first_and_other_parts_keep_their_bytes(tmp_path):
    source = package(tmp_path, PLAIN.format(content("words")))
    with zipfile.ZipFile(source) as before, zipfile.ZipFile(translated(source)) as after:
        assert after.namelist() == ["mimetype", "designmap.xml", "Stories/Story_u1.xml"]
        assert after.infolist()[0].compress_type == zipfile.ZIP_STORED
        assert before.read("designmap.xml") == after.read("designmap.xml")
