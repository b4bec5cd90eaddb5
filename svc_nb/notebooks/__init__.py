"""Translate notebooks and Markdown files: the words change, the structure does not.

    svc_nb.plan_notebook("report.ipynb", "DE")            # what would be sent; nothing is
    svc_nb.translate_notebook("report.ipynb", "DE")       # report.de.ipynb beside it
    svc_nb.translate_markdown("Some *Markdown*", "DE")    # one text

Code, formulas, link addresses, HTML tags, outputs and metadata stay as they are. This is checked for every text: the
result has the same Markdown tokens as the source except for the words. If a translation would change the structure, the
text is sent again in pieces, and if that does not help, it stays untranslated and is listed in the table `left`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from svc_nb.columns.options import Fields
from svc_nb.notebooks import run
from svc_nb.notebooks.run import PathOf, Translated, TranslatedNotebook
from svc_nb.signatures import shows
from svc_nb.tracebacks import module_verbs

if TYPE_CHECKING:
    from svc_nb.columns.summary import PlanSummary
    from svc_nb.notebooks.documents import SourceDocument

__all__ = [
    "Translated", "TranslatedNotebook", "plan_notebook", "translate_code", "translate_html", "translate_markdown",
    "translate_notebook", "translate_source",
]  # fmt: skip

CODE = ("comments", "strings")
# The options of a translation, except those that are set here.
OPTIONS = [name for name in Fields.__annotations__ if name not in ("tag_handling", "errors")]


@shows(OPTIONS)
def translate_notebook(
    path: PathOf,
    target_lang: str | Sequence[str],
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

    All texts go through the store in one run, so a second run sends only changed texts. The file is written as a whole
    or not at all: if the budget or the quota is spent, or on Ctrl-C, nothing is written, and the answers so far are
    saved for the next run.

    Parameters
    ----------
    path
        An .ipynb (format 4), .md or .markdown file, including MyST.
    target_lang
        The language to translate into: "DE", "EN-US". A list of languages makes one notebook with all of them: each
        Markdown cell is followed by its translations, each with a tag such as `lang-DE`.
    source_lang
        The language of the texts; None lets the service detect it.
    out
        The file to write, or a folder for it; None means beside the source: `report.de.ipynb`. The source itself is
        never replaced.
    code
        What to translate in code cells, and in fences of Markdown files: "comments" (including docstrings), "strings"
        (only prose), or both.
    front_matter
        The keys in the front matter whose values are translated: "title", "description", …; none by default.
    budget
        The most characters to pay for.
    progress
        Whether to show a progress bar.
    replace
        Whether to replace a file that svc_nb did not write, or that was changed since; otherwise FileExistsError is
        raised.
    options
        All options of `Series.svc.translate`: `formality`, `glossary`, `style`, `protect`, `context`, …
    """
    source = Path(path)
    if not isinstance(target_lang, str):
        from svc_nb.notebooks import languages

        if _names(code):
            raise ValueError("code: the languages of one notebook share its code cells. Leave it out")
        how = {"source_lang": source_lang, "front_matter": _names(front_matter), "progress": progress, **options}
        return languages.translate(source, target_lang, out=out, replace=replace, budget=budget, **how)
    target = run.language_code(target_lang)
    written = run.output_path(source, target, out)
    run.written_files().check(written, replace=replace)
    raw = run.read(source)
    document = run.document(source, raw, code=_code(code), front_matter=_names(front_matter))
    made = run.translate(document, target, progress=progress, source_lang=source_lang, budget=budget, **options)
    run.write(written, made.text, like=raw, replace=replace)
    return TranslatedNotebook(**vars(made), path=written, source=source)


@shows(OPTIONS)
def plan_notebook(
    path: PathOf,
    target_lang: str | Sequence[str],
    *,
    source_lang: str | None = None,
    code: Collection[str] | str = (),
    front_matter: Collection[str] | str = (),
    price: float | None = None,
    **options: Any,
) -> PlanSummary:
    """What `translate_notebook` would send and cost: texts, saved answers, characters; nothing is sent.

    The number of characters is a maximum: it includes the tags that stand for code, links and the like, which services
    do not bill. *price* is the price of a million characters; the other parameters are those of `translate_notebook`.
    For a list of languages the numbers are sums.
    """
    how = {"code": _code(code), "front_matter": _names(front_matter), "source_lang": source_lang, **options}
    if isinstance(target_lang, str):
        return run.plan(Path(path), target_lang, price=price, **how)
    from svc_nb.notebooks import languages

    return languages.plan(Path(path), target_lang, price=price, **{"budget": None, **how})


@shows(OPTIONS)
def translate_markdown(
    text: str, target_lang: str, *, source_lang: str | None = None, progress: bool = False, **options: Any
) -> str:
    """Translate a Markdown text, keeping all tokens but the words; texts for which that fails stay as they are.

    *options* are all options of `Series.svc.translate`, `front_matter` for the keys whose values are translated, and
    `code` for what is translated in fences with code: "comments", "strings".
    """
    return translate_source(text, target_lang, source_lang=source_lang, progress=progress, **options).text


@shows(OPTIONS)
def translate_html(
    text: str, target_lang: str, *, source_lang: str | None = None, progress: bool = False, **options: Any
) -> str:
    """Translate an HTML text: tags, scripts, styles, code and elements with `translate="no"` stay as they are."""
    return translate_source(text, target_lang, kind="html", source_lang=source_lang, progress=progress, **options).text


@shows(OPTIONS)
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
    """Translate the comments of a program and, if *code* names "strings", its strings that are prose."""
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


@shows(OPTIONS)
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
    """Translate a text and report on its segments.

    *kind* is "markdown", "html", "code" (in *language*) or "notebook" (the text of an .ipynb file). *code* names what
    is translated in code: for code the comments by default, for Markdown and notebooks nothing.
    """
    from svc_nb.notebooks.documents import Code, Html, Markdown, Notebook

    if not isinstance(text, str):
        raise TypeError(f"expected text, found {type(text).__name__}")
    names = _names(front_matter)
    wanted = frozenset(_code(code if code is not None else ("comments",) if kind == "code" else ()))
    kinds: dict[str, Callable[[], SourceDocument]] = {
        "markdown": lambda: Markdown(text, names, wanted),
        "html": lambda: Html(text),
        "code": lambda: Code(text, language, wanted),
        "notebook": lambda: Notebook.read(text, code=wanted, front_matter=names),
    }
    if kind not in kinds:
        raise ValueError(f"kind: expected one of {', '.join(kinds)}, found {kind!r}")
    return run.translate(kinds[kind](), target_lang, progress=progress, **options)


def _names(given: Collection[str] | str) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _code(given: Collection[str] | str) -> tuple[str, ...]:
    names = _names(given)
    for name in names:
        if name not in CODE:
            raise ValueError(f"code: expected {' or '.join(map(repr, CODE))}, found {name!r}")
    return names


module_verbs(globals())
