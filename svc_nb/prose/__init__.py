"""Markdown, HTML, code and notebooks as texts, and back."""
