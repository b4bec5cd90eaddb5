"""Which language a text is in, or why that cannot be said: owns the models' shares, their folds and thresholds.

A text goes through four steps. What is not language (addresses, paths, tags, placeholders, codes, mentions) is cut out
and the first 2,000 characters of the rest are kept. Fewer than two letters: nothing to detect. The script that
dominates says which languages are possible; where that is one only, it is the answer. Otherwise two models share the
text among the possible ones: the fewer its words, the more the one for short texts counts.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import cache
from importlib import resources
from itertools import chain
from threading import Lock
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from . import catalogue
from .catalogue.languages import DETECTION

Status = Literal["success", "insufficient_confidence", "unsupported_language", "no_language_detected"]
Guess = tuple[str | None, float | None]
Floats = npt.NDArray[np.float32]
Hashes = npt.NDArray[np.uint64]

# What a share must be at least to be an answer. All numbers here were chosen on 52,000 messages of programs of which
# neither model has seen any; a share of 0.6 to 0.7 was right 3 times in 4 there.
CONFIDENT = 0.4
CONFIDENT_OF_ONE_WORD = 0.74
CONFIDENT_OF_MANY = 0.2
# What hardly any evidence speaks for is guessed to be English, by far the commonest language of such scraps.
SCRAP = 0.3
ENGLISH_COUNTS = 3.0

# With more words than the first number the model for short texts counts less, with more than the second it is not
# asked; with fewer than the third the other model counts less, but never less than the fourth says.
SHORT, MOST_WORDS, LONG, LEAST_WEIGHT = 2, 20, 4, 0.3
SHORT_SCRIPTS = ("latin", "cyrillic", "arabic", "han")
HARDLY = -14.0
# How much likelier short texts are in English than in another listed language, and how much less in one that is not
# listed; as logarithms.
ENGLISH, UNLISTED = 1.0, -0.5
RARE = -9.2  # for languages that the model for short texts does not know

KEPT = 2_000
FIRST_LOOK = 3_000
LAST_LOOK = 20_000
BATCH = 50

UNKNOWN = "und"
NO_LANGUAGE = "zxx"
FOLDS = {"nn": "nb", "yue": "zh", "wuu": "zh", "ary": "ar", "arz": "ar", "hbo": "he", "grc": "el"}

MODEL = "short_texts.npz"  # the model for short texts
LONGEST = 5
BITS = 16
_SHORT_WORD = re.compile(r"[^\W\d_]+(?:['·][^\W\d_]+)*|[¿¡]")
_BASE = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xD6E8FEB86659FD93)
_POWERS = np.array([pow(int(_BASE), power, 2**64) for power in range(64)], dtype=np.uint64)
_WHOLE_WORD = 99


class Script(NamedTuple):
    """A script: its code in ISO 15924, its blocks, what a letter weighs, and its languages (none: all others)."""

    code: str
    blocks: str
    weight: int  # more than Latin, whose names stand in texts of all languages; most where a letter says most
    languages: tuple[str, ...]


SCRIPTS: dict[str, Script] = {
    name: Script(code, blocks, weight, tuple(languages))
    for name, (code, blocks, weight, languages) in catalogue.read("scripts.json").items()
}


def dominant(text: str) -> str:
    """The name of the script that dominates *text*, empty if no language has it; a tenth of kana makes Han Japanese."""
    weights: Counter[str] = Counter()
    for letter, count in Counter(text).items():
        if letter.isalpha():
            name = _script(ord(letter) >> 4)
            weights[name] += count * (SCRIPTS[name].weight if name else 2)
    if 0 < weights["han"] <= weights["kana"] * 10:
        weights["kana"] += weights.pop("han")
    return max(weights, key=lambda name: (weights[name], name != "latin"), default="")


@cache
def _script(sixteen: int) -> str:
    """Return the script of the sixteen characters from ``sixteen * 16`` on, empty where there is none."""
    for name, script in SCRIPTS.items():
        for span in script.blocks.split():
            first, last = (int(edge, 16) >> 4 for edge in span.split("-"))
            if first <= sixteen <= last:
                return name
    return ""


def iso_15924(script: str, text: str) -> str:
    """Return the code of *script*; that of Chinese characters says which, if *text* has more of one kind."""
    if script != "han":
        return SCRIPTS[script].code
    hans, hant = one_sided(text)
    return SCRIPTS[script].code if hans == hant else "Hans" if hans > hant else "Hant"


def one_sided(text: str) -> tuple[int, int]:
    """Return how many characters of *text* only simplified Chinese has, and how many only traditional Chinese.

    >>> one_sided("这是"), one_sided("這是"), one_sided("国語"), one_sided("你好")
    ((1, 0), (0, 1), (1, 1), (0, 0))
    """
    letters = {letter for letter in text if _script(ord(letter) >> 4) == "han" and letter.isalpha()}
    simplified, traditional = (
        {letter for letter in letters if letter.encode(codec, "ignore")} for codec in ("gb2312", "big5")
    )
    return len(simplified - traditional), len(traditional - simplified)


class Detection(NamedTuple):
    """What was found: the likeliest two languages, on the list or not, with their shares of the text as confidence."""

    status: Status
    language: str | None  # on success only
    guess: str  # what to translate from: the language found, else the likeliest of the list, `und` when there is none
    best: str | None = None
    confidence: float | None = None
    second: str | None = None
    second_confidence: float | None = None
    script: str | None = None  # of ISO 15924


class Detector:
    """Detects languages. May be shared between threads; all detectors of a process share one model."""

    def detect(self, texts: Sequence[str]) -> list[Detection]:
        """Return one detection for each text, in the order of *texts*: by its script alone, else by the models."""
        useful = [_useful(text) for text in texts]
        scripts = [  # empty if no language has the script; None if there is no word
            None if not _WORDY.search(text) else dominant(text) if _BEYOND_LATIN.search(text) else "latin"
            for text in useful
        ]
        found = [_by_script(script) for script in scripts]
        undecided = [number for number, each in enumerate(found) if each is None]
        for start in range(0, len(undecided), BATCH):
            numbers = undecided[start : start + BATCH]
            ranked = _model().best([useful[n] for n in numbers], [scripts[n] or "" for n in numbers])
            for number, each in zip(numbers, ranked, strict=True):
                found[number] = each
        return [
            each._replace(script=iso_15924("kana" if each.best == "ja" else script, text) if script else None)
            for each, script, text in zip(found, scripts, useful, strict=True)
            if each is not None
        ]

    def guess(self, text: str) -> str:
        """Return the likeliest language of *text*; `und` when there is none."""
        return self.detect([text])[0].guess


def _by_script(script: str | None) -> Detection | None:
    """Return what was found if *script* leaves no choice, else None."""
    if script is None:
        return _detection(NO_LANGUAGE, 1.0, UNKNOWN)
    languages = {FOLDS.get(code, code) for code in SCRIPTS[script].languages} if script else {UNKNOWN}
    if len(languages) != 1:
        return None
    [language] = languages
    return _detection(language, 1.0, language if language in DETECTION else UNKNOWN)


def _detection(
    label: str, share: float, listed: str, second: Guess = (None, None), enough: float = CONFIDENT
) -> Detection:
    """What the likeliest *label* of a text means; *listed* is the likeliest of the list, *enough* makes an answer."""
    if label == NO_LANGUAGE:
        return Detection("no_language_detected", None, listed)
    status: Status = "insufficient_confidence"
    guess = label if listed == UNKNOWN else listed
    if share >= enough:
        status, guess = "success" if label in DETECTION else "unsupported_language", label
    language, best = label if status == "success" else None, None if label == UNKNOWN else label
    other, other_share = second
    return Detection(status, language, guess, best, round(share, 4), other, other_share and round(other_share, 4))


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
_PLACEHOLDER = re.compile(
    r"%\([^()\s]{1,60}\)[A-Za-z]|%(?:\d+\$)?[-+#0-9.*]{0,8}(?:hh|h|ll|l|z)?[A-Za-z](?![^\W\d_])|\$?\{[^{}\s]{0,60}\}"
)
# The letter of a menu's text that is pressed for it: _File, E&xit, ファイル(_F).
_MNEMONIC = re.compile(r"\([_&]\w\)|(?<![\w&])[_&](?=[^\W\d_])|(?<=[^\W\d_])[_&](?=[^\W\d_])")
# No word is so long: what programs write.
_BLOB = re.compile(r"[A-Za-z]{80,}+")
_MISSING = frozenset({"n/a", "nan", "null", "undefined"})
# Two letters, or one that can be a word of its own.
_WORDY = re.compile(r"[^\W\d_][\W\d_]*[^\W\d_]|[\u3400-\u9fff\uf900-\ufaff\uac00-\ud7a3\U00020000-\U0003ffff]")
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
    if "%" in text or "{" in text:
        text = _PLACEHOLDER.sub(" ", text)
    if len(text) >= 80:
        text = _BLOB.sub(" ", text)
    text = _SUSPECT.sub(lambda word: _NOISE.sub(" ", word[0]), text)
    if "_" in text or "&" in text:
        text = _MNEMONIC.sub("", text)
    bare = _HASHTAG.sub(" ", text) if "#" in text else text
    return bare if _WORDY.search(bare) else text


def _lower(text: str) -> str:
    """Return *text* in lower case; the Turkish capital I with a dot becomes one letter, not two."""
    return text.lower().replace("i\u0307", "i")


def words(text: str) -> list[str]:
    """Return the words of *text* in lower case."""
    return _SHORT_WORD.findall(_lower(text).replace("’", "'"))


def features(texts: Sequence[Sequence[str]]) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return the features of *texts*, given as words, and for each feature the number of its text."""
    lines = [" ".join(["", *listed]) or " " for listed in texts]
    # One space ends the last word; that of any other text is the one before the next.
    letters = np.frombuffer(("".join(lines) + " ").encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    numbers = np.repeat(np.arange(len(lines)), [len(line) for line in lines])
    codes, space = letters.astype(np.uint64), letters == ord(" ")
    found, whose = [_rows(codes[~space], 1)], [numbers[~space[:-1]]]
    run, whole = codes, np.ones(len(codes), dtype=bool)
    for length in range(2, LONGEST + 1):
        run = run[:-1] * _BASE + codes[length - 1 :]
        # Inside a run there is no space; of two letters both are at its edge.
        whole = whole[:-1] & ~space[length - 2 : -1] if length > 2 else ~(space[:-1] & space[1:])
        found.append(_rows(run[whole], length))
        whose.append(numbers[: len(run)][whole])
    starts = np.flatnonzero(space[:-1] & ~space[1:]) + 1
    if len(starts):
        places = np.arange(len(codes))
        within = places - np.maximum.accumulate(np.where(space, places, 0)) - 1
        weighed = np.where(space, np.uint64(0), codes * _POWERS[np.clip(within, 0, len(_POWERS) - 1)])
        found.append(_rows(np.add.reduceat(weighed, starts), _WHOLE_WORD))
        whose.append(numbers[starts])
    return np.concatenate(found), np.concatenate(whose)


def _rows(hashes: Hashes, kind: int) -> npt.NDArray[np.intp]:
    """Return the row of the table for each of *hashes*, other ones for each *kind* of feature."""
    mixed = (hashes ^ np.uint64(kind * 0x1234567)) * _MIX
    mixed = (mixed ^ (mixed >> np.uint64(29))) * _MIX
    return (mixed >> np.uint64(64 - BITS)).astype(np.intp)


class ShortTexts:
    """A small model of letters and words that tells languages apart where a text has few words.

    A text is read as words in lower case. Each run of one to five letters inside a word, its edges included, and each
    whole word is a feature; its hash names a row of a table of vectors. The vectors of a text are added up, and a
    matrix turns the sum into a score for each language. The vectors are whole numbers, so that sums do not depend on
    their order. `tests/detection` trains the model and says from which texts.
    """

    def __init__(self) -> None:
        with resources.files(catalogue).joinpath(MODEL).open("rb") as file, np.load(file) as stored:
            self.labels: list[str] = stored["labels"].tolist()
            self._vectors: npt.NDArray[np.int8] = stored["vectors"]
            self._matrix: Floats = stored["matrix"].astype(np.float32)
            self._bias: Floats = stored["bias"].astype(np.float32)

    def scores(self, texts: Sequence[Sequence[str]]) -> Floats:
        """Return a row of scores, one for each label, for each of *texts*, given as words."""
        rows, numbers = features(texts)
        order = np.argsort(numbers, kind="stable")
        counts = np.bincount(numbers, minlength=len(texts))
        sums = np.zeros((len(texts), self._vectors.shape[1]), dtype=np.float32)
        edges = np.cumsum(counts) - counts
        filled = counts > 0
        if filled.any():
            sums[filled] = np.add.reduceat(
                self._vectors.take(rows[order], axis=0), edges[filled], axis=0, dtype=np.int32
            ) / np.sqrt(counts[filled, None])
        # einsum, not @: BLAS spreads such small products over threads and may take a hundred times as long.
        scores: Floats = np.einsum("ij,jk->ik", sums, self._matrix) + self._bias
        return scores


class _Model:
    """The model of py3langid, with the arithmetic of its `rank` for a whole batch, and beside it `ShortTexts`."""

    def __init__(self) -> None:
        from py3langid.langid import MODEL_FILE, LanguageIdentifier

        source = LanguageIdentifier.from_model_file(MODEL_FILE)
        self._moves = source.tk_nextmove
        self._rows = [row << 8 for row in source.tk_row]
        self._features = np.asarray(source.tk_output, dtype=np.intp)
        self._table: npt.NDArray[np.float16] = source.nb_ptc
        self._prior: Floats = np.asarray(source.nb_pc, dtype=np.float32)
        self.labels = ["nb" if label == "no" else label for label in source.nb_classes]
        # What each script adds to the scores: minus infinity for what is not written in it.
        elsewhere = {code for script in SCRIPTS.values() for code in script.languages} - {"sr", "uz"}
        self._masks: dict[str, Floats] = {}
        for name, script in SCRIPTS.items():
            allowed = set(script.languages) or set(self.labels) - elsewhere
            mask = [0.0 if code in allowed else -np.inf for code in self.labels]
            self._masks[name] = np.asarray(mask, dtype=np.float32)
        # Which column is added to which: dialects to their language, a label's second to its first.
        parents = [self.labels.index(FOLDS.get(code, code)) for code in self.labels]
        self._folds = [(child, parent) for child, parent in enumerate(parents) if child != parent]
        self._short = ShortTexts()
        known = [number for number, label in enumerate(self._short.labels) if label in self.labels]
        self._known = np.array(known), np.array([self.labels.index(self._short.labels[n]) for n in known])
        usual = [
            ENGLISH if label == "en" else 0.0 if label in (*DETECTION, NO_LANGUAGE) else UNLISTED
            for label in self.labels
        ]
        self._usual: Floats = np.array(usual, dtype=np.float32)

    def best(self, texts: Sequence[str], scripts: Sequence[str]) -> list[Detection]:
        """Return what the best label of each text is among those that its script allows."""
        listed = [words(text) if text.count(" ") <= MOST_WORDS else None for text in texts]
        counts = [
            MOST_WORDS + 1.0 if each is None else max(1.0, len(text) / 2 if script == "han" else len(each))
            for text, script, each in zip(texts, scripts, listed, strict=True)
        ]
        shares = self.shares(texts, scripts, listed, counts)
        nothing = self.labels.index(NO_LANGUAGE)
        # What looks a little like no language is some language that cannot be told.
        none = shares[:, nothing].tolist()
        shares[:, nothing] = 0.0
        tops, confidences = _top(shares)
        others = shares.copy()
        others[np.arange(len(texts)), tops] = 0.0
        shares[confidences < SCRAP, self.labels.index("en")] *= ENGLISH_COUNTS
        shares[:, [code not in DETECTION for code in self.labels]] = 0.0
        found = []
        rows = zip(*(each.tolist() for each in (tops, confidences, *_top(others), *_top(shares))), strict=True)
        for row, no_language, count, script in zip(rows, none, counts, scripts, strict=True):
            # What the share must be: Chinese characters leave but two languages.
            enough = CONFIDENT_OF_ONE_WORD if count == 1 and script != "han" else CONFIDENT
            enough = CONFIDENT_OF_MANY if count > MOST_WORDS else enough
            top, confidence, second, second_confidence, guess, guessed = row
            listed_one = self.labels[guess] if guessed else UNKNOWN
            if no_language >= enough:
                found.append(_detection(NO_LANGUAGE, no_language, listed_one))
            else:
                other = (self.labels[second], second_confidence) if second_confidence else (None, None)
                found.append(_detection(self.labels[top], confidence, listed_one, other, enough))
        return found

    def shares(
        self,
        texts: Sequence[str],
        scripts: Sequence[str],
        listed: Sequence[Sequence[str] | None],
        counts: Sequence[float],
    ) -> Floats:
        """Return a row for each text, of *counts* words, that says how its script's languages share it."""
        # As the model was trained: in lower case if it is all capitals, UTF-8.
        cased = [_lower(text) if text.isupper() else text for text in texts]
        data = [text.encode("utf-8", errors="surrogatepass") for text in cased]
        scores = self._scores(data)
        # The model was calibrated so: the longer the text, the flatter.
        scores /= np.sqrt([max(1, len(item)) for item in data], dtype=np.float32)[:, None]
        masks = np.stack([self._masks[script] for script in scripts])
        shares = _shared(scores + masks)
        for child, parent in self._folds:
            shares[:, parent] += shares[:, child]
            shares[:, child] = 0.0
        few = [
            number
            for number, (script, count) in enumerate(zip(scripts, counts, strict=True))
            if script in SHORT_SCRIPTS and count <= MOST_WORDS
        ]
        if few:
            own = np.full((len(few), len(self.labels)), RARE, dtype=np.float32)
            from_columns, into_columns = self._known
            scored = self._short.scores([listed[number] or () for number in few])[:, from_columns]
            scored += masks[few][:, into_columns]
            scored -= scored.max(axis=1, keepdims=True)
            scored -= np.log(np.exp(scored).sum(axis=1, keepdims=True))
            own[:, into_columns] = np.maximum(scored, HARDLY)
            own += self._usual
            with np.errstate(divide="ignore"):
                theirs = np.log(shares[few])
            many = np.array([counts[number] for number in few], dtype=np.float32)[:, None]
            own *= np.minimum(1.0, SHORT / many)
            theirs *= np.clip(many / LONG, LEAST_WEIGHT, 1.0)
            shares[few] = _shared(own + theirs)
        return shares

    def _scores(self, data: Sequence[bytes]) -> Floats:
        """Return the score of every class for each text, as the model gives it."""
        visited = []  # the states that the model's automaton passes through while it reads each text
        for item in data:
            moves, rows, state, states = self._moves, self._rows, 0, list[int]()
            for byte in item:
                state = moves[rows[state] + byte]
                states.append(state)
            visited.append(states)
        numbers = np.repeat(np.arange(len(data)), [len(states) for states in visited])
        features = self._features[np.fromiter(chain.from_iterable(visited), np.intp, len(numbers))]
        hits = features >= 0
        seen, counts = np.unique(numbers[hits] * len(self._table) + features[hits], return_counts=True)
        weights = np.log1p(counts, dtype=np.float32)
        seen_rows = seen % len(self._table)
        edges = np.searchsorted(seen, np.arange(len(data) + 1) * len(self._table))
        scores = np.zeros((len(data), len(self._prior)), dtype=np.float32)
        for score, start, end in zip(scores, edges[:-1], edges[1:], strict=True):
            if start == end:  # of no rows at all einsum makes a sum out of whatever memory holds
                continue
            table = self._table.take(seen_rows[start:end], axis=0).astype(np.float32)
            # einsum, not @: BLAS spreads such small products over threads and may take a hundred times as long.
            np.einsum("i,ij->j", weights[start:end], table, out=score)
        scores += self._prior
        return scores


def _top(shares: Floats) -> tuple[npt.NDArray[np.intp], Floats]:
    return shares.argmax(axis=1), shares.max(axis=1)


def _shared(scores: Floats) -> Floats:
    """Return *scores*, which are logarithms, as shares: each row adds up to one."""
    shares: Floats = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    return shares


_LOADING = Lock()
_LOADED: list[_Model] = []


def _model() -> _Model:
    """Return the one model of this process, loaded at the first call."""
    with _LOADING:
        if not _LOADED:
            _LOADED.append(_Model())
        return _LOADED[0]
