"""XLIFF: targets are filled, what is translated stays, codes survive."""

# ruff: noqa: E501 (documents have long lines)

import pytest
from lxml import etree

from svc_nb.service.formats import Unreadable
from tests.service.formats.renderings import echo, rendered, texts_of, upper

OLD = """<?xml version="1.0" encoding="UTF-8"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
 <file source-language="en" datatype="html" original="a.html">
  <header><note>The house</note></header>
  <body>
   <trans-unit id="1">
    <source>This is a <g id="1">red</g> house<x id="2"/> &amp; more</source>
   </trans-unit>
   <trans-unit id="2"><source>The <bpt id="1">&lt;b></bpt>green<ept id="1">&lt;/b></ept> door, <ph id="3">{0}</ph> here</source><target state="new"/></trans-unit>
   <trans-unit id="3"><source>Done</source><target state="translated">Fertig</target></trans-unit>
   <trans-unit id="4"><source>Done</source><target>Erledigt</target></trans-unit>
   <trans-unit id="5" translate="no"><source>Keep</source></trans-unit>
   <group translate="no"><trans-unit id="5b"><source>Keep</source></trans-unit></group>
   <trans-unit id="6"><source>One. Two.</source><seg-source><mrk mtype="seg" mid="1">One.</mrk> <mrk mtype="seg" mid="2">Two.</mrk></seg-source><alt-trans><target>y</target></alt-trans></trans-unit>
   <trans-unit id="7"><source>Copied</source><target>Copied</target><note>n</note></trans-unit>
   <trans-unit id="8"><source>A <mrk mtype="protected">Acme</mrk> house</source></trans-unit>
   <trans-unit id="9"><source/></trans-unit>
  </body>
 </file>
</xliff>
"""

NEW = """<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.{minor}" srcLang="en">
 <file id="f1">
  <unit id="1">
   <segment id="s1">
     <source>This is a <pc id="1">red</pc> house<ph id="2"/> and <sc id="3"/>a dog<ec startRef="3"/> too</source>
   </segment>
   <ignorable><source> </source></ignorable>
   <segment state="final"><source>Done</source><target>Fertig</target></segment>
   <segment state="initial"><source>House</source><target>x</target></segment>
  </unit>
  <unit id="2" translate="no"><segment><source>Keep</source></segment></unit>
 </file>
</xliff>
"""


def targets(data):
    root = etree.fromstring(data)
    space = {"x": root.nsmap[None]}
    return [etree.tostring(each, encoding="unicode", with_tail=False).replace(f' xmlns="{space["x"]}"', "")
            for each in root.iterfind(".//x:target", space)]  # fmt: skip


def test_targets_of_version_1_are_filled():
    after = rendered("xlf", OLD, upper, "de")
    assert targets(after) == [
        '<target state="translated">THIS IS A <g id="1">RED</g> HOUSE<x id="2"/> &amp; MORE</target>',
        '<target state="translated">THE <bpt id="1">&lt;b&gt;</bpt>GREEN<ept id="1">&lt;/b&gt;</ept> DOOR, '
        '<ph id="3">{0}</ph> HERE</target>',
        '<target state="translated">Fertig</target>',
        "<target>Erledigt</target>",
        '<target state="translated"><mrk mtype="seg" mid="1">ONE.</mrk> <mrk mtype="seg" mid="2">TWO.</mrk></target>',
        "<target>y</target>",
        '<target state="translated">COPIED</target>',
        '<target state="translated">A <mrk mtype="protected">Acme</mrk> HOUSE</target>',
    ]


def test_a_new_target_stands_below_its_source_and_the_rest_of_the_file_stays():
    after = rendered("xlf", OLD, upper, "de").decode()
    assert after.splitlines()[6:8] == [
        OLD.splitlines()[6],
        '    <target state="translated">THIS IS A <g id="1">RED</g> HOUSE<x id="2"/> &amp; MORE</target>',
    ]
    assert '<file source-language="en" datatype="html" original="a.html" target-language="de">' in after
    assert [line for line in OLD.splitlines() if "5" in line or "header" in line or 'id="9"' in line] == [
        line for line in after.splitlines() if "5" in line or "header" in line or 'id="9"' in line
    ]


@pytest.mark.parametrize("minor", [0, 1])
def test_targets_of_version_2_are_filled_and_segments_say_so(minor):
    after = rendered("xliff", NEW.replace("{minor}", str(minor)), upper, "pt-br")
    assert targets(after) == [
        '<target>THIS IS A <pc id="1">RED</pc> HOUSE<ph id="2"/> AND <sc id="3"/>A DOG<ec startRef="3"/> TOO</target>',
        "<target>Fertig</target>",
        "<target>HOUSE</target>",
    ]
    root = etree.fromstring(after)
    assert root.get("trgLang") == "pt-BR"
    states = [each.get("state") for each in root.iter("{*}segment")]
    assert states == ["translated", "final", "translated", None]


