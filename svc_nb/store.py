"""The saved answers: how many there are, and a table of them to find, correct or delete.

    found = svc_nb.store.find(text="Fahrschein", target_lang="EN-US")
    found.loc[found["source"] == "Kein Fahrschein", "text"] = "No ticket"
    svc_nb.store.correct(found)         # from now on your wording is used instead of the service's

Requests that mean the same share an answer, however they are written: `en_US` and `EN-US`, an option left out and the
same option at its default, a language that is named and the same language detected, a text with and without white
space around it. Any other difference needs an answer of its own: in the text, in the target language with or without
its variant (`PT-BR`, `PT`), in every other option, in the terms that a glossary has for the text, in the version of a
style rule list, and in the service.

The store is the file that the settings name (`store=`, SVC_STORE). All kernels of its user share it, and no one else
can read it. It holds the texts and their translations unchanged. On a file system without locks only one process at a
time can use it, and svc_nb warns with `NoLocks`. If the disk is full, answers stay in memory until the next run, or
the end of the process, saves them.
"""

from __future__ import annotations

from datetime import timedelta
from os import PathLike
from typing import TYPE_CHECKING

from svc_nb.columns import stored_answers
from svc_nb.session import current_store
from svc_nb.tracebacks import module_verbs

if TYPE_CHECKING:
    import pandas as pd

    from svc_nb.engine.store import Info

__all__ = ["clear", "correct", "export", "find", "forget", "info"]

OPERATIONS = ("translate", "detect", "rephrase", "correct")


def info() -> Info:
    """Where the store is, how many answers it holds, how large it is, and what they cost."""
    return current_store().info()


def clear(
    *, operation: str | None = None, target_lang: str | None = None, older_than: timedelta | str | None = None
) -> int:
    """Delete all saved answers, or those that match every condition, and return their number; new answers cost again.

    Parameters
    ----------
    operation
        "translate", "detect", "rephrase" or "correct".
    target_lang
        The target language of the answers.
    older_than
        A timedelta, or a text such as "30 days".
    """
    code = _code(target_lang)
    return current_store().clear(operation=_known(operation), target_lang=code, older_than=_age(older_than))


def find(text: str | None = None, *, operation: str | None = None, target_lang: str | None = None) -> pd.DataFrame:
    """The saved answers to texts that contain *text*, as a table: source, text, translator, cost, and time.

    The index identifies each answer for `forget` and `correct`; `translator` is "person" if someone corrected the
    answer. The search is case-sensitive. The other parameters are those of `clear`.
    """
    return stored_answers.find(current_store(), text=text, operation=_known(operation), target_lang=_code(target_lang))


def forget(found: pd.DataFrame) -> int:
    """Delete the answers in a table from `find`, or in some of its rows, and return their number.

    New answers cost again. This also undoes `correct`.
    """
    return stored_answers.forget(current_store(), found)


def correct(found: pd.DataFrame) -> int:
    """Save your own wording of answers: change `text` in a table from `find`, and pass it here.

    From now on your wording is used instead of the service's whenever the same is requested, even with `again=True`.
    Rows that you did not change stay as they are. Returns how many answers were changed.
    """
    return stored_answers.correct(current_store(), found)


def export(
    path: str | PathLike[str] | None = None,
    *,
    operation: str | None = None,
    target_lang: str | None = None,
    formula_safe: bool = False,
) -> pd.DataFrame | int:
    """All saved answers as a table, or written to a .csv or .tsv file at *path*, which returns the number of rows.

    The texts in the file are exactly those of the table. For a file that people open in a spreadsheet, *formula_safe*
    puts an apostrophe before each text that would run as a formula; svc_nb does not remove it again.
    """
    wanted = {"operation": _known(operation), "target_lang": _code(target_lang)}
    if path is None:
        return stored_answers.table(current_store(), **wanted)
    return stored_answers.write(current_store(), path, formula_safe=formula_safe, **wanted)


def _code(target_lang: str | None) -> str | None:
    """The code of the language that is meant; raises UnknownLanguage if there is none."""
    from svc_nb.wire.languages import target

    return None if target_lang is None else target(target_lang)


def _known(operation: str | None) -> str | None:
    if operation is not None and operation not in OPERATIONS:
        raise ValueError(f"operation: expected one of {', '.join(OPERATIONS)}, found {operation!r}")
    return operation


def _age(older_than: timedelta | str | None) -> timedelta | None:
    """The given age; a bare number is refused, because it could be days or nanoseconds, and deleting is final."""
    import pandas as pd

    if older_than is None or isinstance(older_than, timedelta):
        return older_than
    if not isinstance(older_than, str):
        raise TypeError(f'older_than: expected a timedelta or a text such as "30 days", found {older_than!r}')
    try:
        age: timedelta = pd.Timedelta(older_than).to_pytimedelta()
    except ValueError:
        raise ValueError(f'older_than: expected a text such as "30 days", found {older_than!r}') from None
    return age


module_verbs(globals())
