"""A number from 0 to 100 for every translation: an order for reviewing them, not a measure of quality.

Starting from 100, every finding of the checks takes away a share of the rest, and so does every unusual part: length,
script, untranslated words, a different text when translated back. `weights.tsv` has the shares in per cent, by code of
a check, by severity for the checks that it does not name, and by part; docs/how-to/review.md says
how they were determined.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import resources
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from svc_nb.checks import wording
from svc_nb.checks.check import checked
from svc_nb.checks.chrf import chrf
from svc_nb.checks.codepoints import INVISIBLE, LETTER, LOWER, SPACE, WORD
from svc_nb.checks.findings import CHECKS, Finding, chosen
from svc_nb.checks.language_data import SCRIPTS, WRITTEN_IN
from svc_nb.checks.sentences import weighed
from svc_nb.checks.text_array import BREAK, MIX, Bools, Hashes, Places, aligned, chunks
from svc_nb.checks.text_pairs import Side, base_of, rows_by_language
from svc_nb.tabular.report import Report, plural, short
from svc_nb.tabular.text_column import TEXT

Numbers = npt.NDArray[np.float64]
Similarity = Callable[[list[str], list[str]], Sequence[float]]

# The share that each part and each finding, by code or severity, can take away.
WEIGHTS: dict[tuple[str, str], float] = {
    (kind, name): float(percent) / 100
    for kind, name, percent in (
        line.split("\t")
        for line in resources.files(__package__).joinpath("weights.tsv").read_text("utf-8").splitlines()
    )
}
PARTS = tuple(name for kind, name in WEIGHTS if kind == "part")
ORDER_NOT_MARK = "Use the score to decide what to review first; it does not measure quality."
LOW = 50
DECIMALS = 1
SIMILARITY = "similarity: expected a function that takes two lists of texts and returns a number from 0 to 1 per pair"

# How much lengths vary (Gale and Church 1993): the variance per character, and a number of characters that varies in
# texts of any length.
VARIANCE = 6.8
FRAME = 8.0
# The number of rows from which a column defines what is usual, and how unusual a length must be to halve its part.
ENOUGH = 100
LEAST_VARIANCE = 1.0
HALF = 2.0
STEEPNESS = 2.5
# Shorter words are shared by accident.
LEAST_WORD = 3
FIRST_NOT_LATIN = 0x370
# Signs that languages write differently count as the same.
ALIKE_SIGNS = {
    ".": "。．।…", ",": "，、،", ":": "：", ";": "；؛", "?": "？؟", "!": "！", "(": "（", ")": "）", "%": "％٪",
    "'": "‘’‚′", '"': "“”„‟«»‹›「」『』《》″＂", "-": "–—―−",
}  # fmt: skip
PLAIN_SIGNS = np.arange(0x10000)
for _sign, _alike in ALIKE_SIGNS.items():
    PLAIN_SIGNS[[ord(each) for each in _alike]] = ord(_sign)
# Signs that make a word a number, a code or the name of a machine, and those that do so only between two characters.
HARD_SIGNS = "_@%&$€£#+={}<>/\\^~|*°"
SOFT_SIGNS = ".,:?"
SOFT, PLAIN, HARD = 1, 2, 3
KIND_OF_CODE = np.zeros(0x2100, dtype=np.int8)
KIND_OF_CODE[[ord(letter) for letter in SOFT_SIGNS]] = SOFT
KIND_OF_CODE[[ord(letter) for letter in string.ascii_letters]] = PLAIN
KIND_OF_CODE[[ord(letter) for letter in string.digits + HARD_SIGNS]] = HARD


def score(source: Any, translated: Any, **how: Any) -> pd.Series[Any]:
    """Only the scores: a column "score" with the labels of *source*; *how* has the parameters of `score_table`."""
    scores: pd.Series[Any] = score_table(source, translated, **how)["score"]
    return scores


def score_table(
    source: pd.Series[Any],
    translated: pd.Series[Any],
    *,
    source_lang: Any = None,
    target_lang: Any = None,
    glossary: pd.DataFrame | Mapping[str, str] | None = None,
    detect: wording.Detect | None = None,
    skip: Iterable[str] | str | None = None,
    back: pd.Series[Any] | Callable[[], pd.Series[Any]] | None = None,
    similarity: Similarity | None = None,
    found: Iterable[Finding] | None = None,
) -> Report:
    """The score of every translation and its parts.

    Parameters
    ----------
    source, translated
        The texts and their translations, row by row.
    source_lang, target_lang
        The languages, if known: one for all rows, or a column of languages.
    glossary, detect, skip
        As for `check`.
    back
        The translations, translated back into the language of the sources; missing if there is none. A function that
        returns them is called after everything else was checked, because it may cost something.
    similarity
        A function that takes two lists of texts and returns the similarity in meaning of each pair, from 0 to 1. It
        receives the sources with *back*, or with the translations if there is no *back*, and every different pair once.
    found
        The findings of the checks in these texts, if already known: the checks do not run again.

    Returns
    -------
    Report
        A row for each text, with its label: `score`; the parts `findings`, `length`, `script`, `translated`, `kept`,
        `signs`, `round_trip` (chrF) and `similarity`, each from 0 to 100, where 100 means nothing unusual, and missing
        if unknown; `worst`, the most serious finding. Numbers have one decimal place. In a row without a source text
        all are missing.
    """
    if similarity is not None and not callable(similarity):
        raise TypeError(f"{SIMILARITY}, found {short(repr(similarity))}")
    ours, theirs = aligned(source, translated, "source", "translated")
    count, codes = len(ours), chosen(None, skip)
    parts = {name: np.full(count, np.nan) for name in ("findings", *PARTS)}
    live = np.zeros(count, dtype=np.bool_)
    if found is None:
        found = checked(ours, theirs, source_lang, target_lang, codes, glossary=glossary, detect=detect).found
    for own, wanted, rows in rows_by_language(ours, source_lang, target_lang):
        texts, made = ours.iloc[rows], theirs.iloc[rows]
        live[rows], plausible = _plausible(texts, made, base_of(own), base_of(wanted))
        for name, values in plausible.items():
            parts[name][rows] = values
    parts["findings"], worst = _weighed_findings(found, count)
    worst[~live] = None
    for values in parts.values():
        values[~live] = np.nan
    if back is not None:
        _, returned = aligned(ours, back() if callable(back) else back, "source", "back")
        parts["round_trip"] = _each_pair(ours, returned, live, lambda some, others: list(map(chrf, others, some)))
    if similarity is not None:
        meant = theirs if back is None else returned
        parts["similarity"] = 100 * _each_pair(ours, meant, live, lambda *texts: _similarities(similarity, *texts))
    scores = parts["findings"].copy()
    for name in PARTS:
        scores *= 1 - WEIGHTS["part", name] * (1 - np.nan_to_num(parts[name], nan=100.0) / 100)
    numbers = {name: values.round(DECIMALS) for name, values in {"score": scores, **parts}.items()}
    frame = pd.DataFrame({**numbers, "worst": pd.array(worst, dtype=TEXT)}, index=ours.index)
    return Report(frame, _said(numbers["score"]))


def as_scores(column: pd.Series[Any]) -> Numbers:
    """The scores in *column*, some missing; anything but a number from 0 to 100 raises ValueError with the row."""
    values = pd.to_numeric(column.astype(object), errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    wrong = np.flatnonzero(np.where(np.isnan(values), column.notna(), (values < 0) | (values > 100)))
    if len(wrong):
        place, label = int(wrong[0]), short(str(column.index[wrong[0]]))
        found = short(repr(column.iloc[place]))
        raise ValueError(f"score, row {place} (label {label}): expected a number from 0 to 100, found {found}")
    return values


def _said(scores: Numbers) -> str:
    told = scores[~np.isnan(scores)]
    if not len(told):
        return "No row has a source text."
    low = int((told < LOW).sum())
    return f"{plural(len(told), 'text')}, {low:,} below {LOW}, median {np.median(told):.1f}. {ORDER_NOT_MARK}"


# ---- what the checks found


def weight(code: str) -> float:
    """The share of the score that a finding of the check *code* takes away."""
    return WEIGHTS.get(("code", code), WEIGHTS["severity", CHECKS[code][0]])


def _weighed_findings(found: Iterable[Finding], count: int) -> tuple[Numbers, npt.NDArray[Any]]:
    """What the findings leave of 100 in every row, counting each code once, and the worst with its message."""
    left, worst = np.full(count, 100.0), np.full(count, None, dtype=object)
    most_serious: dict[int, Finding] = {}
    for one in {(one.row, one.code): one for one in found}.values():
        left[one.row] *= 1 - weight(one.code)
        if one.row not in most_serious or weight(one.code) > weight(most_serious[one.row].code):
            most_serious[one.row] = one
    for row, one in most_serious.items():
        worst[row] = f"{one.code}: {one.message}".encode("utf-8", "replace").decode()
    return left, worst


# ---- what is plausible


def _plausible(
    source: pd.Series[Any], target: pd.Series[Any], own: str | None, wanted: str | None
) -> tuple[Bools, dict[str, Numbers]]:
    """Which rows have a source text, and the parts that need no checks."""
    count = len(source)
    live = np.zeros(count, dtype=np.bool_)
    lengths = np.zeros((2, count))
    scripts, new_words, kept, signs = (np.full(count, np.nan) for _ in range(4))
    for first, piece in chunks(target, source):
        end = first + len(piece)
        sides = Side(source.iloc[first:end]), Side(piece)
        live[first:end] = sides[0].sums((sides[0].kinds & (SPACE | INVISIBLE)) == 0) > 0
        for place, (side, lang) in enumerate(zip(sides, (own, wanted), strict=True)):
            lengths[place, first:end] = weighed(side, lang)
        scripts[first:end] = _in_scripts(sides[1], wanted)
        if own is None or own != wanted:
            new_words[first:end] = _new_words(*sides)
        kept[first:end], signs[first:end] = _kept(*sides), _same_signs(*sides)
    usual = _usual_lengths(lengths[0], lengths[1], live)
    return live, {"length": usual, "script": scripts, "translated": new_words, "kept": kept, "signs": signs}


def _usual_lengths(ours: Numbers, theirs: Numbers, live: Bools) -> Numbers:
    """How usual the lengths are, for this column if it has enough rows, for these languages otherwise."""
    both = live & (theirs > 0)
    ratio, variance = 1.0, VARIANCE
    if both.sum() >= ENOUGH:
        ratio = float(np.median(theirs[both] / ours[both]))
    apart = (theirs - ratio * ours) / np.sqrt((theirs + ratio * ours) / 2 + FRAME)
    if both.sum() >= ENOUGH:
        variance = max(LEAST_VARIANCE, float(1.4826 * np.median(np.abs(apart[both]))) ** 2)
    unusual: Numbers = np.abs(apart) / np.sqrt(variance)
    return 100 / (1 + (unusual / HALF) ** STEEPNESS)


def _in_scripts(side: Side, lang: str | None) -> Numbers:
    """The share of the letters that belong to a script of the language; missing if there are no letters."""
    used = WRITTEN_IN.get(lang or "")
    if not used:
        return np.full(len(side), np.nan)
    letters = (side.kinds & LETTER) != 0
    # A letter of none of the other scripts is Latin.
    latin = "latin" in used
    others = [name for name in SCRIPTS if (name in used) != latin] if side.widest >= FIRST_NOT_LATIN else []
    with np.errstate(invalid="ignore"):
        return 100 * side.sums(letters & (side.in_scripts(others) != latin)) / side.sums(letters)


def _new_words(source: Side, target: Side) -> Numbers:
    """The share of a translation's words, in lower case, that are not in the source; missing if it has no words."""
    stretches = []
    for side in (source, target):
        words = side.words
        small = ((side.kinds[words.starts] & LOWER) != 0) & (words.ends - words.starts >= LEAST_WORD)
        stretches.append((words.starts[small], words.ends[small]))
    _, shared, count = _shared(source, target, *stretches)
    with np.errstate(invalid="ignore"):
        return 100 * (1 - shared / count)


