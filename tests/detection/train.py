"""Trains the model for short texts, `svc_nb/service/catalogue/short_texts.npz`, from the messages in a folder.

    python -m tests.detection.messages FOLDER
    python -m tests.detection.train FOLDER OUT.npz

It is a softmax over sums of vectors, one for each letter n-gram and word (`service.detector.ShortTexts`). Examples are
drawn anew in every round, most of them one to three words long, as many from each language of the list, fewer from the
others; in each a part of the features is left out, so that no single word decides. About an hour on one core.
"""

from __future__ import annotations

import json
import random
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from svc_nb.service.catalogue.languages import DETECTION
from svc_nb.service.detector import BITS, SCRIPTS, _useful, dominant, features, words
from tests.detection.messages import training

ROUNDS = 12
EXAMPLES = 24_000  # of a language and round
OUTSIDE = 0.3  # as many of a language that is not on the list
FEWEST = 1_500  # messages that a language must have
BATCH = 4096
SIZE = 32
MISSPELT = 0.05  # of the examples
LEFT_OUT = 0.25  # of the features
RATE = 0.02
NO_LANGUAGE = "zxx"
OUTSIDE_CODES = """
    af ast az ba be br bs ca cy eo eu fa fo fy ga gd gl ha hr ht ig is jv kk ky lb mk mn ms mt nso oc ps qu rm rw so sq
    sr sw tg tk tl ug ur uz xh yo zu
"""
EVERYDAY = json.loads(Path(__file__).with_name("everyday_words.json").read_text(encoding="utf-8"))
BORROWED = 2  # times as often in English
EVERYDAY_COUNTS = 100  # as if it stood alone in so many messages
HAN = ("ja", "zh")
KEYBOARD = ("qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiop", "yxcvbnm")


Drawn = tuple[tuple[str, ...], tuple[bool, ...]]


class Examples(NamedTuple):
    """What a language has to draw from: messages as words, and for each word whether it is not in the English one too.

    *known* are the different words, each with the chance that it is drawn alone.
    """

    messages: Sequence[Drawn]
    known: Sequence[str]
    chances: Any


def gathered(folder: Path) -> dict[str, Examples]:
    """Return what each language has, by code."""
    messages: defaultdict[str, dict[tuple[str, ...], tuple[bool, ...]]] = defaultdict(dict)
    codes = {*DETECTION, *OUTSIDE_CODES.split()} - {
        c for s in SCRIPTS.values() if len(s.languages) == 1 for c in s.languages
    }
    codes = codes | set(HAN)
    seen: set[tuple[str, str]] = set()
    for language, text, english in training(folder):
        if language not in codes or len(text) > 600 or (language != "en" and text == english):
            continue
        if (language, text) in seen:
            continue
        seen.add((language, text))
        useful = _useful(text)
        if language in HAN:
            for run in re.findall(r"[\u3400-\u9fff]+", useful):
                messages[language][(run,)] = (True,)
            continue
        shared = set(words(english)) if language != "en" else set()
        listed = [word for word in words(useful) if word in "¿¡" or _written_in(language, _script(word))]
        own = tuple(word not in shared for word in listed)
        if any(own) or len(listed) > 3:
            messages[language][tuple(listed)] = own
    listed = {language: [*found.items(), *_everyday(language)] for language, found in messages.items()}
    english = _counted(listed["en"])
    return {
        language: _examples(its, Counter() if language == "en" else english)
        for language, its in sorted(listed.items())
        if len(messages[language]) >= FEWEST
    }


def _everyday(language: str) -> list[Drawn]:
    return [((word,), (True,)) for word in EVERYDAY.get(language, "").split()] * EVERYDAY_COUNTS


_script = cache(dominant)


def _written_in(language: str, script: str) -> bool:
    if script == "latin":
        return not any(language in each.languages for each in SCRIPTS.values()) or language in ("sr", "uz")
    return script in ("cyrillic", "arabic") and language in SCRIPTS[script].languages


def _counted(messages: Sequence[Drawn]) -> Counter[str]:
    return Counter(
        word for listed, own in messages for word, new in zip(listed, own, strict=True) if new and len(word) > 1
    )


