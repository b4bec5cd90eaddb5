"""The panel for languages, driven by its methods and by its widgets, against the service."""

from __future__ import annotations

import subprocess
import sys
import threading

import numpy as np
import pandas as pd
import pytest
from ipywidgets.widgets.widget import _instances

from svc_nb import panels
from svc_nb.service import Fault
from tests.panels.all_panels import CONNECT
from tests.panels.detect.conftest import SENTENCES, mixed
from tests.panels.secrecy import assert_kept_out, assert_not_saved, saved

DETECTION = "POST /v3/detect/language"


def test_nothing_is_sent_before_it_is_asked_for(detect, running):
    running.faults.add(Fault("status", operation=DETECTION, status=403))
    panel = detect(mixed(), go=False)
    assert panel.line.text.startswith("17 rows in text")
    assert panel.languages.isna().all()
    assert panel.controls.found.layout.display == "none"
    assert panel.problem is None
    with pytest.raises(ValueError, match="nothing was detected yet"):
        panel.add_column()


def test_the_mix_counts_every_row(detect):
    panel = detect(mixed(en=6, de=4, fr=2))
    assert panel.mix["language"].tolist()[:3] == ["EN", "DE", "FR"]
    assert panel.mix["rows"].tolist() == [6, 4, 2, 5]
    assert panel.mix["share"].sum() == pytest.approx(1)
    assert panel.mix["name"].tolist() == ["English", "German", "French", "Not detected"]
    assert panel.picture.alt.startswith("Languages of 17 rows: 3 languages, 5 not detected.")
    assert panel.grid.page["rows"][0]["cells"][:2] == ["English", "6"]
    assert panel.line.text == "3 languages in 17 rows; 5 rows to look at."


def test_what_the_store_knows_is_not_asked(detect, running):
    detect(mixed())
    running.faults.add(Fault("status", operation=DETECTION, status=500))
    again = detect(mixed())
    assert again.problem is None
    assert again.mix["rows"].tolist() == [6, 4, 2, 5]


def test_languages_are_aligned_by_position_with_any_index(detect):
    df = mixed(3, 2, 1)
    df.index = pd.Index(["a", "a", *"bcdefghij"][: len(df)], name="key")
    panel = detect(df)
    assert panel.languages.index is df.index or panel.languages.index.equals(df.index)
    assert panel.languages.tolist()[:6] == ["EN"] * 3 + ["DE"] * 2 + ["FR"]
    assert panel.languages.isna().tolist()[6:] == [True] * 5


def test_rows_to_look_at_say_why_the_worst_first(detect):
    found = detect(mixed()).rows_to_look_at()
    assert found["why"].tolist() == [
        "No language found",
        "No text",
        "Blank",
        "No letters",
        "Only a web address",
    ]
    assert found.index.tolist() == [16, 12, 13, 14, 15]


def test_a_short_text_unlike_the_rows_around_it_is_worth_a_look(detect):
    texts = [*SENTENCES["EN"] * 3, "Guten Morgen allen", *SENTENCES["EN"] * 3]
    panel = detect(pd.Series(texts))
    assert panel.languages.tolist()[6] == "DE"
    assert panel.rows_to_look_at()["why"].to_dict() == {6: "Short, and unlike the rows around it"}


@pytest.mark.long
def test_samples_are_of_the_language_and_different_while_there_are_enough(detect):
    texts = [f"Der Zug Nummer {number} nach Hamburg fährt heute nicht." for number in range(30)]
    panel = detect(pd.Series([*SENTENCES["EN"] * 5, *texts, *[texts[0]] * 100]))
    panel.show_language("German")
    shown = panel.rows.table["text"]
    assert len(shown) == 20
    assert shown.is_unique
    assert set(shown) <= set(texts)
    assert panel.rows.page["foot"]["said"] == "20 samples of 130 rows in German"
    assert panel.controls.view.value == "DE"
    panel.more()
    assert len(panel.rows.table) == 100
    panel.more()
    assert len(panel.rows.table) == 130
    assert panel.controls.more.layout.display == "none"
    panel.show_language("EN", 3)
    assert len(panel.rows.table) == 3


