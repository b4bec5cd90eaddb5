"""The answers that were paid for, as a person sees them: how many there are, a table of them, corrected or forgotten.

    found = svc_nb.store.find(text="Fahrschein", target_lang="EN-US")
    found.loc[found["source"] == "Kein Fahrschein", "text"] = "No ticket"
    svc_nb.store.correct(found)         # your wording is used from now on, in the place of the service's

Two wishes that are the same share an answer, however they are written: `en_US` and `EN-US`, an option left out and the
same option at its default, a language that is named and the same language detected, a text with and without white
space around it. What still counts as different: any other change of a text, the target language with and without its
variant (`PT-BR`, `PT`), every other option, the terms that a glossary has for the text, the version of a style rule
list, and the service.

The store is the file that the settings name (`store=`, SVC_STORE); all kernels of its user share it, and nobody else
can read it. It holds the texts and their translations as they are. On a file system without locks one process at a time
can use it, and svc_nb warns with `NoLocks`. Answers for which the disk has no room stay in memory: the next run, or the
end of the process, stores them.
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
    """Forget all answers, or those that fit every condition given, and return how many; asked again they cost again.

    Parameters
    ----------
    operation
        "translate", "detect", "rephrase" or "correct".
    target_lang
        The language that they were translated into.
    older_than
        A timedelta, or a text such as "30 days".
    """
    code = _code(target_lang)
    return current_store().clear(operation=_known(operation), target_lang=code, older_than=_age(older_than))


def find(text: str | None = None, *, operation: str | None = None, target_lang: str | None = None) -> pd.DataFrame:
    """The stored answers to texts that contain *text*, as a table: source, text, translator, cost, and when.

    Its index names each answer for `forget` and `correct`; `translator` is "person" where somebody corrected it.
    Upper and lower case count. The other parameters are those of `clear`.
    """
    return stored_answers.find(current_store(), text=text, operation=_known(operation), target_lang=_code(target_lang))


def forget(found: pd.DataFrame) -> int:
    """Forget the answers in a table that `find` gave, or in some of its rows, and return how many there were.

    Asked again they cost again. It also takes back what `correct` did.
    """
    return stored_answers.forget(current_store(), found)


def correct(found: pd.DataFrame) -> int:
    """Keep your own wording of answers: change `text` in a table that `find` gave, and pass it here.

    From now on it is used whenever the same is asked for, in the place of what the service said, also with
    `again=True`. Rows that you did not change stay as they are. Returns how many answers were changed.
    """
    return stored_answers.correct(current_store(), found)


def export(
    path: str | PathLike[str] | None = None,
    *,
    operation: str | None = None,
    target_lang: str | None = None,
    formula_safe: bool = False,
) -> pd.DataFrame | int:
    """All stored answers as a table, or into a .csv or .tsv file at *path*: then returns the number of rows.

    The texts in the file are exactly those of the table. With *formula_safe*, what a spreadsheet would run as a formula
    has an apostrophe before it, for a file that people open; nothing here takes it away again.
    """
    wanted = {"operation": _known(operation), "target_lang": _code(target_lang)}
    if path is None:
        return stored_answers.table(current_store(), **wanted)
    return stored_answers.write(current_store(), path, formula_safe=formula_safe, **wanted)


def _code(target_lang: str | None) -> str | None:
    """The code of the language that is meant; raises UnknownLanguage where it is none."""
    from svc_nb.wire.languages import target

    return None if target_lang is None else target(target_lang)


def _known(operation: str | None) -> str | None:
    if operation is not None and operation not in OPERATIONS:
        raise ValueError(f"operation: expected one of {', '.join(OPERATIONS)}, found {operation!r}")
    return operation


def _age(older_than: timedelta | str | None) -> timedelta | None:
    """A number alone could be days or nanoseconds, and what is cleared is gone: it is refused."""
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
