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
from svc_nb.errors import UnknownLanguage
from svc_nb.language_codes import NAMES
from svc_nb.service import Fault
from tests.panels.all_panels import CONNECT
from tests.panels.detect.conftest import SENTENCES, mixed
from tests.panels.secrecy import assert_kept_out, assert_not_saved, saved

DETECTION = "POST /v3/detect/language"


def test_nothing_is_sent_before_it_is_asked_for(detect, running):
    running.faults.add(Fault("status", operation=DETECTION, status=403))
    panel = detect(mixed(), go=False)
    assert panel.line.text == "Press the button to detect the languages of this column. That costs nothing."
    assert panel.controls.detect.description == "Detect languages in 17 rows"
    assert panel.languages.isna().all()
    assert panel.controls.found.layout.display == "none"
    assert panel.problem is None
    with pytest.raises(ValueError, match="nothing was detected yet"):
        panel.add_column()


def test_the_mix_counts_every_row(detect):
    panel = detect(mixed(en=6, de=4, fr=2))
    assert panel.mix["language"].tolist()[:3] == ["EN", "DE", "FR"]
    assert panel.mix["rows"].tolist() == [6, 4, 2, 1, 4]
    assert panel.mix["share"].sum() == pytest.approx(1)
    assert panel.mix["name"].tolist() == ["English", "German", "French", "Not known", "No language"]
    assert panel.mix["language"].isna().tolist() == [False] * 3 + [True] * 2
    assert [row["cells"] for row in panel.grid.page["rows"]] == [
        ["English", "6", "35.3 %"],
        ["German", "4", "23.5 %"],
        ["French", "2", "11.8 %"],
        ["Not known", "1", "5.9 %"],
        ["No language", "4", "23.5 %"],
    ]
    assert panel.grid.page["columns"][2]["kind"] == "share"  # with a bar in each row
    assert facts(panel) == {"All rows": "17", "Languages": "3", "To check": "1", "No language": "4"}
    assert panel.line.text == "1 row to check."


def facts(panel) -> dict[str, str]:
    """What came of it, by name."""
    return {each["name"]: each["value"] for each in panel.controls.facts.figures}


def test_what_the_store_knows_is_not_asked(detect, running):
    detect(mixed())
    running.faults.add(Fault("status", operation=DETECTION, status=500))
    again = detect(mixed())
    assert again.problem is None
    assert again.mix["rows"].tolist() == [6, 4, 2, 1, 4]


def test_languages_are_aligned_by_position_with_any_index(detect):
    df = mixed(3, 2, 1)
    df.index = pd.Index(["a", "a", *"bcdefghij"][: len(df)], name="key")
    panel = detect(df)
    assert panel.languages.index is df.index or panel.languages.index.equals(df.index)
    assert panel.languages.tolist()[:6] == ["EN"] * 3 + ["DE"] * 2 + ["FR"]
    assert panel.languages.isna().tolist()[6:] == [True] * 5


def test_rows_say_why_and_those_without_letters_are_not_to_be_checked(detect):
    panel = detect(mixed())
    assert panel.rows_to_look_at()["why"].to_dict() == {16: "No language found"}
    panel.show_language(None)
    assert panel.rows.table["why"].tolist() == ["No language found"]
    panel.show_language("No language")
    assert panel.rows.table["why"].tolist() == ["Empty", "Empty", "No letters", "Only a web address"]
    assert {row["cells"][2] for row in panel.rows.page["rows"]} == {"No language"}


def test_a_language_with_a_low_confidence_is_to_be_checked(detect):
    panel = detect(pd.Series(["Nokia Lumia 950", SENTENCES["EN"][0], "No"]))
    assert panel.languages[0] == "LT"
    why = panel.rows_to_look_at()["why"].to_dict()
    assert why == {0: "Low confidence", 2: "Maybe Spanish: low confidence"}


