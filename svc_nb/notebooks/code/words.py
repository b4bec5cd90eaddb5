"""What is sent of a text in code: its words, with names, placeholders and addresses behind numbered tags."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from svc_nb.notebooks import tags
from svc_nb.notebooks.code.spans import FIELD
from svc_nb.notebooks.segment import Refused, Segment
from svc_nb.notebooks.tags import Part, Tag

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
_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True)
class Wording:
    """A text as it is sent, and what its tags stand for."""

    sent: Sequence[Part]
    kept: Sequence[str]
    unknown: str = ""  # characters that must not be new in an answer

    @classmethod
    def of(cls, text: str, *, unknown: str = "") -> Wording:
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
        return any(isinstance(part, str) and _WORD.search(part) for part in self.sent) or any(
            isinstance(part, str) and is_dense(part) for part in self.sent
        )

    def segment(self, start: int, end: int, *, kind: str, line: int, write: Callable[[str], str]) -> Segment:
        """The segment whose answers *write* makes source of; a text given to it has HELD and FIELD in it."""

        def put(answer: str) -> str:
            return write(self.answered(tags.returned(answer, self.sent)))

        def put_runs(answers: Sequence[str]) -> str:
            return write(self.answered(tags.with_runs(self.sent, answers)))

        return Segment(
            start,
            end,
            tags.xml(self.sent),
            kind,
            line,
            put,
            tags.runs(self.sent) if self.kept else (),
            put_runs if self.kept else None,
        )

    def answered(self, parts: Sequence[Part]) -> str:
        """The text of an answer, on one line. Raises Refused where it could be read as something else."""
        numbers = [part.number for part in parts if isinstance(part, Tag)]
        order = [number for number in numbers if _ORDERED.fullmatch(self.kept[number - 1])]
        if order != sorted(order):
            raise Refused("placeholders changed places")
        texts = [part if isinstance(part, Tag) else self._cleaned(part) for part in parts]
        if not any(isinstance(part, str) and tags.has_letters(part) for part in texts):
            raise Refused("the translation is empty")
        return "".join(
            part if isinstance(part, str) else self.kept[part.number - 1].replace(" ", HELD) for part in texts
        ).strip()

    def _cleaned(self, text: str) -> str:
        text = _BLANK.sub(" ", text)
        if any("\ud800" <= mark <= "\udfff" or mark in (HELD, FIELD, "\0") for mark in text):
            raise Refused("the translation has characters that cannot be written")
        if any(mark in self.unknown for mark in text):
            raise Refused("the translation has a sign that could be read as a placeholder")
        return text


def is_endless(text: str) -> bool:
    """Whether a text has a word so long that it is data; looking into it would take its time."""
    return bool(_ENDLESS.search(text))


def is_dense(text: str) -> bool:
    """Whether a text is in a script that puts no space between words, two letters of it at least."""
    return sum(map(_is_dense, text)) > 1


def _is_dense(mark: str) -> bool:
    return mark.isalpha() and (
        "\u3040" <= mark <= "\u9fff" or "\u0e00" <= mark <= "\u0eff" or mark >= "\U00020000"
    )


def is_clean(text: str) -> bool:
    """Whether a text has none of the characters that stand for something else here."""
    return not any(mark in text for mark in (HELD, "\0")) and not any(
        "\ud800" <= mark <= "\udfff" for mark in text
    )
