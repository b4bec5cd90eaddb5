"""What the style rule panel asks of the service, in a thread: plain values go in, plain values come out."""

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
    """All lists, one of them whole if it was asked for, and the edits that wait to be taken up again."""

    listed: pd.DataFrame
    style: Style | None
    waiting: list[Waiting]


def find(session: Session, style_id: str | None, *, missing_ok: bool = False) -> Found:
    """The lists, and the one with this id or name; where it is gone, that is an error unless *missing_ok*.

    It is no error either where edits of it wait: these come first among all that wait.
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
    """*waiting* with the name and the language of its list as its name; a damaged draft has no language."""
    try:
        language = drafts_of(session).restore(waiting).base["style"]["language"]
    except (StoreError, KeyError, TypeError):
        return replace(waiting, name=f"“{waiting.name}”")
    return replace(waiting, name=named(waiting.name, normal(language or "")))


def there(session: Session, base: Style) -> Meanwhile | None:
    """What others have made of *base* meanwhile, or None where it is as it was."""
    if base.style_id is None:
        return None
    try:
        now = sync.pull(session.client, base.style_id)
    except NotFound:
        return Meanwhile(None)
    return Meanwhile(now) if is_other(base, now) else None


def _taken(style: Style) -> ValueError:
    return ValueError(
        f"There is a list of this name for {name_of(style.language or '')} already: choose it, or rename this one."
    )


def looked(session: Session, style: Style, base: Style) -> Meanwhile | None:
    """What others have made of *base* meanwhile; of a new list, whether its name is free."""
    if base.style_id is None:
        listed, language = sync.listed(session.client), normal(style.language or "")
        if ((listed["name"] == style.name) & (listed["language"].map(normal) == language)).any():
            raise _taken(style)
    return there(session, base)


def refuse_errors(style: Style) -> None:
    """Raise a ValueError where the service would refuse something of the list."""
    errors = [each for each in style.findings() if each.severity == "error"]
    if errors:
        where = " and ".join(dict.fromkeys(each.table for each in errors))
        marked = "It is marked; correct it" if len(errors) == 1 else "They are marked; correct them"
        raise ValueError(
            f"Nothing was sent: {plural(len(errors), 'error')} in the {where} would be refused by the service. "
            f"{marked} first."
        )


def send(session: Session, style: Style, base: Style) -> Push | Meanwhile:
    """Push *style*, unless others have changed *base* meanwhile: then nothing is sent. The push reads it, once."""
    try:
        return sync.push(session.client, style, base=base, allow_unknown=True, backups=STYLES.backups_of(session))
    except NotFound:
        return Meanwhile(None)
    except ChangedMeanwhile as problem:
        if base.style_id is None:
            raise _taken(style) from None
        return Meanwhile(problem.now)


def remove(session: Session, base: Style) -> Push | Meanwhile:
    """Delete the list, unless others have changed *base* meanwhile: then it stays."""
    meanwhile = there(session, base)
    return meanwhile or delete(STYLES, session.client, base.style_id or "", backups=STYLES.backups_of(session))


def take_back(session: Session, style_id: str, version: int | None) -> Push:
    """Undo the last change of a list, as long as it is the one that left this version; None where it was deleted."""
    if version is not None:
        now = sync.pull(session.client, style_id)
        if now.version != version:
            raise ValueError(
                f"The list was changed again since the push (version {version} then, {now.version} now), so the push "
                "is not undone. Reload to see what it is now."
            )
    return undo(STYLES, session.client, style_id, backups=STYLES.backups_of(session))


def tried(session: Session, style: Style, text: str, *, source_lang: str | None, before: str | None) -> Tried:
    """*text* translated with *style* as it is edited, and before."""
    options: dict[str, Any] = {"source_lang": source_lang} if source_lang else {}
    options["target_lang"] = TARGETS.get(normal(style.language or ""))
    folder = session.settings.drafts_path
    return try_out(session.client, style, text, folder=folder, before=before, **options)
