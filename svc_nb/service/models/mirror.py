"""Firefox models over the network: a mirror's list of them, and downloads that continue where they broke off.

A mirror is the address of a JSON file as Mozilla's Remote Settings serve it (`{"data": [record, …]}`), of which each
record is one file of a model: its pair, version, kind, size and SHA-256, packed and unpacked. The files are at each
record's `attachment.location`, relative to that address, or where a Remote Settings server says that they are.
"""

import hashlib
import ipaddress
import json
import re
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import requests

from ..database import make_private
from ..translators.firefox import code
from . import BrokenModel

MOZILLA = "https://firefox.settings.services.mozilla.com/v1/buckets/main/collections/translations-models-v2/records"
MOZILLAS_LICENCE = "MPL-2.0"
MAJOR = "3"
"""The version of the models' format that fxtranslate 0.5 reads."""

PIVOT = "en"
TRIES = 5
FIRST_PAUSE = 0.25  # seconds; it doubles with every failure in a row
TIMEOUT = (10, 60)
LARGEST_LIST = 50 << 20
LARGEST_FILE = 1 << 30
_CHUNK = 1 << 14
_COLLECTION = "/v1/buckets/"
_SETS = ({"model", "vocab"}, {"model", "srcvocab", "trgvocab"})
_CHANNELS = ("", "env.appinfo.OS != 'Android'")
"""What Firefox takes on a desktop; others are for its tests, or for phones."""


