"""The choice of a translator for a language pair: the best that is installed and passed its own self-test.

The engines `ctranslate`, `firefox` and `apertium` are one file each and are started on first use only. Services that
someone runs are engines, too: `remote` is what they have in common, `libretranslate` and `chat` what each kind takes.
"""

import importlib
import logging
import os
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from .. import models
from ..catalogue import read

__all__ = ["NoTranslator", "Translator", "TranslatorFailed", "Translators", "installed"]

PSEUDO = "pseudo"
ENGINES = ("ctranslate", "firefox", "apertium", PSEUDO)
"""Best first: a user's own neural model, those of Firefox, rules, and a mark that is no translation."""

SERVICES = {"libretranslate": ".libretranslate", "openai": ".chat"}
"""Kinds of services that someone runs, and the modules that know what each takes."""

_Pair = tuple[str, str]
_log = logging.getLogger(__name__)

_PROBES = {language: tuple(sentences) for language, sentences in read("probes.json").items()}
"""Plain sentences that a translator must be able to digest before its language pair is offered."""


class NoTranslator(LookupError):
    """No installed translator has this language pair; the message says how to get one."""


class NoneAtTheMoment(NoTranslator):
    """The translators that may have this language pair do not work at the moment; the message says why."""


class TranslatorFailed(RuntimeError):
    """A translator that passed its self-test broke down later; it is not offered for the pair any more, or for now."""


class TranslatorBusy(RuntimeError):
    """A translator works, but has no answer yet. Asked again, it continues from where it is."""


class TextFailed(RuntimeError):
    """One text has no translation by a translator that works otherwise; the message says why."""


class Translator(Protocol):
    """An engine. Codes are lower-case BCP 47; all methods may be called from many threads at once."""

    @property
    def name(self) -> str:
        """What the service shows as `model_type_used`."""

    def pairs(self) -> Collection[tuple[str, str]]:
        """(source, target) on offer: cheap to ask; a pair may still fail its self-test.

        A mapping gives the name that is shown for each pair, where it is not that of the engine.
        """

    def ready(self, source: str, target: str) -> bool:
        """Start and self-test this pair, once; False means that it is not offered from now on.

        TranslatorFailed means that it cannot be had for now; then it is an error, or another engine's, but not marked.
        """

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        """Translate one sentence each: same length, same order; private-use characters are carried through."""

    def close(self) -> None:
        """End processes and free models."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A translator for one pair, which it may know by other codes than it is asked for."""

    engine: Translator
    source: str
    target: str
    name: str

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        """Translate one sentence each, by the codes that the engine knows."""
        return self.engine.translate(texts, self.source, self.target)


class Translators:
    """The installed engines, best first."""

    def __init__(self, engines: Sequence[Translator]) -> None:
        self._engines = tuple(engines)

    def choose(self, source: str, target: str) -> Chosen:
        """Return the best translator that has the pair, or its base, and passed its self-test. Or NoTranslator."""
        sources = dict.fromkeys((source.lower(), source.lower().partition("-")[0]))
        nearest_first = [(of, to) for to in _codes(target.lower()) for of in sources]
        failed: TranslatorFailed | None = None
        for engine in self._engines:
            if failed and engine.name == PSEUDO:
                break
            offered = engine.pairs()
            for codes in nearest_first:
                try:
                    if codes in offered and engine.ready(*codes):
                        return Chosen(engine, *codes, _name(engine, offered, codes))
                except TranslatorBusy:
                    raise
                except TranslatorFailed as error:
                    failed = failed or error
                except Exception:  # an engine that breaks in its self-test must not take the others with it
                    _log.exception("The translator %s could not be tested for %s to %s", engine.name, *codes)
        if failed:
            raise NoneAtTheMoment(str(failed))
        names = ", ".join(engine.name for engine in self._engines) or "none"
        pair = f"{source.partition('-')[0].lower()}-{target.partition('-')[0].lower()}"
        raise NoTranslator(
            f"No translator has the pair {source} to {target} (in use: {names}). Get a model with "
            f"`svc-nb models add {pair}`, put one of your own into the folder that SVC_MODEL_DIR names, install an "
            "Apertium pair, or allow the translator 'pseudo', which only marks the text."
        )

    def pairs(self) -> dict[tuple[str, str], str]:
        """Return every pair that a real translator offers, with the name of the best one, and where a service runs."""
        best: dict[tuple[str, str], str] = {}
        for engine in self._engines:
            offered = engine.pairs()
            for pair in offered:
                best.setdefault(pair, _title(engine, offered, pair))
        return best

    def services(self) -> dict[str, str]:
        """Ask each service that someone runs; return them as people know them, and why one cannot be used, else ""."""
        from .remote import Remote

        asked: dict[str, str] = {}
        for engine in self._engines:
            if isinstance(engine, Remote):
                try:
                    engine.check()
                    asked[engine.title] = ""
                except (TranslatorFailed, TranslatorBusy) as error:
                    asked[engine.title] = str(error)
        return asked

    def sources(self, targets: Collection[str]) -> dict[str, dict[str, str]]:
        """Return the languages that real translators go from into each of *targets*, with the name of the best one."""
        found: dict[str, dict[str, str]] = {target: {} for target in targets}
        for engine in self._engines:  # in the order in which `choose` looks
            known: defaultdict[str, dict[str, str]] = defaultdict(dict)
            offered = engine.pairs()
            for pair in offered:
                known[pair[1]][pair[0]] = _title(engine, offered, pair)
            for target, names in found.items():
                for code in _codes(target):
                    for source, name in known[code].items():
                        names.setdefault(source, name)
        return found

    def close(self) -> None:
        """End what the engines started; they cannot be used afterwards."""
        for engine in self._engines:
            engine.close()


