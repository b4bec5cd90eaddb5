"""What people write in Markdown, and what becomes of it: the words in capitals, all else as it was."""
# ruff: noqa: E501

from __future__ import annotations

import textwrap

import pytest

from svc_nb.notebooks.documents import Html, Markdown
from svc_nb.notebooks.markup.markdown import same_structure
from svc_nb.notebooks.segments import xml
from tests.notebooks.translators import answered, louder

CONSTRUCTS = {
    "emphasis": ("some *slanted* and **fat _both_** words", "SOME *SLANTED* AND **FAT _BOTH_** WORDS"),
    "links": ('see [the *guide*](/u "A title") now', 'SEE [THE *GUIDE*](/u "A TITLE") NOW'),
    "a link whose words are code stays whole": ("see [`f`](/u) now", "SEE [`f`](/u) NOW"),
    "a reference keeps its label": ("see [Guide], [Guide][]\n\n[guide]: /u", None),
    "pictures": ("![A map](m.png 'Here')", "![A MAP](m.png 'HERE')"),
    "a picture in a link": ("[![build](b.svg)](/ci) ok", "[![BUILD](b.svg)](/ci) OK"),
    "code": ("run `make *all*` and ``a`b`` now", "RUN `make *all*` AND ``a`b`` NOW"),
    "code over two lines": ("- say `no module\n  named\n   'x'` so", "- SAY `no module named  'x'`\n  SO"),
    "formulas": ("where $a_b*c*$ and \\\\(x\\\\) hold", "WHERE $a_b*c*$ AND \\\\(x\\\\) HOLD"),
    "money is no formula": ("from $5 to $6 each", "FROM $5 TO $6 EACH"),
    "addresses": ("at <https://a.b> or https://a.b/c_d or me@a.org", "AT <https://a.b> OR https://a.b/c_d OR me@a.org"),
    "HTML in a line": ("H<sub>2</sub>O, <kbd>Ctrl</kbd> and <b>so on</b>", "H<sub>2</sub>O, <kbd>Ctrl</kbd> AND <b>SO ON</b>"),
    "what is not to be translated": ("<i translate='no'>Acme</i> sells", "<i translate='no'>Acme</i> SELLS"),
    "names and templates": ("call f() in my_file.py with {{ x }} :smile:", "CALL f() IN my_file.py WITH {{ x }} :smile:"),
    "footnotes": ("a word[^n]\n\n[^n]: and *more*", "A WORD[^n]\n\n[^n]: AND *MORE*"),
    "roles": ("see {ref}`here <x>` now", "SEE {ref}`here <x>` NOW"),
    "tasks": ("- [ ] to do\n- [x] done", "- [ ] TO DO\n- [x] DONE"),
    "notes of GitHub": ("> [!NOTE]\n> A word", "> [!NOTE]\n> A WORD"),
    "hard breaks": ("one  \ntwo\\\nthree", "ONE  \nTWO\\\nTHREE"),
    "quotes in lists": ("1. > one\n   > two\n2. three", "1. > ONE\n   > TWO\n2. THREE"),
    "headings": ("A title\n===\n\n## Part 2 ##\n\n### C#", "A TITLE\n===\n\n## PART 2 ##\n\n### C#"),
    "tables": ("| a | b\\|c |\n|--:|---|\n| `x\\|y` d |", "| A | B\\|C |\n|--:|---|\n| `x\\|y` D |"),
    "a table in a list": ("- | a | b |\n  |---|---|\n  | c | d |", "- | A | B |\n  |---|---|\n  | C | D |"),
    "definitions": ("term\n: what it *is*", "TERM\n: WHAT IT *IS*"),
    "fences": ("```python\nx = 1  # one\n```\n\n    indented", "```python\nx = 1  # one\n```\n\n    indented"),
    "directives": ("```{note} A b\n:class: tip\nsome *words*\n```", "```{note} A B\n:class: tip\nSOME *WORDS*\n```"),
    "titles of directives": (":::{admonition} A *fine* day\nwords\n:::", ":::{admonition} A *FINE* DAY\nWORDS\n:::"),
    "colon fences": (":::{tip}\nwords\n:::", ":::{tip}\nWORDS\n:::"),
    "other directives stay": ("```{code-cell} ipython3\n# words\n```", "```{code-cell} ipython3\n# words\n```"),
    "MyST's blocks": ("(label)=\n# A title\n\n+++\n\n% a comment\n", "(label)=\n# A TITLE\n\n+++\n\n% a comment\n"),
    "formulas in blocks": ("$$\nx\n$$ (eq)\n\n\\begin{align}\na\n\\end{align}", "$$\nx\n$$ (eq)\n\n\\begin{align}\na\n\\end{align}"),
    "front matter": ("---\ntitle: A b\n---\nwords", "---\ntitle: A b\n---\nWORDS"),
    "HTML blocks": (
        "<p align='x'>\n  <img src=a alt='A map'> one <b>two</b><br>\n  three &amp; four\n</p>",
        "<p align='x'>\n  <img src=a alt='A MAP'> ONE <b>TWO</b><br>\n  THREE &amp; FOUR\n</p>",
    ),
    "details": ("<details><summary>More</summary>\n\nwords\n\n</details>", "<details><summary>MORE</summary>\n\nWORDS\n\n</details>"),
    "scripts and comments": ("<script>\nvar a = 'one';\n</script>\n\n<!-- two -->", "<script>\nvar a = 'one';\n</script>\n\n<!-- two -->"),
    "a footnote in its line": ("so^[a *short* note] it is", "SO^[A *SHORT* NOTE] IT IS"),
    "titles of references": ('[Guide]\n\n[guide]: /u "A \\"title\\""', '[GUIDE][Guide]\n\n[guide]: /u "A \\"TITLE\\""'),
    "titles of references on a line of their own": ("> [g]: /u\n>   (A title)", "> [g]: /u\n>   (A TITLE)"),
    "a picture whose words are its label": ("![map], ![map][]\n\n[map]: m.png", "![MAP][map], ![MAP][map]\n\n[map]: m.png"),
    "texts in a paragraph with shown breaks": ("one  \n   ![two](a 'b')  \nthree", "ONE  \n   ![TWO](a 'B')  \nTHREE"),
    "texts over lines": ("> ![a\n> map](m 'So\n> here') x", "> ![A MAP](m 'SO HERE')\n> X"),
    "a title in a cell with a bar": ("| a\\|b ![c](d 'e') |\n|--|", "| A\\|B ![C](d 'E') |\n|--|"),
    "formulas of other kinds": ("so \\(a*b*c\\), \\[ x_1 \\] and \\begin{a}b\\end{a} are", "SO \\(a*b*c\\), \\[ x_1 \\] AND \\begin{a}b\\end{a} ARE"),
    "brackets that are no formula": ("\\[no link\\] and \\(so on\\)", "\\[NO LINK\\] AND \\(SO ON\\)"),
    "addresses with brackets": ("at https://a.b/c_(d), (https://a.b/c) so", "AT https://a.b/c_(d), (https://a.b/c) SO"),
    "names of signs": ("&nbsp;&nbsp; a&nbsp;b &copy; c", "&nbsp;&nbsp; A&nbsp;B &copy; C"),
    "names of signs in HTML": ("<p>a&nbsp;b &copy; &mdash; c</p>", "<p>A&nbsp;B &copy; &mdash; C</p>"),
    "options that people read": ("```{figure} a.png\n:alt: A map\n:name: a b\n\nwords\n```", "```{figure} a.png\n:alt: A MAP\n:name: a b\n\nWORDS\n```"),
    "tables of lists": ("```{list-table} A b\n* - c\n  - d\n```", "```{list-table} A B\n* - C\n  - D\n```"),
    "containers of others": (":::tip A title\nwords\n:::\n\n::: {.callout-note}\n## A b\n:::", ":::tip A TITLE\nWORDS\n:::\n\n::: {.callout-note}\n## A B\n:::"),
    "containers with code stay": (":::python\na b\n:::\n\n:::{math}\na b\n:::", ":::python\na b\n:::\n\n:::{math}\na b\n:::"),
    "tags over lines": ("<p>\n  one <img src=a\n       id=b> two\n</p>", "<p>\n  ONE <img src=a\n       id=b> TWO\n</p>"),
    "attributes over lines": ("so <img src=a alt='One\n two'>", "SO <img src=a alt='ONE TWO'>"),
    "escapes": ("2 \\* 3 \\_x\\_ and \\# here", "2 \\* 3 \\_X\\_ AND \\# HERE"),
    "entities": ("a &lt; b &amp;copy; c", "A &lt; B &amp;COPY; C"),
}  # fmt: skip


