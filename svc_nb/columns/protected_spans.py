"""Where the stretches of a text are that no translator may change: addresses, paths, placeholders, tags, names.

Plurals and choices, `{n, plural, one {# file} other {# files}}`, have nested braces: the first, third, ... level
contains names, the second, fourth, ... level the texts of arms. From an apostrophe before a brace or a `#` to the next
apostrophe, braces and `#` do not count; two apostrophes stand for one.
"""

import re
import string
import sys
import unicodedata
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

from svc_nb.engine.skip_rules import UNSPACED
from svc_nb.engine.split import closes_itself

Span = tuple[int, int]

# ---- letters of scripts with and without spaces between words, as parts of character classes

# Scripts whose words may touch a name, an address or a placeholder without a space.
WIDE = UNSPACED
WORD = rf"[^\W{WIDE}]"
LETTER = rf"[^\W\d_{WIDE}]"

_WIDE_MARKS = (
    r"\u0e2f\u0e4f\u0e5a\u0e5b\u0f00-\u0fff\u104a-\u104f\u17d4-\u17da\u2ff0-\u3004\u3008-\u3020\u3030\u303d-\u303f"
    r"\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\uffe0-\uffef"
)
# The characters of words in scripts without spaces; not their punctuation, which ends a stretch before it.
WIDE_LETTER = rf"(?:(?![{_WIDE_MARKS}])[{WIDE}])"
# Chinese and Japanese only. Korean has spaces, and its particles are attached to the word before them.
HAN_OR_KANA = r"[\u3005-\u3007\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"

# ---- web and e-mail addresses: found by a mark that each of them has, then followed in both directions

_URL_MARK = re.compile(
    r"[:wWmM.](?:(?<=:)(?P<scheme>//)"  # https://
    r"|(?<=[wW])[wW]{2}\.(?=[\w-]{1,63}\.)"  # www.
    r"|(?<=[mM])(?i:ailto:)(?=[^\s@]{1,64}@)"
    r"|(?<=\.)(?P<domain>(?i:com|edu|gov|io|ly|net|org)/))"  # bit.ly/x
)
_SCHEME = frozenset(string.ascii_letters + string.digits + "+.-")
_NO_LETTERS = string.digits + "+.-"
_DOMAIN = frozenset(string.ascii_letters + string.digits + ".-")
_LONGEST_SCHEME, _LONGEST_DOMAIN, _LONGEST_LOCAL = 21, 253, 64

# In addresses these are always encoded: unencoded ones end an address even if no space follows.
_IN_URL = rf"""[^\s()\[\]{{}}<>"`،؛؟۔।॥—{WIDE}]"""
_CHARACTER = rf"(?:{_IN_URL}|\({_IN_URL}*+\)|\[{_IN_URL}*+\]|\{{{_IN_URL}*+\}})"
_BEHIND = r"[\s!-/:-@\[-`{-~]|\Z"  # a space, ASCII punctuation or the end
# Letters of scripts without spaces: labels of hosts, and parts of paths that do not continue the sentence.
_LABEL = (
    rf"(?<=[/.@]){WIDE_LETTER}++(?=[.-]\w)"  # 例え.jp
    rf"|(?<=\.){WIDE_LETTER}++(?=[/:])"  # example.中国/
    rf"|(?<=[{WIDE}]\.){WIDE_LETTER}++(?={_BEHIND})"  # 例子.中国
)
_STEP = (
    rf"(?:(?<=[/=-])|(?<=%[0-9A-Fa-f]{{2}})){WIDE_LETTER}++"  # /日本, =日本, %E3日本, -日本
    rf"|(?<![.,;:!?]){HAN_OR_KANA}++(?={_BEHIND})"  # /x日本 and a space
    rf"|\((?:{_IN_URL}|{WIDE_LETTER})*+\)"  # /x_(日本)
)
_PATH = rf"(?:{_CHARACTER}|{_STEP})*"
_END = r"""(?<![.,;:!?'‘’“”„«»…*_])"""  # what a sentence may put after an address
_REST_OF_URL = re.compile(rf"(?:(?![/?#]){_CHARACTER}|{_LABEL})*(?:[/?#]{_PATH})?{_END}")
_REST_OF_PATH = re.compile(rf"{_PATH}{_END}")
_OF_WORD = re.compile(WORD)

