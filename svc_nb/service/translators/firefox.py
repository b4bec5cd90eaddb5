"""Translation by the models of Firefox Translations, run by fxtranslate (the extra `neural`), each in its own process.

A model is a folder with `model.*.bin`, `vocab.*.spm` (or `srcvocab.*.spm` and `trgvocab.*.spm`) and maybe `lex.*.bin`.
Its pair is that of its manifest, of the folder's name (`en-de`) or of the model's (`model.ende.intgemm.alphas.bin`).
Nearly all models are from or into English: other pairs take two of them.

Placeholders and emoji, which the models lose, stay outside of what they see. Where one was lost all the same, the
pieces around it are translated.
"""

import importlib.util
import itertools
import logging
import re
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

from ..catalogue import read
from ..catalogue.languages import SOURCES
from ..models import BrokenModel, manifest
from ..translation.protection import Kept, Sentence, translate_protected
from . import TextFailed, TranslatorFailed, is_sound, marks, probes
from .processes import Chain, ChainBroken, keep_running

_PROGRAM = Path(__file__).with_name("firefox_process.py")
_PIVOT = "en"
_BATCH_BYTES = 2_000
_MOST_FAILING = 1_000  # texts that are known to break a model
_BYTES_A_SECOND = 100  # a tenth of what one core was measured to do
_CODES: dict[str, str] = read("language_codes.json")
_NAME = re.compile(r"(?:firefox-)?([a-z]{2,3}(?:_[a-z]{2,4})?)-([a-z]{2,3}(?:_[a-z]{2,4})?)", re.IGNORECASE)
_LETTERS = re.compile(r"model\.([a-z]{2})([a-z]{2})\.")
_LONGEST = 400
"""Characters of a piece: of a sentence of more than about 200 words the library leaves out the end."""
_BORDERS = tuple(map(re.compile, (r"(?<=[.!?…])\s|(?<=[。！？])", r"(?<=[,;:])\s|(?<=[、，；：])", r"\s")))
_UNSPACED = frozenset({"ja", "th", "zh"})
_EMOJI = "[\U0001f000-\U0001faff\u2190-\u21ff\u2300-\u23ff\u2460-\u2bff\u3030\u303d\u3297\u3299\ufffd]"
_KEPT = re.compile(
    r"\{\{[^{}]*\}\}|\{%[^{}]*%\}|[$#%]?\{[^{}\s]*\}|%\([^()\s]+\)[a-z]|%(?:\d+\$)?[-+#0]*\d*(?:\.\d+)?[sdifgxu@](?!\w)"
    r"|\$[A-Z_]{2,}|</?[A-Za-z!][^<>]*>|&(?:#?\w+);|`[^`]+`|https?://\S*[^\s.,;:!?)]|[0-9#*]\ufe0f?\u20e3"
    rf"|(?:{_EMOJI}[\ufe0f\u200d\u20e3\U000e0020-\U000e007f]*)+"
)
"""What a model would change: placeholders of programs, tags, code, addresses, emoji and other signs."""

_Pair = tuple[str, str]
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Model:
    """A model for one pair: *files* are the model, its vocabularies of source and target, and its shortlist."""

    source: str
    target: str
    place: Path
    files: tuple[Path, ...]

    @property
    def pair(self) -> str:
        """How people write the pair."""
        return f"{self.source}-{self.target}"


def find(folder: Path) -> Iterator[Model]:
    """Yield the models in *folder*, which may be a model itself; nothing is loaded, what is broken is logged."""
    try:
        inside = sorted(folder.iterdir())
    except OSError:  # the engine `ctranslate` says so
        return
    for place in [folder] if is_model(folder) else inside:
        if is_model(place):
            try:
                yield model_at(place)
            except (BrokenModel, OSError) as error:
                _log.warning("The model %s is left out: %s", place.name, error)


def is_model(folder: Path) -> bool:
    """Whether *folder* has a model as Firefox has them, complete or not."""
    return next(folder.glob("model.*.bin"), None) is not None


def model_at(folder: Path) -> Model:
    """Return the model in *folder*, or raise BrokenModel."""

    def one(pattern: str) -> Path:
        found = sorted(folder.glob(pattern))
        if len(found) != 1:
            raise BrokenModel(f"it has {len(found)} files {pattern}, where it needs one")
        return found[0]

    weights = one("model.*.bin")
    if any(folder.glob("vocab.*.spm")):
        vocabularies = (one("vocab.*.spm"),) * 2
    else:
        vocabularies = one("srcvocab.*.spm"), one("trgvocab.*.spm")
    shortlist = (one("lex.*.bin"),) if any(folder.glob("lex.*.bin")) else ()
    if known := manifest.Manifest.read(folder):
        ((source, target),) = known.pairs or (("", ""),)
    else:
        named = _NAME.fullmatch(folder.name) or _LETTERS.match(weights.name)
        if named is None:
            raise BrokenModel("its name states no pair of languages, as in en-de")
        source, target = (code.lower().replace("_", "-") for code in named.groups())
    return Model(code(source), code(target), folder, (weights, *vocabularies, *shortlist))


