"""What the connected service translates: its languages and language pairs, as tables.

svc_nb.languages()     # code, name, source, target, status, and the features of each
svc_nb.pairs()         # source_lang, target_lang, translator
"""

from typing import Any

import pandas as pd

from svc_nb.engine.skip_rules import same_language
from svc_nb.language_codes import normal
from svc_nb.session import Session, current
from svc_nb.tabular.text_column import TEXT
from svc_nb.tracebacks import module_verbs

__all__ = ["languages", "pairs"]

FEATURES = ("formality", "glossary", "style_rules", "translation_memory", "auto_detection", "tag_handling")
PAIRS = ("source_lang", "target_lang", "translator")


def languages(resource: str = "translate_text") -> pd.DataFrame:
    """The languages of the service, one row each; wherever a language is expected, you can give its code or its name.

    Parameters
    ----------
    resource
        The part of the service: "translate_text", "translate_document", "glossary", "style_rules", "write",
        "translation_memory" or "voice".

    Returns
    -------
    DataFrame
        `code`, `name`, whether the language can be a `source` and a `target`, its `status` ("stable" or "beta"), and a
        column for each feature, such as `glossary` and `formality`: whether the language has it.
    """
    support = current().client.languages.support(resource, include=("beta",))
    known = {name for each in support for name in each.features}
    features = [name for name in FEATURES if name in known] + sorted(known.difference(FEATURES))
    columns: dict[str, Any] = {
        "code": pd.array([normal(each.lang) for each in support], dtype=TEXT),
        "name": pd.array([each.name for each in support], dtype=TEXT),
        "source": [each.usable_as_source for each in support],
        "target": [each.usable_as_target for each in support],
        "status": pd.array([each.status for each in support], dtype=TEXT),
        **{name: [name in each.features for each in support] for name in features},
    }
    return pd.DataFrame(columns).sort_values("code", ignore_index=True)


def pairs() -> pd.DataFrame:
    """The language pairs that are actually translated, one row each: `source_lang`, `target_lang`, `translator`.

    For the embedded service, `translator` names the translator of the pair; texts in any other pair are only marked. An
    account translates every source language into every target language that it lists, and `translator` is missing.
    """
    return pairs_of(current())


def pairs_of(session: Session) -> pd.DataFrame:
    """Like `pairs`, for any session."""
    support = session.client.languages.support("translate_text", include=("beta",))
    sources = [normal(each.lang) for each in support if each.usable_as_source]
    rows: list[tuple[str, str, str | None]] = []
    for each in support:
        if each.usable_as_target and each.translators is None:
            rows += [(code, normal(each.lang), None) for code in sources]
        elif each.usable_as_target:
            rows += [(normal(code), normal(each.lang), name) for code, name in (each.translators or {}).items()]
    kept = sorted((row for row in rows if not same_language(*row[:2])), key=lambda row: row[:2])
    return pd.DataFrame(kept, columns=list(PAIRS)).astype(TEXT)


module_verbs(globals())
