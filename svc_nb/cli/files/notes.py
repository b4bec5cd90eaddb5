"""What programs note in a Parquet file about its columns: the notes get the columns that are added."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

Told = dict[str, Any]
UNICODE = {
    "name": None,
    "field_name": None,
    "pandas_type": "unicode",
    "numpy_type": "object",
    "metadata": None,
}


def extended(notes: Mapping[bytes, bytes], added: Mapping[str, str]) -> dict[bytes, bytes]:
    """*notes* with the columns that are *added*, each made from another; what cannot be read stays as it is.

    pandas, Spark and the datasets library read a file by their own notes: a column that these lack comes back wrong,
    or not at all.
    """
    return {name: _extended(name, note, added) for name, note in notes.items()}


def _extended(name: bytes, note: bytes, added: Mapping[str, str]) -> bytes:
    if name not in NOTES:
        return note
    try:
        told = json.loads(note)
        NOTES[name](told, added)
    except (ValueError, TypeError, KeyError, AttributeError):
        return note
    return json.dumps(told).encode()


def _pandas(told: Told, added: Mapping[str, str]) -> None:
    columns = {each["field_name"]: each for each in told["columns"]}
    for name, column in added.items():
        told["columns"].append(_pandas_column(columns[column], name))
    names, *levels = told["column_indexes"] or [UNICODE]
    if levels:  # which a name that is added has not
        told["column_indexes"] = [UNICODE]
    elif names["pandas_type"] not in ("unicode", "string", "object", "mixed", "empty"):
        # Names that were numbers are texts from now on, for those that are added are no numbers.
        told["column_indexes"] = [{**UNICODE, "name": names["name"], "field_name": names["field_name"]}]


def _pandas_column(made_from: Told, name: str) -> Told:
    named = {**made_from, "name": name, "field_name": name}
    if made_from["pandas_type"] == "categorical":
        return {**named, "metadata": {**(made_from["metadata"] or {}), "ordered": False}}
    return {**named, "pandas_type": "unicode"}


def _spark(told: Told, added: Mapping[str, str]) -> None:
    told["fields"] += [{"name": name, "type": "string", "nullable": True, "metadata": {}} for name in added]


def _datasets(told: Told, added: Mapping[str, str]) -> None:
    told["info"]["features"].update({name: {"dtype": "string", "_type": "Value"} for name in added})


NOTES: dict[bytes, Callable[[Told, Mapping[str, str]], None]] = {
    b"pandas": _pandas,
    b"org.apache.spark.sql.parquet.row.metadata": _spark,
    b"huggingface": _datasets,
}