_LOCAL = frozenset([*string.ascii_letters, *string.digits, *"_.!#$%&'*+/=?^`{|}~-", *map(chr, range(0xC0, 0xE00))])
_QUOTES = "'`*{|"  # an address does not begin with these, but may be enclosed by them
_HOST = re.compile(
    rf"@(?:(?:(?:{WORD}++|-)++|{WIDE_LETTER}++)\.){{1,9}}"
    rf"(?:{LETTER}{{2,63}}|(?<=[{WIDE}]\.){WIDE_LETTER}{{2,12}}(?={_BEHIND}))"
)


def urls(text: str) -> list[Span]:
    """Addresses with a scheme, and those recognised by "www." or by the end of their domain and a path."""
    spans: list[Span] = []
    at = 0
    while mark := _URL_MARK.search(text, at):
        at = mark.end()
        start = _url_start(text, mark)
        if start is None:
            continue
        rest = (_REST_OF_PATH if mark["domain"] else _REST_OF_URL).match(text, at)
        if rest and (mark["domain"] or rest.end() > at):
            at = rest.end()
            spans.append((start, at))
    return spans


def emails(text: str) -> list[Span]:
    """E-mail addresses."""
    spans: list[Span] = []
    at = text.find("@")
    while at >= 0:
        local = _run_before(text, at, _LOCAL, most=_LONGEST_LOCAL).lstrip(_QUOTES)
        host = _HOST.match(text, at) if local else None
        if host:
            spans.append((at - len(local), host.end()))
        at = text.find("@", host.end() if host else at + 1)
    return spans


def _url_start(text: str, mark: re.Match[str]) -> int | None:
    """Where the address with this *mark* begins; None if it is not an address."""
    place = mark.start()
    if mark["scheme"]:
        scheme = _run_before(text, place, _SCHEME, most=_LONGEST_SCHEME).lstrip(_NO_LETTERS)
        return place - len(scheme) if len(scheme) > 1 else None
    if mark["domain"]:
        domain = _run_before(text, place, _DOMAIN, most=_LONGEST_DOMAIN).lstrip(".-")
        start = place - len(domain)
        return start if domain and not _OF_WORD.match(text[start - 1 : start]) else None
    return place if not place or text[place - 1] not in _SCHEME else None


def _run_before(text: str, place: int, run: frozenset[str], *, most: int) -> str:
    """The run of such characters that ends at *place*; empty if it is longer than *most*."""
    start, low = place, max(place - most - 1, 0)
    while start > low and text[start - 1] in run:
        start -= 1
    return text[start:place] if place - start <= most else ""


# ---- paths of files and folders

_PATH_NAME = rf"(?:{WORD}|[.@+~$-]){{1,100}}+"
_WINDOWS_NAME = r"""[^\s\\/:*?"'<>|,;`()\[\]{}]{1,100}+"""
_SPACED_NAME = rf"{_WINDOWS_NAME}(?:[ ](?:[A-Z\d]{_WINDOWS_NAME}|\({_WINDOWS_NAME}\))){{0,3}}"  # Program Files (x86)
_FILE_PATH = re.compile(
    rf"(?<![^\W{WIDE}])(?<![</\\%.&@$~+)-])(?:"
    rf"(?:[A-Za-z]:[\\/](?!/)|\\\\\w{_WINDOWS_NAME}\\|%\w{{1,40}}%\\)(?:{_SPACED_NAME}[\\/]){{0,50}}(?:{_WINDOWS_NAME})?"
    rf"|(?:~|\.\.?)(?:/{_PATH_NAME}){{1,50}}+/?"  # ~/a, ./a, ../a/b
    rf"|/(?=\w){_PATH_NAME}(?:/{_PATH_NAME}){{1,50}}+/?"  # /usr/lib
    rf"|(?P<file>(?:/|(?:{_PATH_NAME}[/\\]){{1,50}}+){_PATH_NAME})"  # src/main.py, but not and/or
    r")"
)
_FILE = re.compile(r".*\w\.[a-z][a-z\d]{0,4}", re.DOTALL)
_BEHIND_PATH = ".,;:!?…*_'‘’“”„«»~+-"


