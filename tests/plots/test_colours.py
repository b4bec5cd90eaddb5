"""A colour belongs to a key: by what the key is, and not by what else is shown."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from svc_nb.plots.axes import LIGHT
from svc_nb.plots.colours import PLAIN, SLOTS, KeyColours, number_of

KEYS = st.lists(st.text(), max_size=40, unique=True)


@given(KEYS)
def test_keys_that_are_shown_together_differ_as_long_as_there_are_colours(keys):
    colours = KeyColours()
    colours.add(keys)
    found = [colours.slots[key] for key in keys]
    assert len({*found}) == min(len(keys), SLOTS)
    assert all(slot < PLAIN for slot in found[:PLAIN])  # dotted ones come when the plain ones are taken


@given(KEYS, KEYS)
def test_a_key_keeps_its_colour_whatever_comes_later(first, later):
    colours = KeyColours()
    colours.add(first)
    before = dict(colours.slots)
    colours.add([*later, *first])
    assert before.items() <= colours.slots.items()


def test_the_number_of_a_key_is_the_same_in_every_kernel():
    assert [number_of(key) % 1000 for key in ("Web shop", "", "日本語", "\ud800")] == [546, 652, 371, 372]


def test_after_the_last_colour_they_come_again_dotted():
    look = LIGHT
    names = [str(number) for number in range(SLOTS)]
    faces = look.faces(names)
    assert [face["facecolor"] for face in faces] == [*look.colours, *look.colours]
    assert ["hatch" in face for face in faces] == [False] * PLAIN + [True] * PLAIN
    assert look.faces(["a", "3 others"], others=True)[-1] == {"facecolor": look.rest}
