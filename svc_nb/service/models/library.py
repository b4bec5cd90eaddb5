"""The models that someone added: recognised, checked and tested before they count, listed and removed."""

import importlib.util
import os
import re
import secrets
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from ..database import make_private
from ..translators import ctranslate, firefox
from . import BrokenModel, archives, manifest
from .manifest import Manifest

LIBRARIES = {"firefox": ("fxtranslate",), "ctranslate": ("ctranslate2", "sentencepiece")}
"""What an engine needs to be installed."""

EXTRAS = {"firefox": "neural", "ctranslate": "offline"}
"""What brings it."""

PASSED, UNTESTED = "passed", "not tested"
_DEPTH = 3
_LEFT_OVER = (".new-", ".gone-")
_EXPECTED = (
    "it has no model: expected model.*.bin with vocab.*.spm (Firefox), metadata.json with model/ (Argos), "
    "or model.bin with source.spm and target.spm (OPUS-MT for CTranslate2)"
)


class AlreadyThere(Exception):
    """There is a model of this name; the message is the name."""


@dataclass(frozen=True, slots=True)
class Installed:
    """A model on disk; *test* is PASSED, UNTESTED where someone put it there by hand, or what is wrong with it."""

    place: Path
    engine: str
    pairs: tuple[tuple[str, str], ...]
    size: int
    test: str
    source: str = ""
    licence: str = ""
    added: str = ""

    @property
    def name(self) -> str:
        """The name of its folder or file."""
        return self.place.name


def missing(engine: str) -> list[str]:
    """Which packages *engine* lacks."""
    return [name for name in LIBRARIES[engine] if not importlib.util.find_spec(name)]


# ---- adding


def engine_of(place: Path) -> str | None:
    """The engine for the model in the folder *place*; None if there is no model in it."""
    if firefox.is_model(place):
        return "firefox"
    is_other = (place / "metadata.json").is_file() or (place / "model.bin").is_file()
    return "ctranslate" if is_other else None


def add(place: Path, library: Path, *, source: str, licence: str = "") -> Installed:
    """Put the model at *place*, a folder or an archive, into *library*; it counts once it has passed its self-test.

    Raises BrokenModel or AlreadyThere, and leaves nothing behind then.
    """
    with workspace(library) as space:
        if place.is_dir():
            found = _root(place.resolve())
            folder = space / "copied" / found.name
            _copy(found, folder)
        else:
            folder = space / "unpacked" / (re.sub(r"(\.tar)?\.\w+$", "", place.name) or "model")
            archives.unpack(place, folder)
            folder = _root(folder)
        return add_prepared(folder, library, space, source=source, licence=licence)


@contextmanager
def workspace(library: Path) -> Iterator[Path]:
    """A folder within *library* to prepare a model in, which is gone at the end of the block."""
    make_private(library)
    tidy(library)
    with tempfile.TemporaryDirectory(dir=library, prefix=_LEFT_OVER[0]) as space:
        yield Path(space)


def tidy(library: Path) -> None:
    """Remove what a killed process left half done; whoever adds or removes has the library for itself."""
    for place in library.glob(".*"):
        if place.name.startswith(_LEFT_OVER):
            shutil.rmtree(place, ignore_errors=True)


def _root(place: Path) -> Path:
    """The folder of the one model at or below *place*."""
    level, found = [place], list[Path]()
    for _ in range(_DEPTH):
        if found := [folder for folder in level if engine_of(folder)]:
            break
        level = [each for folder in level for each in sorted(folder.iterdir()) if each.is_dir()]
    if len(found) > 1:
        raise BrokenModel(f"it has {len(found)} models; add them one by one: {', '.join(each.name for each in found)}")
    if not found:
        raise BrokenModel(_EXPECTED)
    return found[0]


def _copy(place: Path, folder: Path) -> None:
    """Copy the files of a model, also those that are links, as in caches of downloads."""
    files = [path for path in place.rglob("*") if not path.is_dir()]
    if any(not path.is_file() for path in files):
        raise BrokenModel("it holds a broken link or a device")
    if len(files) > archives.MOST_MEMBERS or sum(path.stat().st_size for path in files) > archives.LARGEST:
        raise BrokenModel("it is larger than any model")
    for path in files:
        target = folder / path.relative_to(place)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)


