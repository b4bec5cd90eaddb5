"""What a person's expressions mean in their notebook, and the names that results get there."""

from __future__ import annotations

import ast
import keyword
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pandas as pd
from IPython.core.error import UsageError

from svc_nb.magics.slips import instead

KINDS = (pd.DataFrame, pd.Series, pd.Index, str, list, tuple)
HISTORY = "In"  # the inputs of IPython
EXAMPLE = 'a name such as out, or a column such as df["german"]'


@dataclass(frozen=True)
class Names:
    """The names of *shell*, and those of the function that a magic is used in."""

    shell: Any
    inner: Mapping[str, Any] = field(default_factory=dict)

    def value(self, expression: str) -> Any:
        """What *expression* is: `df.review`, `df["review"]`, `df.review.head(10)`, or any other in Python."""
        try:
            code = compile(expression, "<svc>", "eval")
        except SyntaxError:
            raise UsageError(
                f"{expression!r} is no Python expression: write a column such as df.review"
            ) from None
        try:
            return eval(code, self._all)  # noqa: S307
        except NameError as error:
            if not _is_of_line(error):
                raise
            raise UsageError(f"there is no {error.name}{instead(error.name or '', self.texts())}") from None
        except AttributeError as error:
            _lacking(error.obj, error.name, error)
        except KeyError as error:
            _lacking(self._indexed(expression), error.args[0] if error.args else None, error)

    def place(self, name: str) -> Callable[[Any], None]:
        """What puts a result under *name*, or makes it a column such as `df["german"]`; a bad name is refused here."""
        match _parsed(name):
            case ast.Name(id=plain) if not keyword.iskeyword(plain):
                return lambda value: self.shell.push({plain: value})
            case ast.Subscript(value=ast.Name(id=table), slice=ast.Constant(value=column)):
                frame = self.value(table)
                if not isinstance(frame, pd.DataFrame):
                    raise UsageError(f"--as: {table} is no table")
                return partial(_put, frame, column)
        raise UsageError(f"--as: expected {EXAMPLE}, found {name!r}")

    @property
    def _all(self) -> dict[str, Any]:
        return {**self.shell.user_global_ns, **self.shell.user_ns, **self.inner}

    def texts(self, *kinds: type) -> dict[str, Any]:
        """What the person has named and can be translated, or is of one of *kinds*."""
        known = {**self.shell.user_ns, **self.inner}
        return {
            name: value
            for name, value in known.items()
            if isinstance(value, kinds or KINDS) and not name.startswith("_") and name != HISTORY
        }

    def _indexed(self, expression: str) -> Any:
        """The table of `df["review"]`; None where it is not as plain as that."""
        match _parsed(expression):
            case ast.Subscript(value=ast.Name(id=name)):
                return self._all.get(name)
        return None


def _put(frame: pd.DataFrame, column: Any, value: Any) -> None:
    """Make *value* a column; what has another length, or several columns, is kept by the store and paid for once."""
    try:
        frame[column] = value
    except ValueError as error:
        raise UsageError(f"--as: it cannot be the column {column!r}: {error}") from None


def _parsed(expression: str) -> ast.expr | None:
    try:
        return ast.parse(expression.strip(), mode="eval").body
    except SyntaxError:
        return None


def _is_of_line(error: Exception) -> bool:
    """Whether it happened in the line itself, not in a function that it calls."""
    frame = error.__traceback__ and error.__traceback__.tb_next
    return frame is not None and frame.tb_next is None


def _lacking(owner: Any, name: Any, error: Exception) -> None:
    """Say that a table has no such column; another error is the person's own, and stays."""
    if not isinstance(owner, pd.DataFrame):
        raise error
    raise UsageError(f"there is no column {name!r}{instead(str(name), map(str, owner.columns))}")
