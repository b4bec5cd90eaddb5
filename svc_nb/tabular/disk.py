"""Files replaced as a whole or not at all, and silently only if no one has changed what svc_nb wrote."""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import file_digest, sha256
from pathlib import Path
from uuid import uuid4

from svc_nb.advice import Option
from svc_nb.locks import make_private, take_lock


def replace_file(path: Path, data: bytes) -> None:
    """Put *data* in the place of the file at *path*; see `replacing`."""
    with replacing(path) as beside, open(beside, "xb") as stream:
        stream.write(data)


def replaceable(path: Path) -> Path:
    """The file behind *path*, which may not exist yet; raises OSError for a folder, a device or the like."""
    place = path.resolve()
    if place.is_dir():
        raise IsADirectoryError(f"{path} is a folder. Name a file in it")
    if place.exists() and not place.is_file():
        raise OSError(f"{path} is not a regular file but a device or the like, so it is not replaced. Name a file")
    return place


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a name beside *path* to write to; at the end of the block that file takes the place of *path*.

    A reader sees the old file or the new one, never half of it, and if the block raises, the old file is unchanged. The
    file behind a link is replaced, not the link, and an existing file keeps its mode.
    """
    place = replaceable(path)
    beside = place.with_name(f".{place.name[:40]}.{uuid4().hex[:8]}.tmp")
    try:
        yield beside
        with open(beside, "rb+") as stream:
            os.fsync(stream.fileno())
        if place.exists():
            beside.chmod(place.stat().st_mode & 0o777)
        os.replace(beside, place)
    except OSError as problem:
        raise type(problem)(
            f"{path} could not be written: {problem.strerror}. Nothing was changed; choose another folder, or "
            "free some "
            "space"
        ) from None
    finally:
        with suppress(OSError):
            beside.unlink()


MOST = 10_000


class WrittenFiles:
    """A list of files with a fingerprint of what was written to each, kept in one file."""

    def __init__(self, place: Path) -> None:
        self._place = place

    def write(self, path: Path, data: bytes, *, replace: bool = False) -> None:
        """Write a whole file and remember it; FileExistsError if it is not ours or has changed, unless *replace*."""
        self.check(path, replace=replace)
        with self._noted(path, sha256(data).hexdigest()):
            if not (path.is_file() and path.read_bytes() == data):
                replace_file(path, data)

    def put(self, path: Path, made: Path, *, replace: bool = False) -> None:
        """Put the file *made*, already on disk beside it, in the place of *path*; raises as `write` does."""
        self.check(path, replace=replace)
        with self._noted(path, _fingerprint(made)):
            os.replace(made, replaceable(path))

    def check(self, path: Path, *, replace: bool = False) -> None:
        """Raise FileExistsError if `write` would."""
        if replace or not path.exists():
            return
        if path.is_file() and _fingerprint(path) in self._known().get(str(path.resolve()), ()):
            return
        raise FileExistsError(
            f"{path} already exists, and was not written by svc_nb or was changed since. "
            f"{Option('replace', True)} replaces it, {Option('out')} writes elsewhere"
        )

    def _known(self) -> dict[str, list[str]]:
        """The fingerprints of every file: usually one, but several if a process was killed while it wrote."""
        with suppress(OSError, ValueError):
            known = json.loads(self._place.read_text("utf-8"))
            if isinstance(known, dict):  # older lists have only one for each file
                return {name: each if isinstance(each, list) else [each] for name, each in known.items()}
        return {}

    @contextmanager
    def _noted(self, path: Path, fingerprint: str) -> Iterator[None]:
        """Within the block *path* may be as it was or have this *fingerprint*; afterwards only the latter counts."""
        before = self._note(path, fingerprint)
        yield
        self._note(path, fingerprint, without=before)

    def _note(self, path: Path, fingerprint: str, *, without: Sequence[str] = ()) -> list[str]:
        """Note a fingerprint of a file, drop others, and return the previous ones."""
        name = str(path.resolve())
        with suppress(OSError):  # the next run then asks before it replaces the file, which is harmless
            make_private(self._place.parent)
            with take_lock(self._place.with_name(f"{self._place.name}.lock"), wait=True):
                known = self._known()
                before = known.pop(name, [])
                left = [each for each in before if each not in (*without, fingerprint)]
                newest = [*known.items(), (name, [*left, fingerprint])][-MOST:]
                replace_file(self._place, json.dumps(dict(newest)).encode())
            return before
        return []


def _fingerprint(path: Path) -> str:
    with open(path, "rb") as stream:
        return file_digest(stream, "sha256").hexdigest()
