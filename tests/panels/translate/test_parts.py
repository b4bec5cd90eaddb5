"""The parts of the translate panel alone: pace, words, figures, budgets, prices."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.columns.hints import Notice
from svc_nb.columns.summary import PlanSummary
from svc_nb.engine.outcome import RunReport
from svc_nb.errors import UnknownLanguage
from svc_nb.panels.parts.amounts import written
from svc_nb.panels.translate import messages
from svc_nb.panels.translate.plan import Order, price_of, targets_of
from svc_nb.panels.translate.run import Pace, replied
from svc_nb.panels.translate.view import budget_of, names_in, protected_of, written_names


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_pace_is_that_of_the_last_seconds_and_pauses_do_not_count():
    clock = Clock()
    pace = Pace(clock)
    pace.note(0)
    assert pace.rate is None
    for second in range(1, 31):
        clock.now = second
        pace.note(100 * second if second <= 20 else 2000 + 10 * (second - 20))
    assert pace.rate == pytest.approx(10)
    assert pace.left(50) == pytest.approx(5)
    clock.now = 500
    pace.note(2100, paused=True)
    assert pace.rate is None
    clock.now = 502
    pace.note(2200)
    assert pace.rate == pytest.approx(50)


def test_rows_from_the_store_and_skipped_rows_do_not_count_as_speed():
    report = RunReport(rows=20_000, done=12_000, marked=40, stored=11_593, failed=3, skipped=Counter(url=500))
    assert replied(replace(report, unsent=Counter(interrupted=9))) == 12_000 + 40 + 3 - 11_593


def test_without_progress_no_time_left_is_shown():
    clock = Clock()
    pace = Pace(clock)
    for second in range(3):
        clock.now = second
        pace.note(7)
    assert pace.left(10) is None
    assert "left" not in messages.moving(RunReport(rows=17, done=7), pace)


def test_the_button_says_what_it_costs_or_that_there_is_nothing():
    plan = PlanSummary(rows=9, unique=5, stored=2, skipped={"url": 2}, characters=1234, requests=1, cost=0.5)
    assert messages.pressed(plan) == "Translate 7 rows, 1,234 characters, cost 0.50"
    part = replace(plan, over_budget=1, cost=None, undetected=2)
    assert messages.pressed(part) == "Translate 2 texts within the budget, at most 1,234 characters"
    nothing = PlanSummary(rows=9, unique=0, stored=0, skipped={"url": 9}, characters=0, requests=0)
    assert messages.pressed(nothing) == ""
    assert messages.nothing(nothing) == "There is nothing to translate in these rows (skipped: 9 web address only)."


def test_an_end_says_what_is_kept_and_what_to_do():
    report = RunReport(rows=10, done=4, stored=1, failed=1, billed=300, unsent=Counter(interrupted=5))
    assert messages.ended(report, cancelled=True, again=6) == (
        "Cancelled. 1 row failed. Finished rows are kept and not billed again. "
        "Press “Continue with 6 rows” to continue."
    )
    assert messages.ended(RunReport(rows=10, done=10), cancelled=False, again=0) == ""
    less = RunReport(rows=10, done=4, unsent=Counter(budget=6))
    assert messages.ended(less, cancelled=False, again=0) == "Budget spent: raise it to continue. 6 rows not sent."
    refused = RunReport(rows=10, unsent=Counter(error=10))
    assert messages.ended(refused, cancelled=False, again=10) == ""  # nothing is done that could be kept


def test_of_many_pairs_only_the_first_are_named():
    pairs = {f"{source} → EN": rows for rows, source in enumerate(["AR", "BG", "CS", "DA", "EL", "ET", "FI", "HU"], 1)}
    said = messages.largest_first(pairs)
    assert said == "8 HU → EN, 7 FI → EN, 6 ET → EN, 5 EL → EN, 4 DA → EN, 3 CS → EN and 2 more"


def test_a_meter_that_is_paused_or_ended_early_says_so():
    report = RunReport(rows=10, done=4, ended=2.0, started=0.0)
    pace = Pace(Clock())
    assert messages.moving(report, pace, paused=True).startswith("Paused · 4 of 10 rows · ")
    assert messages.over(report, ["ES", "FR"], "done") == "Done in 2 s · ES, FR · 4 of 10 rows"
    assert messages.over(report, ["ES"], "stopped", cancelled=True) == "Cancelled in 2 s · ES · 4 of 10 rows"
    assert messages.over(replace(report, unsent=Counter(budget=6)), ["ES"], "stopped").startswith(
        "Budget spent in 2 s · ES · 4 of 10 rows"
    )
    assert messages.over(report, ["ES"], "failed") == "Failed in 2 s · ES · 4 of 10 rows"


def test_a_meter_names_what_its_hatched_part_is():
    report = RunReport(rows=10, done=4, marked=3, failed=2, ended=2.0, started=0.0)
    assert messages.over(report, ["ES"], "done").endswith("· 4 of 10 rows, 3 not translated, 2 failed")
    assert " · 3 not translated · 2 failed · " in messages.moving(report, Pace(Clock()), paused=True)
    assert "2 rows failed." in messages.ended(report, cancelled=False, again=2)


def test_a_plan_says_what_is_billed_of_what_has_no_translator_and_sums_up_the_pairs():
    notices = (Notice("glossary_lacks_pair", 1, "EN → AR"), Notice("glossary_lacks_pair", 3, "EN → DE"))
    pairs = {"EN → AR": 1, "EN → DE": 1200}
    plan = PlanSummary(1300, 700, 0, {}, 900, 9, untranslated=pairs, untranslated_characters=40, noticed=notices)
    shown = {each["name"]: (each["value"], each["note"]) for each in messages.figures(plan, "cell")}
    pairs_by_size = "1,200 EN → DE, 1 EN → AR: not translated"
    assert shown["No translator"] == ("1,201 cells", f"{pairs_by_size}, 40 characters billed")
    assert shown["Pair not in glossary"] == ("4", "3 EN → DE, 1 EN → AR")
    assert shown["Different cells"] == ("700", "")
    [stored] = [
        each for each in messages.figures(replace(plan, untranslated_characters=0)) if each["name"] == "No translator"
    ]
    assert stored["note"] == pairs_by_size


def test_what_is_not_sent_is_not_counted_as_done_while_a_run_is_cancelled():
    report = RunReport(rows=5000, done=2350, unsent=Counter(interrupted=2300))
    assert messages.moving(report, Pace(Clock()), cancelled=True).startswith("Cancelling · 2,350 of 5,000 rows · ")


def test_reasons_that_mean_the_same_are_one_count():
    assert messages.reasons({"missing": 2, "blank": 1, "url": 10, "email": 0}) == "3 empty, 10 web address only"


@pytest.mark.parametrize(
    ("text", "budget"),
    [("500,000", 500_000), ("1 500", 1500), ("0", 0), ("2.5 m", 2_500_000), ("none", None)],
)
def test_a_budget_is_read_as_people_write_it(text, budget):
    assert budget_of(text) == budget


@pytest.mark.parametrize("text", ["much", "-5", "1,5", "1e6"])
def test_a_budget_that_is_not_a_number_or_is_ambiguous_is_refused(text):
    with pytest.raises(ValueError, match="budget: expected a number of characters"):
        budget_of(text)


def test_an_amount_that_can_be_read_in_two_ways_is_refused_in_both_fields():
    assert (price_of("2,500"), budget_of("2,500")) == (2500, 2500)
    for read in (price_of, budget_of):
        with pytest.raises(ValueError, match=r"“2\.500” can be read in two ways: write 2,500"):
            read("2.500")


@pytest.mark.parametrize("price", [20, 2500.0, 2.125, 19.99, 1_500_000.0, 0.5])
def test_a_price_that_is_given_in_code_is_written_as_it_is_read(price):
    assert price_of(written(price)) == price


@pytest.mark.parametrize("price", ["-1", "much", "nan", "inf", True, -0.5])
def test_a_price_is_a_number_that_is_not_negative(price):
    with pytest.raises(ValueError, match="price: expected"):
        price_of(price)


def test_targets_are_languages_each_of_them_once(connected):
    assert targets_of(["de", "DE ", "German", "pt-br"]) == ("DE", "PT-BR")
    with pytest.raises(TypeError, match="targets: expected a language"):
        targets_of([1])
    with pytest.raises(UnknownLanguage, match="targets: there is no language 'jp'"):
        targets_of(["DE", "jp"])


def test_all_is_every_kind_and_leaves_tags_to_the_service_where_it_keeps_them():
    kinds = ["placeholders", "tags", "urls", "emails", "paths", "code"]
    assert protected_of({"protect": ["all", "tags"]})[0] == kinds
    assert protected_of({"protect": ["all"], "tag_handling": "html"})[0] == [kind for kind in kinds if kind != "tags"]


WORDS = (
    st.text(alphabet=st.sampled_from("ab,\"' é微"), min_size=1).map(lambda text: " ".join(text.split())).filter(bool)
)


@given(st.lists(WORDS))
def test_names_that_are_written_are_read_as_they_were(names):
    assert names_in(written_names(names)) == names


def test_what_is_protected_is_a_list_and_an_empty_one_for_nothing():
    given = {"tags": ["tags"], False: [], "none": [], "Acme": ["Acme"]}
    assert [Order(options={"protect": each}).options["protect"] for each in given] == [*given.values()]
    assert Order(options={"protect": pd.Series(["tags", "Acme"])}).options["protect"] == ["tags", "Acme"]
    with pytest.raises(ValueError, match="no kind 'gdpr'"):
        Order(options={"protect": "gdpr"})


def test_an_option_that_is_none_is_left_out():
    order = Order(options={"formality": "more", "context": None})
    assert order.options == {"formality": "more"}
    assert order.with_options(formality=None).options == {}
