"""Which parts of the texts in columns would leave this machine, and which would not; nothing is sent.

A report may be saved in a notebook, so it hides the middle of each stretch that it found; `text[start:end]` is the
whole stretch.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pandas as pd

from svc_nb.columns import personal
from svc_nb.columns.protection import EMAIL, KINDS, OF_PEOPLE, PERSONAL, Kind, Protection, merged
from svc_nb.tabular.report import Report, plural
from svc_nb.tabular.text_column import TEXT, Column

COLUMNS = ("row", "position", "kind", "stretch", "start", "end", "leaves")
WHOLE = ("placeholders", "tags")  # no one's data


def protect_report(columns: Iterable[Column], *, protect: Any, names: Any, has_columns: bool = False) -> Report:
    """A row for each stretch of these columns that is protected or personal data; see `.svc.protect_report`."""
    personal.check_installed()
    protection = Protection.of(protect, names)
    rows: list[tuple[Any, ...]] = []
    for column in columns:
        found = [list(_stretches(text, protection)) if text else [] for text in column.texts]
        called = (column.name,) if has_columns else ()
        for place, (label, code) in enumerate(zip(column.labels, column.codes.tolist(), strict=True)):
            rows += [(*called, label, place, *stretch) for stretch in (found[code] if code >= 0 else ())]
    table = pd.DataFrame(rows, columns=pd.Index([*(["column"] if has_columns else []), *COLUMNS]))
    types = {"position": "int64", "kind": TEXT, "stretch": TEXT, "start": "int64", "end": "int64", "leaves": bool}
    kinds = KINDS | (protection.finders if protection else {})
    return Report(table.astype(types), _said(Counter(zip(table["kind"], table["leaves"], strict=True)), kinds))


def _stretches(text: str, protection: Protection | None) -> Iterator[tuple[str, str, int, int, bool]]:
    """The kind of each stretch, how it is shown, its position, and whether it would leave this machine."""
    kinds = {(start, end): kind for start, end, kind in personal.found(text)}
    for kind, finder in protection.finders.items() if protection else ():
        if kind not in (PERSONAL, EMAIL, *OF_PEOPLE):
            for span in finder.find(text):
                kinds.setdefault(span, kind)
    kept = protection.spans(text) if protection else []
    masked = merged(kept) if kept else []
    reached = 0
    for (start, end), kind in sorted(kinds.items(), key=lambda item: (item[0][0], -item[0][1])):
        if end <= reached:  # within the previous one, as a first name is within a full name
            continue
        reached = end
        around = bisect_right(masked, (start, len(text))) - 1
        stays = around >= 0 and masked[around][0] <= start and end <= masked[around][1]
        yield kind, hidden(text[start:end], kind), start, end, not stays


def hidden(stretch: str, kind: str) -> str:
    """A *stretch* in a form that others may see.

    >>> hidden("ann.lee@example.com", "emails"), hidden("DE89370400440532013000", "ibans"), hidden("Ann", "names")
    ('a***@example.com', 'DE***00', 'A***')
    """
    if kind in WHOLE:
        return stretch
    if kind == EMAIL:
        return f"{stretch[0]}***{stretch[stretch.rindex('@') :]}"
    return f"{stretch[:2]}***{stretch[-2:]}" if len(stretch) > 7 else f"{stretch[0]}***"


def _said(counts: Mapping[tuple[str, bool], int], kinds: Mapping[str, Kind]) -> str:
    """What stays here and what would be sent, by kind."""
    stay, leave = (
        {kind: count for (kind, leaves), count in counts.items() if leaves is sent} for sent in (False, True)
    )
    if not counts:
        return "No personal data and no protected text was found."
    staying, leaving = (
        ", ".join(plural(count, kinds[kind].noun, kinds[kind].nouns) for kind, count in those.items())
        for those in (stay, leave)
    )
    stays = f"{staying} {'stays' if sum(stay.values()) == 1 else 'stay'} on this machine" if stay else ""
    leaves = f'{leaving} would be sent. To prevent that, add protect="personal"' if leave else ""
    return "; ".join(filter(None, (stays, leaves))) + "."
