"""One text in a source, how it is sent and how its answer is put back: edits in place, each checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass


class Refused(Exception):
    """An answer that cannot be put back; the text says why, in a few words."""


@dataclass(frozen=True, eq=False)
class Segment:
    """The characters *start* to *end* of a source, and the text in them.

    `text` is what is sent: XML (`&`, `<` and `>` escaped), with numbered tags for what has to stay (`<b1>…</b1>` around
    a text, `<x2/>` alone). `put` makes of an answer, XML too, what replaces the characters; it raises Refused where a
    tag was lost, doubled or crossed. `runs` are the texts between the tags, to be sent one by one where the answer as a
    whole was refused, and `put_runs` makes the replacement of their answers.
    """

    start: int
    end: int
    text: str
    kind: str
    line: int  # of the source, from 1
    put: Callable[[str], str]
    runs: Sequence[str] = ()
    put_runs: Callable[[Sequence[str]], str] | None = None


def replaced(source: str, edits: Mapping[Segment, str]) -> str:
    """The source with every segment's characters replaced; segments do not overlap."""
    done, at = [], 0
    for segment, new in sorted(edits.items(), key=lambda edit: edit[0].start):
        done += [source[at : segment.start], new]
        at = segment.end
    return "".join([*done, source[at:]])


def kept(
    source: str,
    known: Mapping[Segment, str],
    more: Sequence[tuple[Segment, str]],
    holds: Callable[[str], bool],
) -> dict[Segment, str]:
    """The *known* edits and as many *more* as the law allows; *holds* says whether a result obeys it.

    Where not all edits can be made together, halves are tried, so that few bad ones cost few checks.
    """
    together = {**known, **dict(more)}
    if not more or holds(replaced(source, together)):
        return together
    if len(more) == 1:
        return dict(known)
    half = len(more) // 2
    return kept(source, kept(source, known, more[:half], holds), more[half:], holds)
