"""One file per resource of the API: the shapes it takes and gives, and what is done."""

from ..operations import Operations
from . import (
    administration,
    documents,
    glossaries,
    languages,
    memories,
    spoken_terms,
    style_rules,
    texts,
    usage,
    voice,
)

OPERATIONS = Operations(
    [
        *texts.operations,
        *documents.operations,
        *style_rules.operations,
        *glossaries.operations,
        *memories.operations,
        *spoken_terms.operations,
        *voice.operations,
        *usage.operations,
        *languages.operations,
        *administration.operations,
    ]
)
