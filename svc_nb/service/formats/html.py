"""HTML pages: block by block, inline tags among the words; scripts, styles, code and what is marked so stay."""

from __future__ import annotations

import re
from pathlib import Path

from ..translation.tags import HTML_BLOCKS, Token, is_marked_untranslated, tokens, value_of, with_value
from . import Wish, Words, encoding, markup

_BLOCKS = HTML_BLOCKS - {"br"} | {"svg"}
_KEPT = frozenset({"code", "kbd", "math", "pre", "rp", "rt", "samp", "script", "style", "svg", "tt", "var"})
_WORDED = frozenset({"alt", "title", "placeholder", "aria-label", "aria-description"})
_LABELLED = frozenset({"optgroup", "option", "track"})
_BUTTONS = frozenset({"button", "reset", "submit"})
_META = frozenset({"description", "og:title", "og:description", "twitter:title", "twitter:description"})
_CHARSET = re.compile(rb"<meta[^>]{1,500}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)


def translate(source: Path, target: Path, words: Words, wish: Wish) -> None:
    """Translate an HTML page, which then says that it is in the language wished for."""
    data = source.read_bytes()
    charset = _CHARSET.search(data[:4096])
    file = encoding.decode(data, charset[1].decode() if charset else "")
    found = tokens(markup.checked(file.text), "html")
    root = next((token for token in found if token.kind == "open" and token.name == "html"), None)
    if root:
        for name in ("lang", "xml:lang"):
            if value_of(root.raw, name):
                root.raw = with_value(root.raw, name, wish.language_tag)
        if wish.right_to_left:
            root.raw = with_value(root.raw, "dir", "rtl")
        elif value_of(root.raw, "dir").lower() == "rtl":
            root.raw = with_value(root.raw, "dir", "ltr")
    rules = markup.Rules(
        is_border=lambda at: found[at].name in _BLOCKS,
        is_kept=lambda at: _is_kept(found[at]),
        is_break=lambda at: found[at].name == "br",
        is_spaced=lambda at: found[at].name == "textarea",
        words_in=_words_in,
        html=True,
    )
    target.write_bytes(file.encode_markup(markup.text_of(found, rules, words)))


def _is_kept(token: Token) -> bool:
    return token.name in _KEPT or is_marked_untranslated(token)


def _words_in(token: Token) -> frozenset[str]:
    """Return which attributes of a tag hold words."""
    if "=" not in token.attributes or (token.kind == "point" and _is_kept(token)):
        return frozenset()
    if token.name == "meta":
        kind = value_of(token.raw, "name") or value_of(token.raw, "property")
        return frozenset({"content"}) if kind.lower() in _META else frozenset()
    if token.name in _LABELLED:
        return _WORDED | {"label"}
    if token.name == "input" and value_of(token.raw, "type").lower() in _BUTTONS:
        return _WORDED | {"value"}
    return _WORDED
