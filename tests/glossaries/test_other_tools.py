"""Glossaries of OmegaT, Weblate and translate-toolkit are read, and translate-toolkit reads what is written here."""

import pandas as pd
import pytest
from translate.convert import po2csv
from translate.storage.csvl10n import csvfile
from translate.storage.omegat import OmegaTFileTab
from translate.storage.tbx import tbxfile

from svc_nb.glossaries import files
from svc_nb.tabular.terms import COLUMNS

PAIR = {"source_lang": "en", "target_lang": "de"}
TERMS = [("house", "Haus"), ('a "b", c', "x; y"), ("tree & <x>", "Bäume = 樹")]
# As Weblate writes them.
WEBLATE = ["location", "source", "target", "id", "fuzzy", "context", "translator_comments", "developer_comments"]


def terms_of(table):
    return list(table[["source", "target"]].itertuples(index=False, name=None))


def filled(store, terms=TERMS, note=""):
    for source, target in terms:
        unit = store.addsourceunit(source)
        unit.target = target
        if note:
            unit.addnote(note)
    return store


def table_of(terms):
    sources, targets = zip(*terms, strict=True)
    return pd.DataFrame({"source_lang": "EN", "target_lang": "DE", "source": sources, "target": targets})


# ---- theirs are read


def test_the_glossary_that_weblate_exports_is_read(tmp_path):
    path = tmp_path / "glossary.csv"
    filled(csvfile(fieldnames=WEBLATE), note="a note, with a comma").savefile(str(path))
    assert path.read_text("utf-8").startswith('"location","source","target","id","fuzzy"')
    table = files.read(path, **PAIR)
    assert terms_of(table) == TERMS
    assert set(WEBLATE) - {"source", "target"} <= set(table.columns)


def test_what_po2csv_makes_is_read(tmp_path):
    path = tmp_path / "t.po"
    path.write_text(
        'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n'
        '#: a.c:1\nmsgid "house"\nmsgstr "Haus"\n\n#: a.c:2\nmsgid "big, \\"red\\" tree"\nmsgstr "Bäume"\n',
        "utf-8",
    )
    with path.open("rb") as stream, (tmp_path / "t.csv").open("wb") as out:
        assert po2csv.convertcsv(stream, out, None)
    table = files.read(tmp_path / "t.csv", **PAIR)
    assert terms_of(table) == [("house", "Haus"), ('big, "red" tree', "Bäume")]
    assert table["location"].tolist() == ["a.c:1", "a.c:2"]


@pytest.mark.parametrize("target", ["de", None])
def test_tbx_of_translate_toolkit_is_read_and_the_language_that_it_was_not_told_can_be_given(tmp_path, target):
    store = tbxfile(sourcelanguage="en", targetlanguage=target)
    filled(store).savefile(str(tmp_path / "t.tbx"))
    table = files.read(tmp_path / "t.tbx", target_lang="de")
    assert terms_of(table) == TERMS
    assert table["target_lang"].unique().tolist() == ["DE"]


@pytest.mark.parametrize("name", ["t.tab", "t.txt", "t.tsv"])
def test_the_text_files_of_omegat_are_read_with_their_comments(tmp_path, name):
    store = filled(OmegaTFileTab(), note="noun")
    filled(store, [("bird", "Vogel")])
    store.savefile(str(tmp_path / name))
    data = b"# Glossary in tab-separated format -*- coding: utf-8 -*-\n" + (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(data)
    table = files.read(tmp_path / name, **PAIR)
    assert terms_of(table) == [*TERMS, ("bird", "Vogel")]
    assert table["comment"].tolist() == ["noun"] * 3 + [""]
    assert table["line"].tolist() == [2, 3, 4, 5]
    assert list(table.columns) == [*COLUMNS, "line", "comment"]


def test_a_csv_of_omegat_is_read_with_its_comments(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('house,Haus,"a building, mostly"\n"a ""b"", c",x,\n', "utf-8")
    table = files.read(path, **PAIR)
    assert terms_of(table) == [("house", "Haus"), ('a "b", c', "x")]
    assert table["comment"].tolist() == ["a building, mostly", ""]


# As OmegaT's own sample has it: several sections of one language in an entry.
OMEGAT = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE martif SYSTEM "TBXcoreStructV02.dtd">
<martif type="TBX" xml:lang="en"><martifHeader><fileDesc><sourceDesc><p>x</p></sourceDesc></fileDesc></martifHeader>
<text><body>
<termEntry id="1"><descrip type="subjectField">buildings</descrip>
<langSet xml:lang="en"><ntig><termGrp><term>house</term></termGrp></ntig></langSet>
<langSet xml:lang="de"><ntig><termGrp><term>Gebäude</term>
  <termNote type="administrativeStatus">admittedTerm-admn-sts</termNote></termGrp></ntig></langSet>
<langSet xml:lang="DE"><ntig><termGrp><term>Haus</term></termGrp></ntig></langSet>
<langSet xml:lang="de-AT"><ntig><termGrp><term>Häuschen</term></termGrp></ntig></langSet>
<langSet xml:lang="en"><tig><term>home</term></tig></langSet>
</termEntry></body></text></martif>"""


def test_sections_of_one_language_are_synonyms(tmp_path):
    (tmp_path / "t.tbx").write_text(OMEGAT, "utf-8")
    table = files.read(tmp_path / "t.tbx")
    assert table[list(COLUMNS)].values.tolist() == [
        ["EN", "DE", "house", "Haus"],
        ["EN", "DE-AT", "house", "Häuschen"],
    ]
    assert "Left out: 2 synonyms (line 11: 'home', line 7: 'Gebäude')." in table.said


# ---- ours are read by them


def test_translate_toolkit_reads_our_tbx_of_version_2(tmp_path):
    path = files.write(table_of(TERMS), tmp_path / "t.tbx", tbx_version=2)
    store = tbxfile.parsefile(str(path))
    assert [(unit.source, unit.target) for unit in store.units] == TERMS
    assert terms_of(files.read(path)) == TERMS
    assert terms_of(files.read(files.write(table_of(TERMS), tmp_path / "t.tbx"))) == TERMS


@pytest.mark.parametrize("name", ["t.csv", "t.tsv"])
def test_translate_toolkit_reads_our_text_files_with_a_header(tmp_path, name):
    path = files.write(table_of(TERMS), tmp_path / name, header=True)
    assert [(unit.source, unit.target) for unit in csvfile.parsefile(str(path)).units] == TERMS


def test_translate_toolkit_reads_our_two_columns_as_a_glossary_of_omegat(tmp_path):
    path = files.write(table_of(TERMS), tmp_path / "t.txt", columns=2)
    assert [(unit.source, unit.target) for unit in OmegaTFileTab.parsefile(str(path)).units] == TERMS


def test_a_version_that_tbx_does_not_have_is_refused(tmp_path):
    with pytest.raises(ValueError, match="tbx_version: expected 2 or 3, found 1"):
        files.write(table_of(TERMS), tmp_path / "t.tbx", tbx_version=1)
