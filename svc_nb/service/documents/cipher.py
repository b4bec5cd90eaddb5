"""Files that only the holder of a key can read: encrypted piece by piece with AES-256-GCM, so that none can be changed.

An encrypted file is a mark, a salt, and pieces of 64 KiB, each with its tag. The key of a file is derived from the
document's key, the salt and what the file is for; a piece is bound to its place and to whether it is the last. A file
that was cut off, put together again or encrypted for something else does not open.
"""

import hashlib
import io
import secrets
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

MARK = b"svcdoc01"
PIECE = 64 * 1024

_SALT = 16
_TAG = 16
_HEAD = len(MARK) + _SALT


class Damaged(Exception):
    """The file is not as it was encrypted, or was encrypted with another key."""


def new_key() -> str:
    """A fresh key: 64 upper-case hexadecimal digits."""
    return secrets.token_hex(32).upper()


def digest(key: str) -> bytes:
    """What a key is recognised by; it opens nothing."""
    return hashlib.sha256(b"document_key " + key.encode("utf-8", "surrogateescape")).digest()


def encrypt(source: IO[bytes], target: IO[bytes], *, key: str, purpose: str) -> None:
    """Write all that is left of *source* to *target*, encrypted for *purpose*."""
    salt = secrets.token_bytes(_SALT)
    aes = _cipher(key, salt, purpose)
    target.write(MARK + salt)
    piece, place = source.read(PIECE), 0
    while True:
        following = source.read(PIECE) if piece else b""
        target.write(aes.encrypt(_nonce(place, last=not following), piece, None))
        if not following:
            return
        piece, place = following, place + 1


def decrypt(source: IO[bytes], *, key: str, purpose: str) -> Iterator[bytes]:
    """Yield what was encrypted; each piece is known to be right before it is yielded. Raises Damaged."""
    from cryptography.exceptions import InvalidTag

    head = source.read(_HEAD)
    if len(head) < _HEAD or not head.startswith(MARK):
        raise Damaged("this is not a sealed file")
    aes = _cipher(key, head[len(MARK) :], purpose)
    piece, place = source.read(PIECE + _TAG), 0
    while piece:
        following = source.read(PIECE + _TAG)
        try:
            yield aes.decrypt(_nonce(place, last=not following), piece, None)
        except InvalidTag:
            raise Damaged("the file has been changed, or the key is another") from None
        piece, place = following, place + 1
    if not place:
        raise Damaged("the file has been cut off")


def decrypted_size(encrypted: int) -> int:
    """How many bytes come out of an encrypted file of *encrypted* bytes."""
    pieces = -(-(encrypted - _HEAD) // (PIECE + _TAG))
    return encrypted - _HEAD - pieces * _TAG


def encrypt_bytes(content: bytes, *, key: str, purpose: str) -> bytes:
    """A few bytes, encrypted."""
    target = io.BytesIO()
    encrypt(io.BytesIO(content), target, key=key, purpose=purpose)
    return target.getvalue()


def decrypt_bytes(encrypted: bytes, *, key: str, purpose: str) -> bytes:
    """What `encrypt_bytes` was given; raises Damaged."""
    return b"".join(decrypt(io.BytesIO(encrypted), key=key, purpose=purpose))


def _cipher(key: str, salt: bytes, purpose: str) -> "AESGCM":
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    derived = HKDF(SHA256(), 32, salt, purpose.encode()).derive(bytes.fromhex(key))
    return AESGCM(derived)


def _nonce(place: int, *, last: bool) -> bytes:
    return place.to_bytes(11, "big") + bytes([last])
