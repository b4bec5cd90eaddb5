"""The parts of the translate panel alone: pace, words, figures, budgets, prices."""

from __future__ import annotations

from collections import Counter

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.columns.summary import PlanSummary
from svc_nb.engine.outcome import RunReport
from svc_nb.errors import UnknownLanguage
from svc_nb.panels.translate import messages
from svc_nb.panels.translate.plan import Order, price_of, targets_of
from svc_nb.panels.translate.run import Pace
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


def test_where_nothing_moves_nobody_says_how_long_it_takes():
    clock = Clock()
    pace = Pace(clock)
    for second in range(3):
        clock.now = second
        pace.note(7)
    assert pace.left(10) is None
    assert "left" not in messages.moving(RunReport(rows=17, done=7), pace)


def test_the_button_says_what_it_costs_or_that_there_is_nothing():
    plan = PlanSummary(rows=9, unique=5, stored=2, skipped={}, characters=1234, requests=1, over_budget=1, cost=0.5)
    assert messages.pressed(plan) == "Translate 2 texts, 1,234 characters, cost 0.50"
    nothing = PlanSummary(rows=9, unique=0, stored=0, skipped={"url": 9}, characters=0, requests=0)
    assert messages.pressed(nothing) == ""
    assert messages.nothing(nothing) == "There is nothing to translate in these rows (skipped: 9 an address)."


def test_an_end_says_what_is_kept_and_what_to_do():
    report = RunReport(rows=10, done=4, stored=1, failed=1, billed=300, unsent=Counter(interrupted=5))
    assert messages.ended(report, cancelled=True, again=6) == (
        "Cancelled: 4 of 10 rows done, 1 of them from the store; 1 failed; not sent: 5 when it was interrupted; "
        "300 characters billed. What is done is kept and not paid for again; “Try again” goes on."
    )


@pytest.mark.parametrize(
    ("text", "budget"),
    [("500,000", 500_000), ("1 500", 1500), ("0", 0), ("2.5 m", 2_500_000), ("none", None)],
)
def test_a_budget_is_read_as_people_write_it(text, budget):
    assert budget_of(text) == budget


@pytest.mark.parametrize("text", ["much", "-5", "1.500", "1,5", "1e6"])
def test_a_budget_that_is_no_number_or_two_is_refused(text):
    with pytest.raises(ValueError, match="budget: expected a number of characters"):
        budget_of(text)


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


def test_an_option_that_is_none_is_no_option():
    order = Order(options={"formality": "more", "context": None})
    assert order.options == {"formality": "more"}
    assert order.with_options(formality=None).options == {}
