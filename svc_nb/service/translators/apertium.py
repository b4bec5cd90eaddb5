"""Translation by Apertium: rules and dictionaries of the system's packages, in processes that are kept running.

The pairs on offer are the measured routes (`routes`) whose every step is installed; French to English, say, goes
through Catalan and Spanish. A route is tested with a few sentences when its pair is first asked for, because some
packages are broken on some machines; the next best route, if there is one, takes its place.
"""

from __future__ import annotations

import itertools
import logging
import os
import re
import shlex
import shutil
import sys
import threading
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from pathlib import Path

from . import TranslatorFailed
from .chain import Chain, ChainBroken
from .probes import probes
from .routes import ROUTES
from .stream import OutOfStep, Sentence, decode, encode

DEBIAN_PACKAGES = (
    "apertium",
    "apertium-cat-ita",
    "apertium-dan-nor",
    "apertium-eng-cat",
    "apertium-eng-spa",
    "apertium-es-pt",
    "apertium-es-ro",
    "apertium-fr-es",
    "apertium-fra-cat",
    "apertium-por-cat",
    "apertium-spa-cat",
    "apertium-spa-ita",
    "apertium-swe-dan",
    "apertium-swe-nor",
)
"""What to install on Debian and Ubuntu for all routes."""

_DATA_DIRS = ("/usr/share/apertium", "/usr/local/share/apertium", "/opt/homebrew/share/apertium")
_MODE = re.compile(r"([a-z]{2,3})-([a-z]{2,3})(?:_(BR|US))?")
_VARIANTS = {"en": "en-us", "pt": "pt-br"}
_CODES = {
    "cat": "ca", "dan": "da", "eng": "en", "fra": "fr", "ita": "it", "nob": "nb",
    "por": "pt", "ron": "ro", "spa": "es", "swe": "sv",
}  # fmt: skip
_NULL_FLUSH = re.compile(
    "(lt|lrx|lsx|rtx|cg|hfst)-proc|apertium-(anaphora|interchunk|postchunk|posttransfer|pretransfer|tagger|transfer)"
)
_ATTACH, _DETACH = "apertium-wblank-attach", "apertium-wblank-detach"
"""What makes tags move with their words (`bound`); not in every Apertium."""

_BATCH = 50
_TOLERATED = 3
"""Texts of one batch that may break the programs before the pair itself is given up."""

_Pair = tuple[str, str]
_Route = tuple[Path, ...]
_log = logging.getLogger(__name__)
_serials = itertools.count(1)


class Apertium:
    """The engine. *data_dirs* hold `modes/*.mode`; at most *live* pairs are kept running at a time."""

    name = "apertium"

    def __init__(
        self, data_dirs: Sequence[str | Path] | None = None, *, patience: float = 20.0, live: int = 8
    ) -> None:
        self._data_dirs = [Path(folder) for folder in data_dirs or _default_dirs()]
        self._patience = patience
        self._live = live
        self._lock = threading.Lock()
        self._closed = False
        self._chains: dict[Path, Chain] = {}
        self._tested: dict[_Pair, _Route | None] = {}
        self._testing = threading.Lock()

    def pairs(self) -> Collection[tuple[str, str]]:
        """Return the pairs that have a route through what is installed and did not fail."""
        return [pair for pair in self._routes if self._tested.get(pair, ()) is not None]

    def ready(self, source: str, target: str) -> bool:
        """Test the routes of the pair, best first, until one passes; only the first call does."""
        pair = (source, target)
        if pair not in self._tested:
            with self._testing:
                self._test(pair)
        return self._tested[pair] is not None

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        """Translate each text; words Apertium does not know, and a text that breaks it, stay as they are.

        Raises TranslatorFailed when the pair cannot be used any more.
        """
        if not self.ready(source, target) or not (route := self._tested[source, target]):
            raise TranslatorFailed(f"apertium: {source} to {target} cannot be used")
        sentences = [Sentence.of(text) for text in texts]
        cores = list(dict.fromkeys(sentence.core for sentence in sentences if sentence.core))
        try:
            done = dict(zip(cores, self._along(route, cores), strict=True))
        except ChainBroken as error:
            self._tested[source, target] = None
            raise TranslatorFailed(f"apertium: {source} to {target} broke down: {error}") from error
        return [
            sentence.finished(done[sentence.core], target) if sentence.core else sentence.text
            for sentence in sentences
        ]

    @property
    def running(self) -> list[str]:
        """The names of Apertium's own pairs that are kept running."""
        return [mode.stem for mode, chain in list(self._chains.items()) if chain.alive]

    def close(self) -> None:
        """End all programs; the engine cannot be used afterwards."""
        with self._lock:
            self._closed = True
        for chain in self._chains.values():
            chain.close()

    @cached_property
    def _routes(self) -> dict[_Pair, list[_Route]]:
        modes = dict(_modes(self._data_dirs))
        routes: dict[_Pair, list[_Route]] = {}
        for way, _ in ROUTES:
            languages = way.split()
            for last in dict.fromkeys((languages[-1], _VARIANTS.get(languages[-1], languages[-1]))):
                steps = list(itertools.pairwise([*languages[:-1], last]))
                if all(step in modes for step in steps):
                    routes.setdefault((languages[0], last), []).append(tuple(modes[step] for step in steps))
        return routes

    def _test(self, pair: _Pair) -> None:
        if pair not in self._tested:  # another thread may have been faster
            routes = self._routes.get(pair, ())
            self._tested[pair] = next((route for route in routes if self._passes(route, pair[0])), None)
            self._trim()

    def _passes(self, route: _Route, source: str) -> bool:
        """Whether every probe comes out as something else."""
        texts = out = list(probes(source))
        try:
            for mode in route:
                out = _conversation(self._chain(mode), out)
        except ChainBroken as error:
            _log.warning("Apertium's %s is left out: %s", "+".join(mode.stem for mode in route), error)
            return False
        return all(after and after != before for before, after in zip(texts, out, strict=True))

    def _along(self, route: _Route, texts: list[str]) -> list[str]:
        for mode in route:
            chain = self._chain(mode)
            batches = (texts[start : start + _BATCH] for start in range(0, len(texts), _BATCH))
            texts = [text for batch in batches for text in _batch(chain, batch, mode.stem)]
        self._trim()
        return texts

    def _chain(self, mode: Path) -> Chain:
        with self._lock:
            if self._closed:
                raise ChainBroken("closed")
            if mode not in self._chains:
                self._chains[mode] = Chain(_commands(mode), patience=self._patience)
            return self._chains[mode]

    def _trim(self) -> None:
        """Let the pairs rest that were not used for longest, if too many are running."""
        with self._lock:
            running = [chain for chain in self._chains.values() if chain.alive]
        running.sort(key=lambda chain: chain.last_used, reverse=True)
        for chain in running[self._live :]:
            chain.rest()


