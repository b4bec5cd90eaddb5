"""The nouns of the service as frozen values; each can be read from and written to wire data."""

# ruff: noqa: F403, F405  # the list below says what is here
from svc_nb.wire.models.admin import *
from svc_nb.wire.models.base import *
from svc_nb.wire.models.resources import *
from svc_nb.wire.models.text import *

__all__ = [
    "CustomInstruction", "Detection", "DeveloperKey", "Dictionary", "DictionaryInfo", "DocumentHandle",
    "DocumentOptions", "DocumentStatus", "Feature", "FeatureSupport", "Glossary", "Improvement", "KeyDayUsage",
    "KeyUsage", "Language", "LanguagePair", "LanguageSupport", "MemoryExport", "MemoryJob", "MemoryJobError",
    "MemoryJobFile", "MemoryJobParameters", "MemoryJobResult", "MemoryJobStatusMetadata", "MemoryPage",
    "MemorySegment", "MemoryTarget", "MemoryUpload", "MultilingualGlossary", "Noun", "ProductUsage", "Resource",
    "SegmentPage", "SpokenTerms", "StyleRuleList", "TagAmounts", "TagUsage", "TagUsageReport", "TermList",
    "TermListInfo", "TranslateOptions", "Translation", "TranslationMemory", "Usage", "UsageAmounts", "UsageLimits",
    "UsageReport", "VoiceRequest", "VoiceSession", "WireError",
]  # fmt: skip


def __dir__() -> list[str]:
    return __all__
