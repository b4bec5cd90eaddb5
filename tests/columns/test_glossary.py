"""A glossary on a mixed-language column: detected, grouped, marked; and only what it concerns is paid again."""

from __future__ import annotations

import pandas as pd
import pytest

import svc_nb
from svc_nb import errors, service, session
from svc_nb.settings import Settings
from svc_nb.wire.models import Dictionary
from tests.counters import DETECT, Counters, listed
from tests.sessions import current
from tests.toy import TRANSLATORS
from tests.waiting import until

pytestmark = [
    pytest.mark.filterwarnings("ignore::svc_nb.OptionsIgnored"),
    pytest.mark.usefixtures("connected"),
]

ENGLISH = "The house on the hill is big and green."
GERMAN = "Das alte Haus auf dem Hügel ist wirklich schön."
FRENCH = "La maison sur la colline est grande et verte."
ITALIAN = "La casa sulla collina è molto grande e verde."
NONSENSE = "qqq"
MIXED = pd.Series([ENGLISH, GERMAN, FRENCH, NONSENSE, None, "42", ENGLISH], index=list("abcdefa"), name="text")

TERMS = {f"word{number:02}": f"Wort{number:02}" for number in range(20)}
SENTENCES = [f"a text with word{number % 20:02} and {number}" for number in range(60)]


def dictionary(terms, source_lang="en", target_lang="de"):
    return Dictionary(source_lang, target_lang, "".join(f"{source}\t{target}\n" for source, target in terms.items()))


@pytest.fixture
def glossary(connected):
    """Makes glossaries from terms, and gives their ids."""

    def make(*dictionaries):
        return connected.client.glossaries.create("terms", dictionaries).glossary_id

    return make


def lengths(texts):
    return sum(map(len, texts))


# ---- mixed languages


def test_a_mixed_column_is_detected_grouped_and_marked(counters, glossary):
    houses = glossary(dictionary({"house": "Hütte"}))
    table = MIXED.svc.translate_table("DE", glossary_id=houses, progress=False)
    assert table.index.tolist() == list("abcdefa")
    assert table["status"].tolist() == ["done", "skipped", "done", "done", "skipped", "skipped", "done"]
    assert listed(table["reason"]) == [
        None,
        "same_language",
        "glossary_lacks_pair",
        "language_unknown",
        "missing",
        "no_letters",
        None,
    ]
    assert table["text"].iloc[0] == table["text"].iloc[6] == "[DE] The Hütte on the hill is big and green."
    assert table["text"].iloc[2] == f"[DE] {FRENCH}"
    assert counters.requests(operation=DETECT) == 1
    assert counters.characters == lengths([ENGLISH, FRENCH, NONSENSE])
    assert svc_nb.last_run().progress.requests == counters.texts_requests


def test_rows_come_back_in_their_places(glossary):
    both = glossary(dictionary({"house": "Hütte"}), dictionary({"maison": "Hütte"}, "fr"))
    result = MIXED.svc.translate("DE", glossary_id=both, progress=False)
    assert result.index.tolist() == list("abcdefa")
    assert result.name == "text"
    assert listed(result) == [
        "[DE] The Hütte on the hill is big and green.",
        GERMAN,
        "[DE] La Hütte sur la colline est grande et verte.",
        f"[DE] {NONSENSE}",
        None,
        "42",
        "[DE] The Hütte on the hill is big and green.",
    ]


def test_a_mixed_column_is_paid_once_and_detected_once(counters, glossary):
    houses = glossary(dictionary({"house": "Hütte"}))
    first = MIXED.svc.translate("DE", glossary_id=houses, progress=False)
    sent = counters.texts_requests
    second = MIXED.svc.translate("DE", glossary_id=houses, progress=False)
    pd.testing.assert_series_equal(first, second)
    assert counters.texts_requests == sent


def test_the_target_of_a_glossary_is_a_language_with_or_without_region(glossary, counters):
    houses = glossary(dictionary({"maison": "shack"}, "fr", "en"))
    table = pd.Series([FRENCH]).svc.translate_table("EN-GB", glossary_id=houses, progress=False)
    assert listed(table["reason"]) == [None]
    assert "shack" in table["text"][0]


