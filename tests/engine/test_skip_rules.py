"""What is not worth sending: one class a text at most, each can be switched off, and words always travel."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.engine.skip_rules import BLANK, RULES, reason, reasons, same_language
from tests.growth import LINEAR, growth

CLASSES = {
    "blank": ["", " ", "\t\r\n", "\u00a0\u2003\u3000", "\u200b\u200d\ufeff", "\u200e\u2060 \u00ad", "\u3164"],
    "emoji": [
        *("👍", "👍👍 👍", "👍🏽", "❤️", "❤", "☺", "👨‍👩‍👧‍👦", "🏳️‍🌈", "🇩🇪🇫🇷", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "1️⃣", "#⃣"),
        *("ℹ️", "©️", "Ⓜ️", "㊗️", "🙂‍↔️", "🙂‍↔", "⭐⭐⭐⭐⭐", "\n🔥\u00a0🔥\n", "🫠", "🅰", "▶️", "⏱"),
    ],
    "no_letters": [
        *("42", "-3.5 %", "€ 1.299,00", "2026-10-01 12:30", "...", "¿?", "½", "²", "Ⅷ", "٣٤", "1/2"),
        *("★★★★☆", "©", "→", "+49 (30) 1234", "\x00", "_", "//", "1@2.3", "✓", "# 1", "\u0301", "1\ufe0f"),
    ],
    "url": [
        *(
            "https://example.com",
            "HTTP://EXAMPLE.COM/A?b=c#d",
            "ftp://a/b",
            "file:///tmp/x",
            "s3://bucket/key",
        ),
        *("www.example.com", "WWW.example.com/a", "http://a.de\nhttps://b.org/ ", "\ufeffhttps://a.de"),
        *("github.com/a/b", "Example.co.uk.com/", "bit.ly/3xYz", "https://de.wikipedia.org/wiki/Zürich"),
        *("http://http://", "https://user@host.org/a", "git+ssh://git@a.org/b"),
    ],
    "email": [
        *(
            "a@example.com",
            "A.B+c_d@mail.example.co.uk",
            "a@b.de, c@d.fr;e@f.it\ng@h.es",
            " a@b.de ",
            "a@b.de;",
        ),
        *("mailto:a@b.de", "jürgen@müller.de", "иван@почта.рф", "o'neil@b.ie"),
    ],
}
EVERY = [(name, text) for name, texts in CLASSES.items() for text in texts]

WORTH_SENDING = [
    *(
        "I",
        "ß",
        "ok",
        "Hello!",
        "¡Hola!",
        "5 stars",
        "«Да»",
        "สวัสดี",
        "مرحبا",
        "中文",
        "हिन्दी",
        "क्",
        "日",
        "한국어",
    ),
    *(
        "ไม่",
        "א",
        "ℹ",
        "ª",
        "x²",
        "👍 ok",
        "ok 👍",
        "4 €/kg",
        "N/A",
        "and/or",
        "Mr.Smith/Jones",
        "what",
        "www",
        "www.hi",
    ),
    *(
        "See https://a.de",
        "https://a.de is ours",
        "https://a.de请看这里",
        "看https://a.de",
        "https://a.deから",
        "https://a.de에서",
    ),
    *(
        "a@b",
        "@user",
        "联系我a@b.com",
        "a@b.com请",
        "Mail: a@b.de",
        "Max <a@b.de>",
        "a@b.de or c@d.de",
        "a@@b.de",
        "a@b..de",
    ),
    *("http://", "://a", "example.com", "1.com", "a.de/b", "e.g./i.e.", "\u200bx\u200b", "x\u3164"),
]

FRAGMENTS = [
    *(
        "a",
        "w",
        "W",
        "ß",
        "ℹ",
        "中",
        "ก",
        "क",
        "1",
        "#",
        "½",
        "👍",
        "🇩",
        "🇪",
        "❤",
        "©",
        "\ufe0f",
        "\u20e3",
        "\u200d",
        "\u0301",
    ),
    *(
        " ",
        "\n",
        "\u200b",
        "\u3164",
        ",",
        ";",
        ".",
        "@",
        "/",
        ":",
        "://",
        "www.",
        "http://",
        "mailto:",
        "a@b.de",
        ".com/",
        "!",
    ),
]
any_text = st.one_of(st.text(max_size=20), st.lists(st.sampled_from(FRAGMENTS), max_size=8).map("".join))
blanks = st.text(st.sampled_from(" \n\t\u00a0\u200b\ufeff\u3000"), max_size=3)


@pytest.mark.parametrize(("name", "text"), EVERY)
def test_a_text_falls_in_its_class(name, text):
    assert reason(text, RULES) == name
    assert reasons([text], RULES) == [name]


@pytest.mark.parametrize("text", WORTH_SENDING)
def test_what_has_words_is_worth_sending(text):
    assert reason(text, RULES) is None
    assert reasons([text], RULES) == [None]


@pytest.mark.parametrize(("name", "text"), EVERY)
def test_a_rule_that_is_off_sends_its_class_and_no_other_rule_takes_it(name, text):
    assert reason(text, RULES - {name}) is None
    assert reason(text, {name}) == name


@given(st.lists(any_text), st.sets(st.sampled_from(sorted(RULES))))
def test_many_texts_are_judged_like_each_of_them(texts, rules):
    assert reasons(texts, rules) == [reason(text, rules) for text in texts]


@given(any_text)
def test_without_a_letter_nothing_is_sent(text):
    if not any(character.isalpha() for character in text):
        assert reason(text, RULES) in {"blank", "emoji", "no_letters"}


@given(any_text)
def test_only_what_has_no_letter_is_said_to_have_none(text):
    if reason(text, RULES) == "no_letters":
        assert not any(character.isalpha() for character in text)


@given(st.text(st.characters(categories=["Ll", "Lu", "Lo", "Lm"]), min_size=1), st.text(max_size=9))
def test_a_word_and_a_space_make_a_text_worth_sending(word, rest):
    if not re.fullmatch(f"[{BLANK}]*", word):
        assert reason(f"{word} {word} {rest}", RULES) is None


@given(blanks, st.sampled_from(EVERY), blanks)
def test_blanks_around_a_text_do_not_change_its_class(before, known, after):
    name, text = known
    assert reason(before + text + after, RULES) == name


def test_texts_that_begin_with_a_word_cost_a_fraction_of_the_others():
    texts = ["The quick brown fox jumps over the lazy dog again and again"] * 5_000
    one_by_one = [lambda: reasons(texts, RULES), lambda: [reason(text, RULES) for text in texts]]
    assert growth(lambda judge: judge(), *one_by_one) > 2


@pytest.mark.long
@pytest.mark.parametrize(
    "hostile",
    [
        *("a@", "a@b.", "a@b.de,", "a@b.de ", "a.", "a", "@", "mailto:", "-", "1", "1.", ","),
        *(
            "http://http://",
            "http://",
            "http://a ",
            "http://a.b/c?d=e&",
            "www.",
            "www.a.b ",
            "a+",
            "a.com/",
            "a.com/ ",
        ),
        *("👍", "👍 ", "1️⃣", "🇩", "👍\u200d", "©", " ", "\u200d", "\u3164", "中", "\u0301"),
    ],
)
@pytest.mark.parametrize("last", ["", "é !", "\x00"])
def test_hostile_texts_cost_no_more_than_their_length(hostile, last):
    small, large = (hostile * (size // len(hostile)) + last for size in (20_000, 80_000))
    assert growth(lambda text: reasons([text], RULES), small, large) < LINEAR


@pytest.mark.parametrize(
    ("source", "target"),
    [
        *(
            ("EN", "en"),
            ("EN", "EN-US"),
            ("en_gb", "EN"),
            ("PT", "PT-BR"),
            ("pt-BR", "PT_br"),
            ("ES", "ES-419"),
        ),
        *(
            ("ZH", "ZH-HANS"),
            ("zh-cn", "ZH"),
            ("ZH-CN", "ZH-HANS"),
            ("ZH-TW", "ZH-HANT"),
            ("zh_Hant_TW", "ZH-HANT"),
        ),
        *(("sr-Latn", "SR_LATN"), ("sr-Latn-RS", "SR_LATN")),
    ],
)
def test_a_language_is_the_same_as_itself_with_a_region(source, target):
    assert same_language(source, target)
    assert same_language(target, source)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        *(("EN", "DE"), ("EN-GB", "EN-US"), ("PT-PT", "PT-BR"), ("ES-ES", "ES-419"), ("", ""), ("", "EN")),
        *(
            ("ZH", "ZH-HANT"),
            ("ZH-HANS", "ZH-HANT"),
            ("ZH", "ZH-TW"),
            ("ZH-CN", "ZH-HANT"),
            ("SR", "SR-LATN"),
        ),
        *(("SR-CYRL", "SR-LATN"), ("ES", "EST"), ("FI", "FIL")),
    ],
)
def test_two_regions_or_two_scripts_are_two_languages(source, target):
    assert not same_language(source, target)
    assert not same_language(target, source)
