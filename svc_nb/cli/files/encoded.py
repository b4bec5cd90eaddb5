"""A text file's bytes as text, and back in the same encoding, with the same mark at its beginning."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO

from svc_nb.cli.failure import Failure, Misuse
from svc_nb.cli.files.source import Source

# The longest mark first: that of UTF-32 begins with that of UTF-16.
MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Those that leave to the mark in which order the bytes stand, with what is meant where there is no mark.
UNMARKED = {"utf-8-sig": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Encoded:
    """The text of a *source* with how it is written."""

    source: Source
    encoding: str
    mark: bytes = b""

    @classmethod
    def of(cls, source: Source, encoding: str | None = None) -> Encoded:
        """The text of *source*: in the *encoding* given, the one that its mark tells, or UTF-8.

        Where the encoding leaves the order of bytes to a mark and there is none, the lowest byte comes first.
        """
        data = source.head(4)
        mark, marked = next(((mark, name) for mark, name in MARKS if data.startswith(mark)), (b"", None))
        named = _known(encoding) if encoding else None
        if named and not (marked and named in (marked, *UNMARKED)):
            mark, marked = b"", UNMARKED.get(named, named)
        return cls(source, marked or "utf-8", mark)

    def texts(self) -> Iterator[str]:
        """The text from its beginning, piece by piece; raises Failure where something is no text."""
        called = self.source.called
        decoder = codecs.getincrementaldecoder(self.encoding)()
        stream = self.source.begin()
        stream.seek(len(self.mark))
        data, lines = b"\n", 1
        while data:
            data = stream.read(BYTES)
            self.source.read(stream.tell())
            try:
                text = decoder.decode(data, final=not data)
            except UnicodeDecodeError as problem:
                lines += problem.object[: problem.start].decode(self.encoding, "replace").count("\n")
                raise Failure(
                    f"{called} is no {self.encoding}: line {lines} does not fit; name its encoding, such as "
                    "--encoding cp1252"
                ) from None
            if "\0" in text:
                raise Failure(
                    f"{called} holds NUL characters: it is no text, or in another encoding; name it by --encoding"
                )
            lines += text.count("\n")
            yield text

    @contextmanager
    def writing(self, stream: BinaryIO, encoding: str | None = None) -> Iterator[Callable[[str], None]]:
        """What writes the text to *stream*, piece by piece, as it is in the file or in another *encoding*.

        Raises Failure where a letter has no form.
        """
        chosen, mark = (_known(encoding), b"") if encoding else (self.encoding, self.mark)
        encode = codecs.getincrementalencoder(chosen)().encode

        def write(text: str) -> None:
            try:
                stream.write(encode(text))
            except UnicodeEncodeError as problem:
                raise Failure(_formless(self.source.called, chosen, problem.object[problem.start])) from None

        stream.write(mark)
        yield write
        stream.write(encode("", final=True))


def _formless(called: str, encoding: str, letter: str) -> str:
    return (
        f"{called}: {encoding} has no form for {letter!r} (U+{ord(letter):04X}). Run it again with "
        "--out-encoding utf-8: what is translated is kept and not paid for again"
    )


def _known(encoding: str) -> str:
    try:
        found = codecs.lookup(encoding)
        "".encode(found.name)  # one that makes no text of bytes, such as zip, is none
    except LookupError:
        raise Misuse(f"there is no encoding {encoding!r}; common ones are utf-8, cp1252 and utf-16") from None
    return found.name
