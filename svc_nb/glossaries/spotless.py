"""Whether a column of terms is beyond doubt, seen at a glance over its bytes, so that no term becomes an object."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from svc_nb.checks.arrow_text import arrow_octets, controls_in, in_arrow
from svc_nb.checks.text_array import Bools, Places

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
    return not (_space_begins(padded, starts) or _space_ends(padded, ends))


def _space_begins(octets: Octets, places: Places) -> bool:
    """Whether a space begins at one of *places*."""
    first = octets[places]
    wide = places[(first >= 0xC2) & (first <= 0xE3)]
    return bool((first == 0x20).any()) or _is_middling(octets, wide) or _is_long(octets, wide)


def _space_ends(octets: Octets, places: Places) -> bool:
    """Whether a space ends at one of *places*."""
    # A place before the text is no matter: a later octet of a character is never a first one.
    second, third = places - 2, places - 3
    return (
        bool((octets[places - 1] == 0x20).any())
        or _is_middling(octets, second[octets[second] == 0xC2])
        or _is_long(octets, third[(octets[third] >= 0xE1) & (octets[third] <= 0xE3)])
    )


def _is_middling(octets: Octets, places: Places) -> bool:
    """Whether a space of two octets begins at one of *places*."""
    first, second = octets[places], octets[places + 1]
    return bool(((first == 0xC2) & ((second == 0x85) | (second == 0xA0))).any())


def _is_long(octets: Octets, places: Places) -> bool:
    """Whether a space of three octets begins at one of *places*."""
    first, second, third = octets[places], octets[places + 1], octets[places + 2]
    found: Bools = (first == 0xE1) & (second == 0x9A) & (third == 0x80)
    found |= (first == 0xE2) & (second == 0x80) & ((third <= 0x8A) | (third == 0xAF))
    found |= (first == 0xE2) & (second == 0x81) & (third == 0x9F)
    found |= (first == 0xE3) & (second == 0x80) & (third == 0x80)
    return bool(found.any())
