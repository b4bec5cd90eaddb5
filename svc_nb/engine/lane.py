"""What all texts of one request have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

from svc_nb.engine.outcome import Answer

KEY_BYTES = 16
MOST_TEXTS = 50
MOST_BYTES = 128 * 1024
# Services were seen to refuse bodies a little under their own limit.
HEADROOM = 1024


def no_terms(text: str) -> bytes:
    """No glossary concerns *text*."""
    return b""


def lacks_nothing(source_lang: str | None) -> bool:
    """The service does not say that it lacks a translator."""
    return False


@dataclass(frozen=True, slots=True, eq=False)
class Lane:
    """Texts that can travel together: one operation with one set of options.

    `send` takes a list of texts and returns an answer for each, in their order, or raises an SvcError; it never tries
    twice. `identity` covers everything that can change an answer besides the text; `terms` gives what a glossary
    says about a text, so that only the texts concerned are asked for again when it changes. `envelope` is what a
    request weighs without its texts, `room` the bytes that its texts may take; `note` goes with every answer as its
    reason. `untranslated` says whether the service has no translator from a language, so that texts are only marked;
    on a `strict` lane these fail, and where nothing `helps` (a glossary or a memory may have the whole text) before
    they are sent.
    """

    operation: str
    send: Callable[[list[str]], Sequence[Answer]]
    identity: bytes = b""
    service: str = ""
    source_lang: str | None = None
    target_lang: str | None = None
    envelope: int = 0
    most_bytes: int = MOST_BYTES
    most_texts: int = MOST_TEXTS
    billed: bool = True
    tags: bool = False
    note: str | None = None
    terms: Callable[[str], bytes] = no_terms
    untranslated: Callable[[str | None], bool] = lacks_nothing
    strict: bool = False
    helps: bool = False
    room: int = field(init=False)

    def __post_init__(self) -> None:
        room = self.most_bytes - min(HEADROOM, self.most_bytes // 16) - self.envelope
        object.__setattr__(self, "room", room)

    def keys(self, texts: Sequence[str]) -> list[bytes]:
        """The name under which each text's answer is stored; raises UnicodeEncodeError for half a surrogate pair."""
        start = blake2b(self.identity + b"\0", digest_size=KEY_BYTES)
        said = self.terms
        keys = []
        # In one loop and without calls of our own: this is done for every text of a column.
        for text in texts:
            digest = start.copy()
            if said is not no_terms:
                digest.update(said(text))
            digest.update(text.encode())
            keys.append(digest.digest())
        return keys
