"""Code as segments: comments, docstrings and strings for people; what the code does stays the same.

Python is read by its own parser, so an edited cell is known to compile and to be the same except for those texts. In R,
Julia, JavaScript and TypeScript only the comments are texts; other languages are left alone.
"""

import re
from functools import lru_cache

from svc_nb.notebooks.code.comments import comment_segments, comments_in, directives
from svc_nb.notebooks.code.python import COMMENTS, STRINGS, PythonCell
from svc_nb.notebooks.segments import Segment, Unreadable

ALL = frozenset((COMMENTS, STRINGS))

_LANGUAGES = {
    "python": "python", "ipython": "python", "ipython3": "python", "python3": "python", "py": "python",
    "r": "r", "ir": "r", "julia": "julia", "javascript": "javascript", "js": "javascript", "node": "javascript",
    "nodejs": "javascript", "typescript": "javascript", "ts": "javascript",
}  # fmt: skip

# Commented-out code of languages that are not parsed here.
_CODE = re.compile(
    r"[;{}(\[,]$|^[)}\]]|<-|->|=>|\|>|%>%|::|[\w\])]\s*[-+*/|&.:]?=\s*\S|\w\([^()]*+\)\s*+$|^\s*(?:library|using"
    r"|import|function|const|let|var|return|require|end)\b(?!.*[.,] )|^\w+\.\w+"
)


def segments(source: str, *, language: str, what: frozenset[str], keys: frozenset[str] = frozenset()) -> list[Segment]:
    """The texts of a cell, in order, without overlaps.

    There are none in an unknown language or in a cell that cannot be read: `unread` says why. *what* has "comments",
    which include docstrings, and "strings", which are other literals that are meant for people. *keys* are strings that
    are names elsewhere in the notebook, and therefore not texts here.
    """
    name = _known(language)
    try:
        if name == "python":
            return _cell(source).segments(what, keys)
        if name and COMMENTS in what:
            comments = comments_in(source, name)
            return list(comment_segments(source, comments, is_code=lambda text: bool(_CODE.search(text.strip()))))
    except Unreadable:
        pass
    return []


def same_code(source: str, result: str, *, language: str, what: frozenset[str] = ALL) -> bool:
    """Whether a translated cell is the same code; in Python, it compiles and its tree differs only in texts."""
    if source == result:
        return True
    name = _known(language)
    try:
        if name == "python":
            return _cell(source).becomes(result, what)
        return bool(name) and _outline(source, name) == _outline(result, name)
    except Unreadable:
        return False


def unread(source: str, *, language: str) -> str | None:
    """Why a cell is left alone as a whole, in a few words; None if it is read."""
    name = _known(language)
    try:
        if name == "python":
            _cell(source)
        elif name:
            comments_in(source, name)
        else:
            return f"code in {language or 'an unknown language'} is left alone"
    except Unreadable as reason:
        return str(reason)
    return None


def keys(source: str, *, language: str) -> frozenset[str]:
    """The strings that a cell uses as names: keys, subscripts, compared and looked-up strings."""
    try:
        return _cell(source).keys if _known(language) == "python" else frozenset()
    except Unreadable:
        return frozenset()


@lru_cache(maxsize=4)
def _cell(source: str) -> PythonCell:
    """The cell, which first provides its texts, and then checks whether a result is the same code."""
    return PythonCell(source)


def _known(language: str) -> str:
    return _LANGUAGES.get(language.strip().lower(), "")


def _outline(source: str, name: str) -> tuple[list[str], list[str]]:
    """The lines of code without their comments, and the comments for tools."""
    found = comments_in(source, name)
    code, at = "", 0
    for start, end in found:
        code += source[at:start]
        at = end
    lines = [line.rstrip() for line in re.split(r"\r\n|[\r\n]", code + source[at:])]
    return [line for line in lines if line], directives(source, found)
