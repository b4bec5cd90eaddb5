"""Ask for the texts of a document: one run through the store, and a second one for what was refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from svc_nb.engine.outcome import ANSWERED, MARKED
from svc_nb.notebooks.translated import Translated

if TYPE_CHECKING:
    from svc_nb.columns.text import Translation
    from svc_nb.notebooks.documents import Document
    from svc_nb.notebooks.edition import Edition, Left
    from svc_nb.tabular.report import Report


def translated(document: Document, target_lang: str, *, progress: bool, **options: Any) -> Translated:
    """A document in another language; raises where not all of its texts could be sent."""
    code = code_of(target_lang)
    asked = Asked(code, progress, options)
    asked.ask(document.texts())
    edition = document.edited(asked.answers)
    if edition.again:
        asked.ask(edition.again)
        edition = document.edited(asked.answers)
    return Translated(
        edition.text,
        code,
        edition.segments,
        asked.sent,
        asked.stored,
        asked.billed,
        len(asked.marked),
        _left(edition, asked.reasons),
    )


@dataclass
class Asked:
    """Texts and their answers; asked in one run, and what was refused in a second one within the same budget."""

    target_lang: str
    progress: bool
    options: Mapping[str, Any]
    answers: dict[str, str] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    sent: int = 0
    stored: int = 0
    billed: int = 0
    marked: set[str] = field(default_factory=set)

    def ask(self, texts: Sequence[str]) -> None:
        """Ask for all texts; raises where not all of them could be sent."""
        from svc_nb.columns.jobs import remember
        from svc_nb.engine.interrupt import AGAIN
        from svc_nb.progress import follow

        different = list(dict.fromkeys(texts))
        if not different:
            return
        budget = self.options.get("budget")
        left = None if budget is None else max(budget - self.billed, 0)
        job = job_of(different, self.target_lang, progress=self.progress, **{**self.options, "budget": left})
        remember(job)
        job.start()
        follow(job, shown=self.progress, unit="texts", advice=f"nothing is written; {AGAIN}")
        _whole(job)
        self._take(different, job)

    def _take(self, texts: Sequence[str], job: Translation) -> None:
        table = job.table()
        columns = zip(
            texts, table["text"], table["status"], table["reason"], table["from_store"], strict=True
        )
        for text, answer, status, reason, stored in columns:
            if isinstance(answer, str):
                self.answers[text] = answer
            else:
                self.reasons[text] = f"{status}: {reason}"
            self.stored += bool(stored)
            self.sent += status in ANSWERED and not stored
            if status == MARKED:
                self.marked.add(text)
        self.billed += int(table["billed_characters"].sum())


def _whole(job: Translation) -> None:
    """Raise where not all texts were sent: nothing half is written."""
    from svc_nb.errors import SvcError

    report = job.progress
    unsent = report.unsent.total()
    kept = f"{unsent:,} of {report.rows:,} texts were not sent, so nothing is written; what is done is kept"
    if report.unsent["budget"]:
        raise SvcError(
            f"The budget is spent: {kept}. Run it again with a larger one; only the rest is paid for."
        )
    job.result()
    if unsent:
        raise report.error or SvcError(f"{kept}.")


def code_of(target_lang: str) -> str:
    """The code of the language that is meant; raises TypeError or UnknownLanguage where it is none."""
    from svc_nb.session import current
    from svc_nb.wire.languages import target

    if not isinstance(target_lang, str):
        raise TypeError(
            f'target_lang: expected one language such as "DE", found {type(target_lang).__name__}'
        )
    return target(target_lang, current().client)


def job_of(texts: Sequence[str], target_lang: str, *, progress: bool, **options: Any) -> Translation:
    """The run that translates some texts, each different one once, as XML; it has not begun."""
    import pandas as pd

    from svc_nb.columns.jobs import translation

    if "tag_handling" in options:
        raise TypeError("tag_handling: texts are sent as XML here, so that what is in them stays")
    fields: Any = {name: value for name, value in options.items() if value is not None}
    fields["tag_handling"] = "xml"
    column = pd.Series(list(dict.fromkeys(texts)), dtype=object)
    return translation(column, None, code_of(target_lang), progress, fields)


def _left(edition: Edition, reasons: Mapping[str, str]) -> Report:
    import pandas as pd

    from svc_nb.notebooks.edition import NO_ANSWER
    from svc_nb.tabular.report import Report, plural

    def why(left: Left) -> str:
        return reasons.get(left.text, left.reason) if left.reason == NO_ANSWER else left.reason

    rows = [(left.cell, left.line, left.kind, why(left), left.text) for left in edition.left]
    table = pd.DataFrame(rows, columns=["cell", "line", "kind", "reason", "text"]).convert_dtypes()
    said = plural(len(rows), "text stayed as it was", "texts stayed as they were")
    return Report(table, said if rows else "nothing was left out")
