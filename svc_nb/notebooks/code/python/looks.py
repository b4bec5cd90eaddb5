"""What a text in Python looks like: code, a path, SQL, a pattern, or words."""

from __future__ import annotations

import ast
import re

from svc_nb.notebooks.code.python.law import quiet
from svc_nb.notebooks.code.spans import FIELD
from svc_nb.notebooks.code.words import Wording, is_dense, is_endless

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
    ast.Add,
    ast.Mult,
    ast.Pow,
    ast.MatMult,
    ast.FloorDiv,
    ast.Mod,
    ast.BitOr,
    ast.LShift,
    ast.RShift,
)
_TYPES = (
    "int",
    "float",
    "str",
    "bool",
    "bytes",
    "list",
    "dict",
    "tuple",
    "set",
    "object",
    "None",
    "Any",
    "DataFrame",
)
_MEMBERSHIP = (ast.In, ast.NotIn, ast.Is, ast.IsNot)

_SQL = re.compile(
    r"\s*(?:(?:SELECT|select)\b.*\b(?:FROM|from)\b|(?:INSERT|insert) (?:INTO|into)\b|(?:DELETE|delete) (?:FROM|from)\b"
    r"|(?:UPDATE|update) \S+ (?:SET|set)\b|(?:CREATE|DROP|ALTER|create|drop|alter)(?: \w+){0,3} (?:TABLE|VIEW|INDEX"
    r"|table|view|index)\b|(?:WITH|with) \w+ (?:AS|as) \(|PRAGMA \w|(?:WHERE|ORDER BY|GROUP BY|FROM|JOIN|VALUES)\b"
    r"|SELECT\b)",
    re.DOTALL,
)
_PATTERN = re.compile(r"\\[dwsbDWSB]|\(\?[:=!<P]|\[\^?[^\]]-[^\]]|\.[*+]|\)[*+?]|\^.*\$$")
_PATH = re.compile(
    r"(?:/|~/|\.{1,2}/|[A-Za-z]:[\\/])\S|[^\n]*[\w)]\.(?:csv|tsv|txt|json|py|ipynb|xlsx?|html?|png|jpe?g|pdf|zip|parquet|db)$"
    r"|(?:[\w.-]+[/\\])+[\w.-]+(?:[/\\][\w .-]+)*$"
)
_DATA = re.compile(
    r"\s*(?:\{.*[:}].*\}|\[.*\]|<(?:\?xml|!DOCTYPE|svg|script|style|html)\b.*|[\w-]+\s*:\s*[^;]+;.*)\s*$",
    re.DOTALL,
)
_COMMAND_LINE = re.compile(
    r"\s*(?:git|pip|conda|cd|ls|curl|wget|docker|sudo"
    r"|python3?|jupyter|npm|apt(?:-get)?|cat|echo|mkdir|rm|cp|mv|tar) [\w./-]"
)
_TEMPLATE = re.compile(rf"\s*(?:def|class|import|from|return)\b.*[:(]|self\.|[\w{FIELD}]\(\w+=")  # of code
_WORD = re.compile(r"[^\W\d_]{2,}")


def is_code(text: str) -> bool:
    """Whether a text is Python, or a command, rather than words."""
    text = text.strip("\n")
    if _COMMAND.match(text):
        return True
    if len(text) > MOST_CHARACTERS_OF_CODE:
        return False
    if _HEADER.fullmatch(text) and _CODE_SIGN.search(text):
        text += " pass"
    with quiet():
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return any(_is_code(node, text) for node in ast.walk(tree))


def _is_code(node: ast.AST, text: str) -> bool:
    """Whether a node is none of those that words make by chance: `data (raw)`, `read-only`, `Result: good`."""
    match node:
        case ast.Call():
            return not re.search(r"\w \(", text)
        case ast.AnnAssign():
            return node.value is not None or _is_type(node.annotation)
        case ast.Compare():
            return not all(isinstance(op, _MEMBERSHIP) for op in node.ops)
        case ast.BinOp():
            return isinstance(node.op, _ARITHMETIC)
        case ast.Tuple():
            return False
    return isinstance(node, (*_STATEMENTS, *_EXPRESSIONS))


def _is_type(annotation: ast.expr) -> bool:
    if isinstance(annotation, ast.Name):
        return annotation.id in _TYPES
    return isinstance(annotation, (ast.Subscript, ast.Attribute, ast.BinOp))


def is_prose(text: str) -> bool:
    """Whether a string's text is for people: words with a space between, and no path, query, pattern, data or code."""
    if is_endless(text):
        return False
    wording = Wording.of(text)
    words = " ".join(part for part in wording.sent if isinstance(part, str))
    if not is_dense(words) and (not _WORD.search(words) or not re.search(r"\s", text.strip())):
        return False
    if not is_dense(words) and len(_WORD.findall(words)) < 2 and not wording.kept:
        return False
    looks = (_SQL, _PATTERN, _PATH, _DATA, _COMMAND_LINE, _TEMPLATE)
    return (
        not any(look.match(text.strip()) for look in looks)
        and not _PATTERN.search(text)
        and not is_code(text.strip())
    )
