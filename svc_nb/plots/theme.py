"""The colours of charts, for light and dark pages; told apart with any kind of colour vision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from matplotlib.colors import Colormap, LinearSegmentedColormap, to_rgb

Name = Literal["light", "dark"]


@dataclass(frozen=True)
class Theme:
    """What a chart is painted with.

    `colours` keep their distance from each other, from `rest` and from `background` also where red and green, or
    blue and yellow, look alike; `ink` and `muted` are easy to read on `background`.
    """

    name: Name
    background: str
    ink: str
    muted: str
    line: str
    rest: str
    nothing: str
    colours: tuple[str, ...]
    shades: tuple[str, ...]

    @property
    def ramp(self) -> Colormap:
        """From little to much, each step farther from the background; what is masked is `nothing`."""
        ramp = LinearSegmentedColormap.from_list(f"usage {self.name}", list(self.shades))
        return ramp.with_extremes(bad=self.nothing)

    def series(self, count: int, *, others: bool = False) -> list[str]:
        """A colour for each of *count* series, the last one grey if it is of all *others*; they repeat after eight."""
        own = [self.colours[number % len(self.colours)] for number in range(count)]
        return [*own[:-1], self.rest] if others and own else own


LIGHT = Theme(
    name="light",
    background="#ffffff",
    ink="#1f2328",
    muted="#57606a",
    line="#d5dae0",
    rest="#8a8f94",
    nothing="#f1f3f5",
    colours=("#0072b2", "#d55e00", "#1a6b1a", "#e05fd0", "#332288", "#c51b7d", "#661100", "#7b3294"),
    shades=("#d6e9f8", "#8cc3ea", "#3c96e1", "#0a62a8", "#08306b"),
)
DARK = Theme(
    name="dark",
    background="#111111",
    ink="#ececec",
    muted="#a9afb6",
    line="#3a3e44",
    rest="#85898e",
    nothing="#1e2023",
    colours=("#56b4e9", "#e69f00", "#b3e600", "#aa4499", "#ffb6c1", "#2070d0", "#e0ffe0", "#d04020"),
    shades=("#15344f", "#1f5f96", "#3c96e1", "#8ecbf2", "#eaf6ff"),
)
THEMES: dict[str, Theme] = {theme.name: theme for theme in (LIGHT, DARK)}


def chosen(theme: str | Theme | None, *, on: object) -> Theme:
    """The theme of that name; without one, the theme that suits a figure whose colour is *on*."""
    if isinstance(theme, Theme):
        return theme
    if theme is None:
        return DARK if luminance(on) < 0.18 else LIGHT
    if theme not in THEMES:
        raise ValueError(f"theme: expected 'light' or 'dark', found {theme!r}")
    return THEMES[theme]


def luminance(colour: object) -> float:
    """How bright *colour* is, from 0 to 1, as WCAG reckons it; what is see-through counts as white."""
    if colour == "none":
        return 1.0
    parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in to_rgb(colour)]  # type: ignore[arg-type]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
