"""Whether a column of terms is beyond doubt, seen at a glance over its bytes, so that no term becomes an object."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from svc_nb.frames.tape import Bools, Places, arrow_octets, controls_in, in_arrow

Octets = npt.NDArray[np.uint8]


def spotless(column: pd.Series[Any], *, most_bytes: int) -> bool:
    """Whether no term is empty, too long, has a control character in it or a space at an edge; if in doubt, no."""
    if not in_arrow(column) or not len(column):
        return False
    octets, bounds = arrow_octets(column)
    sizes = np.diff(bounds)
    if not sizes.min() or sizes.max() > most_bytes or controls_in(octets):
        return False
    padded = np.concatenate((np.zeros(2, dtype=np.uint8), octets, np.zeros(2, dtype=np.uint8)))
    starts, ends = bounds[:-1] + 2, bounds[1:] + 2
    # A place before the text is no matter: a later octet of a character is never a first one.
    sizes_of_spaces = zip((_is_short, _is_middling, _is_long), (1, 2, 3), strict=True)
    return not any(
        is_space(padded, starts).any() or is_space(padded, ends - size).any()
        for is_space, size in sizes_of_spaces
    )


def _is_short(octets: Octets, places: Places) -> Bools:
    """Whether the plain space is at each of *places*."""
    found: Bools = octets[places] == 0x20
    return found


def _is_middling(octets: Octets, places: Places) -> Bools:
    """Whether a space of two octets begins at each of *places*."""
    first, second = octets[places], octets[places + 1]
    found: Bools = (first == 0xC2) & ((second == 0x85) | (second == 0xA0))
    return found


def _is_long(octets: Octets, places: Places) -> Bools:
    """Whether a space of three octets begins at each of *places*."""
    first, second, third = octets[places], octets[places + 1], octets[places + 2]
    found: Bools = (first == 0xE1) & (second == 0x9A) & (third == 0x80)
    found |= (first == 0xE2) & (second == 0x80) & ((third <= 0x8A) | (third == 0xAF))
    found |= (first == 0xE2) & (second == 0x81) & (third == 0x9F)
    found |= (first == 0xE3) & (second == 0x80) & (third == 0x80)
    return found
