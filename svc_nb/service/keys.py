"""Who is asking: keys, their scopes and their caps. Secrets are kept as digests only."""

import hashlib
import json
import sqlite3
import uuid
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from .database import Connection, Database, stamp
from .problems import Problem, not_found

DEFAULT_LABEL = "Service API Key"
_SCOPES = (
    "translate:text translate:document write:improve languages:read usage:read glossaries:read glossaries:write "
    "style_rules:read style_rules:write translation_memories:read translation_memories:write"
)
SCOPES = frozenset(_SCOPES.split())
ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class Key:
    """A key as the service knows it: everything but the secret."""

    key_id: str
    masked: str
    label: str
    scopes: frozenset[str] | None
    is_admin: bool
    creation_time: str
    deactivated_time: str | None
    characters: int | None
    speech_to_text_milliseconds: int | None

    def require(self, scope: str | None) -> None:
        """Raise 403 unless this key may use an operation of *scope*."""
        if scope == ADMIN and not self.is_admin:
            raise Problem(403, detail="This operation needs an administrator key.")
        if self.scopes is not None and scope not in self.scopes:
            raise Problem(403, detail=f"Missing required scope(s): {scope or 'none covers this'}")


NOBODY = Key("", "", "", frozenset(), False, "", None, 0, 0)  # who calls an operation that is signed


class Keys:
    """The keys of an account."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def holder(self, secret: str) -> Key:
        """The key that *secret* opens, or 401; 403 when it has been deactivated."""
        with self._database.read() as connection:
            row = connection.find("keys", digest=_digest(secret))
        if row is None:
            raise Problem(401, detail="The key is unknown.")
        if row["deactivated_time"] is not None:
            raise Problem(403, detail="This key has been deactivated.")
        return _key(row)

    def all(self) -> list[Key]:
        """Every key, in the order of creation."""
        with self._database.read() as connection:
            return [_key(row) for row in connection.rows("keys")]

    def add(
        self,
        secret: str,
        *,
        moment: datetime,
        label: str | None = None,
        scopes: Collection[str] | None = None,
        is_admin: bool = False,
    ) -> Key:
        """Store a key; the same secret a second time changes nothing. Refuses as `holder` does."""
        unknown = set(scopes or ()) - SCOPES
        if unknown:
            raise ValueError(f"unknown scopes {sorted(unknown)}; there are {sorted(SCOPES)}")
        with self._database.write() as connection:
            connection.add(
                "keys",
                "ON CONFLICT DO NOTHING",
                key_id=f"{uuid.uuid4()}:{uuid.uuid4()}",
                digest=_digest(secret),
                masked=mask(secret),
                label=DEFAULT_LABEL if label is None else label,
                scopes=None if scopes is None else json.dumps(sorted(scopes)),
                is_admin=is_admin,
                creation_time=stamp(moment),
            )
        return self.holder(secret)

    def deactivate(self, key_id: str, moment: datetime) -> Key:
        """End a developer key; the moment of the first time stays."""
        with self._database.write() as connection:
            first = _developer(connection, key_id).deactivated_time
            connection.change("keys", {"key_id": key_id}, deactivated_time=first or stamp(moment))
            return _developer(connection, key_id)

    def change(self, key_id: str, changes: dict[str, object]) -> Key:
        """Set some columns of one developer key, or 404."""
        with self._database.write() as connection:
            _developer(connection, key_id)
            if changes:
                connection.change("keys", {"key_id": key_id}, **changes)
            return _developer(connection, key_id)


def new_secret(suffix: str = "") -> str:
    """A fresh secret; *suffix* tells its kind, as ":fx" or ":adm" do."""
    return f"{uuid.uuid4()}{suffix}"


def mask(secret: str) -> str:
    """Only the first and last four characters: 0123********cdef."""
    return f"{secret[:4]}********{secret[-4:]}"


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).digest()


def _developer(connection: Connection, key_id: str) -> Key:
    row = connection.find("keys", key_id=key_id, is_admin=0)
    if row is None:
        raise not_found("Developer key not found.")
    return _key(row)


def _key(row: sqlite3.Row) -> Key:
    columns = {name: row[name] for name in Key.__slots__}
    scopes = None if row["scopes"] is None else frozenset(json.loads(row["scopes"]))
    return Key(**{**columns, "scopes": scopes, "is_admin": bool(row["is_admin"])})
