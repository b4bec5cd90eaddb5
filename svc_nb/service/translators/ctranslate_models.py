"""The translation models in a folder, as people have them: Argos packages and OPUS-MT models made for CTranslate2.

- Argos: a folder, or a `.argosmodel` archive of one, with `metadata.json`, `sentencepiece.model` and `model/`.
- OPUS-MT: a folder named for its languages (`opus-mt-en-de`, `en_de`, `ct2-opus-mt-en-de` …) with `model.bin`,
  `source.spm` and `target.spm`. A model of many targets lists them in its vocabulary as `>>deu<<`.

What is neither is left alone; what is broken is logged by its name and left out.
"""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
import stat
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

_CODES = {
    "ara": "ar", "bul": "bg", "ces": "cs", "dan": "da", "deu": "de", "ell": "el", "eng": "en", "est": "et", "fin": "fi",
    "fra": "fr", "heb": "he", "hun": "hu", "ind": "id", "ita": "it", "jpn": "ja", "kor": "ko", "lit": "lt", "lav": "lv",
    "nob": "nb", "nld": "nl", "pol": "pl", "por": "pt", "ron": "ro", "rus": "ru", "slk": "sk", "slv": "sl", "spa": "es",
    "swe": "sv", "tha": "th", "tur": "tr", "ukr": "uk", "vie": "vi", "zho": "zh", "cmn": "zh",
    "no": "nb", "jap": "ja", "iw": "he", "in": "id", "pb": "pt-br", "pob": "pt-br", "zt": "zh-hant",
}  # fmt: skip
_NOISE = frozenset(
    {"opus", "mt", "tc", "big", "base", "tiny", "ct2", "ctranslate2", "int8", "float16", "float32"}
)
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[a-z]{2,4})?")
_TARGET_TOKEN = re.compile(r">>([A-Za-z]{2,3})(?:_([A-Za-z]{4}))?<<")
_LARGEST = 4 << 30
_MEMBERS = 1_000

_log = logging.getLogger(__name__)


class BrokenModel(Exception):
    """A model that cannot be used; the message says why."""


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
            if place.is_file():
                if place.suffix == ".argosmodel":
                    yield _archived(place)
            elif (place / "metadata.json").is_file():
                _expect(place, "model/model.bin", "sentencepiece.model")
                yield _argos(place, place.joinpath("metadata.json").read_text("utf-8"))
            elif (place / "model.bin").is_file():
                _expect(place, "source.spm", "target.spm")
                yield from _opus(place)
        except Exception as error:  # whatever a broken file makes its reader raise
            _log.warning("The model %s is left out: %s", place.name, error or type(error).__name__)


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
        cache_dir.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache_dir) as draft, zipfile.ZipFile(archive) as opened:
            members = [member for member in opened.infolist() if not member.is_dir()]
            if len(members) > _MEMBERS or sum(member.file_size for member in members) > _LARGEST:
                raise BrokenModel("it is larger than any model")
            for member in members:
                path = PurePosixPath(member.filename)
                if (
                    path.is_absolute()
                    or ".." in path.parts
                    or "\\" in member.filename
                    or ":" in member.filename
                ):
                    raise BrokenModel("it would write outside its folder")
                if stat.S_ISLNK(member.external_attr >> 16):
                    raise BrokenModel("it holds a link")
                target = Path(draft, "package", *path.parts)
                target.parent.mkdir(parents=True, exist_ok=True)
                with opened.open(member) as packed, target.open("wb") as plain:
                    shutil.copyfileobj(packed, plain, 1 << 20)
            try:
                os.replace(Path(draft) / "package", home)
            except OSError:
                if not home.is_dir():  # another process may have been faster
                    raise
    return next(file.parent for file in home.rglob("metadata.json"))


def _archived(archive: Path) -> Model:
    with zipfile.ZipFile(archive) as opened:
        names = [PurePosixPath(name) for name in opened.namelist()]
        if not any(name.name == "sentencepiece.model" for name in names):
            raise BrokenModel("it has no sentencepiece.model")
        inner = next((name for name in names if name.name == "metadata.json"), None)
        if inner is None or opened.getinfo(str(inner)).file_size > 1 << 20:
            raise BrokenModel("it has no metadata.json")
        return _argos(archive, opened.read(str(inner)).decode("utf-8"))


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
    offered = {
        code: token for code, token in tokens.items() if code.partition("-")[0] == wanted or not wanted
    }
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
