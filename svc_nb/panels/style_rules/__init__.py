"""A panel to choose style rules, to write instructions, to try them and to send what changed."""

from svc_nb.panels.style_rules.panel import StyleRules

__all__ = ["StyleRules"]
