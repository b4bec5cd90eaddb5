"""How many characters may still be paid for."""

from __future__ import annotations


class Budget:
    """What is left of *characters*, None for no limit; what is on its way counts as spent."""

    def __init__(self, characters: int | None = None) -> None:
        self._left = characters

    def take(self, characters: int) -> bool:
        """Set *characters* aside, or say that they are not there."""
        if self._left is not None:
            if characters > self._left:
                return False
            self._left -= characters
        return True

    def give(self, characters: int) -> None:
        """Put back what was not billed after all; a negative number takes what was billed beyond."""
        if self._left is not None:
            self._left += characters
