"""What a plan notices in the texts to be paid for: counts, and hints made from them that contain no texts."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from svc_nb.advice import Call, Option
from svc_nb.checks.mojibake import FOLLOWS
from svc_nb.columns.cleaning import has_tags, looks_damaged
from svc_nb.columns.operations import GLOSSARY_LACKS_PAIR
from svc_nb.columns.protected_spans import placeholders
from svc_nb.engine.plan import Plan
from svc_nb.engine.skip_rules import SAME_LANGUAGE
from svc_nb.language_codes import base_of, name_of
from svc_nb.tabular.report import plural

PLACEHOLDERS, TAGS, NEAR_DUPLICATES, DAMAGED = "placeholders", "tags", "near_duplicates", "damaged"
ORDER = (SAME_LANGUAGE, GLOSSARY_LACKS_PAIR, PLACEHOLDERS, TAGS, DAMAGED, NEAR_DUPLICATES)


@dataclass(frozen=True, slots=True)
class Notice:
    """A count of rows or texts: *what* was noticed, and *about* which language or pair."""

    what: str
    count: int
    about: str = ""

    def __str__(self) -> str:
        rows, texts = plural(self.count, "row"), plural(self.count, "text")
        one = self.count == 1
        match self.what:
            case "same_language":
                return f"{rows} {'is' if one else 'are'} already {self.about}"
            case "glossary_lacks_pair":
                return f"{rows}: the glossary has no {self.about} terms"
            case "placeholders" | "tags":
                return f"{texts} {'holds' if one else 'hold'} {self.what}: use {Option('protect', self.what)}"
            case "damaged":
                return f"{texts} {'looks' if one else 'look'} damaged: see {Call('.svc.clean_plan')}"
            case _:
                return f"{plural(self.count, 'near duplicate')}: see {Call('.svc.near_duplicates')}"


def noticed(plan: Plan, skipped: Mapping[str, int]) -> tuple[Notice, ...]:
    """Notices about the texts of *plan*: those to be sent, and those *skipped* because of their language."""
    found: Counter[tuple[str, str]] = Counter()
    if skipped.get(SAME_LANGUAGE):
        for part in dict.fromkeys(part for parts in plan.parts for part in parts):
            if part.outcome and part.outcome.reason == SAME_LANGUAGE:
                found[SAME_LANGUAGE, name_of(base_of(part.kind.target_lang or ""))] += part.rows
    lacking = {kind for kind in plan.kinds if kind.note == GLOSSARY_LACKS_PAIR}
    for part in plan.asked if lacking else ():
        if part.kind in lacking:
            found[GLOSSARY_LACKS_PAIR, f"{part.kind.source_lang} → {part.kind.target_lang}".upper()] += part.rows
    # Tags are handled by the service, or by the code that extracted the texts from a document.
    texts = [part.text for part in plan.asked if part.outcome is None and not part.kind.tags]
    if len(plan.kinds) > 1:  # equal texts of a kind are one part
        texts = list(dict.fromkeys(texts))
    whole = _SEPARATOR.join(texts)
    if whole.count(_SEPARATOR) >= len(texts):  # it occurs in a text: another control character works just as well
        texts = [text.replace(_SEPARATOR, "\x1f") for text in texts]
        whole = _SEPARATOR.join(texts)
    if "%" in whole or "{" in whole:
        found[PLACEHOLDERS, ""] = sum(bool(placeholders(text)) for text in texts if "%" in text or "{" in text)
    if "<" in whole:
        found[TAGS, ""] = sum(has_tags(text) for text in texts if "<" in text)
    found[DAMAGED, ""] = _damaged(texts, whole)
    found[NEAR_DUPLICATES, ""] = _near_duplicates(texts, whole)
    return _listed(found)


def together(notices: Iterable[Notice]) -> tuple[Notice, ...]:
    """The combined notices of several plans for different texts."""
    found: Counter[tuple[str, str]] = Counter()
    for notice in notices:
        found[notice.what, notice.about] += notice.count
    return _listed(found)


def _listed(found: Counter[tuple[str, str]]) -> tuple[Notice, ...]:
    listed = sorted(found.items(), key=lambda item: (ORDER.index(item[0][0]), -item[1], item[0][1]))
    return tuple(Notice(what, count, about) for (what, about), count in listed if count)


# ---- cheap: all texts are searched at once, as a whole, for candidates

_SEPARATOR = "\x1e"
_CONTROLS = (
    "\x00-\x08\x0b\x0c\x0e-\x1d\x1f\x7f-\x9f\u200b\ufeff\ufff9-\ufffb\U000e0000-\U000e007f\ud800-\udfff\u0300-\u036f"
)
_SUSPECT = re.compile(
    rf"[{_CONTROLS}&Ã-ïÐÑðâÂРСГДЕ](?:(?<=[{_CONTROLS}])|(?<=&)(?:\#|[A-Za-z]{{2,8}};)|(?<=[Ã-ïÐÑðâÂ])[{FOLLOWS}]"
    r"|(?<=[РСГДЕ])[^\w\s!-~]|(?<=[РС])[ЂЃѓЉЊЌЋЏђљњќћџЎўЈҐЁЄЇІіґёєјЅѕїµ\xa0][РСТ]|(?<=[ГДЕ])[Ђ-Џђ-џ])"
)
_PLAIN = bytes(range(0x20, 0x7F)) + b"\t\n\r" + _SEPARATOR.encode()
# Spaces and marks that do not change a meaning: those in ASCII, and the most common others.
_LOWER = bytes(range(256)).lower()
_IGNORED = b" \t\r\n\x0b\x0c!\"'(),-.:;[]_`{}"
_MARKS = "\xa0\u200b“”„‘’«»–—…。，、！：；（）「」"


def _damaged(texts: Sequence[str], whole: str) -> int:
    """How many of *texts* cleaning would change; bytes literals are not searched for."""
    if whole.isascii() and "&" not in whole and not whole.encode().translate(None, _PLAIN):
        return 0
    ends = list(accumulate(len(text) + 1 for text in texts))
    suspects = {bisect_right(ends, found.start()) for found in _SUSPECT.finditer(whole)}
    return sum(looks_damaged(texts[number]) for number in suspects)


def _near_duplicates(texts: Sequence[str], whole: str) -> int:
    """How many of *texts* differ from another one only in white space, case and common marks."""
    if not whole.isascii():
        whole = whole.casefold()
        for mark in _MARKS:
            whole = whole.replace(mark, "")
    keys = whole.encode("utf-8", "surrogatepass").translate(_LOWER, _IGNORED).split(_SEPARATOR.encode())
    if len(set(keys)) == len(keys):
        return 0
    times = Counter(keys)
    from svc_nb.columns.near_duplicates import distinct

    alike = [text for text, key in zip(texts, keys, strict=True) if key and times[key] > 1]
    return len(alike) - distinct(alike)
