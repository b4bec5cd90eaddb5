"""Runs and numbered tags: whatever a translator does, no text is lost and every lone element comes back once."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from svc_nb.service.formats.tagged_text import Lone, Node, Run, Span, Style, TaggedText, base, joined

PLAIN, BOLD, ITALIC = Style("plain"), Style("bold"), Style("italic")


def line_of(*pieces):
    return TaggedText(joined(pieces, base(pieces)))


def shown(nodes):
    """Nodes as a text: {bold:…} for a span, [x] for a lone element."""
    parts = []
    for node in nodes:
        if isinstance(node, str):
            parts.append(node)
        elif isinstance(node, Lone):
            parts.append(f"[{node.thing}]")
        else:
            name = node.thing.key if isinstance(node.thing, Style) else node.thing
            parts.append(f"{{{name}:{shown(node.inside)}}}")
    return "".join(parts)


def test_runs_of_equal_formatting_are_one_and_the_usual_formatting_needs_no_tags():
    line = line_of(Run("Das i", PLAIN), Run("st ", PLAIN), Run("fe", BOLD), Run("tt", BOLD), Run(" & gut <ja>.", PLAIN))
    assert line.text == "Das ist <g1>fett</g1> &amp; gut &lt;ja&gt;."


def test_white_space_at_the_ends_of_a_span_stays_outside():
    line = line_of(Run("See ", PLAIN), Run(" the red ", BOLD), Run("house there", PLAIN))
    assert line.text == "See  <g1>the red</g1> house there"


def test_a_single_space_between_two_bold_words_belongs_to_them_and_a_form_line_keeps_its_formatting():
    line = line_of(Run("So a long text. ", PLAIN), Run("one", BOLD), Run(" ", PLAIN), Run("two", BOLD))
    assert line.text == "So a long text. <g1>one two</g1>"
    line = line_of(Run("Name: ", PLAIN), Run("        ", BOLD))
    assert line.text == "Name: <g1>        </g1>"


def test_lone_elements_at_the_ends_are_not_sent_and_stay_there():
    line = line_of(Lone("start"), Run("Hello", PLAIN), Lone("tab"), Run(" you", PLAIN), Lone("note"), Lone("end"))
    assert line.text == "Hello<x1/> you"
    assert shown(line.read("<x1/>Du, hallo")) == "[start][tab]Du, hallo[note][end]"


def test_an_element_that_breaks_the_line_ends_a_sentence_and_leaves_no_newline_behind():
    line = line_of(Run("One", PLAIN), Lone("br", breaks=True), Run("two", PLAIN))
    assert line.text == "One\n<x1/>two"
    assert shown(line.read("Eins\n<x1/>zwei")) == "Eins[br]zwei"


def test_formatting_goes_with_its_tags():
    line = line_of(Run("The ", PLAIN), Run("red", BOLD), Run(" house", PLAIN))
    assert shown(line.read("La casa <g1>roja</g1>")) == "La casa {bold:roja}"


def test_lost_doubled_crossed_and_unclosed_tags_cost_no_text():
    line = line_of(Run("a long text ", PLAIN), Run("b", BOLD), Run("c", ITALIC), Run(" and more", PLAIN))
    assert line.text == "a long text <g1>b</g1><g2>c</g2> and more"
    assert shown(line.read("A B C")) == "A B C"
    assert shown(line.read("<g1>A</g1> <g1>B</g1>")) == "{bold:A} {bold:B}"
    assert shown(line.read("<g1>A <g2>B</g1> C</g2> D")) == "{bold:A {italic:B}}{italic: C} D"
    assert shown(line.read("A <g1>B C")) == "A B C"
    assert shown(line.read("A</g2> <g7>B</g7> <x9/>C <g1/>")) == "A B C "


def test_a_lone_element_that_was_lost_follows_the_one_before_it_and_a_doubled_one_comes_once():
    line = line_of(Run("a", PLAIN), Lone(1), Run("b", PLAIN), Lone(2), Run("c", PLAIN), Lone(3), Run("d", PLAIN))
    assert shown(line.read("A<x1/>B<x3/>C<x3/>")) == "A[1][2]B[3]C"
    assert shown(line.read("A")) == "A[1][2][3]"


def test_an_element_comes_back_once_even_when_its_words_are_gone():
    line = TaggedText(["See ", Span("link", ["this page"], once=True), " now"])
    assert shown(line.read("<g1>A</g1> <g1>B</g1>")) == "{link:A} B"
    assert shown(line.read("Now")) == "Now{link:}"


def test_a_start_stays_before_its_end():
    line = line_of(Run("a", PLAIN), Lone("start", chain=1), Run("b", PLAIN), Lone("end", chain=1), Run("c", PLAIN))
    assert shown(line.read("A<x2/>B<x1/>C")) == "A[start]B[end]C"


def test_what_xml_cannot_hold_does_not_come_through():
    assert (
        shown(TaggedText(["a"]).read("A&#0;&#x1;\x02&#x1F600;&amp;lt; &eacute; &#9999999;"))
        == "A😀&lt; &eacute; &#9999999;"
    )


def test_only_what_has_a_letter_has_words():
    assert TaggedText(["12.5 €"]).worded is False
    assert TaggedText(["x"]).worded is True


texts = st.text(st.sampled_from("ab &<>;\n1é"), min_size=1, max_size=5)
nodes = st.recursive(
    st.one_of(texts, st.builds(Lone, st.integers(0, 9), st.booleans(), st.sampled_from([None, 1]))),
    lambda inner: st.builds(Span, st.integers(0, 9), st.lists(inner, max_size=3), st.booleans()),
    max_leaves=8,
)
pairs = st.builds("<{}g{}>".format, st.sampled_from(["", "/"]), st.integers(1, 5))
noise = st.lists(st.one_of(texts, pairs, st.builds("<x{}/>".format, st.integers(1, 5))), max_size=12)


def flat(found: list[Node]):
    for node in found:
        yield node
        if isinstance(node, Span):
            yield from flat(node.inside)


def text_of(found: list[Node]) -> str:
    return "".join(node for node in flat(found) if isinstance(node, str))


@given(st.lists(nodes, max_size=6))
def test_an_echo_changes_nothing(source):
    line = TaggedText(source)
    back = line.read(line.text)
    assert text_of(back).replace("\n", "") == text_of(source).replace("\n", "")
    assert [node for node in flat(back) if isinstance(node, Lone)] == [
        node for node in flat(source) if isinstance(node, Lone)
    ]


@given(st.lists(nodes, max_size=6), noise)
def test_no_noise_loses_a_text_or_an_element(source, answer):
    back = TaggedText(source).read("".join(answer))
    words = "".join(part for part in answer if not re.fullmatch(r"<(/?g\d|x\d/)>", part))
    assert re.sub(r"[^abé]", "", words) == re.sub(r"[^abé]", "", text_of(TaggedText([]).read("".join(answer))))
    found = list(flat(back))
    for wanted in flat(source):
        if isinstance(wanted, Lone):
            assert found.count(wanted) == 1
        elif isinstance(wanted, Span) and wanted.once:
            assert sum(isinstance(node, Span) and node.thing is wanted.thing for node in found) >= 1
    inside = text_of(back)
    assert re.sub(r"[^abé]", "", words) in re.sub(r"[^abé]", "", inside)
