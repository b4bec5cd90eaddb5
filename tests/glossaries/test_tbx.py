"""Term bases: every style of TBX is read, hostile XML does no harm, and what is written is valid."""

from __future__ import annotations

import pandas as pd
import pytest
from lxml import etree

from svc_nb.errors import InvalidRows
from svc_nb.glossaries import files
from svc_nb.tabular.terms import COLUMNS, made

V2 = """<?xml version="1.0"?>
<!DOCTYPE martif SYSTEM "TBXcoreStructV02.dtd">
<martif type="TBX-Basic" xml:lang="en"><martifHeader/><text><body>
<termEntry id="c1">
  <descrip type="subjectField">buildings</descrip>
  <langSet xml:lang="de"><tig><term>Haus</term><termNote type="partOfSpeech">noun</termNote></tig></langSet>
  <langSet xml:lang="en">
    <tig><term>home</term><termNote type="administrativeStatus">admittedTerm-admn-sts</termNote></tig>
    <ntig><termGrp><term>house</term>
      <termNote type="administrativeStatus">preferredTerm-admn-sts</termNote></termGrp></ntig>
    <tig><term>shack</term><termNote type="administrativeStatus">deprecatedTerm-admn-sts</termNote></tig>
  </langSet>
</termEntry>
<termEntry>
  <langSet xml:lang="en"><tig><term>cat</term></tig></langSet>
  <langSet xml:lang="fr"><tig><term>chat</term></tig></langSet>
  <langSet xml:lang="de"><tig><term>Katze</term></tig></langSet>
</termEntry>
</body></text></martif>
"""
DCT = """<?xml version="1.0"?>
<?xml-model href="https://example.org/x.rng"?>
<tbx type="TBX-Basic" style="dct" xml:lang="en" xmlns="urn:iso:std:iso:30042:ed-2"
  xmlns:min="http://www.tbxinfo.net/ns/min" xmlns:basic="http://www.tbxinfo.net/ns/basic">
<tbxHeader><fileDesc><sourceDesc><p>x</p></sourceDesc></fileDesc></tbxHeader><text><body>
<conceptEntry id="1"><min:subjectField>buildings</min:subjectField>
  <langSec xml:lang="en">
    <termSec><term>shack</term><min:administrativeStatus>deprecatedTerm-admn-sts</min:administrativeStatus></termSec>
    <termSec><term>home</term></termSec>
    <termSec><term><!-- the best -->house</term>
      <termNoteGrp><min:administrativeStatus>preferredTerm-admn-sts</min:administrativeStatus></termNoteGrp></termSec>
  </langSec>
  <langSec xml:lang="de"><termSec><term>
     Haus
     am See
  </term></termSec></langSec>
</conceptEntry></body></text></tbx>
"""
# The core of TBX-Basic in the DCA style, as far as a glossary needs it.
SCHEMA = etree.RelaxNG(
    etree.fromstring("""
<grammar xmlns="http://relaxng.org/ns/structure/1.0" ns="urn:iso:std:iso:30042:ed-2"
  datatypeLibrary="http://www.w3.org/2001/XMLSchema-datatypes">
<define name="lang">
  <attribute name="lang" ns="http://www.w3.org/XML/1998/namespace"><data type="language"/></attribute>
</define>
<start><element name="tbx"><attribute name="type"><value>TBX-Basic</value></attribute>
  <attribute name="style"><value>dca</value></attribute><ref name="lang"/>
  <element name="tbxHeader"><element name="fileDesc"><element name="sourceDesc">
    <element name="p"><text/></element>
  </element></element></element>
  <element name="text"><element name="body"><oneOrMore><element name="conceptEntry">
    <attribute name="id"><data type="ID"/></attribute>
    <oneOrMore><element name="langSec"><ref name="lang"/><oneOrMore><element name="termSec">
      <element name="term"><text/></element></element></oneOrMore></element></oneOrMore>
  </element></oneOrMore></element></element>
</element></start></grammar>""")
)


def read(folder, text, name="t.tbx", **options):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return files.read(path, **options)


def rows_of(table):
    return list(table[list(COLUMNS)].itertuples(index=False, name=None))


def body(*entries, lang="en"):
    return f'<tbx xml:lang="{lang}"><text><body>{"".join(entries)}</body></text></tbx>'


