"""Panels for people who rather click: `svc_nb.panels.Usage()` shows who used how much, and changes caps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from svc_nb.panels.usage import Usage

__all__ = ["Usage"]


def __getattr__(name: str) -> Any:
    """Load ipywidgets and matplotlib on first touch."""
    if name != "Usage":
        raise AttributeError(f"module 'svc_nb.panels' has no attribute {name!r}")
    from svc_nb.panels.usage import Usage

    return Usage


def __dir__() -> list[str]:
    return sorted(__all__)