def engine(model_dir: Path | None = None) -> Apertium:
    """Return the engine for the system's Apertium; it uses no models of ours."""
    return Apertium()


def _default_dirs() -> tuple[str, ...]:
    own = os.environ.get("APERTIUM_DATADIR")
    found = (
        _DATA_DIRS if shutil.which("lt-proc") else ()
    )  # data is of no use where its programs cannot be found
    return (own, *found) if own else found


def _modes(data_dirs: Sequence[Path]) -> Iterator[tuple[_Pair, Path]]:
    """Yield the pairs that are installed with their files; of two for one pair the last counts."""
    for folder in reversed(data_dirs):
        for file in sorted(folder.glob("modes/*.mode")):
            if match := _MODE.fullmatch(file.stem):
                source, target, variant = match.groups()
                to = _CODES.get(target, target)
                yield (_CODES.get(source, source), _VARIANTS.get(to, to) if variant else to), file


def _commands(mode: Path) -> list[list[str]]:
    """Return the programs a mode file joins by pipes, told to answer NUL by NUL and to mark no unknown words."""
    try:
        text = mode.read_text("utf-8")
    except OSError as error:
        raise ChainBroken(f"{mode.name} cannot be read: {error.strerror}") from None
    words = shlex.shlex(text, posix=True, punctuation_chars="|")
    words.whitespace_split = True
    commands: list[list[str]] = [[]]
    for word in words:
        if word == "|":
            commands.append([])
        elif word != "$2":  # the tagger's option, which shows ambiguity
            commands[-1].append("-n" if word == "$1" else word)
    if not all(commands):
        raise ChainBroken(f"{mode.name} is not a row of programs")
    return [
        [program, *(["-z"] if _NULL_FLUSH.fullmatch(program) else []), *rest]
        for program, *rest in _with_bound_tags(commands)
    ]


def _with_bound_tags(commands: list[list[str]]) -> list[list[str]]:
    """Return the programs with those that bind tags to words, after the analysis and before the generation."""
    generators = (at for at, command in enumerate(commands) if command[0] == "lt-proc" and "-n" in command)
    at = next(generators, 0)
    if not at or commands[0][0] != "lt-proc" or not (shutil.which(_ATTACH) and shutil.which(_DETACH)):
        return commands
    return [commands[0], [_ATTACH], *commands[1:at], [_DETACH], *commands[at:]]


def _batch(chain: Chain, texts: list[str], mode: str) -> list[str]:
    """Translate *texts* by one pair; when that breaks it, one by one."""
    try:
        return _conversation(chain, texts)
    except ChainBroken as error:
        _log.warning("Apertium's %s was started again: %s", mode, error)
    return _one_by_one(chain, texts)


def _one_by_one(chain: Chain, texts: list[str]) -> list[str]:
    """Translate each text alone; one that breaks the programs, while others do not, stays as it is."""
    out, broken = [], 0
    for text in texts:
        try:
            out += _conversation(chain, [text])
        except ChainBroken:
            _conversation(chain, ["OK"])
            if (broken := broken + 1) > _TOLERATED:
                raise
            out.append(text)
    return out


def _conversation(chain: Chain, texts: list[str]) -> list[str]:
    """Return the answers to *texts*; raise ChainBroken unless each is certain to belong to its own text."""
    serials = [next(_serials) for _ in texts]
    bound = [_ATTACH] in chain.commands
    answers = chain.ask(
        [encode(text, serial, bound=bound) for text, serial in zip(texts, serials, strict=True)]
    )
    try:
        return [decode(answer, serial) for answer, serial in zip(answers, serials, strict=True)]
    except OutOfStep:
        chain.rest()
        raise ChainBroken("answers out of step") from None


if __name__ == "__main__":
    sys.stdout.write(" ".join(DEBIAN_PACKAGES) + "\n")
