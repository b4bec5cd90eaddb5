"""The tab key in a real shell: what can be written next, quickly, and without sending or running anything."""

from __future__ import annotations

import pandas as pd
import pytest

import svc_nb
from svc_nb import session
from svc_nb.magics.completion import Answer
from svc_nb.secret import Secret
from svc_nb.settings import Settings
from svc_nb.tabular.terms import made
from tests.waiting import until

BEGUN = [
    ("%svc sta", ["%svc status"]),
    ("svc sta", ["svc status"]),
    ("%svc help pl", ["%svc help plan"]),
    ("%svc translate df.re", ["%svc translate df.review"]),
    ('%svc translate df["my', ['%svc translate df["my words"]']),
    ("%svc detect d", ["%svc detect df"]),
    ("%svc translate df.review --fo", ["%svc translate df.review --formality"]),
    ("%svc translate df.review --to DE --gl", ["%svc translate df.review --to DE --glossary"]),
    ("%svc translate df.review --to DE FR IT", ["%svc translate df.review --to DE FR IT"]),
    ("%svc translate df.review --formality l", ["%svc translate df.review --formality less"]),
    ("%svc translate df --columns m", ['%svc translate df --columns "my words"']),
    ("out = %svc plan df.review --pr", ["out = %svc plan df.review --price"]),
    ("%svc usage las", ["%svc usage last month"]),
    ("%svc usage --by t", ["%svc usage --by tag_and_day", "%svc usage --by tag"]),
    ("%svc glossary lint d", ["%svc glossary lint df"]),
    ("%%translate DE --ht", ["%%translate DE --html"]),
    ("%translate DE --from IT", ["%translate DE --from IT"]),
]


def test_a_line_is_completed(person):
    for begun, whole in BEGUN:
        assert person.presses_tab(begun) == whole


@pytest.mark.usefixtures("connected")
def test_languages_are_found_by_code_and_by_name(person):
    assert person.presses_tab("%%translate Ger") == ["%%translate DE"]
    assert person.presses_tab("%svc translate df.review --to en") == [
        "%svc translate df.review --to EN-GB",
        "%svc translate df.review --to EN-US",
    ]
    assert "%svc translate df.review --from EN" in person.presses_tab("%svc translate df.review --from e")


@pytest.mark.usefixtures("connected")
def test_names_on_the_service_are_completed_and_quoted(person):
    svc_nb.glossaries.push(made("de", "en", ["Zelt"], ["tent"]), "Our terms")
    assert person.presses_tab("%svc glossary O") == ['%svc glossary "Our terms"']
    assert person.presses_tab('%%translate DE --glossary "Ou') == ['%%translate DE --glossary "Our terms"']


@pytest.mark.long
def test_text_below_a_cell_magic_is_not_completed(person):
    assert not any("--html" in each for each in person.presses_tab("%%translate DE\nHello --ht"))


def test_an_option_that_is_there_is_not_offered_again(person):
    assert person.presses_tab("%svc translate df.review --to DE --t") == [
        "%svc translate df.review --to DE --tag",
        "%svc translate df.review --to DE --table",
    ]


def test_without_a_session_nothing_is_connected(person):
    before = session.make_current(None)
    assert person.presses_tab("%%translate Ger") == ["%%translate DE"]
    assert person.presses_tab("%svc glossary li") == ["%svc glossary lint"]
    assert session.known() is None
    session.make_current(before)


@pytest.mark.long
def test_a_service_that_hangs_or_is_not_there_does_not_hold_a_person_up(person, connected, running):
    running.faults.add("hang", seconds=600)  # longer than a test may take
    assert person.presses_tab("%%translate Ger") == ["%%translate DE"]
    until(lambda: running.traffic.in_flight)
    gone = session.Session(Settings(api_key=Secret("abcdef"), base_url="http://127.0.0.1:9", tries=1))
    session.make_current(gone)
    seen = person("get_ipython().Completer")  # nothing is printed besides
    assert person.presses_tab("%%translate Ger") == ["%%translate DE"]
    assert seen.err == ""
    running.faults.clear()


def test_nothing_is_run_to_complete_a_column(person):
    class Trap(pd.DataFrame):
        @property
        def trap(self):
            raise AssertionError("it was run")

    person.knows(trap=Trap({"text": ["a"]}))
    assert person.presses_tab("%svc translate trap.te") == ["%svc translate trap.text"]


def test_an_answer_is_renewed_and_the_old_one_counts_until_then():
    answer = Answer()
    answer.renew(lambda: {"DE": "German"}, 5)
    assert answer.value == {"DE": "German"}
    answer.renew(lambda: {"FR": "French"}, 5)
    assert answer.value == {"DE": "German"}, "it is still fresh"
    answer._at -= 1000
    answer.renew(lambda: 1 / 0, 5)
    assert answer.value == {"DE": "German"}, "what fails is not told"
