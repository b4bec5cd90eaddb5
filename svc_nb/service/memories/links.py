"""Signed addresses: who has one may do one thing with one job until it expires, without a key."""

from __future__ import annotations

import hashlib
import hmac
from datetime import UTC, datetime

from ..problems import Problem


def signature(key: bytes, method: str, job_id: str, expires: int) -> str:
    """What proves that this service gave the right to *method* away."""
    return hmac.new(key, f"{method} {job_id} {expires}".encode(), hashlib.sha256).hexdigest()


def link(address: str, key: bytes, *, method: str, job_id: str, until: datetime) -> str:
    """The address under which the file of a job is taken or given."""
    expires = int(until.timestamp())
    signed = signature(key, method, job_id, expires)
    return f"{address}/v3/translation_memories/jobs/{job_id}/file?expires={expires}&signature={signed}"


def check(key: bytes, *, method: str, job_id: str, expires: int, signed: str, now: datetime) -> None:
    """Raise 403 unless *signed* is right and not too old."""
    if not hmac.compare_digest(signature(key, method, job_id, expires).encode(), signed.encode()):
        raise Problem(403, "Forbidden", detail="The address is not signed by this service.")
    if now.astimezone(UTC).timestamp() > expires:
        raise Problem(403, "Forbidden", detail="The address has expired.")
