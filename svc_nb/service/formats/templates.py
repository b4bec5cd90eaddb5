"""Tags of template languages in pages and texts: hidden while a file is taken apart, and put back as they were.

Jinja, Django, Twig, Liquid, Handlebars, Mustache, Go, Vue, Angular, ERB, EJS, PHP, JSP and Blade. A mark takes the
place of each tag. It has no spaces, quotation marks or brackets, and the length of the tag (if that is at most 500), so
that neither the parts of a page nor the lines of a text are cut elsewhere for it. No file has such a mark: NUL is
refused before.
"""

import re
from collections.abc import Callable, Iterable, Iterator

from .passage import Piece

# What is in these is not for people.
_WHOLE = "comment|highlight|code|codeblock|javascript|katex|math|mermaid|plantuml|schema|style|stylesheet"
# Blade's directives with arguments, and the control flow of Angular.
_DIRECTIVES = (
    "auth|aware|can|cannot|case|choice|class|component|defer|each|else ?if|empty|env|extends|for|foreach|forelse|guest"
    "|if|include|includeFirst|includeIf|includeUnless|includeWhen|inject|isset|json|lang|let|method|props|push|section"
    "|slot|stack|switch|unless|use|vite|while|yield"
)
_IN_BRACKETS = r"""(?:[^()'"]|'[^'\n]*'|"[^"\n]*")"""
_ARGUMENTS = rf"\((?:{_IN_BRACKETS}|\((?:{_IN_BRACKETS}|\({_IN_BRACKETS}*+\))*+\))*+\)"
_TAG = re.compile(
    rf"\{{%[-+~]?\s*(?P<whole>{_WHOLE})\b(?:(?!\{{%|%\}}).)*+%\}}(?:(?!\{{%[-+~]?\s*(?P=whole)\b|</code).)*?\{{%[-+~]?\s*end(?P=whole)\s*[-+~]?%\}}"
    rf"|\{{\{{[<%]\s*(?P<code>{_WHOLE})\b(?:(?!\{{\{{[<%]|[>%]\}}\}}).)*+[>%]\}}\}}(?:(?!\{{\{{[<%]\s*(?P=code)\b).)*?\{{\{{[<%]\s*/\s*(?P=code)\s*[>%]\}}\}}"
    r"|\{%(?:(?!\{%|%\}).)*+%\}"
    r"|\{#(?=[\s\-\w])(?:(?!\{#|#\}).)*+#\}"
    r"|\{\{!--(?:(?!\{\{!--|--~?\}\}).)*+--~?\}\}|\{\{--(?:(?!\{\{--|--\}\}).)*+--\}\}|\{!!(?:(?!\{!!|!!\}).)*+!!\}"
    r"|\{\{\{(?:(?!\{\{|\}\}\}).)*+\}\}\}|\{\{(?!\s*\w+\s*,\s*(?:plural|select))(?:(?!\{\{|\}\}|\n\s*\n|</code).)*+\}\}|\{\{[^{}<\n]*+\}"
    r"|<%--(?:(?!<%--|--%>).)*+--%>|<%(?:(?!<%|%>).)*+%>"
    r"|<\?(?:php\b|=|(?=\s))(?:(?!\?>).)*+(?:\?>|\Z)"
    r"|[$#]\{(?:[^{}\n]|\{[^{}\n]*\})*+\}"
    rf"|(?<![\w@.])@(?:(?:{_DIRECTIVES})\s?{_ARGUMENTS}(?:[ \t]*\{{)?"
    r"|(?:else|empty|default|placeholder|loading|error)[ \t]*\{"
    rf"|php\b(?!\s*\()(?:(?!@php\b).)*?@endphp|(?:else|csrf|parent|end(?:{_DIRECTIVES}|php))\b(?![\w-]))",
    re.DOTALL | re.IGNORECASE,
)
# Tags that stand for a text. All others end the text before them.
_VALUE_TAGS = "csrf_token|cycle|firstof|gettext|now|static|trans|translate|url|widthratio"
_BLOCKS = "block|break|continue|define|else|end|if|range|template|with"
_VALUE = re.compile(
    rf"\{{%[-+~]?\s*(?:{_VALUE_TAGS})\b|\{{!!|[$#]\{{|<%[=-]|<\?=|<\?php\s+echo\b|@(?:lang|choice|json)\b"
    rf"|\{{\{{\{{?(?!-?\s*/?[*]|!|--|~?[#/^>]|[-~]?\s*(?:{_BLOCKS})\b)",
    re.IGNORECASE,
)
_ELEMENT = re.compile(r"</?[\w:-]{0,100}\0[vb]\d+\0[^<>]*>")
MARK = re.compile(r"\0[vb](\d+)\0")
BORDER = re.compile(r"(\0b\d+\0)")
_ONLY_TAGS = re.compile(r"(?:\s*\0[vb]\d+\0)+\s*")


class Hidden:
    """A *text* with marks in the place of its template tags."""

    def __init__(self, text: str) -> None:
        self._tags: list[str] = []
        self.text = _TAG.sub(lambda tag: self._mark(tag[0], "v" if _VALUE.match(tag[0]) else "b"), text)
        if self._tags:  # an element whose name is, or is followed at once by, a template tag
            self.text = _ELEMENT.sub(lambda tag: self._mark(tag[0], "b"), self.text)

    def _mark(self, tag: str, kind: str) -> str:
        self._tags.append(tag)
        kind = "b" if "\n" in tag or "\r" in tag else kind
        return f"\0{kind}{len(self._tags) - 1:0{min(max(len(tag) - 3, 1), 500)}d}\0"

    def shown(self, text: str) -> str:
        """Return *text*, which has marks of this one, with the tags in their places."""
        while MARK.search(text):  # a tag may have others in it
            text = MARK.sub(lambda mark: self._tags[int(mark[1])], text)
        return text


def pieces_around(text: str, pieces: Callable[[str], Iterable[Piece]]) -> Iterator[Piece]:
    """Yield the marks in *text* as pieces that stay, and the *pieces* of what is between them."""
    at = 0
    for mark in MARK.finditer(text) if "\0" in text else ():
        yield from pieces(text[at : mark.start()]) if mark.start() > at else ()
        yield Piece(mark[0], breaks=mark[0][1] == "b")
        at = mark.end()
    yield from pieces(text[at:]) if at < len(text) else ()


def is_only_tags(line: str) -> bool:
    """Tell whether there is nothing but template tags in *line*."""
    return _ONLY_TAGS.fullmatch(line) is not None
