"""The documents panel: drop or name whole files, check them, translate them, follow progress, and save the results."""

from svc_nb.panels.documents.panel import Documents

__all__ = ["Documents"]
