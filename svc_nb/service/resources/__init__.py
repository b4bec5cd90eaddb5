"""One file per resource of the API: the shapes it takes and gives, and what is done."""

from ..operations import Operations
from . import (
    analytics,
    detection,
    developer_keys,
    glossaries_v2,
    glossaries_v3,
    languages,
    style_rules,
    texts,
    usage,
    writing,
)

OPERATIONS = Operations(
    [
        *texts.operations,
        *writing.operations,
        *detection.operations,
        *style_rules.operations,
        *glossaries_v2.operations,
        *glossaries_v3.operations,
        *usage.operations,
        *languages.operations,
        *analytics.operations,
        *developer_keys.operations,
    ]
)
