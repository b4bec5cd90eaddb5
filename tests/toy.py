"""A translator for tests: it writes "[DE] text" as `pseudo` does, but counts as a translator."""

from __future__ import annotations

from collections.abc import Collection
from itertools import product

from svc_nb.service.catalogue.languages import SOURCES, TARGETS
from svc_nb.service.translators import Pseudo

PAIRS = frozenset(product(SOURCES, TARGETS))


class Toy(Pseudo):
    """Has every pair of languages."""

    name = "toy"

    def pairs(self) -> Collection[tuple[str, str]]:
        return PAIRS


TOY = (Toy(),)
"""The toy alone."""

TRANSLATORS = ("ctranslate", "apertium", *TOY)
"""What is installed, and for every other pair the toy."""