def paths(text: str) -> list[Span]:
    """Paths that begin at a root, a drive, the home or the current folder; other paths if they name a file."""
    spans: list[Span] = []
    for found in _FILE_PATH.finditer(text):
        path = found[0].rstrip(_BEHIND_PATH)
        if not found["file"] or _FILE.fullmatch(path):
            spans.append((found.start(), found.start() + len(path)))
    return spans


# ---- plurals and choices: which parts are text, and which hold them together

_HEAD = re.compile(r"\{\s{0,9}\w{1,100}\s{0,9},\s{0,9}(?:plural|select|selectordinal)\s{0,9},")
_BRACE = re.compile(r"[{}]")
# An unclosed apostrophe is an ordinary one. At most one search for an end can fail, because a run of two apostrophes is
# never entered in its middle.
_QUOTED = r"'[{}#][^']*+(?:''[^']*+)*+'"
_BRACE_OR_QUOTED = re.compile(rf"''|{_QUOTED}|[{{}}]")
_MESSAGE_TOKEN = re.compile(rf"''|{_QUOTED}|[{{}}#']|[^{{}}#']++")


def message_spans(text: str) -> list[Span]:
    """Where closed plurals and choices begin and end; nested ones are part of the outer one."""
    first = _HEAD.search(text) if "plural" in text or "select" in text else None
    if first is None:
        return []
    closed: list[Span] = []
    opened: list[tuple[int, bool]] = []
    place, depth = first.start(), 0  # in messages: quotes count only inside them
    while found := (_BRACE_OR_QUOTED if depth else _BRACE).search(text, place):
        start, place = found.span()
        if found[0] == "{":
            is_head = bool(_HEAD.match(text, start))
            opened.append((start, is_head))
            depth += is_head
        elif found[0] == "}" and opened:
            start, is_head = opened.pop()
            depth -= is_head
            if is_head:
                closed.append((start, place))
    outermost: list[Span] = []
    for start, end in sorted(closed):
        if not outermost or start >= outermost[-1][1]:
            outermost.append((start, end))
    return outermost


def _skeleton(text: str, message: Span) -> Iterator[Span]:
    """All of a message except the texts of its arms; quoted parts of these are included."""
    depth = 0
    for found in _MESSAGE_TOKEN.finditer(text, *message):
        mark = found[0]
        depth += mark == "{"
        if depth % 2 or mark in ("{", "}", "#") or (len(mark) > 2 and mark[0] == "'"):
            yield found.span()
        depth -= mark == "}"


def message_braces(text: str) -> list[int]:
    """The positions of all braces that open or close something in the messages of *text*."""
    tokens = (found for message in message_spans(text) for found in _MESSAGE_TOKEN.finditer(text, *message))
    return [found.start() for found in tokens if found[0] in ("{", "}")]


# ---- placeholders of template languages, format strings and ICU messages

