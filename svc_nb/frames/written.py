"""Which files were written here, and as what: only those that nobody has changed since are replaced without asking."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from hashlib import file_digest, sha256
from pathlib import Path

from svc_nb.frames.disk import replace_file, replacing

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
        if not self._is(path, data):
            replace_file(path, data)
        self._remember(path, sha256(data).hexdigest())

    def put(self, path: Path, made: Path, *, replace: bool = False) -> None:
        """Put the file *made*, which stands beside it, in the place of *path*, and remember it.

        Raises as `write` does.
        """
        self.check(path, replace=replace)
        fingerprint = _fingerprint(made)
        with replacing(path) as beside:
            os.replace(made, beside)
        self._remember(path, fingerprint)

    def check(self, path: Path, *, replace: bool = False) -> None:
        """Raise FileExistsError where `write` would."""
        if replace or not path.exists():
            return
        if path.is_file() and self._known().get(self._name(path)) == _fingerprint(path):
            return
        raise FileExistsError(
            f"{path} is there already, and was not written by svc_nb or was changed since; "
            "replace=True replaces it, out= writes elsewhere"
        )

    def _is(self, path: Path, data: bytes) -> bool:
        return path.is_file() and path.read_bytes() == data

    def _known(self) -> dict[str, str]:
        with suppress(OSError, ValueError):
            known = json.loads(self._place.read_text("utf-8"))
            if isinstance(known, dict):
                return known
        return {}

    def _remember(self, path: Path, fingerprint: str) -> None:
        known = {**self._known(), self._name(path): fingerprint}
        newest = dict(list(known.items())[-MOST:])
        with suppress(OSError):  # then the next run asks, which harms nobody
            self._place.parent.mkdir(parents=True, exist_ok=True)
            replace_file(self._place, json.dumps(newest).encode())

    @staticmethod
    def _name(path: Path) -> str:
        return str(path.resolve())


def _fingerprint(path: Path) -> str:
    with open(path, "rb") as stream:
        return file_digest(stream, "sha256").hexdigest()
