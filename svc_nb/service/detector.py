"""Which language a text is in, or why that cannot be said: owns the model, its folds and its thresholds.

A text goes through four steps. What is no language (addresses, paths, tags, codes, mentions) is cut out and the
first 2,000 characters of the rest are kept. Fewer than two letters: nothing to detect. The script that dominates
says which languages are possible; where that is one only, it is the answer. Otherwise the model shares the text
among the possible ones, and in texts of few words, where it is weak, everyday words weigh in.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain
from threading import Lock
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from .catalogue import read
from .catalogue.languages import DETECTION
from .catalogue.scripts import SCRIPTS, dominant

Status = Literal["success", "insufficient_confidence", "unsupported_language", "no_language_detected"]
Floats = npt.NDArray[np.float32]

# Both were chosen on 69,000 short texts in 75 languages; there, 0.2 to 0.3 was right 61 times in 100.
CONFIDENT = 0.20
OUTSIDE = 0.5

FEW_WORDS = 4
WORD_COUNTS = 8.0
# What hardly any evidence speaks for is guessed to be English, by far the commonest language of such scraps.
ENGLISH_COUNTS = 3.0

KEPT = 2_000
FIRST_LOOK = 3_000
LAST_LOOK = 20_000
BATCH = 50

UNKNOWN = "und"
NO_LANGUAGE = "zxx"
FOLDS = {"nn": "nb", "yue": "zh", "wuu": "zh", "ary": "ar", "arz": "ar", "hbo": "he", "grc": "el"}


@dataclass(frozen=True, slots=True)
class Detection:
    """What was found: *language* on success only, *guess* always (`und` when there is none)."""

    status: Status
    language: str | None
    guess: str


class Detector:
    """Detects languages. May be shared between threads; all detectors of a process share one model."""

    def load(self) -> None:
        """Load the model now, which takes most of a second, and not at the first text."""
        _model()

    def detect(self, texts: Sequence[str]) -> list[Detection]:
        """Return one detection for each text, in the order of *texts*."""
        return [_judge(best) for best in _best(texts, DETECTION)]

    def guess(self, text: str, among: Collection[str] | None = None) -> str:
        """Return the likeliest language of *text*, one of *among* if given; `und` when there is none."""
        if among is None:
            return self.detect([text])[0].guess
        [best] = _best([text], among)
        return best.wanted


class _Best(NamedTuple):
    """The likeliest label of a text (a language or `zxx`), its share, and the likeliest wanted language."""

    label: str
    confidence: float
    wanted: str


def _judge(best: _Best) -> Detection:
    guess = best.wanted if best.wanted != UNKNOWN or best.label == NO_LANGUAGE else best.label
    if best.label == NO_LANGUAGE:
        return Detection("no_language_detected", None, guess)
    if best.confidence < CONFIDENT:
        return Detection("insufficient_confidence", None, guess)
    if best.label in DETECTION:
        return Detection("success", best.label, best.label)
    return Detection("unsupported_language", None, best.label)


def _best(texts: Sequence[str], wanted: Collection[str]) -> list[_Best]:
    """Return the best of each text: by its script alone where that is enough, else by the model."""
    useful = [_useful(text) for text in texts]
    scripts = [_script(text) for text in useful]
    found = [_by_script(script, wanted) for script in scripts]
    undecided = [number for number, best in enumerate(found) if best is None]
    for start in range(0, len(undecided), BATCH):
        numbers = undecided[start : start + BATCH]
        ranked = _model().best([useful[n] for n in numbers], [scripts[n] or "" for n in numbers], wanted)
        for number, best in zip(numbers, ranked, strict=True):
            found[number] = best
    return [best for best in found if best is not None]


def _by_script(script: str | None, wanted: Collection[str]) -> _Best | None:
    """Return the best language if *script* leaves no choice, else None."""
    if script is None:
        return _Best(NO_LANGUAGE, 1.0, UNKNOWN)
    languages = {FOLDS.get(code, code) for code in SCRIPTS[script].languages} if script else {UNKNOWN}
    if len(languages) != 1:
        return None
    [language] = languages
    return _Best(language, 1.0, language if language in wanted else UNKNOWN)


# None of these patterns looks at a character more than a few times: a run that could start anywhere inside
# itself is tried from its beginning only, and once read it is not given back.
_CJK = r"\u3000-\u9fff\uac00-\ud7a3\uff00-\uffef"
_SUSPECT = re.compile(r"(?<!\S)(?:[^\s@/\\_0-9.]|\.(?!\w))*+(?:[@/\\_0-9]|\.\w)\S*")
_NOISE = re.compile(
    "|".join(
        (
            rf"(?:https?://|ftp://|www\.)[^\s<>{_CJK}]+",
            r"(?<![\w.+-])[\w.+-]++@[\w-]++(?:\.[\w-]++)+",
            r"(?<![0-9A-Za-z])[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}(?![0-9A-Za-z])",
            r"(?<![\w.@-])(?:[\w-]++\.)+(?:com|org|net|info|biz|edu|gov|io|dev|app|shop|example)\b(?:/\S*)?",
            r"(?<![\w.-])[\w-]++\.(?:csv|docx?|gif|html?|jpe?g|json|mp[34]|pdf|png|pptx?|py|txt|xlsx?|xml|zip)\b",
            rf"(?<!\S)(?:[A-Za-z]:\\|\\\\|~?/|\.{{1,2}}/)[^\s{_CJK}]+|(?<![\w/.-])(?:[\w.-]++/){{2,}}[\w.-]*",
            r"(?<![\w-])(?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]++(?!\w)",
            r"(?<!\w)@\w+",
        )
    )
)
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,400}>|&#?\w{1,12};")
_HASHTAG = re.compile(r"(?<!\w)#\w+")
_MISSING = frozenset({"n/a", "nan", "null", "undefined"})
_WORD = re.compile(r"[^\W\d_]+")
# Two letters, or one that can be a word of its own.
_WORDY = re.compile(
    r"[^\W\d_][\W\d_]*[^\W\d_]|[\u3400-\u9fff\uf900-\ufaff\uac00-\ud7a3\U00020000-\U0003ffff]"
)
_BEYOND_LATIN = re.compile(
    r"[\u0370-\u1dff\u1f00-\u1fff\u2c00-\u2c5f\u2c80-\ua71f\ua800-\uab2f\uab70-\ufdff"
    r"\U00010000-\U0001cfff\U00020000-\U0003ffff]"
)


def _useful(text: str) -> str:
    """Return the first characters of *text* that can tell its language, without compatibility forms."""
    useful = _without_noise(text[:FIRST_LOOK])
    if len(useful) < KEPT and len(text) > FIRST_LOOK:
        useful = _without_noise(text[:LAST_LOOK])
    return useful[:KEPT]


def _without_noise(text: str) -> str:
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    if len(text) < 12 and text.strip().lower() in _MISSING:
        return ""
    if "<" in text or "&" in text:
        text = _TAG.sub(" ", text)
    text = _SUSPECT.sub(lambda word: _NOISE.sub(" ", word[0]), text)
    bare = _HASHTAG.sub(" ", text) if "#" in text else text
    return bare if _WORDY.search(bare) else text


def _script(text: str) -> str | None:
    """Return the script that dominates *text*, empty if no language has it; None if there is no word."""
    if not _WORDY.search(text):
        return None
    return dominant(text) if _BEYOND_LATIN.search(text) else "latin"


def _lower(text: str) -> str:
    """Return *text* in lower case; the Turkish capital I with a dot becomes one letter, not two."""
    return text.lower().replace("i\u0307", "i")


def _encoded(text: str) -> bytes:
    """Return *text* as the model was trained: in lower case if it is all capitals, UTF-8."""
    return (_lower(text) if text.isupper() else text).encode("utf-8", errors="surrogatepass")


class _Model:
    """The naive Bayes model of py3langid over byte n-grams, asked for many texts at once.

    The same arithmetic as its `rank`, at half the cost: counted, scored and tempered for a whole batch.
    """

    def __init__(self) -> None:
        from py3langid.langid import MODEL_FILE, LanguageIdentifier

        source = LanguageIdentifier.from_model_file(MODEL_FILE)
        self._moves = source.tk_nextmove
        self._rows = [row << 8 for row in source.tk_row]
        self._features = np.asarray(source.tk_output, dtype=np.intp)
        self._table: npt.NDArray[np.float16] = source.nb_ptc
        self._prior: Floats = np.asarray(source.nb_pc, dtype=np.float32)
        self.labels = ["nb" if label == "no" else label for label in source.nb_classes]
        self._masks = _masks(self.labels)
        self._folds = _folds(self.labels)
        self._weights = np.where(np.isin(self.labels, list(DETECTION)), 1.0, OUTSIDE).astype(np.float32)
        self._weights[[child for child, _ in self._folds]] = 0.0
        self._words = _everyday_words(self.labels)

    def best(self, texts: Sequence[str], scripts: Sequence[str], wanted: Collection[str]) -> list[_Best]:
        """Return the best label of each text among those that its script allows."""
        shares = self.shares(texts, scripts)
        tops, confidences = shares.argmax(axis=1), shares.max(axis=1)
        shares[confidences < CONFIDENT, self.labels.index("en")] *= ENGLISH_COUNTS
        shares[:, [code not in wanted for code in self.labels]] = 0.0
        guesses = shares.argmax(axis=1)
        return [
            _Best(self.labels[top], float(confidence), self.labels[guess] if row[guess] > 0.0 else UNKNOWN)
            for top, confidence, guess, row in zip(tops, confidences, guesses, shares, strict=True)
        ]

    def shares(self, texts: Sequence[str], scripts: Sequence[str]) -> Floats:
        """Return a row for each text that says how its script's languages share it; a row adds up to one."""
        data = [_encoded(text) for text in texts]
        scores = self._scores(data)
        # The model was calibrated so: the longer the text, the flatter.
        scores /= np.sqrt([max(1, len(item)) for item in data], dtype=np.float32)[:, None]
        scores += np.stack([self._masks[script] for script in scripts])
        shares: Floats = np.exp(scores - scores.max(axis=1, keepdims=True))
        for child, parent in self._folds:
            shares[:, parent] += shares[:, child]
        shares *= self._weights
        for text, row in zip(texts, shares, strict=True):
            self._weigh_words(text, row)
        shares /= shares.sum(axis=1, keepdims=True)
        return shares

    def _scores(self, data: Sequence[bytes]) -> Floats:
        """Return the score of every class for each text, as the model gives it."""
        visited = [self._walk(item) for item in data]
        numbers = np.repeat(np.arange(len(data)), [len(states) for states in visited])
        features = self._features[np.fromiter(chain.from_iterable(visited), np.intp, len(numbers))]
        hits = features >= 0
        seen, counts = np.unique(numbers[hits] * len(self._table) + features[hits], return_counts=True)
        weights = np.log1p(counts, dtype=np.float32)
        rows = seen % len(self._table)
        edges = np.searchsorted(seen, np.arange(len(data) + 1) * len(self._table))
        scores = np.zeros((len(data), len(self._prior)), dtype=np.float32)
        for score, start, end in zip(scores, edges[:-1], edges[1:], strict=True):
            if start == end:  # of no rows at all einsum makes a sum out of whatever memory holds
                continue
            table = self._table.take(rows[start:end], axis=0).astype(np.float32)
            # einsum, not @: BLAS spreads such small products over threads and may take a hundred times as long.
            np.einsum("i,ij->j", weights[start:end], table, out=score)
        scores += self._prior
        return scores

    def _walk(self, data: bytes) -> list[int]:
        """Return the states that the model's automaton passes through while it reads *data*."""
        moves, rows, state = self._moves, self._rows, 0
        states: list[int] = []
        for byte in data:
            state = moves[rows[state] + byte]
            states.append(state)
        return states

    def _weigh_words(self, text: str, shares: Floats) -> None:
        """Raise the share of languages whose everyday words a short *text* has; the fewer they are, the more."""
        if text.count(" ") >= FEW_WORDS:
            return
        for word in self._words.keys() & _WORD.findall(_lower(text)):
            columns = self._words[word]
            shares[columns] *= WORD_COUNTS ** (1 / np.sqrt(len(columns)))


