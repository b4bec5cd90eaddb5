"""What is known of a model that was added, in a file beside it: its pair, its source, the hash of every file."""

import hashlib
import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Self

from . import BrokenModel

NAME = "svc-nb-model.json"


@dataclass(frozen=True, slots=True)
class Manifest:
    """A model as it was when it passed its self-test; *files* has a SHA-256 for each path in its folder."""

    engine: str
    pairs: tuple[tuple[str, str], ...]
    source: str
    licence: str = ""
    added: str = ""
    files: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path) -> Self | None:
        """The manifest in *folder*; None if someone put the model there by hand. Raises BrokenModel."""
        try:
            told = json.loads((folder / NAME).read_text("utf-8"))
            texts = {name: str(told[name]) for name in ("engine", "source", "licence", "added")}
            pairs = tuple((str(source), str(target)) for source, target in told["pairs"])
            return cls(**texts, pairs=pairs, files={str(name): str(digest) for name, digest in told["files"].items()})
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (ValueError, TypeError, LookupError, AttributeError, OSError):
            raise BrokenModel(f"its {NAME} cannot be read") from None

    def write(self, folder: Path) -> None:
        """Write it into *folder*, which is not in use yet."""
        (folder / NAME).write_text(json.dumps(asdict(self), indent=1) + "\n", "utf-8")


def hashes(folder: Path) -> dict[str, str]:
    """The SHA-256 of every file below *folder*, by its path with slashes, but for the manifest's own."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path != folder / NAME:
            with path.open("rb") as file:
                found[path.relative_to(folder).as_posix()] = hashlib.file_digest(file, "sha256").hexdigest()
    return found


def check(folder: Path) -> None:
    """Raise BrokenModel where a file is not what it was when the model was added; without a manifest all is well."""
    if manifest := Manifest.read(folder):
        now = hashes(folder)
        for name, digest in manifest.files.items():
            if now.get(name) != digest:
                change = "is missing" if name not in now else "has changed since the model was added"
                raise BrokenModel(f"its file {name} {change}; remove the model and add it again")


def size(place: Path) -> int:
    """How many bytes the files of a model take."""
    files = place.rglob("*") if place.is_dir() else [place]
    return sum(os.lstat(file).st_size for file in files if file.is_file())
