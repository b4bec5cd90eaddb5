"""Colours that can be told apart and read, reckoned as WCAG and colour science do."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from svc_nb.plots.axes import DARK, LIGHT, chosen, luminance

BOTH = pytest.mark.parametrize("look", [LIGHT, DARK], ids=lambda look: look.name)
# Machado, Oliveira and Fernandes, 2009: what is left for those who see no red, no green, no blue.
SIGHTS = {
    "all": np.eye(3),
    "no red": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "no green": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.01182, 0.04294, 0.968881],
    ],
    "no blue": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.3039],
    ],
}
LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
LAB = np.array(
    [
        [0.2104542553, 0.793617785, -0.0040720468],
        [1.9779984951, -2.428592205, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.808675766],
    ]
)


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def seen(colour: str, sight: str) -> np.ndarray:
    """Where *colour* stands in OKLab for somebody with that sight."""
    parts = np.array(to_rgb(colour))
    light = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return LAB @ np.cbrt(LMS @ np.clip(np.array(SIGHTS[sight]) @ light, 0, 1))


def test_contrast_is_reckoned_as_wcag_does():
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@BOTH
def test_every_colour_stands_out_from_the_page(look):
    for colour in (*look.colours, look.rest):
        assert contrast(colour, look.background) >= 3, colour


@BOTH
def test_text_can_be_read(look):
    assert contrast(look.ink, look.background) >= 7
    assert contrast(look.muted, look.background) >= 4.5


@BOTH
@pytest.mark.parametrize(
    ("sight", "least"), [("all", 0.085), ("no red", 0.058), ("no green", 0.058), ("no blue", 0.035)]
)
def test_eight_colours_and_grey_differ_for_every_sight(look, sight, least):
    assert len(look.colours) >= 8
    for one, other in combinations((*look.colours, look.rest), 2):
        assert np.linalg.norm(seen(one, sight) - seen(other, sight)) >= least, (one, other)


@BOTH
def test_more_is_always_farther_from_the_page(look):
    steps = [contrast(look.ramp(part), look.background) for part in np.linspace(0, 1, 30)]
    assert steps == sorted(steps)
    assert contrast(look.nothing, look.background) < steps[0]


def test_without_a_name_the_theme_suits_the_figure():
    assert chosen(None, on="white") is LIGHT
    assert chosen(None, on="#212121") is DARK
    assert chosen("dark", on="white") is DARK
    assert chosen(LIGHT, on="black") is LIGHT


def test_an_unknown_theme_is_refused():
    with pytest.raises(ValueError, match="'light' or 'dark', found 'blue'"):
        chosen("blue", on="white")
