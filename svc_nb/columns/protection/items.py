"""What `protect=` may hold: kinds of stretches, names and patterns; and texts with what they find."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

from svc_nb.columns.protection import addresses, placeholders, tags
from svc_nb.columns.protection.masks import Masked
from svc_nb.columns.protection.names import Names
from svc_nb.columns.protection.spans import Find, Span, matches_of, merged
from svc_nb.engine.plan import sendable

ALL = "all"


class _Finder(NamedTuple):
    """What finds stretches; a text that holds none of the *hints* has none."""

    hints: Sequence[str]
    find: Find


KINDS: dict[str, _Finder] = {
    "placeholders": _Finder(placeholders.HINTS, placeholders.placeholders),
    "tags": _Finder(tags.HINTS, tags.tags),
    "urls": _Finder(addresses.URL_HINTS, addresses.urls),
    "emails": _Finder(addresses.EMAIL_HINTS, addresses.emails),
}
_MEANT = {
    "variables": "placeholders",
    "html": "tags",
    "xml": "tags",
    "markup": "tags",
    "links": "urls",
    "mails": "emails",
    "e-mails": "emails",
}


class Protection:
    """What is to be kept as it is: kinds of stretches, names, and what patterns match.

    *protect* is "all" or items: the kinds "placeholders", "tags", "urls", "emails"; names, which are found as whole
    words in their own case; compiled patterns. With *tag_handling* tags are the service's business: "all" leaves them
    out, and to ask for both raises ValueError.
    """

    @classmethod
    def of(cls, protect: Any, *, tag_handling: str | None = None) -> Protection | None:
        """What *protect* asks for; None where it asks for nothing."""
        if isinstance(protect, Protection):
            return protect
        made = None if protect is None else cls(protect, tag_handling=tag_handling)
        return made if made and made._finders else None

    def __init__(self, protect: Any, *, tag_handling: str | None = None) -> None:
        kinds, names, patterns = _sorted_out(protect)
        if tag_handling and "tags" in kinds:
            raise ValueError(
                f'protect: "tags" cannot be combined with tag_handling={tag_handling!r}, for with that the service '
                'keeps tags itself. Leave out one of the two; "all" does not mean tags then.'
            )
        if ALL in kinds:
            kinds = {*KINDS} - ({"tags"} if tag_handling else set())
        self._finders = [KINDS[kind] for kind in KINDS if kind in kinds]
        self._finders += [_Finder(("",), matches_of(pattern)) for pattern in patterns]
        if names:
            found = Names(names)
            self._finders.append(_Finder(found.hints, found.spans))

    def masked(self, texts: Sequence[str | None]) -> list[Masked | None]:
        """Each text with its stretches; None where there are none."""
        return [self._masked(text) if text else None for text in texts]

    def _masked(self, text: str) -> Masked | None:
        spans: list[Span] = []
        for hints, find in self._finders:
            for hint in hints:
                if hint in text:
                    spans += find(text)
                    break
        # Half a surrogate pair has no form in a column of texts either: what holds one must fail, masked or not.
        return Masked(text, merged(spans)) if spans and sendable(text) else None


def _sorted_out(protect: Any) -> tuple[set[str], list[str], list[re.Pattern[str]]]:
    """The kinds, the names and the patterns among the items of *protect*."""
    # A frame would be taken for the names of its columns.
    single = (
        isinstance(protect, str | re.Pattern)
        or not isinstance(protect, Iterable)
        or hasattr(protect, "columns")
    )
    items: list[Any] = [protect] if single else list(protect)
    patterns = [item for item in items if isinstance(item, re.Pattern) and isinstance(item.pattern, str)]
    texts = [item for item in items if isinstance(item, str)]
    if len(patterns) + len(texts) < len(items):
        wrong = next(
            item for item in items if not isinstance(item, str) and not any(item is one for one in patterns)
        )
        raise TypeError(
            f'protect: expected "all" or a list of {_told(KINDS)}, names and compiled patterns of text, found '
            f"{'a pattern of bytes' if isinstance(wrong, re.Pattern) else type(wrong).__name__} in it"
        )
    kinds = {text for text in texts if text in KINDS or text == ALL}
    return kinds, [_name(text) for text in texts if text not in kinds], patterns


def _name(text: str) -> str:
    """*text* as a name; raises ValueError where it is blank, or must be a slip in the name of a kind."""
    name = text.strip()
    if not name:
        raise ValueError("protect: expected a kind, a name or a pattern, found a blank text; leave it out")
    if meant := _meant(name):
        raise ValueError(
            f'protect: there is no kind {name!r}; did you mean "{meant}"? The kinds are {_told(KINDS)}. '
            f"If it is a name to keep, pass re.compile({re.escape(name)!r})."
        )
    return name


def _meant(name: str) -> str | None:
    """The kind that was meant by what is no kind, if one was: written in lower case or just as a kind is."""
    words = {**{kind: kind for kind in KINDS}, **_MEANT}
    if (word := name.lower()) in (*words, ALL):
        return words.get(word, ALL)
    close = get_close_matches(name, words, n=1, cutoff=0.8) if name.islower() else []
    return words[close[0]] if close else None


def _told(kinds: Iterable[str]) -> str:
    return ", ".join(f'"{kind}"' for kind in kinds)
