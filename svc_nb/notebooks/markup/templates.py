"""Tags of template languages in HTML and Markdown: where they are, and which of them stand for a text.

Jinja, Django, Twig, Liquid, Handlebars, Mustache, Go, Vue, Angular, ERB, EJS, PHP, JSP and Blade.
"""

import re

# The content of these is not for people.
WHOLE = "comment|highlight|code|codeblock|javascript|katex|math|mermaid|plantuml|schema|style|stylesheet"
# Blade's directives with arguments, and the control flow of Angular.
DIRECTIVES = (
    "auth|aware|can|cannot|case|choice|class|component|defer|each|else ?if|empty|env|extends|for|foreach|forelse|guest"
    "|if|include|includeFirst|includeIf|includeUnless|includeWhen|inject|isset|json|lang|let|method|props|push|section"
    "|slot|stack|switch|unless|use|vite|while|yield"
)
IN_BRACKETS = r"""(?:[^()'"]|'[^'\n]*'|"[^"\n]*")"""
ARGUMENTS = rf"\((?:{IN_BRACKETS}|\((?:{IN_BRACKETS}|\({IN_BRACKETS}*+\))*+\))*+\)"
TAG = re.compile(
    rf"\{{%[-+~]?\s*(?P<whole>{WHOLE})\b(?:(?!\{{%|%\}}).)*+%\}}(?:(?!\{{%[-+~]?\s*(?P=whole)\b|</code).)*?\{{%[-+~]?\s*end(?P=whole)\s*[-+~]?%\}}"
    rf"|\{{\{{[<%]\s*(?P<code>{WHOLE})\b(?:(?!\{{\{{[<%]|[>%]\}}\}}).)*+[>%]\}}\}}(?:(?!\{{\{{[<%]\s*(?P=code)\b).)*?\{{\{{[<%]\s*/\s*(?P=code)\s*[>%]\}}\}}"
    r"|\{%(?:(?!\{%|%\}).)*+%\}"
    r"|\{#(?=[\s\-\w])(?:(?!\{#|#\}).)*+#\}"
    r"|\{\{!--(?:(?!\{\{!--|--~?\}\}).)*+--~?\}\}|\{\{--(?:(?!\{\{--|--\}\}).)*+--\}\}|\{!!(?:(?!\{!!|!!\}).)*+!!\}"
    r"|\{\{\{(?:(?!\{\{|\}\}\}).)*+\}\}\}|\{\{(?!\s*\w+\s*,\s*(?:plural|select))(?:(?!\{\{|\}\}|\n\s*\n|</code).)*+\}\}|\{\{[^{}<\n]*+\}"
    r"|<%--(?:(?!<%--|--%>).)*+--%>|<%(?:(?!<%|%>).)*+%>"
    r"|<\?(?:php\b|=|(?=\s))(?:(?!\?>).)*+(?:\?>|\Z)"
    r"|[$#]\{(?:[^{}\n]|\{[^{}\n]*\})*+\}"
    rf"|(?<![\w@.])@(?:(?:{DIRECTIVES})\s?{ARGUMENTS}(?:[ \t]*\{{)?"
    r"|(?:else|empty|default|placeholder|loading|error)[ \t]*\{"
    rf"|php\b(?!\s*\()(?:(?!@php\b).)*?@endphp|(?:else|csrf|parent|end(?:{DIRECTIVES}|php))\b(?![\w-]))",
    re.DOTALL | re.IGNORECASE,
)
# Tags that stand for a text; all others are between two texts.
VALUE_TAGS = "csrf_token|cycle|firstof|gettext|now|static|trans|translate|url|widthratio"
BLOCKS = "block|break|continue|define|else|end|if|range|template|with"
VALUE = re.compile(
    rf"\{{%[-+~]?\s*(?:{VALUE_TAGS})\b|\{{!!|[$#]\{{|<%[=-]|<\?=|<\?php\s+echo\b|@(?:lang|choice|json)\b"
    rf"|\{{\{{\{{?(?!-?\s*/?[*]|!|--|~?[#/^>]|[-~]?\s*(?:{BLOCKS})\b)",
    re.IGNORECASE,
)


def tags(source: str) -> list[str]:
    """All template tags, in order."""
    return [found.group() for found in TAG.finditer(source)]


def kept(source: str) -> tuple[list[str], list[str]]:
    """The template tags that must stay: those between texts in order, those for texts in any order."""
    found = tags(source)
    return [tag for tag in found if not is_value(tag)], sorted(tag for tag in found if is_value(tag))


def is_value(tag: str) -> bool:
    """Whether a tag stands for a text, within a sentence; one over several lines does not."""
    return VALUE.match(tag) is not None and "\n" not in tag


def blanked(source: str) -> str:
    """The source, as long as it was, with spaces in place of the template tags; in the name of a tag, letters."""

    def blank(found: re.Match[str]) -> str:
        before = source[max(found.start() - 2, 0) : found.start()]
        sign = "x" if before.endswith(("<", "</")) else " "
        return re.sub(r"[^\r\n]", sign, found.group())

    return TAG.sub(blank, source)
