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
    operation
    for resource in (
        *(texts, documents, style_rules, glossaries, memories, spoken_terms),
        *(voice, usage, languages, administration),
    )
    for operation in resource.operations
)
