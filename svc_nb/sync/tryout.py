"""One text translated in two ways: with a temporary resource on the service, and without it.

Before a thing is created, a small file notes its unique name, and this process locks that file until the thing is
removed. If it cannot be removed, or if the process is killed first, the unlocked file remains, and the next process
that creates such a thing first removes what was left behind.
"""

import json
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from svc_nb.engine.billing import PROCESS_BILLED
from svc_nb.errors import NotFound, StoreError, SvcError
from svc_nb.language_codes import base_of
from svc_nb.locks import LockedFile, is_held
from svc_nb.marked import PSEUDO
from svc_nb.sync.resources import ResourceKind
from svc_nb.wire.client import Client
from svc_nb.wire.models import TranslateOptions, Translation

NAME = "svc_nb temporary, may be deleted"
SUFFIX = ".temporary"
# A thing that was not found by then, with any key and on any service that was used, no longer exists.
LONGEST_SECONDS = 30 * 24 * 3600


class Temporary:
    """A thing that exists within a `with` block; *make* creates it under the given name and returns its id.

    `id` is the id of the thing. `left_behind` is its name if it could not be removed at the end of the block. Raises
    StoreError if *folder* cannot be written; then nothing was created.
    """

    def __init__(self, kind: ResourceKind, client: Client, make: Callable[[str], str], *, folder: str | Path) -> None:
        self._kind = kind
        self._client = client
        self._make = make
        self._folder = Path(folder)
        self._name = f"{NAME} ({secrets.token_hex(8)})"
        self.id = ""
        self.left_behind = ""

    def __enter__(self) -> Self:
        with suppress(SvcError):  # the next try-out tries to remove it again
            remove_left(self._kind, self._client, self._folder)
        told = {"kind": self._kind.one, "name": self._name}
        path = self._folder / f"{secrets.token_hex(8)}{SUFFIX}"
        try:
            self._record = LockedFile(path, json.dumps(told).encode() + b"\n")
        except OSError as problem:
            raise StoreError(
                f"Nothing was created, because it could not be noted in {self._folder} ({problem.strerror}). Check the "
                "folder and its permissions, or free some space"
            ) from problem
        try:
            self.id = self._make(self._name)
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._remove()

    def _remove(self) -> None:
        """Remove the thing, even if a response was lost and it may exist twice or not at all."""
        try:
            if self.id:
                _delete(self._kind, self._client, self.id)
            for thing_id, name in self._kind.listed(self._client):
                if name == self._name and thing_id != self.id:
                    _delete(self._kind, self._client, thing_id)
            self._record.remove()
        except (SvcError, OSError):
            self.left_behind = self._name
        finally:
            self._record.close()


def remove_left(kind: ResourceKind, client: Client, folder: Path) -> int:
    """Remove leftover things of a *kind*, and return how many there were; old notes are removed too."""
    left: dict[str, Path] = {}
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        with suppress(OSError):
            told: Any = {}
            with suppress(ValueError):  # its process was killed while writing it
                told = json.loads(path.read_bytes())
            if not (isinstance(told, dict) and {"kind", "name"} <= told.keys()):
                told = {}
            if told and is_held(path):
                continue
            if time.time() - path.stat().st_mtime > LONGEST_SECONDS:
                path.unlink()
            elif told and told["kind"] == kind.one:
                left[told["name"]] = path
    found = [(thing_id, name) for thing_id, name in kind.listed(client) if name in left] if left else []
    for thing_id, _ in found:
        _delete(kind, client, thing_id)
    for name in {name for _, name in found}:
        left[name].unlink(missing_ok=True)
    return len(found)


def _delete(kind: ResourceKind, client: Client, thing_id: str) -> None:
    with suppress(NotFound):  # another process was faster
        kind.delete(client, thing_id)


@dataclass(frozen=True)
class Tried:
    """A text translated with the resource and without it: `text` and `plain`; `billed` counts the characters of both.

    `marked_only` says that the embedded service had no translator for the pair and only marked the text. `left_behind`
    is the name of the temporary thing if it could not be removed; the next try-out removes it. `ignored_options` are
    options, and rules of a style, that had no effect on `text`. `untranslated` is the language of a text that came back
    unchanged because it is already in the target language.
    """

    text: str
    plain: str
    billed: int
    marked_only: bool = False
    left_behind: str = ""
    ignored_options: tuple[str, ...] = ()
    untranslated: str = ""


def tried(
    client: Client,
    text: str,
    target_lang: str,
    *,
    before: TranslateOptions,
    made: Temporary | None = None,
    id_name: str = "",
) -> Tried:
    """Translate with the thing that was *made*, its id as the option *id_name*, and with the id *before*, or none."""

    def translated(options: TranslateOptions) -> Translation:
        answer = client.text.translate([text], target_lang, options=options, warn=False)[0]
        PROCESS_BILLED.add(answer.billed_characters or 0)
        return answer

    if made is None:
        came = plain = translated(before)
        billed = came.billed_characters or 0
    else:
        with made:
            with_it: dict[str, Any] = {id_name: made.id}
            came, plain = translated(replace(before, **with_it)), translated(before)
        billed = sum(each.billed_characters or 0 for each in (came, plain))
    marked = PSEUDO in (came.model_type_used, plain.model_type_used)
    left_behind = made.left_behind if made else ""
    source = base_of(came.detected_source_language)
    untranslated = source if source == base_of(target_lang) and came.text == text else ""
    return Tried(came.text, plain.text, billed, marked, left_behind, came.ignored_options, untranslated)