_FLAGS = r"[-+#0]{0,5}+"
_WIDTH = r"(?:\d{1,4}+|\*)"
_FORMAT = rf"(?:\d{{1,3}}\$)?+{_FLAGS}{_WIDTH}?+(?:\.{_WIDTH})?+(?:hh?|ll?|[qjztL])?+[diouxXeEfFgGcrs@]"
_DATE = "-?[aAbBcCdDeFgGhHIjklmMnpPrRsStTuUvVwWxXyYzZ]"
# Begins with a character class, which makes the search fast; the character before a match is checked afterwards. No
# branch may be unbounded, so that the time for any text is at most a multiple of its length.
_PLACEHOLDER = re.compile(
    r"[{%](?:(?<=\{)(?:"
    r"\{\{?[^{}]{0,200}\}\}\}?"  # {{name}}, {{ name | filter }}, {{{raw}}}
    r"|%[^{}]{0,200}%\}"  # {% if new %}
    r"|#[^{}#]{0,200}#\}|!![^{}!]{0,200}!!\}"  # {# a comment #}, {!! $name !!}
    r"|\s{0,9}\w{1,100}\s{0,9},\s{0,9}(?:number|date|time|spellout|ordinal|duration)\b[^{}]{0,200}\}"  # {n, number}
    r"|[\w.!\[\]]{0,100}+:[^{}\s]{0,50}+(?:\{[^{}\s]{0,50}+\}[^{}\s]{0,50}+){1,3}+\}"  # {name!r:>{width}}
    r"|\s{0,9}[^{}\s]{0,200}\s{0,9}\}"  # {}, {0}, { name }, {name:>5}
    r"|(?<=[$#]\{)[^{}]{1,200}\}"  # ${a + b}, #{a + b}
    r")|(?<=%)(?:"
    r"(?<=<%)(?:[^<%]|<(?!%)|%(?!>)){0,400}+%>"  # <%= name %>
    r"|[A-Za-z_][\w.]{1,60}%(?![\w%])"  # %USER_NAME%
    rf"|\([^()\s]{{1,100}}\){_FLAGS}(?:\d{{1,4}})?(?:\.\d{{1,4}})?[diouxXeEfFgGcrsa]"  # %(name)s
    rf"|(?<!\d%){_DATE}(?:[-/.:,T]?%{_DATE}){{1,20}}(?!{LETTER})"  # %Y-%m-%d, %H:%M
    rf"|(?<!\d%){_FORMAT}(?!{LETTER}{{3}})"  # %s, %1$s, %-5.2f, and %dpx, but neither 20%discount nor %change
    rf"|{_FORMAT}(?!{LETTER})"  # 100%d
    r"|%"  # %%
    r"))"
)
_SIGILS = "$#%"


def placeholders(text: str) -> list[Span]:
    """Placeholders; in a plural or a choice, everything except the texts of its arms, which are to be translated."""
    found = [each.span() for each in _PLACEHOLDER.finditer(text)]
    if "{" not in text:
        return [(start - _is_tag(text, start, end), end) for start, end in found] if "<%" in text else found
    spans: list[Span] = []
    if inside := message_spans(text):
        spans += [span for message in inside for span in _skeleton(text, message)]
        # The braces of messages are already handled.
        last = [inside[bisect_right(inside, (start, sys.maxsize)) - 1] for start, _ in found]
        found = [
            span
            for span, (start, end) in zip(found, last, strict=True)
            if text[span[0]] == "%" or not start <= span[0] < end
        ]
    for start, end in found:
        sigil = start and text[start] == "{" and text[start - 1] in _SIGILS  # ${name}
        spans.append((start - bool(sigil or _is_tag(text, start, end)), end))
    return spans


def _is_tag(text: str, start: int, end: int) -> bool:
    """Whether the match, from its "%" on, is a tag, `<% name %>`."""
    return text.startswith("<%", start - 1) and text[end - 1] == ">"


# ---- tags, entities, comments and declarations of HTML, XML and similar formats

# A construct with an end marker stops where the next one of its kind begins, so that no text is searched twice.
_TAG = re.compile(
    r"[<&\]](?:(?<=<)(?:"
    r"!--(?:(?!<!--|-->).)*+-->"  # a comment
    r"|!\[CDATA\["
    r"|![A-Za-z][^<>]*+>"  # <!DOCTYPE html>
    r"|%(?:(?!<%|%>).)*+%>"  # <%= x %>
    r"|\?\w(?:(?!<\?|\?>).)*+\?>"  # <?xml version="1.0"?>
    r"|/?\d{1,3}\s?/?>"  # <1>
    r"""|/?[A-Za-z][\w:.-]*+(?:\s(?:[^<>"']|"[^"]*+"|'[^']*+')*+)?/?>"""  # <b>, </b>, <a href="x">, <br/>
    r")|(?<=&)(?:nbsp|amp|lt|gt|quot|apos|\#\d{1,7}|\#[xX][0-9A-Fa-f]{1,6});"
    r"|(?<=\])\]>)",
    re.DOTALL,
)
_NAME = re.compile(r"</?([\w:.-]+)")


class Mark(NamedTuple):
    """A tag that opens or closes the element *name*."""

    name: str
    opens: bool
    written: str


