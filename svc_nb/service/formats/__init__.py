"""Documents of every kind: their words taken out, translated all at once and put back, the rest left as it is.

Each kind has a function `translate(source, target, words, wish)`: it reads the file *source*, hands all its texts to
*words* in one call, and writes the file *target*. What cannot be read raises `Unreadable`. It returns
`Remarks`, or None if there are none.
"""

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ..catalogue import languages, read

MB = 1_000_000
MOST_CHARACTERS = 1_000_000  # of a document, on any plan
_RIGHT_TO_LEFT = frozenset({"ar", "ckb", "dv", "fa", "he", "ks", "ps", "sd", "ug", "ur", "yi"})


class Unreadable(ValueError):
    """The document cannot be translated; the message is one line for the person who sent it, without its texts."""


class Words(Protocol):
    """Translates all the texts of a document."""

    def __call__(self, texts: Sequence[str], *, tagged: bool = False) -> list[str]:
        """Return the translations of *texts*, in one call; *tagged* ones are XML with the tags of `tagged_text`."""
        ...


@dataclass(frozen=True, slots=True)
class Wish:
    """What is asked for besides the language of *target*: how the file looks, not what its words are."""

    target_lang: str
    output_format: str = ""
    watermark: bool = False

    @property
    def language_tag(self) -> str:
        """The code of the language as documents write it: pt-BR, zh-Hant, es-419."""
        return languages.display(self.target_lang)

    @property
    def right_to_left(self) -> bool:
        """Whether the language is written from right to left."""
        return languages.base(self.target_lang) in _RIGHT_TO_LEFT


@dataclass(frozen=True, slots=True)
class Remarks:
    """What a person should know about a translated document.

    *small* is how many texts had so little room on their page that they are too small to read; *kept* is how many texts
    of a workbook were not changed, because the result of a formula would have changed; *formulas* is how many formulas
    compare changed texts in ways that may give other results, and *cells* says where the first of them are.
    """

    small: int = 0
    kept: int = 0
    formulas: int = 0
    cells: str = ""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of document: module and function that translate it, media type, largest sizes, what is billed at least."""

    module: str
    media: str
    free: int
    pro: int
    least: int = 0
    outputs: Sequence[str] = ()
    function: str = "translate"


KINDS = {extension: Kind(**kind) for extension, kind in read("document_kinds.json").items()}

_IMAGE = "Text in images cannot be read here; send the text itself, or a document that holds it as text."
UNREADABLE = {
    "doc": "Word documents of the old kind (.doc) cannot be read here; save it as .docx.",
    **dict.fromkeys(("jpeg", "jpg", "png"), _IMAGE),
}
"""Kinds that other services take, by extension, and what to tell whoever sends one here."""


def translate(extension: str, source: Path, target: Path, *, words: Words, wish: Wish) -> Remarks:
    """Translate the file *source*, of the kind that *extension* names, into the file *target*; or raise Unreadable."""
    kind = KINDS[extension]
    module = importlib.import_module(f"{__name__}.{kind.module}")
    return getattr(module, kind.function)(source, target, words, wish) or Remarks()
