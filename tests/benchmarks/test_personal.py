"""How much personal data is found, by kind and locale, what is masked for nothing, and what looking for it costs."""

from __future__ import annotations

import csv
import random
import time
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest
from faker import Faker

from svc_nb.columns.personal import found
from svc_nb.columns.protection import Protection
from tests.columns.test_personal import KINDS, LOCALES, MESSAGES, made

EACH = 400
ROWS = 20_000
LEAST_RECALL = 0.98
MOST_FALSE = 0.005
RESULTS = Path(__file__).with_name("personal.md")
LINES = ["# Personal data\n"]


@pytest.fixture(scope="module", autouse=True)
def results():
    yield
    RESULTS.write_text("\n".join(LINES) + "\n")


def recall(locale, provider):
    items = list(made(locale, provider, EACH))
    hits = sum(any(each.start <= start and end <= each.end for each in found(text)) for text, start, end in items)
    return hits / len(items)


def test_recall_by_kind_and_locale():
    table = pd.DataFrame({kind: {locale: recall(locale, by) for locale in LOCALES} for by, kind in KINDS.items()})
    LINES.append(f"Of {EACH} items that Faker makes for each kind and locale, masked as a whole, in percent:\n")
    LINES.extend(["| locale | " + " | ".join(table) + " |", "|---" + "|--:" * len(table.columns) + "|"])
    LINES.extend(
        f"| {locale} | " + " | ".join(f"{share:.1%}" for share in row) + " |"
        for locale, row in zip(table.index, table.to_numpy(), strict=True)
    )
    assert table.to_numpy().min() >= LEAST_RECALL


def test_false_masks():
    with MESSAGES.open(encoding="utf-8", newline="") as file:
        messages = [cell for row in csv.reader(file) for cell in row if cell]
    kinds = Counter(kind for message in messages for kind in {each.kind for each in found(message)})
    share = sum(bool(found(message)) for message in messages) / len(messages)
    LINES.append(f"\nOf {len(messages):,} real messages, {share:.3%} have something masked: {dict(kinds) or 'none'}.\n")
    assert share <= MOST_FALSE


def test_what_it_costs():
    choice = random.Random(20)
    faker = Faker(LOCALES)
    faker.seed_instance(20)
    with MESSAGES.open(encoding="utf-8", newline="") as file:
        messages = [cell for row in csv.reader(file) for cell in row if cell]
    plain = [f"{choice.choice(messages)} {choice.choice(messages)}" for _ in range(ROWS)]
    mixed = [f"{text} {faker.phone_number()}" if number % 10 == 0 else text for number, text in enumerate(plain)]
    people = [faker.name() for _ in range(5000)]
    asked = {
        "addresses and paths, as by default": (Protection.of(None), plain),
        'protect="personal", no row has any': (Protection("personal"), plain),
        'protect="personal", a row in ten has a phone number': (Protection("personal"), mixed),
        "5,000 names": (Protection([], people), plain),
    }
    LINES.append("| what is looked for | µs a row |\n|---|--:|")
    for told, (protection, rows) in asked.items():
        started = time.process_time()
        protection.masked(rows)
        LINES.append(f"| {told} | {(time.process_time() - started) / ROWS * 1e6:.1f} |")
