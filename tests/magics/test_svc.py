"""`%svc` in a real shell: it does what it says, and what goes wrong is one line."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from matplotlib.figure import Figure

import svc_nb
from svc_nb.errors import NotAuthenticated, QuotaExceeded
from svc_nb.magics.status import Status
from svc_nb.secret import Secret
from svc_nb.session import Session
from svc_nb.settings import Settings
from svc_nb.tabular.terms import made

pytestmark = pytest.mark.usefixtures("connected", "unwarned")
TERMS = made("de", "en", ["Zelt", "Zelt "], ["tent", "tent"])


# ---- texts


def test_a_column_is_translated_and_keeps_its_shape(person):
    german = person("%svc translate df.review --to DE").value
    assert german.tolist()[0] == "[DE] The house is red."
    assert german.isna().tolist() == [False, True, False]
    assert german.name == "review"


@pytest.mark.parametrize("column", ["df.review", 'df["review"]', "df['review'].head(9)", "df[['review']].review"])
def test_a_column_is_any_expression(person, column):
    assert person(f"%svc translate {column} --to DE").value.iloc[2] == "[DE] The dog."


def test_a_result_gets_a_name_or_becomes_a_column(person):
    assert person("%svc translate df.review --to DE --as german").value is None
    assert person["german"].iloc[2] == "[DE] The dog."
    person('%svc translate df.review --to German --as df["auf Deutsch"]')
    assert person["df"]["auf Deutsch"].iloc[2] == "[DE] The dog."
    assert person("x = %svc translate df.review --to FR").error is None
    assert person["x"].iloc[2] == "[FR] The dog."


def test_a_name_that_cannot_be_is_refused_before_anything_is_paid(person, connected):
    for name in ("1x", "class", "df.german", "nothing['x']", "person()"):
        assert person(f"%svc translate df.review --to DE --as {name}").line.startswith("UsageError: ")
    assert connected.client.account.usage().character_count == 0


def test_a_text_gives_a_text_and_a_list_gives_a_list(person):
    person.knows(hello="Good morning", both=["one dog", "two dogs"])
    assert person("%svc translate hello --to DE").value == "[DE] Good morning"
    assert person('%svc translate "Good morning" --to DE').value == "[DE] Good morning"
    assert person("%svc translate both --to DE").value == ["[DE] one dog", "[DE] two dogs"]
    assert person("%svc translate df.review.tolist() --to DE").value[1:] == [None, "[DE] The dog."]
    assert person("%svc detect hello").value == "EN"


def test_columns_of_a_table_are_translated_into_several_languages(person):
    both = person('%svc translate df --columns review "my words" --to DE,FR').value
    assert both.columns.tolist() == ["review_DE", "review_FR", "my words_DE", "my words_FR"]
    assert person('%svc translate df[["review"]] --to DE FR').value.columns.tolist() == [
        "review_DE",
        "review_FR",
    ]
    assert person("%svc translate df --to DE").line.endswith("it has review, my words")


def test_a_plan_has_the_price_and_sends_nothing(person, connected):
    plan = person("%svc plan df.review --to DE --price 20").value
    assert (plan.rows, plan.characters, plan.cost) == (3, 25, 0.0005)
    assert connected.client.account.usage().character_count == 0


def test_languages_are_detected(person):
    assert person("%svc detect df.review").value.tolist()[0] == "EN"
    assert "detection_status" in person("%svc detect df.review --table").value


def test_a_value_of_the_notebook_is_written_in_braces(person):
    person.knows(lang="FR", langs=["DE", "FR"])
    assert person("%svc translate df.review --to {lang}").value.iloc[2] == "[FR] The dog."
    assert person("%svc translate df.review --to {langs}").value.columns.tolist() == ["DE", "FR"]


def test_names_of_a_function_are_seen(person):
    person("def f():\n    inner = 'a dog'\n    return get_ipython().run_line_magic('svc', 'translate inner --to DE')")
    assert person("f()").value == "[DE] a dog"


def test_a_semicolon_keeps_a_result_from_being_shown(person):
    seen = person("%svc translate df.review --to DE;")
    assert (seen.value, seen.out, seen.error) == (None, "", None)


def test_texts_are_never_filled_in(person):
    person.knows(name="secret")
    assert person("%svc translate 'Hello {name} $name' --to DE").value == "[DE] Hello {name} $name"


# ---- glossaries, styles, usage


def test_glossaries_are_listed_pulled_checked_and_used(person):
    svc_nb.glossaries.push(TERMS[:1], "Outdoor gear")
    assert person("%svc glossary").value["name"].tolist() == ["Outdoor gear"]
    person('%svc glossary "Outdoor gear" --as terms')
    assert person["terms"]["target"].tolist() == ["tent"]
    assert person("%svc glossary Outdoor gear").value["target"].tolist() == ["tent"]
    person.knows(mine=TERMS)
    assert person("%svc glossary lint mine").value["code"].tolist() == ["edge_space"]
    used = person('%svc translate "Das Zelt" --from DE --to EN-US --glossary "Outdoor gear"').value
    assert "tent" in used


def test_a_style_rule_list_is_listed_and_pulled(person):
    style = svc_nb.style_rules.Style({"numbers": {}}, name="House", language="de")
    svc_nb.style_rules.push(style)
    assert person("%svc style").value["name"].tolist() == ["House"]
    assert person("%svc style House").value.name == "House"
    assert "There is no style rule list 'Hous' on this service. Did you mean 'House'?" in person("%svc style Hous").line


def test_usage_is_a_table_by_key_and_day(person):
    person("%svc translate df.review --to DE")
    assert person("%svc usage 7 days --by key").value["total_characters"].sum() == 25
    assert person("%svc usage").value["usage_date"].nunique() == 1
    assert len(person("%svc usage 2026-01-01 2026-01-02 --by none").value) <= 1
    assert "expected one of" in person("%svc usage --by hour").line


def test_a_plot_is_a_figure_that_is_shown_once_and_not_the_words_of_its_axes(person):
    person("%svc translate df.review --to DE")
    before = plt.get_fignums()
    for line, title in {"--plot": "Characters by day and key", "--plot share": "Share of characters by key"}.items():
        figure = person(f"%svc usage {line}").value
        assert isinstance(figure, Figure)
        assert figure.axes[0].get_title(loc="left") == title
    assert plt.get_fignums() == before  # a figure that pyplot knows is shown at the end of the cell once more
    assert person("%svc usage --plot by_key --as kept").value is None
    assert isinstance(person["kept"], Figure)


def test_panels_open(person):
    for line, kind in {"usage": "Usage", "glossary": "Glossary", "style": "StyleRules"}.items():
        assert person(f"panel = %svc {line} --panel").error is None
        assert type(person["panel"]).__name__ == kind
        person["panel"].close()
    assert person("%svc usage --panel --as mine").value is None
    person["mine"].close()


# ---- the connection


def test_the_status_tells_what_there_is_and_no_key(person, connected, running):
    person("%svc translate df.review --to DE")
    person("%config SvcMagics.target_lang = 'DE'")
    status = person("%svc status").value
    shown = repr(status) + status._repr_html_()
    for part in ("the embedded service", "25 ", "answers", "target_lang = 'DE'", running.base_url):
        assert part in shown
    for key in (running.api_key, running.admin_key):
        assert key not in shown
        assert key[:8] not in shown


def test_the_status_of_a_service_that_does_not_answer_says_why(person):
    from svc_nb.session import make_current

    gone = Session(Settings(api_key=Secret("abcdef-key"), base_url="http://127.0.0.1:9", tries=1))
    before = make_current(gone)
    seen = person("%svc status")
    make_current(before)
    assert seen.error is None
    assert "no answer from http://127.0.0.1:9" in repr(seen.value)
    assert "abcdef-key" not in repr(seen.value) + seen.value._repr_html_()


def test_a_key_on_the_line_is_refused_and_not_shown_again(person):
    for line in (
        "abcdef-123",
        "--key abcdef-123",
        "--api-key=abcdef-123",
        "api_key=abcdef-123",
        "--sample abcdef-123",
        "--ask=abcdef-123",
        "--profile work abcdef-123",
    ):
        said = person(f"%svc connect {line}").line
        assert "takes no key" in said
        assert "abcdef" not in said


def test_a_key_in_the_place_of_a_profile_is_not_shown_again(person):
    said = person("%svc connect --profile abcdef12-83b3-c416-7e2d-f721593e42a0:fx").line
    assert "looks like a key" in said
    assert "abcdef" not in said


def test_names_on_the_service_are_shown_as_text(person):
    hostile = "<img src=x onerror=f()>"
    svc_nb.glossaries.push(made("de", "en", [hostile], [hostile]), hostile)
    person("%config SvcMagics.glossary = '<img src=x onerror=f()>'")
    for line in ("%svc glossary", f'%svc glossary "{hostile}"', "%svc status"):
        shown = person.bundle(person(line).value)["text/html"]
        assert "&lt;img" in shown
        assert "<img" not in shown


@pytest.mark.parametrize(("used", "colour"), [(25.0, "success"), (95.0, "warn"), (100.0, "error")])
def test_the_bar_of_the_quota_has_the_colours_of_the_theme(used, colour):
    shown = Status("connected", {"quota": "some characters used"}, used=used)._repr_html_()
    assert f"{used} % of the quota used" in shown
    assert f"background: var(--jp-{colour}-color1, #" in shown


# ---- what goes wrong


SLIPS = [
    ("%svc statsu", "%svc has no command 'statsu'. Did you mean status?"),
    ("%svc translate df.reviw --to DE", "there is no column 'reviw'. Did you mean review?"),
    ("%svc translate df['reviw'] --to DE", "there is no column 'reviw'. Did you mean review?"),
    ("%svc translate dg.review --to DE", "there is no dg. There is only df."),
    (
        "%svc translate df.review --too DE",
        "%svc translate: there is no option --too. Did you mean --to?",
    ),
    (
        "%svc translate df.review --to EN-ZZ",
        "--to: there is no language 'EN-ZZ'. Did you mean EN, EN-GB or EN-US?",
    ),
    (
        "%svc translate df.review --to JP",
        "--to: there is no language 'JP'. Did you mean JA?",
    ),
    ("%svc translate df.review --to DE --price 3", "%svc translate: there is no option --price. There are"),
    ("%svc status now", "%svc status takes no options"),
    ("%svc help trnslate", "there is no help on 'trnslate'. Did you mean translate?"),
]


def test_a_mistake_is_one_line_with_a_suggestion(person):
    for line, said in SLIPS:
        assert person(line).line.startswith(f"UsageError: {said}")


MORE_SLIPS = [
    "%svc translate",
    "%svc translate --to DE",
    "%svc translate df.review",
    "%svc translate df.review --to",
    "%svc translate df.review --to Klingonese",
    "%svc translate df.review --to DE --budget much",
    "%svc translate df.review --to DE --formality mor",
    "%svc translate df( --to DE",
    "%svc translate print --to DE",
    "%svc translate df.index --to DE",
    "%svc translate df --columns nothing --to DE",
    "%svc translate ['one', 2] --to DE",
    "%svc plan df.review --to DE --price x",
    "%svc plan df.review --to DE --price -1",
    "%svc plan df.review --to DE --price nan",
    "%svc translate ['one'] --to DE --as df['new']",
    "%svc translate df.review --to DE FR --as df['new']",
    "%svc usage 30 dayz",
    "%svc usage --plot cake",
    "%svc glossary lint",
    "%svc glossary lint df",
    "%svc connect --profile nowhere",
    "%svc connect --base-url nonsense",
]


def test_an_unknown_kind_to_protect_is_one_line_too(person):
    for line in (
        "%svc translate df.review --to DE --protect gdpr",
        "%svc translate df.review --to DE --protect urls tag",
    ):
        assert person(line).line.startswith("ValueError: protect: there is no kind ")


def test_every_other_slip_is_one_line_too(person, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    for line in MORE_SLIPS:
        assert ": " in person(line).line


def test_an_error_of_the_service_is_one_line_and_keeps_its_class(person, running):
    running.faults.add("quota", operation="/v2/translate", characters=0)
    assert person("%svc translate df.review --to DE").line.startswith("QuotaExceeded: 456")
    person.knows(line="translate df.review --to DE")
    person("try:\n    get_ipython().run_line_magic('svc', line)\nexcept Exception as e: x = e")
    assert isinstance(person["x"], QuotaExceeded)


def test_a_bug_keeps_its_traceback(person):
    person("class Odd:\n    @property\n    def texts(self): return 1 / 0\nodd = Odd()")
    seen = person("%svc translate odd.texts --to DE")
    assert isinstance(seen.error, ZeroDivisionError)
    assert "Traceback" in seen.out + seen.err


def test_what_a_person_stops_is_one_line_wherever_it_is_just_then(person):
    person("def stopped(): raise KeyboardInterrupt")
    line = "KeyboardInterrupt: Finished rows are kept; run it again to continue."
    assert person("%svc translate stopped() --to DE").line == line


def test_a_warning_is_one_line(person):
    seen = person("%svc translate df.review --to DE --budget 3")
    assert seen.err.startswith("Unfinished: ")
    assert len(seen.err.strip().splitlines()) == 1
    again = person("%svc translate df.review --to DE --budget 3")
    assert again.err == seen.err, "a warning that was shown once is shown the next time, too"


def test_a_wrong_key_is_said_in_a_line(person, running):
    from svc_nb.session import make_current

    before = make_current(Session(Settings(api_key=Secret("abcdef-key"), base_url=running.base_url, tries=1)))
    seen = person("%svc glossary")
    make_current(before)
    assert "abcdef" not in seen.line
    assert isinstance(seen.error, Exception)
    assert not isinstance(seen.error, NotAuthenticated) or "401" in seen.line


# ---- help and settings


def test_help_names_every_command_and_every_option(person):
    for shown in (person("%svc").out, person("%svc?").out, person("%svc help").out):
        assert all(f"%svc {name}" in shown for name in ("connect", "status", "translate", "plan", "detect"))
        assert all(f"%svc {name}" in shown for name in ("glossary", "style", "usage"))
    for line in (
        "%svc help translate",
        "%svc translate --help",
        "%svc translate -h",
        "%%translate DE --help\nx",
    ):
        shown = person(line).out
        assert all(option in shown for option in ("--to", "--from", "--glossary", "--as", "--budget"))
    assert "%%translate" in person("%translate?").out


def test_settings_hold_where_a_line_says_nothing(person):
    svc_nb.glossaries.push(TERMS[:1], "Outdoor")
    person('%config SvcMagics.target_lang = "EN-US"')
    person('%config SvcMagics.source_lang = "DE"')
    person('%config SvcMagics.glossary = "Outdoor"')
    assert "tent" in person("%svc translate 'Das Zelt'").value
    assert "tent" not in person("%svc translate 'Das Zelt' --glossary none").value
    person("%config SvcMagics.budget = 3")
    assert person("%svc translate 'Die Tasse ist rot'").value is None
    assert "target_lang" in person("%config SvcMagics").out


def test_a_wrong_setting_is_refused(person):
    person('%config SvcMagics.formality = "mor"')
    assert "formality" not in repr(person("%svc status").value)


def test_loading_again_keeps_settings_and_doubles_nothing(person):
    person('%config SvcMagics.target_lang = "DE"')
    person("%reload_ext svc_nb")
    person("%reload_ext svc_nb")
    assert person("%svc translate 'a dog'").value == "[DE] a dog"
    assert len(person.presses_tab("%svc sta")) == 1
    assert person("%config").out.count("SvcMagics") == 1


def test_what_was_loaded_can_be_unloaded(person):
    person("%unload_ext svc_nb")
    assert "not found" in person("%svc status").line
    assert person.presses_tab("%svc sta") != ["%svc status"]
    assert "SvcMagics" not in person("%config").out


def test_settings_can_stand_in_the_config_file_of_ipython(capsys):
    from tests.magics.conftest import Person, opened

    configured = Person(opened({"SvcMagics": {"target_lang": "FR"}}), capsys)
    configured("%load_ext svc_nb")
    assert configured("%svc translate 'a dog'").value == "[FR] a dog"


def test_pandas_is_what_is_given_back(person):
    assert type(person("%svc translate df.review --to DE").value) is pd.Series
