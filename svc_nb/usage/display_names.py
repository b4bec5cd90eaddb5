"""The names of keys and tags on a chart: unique for each, and worked out once, not for each row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from svc_nb.errors import one_line
from svc_nb.tabular.text_column import TEXT, Column

Codes = npt.NDArray[np.intp]

NO_LABEL = "(no label)"
NO_TAG = "(no tag)"
ALL_KEYS = "all keys"
PART = 8  # letters of an id


def names(table: pd.DataFrame) -> pd.Series[str]:
    """The name of each row's key or tag: its label, with the mask if the label is not unique; always distinct."""
    codes, found = coded(table)
    cells = pd.array(found, dtype=TEXT).take(codes)
    return pd.Series(cells, index=table.index, name="name")


def coded(table: pd.DataFrame) -> tuple[Codes, list[str]]:
    """For each row the number of its name, and the names in order of first appearance in *table*."""
    if "custom_tag" in table.columns:
        codes, tags = texts_of(table["custom_tag"])
        return codes, apart([one_line(tag) or NO_TAG for tag in tags])
    if not {"api_key", "api_key_label"} & {*table.columns}:
        return np.zeros(len(table), dtype=np.intp), [ALL_KEYS]
    codes, pairs = distinct(table)
    return codes, called(pairs)


def distinct(table: pd.DataFrame) -> tuple[Codes, list[tuple[str, str]]]:
    """For each row the number of its key, and the keys as (mask, label) in order of first appearance."""
    nothing = np.zeros(len(table), dtype=np.intp), [""]
    masks, mask_texts = texts_of(table["api_key"]) if "api_key" in table.columns else nothing
    labels, label_texts = texts_of(table["api_key_label"]) if "api_key_label" in table.columns else nothing
    codes, found = pd.factorize(masks * len(label_texts) + labels)
    where = [divmod(int(number), len(label_texts)) for number in found]
    return codes, [(mask_texts[mask], label_texts[label]) for mask, label in where]


def called(pairs: Sequence[tuple[str, str]]) -> list[str]:
    """The names of keys given as *pairs* of mask and label; distinct pairs get distinct names."""
    labels = [one_line(label) for _, label in pairs]
    counts = Counter(labels)
    masks = [one_line(mask) for mask, _ in pairs]
    shown = [
        label if label and counts[label] == 1 else f"{label or NO_LABEL} ({mask})" if mask else label or NO_LABEL
        for label, mask in zip(labels, masks, strict=True)
    ]
    return apart(shown, masks)


def called_by_id(ids: Sequence[str], labels: Sequence[str], *, masks: Mapping[str, str] | None = None) -> list[str]:
    """The names of keys in a list that has their ids instead of their masks: as on a chart if the label is enough.

    Instead of the mask, these names have "id" and a part of it that is unique among *ids*. *masks* has the masks of
    labels that only one key has on charts: if only one has the label here too, it is the same key and gets the same
    name.

    >>> called_by_id(["7f3a90c1-2:b", "88be12d4-7:c", "0c11a2b3-9:d"], ["Test", "Test", "Shop"])
    ['Test (id 7f3a90c1)', 'Test (id 88be12d4)', 'Shop']
    """
    counts = Counter(labels)
    known = {label: mask for label, mask in (masks or {}).items() if counts[label] == 1}
    # The beginnings of the ids if they are all different, otherwise the ends, otherwise the whole ids.
    parts = list(ids)
    for short in ([key_id[:PART] for key_id in ids], [f"…{key_id[-PART:]}" for key_id in ids]):
        if len({*short}) == len({*ids}):
            parts = short
            break
    marks = [known.get(label, f"id {part}") for label, part in zip(labels, parts, strict=True)]
    return called(list(zip(marks, labels, strict=True)))


def masks_of(table: pd.DataFrame) -> dict[str, str]:
    """The mask of each label that only one key has in *table*."""
    if not {"api_key", "api_key_label"} <= {*table.columns}:
        return {}
    pairs = distinct(table)[1]
    counts = Counter(label for _, label in pairs)
    return {label: mask for mask, label in pairs if counts[label] == 1}


def apart(shown: Sequence[str], masks: Sequence[str] | None = None) -> list[str]:
    """*shown*, with the mask or otherwise a number added to names that are already taken."""
    taken: set[str] = set()
    found = []
    for name, mask in zip(shown, masks or [""] * len(shown), strict=True):
        own = f"{name} ({mask})" if mask and name in taken else name
        number = 1
        while own in taken:
            number += 1
            own = f"{name} #{number}"
        taken.add(own)
        found.append(own)
    return found


def texts_of(cells: pd.Series[Any]) -> tuple[Codes, list[str]]:
    """For each row the number of its text, and the texts; a gap is the empty text, as in a CSV file."""
    column = Column(cells, coerce=True)
    if column.kinds:  # a label such as 2026 that reading a CSV file turned into a number
        column = Column(cells.astype(object).where(cells.notna(), "").astype(str))
    texts = ["" if text is None else text for text in column.texts]
    if not (column.codes < 0).any():
        return column.codes, texts
    texts = [*texts, ""] if "" not in texts else texts
    return np.where(column.codes < 0, texts.index(""), column.codes), texts
