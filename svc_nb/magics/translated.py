"""A translated text as a notebook shows it: rendered Markdown or HTML, or plain text. Nothing in it is ever run."""

from __future__ import annotations

from html import escape
from typing import Any, Self

MARKDOWN, HTML, TEXT, RAW = "markdown", "html", "text", "raw"
LEFT = "<pre dir='ltr'>"
FROM_THE_RIGHT = frozenset({"ar", "ckb", "dv", "fa", "he", "prs", "ps", "sd", "ug", "ur", "yi"})
# "$5 and $6" in plain text is no formula.
PLAIN = "class='tex2jax_ignore mathjax_ignore' style='white-space: pre-wrap'"


class ShownText(str):
    """A translated text, which is a str in all else; `kind` says how a notebook shows it."""

    kind: str
    target_lang: str

    def __new__(cls, text: str, *, kind: str, target_lang: str) -> Self:
        """*text* as one of a kind: "markdown", "html", "text", or "raw" for its letters alone."""
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
    """*text* as HTML without scripts, from right to left where its language is written so; programs never are."""
    way = "rtl" if target_lang.partition("-")[0].lower() in FROM_THE_RIGHT else "auto"
    place = f"dir='{way}' lang='{escape(target_lang)}'"
    if kind == TEXT:
        return f"<div {place} {PLAIN}>{escape(text)}</div>"
    html = safe(rendered(text) if kind == MARKDOWN else text)
    return f"<div {place}>{html.replace('<pre>', LEFT)}</div>"


def rendered(markdown: str) -> str:
    """Markdown as HTML; formulas stay as they are, for the notebook to set."""
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
    for token in tokens:  # how a column is aligned is all that a table may say of its look
        if token.type in ("th_open", "td_open") and "style" in token.attrs:
            token.attrs["align"] = str(token.attrs.pop("style")).removeprefix("text-align:")
    return str(parser.renderer.render(tokens, parser.options, {}))


def safe(html: str) -> str:
    """*html* without scripts, styles, forms and whatever else could act, or reach out of its place."""
    import nh3

    attributes = {tag: set(names) for tag, names in nh3.ALLOWED_ATTRIBUTES.items()}
    attributes["*"] = {"dir", "lang", "title"}
    attributes.setdefault("code", set()).add("class")
    tags = nh3.ALLOWED_TAGS | {"section", "main", "tfoot"}
    return nh3.clean(html, tags=set(tags), attributes=attributes, clean_content_tags={"script", "style", "title"})
