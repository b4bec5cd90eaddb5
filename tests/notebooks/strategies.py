"""Markdown as people and machines write it, for hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

PLAIN = "one two three été größer 中文 3.5 don't 50% snake_case https://a.b/c_d me@a.org :smile: docs/ file.py f()"
ODD = "C# a_b x*y 2* *2 $5 1. - # > & &amp; \\* < <3 a<b [1] [x] ! ~ ~~ : | {name} {{v}} a/b \\ \\\\ <b </b> ` `` **a"
RAW = [
    *(
        "`co de`",
        "$x^2_i$",
        "\\\\(y\\\\)",
        "![alt *text*](a.png 'A title')",
        "<kbd>K</kbd>",
        "<br>",
        "<!-- no -->",
    ),
    *(
        "<https://a.b>",
        "{ref}`here`",
        "[`code`](u)",
        "[short]",
        "[short][]",
        "![short]",
        "<img alt='A b' src=x>",
    ),
]
PAIRS = [
    *(("*", "*"), ("**", "**"), ("_", "_"), ("~~", "~~"), ("[", "](/u)"), ("[", '](/u "A title")')),
    *(("[", "][short]"), ("<b>", "</b>"), ("<sub>", "</sub>"), ("<i translate='no'>", "</i>")),
]
ANYTHING = st.text(alphabet="ab *_`#[]()<>!|\\-+1.:$~&;/=\"'\n\t{}%^@é中", max_size=120)


def inline(words: str, raw: list[str]) -> st.SearchStrategy[str]:
    """The content of a paragraph, on one line."""
    text = st.lists(st.sampled_from(words.split()), min_size=1, max_size=6).map(" ".join)
    leaves = text | st.sampled_from(raw)
    return st.lists(st.recursive(leaves, _wrapped, max_leaves=4), min_size=1, max_size=5).map(" ".join)


def markdown(words: str, raw: list[str]) -> st.SearchStrategy[str]:
    """A text of some blocks, some of them in lists and quotations."""
    block = _block(inline(words, raw), extended="[^1]" in raw)
    nested = st.builds(within, st.sampled_from(["- ", "1. ", "> ", "- [ ] ", "* "]), block)
    blocks = block | nested | st.builds(within, st.just("> "), nested)
    return st.lists(blocks, min_size=1, max_size=4).map("\n".join)


def within(mark: str, block: str) -> str:
    """A block in a list or a quotation."""
    first, *rest = block.splitlines(keepends=True)
    further = mark if mark.strip() == ">" else " " * len(mark)
    return "".join([mark + first, *(further + line if line.strip() else line for line in rest)])


def indented(block: str) -> str:
    """A block that belongs to the line before it."""
    return "".join("    " + line for line in block.splitlines(keepends=True))


def _wrapped(inner):
    return st.builds(lambda text, ends: ends[0] + text + ends[1], inner, st.sampled_from(PAIRS))


def _block(line, *, extended: bool) -> st.SearchStrategy[str]:
    """One block; if *extended*, it may be a definition or a footnote, which not every parser knows."""
    breaks = st.sampled_from(["\n", "  \n", "\\\n"])
    paragraph = st.lists(st.tuples(line, breaks), min_size=1, max_size=3).map(
        lambda lines: "".join(text + end for text, end in lines).rstrip() + "\n"
    )
    return st.one_of(
        paragraph,
        line.map(lambda text: f"## {text}\n"),
        line.map(lambda text: f"{text}\n=====\n"),
        st.tuples(line, line).map(lambda cells: f"| {cells[0]} | b |\n|:-|--|\n| {cells[1]} | `x\\|y` |\n"),
        paragraph.map(lambda text: "```{note}\n:class: a b\n\n" + text + "```\n"),
        paragraph.map(lambda text: "```python\n" + text + "```\n"),
        line.map(lambda text: f"<div class='a b'>\n{text}\n</div>\n"),
        *([line.map("term\n: {}\n".format), line.map("[^1]: {}\n".format)] if extended else []),
        *([paragraph.map(lambda text: '!!! note "A title"\n\n' + indented(text))] if extended else []),
        *([paragraph.map(lambda text: '=== "A tab"\n' + indented(text))] if extended else []),
        st.just("$$\na = b\n$$\n"),
        st.just("[short]: /u 'A title'\n"),
    )
