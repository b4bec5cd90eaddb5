"""Translations and tables as hypothesis draws them."""

from __future__ import annotations

import re
from xml.sax.saxutils import escape, quoteattr

import pandas as pd
from hypothesis import strategies as st

from svc_nb.memories.tmx import ILLEGAL
from svc_nb.tabular.text_column import text_array

PAIRS = [("EN", "DE"), ("EN-US", "PT-BR"), ("DE", "ZH-HANS"), ("EN", "FR")]
TRICKY = [
    "a", "R&D", "a < b", "&amp;", "&lt;", "<b>bold</b>", "<ph/>", "&lt;ph/&gt;", "&amp;lt;ph/&amp;gt;", "<ph",
    '<ph x="1"/> R&D', "<bpt>x</bpt>", '<it pos="middle"/>', "x<hi>y", "a\tb", "a\nb", "a\r\nb", "a\rb", " a ",
    "\u2028x", "]]>", "<![CDATA[x]]>", "<!-- x --><ph/>", "&#13;<ph/>", "日本語", "\u202eabc", "🏕️", "\ufeffx",
    "e\u0301", "x</seg><seg><ph/>", "<ph/></seg></tuv><tuv><seg>y", "<hi>" * 253 + "z" + "</hi>" * 253,
]  # fmt: skip
legal = st.text(max_size=8).map(lambda text: ILLEGAL.sub("", text))
values = legal.map(lambda text: re.sub("[\x7f-\x9f]", "", text))


def _tag(name, attributes, inner):
    said = "".join(f" {key}={quoteattr(value)}" for key, value in attributes.items() if value is not None)
    return f"<{name}{said}>{inner}</{name}>" if inner else f"<{name}{said}/>"


def _element(inner):
    """An inline element around *inner* texts and elements, as it is written."""
    code = st.one_of(legal.map(escape), st.builds(_tag, st.just("sub"), st.just({"type": "x"}), inner))
    optional = st.one_of(st.none(), values)
    return st.one_of(
        st.builds(_tag, st.just("bpt"), st.fixed_dictionaries({"i": values, "x": optional}), code),
        st.builds(_tag, st.just("ept"), st.fixed_dictionaries({"i": values}), code),
        st.builds(_tag, st.just("it"), st.fixed_dictionaries({"pos": st.sampled_from(["begin", "end"])}), code),
        st.builds(_tag, st.just("ph"), st.fixed_dictionaries({"x": optional, "type": optional}), code),
        st.builds(_tag, st.just("ut"), st.fixed_dictionaries({"x": optional}), code),
        st.builds(_tag, st.just("hi"), st.fixed_dictionaries({"type": optional}), inner),
    )


def _mixed(elements):
    pieces = st.one_of(legal.map(escape), elements)
    return st.lists(pieces, max_size=3).map("".join)


inner = st.recursive(legal.map(escape), lambda smaller: _mixed(_element(smaller)), max_leaves=5)
tagged = st.builds(lambda before, element, after: before + element + after, inner, _element(inner), inner)
plain = st.one_of(st.sampled_from(TRICKY), legal, legal.map(escape), tagged.map(escape))
cells = st.one_of(plain, tagged).filter(lambda text: text and not text.isspace())


@st.composite
def tables(draw, most=6) -> pd.DataFrame:
    """A table of translations that has a form in TMX; sources come again, also with other translations."""
    sources = st.sampled_from(draw(st.lists(cells, min_size=1, max_size=3)))
    rows = draw(st.lists(st.tuples(st.sampled_from(PAIRS), sources, cells), min_size=1, max_size=most))
    columns = zip(*((*pair, source, target) for pair, source, target in rows), strict=True)
    names = ("source_lang", "target_lang", "source", "target")
    return pd.DataFrame({name: text_array(list(column)) for name, column in zip(names, columns, strict=True)})