def test_a_short_text_unlike_the_rows_around_it_is_worth_a_look(detect):
    texts = [*SENTENCES["EN"] * 3, "Guten Morgen allen", *SENTENCES["EN"] * 3]
    panel = detect(pd.Series(texts))
    assert panel.languages.tolist()[6] == "DE"
    assert panel.rows_to_look_at()["why"].to_dict() == {6: "Short, and unlike the rows around it"}


def test_all_rows_of_a_language_are_shown(detect):
    texts = [f"Der Zug Nummer {number} nach Hamburg fährt heute nicht." for number in range(30)]
    panel = detect(pd.Series([*SENTENCES["EN"] * 5, *texts, *[texts[0]] * 100]))
    panel.show_language("German")
    assert panel.rows.table["text"].tolist() == [*texts, *[texts[0]] * 100]
    assert panel.rows.page["count"] == 130
    assert panel.controls.shown.value == "German (DE)"
    assert panel.controls.facts.pressed == "DE"  # which is none of the counts
    panel.show_language("EN")
    assert len(panel.rows.table) == 10


@pytest.mark.long
def test_where_no_row_is_to_be_looked_at_the_commonest_language_is_shown(detect):
    panel = detect(mixed(2, 3, 0, rest=False))
    assert panel.controls.shown.value == "German (DE)"
    assert panel.rows_to_look_at().empty


def test_a_click_on_a_language_shows_its_texts(detect):
    panel = detect(mixed())
    panel.grid.hear({"kind": "choose", "row": 1})
    assert set(panel.rows.table["text"]) == set(SENTENCES["DE"])
    panel.grid.hear({"kind": "choose", "row": 3})
    assert panel.controls.shown.value == "Not known"
    assert panel.rows.table["row"].tolist() == ["16"]
    assert [row["mark"] for row in panel.grid.page["rows"]] == ["", "", "", "shown", ""]
    panel.grid.hear({"kind": "choose", "row": 4})
    assert panel.controls.shown.value == "No language"
    assert panel.rows.table["row"].tolist() == ["12", "13", "14", "15"]


def test_a_count_shows_its_rows(detect):
    panel = detect(mixed())
    assert panel.controls.facts.pressed == "look at"
    panel.controls.facts.pressed = "all"
    assert len(panel.rows.table) == 17
    assert panel.controls.shown.value == "All rows"
    panel.relabel({16: "FR"})
    assert facts(panel) == {"All rows": "17", "Languages": "3", "By hand": "1", "No language": "4"}
    panel.controls.facts.pressed = "relabelled"
    assert panel.rows.table["row"].tolist() == ["16"]


def test_relabelled_rows_count_stay_in_sight_and_can_be_undone(detect):
    panel = detect(mixed())
    panel.rows_to_look_at()
    assert panel.relabel({16: "Norwegian"}) == 1
    assert panel.languages[16] == "NB"
    assert panel.mix.set_index("name")["relabelled"]["Norwegian"] == 1
    assert len(panel.rows.table) == 1
    row = panel.rows.rows(0, 1)[0]
    assert row["mark"] == "changed"
    assert row["note"] == "Relabelled by hand; no language had been detected."
    assert row["cells"][-1] == "Relabelled"
    assert panel.line.text == "Relabelled 1 row. No rows to check."
    assert panel.rows_to_look_at().empty
    panel.show_relabelled()
    assert panel.rows.table["row"].tolist() == ["16"]
    assert panel.undo() == 1
    assert pd.isna(panel.languages[16])
    assert panel.undo() == 0
    assert panel.rows.page["foot"]["undo"] == ""
    assert panel.redo() == 1
    assert panel.languages[16] == "NB"


def test_a_first_relabelling_leaves_the_order_and_the_selection(detect):
    panel = detect(mixed(rest=False))
    panel.show_language("EN")
    panel.rows.hear({"kind": "sort", "column": "text"})
    panel.rows.hear({"kind": "select", "from": [0, 0], "to": [1, 1], "version": panel.rows.page["version"]})
    table, order, selected = panel.rows.page["table"], panel.rows.table["row"].tolist(), panel.rows.selected
    panel.relabel({0: "FR"})
    titles = [each["title"] for each in panel.rows.page["columns"]]
    assert titles[-1] == "Reason"
    assert (panel.rows.page["table"], panel.rows.table["row"].tolist()) == (table, order)
    assert (panel.rows.sort, panel.rows.selected) == (("text", False), selected)
    panel.undo()
    assert [each["title"] for each in panel.rows.page["columns"]] == titles  # nothing moves


