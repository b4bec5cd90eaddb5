"""The options that shape a translation, for every command that translates."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from svc_nb.cli.place import is_file
from svc_nb.cli.words import Parser
from svc_nb.language_codes import base_code, listed
from svc_nb.wire.models.translation import FORMALITIES


def languages(parser: Parser, *, column: bool = True) -> None:
    """Add the languages, from and into; with *column* the first may stand in a column."""
    add = parser.add_argument
    add(
        "--to",
        metavar="LANG",
        nargs="+",
        required=True,
        help="the languages to translate into: DE, EN-US, German",
    )
    texts = "the language of the texts"
    add(
        "--from",
        dest="source",
        metavar="LANG",
        help=f"{texts}, a column that has it, or detect" if column else texts,
    )


def shaping(parser: Parser, *, table: bool = False) -> None:
    """Add the options of the service that people use; of a *table* also those that only cells can have."""
    add = parser.add_argument_group("translation").add_argument
    add("--glossary", metavar="NAME", help="a glossary of the service, by its name or id, or a file of terms")
    add("--style", metavar="NAME", help="a style rule list of the service, by its name or id")
    add("--formality", choices=FORMALITIES, metavar="HOW", help=f"one of {', '.join(FORMALITIES)}")
    about = "what the texts are about; it is not translated and not billed"
    add("--context", metavar="TEXT", help=f"{about}; or a column that has it" if table else about)
    if table:
        add("--tag-handling", choices=("xml", "html"), help="how tags in the texts are kept by the service")
    add(
        "--protect", metavar="WHAT", nargs="+",
        help="what must come out as it is: placeholders, tags, urls, emails, all, or names",
    )  # fmt: skip
    add("--tag", metavar="TAG", help="the reporting tag to book the characters under")
    add("--budget", metavar="N", type=characters, help="the most characters to pay for: a hard stop")
    add("--plan", action="store_true", help="only say what would be done and what it costs; nothing is paid")
    add(
        "--price",
        metavar="AMOUNT",
        type=float,
        help="what a million characters cost, to see the cost in the plan",
    )


def characters(text: str) -> int:
    """A number of characters, with or without separators."""
    import argparse

    plain = text.replace(",", "").replace("_", "")
    if not plain.isdecimal():
        raise argparse.ArgumentTypeError(f"expected a whole number of characters, found {text!r}")
    return int(plain)


def share(text: str) -> float:
    """A number from 0 to 1."""
    import argparse

    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise argparse.ArgumentTypeError(f"expected a number from 0 to 1, found {text!r}")
    return number


def targets(options: Namespace) -> list[str]:
    """The codes of the languages to translate into; "DE,FR" counts as two. Nobody is asked yet."""
    from svc_nb.wire.languages import target

    return list(dict.fromkeys(target(part) for each in options.to for part in listed(each)))


def glossary(given: str, source: str | None, to: Sequence[str]) -> Any:
    """What --glossary says: the terms in a file, or the name or the id of a glossary of the service.

    The languages *source* and *to*, where there is one, are those of terms whose own a file does not tell.
    """
    from svc_nb import glossaries
    from svc_nb.glossaries.files import SUFFIXES

    if Path(given).suffix.lower() not in SUFFIXES or not is_file(given):
        return given
    source_lang = source if base_code(source or "") else None
    return glossaries.read(given, source_lang=source_lang, target_lang=to[0] if len(to) == 1 else None)


def fields(options: Namespace) -> dict[str, Any]:
    """The options by the names that `.svc.translate` has."""
    given = {
        "source_lang": options.source,
        "formality": options.formality,
        "context": options.context,
        "tag_handling": getattr(options, "tag_handling", None),
        "protect": options.protect,
        "reporting_tag": options.tag,
        "budget": options.budget,
        "glossary": options.glossary and glossary(options.glossary, options.source, targets(options)),
        "style": options.style,
    }
    return {name: value for name, value in given.items() if value is not None}
