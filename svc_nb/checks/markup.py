"""Placeholders, ICU messages, tags and addresses in a text, which a translation must keep unchanged."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

# An address ends where text in a script without spaces continues.
URL = re.compile(
    r"(?:https?|ftp)://[^\s<>\"'«»“”„‘’\u2e80-\uffef]+|www\.[^\s<>\"'«»“”„‘’\u2e80-\uffef]+", re.IGNORECASE
)
EMAIL = re.compile(
    r"(?<![\w.+-])[A-Za-z0-9][\w.+-]*@[A-Za-z0-9][A-Za-z0-9-]*(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}", re.ASCII
)
TAG = re.compile(
    r"<(?P<close>/?)(?P<name>[A-Za-z][\w:.-]*)(?P<attributes>(?:\s+[\w:@.-]+\s*=\s*(?:\"[^\"<]*\"|'[^'<]*'|[^\s\"'<>]+)"
    r"|\s+(?:async|autofocus|autoplay|checked|controls|defer|disabled|hidden|loop|multiple|muted|open|readonly"
    r"|required|reversed|selected))*)\s*(?P<alone>/?)>"
)
ATTRIBUTE = re.compile(r"([\w:@.-]+)\s*(?:=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'<>]+)))?")
ENTITY = re.compile(r"&(?:amp|lt|gt|quot|apos|nbsp|#\d{2,6}|#x[0-9A-Fa-f]{2,5}|[A-Za-z]{2,8});")
PLACEHOLDER = re.compile(
    r"%\([\w.]+\)[-+#0]*+\d*+(?:\.\d+)?[diouxXeEfFgGcrs]"  # %(name)s
    r"|%\d{1,3}\$[-+#0]*+\d*+(?:\.\d+)?(?:hh|h|ll|l|z)?[diouxXeEfFgGcs@]"  # %1$s
    r"|(?<![\d%])(?<!\d\s)%[-+#0]*+\d*+(?:\.\d+)?(?:hh|h|ll|l|z)?[diuxXfgcs@](?![A-Za-z]+%|%(?!%))"  # %s
    r"|(?<![\d%])%[A-Za-z_]{2,}%"  # %NAME%
    r"|%%"
    r"|\{\{\{?[^{}\n]{1,200}\}\}\}?"  # {{x}}
    r"|[$#@%]?\{\w[\w.\[\]-]*(?:![rsa])?(?::[^{}\s]*)?\}"  # {x}, ${x}
    r"|\$\{[^{}\n]*\}"
    r"|\{\}"
    r"|(?<![^\s(\[>\"'„“«\u2e80-\uffef])[:@][a-z_][a-z0-9_]{1,30}(?![\w:@.-])"  # :name, @count
)
POSITION = re.compile(r"%\d{1,3}\$")
# The deepest nesting of messages: no one writes more.
DEEPEST = 5
SPACES = re.compile(r"\s+")
MARKED = re.compile(r"[{<&%@/]|www\.", re.IGNORECASE)
AT_BRACES = re.compile(r"(?<=\{)\s+|(?<!\s)\s++(?=\})")
# Longer texts are rarely needed twice.
LONGEST_KEPT = 2_000
# {count, plural, one {# item} other {# items}}
MESSAGE = re.compile(
    r"\{\s*(?P<name>\w+)\s*,\s*(?P<kind>plural|selectordinal|select|number|date|time)\s*(?P<next>[,}])"
)
ARM = re.compile(r"\s*+(?:offset:\d++\s*+)?(?P<arm>=\d++|\w++)\s*+\{")
BRACE = re.compile(r"'[{}][^']*'|[{}]")  # between apostrophes it is an ordinary character
MESSAGE_END = re.compile(r"\s*+\}")
PLURALS = frozenset({"zero", "one", "two", "few", "many", "other"})
HTML = frozenset(
    """a abbr address article aside b big blockquote body br button caption center cite code col dd del details div dl
    dt em fieldset figcaption figure font footer form h1 h2 h3 h4 h5 h6 head header hr html i iframe img input ins kbd
    label legend li link main mark meta nav ol optgroup p pre q s samp script section small span strike strong style
    sub summary sup svg table tbody td textarea tfoot th thead tr tt u ul var video""".split()  # noqa: SIM905
)
# Names in code, of files and of options, which stay unchanged.
IDENTIFIER = re.compile(
    r"(?<![\w./\\-])(?:--[a-z][a-z0-9-]+"  # --dry-run
    r"|[A-Za-z][^\W_]*+_\w++(?:\(\))?|_[A-Za-z](?=\w+_)\w++|[A-Za-z_]\w++\(\)"  # get_url(), MAX_SIZE
    r"|[a-z_]\w*+(?:\.[A-Za-z_]\w++)++(?:\(\))?|:[a-z][a-z_]+:"  # django.contrib.auth, settings.py, :members:
    r"|(?:~|\.{1,2})?/[\w.-]+(?:/[\w.-]+)+|[A-Za-z]:\\[\w\\.-]+)"  # /usr/bin, C:\Temp
    r"(?<![.-])(?![\w\\])",
    re.ASCII,
)
TRAILING = ".,;:!?…)]}*"
# Attributes with text that people read and translate.
READ = frozenset({"alt", "title", "placeholder", "aria-label", "content", "label", "value", "lang", "xml:lang", "dir"})


def bare(text: str, stand_in: str = " ", *, as_long: bool = False) -> str:
    """*text* without placeholders, tags, entities and addresses, each replaced by *stand_in*, or that many of it."""
    if not MARKED.search(text):
        return text
    return (_bare if len(text) <= LONGEST_KEPT else _bare.__wrapped__)(text, stand_in, as_long)


@lru_cache(maxsize=4096)
def _bare(text: str, stand_in: str, as_long: bool) -> str:
    text = _without_messages(text, messages(text) if "{" in text else (), stand_in, as_long=as_long)
    for pattern in (URL, EMAIL, TAG, PLACEHOLDER, ENTITY):
        text = pattern.sub((lambda found: stand_in * len(found[0])) if as_long else stand_in, text)
    return text


def prose(text: str) -> str:
    """The translatable part of *text*: like `bare`, but with the arms of messages."""
    arms = [arm for message in messages(text) for arm in message.arms.values()] if "{" in text else []
    return " ".join([bare(text), *map(bare, arms)])


def urls(text: str) -> list[str]:
    """Web addresses, without the marks of the sentence around them."""
    found = []
    for address in URL.findall(text):
        end, unopened = len(address), address.count(")") - address.count("(")
        while end and address[end - 1] in TRAILING:
            if address[end - 1] == ")":
                if unopened <= 0:
                    break
                unopened -= 1
            end -= 1
        found.append(address[:end].rstrip("/"))
    return found


def emails(text: str) -> list[str]:
    """E-mail addresses, in lower case."""
    return [found.lower() for found in EMAIL.findall(text)]


class Message(NamedTuple):
    """One ICU message: its place, its name, and its arms with their texts; `whole` if it was closed."""

    start: int
    end: int
    name: str
    kind: str
    arms: dict[str, str]
    whole: bool

    def trouble(self, source: Message, needed: frozenset[str]) -> str | None:
        """What is wrong with the arms, as a translation of *source* into a language that *needed* some; else None."""
        if not self.whole:
            return "its braces are not closed"
        if self.kind not in ("plural", "selectordinal", "select"):
            return None
        if "other" not in self.arms:
            return "the arm “other” is missing"
        lost, new = source.arms.keys() - self.arms, self.arms.keys() - source.arms
        if self.kind != "select":  # languages differ in their plurals, but not in exact numbers such as =0
            lost = {arm for arm in lost if arm.startswith("=")}
            new = {arm for arm in self.arms if not arm.startswith("=")} - PLURALS
            if self.kind == "plural" and source.arms.keys() & {"one", "few", "many"}:
                exact = {"=0": "zero", "=1": "one", "=2": "two"}
                lost |= needed - self.arms.keys() - {exact.get(arm, "") for arm in self.arms}
        told = [f"{what} {', '.join(sorted(arms))}" for what, arms in (("lost", lost), ("unknown:", new)) if arms]
        return "; ".join(told) or None


def messages(text: str) -> Iterator[Message]:
    """The outermost ICU messages of *text*."""
    place = 0
    while head := MESSAGE.search(text, place):
        start, place = head.start(), head.end()
        arms: dict[str, str] = {}
        if head["next"] == "}":
            whole = True
        elif head["kind"] in ("number", "date", "time"):
            place = _closing(text, place)
            whole = text[place - 1] == "}"
        else:
            while arm := ARM.match(text, place):
                place = _closing(text, arm.end())
                arms[arm["arm"]] = text[arm.end() : place - 1]
            end = MESSAGE_END.match(text, place)
            place, whole = (end.end(), True) if end else (len(text), False)
        yield Message(start, place, head["name"], head["kind"], arms, whole)


def _closing(text: str, place: int) -> int:
    """Where the brace that was opened before *place* is closed; the end of *text* if it never is."""
    depth = 1
    for brace in BRACE.finditer(text, place):
        depth += (brace[0] == "{") - (brace[0] == "}")
        if not depth:
            return brace.end()
    return len(text)


def _without_messages(text: str, some: Iterable[Message], stand_in: str = " ", *, as_long: bool = False) -> str:
    """*text* with *stand_in*, or that many of it, instead of *some* messages."""
    parts, place = list[str](), 0
    for message in some:
        parts += text[place : message.start], stand_in * (message.end - message.start if as_long else 1)
        place = message.end
    return "".join([*parts, text[place:]])


class Placeholders:
    """The placeholders of a text: `plain` counted, `order` of those without names, `nested` those in ICU messages.

    `written` has the spelling of each of `plain` in the text: spaces inside its braces do not count.
    """

    def __init__(self, text: str, depth: int = 0) -> None:
        self.messages = list(messages(text)) if "{" in text and "," in text and depth < DEEPEST else []
        arms = [Placeholders(arm, depth + 1) for each in self.messages for arm in each.arms.values()]
        self.nested: list[str] = list(dict.fromkeys(item for arm in arms for item in (*arm.plain, *arm.nested)))
        plain = PLACEHOLDER.findall(URL.sub(" ", _without_messages(text, self.messages)))
        found = [SPACES.sub(" ", AT_BRACES.sub("", item)) for item in plain]
        self.written = dict(zip(found, plain, strict=True))
        self.plain: Counter[str] = Counter(found)
        self.plain.update(f"{{{message.name}, {message.kind}}}" for message in self.messages)
        self.order = [item for item in found if item[0] == "%" and item[1:2] not in ("(", "%", "{") and item[-1] != "%"]

    @property
    def positioned(self) -> bool:
        """Whether each of them has its number, as `%2$s` does."""
        return bool(self.order) and all(map(POSITION.match, self.order))

    def in_order(self) -> list[str]:
        """Those without names in the order they are filled in, with `%2$s` as the second `%s`."""
        numbered = sorted(set(self.order), key=lambda item: int(POSITION.match(item)[0][1:-1]))  # type: ignore[index]
        return [POSITION.sub("%", item) for item in numbered]


class Tags:
    """The tags of a text: `names` with how often each is opened, closed or both, `attributes` of each, `nested`.

    `<file>`, which help texts use for a value to fill in, is not a tag: its name is translated.
    """

    def __init__(self, text: str, also: frozenset[str] = frozenset()) -> None:
        self.names: Counter[str] = Counter()
        self.attributes: Counter[tuple[str, str]] = Counter()
        self.nested = True
        opened: list[str] = []
        found = list(TAG.finditer(text))
        self.known = HTML | also | {tag["name"] for tag in found if tag["close"] or tag["alone"] or tag["attributes"]}
        for tag in found:
            name = tag["name"]
            if name not in self.known and name.lower() not in HTML:
                continue
            self.names[f"<{tag['close']}{name}{tag['alone']}>"] += 1
            for attribute, *values in ATTRIBUTE.findall(tag["attributes"]):
                value = "".join(values)
                is_bare = attribute.lower() in READ or not value
                self.attributes[name, attribute if is_bare else f'{attribute}="{value}"'] += 1
            if tag["close"]:
                self.nested &= bool(opened) and opened.pop() == name
            elif not tag["alone"]:
                opened.append(name)
        self.nested &= not opened
