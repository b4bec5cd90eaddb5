"""Tables of usage to draw, and what a drawn figure holds."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.patches import PathPatch
from matplotlib.text import Text

TEAMS = [
    "Website",
    "App",
    "Support",
    "Marketing",
    "Data",
    "Legal",
    "Docs",
    "Intranet",
    "HR",
    "Partners",
    "QA",
    "Lab",
]
# What people call their keys when nobody looks.
HOSTILE = [
    "$x_1$",
    "<b>bold</b>",
    "team 🙂🎉",
    "שלום עולם",
    "x" * 90 + " y " + "z" * 107,
    "",
    "Website",
    "Website",
    "日本語チーム",
    "_private",
    "a\nb\tc\u202e",
    "100% {sure} \\frac{1}{2} $",
]


def usage(
    days: int = 30,
    labels: list[str] | int = 12,
    *,
    end: str = "2026-11-15",
    incomplete: bool = True,
    scale: int = 20_000,
) -> pd.DataFrame:
    """Use by key and day, with a weekly rhythm; the last day is not over."""
    names = labels if isinstance(labels, list) else [*TEAMS, *(f"Team {number}" for number in range(labels))][:labels]
    dates = pd.date_range(end=end, periods=days)
    rng = np.random.default_rng(len(names) + days)
    rhythm = np.where(dates.day_of_week < 5, 1.0, 0.2)[:, None]
    cells = (scale / np.arange(1, len(names) + 1) ** 0.8 * rhythm * rng.gamma(4, 0.25, (days, len(names)))).astype(
        "int64"
    )
    amounts = cells.ravel()
    stamps = np.repeat(dates.to_numpy().astype("datetime64[s]"), len(names))
    return pd.DataFrame(
        {
            "usage_date": stamps,
            "api_key": np.tile([f"k{number:03d}********{number:04d}" for number in range(len(names))], days),
            "api_key_label": np.tile(names, days),
            "total_characters": amounts,
            "text_translation_characters": amounts - amounts // 4 - amounts // 8,
            "document_translation_characters": amounts // 4,
            "text_improvement_characters": amounts // 8,
            "speech_to_text_minutes": np.round(amounts / 9000, 2),
            "incomplete": (stamps == stamps.max()) & incomplete if days else np.zeros(0, dtype=bool),
        }
    )


def by_tag(table: pd.DataFrame) -> pd.DataFrame:
    """The same as a report by tag."""
    named = table.rename(columns={"api_key_label": "custom_tag"})
    return named.drop(columns=["api_key", "document_translation_characters"])


def keys(table: pd.DataFrame, caps: list[int | None], *, minutes: list[int | None] | None = None) -> pd.DataFrame:
    """Developer keys with *caps*, and caps of speech in *minutes*, in the order of the labels in *table*."""
    labels = list(dict.fromkeys(table["api_key_label"]))
    limits = [*caps, *[None] * len(labels)][: len(labels)]
    speech = [*(minutes or []), *[None] * len(labels)][: len(labels)]
    ids = [f"id{number}" for number in range(len(labels))]
    return pd.DataFrame(
        {
            "key_id": ids,
            "label": labels,
            "characters": pd.array(limits, dtype="Int64"),
            "speech_to_text_milliseconds": pd.array(speech, dtype="Int64") * 60_000,
            "is_deactivated": False,
        }
    )


def canvas(width: float = 900, height: float = 450, dpi: float = 100):
    """Axes on a figure that pyplot does not know."""
    figure = Figure((width / dpi, height / dpi), dpi=dpi, layout=ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.1))
    return figure.add_subplot()


def heights(ax) -> dict[str, dict[float, float]]:
    """For each series the height of its bar at each place."""
    found = {}
    for patch in ax.get_children():
        if isinstance(patch, PathPatch):
            corners = patch.get_path().vertices.reshape(-1, 5, 2)
            places = corners[:, [0, 2], 0].mean(axis=1)
            found[patch.get_label()] = dict(zip(places, corners[:, 1, 1] - corners[:, 0, 1], strict=True))
    return found


def lengths(ax) -> list[float]:
    """How long the lying bars are, from the top."""
    found = {}
    for patch in ax.get_children():
        if isinstance(patch, PathPatch):
            for corners in patch.get_path().vertices.reshape(-1, 5, 2):
                found[corners[:, 1].mean()] = corners[:, 0].max()
    return [found[row] for row in sorted(found)]


def texts(ax) -> list[Text]:
    """All text that can be seen, after it was drawn."""
    ax.figure.draw_without_rendering()
    found = [text for each in [ax, *ax.child_axes] for text in _texts(each)]
    return [text for text in found if text.get_visible() and text.get_text().strip()]


def _texts(ax) -> list[Text]:
    """The text of one axes; of ticks only those within the limits."""
    found = [ax.title, ax._left_title, *ax.texts]
    if ax.get_legend():
        found += ax.get_legend().get_texts()
    for axis in (ax.xaxis, ax.yaxis) if ax.axison else ():
        found += [label for tick in axis._update_ticks() for label in (tick.label1, tick.label2)]
    return found


def words(ax) -> list[str]:
    return [text.get_text() for text in texts(ax)]
