"""`.svc` on the tables of other engines: the verbs, with the table before the dot."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, NoReturn, TypedDict, Unpack

from svc_nb.columns.options import ELSEWHERE, DetectFields, Fields, spelled_out
from svc_nb.tracebacks import verbs

if TYPE_CHECKING:
    from svc_nb.columns.summary import PlanSummary


class Sending(TypedDict, total=False):
    """How texts are sent; see `svc_nb.translate`."""

    progress: bool
    fleet: int | None
    staging: str | PathLike[str] | None


class TranslateFields(Sending, Fields, total=False):
    """The keyword parameters of `translate`."""


class DetectionFields(Sending, DetectFields, total=False):
    """The keyword parameters of `detect`."""


def _verbs() -> Any:
    """The verbs, loaded on first use: importing an engine does not need them."""
    from svc_nb.clusters import verbs

    return verbs


class _Texts:
    """The common part of both."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __repr__(self) -> str:
        kind = type(self._table)
        package = kind.__module__.lstrip("_").partition(".")[0]
        return f"<.svc on a {package} {kind.__name__}: translate, detect, plan>"

    def __getattr__(self, name: str) -> NoReturn:
        """Say where to find methods that do not exist here."""
        raise AttributeError(
            f".svc has no {name!r} here, only translate, detect and plan. Its other methods need pandas",
            name=name,
            obj=self,
        )


@verbs
class TableVerbs(_Texts):
    """The texts in columns of a frame of another engine."""

    @spelled_out(TranslateFields, ELSEWHERE)
    def translate(self, columns: Any, target_lang: str | Sequence[str], **fields: Unpack[TranslateFields]) -> Any:
        """The frame with a column such as "text_EN-US" added for each of *columns*; see `svc_nb.translate`.

        On pandas, whose frames can be aligned, `.svc.translate` returns only the new columns.
        """
        return _verbs().translate(self._table, columns, target_lang, **fields)

    @spelled_out(DetectionFields, ELSEWHERE)
    def detect(self, columns: Any, **fields: Unpack[DetectionFields]) -> Any:
        """The frame with a column such as "text_lang" added for each of *columns*; see `svc_nb.detect`."""
        return _verbs().detect(self._table, columns, **fields)

    @spelled_out(Fields, ELSEWHERE)
    def plan(
        self, columns: Any, target_lang: str | Sequence[str], *, price: float | None = None, **fields: Unpack[Fields]
    ) -> PlanSummary:
        """What `translate` would do and cost; the engine counts the different texts now, and none is sent."""
        made: PlanSummary = _verbs().plan(self._table, columns, target_lang, price=price, **fields)
        return made


@verbs
class ColumnVerbs(_Texts):
    """The texts of a column of another engine."""

    @spelled_out(TranslateFields, ELSEWHERE)
    def translate(self, target_lang: str | Sequence[str], **fields: Unpack[TranslateFields]) -> Any:
        """A column like this one; for a list of languages, even with one item, a frame with a column for each.

        See `svc_nb.translate`.
        """
        return _verbs().translate(self._table, None, target_lang, **fields)

    @spelled_out(DetectionFields, ELSEWHERE)
    def detect(self, **fields: Unpack[DetectionFields]) -> Any:
        """The language code of every text; see `svc_nb.detect`."""
        return _verbs().detect(self._table, None, **fields)

    @spelled_out(Fields, ELSEWHERE)
    def plan(
        self, target_lang: str | Sequence[str], *, price: float | None = None, **fields: Unpack[Fields]
    ) -> PlanSummary:
        """What `translate` would do and cost; the engine counts the different texts now, and none is sent."""
        made: PlanSummary = _verbs().plan(self._table, None, target_lang, price=price, **fields)
        return made
