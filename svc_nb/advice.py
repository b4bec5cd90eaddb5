"""What to do about a problem: "did you mean", and advice as data, in the words of the surface that is in use.

    f"pass {Option('header', True)}"        # pass header=True       in Python
                                            # pass --header          in a shell

Each part is worded when it becomes text: for Python, unless another surface took over (`worded_by`).
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches

MOST_NAMED = 20


class _Worded:
    """A part of advice that is worded when it becomes text."""

    def __str__(self) -> str:
        return _surface(self)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Option(_Worded):
    """A parameter of the current call, with the value to pass if there is a definite one."""

    name: str
    value: object = None


@dataclass(frozen=True)
class Setting(_Worded):
    """A setting of the connection: its name in Python, and its environment variable."""

    name: str
    other_variable: str = ""

    @property
    def variable(self) -> str:
        """The environment variable: named after the setting, unless it has a name of its own."""
        return self.other_variable or f"SVC_{self.name.upper()}"


@dataclass(frozen=True)
class Call(_Worded):
    """A public function, by its name in `svc_nb`, or a method of `.svc`: "glossaries.list", ".svc.fix"."""

    name: str


@dataclass(frozen=True)
class InPython(_Worded):
    """Words that apply only in Python, and those for elsewhere, if any."""

    text: str
    elsewhere: str = ""


Part = Option | Setting | Call | InPython


class Advice:
    """A sentence with parts that replace each `{}` when it becomes text."""

    def __init__(self, sentence: str, *parts: Part) -> None:
        self.sentence = sentence
        self.parts = parts

    def __str__(self) -> str:
        return self.sentence.format(*self.parts)


def python(part: Part) -> str:
    """*part* in the words of Python.

    >>> [python(each) for each in (Option("header", True), Option("out"), Setting("api_key"), Call("languages"))]
    ['header=True', 'out=', 'api_key= or SVC_API_KEY', 'svc_nb.languages()']
    """
    match part:
        case Option(name, None):
            return f"{name}="
        case Option(name, value):
            return f'{name}="{value}"' if isinstance(value, str) else f"{name}={value!r}"
        case Setting(name):
            return f"{name}= or {part.variable}"
        case Call(name):
            return f"{name}()" if name.startswith(".") else f"svc_nb.{name}()"
        case InPython(text):
            return text


# How a part is currently worded, in all threads of this process.
_surface: Callable[[Part], str] = python


@contextmanager
def worded_by(surface: Callable[[Part], str]) -> Iterator[None]:
    """Within the block, all advice of this process is worded by *surface*."""
    global _surface
    before, _surface = _surface, surface
    try:
        yield
    finally:
        _surface = before


def nearest(given: str, known: Iterable[str], *, cutoff: float = 0.6) -> str | None:
    """The entry of *known* that is most similar to *given*, ignoring case; None if none is close.

    >>> nearest("Reviw", ["review", "title"]), nearest("--colum", ["--columns"]), nearest("x", ["review"])
    ('review', '--columns', None)
    """
    # The dashes that all options begin with make nothing more similar.
    by_word = {each.casefold().lstrip("-"): each for each in known}
    found = get_close_matches(given.casefold().lstrip("-"), by_word, n=1, cutoff=cutoff)
    return by_word[found[0]] if found else None


def did_you_mean(given: object, known: Iterable[object], *, shown: Callable[[object], str] = repr) -> str:
    """What to use instead of *given*, as a sentence: the nearest entry of *known*, or some of the entries.

    >>> did_you_mean("reviw", ["review", "title"]), did_you_mean("x", ["review", "title"]), did_you_mean("x", [])
    ("Did you mean 'review'?", "There are 'review' and 'title'.", 'There are none.')
    """
    by_name = {str(each): each for each in known}
    if near := nearest(str(given), by_name):
        return f"Did you mean {shown(by_name[near])}?"
    if not by_name:
        return "There are none."
    *others, last = [shown(each) for each in by_name.values()][:MOST_NAMED]
    if len(by_name) > MOST_NAMED:
        return f"There are {', '.join([*others, last])} and {len(by_name) - MOST_NAMED} more."
    return f"There are {', '.join(others)} and {last}." if others else f"There is only {last}."


# ---- how to install an extra of svc_nb: by the packages' own names, which also works from a checkout


def install(extra: str, *newer: str) -> str:
    """The command that installs the packages of *extra*; *newer* are requirements stricter than svc_nb's own.

    >>> install("duckdb"), install("polars", "polars>=1.42")
    ("pip install 'duckdb>=1.2' 'pyarrow>=23.0.1'", "pip install 'polars>=1.42' 'pyarrow>=23.0.1'")
    """
    from importlib import metadata

    try:
        known = metadata.requires("svc-nb") or []
    except metadata.PackageNotFoundError:  # svc_nb runs from its folder, without being installed
        known = []
    own = [each.partition(";")[0].strip() for each in known if re.search(rf"extra == .{extra}.$", each)]
    needed = {_package(each): each for each in own or [f"svc-nb[{extra}]"]}
    for each in newer:
        brackets = re.search(r"\[[^\[\]]*\]", needed.get(_package(each), ""))
        needed[_package(each)] = each.replace(">=", f"{brackets[0]}>=") if brackets else each
    return f"pip install {' '.join(map(repr, needed.values()))}"


def _package(requirement: str) -> str:
    return re.split(r"[\[<>=! ]", requirement)[0]


def plural(count: int, one: str, several: str | None = None) -> str:
    """A count with its noun.

    >>> plural(1, "term"), plural(1200, "term"), plural(2, "entry", "entries")
    ('1 term', '1,200 terms', '2 entries')
    """
    return f"{count:,} {one if count == 1 else several or one + 's'}"
