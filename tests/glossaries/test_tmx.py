"""Translation memories as pairs of terms."""

from __future__ import annotations

from io import StringIO

import pytest
from lxml import etree

from svc_nb.glossaries import files
from svc_nb.tabular.terms import COLUMNS, made

# The part of TMX 1.4 that a glossary needs.
SCHEMA = etree.DTD(
    StringIO("""
<!ELEMENT tmx (header, body)> <!ATTLIST tmx version CDATA #FIXED "1.4">
<!ELEMENT header EMPTY>
<!ATTLIST header creationtool CDATA #REQUIRED creationtoolversion CDATA #REQUIRED
  segtype (block|paragraph|sentence|phrase) #REQUIRED o-tmf CDATA #REQUIRED adminlang CDATA #REQUIRED
  srclang CDATA #REQUIRED datatype CDATA #REQUIRED>
<!ELEMENT body (tu*)> <!ELEMENT tu (tuv+)> <!ATTLIST tu srclang CDATA #IMPLIED>
<!ELEMENT tuv (seg)> <!ATTLIST tuv xml:lang CDATA #REQUIRED> <!ELEMENT seg (#PCDATA)>
""")
)


def unit(*variants, srclang=None):
    said = f' srclang="{srclang}"' if srclang else ""
    inside = "".join(f'<tuv xml:lang="{code}"><seg>{text}</seg></tuv>' for code, text in variants)
    return f"<tu{said}>{inside}</tu>"


def read(folder, *units, srclang="en", name="t.tmx", **options):
    path = folder / name
    head = f'<?xml version="1.0"?>\n<!DOCTYPE tmx SYSTEM "tmx14.dtd">\n<tmx version="1.4"><header srclang="{srclang}"/>'
    path.write_text(head + "<body>\n" + "\n".join(units) + "</body></tmx>", "utf-8")
    return files.read(path, **options)


def rows_of(table):
    return list(table[list(COLUMNS)].itertuples(index=False, name=None))


@pytest.mark.parametrize("name", ["t.tmx", "t.xml"])
def test_every_unit_gives_pairs_from_the_headers_source_language(tmp_path, name):
    table = read(
        tmp_path,
        unit(("de", "Haus"), ("en", "house"), ("fr", "maison")),
        unit(("en", "cat"), ("de", "Katze")),
        name=name,
    )
    assert rows_of(table) == [
        ("EN", "DE", "house", "Haus"),
        ("EN", "FR", "house", "maison"),
        ("EN", "DE", "cat", "Katze"),
    ]
    assert table["line"].tolist() == [4, 4, 5]
    assert table.said == f"3 terms in 2 pairs (EN to DE, EN to FR), from {name}. Next: .svc.lint()"


def test_without_one_source_language_units_say_it_or_begin_with_it(tmp_path):
    table = read(
        tmp_path,
        unit(("de", "Haus"), ("en", "house")),
        unit(("de", "Katze"), ("en", "cat"), srclang="en"),
        unit(("de", "Hund"), ("en", "dog"), srclang="*all*"),
        srclang="*all*",
    )
    assert [row[:3] for row in rows_of(table)] == [
        ("DE", "EN", "Haus"),
        ("EN", "DE", "cat"),
        ("DE", "EN", "Hund"),
    ]


def test_a_source_language_that_is_given_comes_first(tmp_path):
    table = read(tmp_path, unit(("en-US", "house"), ("de", "Haus"), srclang="en-US"), source_lang="de")
    assert rows_of(table) == [("DE", "EN-US", "Haus", "house")]


def test_inline_codes_are_taken_out_and_marked_text_stays(tmp_path):
    marked = 'press <bpt i="1">&lt;b&gt;</bpt>the <hi>red</hi><ept i="1">&lt;/b&gt;</ept> key<ph>{0}</ph>!'
    table = read(tmp_path, unit(("en", marked), ("de", "Taste")))
    assert table["source"].tolist() == ["press the red key!"]
    assert "Inline tags were removed from 1 term." in table.said


def test_units_that_give_no_pair_are_counted(tmp_path):
    table = read(tmp_path, unit(("en", "a")), unit(("en", "<ph>x</ph>"), ("de", "b")), unit(("en", "c"), ("de", "d")))
    assert rows_of(table) == [("EN", "DE", "c", "d")]
    assert "Left out: 2 units without terms in the source language and another (line 4, line 5)." in table.said


def test_an_old_way_to_name_the_language_is_known(tmp_path):
    (tmp_path / "t.tmx").write_text(
        '<tmx version="1.1"><body><tu><tuv lang="EN"><seg>a</seg></tuv>'
        '<tuv lang="DE"><seg>b</seg></tuv></tu></body></tmx>',
        "utf-8",
    )
    assert rows_of(files.read(tmp_path / "t.tmx")) == [("EN", "DE", "a", "b")]


def test_what_is_written_is_valid_and_comes_back_in_order(tmp_path):
    for langs in ("en", ["en", "de", "en"]):
        table = made(langs, ["de", "fr", "de"], ["b<&>", "a", "b<&>"], ["1", "2 ", "{0}"])
        path = files.write(table, tmp_path / "t.tmx")
        SCHEMA.assertValid(etree.fromstring(path.read_bytes()))
        assert rows_of(files.read(path)) == rows_of(table)


def test_a_bomb_of_entities_does_not_go_off(tmp_path):
    levels = "".join(f'<!ENTITY x{n} "{f"&x{n - 1};" * 10}">' for n in range(1, 12))
    path = tmp_path / "t.tmx"
    path.write_text(
        f'<!DOCTYPE tmx [<!ENTITY x0 "boom">{levels}]><tmx><body>{unit(("en", "&x11;"), ("de", "b"))}</body></tmx>',
        "utf-8",
    )
    with pytest.raises(ValueError, match=r"entity|well-formed"):
        files.read(path)
