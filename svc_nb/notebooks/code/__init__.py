"""Code as segments: comments, docstrings and strings for people; what the code does stays the same."""

from svc_nb.notebooks.code.languages import ALL, holds, keys, segments, unread

__all__ = ["ALL", "holds", "keys", "segments", "unread"]