def test_the_language_whose_rows_are_shown_is_pointed_at_wherever_it_stands(detect):
    panel = detect(mixed(en=6, de=4, fr=4, rest=False))
    assert panel.mix["name"].tolist() == ["English", "French", "German"]  # as many rows: by name
    pointed = []
    panel.grid.send = lambda message, buffers=None: pointed.append(message["go"][1]) if "go" in message else None
    panel.show_language("DE")
    panel.relabel(dict.fromkeys(range(6), "DE"), by="position")
    assert pointed == [2, 0]
    panel.show_language("FR")
    panel.relabel(dict.fromkeys(range(10, 14), "DE"), by="position")
    assert panel.grid.table[["name", "rows"]].to_numpy().tolist() == [["German", 14], ["French", 0]]
    assert pointed[-1] == 1


def test_what_a_person_says_has_no_confidence(detect):
    panel = detect(mixed(en=2, de=0, fr=0, rest=False)).show_language("EN")
    assert panel.rows.table["confidence"].notna().all()
    panel.relabel({0: "DE"}, by="position")
    assert panel.rows.table["confidence"].notna().tolist() == [False, True]


def test_a_cell_written_in_the_grid_is_a_label(detect):
    panel = detect(mixed())
    panel.rows_to_look_at()
    panel.rows.hear({"kind": "write", "cells": [[0, "language", "Thai (TH)"]]})
    assert panel.languages[16] == "TH"
    panel.rows.hear({"kind": "write", "cells": [[0, "language", "no such language"]]})
    assert panel.line.kind == "error"
    assert panel.languages[16] == "TH"


def test_what_is_written_into_one_of_several_selected_rows_is_for_all_of_them(detect):
    panel = detect(mixed()).show_language("No language")
    panel.rows.hear({"kind": "select", "from": [1, 0], "to": [3, 2], "version": panel.rows.page["version"]})
    panel.rows.hear({"kind": "write", "cells": [[3, "language", "Thai (TH)"]]})
    assert panel.languages[[13, 14, 15]].tolist() == ["TH"] * 3
    panel.rows.hear({"kind": "write", "cells": [[0, "language", "German (DE)"]]})
    assert panel.languages[[12, 13]].tolist() == ["DE", "TH"]


@pytest.mark.long
def test_several_selected_rows_are_relabelled_as_one_step(detect):
    panel = detect(mixed())
    panel.controls.relabel.click()
    assert "No rows are selected" in panel.line.text
    panel.show_language("No language")
    panel.rows.hear({"kind": "select", "from": [0, 0], "to": [2, 2], "version": panel.rows.page["version"]})
    assert panel.rows.selected == [12, 13, 14]
    panel.controls.relabel.click()
    assert panel.line.text == "Choose the correct language first."
    panel.controls.label.value = "Polish (PL)"
    panel.controls.relabel.click()
    assert panel.languages[[12, 13, 14]].tolist() == ["PL"] * 3
    panel.rows.hear({"kind": "undo"})  # the button above the rows, and Ctrl-Z
    assert panel.line.text.startswith("Undone for 3 rows.")
    panel.rows.hear({"kind": "redo"})
    assert panel.languages[[12, 13, 14]].tolist() == ["PL"] * 3
    panel.undo()
    panel.rows.hear({"kind": "select", "from": None, "to": None})  # on a heading
    panel.controls.relabel.click()
    assert "No rows are selected" in panel.line.text