def _examples(messages: Sequence[Drawn], english: Counter[str]) -> Examples:
    counts = _counted(messages)
    # A word that English has far more often was left untranslated.
    borrowed = {word for word, count in counts.items() if english[word] >= BORROWED * count}
    messages = [
        (listed, tuple(new and word not in borrowed for word, new in zip(listed, own, strict=True)))
        for listed, own in messages
    ]
    messages = [(listed, own) for listed, own in messages if any(own) or len(listed) > 3]
    known = [word for word in counts if word not in borrowed]
    chances = np.sqrt(np.array([counts[word] for word in known], dtype=float))
    return Examples(messages, known, chances / chances.sum())


def drawn(language: str, examples: Examples, count: int, chance: random.Random, numbers: Any) -> list[list[str]]:
    """Return about *count* examples of a language, as words."""
    if language in HAN:
        return [[_cut(chance.choice(examples.messages)[0][0], chance)] for _ in range(count)]
    alone = numbers.choice(len(examples.known), count, p=examples.chances)
    made: list[list[str]] = []
    for number in alone:
        kind = chance.random()
        listed, own = chance.choice(examples.messages)
        if kind < 0.22:
            made.append([examples.known[number]])
            continue
        size = 1 if kind < 0.35 else chance.choice((2, 2, 3)) if kind < 0.55 else chance.randrange(4, 10)
        if kind < 0.55 or len(listed) > 10:
            start = chance.randrange(max(1, len(listed) - size + 1))
            listed, own = listed[start : start + size], own[start : start + size]
        if any(own):
            made.append(list(listed))
    return [_misspelt(each, chance) if chance.random() < MISSPELT else each for each in made]


def _misspelt(listed: list[str], chance: random.Random) -> list[str]:
    """Return the words with two letters of one of them exchanged, or one left out."""
    number = chance.randrange(len(listed))
    word = listed[number]
    if len(word) < 4:
        return listed
    place = chance.randrange(len(word) - 1)
    swapped = word[place + 1] + word[place] if chance.random() < 0.5 else word[place]
    return [*listed[:number], word[:place] + swapped + word[place + 2 :], *listed[number + 1 :]]


def _cut(run: str, chance: random.Random) -> str:
    if len(run) <= 2 or chance.random() < 0.4:
        return run
    size = min(len(run), chance.choice((1, 2, 2, 2, 3, 4, 4, 5, 6)))
    start = chance.randrange(len(run) - size + 1)
    return run[start : start + size]


def gibberish(known: Sequence[str], chance: random.Random) -> list[str]:
    """Return a few words in no language: letters at random, keys side by side, and words with their letters mixed."""
    made = []
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        kind = chance.random()
        if kind < 0.35:
            made.append("".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randrange(3, 12))))
        elif kind < 0.5:
            made.append("".join(chance.choices("bcdfghjklmnpqrstvwxz", k=chance.randrange(3, 9))))
        elif kind < 0.7:
            row, size = chance.choice(KEYBOARD), chance.randrange(3, 8)
            start = chance.randrange(len(row) - 2)
            made.append(row[start : start + size][:: chance.choice((1, 1, -1))])
        else:
            letters = list(chance.choice(known))
            chance.shuffle(letters)
            made.append("".join(letters))
    return made


