"""A picture in a panel: one matplotlib Figure, redrawn for every change and shown as SVG, without pyplot."""

import io
import re
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from traitlets import Any as AnyTrait
from traitlets import Bool, Dict, Int, List, Unicode

from svc_nb.panels.parts.controls import Part
from svc_nb.panels.parts.grid import Grid
from svc_nb.plots.axes import DARK, LIGHT
from svc_nb.plots.spots import spots

WIDTH = 900
INCH = 96  # of a browser
DENSITY = 192  # of an exported picture: sharp on high-resolution screens
NO_METADATA = dict.fromkeys(("Creator", "Date", "Format", "Type"))
Paint = Callable[[Figure], str]  # draws, and returns the alternative text
COLOUR = re.compile(r"#[0-9a-f]{6}\b")


class Picture(Part):
    """What `draw` painted last, with its alternative text; the browser reports the available width.

    `spots` has the tooltips of bars. `legend` has the name and colour number of everything that can be hidden, -1 for
    grey; `hidden` has the names of those that are hidden.
    """

    front = "picture"
    svg = Unicode().tag(sync=True)
    alt = Unicode().tag(sync=True)
    busy = Bool(False).tag(sync=True)
    legend: List[dict[str, Any]] = List(Dict()).tag(sync=True)
    hidden: List[str] = List(Unicode()).tag(sync=True)
    spots = AnyTrait([]).tag(sync=True)
    width = Int(WIDTH).tag(sync=True)
    dark = Bool(False).tag(sync=True)

    def __init__(self, *, pairs: Mapping[str, str] | None = None) -> None:
        """*pairs* maps colours on a light page, as "#rrggbb", to those on a dark one."""
        super().__init__()
        self.figure = Figure(layout="constrained")
        self.drawn = 0
        self._pairs = dict(pairs or {})
        self._height = 0
        self._for_files: Paint = lambda figure: ""

    def draw(
        self, paint: Paint, *, height: int, legend: Sequence[dict[str, Any]] = (), for_files: Paint | None = None
    ) -> None:
        """Clear the figure, let *paint* draw on it and return its alternative text, and show it in one step.

        Files are painted by *for_files* if they need more than the page does, above all the *legend*.
        """
        with _calm():
            self._height, self._for_files = height, for_files or paint
            alt = self._paint(self.figure, paint)
            svg = two_coloured(_svg(self.figure), self._pairs)
            self.drawn += 1
            with self.hold_sync():
                self.svg, self.alt, self.busy = svg, alt, False
                self.legend, self.spots = list(legend), spots(self.figure)

    def clear(self) -> None:
        """Show nothing."""
        with self.hold_sync():
            self.svg, self.alt, self.busy, self.legend, self.spots = "", "", False, [], []

    def png(self) -> bytes:
        """The picture as PNG, on white."""
        stream = io.BytesIO()
        with _calm():
            figure = Figure(layout="constrained")
            self._paint(figure, self._for_files)
            figure.set_dpi(DENSITY)
            figure.set_facecolor("white")
            FigureCanvasAgg(figure).print_png(stream)  # type: ignore[no-untyped-call]
        return stream.getvalue()

    def file(self) -> bytes:
        """The picture as SVG, on white."""
        with _calm():
            figure = Figure(layout="constrained")
            self._paint(figure, self._for_files)
            return _svg(figure).replace("<svg ", '<svg style="background: #ffffff" ', 1).encode()

    def _paint(self, figure: Figure, paint: Paint) -> str:
        figure.clear()
        figure.set_size_inches(max(self.width, 280) / INCH, self._height / INCH)
        alt = paint(figure)
        figure.set_facecolor("none")
        return alt


def _svg(figure: Figure) -> str:
    stream = io.StringIO()
    FigureCanvasSVG(figure).print_svg(stream, metadata=NO_METADATA)  # type: ignore[no-untyped-call]
    return stream.getvalue()


def in_the_dark() -> dict[str, str]:
    """Colours of the light theme with those of the dark one; the background is the page's own."""
    names = ("ink", "muted", "line", "rest", "nothing")
    pairs = {getattr(LIGHT, name): getattr(DARK, name) for name in names}
    pairs |= dict(zip(LIGHT.colours, DARK.colours, strict=True))
    return pairs | {LIGHT.background: f"var(--jp-layout-color1, {DARK.background})"}


def two_coloured(svg: str, pairs: Mapping[str, str]) -> str:
    """*svg* with each colour in *pairs* following the theme of the page.

    >>> two_coloured("fill: #ffffff; stroke: #123456", {"#ffffff": "#000000"})
    'fill: light-dark(#ffffff, #000000); stroke: #123456'
    """

    def pair(found: re.Match[str]) -> str:
        colour = found[0]
        return f"light-dark({colour}, {pairs[colour]})" if colour in pairs else colour

    return COLOUR.sub(pair, svg) if pairs else svg


def kept_of(picture: Picture, grid: Grid) -> dict[str, Any]:
    """What a saved notebook keeps of a picture and the grid beside it, as `Panel._kept` takes it."""
    page, png = grid.page, picture.png() if picture.svg else b""
    heading, rows = [column["title"] for column in page["columns"]], [row["cells"] for row in page["rows"]]
    return {"heading": heading, "rows": rows, "png": png, "alt": picture.alt}


@contextmanager
def _calm() -> Iterator[None]:
    """While drawing: texts stay texts, and characters missing from the font are left to the browser's fonts.

    Only one thread draws at a time, because clicks arrive in other threads than cells. Only one matplotlib setting is
    changed, because a cell may be changing others at the same time.
    """
    with _drawing, warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        before = mpl.rcParams["svg.fonttype"]
        mpl.rcParams["svg.fonttype"] = "none"
        try:
            yield
        finally:
            mpl.rcParams["svg.fonttype"] = before


_drawing = threading.RLock()
