"""The glossary panel: edit terms in a grid, check them while typing, try them out, compare, and push them."""

from svc_nb.panels.glossary.panel import Glossary

__all__ = ["Glossary"]