def test_each_of_several_glossaries_serves_its_own_languages(glossary, counters):
    english = glossary(dictionary({"house": "Hütte"}))
    french = glossary(dictionary({"maison": "Bude"}, "fr"))
    table = pd.Series([ENGLISH, FRENCH, ITALIAN]).svc.translate_table(
        "DE", glossary_ids=[english, french], progress=False
    )
    assert listed(table["reason"]) == [None, None, "glossary_lacks_pair"]
    assert "Hütte" in table["text"][0]
    assert "Bude" in table["text"][1]
    assert counters.requests(400) == 0


def test_several_glossaries_for_one_language_all_count(glossary):
    first, second = glossary(dictionary({"house": "Hütte"})), glossary(dictionary({"hill": "Berg"}))
    result = pd.Series([ENGLISH]).svc.translate("DE", glossary_ids=[first, second], progress=False)
    assert listed(result) == ["[DE] The Hütte on the Berg is big and green."]


def test_every_target_uses_its_own_dictionary(glossary):
    houses = glossary(dictionary({"house": "Hütte"}), dictionary({"house": "小屋"}, "en", "ja"))
    result = pd.Series([ENGLISH]).svc.translate(["DE", "JA", "KO"], glossary_id=houses, progress=False)
    assert "Hütte" in result["DE"][0]
    assert "小屋" in result["JA"][0]
    assert result["KO"][0] == f"[KO] {ENGLISH}"
    assert svc_nb.last_run().table()["reason"].tolist()[2] == "glossary_lacks_pair"


# ---- languages that are given


def test_a_given_language_needs_no_detection(glossary, counters):
    houses = glossary(dictionary({"house": "Hütte"}))
    result = pd.Series([ENGLISH, "my house"]).svc.translate("DE", source_lang="EN", glossary_id=houses, progress=False)
    assert listed(result) == ["[DE] The Hütte on the hill is big and green.", "[DE] my Hütte"]
    assert counters.requests(operation=DETECT) == 0


def test_a_given_language_without_a_dictionary_is_the_services_error(glossary, counters):
    houses = glossary(dictionary({"house": "Hütte"}))
    with pytest.raises(errors.BadRequest, match="no dictionary"):
        pd.Series([FRENCH]).svc.translate("DE", source_lang="FR", glossary_id=houses, progress=False)
    assert counters.characters == 0


def test_rows_with_languages_of_their_own_are_grouped_by_them(glossary, counters):
    houses = glossary(dictionary({"house": "Hütte"}))
    column = pd.Series(["my house", "ma maison", "mein Haus", "qzx?", "my house"])
    table = column.svc.translate_table(
        "DE", source_lang=["EN", "FR", "de", None, "en"], glossary_id=houses, progress=False
    )
    assert listed(table["reason"]) == [None, "glossary_lacks_pair", "same_language", "language_unknown", None]
    assert table["text"][0] == table["text"][4] == "[DE] my Hütte"
    assert counters.requests(operation=DETECT) == 1, "for the one without a language"
    assert counters.characters == lengths(["my house", "ma maison", "qzx?"])


# ---- what goes wrong


def test_an_unknown_glossary_is_one_clear_error_and_nothing_is_sent(counters):
    with pytest.raises(errors.NotFound):
        MIXED.svc.translate("DE", glossary_id="00000000-0000-0000-0000-000000000000", progress=False)
    assert counters.texts_requests == 0


def test_an_account_without_detection_is_told_so_before_anything_is_paid(tmp_path):
    with service.start(memory=True, translators=TRANSLATORS, account=service.Account(detection=False)) as poor:
        settings = Settings(store=str(tmp_path / "poor.sqlite"))
        with current(session.Session.embedded(poor, settings)) as opened:
            counters = Counters(poor, opened)
            houses = opened.client.glossaries.create("terms", [dictionary({"house": "Hütte"})]).glossary_id
            with pytest.raises(errors.Forbidden, match="detection"):
                MIXED.svc.translate("DE", glossary_id=houses, progress=False)
            assert counters.characters == 0


