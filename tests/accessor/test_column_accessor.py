"""`.svc` is light to load, shows everything it takes, plans what it then does, and refuses slips before it sends."""

from __future__ import annotations

import dataclasses
import inspect
import sys

import numpy as np
import pandas as pd
import pytest

import svc_nb
from svc_nb import errors, service
from svc_nb.wire.models import Dictionary, TranslateOptions
from tests import forked
from tests.counters import Counters, marked, quiet
from tests.toy import TRANSLATORS

pytestmark = [
    pytest.mark.filterwarnings("ignore::svc_nb.wire.client.text.TidiedOnly"),
]

COLUMN = pd.Series(["one", "two words", None, "one", "https://a.example", "  "], name="text")
FRAME = pd.DataFrame({"title": ["one", "two"], "body": ["two words", None], "lang": ["EN", "EN"]})


@pytest.fixture(scope="module")
def running():
    with service.start(memory=True, translators=TRANSLATORS) as started:
        yield started


@pytest.fixture
def counters(running, connected):
    return Counters(running, connected)


# ---- what is shown


TAKERS = ("plan", "translate", "translate_table", "start_translate")


@pytest.mark.parametrize("method", TAKERS)
@pytest.mark.parametrize("accessor", [COLUMN.svc, pd.Index(COLUMN).svc, FRAME.svc], ids=["column", "index", "frame"])
def test_a_signature_shows_every_option(accessor, method):
    parameters = inspect.signature(getattr(accessor, method)).parameters
    options = {field.name for field in dataclasses.fields(TranslateOptions)}
    assert options | {"target_lang", "errors", "budget", "skip", "reporting_tag"} <= set(parameters)
    assert parameters["errors"].default == "raise"
    assert all(parameters[name].default is None for name in options)
    assert all(parameters[name].kind is inspect.Parameter.KEYWORD_ONLY for name in options)
    assert not [each for each in parameters.values() if each.kind is inspect.Parameter.VAR_KEYWORD]
    assert ("progress" in parameters) == method.startswith("translate")


def public_verbs():
    """All that people call, by name."""
    from svc_nb.clusters import namespaces

    for home in (type(COLUMN.svc), type(FRAME.svc), namespaces.TableVerbs, namespaces.ColumnVerbs):
        for name, method in inspect.getmembers(home, inspect.isfunction):
            yield f"{home.__name__}.{name}", method
    for name in svc_nb.PUBLIC:
        part = getattr(svc_nb, name)
        names = part.__all__ if inspect.ismodule(part) and hasattr(part, "__all__") else ()
        for each, member in [(name, part), *((f"{name}.{each}", getattr(part, each)) for each in names)]:
            if inspect.isfunction(member) or (name == "panels" and inspect.isclass(member)):
                yield each, member


def test_no_signature_hides_what_it_takes():
    found = dict(public_verbs())
    assert len(found) > 100
    for name, verb in found.items():
        if "._" not in name:
            kinds = {each.kind for each in inspect.signature(verb).parameters.values()}
            assert inspect.Parameter.VAR_KEYWORD not in kinds, name
            assert inspect.Parameter.VAR_POSITIONAL not in kinds, name
    assert {"budget", "skip", "errors"} <= set(inspect.signature(COLUMN.svc.detect).parameters)
    assert "\nbudget\n" in inspect.getdoc(COLUMN.svc.detect)
    assert {"base_url", "tries", "strict"} <= set(inspect.signature(svc_nb.connect).parameters)
    assert "formality" in inspect.signature(svc_nb.documents.translate).parameters
    assert "glossary_id" in inspect.signature(svc_nb.translate_notebook).parameters


@pytest.mark.parametrize("accessor", [COLUMN.svc, FRAME.svc], ids=["column", "frame"])
def test_every_method_says_what_it_promises(accessor):
    for name, method in inspect.getmembers(accessor, inspect.ismethod):
        if not name.startswith("_"):
            assert len(inspect.getdoc(method)) > 40, name
            assert "..." not in inspect.getdoc(method).replace("tag_handling, ...", ""), name


@pytest.mark.parametrize("accessor", [COLUMN.svc, FRAME.svc], ids=["column", "frame"])
def test_the_help_on_translate_explains_what_it_takes(accessor):
    told = inspect.getdoc(accessor.translate)
    for name in (
        "target_lang",
        "source_lang",
        "errors",
        "budget",
        "skip",
        "protect",
        "progress",
        "reporting_tag",
    ):
        assert f"\n{name}\n" in told or f", {name}\n" in told, name