def test_a_doubtful_row_is_confirmed_with_the_language_that_was_detected(detect):
    panel = detect(pd.Series(["Nokia Lumia 950", SENTENCES["EN"][0], "qwxz grmpf"]))
    assert panel.rows_to_look_at()["row"].tolist() == ["0", "2"]
    panel.rows.hear({"kind": "write", "cells": [[0, "language", "Lithuanian (LT)"]]})
    assert panel.line.text == "Confirmed 1 row as Lithuanian (LT). 1 row to check."
    assert panel.rows.page["rows"][0]["note"] == "Confirmed by hand; Lithuanian (LT) had been detected."
    panel.relabel({2: None})
    assert panel.line.text == "Confirmed 1 row as No language. No rows to check."
    assert panel.mix["name"].tolist() == ["English", "Lithuanian", "No language"]
    assert panel.table["why"].tolist() == ["Confirmed", "", "Confirmed"]
    assert panel.confirm([0]) == 0
    panel.undo()
    assert panel.rows_to_look_at()["row"].tolist() == ["2"]
    panel.rows.hear({"kind": "select", "from": [0, 0], "to": [0, 2], "version": panel.rows.page["version"]})
    panel.controls.confirm.click()
    assert panel.rows_to_look_at().empty


def test_confirming_accepts_the_best_guess_or_is_refused(detect):
    panel = detect(pd.Series(["No", SENTENCES["EN"][0]]))
    assert panel.rows_to_look_at()["why"].tolist() == ["Maybe Spanish: low confidence"]
    panel.rows.hear({"kind": "write", "cells": [[0, "language", "Not known"]]})  # Enter on what stands there
    assert panel.line.text == "Confirmed 1 row as Spanish (ES). No rows to check."
    assert panel.languages.tolist() == ["ES", "EN"]
    assert panel.table["why"].tolist() == ["Confirmed", ""]
    panel.undo()
    assert panel.confirm([0]) == 1
    assert panel.languages.tolist() == ["ES", "EN"]
    panel.undo()
    panel._results.labels.proposed[0] = None
    with pytest.raises(ValueError, match="1 row has no language to confirm"):
        panel.confirm([0, 1])
    assert panel.table["relabelled"].tolist() == [False, False]


def test_an_unsupported_language_is_not_uncertain_and_can_be_confirmed(detect):
    panel = detect(pd.Series(["No"]))
    table = panel._results.detected.copy()
    table.loc[0, ["detection_status", "best_guess", "confidence"]] = ["unsupported_language", "CY", 1.0]
    panel._results.take(panel._results.texts, table)
    assert panel.rows_to_look_at()["why"].tolist() == ["Welsh: not supported by the service"]
    panel.rows.hear({"kind": "select", "from": [0, 0], "to": [0, 0], "version": panel.rows.page["version"]})
    panel.controls.confirm.click()
    assert panel.line.text == "Confirmed 1 row as Welsh (CY). No rows to check."


def test_what_is_selected_is_forgotten_where_other_rows_are_shown(detect):
    panel = detect(mixed()).show_language("EN")
    for turn in (lambda: panel.rows.sort_by("text"), lambda: panel.rows.look_for("london"), panel.show_relabelled):
        panel.rows.hear({"kind": "select", "from": [0, 0], "to": [2, 2], "version": panel.rows.page["version"]})
        assert panel.rows.selected
        turn()
        assert panel.rows.selected == []


def test_labels_by_hand_are_offered_to_a_panel_over_the_same_texts(detect):
    df = mixed()
    first = detect(df)
    assert not first.controls.question.waits
    first.relabel({0: "IT", 16: "TH", 1: "NL"})
    df.loc[1, "text"] = "Ein ganz anderer Satz steht jetzt hier."
    again = detect(df.copy())
    on = again.controls
    asked = "An earlier panel has labels set by hand for 2 of these rows. Use them here?"
    answers = (on.replace.description, on.keep.description)
    assert (on.question.line.text, answers) == (asked, ("Use 2 labels", "Not now"))
    on.replace.click()
    assert again.line.text == "Copied 2 labels set by hand."
    assert again.languages[[0, 1, 16]].tolist() == ["IT", "DE", "TH"]
    assert again.undo() == 2
    assert again.use_earlier_labels() == 2
    first.close()
    again.undo()
    with pytest.raises(ValueError, match="No earlier panel that is still open"):
        again.use_earlier_labels()


