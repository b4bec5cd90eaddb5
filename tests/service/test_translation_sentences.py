"""Sentence borders: nothing is lost, and abbreviations, numbers and quotations do not end a sentence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.service.translation.sentences import LONGEST, borders, split
from tests.growth import LINEAR, growth

LANGUAGES = ["ar", "de", "el", "en", "fr", "he", "ja", "ko", "ru", "th", "tr", "zh-hans"]
PIECES = [
    *(
        "a",
        "Dr",
        "Word",
        "è",
        "да",
        "。",
        "！",
        "「",
        "」",
        ".",
        "...",
        "…",
        "?",
        "؟",
        ";",
        "!",
        '"',
        "”",
        "(",
        ")",
    ),
    *(
        " ",
        "\u00a0",
        "\n",
        "\r\n",
        "3",
        "3.5",
        "مرحبا",
        "ไทย",
        "👩‍🚀",
        "\ue000",
        "e\u0301",
        "http://a.b/c",
        "“",
    ),
]
texts = st.text() | st.lists(st.sampled_from(PIECES), max_size=60).map("".join)
modes = st.sampled_from(["0", "1", "nonewlines"])


@given(texts, modes, st.sampled_from(LANGUAGES))
def test_the_sentences_joined_are_the_text(text, mode, language):
    parts = split(text, mode, language)
    assert "".join(parts) == text
    assert all(parts)


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=8).map("".join), st.integers(2000, 4000), modes)
def test_no_sentence_is_longer_than_a_translator_can_take(unit, length, mode):
    text = (unit * length)[:length]
    assert max(map(len, split(text, mode))) <= LONGEST
    assert "".join(split(text, mode)) == text


@given(texts, modes)
def test_borders_rise_and_end_with_the_text(text, mode):
    ends = borders(text, mode)
    assert ends == sorted(set(ends))
    assert ends[-1:] == ([len(text)] if text else [])


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Mr. Brown met Prof. White at 5 p.m. on Jan. 5.|Then they left!|Why?"),
        ("en", "See Fig. 3 and Sec. 4, approx. 5 m, e.g. here.|It is 3.14.|OK?!|Sure..."),
        (
            "en",
            '"Really?" she asked.|Yes... really.|Visit https://a.example/b?c=d. Thanks.'.replace(". T", ".|T"),
        ),
        ("en", "J. R. R. Tolkien wrote it.|So do I.|He left the U.S. Army."),
        ("en", "1. First things first.|2. Then others."),
        ("en", "(He left.)|She stayed."),
        (
            "de",
            "Das ist z. B. gut.|Am 3. Oktober 2020 kam Dr. Müller, d. h. er.|Er sagte: „Nein.“|Dann ging er.",
        ),
        ("de", "Die 3. Auflage kostet ca. 5,50 Euro usw.|Es war 2020.|Nr. 5 lebt."),
        ("fr", "M. Dupont est là.|« Bonjour ! » dit-il.|Ça va ?|Mme. Durand, p. ex., non."),
        ("es", "¿Qué?|¡No!|El Sr. López y Dña. Ana, en EE. UU., no."),
        ("it", "Il Sig. Rossi, l'Avv. Blu e pag. 5.|Ecco."),
        ("pt", "O Sr. Silva e a Dra. Ana.|Pág. 5, p. ex. esta."),
        ("nl", "Dhr. Jansen, d.w.z. mevr. Bakker.|Ja."),
        ("pl", "ul. Długa 5, godz. 7, prof. Nowak, tj. on.|Tak."),
        ("ru", "Он жил в г. Москве, т. е. там.|А. С. Пушкин писал.|Да!"),
        ("uk", "вул. Хрещатик, проф. Іваненко.|Так."),
        ("cs", "Dne 5. května 2020 byl Ing. Kos v č. 5 doma.|Ano."),
        ("hu", "2020. május 5. volt.|Dr. Kovács, pl. ez.|Igen."),
        ("tr", "5. sınıf, Prof. Kaya vb. gibi.|Evet."),
        ("el", "Τι κάνεις;|Καλά, π.χ. αυτό.|Εσύ;"),
        ("ar", "كيف حالك؟ |أنا بخير! |د. محمد هنا. |شكرا."),
        ("he", "שלום.|מה נשמע?|טוב!"),
        ("ko", "안녕하세요.|반갑습니다.|좋아요!"),
        ("zh", "你好。|我是学生！|真的吗？！|“是的。”他说。|3.5公斤。"),
        ("ja", "こんにちは。|元気ですか？|「そうです。」と言った。|はい！"),
        ("th", "สวัสดีครับ วันนี้อากาศดีมาก เราไปเที่ยวกันไหม"),
    ],
)
def test_sentences_end_where_a_reader_would_end_them(language, text):
    wanted = [part.strip() for part in text.split("|")]
    joined = "".join(wanted) if language in ("zh", "ja") else " ".join(wanted)
    assert [part.strip() for part in split(joined, "1", language)] == wanted


def test_a_newline_ends_a_sentence_unless_told_otherwise():
    text = "A heading\n\n  the body goes\non. Yes\r\n"
    assert split(text, "1") == ["A heading\n\n  ", "the body goes\n", "on. ", "Yes\r\n"]
    assert split(text, "nonewlines") == ["A heading\n\n  the body goes\non. ", "Yes\r\n"]
    assert split(text, "0") == [text]


def test_a_long_sentence_is_cut_at_its_weaker_borders_first():
    clause = "and so it went on and on for ever"
    parts = split(", ".join([clause] * 100), "0")
    assert all(part.endswith(", ") for part in parts[:-1])
    assert all(len(part) > LONGEST // 2 for part in parts[:-1])


def test_a_cut_never_parts_a_letter_from_its_accent():
    assert not any(part.startswith("\u0301") for part in split("e\u0301" * 3000))


@pytest.mark.long
@pytest.mark.parametrize(
    "unit",
    [
        "This is a sentence, number one. Is it? ",
        "a",
        ".",
        ". ",
        '("',
        "\n",
        " ",
        "「a。",
        ".) ",
        '. " ',
        "。」",
        "Dr. A",
        ")",
    ],
)
def test_the_cost_grows_no_faster_than_the_text(unit):
    text = (unit * 100_000)[:100_000]
    assert "".join(split(text)) == text
    assert growth(split, text[:25_000], text) < LINEAR
