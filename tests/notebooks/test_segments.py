"""Edits in place: those that change the structure are left out, and the others are made."""

from __future__ import annotations

import pytest

from svc_nb.notebooks.segments import Refused, Segment, Tag, parts_of, replaced, returned, safe_edits


def segments(source: str) -> list[Segment]:
    return [Segment(at, at + 1, letter, "letter", 1, put=str) for at, letter in enumerate(source) if letter.isalpha()]


def test_bad_edits_are_left_out_and_few_checks_are_made():
    source = "a" * 100
    edits = [(segment, "!" if number in (3, 70) else "b") for number, segment in enumerate(segments(source))]
    checked = []

    def holds(text: str) -> bool:
        checked.append(text)
        return "!" not in text

    done = safe_edits(source, {}, edits, holds)
    assert replaced(source, done) == "bbba" + "b" * 66 + "a" + "b" * 29
    assert len(checked) < 40


def test_what_is_between_segments_stays():
    source = "a, b; c."
    assert replaced(source, {segment: segment.text * 2 for segment in segments(source)}) == "aa, bb; cc."
    assert replaced(source, {}) == source


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("one two", "lost"),
        ("<b1>one</b1> <x2/><x2/>", "doubled"),
        ("<b1>one <x2/></b1> two", "moved"),
        ("</b1>one<b1> <x2/> two", "moved"),
    ],
)
def test_tags_that_did_not_come_back_are_reported(answer, reason):
    sent = parts_of("<b1>one</b1> <x2/> two")
    with pytest.raises(Refused, match=reason):
        returned(answer, sent)


def test_a_lone_tag_may_come_back_as_a_pair():
    assert returned("two <x1></x1>", parts_of("<x1/> two")) == ["two ", Tag(1, "lone")]