@pytest.mark.parametrize("name", CONSTRUCTS)
def test_the_words_change_and_all_else_stays(name):
    source, expected = CONSTRUCTS[name]
    edited = answered(Markdown(source), louder)
    assert same_structure(source, edited.text)
    assert not edited.left
    assert edited.text == (expected or "SEE [GUIDE][Guide], [GUIDE][Guide]\n\n[guide]: /u")


def test_a_sentence_travels_as_one_text_with_numbered_tags():
    source = "Use **the [new *way*](/u)** of `f()` & see <https://a.b>."
    assert Markdown(source).texts() == ["Use <b1>the <b2>new <b3>way</b3></b2></b1> of <x4/> &amp; see <x5/>."]


def test_tags_may_come_in_another_order_within_the_same_tags():
    source = "The *house* of `x` is **big**."
    (text,) = Markdown(source).texts()
    assert text == "The <b1>house</b1> of <x2/> is <b3>big</b3>."
    edited = Markdown(source).edited({text: "<b3>Groß</b3> ist <x2/>s <b1>Haus</b1>."})
    assert edited.text == "**Groß** ist `x`s *Haus*."


def test_what_would_be_read_as_syntax_is_escaped():
    (text,) = Markdown("word").texts()
    for answer in [
        "# one",
        "- one",
        "1. one",
        "> one",
        "*one*",
        "`one`",
        "[a](b)",
        "<b>",
        "$x$",
        "~~~",
        "| a",
        "---",
    ]:
        edited = Markdown("word").edited({text: xml([answer])})
        assert same_structure("word", edited.text), answer
        assert not edited.left, answer


