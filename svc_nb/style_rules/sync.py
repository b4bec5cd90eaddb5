"""Style rule lists as they are on the service: one, whole, or a table of all."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pandas as pd

from svc_nb.errors import BadRequest, NotFound
from svc_nb.language_codes import as_normal
from svc_nb.style_rules.style import Style
from svc_nb.sync.kinds import STYLE
from svc_nb.tabular.column import text_array
from svc_nb.tabular.report import Report, plural
from svc_nb.wire.client import Client

LISTED = ("style_id", "name", "language", "version", "rules", "instructions", "creation_time", "updated_time")


def pull(client: Client, style_id: str) -> Style:
    """One list of the service, by its id or its name, whole; rules that the catalogue does not know are kept."""
    with suppress(NotFound, BadRequest):  # what does not look like an id is a bad request
        return Style.from_noun(client.style_rules.get(style_id))
    return Style.from_noun(client.style_rules.get(STYLE.id_of(style_id, client)))


def listed(client: Client) -> Report:
    """All lists of the account, a row for each, with how many rules and instructions they have."""
    nouns = list(client.style_rules.iterate(detailed=True))
    rows = [
        (
            noun.style_id,
            noun.name,
            as_normal(noun.language),
            noun.version,
            sum(map(len, (noun.configured_rules or {}).values())),
            len(noun.custom_instructions or ()),
            noun.creation_time,
            noun.updated_time,
        )
        for noun in nouns
    ]
    frame = pd.DataFrame(rows, columns=list(LISTED), dtype=object)
    columns: dict[str, Any] = {name: text_array(frame[name].tolist()) for name in LISTED[:3]}
    columns |= {name: frame[name].astype("int64") for name in LISTED[3:6]}
    columns |= {name: frame[name].astype("datetime64[us, UTC]") for name in LISTED[6:]}
    said = f"{plural(len(nouns), 'style rule list')}. Next: svc_nb.style_rules.pull(style_id)"
    none = "There are no style rule lists. Next: make a Style and svc_nb.style_rules.push() it"
    return Report(pd.DataFrame(columns), said if nouns else none)
