from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.style_rules.catalogue import STYLE_LANGUAGES, Choice, languages_of, options_of
from svc_nb.style_rules.clone import clone
from svc_nb.style_rules.style import Style
from svc_nb.style_rules.table import rows_of
from svc_nb.wire.models import CustomInstruction
from tests.style_rules.drawn import HOSTILE, right_styles

GERMAN = Style(
    {
        "dates_and_times": {
            "date_format": "use_dd_period_mm_period_yy_with_leading_zeros_for_single_digit_days_and_months"
        },
        "style_and_tone": {
            "personal_vs_impersonal_style": "use_personal_style",
            "verbal_vs_nominal_style": "use_verbal_style",
        },
        "brand_new": {"rule": "option"},
    },
    [CustomInstruction("Ton", "Sei nett.", None, "i-1"), CustomInstruction("Kurz", "Kurz.", "fr", "i-2")],
    name="Haus",
    language="DE",
    style_id="s-1",
    version=4,
)


def test_what_the_other_language_offers_carries_over_and_the_rest_is_listed_with_what_is_nearest():
    style, left = clone(GERMAN, "EN-GB")
    assert (style.name, style.language, style.style_id, style.version) == ("Haus", "EN", None, None)
    assert style.rules["rule"].tolist() == ["personal_vs_impersonal_style", "rule"]
    assert left["rule"].tolist() == ["date_format", "verbal_vs_nominal_style", "rule"]
    assert left["severity"].tolist() == ["warning", "warning", "info"]
    nearest = left["nearest"][0].split(" | ")
    assert set(nearest) <= set(options_of("dates_and_times", "date_format", language="EN"))
    assert len(nearest) == 3
    assert "2 rules and 2 instructions carried over to EN, 2 rules left behind" in left.said


def test_where_nothing_is_left_behind_there_is_nothing_to_put_in_its_place():
    left = clone(Style({"punctuation": {"serial_comma": "use"}}, name="n", language="en"), "en").left
    assert left.said == (
        "1 rule and 0 instructions carried over to EN, nothing left behind. Next: svc_nb.style_rules.push(clone.style)"
    )


def test_instructions_keep_the_source_language_that_was_meant_and_lose_their_ids():
    told = clone(GERMAN, "ja").style.instructions
    assert told["source_language"].tolist() == ["DE", "FR"]
    assert told["id"].isna().all()
    assert told["label"].tolist() == ["Ton", "Kurz"]


def test_a_copy_for_the_same_language_gets_a_name_of_its_own():
    assert clone(GERMAN, "de").style.name == "Haus (copy)"
    assert clone(GERMAN, "de", name="Heim").style.name == "Heim"
    assert clone(Style(), "de").style.name is None


@pytest.mark.long
@given(right_styles(), st.sampled_from(STYLE_LANGUAGES))
def test_every_rule_is_carried_over_or_listed_and_none_is_both(style, language):
    made, left = clone(style, language)
    before = [cells for _, cells in rows_of(style.rules)]
    after = [cells for _, cells in rows_of(made.rules)]
    behind = list(left[["category", "rule", "option"]].itertuples(index=False, name=None))
    assert sorted(after + behind) == sorted(before)
    assert all(language in languages_of(Choice(*cells)) for cells in after)
    assert "warning" not in set(made.lint()["severity"]) or len(made.instructions)
    assert clone(made, language, name=made.name).style == made


def test_a_language_without_style_rules_is_a_clear_error():
    with pytest.raises(ValueError, match="expected one of DE, EN"):
        clone(GERMAN, "pl")


@pytest.mark.parametrize("text", HOSTILE)
def test_a_clone_shows_texts_as_texts(text):
    made = clone(Style({text: {text: text}}, name=text, language="de"), "fr")
    assert "<script>" not in made._repr_html_()
    assert "carried over" in repr(made)
