"""Templates in HTML and Markdown: no translator changes a tag of theirs, and the words around them change."""

from __future__ import annotations

import random

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.columns.protected_spans import placeholders
from svc_nb.notebooks.documents import Html, Markdown
from svc_nb.notebooks.markup import templates
from tests.notebooks.translators import answered, longer, louder, nasty
from tests.template_pages import EVERY, LANGUAGES, page, tags

MARKDOWN = """\
{comment}
# Words for {value}

{open}
Some words for {value}, {open}some{close} more
on the next line.
{close}
Some words behind it.

- Some words
  {open}
  and **bold words of {value}**
  {close}

<div {open}class="a"{close}>
Some words in HTML for {value}
</div>
"""


def markdown(language: str) -> str:
    text = MARKDOWN
    for name, tag in LANGUAGES[language]._asdict().items():
        text = text.replace(f"{{{name}}}", tag)
    return text


@pytest.mark.parametrize(("language", "layout"), EVERY)
def test_the_tags_of_a_template_stay_and_the_words_of_the_page_change(language, layout):
    source = page(language, layout)
    edited = answered(Html(source), louder)
    assert tags(language, edited.text) == tags(language, source)
    assert edited.text.upper() == source.upper()
    assert "words" not in edited.text
    assert not edited.left


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_tags_of_a_template_stay_and_the_words_of_markdown_change(language):
    source = markdown(language)
    edited = answered(Markdown(source), louder)
    assert tags(language, edited.text) == tags(language, source)
    assert edited.text.upper() == source.upper()
    assert "words" not in edited.text
    assert not edited.left
    assert tags(language, answered(Markdown(source), longer).text) == tags(language, source)


@given(st.sampled_from(EVERY), st.randoms(use_true_random=False))
def test_no_translator_breaks_a_template(which, dice):
    language, _ = which
    source = page(*which)
    assert sorted(tags(language, answered(Html(source), nasty(dice)).text)) == sorted(tags(language, source))
    source = markdown(language)
    assert sorted(tags(language, answered(Markdown(source), nasty(dice)).text)) == sorted(tags(language, source))


def test_blocks_keep_their_order_whatever_a_translator_does():
    source = "Dear {% if a %}friend{% else %}{{ name }}{% endif %} of ours"
    for seed in range(50):
        after = answered(Markdown(source), nasty(random.Random(seed))).text
        assert after.index("{% if a %}") < after.index("{% else %}") < after.index("{% endif %}")


def test_code_that_a_template_shows_stays():
    source = "Words\n\n{% highlight python %}\nx = 1\n\nsome words\n{% endhighlight %}\n\nWords\n"
    assert answered(Markdown(source), louder).text == source.replace("Words", "WORDS")


