"""Keeps the keys of documents so that nobody reads them: encrypted, by a key from the OS keyring or a private file."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from svc_nb.errors import StoreError
from svc_nb.secret import Secret
from svc_nb.tabular.held import make_private

if TYPE_CHECKING:
    from cryptography.fernet import MultiFernet

APP = "svc_nb"


class Keyring(Protocol):
    """What is used of the package `keyring`."""

    def get_password(self, service: str, name: str, /) -> str | None:
        """The entry, or None."""

    def set_password(self, service: str, name: str, password: str, /) -> None:
        """Make the entry."""


class KeyGone(StoreError):
    """What the keys of documents are encrypted with is not there any more."""


class Vault:
    """Seals secrets with one key, which is made on first need; *path* is the file whose secrets they are.

    The key is an entry of *keyring* where that works, else the file *path* with ".key", for its owner alone.
    """

    def __init__(self, path: Path, keyring: Keyring | None = None) -> None:
        self._file = path.with_name(path.name + ".key")
        self._entry = f"documents {path}"
        self._keyring = keyring
        self._lock = threading.Lock()
        self._cipher: MultiFernet | None = None

    def prepare(self) -> None:
        """Make the key unless there is one; two processes must not do this at once."""
        with self._lock:
            if _cipher(self._known()) is None:
                self._make()

    def seal(self, secret: Secret) -> bytes:
        """*secret* as bytes that only `unseal` can read; needs `prepare` before."""
        return self._ciphers().encrypt(secret.reveal().encode())

    def unseal(self, sealed: bytes) -> Secret:
        """What was sealed; raises KeyGone where the key for it is gone."""
        from cryptography.fernet import InvalidToken

        with suppress(InvalidToken):
            return Secret(self._ciphers().decrypt(sealed).decode())
        raise self._gone()

    def _ciphers(self) -> MultiFernet:
        with self._lock:
            if self._cipher is None:
                self._cipher = _cipher(self._known())
        if self._cipher is None:
            raise self._gone()
        return self._cipher

    def _gone(self) -> KeyGone:
        return KeyGone(
            f"The keys of documents cannot be read: what they are encrypted with is neither in the keyring nor in "
            f"{self._file}. Translate those documents again; what was not downloaded was not billed"
        )

    def _known(self) -> list[Secret]:
        """The keys that are there: that of the file, and that of the keyring."""
        found = []
        with suppress(FileNotFoundError):
            found.append(Secret(self._file.read_text("ascii")))
        # Backends fail in their own ways (no desktop, locked, refused by the person): all mean that there is no key.
        with suppress(Exception):
            if entry := self._backend().get_password(APP, self._entry):
                found.append(Secret(entry))
        return found

    def _make(self) -> None:
        from cryptography.fernet import Fernet

        key = Secret(Fernet.generate_key().decode("ascii"))
        with suppress(Exception):
            keyring = self._backend()
            keyring.set_password(APP, self._entry, key.reveal())
            # A keyring that keeps nothing says so only like this.
            if keyring.get_password(APP, self._entry) == key.reveal():
                return
        self._write(key)

    def _write(self, key: Secret) -> None:
        make_private(self._file.parent)
        beside = self._file.with_name(self._file.name + ".tmp")
        try:
            descriptor = os.open(beside, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
            with open(descriptor, "w", encoding="ascii") as stream:
                stream.write(key.reveal())
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(beside, self._file)
            return
        except OSError as problem:
            reason = problem.strerror
        raise StoreError(f"{self._file} could not be written: {reason}. Nothing was sent")

    def _backend(self) -> Keyring:
        if self._keyring is not None:
            return self._keyring
        import keyring

        return keyring


def _cipher(keys: list[Secret]) -> MultiFernet | None:
    from cryptography.fernet import Fernet, MultiFernet

    ciphers = []
    for key in keys:
        with suppress(ValueError):  # a file that somebody changed holds no key
            ciphers.append(Fernet(key.reveal()))
    return MultiFernet(ciphers) if ciphers else None