@pytest.mark.parametrize("answer", ["1. title", "- title", "> title", "# title", "| title"])
def test_an_underlined_heading_stays_one(answer):
    edited = Markdown("title\n===").edited({"title": xml([answer])})
    assert same_structure("title\n===", edited.text)
    assert not edited.left


@pytest.mark.parametrize("source", ["![word](a)", "a^[word]", "![word]\n\n[word]: /u"])
@pytest.mark.parametrize("answer", ["one]", "one [two", "[one] two", "](b)", "one\\"])
def test_brackets_in_brackets_do_not_end_them(source, answer):
    edited = Markdown(source).edited({"word": xml([answer]), "a<x1/>": "a<x1/>"})
    assert same_structure(source, edited.text)
    assert not edited.left
    assert edited.text != source


def test_a_paragraph_keeps_its_number_of_lines():
    source = "> some words that stand\n> on three lines\n> in a quotation\n"
    (text,) = Markdown(source).texts()
    edited = Markdown(source).edited({text: "diese und noch viel mehr Wörter stehen hier in einem Zitat"})
    assert edited.text == ("> diese und noch viel mehr\n> Wörter stehen hier\n> in einem Zitat\n")


def test_what_cannot_be_saved_stays_and_is_reported():
    source = "one\n\ntwo *three*\n"
    texts = Markdown(source).texts()
    edited = Markdown(source).edited({texts[0]: "eins", texts[1]: "zwei drei", "two": "<b1>zwei", "three": ""})
    assert edited.text == "eins\n\ntwo *three*\n"
    (left,) = edited.left
    assert (left.kind, left.line, left.reason) == ("paragraph", 3, "the translator lost a tag")


def test_front_matter_is_translated_on_request():
    source = '---\ntitle: Some words\nlayout: page\ndescription: "It\'s so"\n---\n'
    edited = answered(Markdown(source, ["title", "description"]), louder)
    assert edited.text == '---\ntitle: SOME WORDS\nlayout: page\ndescription: "IT\'S SO"\n---\n'


