"""Plain text: only the words change."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.service.formats import Unreadable
from tests.service.formats.renderings import Listening, echo, rendered, texts_of, upper

LETTER = "Dear all,\r\n\r\n  the café is open.\r\nGrüße\n\n\n- one\n- two\rthree"


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"])
def test_mark_encoding_and_line_ends_survive(codec):
    assert rendered("txt", LETTER.encode(codec), echo) == LETTER.encode(codec)
    assert rendered("txt", LETTER.encode(codec), upper) == LETTER.upper().replace("GRÜSSE", "GRÜSSE").encode(codec)


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
def test_an_echo_changes_nothing(text):
    assert rendered("txt", text, echo) == text.encode()


@pytest.mark.parametrize(
    ("codec", "text"),
    [
        ("cp1251", "Привет, мир. Это небольшой текст на русском языке."),
        ("cp1250", "Příliš žluťoučký kůň úpěl ďábelské ódy."),
        ("cp1252", "L'été à la plage, ça va très bien."),
        ("shift_jis", "これは日本語の文章です。東京に行きました。"),
        ("gbk", "这是一个中文句子。我们去了北京。"),
    ],
)
def test_older_encodings_are_recognised(codec, text):
    assert texts_of("txt", text.encode(codec)) == [text]
    assert rendered("txt", text.encode(codec), echo) == text.encode(codec)


def test_letters_that_the_encoding_lacks_make_it_utf8():
    after = rendered("txt", "The café".encode("cp1252"), lambda texts, tagged: ["Кафе" for _ in texts])
    assert after == codecs.BOM_UTF8 + "Кафе".encode()


@pytest.mark.parametrize(
    "kept",
    ["{name}", "{0:.2f}", "{{ user.name }}", "${x.y}", "%s", "%1$s", "%(count)d", "https://example.org/a?b=c",
     "me@example.org", "`x = 1`", "{n, number, percent}", "$HOME", "\x07", "%{name}", ":name", "$t(common.ok)", "<0>"],
)  # fmt: skip
def test_placeholders_addresses_and_code_are_not_sent(kept):
    text = f"There is {kept} in the text.\n"
    assert texts_of("txt", text) == ["There is <x1/> in the text."]
    assert rendered("txt", text, upper) == f"THERE IS {kept} IN THE TEXT.\n".encode()


def test_percent_signs_braces_and_prices_of_ordinary_texts_are_words():
    text = "100% sure, 50% a day, {as we said}, $5 & more"
    assert texts_of("txt", text) == [text.replace("&", "&amp;")]


def test_code_between_fences_stays():
    text = "Words here\n```\ncode here\n~~~\n```\nmore words\n"
    assert texts_of("txt", text) == ["Words here", "more words"]


def test_a_wrapped_paragraph_is_one_text_and_wrapped_again():
    text = (
        "  This is a long letter about the red house and the\r\n  green door, which is wrapped after about fifty or\r\n"
        "  more letters.\r\n\r\nEnd\r\n"
    )
    listening = Listening(lambda texts, tagged: [each.replace("letter", "communication") for each in texts])
    after = rendered("txt", text, listening).decode()
    assert len(listening.texts) == 2
    assert after.split() == text.replace("letter", "communication").split()
    lines = after.split("\r\n")
    assert all(len(line) <= 52 and line.startswith("  ") for line in lines[:3])
    assert lines[-3:] == ["", "End", ""]


def test_lists_and_verses_keep_their_lines():
    text = "Roses are red and the violets are blue today\nSugar is sweet\nand so are you\n"
    assert len(texts_of("txt", text)) == 3


def test_a_text_without_words_is_not_sent():
    listening = Listening()
    assert rendered("txt", "12 + 34 = 46\n\n --- \n", listening) == b"12 + 34 = 46\n\n --- \n"
    assert listening.calls == []


def test_nul_characters_are_no_text():
    with pytest.raises(Unreadable, match="NUL"):
        rendered("txt", b"abc\0def", echo)


def test_the_cases_of_a_plural_are_translated_and_its_syntax_is_not():
    text = "{n, plural, offset:1 =0 {no file} one {# file in {place}} other {{g, select, a {# files} other {all}}}}\n"
    told = "There is {n, plural, one {# file} other {# files}} in it.\n"
    assert rendered("txt", text, upper) == (
        b"{n, plural, offset:1 =0 {NO FILE} one {# FILE IN {place}} other {{g, select, a {# FILES} other {ALL}}}}\n"
    )
    assert rendered("txt", told, upper) == b"THERE IS {n, plural, one {# FILE} other {# FILES}} IN IT.\n"
    assert (
        rendered("txt", told, lambda texts, tagged: ["lost" for _ in texts]) == b"lost{n, plural, one {#} other {#}}\n"
    )


@pytest.mark.parametrize("broken", ["{n, plural, one {# file}", "{n, plural, one}", "{n, select, a {b} {c}}"])
def test_a_plural_that_cannot_be_read_stays(broken):
    assert rendered("txt", f"Text: {broken}", upper) == f"TEXT: {broken}".encode()


def test_code_in_a_manual_stays():
    code = "    $ pip install tool\n    $ tool --help\n\n        def f(x):\n            return x\n"
    prose = "\n    He met the old man.\n    They were happy.\n"
    assert rendered("txt", code + prose, upper) == (code + prose.upper()).encode()


def test_the_cells_of_a_row_are_told_apart():
    assert texts_of("txt", "Name\tThe price\nBread   two\n") == ["Name", "The price", "Bread", "two"]
    assert texts_of("txt", "| Name | The price |\n") == ["Name \n<x1/> The price"]


def test_an_item_of_a_list_is_one_text_with_its_lines_set_in():
    item = "* The harbour was built three hundred years ago and has never been\n  closed, they say.\n"
    assert len(texts_of("txt", item * 2)) == 2
    after = rendered(
        "txt",
        item,
        lambda texts, tagged: [f"{text} Nobody knows why that is so, and we do not ask." for text in texts],
    )
    assert [line[:2] for line in after.decode().splitlines()] == ["* ", "  ", "  "]
