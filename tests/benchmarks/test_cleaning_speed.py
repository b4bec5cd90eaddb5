"""What cleaning changes in real messages and repairs in damaged ones, and what it and near duplicates cost."""

from __future__ import annotations

import csv
import gettext
import html
import json
import random
import re
import subprocess
import sys
import sysconfig
import time
import unicodedata
from importlib import resources
from pathlib import Path

import ftfy.bad_codecs  # noqa: F401  it registers an encoding
import numpy as np
import pandas as pd
import pytest

from svc_nb.columns import translation
from svc_nb.columns.cleaning import DEFAULT, cleaned
from svc_nb.columns.hints import noticed
from svc_nb.columns.near_duplicates import near_duplicates
from tests.benchmarks.bench import column
from tests.benchmarks.labelled.pairs import pairs

HEAD = """# Cleaning, and near duplicates

Written by `make bench`. The messages are those of the samples, of the packages that are installed (pycountry and
others) and of the labelled pairs. Seconds are processor time.

"""
LINES: list[str] = []
LISTED = 40
INDIAN = re.compile("[\u0900-\u0dff]")  # these letters stay in the form that they have
LIMIT = 60
WORDS = (
    "der die das Rucksack Lieferung Bestellung Rechnung Kunde Preis Qualität Farbe Größe Händler Paket Adresse Konto "
    "schnell langsam gut schlecht sehr nicht ist war kam wurde heute gestern leicht schwer"
)


@pytest.fixture(scope="module", autouse=True)
def results():
    yield
    Path(__file__).with_name("cleaning.md").write_text(HEAD + "\n".join(LINES) + "\n", encoding="utf-8")


def told(line: str) -> None:
    LINES.append(line)
    print(line)


def cpu(work) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


@pytest.fixture(scope="module")
def messages() -> dict[str, str]:
    """Real messages, each with its language."""
    with resources.files("svc_nb.samples").joinpath("messages.csv").open(encoding="utf-8", newline="") as file:
        languages, *rows = csv.reader(file)
    found = {text: lang for row in rows for lang, text in zip(languages, row, strict=True) if text}
    for path in sorted(Path(sysconfig.get_path("purelib")).glob("*/**/*.mo")):
        with path.open("rb") as file:
            catalogue = gettext.GNUTranslations(file)._catalog
        lang = path.parts[-3] if path.parent.name == "LC_MESSAGES" else "?"
        found |= {text: lang for key, text in catalogue.items() if key and isinstance(text, str)}
    for pair in pairs():
        found |= {pair.source: "en", **dict.fromkeys(filter(None, (pair.target, pair.other)), pair.lang)}
    return found


def test_cleaning_changes_hardly_any_real_message(messages):
    changed: list[tuple[str, str, str, str]] = []
    seconds = cpu(
        lambda: changed.extend(
            (lang, kind, *sides)
            for text, lang in messages.items()
            if cleaned(text, DEFAULT, made := {}) != text
            for kind, sides in made.items()
        )
    )
    languages = len({lang.partition("_")[0] for lang in messages.values()})
    told(
        f"- {len(messages):,} real messages in {languages} languages: {len(changed)} changed, "
        f"{seconds / len(messages) * 1e6:.1f} µs each"
    )
    for lang, kind, before, after in changed[:LISTED]:
        told(f"    - {lang}, {kind}: `{before[:60].encode('unicode_escape').decode()}` → {after[:60]!r}")
    if len(changed) > LISTED:
        told(f"    - and {len(changed) - LISTED} more")
    assert len(messages) >= 100_000
    assert languages >= 30
    assert len(changed) <= len(messages) / 1_000
    assert not [each for each in changed if each[1] in ("bytes", "mojibake")]


def _sprinkled(text: str, dice: random.Random) -> str:
    place = dice.randrange(len(text) + 1)
    return text[:place] + dice.choice("\0\x01\x02\x07\x08\x0e\x1f\x7f") + text[place:]


def _in_part(text: str, dice: random.Random) -> str:
    words = text.split(" ")
    places = [place for place, word in enumerate(words) if not word.isascii()]
    if places:
        place = dice.choice(places)
        words[place] = words[place].encode().decode("sloppy-windows-1252")
    return " ".join(words)


