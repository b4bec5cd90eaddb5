"""A memory of 100,000 segments against a look at every one of them: ratios of processor time in one run."""

from __future__ import annotations

import random
import time
from itertools import accumulate
from pathlib import Path

import pytest
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from svc_nb.service.memories.storage import FuzzyIndex

SEGMENTS, TEXTS, LOOKED_AT = 100_000, 1000, 20
HEAD = """# Translation memories

Written by `make bench`: processor time of 1,000 texts, each with one word changed or wholly new, in a memory of 100,000
segments of invented words with the frequencies of real ones, at a threshold of 75.

"""
LINES: list[str] = []


@pytest.fixture(scope="module", autouse=True)
def results():
    yield
    Path(__file__).with_name("memories.md").write_text(HEAD + "\n".join(LINES) + "\n")


def cpu(work):
    """Processor seconds of a run, and what it gave."""
    before = time.process_time()
    given = work()
    return time.process_time() - before, given


def test_texts_are_found_many_times_faster_than_by_looking_at_every_segment():
    dice = random.Random(7)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(dice.choices(letters, k=dice.randint(2, 9))) for _ in range(20_000)]
    frequencies = list(accumulate(1 / (rank + 1) for rank in range(len(words))))

    def sentence():
        return " ".join(dice.choices(words, cum_weights=frequencies, k=dice.randint(4, 25))) + "."

    def changed(text):
        parts = text.split()
        parts[dice.randrange(len(parts))] = dice.choice(words)
        return " ".join(parts)

    sources = [sentence() for _ in range(SEGMENTS)]
    texts = [changed(dice.choice(sources)) if number % 2 else sentence() for number in range(TEXTS)]
    built, recall = cpu(lambda: FuzzyIndex((source, source) for source in sources))
    found, answers = cpu(lambda: [recall.find(text, 75) for text in texts])
    whole, _ = cpu(
        lambda: [
            process.extractOne(text, sources, scorer=Levenshtein.normalized_similarity, score_cutoff=0.75)
            for text in texts[:LOOKED_AT]
        ]
    )
    share = found / (whole * TEXTS / LOOKED_AT)
    LINES.append(f"- finding {sum(answer is not None for answer in answers)} of them: {found:.2f} s")
    LINES.append(f"- against rapidfuzz over every segment: {share:.3f} x (bound 0.2)")
    LINES.append(f"- making the index, once: {built:.2f} s")
    assert share < 0.2
    assert sum(answer is not None for answer in answers) > 0.4 * TEXTS
