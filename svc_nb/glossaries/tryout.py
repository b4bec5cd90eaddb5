"""A text translated with a table of terms as it is now, before it is pushed.

The terms go to the service as a temporary glossary. From a large table, only terms that can occur in the text are sent:
a term whose first letters are not in the text, in any case, width or form, cannot be found there.
"""

import re
import unicodedata
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

import pandas as pd

from svc_nb.checks.service_terms import broken, to_dictionaries
from svc_nb.checks.term_arrays import TermArrays
from svc_nb.checks.text_array import TextArray
from svc_nb.sync import tryout
from svc_nb.sync.resources import GLOSSARY
from svc_nb.sync.tryout import Temporary
from svc_nb.tabular.terms import code_of
from svc_nb.wire.client import Client
from svc_nb.wire.models import TranslateOptions

# This many terms are sent whatever the text is.
MOST_WHOLE = 2000
# How many of its first letters are used to find a term, and among how many characters they are.
LEAD = 3
LOOK_INTO = 12
TAG = re.compile("<[^>]{0,1000}>")
DOTLESS = str.maketrans("ı", "i")
UNMARKED = ("Mn", "Mc", "Me", "Cf")


@dataclass(frozen=True)
class TriedTerms(tryout.Tried):
    """A text translated with and without the terms, what was billed, and what became of the temporary glossary.

    `terms` is how many terms that glossary had, `passed_over` how many were not sent because they cannot occur in the
    text, and `left_out` how many could not be sent because the service would refuse them.
    """

    terms: int = 0
    passed_over: int = 0
    left_out: int = 0


def try_out(
    client: Client,
    table: pd.DataFrame,
    text: str,
    *,
    source_lang: str,
    target_lang: str,
    folder: str | Path,
    **options: Any,
) -> TriedTerms:
    """Translate *text* with and without the terms of *table*; nothing is kept in the store.

    Parameters
    ----------
    client
        The service; both translations are billed.
    table
        A tidy table of terms; only terms of the pair that the service accepts are sent.
    text
        What to translate; a blank one is not sent.
    source_lang, target_lang
        The pair; regions may be named, though glossaries have none.
    folder
        Where the temporary glossary is noted, so that the next try-out removes it if this process is killed.
    options
        Other options of a translation, such as formality= or style_id=.
    """
    if not text.strip():
        return TriedTerms(text, text, 0)
    asked = TranslateOptions(source_lang=source_lang, **options)
    if asked.glossary_id or asked.glossary_ids:
        raise ValueError("a try-out uses only the terms of the table. Leave the glossary out")
    sides = TermArrays(table)
    meant = (code_of(source_lang) or source_lang, code_of(target_lang) or target_lang)
    rows = sides.groups[sides.pairs.index(meant)].tolist() if meant in sides.pairs else []
    pair = sides.table.iloc[rows].reset_index(drop=True)
    near = pair if len(pair) <= MOST_WHOLE else _concerning(pair, text)
    terms = near.drop(near.index[broken(TermArrays(near)).rows])
    made = None
    if len(terms):
        made = Temporary(
            GLOSSARY,
            client,
            lambda name: client.glossaries.create(name, to_dictionaries(terms)).glossary_id,
            folder=folder,
        )
    came = tryout.tried(client, text, target_lang, before=asked, made=made, id_name="glossary_id")
    return TriedTerms(
        **vars(came), terms=len(terms), passed_over=len(pair) - len(near), left_out=len(near) - len(terms)
    )


def _concerning(pair: pd.DataFrame, text: str) -> pd.DataFrame:
    """The terms that can occur in *text*, and perhaps a few more."""
    decoded = unescape(text)
    within = " ".join(map(_folded, (text, decoded, TAG.sub("", decoded))))
    # The first letters of a term, as they must occur in a text that contains it.
    leads = [_folded("".join(source.split(maxsplit=1)[:1])[:LOOK_INTO])[:LEAD] for source in TextArray(pair["source"])]
    return pair[[lead in within for lead in leads]].reset_index(drop=True)


def _folded(text: str) -> str:
    """*text* without differences of case, width and Unicode form, and without marks and invisible characters."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold()).translate(DOTLESS)
    return "".join(letter for letter in folded if unicodedata.category(letter) not in UNMARKED)
