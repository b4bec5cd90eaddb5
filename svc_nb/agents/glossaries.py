"""Glossaries for an agent: read, checked and compared freely, and changed in two steps."""

import secrets
import shlex
from dataclasses import dataclass
from typing import Annotated, Any

import pandas as pd
from mcp.server.mcpserver import Context, Elicit, ElicitationResult, Resolve
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel, ConfigDict, Field

from svc_nb import glossaries
from svc_nb.checks.service_terms import to_dictionaries
from svc_nb.glossaries.diff import Numbered, within
from svc_nb.sync.resources import GLOSSARY, called
from svc_nb.tabular.records import records
from svc_nb.tabular.terms import COLUMNS

MOST_TERMS = 2_000
MOST_SHOWN = 500
MOST_CHANGES = 20


class Term(BaseModel):
    """A term in one language pair."""

    model_config = ConfigDict(extra="forbid")

    source_lang: str
    target_lang: str
    source: str
    target: str


Terms = Annotated[list[Term], Field(min_length=1, max_length=MOST_TERMS, description=f"At most {MOST_TERMS:,} terms.")]
Name = Annotated[str, Field(min_length=1, description="The glossary, by its name or id.")]


@dataclass(frozen=True)
class Change:
    """What an agent was shown of a change: the terms that the glossary is to have, and those it has."""

    glossary: str
    glossary_id: str | None
    wanted: pd.DataFrame
    now: pd.DataFrame
    said: str


# By their tokens, the latest last; a change that was pushed is none any more.
changes: dict[str, Change] = {}


class Answer(BaseModel):
    """What the person says to a change."""

    push: bool = Field(title="Push these changes", description="Whether the glossary is to be changed on the service.")


def glossary_list() -> dict[str, Any]:
    """List the glossaries of the service: id, name, language pairs, number of terms."""
    return {"glossaries": records(glossaries.list())}


def glossary_read(
    glossary: Name,
    source_lang: Annotated[str, Field(description="Only terms from this language.")] = "",
    target_lang: Annotated[str, Field(description="Only terms into this language.")] = "",
    start: Annotated[int, Field(ge=0, strict=True, description="The number of the first term to give, from 0.")] = 0,
) -> dict[str, Any]:
    """Read the terms of a glossary, 500 at a time: `next_start`, where it is given, is the start of the rest."""
    terms = glossaries.pull(glossary)
    for name, code in (("source_lang", source_lang), ("target_lang", target_lang)):
        if code:
            terms = terms[terms[name] == code.strip().upper()]
    end = start + MOST_SHOWN
    more = {"next_start": end} if end < len(terms) else {}
    return {"terms": records(terms.iloc[start:end][[*COLUMNS]]), "total": len(terms), **more}


def glossary_lint(terms: Terms) -> dict[str, Any]:
    """Check terms: "error" is what the service would refuse, "warning" and "info" are what looks wrong."""
    found = glossaries.lint(_table(terms))
    return {"findings": records(found.head(MOST_SHOWN)), "total": len(found)}


def glossary_diff(
    glossary: Annotated[
        str, Field(min_length=1, description="A glossary, by its name or id, or the name of a new one.")
    ],
    terms: Terms,
    remove_others: Annotated[
        bool, Field(description="Whether terms that are not in the list are removed from its language pairs.")
    ] = False,
) -> dict[str, Any]:
    """Say what pushing these terms would add, change and remove. Nothing is changed.

    Terms that the glossary has and the list lacks stay, unless `remove_others` is true. Show the changes to the person.
    `confirm` is what `glossary_push` needs to make exactly them.
    """
    table = _table(terms)
    known = glossaries.list()
    ids = list(zip(known["glossary_id"], known["name"], strict=True))
    glossary_id = glossary if glossary in dict(ids) else GLOSSARY.named(glossary, ids)
    now = glossaries.pull(glossary_id) if glossary_id else _table([])
    wanted = table if remove_others else glossaries.merge(_table([]), table, now, prefer="mine").table
    to_dictionaries(wanted)  # what the service would refuse is an error
    found = glossaries.diff(wanted, within(now, set(Numbered(wanted).pairs)))
    counts = {change: int((found["change"] == change).sum()) for change in ("added", "changed", "removed")}
    facts = {
        "new_glossary": glossary_id is None,
        "counts": counts,
        "changes": records(found.head(MOST_SHOWN)),
        "changes_not_shown": max(len(found) - MOST_SHOWN, 0),
    }
    if glossary_id and not len(found):
        return {**facts, "confirm": None, "next": "There is nothing to push."}
    said = ", ".join(f"{count:,} {change}" for change, count in counts.items())
    said = f"{'change' if glossary_id else 'make'} the glossary {called(glossary)}: {said}"
    confirm = secrets.token_hex(4)
    changes[confirm] = Change(glossary, glossary_id, wanted, now, said)
    for token in list(changes)[:-MOST_CHANGES]:
        changes.pop(token, None)
    then = "If the person agrees to these changes, call glossary_push with the same glossary and this confirm."
    return {**facts, "confirm": confirm, "next": then}


async def _asked(call: Context[Any, Any], glossary: str, confirm: str) -> Answer | Elicit[Answer]:
    """The person's answer, where the client can ask for it; else who gives the token has it."""
    elicitation = call.client_capabilities and call.client_capabilities.elicitation
    can_ask = elicitation and (elicitation.form is not None or elicitation.url is None)
    return Elicit(f"svc_nb is to {_shown(glossary, confirm).said}. Push?", Answer) if can_ask else Answer(push=True)


def glossary_push(
    glossary: Name,
    confirm: Annotated[str, Field(description="What `glossary_diff` gave with the changes that the person has seen.")],
    answer: Annotated[ElicitationResult[Answer], Resolve(_asked)],
) -> dict[str, Any]:
    """Make the changes on the service that `glossary_diff` showed last, once the person agrees to them.

    What others have changed on the service since is kept; where both changed the same term, nothing is pushed. A backup
    is kept, and a person can take the push back with the command in `undo`.
    """
    change = _shown(glossary, confirm)
    if answer.action != "accept" or not answer.data.push:
        changes.pop(confirm, None)
        raise ToolError("Nothing was pushed: the person did not agree. Ask what should be different")
    pushed = glossaries.push(
        change.wanted,
        None if change.glossary_id else change.glossary,
        glossary_id=change.glossary_id,
        base=change.now,
    )
    changes.pop(confirm, None)
    return {
        "said": pushed.said.partition(" Next: ")[0],
        "glossary_id": pushed.glossary_id,
        "steps": records(pushed),
        "undo": f"svc-nb glossary undo {shlex.quote(pushed.glossary_id or '')}",
    }


def _shown(glossary: str, confirm: str) -> Change:
    """The change with this token; ToolError where none of that glossary was shown."""
    change = changes.get(confirm)
    if change is None or change.glossary != glossary:
        which = "is not one that glossary_diff gave" if change is None else f"is for {called(change.glossary)}"
        raise ToolError(
            f"Nothing was pushed: confirm {which}. Call glossary_diff, show the changes to the person, and push with "
            "the confirm that it gives"
        )
    return change


def _table(terms: list[Term]) -> pd.DataFrame:
    return pd.DataFrame([term.model_dump() for term in terms], columns=[*COLUMNS], dtype="str")
