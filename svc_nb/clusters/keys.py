"""What a row and its pair have in common, as one Arrow column."""

from __future__ import annotations

from typing import Any


def keyed(texts: Any, *options: Any) -> Any:
    """A text and its options as one, where there are some; the length before an option tells where it ends."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = pa.large_string()
    whole = texts if isinstance(texts, pa.ChunkedArray) else pa.array(texts, kind)
    for option in reversed(options):
        own = option if isinstance(option, pa.ChunkedArray) else pa.array(option, kind)
        whole = pc.binary_join_element_wise(pc.utf8_length(own).cast(kind), own, whole, pa.scalar(":", kind))
    return whole


def parted(key: str, options: int) -> list[str]:
    """The text and its so many *options* that are one.

    >>> parted("2:DE:Ja: nein", 1), parted("2:DE:3:a:b:Ja", 2)
    (['Ja: nein', 'DE'], ['Ja', 'DE', 'a:b'])
    """
    found = []
    for _ in range(options):
        length, _, rest = key.partition(":")
        found.append(rest[: int(length)])
        key = rest[int(length) + 1 :]
    return [key, *found]
