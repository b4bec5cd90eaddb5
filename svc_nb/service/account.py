"""What an account has and may do."""

from __future__ import annotations

from dataclasses import dataclass

UNLIMITED = 1_000_000_000_000
FREE_QUOTA = 500_000


@dataclass(frozen=True, slots=True)
class Account:
    """What the account has: its monthly quota, the detection beta, how long glossaries, memories and documents take.

    A *free* account has 500,000 characters a month unless *quota* says otherwise, may send smaller documents, with
    fewer characters, and has neither administration nor text improvement nor spoken terms nor voice. Its keys end in
    ":fx".
    """

    quota: int | None = None
    detection: bool = True
    glossary_seconds: float = 0.0
    memory_seconds: float = 0.0
    document_seconds: float = 0.0
    free: bool = False

    @property
    def characters_a_month(self) -> int:
        """How many characters may be used in a month."""
        if self.quota is not None:
            return self.quota
        return FREE_QUOTA if self.free else UNLIMITED

    @property
    def key_suffix(self) -> str:
        """What its developer keys end in."""
        return ":fx" if self.free else ""

    @property
    def most_characters(self) -> int:
        """How many characters a document may have."""
        return 500_000 if self.free else 1_000_000
