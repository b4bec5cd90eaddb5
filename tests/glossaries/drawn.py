"""Terms and tables as hypothesis draws them."""

from __future__ import annotations

import pandas as pd
from hypothesis import strategies as st

from svc_nb.tabular.terms import made

PAIRS = [("de", "en"), ("en", "de"), ("EN", "zh"), ("pt-BR", "ja"), ("ar", "he")]
TRICKY = [
    "", " ", "a", "A", "ａ", "Haus", "Haus ", "\ufeffHaus", "Straße", "STRASSE", "e\u0301", "é", 'say "hi"', "a,b", '"',
    '""', "a\tb", "a\nb", "a\r", "\x00", "\x7f", "\x85", "\u2028", "\u00a0x", "x\u3000", "\u200b", "日本語", "🏕️",
    "=1+1", "{x}", "%s", "x" * 1024, "x" * 1025, "é" * 512, "é" * 513, "𝄞" * 256, "𝄞" * 257, "NA", "nan", "null",
    "None", "#N/A", "\ud800", "source",
]  # fmt: skip
cells = st.one_of(st.sampled_from(TRICKY), st.text(max_size=8), st.text(alphabet='abc ,"\t', max_size=4))
clean = cells.map(
    lambda text: "".join(c for c in text if c.isprintable() and not "\ud800" <= c <= "\udfff").strip()
).filter(lambda text: 0 < len(text.encode()) <= 1024)


@st.composite
def tables(draw, terms=cells, pairs=PAIRS, most=8) -> pd.DataFrame:
    """A table of terms, right or wrong."""
    rows = draw(st.lists(st.tuples(st.sampled_from(pairs), terms, terms), max_size=most))
    columns = [list(column) for column in zip(*((*pair, source, target) for pair, source, target in rows), strict=True)]
    return made(*(columns or [[], [], [], []]))


@st.composite
def valid_tables(draw, pairs=(("de", "en"), ("en", "de"), ("ja", "zh"))) -> pd.DataFrame:
    """A table that the service takes."""
    rows = draw(
        st.lists(
            st.tuples(st.sampled_from(pairs), clean, clean),
            min_size=1,
            max_size=8,
            unique_by=lambda row: row[:2],
        )
    )
    columns = [list(column) for column in zip(*((*pair, source, target) for pair, source, target in rows), strict=True)]
    return made(*columns)
