"""Placeholders of template languages, format strings and ICU messages."""

from __future__ import annotations

import re

from svc_nb.columns.protection import messages
from svc_nb.columns.protection.letters import LETTER
from svc_nb.columns.protection.spans import Span

HINTS = ("{", "%")

_FLAGS = r"[-+#0]{0,5}+"
_WIDTH = r"(?:\d{1,4}+|\*)"
_WIDTH = r"(?:\d{1,4}+|\*)"
_FORMAT = rf"(?:\d{{1,3}}\$)?+{_FLAGS}{_WIDTH}?+(?:\.{_WIDTH})?+(?:hh?|ll?|[qjztL])?+[diouxXeEfFgGcrs@]"
_DATE = "-?[aAbBcCdDeFgGhHIjklmMnpPrRsStTuUvVwWxXyYzZ]"
# Begins with a class of characters, since that makes a search fast, and is judged by what stands before it afterwards.
# No branch may run on without a bound: a text of any kind costs no more than a multiple of its length.
_PLACEHOLDER = re.compile(
    r"[{%](?:(?<=\{)(?:"
    r"\{\{?[^{}]{0,200}\}\}\}?"  # {{name}}, {{ name | filter }}, {{{raw}}}
    r"|%[^{}]{0,200}%\}"  # {% if new %}
    r"|\s{0,9}\w{1,100}\s{0,9},\s{0,9}(?:number|date|time|spellout|ordinal|duration)\b[^{}]{0,200}\}"  # {n, number}
    r"|[\w.!\[\]]{0,100}+:[^{}\s]{0,50}+(?:\{[^{}\s]{0,50}+\}[^{}\s]{0,50}+){1,3}+\}"  # {name!r:>{width}}
    r"|\s{0,9}[^{}\s]{0,200}\s{0,9}\}"  # {}, {0}, { name }, {name:>5}
    r"|(?<=[$#]\{)[^{}]{1,200}\}"  # ${a + b}, #{a + b}
    r")|(?<=%)(?:"
    r"[A-Za-z_][\w.]{1,60}%(?![\w%])"  # %USER_NAME%
    rf"|\([^()\s]{{1,100}}\){_FLAGS}(?:\d{{1,4}})?(?:\.\d{{1,4}})?[diouxXeEfFgGcrsa]"  # %(name)s
    rf"|(?<!\d%){_DATE}(?:[-/.:,T]?%{_DATE}){{1,20}}(?!{LETTER})"  # %Y-%m-%d, %H:%M
    rf"|(?<!\d%){_FORMAT}(?!{LETTER}{{3}})"  # %s, %1$s, %-5.2f, and %dpx, but neither 20%discount nor %change
    rf"|{_FORMAT}(?!{LETTER})"  # 100%d
    r"|%"  # %%
    r"))"
)
_SIGILS = "$#%"


def placeholders(text: str) -> list[Span]:
    """Placeholders; of a plural or a choice all but the texts of its arms, which are there to be translated."""
    found = [each.span() for each in _PLACEHOLDER.finditer(text)]
    if "{" not in text:
        return found
    spans: list[Span] = []
    if inside := messages.spans(text):
        spans += [span for message in inside for span in messages.skeleton(text, message)]
        # The braces in messages are accounted for.
        found = [span for span in found if text[span[0]] == "%" or not messages.covers(inside, span[0])]
    for start, end in found:
        sigil = start and text[start] == "{" and text[start - 1] in _SIGILS  # ${name}
        spans.append((start - 1 if sigil else start, end))
    return spans
