"""Text files and their encodings: read as what they are, written as what they were."""

import codecs
import re
from contextlib import suppress
from dataclasses import dataclass

from ..catalogue import read
from . import Unreadable

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# What may be named in a file: text encodings that map characters and do nothing else.
_KNOWN = re.compile(
    r"ascii|utf-8|utf-16(-[lb]e)?|utf-32(-[lb]e)?|iso8859-\d+|cp(125\d|437|85\d|86[0-9]|87\d|932|949|950|1140)|"
    r"koi8-[rtu]|mac-\w+|shift_jis\w*|euc_\w+|gb2312|gbk|gb18030|big5(hkscs)?|tis-620|johab|hz|iso2022_\w+"
)
_LEGACY = "cp1252"
_LEAST_SHARE = 0.1
# The commonest letters of a script tell which of its encodings reads right; in the wrong one they are rare.
_COMMON: dict[str, str] = read("encodings.json")
_CENTRAL = re.compile(r"[^\W\d][¹³¿Ÿ\ufffd]\w|\ufffd[a-z]")


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text of a file, and how it was written: its encoding and the mark before it."""

    text: str
    codec: str
    mark: bytes = b""

    def __post_init__(self) -> None:
        if "\0" in self.text:
            raise Unreadable("The file is not a text: it holds NUL characters.")

    def encode(self, text: str) -> bytes:
        """Return *text* in the file's own way; in UTF-8, marked as such, where that has no such characters."""
        try:
            return self.mark + text.encode(self.codec)
        except UnicodeEncodeError:
            return codecs.BOM_UTF8 + text.encode("utf-8", "replace")

    def encode_markup(self, text: str) -> bytes:
        """Return *text* in the file's own way; what that has no characters for becomes character references."""
        return self.mark + text.encode(self.codec, "xmlcharrefreplace")


def decode(data: bytes, declared: str = "") -> Decoded:
    """The text of *data*, by its mark, as *declared*, or as its bytes suggest; encoded again it is the same bytes."""
    for mark, codec in _MARKS:
        if data.startswith(mark):
            return Decoded(_strictly(data[len(mark) :], codec), codec, mark)
    codec = ""
    with suppress(LookupError, ValueError):
        codec = codecs.lookup(declared.strip()[:40]).name
    if not _KNOWN.fullmatch(codec):
        # UTF-16 without a mark: every second byte is mostly zero.
        sample, codec = data[:2000] if len(data) % 2 == 0 else b"", ""
        even, odd = sample[::2].count(0), sample[1::2].count(0)
        if max(even, odd) > len(sample) * 0.3 and len(sample) >= 4 and not min(even, odd):
            codec = "utf-16-le" if odd else "utf-16-be"
    if codec:
        return Decoded(_strictly(data, codec), codec)
    try:
        return Decoded(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data" and not data[: error.start].isascii():
            raise Unreadable("The file ends in the middle of a character: it was cut off.") from None
    for codec in (_likeliest(data), _LEGACY):  # the one that the same bytes can be made with again
        with suppress(UnicodeError):
            text = data.decode(codec)
            if text.encode(codec) == data:
                return Decoded(text, codec)
    return Decoded(data.decode("latin-1"), "latin-1")


def _strictly(data: bytes, codec: str) -> str:
    try:
        return data.decode(codec)
    except UnicodeDecodeError:
        raise Unreadable(f"The file is not {codec.upper()}, although it says so.") from None


def _likeliest(data: bytes) -> str:
    """Return the encoding that an 8-bit or East Asian text is likely in, which says nothing about itself."""
    if 2 * len(re.findall(rb"[A-Za-z]", data)) > len(re.findall(rb"[\x80-\xff]", data)):
        western = data.decode(_LEGACY, "replace")  # unless western letters would make no sense
        if _CENTRAL.search(western) or ("ø" in western and "ì" in western):
            return "cp1250"
        return "cp1254" if set(western) & set("ðþý") and not set(western) & set("áéíóúæ") else _LEGACY
    best, most = _LEGACY, _LEAST_SHARE
    for codec, common in _COMMON.items():
        letters = [each for each in data[:20_000].decode(codec, "replace") if each > "\x7f"]
        share = sum(map(set(common).__contains__, letters)) / len(letters) if letters else 0.0
        if share > most:
            best, most = codec, share
    return best
