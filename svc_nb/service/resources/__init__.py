"""One file per resource of the API: the shapes it takes and gives, and what is done."""

from ..operations import Operations
from . import (
    analytics,
    detection,
    developer_keys,
    documents,
    glossaries_v2,
    glossaries_v3,
    languages,
    memories,
    memory_jobs,
    spoken_terms,
    style_rules,
    texts,
    usage,
    voice,
    writing,
)

OPERATIONS = Operations(
    [
        *texts.operations,
        *writing.operations,
        *documents.operations,
        *detection.operations,
        *style_rules.operations,
        *glossaries_v2.operations,
        *glossaries_v3.operations,
        *memory_jobs.operations,  # before what takes any word for an id
        *memories.operations,
        *spoken_terms.operations,
        *voice.operations,
        *usage.operations,
        *languages.operations,
        *analytics.operations,
        *developer_keys.operations,
    ]
)