def test_after_a_restart_it_says_how_many_labels_are_lost(detect):
    panel = detect(mixed())
    assert panel.widget.kept == ""
    panel.relabel({0: "IT", 16: "TH"})
    assert panel.widget.kept == "Lost unless saved: 2 labels set by hand."


def test_a_relabelling_is_undone_from_anywhere_in_the_panel(detect):
    panel = detect(mixed())
    panel.relabel({16: "TH"})
    panel.box.heard({"kind": "undo"}, [])
    assert panel.line.text.startswith("Undone for 1 row.")


def test_every_language_of_the_service_can_be_chosen_and_nothing_else(detect):
    panel = detect(mixed())
    menu = [title for title, _ in panel.controls.label.options]
    assert {"Basque (EU)", "Latin (LA)", "Hindi (HI)", "Swahili (SW)"} <= set(menu)
    assert menu[-1] == "No language"
    for wrong, advice in {"zz": "lists the codes", "xx-YY": "lists the codes", "jp": "Did you mean JA"}.items():
        with pytest.raises(UnknownLanguage, match=advice):
            panel.relabel({0: wrong})
    with pytest.raises(TypeError, match="the code or the name of a language"):
        panel.relabel({0: 5})
    assert panel.relabel({0: "EU", 1: float("nan")}) == 2


def test_the_position_is_told_where_labels_stand_twice(detect, tmp_path):
    df = pd.concat([mixed(2, 1, 0, rest=False)] * 2)
    panel = detect(df).show_language("DE")
    assert [row["cells"][:2] for row in panel.rows.page["rows"]] == [["2", "2"], ["2", "5"]]
    assert panel.rows.page["columns"][1]["title"] == "Position"
    assert pd.read_csv(panel.export(tmp_path / "a.csv"))["position"].tolist() == list(range(6))


def test_a_text_that_excel_has_no_room_for_is_told(detect, tmp_path):
    panel = detect(pd.Series([SENTENCES["EN"][0], "A long text. " * 3000]))
    panel.export(tmp_path / "a.csv")
    assert panel.line.text == "Saved 2 rows as a.csv."
    panel.download("xlsx")
    assert panel.line.text.startswith("Saved 2 rows as languages.xlsx. 1 text was cut: an Excel cell")


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
    assert panel.line.text.endswith("The column in the frame is out of date: press “Update the frame”.")
    add = panel.controls.add
    assert (add.description, add.button_style) == ("Update the frame", "primary")
    add.click()
    assert (add.description, add.button_style) == ("Add to the frame", "")
    assert panel.line.text.startswith("Updated in the frame: text_lang.")
    assert df["text_lang"][16] == "DE"
    assert panel.remove_column() == ["text_lang"]
    assert list(df.columns) == ["text"]


def test_what_was_fixed_in_an_added_column_is_not_removed_unasked(detect):
    df = mixed()
    panel = detect(df)
    panel.add_column()
    df.loc[0, "text_lang"] = "FR"
    on = panel.controls
    on.remove.click()
    assert on.question.line.text == "The column “text_lang” has changed since it was added. Remove it anyway?"
    assert df["text_lang"][0] == "FR"
    on.replace.click()
    assert list(df.columns) == ["text"]
    assert not on.question.waits


