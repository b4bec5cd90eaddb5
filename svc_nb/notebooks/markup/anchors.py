"""Links to headings: a linked heading gets an anchor with its old name, because its name changes with its words.

Each program derives names from words in its own way: GitHub, GitLab, MkDocs, Sphinx and Jupyter are supported. Explicit
ids (`<a id="x">`, `{#x}`, `(x)=`) stay, and need no anchor.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from html import escape, unescape
from unicodedata import normalize
from urllib.parse import unquote

from markdown_it.token import Token

from svc_nb.notebooks.markup import html, templates
from svc_nb.notebooks.markup.parser import Labels, directive_in, labels, read
from svc_nb.notebooks.segments import Left, SourceLines, line_start

DEAD = "no heading and no id has this name"
HTML_HEADING = re.compile(
    r"(<h([1-6])\b(?:[^<>]|<(?!h[1-6]\b))*+>)((?:(?!<h[1-6]\b).)*?)</h\2\s*+>", re.IGNORECASE | re.DOTALL
)
HTML_LINK = re.compile(r"""<a\s(?:[^<>]|<(?!a\s))*?href\s*=\s*["']#([^"']+)["']""", re.IGNORECASE)
WRITTEN_ID = re.compile(
    r"""\s(?:id|name)\s*=\s*["']?([^"'\s>]+)|\{(?=[^{}\n]*+\})[^{}\n]*#([\w:.-]+)[^{}\n]*\}""", re.IGNORECASE
)
NAMED = re.compile(r"(?m)^[ \t]*:(?:name|label):[ \t]*(\S+)")
IN_NAME = r"""((?:\([^\s"'<>{}()]*\)|[^\s"'<>{}()])++)"""  # brackets in a name come in pairs
CODE = re.compile(
    r"^[ >]*(?P<fence>`{3,}+|~{3,}+).*?^[ >]*(?P=fence)"
    r"|(?<!`)(?P<ticks>`++)[^\n]{0,5000}?(?<!`)(?P=ticks)(?!`)",
    re.M | re.S,
)
LINK_TO = re.compile(
    rf"""(\]\(\s*<?#|\bhref\s*=\s*["']#|^[ \t]*\[[^\]\n]+\]:[ \t]*<?#){IN_NAME}""", re.IGNORECASE | re.M
)
ID_OF = re.compile(
    rf"""(\sid\s*=\s*["']?|<a\s+name\s*=\s*["']?|\{{[^{{}}\n]{{0,200}}#|^\(){IN_NAME}(?=["'\s>}}]|\)=)""",
    re.IGNORECASE | re.M,
)
MYST_TARGET = re.compile(r"[a-zA-Z0-9|@<>*./_\-+:]{1,100}")
NO_TARGET = re.compile(r"top\Z|cell-id=|.*:~:", re.IGNORECASE)  # links that a program resolves without an id


def _ascii(text: str) -> str:
    return normalize("NFKD", text).encode("ascii", "ignore").decode().lower()