def add_prepared(folder: Path, library: Path, space: Path, *, source: str, licence: str = "") -> Installed:
    """Test the model in *folder*, in the *space* of `workspace`; write down what it is, and move it to *library*."""
    (folder / manifest.NAME).unlink(missing_ok=True)  # whoever made it, it speaks of another folder
    engine = engine_of(folder) or ""
    if lacking := missing(engine):
        raise BrokenModel(f"it cannot be tested without {' and '.join(lacking)}")
    pairs = tuple(_firefox_pairs(folder) if engine == "firefox" else _ctranslate_pairs(folder, space))
    name = _name(folder, engine, pairs)
    if (library / name).exists():
        raise AlreadyThere(name)
    moment = datetime.now(UTC).isoformat(timespec="seconds")
    known = Manifest(engine, pairs, source, licence, moment, manifest.hashes(folder))
    known.write(folder)
    folder.rename(library / name)
    return _installed(library / name, known)


def _firefox_pairs(folder: Path) -> list[tuple[str, str]]:
    model = firefox.model_at(folder)
    of_files = firefox.pair_of_files(model)
    if of_files and of_files != (model.source.partition("-")[0], model.target.partition("-")[0]):
        raise BrokenModel(
            f"its folder is named for {model.pair}, but its files are for {'-'.join(of_files)}; rename the folder"
        )
    engine = firefox.Firefox(folder)
    try:
        engine.test(model)
    finally:
        engine.close()
    return [(model.source, model.target)]


def _ctranslate_pairs(folder: Path, space: Path) -> list[tuple[str, str]]:
    """The pairs that passed: a model of many targets may have some that it was hardly trained for."""
    try:
        models = list(ctranslate.models_at(folder))
    except BrokenModel:
        raise
    except Exception as error:  # whatever a broken file makes its reader raise
        raise BrokenModel(f"it cannot be read: {error or type(error).__name__}") from None
    engine = ctranslate.CTranslate(folder, cache_dir=space / "cache")
    passed, reason = [], "it has no pair of languages"
    try:
        for model in models:
            try:
                engine.test(model)
                passed.append((model.source, model.target))
            except BrokenModel as error:
                reason = str(error)
    finally:
        engine.close()
    if not passed:
        raise BrokenModel(reason)
    return passed


def _name(folder: Path, engine: str, pairs: Sequence[tuple[str, str]]) -> str:
    """A name that says engine and languages, for people and for the engine, which reads it."""
    if engine == "firefox" or (folder / "metadata.json").is_file():
        source, target = (code.replace("-", "_") for code in pairs[0])
        return f"{'firefox' if engine == 'firefox' else 'argos'}-{source}-{target}"
    return re.sub(r"[^\w.-]|^\.", "_", folder.name, flags=re.ASCII)


# ---- listing and removing


def listed(folders: Sequence[Path]) -> Iterator[Installed]:
    """Yield the models in *folders*, with what is wrong with them if anything is; nothing is loaded."""
    for folder in folders:
        inside = [folder] if engine_of(folder) else sorted(folder.iterdir()) if folder.is_dir() else []
        for place in inside:
            if place.name.startswith("."):
                continue
            engine = "ctranslate" if place.suffix == ".argosmodel" else engine_of(place) if place.is_dir() else None
            try:
                known = Manifest.read(place)
                if engine is None and known is None:
                    continue
                manifest.check(place)
                if known:
                    yield _installed(place, known)
                    continue
                models = [firefox.model_at(place)] if engine == "firefox" else ctranslate.models_at(place)
                pairs = tuple((model.source, model.target) for model in models)
                yield Installed(place, engine or "", pairs, manifest.size(place), UNTESTED)
            except Exception as error:  # whatever a broken file makes its reader raise
                yield Installed(place, engine or "", (), manifest.size(place), str(error) or type(error).__name__)


def _installed(place: Path, known: Manifest) -> Installed:
    size = manifest.size(place)
    return Installed(place, known.engine, known.pairs, size, PASSED, known.source, known.licence, known.added)


def remove(model: Installed) -> None:
    """Delete a model; a process that has it loaded is not disturbed."""
    gone = model.place.with_name(f"{_LEFT_OVER[1]}{secrets.token_hex(4)}")
    os.replace(model.place, gone)  # at once, so that no one finds half of it
    if gone.is_dir():
        shutil.rmtree(gone)
    else:
        gone.unlink()
