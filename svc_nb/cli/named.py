"""Glossaries and style rule lists by what people call them: an id, or a name that is looked up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from svc_nb.cli.failure import Failure, Misuse
from svc_nb.cli.words import close

if TYPE_CHECKING:
    from svc_nb.session import Session


def glossary_id(name: str, session: Session) -> str:
    """The id of a glossary; a name that is not there gets a suggestion."""
    known = [(each.glossary_id, each.name) for each in session.client.glossaries.list()]
    return _one(name, known, what="glossary", command="glossary")


def style_id(name: str, session: Session) -> str:
    """The id of a style rule list; a name that is not there gets a suggestion."""
    known = [(each.style_id, each.name) for each in session.client.style_rules.iterate()]
    return _one(name, known, what="style rule list", command="style")


def _one(name: str, known: Sequence[tuple[str, str]], *, what: str, command: str) -> str:
    found = [identity for identity, called in known if name in (identity, called)]
    if not found:
        meant = close(name, [called for _, called in known]) or f"; `svc-nb {command} list` shows all"
        raise Failure(f"there is no {what} {name!r} on this service{meant}")
    if len(found) > 1 and name not in found:
        raise Misuse(f"{len(found)} of them are called {name!r}: give the id ({', '.join(found)})")
    return name if name in found else found[0]