DAMAGE = {
    "UTF-8 read as Latin-1": lambda text, dice: text.encode().decode("latin-1"),
    "UTF-8 read as cp1252": lambda text, dice: text.encode().decode("sloppy-windows-1252"),
    "read so twice": lambda text, dice: (
        text.encode().decode("sloppy-windows-1252").encode().decode("sloppy-windows-1252")
    ),
    "one word read so": _in_part,
    "letters as entities": lambda text, dice: "".join(
        f"&#{ord(each)};" if ord(each) > 127 else html.escape(each) for each in text
    ),
    "HTML escaped": lambda text, dice: html.escape(text),
    "HTML escaped twice": lambda text, dice: html.escape(html.escape(text)),
    "control characters": _sprinkled,
    "byte order mark": lambda text, dice: "\ufeff" + text,
    "decomposed letters": lambda text, dice: text if INDIAN.search(text) else unicodedata.normalize("NFD", text),
    "literal of bytes": lambda text, dice: str(text.encode()),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_damaged_messages_are_repaired(messages, kind):
    dice = random.Random(0)
    sample = dice.sample(sorted(messages), 20_000)
    damaged = [(text, broken) for text in sample if (broken := DAMAGE[kind](text, dice)) != text]
    repaired = sum(cleaned(broken, DEFAULT) == cleaned(text, DEFAULT) for text, broken in damaged)
    told(f"- {kind}: {repaired / len(damaged):.2%} of {len(damaged):,} repaired")
    # "&lt;%s&gt;" may as well be right, in a template of HTML: it stays.
    assert repaired >= 0.98 * len(damaged)


@pytest.mark.parametrize("lang", ["bg", "mk", "ru", "sr", "uk"])
def test_cyrillic_messages_read_as_cp1251_are_repaired(messages, lang):
    texts = [text for text, each in messages.items() if re.split("[_@]", each)[0] == lang and not text.isascii()]
    repaired = sum(
        cleaned(text.encode().decode("sloppy-windows-1251"), DEFAULT) == cleaned(text, DEFAULT) for text in texts
    )
    told(f"- UTF-8 read as cp1251, {lang}: {repaired / len(texts):.2%} of {len(texts):,} repaired")
    assert repaired >= 0.98 * len(texts)


# ---- near duplicates of a million rows


def _reviews(rows: int) -> list[str]:
    """Reviews of ten words, every fourth almost the same as another one."""
    dice = np.random.default_rng(0)
    texts = [" ".join(each) + "." for each in np.array(WORDS.split(), dtype=object)[dice.integers(0, 30, (rows, 10))]]
    for place in range(0, rows, 4):
        text = texts[place + 1]
        at = place % len(text)
        variants = (text.upper(), f" {text}", text[:-1] + "!", f"{text[:at]}x{text[at + 1 :]}")
        texts[place] = variants[place // 4 % 4]
    return texts


def _random(rows: int, length: int, head: str = "") -> list[str]:
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz    "))
    dice = np.random.default_rng(0)
    return [head + "".join(each) for each in dice.choice(letters, (rows, length))]


def _alike(rows: int) -> list[str]:
    base = "Die Lieferung kam schnell an, und der Rucksack ist leicht und gut, danke"
    dice = np.random.default_rng(0)
    places, letters = dice.integers(0, len(base), (rows, 3)).tolist(), dice.integers(97, 123, (rows, 3)).tolist()
    texts = []
    for own_places, own_letters in zip(places, letters, strict=True):
        text = list(base)
        for place, letter in zip(own_places, own_letters, strict=True):
            text[place] = chr(letter)
        texts.append("".join(text))
    return texts


COLUMNS = {
    "reviews, a fourth of them near duplicates": lambda rows: _reviews(rows),
    "all almost equal": lambda rows: _alike(rows),
    "all equal but for a number": lambda rows: column(rows, rows).tolist(),
    "very short": lambda rows: _random(rows, 4),
    "random": lambda rows: _random(rows, 66),
    "random, with the same beginning": lambda rows: _random(
        rows, 40, "Bestellung der Kundin mit dem Namen und der Nummer: "
    ),
    "ten of a megabyte": lambda rows: [" ".join(_random(1, 1_000_000, str(n % 5))) + " x" * (n > 4) for n in range(10)],
}


@pytest.mark.parametrize("name", COLUMNS)
def test_near_duplicates_of_a_million_rows_take_three_times_factorize_and_a_minute(name):
    texts = pd.Series(COLUMNS[name](1_000_000), dtype="str")
    floor = cpu(lambda: pd.factorize(texts))
    found = []
    seconds = cpu(lambda: found.append(near_duplicates(texts)))
    bound = 3 * floor + LIMIT
    told(f"- near_duplicates, {name}: {seconds:.1f} s (bound {bound:.1f}), {len(found[0]):,} rows in groups")
    assert seconds <= bound


MEMORY = """
import gc, json, threading
import pandas as pd, psutil
from svc_nb.columns.near_duplicates import near_duplicates
from tests.benchmarks.test_cleaning_speed import COLUMNS
import sys
texts = pd.Series(COLUMNS[sys.argv[1]](1_000_000), dtype="str")
near_duplicates(texts.head(1_000))
gc.collect()
if sys.platform == "linux":  # what was freed would hide what is needed
    import ctypes
    ctypes.CDLL(None).malloc_trim(0)
    import pyarrow
    pyarrow.default_memory_pool().release_unused()
me, peak, done = psutil.Process(), [0], threading.Event()
before = me.memory_info().rss
def watch():
    while not done.wait(0.002):
        peak[0] = max(peak[0], me.memory_info().rss)
watcher = threading.Thread(target=watch); watcher.start()
found = near_duplicates(texts)
done.set(); watcher.join()
sizes = [int(texts.memory_usage(deep=True, index=False)), int(found.memory_usage(deep=True).sum())]
print(json.dumps({"grown": peak[0] - before, "input": sizes[0], "output": sizes[1]}))
"""


@pytest.mark.parametrize("name", ["reviews, a fourth of them near duplicates", "random"])
def test_near_duplicates_need_three_times_the_memory_of_the_column(name):
    command = [sys.executable, "-c", MEMORY, name]
    ended = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2])
    counts = json.loads(ended.stdout)
    grown, table = counts["grown"] / counts["input"], counts["output"] / counts["input"]
    told(f"- memory, {name}: grows by {grown:.2f} x the column, of which the table is {table:.2f} x")
    assert grown <= 3


# ---- what hints cost a plan


@pytest.mark.parametrize("unique", [20_000, 1_000_000])
def test_hints_make_a_plan_of_a_million_rows_little_slower(connected, unique):
    job = translation(column(1_000_000, unique, salt="hints"), None, "EN-US", False, {"source_lang": "DE"})
    job._take_apart()
    plan = job._plan(None)
    hinting = cpu(lambda: noticed(plan, {}))
    planning = cpu(job.plan) - hinting
    told(f"- hints of a plan for a million rows, {unique:,} different: {hinting / planning:.0%} of its time besides")
    assert hinting <= 0.15 * planning
