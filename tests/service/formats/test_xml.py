"""XML of any kind, and DITA: texts change, markup stays byte by byte."""

# ruff: noqa: E501 (documents have long lines)

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from svc_nb.service.formats import Unreadable
from tests.service.formats.renderings import echo, rendered, texts_of, upper

BOOK = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE book PUBLIC "-//x" "http://127.0.0.1:9/y.dtd" [<!ENTITY company "ACME ]> a <b>c</b>"> <!-- the <b>house</b> -->]>
<book xml:lang="de" xmlns:its='http://its'>
  <title a = 'The house'>The house &amp; the dog</title>
  <para>This is a <emph>red</emph> house of &company; &#169;
     with a <link to="a">door</link>.</para>
  <para>Words <list><item>One</item><item>Two <b>red</b></item></list> and more</para>
  <data its:translate="no">Do not touch</data><string translatable="false">Nor this</string><code>if x</code>
  <s xml:space="preserve">One
  Two</s>
  <c><![CDATA[The <b>red</b> house & {name}]]></c>
  <?pi hello?><empty/><n>12</n><e>A &lt;i class="x"&gt;new&lt;/i&gt; one</e>
</book>
"""

TOPIC = """<?xml version="1.0"?>
<!DOCTYPE concept PUBLIC "-//OASIS//DTD DITA Concept//EN" "concept.dtd">
<concept id="a" xml:lang="de">
 <title>The house</title>
 <conbody>
  <p>Open the <uicontrol>door</uicontrol> with <codeph>open --now</codeph>.<fn>A <b>red</b> note.</fn> Go<indexterm>go<indexterm>home</indexterm></indexterm> home.</p>
  <p conref="b.dita#b/c">Old text</p><p conkeyref="k/x">Old</p><p><xref href="x"/> is <image href="a.png"><alt>A dog</alt></image></p>
  <codeblock>for x in y:
    print x</codeblock>
  <p translate="no">Hands off</p>
  <ul><li>One</li><li><p>Two</p></li></ul><note type="tip">Eat <special>more</special> fruit</note>
 </conbody>
