"""Stretches of a text that no translator may change: masked before it is sent, verified and put back after.

1. Every item of `protect=` finds its stretches; those that overlap or touch become one.
2. Each stretch gets a numbered mask. A mask of the first form stands beside words without joining them; one of the
   second is a word itself. Numbers that the text has in masks of its own are left alone.
3. An answer is taken if every mask is there once, none was invented, and what was opened before is closed behind: of
   tags, and of the arms of a plural or a choice. Then the stretches take the places of their masks.
4. Otherwise the text is asked for once more in the second form, and after that it has failed.

Texts that differ in their stretches alone look the same when they are masked, and so are paid for once.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import get_close_matches
from itertools import pairwise
from typing import Any, NamedTuple

PROTECTED = "protected"
LOST = "protection_lost"
ALL = "all"

Span = tuple[int, int]
Find = Callable[[str], Iterable[Span]]

# Scripts whose words may stand against a name, an address or a placeholder without a space.
_WIDE = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef"
    r"\U00020000-\U0003ffff"
)
_WORD = rf"[^\W{_WIDE}]"
_LETTER = rf"[^\W\d_{_WIDE}]"

# Every pattern begins with a class of characters, since that is what makes a search fast, and is judged by what stands
# before it afterwards. None may run on without a bound: a text of any kind costs no more than a multiple of its length.
_FORMAT = r"(?:\d{1,3}\$)?+[-+#0]{0,5}+(?:\d{1,4}+|\*)?+(?:\.(?:\d{1,4}+|\*))?+(?:hh?|ll?|[qjztL])?+[diouxXeEfFgGcrs@]"
_PLACEHOLDER = re.compile(
    r"[{%](?:(?<=\{)(?:"
    r"\{\{?[^{}]{0,200}\}\}\}?"  # {{name}}, {{ name | filter }}
    r"|%[^{}]{0,200}%\}"
    r"|\s{0,9}\w{1,100}\s{0,9},\s{0,9}(?:number|date|time|spellout|ordinal|duration)\b[^{}]{0,200}\}"
    r"|\s{0,9}[^{}\s]{0,200}\s{0,9}\}"  # {}, {0}, {name:>5}
    r")|(?<=%)(?:"
    r"[A-Za-z_][\w.]{1,60}%(?![\w%])"
    r"|\([^()\s]{1,100}\)[-+#0]{0,5}(?:\d{1,4})?(?:\.\d{1,4})?[diouxXeEfFgGcrsa]"
    rf"|(?<!\d%){_FORMAT}(?!{_LETTER}{{3}})|{_FORMAT}(?!{_LETTER})"  # %dpx is one; 20%discount and %change are not
    r"|%"
    r"))"
)
_SIGILS = "$#%"
_MESSAGE = re.compile(r"\{\s{0,9}\w{1,100}\s{0,9},\s{0,9}(?:plural|select|selectordinal)\s{0,9},")
_MESSAGE_MARK = re.compile(r"[{}#]|[^{}#]+")
_TAG = re.compile(
    r"[<&\]](?:(?<=<)(?:!--(?:(?!<!--|-->).)*+-->|!\[CDATA\["
    r"""|/?[A-Za-z][\w:.-]*+(?:\s(?:[^<>"']|"[^"]*+"|'[^']*+')*+)?/?>)"""
    r"|(?<=&)(?:nbsp|amp|lt|gt|quot|apos);|(?<=\])\]>)",
    re.DOTALL,
)
_IN_URL = rf"""[^\s()\[\]{{}}<>"{_WIDE}]"""
_URL_CHARACTER = rf"(?:{_IN_URL}|\({_IN_URL}*+\)|\[{_IN_URL}*+\]|\{{{_IN_URL}*+\}})"
_URL_END = r"""(?<![.,;:!?'’”»…*_])"""
_URL = re.compile(
    r"[A-Za-z](?<![A-Za-z0-9+.-].)(?:[A-Za-z0-9+.-]{1,20}+://|(?<=[wW])[wW]{2}\.(?=[\w-]{1,63}\.)|(?<=[mM])(?i:ailto:))"
    rf"{_URL_CHARACTER}+{_URL_END}"
)
_DOMAINS = tuple(f".{name}/" for name in ("com", "edu", "gov", "io", "ly", "net", "org"))
_DOMAIN = re.compile(
    r"[A-Za-z0-9](?<![\w.-].)[A-Za-z0-9-]{0,62}+(?:\.[A-Za-z0-9-]{1,63}+){0,4}?"
    rf"(?:{'|'.join(map(re.escape, _DOMAINS))}){_URL_CHARACTER}*{_URL_END}"
)
_LOCAL = r"A-Za-z0-9_\u00c0-\u0dff.!#$%&'*+/=?^`{|}~-"
_EMAIL = re.compile(
    rf"[{_LOCAL}](?<![{_LOCAL}].)[{_LOCAL}]{{0,63}}"
    rf"@(?:(?:{_WORD}|-){{1,63}}\.){{1,9}}{_LETTER}{{2,63}}"
)
_TOKEN = re.compile(rf"{_WORD}+|\S")
_WORDS = re.compile(rf"{_WORD}+")
_OF_WORD = re.compile(_WORD)


class _Finder(NamedTuple):
    """What finds stretches; a text that holds none of the *hints* has none."""

    hints: Sequence[str]
    find: Find


class _Form(NamedTuple):
    """A kind of mask: how it is written, and what of it translators were seen or are likely to make."""

    written: str
    read: re.Pattern[str]


# Chosen by experiment: of 191 sentences in 15 language pairs of Apertium all came back whole with "[[0]]", and with
# "XK0T" if its case does not count; 182 with "{0}", 179 with "⟦0⟧" or "__0__". No neural service was at hand. The first
# form is no word: words that touch it are still translated, and a sentence that begins with it keeps its case. Spaces,
# wide brackets and look-alikes from other alphabets do no harm. No mask is mistaken for another beside other text.
FORMS = (
    _Form("[[%d]]", re.compile(r"([\[［【]{2}\s?(\d{1,6})\s?[\]］】]{2})")),
    _Form("XK%dT", re.compile(r"([XxХхΧχ][KkКкΚκ](\d{1,6})[TtТтΤτ])")),
)
FIRST, SECOND = range(len(FORMS))
_MASK_LIKE = re.compile(r"[\[［【XxХхΧχ](?:(?<=[\[［【])[\[［【]\s?|(?<=[XxХхΧχ])[KkКкΚκ])(\d{1,6})")
NO_NUMBERS: frozenset[int] = frozenset()


class Masked:
    """A text with protected stretches: `stretches` and what stands around them, `texts`, in turns."""

    __slots__ = ("_first", "_taken", "stretches", "texts")

    def __init__(self, text: str, spans: Sequence[Span]) -> None:
        self.stretches: list[str] = []
        self.texts: list[str] = []
        at = 0
        for start, end in spans:
            self.texts.append(text[at:start])
            self.stretches.append(text[start:end])
            at = end
        self.texts.append(text[at:])
        self._taken = self._numbers() if _MASK_LIKE.search(text) else NO_NUMBERS
        self._first = self._first_free() if self._taken else 0

    @property
    def wording(self) -> str:
        """What is there to translate: the text without its stretches."""
        return " ".join(self.texts)

    @property
    def idle(self) -> bool:
        """Whether there is not a letter to translate."""
        return not any(any(map(str.isalpha, text)) for text in self.texts)

    def asked(self, form: int) -> str:
        """The text with masks, as it is sent."""
        written, first = FORMS[form].written, self._first
        masks = [written % number for number in range(first, first + len(self.stretches))]
        return _in_turns(self.texts, masks)

    def restored(self, answer: str, form: int) -> str | None:
        """The *answer* with the stretches in place of their masks; None where masks were lost, doubled or invented."""
        first, count = self._first, len(self.stretches)
        texts = FORMS[form].read.split(answer)
        numbers = [int(number) - first for number in texts[2::3]]
        if numbers == [*range(count)]:  # as it mostly is
            return _in_turns(texts[::3], self.stretches)
        own = [number for number in numbers if 0 <= number < count]
        others = {number + first for number in numbers if not 0 <= number < count}
        whole = len(own) == count == len(set(own))
        if not whole or not others <= self._taken or not self._in_order(own):
            return None
        put = [
            self.stretches[number] if 0 <= number < count else mark
            for number, mark in zip(numbers, texts[1::3], strict=True)
        ]
        return _in_turns(texts[::3], put)

    def _numbers(self) -> frozenset[int]:
        """The numbers of what looks like a mask, of any form, outside of the stretches."""
        return frozenset(int(number) for text in self.texts for number in _MASK_LIKE.findall(text))

    def _first_free(self) -> int:
        """The first of as many numbers in a row as there are stretches, none of which is taken."""
        first = 0
        for number in sorted(self._taken):
            if number >= first + len(self.stretches):
                break
            first = number + 1
        return first

    def _in_order(self, numbers: Sequence[int]) -> bool:
        places = {number: place for place, number in enumerate(numbers)}
        return all(places[before] < places[behind] for before, behind in _orders(self.stretches))


class Protection:
    """What is to be kept as it is: kinds of stretches, names, and what patterns match.

    *protect* is "all" or items: the kinds "placeholders", "tags", "urls", "emails"; names, which are found as whole
    words in their own case; compiled patterns. With *tag_handling* tags are the service's business: "all" leaves them
    out, and to ask for both raises ValueError.
    """

    @classmethod
    def of(cls, protect: Any, *, tag_handling: str | None = None) -> Protection | None:
        """What *protect* asks for; None where it asks for nothing."""
        if isinstance(protect, Protection):
            return protect
        made = None if protect is None else cls(protect, tag_handling=tag_handling)
        return made if made and made._finders else None

    def __init__(self, protect: Any, *, tag_handling: str | None = None) -> None:
        kinds, names, patterns = _sorted_out(protect)
        if tag_handling and "tags" in kinds:
            raise ValueError(
                f'protect: "tags" cannot be combined with tag_handling={tag_handling!r}, for with that the service '
                'keeps tags itself. Leave out one of the two; "all" does not mean tags then.'
            )
        if ALL in kinds:
            kinds = {*KINDS} - ({"tags"} if tag_handling else set())
        self._finders = [KINDS[kind] for kind in KINDS if kind in kinds]
        self._finders += [_Finder(("",), _matches_of(pattern)) for pattern in patterns]
        if names:
            self._finders.append(_Finder(_hints(names), _Names(names).spans))

    def masked(self, texts: Sequence[str | None]) -> list[Masked | None]:
        """Each text with its stretches; None where there are none."""
        return [self._masked(text) if text else None for text in texts]

    def _masked(self, text: str) -> Masked | None:
        spans: list[Span] = []
        for hints, find in self._finders:
            for hint in hints:
                if hint in text:
                    spans += find(text)
                    break
        # Half a surrogate pair has no form in a column of texts either: what holds one must fail, masked or not.
        return Masked(text, _merged(spans)) if spans and _sendable(text) else None


def _sendable(text: str) -> bool:
    try:
        return text.isascii() or bool(text.encode())
    except UnicodeEncodeError:
        return False


# ---- what is given


def _sorted_out(protect: Any) -> tuple[set[str], list[str], list[re.Pattern[str]]]:
    """The kinds, the names and the patterns among the items of *protect*."""
    # A frame would be taken for the names of its columns.
    single = (
        isinstance(protect, str | re.Pattern)
        or not isinstance(protect, Iterable)
        or hasattr(protect, "columns")
    )
    items: list[Any] = [protect] if single else list(protect)
    patterns = [item for item in items if isinstance(item, re.Pattern) and isinstance(item.pattern, str)]
    texts = [item for item in items if isinstance(item, str)]
    if len(patterns) + len(texts) < len(items):
        wrong = next(
            item for item in items if not isinstance(item, str) and not any(item is one for one in patterns)
        )
        raise TypeError(
            f'protect: expected "all" or a list of {_told(KINDS)}, names and compiled patterns of text, found '
            f"{'a pattern of bytes' if isinstance(wrong, re.Pattern) else type(wrong).__name__} in it"
        )
    kinds = {text for text in texts if text in KINDS or text == ALL}
    return kinds, [_name(text) for text in texts if text not in kinds], patterns


def _name(text: str) -> str:
    """*text* as a name; raises ValueError where it is blank, or must be a slip in the name of a kind."""
    name = text.strip()
    if not name:
        raise ValueError("protect: expected a kind, a name or a pattern, found a blank text; leave it out")
    if meant := _meant(name):
        raise ValueError(
            f'protect: there is no kind {name!r}; did you mean "{meant}"? The kinds are {_told(KINDS)}. '
            f"If it is a name to keep, pass re.compile({re.escape(name)!r})."
        )
    return name


def _meant(name: str) -> str | None:
    """The kind that was meant by what is no kind, if one was: written in lower case or just as a kind is."""
    words = {**{kind: kind for kind in KINDS}, **_MEANT}
    if (word := name.lower()) in (*words, ALL):
        return words.get(word, ALL)
    close = get_close_matches(name, words, n=1, cutoff=0.8) if name.islower() else []
    return words[close[0]] if close else None


def _told(kinds: Iterable[str]) -> str:
    return ", ".join(f'"{kind}"' for kind in kinds)


# ---- what is found


def _matches_of(pattern: re.Pattern[str]) -> Find:
    def find(text: str) -> list[Span]:
        return [span for found in pattern.finditer(text) if (span := found.span())[0] < span[1]]

    return find


def _urls(text: str) -> list[Span]:
    found = [*_URL.finditer(text)]
    if any(domain in text for domain in _DOMAINS):
        found += _DOMAIN.finditer(text)
    return [each.span() for each in found]


def _placeholders(text: str) -> list[Span]:
    """Placeholders; of a plural or a choice all but the texts of its arms, which are there to be translated."""
    found = [*_PLACEHOLDER.finditer(text)]
    spans: list[Span] = []
    if _MESSAGE.search(text):
        messages = _messages(text)
        spans += [span for message in messages for span in _skeleton(text, *message)]
        # The braces in messages are accounted for.
        found = [each for each in found if each[0][0] == "%" or not _inside(messages, each.start())]
    for each in found:
        start, end = each.span()
        sigil = start and text[start] == "{" and text[start - 1] in _SIGILS  # ${name}
        spans.append((start - 1 if sigil else start, end))
    return spans


def _inside(spans: Sequence[Span], place: int) -> bool:
    before = bisect_right(spans, (place, sys.maxsize)) - 1
    return before >= 0 and place < spans[before][1]


def _skeleton(text: str, start: int, end: int) -> Iterator[Span]:
    """All but the texts of the arms in the message from *start* to *end*.

    Braces stand in each other by turns: in the first, third, ... there are names, in the second, fourth, ... texts.
    """
    depth = 0
    for found in _MESSAGE_MARK.finditer(text, start, end):
        mark = found[0]
        depth += mark == "{"
        if depth % 2 or mark in "{}#":
            yield found.span()
        depth -= mark == "}"


def _messages(text: str) -> list[Span]:
    """Where plurals and choices begin and end; those inside of others are a part of them."""
    opened: list[int] = []
    closed: dict[int, int] = {}
    for found in re.finditer("[{}]", text):
        if found[0] == "{":
            opened.append(found.start())
        elif opened:
            closed[opened.pop()] = found.end()
    messages: list[Span] = []
    for found in _MESSAGE.finditer(text):
        start = found.start()
        if start in closed and (not messages or start >= messages[-1][1]):
            messages.append((start, closed[start]))
    return messages


class _Names:
    """Names that are found as whole words, however many there are: looked up by their first word."""

    def __init__(self, names: Iterable[str]) -> None:
        self._by_head: defaultdict[str, list[str]] = defaultdict(list)
        for name in sorted(set(names), key=len, reverse=True):
            self._by_head[_TOKEN.findall(name)[0]].append(name)
        worded = all(map(_OF_WORD.match, self._by_head))
        self._tokens = _WORDS if worded else _TOKEN

    def spans(self, text: str) -> Iterator[Span]:
        """Where a name stands; of several that begin at a place, the longest."""
        if self._by_head.keys().isdisjoint(self._tokens.findall(text)):
            return
        for token in self._tokens.finditer(text):
            for name in self._by_head.get(token[0], ()):
                start, end = token.start(), token.start() + len(name)
                if text.startswith(name, start) and _parted(text, start) and _parted(text, end):
                    yield start, end
                    break


def _parted(text: str, place: int) -> bool:
    """Whether no word goes on over *place*."""
    return not (0 < place < len(text) and _goes_on(text[place - 1]) and _goes_on(text[place]))


def _goes_on(letter: str) -> bool:
    return bool(_OF_WORD.match(letter)) or unicodedata.category(letter)[0] == "M"


def _hints(names: Sequence[str]) -> Sequence[str]:
    """What to look for before looking closer; of many names nothing, for then it would take longer."""
    return names if len(names) <= 16 else ("",)


KINDS: dict[str, _Finder] = {
    "placeholders": _Finder(("{", "%"), _placeholders),
    "tags": _Finder(("<", "&", "]]>"), _matches_of(_TAG)),
    "urls": _Finder(("/", "www.", "WWW.", "mailto:"), _urls),
    "emails": _Finder(("@",), _matches_of(_EMAIL)),
}
_MEANT = {
    "variables": "placeholders",
    "html": "tags",
    "xml": "tags",
    "markup": "tags",
    "links": "urls",
    "mails": "emails",
    "e-mails": "emails",
}


# ---- stretches and texts


def _merged(spans: list[Span]) -> list[Span]:
    """*spans* in their order; those that overlap or touch are one."""
    spans.sort()
    merged = [spans[0]]
    for start, end in spans:
        before, reached = merged[-1]
        if start <= reached:
            merged[-1] = before, max(reached, end)
        else:
            merged.append((start, end))
    return merged


def _in_turns(texts: Sequence[str], between: Sequence[str]) -> str:
    """The first of *texts*, the first of *between*, the second text, and so on."""
    whole = [""] * (len(texts) + len(between))
    whole[::2], whole[1::2] = texts, between
    return "".join(whole)


def _orders(stretches: Sequence[str]) -> Iterator[Span]:
    """Pairs of stretches of which one must stay before the other, because it opens what the other closes."""
    if any("</" in stretch for stretch in stretches):
        yield from _tag_orders(stretches)
    depth = 0
    for place, (stretch, _) in enumerate(pairwise(stretches)):
        depth += stretch.count("{") - stretch.count("}")
        if depth > 0:
            yield place, place + 1


def _tag_orders(stretches: Sequence[str]) -> Iterator[Span]:
    """A tag before the one that closes it, and both inside of the tags around them."""
    opened: list[_Opened] = []
    open_now: Counter[str] = Counter()
    for place, stretch in enumerate(stretches):
        for closes, name in _NAMED_TAG.findall(stretch.lower()):
            open_now[name] += not closes
            if not closes:
                opened.append(_Opened(name, place, []))
            elif open_now[name]:
                while (last := opened.pop()).name != name:
                    open_now[last.name] -= 1  # it is never closed, as <br> is not
                open_now[name] -= 1
                yield from last.orders(place)
                if opened:
                    opened[-1].inside.append((last.place, place))


class _Opened(NamedTuple):
    """A tag that is open, where it stands, and the places of what was opened and closed in it."""

    name: str
    place: int
    inside: list[Span]

    def orders(self, closed: int) -> Iterator[Span]:
        """What must stay before what, now that it is closed."""
        pairs = [(self.place, closed), *((self.place, start) for start, _ in self.inside)]
        pairs += [(end, closed) for _, end in self.inside]
        return ((before, behind) for before, behind in pairs if before < behind)


_NAMED_TAG = re.compile(r"<(/?)([a-z][\w:.-]*+)")