def test_a_column_that_is_there_is_replaced_only_when_it_is_said(detect):
    df = mixed().assign(lang="mine", last=1)
    panel = detect(df)
    with pytest.raises(ValueError, match="already"):
        panel.add_column("lang")
    with pytest.raises(ValueError, match="is the column with the texts"):
        panel.add_column("text", replace=True)
    on = panel.controls
    on.name.value = "text"
    on.add.click()
    assert "Choose another name." in panel.line.text
    on.name.value = "lang"
    on.add.click()
    assert on.question.line.text == "The frame already has a column “lang”. Replace it?"
    assert df["lang"].eq("mine").all()
    on.keep.click()
    assert not on.question.waits
    assert panel.line.text == "Nothing was changed."
    on.add.click()
    on.replace.click()
    assert df["lang"].tolist()[:2] == ["EN", "EN"]
    assert list(df.columns) == ["text", "lang", "last"]
    assert on.remove.description == "Undo: restore the column"
    on.remove.click()
    assert df["lang"].eq("mine").all()
    assert panel.line.text == "Restored in the frame: lang."
    assert list(df.columns) == ["text", "lang", "last"]


def test_what_was_changed_in_an_added_column_comes_back_when_it_was_replaced(detect):
    df = mixed()
    panel = detect(df)
    panel.add_column()
    df["text_lang"] = "mine"
    panel.add_column(replace=True)
    panel.remove_column()
    assert df["text_lang"].eq("mine").all()


def test_a_frame_with_other_rows_by_now_is_left_alone(detect):
    df = mixed()
    panel = detect(df)
    df.loc[17] = "Ein Satz, der später dazugekommen ist."
    with pytest.raises(ValueError, match="The frame has changed since"):
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
def test_a_frame_that_was_sorted_during_the_run_is_left_alone(detect):
    df = mixed()
    panel = detect(df)
    df["text"] = df["text"].tolist()[::-1]
    with pytest.raises(ValueError, match="The frame has changed since"):
        panel.add_column()
    assert list(df.columns) == ["text"]


def test_a_column_is_found_wherever_it_was_moved(detect):
    df = mixed(2, 0, 0, rest=False).assign(second=SENTENCES["DE"])
    panel = detect(df, "second", go=False)
    df.insert(0, "first", SENTENCES["FR"])
    panel.detect().wait(60)
    assert panel.languages.tolist() == ["DE", "DE"]
    assert {each["title"] for each in panel.controls.column.options} == {"text", "second", "first"}
    panel.choose("first").detect().wait(60)
    assert panel.languages.tolist() == ["FR", "FR"]
    del df["first"]
    panel.controls.detect.click()
    assert panel.line.text == "The frame no longer has a column 'first'. Choose another."


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
    panel = detect(df, "text")
    on = panel.controls.column
    assert [each["title"] for each in on.options] == ["second", "text", "kind"]  # the longest texts first
    assert on.options[0]["note"] == "42 characters on average"
    assert "Das ist ein deutscher Satz, ganz bestim…" in on.samples.values()
    panel.relabel({0: "IT"})
    panel.choose("second").detect().wait(60)
    assert panel.mix["language"].tolist() == ["DE"]
    [on.value] = [[each["key"]] for each in on.options if each["title"] == "text"]
    assert panel.languages[0] == "IT"
    with pytest.raises(ValueError, match="holds no texts"):
        panel.choose("number")
    with pytest.raises(KeyError):
        panel.choose("nothing")


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (pd.DataFrame({"n": [1, 2]}), "No column of this table"),
        (pd.DataFrame(), "This table has no rows."),
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
    panel = detect(pd.DataFrame({"text": pd.Series([], dtype=object)}), go=False)
    assert panel.line.text == "This table has no rows."
    assert panel.controls.detect.disabled
    assert panel.detect().wait(60)
    assert panel.mix.empty
    panel = detect(pd.Series([None, np.nan], dtype=object))
    assert panel.mix["rows"].tolist() == [2]
    assert panel.mix["name"].tolist() == ["No language"]
    assert panel.rows.table["why"].tolist() == ["Empty", "Empty"]
    gaps = pd.DataFrame({"gaps": pd.Series([None, None], dtype=object), "code": ["A-1", "A-2"]})
    assert detect(gaps, go=False).languages.name == "code_lang"
    with pytest.raises(ValueError, match="Series"):
        panel.add_column()