class Trained:
    """The vectors, the matrix and the bias, moved by Adam."""

    def __init__(self, labels: Sequence[str]) -> None:
        numbers = np.random.default_rng(2)
        shape = SIZE, len(labels)
        self.labels = labels
        self.vectors = (numbers.standard_normal((1 << BITS, SIZE)) * 0.1 / np.sqrt(SIZE)).astype(np.float32)
        self.matrix = (numbers.standard_normal(shape) / np.sqrt(SIZE)).astype(np.float32)
        self.bias = np.zeros(len(labels), dtype=np.float32)
        self._means = [np.zeros_like(each) for each in self._parts]
        self._squares = [np.zeros_like(each) for each in self._parts]
        self._steps = 0

    @property
    def _parts(self) -> list[Any]:
        return [self.vectors, self.matrix, self.bias]

    def step(self, texts: Sequence[Sequence[str]], truth: Any, *, rate: float, numbers: Any) -> tuple[float, int]:
        """Learn from *texts*; returns the sum of their losses, and how many were right."""
        rows, whose = features(texts)
        kept = numbers.random(len(rows)) >= LEFT_OUT
        rows, whose = rows[kept], whose[kept]
        order = np.argsort(whose, kind="stable")
        rows, whose = rows[order], whose[order]
        counts = np.bincount(whose, minlength=len(texts))
        scale = (1 / np.sqrt(np.maximum(counts, 1))).astype(np.float32)[:, None]
        sums = np.zeros((len(texts), SIZE), dtype=np.float32)
        some = counts > 0
        sums[some] = np.add.reduceat(self.vectors[rows], (np.cumsum(counts) - counts)[some], axis=0)
        sums *= scale
        scores = sums @ self.matrix + self.bias
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        every = np.arange(len(texts))
        loss = -np.log(shares[every, truth] + 1e-9).sum()
        right = int((shares.argmax(axis=1) == truth).sum())
        shares[every, truth] -= 1
        shares /= len(texts)
        back = (shares @ self.matrix.T) * scale
        order = np.argsort(rows, kind="stable")
        touched, starts = np.unique(rows[order], return_index=True)
        slopes = np.zeros_like(self.vectors)
        slopes[touched] = np.add.reduceat(back[whose[order]], starts, axis=0)
        self._move([slopes, sums.T @ shares, shares.sum(axis=0)], rate)
        return float(loss), right

    def _move(self, slopes: Sequence[Any], rate: float) -> None:
        self._steps += 1
        for part, slope, mean, square in zip(self._parts, slopes, self._means, self._squares, strict=True):
            mean += 0.1 * (slope - mean)
            square += 0.001 * (slope * slope - square)
            size = np.sqrt(square / (1 - 0.999**self._steps)) + 1e-8
            part -= rate * (mean / (1 - 0.9**self._steps)) / size

    def save(self, path: Path) -> None:
        """Write the model, its vectors as bytes."""
        most = np.quantile(np.abs(self.vectors), 0.9995, axis=0)
        vectors = np.clip(np.round(self.vectors / most * 127), -127, 127).astype(np.int8)
        matrix = (self.matrix * (most / 127)[:, None]).astype(np.float32)
        np.savez_compressed(path, labels=self.labels, vectors=vectors, matrix=matrix, bias=self.bias)


def main(folder: Path, out: Path) -> None:
    """Train and write the model."""
    examples = gathered(folder)
    latin = [word for language in ("de", "en", "es", "fi", "pl") for word in examples[language].known]
    labels = [*examples, NO_LANGUAGE]
    print(len(labels), "labels:", {language: len(each.messages) for language, each in examples.items()})
    chance, numbers = random.Random(1), np.random.default_rng(1)
    model, started, steps = Trained(labels), time.monotonic(), 0
    for each in range(ROUNDS):
        texts: list[list[str]] = []
        truth: list[int] = []
        for number, (language, its) in enumerate(examples.items()):
            count = EXAMPLES if language in DETECTION else min(int(EXAMPLES * OUTSIDE), 3 * len(its.messages))
            made = drawn(language, its, count, chance, numbers)
            texts += made
            truth += [number] * len(made)
        made = [gibberish(latin, chance) for _ in range(EXAMPLES // 2)]
        texts += made
        truth += [len(labels) - 1] * len(made)
        order, answers = numbers.permutation(len(texts)), np.array(truth)
        total = ROUNDS * (len(texts) // BATCH + 1)
        loss, right = 0.0, 0
        for start in range(0, len(texts), BATCH):
            some = order[start : start + BATCH]
            rate = RATE * max(0.01, 1 - steps / total)
            lost, hits = model.step([texts[n] for n in some], answers[some], rate=rate, numbers=numbers)
            loss, right, steps = loss + lost, right + hits, steps + 1
        took = time.monotonic() - started
        print(
            f"round {each}: loss {loss / len(texts):.3f}, right {right / len(texts):.3f}, {took:.0f} s",
            flush=True,
        )
        model.save(out)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
