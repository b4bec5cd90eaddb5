"""One text translated in two ways, with something that is on the service for that moment only, and without it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from svc_nb.marked import PSEUDO
from svc_nb.sync.temporary import Temporary
from svc_nb.wire.client import Client
from svc_nb.wire.models import TranslateOptions, Translation

Say = Callable[[TranslateOptions], Translation]


@dataclass(frozen=True)
class Tried:
    """A text translated with what is tried and without: `text` and `plain`; `billed` are the characters of both.

    `marked_only` says that the embedded service had no translator for the pair and only marked the text. `left_behind`
    is the name of the temporary thing where it could not be removed; the next try-out removes it. `ignored_options`
    are options, and rules of a style, that had no effect on `text`.
    """

    text: str
    plain: str
    billed: int
    marked_only: bool = False
    left_behind: str = ""
    ignored_options: tuple[str, ...] = ()


def saying(client: Client, text: str, target_lang: str) -> Say:
    """What translates *text* with some options; its answers are not kept in the store."""
    return lambda options: client.text.translate([text], target_lang, options=options, warn=False)[0]


def tried(
    say: Say, made: Temporary, *, after: Callable[[str], TranslateOptions], before: TranslateOptions
) -> Tried:
    """Translate with the options that *after* gives for the id of what was *made*, and with those *before*."""
    with made:
        came, plain = say(after(made.id)), say(before)
    return _told(came, plain, billed=_billed(came) + _billed(plain), left_behind=made.left_behind)


def untouched(say: Say, options: TranslateOptions) -> Tried:
    """Translate once, where there is nothing to try."""
    plain = say(options)
    return _told(plain, plain, billed=_billed(plain))


def _told(came: Translation, plain: Translation, *, billed: int, left_behind: str = "") -> Tried:
    """What came of a text in both ways."""
    marked = PSEUDO in (came.model_type_used, plain.model_type_used)
    return Tried(came.text, plain.text, billed, marked, left_behind, came.ignored_options)


def _billed(came: Translation) -> int:
    return came.billed_characters or 0