def pair_of_files(model: Model) -> _Pair | None:
    """The pair in the names of the files, as in model.ende.…; None if there are no two languages in them."""
    named = _LETTERS.match(model.files[0].name)
    source, target = map(code, named.groups()) if named else ("", "")
    return (source, target) if {source, target} <= SOURCES else None


def code(language: str) -> str:
    """The code of the service for one of Mozilla's.

    >>> code("no"), code("zh-Hans"), code("zh_hant"), code("de")
    ('nb', 'zh', 'zh-hant', 'de')
    """
    lower = language.lower().replace("_", "-")
    return "zh" if lower == "zh-hans" else _CODES.get(lower, lower)


class Firefox:
    """The engine for the models in *folders*; at most *live* of them are kept running.

    A model that does not answer for *patience* seconds, longer for long texts, is ended.
    """

    name = "firefox"

    def __init__(self, *folders: Path | None, patience: float = 20.0, live: int = 4) -> None:
        self._folders = [folder for folder in folders if folder]
        self._patience = patience
        self._live = live
        self._lock = threading.Lock()
        self._testing = threading.Lock()
        self._closed = False
        self._chains: dict[Path, Chain] = {}
        self._sound: dict[Path, bool] = {}
        self._failing: set[tuple[Path, str]] = set()
        self._tested: dict[_Pair, tuple[Model, ...] | None] = {}

    def pairs(self) -> Mapping[_Pair, str]:
        """Return the pairs that there are models for, except those that failed; each with the steps it takes."""
        offered = {}
        for pair, way in self._ways.items():
            steps = self._tested.get(pair, tuple(models[0] for models in way))
            if steps is not None:
                pairs = ", ".join(model.pair for model in steps)
                offered[pair] = self.name if len(steps) == 1 else f"{self.name} ({pairs})"
        return offered

    def ready(self, source: str, target: str) -> bool:
        """Start the models of the pair and test each, once; only the first call does."""
        pair = (source, target)
        if pair not in self._tested:
            with self._testing:
                if pair not in self._tested:  # another thread may have been faster
                    way = self._ways.get(pair, ())
                    steps = [next(filter(self._passes, models), None) for models in way]
                    self._tested[pair] = tuple(filter(None, steps)) if steps and all(steps) else None
                    self._trim()
        return self._tested[pair] is not None and not self._closed

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        """Translate each text; one without letters stays as it is. Raises TextFailed or TranslatorFailed."""
        if not self.ready(source, target) or not (steps := self._tested[source, target]):
            raise TranslatorFailed(f"firefox: {source} to {target} cannot be used")
        spaced = target.partition("-")[0] not in _UNSPACED
        translate = partial(marks.around, translate=partial(self._through, steps))
        try:
            done = translate_protected([_sentence(text) for text in texts], translate, spaced=spaced)
        except ChainBroken as error:
            self._tested[source, target] = None
            raise TranslatorFailed(f"firefox: {source} to {target} broke down: {error}") from error
        self._trim()
        return done

    @property
    def running(self) -> dict[str, int]:
        """The process of each model that is kept running, by the model's folder."""
        chains = list(self._chains.items())
        return {place.name: chain.pids[0] for place, chain in chains if chain.alive}

    def close(self) -> None:
        """End all processes; the engine cannot be used afterwards."""
        with self._lock:
            self._closed = True
        for chain in self._chains.values():
            chain.close()

    @cached_property
    def _library(self) -> str:
        """The folder that has fxtranslate."""
        spec = importlib.util.find_spec("fxtranslate")
        return str(Path(spec.origin).parent.parent) if spec and spec.origin else ""

    @cached_property
    def _ways(self) -> dict[_Pair, list[list[Model]]]:
        """For each pair the models of each step, best first."""
        direct: dict[_Pair, list[Model]] = {}
        for model in itertools.chain.from_iterable(map(find, self._folders)):
            direct.setdefault((model.source, model.target), []).append(model)
        if direct and not self._library:
            _log.warning("The Firefox models are not used: pip install fxtranslate")
            return {}
        ways = {pair: [models] for pair, models in direct.items()}
        into = [pair for pair in direct if pair[1] == _PIVOT]
        out_of = [pair for pair in direct if pair[0] == _PIVOT]
        for first, second in itertools.product(into, out_of):
            if first[0] != second[1]:
                ways.setdefault((first[0], second[1]), [direct[first], direct[second]])
        return ways

    def test(self, model: Model) -> None:
        """Raise BrokenModel unless the model is as it was added, starts, and says something sensible."""
        texts = list(probes(model.source))
        try:
            if sys.platform == "win32":
                raise BrokenModel("Firefox models run on Linux and macOS only")
            manifest.check(model.place)
            answers = self._chain(model).ask([text.encode() for text in texts])
            outs = [answer.decode("utf-8", "replace") for answer in answers]
            if outs == texts or not all(map(is_sound, texts, outs)):
                raise BrokenModel("it failed its self-test")
        except (BrokenModel, ChainBroken, OSError) as error:
            if chain := self._chains.get(model.place):
                chain.close()
            damaged = "it does not start or answer: one of its files is probably damaged or incomplete"
            raise BrokenModel(damaged if isinstance(error, ChainBroken) else str(error)) from error

    def _passes(self, model: Model) -> bool:
        if model.place not in self._sound:
            try:
                self.test(model)
                self._sound[model.place] = True
            except BrokenModel as error:
                self._sound[model.place] = False
                _log.warning("The model %s is left out: %s", model.place.name, error)
        return self._sound[model.place]

    def _chain(self, model: Model) -> Chain:
        with self._lock:
            if self._closed:
                raise ChainBroken("closed")
            if model.place not in self._chains:
                # Neither the environment nor the working directory adds code; nothing is imported but the library.
                command = [sys.executable, "-ISB", str(_PROGRAM), self._library, *map(str, model.files)]
                self._chains[model.place] = Chain([command], patience=self._patience, bytes_a_second=_BYTES_A_SECOND)
            return self._chains[model.place]

    def _trim(self) -> None:
        with self._lock:
            chains = list(self._chains.values())
        keep_running(self._live, chains)

    def _through(self, steps: Sequence[Model], texts: Sequence[str]) -> list[str]:
        """Translate *texts* by one model after the other."""
        out = list(texts)
        for model in steps:
            rows = [_pieces(text) for text in out]
            sent = [piece for row in rows for piece in row]
            answers = (answer for batch in _batches(sent) for answer in self._answers(model, batch))
            space = "" if model.target.partition("-")[0] in _UNSPACED else " "
            out = [space.join(next(answers).strip() for _ in row) for row in rows]
        return out

    def _answers(self, model: Model, texts: list[str]) -> list[str]:
        """Translate *texts* by one model; when that breaks it, one by one, to find the text that does."""
        chain = self._chain(model)
        if failing := next((text for text in texts if (model.place, text) in self._failing), None):
            raise _failed(failing, model)
        try:
            answers = chain.ask([text.encode() for text in texts])
        except ChainBroken as error:
            _log.warning("The model %s was started again: %s", model.place.name, error)
            answers = []
            try:
                chain.ask([probes(model.source)[0].encode()])
                for text in texts:
                    try:
                        answers += chain.ask([text.encode()])
                    except ChainBroken:
                        if len(self._failing) >= _MOST_FAILING:
                            self._failing.clear()
                        self._failing.add((model.place, text))
                        raise _failed(text, model) from None
            except ChainBroken:
                chain.close()  # for whoever waits, too
                raise
        outs = [answer.decode("utf-8", "replace") for answer in answers]
        for text, out in zip(texts, outs, strict=True):
            # A word or two may have no translation; a sentence has one, of about its length.
            if (not out.strip() and len(text.split()) > 3) or len(out) > 20 * len(text) + 100:
                raise _failed(text, model)
        return outs


