"""What the methods of `.svc` take by name, and how their help tells of it once for all."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypedDict, TypeVar

from svc_nb.signatures import shows

Method = TypeVar("Method", bound=Callable[..., Any])
DOTS = re.compile(r"^\.\.\.$", re.MULTILINE)


class RowFields(TypedDict, total=False):
    """How a job treats its rows."""

    errors: str
    budget: float | None
    skip: Collection[str] | None
    again: Any


class ImproveFields(RowFields, total=False):
    """What rephrasing and correcting take by name besides their styles."""

    reporting_tag: str | None


class DetectFields(RowFields, total=False):
    """What a detection takes by name."""

    min_confidence: float | None


class Fields(RowFields, total=False):
    """What a translation takes by name; the options have the service's own names."""

    source_lang: Any
    protect: Any
    reporting_tag: str | None
    formality: str | None
    glossary: Any
    style: str | None
    glossary_id: str | None
    glossary_ids: Sequence[str] | None
    style_id: str | None
    custom_instructions: Sequence[str] | None
    context: Any
    model_type: str | None
    tag_handling: str | None
    tag_handling_version: str | None
    outline_detection: bool | None
    non_splitting_tags: Sequence[str] | None
    splitting_tags: Sequence[str] | None
    ignore_tags: Sequence[str] | None
    split_sentences: str | None
    preserve_formatting: bool | None
    translation_memory_id: str | None
    translation_memory_threshold: int | None
    enable_beta_languages: bool | None


TOLD = {
    "source_lang": """
        What the texts are in: a language, one for each row (a Series or a list), or on a frame the name of a column.
        None and "detect" ask the service to detect it first, which is free; what is in the target language already is
        left alone, unless `skip` says otherwise.""",
    "context": """
        What the texts are about; it is neither translated nor billed. One text for all, one per row (a Series or a
        list), or on a frame the name of a column. A request has one context: with many different ones there are many
        small requests, which `plan` counts.""",
    "glossary": """
        A glossary of the service, by its name or id; a table of terms, as `svc_nb.glossaries.read` gives; or a list of
        up to five of them. A table is put on the service only while texts are sent with it, and removed again.""",
    "style": """
        A style rule list of the service, by its name or id.""",
    "errors": """
        "raise" does all that can be done and then raises what failed; "coerce" leaves gaps in its place.
        `svc_nb.last_run()` knows what came of every row.""",
    "budget": """
        The most characters to pay for: a hard stop. What was done is returned and kept. 0 sends nothing and takes only
        what is stored.""",
    "skip": """
        The rules that keep a text from being sent and paid for: "blank", "no_letters", "emoji", "url", "email",
        "same_language". None is all of them, `()` sends everything. What is skipped passes through as it is.""",
    "again": """
        Which rows to ask the service for even if their answer is stored: True for all, or row labels, or a truth value
        for each row. They are paid for again; a person's own wording stays (`svc_nb.store.correct`).""",
    "protect": """
        What must come out as it is: "placeholders" ({x}, %s, ICU), "tags", "urls", "emails", names (whole words, in
        their own case) and compiled patterns, one or a list; "all" is all four kinds. It is masked, so a text that
        differs in nothing else is paid for once. A row that loses its masks is sent again with other ones, and then
        fails with the reason "protection_lost". What holds no letter besides is not sent. With tag_handling tags are
        kept by the service: "all" leaves them out then, and "tags" is refused.""",
    "min_confidence": """
        From 0 to 1: what was detected with less is a gap, with the reason "min_confidence". A service that tells no
        confidence gives gaps only.""",
    "progress": """
        Whether to paint a bar.""",
    "reporting_tag": """
        The tag to book the characters under.""",
    "formality": """
        What else shapes the translation: every option of the service, by its own name.""",
}
# Of a table that another engine holds.
ELSEWHERE = {
    "source_lang": """
        What the texts are in: a language, or the name of a column that has the language of every row. None and
        "detect" ask the service to detect it first, which is free; what is in the target language already is left
        alone, unless `skip` says otherwise.""",
    "context": """
        What the texts are about; it is neither translated nor billed. One text for all, or the name of a column that
        has one for every row. A request has one context: with many different ones there are many small requests, which
        `plan` counts.""",
    "errors": """
        "raise" does all that can be done and then raises what failed; "coerce" leaves gaps in its place.
        `svc_nb.last_run().table()` has the texts that failed.""",
}
# What stands before the options, where it must be given; and what only some verbs take.
FIRST = {
    "columns, target_lang": "One or several of each.",
    "columns": "One or several.",
    "target_lang": 'The language to translate into: "DE", "EN-US"; or several.',
    "price": "What a million characters cost, to see the cost.",
    "fleet, staging": "See `svc_nb.translate`.",
}
NAMES = {"formality": "formality, glossary_id, style_id, tag_handling, ..."}


def spelled_out(fields: type, told: Mapping[str, str] = MappingProxyType({})) -> Callable[[Method], Method]:
    """Show every name in *fields* to whoever asks for help or completion, and say once what they mean.

    What they mean takes the place of a line of three dots, or stands at the end; *told* has other words for some.
    """

    def show(method: Method) -> Method:
        shown = inspect.signature(shows(fields.__annotations__)(method))
        meant = {name: text for name, text in {**TOLD, **told}.items() if name in shown.parameters}
        words = "\n".join(
            f"{NAMES.get(name, name)}\n{textwrap.indent(inspect.cleandoc(text), '    ')}"
            for name, text in {**_first(shown), **meant}.items()
        )
        said = inspect.cleandoc(method.__doc__ or "")
        if not DOTS.search(said):
            said += "\n\nParameters\n----------\n..."
        method.__doc__ = DOTS.sub(lambda _: words, said)
        return method

    return show


def _first(signature: inspect.Signature) -> dict[str, str]:
    """What is said of the parameters that come first; a function that takes the table says all of that itself."""
    parameters, found = signature.parameters, dict[str, str]()
    left = {
        name
        for name, each in parameters.items()
        if each.default is each.empty or name not in ("columns", "target_lang")
    }
    for names, text in FIRST.items() if "table" not in parameters else ():
        if left.issuperset(names.split(", ")):
            left.difference_update(names.split(", "))
            found[names] = text
    return found


def check_names(given: dict[str, Any], fields: type) -> None:
    """Raise TypeError for an option that there is not, or one of the wrong kind."""
    for name in given:
        if name not in fields.__annotations__:
            from svc_nb.advice import did_you_mean

            raise TypeError(f"there is no option {name!r}. {did_you_mean(name, fields.__annotations__)}")
    tag = given.get("reporting_tag")
    if tag is not None and not isinstance(tag, str):
        raise TypeError(f"reporting_tag: expected a string, found {type(tag).__name__}")
