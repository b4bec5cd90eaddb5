"""HTML: the words change, the page stays."""

# ruff: noqa: E501 (documents have long lines)

import re

import pytest

from svc_nb.service.formats import Unreadable
from tests.service.formats.renderings import Listening, echo, rendered, texts_of, upper

PAGE = """<!DOCTYPE html>
<html lang="de"><head><meta charset="utf-8"><title>My page &amp; more</title>
<meta name="description" content='About "dogs" &amp; cats'><meta name=viewport content="width=device-width">
<style>p { color: red }</style><script>var a = "Hello <b>world</b>";</script></head>
<BODY class=x><!-- a comment <p>hello</p> -->
<p>This is a <b>red</b> house, with
   a <a href="x?a=1&b=2" title="See">green&nbsp;door</a>.<br>Second<img src=a.png alt="A cat"/> &copy; caf&eacute; {{ name }}.
<p translate="no">Do not touch<p>The <code>for x in y</code> loop &mdash; ok?
<ul><li>One<li>Two</ul>
<pre>  keep   me </pre> <span class="a notranslate">Keep</span> 5 > 4
<input type=submit value="Send" placeholder="Name"><input value="data"><b><i>mixed</b></i> up
</BODY></html>
"""


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16"])
def test_an_echo_changes_no_byte(codec):
    assert rendered("html", PAGE.encode(codec), echo) == PAGE.encode(codec)


def test_what_is_sent_is_words_with_tags_block_by_block():
    assert texts_of("htm", PAGE) == [
        "My page &amp; more",
        "This is a <g1>red</g1> house, with a <g2>green\xa0door</g2>.\n<x3/>Second<x4/> © café <x5/>.",
        "The <x1/> loop — ok?",
        "One",
        "Two",
        "5 &gt; 4 <x1/><g2><x3/>mixed</g2><x4/> up",
        'About "dogs" &amp; cats',
        "See",
        "A cat",
        "Send",
        "Name",
    ]


def test_the_words_change_and_nothing_else():
    after = rendered("html", PAGE, upper).decode()
    assert "<title>MY PAGE &amp; MORE</title>" in after
    assert """content='ABOUT "DOGS" &amp; CATS'>""" in after
    assert '<p>THIS IS A <b>RED</b> HOUSE, WITH A <a href="x?a=1&b=2" title="SEE">GREEN&nbsp;DOOR</a>.<br>' in after
    assert '<img src=a.png alt="A CAT"/> &copy; CAFÉ {{ name }}.' in after
    assert '<p translate="no">Do not touch<p>THE <code>for x in y</code> LOOP &mdash; OK?' in after
    assert '<pre>  keep   me </pre> <span class="a notranslate">Keep</span> 5 > 4' in after
    assert 'value="SEND" placeholder="NAME"><input value="data"><b><i>MIXED</b></i> UP' in after
    assert after.upper().split() == PAGE.upper().replace("CAF&EACUTE;", "CAFÉ").split()


def test_all_is_asked_in_one_call():
    listening = Listening()
    rendered("html", PAGE, listening)
    assert len(listening.calls) == 1


def test_a_page_says_its_new_language_and_direction():
    assert rendered("html", '<html lang="en"><p>a', upper, "PT-BR") == b'<html lang="pt-BR"><p>A'
    assert rendered("html", '<html lang="en"><p>a', upper, "AR") == b'<html lang="ar" dir="rtl"><p>A'
    assert rendered("html", "<html dir='rtl' lang=he><p>a", upper, "EN-US") == b'<html dir="ltr" lang="en-US"><p>A'


def test_what_a_translator_writes_is_never_markup():
    def hostile(texts, *, tagged):
        return ["&lt;script&gt;alert(1)&lt;/script&gt; \" ' </p><script> <g9>x</g9>" for _ in texts]

    after = rendered("html", """<p>Hello</p><img alt='one' title="two">""", hostile).decode()
    assert "<script" not in after
    assert after.count("'") + after.count("&#39;") == after.count('"') + after.count("&quot;")
    assert re.fullmatch(r"""<p>[^<>]*</p><img alt='[^<>']*' title="[^<>"]*">""", after)


@pytest.mark.parametrize(
    "answer",
    ["no tags", "<g1>one", "</g1> two <x2/><x2/>", "<x2/><g1><g1>x</g1></g1>", "<g1>a<x2/></g1></g1>", ""],
)
def test_tags_that_a_translator_loses_or_doubles_come_back_once(answer):
    after = rendered("html", "<p>a <b>c</b> d <img src=x> e</p>", lambda texts, tagged: [answer]).decode()
    assert (after.count("<b>"), after.count("</b>"), after.count("<img src=x>")) == (1, 1, 1)
    assert after.index("<b>") < after.index("</b>")
    for word in re.sub(r"<[^<>]*>", " ", answer).split():
        assert word in after


def test_a_charset_of_the_page_is_kept_and_what_it_lacks_becomes_references():
    page = '<meta charset="iso-8859-1"><p>caf\xe9 house</p>'
    words = lambda texts, tagged: [each.replace("house", "дом ü") for each in texts]  # noqa: E731
    after = rendered("html", page.encode("latin-1"), words)
    assert after == page.replace("house", "&#1076;&#1086;&#1084; ü").encode("latin-1")


def test_line_ends_of_a_textarea_stay():
    assert texts_of("html", "<textarea>one\ntwo</textarea><p>one\ntwo</p>") == ["one\ntwo", "one two"]


def test_ten_thousand_nested_tags_are_refused():
    with pytest.raises(Unreadable, match="nested more than 500 deep"):
        rendered("html", "<div>" * 10_000 + "x" + "</div>" * 10_000, echo)


def test_a_figure_that_touches_a_word_goes_with_it():
    page = '<p>An image<sup><a href="#1">1</a></sup> of H<sub>2</sub>O and <b>5</b> dogs</p>'
    assert texts_of("html", page) == ["An <g1>image</g1> of <x2/> and <g3>5</g3> dogs"]
    moved = lambda texts, tagged: ["de <x2/> y <g3>5</g3> perros <g1>una imagen</g1> roja"]  # noqa: E731
    assert rendered("html", page, moved).decode() == (
        '<p>de H<sub>2</sub>O y <b>5</b> perros una imagen<sup><a href="#1">1</a></sup> roja</p>'
    )


def test_an_index_behind_an_element_goes_with_it():
    page = "<p>A <b>green door</b><sup>TM</sup> on the 1<sup>st</sup> floor</p>"
    assert texts_of("html", page) == ["A <g1><g2>green door</g2></g1> on the <x3/> floor"]
    assert rendered("html", page, upper).decode() == (
        "<p>A <b>GREEN DOOR</b><sup>TM</sup> ON THE 1<sup>st</sup> FLOOR</p>"
    )


def test_elements_that_touch_are_no_one_word():
    assert texts_of("html", "<p>Go to <b>Start</b><b>Programs</b></p>") == [
        "Go to <g1>Start</g1>\n<x2/><g3>Programs</g3>"
    ]
    assert texts_of("html", "<p><b>un</b><i>known</i> word</p>") == ["<g1>un</g1><g2>known</g2> word"]


def test_how_a_word_is_read_aloud_stays():
    assert texts_of("html", "<p>An <ruby>old<rp>(</rp><rt>new</rt><rp>)</rp></ruby> word</p>") == [
        "An <g1>old<x2/></g1> word"
    ]