def tags(text: str) -> list[Span]:
    """Tags and entities, except letters written as entities."""
    spans: list[Span] = []
    for found in _TAG.finditer(text):
        if found[0][1] == "#":
            number = found[0][2:-1]
            code = int(number[1:], 16) if number[0] in "xX" else int(number)
            if code <= 0x10FFFF and chr(code).isalpha():
                continue
        spans.append(found.span())
    return spans


def marks(text: str) -> list[Mark]:
    """The tags that open or close something."""
    found: list[Mark] = []
    for tag in _TAG.findall(text):
        name = _NAME.match(tag)
        if tag in ("<![CDATA[", "]]>"):
            found.append(Mark("]]>", tag != "]]>", tag))
        elif name and not closes_itself(tag):
            found.append(Mark(name[1].lower(), tag[1] != "/", tag))
    return found


# ---- names as whole words in their own case, looked up by their first word, so that there can be many

_NAME_TOKEN = re.compile(rf"{WORD}+|[\U0001f1e6-\U0001f1ff]{{2}}|\S")  # two letters make a flag
_WORDS = re.compile(rf"{WORD}+")
_SPACE = re.compile(r"\s+")
# Characters that combine two emoji into one: joiners, skin tones, enclosing marks, the tag letters of flags.
_JOINED = re.compile(r"[\u200d\u20e3\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")
_VARIANTS = frozenset("\ufe0e\ufe0f")
# Searching for more hints takes longer than a full search.
_MOST_HINTS = 16

# Separators between people in one cell, and words that belong to a name but are not names.
_SEVERAL = re.compile(r"(?:(?<!\s)\s++)?+[;|/]\s*+|(?<!\s)[^\S\n]*+\n\s*+")
_PARTICLES = frozenset("von van der den de del della di da dos du la le bin ibn al el ter ten zu zur vom".split())  # noqa: SIM905
_APOSTROPHES = re.compile("['’ʼ]")
_SPELLED = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "ø": "oe", "å": "aa", "æ": "ae"}
    | {"Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "Ø": "Oe", "Å": "Aa", "Æ": "Ae"}
)
_ALL_WIDE = re.compile(rf"{WIDE_LETTER}+")
_BEFORE_S = re.compile(r"[A-Za-zÀ-ɏ]{3}(?<![sxzßSXZ])\Z")  # "Hans" and "Max" get an apostrophe at most


def names_of(people: Any) -> list[str]:
    """The names of *people*, some of which may be missing, and their parts: first and last names alone.

    A part has at least three letters, or two in a script without spaces; "von", "Dr." and the like are not names. All
    names are included in every way in which they may be written.

    >>> [name for name in names_of(["Dr. Ada von Berg", None]) if not name.isupper() and not name.islower()]
    ['Dr. Ada von Berg', 'Dr. Ada von Bergs', 'Ada', 'Adas', 'Berg', 'Bergs']
    """
    if people is None:
        return []
    if isinstance(people, str) or not isinstance(people, Iterable) or hasattr(people, "columns"):
        raise TypeError(f"names: expected a column or a list of names, found {type(people).__name__}")
    found: dict[str, None] = {}
    for person in people:
        if not isinstance(person, str):
            if str(person) in ("None", "nan", "NaT", "<NA>"):
                continue
            raise TypeError(f"names: expected names, found {type(person).__name__} among them")
        for one in _SEVERAL.split(person):
            found |= dict.fromkeys(_names_in(one))
    return [*dict.fromkeys(chain.from_iterable(map(_ways_to_write, found)))]


def _names_in(person: str) -> Iterator[str]:
    """The name of one *person*, first and last name in either order, and its parts."""
    parts = person.replace(",", " ").split()
    # Lists may have names in capitals or in lower case, unlike texts.
    small = person.islower()
    usual = [part.title() if part.isupper() or (small and part not in _PARTICLES) else part for part in parts]
    for some in (parts, usual) if usual != parts else (parts,):
        if some:
            yield " ".join(some)
        if "," in person and some:  # last name first
            last = len(person.partition(",")[0].split())
            yield " ".join([*some[last:], *some[:last]])
        if len(some) > 1 and all(map(_ALL_WIDE.fullmatch, some)):  # written in one
            yield "".join(some)
        for part in some:
            least = 2 if _ALL_WIDE.fullmatch(part) else 3
            if sum(map(str.isalpha, part)) >= least and not part.islower() and not part.endswith("."):
                yield part


