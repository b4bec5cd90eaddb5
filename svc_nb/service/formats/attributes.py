"""The attributes of a tag, where they stand in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_ATTRIBUTE = re.compile(r"""(?<=[\s"'/])([^\s=/>"']++)(\s*+=\s*+)("[^"]*+"|'[^']*+'|[^\s"'>]++)""")


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute: its name as written, its value without quotes, and the span of the quoted value in the tag."""

    name: str
    value: str
    start: int
    end: int


def attributes(tag: str) -> Iterator[Attribute]:
    """Yield the attributes of *tag* that have a value, in order."""
    for found in _ATTRIBUTE.finditer(tag):
        raw = found[3]
        yield Attribute(found[1], raw[1:-1] if raw[0] in "\"'" else raw, found.start(3), found.end(3))


def value_of(tag: str, name: str) -> str:
    """Return the value of the attribute *name*, in any case, or nothing."""
    return next((each.value for each in attributes(tag) if each.name.lower() == name.lower()), "")


def with_value(tag: str, name: str, value: str) -> str:
    """Return *tag* with the attribute *name* set to *value*, at its place or at the end."""
    for each in attributes(tag):
        if each.name.lower() == name.lower():
            return f'{tag[: each.start]}"{value}"{tag[each.end :]}'
    body = tag[:-1].rstrip("/ ")
    return f'{body} {name}="{value}"{tag[len(body) :].lstrip()}'
