"""Translation by a neural model of the user's own, run by CTranslate2 and SentencePiece (the extra `offline`).

Both libraries are imported when a model is first loaded; without them, or without models, no pair is on offer.

The models are those that people have, in one folder:

- Argos: a folder, or a `.argosmodel` archive of one, with `metadata.json`, `sentencepiece.model` and `model/`.
- OPUS-MT: a folder named for its languages (`opus-mt-en-de`, `en_de`, `ct2-opus-mt-en-de` …) with `model.bin`,
  `source.spm` and `target.spm`. A model of many targets lists them in its vocabulary as `>>deu<<`.

What is neither is left alone; what is broken is logged by its name and left out.
"""

import importlib.util
import json
import logging
import os
import re
import tempfile
import threading
import unicodedata
import zipfile
from collections import OrderedDict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path, PurePosixPath
from typing import Any

from ..catalogue import read
from ..database import make_private
from ..models import BrokenModel, archives, manifest
from . import TranslatorFailed, is_sound, marks, probes

_BEAM = 2
_LONGEST = 150
_MOST_DECODED = 500  # tokens of one piece of a text, there and back: many models know 512 positions and no more

_TOKENS_A_BATCH = 2_048

_Pair = tuple[str, str]
_log = logging.getLogger(__name__)


# ---- the models in a folder

_CODES: dict[str, str] = read("language_codes.json")
_NOISE = frozenset({"opus", "mt", "tc", "big", "base", "tiny", "ct2", "ctranslate2", "int8", "float16", "float32"})
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[a-z]{2,4})?")
_TARGET_TOKEN = re.compile(r">>([A-Za-z]{2,3})(?:_([A-Za-z]{4}))?<<")


@dataclass(frozen=True, slots=True)
class Model:
    """A model for one pair: *place* is its folder or archive, *token* names the target to one of many targets."""

    source: str
    target: str
    place: Path
    token: str = ""


@dataclass(frozen=True, slots=True)
class Files:
    """The parts of a model on disk: what to load, and which tokens it wants around a text."""

    folder: Path
    source_pieces: Path
    target_pieces: Path
    suffix: tuple[str, ...] = ()
    target_prefix: tuple[str, ...] = ()


def find(model_dir: Path) -> Iterator[Model]:
    """Yield the models in *model_dir*, which may be a model itself; nothing is unpacked or loaded."""
    try:
        inside = sorted(model_dir.iterdir())
    except OSError as error:
        _log.warning("The folder of models %s cannot be read: %s", model_dir, error.strerror)
        return
    itself = {"metadata.json", "model.bin"} & {path.name for path in inside}
    for place in [model_dir] if itself else inside:
        try:
            yield from models_at(place)
        except Exception as error:  # whatever a broken file makes its reader raise
            _log.warning("The model %s is left out: %s", place.name, error or type(error).__name__)


def models_at(place: Path) -> Iterator[Model]:
    """Yield the model at *place* for each of its pairs, nothing if there is none; raises when it is broken."""
    if place.suffix == ".argosmodel" and place.is_file():
        with zipfile.ZipFile(place) as opened:
            names = [PurePosixPath(name) for name in opened.namelist()]
            if not any(name.name == "sentencepiece.model" for name in names):
                raise BrokenModel("it has no sentencepiece.model")
            about = next((name for name in names if name.name == "metadata.json"), None)
            if about is None or opened.getinfo(str(about)).file_size > 1 << 20:
                raise BrokenModel("it has no metadata.json")
            yield _argos(place, opened.read(str(about)).decode("utf-8"))
    elif (place / "metadata.json").is_file():
        _expect(place, "model/model.bin", "sentencepiece.model")
        yield _argos(place, place.joinpath("metadata.json").read_text("utf-8"))
    elif (place / "model.bin").is_file():
        _expect(place, "source.spm", "target.spm")
        yield from _opus(place)


def files(model: Model, cache_dir: Path) -> Files:
    """Return where the parts of *model* are, an archive's after unpacking it below *cache_dir*."""
    place = unpacked(model.place, cache_dir) if model.place.is_file() else model.place
    if (place / "metadata.json").is_file():
        prefix = _metadata(place.joinpath("metadata.json").read_text("utf-8")).get("target_prefix")
        pieces = place / "sentencepiece.model"
        return Files(place / "model", pieces, pieces, target_prefix=(str(prefix),) if prefix else ())
    try:
        config = json.loads(place.joinpath("config.json").read_text("utf-8"))
    except FileNotFoundError:
        config = {}
    closed = isinstance(config, dict) and config.get("add_source_eos")
    return Files(place, place / "source.spm", place / "target.spm", suffix=() if closed else ("</s>",))


