"""The answers that were paid for, as a person sees them: how many there are, a table of them, and an end to them.

The store is the file that the settings name (`store=`, SVC_STORE); all kernels of its user share it, and nobody else
can read it. It holds the texts and their translations as they are.
"""

from __future__ import annotations

from datetime import timedelta
from os import PathLike
from typing import TYPE_CHECKING

from svc_nb.session import current_store

if TYPE_CHECKING:
    import pandas as pd

    from svc_nb.batch.store import Info

__all__ = ["clear", "export", "info"]

OPERATIONS = ("translate", "detect", "rephrase", "correct")


def info() -> Info:
    """Where the store is, how many answers it holds, how large it is, and what they cost."""
    return current_store().info()


def clear(
    *,
    operation: str | None = None,
    target_lang: str | None = None,
    older_than: timedelta | str | None = None,
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
    if operation is not None and operation not in OPERATIONS:
        raise ValueError(f"operation: expected one of {', '.join(OPERATIONS)}, found {operation!r}")
    return current_store().clear(operation=operation, target_lang=target_lang, older_than=_age(older_than))


def export(
    path: str | PathLike[str] | None = None, *, operation: str | None = None, target_lang: str | None = None
) -> pd.DataFrame | int:
    """All stored answers as a table, or into a .csv or .tsv file at *path*: then returns the number of rows."""
    from svc_nb.frames import answers

    if path is None:
        return answers.table(current_store(), operation=operation, target_lang=target_lang)
    return answers.write(current_store(), path, operation=operation, target_lang=target_lang)


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
