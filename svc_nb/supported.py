"""What the connected service translates: its languages and the pairs of them, as tables.

svc_nb.languages()     # code, name, source, target, status, and what can be asked of each
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
    """The language pairs that are really translated, a row for each: `source_lang`, `target_lang`, `translator`.

    The embedded service tells which of its translators has a pair; a pair that is not here is only marked. An account
    translates from every source into every target that it lists, and `translator` is missing there.
    """
    return pairs_of(current())


def pairs_of(session: Session) -> pd.DataFrame:
    """As `pairs`, of any session."""
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
