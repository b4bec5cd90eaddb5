"""XML of any kind: the texts of its elements, tags among words kept; attributes, code and what is marked so stay.

Where an element holds words of its own, the elements in it are taken for inline ones, unless one holds nothing but
several elements with words in them: a list or a table inside a paragraph. The elements of DITA topics and maps are
known: there code, content that is referred to and metadata stay.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from .. import catalogue
from ..translation.tags import Token, attributes, parents, tokens, value_of, with_value
from . import Wish, Words, encoding, markup, safe_xml

_DECLARED = re.compile(rb"""^\s*<\?xml[^>]{1,200}?encoding\s*=\s*["']([\w.:-]{1,40})["']""")
_CODE = frozenset({"code", "codeblock", "pre", "programlisting", "screen", "script", "style"})

_ELEMENTS: dict[str, str] = catalogue.read("elements.json")
_DITA_KEPT, _DITA_INLINE, _DITA_BLOCKS = (
    frozenset(_ELEMENTS[name].split()) for name in ("dita_kept", "dita_inline", "dita_blocks")
)
_DITA_ASIDE = frozenset({"fn", "image", "indexterm"})
_DITA_SPACED = frozenset({"lines", "msgblock", "pre"})
_DITA_WORDED = frozenset({"alt", "navtitle"})


def translate(source: Path, target: Path, words: Words, wish: Wish) -> None:
    """Translate an XML file."""
    file, found = read(source, wish)
    outline = _outline(found)
    rules = markup.Rules(
        is_border=outline.__getitem__,
        is_kept=lambda at: found[at].name.rpartition(":")[2] in _CODE or is_untranslated(found[at]),
        is_spaced=lambda at: _is_spaced(found[at]),
    )
    target.write_bytes(file.encode_markup(markup.text_of(found, rules, words)))


def translate_dita(source: Path, target: Path, words: Words, wish: Wish) -> None:
    """Translate a DITA topic or map."""
    file, found = read(source, wish)
    outline = _outline(found)

    def is_border(at: int) -> bool:
        name = found[at].name
        return name in _DITA_BLOCKS or (outline[at] and name not in _DITA_INLINE and name not in _DITA_ASIDE)

    def is_kept(at: int) -> bool:
        token = found[at]
        if token.name in _DITA_KEPT or is_untranslated(token):
            return True
        return "con" in token.attributes and any(value_of(token.raw, name) for name in ("conref", "conkeyref"))

    rules = markup.Rules(
        is_border=is_border,
        is_kept=is_kept,
        is_aside=lambda at: found[at].name in _DITA_ASIDE,
        is_spaced=lambda at: found[at].name in _DITA_SPACED or _is_spaced(found[at]),
        words_in=lambda token: _DITA_WORDED,
    )
    target.write_bytes(file.encode_markup(markup.text_of(found, rules, words)))


def read(source: Path, wish: Wish | None = None) -> tuple[encoding.Decoded, list[Token]]:
    """Return an XML file and its tokens, its root in the language wished for; Unreadable unless it is sound."""
    data = source.read_bytes()
    declared = _DECLARED.match(data[:400])
    file = encoding.decode(data, declared[1].decode() if declared else "utf-8")
    body = markup.checked(file.text).encode()
    head = body[: safe_xml.check(body, encoding="utf-8")].decode()
    found = tokens("<?x?>" + file.text[len(head) :], "xml")
    found[0].raw = head  # nothing in a document type is a tag or a text
    root = next((token for token in found if token.name), None)
    if wish and root and value_of(root.raw, "xml:lang"):
        root.raw = with_value(root.raw, "xml:lang", wish.language_tag)
    return file, found


def _is_spaced(token: Token) -> bool:
    """Tell whether white space counts in an element."""
    return "xml:space" in token.attributes and value_of(token.raw, "xml:space") == "preserve"


def is_untranslated(token: Token) -> bool:
    """Tell whether an element says of itself that it is not to be translated."""
    if "transl" not in token.attributes:
        return False
    values = {each.name.rpartition(":")[2]: each.value for each in attributes(token.raw)}
    return values.get("translate") == "no" or values.get("translatable") == "false"


def _outline(found: Sequence[Token]) -> list[bool]:
    """Tell of each token whether it is a tag of the structure, which ends a passage."""
    around = parents(found)
    mixed = {
        parent for token, parent in zip(found, around, strict=True) if token.kind == "text" and not token.raw.isspace()
    }
    worded: Counter[int] = Counter()  # how many elements with words each element holds
    for at in range(len(found) - 1, -1, -1):
        parent = around[at]
        if found[at].kind == "open" and parent is not None and (at in mixed or at in worded):
            worded[parent] += 1
    lists = {at for at, count in worded.items() if count > 1 and at not in mixed}
    borders: list[bool] = []
    for at, (token, parent) in enumerate(zip(found, around, strict=True)):
        if token.kind == "close" and token.partner is not None:
            borders.append(borders[token.partner])
        else:
            bare = parent is None or (borders[parent] and parent not in mixed)
            borders.append(bool(token.name) and (bare or at in lists))
    return borders
