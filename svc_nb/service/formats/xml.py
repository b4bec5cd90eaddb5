"""XML of any kind: the texts of its elements, tags among words kept; attributes, code and what is marked so stay.

Where an element holds words of its own, the elements in it are taken for inline ones, unless one holds nothing but
several elements with words in them: a list or a table inside a paragraph.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from ..translation.markup import Token, tokens
from . import Wish, Words, defused, encoding, markup
from .attributes import attributes, value_of, with_value
from .language import tag_of
from .passage import Part, Passage
from .placeholders import pieces

_DECLARED = re.compile(rb"""^\s*<\?xml[^>]{1,200}?encoding\s*=\s*["']([\w.:-]{1,40})["']""")
_CODE = frozenset({"code", "codeblock", "pre", "programlisting", "screen", "script", "style"})
_CDATA, _CDATA_END = "<![CDATA[", "]]>"


def translate(source: Path, target: Path, words: Words, wish: Wish) -> None:
    """Translate an XML file."""
    file, found = read(source)
    outline = Outline(found)
    rules = markup.Rules(
        is_border=outline.is_border,
        is_kept=lambda at: found[at].name.rpartition(":")[2] in _CODE or is_untranslated(found[at]),
        is_spaced=lambda at: is_spaced(found[at]),
    )
    name_language(found, wish)
    target.write_bytes(file.encode_markup(text_of(found, rules, words)))


def read(source: Path) -> tuple[encoding.Decoded, list[Token]]:
    """Return an XML file and its tokens; raises Unreadable unless it is well-formed and within bounds."""
    data = source.read_bytes()
    declared = _DECLARED.match(data[:400])
    file = encoding.decode(data, declared[1].decode() if declared else "utf-8")
    body = markup.checked(file.text).encode()
    head = body[: defused.check(body, encoding="utf-8")].decode()
    found = tokens("<?x?>" + file.text[len(head) :], "xml")
    found[0].raw = head  # nothing in a document type is a tag or a text
    return file, found


def is_spaced(token: Token) -> bool:
    """Tell whether white space counts in an element."""
    return "xml:space" in token.attributes and value_of(token.raw, "xml:space") == "preserve"


def name_language(found: Sequence[Token], wish: Wish) -> None:
    """Write the language wished for where the root element names one."""
    root = next((token for token in found if token.name), None)
    if root and value_of(root.raw, "xml:lang"):
        root.raw = with_value(root.raw, "xml:lang", tag_of(wish.target_lang))


def is_untranslated(token: Token) -> bool:
    """Tell whether an element says of itself that it is not to be translated."""
    if "transl" not in token.attributes:
        return False
    values = {each.name.rpartition(":")[2]: each.value for each in attributes(token.raw)}
    return values.get("translate") == "no" or values.get("translatable") == "false"


def text_of(found: Sequence[Token], rules: markup.Rules, words: Words) -> str:
    """Return the tokens' text with the words in it translated, those of CDATA sections too."""
    parts, hidden = markup.cut(found, rules)
    return markup.written([piece for part in parts for piece in _opened(part)], hidden, words)


def _opened(part: Part) -> tuple[Part, ...]:
    """Return a CDATA section that stands alone as its own words, with HTML in it or not."""
    raw = str(part)
    core = raw.strip()
    if not core.startswith(_CDATA) or core.find(_CDATA_END) != len(core) - len(_CDATA_END):
        return (part,)
    before, _, rest = raw.partition(_CDATA)
    inside, _, after = rest.rpartition(_CDATA_END)
    passage = Passage(pieces(inside, tags=True), wrapped="<" in inside, encode=_in_section)
    return before + _CDATA, passage, _CDATA_END + after


def _in_section(text: str) -> str:
    return text.replace(_CDATA_END, "]]&gt;")


class Outline:
    """Which tags of a document are its structure, and so end a passage."""

    def __init__(self, found: Sequence[Token]) -> None:
        self._found = found
        self._parents = _parents(found)
        self._mixed = {
            parent
            for token, parent in zip(found, self._parents, strict=True)
            if token.kind == "text" and not token.raw.isspace()
        }
        self._borders = self._structure()

    def is_border(self, at: int) -> bool:
        """Tell whether the token *at* is a tag of the structure."""
        return self._borders[at]

    def _structure(self) -> list[bool]:
        lists = self._lists()
        borders: list[bool] = []
        for at, (token, parent) in enumerate(zip(self._found, self._parents, strict=True)):
            if token.kind == "close" and token.partner is not None:
                borders.append(borders[token.partner])
            else:
                bare = parent is None or (borders[parent] and parent not in self._mixed)
                borders.append(bool(token.name) and (bare or at in lists))
        return borders

    def _lists(self) -> set[int]:
        """Return the elements without words of their own that hold several elements with words."""
        worded: dict[int, int] = {}
        for at in range(len(self._found) - 1, -1, -1):
            parent = self._parents[at]
            if self._found[at].kind == "open" and parent is not None and (at in self._mixed or at in worded):
                worded[parent] = worded.get(parent, 0) + 1
        return {at for at, count in worded.items() if count > 1 and at not in self._mixed}


def _parents(found: Sequence[Token]) -> list[int | None]:
    """Return for each token the index of the tag that opens the element around it."""
    parents: list[int | None] = []
    around: list[int] = []
    for at, token in enumerate(found):
        if token.kind == "close" and around:
            around.pop()
        parents.append(around[-1] if around else None)
        if token.kind == "open":
            around.append(at)
    return parents
