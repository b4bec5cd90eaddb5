"""Texts with tags: markup comes out as it went in, well-formed stays well-formed, and hostile markup is harmless."""

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.service.translation.pipeline import Rendering, translate
from svc_nb.service.translation.tags import BadMarkup, Block, Markup, billable, blocks, tokens
from svc_nb.service.translation.terms import Terms
from tests.growth import LINEAR, growth

XML, STRICT, HTML = Markup("xml"), Markup("xml", strict=True), Markup("html")


class Echo:
    def translate(self, texts, source, target):
        return list(texts)


class Upper:
    def translate(self, texts, source, target):
        return [text.upper() for text in texts]


class Reversing:
    """Turns everything round, placeholders too, and speaks in characters that markup must not hold."""

    def translate(self, texts, source, target):
        return [f"{text[::-1]} & <]> done" for text in texts]


class Doubling:
    def translate(self, texts, source, target):
        return [text + " & " + text for text in texts]


def render(text, markup, translator=None, **options):
    rendering = Rendering("en", "de", markup=markup, **options)
    return translate([text], rendering, translator or Upper())[0]


def texts_of(text, markup):
    return [part.text for part in blocks(text, markup) if isinstance(part, Block)]


def test_tags_stay_and_text_changes():
    text = '<p class="a&amp;b">Hello <b title="x > y">big</b> world.</p>'
    assert render(text, HTML) == '<p class="a&amp;b">HELLO <b title="x > y">BIG</b> WORLD.</p>'


@pytest.mark.parametrize(
    "text",
    [
        "<p>one<br>two<img src=a.png alt='keep me'> three</p>",
        "<!doctype html><!-- a > b --><p>a<!-- c -->b</p>",
        "<a href=/x?y=1&z=2 title=it's>c</a>",
        "<ul><li>one<li>two</ul>",
        "<b><i>mixed</b></i> up </u>",
        "a &eacute; b&nbsp;c &#8217; &#x201C;d&quot; &unknown; &amp;amp;",
        "5 > 4 and <3",
        "",
        "  \n ",
    ],
)
def test_an_echo_returns_html_as_it_was(text):
    assert render(text, HTML, Echo()) == text.replace(" <3", " &lt;3")


def test_entities_are_read_by_the_translator_and_written_as_before():
    assert texts_of("R&amp;D &lt;3 caf&eacute;&nbsp;x", HTML) == ["R&D <3 café\u00a0x"]
    assert render("caf&eacute;&nbsp;ist &lt; R&#38;D", HTML, Echo()) == "caf&eacute;&nbsp;ist &lt; R&#38;D"
    assert render("R & D &copy; é", HTML) == "R &amp; D &copy; É"


def test_new_text_is_escaped():
    assert render("<b>a</b> b", HTML, Reversing()).endswith(" &amp; &lt;]&gt; done")


@pytest.mark.parametrize(
    "inner",
    [
        '<span translate="no">keep <b>this</b></span>',
        "<em class='x notranslate y'>keep</em>",
        "<em class=notranslate>keep</em>",
        "<code>let it = be;</code>",
        '<SPAN TRANSLATE="NO">keep</SPAN>',
        '<i translate="no">to the end <b>of</b> all',
    ],
)
def test_what_html_marks_as_untranslated_is_kept(inner):
    assert render(f"say {inner}", HTML) == f"SAY {inner}"


def test_other_attributes_that_say_no_do_not_count():
    assert (
        render('<i data-x="translate=no" class="nono">a</i> b', HTML) == '<i data-x="translate=no" class="nono">A</i> B'
    )


def test_scripts_and_styles_are_untouched_and_unread():
    text = "<script>if (a<b && c>d) { '</p>' }</script><style>p > a {}</style><p>text</p>"
    assert texts_of(text, HTML) == ["text"]
    assert render(text, HTML).endswith("</style><p>TEXT</p>")


def test_block_elements_end_sentences_and_inline_ones_do_not():
    text = "<div>one <b>two</b> three<br>four</div><p>five</p>"
    assert texts_of(text, HTML) == ["one two three", "four", "five"]


def test_ignored_splitting_and_non_splitting_tags_are_obeyed():
    text = "one <x>two</x> three <y>four</y> five"
    rules = Markup("xml", ignored=frozenset({"x"}), splitting=frozenset({"y"}))
    assert texts_of(text, rules) == ["one  three ", "four", " five"]
    assert render(text, rules) == "ONE <x>two</x> THREE <y>FOUR</y> FIVE"
    listed = "<doc><a>one</a><b>two</b></doc>"
    assert texts_of(listed, XML) == ["one", "two"]
    assert texts_of(listed, Markup("xml", non_splitting=frozenset({"a", "b"}))) == ["onetwo"]
    assert texts_of(listed, Markup("xml", outline=False)) == ["onetwo"]


def test_xml_names_count_exactly_and_html_names_in_any_case():
    assert render("a <X>b</X>", Markup("xml", ignored=frozenset({"x"}))) == "A <X>B</X>"
    assert render("a <X>b</X>", Markup("html", ignored=frozenset({"x"}))) == "A <X>b</X>"


def test_the_outline_is_found_down_to_where_text_begins():
    text = "<doc><meta><title>A title</title></meta><par>This <b>is <i>a</i></b> text <u><s>x</s></u>.</par></doc>"
    assert texts_of(text, XML) == ["A title", "This is a text x."]


def test_sections_comments_and_instructions_are_kept():
    text = "<?pi a?>text <!-- no --> <![CDATA[a < b]]> more"
    assert render(text, STRICT) == "<?pi a?>TEXT <!-- no --> <![CDATA[a < b]]> MORE"


