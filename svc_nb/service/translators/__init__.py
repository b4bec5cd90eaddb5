"""The choice of a translator for a language pair: the best that is installed and passed its own self-test.

Engines are one file each (`ctranslate`, `apertium`, `pseudo`) and are started on first use only.
"""

from __future__ import annotations

import importlib
import logging
import os
from collections import ChainMap, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

__all__ = ["NoTranslator", "Translator", "TranslatorFailed", "Translators", "installed"]

ENGINES = ("ctranslate", "apertium", "pseudo")
"""Best first: a user's own neural model, rules, and a mark that is no translation."""

_log = logging.getLogger(__name__)


class NoTranslator(LookupError):
    """No installed translator has this language pair; the message says how to get one."""


class TranslatorFailed(RuntimeError):
    """A translator that passed its self-test broke down later; it is not offered for the pair any more."""


class Translator(Protocol):
    """An engine. Codes are lower-case BCP 47; all methods may be called from many threads at once."""

    @property
    def name(self) -> str:
        """What the service shows as `model_type_used`."""

    def pairs(self) -> Collection[tuple[str, str]]:
        """(source, target) on offer: cheap to ask; a pair may still fail its self-test."""

    def ready(self, source: str, target: str) -> bool:
        """Start and self-test this pair, once; False means that it is not offered from now on."""

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        """Translate one sentence each: same length, same order; private-use characters are carried through."""

    def close(self) -> None:
        """End processes and free models."""


@dataclass(frozen=True, slots=True)
class _Fitted:
    """A translator for one pair, which it may know by other codes than it is asked for."""

    engine: Translator
    source: str
    target: str

    @property
    def name(self) -> str:
        return self.engine.name

    def pairs(self) -> Collection[tuple[str, str]]:
        return ((self.source, self.target),)

    def ready(self, source: str, target: str) -> bool:
        return self.engine.ready(self.source, self.target)

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        return self.engine.translate(texts, self.source, self.target)

    def close(self) -> None:
        """Nothing: the engine serves other pairs too."""


class Translators:
    """The installed engines, best first."""

    def __init__(self, engines: Sequence[Translator]) -> None:
        self._engines = tuple(engines)

    def choose(self, source: str, target: str) -> Translator:
        """Return the best translator that has the pair and passed its self-test; raise NoTranslator if none has.

        The first call for a pair starts and tests the engine; a pair that failed is not tried again.
        """
        for engine in self._engines:
            offered = engine.pairs()
            for pair in _alike(source.lower(), target.lower()):
                if pair in offered and _passes(engine, pair):
                    return _Fitted(engine, *pair)
        raise NoTranslator(self._advice(source, target))

    def pairs(self) -> dict[tuple[str, str], str]:
        """Return every pair that a real translator offers, with the name of the best one."""
        best: dict[tuple[str, str], str] = {}
        for engine in self._engines:
            for pair in engine.pairs():
                best.setdefault(pair, engine.name)
        return best

    def sources(self, targets: Collection[str]) -> dict[str, dict[str, str]]:
        """Return the languages that real translators go from into each of *targets*, with the name of the best one."""
        known: defaultdict[str, dict[str, str]] = defaultdict(dict)
        for (source, target), name in self.pairs().items():
            known[target][source] = name
        return {
            target: dict(ChainMap(*(known[code] for code in _codes(target) if code in known)))
            for target in targets
        }

    def close(self) -> None:
        """End what the engines started; they cannot be used afterwards."""
        for engine in self._engines:
            engine.close()

    def _advice(self, source: str, target: str) -> str:
        names = ", ".join(engine.name for engine in self._engines) or "none"
        return (
            f"No translator has the pair {source} to {target} (in use: {names}). Put a CTranslate2 model for it into "
            "the folder that SVC_MODEL_DIR names, install an Apertium pair, or allow the translator 'pseudo', which "
            "only marks the text."
        )


def installed(
    chosen: Sequence[str | Translator] | None = None, *, model_dir: Path | None = None
) -> Translators:
    """Return the engines *chosen*, by name or as they are, in that order; all of them, best first, when None.

    Cheap: nothing is started or loaded before the first use. *model_dir* holds CTranslate2 models; the environment's
    SVC_MODEL_DIR is taken when it is None.
    """
    chosen = ENGINES if chosen is None else tuple(dict.fromkeys(chosen))
    if unknown := [each for each in chosen if isinstance(each, str) and each not in ENGINES]:
        raise ValueError(f"Unknown translator {', '.join(unknown)}; there are {', '.join(ENGINES)}.")
    if model_dir is None and (folder := os.environ.get("SVC_MODEL_DIR")):
        model_dir = Path(folder).expanduser()
    return Translators([_engine(each, model_dir) if isinstance(each, str) else each for each in chosen])


def _engine(name: str, model_dir: Path | None) -> Translator:
    engine: Translator = importlib.import_module(f".{name}", __name__).engine(model_dir)
    return engine


def _passes(engine: Translator, pair: tuple[str, str]) -> bool:
    """Whether *engine* stands its self-test: an engine that cannot even say so must not take the others with it."""
    try:
        return engine.ready(*pair)
    except Exception:
        _log.exception("The translator %s could not be tested for %s to %s", engine.name, *pair)
        return False


def _alike(source: str, target: str) -> Iterator[tuple[str, str]]:
    """Yield the pairs that serve for the one asked, nearest first: exact, then with a variant's base language."""
    for to in _codes(target):
        for of in dict.fromkeys((source, source.partition("-")[0])):
            yield of, to


def _codes(target: str) -> tuple[str, ...]:
    base = target.partition("-")[0]
    if target in (base, "zh-hant"):  # plain Chinese is written in the other script
        return (target,)
    return target, base
