"""Code with answers in it, by translators that are only functions; and what must be the same before and after."""

from __future__ import annotations

import ast
import io
import random
import re
import tokenize
import warnings
from collections.abc import Callable

from svc_nb.notebooks import code
from svc_nb.notebooks.segments import Refused, Segment, replaced, safe_edits

Translator = Callable[[str], str]

HOSTILE = [
    '"', '"""', "'", "'''", "\\", "\\n", "\n", "\r", "{", "}", "{x}", "%s", "%", "#", "# noqa", "type: ignore",
    "coding: latin-1", "😀", "שלום", "\u202e", "\u2028", "\x85", "&amp;", "&lt;b&gt;", "`", "$(", "\\N{DASH}", "\t",
    "%%", "!", "日本語のテキストです。", "\x1b", "\ue000", "\uf8ff",
]  # fmt: skip


def shouted(text: str) -> str:
    """Every word in capitals and longer; tags and entities as they are."""
    return re.sub(r"(<[^>]+>|&\w+;)|(\w+)", lambda found: found[1] or found[2].upper() + "ß", text)


def nasty(seed: object, amount: float = 0.15) -> Translator:
    """A translator that strews quotes, backslashes, line ends and other syntax about."""
    draw = random.Random(str(seed))

    def strewn(word: str) -> str:
        before = draw.choice(HOSTILE) if draw.random() < amount else ""
        return before + word + (draw.choice(HOSTILE) if draw.random() < amount else "")

    def translate(text: str) -> str:
        bits = re.findall(r"<[^>]+>|&\w+;|[^<&]+", text)
        return "".join(bit if bit[0] in "<&" else " ".join(strewn(word) for word in bit.split(" ")) for bit in bits)

    return translate


def edited(
    source: str, translate: Translator = shouted, *, language: str = "python", what: frozenset[str] = code.ALL
) -> str:
    """The source with as many answers as leave the code the same."""
    edits = []
    for segment in code.segments(source, language=language, what=what):
        answer = put(segment, translate)
        if answer is not None:
            edits.append((segment, answer))
    done = safe_edits(source, {}, edits, lambda result: code.same_code(source, result, language=language, what=what))
    return replaced(source, done)


def put(segment: Segment, translate: Translator) -> str | None:
    try:
        return segment.put(translate(segment.text))
    except Refused:
        return None


def texts(source: str, *, language: str = "python", what: frozenset[str] = code.ALL) -> list[str]:
    return [segment.text for segment in code.segments(source, language=language, what=what)]


def skeleton(source: str) -> str:
    """The tree without the texts of any strings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            node.values = [value for value in node.values if not isinstance(value, ast.Constant)]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = ""
    return ast.dump(tree)


def signs(source: str) -> list[str]:
    """The tokens that are neither strings nor comments nor lines without code, as the standard library has them."""
    left_out = {tokenize.COMMENT, tokenize.STRING, tokenize.NL}
    left_out |= {
        getattr(tokenize, name, tokenize.COMMENT) for name in ("FSTRING_MIDDLE", "FSTRING_START", "FSTRING_END")
    }
    found = tokenize.generate_tokens(io.StringIO(source).readline)
    return [token.string for token in found if token.type not in left_out]


def assert_rest_is_the_same(source: str, result: str, *, language: str = "python") -> None:
    """What stands between the texts is in the result, byte by byte and in order."""
    at = last = 0
    for segment in code.segments(source, language=language, what=code.ALL):
        between = source[last : segment.start]
        assert between in result[at:]
        at = result.index(between, at) + len(between)
        last = segment.end
    assert result.endswith(source[last:])
