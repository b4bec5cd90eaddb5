"""Markdown and the HTML in it as segments: read by a parser, edited where they stand; the structure stays the same."""
