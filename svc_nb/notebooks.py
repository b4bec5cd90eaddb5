"""Translate notebooks and Markdown files: the words change, the structure does not.

    svc_nb.plan_notebook("report.ipynb", "DE")            # what would be sent; nothing is
    svc_nb.translate_notebook("report.ipynb", "DE")       # report.de.ipynb beside it
    svc_nb.translate_markdown("Some *Markdown*", "DE")    # one text

Code, formulas, links' addresses, HTML tags, outputs and metadata stay as they are. The law that is checked for every
text: the result has the same Markdown tokens as the source but for the words. Where a translation would break it, the
text is sent again in pieces, and if that does not help it stays as it was; the table `left` says so.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from svc_nb.frames.report import Report
    from svc_nb.frames.summary import Lines, PlanSummary
    from svc_nb.frames.text import Translation
    from svc_nb.prose.documents import Document
    from svc_nb.prose.edition import Edition, Left

__all__ = [
    "Translated",
    "TranslatedNotebook",
    "plan_notebook",
    "translate_code",
    "translate_html",
    "translate_markdown",
    "translate_notebook",
    "translate_source",
]

PathOf = str | PathLike[str]

NOTEBOOKS = (".ipynb",)
MARKDOWN = (".md", ".markdown", ".mdown", ".myst")
CODE = ("comments", "strings")


@dataclass(frozen=True)
class Translated:
    """A translated text: what became of its segments, and what they cost.

    `segments` are its paragraphs, headings, cells and the like; `sent` the different texts that were paid for now,
    `stored` those that were answered before, and `left` is a table of what stayed as it was, and why.
    """

    text: str = field(repr=False)
    target_lang: str
    segments: int
    sent: int
    stored: int
    billed_characters: int
    left: Report = field(repr=False)

    @property
    def said(self) -> str:
        """What became of it, in a line."""
        return f"{self._counted}; {self.left.said}"

    @property
    def _counted(self) -> str:
        return (
            f"{self.segments:,} segments: {self.sent:,} sent, {self.stored:,} from the store, "
            f"{self.billed_characters:,} characters billed"
        )


@dataclass(frozen=True, repr=False)
class TranslatedNotebook(Translated):
    """A file that was translated: `path` is the translation, `source` what it was made from."""

    path: Path
    source: Path

    def __str__(self) -> str:
        return str(self._lines())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self._lines().html()

    def _lines(self) -> Lines:
        from svc_nb.frames.summary import Lines

        counts = {
            "segments": f"{self.segments:,}",
            "texts sent": f"{self.sent:,}",
            "from the store": f"{self.stored:,}",
            "characters billed": f"{self.billed_characters:,}",
            "left as they were": f"{len(self.left):,}" + (" (see .left)" if len(self.left) else ""),
        }
        return Lines(f"{self.source.name} into {self.target_lang}: {self.path}", counts)


# ---- files


def translate_notebook(
    path: PathOf,
    target_lang: str,
    *,
    source_lang: str | None = None,
    out: PathOf | None = None,
    code: Collection[str] | str = (),
    front_matter: Collection[str] | str = (),
    budget: int | None = None,
    progress: bool = True,
    replace: bool = False,
    **options: Any,
) -> TranslatedNotebook:
    """Translate a notebook or a Markdown file into another file; the structure stays as it is.

    All texts go in one run through the store, so a second run sends only what was changed. The file is written whole
    or not at all: where the budget or the quota is spent, or on Ctrl-C, nothing is written, and what was done is kept
    for the next run.

    Parameters
    ----------
    path
        An .ipynb (format 4), .md or .markdown file, MyST too.
    target_lang
        The language to translate into: "DE", "EN-US".
    source_lang
        What the texts are in; None leaves it to the service.
    out
        The file to write, or a folder to write it to; None is beside the source: `report.de.ipynb`. The source itself
        is never replaced.
    code
        What to translate in code cells, and in fences of Markdown files: "comments" (docstrings too), "strings"
        (those that are prose), or both.
    front_matter
        The keys in the front matter whose values are translated: "title", "description", …; none by default.
    budget
        The most characters to pay for.
    progress
        Whether to paint a bar.
    replace
        Whether to replace a file that was not written here, or was changed since; otherwise FileExistsError is raised.
    options
        All that `Series.svc.translate` takes: `formality`, `glossary_id`, `style_id`, `protect`, `context`, …
    """
    source = Path(path)
    place = _place(source, target_lang, out)
    shelf = _shelf()
    shelf.check(place, replace=replace)
    raw = _read(source)
    document = _document(source, raw, code=code, front_matter=front_matter)
    made = _translated(
        document, target_lang, progress=progress, source_lang=source_lang, budget=budget, **options
    )
    _write(shelf, place, raw, made.text, replace=replace)
    counts = {name: getattr(made, name) for name in Translated.__dataclass_fields__}
    return TranslatedNotebook(**counts, path=place, source=source)


def plan_notebook(
    path: PathOf,
    target_lang: str,
    *,
    source_lang: str | None = None,
    code: Collection[str] | str = (),
    front_matter: Collection[str] | str = (),
    price: float | None = None,
    **options: Any,
) -> PlanSummary:
    """What `translate_notebook` would send and cost: texts, those in the store, characters; nothing is sent.

    The characters are at most those: the tags that stand for code, links and the like are in them, which services do
    not bill. *price* is what a million characters cost; the other parameters are those of `translate_notebook`.
    """
    source = Path(path)
    document = _document(source, _read(source), code=code, front_matter=front_matter)
    job = _job(document.texts(), target_lang, progress=False, source_lang=source_lang, **options)
    return job.plan(price=price)


# ---- texts


def translate_markdown(
    text: str,
    target_lang: str,
    *,
    source_lang: str | None = None,
    progress: bool = False,
    **options: Any,
) -> str:
    """Translate a Markdown text: the same tokens but for the words; what cannot be put back so stays as it was.

    *options* are all that `Series.svc.translate` takes, `front_matter`, the keys whose values are translated, and
    `code`, what is translated in fences with code: "comments", "strings".
    """
    return translate_source(text, target_lang, source_lang=source_lang, progress=progress, **options).text


def translate_html(
    text: str,
    target_lang: str,
    *,
    source_lang: str | None = None,
    progress: bool = False,
    **options: Any,
) -> str:
    """Translate an HTML text: tags, scripts, styles, code and what says `translate="no"` stay as they are."""
    return translate_source(
        text, target_lang, kind="html", source_lang=source_lang, progress=progress, **options
    ).text


def translate_code(
    text: str,
    target_lang: str,
    *,
    language: str = "python",
    code: Collection[str] | str = ("comments",),
    source_lang: str | None = None,
    progress: bool = False,
    **options: Any,
) -> str:
    """Translate the comments of a program, and its strings that are prose where *code* names "strings"."""
    return translate_source(
        text,
        target_lang,
        kind="code",
        language=language,
        code=code,
        source_lang=source_lang,
        progress=progress,
        **options,
    ).text


def translate_source(
    text: str,
    target_lang: str,
    *,
    kind: str = "markdown",
    language: str = "python",
    code: Collection[str] | str | None = None,
    front_matter: Collection[str] | str = (),
    progress: bool = False,
    **options: Any,
) -> Translated:
    """Translate a text and tell what became of its segments.

    *kind* is "markdown", "html", "code" (in *language*) or "notebook" (the text of an .ipynb file). *code* names what
    is translated in code: of code the comments by default, of Markdown and notebooks nothing.
    """
    from svc_nb.prose.documents import Code, Html, Markdown
    from svc_nb.prose.notebook import Notebook

    if not isinstance(text, str):
        raise TypeError(f"expected a text, found {type(text).__name__}")
    names = _names(front_matter)
    wanted = frozenset(_code(code if code is not None else ("comments",) if kind == "code" else ()))
    kinds: dict[str, Callable[[], Document]] = {
        "markdown": lambda: Markdown(text, names, wanted),
        "html": lambda: Html(text),
        "code": lambda: Code(text, language, wanted),
        "notebook": lambda: Notebook.read(text, code=wanted, front_matter=names),
    }
    if kind not in kinds:
        raise ValueError(f"kind: expected one of {', '.join(kinds)}, found {kind!r}")
    return _translated(kinds[kind](), target_lang, progress=progress, **options)


# ---- answers


def _translated(document: Document, target_lang: str, *, progress: bool, **options: Any) -> Translated:
    asked = _Asked(target_lang, progress, options)
    asked.ask(document.texts())
    edition = document.edited(asked.answers)
    if edition.again:
        asked.ask(edition.again)
        edition = document.edited(asked.answers)
    return Translated(
        edition.text,
        target_lang,
        edition.segments,
        asked.sent,
        asked.stored,
        asked.billed,
        _left(edition, asked.reasons),
    )


@dataclass
class _Asked:
    """Texts and their answers; asked in one run, and what was refused in a second one within the same budget."""

    target_lang: str
    progress: bool
    options: Mapping[str, Any]
    answers: dict[str, str] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    sent: int = 0
    stored: int = 0
    billed: int = 0

    def ask(self, texts: Sequence[str]) -> None:
        """Ask for all texts; raises where not all of them could be sent."""
        from svc_nb.accessor.jobs import finished

        different = list(dict.fromkeys(texts))
        if not different:
            return
        budget = self.options.get("budget")
        left = None if budget is None else max(budget - self.billed, 0)
        job = _job(different, self.target_lang, progress=self.progress, **{**self.options, "budget": left})
        _whole(finished(job))
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
            self.sent += status == "done" and not stored
        self.billed += int(table["billed_characters"].sum())


def _whole(job: Translation) -> None:
    """Raise where not all texts were sent: nothing half is written."""
    from svc_nb.errors import SvcError

    report = job.progress
    unsent = report.unsent.total()
    kept = f"{unsent:,} of {report.rows:,} texts were not sent, so nothing is written; what is done is kept"
    if report.unsent["interrupted"]:
        raise KeyboardInterrupt(f"{kept}: the same call goes on with the rest.")
    if report.unsent["budget"]:
        raise SvcError(
            f"The budget is spent: {kept}. Run it again with a larger one; only the rest is paid for."
        )
    job.result()
    if unsent:
        raise report.error or SvcError(f"{kept}.")


def _job(texts: Sequence[str], target_lang: str, *, progress: bool, **options: Any) -> Translation:
    import pandas as pd

    from svc_nb.accessor.jobs import translation

    if not isinstance(target_lang, str):
        raise TypeError(f'target_lang: expected one code such as "DE", found {type(target_lang).__name__}')
    if "tag_handling" in options:
        raise TypeError("tag_handling: texts are sent as XML here, so that what is in them stays")
    fields: Any = {name: value for name, value in options.items() if value is not None}
    fields["tag_handling"] = "xml"
    column = pd.Series(list(dict.fromkeys(texts)), dtype=object)
    return translation(column, None, target_lang, progress, fields)


def _left(edition: Edition, reasons: Mapping[str, str]) -> Report:
    import pandas as pd

    from svc_nb.frames.report import Report, plural
    from svc_nb.prose.edition import NO_ANSWER

    def why(left: Left) -> str:
        return reasons.get(left.text, left.reason) if left.reason == NO_ANSWER else left.reason

    rows = [(left.cell, left.line, left.kind, why(left), left.text) for left in edition.left]
    table = pd.DataFrame(rows, columns=["cell", "line", "kind", "reason", "text"]).convert_dtypes()
    said = f"{plural(len(rows), 'text')} stayed as they were" if rows else "all that is prose was translated"
    return Report(table, said)


# ---- names and files


def _names(given: Collection[str] | str) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _code(given: Collection[str] | str) -> tuple[str, ...]:
    names = _names(given)
    for name in names:
        if name not in CODE:
            raise ValueError(f"code: expected {' or '.join(map(repr, CODE))}, found {name!r}")
    return names


def _document(
    source: Path, raw: bytes, *, code: Collection[str] | str, front_matter: Collection[str] | str
) -> Document:
    from svc_nb.prose.documents import Markdown
    from svc_nb.prose.notebook import Notebook

    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{source}: expected UTF-8, found other bytes") from None
    names, wanted = _names(front_matter), _code(code)
    if source.suffix.lower() in MARKDOWN:
        return Markdown(text, names, frozenset(wanted))
    try:
        return Notebook.read(text, code=wanted, front_matter=names)
    except ValueError as problem:
        raise ValueError(f"{source}: {problem}") from None


def _read(source: Path) -> bytes:
    if source.suffix.lower() not in NOTEBOOKS + MARKDOWN:
        raise ValueError(f"{source}: expected a file {', '.join(NOTEBOOKS + MARKDOWN)}")
    return source.read_bytes()


def _place(source: Path, target_lang: str, out: PathOf | None) -> Path:
    """Where the translation goes; raises ValueError where that is the source."""
    name = f"{source.stem}.{str(target_lang).lower()}{source.suffix}"
    place = source.with_name(name) if out is None else Path(out)
    if place.is_dir():
        place = place / (source.name if place.resolve() != source.parent.resolve() else name)
    if place.suffix.lower() != source.suffix.lower():
        raise ValueError(f"out: expected a folder or a {source.suffix} file, found {place}")
    if place.resolve() == source.resolve() or (place.exists() and place.samefile(source)):
        raise ValueError(f"out: {place} is the source, which stays as it is; name another file")
    return place


def _write(shelf: Any, place: Path, raw: bytes, text: str, *, replace: bool) -> None:
    mark = b"\xef\xbb\xbf"
    data = (mark if raw.startswith(mark) else b"") + text.encode()
    shelf.write(place, data, replace=replace)


def _shelf() -> Any:
    """The list of files that were written here, beside the store."""
    from svc_nb.frames.written import Written
    from svc_nb.session import current_settings

    return Written(Path(current_settings().written_path))