def unpacked(archive: Path, cache_dir: Path) -> Path:
    """Return the folder of an archive's package, unpacked once; nothing is written outside *cache_dir*."""
    state = archive.stat()
    home = cache_dir / f"{archive.stem}-{state.st_size:x}-{state.st_mtime_ns:x}"
    if not home.is_dir():
        make_private(cache_dir)
        with tempfile.TemporaryDirectory(dir=cache_dir) as draft:
            archives.unpack(archive, Path(draft, "package"))
            try:
                os.replace(Path(draft) / "package", home)
            except OSError:
                if not home.is_dir():  # another process may have been faster
                    raise
    return next(file.parent for file in home.rglob("metadata.json"))


def _expect(place: Path, *names: str) -> None:
    if missing := [name for name in names if not (place / name).is_file()]:
        raise BrokenModel(f"it has no {' and no '.join(missing)}")


def _argos(place: Path, metadata: str) -> Model:
    about = _metadata(metadata)
    return Model(_code(str(about["from_code"])), _code(str(about["to_code"])), place)


def _opus(place: Path) -> Iterator[Model]:
    """Yield the model of a folder whose name states its languages, once for each target that its vocabulary names."""
    words = [word for word in re.split(r"[-_]", place.name) if word.lower() not in _NOISE]
    if len(words) < 2 or not _LANGUAGE.fullmatch(words[0]) or not words[1].isalpha():
        raise BrokenModel("its name states no pair of languages, as in opus-mt-en-de")
    source, target = _code(words[0]), words[1]
    tokens: dict[str, str] = {}
    for file in (*place.glob("source_vocabulary.*"), *place.glob("shared_vocabulary.*")):
        for match in _TARGET_TOKEN.finditer(file.read_text("utf-8")):
            script = f"-{match[2].lower()}" if match[1] in ("cmn", "zho") and match[2] else ""
            tokens.setdefault(_code(match[1].lower()) + script, match[0])
    if not tokens:
        yield Model(source, _code(target), place)
        return
    wanted = _code(target).partition("-")[0] if _LANGUAGE.fullmatch(target) else ""  # or it names a family
    offered = {code: token for code, token in tokens.items() if code.partition("-")[0] == wanted or not wanted}
    for code in sorted(offered):
        offered.setdefault(code.partition("-")[0], offered[code])
    for code, token in offered.items():
        yield Model(source, code, place, token)


def _code(code: str) -> str:
    lower = code.lower().replace("_", "-")
    if not _LANGUAGE.fullmatch(lower):
        raise BrokenModel("it names no language that we can read")
    return _CODES.get(lower, lower)


def _metadata(text: str) -> dict[str, Any]:
    about = json.loads(text)
    if not isinstance(about, dict) or about.get("type", "translate") != "translate":
        raise BrokenModel("its metadata.json describes no translation model")
    return about


# ---- the engine


