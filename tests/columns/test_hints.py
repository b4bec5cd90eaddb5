import pandas as pd
import pytest

from svc_nb.advice import worded_by
from svc_nb.cli.failure import shell
from svc_nb.cli.output import plan_facts
from svc_nb.columns.hints import Notice, together
from svc_nb.panels.translate import messages

TEXTS = pd.Series(
    [
        "Das ist ein %s Test für uns",
        "Der <b>Rucksack</b> ist gut",
        "SchÃ¶n und gut, das Paket",
        "Hallo Welt, wie geht es dir?",
        "hallo welt,  wie geht es dir?",
        "This is an English sentence about parcels.",
        "This is an English sentence about parcels.",
        "C'est un très bon sac à dos.",
        None,
    ]
)
TERMS = pd.DataFrame({"source_lang": ["DE"], "target_lang": ["EN"], "source": ["Paket"], "target": ["parcel"]})


def test_a_plan_says_what_is_worth_a_look_before_paying(connected):
    plan = TEXTS.svc.plan("EN-US", glossary=TERMS)
    assert plan.hints == (
        "2 rows are already English",
        "1 row: the glossary has no FR → EN-US terms",
        '1 text holds placeholders: use protect="placeholders"',
        '1 text holds tags: use protect="tags"',
        "1 text looks damaged: see .svc.clean_plan()",
        "1 near duplicate: see .svc.near_duplicates()",
    )
    assert str(plan).splitlines()[-6:] == [f"  {hint}" for hint in plan.hints]
    assert "<li>1 text holds tags: use protect=&quot;tags&quot;</li>" in plan._repr_html_()


def test_what_is_protected_clean_and_merged_gives_no_hints(connected):
    texts = TEXTS.svc.clean().svc.near_duplicates().merged().iloc[:5]
    assert texts.svc.plan("EN-US", protect=["placeholders", "tags"], source_lang="DE").hints == ()
    assert TEXTS.iloc[1:2].svc.plan("EN-US", tag_handling="html", source_lang="DE").hints == ()


@pytest.mark.parametrize(
    "texts",
    [
        ["„Gut“ – danke!", "Gut, danke…", "你好，世界。", "你好世界！", "Another text"],
        ["РџСЂРёРІРµС‚, РјРёСЂ", "otkaЕѕi to", "Привет", "ТІРІ СІРІ", "Gut\x00 so"],
        ["Zwei\nZeilen\tund mehr", "R&amp;D im Haus", "%s &gt; %s", "Gruppe \x1e eins"],
    ],
)
def test_a_plan_counts_what_the_methods_that_it_names_find(connected, texts):
    column = pd.Series(texts)
    counts = {notice.what: notice.count for notice in column.svc.plan("EN-US", source_lang="DE").noticed}
    same_meaning = column.svc.near_duplicates(kinds=["white_space", "case", "punctuation"])
    assert counts.get("near_duplicates", 0) == (same_meaning["difference"] != "").sum()
    assert counts.get("damaged", 0) == len(column.svc.changes(column.svc.clean()))


def test_hints_are_in_the_words_of_the_surface(connected):
    plan = TEXTS.svc.plan("EN-US", source_lang="DE")
    with worded_by(shell):
        assert "1 text holds placeholders: use --protect placeholders" in plan.hints
        assert plan_facts(plan)["hints"] == list(plan.hints)
    shown = {each["name"]: (each["value"], each["note"], each["does"]) for each in messages.figures(plan)}
    assert shown["With placeholders"] == ("1 text", "Keep placeholders", "placeholders")
    assert shown["Near duplicates"] == ("1", "near duplicate: see .svc.near_duplicates()", "")


@pytest.mark.parametrize(
    "what", ["same_language", "glossary_lacks_pair", "placeholders", "tags", "damaged", "near_duplicates"]
)
def test_counts_of_several_plans_are_added(what):
    (notice,) = together([Notice(what, 400, "x"), Notice(what, 1_000, "x")])
    assert notice == Notice(what, 1_400, "x")
    assert str(notice).startswith("1,400 ")


def test_no_text_is_in_a_hint(connected):
    plan = pd.Series(["secret {name}", "Secret {name}!", "secrÃ©t"]).svc.plan("DE", source_lang="EN")
    assert len(plan.hints) >= 3
    assert "secr" not in " ".join(plan.hints).lower()
