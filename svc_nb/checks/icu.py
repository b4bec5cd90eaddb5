"""ICU messages such as `{count, plural, one {# item} other {# items}}`: their names, kinds and arms, not their text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

HEAD = re.compile(
    r"\{\s*(?P<name>\w+)\s*,\s*(?P<kind>plural|selectordinal|select|number|date|time)\s*(?P<next>[,}])"
)
ARM = re.compile(r"\s*(?:offset:\d+\s*)?(?P<arm>=\d+|\w+)\s*\{")
PLURALS = frozenset({"zero", "one", "two", "few", "many", "other"})


class Message(NamedTuple):
    """One message: where it stands, what it is called, and its arms with their texts; `whole` if it was closed."""

    start: int
    end: int
    name: str
    kind: str
    arms: dict[str, str]
    whole: bool

    @property
    def has_arms(self) -> bool:
        """Whether it chooses between texts."""
        return self.kind in ("plural", "selectordinal", "select")


def messages(text: str) -> Iterator[Message]:
    """The outermost messages of *text*."""
    place = 0
    while head := HEAD.search(text, place):
        found = _message(text, head)
        yield found
        place = found.end


def _message(text: str, head: re.Match[str]) -> Message:
    name, kind = head["name"], head["kind"]
    if head["next"] == "}" or kind in ("number", "date", "time"):
        end = head.end() if head["next"] == "}" else _closing(text, head.end())
        return Message(head.start(), end, name, kind, {}, end <= len(text) and text[end - 1] == "}")
    arms: dict[str, str] = {}
    place = head.end()
    while arm := ARM.match(text, place):
        place = _closing(text, arm.end())
        arms[arm["arm"]] = text[arm.end() : place - 1]
    rest = re.compile(r"\s*\}").match(text, place)
    return Message(head.start(), rest.end() if rest else len(text), name, kind, arms, rest is not None)


def _closing(text: str, place: int) -> int:
    """Where the brace that was opened before *place* has been closed; the end of *text* where it never is."""
    depth = 1
    for here in range(place, len(text)):
        depth += (text[here] == "{") - (text[here] == "}")
        if not depth:
            return here + 1
    return len(text)


def trouble(source: Message, target: Message) -> str | None:
    """What is wrong with the arms of *target*; None where nothing is."""
    if not target.whole:
        return "its braces are not closed"
    if not target.has_arms:
        return None
    if "other" not in target.arms:
        return "the arm “other” is missing"
    named = {arm for arm in target.arms if not arm.startswith("=")}
    if target.kind == "select":
        lost, new = sorted(source.arms.keys() - target.arms), sorted(target.arms.keys() - source.arms)
        return _told(lost, new)
    return _told(sorted(_exact(source) - _exact(target)), sorted(named - PLURALS))


def _exact(message: Message) -> set[str]:
    return {arm for arm in message.arms if arm.startswith("=")}


def _told(lost: list[str], new: list[str]) -> str | None:
    told = [f"{what} {', '.join(arms)}" for what, arms in (("lost", lost), ("unknown:", new)) if arms]
    return "; ".join(told) or None
