"""The kinds of things that an account keeps on the service, and how a person names one: by its id, or by its name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from svc_nb.errors import NotFound
from svc_nb.wire.client import Client

MOST_NAMED = 5
LONGEST_NAME = 60

# Ids, each with its name.
Known = Iterable[tuple[str, str]]


@dataclass(frozen=True)
class Kind:
    """What *one* and *many* of them are called, how all are listed and one is deleted, and how a person *sees* all."""

    one: str
    many: str
    sees: str
    listed: Callable[[Client], Known]
    delete: Callable[[Client, str], object]

    def id_of(self, given: str, client: Client) -> str:
        """The id of the one that is meant by an id or a name; see `find`."""
        return self.find(given, self.listed(client))

    def find(self, given: str, known: Known) -> str:
        """The id among those *known* that is *given* or, where none is, the one with that name.

        Raises NotFound, with a suggestion, where there is none, and ValueError, with the ids, where several are called
        so.
        """
        if not isinstance(given, str):
            raise TypeError(f"expected the id or the name of a {self.one}, found {type(given).__name__}")
        pairs = list(known)
        if any(each == given for each, _ in pairs):
            return given
        found = self.named(given, pairs)
        if found is None:
            raise NotFound(
                f"There is no {self.one} {called(given)} on this service{self._meant(given, pairs)}",
                status=404,
            )
        return found

    def named(self, name: str | None, known: Known) -> str | None:
        """The id of the only one with that name; None where there is none, ValueError where there are several."""
        ids = [each for each, own in known if own == name]
        if len(ids) > 1:
            shown = ", ".join(ids[:MOST_NAMED]) + (", …" if len(ids) > MOST_NAMED else "")
            raise ValueError(
                f"{len(ids)} {self.many} are called {called(name or '')}: give the id of the one you mean ({shown}); "
                f"{self.sees}"
            )
        return ids[0] if ids else None

    def _meant(self, given: str, pairs: Known) -> str:
        """The end of the sentence: what is called nearly so, and where to look."""
        names = {own.casefold(): own for _, own in pairs}
        near = get_close_matches(given.casefold(), names, n=1)
        return f". Did you mean {called(names[near[0]])}? {self.sees}" if near else f"; {self.sees}"


def called(name: str) -> str:
    """A name within a sentence: as it really is, blanks and all, but never long."""
    return repr(name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…")


GLOSSARY = Kind(
    "glossary",
    "glossaries",
    "svc_nb.glossaries.list() shows the glossaries there are",
    lambda client: ((each.glossary_id, each.name) for each in client.glossaries.list()),
    lambda client, glossary_id: client.glossaries.delete(glossary_id),
)
STYLE = Kind(
    "style rule list",
    "style rule lists",
    "svc_nb.style_rules.list() shows the lists there are",
    lambda client: ((each.style_id, each.name) for each in client.style_rules.iterate()),
    lambda client, style_id: client.style_rules.delete(style_id),
)
MEMORY = Kind(
    "translation memory",
    "translation memories",
    "svc_nb.memories.list() shows the memories there are",
    lambda client: ((each.translation_memory_id, each.name) for each in client.memories.list()),
    lambda client, memory_id: client.memories.delete(memory_id),
)
SPOKEN_TERMS = Kind(
    "collection of spoken terms",
    "collections of spoken terms",
    "svc_nb.spoken_terms.list() shows the collections there are",
    lambda client: ((each.spoken_terms_id, each.name) for each in client.spoken_terms.list()),
    lambda client, spoken_terms_id: client.spoken_terms.delete(spoken_terms_id),
)