@pytest.mark.long
def test_where_no_row_is_to_be_looked_at_the_commonest_language_is_shown(detect):
    panel = detect(mixed(2, 3, 0, rest=False))
    assert panel.controls.view.value == "DE"
    assert panel.rows_to_look_at().empty


def test_a_click_on_a_language_shows_its_texts(detect):
    panel = detect(mixed())
    panel.grid.hear({"kind": "choose", "row": 1})
    assert set(panel.rows.table["text"]) == set(SENTENCES["DE"])
    panel.grid.hear({"kind": "choose", "row": 3})
    assert panel.rows.table["why"].tolist()[0] == "No language found"
    panel.controls.view.value = "FR"
    assert set(panel.rows.table["language"]) == {"FR"}


def test_relabelled_rows_count_stay_in_sight_and_can_be_undone(detect):
    panel = detect(mixed())
    panel.rows_to_look_at()
    assert panel.relabel({16: "Norwegian", 12: None}) == 1
    assert panel.languages[16] == "NB"
    assert panel.mix.set_index("name")["relabelled"]["Norwegian"] == 1
    assert len(panel.rows.table) == 5
    assert panel.rows.rows(0, 1)[0]["mark"] == "changed"
    assert "Detected: no language" in panel.rows.rows(0, 1)[0]["note"]
    assert "1 row relabelled by hand" in panel.line.text
    assert panel.rows_to_look_at().index.tolist() == [12, 13, 14, 15]
    panel.show_relabelled()
    assert panel.rows.table["row"].tolist() == ["16"]
    assert panel.undo() == 1
    assert pd.isna(panel.languages[16])
    assert panel.undo() == 0
    assert panel.controls.undo.disabled


def test_a_cell_written_in_the_grid_is_a_label(detect):
    panel = detect(mixed())
    panel.rows_to_look_at()
    panel.rows.hear({"kind": "write", "cells": [[0, "language", "Thai (TH)"]]})
    assert panel.languages[16] == "TH"
    panel.rows.hear({"kind": "write", "cells": [[0, "language", "no such language"]]})
    assert panel.line.kind == "error"
    assert panel.languages[16] == "TH"


@pytest.mark.long
def test_several_selected_rows_are_relabelled_as_one_step(detect):
    panel = detect(mixed())
    panel.controls.relabel.click()
    assert "No rows are selected" in panel.line.text
    panel.rows_to_look_at()
    panel.rows.hear({"kind": "select", "from": [0, 0], "to": [2, 2], "version": panel.rows.page["version"]})
    assert panel.rows.selected == [16, 12, 13]
    panel.controls.relabel.click()
    assert panel.line.text == "Choose the right language first."
    panel.controls.label.value = "Polish (PL)"
    panel.controls.relabel.click()
    assert panel.languages[[12, 13, 16]].tolist() == ["PL"] * 3
    panel.controls.undo.click()
    assert not panel.relabel({16: None})


def test_labels_may_be_named_by_label_or_by_position_and_doubles_are_refused(detect):
    df = mixed(2, 1, 0, rest=False).set_axis(["x", "y", "y"])
    panel = detect(df)
    panel.relabel({"x": "DE"})
    panel.relabel({2: "FR"}, by="position")
    assert panel.languages.tolist() == ["DE", "EN", "FR"]
    with pytest.raises(ValueError, match="2 rows have the label"):
        panel.relabel({"y": "FR"})
    with pytest.raises(KeyError):
        panel.relabel({"z": "FR"})
    with pytest.raises(KeyError):
        panel.relabel({3: "FR"}, by="position")


def test_the_languages_are_added_to_the_frame_and_taken_out_again(detect):
    df = mixed()
    panel = detect(df)
    assert panel.add_column() == "text_lang"
    assert df["text_lang"].tolist()[:6] == ["EN"] * 6
    panel.relabel({16: "DE"})
    panel.add_column()
    assert df["text_lang"][16] == "DE"
    assert panel.remove_column() == ["text_lang"]
    assert list(df.columns) == ["text"]


