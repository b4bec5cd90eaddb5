"""Developer keys as a table, and finding one of them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from svc_nb.errors import one_line
from svc_nb.tabular.report import plural
from svc_nb.tabular.text_column import text_array
from svc_nb.wire.models import DeveloperKey

CAPS = ("characters", "speech_to_text_milliseconds")
MOST_NAMED = 5
NO_LABEL = "(no label)"


def from_keys(keys: Sequence[DeveloperKey]) -> pd.DataFrame:
    """One row for each of *keys*; a missing cap or label means none, and a cap of 0 blocks."""
    columns: dict[str, Any] = {
        "key_id": text_array([key.key_id for key in keys]),
        "label": text_array([key.label for key in keys]),
        "creation_time": _times([key.creation_time for key in keys]),
        "deactivated_time": _times([key.deactivated_time for key in keys]),
        "is_deactivated": np.array([key.is_deactivated for key in keys], dtype=np.bool_),
    }
    for cap in CAPS:
        columns[cap] = pd.array([getattr(key.usage_limits, cap) for key in keys], dtype="Int64")
    return pd.DataFrame(columns)


def caps(key: DeveloperKey) -> dict[str, int | None]:
    """The monthly caps of *key*, by name; None means no cap."""
    return {cap: getattr(key.usage_limits, cap) for cap in CAPS}


def find(keys: Sequence[DeveloperKey], who: str) -> DeveloperKey:
    """The one of *keys* with the id *who*, or the only active one with that label; otherwise a ValueError."""
    if not isinstance(who, str):
        raise TypeError(f"expected the key_id or label of one key, found {type(who).__name__}")
    named = [key for key in keys if key.key_id == who] or [key for key in keys if key.label == who]
    active = [key for key in named if not key.is_deactivated] or named
    if len(active) == 1:
        return active[0]
    if not active:
        raise ValueError(f"there is no key with the key_id or label {shown(who)}. svc_nb.keys.list() lists all keys")
    ids = ", ".join(key.key_id for key in active[:MOST_NAMED]) + (", …" if len(active) > MOST_NAMED else "")
    raise ValueError(f"{len(active)} keys have the label {shown(who)}. Name one by its key_id ({ids})")


def shown(label: str | None) -> str:
    """A label within a sentence: on one line and never long."""
    return repr(one_line(label, limit=60)) if label else NO_LABEL


def _times(moments: Sequence[Any]) -> Any:
    return pd.DatetimeIndex(pd.to_datetime(list(moments), utc=True)).as_unit("s")


def summary(keys: Sequence[DeveloperKey]) -> str:
    """How many keys there are, capped, blocked and deactivated, and what to do next."""
    if not keys:
        return 'There are no developer keys yet. Next: svc_nb.keys.create("a label") creates one.'
    active = [key for key in keys if not key.is_deactivated]
    capped = [key for key in active if any(caps(key).values())]
    blocked = [key for key in active if 0 in caps(key).values()]
    facts = [
        plural(len(keys), "key"),
        f"{len(keys) - len(active):,} deactivated" if len(active) < len(keys) else "",
        f"{len(capped):,} with a cap" if capped else "no caps" if not blocked else "",
        f"{len(blocked):,} blocked" if blocked else "",
    ]
    return (
        f"{', '.join(filter(None, facts))}. Next: change `characters` in a copy (0 blocks, None means no cap), and "
        "svc_nb.keys.set_limits(table, dry_run=True) says what that would do."
    )