# How each program derives a name from a heading's words, and what it appends to a name that is taken.
STYLES: Sequence[tuple[Callable[[str], str], str]] = (
    (lambda text: re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-"), "-{}"),  # GitHub, MyST
    (lambda text: text.replace(" ", "-"), ""),  # Jupyter
    (lambda text: re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", _ascii(text)).strip()), "_{}"),  # MkDocs
    (lambda text: re.sub(r"[^a-z0-9]+", "-", _ascii(text)).strip("-"), "-{}"),  # Sphinx
    (lambda text: re.sub(r"-+", "-", re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")), "-{}"),  # GitLab
    (lambda text: re.sub(r"[^\w\-\ufe0f ]", "", text.lower()).replace(" ", "-"), "-{}"),  # GitHub, emoji
    (lambda text: re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-").strip("-"), "-{}"),
)


@dataclass(frozen=True)
class Heading:
    """A heading: its words, and where they begin in the source."""

    text: str
    at: int
    is_line: bool  # it begins a line


def anchored(
    sources: Sequence[str], results: Sequence[str], *, linked: Sequence[str] = (), ending: str = ""
) -> tuple[list[str], list[tuple[int, Left]]]:
    """The results with an anchor at each linked heading, and the links with unknown targets.

    *sources* are the parts of one page, a text or the cells of a notebook, *results* their translations; *linked* are
    names that other pages link to. A link comes with the number of its part. With an *ending*, the page will be part
    of one in several languages: all its names, and the links to them, get it.
    """
    found = [(number, line, name) for number, source in enumerate(sources) for line, name in fragments(source)]
    found += [(0, 0, name) for name in linked]
    if not found and not ending:
        return list(results), []
    before = [headings(source) for source in sources]
    after = [headings(result) for result in results]
    is_same = list(map(len, before)) == list(map(len, after))
    old, new = (targets([each.text for part in parts for each in part]) for parts in (before, after))
    written = {name for source in sources for name in ids(source)}
    left: list[tuple[int, Left]] = []
    wanted: dict[str, int] = {}
    for part, line, name in found:
        if name in old and name not in written and is_same:
            if new.get(name) != old[name] or ending:
                wanted[name] = old[name]
        elif line and name not in written:
            left.append((part, Left("link", line, DEAD, f"#{name}")))
    is_myst = any(token.type == "myst_target" or token.info.startswith("{") for each in sources for token in walk(each))
    done = _with_anchors(results, after, wanted, is_myst=is_myst)
    return [renamed(text, {*written, *wanted}, ending) if ending else text for text in done], left


def _with_anchors(
    results: Sequence[str], after: Sequence[Sequence[Heading]], wanted: dict[str, int], *, is_myst: bool
) -> Iterator[str]:
    first = 0
    for result, part in zip(results, after, strict=True):
        edits: list[tuple[int, str]] = []
        end = "\r\n" if "\r\n" in result else "\n"
        for number, heading in enumerate(part, first):
            names = [name for name, target in wanted.items() if target == number]
            if names and is_myst and heading.is_line and all(map(MYST_TARGET.fullmatch, names)):
                edits.append((line_start(result, heading.at), "".join(f"({name})={end}" for name in names)))
            elif names:
                edits.append((heading.at, "".join(f'<a id="{escape(name)}"></a>' for name in names)))
        first += len(part)
        done = result
        for at, text in reversed(edits):
            done = done[:at] + text + done[at:]
        yield done


def renamed(text: str, names: Collection[str], ending: str) -> str:
    """The text with an *ending* after some names, at their definitions and in links. Code stays as it is."""

    def longer(found: re.Match[str]) -> str:
        name = unescape(unquote(found[2]))
        return found[1] + found[2] + ending if name in names else found.group()

    at, done = 0, []
    for code in (*CODE.finditer(text), None):
        between = text[at : code.start() if code else len(text)]
        for pattern in (LINK_TO, ID_OF):
            between = pattern.sub(longer, between)
        done += [between, code.group() if code else ""]
        at = code.end() if code else at
    return "".join(done)


def targets(texts: Sequence[str]) -> dict[str, int]:
    """The names of headings in every style, with the number of the heading for each."""
    found: dict[str, int] = {}
    for name_of, numbered in STYLES:
        seen: Counter[str] = Counter()
        for number, text in enumerate(texts):
            name = name_of(text.strip())
            taken = seen[name]
            seen[name] += 1
            if name and (not taken or numbered):
                found.setdefault(name + numbered.format(taken) if taken else name, number)
    return found


def headings(source: str) -> list[Heading]:
    """The headings of a Markdown text, including HTML, in order; those in directives are left out."""
    view = SourceLines.of(source)
    tokens, _ = read(view.text)
    found: list[Heading] = []
    for before, token in zip([None, *tokens], tokens, strict=False):
        if token.map is None:
            continue
        line = token.map[0]
        if token.type == "inline" and before and before.type == "heading_open":
            at = max(view.line(line).find(token.content.split("\n")[0]), 0)
            found.append(Heading(_words(token), view.spans[line][0] + at, view.line(line).startswith("#")))
        elif token.type == "html_block":
            place = view.within(line, token.content.rstrip("\n").split("\n"))
            for each in HTML_HEADING.finditer(place.text) if place else ():
                at = place.part(each.end(1), each.end(1)).spans[-1][1] if place else 0
                found.append(Heading(_html_words(each[3]), at, False))
    return found


def _words(token: Token) -> str:
    """The words of a heading as a page shows them."""
    kept = (child for child in token.children or [] if child.type in ("text", "code_inline", "softbreak"))
    return "".join(child.content if child.type != "softbreak" else " " for child in kept)


def _html_words(source: str) -> str:
    return unescape("".join(piece.source for piece in html.pieces(source) if piece.kind == "text"))


def walk(text: str, around: Labels = ()) -> Iterator[Token]:
    """The tokens of a Markdown text, and of those in its directives; lines are those of the directive there."""
    tokens, env = read(text, around)
    for token in tokens:
        yield token
        directive = directive_in(token)
        if directive:
            yield from walk(directive.text, labels(env))


def ids(source: str) -> set[str]:
    """The explicit names in a text, which stay."""
    found: set[str] = set()
    for token in walk(source):
        if token.type == "myst_target":
            found.add(token.content.strip())
        elif token.type in ("inline", "html_block", "template_block"):
            found |= {one or other for one, other in WRITTEN_ID.findall(token.content)}
        elif token.type in ("fence", "colon_fence"):
            found |= set(NAMED.findall(token.content))
    return found


def fragments(source: str) -> Iterator[tuple[int, str]]:
    """The names that a text links to within its page, and the line of each."""
    for token in walk(source):
        line = token.map[0] + 1 if token.map else 1
        names = HTML_LINK.findall(token.content) if token.type in ("inline", "html_block") else []
        links = [str(child.attrs.get("href", "")) for child in token.children or []]
        for name in [*names, *(href[1:] for href in links if href.startswith("#"))]:
            target = unquote(name)
            if name and not NO_TARGET.match(name) and not templates.TAG.search("#" + target):
                yield line, target
