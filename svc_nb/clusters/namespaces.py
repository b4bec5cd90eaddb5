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
    """What `translate` takes by name."""


class DetectionFields(Sending, DetectFields, total=False):
    """What `detect` takes by name."""


def _verbs() -> Any:
    """Loaded on first use: who imports an engine need not have it."""
    from svc_nb.clusters import verbs

    return verbs


class _Texts:
    """What both have."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __repr__(self) -> str:
        kind = type(self._table)
        package = kind.__module__.lstrip("_").partition(".")[0]
        return f"<.svc on a {package} {kind.__name__}: translate, detect, plan>"

    def __getattr__(self, name: str) -> NoReturn:
        """Say where to look for what is not here."""
        raise AttributeError(
            f".svc has no {name!r} here: it has translate, detect and plan. What else it can do is for pandas",
            name=name,
            obj=self,
        )


@verbs
class TableVerbs(_Texts):
    """The texts in columns of a frame that another engine holds."""

    @spelled_out(TranslateFields, ELSEWHERE)
    def translate(self, columns: Any, target_lang: str | Sequence[str], **fields: Unpack[TranslateFields]) -> Any:
        """The frame with a column such as "text_EN-US" added for each of *columns*; see `svc_nb.translate`.

        On pandas, whose frames can be aligned, `.svc.translate` gives the new columns alone.
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
    """The texts of a column that another engine holds."""

    @spelled_out(TranslateFields, ELSEWHERE)
    def translate(self, target_lang: str | Sequence[str], **fields: Unpack[TranslateFields]) -> Any:
        """A column like this one; for a list of languages, also of one, a frame with a column for each.

        See `svc_nb.translate`.
        """
        return _verbs().translate(self._table, None, target_lang, **fields)

    @spelled_out(DetectionFields, ELSEWHERE)
    def detect(self, **fields: Unpack[DetectionFields]) -> Any:
        """The language of every text as a code; see `svc_nb.detect`."""
        return _verbs().detect(self._table, None, **fields)

    @spelled_out(Fields, ELSEWHERE)
    def plan(
        self, target_lang: str | Sequence[str], *, price: float | None = None, **fields: Unpack[Fields]
    ) -> PlanSummary:
        """What `translate` would do and cost; the engine counts the different texts now, and none is sent."""
        made: PlanSummary = _verbs().plan(self._table, None, target_lang, price=price, **fields)
        return made