def test_texts_whose_language_could_not_be_asked_for_fail_and_are_not_paid_for(running, glossary, counters):
    houses = glossary(dictionary({"house": "Hütte"}))
    running.faults.add("status", status=500, operation="/v3/detect/language")
    with pytest.raises(errors.SvcError):
        pd.Series([ENGLISH, FRENCH]).svc.translate("DE", glossary_id=houses, progress=False)
    assert counters.characters == 0
    running.faults.clear()
    result = pd.Series([ENGLISH]).svc.translate("DE", glossary_id=houses, progress=False)
    assert listed(result) == ["[DE] The Hütte on the hill is big and green."]


@pytest.mark.filterwarnings("ignore::svc_nb.errors.Unfinished")
def test_a_quota_spent_in_the_middle_of_a_mixed_column_keeps_what_was_paid(running, glossary, counters):
    houses = glossary(dictionary({"house": "Hütte"}))
    running.faults.add("quota", operation="/v2/translate", characters=len(ENGLISH) + 5)
    MIXED.svc.translate("DE", glossary_id=houses, errors="coerce", progress=False)
    paid = counters.characters
    running.faults.clear()
    assert MIXED.svc.translate("DE", glossary_id=houses, progress=False).notna().sum() == 6
    assert 0 < paid < counters.characters == lengths([ENGLISH, FRENCH, NONSENSE])


# ---- while languages are detected


MANY = [f"This is a plain English sentence with the number {number}." for number in range(1000)]


@pytest.fixture
def detecting(running, reached):
    """A job that takes its time to find out languages, and what the service counted since it began."""
    running.faults.add("latency", operation="/v3/detect/language", seconds=0.05)
    opened = reached(pool_size=1)
    houses = opened.client.glossaries.create("terms", [dictionary({"house": "Hütte"})]).glossary_id
    counters = Counters(running, opened)
    job = pd.Series(MANY).svc.start_translate("DE", glossary_id=houses)
    until(lambda: counters.so_far(operation=DETECT) >= 3)
    yield job, counters
    job.cancel()
    job.wait()


def test_a_job_shows_signs_of_life_while_it_detects(detecting):
    job, _ = detecting
    seen = job.progress
    assert seen.stage == "detecting"
    assert seen.requests >= 3


@pytest.mark.filterwarnings("ignore::svc_nb.errors.Unfinished")
def test_a_job_that_is_cancelled_while_it_detects_pays_nothing(detecting):
    job, counters = detecting
    job.cancel()
    assert job.result(60).isna().all()
    assert counters.requests() == counters.characters == 0
    assert job.progress.unsent == {"interrupted": 1000}


# ---- what an edit makes stale


def translated(houses, **fields):
    fields = {"source_lang": "EN", "progress": False, **fields}
    return listed(pd.Series(SENTENCES).svc.translate("DE", glossary_id=houses, **fields))


@pytest.mark.parametrize("source_lang", ["EN", None], ids=["given", "detected"])
def test_editing_three_terms_makes_only_the_rows_with_them_stale(connected, glossary, counters, source_lang):
    edited = {**TERMS, "word03": "Drei", "word07": "Sieben", "word19": "Neunzehn"}
    concerned = [text for text in SENTENCES if any(term in text for term in ("word03", "word07", "word19"))]
    texts = SENTENCES if source_lang else [f"This is a plain English sentence: {text}" for text in SENTENCES]
    terms = glossary(dictionary(TERMS))

    def run():
        column = pd.Series(texts)
        return column.svc.translate("DE", glossary_id=terms, source_lang=source_lang, progress=False)

    before = listed(run())
    assert all("Wort" in text for text in before)
    paid = counters.characters
    connected.client.glossaries.replace_dictionary(terms, dictionary(edited))
    after = listed(run())
    assert counters.characters - paid == lengths(concerned) + (0 if source_lang else 34 * len(concerned))
    changed = [text for text, old, new in zip(SENTENCES, before, after, strict=True) if old != new]
    assert changed == concerned
    assert all(any(new in text for new in edited.values()) for text in after)


