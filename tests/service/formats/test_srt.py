"""Subtitles: numbers, times and lines stay, the words change."""

import re

import pytest
import srt

from svc_nb.service.formats import Unreadable
from tests.service.formats.renderings import echo, rendered, texts_of, upper

FILM = (
    "\ufeff1\r\n00:00:01,000 --> 00:00:03,500\r\n<i>This is a long line about the house\r\nand the door.</i>\r\n\r\n"
    "2\r\n00:00:04,000 --> 00:00:05,000 X1:40 X2:600\r\n- Where is it?\r\n- It is here.\r\n\r\n"
    "3\r\n00:00:06,000 --> 00:00:07,000\r\n1984\r\nwas good\r\n\r\n\r\n"
    "4\r\n00:00:08,000 --> 00:00:09,000\r\n\r\n"
    "7\r\n00:00:10,000  -->  00:00:11,000\r\n{\\an8}The end"
)


def test_an_echo_changes_no_byte():
    assert rendered("srt", FILM, echo) == FILM.encode()


def test_a_subtitle_is_one_text_but_a_dialogue_is_several():
    assert texts_of("srt", FILM) == [
        "This is a long line about the house and the door.",
        "- Where is it?",
        "- It is here.",
        "1984 was good",
        "The end",
    ]


def test_numbers_times_marks_and_the_number_of_lines_stay():
    after = rendered("srt", FILM, upper).decode()
    assert after.count("\r\n") == FILM.count("\r\n")
    assert after.upper().replace("\r\n", " ") == FILM.upper().replace("\r\n", " ")
    assert re.findall(r"[\d:,]+ +--> +[^\r]*", after) == re.findall(r"[\d:,]+ +--> +[^\r]*", FILM)
    assert "<i>THIS IS A LONG LINE ABOUT THE HOUSE\r\nAND THE DOOR.</i>" in after
    assert after.endswith("{\\an8}THE END")


def test_a_longer_translation_is_laid_out_in_as_many_lines():
    words = lambda texts, tagged: ["eine sehr viel längere Übersetzung des Satzes als vorher" for _ in texts]  # noqa: E731
    film = "1\n00:00:01,000 --> 00:00:02,000\nfirst line\nsecond line\n\n2\n00:00:03,000 --> 00:00:04,000\nx\n"
    first, second = srt.parse(rendered("srt", film, words).decode())
    assert first.content.split("\n") == ["eine sehr viel längere", "Übersetzung des Satzes als vorher"]
    assert second.start.total_seconds() == 3


def test_three_lines_share_the_words_as_they_did():
    film = "1\n00:00:01,000 --> 00:00:02,000\nthe first line\nthe other line\nthe third line\n"
    words = lambda texts, tagged: ["die erste Zeile und die zweite und die dritte"]  # noqa: E731
    after = rendered("srt", film, words).decode()
    assert after.endswith("\ndie erste Zeile\nund die zweite\nund die dritte\n")


def test_a_translation_without_spaces_is_laid_out_too():
    film = "1\n00:00:01,000 --> 00:00:02,000\nfirst line\nother line\n"
    after = rendered("srt", film, lambda texts, tagged: ["这是一个中文句子没有空格"]).decode()
    assert after.endswith("\n这是一个中文\n句子没有空格\n")


@pytest.mark.parametrize("text", ["", "Just a text\n", "1\n00:00 -> 00:01\nx\n"])
def test_a_file_without_times_holds_no_subtitles(text):
    with pytest.raises(Unreadable, match="no subtitles"):
        rendered("srt", text, echo)