def _kept(source: Side, target: Side) -> Numbers:
    """The share of numbers, codes and words with signs inside that both texts have; missing if there are none."""
    ours, shared, theirs = _shared(source, target, _codes(source), _codes(target))
    most = np.maximum(ours, theirs)
    with np.errstate(invalid="ignore"):
        return 100 * np.minimum(shared / most, 1)


def _same_signs(source: Side, target: Side) -> Numbers:
    """The share of signs and newlines that both texts have equally often; missing if there are none."""
    found = []
    for side in (source, target):
        spots = side.spots(((side.kinds & (WORD | SPACE)) == 0) | (side.codes == ord(BREAK)))
        known = spots.codes < len(PLAIN_SIGNS)
        plain = np.where(known, PLAIN_SIGNS[np.where(known, spots.codes, 0)], spots.codes)
        found.append((*np.unique(spots.rows.astype(np.int64) << 21 | plain, return_counts=True), side.counts(spots)))
    (ours, times, all_ours), (theirs, other_times, all_theirs) = found
    _, places, others = np.intersect1d(ours, theirs, assume_unique=True, return_indices=True)
    both = np.minimum(times[places], other_times[others])
    shared = np.bincount(ours[places] >> 21, both, minlength=len(target))
    with np.errstate(invalid="ignore"):
        same: Numbers = 100 * shared / np.maximum(all_ours, all_theirs)
    return same


