"""A long text taken piece by piece, each of them as long as what reads it needs."""

from __future__ import annotations

from collections.abc import Iterable

# What is taken at a time.
CHARACTERS = 1 << 22
# A line that is longer than this is none: a quote was left open in it, or it is no text.
LONGEST = 1 << 24


class Pieces:
    """The text of *texts*; `text` is what was taken of it and is not used yet, `last` whether that is all."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = iter(texts)
        self.text = ""
        self.last = False

    def more(self, used: int) -> bool:
        """Let go of the first *used* characters and take more, the more the longer it is in vain.

        Says whether there was any; False too where what is not used is longer than any line.
        """
        rest = self.text[used:]
        if self.last or len(rest) > LONGEST:
            return False
        parts, size = [rest], len(rest)
        wanted = max(CHARACTERS, min(2 * size, LONGEST + CHARACTERS))
        for part in self._texts:
            parts.append(part)
            size += len(part)
            if size >= wanted:
                break
        else:
            self.last = True
        self.text = "".join(parts)
        return True