def test_codes_go_out_in_pairs_where_they_nest():
    assert texts_of("xliff", NEW.replace("{minor}", "0"))[0] == (
        "This is a <g1>red</g1> house<x2/> and <g3>a dog</g3> too"
    )
    crossing = '<xliff version="2.0"><unit><segment><source>a <sc id="1"/>b <pc id="2">c <ec startRef="1"/>d</pc> e</source></segment></unit></xliff>'
    assert texts_of("xliff", crossing) == ["a <x1/>b <g2>c <x3/>d</g2> e"]


def test_a_file_that_was_translated_is_left_as_it_is():
    once = rendered("xlf", OLD, upper, "de")
    assert rendered("xlf", once, upper, "de") == once


def test_prefixes_of_names_are_kept():
    text = '<x:xliff xmlns:x="u" version="1.2"><x:file><x:trans-unit><x:source>a</x:source></x:trans-unit></x:file></x:xliff>'
    assert b'<x:source>a</x:source><x:target state="translated">A</x:target>' in rendered("xlf", text, upper)


@pytest.mark.parametrize("text", ["<xliff/>", '<xliff version="3.0"/>', "<html/>"])
def test_other_xml_is_refused(text):
    with pytest.raises(Unreadable, match="not XLIFF"):
        rendered("xlf", text, echo)


def old(*units):
    return f'<xliff version="1.2" xmlns:mq="m"><file><body>{"".join(units)}</body></file></xliff>'


def new(source):
    return f'<xliff version="2.0"><file><unit id="1"><segment><source>{source}</source></segment></unit></file></xliff>'


SENTENCES = (
    '<trans-unit id="1"><source>One. Two.</source>'
    '<seg-source><mrk mtype="seg" mid="1">One.</mrk> <mrk mtype="seg" mid="2">Two.</mrk></seg-source>'
    '<target><mrk mtype="seg" mid="1">{}</mrk> <mrk mtype="seg" mid="2">{}</mrk></target></trans-unit>'
)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (("", ""), ("ONE.", "TWO.")),
        (("Eins.", ""), ("Eins.", "TWO.")),
        (("One.", "Two."), ("ONE.", "TWO.")),
        (("Eins.", "Zwei."), ("Eins.", "Zwei.")),
    ],
)
def test_sentences_without_a_translation_are_filled_and_the_others_stay(before, after):
    made = rendered("xlf", old(SENTENCES.format(*before)), upper).decode()
    assert made.replace(' state="translated"', "").replace(' target-language="de"', "") == old(SENTENCES.format(*after))


def test_units_that_a_tool_locked_or_someone_approved_stay():
    locked = '<trans-unit id="1" mq:locked="locked"><source>Keep</source></trans-unit>'
    approved = '<trans-unit id="2" approved="yes"><source>Acme</source><target>Acme</target></trans-unit>'
    assert texts_of("xlf", old(locked, approved)) == []


def test_what_is_between_two_marks_that_forbid_it_is_not_translated():
    kept = 'A <sm id="1" translate="no"/>fine <pc id="2">Acme</pc><em startRef="1"/> house'
    crossed = 'A <pc id="2">very <sm id="1" translate="no"/>fine</pc> Acme<em startRef="1"/> house'
    assert texts_of("xlf", new(kept)) == ["A <x1/> house"]
    assert texts_of("xlf", new(crossed)) == ["A <g1>very <x2/>fine</g1> Acme<x3/> house"]
    for text in (kept, crossed):
        etree.fromstring(rendered("xlf", new(text), lambda texts, tagged: ["<x3/><x2/><x1/>" for _ in texts]))


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("<![CDATA[The <b>red</b> door & more]]>", "<![CDATA[THE <b>RED</b> DOOR & MORE]]>"),
        ('A <g id="1">house</g>: <![CDATA[a & b]]> it', 'A <g id="1">HOUSE</g>: <![CDATA[A & B]]> IT'),
    ],
)
def test_sections_of_cdata_are_kept_and_translated(source, target):
    unit = "<trans-unit><source>{}</source>{}</trans-unit>"
    page = f'<xliff version="1.2"><file><body>{unit.format(source, "")}</body></file></xliff>'
    assert f'<target state="translated">{target}</target>' in rendered("xlf", page, upper).decode()
    done = page.replace("</source>", "</source><target><![CDATA[Schon da]]></target>")
    assert "<target><![CDATA[Schon da]]></target>" in rendered("xlf", done, upper).decode()
