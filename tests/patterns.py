"""Every regular expression of the package, and texts that are made to be hard for each of them."""

import ast
import importlib
import pkgutil
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache, partial
from importlib.util import find_spec
from itertools import chain, product
from pathlib import Path
from re import _compiler, _constants, _parser
from types import FunctionType, ModuleType

import svc_nb

ANCHORED = ("match", "fullmatch")
METHODS = (*ANCHORED, "search", "finditer", "findall", "split", "sub", "subn")


@dataclass(frozen=True)
class Found:
    """A pattern, where it is written, its name if it has one, and the methods by which it is used."""

    where: str
    name: str
    pattern: re.Pattern
    methods: frozenset[str]


def rooms():
    """The modules and subpackages of the package, by name."""
    return [each.name for each in pkgutil.iter_modules(svc_nb.__path__)]


@cache
def sources():
    """Every module of the package."""
    names = [svc_nb.__name__, *(each.name for each in pkgutil.walk_packages(svc_nb.__path__, "svc_nb."))]
    return [Source(name) for name in names]


def found(room, examples):
    """Return every pattern of a *room* of the package, and the expressions that need an example in *examples*.

    An expression is looked up as it is written: those with local names have no value outside of their functions.
    """
    patterns, unknown = {}, set()
    for module in sources():
        if module.name.split(".")[1:2] != [room]:
            continue
        for call in module.calls():
            written = ast.unparse(call.args[0])
            given = [examples[written]] if written in examples else module.value(call)
            unknown |= set() if given else {written}
            name = module.bound.get(call, "")
            used = {call.func.attr}
            if call.func.attr == "compile":
                used = (
                    {module.direct[call]} if call in module.direct else _uses().get((module.name, name), {"finditer"})
                )
            for value in given:
                _add(
                    patterns,
                    Found(f"{module.name}:{call.lineno}", f"{module.name}.{name}", module.compiled(call, value), used),
                )
        for pattern in module.held():  # made by a function, or held in a table
            if (pattern.pattern, pattern.flags) not in patterns:
                _add(patterns, Found(module.name, module.name, pattern, {"finditer"}))
    return list(patterns.values()), unknown


def _add(patterns, new):
    key = new.pattern.pattern, new.pattern.flags
    used = {how if how in (*ANCHORED, "search") else "finditer" for how in new.methods}
    before = patterns.get(key, new)
    patterns[key] = replace(before, methods=frozenset(used) | (before.methods if key in patterns else frozenset()))


class Source:
    """A module of the package: its code, and what its names mean."""

    def __init__(self, name):
        spec = find_spec(name)
        self.name = name
        self.tree = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
        room = name.split(".")[: None if spec.submodule_search_locations else -1]
        self.bound, self.imported, self.direct = {}, {}, {}
        for node in ast.walk(self.tree):
            match node:
                case (
                    ast.Assign(targets=[ast.Name(id=to)], value=value)
                    | ast.AnnAssign(target=ast.Name(id=to), value=value)
                ):
                    self.bound |= dict.fromkeys(ast.walk(value), to) if value else {}
                case ast.Attribute(value=ast.Call() as call, attr=how):
                    self.direct[call] = how
                case ast.ImportFrom(module=source, names=aliases, level=level):
                    above = room[: len(room) - level + 1] if level else []
                    home = ".".join([*above, *([source] if source else [])])
                    self.imported |= {each.asname or each.name: (home, each.name) for each in aliases}

    def use(self, uses, homes, owner, how):
        """Note that the pattern of a name is used, which may be this module's own or another's."""
        if isinstance(owner, ast.Name):
            home = self.imported.get(owner.id, (self.name, owner.id))
        elif isinstance(owner.value, ast.Name) and owner.value.id in self.imported:
            home = (".".join(self.imported[owner.value.id]), owner.attr)
        else:
            return
        if home in homes:
            uses.setdefault(home, set()).add(how)

    @property
    def names(self):
        try:
            return vars(importlib.import_module(self.name))
        except ImportError:  # of an extra that is not installed
            return {"re": re}

    def calls(self):
        for node in ast.walk(self.tree):
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr=name), args=[_, *_]):
                    if name in (*METHODS, "compile"):
                        yield node

    def value(self, call):
        """The pattern that *call* is given, in a list that is empty if that depends on local names."""
        try:
            return [eval(ast.unparse(call.args[0]), dict(self.names))]
        except NameError:
            return []

    def compiled(self, call, pattern):
        """The *pattern* with the flags that *call* has."""
        first = {"compile": 1, "sub": 4, "subn": 4, "split": 3}.get(call.func.attr, 2)
        written = [*call.args[first:], *(each.value for each in call.keywords if each.arg == "flags")]
        try:
            return re.compile(pattern, *(eval(ast.unparse(each), dict(self.names)) for each in written))
        except NameError:
            return re.compile(pattern)

    def held(self):
        """The patterns that its own names hold."""
        own = [name for name in self.names if not name.startswith("__") and name not in self.imported]
        return _held([self.names[name] for name in own], self.name)


