"""What a person's expressions mean in their notebook, and the names that results get there."""

from __future__ import annotations

import ast
import keyword
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
from IPython.core.error import UsageError

from svc_nb.advice import did_you_mean

KINDS = (pd.DataFrame, pd.Series, pd.Index, str, list, tuple)
HISTORY = "In"  # the inputs of IPython
EXAMPLE = 'a name such as out, or a column such as df["german"]'


@dataclass(frozen=True)
class UserNamespace:
    """The names of *shell*, and those of the function that a magic is used in."""

    shell: Any
    inner: Mapping[str, Any] = field(default_factory=dict)

    def value(self, expression: str) -> Any:
        """What *expression* is: `df.review`, `df["review"]`, `df.review.head(10)`, or any other in Python."""
        names = {**self.shell.user_global_ns, **self.shell.user_ns, **self.inner}
        try:
            code = compile(expression, "<svc>", "eval")
        except SyntaxError:
            raise UsageError(f"{expression!r} is no Python expression: write a column such as df.review") from None
        try:
            return eval(code, names)  # noqa: S307
        except NameError as error:
            frame = error.__traceback__ and error.__traceback__.tb_next
            if frame is None or frame.tb_next:  # it is in a function that the line calls
                raise
            meant = did_you_mean(error.name or "", self.texts(), shown=str)
            raise UsageError(f"there is no {error.name}. {meant}") from None
        except (AttributeError, KeyError) as error:
            if isinstance(error, AttributeError):
                owner, column = error.obj, error.name
            else:
                owner, column = None, error.args[0] if error.args else None
                match _parsed(expression):
                    case ast.Subscript(value=ast.Name(id=name)):
                        owner = names.get(name)
            if not isinstance(owner, pd.DataFrame):  # the error is the person's own
                raise
            raise UsageError(
                f"there is no column {column!r}. {did_you_mean(str(column), map(str, owner.columns), shown=str)}"
            ) from None

    def setter(self, name: str) -> Callable[[Any], None]:
        """What puts a result under *name*, or makes it a column such as `df["german"]`; a bad name is refused here."""
        match _parsed(name):
            case ast.Name(id=plain) if not keyword.iskeyword(plain):
                return lambda value: self.shell.push({plain: value})
            case ast.Subscript(value=ast.Name(id=table), slice=ast.Constant(value=column)):
                frame = self.value(table)
                if not isinstance(frame, pd.DataFrame):
                    raise UsageError(f"--as: {table} is no table")

                # What has another length, or several columns, is kept by the store and paid for once.
                def put(value: Any) -> None:
                    try:
                        frame[column] = value
                    except ValueError as error:
                        raise UsageError(f"--as: it cannot be the column {column!r}: {error}") from None

                return put
        raise UsageError(f"--as: expected {EXAMPLE}, found {name!r}")

    def texts(self, *kinds: type) -> dict[str, Any]:
        """What the person has named and can be translated, or is of one of *kinds*."""
        known = {**self.shell.user_ns, **self.inner}
        return {
            name: value
            for name, value in known.items()
            if isinstance(value, kinds or KINDS) and not name.startswith("_") and name != HISTORY
        }


def _parsed(expression: str) -> ast.expr | None:
    try:
        return ast.parse(expression.strip(), mode="eval").body
    except SyntaxError:
        return None
