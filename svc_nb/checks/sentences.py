"""Whether a translation is complete: sentences lost or added, its length, and shifted rows.

The usual length of translations is learned from the column itself, if it has enough rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from svc_nb.checks import markup, numbers, placeholders, punctuation
from svc_nb.checks.codepoints import SPACE
from svc_nb.checks.findings import AGAIN, Finding, excerpt
from svc_nb.checks.language_data import LENGTHS, NO_FULL_STOP, QUESTIONS
from svc_nb.checks.text_array import Bools
from svc_nb.checks.text_pairs import Ints, Side, TextPairs, one_of, rows_where
from svc_nb.tabular.report import plural

Floats = npt.NDArray[np.float64]

WIDE = 1.2
SHORT = 15
TOLERANCE = 2.0
SLACK = 10.0
# For longer texts, how much shorter or longer than usual: measured on 126,000 messages in 42 languages, of which one in
# three hundred is that short and one in six hundred that long.
LONG = 45
NEAR = 0.25
SHORTEST, LONGEST = np.log(0.6), np.log(1.9)

STOPS = ".!?。！？।۔؟…"
# A full stop that does not end a sentence: abbreviations, initials, list numbers.
NO_STOP = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|no|nr|mr|mrs|ms|dr|st|inc|ltd|corp|fig|vol|p|pp|z\.b|d\.h|u\.a|usw|bzw|ggf|ca"
    r"|p\.ej|ej|par ex|ex|es|n|núm|pág|art|т\.е|т\.д|т\.п|и\.о|г|напр|др|np|tzn|itp|itd|tj|např|apod|pl|stb|ábra|bv"
    r"|o\.a|d\.v\.s|t\.ex|bl\.a|osv|f\.eks|m\.m|esim|yms|örn|vb|vd|п|р|ч|т|м|с)|\b[^\W\d_])\.$",
    re.IGNORECASE,
)
# List numbers and ordinals such as "3. Quartal", but not a number that ends a sentence.
NUMBERED = re.compile(r"(?:^|\s)\d{1,2}\.$")
SENTENCE = re.compile(
    rf"[^{STOPS}]*+(?:[{STOPS}]++[\"'”’»)\]]*+(?=\s|$|[\u3000-\u9fff\uff00-\uffef])|[{STOPS}]++|$)", re.DOTALL
)
LONGEST_ABBREVIATION = 12
LEAST_ROWS = 20
# The shifts to look for, the rows of a window, and how much better they must fit.
STEPS = (-3, -2, -1, 1, 2, 3)
WINDOW = 5
LEAST_GAIN = 9.0
SPREAD = 0.35
MOST_APART = 3.0
# How much nearer to its usual length a text must be with one sentence more or less.
NEARER = 0.1
# Numbers and names, and how much worse than the others a sentence must fit to be named.
KEPT = re.compile(r"\d+|\b[A-Z]\w{3,}")
CLEARLY = 0.15


def sentences(pairs: TextPairs) -> Iterator[Finding]:
    """Code `sentences`."""
    if {pairs.source_lang, pairs.target_lang} & NO_FULL_STOP:
        return
    ours, theirs = _stops(pairs.source), _stops(pairs.target)
    usual = usual_ratio(pairs)
    # The number of sentences is not enough: a text must also be shorter or longer than usual.
    ratios = np.log((weighed(pairs.target) + 1) / (weighed(pairs.source) + 1)) - usual
    # Only prose counts in the lengths below; the ratio is about the same.
    least = np.where(pairs.source.has_any("{%</@"), NEARER / 2, NEARER * 0.8)
    shorter, longer = (ours > theirs) & (ratios < -least), (ours < theirs) & (ratios > least)
    for row in rows_where((shorter | longer) & ~pairs.equal):
        source, target = (split(markup.bare(text, "x")) for text in pairs.texts(row))
        if len(source) == len(target):
            continue
        more = max(source, target, key=len)
        sign = 1 if more is source else -1
        ratio = np.log(sum(map(_weight, target)) / sum(map(_weight, source))) - usual
        whole = sum(map(_weight, more))
        # Which sentence, left out of the longer side, brings the lengths nearest to the usual ratio?
        gains = [abs(ratio) - abs(ratio - sign * np.log(1 - _weight(one) / whole)) for one in more]
        if max(gains) > NEARER:
            which = _without_partner(more, min(source, target, key=len), sign * usual)
            count = abs(len(source) - len(target))
            named = excerpt(which.strip()) if which else "one" if count == 1 else str(count)
            told = f"{plural(len(target), 'sentence')}, the source has {len(source)}: {named}"
            seems = f"{'seems' if count == 1 else 'seem'} to be {'missing' if more is source else 'new'}"
            yield Finding(row, "sentences", f"{told} {seems}", advice=AGAIN)


def _without_partner(more: list[str], fewer: list[str], usual: float) -> str | None:
    """The one of *more* without which the others are most similar to *fewer*, in order; None if that is unclear.

    The comparison uses lengths, with *usual* as the logarithm of how much longer those of *fewer* are, numbers, and
    names that both sides spell the same.
    """
    if len(more) != len(fewer) + 1:
        return None
    shared = set(KEPT.findall(" ".join(more))) & set(KEPT.findall(" ".join(fewer)))

    def apart(one: str, other: str) -> float:
        kept = [shared.intersection(KEPT.findall(text)) for text in (one, other)]
        asked = [text.rstrip().endswith(QUESTIONS) for text in (one, other)]
        return (
            abs(float(np.log(_weight(other) / _weight(one))) - usual) + len(kept[0] ^ kept[1]) + (asked[0] != asked[1])
        )

    # Before the one left out, the places on both sides are equal; after it, they differ by one.
    same = np.cumsum([0.0, *(apart(one, other) for one, other in zip(more, fewer, strict=False))])
    moved = np.cumsum([0.0, *(apart(one, other) for one, other in zip(more[1:], fewer, strict=True))])
    costs = same + moved[-1] - moved
    best, *others = np.argsort(costs).tolist()
    return more[best] if costs[others[0]] - costs[best] > CLEARLY else None


def split(text: str) -> list[str]:
    """The sentences of *text*; a part with hardly any letters belongs to the one before it."""
    ends: list[int] = []
    for piece in SENTENCE.finditer(text):
        start, end = piece.span()
        goes_on = piece[0].lstrip()[:1].islower() or sum(map(str.isalnum, piece[0])) < 2
        before = text[max(0, start - LONGEST_ABBREVIATION) : start]
        short = len(ends) < 2 and start < LONGEST_ABBREVIATION
        if ends and (goes_on or NO_STOP.search(before) or (short and NUMBERED.search(before))):
            ends[-1] = end
        elif piece[0].strip():
            ends.append(end)
    return [text[start:end] for start, end in pairwise([0, *ends])] or [text]


def _weight(text: str) -> float:
    """The length of *text*, with wide characters weighted by their information."""
    return 1 + len(text) + WIDE * sum("\u2e80" <= letter <= "\ud7ff" for letter in text)


def _stops(side: Side) -> Ints:
    """The number of marks in every text that may end a sentence."""
    marks = side.signs.among(STOPS)
    after = side.codes[marks.places + 1]
    ends = ((side.kinds[marks.places + 1] & SPACE) != 0) | (after >= 0x2E80) | (marks.codes >= 0x2E80)
    return side.counts(marks.where(ends | one_of(after, "\"'”’»)]")))


def shifted(pairs: TextPairs) -> Iterator[Finding]:
    """Code `shifted`: several rows in a row fit the source of another row better than their own.

    The comparison uses numbers, placeholders, tags, the mark at the end, and the lengths of the texts.
    """
    if len(pairs) < 2 * WINDOW:
        return
    sides = (pairs.source, pairs.target)
    traits = [(side.once(numbers.bags), side.once(placeholders.hashes), side.once(_tags)) for side in sides]
    ends = [side.once(punctuation.end_marks, lang) for side, lang in pairs.with_languages()]
    lengths = [np.log(weighed(side) + 1) for side in sides]
    usual = float(np.median(lengths[1] - lengths[0]))

    def fit(step: int) -> Floats:
        """How well every translation fits the source *step* rows later."""
        theirs = slice(max(0, -step), len(pairs) - max(0, step))
        ours = slice(max(0, step), len(pairs) + min(0, step))
        found = np.full(len(pairs), -np.inf)
        apart = (lengths[1][theirs] - lengths[0][ours] - usual) / SPREAD
        here = -np.minimum(apart * apart / 2, MOST_APART)
        for one, other, weight in zip(traits[0], traits[1], (2.0, 3.0, 2.0), strict=True):
            told = (one[ours] != 0) | (other[theirs] != 0)
            here = here + np.where(told, np.where(one[ours] == other[theirs], weight, -weight), 0)
        found[theirs] = here + np.where(ends[0][ours] == ends[1][theirs], 0.5, -0.5)
        return found

    own = fit(0)
    gains = {step: np.nan_to_num(fit(step) - own, neginf=-9.0) for step in STEPS}
    best: dict[int, tuple[float, int]] = {}  # by row, the step that fits best and by how much
    for step, gain in gains.items():
        sums = np.convolve(gain, np.ones(WINDOW), "valid")
        better = np.convolve(gain > 0, np.ones(WINDOW), "valid")
        for first in rows_where((sums >= LEAST_GAIN) & (better >= WINDOW - 1)):
            for row in (row for row in range(first, first + WINDOW) if gain[row] > 0):
                best[row] = max(best.get(row, (0.0, 0)), (float(sums[first]), step))
    for row, (_, step) in sorted(best.items()):
        where = f"{abs(step)} {'row' if abs(step) == 1 else 'rows'} {'below' if step > 0 else 'above'}"
        yield Finding(row, "shifted", f"{excerpt(pairs.target[row])} seems to belong to the source {where}")


def _tags(side: Side) -> Ints:
    return side.bags(*side.between("<", ">"))


def usual_ratio(pairs: TextPairs) -> float:
    """The usual logarithm of how much longer translations are, according to `split` and `_weight`."""
    ours, theirs = weighed(pairs.source), weighed(pairs.target)
    enough = (ours > SHORT) & (theirs > SHORT) & ~pairs.equal
    if enough.sum() < LEAST_ROWS:
        lengths = [LENGTHS.get(lang or "", 1.0) for lang in (pairs.source_lang, pairs.target_lang)]
        return float(np.log(lengths[1] / lengths[0]))
    return float(np.median(np.log(theirs[enough] / ours[enough])))


def lengths(pairs: TextPairs) -> Iterator[Finding]:
    """Code `length`."""
    usual = usual_ratio(pairs)
    ours, theirs = weighed(pairs.source), weighed(pairs.target)
    # Placeholders and addresses do not indicate the length of a translation; without them more rows stand out.
    with np.errstate(divide="ignore"):
        apart = np.abs(np.log(theirs / ours) - usual) > NEAR
    for row in rows_where(_far(ours, theirs, usual) | (pairs.source.has_any("{%</@") & apart)):
        plain = [_weight(" ".join(text.split())) for text in pairs.bare(row)]
        if _far(np.array(plain[0]), np.array(plain[1]), usual):
            word = "long" if np.log(plain[1] / plain[0]) > usual else "short"
            counts = [len(text) for text in pairs.texts(row)]
            yield Finding(row, "length", f"{plural(counts[1], 'character')} for {counts[0]} of the source: very {word}")


def _far(ours: Floats, theirs: Floats, usual: float) -> Bools:
    """Whether translations are much shorter or longer than usual; short texts vary more."""
    apart = np.log(theirs / ours) - usual
    long = ours >= LONG
    least, most = np.minimum(ours, theirs / np.exp(usual)), np.maximum(ours, theirs / np.exp(usual))
    far: Bools = (long & ((apart < SHORTEST) | (apart > LONGEST))) | (
        (most > SHORT) & (most > TOLERANCE * least + SLACK)
    )
    return far


def weighed(side: Side, lang: str | None = None) -> Floats:
    """The length of every text, with wide characters weighted; with a language, roughly its length in English."""
    found = side.lengths.astype(np.float64)
    if side.widest >= 0x2E80:
        codes = side.codes
        wide = ((codes >= 0x2E80) & (codes < 0xD800)) | ((codes >= 0xF900) & (codes < 0xFB00))
        found = found + WIDE * side.sums(wide)
    return found / LENGTHS.get(lang or "", 1.0)
