"""HTML pages: block by block, inline tags among the words; scripts, styles, code and what is marked so stay."""

from __future__ import annotations

import re
from pathlib import Path

from ..translation.markup import Token, tokens
from . import Wish, Words, encoding, markup
from .attributes import attributes, value_of, with_value
from .language import is_right_to_left, tag_of

_BLOCK_NAMES = (
    "address article aside base blockquote body button canvas caption center col colgroup dd details dialog dir div dl "
    "dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe "
    "legend li link main menu meta nav noframes noscript object ol optgroup option p pre script search section select "
    "style summary svg table tbody td template textarea tfoot th thead title tr ul video"
)
_BLOCKS = frozenset(_BLOCK_NAMES.split())
_KEPT = frozenset({"code", "kbd", "math", "pre", "rp", "rt", "samp", "script", "style", "svg", "tt", "var"})
_WORDED = frozenset({"alt", "title", "placeholder", "aria-label", "aria-description"})
_LABELLED = frozenset({"optgroup", "option", "track"})
_BUTTONS = frozenset({"button", "reset", "submit"})
_META = frozenset({"description", "og:title", "og:description", "twitter:title", "twitter:description"})
_CHARSET = re.compile(rb"<meta[^>]{1,500}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)


def translate(source: Path, target: Path, words: Words, wish: Wish) -> None:
    """Translate an HTML page."""
    data = source.read_bytes()
    charset = _CHARSET.search(data[:4096])
    file = encoding.decode(data, charset[1].decode() if charset else "")
    target.write_bytes(file.encode_markup(markup.text_of(*layout(file.text, wish), words)))


def layout(text: str, wish: Wish) -> tuple[list[Token], markup.Rules]:
    """Return the tokens of *text* and how they are taken; the page says that it is in the language wished for."""
    found = tokens(markup.checked(text), "html")
    for token in found:
        if token.kind == "open" and token.name == "html":
            token.raw = _in_language(token.raw, wish.target_lang)
            break
    rules = markup.Rules(
        is_border=lambda at: found[at].name in _BLOCKS,
        is_kept=lambda at: _is_kept(found[at]),
        is_break=lambda at: found[at].name == "br",
        is_spaced=lambda at: found[at].name == "textarea",
        words_in=_words_in,
        html=True,
    )
    return found, rules


def _is_kept(token: Token) -> bool:
    if token.name in _KEPT:
        return True
    if "no" not in token.attributes.lower():
        return False
    values = {each.name.lower(): each.value.lower() for each in attributes(token.raw)}
    return values.get("translate") == "no" or "notranslate" in values.get("class", "").split()


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


def _in_language(tag: str, language: str) -> str:
    if value_of(tag, "lang"):
        tag = with_value(tag, "lang", tag_of(language))
    if value_of(tag, "xml:lang"):
        tag = with_value(tag, "xml:lang", tag_of(language))
    if is_right_to_left(language):
        return with_value(tag, "dir", "rtl")
    return with_value(tag, "dir", "ltr") if value_of(tag, "dir").lower() == "rtl" else tag
