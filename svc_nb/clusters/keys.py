"""What a row and its pair have in common, as one Arrow column."""

from __future__ import annotations

from typing import Any


def keyed(texts: Any, languages: Any = None) -> Any:
    """A text and its language as one, where there are languages; the length before it tells where the language ends."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = pa.large_string()
    whole = texts if isinstance(texts, pa.ChunkedArray) else pa.array(texts, kind)
    if languages is None:
        return whole
    named = languages if isinstance(languages, pa.ChunkedArray) else pa.array(languages, kind)
    return pc.binary_join_element_wise(pc.utf8_length(named).cast(kind), named, whole, pa.scalar(":", kind))


def parted(key: str) -> tuple[str, str]:
    """The text and the language that are one.

    >>> parted("2:DE:Ja: nein")
    ('Ja: nein', 'DE')
    """
    length, _, rest = key.partition(":")
    return rest[int(length) + 1 :], rest[: int(length)]