def _codes(side: Side) -> tuple[Places, Places]:
    """Start and end of every stretch of ASCII letters, digits and signs that is not only letters."""
    if side.widest < len(KIND_OF_CODE):
        kinds = KIND_OF_CODE[side.codes]
    else:
        kinds = KIND_OF_CODE[np.where(side.codes < len(KIND_OF_CODE), side.codes, 0)]
    # A soft sign counts only between two other characters.
    firm = kinds > SOFT
    between = np.zeros(len(kinds), dtype=np.bool_)
    between[1:-1] = firm[:-2] & firm[2:]
    telling = (kinds > PLAIN) | ((kinds == SOFT) & between)
    inside = firm | telling
    changes = (
        np.flatnonzero(inside[1:] != inside[:-1]) + 1
    )  # the last character is not a letter, so that all stretches end
    if len(inside) and inside[0]:
        changes = np.concatenate(([0], changes))
    starts, ends = changes[::2], changes[1::2]
    places = np.flatnonzero(telling)
    more = np.searchsorted(places, starts) < np.searchsorted(places, ends)
    return starts[more], ends[more]


def _shared(
    source: Side, target: Side, ours: tuple[Places, Places], theirs: tuple[Places, Places]
) -> tuple[Places, Places, Places]:
    """The numbers of stretches per row: in the source, in both texts, and in the translation."""
    hashes, rows = [], []
    for side, (starts, ends) in ((source, ours), (target, theirs)):
        rows.append(side.rows_of(starts))
        hashes.append(side.hashes(starts, ends) + rows[-1].astype(np.uint64) * MIX)
    found = rows[1][_among(hashes[1], hashes[0])]
    counts = (np.bincount(some, minlength=len(target)) for some in (rows[0], found, rows[1]))
    return cast("tuple[Places, Places, Places]", tuple(counts))


