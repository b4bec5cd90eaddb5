"""TMX as other tools write and read it: OmegaT's files, translate-toolkit, and Weblate, which writes with that."""

import io

import pandas as pd
import pytest
from translate.storage.tmx import tmxfile, tmxunit

from svc_nb import memories

COLUMNS = ["source_lang", "target_lang", "source", "target"]
# As OmegaT 6 writes project_save.tmx, and its exports of levels 1 and 2.
OMEGAT = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE tmx SYSTEM "tmx{dtd}.dtd">
<tmx version="{version}">
  <header creationtool="OmegaT" o-tmf="OmegaT TMX" adminlang="EN-US" datatype="plaintext" creationtoolversion="6.0.0"
    segtype="sentence" srclang="EN-US"/>
  <body>
<!-- Default translations -->
    <tu>
      <tuv {lang}="EN-US">
        <seg>{source}</seg>
      </tuv>
      <tuv {lang}="DE" changeid="ana" changedate="20240305T101500Z" creationid="ben" creationdate="20240301T080000Z">
        <seg>{target}</seg>
      </tuv>
    </tu>
<!-- Alternative translations -->
    <tu>
      <note>Only on the start page &amp; in menus</note>
      <prop type="file">docs/start.html</prop>
      <prop type="prev">Welcome</prop>
      <prop type="next">Close</prop>
      <tuv {lang}="EN-US">
        <seg>Open</seg>
      </tuv>
      <tuv {lang}="DE" changeid="ana" changedate="20240305T101500Z">
        <seg>Öffnen</seg>
      </tuv>
    </tu>
    <tu>
      <prop type="file">docs/shop.html</prop>
      <prop type="id">state.open</prop>
      <tuv {lang}="EN-US">
        <seg>Open</seg>
      </tuv>
      <tuv {lang}="DE">
        <seg>Geöffnet</seg>
      </tuv>
    </tu>
  </body>
</tmx>
"""
LEVELS = {
    "project_save": ("11", "1.1", "lang", "Press &lt;b0&gt;Save&lt;/b0&gt;", "&lt;b0&gt;Speichern&lt;/b0&gt; drücken"),
    "level1": ("11", "1.1", "lang", "Press Save", "Speichern drücken"),
    "level2": (
        "14",
        "1.4",
        "xml:lang",
        'Press <bpt i="0" x="0">&lt;b0&gt;</bpt>Save<ept i="0">&lt;/b0&gt;</ept>',
        '<bpt i="0" x="0">&lt;b0&gt;</bpt>Speichern<ept i="0">&lt;/b0&gt;</ept> drücken',
    ),
}


def rows(table):
    return [tuple(row) for row in table[COLUMNS].itertuples(index=False)]


@pytest.mark.parametrize("level", LEVELS)
def test_a_project_of_omegat_is_read_and_pushed(connected, tmp_path, level):
    dtd, version, lang, source, target = LEVELS[level]
    path = tmp_path / f"{level}.tmx"
    said = OMEGAT.format(dtd=dtd, version=version, lang=lang, source=source, target=target)
    path.write_text(said, "utf-8")
    found = memories.read(path)
    if level == "project_save":
        source, target = "Press <b0>Save</b0>", "<b0>Speichern</b0> drücken"
    assert rows(found) == [
        ("EN-US", "DE", source, target),
        ("EN-US", "DE", "Open", "Öffnen"),
        ("EN-US", "DE", "Open", "Geöffnet"),
    ]
    assert found["creation_time"].iloc[0] == pd.Timestamp("2024-03-01 08:00", tz="UTC")
    assert found["updated_time"].iloc[1] == pd.Timestamp("2024-03-05 10:15", tz="UTC")
    assert found.left_out.empty
    made = memories.push(path)
    assert made["translations"].tolist() == [3]
    assert rows(memories.pull(level))[1:] == [("EN", "DE", "Open", "Öffnen"), ("EN", "DE", "Open", "Geöffnet")]


def test_what_translate_toolkit_writes_is_read(tmp_path):
    stored = tmxfile()
    texts = [("Good morning", "Guten Morgen"), ("R&D <b>", "F&E <b>"), ("two\nlines", "zwei\nZeilen"), ("🏕️", "שלום")]
    for source, target in texts:
        stored.addtranslation(source, "en", target, "de", comment="from a test")
    stored.addtranslation("Not yet", "en", "", "de")
    path = tmp_path / "toolkit.tmx"
    path.write_bytes(bytes(stored))
    found = memories.read(path)
    assert rows(found) == [("EN", "DE", *each) for each in texts]
    assert found.left_out[["language", "reason"]].to_numpy().tolist() == [
        ["DE", "empty"],
        ["EN", "no translation"],
    ]


def test_an_export_of_weblate_is_read(tmp_path):
    # Weblate gives translate-toolkit the languages as it has them (pt_BR), and each unit its context, notes and place.
    stored = tmxfile(sourcelanguage="en", targetlanguage="pt_BR")
    for source, target, context in (("Save", "Salvar", "menu"), ("Save", "Economizar", "shop")):
        unit = tmxunit(source)
        unit.setsource(source, "en")
        unit.settarget(target, "pt_BR")
        unit.setid(context)
        unit.addnote(f"context: {context}", origin="developer")
        stored.addunit(unit)
    path = tmp_path / "weblate.tmx"
    path.write_bytes(bytes(stored))
    found = memories.read(path)
    assert rows(found) == [("EN", "PT-BR", "Save", "Salvar"), ("EN", "PT-BR", "Save", "Economizar")]


def test_translate_toolkit_reads_what_is_written_here(tmp_path):
    table = pd.DataFrame(
        [
            ("EN", "DE", "Good morning", "Guten Morgen"),
            ("EN", "DE", "Good morning", "Moin"),
            ("EN", "DE", "R&D <b>\n", "F&E <b>\n"),
            ("EN", "DE", "🏕️ שלום", "a\u00a0b"),
        ],
        columns=COLUMNS,
    )
    path = memories.write(table, tmp_path / "ours.tmx")
    stored = tmxfile.parsefile(io.BytesIO(path.read_bytes()))
    assert [(unit.source, unit.target) for unit in stored.units] == [
        (source, target) for *_, source, target in rows(table)
    ]