@pytest.mark.parametrize(
    "text",
    ["<a>", "</a>", "<a></b>", "<a><b></a></b>", "a < b", "a & b", "&nope;", "<a x=1/>", "<a x='1' x='2'/>",
     "</x><x>", "a ]]> b", "&#0;", "<a", "\x01", "<!-- open", "\ud800"],
)  # fmt: skip
def test_strict_xml_must_be_well_formed(text):
    with pytest.raises(BadMarkup):
        blocks(text, STRICT)
    with pytest.raises(BadMarkup):
        billable(text, STRICT)
    assert isinstance(render(text, XML), str)


def test_the_complaint_does_not_quote_the_text():
    with pytest.raises(BadMarkup) as caught:
        blocks("<secret>", STRICT)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("<p>Hello <b>you</b></p>", 9),
        ("", 0),
        ("<br/>", 0),
        ("a<!-- no -->b", 2),
        ("no tags 👍", 9),
        ("<a>&amp;</a>", 5),
    ],
)
def test_only_characters_outside_tags_are_billed(text, count):
    assert billable(text, HTML) == billable(text, XML) == count


# --- laws -------------------------------------------------------------------------------------------------------------

words = st.text(alphabet=st.sampled_from("ab è.我 \n']👍\ue000"), max_size=6).map(lambda text: text.replace("]]", "]"))
references = st.sampled_from(["&amp;", "&lt;", "&gt;", "&#233;", "&quot;", "&#xE001;"])
pieces = st.recursive(
    words | references | st.sampled_from(["<e/>", "<e a='<'/>".replace("<'", "&lt;'"), "<!-- c -->", "<?p i?>"]),
    lambda inner: st.tuples(st.sampled_from(["a", "b", "p", "n:x"]), st.lists(inner, max_size=4)).map(
        lambda element: f"<{element[0]} k='v > w'>{''.join(element[1])}</{element[0]}>"
    ),
    max_leaves=12,
)
documents = st.lists(pieces, max_size=5).map("".join)
rule_sets = st.builds(
    Markup,
    st.just("xml"),
    strict=st.booleans(),
    outline=st.booleans(),
    splitting=st.sets(st.sampled_from(["a", "b"])).map(frozenset),
    non_splitting=st.sets(st.sampled_from(["b", "p"])).map(frozenset),
    ignored=st.sets(st.sampled_from(["p", "n:x"])).map(frozenset),
)
soup = st.lists(
    st.sampled_from(["<", ">", "/", "<b>", "</b>", "<p>", "<br>", "&", "&amp;", "&x;", '"', "'", "=", "<!--", "-->",
                     "<script>", "</script>", "<![CDATA[", "]]>", "a", " ", "é", "<b t='", "<!DOCTYPE", "[", "\ue000"]),
    max_size=30,
).map("".join)  # fmt: skip


def tags_of(text):
    return re.findall(r"<[^>]*>", text.replace("v > w", "v"))


@given(st.text() | soup, st.sampled_from(["xml", "html"]))
def test_the_tokens_joined_are_the_text(text, language):
    assert "".join(token.raw for token in tokens(text, language)) == text


@given(documents, rule_sets)
def test_an_echo_returns_well_formed_xml_as_it_was(text, markup):
    assert render(text, markup, Echo()) == text


@given(documents, rule_sets, st.sampled_from([Upper(), Reversing(), Doubling()]))
def test_well_formed_stays_well_formed_with_every_tag_whatever_the_translator_does(text, markup, translator):
    terms = (Terms({"a": "<&>", "b": "zz"}, "en", "de"),)
    result = render(text, markup, translator, terms=terms)
    ElementTree.fromstring(f"<x xmlns:n='n'>{result}</x>")
    assert sorted(tags_of(result)) == sorted(tags_of(text))


@given(soup, st.sampled_from([Markup("xml"), Markup("html"), Markup("xml", outline=False)]))
def test_any_soup_survives_an_echo_and_settles(text, markup):
    once = render(text, markup, Echo())
    assert render(once, markup, Echo()) == once
    assert len(tags_of(once)) <= len(tags_of(text)) + text.count("<")


# --- hostile ----------------------------------------------------------------------------------------------------------

LAUGHS = (
    '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c SYSTEM "file:///etc/passwd">]>'
)


def test_entities_of_a_document_type_are_never_expanded():
    assert render(LAUGHS + "<x>so &b; it &c; is</x>", STRICT) == LAUGHS + "<x>SO &b; IT &c; IS</x>"


@pytest.mark.long
@pytest.mark.parametrize("markup", [XML, STRICT, HTML], ids=["xml", "strict", "html"])
def test_ten_thousand_nested_tags_are_no_problem(markup):
    text = "<b>" * 10_000 + "deep" + "</b>" * 10_000
    assert render(text, markup) == text.replace("deep", "DEEP")
    mixed = "<b>x " * 10_000 + "deep" + "</b>" * 10_000
    assert render(mixed, markup, Echo()) == mixed


@pytest.mark.long
@pytest.mark.parametrize(
    "unit",
    ["<", "<a", "<a ", '<a b="', "<a b='\"", "<!--", "<![CDATA[", "<!DOCTYPE [", "<?", "&", "&#", "<b>", "</b>",
     "<b></i>",
     "<script>", "<i translate=no>", "<a b=c ", '<p class="a">', "<a 'b\"", "]]>", "<x/>y"],
)  # fmt: skip
def test_hostile_markup_costs_no_more_than_its_length(unit):
    text = (unit * 40_000)[:40_000]
    for markup in (HTML, XML):
        assert growth(lambda part, markup=markup: render(part, markup, Echo()), text[:10_000], text) < LINEAR
