"""Style rule lists: the catalogue of all rules, lists as tables and files, checked, compared, copied and kept in step.

style = svc_nb.style_rules.pull(style_id)          # style.rules and style.instructions are tables
svc_nb.style_rules.push(style, dry_run=True)       # what would be sent; without dry_run it is
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from svc_nb.session import current

# The files of these names are loaded at once: loaded later, they would take the places of the functions.
from svc_nb.style_rules import clone as _clone
from svc_nb.style_rules import diff as _diff
from svc_nb.style_rules import sync
from svc_nb.style_rules.catalogue import catalogue
from svc_nb.style_rules.files import read, write
from svc_nb.style_rules.style import Style, styled
from svc_nb.style_rules.sync import STYLES
from svc_nb.sync.changes import delete as delete_thing
from svc_nb.sync.undo import undo as take_back
from svc_nb.tracebacks import module_verbs

if TYPE_CHECKING:
    import pandas as pd

    from svc_nb.style_rules.clone import Clone
    from svc_nb.style_rules.diff import StyleDiff
    from svc_nb.sync.changes import Push
    from svc_nb.tabular.report import Report

__all__ = [
    "Style",
    "catalogue",
    "clone",
    "delete",
    "diff",
    "history",
    "lint",
    "list",
    "pull",
    "push",
    "read",
    "undo",
    "write",
]


def list() -> Report:
    """All style rule lists of the account, a row for each: id, name, language, version, how much is in it, times."""
    return sync.listed(current().client)


def pull(style_id: str) -> Style:
    """One list of the service, by its id or its name, whole; rules that the catalogue does not know are kept."""
    return sync.pull(current().client, style_id)


def lint(style: Style | pd.DataFrame, *, language: str | None = None) -> Report:
    """What is wrong with a list, or might be, before anything is sent: a table of findings, empty when all is well.

    Parameters
    ----------
    style
        A Style, or a table of rules or of instructions alone.
    language
        Of the list, where only a table is given: rules that it does not offer are told then.
    """
    return styled(style, language=language).lint()


def diff(style: Style | str, other: Style | str) -> StyleDiff:
    """What *style* adds, changes and removes against *other*: a row for each rule and instruction that differs.

    Parameters
    ----------
    style
        A Style, or the id or name of a list on the service as it is now.
    other
        An older Style, or the id or name of a list: `diff(style, style.style_id)` is what a push would change, and
        `diff(style.style_id, style)` what others have changed there since *style* was pulled.
    """
    new, old = (pull(each) if isinstance(each, str) else each for each in (style, other))
    return _diff.diff(old, new)


def push(
    style: Style | pd.DataFrame,
    *,
    name: str | None = None,
    language: str | None = None,
    style_id: str | None = None,
    dry_run: bool = False,
    allow_unknown: bool = False,
) -> Push:
    """Make the list on the service what *style* is, with only the calls that are needed; returns the steps.

    Rules and instructions that *style* lacks are removed there. Nothing is sent that the service would refuse. A push
    that was interrupted can be repeated: it does what is left, and makes nothing twice. The list as it was is the
    result's `before`, and is kept in a file first, its `backup`: `undo` takes the push back, and `history` tells all
    backups, which can be pushed too, as `read` makes them.

    Parameters
    ----------
    style
        A Style; or a table of rules or of instructions alone, and the other part of the list stays as it is.
    name
        The list's name. Without an id the list of this name and language is meant, and created where there is none;
        with one, it is renamed.
    language
        Of the list; only needed where *style* does not tell.
    style_id
        Of the list; by default that of *style*.
    dry_run
        Tell the steps, but send nothing.
    allow_unknown
        Send rules that the catalogue does not know; those that the list has already are always sent.

    Raises
    ------
    InvalidRows
        Rows break a rule of the service; `findings` tells which and why.
    ValueError
        It is not clear which list is meant, or it is for another language.
    """
    session = current()
    return sync.push(
        session.client,
        style,
        name=name,
        language=language,
        style_id=style_id,
        dry_run=dry_run,
        allow_unknown=allow_unknown,
        backups=STYLES.backups_of(session),
    )


def delete(style_id: str) -> Push:
    """Delete a list on the service, by its id or its name; `undo` makes it again, under a new id."""
    session = current()
    return delete_thing(STYLES, session.client, style_id, backups=STYLES.backups_of(session))


def history(style_id: str | None = None) -> Report:
    """The backups that changes from here have kept, of all lists or of one, by its id or a name, the newest first.

    Each is the list before the change, or as it was created, with its path, which `read` reads. Those from other
    kernels are among them; `this_kernel` tells which are not.
    """
    return STYLES.backups_of(current()).history(style_id)


def undo(
    style_id: str | None = None,
    *,
    backup: str | None = None,
    recreate: bool = False,
    replace: bool = False,
    dry_run: bool = False,
) -> Push:
    """Take back the last change that was made from this kernel; done twice, it is done again.

    A list that was created is deleted; one that was deleted is made again, under a new id. What others changed since is
    kept; what cannot be kept is an error, and nothing is changed. An undo is kept in the backups too.

    Parameters
    ----------
    style_id
        The list, by its id or a name that it had: its last change from any kernel of yours is taken back. None is the
        last change from this kernel, whichever list it was.
    backup
        Go back to the list in this backup, a name in `history`: all changes from here since are taken back.
    recreate
        Make a list that somebody else deleted again, under a new id.
    replace
        Take it back also where others have changed the same since: what they changed is lost.
    dry_run
        Tell the steps, but send nothing.

    Raises
    ------
    InvalidRows
        Others have changed the same since; `findings` tells what.
    NotFound
        Somebody else deleted the list.
    ValueError
        Nothing was changed from this kernel, or nothing in that list from here.
    """
    session = current()
    return take_back(
        STYLES,
        session.client,
        style_id,
        backup=backup,
        recreate=recreate,
        replace=replace,
        dry_run=dry_run,
        backups=STYLES.backups_of(session),
    )


def clone(style: Style | str, language: str, *, name: str | None = None) -> Clone:
    """A list for another language: `.style` with what carries over, and `.left`, a table of what does not.

    Parameters
    ----------
    style
        A Style, or the id or name of a list on the service.
    language
        de, en, es, fr, it, ja, ko or zh.
    name
        Of the new list; by default that of the old.
    """
    return _clone.clone(pull(style) if isinstance(style, str) else style, language, name=name)


module_verbs(globals())
