"""What stays of a panel in a saved or exported notebook: its picture as it was last, and the first rows of its table.

It is an output of its own below the panel. While the panel is alive in the page, its front end hides it.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable, Sequence
from contextlib import suppress
from html import escape
from typing import Any

MOST_ROWS = 15


def page(
    *,
    name: str,
    said: str,
    png: bytes = b"",
    alt: str = "",
    heading: Sequence[str] = (),
    rows: Sequence[Sequence[str]] = (),
) -> str:
    """The picture and the rows as HTML that needs nothing else; every text is escaped."""
    shown = (
        f"<img alt='{escape(alt, quote=True)}' style='max-width: 100%; width: 900px; background: #fff' "
        f"src='data:image/png;base64,{encoded(png)}'>"
        if png
        else ""
    )
    head = "".join(f"<th style='text-align: left'>{escape(cell)}</th>" for cell in heading)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" if rows else ""
    return (
        f"<div class='svc-still svc-still-{name} tex2jax_ignore mathjax_ignore'>"
        f"{shown}{table}<p>{escape(said)}</p></div>"
    )


def encoded(png: bytes) -> str:
    """A picture as text, as notebooks keep it."""
    return base64.b64encode(png).decode("ascii")


class Snapshot:
    """The output below the panel; `refresh` has it made anew by *made*, a MIME bundle, a moment later.

    Many changes in a row are one: it is for the file, and nobody sees it meanwhile.
    """

    PAUSE = 1.0

    def __init__(self, made: Callable[[], dict[str, Any]]) -> None:
        from IPython.display import display

        self._made = made
        try:
            self._loop: asyncio.AbstractEventLoop | None = asyncio.get_running_loop()
        except RuntimeError:
            self._loop = None
        self._later: Any = None
        self._handle = display(made(), raw=True, display_id=True)  # type: ignore[no-untyped-call]

    def refresh(self) -> None:
        """Have the output follow the panel; from any thread."""
        if self._loop is not None:
            with suppress(RuntimeError):  # the notebook has ended
                self._loop.call_soon_threadsafe(self._soon)

    def close(self) -> None:
        """Leave the output as it is from now on."""
        self._handle = None

    def _soon(self) -> None:
        if self._later is not None:
            self._later.cancel()
        if self._loop is not None:
            self._later = self._loop.call_later(self.PAUSE, self._update)

    def _update(self) -> None:
        self._later = None
        if self._handle is not None:
            self._handle.update(self._made(), raw=True)