def _held(value, module, depth=0):
    """Yield the patterns in the tables, partials and closures of *module*."""
    if isinstance(value, re.Pattern):
        yield value
    elif depth < 5 and not isinstance(value, (str, bytes, ModuleType, type)):
        if isinstance(value, Mapping):
            inner = chain(value, value.values())
        elif isinstance(value, (list, tuple, set, frozenset)):
            inner = value
        elif isinstance(value, partial):
            inner = (value.func, value.args, value.keywords)
        elif isinstance(value, FunctionType) and value.__module__ == module:
            inner = [cell.cell_contents for cell in value.__closure__ or ()] + list(value.__defaults__ or ())
        elif is_dataclass(value):
            inner = [getattr(value, each.name) for each in fields(value)]
        else:
            inner = ()
        for each in inner:
            yield from _held(each, module, depth + 1)


@cache
def _uses():
    """By which methods the patterns with a name are used; one that is handed on may be used by any."""
    modules = sources()
    homes = {(module.name, name) for module in modules for name in module.bound.values()}
    uses = {}
    for module in modules:
        inside = set()
        for node in ast.walk(module.tree):
            match node:
                case ast.Call(func=ast.Attribute(value=(ast.Name() | ast.Attribute()) as owner, attr=how), args=args):
                    moved = how in ANCHORED and len(args) > 1
                    module.use(uses, homes, owner, "finditer" if moved else how)
                    inside.add(owner)
                case ast.Attribute(value=(ast.Name() | ast.Attribute()) as owner, attr=how) if how in METHODS:
                    module.use(uses, homes, owner, how)
                    inside.add(owner)
                case ast.Attribute(value=(ast.Name() | ast.Attribute()) as owner, attr="pattern"):
                    inside.add(owner)
        for node in ast.walk(module.tree):
            if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load) and node not in inside:
                module.use(uses, homes, node, "finditer")
    return uses


# A literal of JavaScript stands behind one of these signs; elsewhere a `/` divides, or ends a tag.
_LITERAL = re.compile(
    r"(?:[(\[{,;:=!&|?]|=>|\breturn|^) *(?P<literal>/(?![/*\s>])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\[\n])+/[a-z]*)"
    r"""|(?P<made>\bRegExp\(|\.(?:match|matchAll|search)\(["'`])""",
    re.MULTILINE,
)
_ESCAPES = r"\\(?:u[0-9a-f]{4}|p\{\w+\}|.)"
_PARTS = re.compile(rf"{_ESCAPES}|\[(?:\\.|[^\]\\])*\]|.", re.IGNORECASE | re.DOTALL)
_SAME = re.compile(r"\\(?:u[0-9a-fA-F]{4}|p\{M\}|[nrtsS]|\W)")
_LINE_ENDS = r"\n\r\u2028\u2029"


def in_scripts(source):
    """Yield (line, pattern) of all in a *source* of JavaScript; what Python may read differently is given as a text."""
    for each in _LITERAL.finditer(source):
        written = each["literal"] or each["made"]
        try:
            pattern = _translated(written)
        except (ValueError, re.error, Warning):
            pattern = written
        yield source.count("\n", 0, each.start(each.lastgroup)) + 1, pattern


def _translated(literal):
    body, slash, flags = literal[1:].rpartition("/")
    escapes = re.findall(_ESCAPES, body, re.IGNORECASE | re.DOTALL)
    if not slash or set(flags) - set("gimsu") or not all(map(_SAME.fullmatch, escapes)):
        raise ValueError(literal)
    same = {r"\p{M}": "[\u0300-\u036f]"}  # those of Latin letters stand for all
    same |= {} if "m" in flags else {"$": r"\Z"}
    same |= {} if "s" in flags else {".": f"[^{_LINE_ENDS}]"}
    wanted = re.RegexFlag(0)
    for flag in set(flags) & set("ims"):
        wanted |= re.RegexFlag[flag.upper()]
    return re.compile("".join(same.get(each, each) for each in _PARTS.findall(body)), wanted)


