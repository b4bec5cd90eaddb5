"""Charts of usage, languages, scores and findings: a table in, matplotlib axes out; `alt_text` describes them."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from svc_nb.plots.axes import ThemeChoice, alt_text
from svc_nb.plots.caps import caps
from svc_nb.plots.counts import stacked
from svc_nb.plots.languages import languages
from svc_nb.plots.scores import findings, scores
from svc_nb.plots.usage import by_day, by_key, by_product, heat_map, share, tags
from svc_nb.signatures import shows
from svc_nb.tracebacks import module_verbs

KINDS: Mapping[str, Callable[..., Axes]] = MappingProxyType(
    {chart.__name__: chart for chart in (by_day, by_key, by_product, heat_map, share, caps, tags)}
)


@shows(["field", "top", "every", "keys", "on"])
def draw(kind: str, table: pd.DataFrame, *, ax: Axes | None = None, theme: ThemeChoice = None, **options: Any) -> Axes:
    """Draw *table* as a chart of a *kind*, one of `KINDS`; *ax* is cleared first."""
    if kind not in KINDS:
        raise ValueError(f"there is no chart {kind!r}. Use one of {', '.join(KINDS)}")
    if ax is not None:
        ax.clear()
    return KINDS[kind](table, ax=ax, theme=theme, **options)


__all__ = [
    "KINDS", "alt_text", "by_day", "by_key", "by_product", "caps", "draw", "findings", "heat_map", "languages",
    "scores", "share", "stacked", "tags",
]  # fmt: skip


module_verbs(globals())