def test_a_column_that_is_there_is_replaced_only_when_it_is_said(detect):
    df = mixed().assign(lang="mine", last=1)
    panel = detect(df)
    with pytest.raises(ValueError, match="already"):
        panel.add_column("lang")
    with pytest.raises(ValueError, match="texts themselves"):
        panel.add_column("text", replace=True)
    on = panel.controls
    on.name.value = "text"
    on.add.click()
    assert "choose another name" in panel.line.text
    on.name.value = "lang"
    on.add.click()
    assert "Really replace" in panel.line.text
    assert df["lang"].eq("mine").all()
    on.keep.click()
    assert on.add.layout.display is None
    on.add.click()
    on.replace.click()
    assert df["lang"].tolist()[:2] == ["EN", "EN"]
    assert list(df.columns) == ["text", "lang", "last"]
    on.remove.click()
    assert df["lang"].eq("mine").all()
    assert list(df.columns) == ["text", "lang", "last"]


def test_a_frame_with_other_rows_by_now_is_left_alone(detect):
    df = mixed()
    panel = detect(df)
    df.loc[17] = "Ein Satz, der später dazugekommen ist."
    with pytest.raises(ValueError, match="other rows"):
        panel.add_column()
    assert list(df.columns) == ["text"]
    panel.detect().wait(60)
    panel.add_column()
    assert df["text_lang"][17] == "DE"


def test_labels_by_hand_stay_with_their_rows_where_the_text_is_the_same(detect):
    df = mixed()
    panel = detect(df)
    panel.relabel({0: "IT", 1: "NL", 16: "TH"})
    df.loc[1, "text"] = "Ein ganz anderer Satz steht jetzt hier."
    df.loc[99] = "Ein Satz, der später dazugekommen ist."
    panel.detect().wait(60)
    assert panel.table["language"].loc[[0, 1, 16, 99]].tolist() == ["IT", "DE", "TH", "DE"]
    assert panel.table.index[panel.table["relabelled"]].tolist() == [0, 16]
    assert not panel.undo()


@pytest.mark.long
def test_a_frame_that_was_sorted_meanwhile_is_left_alone(detect):
    df = mixed()
    panel = detect(df)
    df["text"] = df["text"].tolist()[::-1]
    with pytest.raises(ValueError, match="other rows or texts by now"):
        panel.add_column()
    assert list(df.columns) == ["text"]


def test_it_is_the_column_that_counts_wherever_it_stands_by_now(detect):
    df = mixed(2, 0, 0, rest=False).assign(second=SENTENCES["DE"])
    panel = detect(df, "second", go=False)
    df.insert(0, "first", SENTENCES["FR"])
    panel.detect().wait(60)
    assert panel.languages.tolist() == ["DE", "DE"]
    assert [title for title, _ in panel.controls.column.options] == ["text", "second", "first"]
    panel.choose("first").detect().wait(60)
    assert panel.languages.tolist() == ["FR", "FR"]
    del df["first"]
    panel.controls.detect.click()
    assert panel.line.text == "the frame has no column first any more: choose another one"


@pytest.mark.parametrize(
    ("columns", "titles"),
    [
        (pd.MultiIndex.from_tuples([("a", "b")]), [("a", "b_lang"), ("mine", "")]),
        (pd.Index([0]), ["0_lang", "mine"]),
    ],
)
def test_columns_of_several_levels_and_numbers_have_names_too(detect, columns, titles):
    df = mixed(2, 0, 0, rest=False).set_axis(columns, axis=1)
    panel = detect(df)
    for name in (panel.controls.name.value, "mine"):
        panel.controls.name.value = name
        panel.controls.add.click()
        panel.controls.add.click()  # once more is no harm
    assert list(df.columns) == [*columns, *titles]
    panel.controls.remove.click()
    panel.controls.remove.click()
    assert list(df.columns) == list(columns)


def test_what_was_found_can_be_passed_to_translate(detect, unwarned):
    df = mixed(2, 2, 0, rest=False)
    panel = detect(df)
    name = panel.add_column()
    table = df["text"].svc.translate_table("FR", source_lang=df[name], progress=False)
    assert table["status"].eq("done").all()