class CTranslate:
    """The engine for the models in *folders*; at most *loaded* of them are kept in memory."""

    name = "ctranslate"

    def __init__(self, *folders: Path | None, cache_dir: Path | None = None, loaded: int = 3) -> None:
        self._folders = [folder for folder in folders if folder]
        self._cache_dir = cache_dir
        self._most = loaded
        self._closed = False
        self._lock = threading.Lock()
        self._loaded: OrderedDict[Path, _Loaded] = OrderedDict()
        self._tested: dict[_Pair, Model | None] = {}

    def pairs(self) -> Collection[tuple[str, str]]:
        """Return the pairs of the models found, except those that failed."""
        return [pair for pair in self._models if self._tested.get(pair, pair) is not None]

    def ready(self, source: str, target: str) -> bool:
        """Load the models of the pair in turn until one passes; only the first call does."""
        pair = (source, target)
        if pair not in self._tested:
            with self._lock:
                if pair not in self._tested:  # another thread may have been faster
                    models = self._models.get(pair, ())
                    self._tested[pair] = next((model for model in models if self._passes(model)), None)
        return self._tested[pair] is not None and not self._closed

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        """Translate each text; one without letters stays as it is. Raises TranslatorFailed when the model does."""
        if not self.ready(source, target) or not (model := self._tested[source, target]):
            raise TranslatorFailed(f"ctranslate: {source} to {target} cannot be used")
        try:
            with self._lock:
                translate = self._load(model)
            return marks.around(texts, translate)
        except (RuntimeError, ValueError, OSError, BrokenModel) as error:
            self._tested[source, target] = None
            raise TranslatorFailed(f"ctranslate: {source} to {target} broke down: {type(error).__name__}") from error

    @property
    def loaded(self) -> list[str]:
        """The names of the models in memory."""
        return [place.name for place in list(self._loaded)]

    def close(self) -> None:
        """Free the models; the engine cannot be used afterwards."""
        with self._lock:
            self._closed = True
            self._loaded.clear()

    @cached_property
    def _models(self) -> dict[_Pair, list[Model]]:
        models: dict[_Pair, list[Model]] = {}
        found = [model for folder in self._folders for model in find(folder)]
        if found and not all(importlib.util.find_spec(name) for name in ("ctranslate2", "sentencepiece")):
            places = ", ".join(sorted({model.place.name for model in found}))
            _log.warning("The models %s are not used: pip install ctranslate2 sentencepiece", places)
            return models
        for model in found:
            models.setdefault((model.source, model.target), []).append(model)
        return models

    def test(self, model: Model) -> None:
        """Raise BrokenModel unless the model can be loaded and says something sensible about plain sentences."""
        texts = list(probes(model.source))
        try:
            if not all(map(is_sound, texts, self._load(model)(texts))):
                raise BrokenModel("it failed its self-test")
        except Exception as error:  # whatever a broken file makes two C++ libraries raise
            self._loaded.pop(model.place, None)
            raise BrokenModel(str(error)) from error

    def _passes(self, model: Model) -> bool:
        try:
            self.test(model)
        except BrokenModel as error:
            _log.warning("The model %s is left out: %s", model.place.name, error)
            return False
        return True

    def _load(self, model: Model) -> marks.Translate:
        """Return the loaded model, told its target; the one not used for longest makes room."""
        import platformdirs

        if model.place not in self._loaded:
            cache = self._cache_dir or Path(platformdirs.user_cache_dir("svc_nb")) / "models"
            if model.place.is_dir():
                manifest.check(model.place)
            self._loaded[model.place] = _Loaded(files(model, cache))
        self._loaded.move_to_end(model.place)
        while len(self._loaded) > self._most:
            self._loaded.popitem(last=False)
        return partial(self._loaded[model.place].translate, token=model.token)


class _Loaded:
    """A model in memory."""

    def __init__(self, parts: Files) -> None:
        import ctranslate2
        import sentencepiece

        self._suffix = list(parts.suffix)
        self._target_prefix = list(parts.target_prefix)
        self._source = sentencepiece.SentencePieceProcessor(model_file=str(parts.source_pieces))
        self._target = sentencepiece.SentencePieceProcessor(model_file=str(parts.target_pieces))
        # Half the cores: threads that wait for each other on a busy machine were seen to take 30 times as long.
        threads = max(1, min(4, (os.cpu_count() or 1) // 2))
        self._translator = ctranslate2.Translator(
            str(parts.folder), device="cpu", inter_threads=1, intra_threads=threads
        )

    def translate(self, texts: Sequence[str], token: str = "") -> list[str]:
        """Translate each text, after *token* if the model wants one; a text too long for it goes in pieces."""
        rows = [_pieces(tokens) for tokens in self._source.encode(list(texts), out_type=str)]
        before = [token] if token else []
        sent = [before + piece + self._suffix for row in rows for piece in row]
        if not sent:
            return [""] * len(rows)
        results = self._translator.translate_batch(
            sent,
            target_prefix=[self._target_prefix] * len(sent) if self._target_prefix else None,
            beam_size=_BEAM,
            max_batch_size=_TOKENS_A_BATCH,
            batch_type="tokens",
            max_decoding_length=min(3 * max(map(len, sent)) + 10, _MOST_DECODED),
            replace_unknowns=True,
        )
        done = []
        for result in results:
            tokens = result.hypotheses[0]
            if tokens[:1] == self._target_prefix:
                tokens = tokens[len(self._target_prefix) :]
            done.append(unicodedata.normalize("NFC", str(self._target.decode(tokens)).strip()))
        left = iter(done)
        return [" ".join(filter(None, (next(left) for _ in row))) for row in rows]


def _pieces(tokens: list[str]) -> list[list[str]]:
    """Return runs of at most _LONGEST tokens, broken before a word where there is one."""
    pieces = []
    while len(tokens) > _LONGEST:
        cut = next((at for at in range(_LONGEST, 0, -1) if tokens[at].startswith("▁")), _LONGEST)
        pieces.append(tokens[:cut])
        tokens = tokens[cut:]
    return [*pieces, tokens] if tokens else pieces
