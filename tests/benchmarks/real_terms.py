"""A real glossary: the names of countries, regions, languages, scripts and currencies of ISO in some thirty languages.

They come with the PyPI package pycountry, which is installed for the benchmarks only.
"""

from __future__ import annotations

import gettext

import pandas as pd
import pycountry

from svc_nb.tabular.terms import LANGUAGES

NAMES = {
    "iso3166-1": pycountry.countries,
    "iso3166-2": pycountry.subdivisions,
    "iso3166-3": pycountry.historic_countries,
    "iso639-3": pycountry.languages,
    "iso4217": pycountry.currencies,
    "iso15924": pycountry.scripts,
}
CATALOGUES = {code: "zh_CN" if code == "zh" else code for code in sorted({each.lower() for each in LANGUAGES} - {"en"})}


def glossary(rows: int = 100_000) -> pd.DataFrame:
    """*rows* terms from English into every language, and back from some, each once."""
    terms: dict[tuple[str, str, str], str] = {}
    for domain, names in NAMES.items():
        for language in CATALOGUES:
            _add(terms, domain, language, sorted({each.name for each in names}))
    back = {(language, source, target): term for (source, language, term), target in terms.items()}
    table = [(*key, target) for key, target in {**terms, **back}.items()]
    return pd.DataFrame(table[:rows], columns=["source_lang", "target_lang", "source", "target"])


def _add(terms: dict, domain: str, language: str, names: list[str]) -> None:
    try:
        catalogue = gettext.translation(domain, pycountry.LOCALES_DIR, languages=[CATALOGUES[language]])
    except FileNotFoundError:
        return
    for name in names:
        target = catalogue.gettext(name)
        if target != name and target == target.strip() and name == name.strip():
            terms["en", language, name] = target