def concept(**terms):
    sections = "".join(
        f'<langSec xml:lang="{code.replace("_", "-")}"><termSec><term>{term}</term></termSec></langSec>'
        for code, term in terms.items()
    )
    return f"<conceptEntry>{sections}</conceptEntry>"


@pytest.mark.parametrize("name", ["t.tbx", "t.xml"])
def test_version_2_gives_the_preferred_term_of_each_language(tmp_path, name):
    table = read(tmp_path, V2, name)
    assert rows_of(table) == [
        ("EN", "DE", "house", "Haus"),
        ("EN", "FR", "cat", "chat"),
        ("EN", "DE", "cat", "Katze"),
    ]
    assert table["line"].tolist() == [4, 14, 14]
    assert table.index.is_unique
    assert "Left out: 1 synonym (line 8: 'home'), 1 deprecated term (line 11: 'shack'). Next: .svc.lint()" in table.said


def test_version_3_with_categories_as_elements_is_read_too(tmp_path):
    table = read(tmp_path, DCT)
    assert rows_of(table) == [("EN", "DE", "house", "Haus am See")]
    assert "1 deprecated term" in table.said


def test_every_language_can_be_the_source(tmp_path):
    table = read(tmp_path, V2, source_lang="DE")
    assert rows_of(table) == [
        ("DE", "EN", "Haus", "house"),
        ("DE", "EN", "Katze", "cat"),
        ("DE", "FR", "Katze", "chat"),
    ]
    assert rows_of(read(tmp_path, V2, source_lang="fr-CA", target_lang="en")) == [("FR", "EN", "chat", "cat")]
    with pytest.raises(ValueError, match=r"source_lang: expected one of the file's languages, de, en, fr; found 'JA'"):
        read(tmp_path, V2, source_lang="ja")


def test_the_first_language_is_the_source_where_the_file_names_none_it_has(tmp_path):
    for lang in ("mul", "ja", ""):
        table = read(tmp_path, body(concept(de="Haus", en="house"), concept(en="cat", de="Katze"), lang=lang))
        assert rows_of(table) == [("DE", "EN", "Haus", "house"), ("EN", "DE", "cat", "Katze")]


def test_variants_of_the_source_language_are_left_out(tmp_path):
    table = read(tmp_path, body(concept(en_US="color", en_GB="colour", de="Farbe")), source_lang="en-gb")
    assert rows_of(table) == [("EN-GB", "DE", "colour", "Farbe")]
    assert "1 term in a variant of the source language" in table.said


def test_concepts_without_a_pair_are_counted(tmp_path):
    lone = [concept(en="a"), concept(fr="b", de="c"), concept(en=" ", de="x")]
    table = read(tmp_path, body(*lone, concept(en="d", de="e")))
    assert rows_of(table) == [("EN", "DE", "d", "e")]
    assert "Left out: 3 concepts without terms in the source language and another (line 1, " in table.said


def test_a_section_without_a_language_is_counted(tmp_path):
    text = body(concept(en="a", de="b").replace(' xml:lang="de"', ""))
    assert "1 section that names no language" in read(tmp_path, text).said


def test_lines_far_down_are_counted_rightly(tmp_path):
    table = read(tmp_path, body("\n" * 100_000, concept(en="a", de="b")))
    assert table["line"].tolist() == [100_001]


# ---- hostile files


