"""TMX and tables: what is written is read back, valid by the DTD, whatever stands in the texts."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from lxml import etree

from svc_nb.errors import InvalidRows
from svc_nb.memories import files
from svc_nb.memories.tmx import cell as cell_of
from svc_nb.memories.tmx import is_tagged, markup, units
from tests.growth import LINEAR, growth
from tests.memories import drawn

DTD = etree.DTD(str(Path(__file__).with_name("tmx14.dtd")))
NAMES = ["source_lang", "target_lang", "source", "target"]
HEADER = (
    '<header creationtool="t" creationtoolversion="1" segtype="sentence" o-tmf="t" adminlang="en" srclang="{}" '
    'datatype="plaintext"/>'
)


def rows(table):
    return [tuple(row) for row in table[NAMES].itertuples(index=False)]


def tmx(*texts, srclang="en", head=""):
    """A TMX file of units that are written as they are given."""
    body = "".join(f"<tu>{each}</tu>" for each in texts)
    said = f'{head}<tmx version="1.4">{HEADER.format(srclang)}<body>{body}</body></tmx>'
    return io.BytesIO(said.encode())


def tuv(language, text, **dates):
    said = "".join(f' {name}="{date}"' for name, date in dates.items())
    return f'<tuv xml:lang="{language}"{said}><seg>{text}</seg></tuv>'


def pair(source, target="Ziel"):
    return tuv("en", source) + tuv("de", target)


def read(stream, **languages):
    return files.tabled(stream, **languages)[0]


# ---- laws


def canonical(text):
    """A cell with its tags as we write them; any other is itself."""
    if not is_tagged(text):
        return text
    return cell_of(etree.fromstring(f"<seg>{markup(text)}</seg>"))


@given(drawn.tables())
def test_a_table_that_was_written_is_read_as_the_same_and_the_file_is_valid(table):
    stream = io.BytesIO()
    files.put(table, stream)
    DTD.assertValid(etree.fromstring(stream.getvalue()))
    stream.seek(0)
    for unit in units(stream):
        codes = [each.language for each in unit.variants]
        assert len(codes) == len(set(codes))
    stream.seek(0)
    again = read(stream)
    for name in ("source", "target"):
        assert again[name].tolist() == [canonical(text) for text in table[name]]
    assert again["target_lang"].tolist() == table["target_lang"].tolist()
    second = io.BytesIO()
    files.put(again, second)
    assert second.getvalue() == stream.getvalue()


@given(drawn.plain)
def test_every_plain_segment_has_a_cell_of_its_own_that_is_written_as_the_segment_was(text):
    segment = etree.Element("seg")
    segment.text = text
    cell = cell_of(segment)
    again = etree.fromstring(f"<seg>{markup(cell)}</seg>")
    assert not len(again)
    assert (again.text or "") == text


@given(drawn.tagged)
def test_a_cell_with_inline_tags_is_the_same_after_the_round_trip(cell):
    assert is_tagged(cell)
    assert cell_of(etree.fromstring(f"<seg>{markup(cell)}</seg>")) == cell


@pytest.mark.parametrize("text", [each for each in drawn.TRICKY if "<ph" not in each or "R&D" in each])
def test_what_is_no_inline_tag_of_tmx_is_plain_text_to_the_letter(text):
    table = pd.DataFrame({"source_lang": ["en"], "target_lang": ["de"], "source": [text], "target": ["x"]})
    stream = io.BytesIO()
    files.put(table, stream)
    stream.seek(0)
    assert rows(read(stream)) == [("EN", "DE", text, "x")]


# ---- reading


def test_several_translations_of_a_source_into_a_language_are_several_units_and_read_back_the_same():
    found = read(tmx(tuv("en", "a") + tuv("de", "b") + tuv("fr", "c") + tuv("fr", "d")))
    assert rows(found) == [("EN", "DE", "a", "b"), ("EN", "FR", "a", "c"), ("EN", "FR", "a", "d")]
    stream = io.BytesIO()
    files.put(found, stream)
    stream.seek(0)
    variants = [[each.language for each in unit.variants] for unit in units(stream)]
    assert variants == [["en", "de", "fr"], ["en", "fr"]]
    stream.seek(0)
    assert rows(read(stream)) == rows(found)


def test_the_source_is_what_the_file_says_or_the_first_or_the_one_asked_for():
    unit = tuv("de", "b") + tuv("en-GB", "a") + tuv("fr", "c")
    assert read(tmx(unit, srclang="en"))["source"].tolist() == ["a", "a"]
    assert read(tmx(unit, srclang="*all*"))["source"].tolist() == ["b", "b"]
    assert rows(read(tmx(unit), source_lang="fr", target_lang="en")) == [("FR", "EN-GB", "c", "a")]
    assert rows(read(tmx(unit), source_lang="fr", target_lang="en_gb")) == [("FR", "EN-GB", "c", "a")]


def test_a_language_that_the_file_does_not_have_is_reported_with_those_that_it_has():
    with pytest.raises(ValueError, match="nothing with source_lang 'it'; its languages are DE, EN"):
        read(tmx(pair("a")), source_lang="it")
    with pytest.raises(ValueError, match="nothing with source_lang 'en', target_lang 'fr'"):
        read(tmx(pair("a")), source_lang="en", target_lang="fr")
    with pytest.raises(ValueError, match="nothing with target_lang 'en_US'; its languages are DE, EN-GB"):
        read(tmx(tuv("de", "a") + tuv("en-GB", "b"), srclang="de"), target_lang="en_US")


def test_what_is_left_out_is_reported_with_its_languages_and_lines(tmp_path):
    variants = pair("b") + tuv("en-us", "b") + tuv("fr", " ") + tuv("", "who")
    given = tmx(pair("a"), tuv("en", "alone"), tuv("de", "x") + tuv("fr", "y"), variants)
    path = tmp_path / "left.tmx"
    path.write_bytes(given.getvalue().replace(b"<tu>", b"\n<tu>"))
    table = files.read(path)
    assert rows(table) == [("EN", "DE", "a", "Ziel"), ("EN", "DE", "b", "Ziel")]
    assert table.left_out.to_numpy().tolist() == [
        [3, "EN", "no translation"],
        [4, "DE", "no text in the source language"],
        [4, "FR", "no text in the source language"],
        [5, "", "no language is named"],
        [5, "EN-US", "a second text in the source language"],
        [5, "FR", "empty"],
    ]
    assert "Left out: 1 text (no translation): EN (line 3)." in table.said
    assert "2 texts (no text in the source language): DE (line 4), FR (line 4)." in table.said


def test_regions_are_kept():
    table = read(tmx(tuv("en-gb", "a") + tuv("fr-ca", "b") + tuv("FR_fr", "c"), srclang="en-GB"))
    assert rows(table) == [("EN-GB", "FR-CA", "a", "b"), ("EN-GB", "FR-FR", "a", "c")]
    stream = io.BytesIO()
    files.put(table, stream)
    assert b'xml:lang="fr-CA"' in stream.getvalue()
    stream.seek(0)
    assert rows(read(stream)) == rows(table)


def test_inline_tags_are_kept_and_others_give_their_text():
    text = '<bpt i="1" bad="x">&lt;b></bpt>R&amp;D<ept i="1"/> <g>wide</g><ph><ph/></ph><!-- gone --><it/>'
    (found,) = read(tmx(pair(text)))["source"]
    assert found == '<bpt i="1">&lt;b&gt;</bpt>R&amp;D<ept i="1"/> wide<ph/><it pos="begin"/>'


def test_times_are_columns_that_survive():
    unit = tuv("en", "a") + tuv("de", "b", creationdate="20200102T030405Z", lastusagedate="nonsense")
    found = read(tmx(unit, pair("c")))
    assert list(found.columns) == [*NAMES, "creation_time", "last_used_time"]
    assert found["creation_time"].iloc[0] == pd.Timestamp("2020-01-02T03:04:05Z")
    assert found["creation_time"].isna().tolist() == [False, True]
    stream = io.BytesIO()
    files.put(found, stream)
    stream.seek(0)
    assert read(stream)["creation_time"].tolist()[0] == found["creation_time"].tolist()[0]


def test_white_space_in_a_segment_is_part_of_it():
    assert read(tmx(pair("\n  a\tb  \n")))["source"].tolist() == ["\n  a\tb  \n"]


def test_a_file_with_a_doctype_in_utf_16_is_read():
    text = tmx(pair("ä"), head='<?xml version="1.0" encoding="UTF-16"?><!DOCTYPE tmx SYSTEM "tmx14.dtd">')
    data = io.BytesIO(text.getvalue().decode().encode("utf-16"))
    assert read(data)["source"].tolist() == ["ä"]


# ---- writing


def test_rows_without_a_form_are_named(tmp_path):
    table = pd.DataFrame(
        {
            "source_lang": ["en", "en", "en", "x y", "en"],
            "target_lang": ["de", "de", "de", "de", "en-GB"],
            "source": ["fine", "bell\x07", None, "a", "a"],
            "target": ["gut", "b", "c", "d", "e"],
        },
        index=list("abcde"),
    )
    path = tmp_path / "old.tmx"
    path.write_text("before")
    with pytest.raises(InvalidRows, match="4 rows cannot be in a translation memory") as caught:
        files.write(table, path)
    assert caught.value.rows == ["b", "c", "d", "e"]
    assert caught.value.findings["code"].tolist() == ["control", "empty", "language", "same_language"]
    assert path.read_text() == "before"
    assert [each.name for each in tmp_path.iterdir()] == ["old.tmx"]


def test_columns_and_kinds_that_do_not_fit_are_reported():
    with pytest.raises(ValueError, match="has no target_lang"):
        files.put(pd.DataFrame({"source_lang": [], "source": [], "target": []}), io.BytesIO())
    with pytest.raises(TypeError, match="column 'source', row 0: expected text, found int"):
        files.put(
            pd.DataFrame({"source_lang": ["en"], "target_lang": ["de"], "source": [1], "target": ["x"]}),
            io.BytesIO(),
        )
    with pytest.raises(ValueError, match="no translations"):
        files.put(pd.DataFrame(columns=NAMES), io.BytesIO())


def table_of(*given):
    return pd.DataFrame(list(given), columns=NAMES)


def again(table):
    """A table after it was written and read."""
    stream = io.BytesIO()
    files.put(table, stream)
    stream.seek(0)
    return read(stream)


@pytest.mark.parametrize("depth", [250, 251, 252, 255, 256, 2000])
def test_a_text_with_tags_as_deep_as_a_file_may_have_them_or_deeper_is_read_as_it_was_written(depth):
    table = table_of(("EN", "DE", "<hi>" * depth + "x" + "</hi>" * depth, "y"))
    assert rows(again(table)) == rows(table)


def test_a_text_that_was_escaped_very_often_costs_no_more_than_its_length():
    def work(count):
        times = "amp;" * count
        table = table_of(("EN", "DE", f"&{times}lt;ph/&{times}gt;", "y"))
        assert rows(again(table)) == rows(table)

    assert growth(work, 10_000, 40_000) < LINEAR


def test_a_row_that_no_reader_would_take_is_named_and_a_large_one_is_written():
    large = table_of(("EN", "DE", "a" * 2_000_000, "b" * 2_000_000))
    assert rows(again(large)) == rows(large)
    with pytest.raises(InvalidRows, match="together are larger than 4 MiB") as caught:
        again(table_of(("EN", "DE", "a", "b"), ("EN", "DE", "&" * 500_000, "ä" * 1_000_000)))
    assert caught.value.rows == [1]


def test_a_source_with_more_translations_than_fit_a_unit_has_several_units():
    table = table_of(*[("EN", "DE", "a", f"{number} " + "b" * 100_000) for number in range(60)])
    assert rows(again(table)) == rows(table)


# ---- hostile files

BOMB = (
    '<!DOCTYPE tmx [<!ENTITY a "aaaaaaaaaa">'
    + "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefghi", "bcdefghij", strict=True))
    + "]>"
)


@pytest.mark.parametrize(
    ("stream", "reason"),
    [
        (tmx(pair("&j;"), head=BOMB), "declares entities|amplification"),
        (
            tmx(pair("&x;"), head='<!DOCTYPE tmx [<!ENTITY x SYSTEM "file:///etc/passwd">]>'),
            "declares entities",
        ),
        (tmx(pair("&x;"), head='<!DOCTYPE tmx SYSTEM "tmx14.dtd">'), "line 1: an entity"),
        (tmx(pair("&x;")), "well-formed"),
        (tmx(pair("<hi>" * 10_000 + "</hi>" * 10_000)), "well-formed XML: Excessive depth"),
        (io.BytesIO(tmx(pair("a"), pair("b")).getvalue()[:-30]), "well-formed"),
        (io.BytesIO(b""), "well-formed"),
        (io.BytesIO(b"\0\xff" * 1000), "well-formed"),
        (io.BytesIO(b"<html/>"), "expected TMX"),
        (
            io.BytesIO(b"<!DOCTYPE html><html><meta charset=utf-8><br>No.</html>"),
            "expected TMX .* found <html>",
        ),
    ],
    ids=["bomb", "outside", "undeclared", "unknown", "deep", "cut", "empty", "binary", "html", "page"],
)
def test_a_hostile_or_damaged_file_is_a_clear_error(stream, reason):
    with pytest.raises(ValueError, match=reason) as caught:
        read(stream)
    assert "\n" not in str(caught.value)


class Endless(io.RawIOBase):
    """A file that begins, and then goes on and on."""

    def __init__(self, head, piece):
        self.given, self.piece, self.count = head, piece, 0

    def read(self, size=-1):
        data, self.given = self.given, self.piece
        self.count += len(data)
        return data


@pytest.mark.parametrize("piece", [b"<tuv xml:lang='en'><seg>a</seg></tuv>" * 1000, b"<prop/>" * 9000, b"a" * 65536])
def test_a_unit_that_does_not_end_is_refused_in_bounded_memory(piece):
    stream = Endless(b"<tmx version='1.4'><body><tu>", piece)
    with pytest.raises(ValueError, match=r"larger than 4 MiB|well-formed"):
        list(units(stream))
    assert stream.count < 6 * 1024 * 1024


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux")
def test_a_large_file_is_read_unit_by_unit_in_little_memory():
    code = """
import io
from svc_nb.memories.tmx import units
def peak():
    (line,) = (line for line in open("/proc/self/status") if line.startswith("VmHWM"))
    return int(line.split()[1])
unit = b"<tu><prop type='p'>x</prop><tuv xml:lang='en'><seg>%s</seg></tuv></tu>" % (b"word " * 200)
class Long(io.RawIOBase):
    left = 24_000_000
    started = False
    def read(self, size=-1):
        if not self.started:
            self.started = True
            return b"<tmx version='1.4'><body>"
        if self.left <= 0:
            return b""
        self.left -= len(unit) * 100
        return unit * 100 if self.left > 0 else b"</body></tmx>"
next(units(Long()))
before = peak()
count = sum(1 for _ in units(Long()))
grown = peak() - before
assert count > 20_000, count
print(grown)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    assert int(done.stdout) < 20 * 1024  # KiB
