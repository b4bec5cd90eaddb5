"""A text translated with a style rule list before it is pushed, and without it or with an earlier one."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from svc_nb.style_rules.catalogue import style_language
from svc_nb.style_rules.style import Style
from svc_nb.style_rules.sync import STYLES, invalid
from svc_nb.sync.resources import STYLE
from svc_nb.sync.tryout import Temporary, Tried, tried
from svc_nb.wire.client import Client
from svc_nb.wire.models import TranslateOptions

__all__ = ["Tried", "try_out"]


def try_out(
    client: Client,
    style: Style,
    text: str,
    *,
    folder: str | Path,
    target_lang: str | None = None,
    before: str | None = None,
    **options: Any,
) -> Tried:
    """Translate *text* with and without the local *style*; nothing is kept in the store.

    Parameters
    ----------
    client
        The service; both translations are billed.
    style
        The list; it is sent as a temporary list, which is removed afterwards.
    text
        What to translate; a blank one is not sent.
    folder
        Where the temporary list is noted, so that the next try-out removes it if this process is killed.
    target_lang
        The language to translate into, if it is not the list's own, such as "EN-GB".
    before
        The id of a list on the service to compare with, instead of no list.
    options
        Other options of a translation, such as source_lang= or formality=.

    Raises
    ------
    InvalidRows
        The service would refuse the list.
    """
    if not text.strip():
        return Tried(text, text, 0)
    if "style_id" in options:
        raise ValueError("style_id: a try-out uses the given list. Pass the list to compare with as before=")
    meant = style.replace(language=style.language or style_language(target_lang or ""))
    if bad := [found for found in meant.findings() if found.severity == "error"]:
        raise invalid(bad)
    asked = TranslateOptions(**options)
    made = Temporary(STYLE, client, lambda name: STYLES.create(client, meant.replace(name=name)), folder=folder)
    target = target_lang or meant.language or ""
    return tried(client, text, target, before=replace(asked, style_id=before), made=made, id_name="style_id")