def _failed(text: str, model: Model) -> TextFailed:
    return TextFailed(
        f"The translator firefox ({model.pair}) has no answer for a text of {len(text):,} characters. "
        "Change the text, or leave it out."
    )


def _sentence(text: str) -> Sentence:
    """*text* with what a model would change as kept spans."""
    pieces: list[str | Kept] = []
    at = 0
    for match in _KEPT.finditer(text):
        pieces += (text[at : match.start()], Kept(match[0]))
        at = match.end()
    return Sentence((*pieces, text[at:]))


def _pieces(text: str) -> list[str]:
    """Cut *text* after a sentence, a clause or a word, so that no piece is too long.

    >>> [len(piece) for piece in _pieces("One, two. " * 45)]
    [399, 49]
    """
    pieces = []
    while len(text) > _LONGEST:
        ends = ([match.end() for match in border.finditer(text, 0, _LONGEST)] for border in _BORDERS)
        cut = next((found[-1] for found in ends if found), _LONGEST)
        pieces.append(text[:cut].strip())
        text = text[cut:]
    return [*pieces, text.strip()]


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """Yield runs of texts of few bytes, so that a process that hangs is noticed soon."""
    batch: list[str] = []
    room = _BATCH_BYTES
    for text in texts:
        size = len(text.encode())
        if batch and size > room:
            yield batch
            batch, room = [], _BATCH_BYTES
        batch.append(text)
        room -= size
    if batch:
        yield batch
