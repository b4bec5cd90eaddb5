"""The keyword parameters of the methods of `.svc`, and their help, written once for all methods."""

import inspect
import re
import textwrap
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
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
    """The keyword parameters of rephrasing and correcting, other than styles."""

    reporting_tag: str | None


class DetectFields(RowFields, total=False):
    """The keyword parameters of a detection."""

    min_confidence: float | None


class Fields(RowFields, total=False):
    """The keyword parameters of a translation; the options have the service's own names."""

    source_lang: Any
    protect: Any
    names: Any
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


class ScoreFields(TypedDict, total=False):
    """The keyword parameters of a score."""

    source_lang: Any
    target_lang: Any
    glossary: Any
    detect: bool
    skip: Collection[str] | str | None
    round_trip: Any
    protect: Any
    names: Any
    similarity: Callable[[list[str], list[str]], Sequence[float]] | None
    budget: float | None


# The meaning of each, by name, in the layout of the help; some have other texts for other engines and for scores.
_HELP = Path(__file__).with_name("option_help.txt").read_text("utf-8")
_TOLD = {name: inspect.cleandoc(text) for name, text in re.findall(r"^(\S.*)\n((?:    .*\n)+)", _HELP, re.MULTILINE)}
TOLD = {name: text for name, text in _TOLD.items() if not name.endswith(")")}
ELSEWHERE, SCORES = (
    {name.removesuffix(of): text for name, text in _TOLD.items() if name.endswith(of)}
    for of in (" (other engines)", " (scores)")
)
# The required parameters before the options, and those that only some verbs have.
FIRST = {
    "columns, target_lang": "One or several of each.",
    "columns": "One or several.",
    "target_lang": 'The language to translate into, such as "DE" or "EN-US", or a list of them.',
    "price": "The price of a million characters, to see the cost.",
    "fleet, staging": "See `svc_nb.translate`.",
}
NAMES = {"formality": "formality, glossary_id, style_id, tag_handling, ..."}


def spelled_out(fields: type, told: Mapping[str, str] = MappingProxyType({})) -> Callable[[Method], Method]:
    """Show every name in *fields* in help and completion; their descriptions replace a line of dots, or go to the end.

    Descriptions in *told* come first, and replace the general ones.
    """

    def show(method: Method) -> Method:
        shown = inspect.signature(shows(fields.__annotations__)(method))
        meant = {name: text for name, text in {**told, **TOLD, **told}.items() if name in shown.parameters}
        words = "\n".join(
            f"{NAMES.get(name, name)}\n{textwrap.indent(text, '    ')}"
            for name, text in {**_first(shown), **meant}.items()
        )
        said = inspect.cleandoc(method.__doc__ or "")
        if not DOTS.search(said):
            said += "\n\nParameters\n----------\n..."
        method.__doc__ = DOTS.sub(lambda _: words, said)
        return method

    return show


def _first(signature: inspect.Signature) -> dict[str, str]:
    """The help for the first parameters; a function that takes the table describes them itself."""
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


def check_names(given: dict[str, Any], fields: type, *own: str) -> None:
    """Raise TypeError for an unknown option, or one of the wrong type; *own* are additional options of a method."""
    for name in given:
        if name not in fields.__annotations__:
            from svc_nb.advice import did_you_mean

            raise TypeError(f"there is no option {name!r}. {did_you_mean(name, [*own, *fields.__annotations__])}")
    tag = given.get("reporting_tag")
    if tag is not None and not isinstance(tag, str):
        raise TypeError(f"reporting_tag: expected a string, found {type(tag).__name__}")
