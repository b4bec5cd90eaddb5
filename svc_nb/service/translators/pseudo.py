"""The translator of last resort: it marks a text with the target language, so that nobody takes it for one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path


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

    name = "pseudo"

    def pairs(self) -> Collection[tuple[str, str]]:
        """Return every pair there is."""
        return _EveryPair()

    def ready(self, source: str, target: str) -> bool:
        """Always: there is nothing to start."""
        return True

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        """Put the target code, in capitals, before each text; a blank text stays as it is."""
        return [_marked(text, target.upper()) for text in texts]

    def close(self) -> None:
        """Nothing to end."""


def engine(model_dir: Path | None = None) -> Pseudo:
    """Return the engine; it uses no models."""
    return Pseudo()


def _marked(text: str, code: str) -> str:
    body = text.lstrip()
    return f"{text[: len(text) - len(body)]}[{code}] {body}" if body else text