def test_the_help_on_plan_does_not_speak_of_a_bar():
    assert "progress" not in inspect.getdoc(COLUMN.svc.plan)


def test_completion_finds_the_methods():
    public = {name for name in dir(COLUMN.svc) if not name.startswith("_")}
    others = ("detect", "rephrase", "correct")
    tabled = {f"{name}_table" for name in others}
    scoring = {"score", "score_table", "review", "compare"}
    before_paying = {"clean", "clean_plan", "near_duplicates"}
    about = {"changes", "check", "detect_spans", "protect_report", "term_candidates"}
    assert public == {*TAKERS, *others, *tabled, *before_paying, *scoring, *about}
    tables = {name for name in dir(pd.DataFrame().svc) if not name.startswith("_")}
    assert tables >= {"lint", "fix", "fixes", "to_entries", "to_wide", "write", "diff", "push", "coverage"}
    assert tables >= public - {"detect_spans", "near_duplicates", "term_candidates"} - scoring


JOB = {
    "again", "cancel", "cancelled", "done", "failure", "partial", "pause", "plan", "progress", "result", "resume",
    "retry_failed", "start", "started", "table", "wait",
}  # fmt: skip


def test_completion_shows_nothing_of_a_job_or_a_session_that_only_svc_nb_uses(connected):
    def shown(value, like=None):
        return {name for name in dir(value) if not name.startswith("_")} - set(dir(like))

    COLUMN.svc.detect(progress=False)
    job = svc_nb.last_run()
    assert shown(job) == JOB
    assert shown(COLUMN.svc.start_translate("DE", budget=0)) == {*JOB, "marked"}
    assert shown(COLUMN.svc.check(COLUMN), pd.DataFrame()) >= {"said", "position"}
    assert "marks" not in shown(COLUMN.svc.check(COLUMN))
    assert shown(connected) == {"admin", "base_url", "client", "close", "service", "settings", "store"}
    assert not {"copy", "count", "end", "plus"} & shown(job.progress)


# ---- the last run


