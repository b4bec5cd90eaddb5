"""The documents panel: whole files dropped or named, checked, translated, watched and saved."""

from svc_nb.panels.documents.panel import Documents

__all__ = ["Documents"]
