"""Translate the texts of a document: one run through the store, a second one for refused texts, and the result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from svc_nb.engine.outcome import ANSWERED, MARKED
from svc_nb.tabular.report import plural

if TYPE_CHECKING:
    from svc_nb.columns.job import TextJob
    from svc_nb.columns.summary import Lines, PlanSummary
    from svc_nb.notebooks.documents import SourceDocument
    from svc_nb.notebooks.segments import Edited
    from svc_nb.session import Session
    from svc_nb.tabular.disk import WrittenFiles
    from svc_nb.tabular.report import Report


NOTHING_LEFT = "nothing was left out"


@dataclass(frozen=True)
class Translated:
    """A translated text, with a report on its segments and their cost.

    `segments` counts its paragraphs, headings, cells and the like; `sent` the distinct texts that were paid for now,
    `stored` those with a saved answer, `marked` those that were only marked because no translator has the pair, and
    `left` is a table of the texts that stayed as they were, and why.
    """

    text: str = field(repr=False)
    target_lang: str
    segments: int
    sent: int
    stored: int
    billed_characters: int
    marked: int
    left: Report = field(repr=False)

    @property
    def said(self) -> str:
        """The result, in one line."""
        marked = f"{self.marked:,} NOT TRANSLATED, only marked, " if self.marked else ""
        counts = (
            f"{plural(self.segments, 'segment')}: {marked}{self.sent:,} sent, {self.stored:,} from the store, "
            f"{plural(self.billed_characters, 'character')} billed"
        )
        return f"{counts}; {self.left.said}"


@dataclass(frozen=True, repr=False)
class TranslatedNotebook(Translated):
    """A translated file: `path` is the translation, `source` the original."""

    path: Path
    source: Path

    def __str__(self) -> str:
        return str(self._lines())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self._lines().html()

    def _lines(self) -> Lines:
        from svc_nb.columns.summary import Lines

        counts = {
            "segments": f"{self.segments:,}",
            **({"NOT TRANSLATED, only marked": f"{self.marked:,}"} if self.marked else {}),
            "texts sent": f"{self.sent:,}",
            "from the store": f"{self.stored:,}",
            "characters billed": f"{self.billed_characters:,}",
            "left untranslated": f"{len(self.left):,}" + (" (see .left)" if len(self.left) else ""),
        }
        return Lines(f"{self.source.name} into {self.target_lang}: {self.path}", counts)


def translate(document: SourceDocument, target_lang: str, *, progress: bool, **options: Any) -> Translated:
    """Translate a document; raises if not all of its texts could be sent."""
    answers = Answers(language_code(target_lang), progress, options)
    answers.ask(document.texts())
    edited = document.edited(answers.texts)
    if edited.again:
        answers.ask(edited.again)
        edited = document.edited(answers.texts)
    return Translated(
        edited.text,
        answers.target_lang,
        edited.segments,
        answers.sent,
        answers.stored,
        answers.billed,
        len(answers.marked),
        left_table(edited, answers.reasons),
    )


@dataclass
class Answers:
    """The translations of texts, from one run, and for refused texts a second one within the same budget."""

    target_lang: str
    progress: bool
    options: Mapping[str, Any]
    texts: dict[str, str] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    sent: int = 0
    stored: int = 0
    billed: int = 0
    marked: set[str] = field(default_factory=set)

    def ask(self, texts: Sequence[str]) -> None:
        """Request all texts; raises if not all could be sent, because nothing partial is written."""
        from svc_nb.columns.running import finished
        from svc_nb.engine.job import AGAIN
        from svc_nb.errors import SvcError

        different = list(dict.fromkeys(texts))
        if not different:
            return
        budget = self.options.get("budget")
        left = None if budget is None else max(budget - self.billed, 0)
        job = job_of(different, self.target_lang, progress=self.progress, **{**self.options, "budget": left})
        finished(job, unit="text", advice=f"nothing is written; {AGAIN}")
        report = job.progress
        unsent = report.unsent.total()
        kept = f"{unsent:,} of {plural(report.rows, 'text')} not sent, so nothing was written; finished texts are kept"
        if report.unsent["budget"]:
            raise SvcError(
                f"The budget is spent: {kept}. Run it again with a larger budget; you pay only for the rest."
            )
        job.result()
        if unsent:
            raise report.error or SvcError(f"{kept}.")
        self._add(different, job)

    def _add(self, texts: Sequence[str], job: TextJob) -> None:
        """Add the results of some texts."""
        table = job.table()
        rows = table[["text", "status", "reason", "from_store"]].itertuples(index=False, name=None)
        for text, (answer, status, reason, stored) in zip(texts, rows, strict=True):
            if isinstance(answer, str):
                self.texts[text] = answer
            else:
                self.reasons[text] = f"{status}: {reason}"
            self.stored += bool(stored)
            self.sent += status in ANSWERED and not stored
            if status == MARKED:
                self.marked.add(text)
        self.billed += int(table["billed_characters"].sum())


def language_code(target_lang: str) -> str:
    """The code of a language; raises TypeError or UnknownLanguage if it is not one."""
    from svc_nb.session import current
    from svc_nb.wire.languages import target

    if not isinstance(target_lang, str):
        raise TypeError(f'target_lang: expected one language such as "DE", found {type(target_lang).__name__}')
    return target(target_lang, current().client)


def job_of(
    texts: Sequence[str], target_lang: str, *, progress: bool, session: Session | None = None, **options: Any
) -> TextJob:
    """The run that translates distinct texts as XML; it has not started.

    It uses the current session unless another is given.
    """
    import pandas as pd

    from svc_nb.columns import translation

    if "tag_handling" in options:
        raise TypeError("tag_handling: texts are sent as XML here, so it cannot be set. Leave it out")
    fields: Any = {name: value for name, value in options.items() if value is not None}
    fields["tag_handling"] = "xml"
    column = pd.Series(list(dict.fromkeys(texts)), dtype=object)
    return translation(column, None, language_code(target_lang), progress, fields, session)


def plan(
    source: Path,
    target_lang: str,
    *,
    code: Sequence[str],
    front_matter: Sequence[str],
    price: float | None,
    **options: Any,
) -> PlanSummary:
    """What the translation of a file would send and cost."""
    texts = document(source, read(source), code=code, front_matter=front_matter).texts()
    return job_of(texts, target_lang, progress=False, **options).plan(price=price)


def left_table(edited: Edited, reasons: Mapping[str, str]) -> Report:
    """A table of the texts that stayed as they were; *reasons* say why they have no translation."""
    import pandas as pd

    from svc_nb.notebooks.segments import NO_ANSWER
    from svc_nb.tabular.report import Report, plural

    rows = []
    for left in edited.left:
        reason = reasons.get(left.text, NO_ANSWER) if left.reason == NO_ANSWER else left.reason
        rows.append((left.cell, left.line, left.kind, reason, left.text))
    table = pd.DataFrame(rows, columns=["cell", "line", "kind", "reason", "text"]).convert_dtypes()
    said = plural(len(rows), "text stayed as it was", "texts stayed as they were")
    return Report(table, said if rows else NOTHING_LEFT)


# ---- files: what is in them, and where their translations go

PathOf = str | PathLike[str]
NOTEBOOKS = (".ipynb",)
MARKDOWN = (".md", ".markdown", ".mdown", ".myst")


def document(source: Path, raw: bytes, *, code: Sequence[str], front_matter: Sequence[str]) -> SourceDocument:
    """The content of a file, without the translations in a notebook; raises ValueError if it cannot be read."""
    from svc_nb.notebooks.documents import Markdown, Notebook
    from svc_nb.notebooks.languages import source_cells
    from svc_nb.notebooks.links import linked_from_outside

    linked = linked_from_outside(source)
    if source.suffix.lower() in MARKDOWN:
        return Markdown(text_in(source, raw), front_matter, frozenset(code), linked)
    return Notebook(source_cells(notebook_in(source, raw)), code, front_matter, linked)


def text_in(source: Path, raw: bytes) -> str:
    """The text of a file; raises ValueError if it is not UTF-8."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{source}: expected UTF-8, found other bytes") from None


