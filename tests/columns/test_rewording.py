"""Answers of a job in a person's own words: the job, its counts and the store agree, before and after an undo."""

from __future__ import annotations

import pandas as pd
import pytest

import svc_nb
from svc_nb import errors
from svc_nb.columns.protection import FIRST, SECOND, Protection
from svc_nb.engine.store import Store
from tests.columns.test_protection import COLUMN, check_counts, clumsy, losing, tabled, translated
from tests.counters import listed

__all__ = ["clumsy"]

OWN = "Hallo {name}, willkommen!"


def answers() -> pd.DataFrame:
    return svc_nb.store.find(operation="translate").drop(columns="made").sort_index()


def reworded(row: int, text: str):
    """What puts the answers of the last run into words, and what it made of *text*."""
    rewordings = svc_nb.last_run().rewordings()
    return rewordings, rewordings.write(row, text)


def test_rows_that_share_an_answer_change_together_and_are_counted(counters):
    frame = pd.DataFrame({"a": ["The house is red.", None, "A tree."], "b": ["The house is red.", "A tree.", "A car."]})
    frame.svc.translate(["a", "b"], "DE", source_lang="EN", progress=False)
    before, kept = svc_nb.last_run().table(), answers()
    rewordings, made = reworded(0, "Das Haus ist rot.")
    table = svc_nb.last_run().table()
    assert listed(table["text"]) == [
        "Das Haus ist rot.", None, "[DE] A tree.", "Das Haus ist rot.", "[DE] A tree.", "[DE] A car.",
    ]  # fmt: skip
    assert listed(table["translator"]) == ["person", None, "toy", "person", "toy", "toy"]
    check_counts(counters, 6)
    assert rewordings.take_back(made) == 2
    pd.testing.assert_frame_equal(svc_nb.last_run().table(), before)
    pd.testing.assert_frame_equal(answers(), kept)


def test_the_wording_that_is_there_already_is_no_change(counters):
    translated(COLUMN)
    kept = answers()
    assert reworded(5, " [DE] no stretch ")[1] is None
    pd.testing.assert_frame_equal(answers(), kept)


@pytest.mark.parametrize("forms", [(FIRST,), (FIRST, SECOND)])
def test_rows_that_lost_what_is_protected_can_be_worded(counters, clumsy, forms):
    clumsy.spoil = losing(*forms)
    translated(COLUMN, errors="coerce")
    before = svc_nb.last_run().table()
    rewordings, made = reworded(0, OWN)
    table = svc_nb.last_run().table()
    assert listed(table["text"])[0] == OWN
    assert listed(table["text"])[4] == OWN.replace("{name}", "{you}")
    assert table["status"].tolist()[0] == "done"
    check_counts(counters, 7)
    again = tabled(COLUMN, errors="coerce")
    assert listed(again["text"])[0] == OWN
    assert counters.characters == before["billed_characters"].sum()
    rewordings.take_back(made)
    rewordings = svc_nb.last_run().rewordings()  # of another job, made of the same texts
    rewordings.repeat(made)
    assert listed(svc_nb.last_run().table()["text"])[4] == OWN.replace("{name}", "{you}")
    rewordings.take_back(made)
    assert svc_nb.last_run().table()["status"].tolist() == before["status"].tolist()


def test_a_text_that_was_sent_as_it_is_can_be_worded(counters, clumsy):
    clumsy.spoil = losing(FIRST, SECOND)
    column = pd.Series(["See https://a.example/X now"])
    tabled(column, protect=None)
    reworded(0, "Siehe dort")
    assert svc_nb.last_run().table()["reason"].isna().all()
    assert listed(tabled(column, protect=None)["text"]) == ["Siehe dort"]


def test_a_text_of_many_requests_has_one_wording(counters):
    column = pd.Series(["The garden is large. " * 8000])
    translated(column)
    spent = counters.characters
    reworded(0, "Der Garten ist groß.")
    assert listed(translated(column)) == ["Der Garten ist groß. "]
    assert counters.characters == spent


def test_rows_that_were_not_asked_about_say_so(counters):
    column = pd.Series(["The house.", None, 12, " ", "{x}"], dtype=object)
    tabled(column, errors="coerce")
    for row, why in ((1, "missing"), (2, "expected text, found int"), (3, "blank"), (4, "protected")):
        with pytest.raises(ValueError, match=f"no answer to edit: {why}"):
            reworded(row, "Haus")
    for row in (-1, 5):
        with pytest.raises(ValueError, match=f"from 0 to 4, found {row}"):
            reworded(row, "Haus")


def test_nothing_changes_where_the_store_cannot_be_written_to(counters, tmp_path):
    translated(COLUMN)
    before = svc_nb.last_run().table()
    rewordings = svc_nb.last_run().rewordings()
    rewordings._store = Store(tmp_path)  # a folder is not a file
    with pytest.raises(errors.StoreError):
        rewordings.write(5, "kein Abschnitt")
    pd.testing.assert_frame_equal(svc_nb.last_run().table(), before)


@pytest.mark.parametrize(
    ("text", "wording", "masked"),
    [
        ("See https://a.example/b and {x}.", "{x} と https://a.example/b。", "[[1]] と [[0]]。"),
        ("A {x} and {x}", "Ein {x} und {x}", "Ein [[0]] und [[1]]"),
        ("A {x} and {x}", "Ein {x}", None),
        ("Al is here", "Alles mit Al", "Alles mit [[0]]"),
        ("Al is here", "Alles", None),
        ("Al is here", "Al hat [[0]]", None),
        ("See {x} and {xy}", "{xy} {x}", "[[1]] [[0]]"),
    ],
)
def test_a_wording_gets_the_masks_of_its_text(text, wording, masked):
    (made,) = Protection(["urls", "placeholders", "Al"]).masked([text])
    assert made.remasked(wording, FIRST) == masked