def test_front_matter_keeps_its_comments_and_quotation_marks():
    source = '---\ntitle: Some words  # to do\nsubtitle: "A \\"b\\"" # c\nabstract: word: so\n---\n'
    edited = answered(Markdown(source, ["title", "subtitle", "abstract"]), louder)
    assert edited.text == ('---\ntitle: SOME WORDS  # to do\nsubtitle: "A \\"B\\"" # c\nabstract: \'WORD: SO\'\n---\n')


def test_an_apostrophe_ends_no_value_of_the_front_matter():
    source = "---\ntitle: 'It''s so'\nabstract: it's a word: so\nsubtitle: it's so\n---\n"
    edited = answered(Markdown(source, ["title", "abstract", "subtitle"]), louder)
    assert edited.text == "---\ntitle: 'IT''S SO'\nabstract: 'IT''S A WORD: SO'\nsubtitle: IT'S SO\n---\n"
    assert not edited.left


def test_comments_in_fences_are_translated_on_request():
    source = "Two\n\n```python\nx = 1  # one word\n```\n\n- ```{code-cell}\n  # in a list\n  ```\n\n```sh\nls  # all files\n```\n"
    source += "\n```{code-cell} ipython3\n:tags: [x]\n\n# another word\n```\n"
    edited = answered(Markdown(source, code=frozenset({"comments"})), louder)
    expected = source.replace("Two", "TWO").replace("one word", "ONE WORD")
    assert edited.text.replace("ANOTHER WORD", "another word") == expected
    assert not edited.left


def test_html_pages_keep_their_tags():
    source = textwrap.dedent("""\
        <!DOCTYPE html>
        <html><head><title>A page</title><style>p { color: red }</style></head>
        <body onload="go()">
          <h1 title="Say it">Hello <em>you</em></h1>
          <pre>as it is</pre>
          <p>One &lt; two&nbsp;&amp; <a href="/u?a=1&b=2">three</a>
             on two lines</p>
          <div translate="no"><p>Acme</p></div><input placeholder="Your name" value="x">
        </body></html>
    """)
    edited = answered(Html(source), louder)
    assert edited.text == textwrap.dedent("""\
        <!DOCTYPE html>
        <html><head><title>A PAGE</title><style>p { color: red }</style></head>
        <body onload="go()">
          <h1 title="SAY IT">HELLO <em>YOU</em></h1>
          <pre>as it is</pre>
          <p>ONE &lt; TWO&nbsp;&amp; <a href="/u?a=1&b=2">THREE</a>
             ON TWO LINES</p>
          <div translate="no"><p>Acme</p></div><input placeholder="YOUR NAME" value="x">
        </body></html>
    """)


@pytest.mark.parametrize(
    "source",
    [
        '+++\ntitle = "the words"\n\n[a]\nb = "the words"\n+++\n\nWORDS',
        '{\n  "title": "the words"\n}\n\nWORDS',
        "WORDS\n+++\nWORDS",
        "## WORDS { #words .cls }\n\n[WORDS](#words)",
        "WORDS [WORDS](a.md){ .md-button target=_blank } WORDS ![WORDS](a.png){ align=left width=300 }",
        '[WORDS](a.md){style="color: magenta"} WORDS',
        "![WORDS](a.png){ loading=lazy } WORDS [](){ #the-words } WORDS { WORDS }",
        "WORDS\n{ .lead-words }\n\n- WORDS\n{: .item-words title='the words' }\n",
    ],
)
def test_front_matter_of_all_kinds_and_lists_of_attributes_stay(source):
    edited = answered(Markdown(source.replace("WORDS", "words")), louder)
    assert edited.text == source
    assert not edited.left


def test_values_of_front_matter_that_is_not_yaml_are_reported():
    (left,) = answered(Markdown('+++\ndraft = true\ntitle = "Words"\n+++\n', ["title"]), louder).left
    assert (left.kind, left.line) == ("front matter", 3)
    assert "only front matter in YAML" in left.reason


def test_signs_in_a_product_are_no_emphasis_that_moves():
    assert Markdown("so 2*3*4 = 24 and **5** words").texts() == ["so 2<x1/>4 = 24 and <b2>5</b2> words"]
