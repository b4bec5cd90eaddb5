"""The glossary panel: terms edited in a grid, checked as they are typed, tried out, compared, and sent."""

from svc_nb.panels.glossary.panel import Glossary

__all__ = ["Glossary"]
