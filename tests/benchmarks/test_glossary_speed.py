"""Glossaries against the reading of the same file by pandas: ratios of processor time in one run."""

from __future__ import annotations

import csv
import io
import time
import timeit
from pathlib import Path

import pandas as pd
import pytest

from svc_nb.checks.service_terms import to_dictionaries
from svc_nb.glossaries.dictionaries import from_entries, to_entries
from svc_nb.glossaries.diff import diff
from svc_nb.glossaries.fix import fix
from svc_nb.glossaries.lint import lint
from tests.benchmarks.real_terms import glossary

TEN_MEBIBYTES = 10 * 1024 * 1024
HEAD = """# Glossaries

Written by `make bench`: processor time, in times what `pandas.read_csv` needs for the same rows in the same run. The
glossary is real: ISO names in some thirty languages, 100,000 rows.

"""
LINES: list[str] = []


@pytest.fixture(scope="module")
def terms():
    return glossary()


def cpu(work) -> float:
    """Processor seconds of a run."""
    return timeit.timeit(work, number=1, timer=time.process_time)


def ratio(work, base) -> float:
    """How many times the processor time of *base* *work* takes: the fastest of several runs of each, by turns."""
    runs = [(cpu(base), cpu(work)) for _ in range(9)]
    return min(run[1] for run in runs) / min(run[0] for run in runs)


def reading(table: pd.DataFrame):
    """What reads *table* from CSV with pandas."""
    text = table.to_csv(index=False).encode()
    return lambda: pd.read_csv(io.BytesIO(text))


@pytest.fixture(scope="module", autouse=True)
def results():
    yield
    Path(__file__).with_name("glossaries.md").write_text(HEAD + "\n".join(LINES) + "\n")


def told(what: str, times: float, bound: float | None = None) -> None:
    LINES.append(f"- {what}: {times:.2f} x" + ("" if bound is None else f" (bound {bound:g})"))
    print("\n" + LINES[-1])
    if bound is not None:
        assert times <= bound


def by_hand(table: pd.DataFrame) -> str:
    """Entries as people write them: a loop with a csv writer, nothing checked."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_NONE, quotechar=None)
    for _, row in table.iterrows():
        writer.writerow([row["source"], row["target"]])
    return out.getvalue()


def test_linting_100_000_rows(terms):
    assert len(terms) == 100_000
    told("lint", ratio(lambda: lint(terms), reading(terms)), 10)


def test_fixing_100_000_rows(terms):
    told("fix, with the lint of what is left", ratio(lambda: fix(terms), reading(terms)))


def test_converting_100_000_rows_to_entries(terms):
    base = reading(terms)
    told("to entries, TSV of four columns", ratio(lambda: to_entries(terms), base), 3.5)
    told("to entries, CSV of four columns", ratio(lambda: to_entries(terms, "csv"), base), 4)
    told("to dictionaries, one text for each pair", ratio(lambda: to_dictionaries(terms), base), 3)


def test_one_pair_of_100_000_rows(terms):
    marks = [f" {chr(97 + row // 676 % 26)}{chr(97 + row // 26 % 26)}{chr(97 + row % 26)}" for row in range(len(terms))]
    sides = {
        name: terms[name] + marks + (terms["target_lang"] if name == "source" else "") for name in ("source", "target")
    }
    one = terms.assign(source_lang="en", target_lang="fr", **sides).drop_duplicates("source", ignore_index=True)
    base = reading(one)
    told("one pair: lint", ratio(lambda: lint(one), base), 10)
    told("one pair: to entries, TSV", ratio(lambda: to_entries(one), base), 3)
    told("one pair: to entries, CSV", ratio(lambda: to_entries(one, "csv"), base), 4)
    told("one pair: by hand with a csv writer, nothing checked", ratio(lambda: by_hand(one), base))


def test_parsing_10_mebibytes_of_tsv(terms):
    text = to_entries(terms[["source", "target"]].assign(source_lang="en", target_lang="fr").drop_duplicates("source"))
    while len(text.encode()) < TEN_MEBIBYTES:
        text += "\n" + text
    data = text.encode()[:TEN_MEBIBYTES]
    data = data[: data.rindex(b"\n")]
    parse = ratio(
        lambda: from_entries(data, source_lang="en", target_lang="fr"),
        lambda: pd.read_csv(io.BytesIO(data), sep="\t", header=None, quoting=csv.QUOTE_NONE),
    )
    told("10 MiB of TSV into a table, against read_csv of the same bytes", parse, 3)


def test_comparing_two_versions(terms):
    other = terms.copy()
    other.loc[::100, "target"] += "!"
    told("diff of two versions", ratio(lambda: diff(terms, other), reading(terms)))
