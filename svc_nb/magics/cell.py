"""`%%translate` and `%translate`: translate a cell of Markdown, HTML or text, or the words of a line.

The result is shown as rendered Markdown or HTML, or as plain text. Nothing in it is ever run.
"""

from __future__ import annotations

import re
from html import escape
from typing import Any, Self

import pandas as pd
from IPython.core.error import UsageError

from svc_nb.errors import warn
from svc_nb.magics.line import (
    MagicCall,
    MagicParser,
    UserNamespace,
    Word,
    add_result_options,
    add_translation_options,
    words,
)
from svc_nb.tabular.report import plural


class StayedAsItWas(UserWarning):
    """Part of the text was not translated, because that would have changed its markup."""


MARKDOWN, HTML, TEXT, RAW = "markdown", "html", "text", "raw"
LEFT = "<pre dir='ltr'>"
FROM_THE_RIGHT = frozenset({"ar", "ckb", "dv", "fa", "he", "prs", "ps", "sd", "ug", "ur", "yi"})
# "$5 and $6" in plain text is not a formula.
PLAIN = "class='tex2jax_ignore mathjax_ignore' style='white-space: pre-wrap'"
WHERE = 'no target language: write %%translate DE, or set one with %config SvcMagics.target_lang = "DE"'
# Shorter ones are done before anyone could read a progress bar.
LONG = 5_000
CAPITALS = re.compile(r"[A-Z]{2,3}(-[A-Z0-9]{2,4})*")

OPTIONS = MagicParser("translate", "LANGUAGE [options] words …    or    %%translate [LANGUAGE] [options]")
TO, AS_TEXT = "the target language, if it is not the first word", "the cell is plain text"
AS_HTML = "the cell is HTML; the default is Markdown"
OPTIONS.add_argument("--to", action="append", metavar="LANGUAGE", help=TO)
add_translation_options(OPTIONS)
OPTIONS.add_argument("--html", dest="kind", action="store_const", const=HTML, help=AS_HTML)
OPTIONS.add_argument("--text", dest="kind", action="store_const", const=TEXT, help=AS_TEXT)
OPTIONS.add_argument("--raw", action="store_true", help="show the result as source text, not rendered")
add_result_options(OPTIONS)


def cell_help() -> str:
    """The text of `%translate?`."""
    return f"""Translate a cell of Markdown, HTML or text, or the words of a line.

{OPTIONS.help()}

For example: %translate DE Good morning
             %%translate FR --glossary Outdoor --as french
"""


def split_words(line: str, *, default: str) -> tuple[str, list[Word], str]:
    """The language, the options and the text of a line; if there is a *default*, a language must be in capitals.

    >>> language, options, text = split_words("DE --from EN It's  {fine}", default="")
    >>> language, [word.text for word in options], text
    ('DE', ['--from', 'EN'], "It's  {fine}")
    >>> split_words("it works", default="DE")[0], split_words("FR it works", default="DE")[0]
    ('', 'FR')
    """
    language, options, found = "", list[Word](), words(line)
    while found:
        word = found[0].text
        if found[0].is_option:
            action = OPTIONS.actions.get(word)
            has_value = "=" not in word and action is not None and action.nargs != 0
            count = 2 if has_value else 1  # the next word is its value
            options += found[:count]
            del found[:count]
        elif (
            language
            or any(each.text.startswith("--to") for each in options)
            or (default and not CAPITALS.fullmatch(word))
        ):
            break
        else:
            language = found.pop(0).text
    return language, options, line[found[0].start :].rstrip() if found else ""


def translate(line: str, cell: str | None, *, names: UserNamespace, defaults: Any) -> ShownText | None:
    """Translate the cell or, without one, the words of the line; None if the result gets a name."""
    language, given, said = split_words(line, default=defaults.target_lang if cell is None else "")
    options, _ = OPTIONS.read(given, names)
    if cell is not None and said:
        raise UsageError(f"%%translate: the text belongs in the lines below, found {said[:40]!r} on this line")
    if language and not options.to:
        is_name = language.startswith("{") and language.endswith("}")
        options.to = [str(names.value(language[1:-1])) if is_name else language]
    text = said if cell is None else cell
    if not text.strip():
        raise UsageError("there is no text: write it after the language, or in the cell below %%translate DE")
    if not options.to and not defaults.target_lang:
        raise UsageError(WHERE)
    call = MagicCall(text, options, names, defaults)
    targets = call.targets()
    if len(targets) != 1:
        raise UsageError("%%translate takes one language; for several, use %svc translate")
    kind = options.kind or (TEXT if cell is None else MARKDOWN)

    def work() -> ShownText | str | None:
        made = _translated(call, targets[0], kind)
        if made is None or options.name is not None:
            return made
        return ShownText(made, kind=RAW if options.raw else kind, target_lang=targets[0])

    return call.kept(work)  # type: ignore[no-any-return]