</concept>
"""


@pytest.mark.parametrize(("extension", "text"), [("xml", BOOK), ("dita", TOPIC)])
def test_an_echo_changes_no_byte(extension, text):
    assert rendered(extension, text, echo) == text.encode()
    assert rendered(extension, text.replace("\n", "\r\n"), echo) == text.replace("\n", "\r\n").encode()


def test_texts_of_xml_are_sent_with_their_inline_tags():
    assert texts_of("xml", BOOK) == [
        "The house &amp; the dog",
        "This is a <g1>red</g1> house of <x2/> © with a <g3>door</g3>.",
        "Words",
        "One",
        "Two <g1>red</g1>",
        "and more",
        "One\n  Two",
        "The <g1>red</g1> house &amp;",
        "A <x1/>new<x2/> one",
    ]


def test_texts_of_dita_are_sent_with_notes_and_index_terms_apart():
    assert texts_of("dita", TOPIC) == [
        "The house",
        "Open the <g1>door</g1> with <x2/>.<x3/> Go<x4/> home.",
        "is",
        "One",
        "Two",
        "Eat <g1>more</g1> fruit",
        "A <g1>red</g1> note.",
        "home",
        "go",
        "A dog",
    ]


def test_only_words_change():
    after = rendered("xml", BOOK, upper).decode()
    assert after.startswith(BOOK[: BOOK.index("<book")])
    assert '<para>THIS IS A <emph>RED</emph> HOUSE OF &company; &#169; WITH A <link to="a">DOOR</link>.</para>' in after
    assert "<c><![CDATA[THE <b>RED</b> HOUSE & {name}]]></c>" in after
    assert """<e>A &lt;i class="x"&gt;NEW&lt;/i&gt; ONE</e>""" in after
    assert after.upper().split() == BOOK.upper().split()
    after = rendered("dita", TOPIC, upper).decode()
    assert "<fn>A <b>RED</b> NOTE.</fn> GO<indexterm>GO<indexterm>HOME</indexterm></indexterm> HOME.</p>" in after
    assert after.upper().split() == TOPIC.upper().split()


def test_what_a_translator_writes_is_never_markup():
    hostile = "]]> &amp; &lt;b&gt; </r><g1><![CDATA[ \x00 \x0c &#0; &unknown;"
    for text in ("<r>a > b</r>", "<r><![CDATA[a > b]]></r>", '<r t="a">a <i>b</i> c</r>'):
        after = etree.fromstring(rendered("xml", text, lambda texts, tagged: [hostile for _ in texts]))
        assert [each.tag for each in after.iter()] == ["r", "i"][: 1 + text.count("<i>")]


def test_the_root_names_the_new_language():
    assert rendered("xml", '<r xml:lang="en">a</r>', upper, "FR") == b'<r xml:lang="fr">A</r>'


_trees = st.recursive(
    st.text("ab &<>]'\"", max_size=6),
    lambda inside: st.tuples(st.sampled_from("pqr"), st.lists(inside, max_size=4)),
    max_leaves=15,
)


def _element(tree):
    if isinstance(tree, str):
        return tree
    root = etree.Element(tree[0])
    for child in map(_element, tree[1]):
        if not isinstance(child, str):
            root.append(child)
        elif len(root):
            root[-1].tail = (root[-1].tail or "") + child
        else:
            root.text = (root.text or "") + child
    return root


@given(st.tuples(st.just("root"), st.lists(_trees, max_size=5)))
def test_the_tree_of_any_document_survives(tree):
    root = _element(tree)
    after = etree.fromstring(rendered("xml", etree.tostring(root), upper))
    assert [each.tag for each in after.iter()] == [each.tag for each in root.iter()]
    assert "".join(after.itertext()).lower() == "".join(root.itertext())


@pytest.mark.parametrize("codec", ["utf-16", "iso-8859-1", "windows-1251", "shift_jis"])
def test_the_declared_encoding_is_kept_and_what_it_lacks_becomes_references(codec):
    text = f'<?xml version="1.0" encoding="{codec}"?><r>word</r>'
    after = rendered("xml", text.encode(codec), lambda texts, tagged: ["дом ə"])
    assert etree.fromstring(after).text == "дом ə"
    assert etree.fromstring(after).getroottree().docinfo.encoding.lower() in (codec, "utf-16le")


def test_a_file_that_is_not_in_its_declared_encoding_is_refused():
    with pytest.raises(Unreadable, match="not UTF-8, although it says so"):
        rendered("xml", b'<?xml version="1.0" encoding="utf-8"?><r>caf\xe9</r>', echo)
    with pytest.raises(Unreadable, match="not UTF-8"):
        rendered("xml", b"<r>caf\xe9</r>", echo)


def test_names_of_people_in_dita_stay():
    text = "<topic><title>The sea</title><prolog><author>Ann Smith</author></prolog></topic>"
    assert texts_of("dita", text) == ["The sea"]


def test_a_section_of_cdata_among_other_text_stays_one_and_is_translated():
    page = "<r><p>The house &amp; <![CDATA[a <b>red</b> door & {name}]]> of it<i/> all</p></r>"
    assert texts_of("xml", page) == ["The house &amp; <g1>a <g2>red</g2> door &amp; <x3/></g1> of it<x4/> all"]
    assert rendered("xml", page, upper).decode() == (
        "<r><p>THE HOUSE &amp; <![CDATA[A <b>RED</b> DOOR & {name}]]> OF IT<i/> ALL</p></r>"
    )
    moved = lambda texts, tagged: ["<g1>Q &amp; <g2>x</g2> &lt;y</g1> &lt; <x4/><x3/>"]  # noqa: E731
    assert rendered("xml", page, moved).decode() == "<r><p><![CDATA[Q & <b>x</b> <y]]> &lt; <i/>{name}</p></r>"


def test_several_sections_of_cdata_stay_apart():
    page = "<r><p><![CDATA[one & a]]> and <![CDATA[<i>two</i> & b]]></p></r>"
    assert rendered("xml", page, upper).decode() == "<r><p><![CDATA[ONE & A]]> AND <![CDATA[<i>TWO</i> & B]]></p></r>"