def test_an_external_entity_is_not_looked_up(tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("TOP SECRET", "utf-8")
    text = f'<!DOCTYPE tbx [<!ENTITY x SYSTEM "{secret.as_uri()}">]>' + body(concept(en="&x;", de="b"))
    with pytest.raises(ValueError, match=r"t\.tbx: line 1: the entity &x; is declared elsewhere") as caught:
        read(tmp_path, text)
    assert "SECRET" not in str(caught.value)


@pytest.mark.parametrize("place", ["term", "attribute"])
def test_a_bomb_of_entities_does_not_go_off(tmp_path, place):
    levels = "".join(f'<!ENTITY x{n} "{f"&x{n - 1};" * 10}">' for n in range(1, 12))
    entry = concept(en="&x11;", de="b") if place == "term" else concept(en="a", de="b").replace('"de"', '"&x11;"')
    with pytest.raises(ValueError, match=r"entity|well-formed"):
        read(tmp_path, f'<!DOCTYPE tbx [<!ENTITY x0 "boom">{levels}]>' + body(entry))


def test_an_external_definition_is_not_loaded(tmp_path):
    definition = tmp_path / "t.dtd"
    definition.write_text('<!ENTITY x "loaded"><!ATTLIST langSec xml:lang CDATA "fr">', "utf-8")
    text = f'<!DOCTYPE tbx SYSTEM "{definition.as_uri()}">' + body(concept(en="a", de="b"))
    assert rows_of(read(tmp_path, text)) == [("EN", "DE", "a", "b")]


def test_nesting_without_end_is_refused(tmp_path):
    with pytest.raises(ValueError, match="not well-formed XML"):
        read(tmp_path, "<a>" * 5000)


def test_terms_are_text_and_nothing_else(tmp_path):
    table = read(tmp_path, body(concept(en="&lt;script&gt; {0} %s $x$", de="<![CDATA[<b>]]>")))
    assert rows_of(table)[0][2:] == ("<script> {0} %s $x$", "<b>")


# ---- writing


def test_what_is_written_is_valid_and_groups_by_source(tmp_path):
    table = made("en", ["de", "fr", "de"], ["house", "house", "a<b&c"], ["Haus", "maison", "]]>"])
    path = files.write(table, tmp_path / "t.tbx")
    root = etree.fromstring(path.read_bytes())
    SCHEMA.assertValid(root)
    assert root.get("{http://www.w3.org/XML/1998/namespace}lang") == "en"
    assert len(root.findall(".//{*}conceptEntry")) == 2
    assert [each.text for each in root.iter("{*}term")] == ["house", "Haus", "maison", "a<b&c", "]]>"]
    assert rows_of(files.read(path)) == rows_of(table)


def test_two_translations_of_a_source_become_two_concepts(tmp_path):
    table = made("en", "de", ["a", "a", "a"], ["x", "y", "x"])
    root = etree.fromstring(files.write(table, tmp_path / "t.tbx").read_bytes())
    SCHEMA.assertValid(root)
    assert rows_of(files.read(tmp_path / "t.tbx")) == rows_of(table)


def test_several_source_languages_make_a_valid_file_that_keeps_the_direction(tmp_path):
    table = made(["en", "de"], ["de", "en"], ["a", "b"], ["b", "a"])
    path = files.write(table, tmp_path / "t.tbx")
    SCHEMA.assertValid(etree.fromstring(path.read_bytes()))
    assert rows_of(files.read(path)) == rows_of(table)


def test_rows_without_a_form_in_xml_are_named_and_nothing_is_written(tmp_path):
    source = ["ok", "\x00", "a\nb", "", "\ud800", "x", "y", "z"]
    langs = ["de", "de", "de", "de", "de", "EN-GB", "", "d e"]
    table = pd.DataFrame({"source_lang": "en", "target_lang": langs, "source": source, "target": "t"}, dtype=object)
    table.index = list("abcdefgh")
    with pytest.raises(InvalidRows, match="Nothing was written: 7 rows would be lost or changed") as caught:
        files.write(table, tmp_path / "t.tbx")
    assert caught.value.rows == list("bcdefgh")
    codes = dict(zip(caught.value.findings["row"], caught.value.findings["code"], strict=True))
    assert [codes[row] for row in "bcdefgh"] == [
        "control", "control", "empty", "control", "same_language", "language", "language",
    ]  # fmt: skip
    assert not list(tmp_path.iterdir())


def test_rows_stay_in_order_but_those_of_one_source_come_together(tmp_path):
    table = made(
        "en",
        ["de", "de", "fr", "de", "fr"],
        ["house", "cat", "house", "house", "ant"],
        ["H", "K", "m", "I", "f"],
    )
    again = files.read(files.write(table, tmp_path / "t.tbx"))
    assert rows_of(again) == [rows_of(table)[row] for row in (0, 2, 1, 3, 4)]


@pytest.mark.parametrize("text", ["a,b", "<tbx>", "<tbx><a></tbx>", "<tbx>&x;</tbx"])
def test_broken_xml_is_reported_with_its_place_and_what_to_do(tmp_path, text):
    with pytest.raises(ValueError, match=r"not well-formed XML: .*line 1, column \d+\. Fix that line") as caught:
        read(tmp_path, text)
    assert "<string>" not in str(caught.value)


def test_an_encoding_that_no_xml_has_is_reported(tmp_path):
    with pytest.raises(ValueError, match=r"encoding: XML cannot be in 'klingon'\. Leave it out"):
        read(tmp_path, "<tbx/>", encoding="klingon")
