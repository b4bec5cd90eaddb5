"""What is sent of a text in code: its words, with names, placeholders and addresses behind numbered tags."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from svc_nb.notebooks import tags
from svc_nb.notebooks.segments import Refused, Segment
from svc_nb.notebooks.tags import Part, Tag

FIELD = "\uf8ff"  # stands in a text where an f-string has a replacement field
HELD = "\ue000"  # a space that no line may be broken at

_PERCENT = r"%(?:\(\w+\))?[-+#0]{0,3}(?:\d{1,4}|\*)?(?:\.\d{1,3})?[diouxXeEfFgGcrsa](?![^\W\d_])|%%"
_BRACES = r"\$?\{[^{}\s]*\}|\{\{|\}\}"
_MARKUP = r"</?[A-Za-z][^<>]*>|&(?:#\d+|#x[0-9A-Fa-f]+|[A-Za-z]{2,8});"
_ADDRESS = r"\b[a-z][a-z0-9+.-]{0,20}://[^\s<>\"']*[^\s<>\"'.,;:!?)\]}]|\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+"
_QUOTED = r"``[^`\n]+``|(?::[\w:+-]+:)?`[^`\n]+`_{0,2}|\$(?=\S)[^$\n]{1,300}(?<=\S)\$"
_NAME = (
    r"(?<![\w.])(?:[A-Za-z]\w*\.)*\w+\(\)"  # f(), df.head()
    r"|(?<![\w.])[A-Za-z_]\w+(?:\.[A-Za-z_]\w+)+(?:\([^()\n]*\))?"  # np.array, os.path.join(a, b)
    r"|(?<!\w)(?:__\w+__|_*[A-Za-z][A-Za-z0-9]*(?:_+[A-Za-z0-9]+)+_*)(?:\([^()\n]*\))?(?!\w)"  # read_csv
    r"|(?<![\w-])--[a-z][\w-]+|(?<![\w-])-[A-Za-z](?![\w-])"  # --verbose, -v
    r"|(?<![\w/.])(?:~|\.{1,2})?/?(?:[\w.-]{1,100}/){1,20}[\w-]{1,100}\.\w{1,5}(?!\w)"  # data/in.csv
    r"|(?<![\w/.])[\w-]+\.(?:py|ipynb|csv|tsv|txt|md|json|ya?ml|toml|xlsx?|parquet|html?|png|jpe?g|pdf|zip|db|sql)\b"
)
_ORDERED = re.compile(rf"{FIELD}|{_MARKUP}|%[^(%].*|%%|\{{(?:[:!].*)?\}}|\{{\{{|\}}\}}")
_KEPT = re.compile("|".join([FIELD, _ADDRESS, _QUOTED, _MARKUP, _BRACES, _PERCENT, _NAME]))
_BLANK = re.compile(r"[\t\n\r\x0b\x0c\x1c-\x1f\x85\u2028\u2029]+")
_ENDLESS = re.compile(r"[!-~]{200}")
_RESERVED = re.compile(f"[{HELD}\0\ud800-\udfff]")
_DENSE = re.compile("[\u3040-\u9fff\u0e00-\u0eff\U00020000-\U0010ffff]")
_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True)
class TaggedText:
    """A text as it is sent, and what its tags stand for."""

    sent: Sequence[Part]
    kept: Sequence[str]
    unknown: str = ""  # characters that must not be new in an answer

    @classmethod
    def of(cls, text: str, *, unknown: str = "") -> TaggedText:
        """Put what has to stay behind tags; a character of *unknown* that the text's words have is known."""
        sent, kept, at = list[Part](), list[str](), 0
        for found in _KEPT.finditer(text):
            sent += [text[at : found.start()], Tag(len(kept) + 1, "lone")]
            kept.append(found[0])
            at = found.end()
        sent = [part for part in [*sent, text[at:]] if part]
        words = "".join(part for part in sent if isinstance(part, str))
        return cls(sent, kept, "".join(mark for mark in unknown if mark not in words))

    @property
    def has_words(self) -> bool:
        """Whether there is something to translate."""
        return any(isinstance(part, str) and (_WORD.search(part) or is_dense(part)) for part in self.sent)

    def segment(self, start: int, end: int, *, kind: str, line: int, write: Callable[[str], str]) -> Segment:
        """The segment whose answers *write* makes source of; a text given to it has HELD and FIELD in it.

        Answers that could be read as something else are refused.
        """

        def put(parts: Sequence[Part]) -> str:
            numbers = [part.number for part in parts if isinstance(part, Tag)]
            order = [number for number in numbers if _ORDERED.fullmatch(self.kept[number - 1])]
            if order != sorted(order):
                raise Refused("placeholders changed places")
            text, words = "", ""
            for part in parts:
                if isinstance(part, Tag):
                    text += self.kept[part.number - 1].replace(" ", HELD)
                    continue
                if not is_clean(part) or FIELD in part:
                    raise Refused("the translation has characters that cannot be written")
                if any(mark in self.unknown for mark in part):
                    raise Refused("the translation has a sign that could be read as a placeholder")
                text += _BLANK.sub(" ", part)
                words += part
            if not tags.has_letters(words):
                raise Refused("the translation is empty")
            return write(text.strip())

        def put_whole(answer: str) -> str:
            return put(tags.returned(answer, self.sent))

        segment = Segment(start, end, tags.xml(self.sent), kind, line, put_whole)
        if not self.kept:
            return segment
        runs = tags.runs(self.sent)
        return replace(segment, runs=runs, put_runs=lambda answers: put(tags.with_runs(self.sent, answers)))


def is_endless(text: str) -> bool:
    """Whether a text has a word so long that it is data; looking into it would take its time."""
    return bool(_ENDLESS.search(text))


def is_dense(text: str) -> bool:
    """Whether a text is in a script that puts no space between words, two letters of it at least."""
    return len([mark for mark in _DENSE.findall(text) if mark.isalpha()]) > 1


def is_clean(text: str) -> bool:
    """Whether a text has none of the characters that stand for something else here."""
    return not _RESERVED.search(text)
