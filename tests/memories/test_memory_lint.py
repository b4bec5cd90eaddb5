"""What is told of a table of translations before it becomes a memory."""

import pandas as pd
import pytest

from svc_nb import memories
from svc_nb.checks.findings import CHECKS
from svc_nb.memories.lint import CODES

COLUMNS = ["source_lang", "target_lang", "source", "target"]


def table(*rows, index=None):
    return pd.DataFrame(rows, columns=COLUMNS, index=index, dtype=object)


def codes(*rows):
    return [(row, severity, code) for row, severity, code, *_ in memories.lint(table(*rows)).itertuples(index=False)]


@pytest.mark.parametrize(
    ("row", "severity", "code"),
    [
        (("EN", "DE", "Hello", ""), "error", "empty"),
        (("EN", "DE", " ", "Hallo"), "error", "empty"),
        (("EN", "DE", None, "Hallo"), "error", "empty"),
        (("EN", "DE", "bell\x07", "Glocke"), "error", "control"),
        (("EN", "EN-GB", "Colour", "Color"), "error", "same_language"),
        (("EN", "?", "Hello", "Hallo"), "error", "language"),
        (("EN", "DE", "x" * 5_000_000, "y"), "error", "too_long"),
        (("EN", "PT", "Hello", "Olá"), "warning", "language"),
        (("PT", "EN", "Olá", "Hello"), "warning", "language"),
        (("EN", "FR-CA", "Hello", "Bonjour"), "info", "region"),
        (("EN", "tlh", "Hello", "nuqneH"), "warning", "language"),
        (("EN", "DE", "Press %s now", "Jetzt drücken"), "warning", "placeholders"),
        (("EN", "DE", "Press <b>now</b>", "Jetzt <b>drücken"), "warning", "tags"),
        (("EN", "DE", 'Press <ph x="1"/> now', "Jetzt drücken"), "warning", "tags"),
        (("EN", "DE", "Ship 3 boxes", "Verschicke 4 Kisten"), "warning", "numbers"),
        (("EN", "DE", "Stay with us today", "Stay with us today"), "warning", "untranslated"),
        (("EN", "DE", "Hello", "Hallo "), "warning", "edge_spaces"),
        (("EN", "DE", "Hello you", "Hallo\u200b du"), "warning", "invisible"),
    ],
)
def test_what_is_wrong_with_a_row_is_found(row, severity, code):
    assert codes(row) == [(0, severity, code)]


def test_right_translations_have_no_findings():
    right = [
        ("EN", "DE", "Good morning", "Guten Morgen"),
        ("EN", "FR", "Good morning", "Bonjour"),
        ("EN", "DE", 'Press <ph x="1"/> now &amp; then', 'Ab und zu <ph x="1"/> drücken'),
        ("EN", "JA", "Good morning 🏕️", "おはようございます 🏕️"),
    ]
    found = memories.lint(table(*right))
    assert found.empty
    assert found.said == "4 translations, no findings. Next: svc_nb.memories.push(table, name)."
    assert "No translations" in memories.lint(table()).said


def test_rows_that_are_there_twice_are_reported_with_the_first_one_also_where_labels_repeat():
    rows = [("EN", "DE", "Hello", "Hallo"), ("EN", "DE", "Hello", "Hallo"), ("EN", "DE", "Hello", "Moin")]
    found = memories.lint(table(*rows, index=["a", "b", "b"]))
    assert found[["row", "code"]].to_numpy().tolist() == [["b", "duplicate"], ["b", "conflict"]]
    assert "already in row a" in found["message"].iloc[0]
    assert found["suggestion"].iloc[0] == "remove the row"
    assert "'Hallo'" in found["message"].iloc[1]


def test_every_kind_of_column_is_looked_at():
    rows = table(("EN", "DE", "Ship 3 boxes", "Verschicke 4 Kisten"))
    for dtype in ("category", "string", "object"):
        assert memories.lint(rows.astype(dtype))["code"].tolist() == ["numbers"]


def test_an_error_is_just_what_push_refuses(connected):
    refused = table(("EN", "DE", "Hello", ""))
    assert memories.lint(refused)["severity"].tolist() == ["error"]
    with pytest.raises(ValueError, match="the target is empty"):
        memories.push(refused, "Mine")
    warned = table(("EN", "DE", "Press %s now", "Jetzt drücken"))
    assert memories.lint(warned)["severity"].tolist() == ["warning"]
    assert memories.push(warned, "Mine").translation_memory_id


def test_the_codes_are_those_of_the_checks():
    assert set(CODES) <= set(CHECKS)