def notebook_in(source: Path, raw: bytes) -> dict[str, Any]:
    """The content of a notebook file; raises a one-line ValueError if it is not a notebook."""
    from svc_nb.notebooks.documents import Notebook

    try:
        return Notebook.read(text_in(source, raw)).content
    except ValueError as problem:
        message = str(problem)
        raise ValueError(message if message.startswith(str(source)) else f"{source}: {message}") from None


def read(source: Path) -> bytes:
    """The bytes of a file with an ending that can be translated."""
    if source.suffix.lower() not in NOTEBOOKS + MARKDOWN:
        raise ValueError(f"{source}: expected a file {', '.join(NOTEBOOKS + MARKDOWN)}")
    return source.read_bytes()


def output_path(source: Path, target_lang: str, out: PathOf | None) -> Path:
    """The path of the translation; raises ValueError if that is the source."""
    name = f"{source.stem}.{str(target_lang).lower()}{source.suffix}"
    path = source.with_name(name) if out is None else Path(out)
    if path.is_dir():
        path = path / (source.name if path.resolve() != source.parent.resolve() else name)
    if path.suffix.lower() != source.suffix.lower():
        raise ValueError(f"out: expected a folder or a {source.suffix} file, found {path}")
    if path.resolve() == source.resolve() or (path.exists() and path.samefile(source)):
        raise ValueError(f"out: {path} is the source, which is never replaced. Name another file")
    return path


def write(path: Path, text: str, *, like: bytes, replace: bool) -> None:
    """Write a translation, with a byte order mark if the source has one."""
    mark = b"\xef\xbb\xbf"
    written_files().write(path, (mark if like.startswith(mark) else b"") + text.encode(), replace=replace)


def written_files() -> WrittenFiles:
    """The list of files that svc_nb wrote, kept beside the store."""
    from svc_nb.session import current_settings
    from svc_nb.tabular.disk import WrittenFiles

    return WrittenFiles(Path(current_settings().written_path))
