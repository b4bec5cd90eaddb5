"""Panels, a user interface for everything: usage and caps, glossaries, style rules, translations, languages, documents.

Each is a class that can be driven from code in the same way: `svc_nb.panels.Glossary("Products")`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from svc_nb.panels.detect import Detect
    from svc_nb.panels.documents import Documents
    from svc_nb.panels.glossary import Glossary
    from svc_nb.panels.style_rules import StyleRules
    from svc_nb.panels.translate import Translate
    from svc_nb.panels.usage import Usage

__all__ = ["Detect", "Documents", "Glossary", "StyleRules", "Translate", "Usage"]

_HOMES = {name: name.lower() for name in __all__} | {"StyleRules": "style_rules"}


def __getattr__(name: str) -> Any:
    """Load ipywidgets and everything else that a panel needs on first use."""
    if name not in _HOMES:
        raise AttributeError(f"module 'svc_nb.panels' has no attribute {name!r}")
    return getattr(import_module(f"svc_nb.panels.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