def _among(some: Hashes, others: Hashes) -> Bools:
    """Which of *some* are among *others*; after a table of bits only few need sorting."""
    slots = np.uint64((1 << min(22, max(len(others), 64).bit_length() + 4)) - 1)
    here, there = ((hashes & slots).astype(np.int64) for hashes in (some, others))
    table = np.zeros(int(slots) + 1, dtype=np.bool_)
    table[there] = True
    maybe = np.flatnonzero(table[here])
    table[:] = False
    table[here[maybe]] = True
    found = np.zeros(len(some), dtype=np.bool_)
    found[maybe] = np.isin(
        some[maybe], others[table[there]], kind="sort"
    )  # hashes are too large to be indices of a table
    return found


# ---- the meaning


def _each_pair(texts: pd.Series[Any], others: pd.Series[Any], live: Bools, compare: Callable[..., Any]) -> Numbers:
    """The result of *compare* for the texts of every row, once per different pair; missing if a text is."""
    found = np.full(len(texts), np.nan)
    rows = np.flatnonzero(live & others.notna().to_numpy())
    if not len(rows):
        return found
    pairs = list(zip(texts.iloc[rows].tolist(), others.iloc[rows].tolist(), strict=True))
    numbers = {pair: number for number, pair in enumerate(dict.fromkeys(pairs))}
    told = np.asarray(compare(*map(list, zip(*numbers, strict=True))))
    found[rows] = told[[numbers[pair] for pair in pairs]]
    return found


def _similarities(similarity: Similarity, texts: list[str], others: list[str]) -> Numbers:
    """The result of *similarity*, after checking that it is valid."""
    try:
        given = similarity(texts, others)
    except Exception as problem:
        problem.add_note(f"{SIMILARITY}. Yours raised this for two lists of {plural(len(texts), 'text')} each.")
        raise
    numbers: Numbers = np.zeros(0)
    try:
        values = np.asarray(given)
        if values.dtype.kind in "biufO":
            numbers = values.astype(np.float64)
    except (TypeError, ValueError):
        pass
    if numbers.shape != (len(texts),):
        found = type(given).__name__
        if isinstance(given, Sequence | np.ndarray) and len(given):
            found = f"{plural(len(given), 'value')} of type {type(given[0]).__name__}"
        raise ValueError(f"{SIMILARITY}. For {plural(len(texts), 'pair')} it returned {found}")
    outside = np.flatnonzero(~((numbers >= -1.000001) & (numbers <= 1.000001)))  # a cosine may be below 0
    if len(outside):
        pair = " and ".join(repr(short(each[outside[0]])) for each in (texts, others))
        raise ValueError(f"{SIMILARITY}. For {pair} it returned {numbers[outside[0]]:g}")
    return numbers.clip(0, 1)
