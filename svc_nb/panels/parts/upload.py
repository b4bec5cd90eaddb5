"""An area to drop files on or to choose them: they arrive in pieces, to stay below the limits of the connection."""

import io
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import PurePath
from typing import Any, Protocol

from traitlets import Bool, Int, List, Unicode

from svc_nb.panels.parts.controls import Part

MOST_BYTES = 20_000_000
MOST_LINES = 8
LONGEST_NAME = 80
UNREADABLE = "The browser cannot read this. It may be a folder, or the file may have changed. Drop files only."


class Keep(Protocol):
    """Receives the pieces of one file."""

    def write(self, piece: bytes, /) -> Any:
        """Write the next piece."""

    def whole(self) -> Any:
        """Finish the file, and return the value for `received`."""

    def drop(self) -> None:
        """Discard an incomplete file."""


class Memory(io.BytesIO):
    """Keeps a file in memory, as bytes."""

    whole = io.BytesIO.getvalue
    drop = io.BytesIO.close


class UploadArea(Part):
    """Files that a person drops or chooses, with names that end in one of *suffixes*, and at most `most` bytes.

    `received` is called with the name of each file and the result of *keep*, which is called with the name and receives
    the pieces; by default the result is the bytes. `refused` is called with a sentence if a file is rejected, and
    *limit* returns the maximum bytes for a suffix, if less than `most`. With *several*, which allows more than one file
    at once, the sentence begins with the file name.
    """

    front = "upload"
    title = Unicode("Drop a file here, or choose one").tag(sync=True)
    suffixes = List(Unicode()).tag(sync=True)
    most = Int(MOST_BYTES).tag(sync=True)
    several = Bool(False).tag(sync=True)
    advice = "read it with .read(path) instead."

    def __init__(
        self,
        received: Callable[[str, Any], None],
        *,
        refused: Callable[[str], None],
        suffixes: Sequence[str],
        title: str = "Drop a file here, or choose one",
        most: int = MOST_BYTES,
        several: bool = False,
        keep: Callable[[str], Keep] = lambda name: Memory(),
        limit: Callable[[str], int] | None = None,
    ) -> None:
        super().__init__(suffixes=list(suffixes), title=title, most=most, several=several)
        self._received = received
        self._refused = refused
        self._make_keep = keep
        self._limit = limit or (lambda suffix: most)
        self._number: Any = None
        self._keep: Keep | None = None
        self._at = 0
        self._lines: list[str] = []
        self.on_msg(lambda widget, message, buffers: self.hear(message, buffers))

    def tell(self, text: str) -> None:
        """Show a line below, such as why a file cannot be read; it may quote the file, and is not saved."""
        self._lines = [text] if text else []
        self._tell()

    def tell_also(self, text: str) -> None:
        """Add another line below, until new files are dropped."""
        self._lines.append(text)
        self._tell()

    @property
    def _told(self) -> str:
        """The lines shown; only the first ones if there are many."""
        rest = len(self._lines) - MOST_LINES
        more = [f"… and {rest:,} more that cannot be added."] if rest > 0 else []
        return "\n".join(self._lines[:MOST_LINES] + more)

    def _tell(self) -> None:
        self.send({"kind": "told", "text": self._told})

    def forget(self) -> None:
        """Discard an incomplete file."""
        if self._keep is not None:
            self._keep.drop()
        self._keep, self._number, self._at = None, None, 0

    def hear(self, message: dict[str, Any], buffers: Sequence[Any] = ()) -> None:
        """Receive a piece of a file and ask for the next one; a new file replaces an unfinished one."""
        kind = message.get("kind")
        if kind == "ready":
            self._tell()
        elif kind == "begin":
            self.tell("")
        elif kind == "several":
            self._refused("One file at a time: several were dropped.")
        elif kind == "unreadable":
            self._refused(self._about(plain(message.get("name")), UNREADABLE))
        elif kind == "piece":
            self._take(message, b"".join(bytes(buffer) for buffer in buffers))

    def _take(self, message: dict[str, Any], piece: bytes) -> None:
        name, size, at = plain(message.get("name")), int(message["size"]), int(message["at"])
        number = message.get("number")
        if problem := self._problem(name, size):
            self._refuse(number, name, problem)
            return
        if at == 0:
            self.forget()
            self._number = number
        if number != self._number:  # another file has replaced it, maybe from another page
            self.send({"kind": "done", "number": number})
            return
        if at != self._at:
            return
        try:
            if self._keep is None:
                self._keep = self._make_keep(name)
            self._at += len(piece)
            if self._at > size or not piece:
                raise OSError("received a different number of bytes than announced")
            self._keep.write(piece)
            whole = self._keep.whole() if self._at == size else None
        except OSError as error:
            self.forget()
            self._refuse(number, name, f"The file could not be saved: {error.strerror or error}.")
            return
        if self._at < size:
            self.send({"kind": "more", "number": number, "at": self._at})
            return
        self._keep = None
        self.forget()
        self.send({"kind": "done", "number": number})
        self._received(name, whole)

    def _refuse(self, number: Any, name: str, why: str) -> None:
        self.send({"kind": "done", "number": number})
        self._refused(self._about(name, why))

    def _about(self, name: str, why: str) -> str:
        """*why*, with the file name if there may be several."""
        if not self.several:
            return why
        # without characters that would reverse the rest of the line
        safe = "".join("_" if unicodedata.category(letter)[0] == "C" else letter for letter in name)
        shown = safe if len(safe) <= LONGEST_NAME else f"{safe[:LONGEST_NAME]}…"
        return f"{shown}: {why[0].lower()}{why[1:]}"

    def _problem(self, name: str, size: int) -> str:
        suffix = PurePath(name).suffix.lower()
        if suffix not in self.suffixes:
            expected = "" if self.several else f": expected {', '.join(self.suffixes)}"
            found = f"Files that end in {suffix}" if suffix else "Files without an extension"
            return f"{found} are not supported here{expected}."
        most = min(self.most, self._limit(suffix))
        if size > most:
            return f"The file has {size:,} bytes, but at most {most:,} are allowed: {self.advice}"
        return "" if size else "The file is empty."


def plain(name: Any) -> str:
    """The last part of a name, only for display and never used as a path."""
    return PurePath(str(name).replace("\\", "/")).name