def _masks(labels: Sequence[str]) -> dict[str, Floats]:
    """Return what each script adds to the scores: minus infinity for what is not written in it."""
    both = {"sr", "uz"}
    elsewhere = {code for script in SCRIPTS.values() for code in script.languages} - both
    masks = {}
    for name, script in SCRIPTS.items():
        allowed = set(script.languages) or set(labels) - elsewhere
        masks[name] = np.asarray([0.0 if code in allowed else -np.inf for code in labels], dtype=np.float32)
    return masks


def _folds(labels: Sequence[str]) -> list[tuple[int, int]]:
    """Return which column is added to which: dialects to their language, a label's second to its first."""
    parents = [labels.index(FOLDS.get(code, code)) for code in labels]
    return [(child, parent) for child, parent in enumerate(parents) if child != parent]


def _everyday_words(labels: Sequence[str]) -> dict[str, list[int]]:
    """Return the columns of the languages that have each word."""
    words: defaultdict[str, list[int]] = defaultdict(list)
    for code, listed in read("everyday_words.json").items():
        for word in listed.split():
            words[word].append(labels.index(code))
    return dict(words)


_LOADING = Lock()
_LOADED: list[_Model] = []


def _model() -> _Model:
    """Return the one model of this process, loaded at the first call."""
    with _LOADING:
        if not _LOADED:
            _LOADED.append(_Model())
        return _LOADED[0]
