"""What is asked for a document, checked before anything is sent: the contract's ranges and exclusions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from svc_nb.errors import did_you_mean
from svc_nb.sync.kinds import GLOSSARY, STYLE
from svc_nb.wire import languages
from svc_nb.wire.client import Client
from svc_nb.wire.models import DocumentOptions
from svc_nb.wire.models.documents import DOCUMENT_OPTIONS
from svc_nb.wire.models.text import FORMALITIES

MOST_GLOSSARIES = 5


def checked_options(given: Mapping[str, Any], client: Client | None = None) -> DocumentOptions:
    """The options in *given*, checked; None leaves one to the service. Raises TypeError or ValueError.

    *client* is asked about a language that not every service has.
    """
    for name in given:
        if name not in DOCUMENT_OPTIONS:
            raise TypeError(f"{name}: documents have no such option. {did_you_mean(name, DOCUMENT_OPTIONS)}")
    options = DocumentOptions(**given)
    for name in DOCUMENT_OPTIONS:
        _check_type(name, getattr(options, name))
    _check_values(options)
    if options.source_lang is None:
        return options
    spoken = languages.source(options.source_lang, client)
    return replace(options, source_lang=languages.sent_source(spoken))


def with_ids(given: Mapping[str, Any], client: Client) -> dict[str, Any]:
    """*given* with ids in place of the `glossary` and the `style` that a person gives by name or id.

    A table of terms is refused: the service needs it for as long as a document takes, and this process may end before.
    """
    options = dict(given)
    for name, kind in (("glossary", GLOSSARY), ("style", STYLE)):
        wanted = options.pop(name, None)
        if wanted is None:
            continue
        if options.get(f"{name}_id") is not None or options.get(f"{name}_ids") is not None:
            raise ValueError(f"{name} and {name}_id exclude each other: give one of them")
        if isinstance(wanted, list | tuple) and kind is GLOSSARY:
            known = list(kind.listed(client))
            ids = [kind.find(each, known) for each in wanted]
            options |= {"glossary_id": ids[0]} if len(ids) == 1 else {"glossary_ids": ids}
        elif isinstance(wanted, str):
            options[f"{name}_id"] = kind.id_of(wanted, client)
        else:
            advice = "; push a table first, svc_nb.glossaries.push(table, name)" if kind is GLOSSARY else ""
            raise TypeError(
                f"{name}: documents take the name or id of a {kind.one}, found {type(wanted).__name__}{advice}"
            )
    return options


def target_code(code: object, client: Client | None = None) -> str:
    """The code of the language to translate into, which is safe in the name of a file too."""
    if not isinstance(code, str):
        raise TypeError(f"target_lang: expected a language such as 'DE', found {type(code).__name__}")
    return languages.target(code, client)


def check_pair(options: DocumentOptions, target_lang: str) -> None:
    """Raise ValueError when there is nothing to translate."""
    if options.source_lang and options.source_lang.lower() == target_lang.lower():
        raise ValueError(f"source_lang and target_lang are both {target_lang}: there is nothing to translate")


def _check_type(name: str, value: object) -> None:
    kinds: dict[str, tuple[type, str]] = {
        "glossary_ids": (tuple, "a list of ids"),
        "translation_memory_threshold": (int, "a whole number from 0 to 100"),
        "enable_watermark": (bool, "True or False"),
    }
    kind, expected = kinds.get(name, (str, "a string"))
    wrong_bool = isinstance(value, bool) and kind is not bool
    if value is not None and (not isinstance(value, kind) or wrong_bool):
        raise TypeError(f"{name}: expected {expected}, found {type(value).__name__}")
    if name == "glossary_ids" and not all(isinstance(each, str) for each in value or ()):  # type: ignore[attr-defined]
        raise TypeError("glossary_ids: expected a list of ids, each a string")


def _check_values(options: DocumentOptions) -> None:
    if options.glossary_id is not None and options.glossary_ids is not None:
        raise ValueError("glossary_id and glossary_ids exclude each other: name all in glossary_ids")
    if options.glossary_ids is not None and not 1 <= len(options.glossary_ids) <= MOST_GLOSSARIES:
        raise ValueError(
            f"glossary_ids: expected 1 to {MOST_GLOSSARIES} glossaries, found {len(options.glossary_ids)}"
        )
    if any("," in each or not each for each in options.glossary_ids or ()):
        raise ValueError("glossary_ids: expected ids, found an empty one or one with a comma in it")
    if (options.glossary_id or options.glossary_ids) and not options.source_lang:
        raise ValueError("A glossary needs source_lang: it cannot be combined with finding out the language")
    if options.formality is not None and options.formality not in FORMALITIES:
        raise ValueError(
            f"formality: expected one of {', '.join(FORMALITIES)}, found {options.formality[:40]!r}"
        )
    threshold = options.translation_memory_threshold
    if threshold is not None and not 0 <= threshold <= 100:
        raise ValueError(f"translation_memory_threshold: expected 0 to 100, found {threshold}")