class MirrorError(Exception):
    """The mirror cannot give what was asked of it; the message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class File:
    """A file of a model: *packed* and *unpacked* are the SHA-256 of what is sent and of what that holds."""

    name: str
    url: str
    size: int
    packed: str
    unpacked: str


@dataclass(frozen=True, slots=True)
class Offer:
    """A model that a mirror has."""

    source: str
    target: str
    version: str
    files: tuple[File, ...]

    @property
    def pair(self) -> str:
        """How people write the pair."""
        return f"{self.source}-{self.target}"

    @property
    def size(self) -> int:
        """How many bytes are to be downloaded."""
        return sum(file.size for file in self.files)


class Mirror:
    """The models of the mirror at *address*; what is asked of it goes nowhere else but where its list points."""

    def __init__(self, address: str = MOZILLA) -> None:
        _check_address(address)
        self.address = address
        self._session = requests.Session()
        self._session.headers["Accept-Encoding"] = "identity"  # a range is of what is on the disk there

    @property
    def host(self) -> str:
        """Where it is, for people."""
        return urlsplit(self.address).netloc

    @property
    def licence(self) -> str:
        """The licence of its models, where it is known."""
        return MOZILLAS_LICENCE if self.address == MOZILLA else ""

    def close(self) -> None:
        """Close its connections."""
        self._session.close()

    def offers(self) -> dict[tuple[str, str], Offer]:
        """The newest model of each pair. Raises MirrorError."""
        try:
            records = json.loads(self._small(self.address))["data"]
            by_model: defaultdict[tuple[str, ...], dict[str, Mapping[str, Any]]] = defaultdict(dict)
            for record in records:
                channel = str(record.get("filter_expression", ""))
                version = str(record.get("version", ""))
                if channel in _CHANNELS and version.split(".")[0] == MAJOR and version.replace(".", "").isdecimal():
                    own = (record["sourceLanguage"], record["targetLanguage"], version, channel)
                    by_model[(*own, str(record.get("architecture", "")))][record["fileType"]] = record
        except (ValueError, LookupError, TypeError, AttributeError):
            raise MirrorError(
                f"{self.address} is no list of Firefox models: expected the JSON of its records"
            ) from None
        base = self._attachments()
        found = dict[tuple[str, str], Offer]()
        # Of one version, what is for every system comes last and so counts.
        for (source, target, version, *_), records in sorted(by_model.items(), key=lambda item: _age(item[0])):
            if any(kinds <= records.keys() for kinds in _SETS):
                kinds = next(kinds for kinds in _SETS if kinds <= records.keys()) | ({"lex"} & records.keys())
                files = tuple(_file(records[kind], base) for kind in sorted(kinds))
                pair = code(source), code(target)
                found[pair] = Offer(*pair, version, files)
        return found

    def fetch(self, file: File, into: Path, partial: Path) -> Iterator[int]:
        """Download *file* into the folder *into*, and yield how many bytes more there are after each piece.

        What has come is kept in the folder *partial*, also when this is ended, and the next call continues there.
        Raises MirrorError.
        """
        make_private(partial)
        draft = partial / file.packed
        had = draft.stat().st_size if draft.exists() else 0
        yield had
        yield from self._whole(file, draft)
        if _digest(draft) != file.packed and had:  # what was there may be of another file
            yield -draft.stat().st_size
            draft.unlink()
            yield from self._whole(file, draft)
        if _digest(draft) != file.packed:
            draft.unlink()
            raise MirrorError(f"{file.url} is not what the mirror's list says: its SHA-256 differs. Try another mirror")
        (into / file.name).write_bytes(_unpacked(draft, file))
        draft.unlink()

    def _whole(self, file: File, draft: Path) -> Iterator[int]:
        """Download what *draft* lacks, in as many requests as it takes, as long as each brings something."""
        failures = 0
        while (have := draft.stat().st_size if draft.exists() else 0) != file.size:
            try:
                for count in self._piece(file, draft, have):
                    failures = 0
                    yield count
            except requests.RequestException as error:
                failures += 1
                if failures == TRIES:
                    raise MirrorError(
                        f"{file.url} broke off {TRIES} times in a row ({_why(error)}). "
                        "Run the command again to continue where it stopped"
                    ) from None
                time.sleep(FIRST_PAUSE * 2.0**failures)

    def _piece(self, file: File, draft: Path, have: int) -> Iterator[int]:
        """Append to *draft* what one request brings."""
        if have > file.size:
            draft.unlink()
            yield -have
            have = 0
        with self._get(file.url, {"Range": f"bytes={have}-"} if have else {}) as answer:
            if have and not answer.headers.get("Content-Range", "").startswith(f"bytes {have}-"):
                yield -have  # it started again
                have = 0
            with draft.open("ab" if have else "wb") as out:
                for piece in answer.iter_content(_CHUNK):
                    if have == 0 and piece.lstrip()[:1] == b"<":
                        raise MirrorError(_PAGE.format(file.url))
                    have += len(piece)
                    if have > file.size:
                        raise MirrorError(f"{file.url} is larger than the mirror's list says. Try another mirror")
                    out.write(piece)
                    yield len(piece)
        if have < file.size:
            raise requests.ConnectionError("it ended early")

    def _get(self, url: str, headers: Mapping[str, str] | None = None) -> requests.Response:
        """The answer to a GET; raises MirrorError for what a further try would not change."""
        answer = self._session.get(url, headers=headers, stream=True, timeout=TIMEOUT)
        try:
            _check_address(answer.url)  # after redirections
            if answer.status_code == 429 or answer.status_code >= 500:
                raise requests.ConnectionError(f"{answer.status_code} {answer.reason}")
            if answer.status_code not in (200, 206):
                raise MirrorError(f"{url}: {answer.status_code} {answer.reason}. Is the mirror complete?")
            if answer.headers.get("Content-Type", "").startswith("text/html"):
                raise MirrorError(_PAGE.format(url))
        except BaseException:
            answer.close()
            raise
        return answer

    def _small(self, url: str) -> bytes:
        """The whole of a JSON file."""
        for failures in range(1, TRIES + 1):
            try:
                with self._get(url) as answer:
                    content = b""
                    for piece in answer.iter_content(_CHUNK):
                        content += piece
                        if len(content) > LARGEST_LIST:
                            raise MirrorError(f"{url} is too large for a list of models")
                    return content
            except requests.RequestException as error:
                problem = error
                if failures < TRIES:
                    time.sleep(FIRST_PAUSE * 2.0**failures)
        raise MirrorError(
            f"{urlsplit(url).netloc} cannot be reached ({_why(problem)}). Is there a network, or a proxy to set?"
        )

    def _attachments(self) -> str:
        """What the places of files are relative to."""
        root, found, _ = self.address.partition(_COLLECTION)
        if not found:
            return self.address
        try:
            base = json.loads(self._small(f"{root}/v1/"))["capabilities"]["attachments"]["base_url"]
            return f"{base.rstrip('/')}/"
        except (ValueError, LookupError, TypeError, AttributeError):
            raise MirrorError(
                f"{root}/v1/ does not say where attachments are. Is it a Remote Settings server?"
            ) from None


_PAGE = "{} is a web page, not a file of a model. Is a login or a proxy in between?"


def route(offers: Mapping[tuple[str, str], Offer], source: str, target: str) -> list[Offer]:
    """The model of a pair, or the two to go through English; none if there is no way."""
    ways = ([(source, target)], [(source, PIVOT), (PIVOT, target)])
    return next(([offers[pair] for pair in way] for way in ways if all(pair in offers for pair in way)), [])


def _age(model: tuple[str, ...]) -> tuple[list[int], bool, str]:
    _, _, version, channel, architecture = model
    return [int(part) for part in version.split(".")], channel == "", architecture


def _file(record: Mapping[str, Any], base: str) -> File:
    """What a record says of a file, each value checked: it comes from elsewhere, and becomes a path and an address."""
    try:
        kept = record["attachment"]
        name, location, size = record["name"], kept["location"], kept["size"]
        hashes = kept["hash"], record.get("decompressedHash") or kept["hash"]
        is_sound = (
            re.fullmatch(r"(model|vocab|srcvocab|trgvocab|lex)\.[\w.-]{1,100}", name)
            and re.fullmatch(r"[\w./+-]{1,300}", location)
            and ".." not in location.split("/")
            and not location.startswith("/")
            and all(re.fullmatch("[0-9a-f]{64}", each) for each in hashes)
            and isinstance(size, int)
            and 0 < size <= LARGEST_FILE
        )
    except (LookupError, TypeError):
        is_sound = None
    if not is_sound:
        raise MirrorError(f"The mirror's list has a record that cannot be used: {str(record.get('name'))[:100]!r}")
    url = urljoin(base, location)
    _check_address(url)
    return File(name, url, size, *hashes)


def _check_address(address: str) -> None:
    """Raise MirrorError unless no one on the way can change what comes from *address*."""
    with suppress(ValueError):
        parts = urlsplit(address)
        if parts.scheme == "https" and parts.hostname:
            return
        is_loopback = parts.hostname == "localhost" or ipaddress.ip_address(parts.hostname or "").is_loopback
        if parts.scheme == "http" and is_loopback:
            return
    raise MirrorError(f"A mirror's address begins with https://, this one does not: {address[:200]!r}")


def _why(error: requests.RequestException) -> str:
    """The status that was answered, or which kind of failure it was: what the libraries below say is not for people."""
    status = error.args[0] if error.args and isinstance(error.args[0], str) else ""
    return status or type(error).__name__


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _unpacked(draft: Path, file: File) -> bytes:
    content = draft.read_bytes()
    if file.unpacked == file.packed:
        return content
    from fxtranslate import discovery

    try:
        return bytes(discovery.verify_and_decompress(content, file.unpacked))
    except ValueError:
        raise BrokenModel(f"its file {file.name} cannot be unpacked") from None