def test_columns_of_texts_are_offered_and_what_is_known_of_one_stays(detect):
    df = mixed(2, 2, 2).assign(number=1, second="Das ist ein deutscher Satz, ganz bestimmt.")
    df["kind"] = pd.Categorical(["a"] * len(df))
    panel = detect(df)
    assert [title for title, _ in panel.controls.column.options] == ["text", "second", "kind"]
    panel.relabel({0: "IT"})
    panel.choose("second").detect().wait(60)
    assert panel.mix["language"].tolist() == ["DE"]
    panel.controls.column.value = 0
    assert panel.languages[0] == "IT"
    with pytest.raises(ValueError, match="holds no texts"):
        panel.choose("number")
    with pytest.raises(KeyError):
        panel.choose("nothing")


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (pd.DataFrame({"n": [1, 2]}), "No column of this table"),
        (pd.DataFrame(), "No column of this table"),
    ],
)
def test_without_texts_it_says_so_in_a_line(detect, table, said):
    panel = detect(table, go=False)
    assert said in panel.line.text
    assert panel.controls.detect.disabled
    with pytest.raises(ValueError, match="No column"):
        panel.detect()
    repr(panel)
    panel._stays()


def test_an_empty_column_and_one_of_gaps_have_no_language(detect):
    panel = detect(pd.DataFrame({"text": pd.Series([], dtype=object)}))
    assert panel.line.text == "0 languages in 0 rows; no rows to look at."
    assert panel.mix.empty
    panel = detect(pd.Series([None, np.nan], dtype=object))
    assert panel.mix["rows"].tolist() == [2]
    assert panel.rows_to_look_at()["why"].tolist() == ["No text", "No text"]
    with pytest.raises(ValueError, match="Series"):
        panel.add_column()


def test_a_cell_that_is_no_text_is_told_of_and_stops_nothing(detect):
    panel = detect(pd.Series([SENTENCES["DE"][0], 7, ["a"]], dtype=object))
    assert panel.languages.tolist()[0] == "DE"
    assert panel.rows_to_look_at()["why"].tolist() == ["Failed", "Failed"]
    assert "2 rows without text could not be asked about" in panel.line.text


def test_an_error_in_the_middle_keeps_what_is_done_and_goes_on(detect, running):
    df = pd.DataFrame({"text": [f"Der Zug Nummer {number} fährt heute nicht." for number in range(100)]})
    detect(df)
    running.faults.add(Fault("status", operation=DETECTION, status=403))
    more = pd.DataFrame({"text": [*df["text"][:100], *(f"Neuer Satz Nummer {n} hier." for n in range(60))]})
    panel = detect(more)
    assert panel.line.kind == "error"
    assert "403" in panel.line.text
    assert "trace" in panel.line.text
    assert "100 of 160 rows known and kept" in panel.line.text
    assert panel.problem is not None
    assert panel.languages.notna().sum() == 100
    assert panel.controls.detect.description == "Go on with 60 rows"
    first = panel.rows.rows(0, 1)[0]
    assert first["mark"] == "error"
    assert "trace id" in first["note"]
    running.faults.clear()
    panel.controls.detect.click()
    assert panel.wait(60)
    assert panel.problem is None
    assert panel.languages.notna().sum() > 100
    assert panel.controls.detect.description == "Detect languages"


def test_where_nothing_could_be_asked_only_the_error_is_shown(detect, running):
    running.faults.add(Fault("status", operation=DETECTION, status=403))
    panel = detect(mixed(3, 0, 0, rest=False))
    assert panel.line.kind == "error"
    assert "try again any time" in panel.line.text
    assert panel.controls.found.layout.display == "none"
    running.faults.clear()
    panel.detect().wait(60)
    assert panel.mix["rows"].tolist() == [3]


def test_stop_keeps_what_is_done(detect, running):
    running.faults.add(Fault("latency", operation=DETECTION, seconds=0.2))
    df = pd.DataFrame({"text": [f"Der Zug Nummer {number} fährt heute nicht." for number in range(3000)]})
    panel = detect(df, go=False)
    panel.detect()
    panel.controls.stop.click()
    assert panel.wait(60)
    assert panel.controls.stop.layout.display == "none"
    assert panel.controls.meter.state == ""
    running.faults.clear()
    panel.detect()
    assert panel.wait(60)
    assert panel.languages.notna().all()