def installed(
    chosen: Sequence[str | Translator] | None = None,
    *,
    model_dir: Path | None = None,
    environ: Mapping[str, str] | None = None,
) -> Translators:
    """Return the engines *chosen*, all when None; nothing is loaded yet.

    Models are those in *model_dir* alone, or else in SVC_MODEL_DIR and in the user's own folder. Services that someone
    runs are chosen by address alone, see `address`; *environ* has the keys that these name.
    """
    chosen = ENGINES if chosen is None else tuple(dict.fromkeys(chosen))
    names = [each.partition(":")[0] for each in chosen if isinstance(each, str) and each not in ENGINES]
    if unknown := [name for name in names if name not in SERVICES]:
        services = ", ".join(f"{kind}:http://…" for kind in SERVICES)
        raise ValueError(f"Unknown translator {', '.join(unknown)}; there are {', '.join(ENGINES)}, {services}.")
    folders = [model_dir] if model_dir else models.folders()
    engines: list[Translator] = []
    for each in chosen:
        if not isinstance(each, str):
            engines.append(each)
        elif each == PSEUDO:
            engines.append(Pseudo())
        elif each not in ENGINES:
            service = importlib.import_module(SERVICES[each.partition(":")[0]], __name__)
            engines.append(service.at(each, os.environ if environ is None else environ))
        else:
            module = importlib.import_module(f".{each}", __name__)
            new = {"ctranslate": "CTranslate", "firefox": "Firefox", "apertium": "Apertium"}[each]
            engines.append(getattr(module, new)(*(folders if each != "apertium" else ())))
    return Translators(engines)


def _name(engine: Translator, offered: Collection[_Pair], pair: _Pair) -> str:
    """Return what is shown as the translator of *pair*."""
    return str(offered[pair]) if isinstance(offered, Mapping) else engine.name


def _title(engine: Translator, offered: Collection[_Pair], pair: _Pair) -> str:
    """Return the same for people, who also see where a service runs."""
    return getattr(engine, "title", "") or _name(engine, offered, pair)


def _codes(target: str) -> tuple[str, ...]:
    """Return the codes that serve for *target*, nearest first."""
    base = target.partition("-")[0]
    if target in (base, "zh-hant"):  # plain Chinese is written in the other script
        return (target,)
    return target, base


def probes(language: str) -> tuple[str, ...]:
    """Return the self-test's sentences of *language*; English ones where we have none."""
    return _PROBES.get(language.partition("-")[0], _PROBES["en"])


def is_sound(text: str, answer: str) -> bool:
    """Tell whether *answer* may be a translation of a probe: some words, not too many, and not one over and over."""
    words = answer.split()
    return bool(words) and len(answer) < 10 * len(text) + 50 and len(set(words)) * 4 >= len(words)


# ---- the translator of last resort: it marks a text, so that no one takes it for a translation


class EveryPair(Collection[tuple[str, str]]):
    """Holds any pair and lists none: what only marks a text is no offer to translate, nor is what no one knows."""

    def __contains__(self, pair: object) -> bool:
        return True

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(())

    def __len__(self) -> int:
        return 0


class Pseudo:
    """Marks every text of every pair: "[DE] text"; the text itself stays untouched."""

    name = PSEUDO

    def pairs(self) -> Collection[tuple[str, str]]:
        """Return every pair there is."""
        return EveryPair()

    def ready(self, source: str, target: str) -> bool:
        """Always: there is nothing to start."""
        return True

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        """Put the target code, in capitals, before each text; a blank text stays as it is."""
        bodies = [text.lstrip() for text in texts]
        return [
            f"{text[: len(text) - len(body)]}{_mark(target)}{body}" if body else text
            for text, body in zip(texts, bodies, strict=True)
        ]

    def close(self) -> None:
        """Nothing to end."""


def adds_mark(text: str, made: str, target: str) -> bool:
    """Whether *made*, which came of *text* by this engine, has a mark: what a memory or a glossary has all of does not.

    >>> adds_mark("Hello!", "[DE] Hello!", "de"), adds_mark("[DE]", "[DE]", "de"), adds_mark("4 / 5", "4 / 5", "de")
    (True, False, False)
    """
    return made.count(_mark(target)) > text.count(_mark(target))


def _mark(target: str) -> str:
    return f"[{target.upper()}] "
