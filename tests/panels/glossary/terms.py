"""Tables of terms to test with."""

from __future__ import annotations

import pandas as pd

from svc_nb.tabular.terms import made

HOSTILE = ("<img src=x onerror=alert(1)>", "=cmd()", "$x_1^2$", "{0}", "%(key)s")


def terms(*rows: tuple[str, str], source_lang: str = "en", target_lang: str = "de") -> pd.DataFrame:
    """A table of one pair: `terms(("dog", "Hund"))`."""
    return made(source_lang, target_lang, [row[0] for row in rows], [row[1] for row in rows])


def booked(table: pd.DataFrame) -> pd.DataFrame:
    """*table* with numbers of rows, as a book has them."""
    return table.set_axis(pd.RangeIndex(1, len(table) + 1, name="row"))


def couples(table: pd.DataFrame) -> list[tuple[str, str]]:
    """Sources and targets, in their order."""
    return list(zip(table["source"].tolist(), table["target"].tolist(), strict=True))
