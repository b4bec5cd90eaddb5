"""The translate panel: columns of a frame into other languages, planned, paid for, watched, checked and put back."""

from svc_nb.panels.translate.panel import Translate

__all__ = ["Translate"]
