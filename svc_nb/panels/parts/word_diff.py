"""Where two texts differ, word by word."""

import re
from difflib import SequenceMatcher

Segments = list[tuple[str, bool]]
# Words, spaces and single signs; in scripts without spaces between words, every character is one.
WORDS = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]|"
    r"[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]+|\s+|.",
    re.S,
)
MOST_WORDS = 2_000  # comparing takes quadratic time


def word_diff(before: str, after: str) -> tuple[Segments, Segments]:
    """Both texts in segments, each with whether the other text differs there; very long texts are one segment.

    >>> word_diff("red, green and blue", "red, green, and blue")
    ([('red, green', False), (' and blue', False)], [('red, green', False), (',', True), (' and blue', False)])
    """
    words = WORDS.findall(before), WORDS.findall(after)
    if max(map(len, words)) > MOST_WORDS:
        differs = before != after
        return [(before, differs)], [(after, differs)]
    sides: tuple[Segments, Segments] = ([], [])
    for kind, *ends in SequenceMatcher(None, *words, autojunk=False).get_opcodes():
        for side, text, (first, last) in zip(sides, words, (ends[:2], ends[2:]), strict=True):
            if first < last:
                side.append(("".join(text[first:last]), kind != "equal"))
    return sides
