"""Notes, tabs, alerts, directives and wiki links: titles and bodies are translated, what a program reads stays."""

# ruff: noqa: E501 (documents have long lines)

from __future__ import annotations

import pytest

from svc_nb.notebooks.documents import Markdown
from tests.notebooks.translators import answered, longer, louder

SOURCES = {
    "admonition": """\
!!! note "SOME TITLE"
    SOME WORDS HERE
    AND HERE.

    - AN ITEM

    !!! tip inline end
        NESTED WORDS

        ```python
        code = "words"
        ```

WORDS BEHIND IT

- AN ITEM

    !!! warning ""
        WORDS IN A LIST
""",
    "folded": '??? warning "A *FOLDED* TITLE"\n\n    SOME WORDS\n\n???+ example\n    MORE WORDS\n\n??? "ONLY A TITLE"\n    WORDS\n',
    "tabs": '=== "FIRST TAB"\n\n    SOME WORDS\n\n    ```sh\n    ls words\n    ```\n\n===+ "SECOND TAB"\n    MORE WORDS\n',
    "alert": "> [!NOTE]\n> SOME WORDS\n> MORE WORDS\n\n> [!WARNING]\n> - AN ITEM\n",
    "callout": "> [!tip]- A TITLE HERE\n> SOME WORDS\n> MORE WORDS\n\n> [!question] ONLY A TITLE\n",
    "alert with space": "> [!NOTE] \n> SOME WORDS\n\n> [!TIP]-\t\n> WORDS  \n> MORE\n\n- > [!tip]+ \n  > WORDS\n\n> [!a] TITLE \n> WORDS\n",
    "wiki": "SEE [[Some Page]], [[some page#part|THE LABEL]], ![[picture words.png]] AND [[1]](/u).\n",
    "wiki in a table": "| A | B |\n|---|---|\n| [[a page\\|THE LABEL]] | WORDS |\n",
    "fences": "````{note} A TITLE\n:class: some words\n\nWORDS\n\n```{tip}\n:name: some-name\nINNER WORDS\n```\n````\n",
    "colons": (
        ":::::{tab-set}\n::::{tab-item} A TAB\n:sync: some words\nWORDS\n:::{tip} INNER TITLE\n:class: dropdown\n\n"
        "MORE WORDS\n:::\n::::\n:::::\n"
    ),
    "reference": ":::{note}\nSEE [THE PAGE][label] AND ![A PICTURE][label]\n:::\n\n!!! note\n    SEE [IT][label]\n\n[label]: /u\n",
    "marks": "SOME ==MARKED WORDS== AND {++ONE *MORE*++} {--ONE LESS--} {==TWO==}{>>WORDS<<} a==b",
    "blocks": "/// details | THE TITLE\n    type: warning\n    open: true\n\nSOME WORDS\n///\n\n/// note\nWORDS\n///\n\n/// html | div.result\nWORDS\n///\n",
    "markdown in html": '<div class="a" markdown="1">\nSEE [WORDS](a.md), `code words`\nAND **WORDS**{ .cls }\n</div>\n\nWORDS\n',
    "block id": "SOME WORDS ^block-id\n\n- MORE ^x\n",
    "card": ":::{card} THE TITLE\nHEAD\n^^^\nSOME WORDS\n+++\nFOOT\n:::\n",
    "tab": "```{tab} A TITLE\nSOME WORDS\n```\n\n```{toc}\n:context: children\n```\n\n:::{prf:theorem} THE NAME\n:label: thm\nWORDS\n:::\n",
    "table": "```{table} THE CAPTION\n:align: center\n\n| WORDS | MORE |\n|---|---|\n| SOME | WORDS |\n```\n",
    "escapes": '!!! note "A \\"QUOTED\\" TITLE"\n    WORDS\n',
}


@pytest.mark.parametrize("name", SOURCES)
def test_titles_and_bodies_are_translated_and_the_rest_stays(name):
    source = SOURCES[name]
    words = {word for word in source.split() if word.isupper() and len(word) > 1 and word.isalpha()} - {"[!NOTE]"}
    small = source
    for word in sorted(words, key=len, reverse=True):
        small = small.replace(word, word.lower())
    edited = answered(Markdown(small), louder)
    for word in words:
        assert edited.text.count(word) == source.count(word), word
    assert edited.text.lower() == source.lower()
    assert not edited.left


@pytest.mark.parametrize("name", SOURCES)
def test_what_a_program_reads_stays(name):
    edited = answered(Markdown(SOURCES[name]), longer)
    assert not edited.left
    for kept in ('code = "words"', ":class: some words", ":sync: some words", "[[Some Page]]", "[[some page#part|"):
        assert edited.text.count(kept) == SOURCES[name].count(kept)
    before, after = SOURCES[name].splitlines(), edited.text.splitlines()
    assert len(before) == len(after)
    assert [len(line) - len(line.lstrip()) for line in before] == [len(line) - len(line.lstrip()) for line in after]


def test_a_title_and_its_text_are_two_texts():
    assert Markdown("> [!tip] A title\n> Some words\n").texts() == ["A title", "Some words"]
    assert Markdown('!!! tip "A title"\n    Some words\n').texts() == ["A title", "Some words"]


def test_a_reference_in_two_pairs_of_brackets_is_no_wiki_link():
    edited = answered(Markdown("See [[here]] now\n\n[here]: /u\n"), louder)
    assert edited.text == "SEE [[HERE][here]] NOW\n\n[here]: /u\n"
