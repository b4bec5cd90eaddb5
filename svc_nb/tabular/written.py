"""Which files were written here, and as what: only those that nobody has changed since are replaced without asking."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import file_digest, sha256
from pathlib import Path

from svc_nb.tabular.disk import replace_file, replaceable
from svc_nb.tabular.held import alone

MOST = 10_000


class Written:
    """A list of files with a fingerprint of what was written to each, kept in one file."""

    def __init__(self, place: Path) -> None:
        self._place = place

    def write(self, path: Path, data: bytes, *, replace: bool = False) -> None:
        """Write a file, whole or not at all, and remember it.

        Raises FileExistsError where another file is there, or one that was changed since it was written here, unless
        told to *replace* it.
        """
        self.check(path, replace=replace)
        with self._noted(path, sha256(data).hexdigest()):
            if not self._is(path, data):
                replace_file(path, data)

    def put(self, path: Path, made: Path, *, replace: bool = False) -> None:
        """Put the file *made*, which stands beside it and is on the disk, in the place of *path*, and remember it.

        Raises as `write` does.
        """
        self.check(path, replace=replace)
        with self._noted(path, _fingerprint(made)):
            os.replace(made, replaceable(path))

    def check(self, path: Path, *, replace: bool = False) -> None:
        """Raise FileExistsError where `write` would."""
        if replace or not path.exists():
            return
        if path.is_file() and _fingerprint(path) in self._known().get(self._name(path), ()):
            return
        raise FileExistsError(
            f"{path} is there already, and was not written by svc_nb or was changed since; "
            "replace=True replaces it, out= writes elsewhere"
        )

    def _is(self, path: Path, data: bytes) -> bool:
        return path.is_file() and path.read_bytes() == data

    def _known(self) -> dict[str, list[str]]:
        """The fingerprints of every file, of which it has one: several where a process was killed while it wrote."""
        with suppress(OSError, ValueError):
            known = json.loads(self._place.read_text("utf-8"))
            if isinstance(known, dict):  # once there was but one of each
                return {name: each if isinstance(each, list) else [each] for name, each in known.items()}
        return {}

    @contextmanager
    def _noted(self, path: Path, fingerprint: str) -> Iterator[None]:
        """Within the block *path* may be as it was or have this *fingerprint*, and after it only the latter."""
        before = self._note(path, fingerprint)
        yield
        self._note(path, fingerprint, without=before)

    def _note(self, path: Path, fingerprint: str, *, without: Sequence[str] = ()) -> list[str]:
        """Note a fingerprint of a file, leave others out, and give those that were there."""
        with suppress(OSError):  # then the next run asks, which harms nobody
            self._place.parent.mkdir(parents=True, exist_ok=True)
            with alone(self._place.with_name(f"{self._place.name}.lock")):
                known = self._known()
                before = known.pop(self._name(path), [])
                left = [each for each in before if each not in (*without, fingerprint)]
                newest = [*known.items(), (self._name(path), [*left, fingerprint])][-MOST:]
                replace_file(self._place, json.dumps(dict(newest)).encode())
            return before
        return []

    @staticmethod
    def _name(path: Path) -> str:
        return str(path.resolve())


def _fingerprint(path: Path) -> str:
    with open(path, "rb") as stream:
        return file_digest(stream, "sha256").hexdigest()
