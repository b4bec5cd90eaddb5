"""Two people at one list: nobody's change is lost, and what collides is told."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from svc_nb.style_rules.merge import Merge, aligned
from svc_nb.style_rules.style import Content, Instruction

RULES = st.dictionaries(st.sampled_from([("c", "a"), ("c", "b"), ("d", "a")]), st.sampled_from("xyz"), max_size=3)
ITEMS = st.dictionaries(st.integers(1, 4), st.sampled_from("pqr"), max_size=4)
CONTENTS = st.builds(
    lambda name, rules, items: Content(
        name, rules, tuple(Instruction(number, text, text) for number, text in items.items())
    ),
    st.sampled_from(["A", "B"]),
    RULES,
    ITEMS,
)


def says(content: Content) -> tuple:
    instructions = {each.number: each.says("en") for each in content.instructions}
    return content.name, dict(content.rules), instructions


@given(CONTENTS, CONTENTS)
def test_where_only_one_has_changed_anything_that_counts(base, other):
    assert says(Merge(base, other, base, language="en").content) == says(other)
    assert says(Merge(base, base, other, language="en").content) == says(other)
    assert Merge(base, other, base, language="en").clashes == []
    assert Merge(base, base, other, language="en").clashes == []


@given(CONTENTS, CONTENTS, CONTENTS)
def test_every_change_is_in_the_merge_or_in_a_clash(base, mine, theirs):
    merge = Merge(base, mine, theirs, language="en")
    collide = {clash.place for clash in merge.clashes}
    for whose, side in (("mine", mine), ("theirs", theirs)):
        merge.choices |= dict.fromkeys(collide, whose)
        assert merge.is_settled
        for rule in {*base.rules, *mine.rules, *theirs.rules}:
            was, own, other, found = (each.rules.get(rule) for each in (base, mine, theirs, merge.content))
            if ("rule", *rule) in collide:
                assert found == side.rules.get(rule)
            else:
                assert found == (own if own != was else other)


@given(CONTENTS, CONTENTS, CONTENTS)
def test_clashes_do_not_depend_on_who_was_first(base, mine, theirs):
    one, two = Merge(base, mine, theirs, language="en"), Merge(base, theirs, mine, language="en")
    assert {clash.place for clash in one.clashes} == {clash.place for clash in two.clashes}


def test_what_the_service_gave_ids_to_is_what_was_written_here():
    mine = Content("A", {}, (Instruction(1, "a", "p", None, "i1"), Instruction(7, "b", "q")))
    there = Content("A", {}, (Instruction(1, "b", "q", "en", "i9"), Instruction(2, "z", "z", "en", "i8")))
    found = aligned(there, mine, language="en", next_number=8)
    assert [(each.number, each.id) for each in found.instructions] == [(7, "i9"), (8, "i8")]


def test_a_clash_is_open_until_it_is_chosen_whose_counts():
    merge = Merge(Content("A", {}, ()), Content("B", {}, ()), Content("C", {}, ()), language="en")
    assert merge.clashes == [(("name",), "A", "B", "C")]
    assert (merge.is_settled, merge.content.name) == (False, "B")
    merge.choices[("name",)] = "theirs"
    assert (merge.is_settled, merge.content.name) == (True, "C")
