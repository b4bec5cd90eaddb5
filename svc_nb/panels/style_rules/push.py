"""The style rule panel's requests to the service, in a thread, with plain values as input and output."""

from dataclasses import replace
from typing import Any, NamedTuple

import pandas as pd

from svc_nb.errors import NotFound, StoreError
from svc_nb.language_codes import name_of, normal
from svc_nb.panels.parts.drafts import drafts_of
from svc_nb.panels.parts.edit_panel import Meanwhile
from svc_nb.panels.style_rules.lists import KIND, named
from svc_nb.session import Session
from svc_nb.style_rules import sync
from svc_nb.style_rules.style import Style
from svc_nb.style_rules.sync import STYLES, ChangedMeanwhile, is_other
from svc_nb.style_rules.tryout import Tried, try_out
from svc_nb.sync.changes import Push, delete
from svc_nb.sync.drafts import Waiting
from svc_nb.sync.undo import undo
from svc_nb.tabular.report import plural

# A list for English covers its variants, and a translation needs one of them.
TARGETS = {"EN": "EN-US"}


class Found(NamedTuple):
    """All lists, one in full if requested, and the saved edits that can be restored."""

    listed: pd.DataFrame
    style: Style | None
    waiting: list[Waiting]


def find(session: Session, style_id: str | None, *, missing_ok: bool = False) -> Found:
    """The lists, and the one with this id or name; if it does not exist, that is an error unless *missing_ok*.

    It is not an error either if there are saved edits of it, which then come first.
    """
    waiting = drafts_of(session).waiting(KIND)
    waiting.sort(key=lambda each: style_id not in (each.thing_id, each.name))
    try:
        style = None if style_id is None else sync.pull(session.client, style_id)
    except NotFound:
        if not missing_ok and not any(style_id in (each.thing_id, each.name) for each in waiting):
            raise
        style = None
    return Found(sync.listed(session.client), style, [_named(session, each) for each in waiting])


def _named(session: Session, waiting: Waiting) -> Waiting:
    """*waiting* named with the name and language of its list; a damaged draft has no language."""
    try:
        language = drafts_of(session).restore(waiting).base["style"]["language"]
    except (StoreError, KeyError, TypeError):
        return replace(waiting, name=f"“{waiting.name}”")
    return replace(waiting, name=named(waiting.name, normal(language or "")))


def there(session: Session, base: Style) -> Meanwhile | None:
    """The version by others that replaced *base*, or None if it is unchanged."""
    if base.style_id is None:
        return None
    try:
        now = sync.pull(session.client, base.style_id)
    except NotFound:
        return Meanwhile(None)
    return Meanwhile(now) if is_other(base, now) else None


def _taken(style: Style) -> ValueError:
    return ValueError(
        f"There is already a list with this name for {name_of(style.language or '')}. Open it, or rename this one."
    )


def looked(session: Session, style: Style, base: Style) -> Meanwhile | None:
    """The version by others that replaced *base*; for a new list, checks that its name is free."""
    if base.style_id is None:
        listed, language = sync.listed(session.client), normal(style.language or "")
        if ((listed["name"] == style.name) & (listed["language"].map(normal) == language)).any():
            raise _taken(style)
    return there(session, base)


def refuse_errors(style: Style) -> None:
    """Raise a ValueError if the service would reject something in the list."""
    errors = [each for each in style.findings() if each.severity == "error"]
    if errors:
        where = " and ".join(dict.fromkeys(each.table for each in errors))
        marked = "It is marked; correct it" if len(errors) == 1 else "They are marked; correct them"
        raise ValueError(
            f"Nothing was sent: {plural(len(errors), 'error')} in the {where} would be refused by the service. "
            f"{marked} first."
        )


def send(session: Session, style: Style, base: Style) -> Push | Meanwhile:
    """Push *style*, unless others have changed *base*: then nothing is sent. The push reads the list once."""
    try:
        return sync.push(session.client, style, base=base, allow_unknown=True, backups=STYLES.backups_of(session))
    except NotFound:
        return Meanwhile(None)
    except ChangedMeanwhile as problem:
        if base.style_id is None:
            raise _taken(style) from None
        return Meanwhile(problem.now)


def remove(session: Session, base: Style) -> Push | Meanwhile:
    """Delete the list, unless others have changed *base*: then it stays."""
    meanwhile = there(session, base)
    return meanwhile or delete(STYLES, session.client, base.style_id or "", backups=STYLES.backups_of(session))


def take_back(session: Session, style_id: str, version: int | None) -> Push:
    """Undo the last change of a list if it created this version; None if the list was deleted."""
    if version is not None:
        now = sync.pull(session.client, style_id)
        if now.version != version:
            raise ValueError(
                f"The list was changed again since the push (version {version} then, {now.version} now), so the "
                "push is not undone. Reload to see the current version."
            )
    return undo(STYLES, session.client, style_id, backups=STYLES.backups_of(session))


def tried(session: Session, style: Style, text: str, *, source_lang: str | None, before: str | None) -> Tried:
    """*text* translated with the edited *style*, and with the earlier one."""
    options: dict[str, Any] = {"source_lang": source_lang} if source_lang else {}
    options["target_lang"] = TARGETS.get(normal(style.language or ""))
    folder = session.settings.drafts_path
    return try_out(session.client, style, text, folder=folder, before=before, **options)
