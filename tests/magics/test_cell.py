"""`%%translate` and `%translate` in a real shell: what is shown, what is kept, and that nothing in it runs."""

from __future__ import annotations

import pickle

import pytest

from svc_nb.magics.cell import ShownText

pytestmark = pytest.mark.usefixtures("connected", "unwarned")


def test_a_cell_of_markdown_is_translated_and_shown_as_it_looks(person):
    seen = person("%%translate DE\n# Tents\n\nThe **light** one 😀: `df.head()`, $x^2$.\n\n- one\n- two\n")
    assert seen.value == "# [DE] Tents\n\n[DE] The **light** one 😀: `df.head()`, $x^2$.\n\n- [DE] one\n- [DE] two\n"
    bundle = person.bundle(seen.value)
    assert bundle["text/plain"] == seen.value
    assert "<h1>[DE] Tents</h1>" in bundle["text/html"]
    assert "<code>df.head()</code>" in bundle["text/html"]
    assert "$x^2$" in bundle["text/html"]
    assert "😀" in bundle["text/html"]


def test_html_of_a_cell_keeps_its_tags_and_loses_what_acts_where_it_is_shown(person):
    cell = '<p onclick="f()">The <b>house</b></p><script>alert("x")</script><img src=x onerror=f()>\n'
    seen = person(f"%%translate DE --html\n{cell}")
    assert "<script>" in seen.value, "the text itself is the person's own"
    shown = person.bundle(seen.value)["text/html"]
    assert "[DE] The <b>house</b>" in shown
    for danger in ("script", "alert", "onclick", "onerror"):
        assert danger not in shown


def test_html_within_markdown_is_not_run_either(person):
    seen = person("%%translate DE\nHello <img src=x onerror=f()>\n\n<script>f()</script>\n\n[x](javascript:f)\n")
    shown = person.bundle(seen.value)["text/html"]
    assert "<img src" in shown
    for danger in ("<script", "onerror=", 'href="javascript'):
        assert danger not in shown


def test_text_stays_text(person):
    seen = person("%%translate DE --text\nIt costs $5 & *this* is <b>not</b> {bold}, it is $6.\nNew line\n")
    assert "*this* is <b>not</b> {bold}" in seen.value
    shown = person.bundle(seen.value)["text/html"]
    assert "&lt;b&gt;not&lt;/b&gt;" in shown
    assert "mathjax_ignore" in shown, "two prices are no formula"


def test_what_is_read_from_the_right_is_shown_from_the_right(person):
    seen = person("%%translate HE --from EN\nשלום **עולם**\n")
    assert "dir='rtl'" in person.bundle(seen.value)["text/html"]
    assert "**עולם**" in seen.value


def test_raw_is_shown_as_it_is_written(person):
    seen = person("%%translate DE --raw\nThe *dog*\n")
    assert set(person.bundle(seen.value)) == {"text/plain"}
    assert "The *dog*" in seen.out
    assert "'" not in seen.out.split("]: ")[1], "a text is shown without quotes around it"


def test_a_cell_gets_a_name_as_a_plain_text(person):
    seen = person("%%translate DE --as german\nThe *dog*\n")
    assert (seen.value, seen.out) == (None, "")
    assert person["german"] == "[DE] The *dog*\n"
    assert type(person["german"]) is str


def test_a_translated_text_is_a_text(person):
    text = person("%%translate DE\nThe dog\n").value
    assert text.upper().startswith("[DE]")
    assert isinstance(text, ShownText)
    assert pickle.loads(pickle.dumps(text)) == text
    assert type(str(text)) is str


def test_words_of_a_line_are_translated_as_they_stand(person):
    person.knows(name="secret")
    assert person('%translate DE It\'s "fine",  {name} & $name; --ok').value == (
        '[DE] It\'s "fine",  {name} & $name; --ok'
    )
    assert person("%translate --from EN FR --formality prefer_more the dog").value == "[FR] the dog"
    assert person("%translate German the dog").value == "[DE] the dog"


def test_with_a_default_a_language_on_a_line_is_in_capitals(person):
    person('%config SvcMagics.target_lang = "DE"')
    assert person("%translate it works").value == "[DE] it works"
    assert person("%translate FR it works").value == "[FR] it works"
    assert person("%%translate\nit works\n").value == "[DE] it works\n"
    assert person("%%translate french\nit works\n").value == "[FR] it works\n"


def test_a_language_can_be_a_value_of_the_notebook(person):
    person.knows(lang="FR")
    assert person("%%translate {lang}\nthe dog\n").value == "[FR] the dog\n"


SLIPS = [
    ("%%translate\nHello\n", "no target language"),
    ("%translate", "there is no text"),
    ("%translate DE", "there is no text"),
    ("%%translate DE\n  \n", "there is no text"),
    ("%%translate DE hello\nHello\n", "the text belongs in the lines below"),
    ("%%translate DE --glossray X\nHello\n", "Did you mean --glossary?"),
    ("%%translate DE,FR\nHello\n", "one language"),
    ("%%translate JP\nHello\n", "Did you mean JA?"),
    ("%%translate Klingonese\nHello\n", "there is no language 'Klingonese'"),
    ("%%translate DE --as 1x\nHello\n", "--as: expected a name"),
    ("%%translate DE --budget 1\nHello\n", "The budget is spent"),
]


def test_a_slip_is_one_line(person):
    for cell, said in SLIPS:
        assert said in person(cell).line


def test_a_budget_keeps_the_words_of_a_line_from_being_sent(person, connected):
    seen = person("%translate DE --budget 1 good morning")
    assert seen.value is None
    assert seen.err.startswith("Unfinished: ")
    assert connected.client.account.usage().character_count == 0


def test_a_budget_of_0_pays_for_nothing_whatever_is_set(person, connected):
    person("%config SvcMagics.budget = 1000")
    for line in ("%translate DE --budget 0 good morning", "%svc translate df.review --to DE --budget 0"):
        assert person(line).err.startswith("Unfinished: ")
    assert "The budget is spent" in person("%%translate DE --budget 0\nHello\n").line
    assert connected.client.account.usage().character_count == 0


def test_the_same_cell_is_paid_for_once(person, connected):
    person("%%translate DE\nThe dog\n")
    paid = connected.client.account.usage().character_count
    person("%%translate DE\nThe dog\n")
    assert connected.client.account.usage().character_count == paid > 0
