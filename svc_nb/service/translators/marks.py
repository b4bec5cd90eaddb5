"""What a neural model cannot be trusted with, carried around it: placeholders, white space, texts without words."""

import itertools
import re
import unicodedata
from collections.abc import Callable, Sequence

Translate = Callable[[Sequence[str]], list[str]]

_PRIVATE = re.compile("[\ue000-\uf8ff]")
_MARK = re.compile(r"(?P<left>(?<=\w))?(?P<mark>[\ue000-\uf8ff])(?P<right>(?=\w))?")
_STAND_INS = ("[{}]", "#{}")
"""What a placeholder travels as: models copy numbers and rare signs. The next is tried for texts that lost one."""


def around(texts: Sequence[str], translate: Translate) -> list[str]:
    """Translate each of *texts* inside its own white space; one without letters, or without an answer, stays.

    *translate* gets each distinct text once, in NFC, and never a NUL or half a character.
    """
    cores = []
    for text in texts:  # models make words up for texts that have none
        sendable = text.strip().replace("\0", " ").encode("utf-16", "surrogatepass")
        core = unicodedata.normalize("NFC", sendable.decode("utf-16", "replace"))
        cores.append(core if any(map(str.isalpha, core)) else "")
    distinct = list(dict.fromkeys(filter(None, cores)))
    done = dict(zip(distinct, _carried(translate, distinct), strict=True))
    return [
        text.replace(text.strip(), done[core] or text.strip(), 1) if core else text
        for text, core in zip(texts, cores, strict=True)
    ]


def _carried(translate: Translate, texts: Sequence[str]) -> list[str]:
    """Translate distinct *texts*; placeholders travel as one sign after the other until each comes back once."""
    done: dict[str, str] = {}
    for stand_in in _STAND_INS:
        lost = [
            text
            for text in texts
            if text not in done or sorted(_PRIVATE.findall(text)) != sorted(_PRIVATE.findall(done[text]))
        ]
        masked = [_masked(text, stand_in) for text in lost]
        answers = translate([sent for sent, _ in masked])
        for text, (_, signs), out in zip(lost, masked, answers, strict=True):
            for sign, mark in signs:
                out = re.sub(sign, mark, out)
            done[text] = out
    return [done[text] for text in texts]


def _masked(text: str, stand_in: str) -> tuple[str, list[tuple[str, str]]]:
    """Return *text* with its placeholders as signs that models copy, and what finds each sign again."""
    signs: list[tuple[str, str]] = []
    free = (str(number) for number in itertools.count(11) if str(number) not in text)

    def sign_of(match: re.Match[str]) -> str:
        sign = stand_in.format(next(free))
        before, after = (r"\s*" if match[side] is not None else "" for side in ("left", "right"))
        inside = r"\s*".join(map(re.escape, re.findall(r"\d+|\D", sign)))
        signs.append((rf"{before}{inside}(?!\d){after}", match["mark"]))
        return f"{' ' if before else ''}{sign}{' ' if after else ''}"

    return _MARK.sub(sign_of, text), signs