# Characters of which a text for a class is chosen, those first that many classes have in common.
POOL = "a1A0 f\n\t<>&*_`|\"'\\()[]{}-.,:;/@#=!?$%+~^\r\xa0é。字のא\u200d\x00"
GENERIC = [
    *"a1f <>&*_`|\"'\\([{}]).,:-=#/@!?$~^%+\n\té字",
    "01af",
    "ACGT",
    "a ",
    "1 ",
    "1.",
    "1,",
    "[(",
    "<a ",
    "a.",
    "a\n",
]
MOST = 150  # of the texts derived from one pattern


def hard(pattern):
    """Yield (head, unit, tail) of texts that repeat what *pattern* looks for, and end so that it fails."""
    bare = isinstance(pattern.pattern, str)
    tree = _parser.parse(pattern.pattern, pattern.flags & ~(re.UNICODE if bare else 0))
    runs = list(dict.fromkeys(_runs(tree, "")))
    units = list(dict.fromkeys(chain.from_iterable((unit, head + unit) for head, unit in runs)))
    letters = list(dict.fromkeys(chain.from_iterable(units)))[:12]
    pairs = ["".join(two) for two in product(letters[:6], letters[:6]) if two[0] != two[1]]
    spaced = [unit + gap for unit in units[:12] for gap in " \n"]
    texts = [*runs, *(("", unit) for unit in dict.fromkeys([*letters, *units, *pairs, *spaced]) if unit)]
    texts = [(head, unit, "\0") for head, unit in texts[:: len(texts) // MOST + 1] if unit]
    return [*texts, *(("", unit, "") for unit in GENERIC)]


def _runs(tree, before):
    """Yield (what comes before, one round) of every repetition in *tree*, and every beginning of it."""
    for node in tree:
        kind, value = node
        if kind in (_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT):
            for each in _examples(value[2]):
                yield before, each
            yield from _runs(value[2], before)
        elif kind is _constants.BRANCH:
            for branch in value[1]:
                yield from _runs(branch, before)
        elif kind is _constants.SUBPATTERN:
            yield from _runs(value[3], before)
        elif kind is _constants.ATOMIC_GROUP:
            yield from _runs(value, before)
        elif kind in (_constants.ASSERT, _constants.ASSERT_NOT):
            yield from _runs(value[1], before)
        elif kind is _constants.GROUPREF_EXISTS:
            for branch in filter(None, value[1:]):
                yield from _runs(branch, before)
        before += _example([node])
        if before:
            yield "", before


def _examples(tree):
    """Return some texts for *tree*: one for each branch or kind of character where it begins with a choice."""
    nodes = list(tree)
    if len(nodes) == 1:
        kind, value = nodes[0]
        if kind is _constants.SUBPATTERN:
            return _examples(value[3])
        if kind is _constants.BRANCH:
            return list(dict.fromkeys(chain.from_iterable(map(_examples, value[1]))))[:8]
        if kind in (_constants.IN, _constants.ANY, _constants.NOT_LITERAL):
            return _characters(nodes[0])
    return [_example(nodes)]


def _example(nodes):
    """Return one text that *nodes* match, as far as their assertions allow."""
    text = ""
    for node in nodes:
        kind, value = node
        if kind is _constants.LITERAL:
            text += chr(value)
        elif kind in (_constants.IN, _constants.ANY, _constants.NOT_LITERAL):
            text += _characters(node)[0]
        elif kind is _constants.SUBPATTERN:
            text += _example(value[3])
        elif kind is _constants.ATOMIC_GROUP:
            text += _example(value)
        elif kind is _constants.BRANCH:
            text += _example(max(value[1], key=len))
        elif kind in (_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT):
            text += _example(value[2]) * min(value[0], 200)
        elif kind is _constants.ASSERT and value[0] > 0:
            text += ""
        elif kind is _constants.GROUPREF:
            text += text[-1:]
    return text


@cache
def _single(written):
    return re.compile(written, re.DOTALL)


def _characters(node):
    """Return up to four characters of a class, from different parts of it where it is a list."""
    kind, value = node
    if kind is _constants.IN and value[0][0] is not _constants.NEGATE:
        first = [
            chr(each[1][0] if each[0] is _constants.RANGE else each[1])
            for each in value
            if each[0] in (_constants.LITERAL, _constants.RANGE)
        ]
    else:
        first = []
    state = _parser.State()
    state.str = ""
    one = _compiler.compile(_parser.SubPattern(state, [node]))
    some = [letter for letter in POOL if one.fullmatch(letter)]
    return list(dict.fromkeys([*some[:3], *first[:3], *some[3:4]])) or ["a"]