@pytest.mark.parametrize(
    ("edited", "concerned"),
    [
        ({**TERMS, "and 17": "und 17"}, ["and 17"]),
        ({term: target for term, target in TERMS.items() if term != "word05"}, ["word05"]),
        (dict(reversed(TERMS.items())), []),
        ({**TERMS, "unheard-of": "unerhört"}, []),
        ({**TERMS, "WORD08": "ACHT"}, ["word08"]),
    ],
    ids=["added", "removed", "in another order", "added but nowhere used", "in capitals"],
)
def test_only_rows_that_hold_a_changed_term_are_sent_again(connected, glossary, counters, edited, concerned):
    terms = glossary(dictionary(TERMS))
    translated(terms)
    paid = counters.characters
    connected.client.glossaries.replace_dictionary(terms, dictionary(edited))
    translated(terms)
    stale = [text for text in SENTENCES if any(term in text for term in concerned)]
    assert counters.characters - paid == lengths(stale)


def test_a_glossary_of_another_name_or_id_with_the_same_terms_costs_nothing_again(connected, glossary, counters):
    terms = glossary(dictionary(TERMS))
    first = translated(terms)
    paid = counters.characters
    connected.client.glossaries.rename(terms, "another name")
    assert translated(terms) == first
    assert translated(glossary(dictionary(TERMS))) == first
    assert counters.characters == paid


def test_an_edit_for_another_language_pair_costs_nothing(connected, glossary, counters):
    terms = glossary(dictionary(TERMS))
    translated(terms)
    paid = counters.characters
    connected.client.glossaries.replace_dictionary(terms, dictionary(TERMS, "en", "fr"))
    connected.client.glossaries.replace_dictionary(terms, dictionary(TERMS, "it", "de"))
    translated(terms)
    assert counters.characters == paid


def test_a_text_that_no_term_concerns_is_still_another_question_than_without_a_glossary(glossary, counters):
    terms = glossary(dictionary({"unheard-of": "unerhört"}))
    translated(terms)
    translated(None)
    assert counters.characters == 2 * lengths(SENTENCES)


# ---- style rules


def test_a_new_version_of_a_style_list_makes_all_rows_stale(connected, counters):
    rules = {
        "dates_and_times": {"date_format": "use_dd_period_space_month_yyyy_without_leading_zeros_for_single_digit_days"}
    }
    style = connected.client.style_rules.create("house style", "de").style_id
    column = pd.Series(SENTENCES[:10])
    for version in (1, 2, 3):
        for _ in range(2):
            column.svc.translate("DE", source_lang="EN", style_id=style, progress=False)
        assert counters.characters == version * lengths(column)
        if version == 1:
            connected.client.style_rules.replace_rules(style, rules)
        else:
            connected.client.style_rules.add_instruction(style, "tone", "Be friendly.")


def test_an_unknown_style_list_is_one_clear_error_and_nothing_is_sent(counters):
    with pytest.raises(errors.NotFound, match="Style rule"):
        pd.Series(SENTENCES).svc.translate(
            "DE", source_lang="EN", style_id="00000000-0000-0000-0000-000000000000", progress=False
        )
    assert counters.texts_requests == 0


def test_the_order_of_glossaries_counts(connected, unwarned):
    one, other = (
        connected.client.glossaries.create(name, [Dictionary("de", "fr", f"Rucksack\t{name}")]).glossary_id
        for name in ("AAA", "BBB")
    )
    texts = pd.Series(["Der Rucksack ist leicht."])
    first, second = (
        texts.svc.translate("FR", source_lang="DE", glossary_ids=ids, progress=False)[0]
        for ids in ([one, other], [other, one])
    )
    direct = connected.client.text.translate(texts.tolist(), "FR", source_lang="DE", glossary_ids=[other, one])[0].text
    assert second == direct
    assert ("AAA" in first, "BBB" in second) == (True, True)