def test_a_cell_that_is_not_text_is_reported_and_stops_nothing(detect):
    panel = detect(pd.DataFrame({"text": pd.Series([SENTENCES["DE"][0], 7, ["a"]], dtype=object)}))
    assert panel.languages.tolist()[0] == "DE"
    assert panel.table["why"].tolist() == ["", "Not a text", "Not a text"]
    assert panel.line.text == "No rows to check."
    on = panel.controls
    assert (on.detect.description, on.detect.button_style) == ("Detect again", "")
    assert on.add.button_style == "primary"


def test_an_error_in_the_middle_keeps_finished_rows_and_can_be_continued(detect, running):
    df = pd.DataFrame({"text": [f"Der Zug Nummer {number} fährt heute nicht." for number in range(100)]})
    detect(df)
    running.faults.add(Fault("status", operation=DETECTION, status=403))
    more = pd.DataFrame({"text": [*df["text"][:100], *(f"Neuer Satz Nummer {n} hier." for n in range(60))]})
    panel = detect(more)
    assert panel.line.kind == "error"
    assert "403" in panel.line.text
    assert "trace" in panel.line.text
    assert "100 of 160 rows finished and kept" in panel.line.text
    assert panel.problem is not None
    assert panel.languages.notna().sum() == 100
    assert panel.controls.detect.description == "Continue with 60 rows"
    first = panel.rows.rows(0, 1)[0]
    assert first["mark"] == "error"
    assert "trace id" in first["note"]
    running.faults.clear()
    panel.controls.detect.click()
    assert panel.wait(60)
    assert panel.problem is None
    assert panel.languages.notna().sum() > 100
    assert panel.controls.detect.description == "Detect again"


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
    assert panel.rows_to_look_at().empty  # rows that were not asked are not in doubt
    assert panel.controls.stop.layout.display == "none"
    assert panel.controls.meter.state == ""
    running.faults.clear()
    panel.detect()
    assert panel.wait(60)
    assert panel.languages.notna().all()


def test_it_is_shown_at_once_while_it_detects(detect, running):
    running.faults.add(Fault("latency", operation=DETECTION, seconds=1.5))
    panel = detect(mixed(), go=False)
    panel.detect()._repr_mimebundle_()
    assert panel.controls.detect.description == "Detecting …"
    panel.stop()
    assert panel.wait(60)


@pytest.mark.long
def test_sixty_languages_are_counted_and_offered(detect):
    panel = detect(mixed())
    panel.relabel(dict(enumerate([*NAMES][:12])), by="position")
    assert len(panel.mix) == 14
    assert {"Acehnese", "Afrikaans"} <= {row["cells"][0] for row in panel.grid.page["rows"]}
    panel.show_language("Afrikaans")
    assert panel.rows.page["foot"]["said"] == "1 of these 1 row is labelled by hand."


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


def test_cells_that_are_not_text_are_exported_too(detect, tmp_path):
    cells = ["The train to London does not run today.", 5, 1, True, ["=a"], {"b": 1}, None]
    panel = detect(pd.DataFrame({"text": pd.Series(cells, dtype=object)}))
    written = ["5", "1", "True", "['=a']", "{'b': 1}"]
    assert pd.read_csv(panel.export(tmp_path / "a.csv"), dtype=str)["text"].tolist()[1:6] == written
    in_excel = pd.read_excel(panel.export(tmp_path / "a.xlsx"), dtype=object)["text"].tolist()[1:6]
    assert in_excel == [5, 1, True, "['=a']", "{'b': 1}"]


def test_a_formula_among_categories_is_exported_as_a_text(detect, tmp_path):
    panel = detect(pd.DataFrame({"text": pd.Categorical(["=cmd() is the name of the train."])}))
    assert pd.read_csv(panel.export(tmp_path / "a.csv"))["text"].tolist() == ["'=cmd() is the name of the train."]


@pytest.mark.long
def test_a_hundred_thousand_rows_are_handled(detect):
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
    assert "<td>German</td><td>3</td><td>100 %</td>" in html


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
