"""The bars of a chart and their descriptions, for a pointer that rests on a bar."""

from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

Boxes = npt.NDArray[np.float64]
# The left, right, low and high of each bar in axes coordinates, with its heading and its text.
_KEPT: WeakKeyDictionary[Axes, list[tuple[Boxes, list[tuple[str, str]]]]] = WeakKeyDictionary()

Spot = tuple[float, float, float, float, str, str]


def keep(ax: Axes, boxes: Boxes, words: Sequence[tuple[str, str]]) -> None:
    """Store the words of bars on *ax*: a heading and a line for each row of *boxes*."""
    _KEPT.setdefault(ax, []).append((boxes, list(words)))


def spots(figure: Figure) -> list[Spot]:
    """The left, top, right and bottom of each bar as fractions of *figure*, as last drawn, with its words."""
    found: list[Spot] = []
    for ax in _panes(figure.axes):
        for boxes, words in _KEPT.get(ax, []):
            to_figure = ax.transData + figure.transFigure.inverted()
            one, other = to_figure.transform(boxes[:, [0, 2]]), to_figure.transform(boxes[:, [1, 3]])
            low, high = np.minimum(one, other).round(4), np.maximum(one, other).round(4)
            for (left, bottom), (right, top), (head, line) in zip(low.tolist(), high.tolist(), words, strict=True):
                found.append((left, round(1 - top, 4), right, round(1 - bottom, 4), head, line))
    return found


def _panes(axes: Sequence[Any]) -> list[Axes]:
    """*axes* and all axes within them."""
    return [pane for ax in axes for pane in (ax, *_panes(ax.child_axes))]
