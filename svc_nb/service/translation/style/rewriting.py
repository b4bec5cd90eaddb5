"""How a style option is written down: a pattern and what takes its place."""

import re
from collections.abc import Callable, Mapping

Rewrite = Callable[[str], str]
Options = Mapping[tuple[str, str], Mapping[str, Rewrite | Mapping[str, Rewrite]]]
"""By category and rule: what applies each option, to every language unless it is given by language."""

LETTER = r"[^\W\d_]"
PLACEHOLDER = "\ue000-\uf8ff"
SPACE = "[ \u00a0\u202f]"
HAN = "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]"
WIDE = "\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60"
CJK = "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]"


def sub(pattern: str | re.Pattern[str], replacement: str | Callable[[re.Match[str]], str]) -> Rewrite:
    """Return the rewriting that puts *replacement* wherever *pattern* stands."""
    compiled = re.compile(pattern)
    return lambda text: compiled.sub(replacement, text)


def mapping(table: Mapping[str, str]) -> Rewrite:
    """Return the rewriting of single characters."""
    translation = str.maketrans(dict(table))
    return lambda text: text.translate(translation)


def both(*rewrites: Rewrite) -> Rewrite:
    """Return the rewritings one after the other."""

    def rewritten(text: str) -> str:
        for rewrite in rewrites:
            text = rewrite(text)
        return text

    return rewritten
