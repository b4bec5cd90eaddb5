"""Which Python strings are for people: by their position in the syntax tree, and by their content."""

import ast
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeGuard

from svc_nb.notebooks.code.paragraphs import FIELD, TaggedText, is_dense, is_endless

TextNode = ast.Constant | ast.JoinedStr

DOCSTRING, TEXT, KEPT = "docstring", "string", "kept"

# Functions and methods, and keywords of any, whose strings are names, patterns, formats, paths or code.
_CALLS, _KEYWORDS = (
    frozenset(part.split()[1:])
    for part in Path(__file__).with_name("technical_names.txt").read_text("utf-8").split("# ")[1:]
)
# Methods that may be called on a text for people.
_ON_TEXTS = frozenset(("format", "format_map", "strip", "lstrip", "rstrip", "capitalize", "center", "ljust", "rjust"))


MOST_CHARACTERS_OF_CODE = 4000

_COMMAND = re.compile(
    r">>>|print [\w\"'(].*[(\"'%]|\.\.\. |\$ \S|[%!]\w\w|@\w+(?:\.\w+)*(?:\(.*\))?$|(?:pip3?|conda|mamba) install\b"
    r"|import \w|from [\w.]+ import\b|(?:else|try|finally):$|(?:except|elif)\b.*:$"
    r"|(?:async )?def \w+\(.*:$|class \w+\(.*:$"
)
_HEADER = re.compile(r"(?:if|for|while|with|match|case|async for|async with)\b.*:$")
_CODE_SIGN = re.compile(r"[()\[\]=<>_]|\w\.\w")
_STATEMENTS = (
    ast.Assign, ast.AugAssign, ast.Import, ast.ImportFrom, ast.Return, ast.Raise, ast.Assert, ast.Delete, ast.Pass,
    ast.Break, ast.Continue, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.For, ast.While, ast.With, ast.Try,
    ast.If, ast.Global, ast.Nonlocal, ast.AsyncFor, ast.AsyncWith,
)  # fmt: skip
_EXPRESSIONS = (
    ast.Attribute, ast.Subscript, ast.Lambda, ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp,
    ast.GeneratorExp, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr, ast.Starred, ast.JoinedStr,
)  # fmt: skip
_ARITHMETIC = (
    ast.Add, ast.Mult, ast.Pow, ast.MatMult, ast.FloorDiv, ast.Mod, ast.BitOr, ast.LShift, ast.RShift,
)  # fmt: skip
_TYPES = (
    "int", "float", "str", "bool", "bytes", "list", "dict", "tuple", "set", "object", "None", "Any", "DataFrame",
)  # fmt: skip
_MEMBERSHIP = (ast.In, ast.NotIn, ast.Is, ast.IsNot)

_SQL = re.compile(
    r"\s*(?:(?:SELECT|select)\b.*\b(?:FROM|from)\b|(?:INSERT|insert) (?:INTO|into)\b|(?:DELETE|delete) (?:FROM|from)\b"
    r"|(?:UPDATE|update) \S+ (?:SET|set)\b|(?:CREATE|DROP|ALTER|create|drop|alter)(?: \w+){0,3} (?:TABLE|VIEW|INDEX"
    r"|table|view|index)\b|(?:WITH|with) \w+ (?:AS|as) \(|PRAGMA \w|(?:WHERE|ORDER BY|GROUP BY|FROM|JOIN|VALUES)\b"
    r"|SELECT\b)",
    re.DOTALL,
)
_PATTERN = re.compile(r"\\[dwsbDWSB]|\(\?[:=!<P]|\[\^?[^\]]-[^\]]|\.[*+]|\)[*+?]|\^[^^\n]*+\$$")
_PATH = re.compile(
    r"(?:/|~/|\.{1,2}/|[A-Za-z]:[\\/])\S|[^\n]*[\w)]\.(?:csv|tsv|txt|json|py|ipynb|xlsx?|html?|png|jpe?g|pdf|zip|parquet|db)$"
    r"|[\w.-]++[/\\][\w.-]++(?:[/\\][\w .-]++)*+$"
)
_DATA = re.compile(
    r"\s*+(?:\{[^:}]*+[:}].*\}|\[.*\]"
    r"|<(?:\?xml|!DOCTYPE|svg|script|style|html)\b.*|[\w-]++\s*+:[^;]++;.*)\s*$",
    re.DOTALL,
)
_COMMAND_LINE = re.compile(
    r"\s*(?:git|pip|conda|cd|ls|curl|wget|docker|sudo"
    r"|python3?|jupyter|npm|apt(?:-get)?|cat|echo|mkdir|rm|cp|mv|tar) [\w./-]"
)
_TEMPLATE = re.compile(rf"\s*(?:def|class|import|from|return)\b.*[:(]|self\.|[\w{FIELD}]\(\w+=")  # of code
_WORD = re.compile(r"[^\W\d_]{2,}")


