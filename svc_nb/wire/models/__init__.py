"""The nouns of the service as frozen values; each reads itself from the wire and writes itself to it."""

from svc_nb.wire.models.account import ProductUsage, Usage
from svc_nb.wire.models.admin import (
    DeveloperKey,
    KeyDayUsage,
    KeyUsage,
    TagAmounts,
    TagUsage,
    TagUsageReport,
    UsageAmounts,
    UsageLimits,
    UsageReport,
)
from svc_nb.wire.models.detection import Detection
from svc_nb.wire.models.document import DocumentHandle, DocumentOptions, DocumentStatus
from svc_nb.wire.models.glossary import (
    Dictionary,
    DictionaryInfo,
    Glossary,
    LanguagePair,
    MultilingualGlossary,
)
from svc_nb.wire.models.improvement import Improvement
from svc_nb.wire.models.language import Feature, FeatureSupport, Language, LanguageSupport, Resource
from svc_nb.wire.models.memory import (
    MemoryExport,
    MemoryJob,
    MemoryJobError,
    MemoryJobFile,
    MemoryJobParameters,
    MemoryJobResult,
    MemoryJobStatusMetadata,
    MemoryPage,
    MemorySegment,
    MemoryTarget,
    MemoryUpload,
    SegmentPage,
    TranslationMemory,
)
from svc_nb.wire.models.noun import Noun, WireError
from svc_nb.wire.models.spoken_terms import SpokenTerms, TermList, TermListInfo
from svc_nb.wire.models.style_rules import CustomInstruction, StyleRuleList
from svc_nb.wire.models.translation import TranslateOptions, Translation
from svc_nb.wire.models.voice import VoiceRequest, VoiceSession

__all__ = [
    "CustomInstruction",
    "Detection",
    "DeveloperKey",
    "Dictionary",
    "DictionaryInfo",
    "DocumentHandle",
    "DocumentOptions",
    "DocumentStatus",
    "Feature",
    "FeatureSupport",
    "Glossary",
    "Improvement",
    "KeyDayUsage",
    "KeyUsage",
    "Language",
    "LanguagePair",
    "LanguageSupport",
    "MemoryExport",
    "MemoryJob",
    "MemoryJobError",
    "MemoryJobFile",
    "MemoryJobParameters",
    "MemoryJobResult",
    "MemoryJobStatusMetadata",
    "MemoryPage",
    "MemorySegment",
    "MemoryTarget",
    "MemoryUpload",
    "MultilingualGlossary",
    "Noun",
    "ProductUsage",
    "Resource",
    "SegmentPage",
    "SpokenTerms",
    "StyleRuleList",
    "TagAmounts",
    "TagUsage",
    "TagUsageReport",
    "TermList",
    "TermListInfo",
    "TranslateOptions",
    "Translation",
    "TranslationMemory",
    "Usage",
    "UsageAmounts",
    "UsageLimits",
    "UsageReport",
    "VoiceRequest",
    "VoiceSession",
    "WireError",
]
