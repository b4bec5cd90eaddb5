"""Where a string stands in Python and what that says of it: a docstring, a text for people, or a name of something."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from svc_nb.notebooks.code.python.law import TextNode, is_text

DOCSTRING, TEXT, KEPT = "docstring", "string", "kept"

# Functions and methods whose strings are names, patterns, formats, paths or code.
_TECHNICAL_WORDS = """
    __import__ add_subparsers agg aggregate assign astype basicConfig call cast chdir check_call check_output
    col compile config contains copy count css cssselect date_range decode delattr drop dropna encode endswith
    Enum environ eval exec execute executemany executescript explode extract fillna filter find find_all
    findall finditer Formatter from_pretrained fromstring fullmatch get get_group get_loc get_option getattr
    getElementById getenv getipython getLogger glob groupby hasattr iglob iloc import_module imread imwrite
    index isin isin_list join_on link_function Literal load_dataset loads loadtxt loc lstrip makedirs
    maketrans match melt merge mkdir move namedtuple NamedTuple NewType nlargest nsmallest open ParamSpec
    parse partition Path pivot pivot_table pop Popen popen PurePath query rcParams read_csv read_excel
    read_json read_parquet read_sql read_sql_query read_sql_table read_table removeprefix removesuffix rename
    replace reset_index rfind rglob rindex rmtree rpartition rsplit rstrip run run_cell run_cell_magic
    run_line_magic savefig savetxt search select select_one set_index set_option setattr setdefault sort_index
    sort_values split splitlines sql stack startswith strftime strip strptime sub subn system Timedelta
    Timestamp to_csv to_datetime to_excel to_json to_parquet translate TypedDict TypeVar unstack use
    value_counts xpath
"""
_TECHNICAL = frozenset(_TECHNICAL_WORDS.split())
_TECHNICAL_KEYWORDS_WORDS = """
    action aggfunc author author_email backend by c choices class_ cls cmap cmd col color colors colour column
    columns cwd date_format datefmt delimiter dest driver drop_duplicates dtype encoding engine entry_points
    env errors executable family file filename fmt font fontfamily fontname fontweight format freq grid_area
    ha host how href hue id id_vars index key keys layout left_on license linestyle loc ls marker metavar
    method mode names on orient packages palette path pattern prefix projection query regex right_on row rule
    sep shell size sql src strftime style subset suffix transform tz unit uri url usecols user va value_name
    value_vars values var_name weight x y
"""
_TECHNICAL_KEYWORDS = frozenset(_TECHNICAL_KEYWORDS_WORDS.split())
# What may be called on a text for people.
_ON_TEXTS = frozenset(
    ("format", "format_map", "strip", "lstrip", "rstrip", "capitalize", "center", "ljust", "rjust")
)


@dataclass(frozen=True)
class Place:
    """A string's number in the order of `text_nodes`, its node, and what it is."""

    number: int
    node: TextNode
    role: str
    percent: bool = False  # whether it is the left side of a %


def places(tree: ast.Module) -> list[Place]:
    """All strings of a tree, in the order of `text_nodes`."""
    return [Place(number, *found) for number, found in enumerate(_walk(tree, TEXT))]


def _walk(node: ast.AST, role: str) -> Iterator[tuple[TextNode, str, bool]]:
    if is_text(node):
        yield node, role, False
        return
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                for text, its, percent in _walk(child, _role(node, name, child, role)):
                    yield text, its, percent or (_is_modulo(node) and name == "left" and text is child)


def _is_modulo(node: ast.AST) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod)


def _role(node: ast.AST, name: str, child: ast.AST, role: str) -> str:
    """What a string at this place is; what stands within names is a name too."""
    if role == KEPT:
        return KEPT
    if isinstance(node, ast.Expr) and isinstance(child, ast.Constant):
        return DOCSTRING
    if isinstance(node, ast.Attribute):
        return KEPT if is_text(child) and node.attr not in _ON_TEXTS else TEXT
    return KEPT if _is_name(node, name) else TEXT


def _is_name(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Dict():
            return name == "keys"
        case ast.Subscript():
            return name == "slice"
        case ast.Compare() | ast.match_case() if name != "body":
            return True
        case ast.arg() | ast.AnnAssign() if name == "annotation":
            return True
        case ast.FunctionDef() | ast.AsyncFunctionDef() if name == "returns":
            return True
        case ast.keyword():
            return node.arg in _TECHNICAL_KEYWORDS
        case ast.Call():
            return name != "func" and _called(node.func) in _TECHNICAL
        case ast.Assign():
            return name == "value" and any(_is_dunder(target) for target in node.targets)
    return False


def _called(func: ast.expr) -> str:
    return func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""


def _is_dunder(target: ast.expr) -> bool:
    return isinstance(target, ast.Name) and target.id.startswith("__") and target.id.endswith("__")
