"""A panel to choose style rules, write instructions, try them out, and push the changes."""

from svc_nb.panels.style_rules.panel import StyleRules

__all__ = ["StyleRules"]
