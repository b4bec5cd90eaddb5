"""The translator of last resort: it marks a text with the target language, so that nobody takes it for one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

PSEUDO = "pseudo"


class _EveryPair(Collection[tuple[str, str]]):
    """Holds any pair and lists none: what only marks a text is no offer to translate."""

    def __contains__(self, pair: object) -> bool:
        return True

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(())

    def __len__(self) -> int:
        return 0


class Pseudo:
    """Marks every text of every pair: "[DE] text"; the text itself stays untouched."""

    name = PSEUDO

    def pairs(self) -> Collection[tuple[str, str]]:
        """Return every pair there is."""
        return _EveryPair()

    def ready(self, source: str, target: str) -> bool:
        """Always: there is nothing to start."""
        return True

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        """Put the target code, in capitals, before each text; a blank text stays as it is."""
        bodies = [text.lstrip() for text in texts]
        return [
            f"{text[: len(text) - len(body)]}{_mark(target)}{body}" if body else text
            for text, body in zip(texts, bodies, strict=True)
        ]

    def close(self) -> None:
        """Nothing to end."""


def engine(model_dir: Path | None = None) -> Pseudo:
    """Return the engine; it uses no models."""
    return Pseudo()


def adds_mark(text: str, made: str, target: str) -> bool:
    """Whether *made*, which came of *text* by this engine, has a mark: what a memory or a glossary has all of does not.

    >>> adds_mark("Hello!", "[DE] Hello!", "de"), adds_mark("[DE]", "[DE]", "de"), adds_mark("4 / 5", "4 / 5", "de")
    (True, False, False)
    """
    return made.count(_mark(target)) > text.count(_mark(target))


def _mark(target: str) -> str:
    return f"[{target.upper()}] "
