"""Spoken terms as hypothesis draws them."""

from __future__ import annotations

import pandas as pd
from hypothesis import strategies as st

from svc_nb.spoken_terms.table import made

TRICKY = [
    "", " ", "a", "A", "Haus ", "\ufeffHaus", "e\u0301", 'say "hi"', "a,b", "a;b", '"', "a\tb", "a\nb", "\x00", "\x85",
    "\u2028", "x\u3000", "日本語", "🏕️", "=1+1", "'=x", "NA", "nan", "term", "lang", "x" * 150, "é" * 300, "𝄞" * 301,
    "\ud800",
]  # fmt: skip
LANGS = ["de", "en", "EN-GB", "ja", "ar", "xx", "", "German"]
cells = st.one_of(st.sampled_from(TRICKY), st.text(max_size=8))


@st.composite
def tables(draw, terms=cells, langs=LANGS) -> pd.DataFrame:
    """A table of spoken terms, right or wrong."""
    rows = draw(st.lists(st.tuples(st.sampled_from(langs), terms), max_size=8))
    return made([lang for lang, _ in rows], [term for _, term in rows])
