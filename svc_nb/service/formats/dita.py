"""DITA topics and maps: XML whose elements are known; code, content that is referred to and metadata stay."""

from __future__ import annotations

from pathlib import Path

from ..translation.markup import Token
from . import Wish, Words, markup
from .attributes import value_of
from .xml import Outline, is_spaced, is_untranslated, name_language, read, text_of

_KEPT_NAMES = (
    "apiname author cmdname codeblock codeph coderef copyright data data-about draft-comment filepath foreign "
    "markupname msgnum numcharref option parameterentity parmname prodinfo publisher required-cleanup resourceid "
    "screen svg-container syntaxdiagram textentity unknown userinput varname xmlatt xmlelement xmlnsname xmlpi"
)
_INLINE_NAMES = (
    "abbreviated-form b boolean cite i keyword line-through menucascade msgph overline ph q shortcut sub sup synph "
    "systemoutput term text tm tt u uicontrol wintitle xref"
)
_BLOCK_NAMES = (
    "abstract body choice choices cmd colspec conbody context dd ddhd desc dl dlentry dlhead dt dthd entry example fig "
    "info li lines linktext lq msgblock navtitle note ol p postreq pre prereq refbody result row section searchtitle "
    "shortdesc simpletable sl sli stentry step stepresult steps strow substep substeps table taskbody tbody tgroup "
    "thead title topic tutorialinfo ul"
)
_KEPT = frozenset(_KEPT_NAMES.split())
_INLINE = frozenset(_INLINE_NAMES.split())
_BLOCKS = frozenset(_BLOCK_NAMES.split())
_ASIDE = frozenset({"fn", "image", "indexterm"})
_SPACED = frozenset({"lines", "msgblock", "pre"})
_WORDED = frozenset({"alt", "navtitle"})


def translate(source: Path, target: Path, words: Words, wish: Wish) -> None:
    """Translate a DITA topic or map."""
    file, found = read(source)
    outline = Outline(found)

    def is_border(at: int) -> bool:
        name = found[at].name
        return name in _BLOCKS or (name not in _INLINE and name not in _ASIDE and outline.is_border(at))

    rules = markup.Rules(
        is_border=is_border,
        is_kept=lambda at: _is_kept(found[at]),
        is_aside=lambda at: found[at].name in _ASIDE,
        is_spaced=lambda at: found[at].name in _SPACED or is_spaced(found[at]),
        words_in=lambda token: _WORDED,
    )
    name_language(found, wish)
    target.write_bytes(file.encode_markup(text_of(found, rules, words)))


def _is_kept(token: Token) -> bool:
    if token.name in _KEPT or is_untranslated(token):
        return True
    return "con" in token.attributes and bool(
        value_of(token.raw, "conref") or value_of(token.raw, "conkeyref")
    )
