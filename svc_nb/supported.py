"""What the connected service translates: its languages and the pairs of them, as tables.

svc_nb.languages()     # code, name, source, target, status, and what can be asked of each
svc_nb.pairs()         # source_lang, target_lang, translator
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from svc_nb.session import current
from svc_nb.tracebacks import module_verbs

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["languages", "pairs"]


def languages(resource: str = "translate_text") -> pd.DataFrame:
    """The languages of the service, a row for each; wherever you give a language, its code or its name is understood.

    Parameters
    ----------
    resource
        Of which part of the service: "translate_text", "translate_document", "glossary", "style_rules", "write",
        "translation_memory" or "voice".

    Returns
    -------
    DataFrame
        `code`, `name`, whether it can be a `source` and a `target`, its `status` ("stable" or "beta"), and a column
        for each feature, such as `glossary` and `formality`: whether the language has it.
    """
    from svc_nb.frames.languages import table

    return table(current().client, resource)


def pairs() -> pd.DataFrame:
    """The language pairs that are really translated, a row for each: `source_lang`, `target_lang`, `translator`.

    The embedded service tells which of its translators has a pair; a pair that is not here is only marked. An account
    translates from every source into every target that it lists, and `translator` is missing there.
    """
    from svc_nb.frames.languages import pairs

    return pairs(current().client)


module_verbs(globals())
