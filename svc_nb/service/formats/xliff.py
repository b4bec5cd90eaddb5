"""XLIFF 1.2, 2.0 and 2.1: targets filled from their sources; those that are translated already stay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..translation.markup import Token
from . import Unreadable, Wish, Words
from .attributes import attributes, value_of, with_value
from .language import tag_of
from .markup import encoder
from .passage import Encode, Part, translated
from .xliff_inline import Span, content, is_blank, local, marks
from .xml import read

_OPEN_STATES = frozenset({"new", "initial", "needs-translation", "needs-l10n", "needs-adaptation"})
_UNITS = {"1": "trans-unit", "2": "segment"}


def translate(source: Path, target: Path, words: Words, wish: Wish) -> None:
    """Translate an XLIFF file."""
    file, found = read(source)
    version = _version(found)
    _name_target(found, version, tag_of(wish.target_lang))
    parts = list(_parts(found, version, encoder(found)))
    target.write_bytes(file.encode_markup("".join(translated(parts, words))))


def _version(found: Sequence[Token]) -> str:
    """Return the first figure of the file's version."""
    root = next(token for token in found if token.name)
    version = value_of(root.raw, "version")
    if local(root) != "xliff" or version[:2] not in ("1.", "2."):
        raise Unreadable("The file is not XLIFF 1.2, 2.0 or 2.1.")
    return version[0]


def _name_target(found: Sequence[Token], version: str, language: str) -> None:
    """Write *language* where the file says which one its targets are in."""
    for token in found:
        if token.kind == "open" and version == "2" and local(token) == "xliff":
            token.raw = with_value(token.raw, "trgLang", language)
        elif token.kind == "open" and version == "1" and local(token) == "file":
            token.raw = with_value(token.raw, "target-language", language)


def _parts(found: Sequence[Token], version: str, encode: Encode) -> Iterator[Part]:
    around = [_Around()]
    at = 0
    while at < len(found):
        token = found[at]
        if token.kind == "open":
            around.append(around[-1].within(token))
        elif token.kind == "close":
            around.pop()
        unit = _unit(found, at) if local(token) == _UNITS[version] and token.kind == "open" else None
        if unit and around[-1].translated and _is_open(found, at, unit):
            if version == "2":
                token.raw = with_value(token.raw, "state", "translated")
            yield from _filled(found, at, unit, spaced=around[-1].spaced, encode=encode)
            at = unit.end
        else:
            yield token.raw
            at += 1


@dataclass(frozen=True, slots=True)
class _Around:
    """What holds inside an element unless one further in says otherwise."""

    translated: bool = True
    spaced: bool = False

    def within(self, token: Token) -> _Around:
        """Return what holds inside *token*."""
        if not any(name in token.attributes for name in ("translate", "xml:space", "locked")):
            return self
        translated, space = value_of(token.raw, "translate"), value_of(token.raw, "xml:space")
        return _Around(
            (translated != "no" if translated else self.translated) and not _is_locked(token),
            space == "preserve" if space else self.spaced,
        )


def _is_locked(token: Token) -> bool:
    """Tell whether a tool has locked a unit, each in its own namespace."""
    return any(
        each.name.endswith(":locked") and each.value.lower() in ("true", "yes", "locked")
        for each in attributes(token.raw)
    )


@dataclass(frozen=True, slots=True)
class _Unit:
    """Where a unit's source, the same cut into sentences, and its target begin and end; and the unit itself."""

    source: Span
    sentences: Span | None
    target: Span | None
    end: int


def _unit(found: Sequence[Token], at: int) -> _Unit | None:
    """Return the unit that starts *at*, if there is anything in its source."""
    children: dict[str, Span] = {}
    inside, end = at + 1, found[at].partner or at
    while inside < end:
        token = found[inside]
        last = token.partner if token.kind == "open" and token.partner is not None else inside
        if token.name:
            children.setdefault(local(token), (inside, last))
        inside = last + 1
    source = children.get("source")
    if not source or source[0] == source[1]:
        return None
    return _Unit(source, children.get("seg-source"), children.get("target"), end)


def _is_open(found: Sequence[Token], at: int, unit: _Unit) -> bool:
    """Tell whether a unit has no translation yet, or one that says it is none."""
    if not unit.target:
        return True
    if is_blank(found, unit.target):
        return True
    state = value_of(found[unit.target[0]].raw, "state") or value_of(found[at].raw, "state")
    if state or value_of(found[at].raw, "approved") == "yes":
        return state in _OPEN_STATES
    copied = _inside(found, unit.target) in (_inside(found, unit.source), _inside(found, unit.sentences))
    return copied or bool(unit.sentences and any(is_blank(found, each) for each in marks(found, unit.target)))


def _inside(found: Sequence[Token], span: Span | None) -> str:
    return "".join(token.raw for token in found[span[0] + 1 : span[1]]) if span else ""


def _filled(found: Sequence[Token], at: int, unit: _Unit, *, spaced: bool, encode: Encode) -> Iterator[Part]:
    """Yield the parts of a unit, its target filled; the closing tag of the unit is not among them."""
    model = unit.sentences or unit.source
    name = found[unit.source[0]].name.replace("source", "target")
    if unit.target:
        start, stop = unit.target
        before, opening = "", found[start].raw
    else:
        start = stop = model[1]
        start += 1
        before, opening = _blank(found[unit.source[0] - 1]), f"<{name}>"
    yield "".join(token.raw for token in found[at:start]) + before
    opening = opening.rstrip("/> \n") + ">"
    yield with_value(opening, "state", "translated") if found[at].name.endswith("trans-unit") else opening
    yield from content(found, model, kept=_kept(found, unit), spaced=spaced, encode=encode)
    yield f"</{name}>" + "".join(token.raw for token in found[stop + 1 : unit.end])


def _kept(found: Sequence[Token], unit: _Unit) -> dict[str, str] | None:
    """Return the sentences of the target that are translated, by their numbers; None if there are no sentences."""
    if not unit.sentences:
        return None
    state = value_of(found[unit.target[0]].raw, "state") if unit.target else ""
    if not unit.target or state in _OPEN_STATES:
        return {}
    sources = {_number(found, each): _inside(found, each) for each in marks(found, unit.sentences)}
    targets = {_number(found, each): each for each in marks(found, unit.target) if not is_blank(found, each)}
    texts = {number: _inside(found, each) for number, each in targets.items()}
    return {number: text for number, text in texts.items() if text != sources.get(number)}


def _number(found: Sequence[Token], span: Span) -> str:
    return value_of(found[span[0]].raw, "mid")


def _blank(token: Token) -> str:
    return token.raw if token.kind == "text" and token.raw.isspace() else ""