@pytest.mark.parametrize("name", ["highlight", "mermaid", "katex"])
@pytest.mark.parametrize("signs", ["{{<>}}", "{{%%}}", "{%%}"])
def test_code_that_a_shortcode_shows_stays(name, signs):
    opened, closed = signs[: len(signs) // 2], signs[len(signs) // 2 :]
    end = f"{opened} end{name} {closed}" if opened == "{%" else f"{opened} /{name} {closed}"
    source = f"Words\n\n{opened} {name} go {closed}\nx = 1\n\nsome words\n{end}\n\nWords\n"
    assert answered(Markdown(source), louder).text == source.replace("Words", "WORDS")
    page = source.replace("Words", "<p>Words</p>")
    assert answered(Html(page), louder).text == page.replace("Words", "WORDS")


@pytest.mark.parametrize("kind", [Html, Markdown])
@pytest.mark.parametrize(
    "source",
    [
        "@extends('layouts.app')\n\n@section('a (b', ['c' => f(g(1))])\n<p>WORDS</p>\n@endsection\n",
        "@if (count($a) > 1)\n<p>WORDS @lang('some.words') MORE</p>\n@elseif($b)\n@csrf\n@else\n<b>WORDS</b>\n@endif\n",
        "@php\n$words = 1;\n@endphp\n<p>WORDS TO me@if.example (MORE)</p>\n",
        "<div>\n@if (a > b) { <p>WORDS</p> } @else if (c) { <p>MORE</p> } @else { <p>WORDS</p> }\n</div>\n",
        "<div>\n@for (item of items; track item.id) { <p>WORDS</p> } @empty { <p>MORE</p> }\n</div>\n",
    ],
)
def test_directives_of_blade_and_the_control_flow_of_angular_stay(kind, source):
    small = source
    for word in ("WORDS", "TO", "MORE"):
        small = small.replace(word, word.lower())
    assert answered(kind(small), louder).text == source


def test_thousands_of_braces_that_open_nothing_end_soon():
    for text in (
        "{{" * 9_000,
        "{% comment %}" * 2_000,
        "<%" * 9_000,
        "${{" * 9_000,
        "{#" * 9_000,
        "@if(" * 9_000,
        "{{< math >}}" * 2_000,
    ):
        assert answered(Html(text), louder).text == text


@pytest.mark.parametrize(
    "source",
    [
        "| WORDS {{ a | upper }} | B |\n|---|---|\n| {{ x | upper }} WORDS | `{{` |\n",
        "| B | {% if a | b %}WORDS{% endif %} |\n|:--|--:|\n| WORDS \\| WORDS | <%= x | y %> |\n",
        "| `{{ a | b }}` | WORDS |\n|---|---|---|\n",  # for Markdown these are three cells
        "[WORDS]({{ url }}) AND [WORDS]({% link a b.md %}) AND [WORDS](/a/{{ x }}/b?c={{ d | e }} 'WORDS')",
        '![WORDS]({{ a | b }}) [WORDS]({{< ref "a b" >}}) [WORDS](<a b>) [WORDS](<% a %>) [WORDS](<{{ a }} b>)',
        "[WORDS][{{ x }}] AND ![WORDS][{{ y }}] AND [*WORDS* MORE][{% z %}]",
        "[WORDS]({{ url }}#the-end) [WORDS](#{{ name }})\n\n## THE END",
        '[WORDS](a.md "THE {{ title | b }} WORDS") [WORDS][r]\n\n[r]: /x "THE {{ title }} \\"WORDS\\""',
        "[WORDS][r]\n\n[r]: {{ url | b }} 'WORDS'",
        "```{figure} a.png\n:alt: THE {{ name }} WORDS\n```",
    ],
)
def test_template_tags_in_tables_links_and_titles_stay(source):
    small = source
    for word in ("WORDS", "AND", "THE", "END", "MORE", "B"):
        small = small.replace(word, word.lower())
    edited = answered(Markdown(small), louder)
    assert edited.text == source
    assert not [left for left in edited.left if left.kind != "cell"]


@given(st.randoms(use_true_random=False))
def test_no_translator_breaks_a_template_tag_in_a_title(dice):
    source = '[words](a.md "some {{ a }} words {{ b }} here")\n\n| words {{ a | b }} more | c |\n|---|---|\n'
    after = answered(Markdown(source), nasty(dice)).text
    assert sorted(templates.tags(after)) == sorted(templates.tags(source))


def test_prose_about_templates_is_translated():
    source = "Put `{% comment %}` before words, and `{% endcomment %}` behind; `{{` and `}}` are for names.\n"
    edited = answered(Markdown(source), louder)
    assert edited.text.startswith("PUT `{% comment %}` BEFORE WORDS, AND `{% endcomment %}` BEHIND; `{{` AND `}}` ARE")
    page = "<p>Put <code>{{</code> before words and <code>}}</code> behind.</p>"
    assert answered(Html(page), louder).text == "<p>PUT <code>{{</code> BEFORE WORDS AND <code>}}</code> BEHIND.</p>"


@pytest.mark.usefixtures("connected", "unwarned")
@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "php"])  # its tags are XML's
def test_placeholders_of_a_column_are_whole_tags(language):
    tag = LANGUAGES[language]
    text = f"Dear {tag.value}, {tag.open}some words{tag.close} for you"
    (after,) = pd.Series([text]).svc.translate("DE", source_lang="EN", protect="placeholders", progress=False)
    assert tags(language, after) == tags(language, text)
    assert [text[slice(*span)] for span in placeholders(text)] == tags(language, text)