def _ways_to_write(name: str) -> Iterator[str]:
    """The *name* unchanged, in capitals and without accents; a whole name also in lower case, unlike its parts.

    All of these also with the "s" of "Müllers Auto", unless that makes a common word: "Does", from "Doe".

    >>> [*_ways_to_write("José")], [*_ways_to_write("Doe")]
    (['José', 'JOSÉ', 'Jose', 'JOSE', 'Josés', 'JOSÉS', 'Joses', 'JOSES'], ['Doe', 'DOE'])
    """
    for form in (name, f"{name}s") if _takes_s(name) else (name,):
        plain = "".join(letter for letter in unicodedata.normalize("NFD", form) if not unicodedata.combining(letter))
        spelled = unicodedata.normalize("NFC", form).translate(_SPELLED)
        for written in dict.fromkeys((form, *(other for other in (plain, spelled) if other.isascii()))):
            for mark in "'’" if _APOSTROPHES.search(written) else "'":
                once = _APOSTROPHES.sub(mark, written)
                yield from (once, once.upper())
                if " " in once:
                    yield once.lower()


def _takes_s(name: str) -> bool:
    from svc_nb.checks.language_data import STOPWORDS

    takes = _BEFORE_S.search(unicodedata.normalize("NFC", name)) is not None
    return takes and not any(f"{name}s".lower() in words for words in STOPWORDS.values())


class Names:
    """*names*, in composed or decomposed letters, with any white space; a text without `hints` contains none."""

    def __init__(self, names: Iterable[str]) -> None:
        written = {unicodedata.normalize(form, name) for name in names for form in ("NFC", "NFD")} | {*names}
        self._names = {" ".join(name.split()) for name in written}
        hints = list[str]()
        for word in sorted({name.split()[0] for name in self._names}):
            if not hints or not word.startswith(hints[-1]):
                hints.append(word)
        self.hints: Sequence[str] = hints if len(hints) <= _MOST_HINTS else ("",)
        # There may be many names with the same first word, but they have few lengths.
        lengths: defaultdict[str, set[int]] = defaultdict(set)
        for name in self._names:
            lengths[_NAME_TOKEN.findall(name)[0]].add(len(name))
        self._lengths = {head: sorted(those, reverse=True) for head, those in lengths.items()}
        self._tokens = _WORDS if all(map(_OF_WORD.match, self._lengths)) else _NAME_TOKEN

    def spans(self, text: str) -> Iterator[Span]:
        """Where names are; of several that begin at the same place, the longest."""
        if self._lengths.keys().isdisjoint(self._tokens.findall(text)):
            return
        plain, place_of = _single_spaced(text)
        for token in self._tokens.finditer(plain):
            start = token.start()
            for length in self._lengths.get(token[0], ()):
                name = plain[start : start + length]
                if name in self._names:
                    end = start + len(name)
                    end += plain[end : end + 1] in _VARIANTS
                    if _parted(plain, start) and _parted(plain, end):
                        yield place_of(start), place_of(end)
                        break


def _single_spaced(text: str) -> tuple[str, Callable[[int], int]]:
    """*text* with one space for each run of white space, and a function from positions in it to those in *text*."""
    plain = _SPACE.sub(" ", text)
    if len(plain) == len(text):
        return plain, int
    places, shifts, shift = [0], [0], 0
    for space in _SPACE.finditer(text):
        if extra := len(space[0]) - 1:
            shift += extra
            places.append(space.end() - shift)
            shifts.append(shift)
    return plain, lambda place: place + shifts[bisect_right(places, place) - 1]


def _parted(text: str, place: int) -> bool:
    """Whether neither a word nor a visible character (a grapheme) continues across *place*."""
    if not 0 < place < len(text):
        return True
    last, following = text[place - 1], text[place]
    if _JOINED.match(following) or last == "\u200d":
        return False
    return not (_goes_on(last) and _goes_on(following))


def _goes_on(letter: str) -> bool:
    return bool(_OF_WORD.match(letter)) or unicodedata.category(letter)[0] == "M"
