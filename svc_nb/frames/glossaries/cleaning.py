"""What can be mended in a term without changing what it says."""

from __future__ import annotations

import re
import unicodedata

# Line breaks and tabs stand for a space; the other control characters for nothing.
_BREAKS = re.compile("[\t\n\x0b\x0c\r\x85\u2028\u2029]+")
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f]")
# Never seen, and never meant in a term: byte order mark, zero-width space, word joiner, soft hyphen.
UNSEEN = "\ufeff\u200b\u2060\u00ad"
_UNSEEN = re.compile(f"[{UNSEEN}]")


def cleaned(term: str) -> str:
    """*term* without control characters, invisible characters and space at its edges, in Unicode's composed form.

    >>> cleaned("\\ufeff Haus\\n\\n kaufen\\u200b ")
    'Haus kaufen'
    """
    spaced = _BREAKS.sub(" ", term)
    spaced = re.sub(" {2,}", " ", spaced) if spaced != term else spaced
    return unicodedata.normalize("NFC", _UNSEEN.sub("", _CONTROLS.sub("", spaced))).strip()