def test_before_any_run_there_is_no_last_one():
    told = forked.run(
        [sys.executable, "-c", "import svc_nb; svc_nb.last_run()"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.stderr.splitlines()[-1].startswith("LookupError: Nothing has run yet")


def test_every_operation_is_the_last_run(connected):
    column = pd.Series(["The weather is really fine today."])
    runs = []
    for call in (
        lambda: column.svc.translate("DE", progress=False),
        lambda: column.svc.translate_table("DE", progress=False),
        lambda: column.svc.start_translate("DE").result(),
        lambda: column.svc.detect(progress=False),
        lambda: column.svc.detect_table(progress=False),
        lambda: column.svc.correct(progress=False),
        lambda: column.svc.correct_table(progress=False),
        lambda: column.to_frame("a").svc.rephrase("a", progress=False),
        lambda: column.to_frame("a").svc.rephrase_table("a", progress=False),
    ):
        call()
        runs.append(svc_nb.last_run())
    assert len(set(map(id, runs))) == 9


def test_a_plan_is_no_run(connected):
    COLUMN.svc.detect(progress=False)
    before = svc_nb.last_run()
    COLUMN.svc.plan("DE")
    assert svc_nb.last_run() is before


def test_a_run_is_shown_with_its_counts(connected):
    COLUMN.svc.translate("DE", source_lang="EN", progress=False)
    shown = str(svc_nb.last_run())
    assert shown.startswith("Run: translate into DE")
    assert "3  (missing 1, url 1, blank 1)" in shown
    assert svc_nb.last_run()._repr_html_().count("<tr>") == len(shown.splitlines()) - 1


# ---- the plan


def planned_and_done(counters, plan, translate):
    planned = plan()
    assert counters.texts_requests == 0
    translate()
    report = svc_nb.last_run().progress
    assert planned.requests == counters.texts_requests == report.requests
    assert planned.characters == counters.characters == report.billed
    assert planned.rows == report.rows
    assert planned.unique == report.unique
    assert planned.skipped == {reason: rows for reason, rows in report.skipped.items() if rows}
    return planned


def test_a_plan_of_a_column_is_what_the_run_does(counters):
    column = pd.concat([COLUMN, pd.Series([f"text {number}" for number in range(120)])])
    options = {"target_lang": "DE", "source_lang": "EN"}
    planned = planned_and_done(
        counters,
        lambda: column.svc.plan(**options, price=20.0),
        lambda: column.svc.translate(**options, progress=False),
    )
    assert (planned.rows, planned.unique, planned.stored, planned.requests) == (126, 122, 0, 3)
    assert planned.skipped == {"missing": 1, "url": 1, "blank": 1}
    assert planned.cost == pytest.approx(planned.characters * 20 / 1_000_000)
    again = column.svc.plan(**options)
    assert (again.stored, again.requests, again.characters, again.cost) == (122, 0, 0, None)


def test_a_plan_of_several_columns_and_targets_is_what_the_run_does(counters):
    options = {"columns": ["title", "body"], "target_lang": ["DE", "JA"], "source_lang": "lang"}
    planned_and_done(
        counters,
        lambda: FRAME.svc.plan(**options),
        lambda: FRAME.svc.translate(**options, progress=False),
    )


def test_a_plan_of_long_and_large_texts_is_what_the_run_does(counters):
    column = pd.Series([f"{number} " + "слово " * 3 * number for number in range(1, 80)] + ["word. " * 50_000])
    options = {"target_lang": "DE", "source_lang": "EN"}
    planned_and_done(
        counters,
        lambda: column.svc.plan(**options),
        lambda: column.svc.translate(**options, progress=False),
    )


@pytest.mark.filterwarnings("ignore::svc_nb.errors.Unfinished")
def test_a_plan_within_a_budget_is_what_the_run_does(counters):
    column = pd.Series([f"text {number}" for number in range(120)])
    options = {"target_lang": "DE", "source_lang": "EN", "budget": 400}
    planned = planned_and_done(
        counters,
        lambda: column.svc.plan(**options),
        lambda: column.svc.translate(**options, progress=False),
    )
    assert planned.characters <= 400
    assert planned.over_budget == svc_nb.last_run().progress.unsent["budget"]


def test_a_budget_may_be_any_whole_number(connected):
    for budget in (1e6, np.int64(1_000_000), np.float32(2**20)):
        assert COLUMN.svc.plan("DE", source_lang="EN", budget=budget).over_budget == 0


def test_a_plan_counts_the_cells_that_are_no_texts(connected):
    planned = pd.Series(["one", 2, 3.5, None], dtype=object).svc.plan("DE", source_lang="EN", errors="coerce")
    assert (planned.rows, planned.failed, planned.unique) == (4, 2, 1)
    assert "rows that cannot be sent" in str(planned)


@pytest.mark.filterwarnings("ignore::svc_nb.errors.Unfinished")
def test_a_plan_with_a_glossary_asks_a_service_on_this_machine_for_the_languages_and_is_what_the_run_does(
    connected, counters
):
    glossary = connected.client.glossaries.create("g", [Dictionary("en", "de", "house\tHaus\n")]).glossary_id
    column = pd.Series(["The house is really big.", "La maison est vraiment grande.", "Das ist wirklich schön."])
    planned = column.svc.plan("DE", glossary_id=glossary)
    sent = counters.texts_requests
    column.svc.translate("DE", glossary_id=glossary, progress=False)
    assert (sent, planned.undetected) == (1, 0)
    assert planned.requests == counters.texts_requests - sent == 2
    assert planned.characters == counters.characters
    assert planned.skipped == {"same_language": 1}


def test_a_plan_of_texts_with_tags_says_that_it_is_the_most_that_can_be_billed(connected):
    column = pd.Series(["A <b>fine</b> day"])
    assert "17  (at most: tags are counted)" in str(column.svc.plan("DE", tag_handling="xml"))
    assert "at most" not in str(column.svc.plan("DE"))
    assert column.svc.translate_table("DE", tag_handling="xml")["billed_characters"].sum() <= 17


def test_a_plan_is_shown_as_text_and_as_a_table(connected):
    planned = COLUMN.svc.plan("DE", source_lang="EN", price=1_000_000)
    assert str(planned) == repr(planned)
    lines = str(planned).splitlines()
    assert lines[0] == "Plan: translate into DE"
    assert [line.split()[-1] for line in lines if line.strip().startswith(("rows  ", "cost"))] == [
        "6",
        "12.00",
    ]
    html = planned._repr_html_()
    assert html.startswith("<table>")
    assert "characters billed" in html


@pytest.mark.parametrize("hostile", ["<script>alert(1)</script>", "DE\"><img src=x onerror='y'>", "&lt;b&gt;"])
def test_what_is_shown_in_a_notebook_is_escaped(connected, unwarned, hostile):
    frame = pd.DataFrame({hostile: ["one text"]})
    with pytest.raises(errors.UnknownLanguage):
        frame.svc.plan(hostile, hostile)
    shown = [frame.svc.plan(hostile, "DE")._repr_html_()]
    frame.svc.translate_table(hostile, "DE", source_lang="EN", progress=False)
    shown.append(svc_nb.last_run()._repr_html_())
    for html in shown:
        assert hostile not in html
        assert "<script" not in html
        assert "<img" not in html


# ---- slips


SLIPS = {
    "errors": ({"errors": "ignore"}, ValueError, "errors"),
    "skip is one word": ({"skip": "url"}, TypeError, "skip"),
    "skip names no rule": ({"skip": ["urls"]}, ValueError, "urls"),
    "skip is a number": ({"skip": 5}, TypeError, "skip"),
    "budget is negative": ({"budget": -1}, ValueError, "budget"),
    "budget is a flag": ({"budget": True}, TypeError, "budget"),
    "budget is a fraction": ({"budget": 1.5}, ValueError, "budget"),
    "budget is infinite": ({"budget": float("inf")}, ValueError, "budget"),
    "budget is no number": ({"budget": float("nan")}, ValueError, "budget"),
    "no such option": ({"formalty": "more"}, TypeError, "formalty"),
    "one tag as a text": ({"ignore_tags": "x"}, TypeError, "ignore_tags"),
    "no target": ({"target_lang": []}, TypeError, "target_lang"),
    "target twice": ({"target_lang": ["DE", "de"]}, ValueError, "target_lang"),
    "target is None": ({"target_lang": None}, TypeError, "target_lang"),
    "target is a number": ({"target_lang": 5}, TypeError, "target_lang"),
    "source is a number": ({"source_lang": 5}, TypeError, "source_lang"),
    "skip holds a list": ({"skip": [["url"]]}, (TypeError, ValueError), "skip"),
    "tag is a number": ({"reporting_tag": 5}, TypeError, "reporting_tag"),
}


@pytest.mark.parametrize("slip", SLIPS)
@pytest.mark.parametrize("method", ["translate", "plan", "start_translate"])
def test_a_slip_is_one_clear_error_and_nothing_is_sent(running, connected, method, slip):
    fields, kind, word = SLIPS[slip]
    requests = quiet(running)
    with pytest.raises(kind, match=word) as caught:
        getattr(COLUMN.svc, method)(**{"target_lang": "DE", **fields})
    assert "\n" not in str(caught.value)
    assert quiet(running) == requests


@pytest.mark.parametrize("columns", ["missing", ["title", "missing"], ("title", "missing"), 5, None], ids=str)
def test_an_unknown_column_is_named(running, connected, columns):
    requests = quiet(running)
    word = "missing" if "missing" in str(columns) else str(columns)
    for method in (FRAME.svc.translate, FRAME.svc.plan):
        with pytest.raises(KeyError, match=word):
            method(columns, "DE")
    with pytest.raises(KeyError, match=word):
        FRAME.svc.detect(columns)
    assert quiet(running) == requests


def test_a_name_that_two_columns_have_is_refused(connected):
    frame = pd.DataFrame([["one", "two"]], columns=["a", "a"])
    with pytest.raises(KeyError, match="2 columns are called"):
        frame.svc.translate("a", "DE")


def test_no_columns_are_refused(running, connected):
    requests = quiet(running)
    for call in (FRAME.svc.translate, FRAME.svc.translate_table, FRAME.svc.plan):
        with pytest.raises(ValueError, match="columns"):
            call([], "DE")
    assert quiet(running) == requests


@pytest.mark.parametrize(
    "slip",
    [
        {"errors": "x"},
        {"budget": -1},
        {"skip": "url"},
        {"budgte": 1},
    ],
    ids=str,
)
@pytest.mark.parametrize("method", ["detect", "detect_table", "rephrase", "rephrase_table", "correct", "correct_table"])
def test_a_slip_in_another_operation_is_one_clear_error_too(running, connected, method, slip):
    requests = quiet(running)
    for call in (getattr(COLUMN.svc, method), lambda **given: getattr(FRAME.svc, method)("title", **given)):
        with pytest.raises((TypeError, ValueError), match=next(iter(slip))):
            call(**slip)
    assert quiet(running) == requests


def test_the_first_line_is_enough(connected):
    assert COLUMN.svc.translate("DE", source_lang="EN").tolist()[:2] == marked(["one", "two words"])
