"""What a translation must carry over as it is: placeholders, tags, addresses; and texts without them."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from svc_nb.checks import icu

# Addresses end where a script without spaces goes on.
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
    r"%\([\w.]+\)[-+#0]*\d*(?:\.\d+)?[diouxXeEfFgGcrs]"  # %(name)s
    r"|%\d+\$[-+#0]*\d*(?:\.\d+)?(?:hh|h|ll|l|z)?[diouxXeEfFgGcs@]"  # %1$s
    r"|(?<![\d%])(?<!\d\s)%[-+#0]*\d*(?:\.\d+)?(?:hh|h|ll|l|z)?[diuxXfgcs@](?![A-Za-z]*%)"  # %s
    r"|(?<![\d%])%[A-Za-z_]{2,}%"  # %NAME%
    r"|%%"
    r"|\{\{\{?\s*[^{}\n]+?\s*\}?\}\}"  # {{x}}
    r"|[$#@%]?\{\w[\w.\[\]-]*(?:![rsa])?(?::[^{}\s]*)?\}"  # {x}, ${x}
    r"|\$\{[^{}\n]*\}"
    r"|\{\}"
)
POSITION = re.compile(r"%\d+\$")
# Messages within messages: nobody writes more.
DEEPEST = 5
SPACES = re.compile(r"\s+")
TRAILING = ".,;:!?…)]}*"
# What people read in a tag's attributes, and translate.
READ = frozenset(
    {"alt", "title", "placeholder", "aria-label", "content", "label", "value", "lang", "xml:lang", "dir"}
)


@lru_cache(maxsize=4096)
def bare(text: str) -> str:
    """*text* without placeholders, tags, entities and addresses; a space stands for each."""
    if not any(letter in text for letter in "{<&%@/") and "www." not in text:
        return text
    for message in reversed(list(icu.messages(text)) if "{" in text else []):
        text = f"{text[: message.start]} {text[message.end :]}"
    for pattern in (URL, EMAIL, TAG, PLACEHOLDER, ENTITY):
        text = pattern.sub(" ", text)
    return text


def urls(text: str) -> list[str]:
    """Web addresses, without the marks of the sentence around them."""
    return [_trimmed(found) for found in URL.findall(text)]


def _trimmed(address: str) -> str:
    while address and address[-1] in TRAILING:
        if address[-1] == ")" and address.count("(") >= address.count(")"):
            break
        address = address[:-1]
    return address.rstrip("/")


def emails(text: str) -> list[str]:
    """E-mail addresses, in lower case."""
    return [found.lower() for found in EMAIL.findall(text)]


class Slots:
    """The placeholders of a text: `plain` with how often each stands there, `order` of those without names.

    What stands in the arms of ICU messages is in `nested`, once for all arms.
    """

    def __init__(self, text: str, depth: int = 0) -> None:
        self.messages = list(icu.messages(text)) if "{" in text and "," in text and depth < DEEPEST else []
        self.nested: set[str] = set()
        self.plain: Counter[str]
        for message in reversed(self.messages):
            text = f"{text[: message.start]} {text[message.end :]}"
            for arm in message.arms.values():
                within = Slots(arm, depth + 1)
                self.nested |= set(within.plain) | within.nested
        found = [SPACES.sub("", item) for item in PLACEHOLDER.findall(URL.sub(" ", text))]
        self.plain = Counter(found)
        self.plain.update(f"{{{message.name}, {message.kind}}}" for message in self.messages)
        self.order = [
            item for item in found if item[0] == "%" and item[1:2] not in ("(", "%", "{") and item[-1] != "%"
        ]

    def without_positions(self) -> Counter[str]:
        """The same, with `%2$s` as `%s`; only where the positions are 1 to n, each there."""
        positions = {int(POSITION.match(item)[0][1:-1]) for item in self.plain if POSITION.match(item)}  # type: ignore[index]
        if not positions or positions != set(range(1, len(positions) + 1)):
            return self.plain
        found: Counter[str] = Counter()
        for item, count in self.plain.items():
            found[POSITION.sub("%", item)] += count
        return found


class Tags:
    """The tags of a text: `names` with how often each is opened, closed or both, `attributes` of each, `nested`."""

    def __init__(self, text: str) -> None:
        self.names: Counter[str] = Counter()
        self.attributes: Counter[tuple[str, str]] = Counter()
        self.nested = True
        opened: list[str] = []
        for tag in TAG.finditer(text):
            name = tag["name"]
            self.names[f"<{tag['close']}{name}{tag['alone']}>"] += 1
            self.attributes.update((name, item) for item in _attributes(tag["attributes"]))
            if tag["close"]:
                self.nested &= bool(opened) and opened.pop() == name
            elif not tag["alone"]:
                opened.append(name)
        self.nested &= not opened


def _attributes(written: str) -> list[str]:
    found = []
    for name, *values in ATTRIBUTE.findall(written):
        value = "".join(values)
        found.append(name if name.lower() in READ or not value else f'{name}="{value}"')
    return found