def compiled(source: str, flags: int = ast.PyCF_ONLY_AST) -> Any:
    """Compile a source without warnings, to a tree unless *flags* say otherwise; None if it is not Python."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return compile(source, "<cell>", "exec", flags=flags, dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


# ---- by position


@dataclass(frozen=True)
class StringInTree:
    """A string's node, and its role."""

    node: TextNode
    role: str
    percent: bool = False  # whether it is the left side of a %

    @property
    def value(self) -> str:
        """The value of the string, with FIELD for each of its replacement fields."""
        if isinstance(self.node, ast.Constant):
            return str(self.node.value)
        values = self.node.values
        return "".join(str(each.value) if isinstance(each, ast.Constant) else FIELD for each in values)


def strings_in(node: ast.AST, role: str = TEXT) -> Iterator[StringInTree]:
    """All strings of a tree, in the order of the source, except those within f-strings."""
    for name, value in ast.iter_fields(node):
        is_formatted = name == "left" and isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod)
        for child in value if isinstance(value, list) else [value]:
            if _is_text(child):
                yield StringInTree(child, _role(node, name, child, role), is_formatted)
            elif isinstance(child, ast.AST):
                yield from strings_in(child, _role(node, name, child, role))


def _is_text(node: Any) -> TypeGuard[TextNode]:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _role(node: ast.AST, field: str, child: ast.AST, role: str) -> str:
    """The role of a string in a field of a node; strings within names are names too."""
    if role == KEPT:
        return KEPT
    is_name = False
    match node:
        case ast.Expr() if isinstance(child, ast.Constant):
            return DOCSTRING
        case ast.Attribute():
            is_name = _is_text(child) and node.attr not in _ON_TEXTS
        case ast.Dict():
            is_name = field == "keys"
        case ast.Subscript():
            is_name = field == "slice"
        case ast.Compare() | ast.match_case():
            is_name = field != "body"
        case ast.arg() | ast.AnnAssign():
            is_name = field == "annotation"
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            is_name = field == "returns"
        case ast.keyword():
            is_name = node.arg in _KEYWORDS
        case ast.Call(func=ast.Attribute(attr=called) | ast.Name(id=called)):
            is_name = field != "func" and called in _CALLS
        case ast.Assign():
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
            is_dunder = any(name.startswith("__") and name.endswith("__") for name in names)
            is_name = field == "value" and is_dunder
    return KEPT if is_name else TEXT


# ---- by content


def is_code(text: str) -> bool:
    """Whether a text is Python, or a command, rather than words."""
    text = text.strip("\n")
    if _COMMAND.match(text):
        return True
    if len(text) > MOST_CHARACTERS_OF_CODE:
        return False
    if _HEADER.fullmatch(text) and _CODE_SIGN.search(text):
        text += " pass"
    tree = compiled(text)
    return tree is not None and any(_is_code(node, text) for node in ast.walk(tree))


def _is_code(node: ast.AST, text: str) -> bool:
    """Whether a node is not one that words can form by chance: `data (raw)`, `read-only`, `Result: good`."""
    match node:
        case ast.Call():
            return not re.search(r"\w \(", text)
        case ast.AnnAssign(annotation=ast.Name(id=name), value=None):
            return name in _TYPES
        case ast.AnnAssign(value=None):
            return isinstance(node.annotation, (ast.Subscript, ast.Attribute, ast.BinOp))
        case ast.AnnAssign():
            return True
        case ast.Compare():
            return not all(isinstance(op, _MEMBERSHIP) for op in node.ops)
        case ast.BinOp():
            return isinstance(node.op, _ARITHMETIC)
        case ast.Tuple():
            return False
    return isinstance(node, (*_STATEMENTS, *_EXPRESSIONS))


def is_prose(text: str) -> bool:
    """Whether a string's text is for people: words with a space between, and no path, query, pattern, data or code."""
    if is_endless(text):
        return False
    tagged = TaggedText.of(text)
    words = " ".join(part for part in tagged.sent if isinstance(part, str))
    if not is_dense(words) and (not _WORD.search(words) or not re.search(r"\s", text.strip())):
        return False
    if not is_dense(words) and len(_WORD.findall(words)) < 2 and not tagged.kept:
        return False
    looks = (_SQL, _PATTERN, _PATH, _DATA, _COMMAND_LINE, _TEMPLATE)
    return (
        not any(look.match(text.strip()) for look in looks) and not _PATTERN.search(text) and not is_code(text.strip())
    )
