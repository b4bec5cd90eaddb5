"""The nouns of the service as frozen values; each reads itself from the wire and writes itself to it."""

from svc_nb.models.account import ProductUsage, Usage
from svc_nb.models.admin import (
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
from svc_nb.models.detection import Detection
from svc_nb.models.glossary import Dictionary, DictionaryInfo, Glossary, LanguagePair, MultilingualGlossary
from svc_nb.models.improvement import Improvement
from svc_nb.models.language import Feature, FeatureSupport, Language, LanguageSupport, Resource
from svc_nb.models.noun import Noun, WireError
from svc_nb.models.style_rules import CustomInstruction, StyleRuleList
from svc_nb.models.translation import TranslateOptions, Translation

__all__ = [
    "CustomInstruction",
    "Detection",
    "DeveloperKey",
    "Dictionary",
    "DictionaryInfo",
    "Feature",
    "FeatureSupport",
    "Glossary",
    "Improvement",
    "KeyDayUsage",
    "KeyUsage",
    "Language",
    "LanguagePair",
    "LanguageSupport",
    "MultilingualGlossary",
    "Noun",
    "ProductUsage",
    "Resource",
    "StyleRuleList",
    "TagAmounts",
    "TagUsage",
    "TagUsageReport",
    "TranslateOptions",
    "Translation",
    "Usage",
    "UsageAmounts",
    "UsageLimits",
    "UsageReport",
    "WireError",
]
