"""The translate panel: plan a translation of columns, run it, check the results, and add them to the frame."""

from svc_nb.panels.translate.panel import Translate

__all__ = ["Translate"]
