"""Fits `svc_nb/checks/weights.tsv` on the tuned half: python -m tests.benchmarks.labelled.fit_weights --write.

The method, so that anybody can do it again:

1. Every row is described by numbers from 0 to 1: one for each code, 1 where the checks found it, and one for each part
   of the score, 0 where it is as usual and 1 where it is as unusual as can be. The rows are the right pairs and the
   broken ones of the tuned half, in columns in which one row in five is broken.
2. A logistic model tells the broken rows from the right ones. Its coefficients may not be negative, for nothing that is
   found makes a translation better; a ridge keeps those of rare codes small. It weighs both kinds of rows the same.
3. A coefficient becomes the share that is taken away, `1 - exp(-coefficient * SCALE)`: so the logarithm of the score is
   the model's sum, and both have the same order.
4. Shares are rounded to whole per cents and kept within the bounds of their severity, so that an error always takes
   more than a warning, and that more than a note. A code that the tuned half has in fewer than five rows has no line of
   its own, and takes the share of its severity: the middle of the bounds.

Two parts are not fitted with the others. What a round trip may take was chosen among 10, 15, 20, 30 and 40 per cent on
the rows of the tuned half that Apertium can translate back: more than 15 made the order of all rows worse. What a
similarity may take, 40, is a guess, because no model comes with svc_nb.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

import numpy as np

from svc_nb.checks import findings
from tests.benchmarks.labelled.ranking import Ranked, ranked

SCALE = 0.15
RIDGE = 1.0
STEPS = 3000
FEWEST = 5
BOUNDS = {"error": (45, 95), "warning": (12, 45), "info": (4, 12)}
PART_BOUNDS = (5, 80)
FIXED = {"empty": 100, "marked": 98}
FIXED_PARTS = {"round_trip": 15, "similarity": 40}


def fitted(rows: list[Ranked]) -> dict[tuple[str, str], int]:
    """The share in per cent that each code and each part takes away."""
    seen = Counter(code for row in rows for code in row.codes)
    codes = sorted(code for code, times in seen.items() if times >= FEWEST and code not in FIXED)
    parts = list(rows[0].parts)
    table = np.array(
        [[*(code in row.codes for code in codes), *(1 - row.parts[part] / 100 for part in parts)] for row in rows],
        dtype=np.float64,
    )
    broken = np.array([row.fault is not None for row in rows])
    found = 100 * (1 - np.exp(-SCALE * _logistic(table, broken)))
    weights = {("severity", name): round(sum(bounds) / 2) for name, bounds in BOUNDS.items()}
    weights |= {("code", code): percent for code, percent in FIXED.items()}
    for code, percent in zip(codes, found, strict=False):
        weights["code", code] = round(float(np.clip(percent, *BOUNDS[findings.CHECKS[code][0]])))
    for part, percent in zip(parts, found[len(codes) :], strict=True):
        weights["part", part] = round(float(np.clip(percent, *PART_BOUNDS)))
    return weights | {("part", part): percent for part, percent in FIXED_PARTS.items()}


def _logistic(table: np.ndarray, broken: np.ndarray) -> np.ndarray:
    """The coefficients, none below 0, by projected gradient descent."""
    importance = np.where(broken, 0.5 / broken.mean(), 0.5 / (1 - broken.mean()))
    inputs = np.column_stack([table, np.ones(len(table))])
    coefficients = np.zeros(inputs.shape[1])
    speed = 4 / np.linalg.norm(inputs * np.sqrt(importance)[:, None], 2) ** 2
    for _ in range(STEPS):
        likely = 1 / (1 + np.exp(-inputs @ coefficients))
        slope = inputs.T @ (importance * (likely - broken))
        slope[:-1] += RIDGE * coefficients[:-1]
        coefficients -= speed * slope
        coefficients[:-1] = np.maximum(coefficients[:-1], 0)
    return coefficients[:-1]


def main() -> None:
    """Print the weights, or write them."""
    parser = argparse.ArgumentParser(description="Fit the weights of the score on the tuned half.")
    parser.add_argument("--write", action="store_true", help="write them to svc_nb/checks/weights.tsv")
    asked = parser.parse_args()
    lines = "".join(f"{kind}\t{name}\t{percent}\n" for (kind, name), percent in fitted(ranked("tuned")).items())
    if asked.write:
        Path(findings.__file__).with_name("weights.tsv").write_text(lines, encoding="utf-8")
    print(lines, end="")


if __name__ == "__main__":
    main()
