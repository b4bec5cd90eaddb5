"""A text file's bytes as text, and back in the same encoding, with the same mark at its beginning."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from svc_nb.cli.failure import Failure, Misuse

# The longest mark first: that of UTF-32 begins with that of UTF-16.
MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True, slots=True)
class Encoded:
    """A text with how it was written."""

    text: str
    encoding: str
    mark: bytes = b""

    @classmethod
    def of(cls, data: bytes, called: str, encoding: str | None = None) -> Encoded:
        """The text in *data*: in the *encoding* given, the one that its mark tells, or UTF-8."""
        mark, marked = next(((mark, name) for mark, name in MARKS if data.startswith(mark)), (b"", None))
        named = _known(encoding) if encoding else None
        if named and named not in (marked, "utf-8-sig", "utf-16", "utf-32"):
            mark, marked = b"", named
        chosen = marked or "utf-8"
        try:
            text = data[len(mark) :].decode(chosen)
        except UnicodeDecodeError as problem:
            line = data[: problem.start].count(b"\n") + 1
            raise Failure(
                f"{called} is no {chosen}: line {line} does not fit; name its encoding, such as --encoding cp1252"
            ) from None
        if "\0" in text:
            raise Failure(
                f"{called} holds NUL characters: it is no text, or in another encoding; name it by --encoding"
            )
        return cls(text, chosen, mark)

    def encode(self, text: str, called: str, encoding: str | None = None) -> bytes:
        """*text* as it is written to the file, or in another *encoding*."""
        chosen, mark = (_known(encoding), b"") if encoding else (self.encoding, self.mark)
        try:
            return mark + text.encode(chosen)
        except UnicodeEncodeError as problem:
            letter = text[problem.start]
            raise Failure(
                f"{called}: {chosen} has no form for {letter!r} (U+{ord(letter):04X}). Run it again with "
                "--out-encoding utf-8: what is translated is kept and not paid for again"
            ) from None


def _known(encoding: str) -> str:
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        raise Misuse(f"there is no encoding {encoding!r}; common ones are utf-8, cp1252 and utf-16") from None
