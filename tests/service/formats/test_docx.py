"""Word documents: words change, formatting stays on its words, and everything else stays as it is."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import docx
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from docx.shared import Inches

from tests.service.formats.opendocument import bold, cell, flat, row
from tests.service.formats.wording import Shouting, by, translated

NS = nsdecls("w", "r") + (
    ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    ' xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
    ' xmlns:v="urn:schemas-microsoft-com:vml"'
)


def paragraph(inside: str):
    return parse_xml(f"<w:p {NS}>{inside}</w:p>")


def run(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def document(tmp_path: Path, *paragraphs: str) -> Path:
    made = docx.Document()
    for inside in paragraphs:
        made.element.body.insert(len(made.element.body) - 1, paragraph(inside))
    made.save(tmp_path / "a.docx")
    return tmp_path / "a.docx"


def xml_of(path: Path, name: str = "word/document.xml") -> str:
    with zipfile.ZipFile(path) as file:
        return file.read(name).decode()


def body(path: Path) -> str:
    """The paragraphs as short XML, without namespaces and section."""
    text = xml_of(path)
    text = text[text.index("<w:body>") + 8 : text.index("<w:sectPr")]
    return re.sub(r' xmlns:\w+="[^"]*"| xml:space="preserve"', "", text)


def texts_of(source: Path) -> list[str]:
    words = Shouting()
    translated(source, words)
    assert len(words.calls) <= 1
    return [text for call in words.calls for text in call]


def test_words_change_in_body_tables_headers_and_footers_and_formatting_stays(tmp_path):
    made = docx.Document()
    made.add_heading("A heading", 1)
    text = made.add_paragraph("Some ")
    text.add_run("bold").bold = True
    text.add_run(" and ")
    text.add_run("slanted").italic = True
    made.add_table(1, 2).cell(0, 1).text = "in a cell"
    made.sections[0].header.paragraphs[0].text = "above"
    made.sections[0].footer.paragraphs[0].text = "below 12"
    made.save(tmp_path / "a.docx")
    done = docx.Document(translated(tmp_path / "a.docx"))
    assert [each.text for each in done.paragraphs] == ["A HEADING", "SOME BOLD AND SLANTED"]
    assert done.paragraphs[0].style.name == "Heading 1"
    assert [(each.text, each.bold, each.italic) for each in done.paragraphs[1].runs if each.text.strip()] == [
        ("SOME ", None, None),
        ("BOLD", True, None),
        (" AND ", None, None),
        ("SLANTED", None, True),
    ]
    assert done.tables[0].cell(0, 1).text == "IN A CELL"
    assert done.sections[0].header.paragraphs[0].text == "ABOVE"
    assert done.sections[0].footer.paragraphs[0].text == "BELOW 12"


def test_untouched_parts_keep_their_bytes(tmp_path):
    source = document(tmp_path, run("hello"))
    with zipfile.ZipFile(source) as before, zipfile.ZipFile(translated(source)) as after:
        assert before.namelist() == after.namelist()
        changed = [name for name in before.namelist() if before.read(name) != after.read(name)]
    assert changed == ["word/document.xml"]


def test_a_document_without_words_is_the_same_file(tmp_path):
    source = document(tmp_path, run("12.5 %"), "")
    words = Shouting()
    with zipfile.ZipFile(source) as before, zipfile.ZipFile(translated(source, words)) as after:
        assert all(before.read(name) == after.read(name) for name in before.namelist())
    assert words.calls == []


def test_a_translator_that_changes_nothing_gives_the_same_parts(tmp_path):
    source = document(tmp_path, run("hello ") + run("you", "<w:b/>"))
    with zipfile.ZipFile(source) as before, zipfile.ZipFile(translated(source, by(str))) as after:
        assert all(before.read(name) == after.read(name) for name in before.namelist())


def test_words_that_word_cut_into_runs_are_whole(tmp_path):
    cut = (
        run("trans", '<w:lang w:val="en-GB"/>')
        + '<w:proofErr w:type="spellStart"/>'
        + run("lat")
        + run("ion", "<w:noProof/>")
    )
    assert texts_of(document(tmp_path, cut + run(" of", "<w:b/>"))) == ["translation <g1>of</g1>"]


def test_tabs_breaks_and_notes_stand_alone_and_survive(tmp_path):
    source = document(
        tmp_path,
        run("one")
        + "<w:r><w:tab/><w:t>two</w:t><w:br/><w:t>three</w:t></w:r>"
        + '<w:r><w:footnoteReference w:id="2"/></w:r>'
        + run(" four"),
    )
    assert texts_of(source) == ["one\n<x1/>two\n<x2/><g3>three</g3> four"]
    done = body(translated(source))
    assert re.findall(r"<w:(tab|br|footnoteReference)\b", done) == ["tab", "br", "footnoteReference"]
    assert re.findall(r"<w:t>([^<]*)", done) == ["ONE", "TWO", "THREE", " FOUR"]


def test_a_link_stays_around_its_words_when_they_move(tmp_path):
    source = document(
        tmp_path, run("See the ") + f'<w:hyperlink r:id="rId9">{run("red")}</w:hyperlink>' + run(" house")
    )
    done = body(translated(source, by(lambda text: "La casa <g1>roja</g1>")))
    assert re.sub(r"<w:rPr/>", "", done) == (
        '<w:p><w:r><w:t>La casa </w:t></w:r><w:hyperlink r:id="rId9"><w:r><w:t>roja</w:t></w:r></w:hyperlink></w:p>'
    )


def field(code: str, result: str) -> str:
    marks = {kind: f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin", "separate", "end")}
    return f"{marks['begin']}<w:r><w:instrText>{code}</w:instrText></w:r>{marks['separate']}{result}{marks['end']}"


def test_field_codes_stay_and_only_the_words_of_links_are_translated(tmp_path):
    source = document(
        tmp_path,
        run("Page ")
        + field(" PAGE ", run("seven"))
        + run(" of ")
        + field(' HYPERLINK "http://x" ', run("this link"))
        + run(" here"),
    )
    assert texts_of(source) == ["Page <x1/> of <g2>this link</g2> here"]
    done = body(translated(source))
    assert re.findall(r"<w:(?:t|instrText)>([^<]*)", done) == [
        "PAGE ", " PAGE ", "seven", " OF ", ' HYPERLINK "http://x" ', "THIS LINK", " HERE",
    ]  # fmt: skip
    assert re.findall(r'fldCharType="(\w+)"', done) == ["begin", "separate", "end"] * 2


def test_a_field_over_several_paragraphs_keeps_its_ends(tmp_path):
    start, end = field(" TOC ", "|").split("|")
    source = document(tmp_path, start + run("First entry"), run("Last entry") + end)
    assert texts_of(source) == ["First entry", "Last entry"]
    assert re.findall(r'fldCharType="(\w+)"', body(translated(source))) == ["begin", "separate", "end"]


def test_inserted_text_is_translated_and_deleted_text_stays_deleted(tmp_path):
    mark = 'w:id="1" w:author="a"'
    source = document(
        tmp_path,
        run("We ")
        + f"<w:del {mark}><w:r><w:delText>hate</w:delText></w:r></w:del>"
        + f"<w:ins {mark}>{run('love')}</w:ins>"
        + run(" words"),
    )
    assert texts_of(source) == ["We <x1/><g2>love</g2> words"]
    done = body(translated(source))
    assert "<w:delText>hate</w:delText>" in done
    assert re.search(r"<w:ins [^>]*><w:r>(<w:rPr/>)?<w:t>LOVE</w:t></w:r></w:ins>", done)


def test_content_controls_keep_their_properties_and_lists_to_choose_from_their_words(tmp_path):
    control = "<w:sdt><w:sdtPr>{}</w:sdtPr><w:sdtContent>{}</w:sdtContent></w:sdt>"
    source = document(
        tmp_path,
        run("I am ") + control.format('<w:tag w:val="t"/>', run("a person")) + run(" and say ")
        + control.format("<w:dropDownList/>", run("Yes")),
    )  # fmt: skip
    done = body(translated(source))
    assert re.findall(r"<w:t>([^<]*)", done) == ["I AM ", "A PERSON", " AND SAY ", "Yes"]
    assert done.count("<w:sdtPr>") == 2


def test_a_content_control_that_shows_data_shows_its_translation(tmp_path):
    bound = '<w:sdtPr><w:dataBinding w:xpath="/a" w:storeItemID="x"/></w:sdtPr>'
    source = document(tmp_path, f"<w:sdt>{bound}<w:sdtContent>{run('the title')}</w:sdtContent></w:sdt>")
    assert "dataBinding" in body(source)
    done = body(translated(source))
    assert "dataBinding" not in done
    assert "THE TITLE" in done


def test_a_text_box_is_sent_once_and_written_for_old_and_new_programs(tmp_path):
    box = "<w:txbxContent><w:p>" + run("in a box") + "</w:p></w:txbxContent>"
    source = document(
        tmp_path,
        run("before ")
        + f'<w:r><mc:AlternateContent><mc:Choice Requires="wps"><wps:txbx>{box}</wps:txbx></mc:Choice>'
        + f"<mc:Fallback><w:pict><v:textbox>{box}</v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r>"
        + run(" after"),
    )
    assert texts_of(source) == ["before <x1/> after", "in a box"]
    assert re.findall(r"<w:t>([^<]*)", body(translated(source))) == [
        "BEFORE ",
        "IN A BOX",
        "IN A BOX",
        " AFTER",
    ]


def test_bookmarks_and_comments_keep_start_and_end(tmp_path):
    source = document(
        tmp_path,
        run("a ") + '<w:bookmarkStart w:id="1" w:name="n"/>' + run("b") + '<w:bookmarkEnd w:id="1"/>' + run(" c"),
    )
    done = body(translated(source, by(lambda text: "C <x2/>B<x1/> A")))
    assert re.findall(r"<w:(bookmark\w+)", done) == ["bookmarkStart", "bookmarkEnd"]


def test_images_survive_a_translator_that_loses_them(tmp_path):
    from PIL import Image

    Image.new("RGB", (4, 4)).save(tmp_path / "a.png")
    made = docx.Document()
    text = made.add_paragraph("before ")
    text.add_run().add_picture(str(tmp_path / "a.png"), Inches(1))
    text.add_run(" after")
    made.save(tmp_path / "a.docx")
    done = docx.Document(translated(tmp_path / "a.docx", by(lambda text: "nothing left")))
    assert len(done.inline_shapes) == 1
    assert done.paragraphs[0].text == "nothing left"


def test_arabic_is_written_from_right_to_left_and_from_arabic_from_left_to_right(tmp_path):
    source = document(tmp_path, '<w:pPr><w:jc w:val="left"/></w:pPr>' + run("hello", '<w:b/><w:lang w:val="en"/>'))
    there = translated(source, target_lang="AR")
    assert '<w:pPr><w:bidi/><w:jc w:val="left"/></w:pPr><w:r><w:rPr><w:b/><w:rtl/></w:rPr>' in body(there)
    back = translated(there, by(str.lower))
    assert "bidi" not in body(back)
    assert "rtl" not in body(back)


def test_a_strict_document_is_translated_too(tmp_path):
    source = document(tmp_path, run("hello"))
    strict = tmp_path / "strict.docx"
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(strict, "w") as new:
        for name in old.namelist():
            new.writestr(
                name,
                old.read(name).replace(
                    b"http://schemas.openxmlformats.org/wordprocessingml/2006/main",
                    b"http://purl.oclc.org/ooxml/wordprocessingml/main",
                ),
            )
    assert "HELLO" in xml_of(translated(strict))


def test_a_part_whose_type_is_that_of_its_extension_is_translated(tmp_path):
    source = document(tmp_path, run("hello"))
    other = tmp_path / "other.docx"
    main = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(other, "w") as new:
        for name in old.namelist():
            content = old.read(name).decode("latin-1")
            if name == "[Content_Types].xml":
                content = content.replace(f'<Override PartName="/word/document.xml" ContentType="{main}"/>', "")
                content = content.replace("application/xml", main)
            new.writestr(name, content.encode("latin-1"))
    assert "HELLO" in xml_of(translated(other))


def test_a_watermark_is_on_the_pages_and_the_words_are_there(tmp_path):
    done = translated(document(tmp_path, run("hello")), watermark=True)
    assert [each.text for each in docx.Document(done).paragraphs] == ["HELLO"]
    with zipfile.ZipFile(done) as file:
        assert any(b"Machine translation" in file.read(name) for name in file.namelist() if "header" in name)


NOTE = (
    '<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation>'
    "<text:note-body><text:p>below the line</text:p></text:note-body></text:note>"
)
LINK = '<text:a xlink:href="http://example.org/">a link</text:a>'
FODT = flat(
    "text",
    '<text:h text:outline-level="1">First heading</text:h>'
    f"<text:p>Some {bold('bold')} words{NOTE} and {LINK}.</text:p>"
    "<text:list><text:list-item><text:p>an item</text:p></text:list-item></text:list>"
    f"<table:table><table:table-column/>{row(cell('a cell'))}</table:table>",
)


def test_a_document_of_libreoffice_is_opened_by_it_again(tmp_path, soffice):
    (tmp_path / "a.fodt").write_text(FODT)
    [source] = soffice("docx", tmp_path / "a.fodt", out=tmp_path)
    [text] = soffice("txt:Text (encoded):UTF8", translated(source), out=tmp_path)
    lines = [line.strip() for line in text.read_text("utf-8-sig").split("\n") if line.strip()]
    assert " ".join(lines).replace("  ", " ").startswith("FIRST HEADING SOME BOLD WORDS")
    for words in ("A LINK", "AN ITEM", "A CELL"):
        assert any(words in line for line in lines), lines
    assert "BELOW THE LINE" in xml_of(translated(source), "word/footnotes.xml")
    assert "http://example.org/" in xml_of(translated(source), "word/_rels/document.xml.rels")