def _translated(call: MagicCall, target: str, kind: str) -> str | None:
    """The translated text of *call*; None if the budget is spent."""
    from svc_nb import notebooks

    fields = {**call.fields(), "progress": call.defaults.progress and len(call.head) >= LONG}
    if kind == TEXT:
        texts: Any = pd.Series([call.head], dtype=object)
        found = texts.svc.translate(target, **fields).iloc[0]
        return None if pd.isna(found) else str(found)
    made = notebooks.translate_source(call.head, target, kind=kind, **fields)
    if len(made.left):
        reasons = ", ".join(sorted(set(made.left["reason"])))
        warn(StayedAsItWas(f"{plural(len(made.left), 'part')} of the text not translated: {reasons}"))
    return made.text


# ---- display in a notebook


class ShownText(str):
    """A translated text: a str whose `kind` says how a notebook displays it."""

    kind: str
    target_lang: str

    def __new__(cls, text: str, *, kind: str, target_lang: str) -> Self:
        """*text* with a kind: "markdown", "html", "text", or "raw" for its source text."""
        made = super().__new__(cls, text)
        made.kind, made.target_lang = kind, target_lang
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return str, (str(self),)

    def __str__(self) -> str:
        return "".join(self)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        plain = {"text/plain": str(self)}
        if self.kind == RAW:
            return plain
        return {**plain, "text/html": as_html(str(self), self.kind, self.target_lang)}

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))


def as_html(text: str, kind: str, target_lang: str) -> str:
    """*text* as HTML without scripts, right to left if its language is; code is always left to right."""
    way = "rtl" if target_lang.partition("-")[0].lower() in FROM_THE_RIGHT else "auto"
    place = f"dir='{way}' lang='{escape(target_lang)}'"
    if kind == TEXT:
        return f"<div {place} {PLAIN}>{escape(text)}</div>"
    html = safe(rendered(text) if kind == MARKDOWN else text)
    return f"<div {place}>{html.replace('<pre>', LEFT)}</div>"


def rendered(markdown: str) -> str:
    """Markdown as HTML; formulas stay as they are, for the notebook to render."""
    from markdown_it import MarkdownIt
    from mdit_py_plugins.amsmath import amsmath_plugin
    from mdit_py_plugins.deflist import deflist_plugin
    from mdit_py_plugins.dollarmath import dollarmath_plugin
    from mdit_py_plugins.footnote import footnote_plugin
    from mdit_py_plugins.front_matter import front_matter_plugin

    def formula(content: str, how: dict[str, bool]) -> str:
        dollars = "$$" if how.get("display_mode") else "$"
        return f"{dollars}{escape(content)}{dollars}"

    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    for plugin in (deflist_plugin, footnote_plugin, front_matter_plugin):
        parser.use(plugin)
    parser.use(dollarmath_plugin, renderer=formula, allow_space=False, allow_digits=False)
    parser.use(amsmath_plugin, renderer=escape)
    tokens = parser.parse(markdown)
    for token in tokens:  # alignment is the only style allowed in tables
        if token.type in ("th_open", "td_open") and "style" in token.attrs:
            token.attrs["align"] = str(token.attrs.pop("style")).removeprefix("text-align:")
    return str(parser.renderer.render(tokens, parser.options, {}))


def safe(html: str) -> str:
    """*html* without scripts, styles, forms and anything else that could run or affect the rest of the page."""
    import nh3

    attributes = {tag: set(names) for tag, names in nh3.ALLOWED_ATTRIBUTES.items()}
    attributes["*"] = {"dir", "lang", "title"}
    attributes.setdefault("code", set()).add("class")
    tags = nh3.ALLOWED_TAGS | {"section", "main", "tfoot"}
    return nh3.clean(html, tags=set(tags), attributes=attributes, clean_content_tags={"script", "style", "title"})
