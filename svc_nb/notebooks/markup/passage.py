"""A passage with words and tags as a segment: written back in the first way that reads as it should."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from svc_nb.notebooks.markup.inline import Content
from svc_nb.notebooks.markup.view import View
from svc_nb.notebooks.segment import Refused, Segment
from svc_nb.notebooks.tags import Part, returned, runs, with_runs, xml

Way = Callable[[Sequence[Part], Sequence[int]], list[str]]
Right = Callable[[str, Sequence[Part]], bool]


def passage(
    view: View,
    content: Content,
    kind: str,
    *,
    ways: Sequence[Way],
    right: Right,
    finish: Callable[[str], str] = str,
) -> Segment:
    """A segment for all of a view.

    An answer is written in each of the *ways* in turn, until it is *right*: read again, it has the same structure and
    says what the answer says. *finish* is done to each line at the end.
    """
    sent: Sequence[Part] = content.parts
    widths = [end - start for start, end in view.spans]

    def written(parts: Sequence[Part]) -> str:
        if not content.said(parts):
            raise Refused("the answer is empty")
        for way in ways:
            lines = way(parts, widths)
            if all(lines) and len(lines) <= len(widths) and right("\n".join(lines), parts):
                return view.placed([finish(line) for line in lines])
        raise Refused("the answer would be read as syntax")

    return Segment(
        view.spans[0][0],
        view.spans[-1][1],
        text=xml(sent),
        kind=kind,
        line=view.number(0),
        put=lambda answer: written(returned(answer, sent)),
        runs=runs(sent),
        put_runs=lambda answers: written(with_runs(sent, answers)),
    )
