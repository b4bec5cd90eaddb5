"""Pages and texts that are templates: the words change, no tag of a template does."""

from __future__ import annotations

import re

import pytest

from svc_nb.notebooks.markup import templates as client
from svc_nb.service.formats import templates as service
from tests.service.formats.wording import by, translated
from tests.template_pages import EVERY, LANGUAGES, page, tags

WRAPPED = """\
{comment}
{open}
This is a paragraph of a letter to {value}, which goes on for a few lines that
were wrapped by hand at about this width, and which names {value} once more in
the middle of it, before it ends.
{close}

- Some words for {value}
Name:    {value}    Some words
"""


@pytest.mark.parametrize(("language", "layout"), EVERY)
def test_the_tags_of_a_template_stay_and_the_words_change(tmp_path, language, layout):
    source = tmp_path / "page.html"
    source.write_text(page(language, layout))
    after = translated(source).read_text()
    assert tags(language, after) == tags(language, source.read_text())
    assert after.upper() == source.read_text().upper()
    assert "words" not in after
    assert "WORDS" in after or layout == "script"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "change",
    [lambda text: re.sub(r"<[^>]*>", "", text), lambda text: " ".join(reversed(text.split())), lambda text: text * 2],
)
def test_no_translator_loses_or_doubles_a_tag(tmp_path, language, change):
    for layout in ("sentence", "attribute", "between", "rows"):
        source = tmp_path / f"{layout}.html"
        source.write_text(page(language, layout))
        after = translated(source, by(change)).read_text()
        assert sorted(tags(language, after)) == sorted(tags(language, source.read_text()))


@pytest.mark.parametrize("name", ["a.html", "a.txt"])
def test_directives_and_the_code_in_shortcodes_stay(tmp_path, name):
    source = tmp_path / name
    source.write_text(
        "@extends('layouts.app')\n@if (count($a) > 1)\n<p>WORDS</p>\n@endif\n\n{{< highlight go >}}\nwords\n\nwords\n"
        "{{< /highlight >}}\n\n@for (item of items; track item.id) {\n<p>WORDS</p>\n} @empty {\n<p>WORDS</p>\n}\n"
    )
    after = translated(source, by(lambda text: text.replace("WORDS", "MORE"))).read_text()
    assert after == source.read_text().replace("WORDS", "MORE")


@pytest.mark.parametrize("language", LANGUAGES)
def test_lines_of_a_text_are_wrapped_around_tags(tmp_path, language):
    source = tmp_path / "letter.txt"
    text = WRAPPED
    for name, tag in LANGUAGES[language]._asdict().items():
        text = text.replace(f"{{{name}}}", tag)
    source.write_text(text)
    after = translated(source, by(lambda text: re.sub(r"\b[a-z]+\b(?![^<]*>)", r"\g<0>\g<0>", text))).read_text()
    assert tags(language, after) == tags(language, text)
    assert "wordswords" in after


def test_a_value_is_part_of_its_sentence_and_a_block_is_not(tmp_path):
    sent: list[str] = []
    source = tmp_path / "page.html"
    source.write_text(
        "<p>Dear {{ name }}, {% if paid %}thank you{% else %}please pay{% endif %} for {% now 'Y' %}.</p>"
    )
    translated(source, by(lambda text: sent.append(text) or text))
    assert sent == ["Dear <x1/>,", "thank you", "please pay", "for <x1/>."]


def test_the_language_of_a_page_that_a_template_sets_stays(tmp_path):
    source = tmp_path / "page.html"
    source.write_text('<html lang="{{ lang }}" dir="{{ dir }}"><p>Words</p></html>')
    after = translated(source, target_lang="AR").read_text()
    assert after == '<html lang="{{ lang }}" dir="{{ dir }}"><p>WORDS</p></html>'


def test_ids_stay_so_that_links_to_them_work(tmp_path):
    source = tmp_path / "page.html"
    source.write_text('<h2 id="first-steps">First steps</h2><a name="x"></a><a href="#first-steps">Go there</a>')
    after = translated(source).read_text()
    assert after == '<h2 id="first-steps">FIRST STEPS</h2><a name="x"></a><a href="#first-steps">GO THERE</a>'


def test_client_and_service_know_the_same_tags():
    assert client.TAG.pattern == service._TAG.pattern
    assert client.VALUE.pattern == service._VALUE.pattern


@pytest.mark.timeout(20)
@pytest.mark.parametrize("start", ["{% comment ", "{% comment %}", "{{< highlight ", "{{% mermaid ", "@if(", "${"])
def test_tags_that_are_opened_again_and_again_take_no_longer_than_their_length(start):
    text = start * (200_000 // len(start))
    assert client.TAG.search(text) is None or start == "{% comment %}"
