"""A glossary is given by name, by id or as a table of terms, and a style rule list by name or by id."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

import svc_nb
from svc_nb import errors, session
from svc_nb.secret import Secret
from svc_nb.service.faults import Fault
from svc_nb.sync.tryout import NAME
from svc_nb.wire.models import Dictionary
from tests.counters import DETECT, listed
from tests.waiting import until

pytestmark = [
    pytest.mark.filterwarnings("ignore::svc_nb.OptionsIgnored"),
    pytest.mark.usefixtures("connected"),
]

TEXTS = pd.Series(["The house is big.", "The hill is green.", None])
TERMS = pd.DataFrame(
    {"source_lang": "en", "target_lang": "de", "source": ["house", "hill"], "target": ["Hütte", "Berg"]}
)
CAME = ["[DE] The Hütte is big.", "[DE] The Berg is green.", None]


def translated(glossary, texts=TEXTS, **fields):
    how = {"source_lang": "EN", "progress": False, **fields}
    return listed(texts.svc.translate("DE", glossary=glossary, **how))


@pytest.fixture
def glossaries(connected):
    """The names of the glossaries there are; those of earlier tests are gone."""
    own = connected.client.glossaries
    for each in own.list():
        own.delete(each.glossary_id)
    return lambda: [each.name for each in own.list()]


def made(connected, name, *terms):
    entries = "".join(f"{source}\t{target}\n" for source, target in terms or [("house", "Hütte"), ("hill", "Berg")])
    return connected.client.glossaries.create(name, [Dictionary("en", "de", entries)]).glossary_id


# ---- by name and by id


def test_a_glossary_is_given_by_its_name_or_its_id(connected, counters, glossaries):
    glossary_id = made(connected, "Outdoor")
    assert translated("Outdoor") == translated(glossary_id) == translated(["Outdoor"]) == CAME
    assert listed(TEXTS.svc.translate("DE", glossary_id=glossary_id, source_lang="EN", progress=False)) == CAME
    assert counters.requests() == 1


def test_an_id_counts_before_a_name(connected, glossaries):
    glossary_id = made(connected, "Outdoor")
    made(connected, glossary_id, ("house", "Bude"))
    assert translated(glossary_id) == CAME


def test_a_name_that_is_not_there_gets_a_suggestion(connected, counters, glossaries):
    made(connected, "Outdoor")
    with pytest.raises(errors.NotFound, match=r"There is no glossary 'Outdor' .* Did you mean 'Outdoor'\?"):
        translated("Outdor")
    with pytest.raises(errors.NotFound, match=r"There is no glossary 'xyz' .*svc_nb\.glossaries\.list\(\)"):
        TEXTS.svc.plan("DE", glossary="xyz", source_lang="EN")
    assert counters.requests() == 0


def test_a_name_that_several_have_is_refused_with_their_ids(connected, counters, glossaries):
    ids = [made(connected, "Twin"), made(connected, "Twin")]
    with pytest.raises(ValueError, match=r"2 glossaries are called 'Twin'\. Give the id") as caught:
        translated("Twin")
    assert all(each in str(caught.value) for each in ids)
    assert counters.requests() == 0


def test_several_glossaries_of_all_kinds_count_together(connected, glossaries):
    made(connected, "Houses", ("house", "Hütte"))
    assert translated(["Houses", TERMS[TERMS["source"] == "hill"]]) == CAME
    assert glossaries() == ["Houses"]


# ---- a table


def test_a_table_of_terms_is_on_the_service_only_while_texts_are_sent(counters, glossaries, running):
    running.faults.add(Fault("latency", "/v2/translate", seconds=0.3))
    job = TEXTS.svc.start_translate("DE", glossary=TERMS, source_lang="EN")
    until(lambda: [name.startswith(NAME) for name in glossaries()] == [True])
    assert listed(job.result()) == CAME
    assert glossaries() == []
    assert counters.requests() == 1


def test_a_plan_and_what_is_stored_make_no_glossary(connected, counters, glossaries):
    plan = TEXTS.svc.plan("DE", glossary=TERMS, source_lang="EN")
    assert (plan.characters, plan.requests) == (35, 1)
    translated(TERMS)
    asked = counters.requests(operation="POST /v3/glossaries")
    assert asked == 1
    assert translated(TERMS) == CAME
    assert TEXTS.svc.plan("DE", glossary=TERMS, source_lang="EN").stored == 2
    # The terms count, not their place: the same terms on the service are the same request.
    assert translated(made(connected, "The same")) == CAME
    assert (counters.requests(), counters.requests(operation="POST /v3/glossaries")) == (1, asked + 1)


def test_only_the_texts_that_changed_terms_concern_are_paid_for_again(counters, glossaries):
    translated(TERMS)
    other = TERMS.assign(target=["Bude", "Berg"])
    assert translated(other) == ["[DE] The Bude is big.", "[DE] The Berg is green.", None]
    assert svc_nb.last_run().progress.billed == len(TEXTS[0])


def test_with_a_table_languages_are_detected_and_rows_say_what_it_lacks(counters, glossaries):
    texts = pd.Series(["The old house on the hill is big and green.", "La maison sur la colline est verte."])
    table = texts.svc.translate_table("DE", glossary=TERMS, progress=False)
    assert listed(table["reason"]) == [None, "glossary_lacks_pair"]
    assert table["text"][0] == "[DE] The old Hütte on the Berg is big and green."
    assert counters.requests(operation=DETECT) == 1


def test_a_table_that_is_changed_later_changes_nothing(glossaries):
    terms = TERMS.copy()
    job = TEXTS.svc.start_translate("DE", glossary=terms, source_lang="EN")
    terms["target"] = "x"
    assert listed(job.result()) == CAME
    assert listed(job.retry_failed()) == CAME


def test_a_run_that_ends_badly_leaves_no_glossary(running, glossaries):
    running.faults.add(Fault("status", "/v2/translate", status=403))
    with pytest.raises(errors.Forbidden):
        translated(TERMS)
    assert glossaries() == []


def test_a_run_that_is_cancelled_leaves_no_glossary(running, glossaries):
    running.faults.add(Fault("latency", "/v2/translate", seconds=0.2))
    texts = pd.Series([f"house number {number}" for number in range(300)])
    job = texts.svc.start_translate("DE", glossary=TERMS, source_lang="EN")
    until(lambda: glossaries())
    job.cancel()
    assert job.wait(30)
    assert glossaries() == []


def test_two_runs_at_once_do_not_share_a_glossary(running, glossaries):
    running.faults.add(Fault("latency", "/v2/translate", seconds=1.0))
    jobs = [TEXTS.svc.start_translate(target, glossary=TERMS, source_lang="EN") for target in ("DE", "DE-CH")]
    until(lambda: len(glossaries()) == 2)
    assert all("Hütte" in job.result()[0] for job in jobs)
    assert glossaries() == []


def test_a_glossary_that_cannot_be_removed_is_reported_and_removed_by_the_next_run(running, glossaries):
    running.faults.add(Fault("status", "DELETE /v3/glossaries/{glossary_id}", status=403))
    with pytest.warns(errors.LeftBehind, match="could not be removed from the service"):
        translated(TERMS)
    [left] = glossaries()
    assert left.startswith(NAME)
    running.faults.clear()
    translated(TERMS, texts=TEXTS + " Yes.")
    assert glossaries() == []


def test_a_key_that_may_not_make_glossaries_says_so_before_a_text_is_sent(running, counters, glossaries):
    key = Secret(running.create_key(scopes=["translate:text", "glossaries:read"]))
    opened = session.Session(replace(svc_nb.current().settings, api_key=key))
    before = session.make_current(opened)
    try:
        with pytest.raises(errors.Forbidden):
            translated(TERMS)
    finally:
        session.make_current(before)
        opened.close()
    assert counters.requests() == 0


def test_markdown_takes_a_table_of_terms_too(glossaries):
    made = svc_nb.translate_markdown("The *house* is big.", "DE", source_lang="EN", glossary=TERMS)
    assert "*Hütte*" in made
    assert glossaries() == []


# ---- what cannot be


@pytest.mark.parametrize(
    ("fields", "error", "words"),
    [
        (
            {"glossary": 5},
            TypeError,
            "glossary: expected the name or id of a glossary, or a table .*found int",
        ),
        ({"glossary": ""}, TypeError, "found an empty text"),
        ({"glossary": []}, ValueError, "glossary: expected 1 to 5 glossaries, found 0"),
        ({"glossary": ["a"] * 6}, ValueError, "glossary: expected 1 to 5 glossaries, found 6"),
        ({"glossary": {"house": "Haus"}}, TypeError, "found dict"),
        ({"glossary": TERMS[:0]}, ValueError, "the table has no terms"),
        ({"glossary": TERMS[["source", "target"]]}, ValueError, "has no source_lang, target_lang"),
        ({"glossary": pd.concat([TERMS, TERMS])}, errors.InvalidRows, "the service would refuse 2 rows"),
        ({"glossary": "a", "glossary_id": "b"}, ValueError, "glossary and glossary_id exclude each other"),
        ({"style": "a", "style_id": "b"}, ValueError, "style and style_id exclude each other"),
        ({"style": 5}, TypeError, "style: expected the name or id of a style rule list, found int"),
        ({"style": " "}, TypeError, "style: .*found an empty text"),
    ],
    ids=str,
)
def test_what_is_neither_a_glossary_nor_a_style_is_refused_before_anything_is_sent(counters, fields, error, words):
    with pytest.raises(error, match=words):
        TEXTS.svc.translate("DE", progress=False, **fields)
    assert counters.texts_requests == 0


# ---- styles


def test_a_style_is_given_by_its_name_or_its_id(counters):
    rules = {"punctuation": {"range_indicator": "use_german_word_bis"}}
    pushed = svc_nb.style_rules.push(svc_nb.style_rules.Style(rules, name="House style", language="de"))
    texts, how = pd.Series(["Open 5–10 daily"]), {"source_lang": "EN", "progress": False}
    for given in (
        {"style": "House style"},
        {"style": pushed.after.style_id},
        {"style_id": pushed.after.style_id},
    ):
        assert "5 bis 10" in texts.svc.translate("DE", **given, **how)[0]
    assert counters.requests() == 1
    with pytest.raises(errors.NotFound, match=r"no style rule list 'House stile' .* Did you mean 'House style'\?"):
        texts.svc.translate("DE", style="House stile", **how)
    assert counters.requests() == 1