@pytest.mark.long
def test_sixty_languages_are_counted_and_offered(detect):
    panel = detect(mixed())
    codes = [f"{a}{b}" for a in "qxyz" for b in "abcdefghijklmno"]
    panel.relabel(dict(enumerate(codes[:12])), by="position")
    assert len(panel.mix) == 13
    assert {"QA", "QL"} <= {value for _, value in panel.controls.view.options}
    panel.show_language("qa")
    assert panel.rows.page["foot"]["said"] == "1 sample of 1 row in QA, 1 of them relabelled by hand"


def test_all_rows_are_exported_with_what_was_said(detect, tmp_path):
    df = mixed()
    df.loc[0, "text"] = "=cmd() is the name of the train to London today."
    panel = detect(df)
    panel.relabel({16: "DE"})
    written = pd.read_csv(panel.export(tmp_path / "languages.csv"))
    assert len(written) == 17
    assert written["language"].tolist()[16] == "DE"
    assert pd.isna(written["detected_language"][16])
    assert written["relabelled"].tolist()[16]
    assert not written["text"][0].startswith("=")
    book = pd.read_excel(panel.export(tmp_path / "languages.xlsx"))
    assert book["language"].tolist()[:6] == ["EN"] * 6
    with pytest.raises(ValueError, match="csv"):
        panel.export(tmp_path / "languages.png")


@pytest.mark.long
def test_a_hundred_thousand_rows_are_no_trouble(detect):
    df = pd.DataFrame({"text": mixed()["text"].tolist() * 6000})
    panel = detect(df)
    assert panel.mix["rows"].sum() == 102_000
    panel.relabel(dict.fromkeys(range(16, 102_000, 17), "DE"))
    assert len(panel.show_relabelled().rows.table) == 6000
    assert panel.undo() == 6000


def test_no_text_reaches_the_state_of_a_widget_or_what_stays(detect, running):
    secret = "Zwetschgendatschi"
    df = pd.DataFrame({"text": [f"{secret} mit Sahne schmeckt uns allen heute gut.", f"{secret}?", None]})
    panel = detect(df)
    panel.rows_to_look_at()
    panel.relabel({1: "DE"})
    panel.show_language("DE")
    assert_kept_out(panel, secret, running.api_key, running.admin_key)
    assert panel.rows.table["text"].str.contains(secret).all()
    kept = detect(df, keep_texts=True)
    kept.show_language("DE")
    assert secret in kept._stays()["text/html"]


@pytest.mark.long
def test_a_saved_notebook_has_the_mix_and_no_text(running):
    own = {"api_key": running.api_key, "admin_key": running.admin_key, "base_url": running.base_url}
    cell = (
        "import pandas as pd\n"
        "df = pd.DataFrame({'text': ['Zwetschgendatschi mit Sahne schmeckt uns allen heute gut.'] * 3})\n"
        "panel = panels.Detect(df).detect()\npanel.wait(60)\npanel.show_language('DE')\npanel"
    )
    notebook = saved(CONNECT.format(**own), cell, "panel.show_language('DE'); panel.wait()", "panel.close()")
    assert_not_saved(notebook, "Zwetschgendatschi", running.api_key, running.admin_key)
    html = "".join(
        str(output.get("data", {}).get("text/html", "")) for cell in notebook.cells for output in cell.outputs
    )
    assert "German" in html
    assert "data:image/png" in html


@pytest.mark.long
@pytest.mark.parametrize("name", ["Detect", "Translate"])
def test_either_panel_can_be_the_first_that_is_loaded(name):
    code = f"import svc_nb; print(svc_nb.panels.{name}.__name__)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.stdout.strip() == name, ran.stderr


def test_close_frees_everything(connected):
    before = set(_instances)
    with panels.Detect(mixed()) as panel:
        panel.detect().wait(60)
        panel.detect()
    assert set(_instances) == before
    assert not {thread.name for thread in threading.enumerate()} & {"svc_nb panel", "svc_nb-job"}
    with pytest.raises(ValueError, match="this panel is closed"):
        panel.detect()
