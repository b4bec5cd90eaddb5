"""Raised and lowered letters on their way through a translation: H₂O stays one word, a footnote mark keeps its place.

The mark of a footnote becomes a lone element behind its word. Letters that are part of a unit or a formula are sent as
plain ones, since a tag inside a word makes it unknown to translators, and are found again by the whole word.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby

from .tagged_text import Lone, Piece, Run, Style

Runs = list[tuple[str, int]]

_SHORTEST_WORD = 3
_LETTERS_AT_END = re.compile(r"(?<![^\W\d_])[^\W\d_]*+$")
_AROUND = "([{\"'«“”».,;:!?)]}"


class Scripts:
    """The runs of a text as *pieces* to translate, and back; *risen* tells of a look whether it is off the baseline."""

    def __init__(self, runs: Runs, risen: Callable[[int], bool]) -> None:
        self.pieces: list[Piece] = []
        self._words: dict[str, list[tuple[str, int | None]]] = {}
        plain = next((look for _, look in runs if not risen(look)), 0)
        word: list[tuple[str, int | None]] = []  # its letters, each with the look of its own that it has
        for number, (text, look) in enumerate(runs):
            own = look if risen(look) and text.strip() else None
            plain = plain if risen(look) else look
            after = runs[number + 1][0] if number + 1 < len(runs) and not text[-1:].isspace() else ""
            if own is not None and _is_footnote(text.strip(), "".join(letter for letter, _ in word), after):
                self.pieces.append(Lone((text.strip(), look)))
                own, text = None, text[len(text.rstrip()) :]
            if text:
                self.pieces.append(Run(text, Style(plain, plain)))
            for letter in text:
                if letter.isspace():
                    self._note(word)
                    word = []
                else:
                    word.append((letter, own))
        self._note(word)

    def _note(self, word: list[tuple[str, int | None]]) -> None:
        """Remember a word that is raised or lowered in part, without the punctuation around it."""
        while word and word[-1][0] in _AROUND:
            word.pop()
        while word and word[0][0] in _AROUND:
            word.pop(0)
        if any(own is not None for _, own in word):
            self._words["".join(letter for letter, _ in word).lower()] = word

    def restored(self, runs: Iterable[tuple[str, int]]) -> Iterator[tuple[str, int]]:
        """Yield the runs of the translation, with the raised and lowered letters of the words that came back."""
        words = "|".join(map(re.escape, sorted(self._words, key=len, reverse=True)))
        known = re.compile(rf"(?<!\w)({words})(?!\w)", re.IGNORECASE) if words else None
        for text, look in runs:
            for number, part in enumerate(known.split(text) if known else [text]):
                if number % 2 and len(word := self._words.get(part.lower(), [])) == len(part):
                    for own, letters in groupby(zip(part, word, strict=True), key=lambda each: each[1][1]):
                        yield "".join(letter for letter, _ in letters), look if own is None else own
                elif part:
                    yield part, look


def _is_footnote(mark: str, before: str, after: str) -> bool:
    """Whether a raised *mark* is behind a word or a sentence, and is not part of a unit or a formula."""
    if not before or after[:1].isalnum():
        return not before
    letters = _LETTERS_AT_END.search(before)
    is_behind_word = letters is not None and len(letters[0]) >= _SHORTEST_WORD
    return is_behind_word or not before[-1].isalnum() or not any(map(str.isalnum, mark))
