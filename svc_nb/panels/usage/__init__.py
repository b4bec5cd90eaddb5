"""The usage panel: who used how much and when, and the caps of the keys."""

from svc_nb.panels.usage.panel import Usage

__all__ = ["Usage"]
