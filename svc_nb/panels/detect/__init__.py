"""The panel that finds out which languages a column is in: mix, samples, rows to look at, labels by hand."""

from svc_nb.panels.detect.panel import Detect

__all__ = ["Detect"]
