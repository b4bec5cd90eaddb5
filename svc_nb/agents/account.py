"""What an agent may know of the account: its languages, and what was used of it."""

from dataclasses import asdict
from typing import Annotated, Any, Literal

from pydantic import Field

from svc_nb import supported
from svc_nb.session import current
from svc_nb.tabular.records import records
from svc_nb.usage import usage as reported
from svc_nb.wire.languages import target

MOST_SHOWN = 500

Group = Literal["key_and_day", "key", "tag", "tag_and_day", "total"]


def languages() -> dict[str, Any]:
    """List the languages of the service: code, name, whether texts can be in it (`source`) and come out in it
    (`target`), and whether it has formality and glossaries."""
    table = supported.languages()
    kept = [name for name in ("code", "name", "source", "target", "formality", "glossary") if name in table.columns]
    return {"languages": records(table[kept])}


def pairs(
    target_lang: Annotated[str, Field(description='The language to translate into, such as "DE".')],
) -> dict[str, Any]:
    """Say from which languages texts are really translated into one, and by which translator, where that is known.

    From other languages a text would only be marked with the language, NOT TRANSLATED.
    """
    table, code = supported.pairs(), target(target_lang)
    found = table[(table["target_lang"] == code) | table["target_lang"].str.startswith(f"{code}-")]
    return {"pairs": records(found)}


def quota() -> dict[str, Any]:
    """Say what was used in the current period and may be used, in characters, and in documents where they count."""
    used = current().client.account.usage()
    facts = {name: value for name, value in asdict(used).items() if isinstance(value, int) and "speech" not in name}
    return {**facts, **({"period_ends": used.end_time.isoformat()} if used.end_time else {})}


def usage(
    start: Annotated[
        str,
        Field(
            description='The first UTC day (2026-10-31), or "14 days", "this month", "last month"; 30 days if empty.'
        ),
    ] = "",
    end: Annotated[str, Field(description="The last UTC day; today if empty.")] = "",
    group_by: Annotated[Group, Field(description='One row for each of these; "total" is one row in all.')] = "key",
) -> dict[str, Any]:
    """Say who used how much, and when. It needs the administrator's key, which the person sets, never the agent."""
    table = reported(start or None, end or None, group_by=None if group_by == "total" else group_by)
    return {
        "usage": records(table.head(MOST_SHOWN)),
        "total_rows": len(table),
        "said": table.said.partition(" Next: ")[0],
    }
