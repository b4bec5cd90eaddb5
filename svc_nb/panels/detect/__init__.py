"""The panel that detects the languages of a column: their shares, rows to check, and labels set by hand."""

from svc_nb.panels.detect.panel import Detect

__all__ = ["Detect"]
