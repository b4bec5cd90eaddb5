"""Translate a notebook on its way through nbconvert.

jupyter nbconvert report.ipynb --to html \\
    --Exporter.preprocessors=svc_nb.notebooks.preprocessor.Translate --Translate.target_lang=DE
"""

import importlib
from typing import Any

from nbconvert.preprocessors import Preprocessor
from traitlets import Dict, Enum, List, Unicode

from svc_nb.language_codes import as_bcp47
from svc_nb.notebooks import CODE, translate_source


class Translate(Preprocessor):
    """Translates the Markdown cells of a notebook and, on request, comments and strings in its code.

    The notebook itself is not changed, and texts that stayed untranslated are logged.
    """

    target_lang = Unicode("", help='The language to translate into: "DE", "EN-US".').tag(config=True)
    source_lang = Unicode("", help="The language of the notebook; empty lets the service detect it.").tag(config=True)
    code = List(Enum(CODE), help='What to translate in code: "comments", "strings" or both.').tag(config=True)
    options = Dict(help="Options of Series.svc.translate: formality, glossary, …").tag(config=True)

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """The notebook translated, and the resources with its language."""
        nbformat: Any = importlib.import_module("nbformat")
        if not self.target_lang:
            raise ValueError("Translate.target_lang is missing. Name a language, such as DE")
        made = translate_source(
            nbformat.writes(nb, version=4),
            self.target_lang,
            kind="notebook",
            code=self.code,
            source_lang=self.source_lang or None,
            **self.options,
        )
        self.log.info("Translated into %s: %s", made.target_lang, made.said)
        resources["language_code"] = as_bcp47(made.target_lang)
        return nbformat.reads(made.text, as_version=4), resources
