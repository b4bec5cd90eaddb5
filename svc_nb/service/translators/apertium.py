"""Translation by Apertium: rules and dictionaries of the system's packages, in processes that are kept running.

The pairs on offer are the measured routes whose every step is installed; French to English, say, goes through Catalan
and Spanish. A route is tested with a few sentences when its pair is first asked for, because some packages are broken
on some machines; the next best route, if there is one, takes its place.
"""

import itertools
import logging
import os
import re
import shlex
import shutil
import subprocess
import sys
import threading
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from ..catalogue import read
from . import TranslatorFailed, probes
from .processes import Chain, ChainBroken, keep_running

_TABLES = read("apertium.json")
DEBIAN_PACKAGES: list[str] = _TABLES["debian_packages"]  # what to install on Debian and Ubuntu for all routes

# Measured with the packages of Debian 12 on 20 short sentences as shop reviews have them, with references of our own
# (`tests/service/reviews.tsv`); the figure is chrF, of 100. An unchanged text scores 14 to 36, Danish as Norwegian 62.
# A further step must earn 3 points: that much is chance with so few sentences. A pair takes the first of its routes in
# this list that is installed and passes its test, so every process takes the same.
#
# Left out because half the words stay or come out wrong: Slovenian to English (42), Bulgarian to English (37), and by
# way of Icelandic Swedish (43), Danish (38) and Norwegian (38) to English. Russian to Ukrainian crashes at most texts.
ROUTES: list[tuple[str, float]] = [(way, figure) for way, figure in _TABLES["routes"]]
"""Languages in the order they are passed through, and how good the result is; best first for each language pair."""

_DATA_DIRS = ("/usr/share/apertium", "/usr/local/share/apertium", "/opt/homebrew/share/apertium")
_MODE = re.compile(r"([a-z]{2,3})-([a-z]{2,3})(?:_(BR|US))?")
_VARIANTS = {"en": "en-us", "pt": "pt-br"}
_CODES: dict[str, str] = {**read("language_codes.json"), "cat": "ca"}
_NULL_FLUSH = re.compile(
    "(lt|lrx|lsx|rtx|cg|hfst)-proc|apertium-(anaphora|interchunk|postchunk|posttransfer|pretransfer|tagger|transfer)"
)
_ATTACH, _DETACH = "apertium-wblank-attach", "apertium-wblank-detach"
"""What makes tags move with their words; not in every Apertium."""

_TAGGER = "apertium-tagger"

_BATCH = 50
_TOLERATED = 3
"""Texts of one batch that may break the programs before the pair itself is given up."""

_Pair = tuple[str, str]
_Route = tuple[Path, ...]
_log = logging.getLogger(__name__)
_serials = itertools.count(1)


class Apertium:
    """The engine. *data_dirs* hold `modes/*.mode`; at most *live* pairs are kept running at a time."""

    name = "apertium"

    def __init__(self, data_dirs: Sequence[str | Path] | None = None, *, patience: float = 20.0, live: int = 8) -> None:
        if not data_dirs:
            own = os.environ.get("APERTIUM_DATADIR")
            found = _DATA_DIRS if shutil.which("lt-proc") else ()  # data is of no use without the programs
            data_dirs = (own, *found) if own else found
        self._data_dirs = [Path(folder) for folder in data_dirs]
        self._patience = patience
        self._live = live
        self._lock = threading.Lock()
        self._closed = False
        self._chains: dict[Path, Pipeline] = {}
        self._tested: dict[_Pair, _Route | None] = {}
        self._testing = threading.Lock()

    def pairs(self) -> Collection[tuple[str, str]]:
        """Return the pairs that have a route through what is installed and did not fail."""
        return [pair for pair in self._routes if self._tested.get(pair, ()) is not None]

    def ready(self, source: str, target: str) -> bool:
        """Test the routes of the pair, best first, until one passes; only the first call does."""
        pair = (source, target)
        if pair not in self._tested:
            with self._testing:
                if pair not in self._tested:  # another thread may have been faster
                    routes = self._routes.get(pair, ())
                    self._tested[pair] = next((route for route in routes if self._passes(route, source)), None)
                    self._trim()
        return self._tested[pair] is not None

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        """Translate each text; unknown words, and a text that breaks Apertium, stay. Raises TranslatorFailed."""
        if not self.ready(source, target) or not (route := self._tested[source, target]):
            raise TranslatorFailed(f"apertium: {source} to {target} cannot be used")
        sentences = [Sentence.of(text) for text in texts]
        cores = out = list(dict.fromkeys(sentence.core for sentence in sentences if sentence.core))
        try:
            for mode in route:
                chain = self._chain(mode)
                batches = [out[start : start + _BATCH] for start in range(0, len(out), _BATCH)]
                out = [text for batch in batches for text in _translated(chain, batch, mode.stem)]
        except ChainBroken as error:
            self._tested[source, target] = None
            raise TranslatorFailed(f"apertium: {source} to {target} broke down: {error}") from error
        self._trim()
        done = dict(zip(cores, out, strict=True))
        return [
            sentence.finished(done[sentence.core], target) if sentence.core else sentence.text for sentence in sentences
        ]

    @property
    def running(self) -> list[str]:
        """The names of Apertium's own pairs that are kept running."""
        return [mode.stem for mode, chain in list(self._chains.items()) if chain.alive]

    def close(self) -> None:
        """End all programs; the engine cannot be used afterwards."""
        with self._lock:
            self._closed = True
        for chain in self._chains.values():
            chain.close()

    @cached_property
    def _routes(self) -> dict[_Pair, list[_Route]]:
        modes: dict[_Pair, Path] = {}
        for folder in reversed(self._data_dirs):  # of two files for one pair the one in the first folder counts
            for file in sorted(folder.glob("modes/*.mode")):
                if match := _MODE.fullmatch(file.stem):
                    of, to = (_CODES.get(code, code) for code in match.groups()[:2])
                    modes[of, _VARIANTS.get(to, to) if match[3] else to] = file
        routes: dict[_Pair, list[_Route]] = {}
        for way, _ in ROUTES:
            languages = way.split()
            for last in dict.fromkeys((languages[-1], _VARIANTS.get(languages[-1], languages[-1]))):
                steps = list(itertools.pairwise([*languages[:-1], last]))
                if all(step in modes for step in steps):
                    routes.setdefault((languages[0], last), []).append(tuple(modes[step] for step in steps))
        return routes

    def _passes(self, route: _Route, source: str) -> bool:
        """Whether every probe comes out as something else."""
        texts = out = list(probes(source))
        try:
            for mode in route:
                out = _ask(self._chain(mode), out)
        except ChainBroken as error:
            _log.warning("Apertium's %s is left out: %s", "+".join(mode.stem for mode in route), error)
            return False
        return all(after and after != before for before, after in zip(texts, out, strict=True))

    def _chain(self, mode: Path) -> "Pipeline":
        with self._lock:
            if self._closed:
                raise ChainBroken("closed")
            if mode not in self._chains:
                self._chains[mode] = Pipeline(_commands(mode), patience=self._patience)
            return self._chains[mode]

    def _trim(self) -> None:
        """Let the pairs rest that were not used for longest, if too many are running."""
        with self._lock:
            chains = list(self._chains.values())
        keep_running(self._live, chains)


def packages_here() -> list[str]:
    """The packages for all routes that this Debian or Ubuntu offers, or all where it does not say.

    apt-get refuses a whole list for one name that it does not know.
    """
    apt_cache = shutil.which("apt-cache")
    if apt_cache is None:
        return DEBIAN_PACKAGES
    command = [apt_cache, "show", *DEBIAN_PACKAGES]
    told = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)  # noqa: S603
    known = set(re.findall(r"^Package: (\S+)$", told.stdout, re.MULTILINE))
    return [name for name in DEBIAN_PACKAGES if name in known] or DEBIAN_PACKAGES


class Pipeline:
    """The programs of a pair, whose answer to a text depends on that text alone.

    apertium-tagger keeps what it makes of a word of a kind that it was not trained for, and uses it for words of later
    texts. It says so on its stderr with `-d`, and is then started again: so it is a chain of its own.
    """

    def __init__(self, commands: Sequence[Sequence[str]], *, patience: float) -> None:
        # It is neither the first program nor the last: words are looked up before, and made of its answer after it.
        self.binds_tags = [_ATTACH] in commands
        at = next((at for at, command in enumerate(commands) if command[0] == _TAGGER and "-g" in command), None)
        self._chains = [Chain(commands[:at], patience=patience)]
        if at is not None:
            self._chains.append(Chain([[_TAGGER, "-d", *commands[at][1:]]], patience=patience, wary=True))
            self._chains.append(Chain(commands[at + 1 :], patience=patience))

    @property
    def alive(self) -> bool:
        """Whether programs are running."""
        return any(chain.alive for chain in self._chains)

    @property
    def last_used(self) -> float:
        """When it was asked last."""
        return self._chains[0].last_used

    def ask(self, messages: Sequence[bytes]) -> list[bytes]:
        """Return one answer for each message, in order; or raise ChainBroken."""
        answers = list(messages)
        for chain in self._chains:
            answers = chain.ask(answers)
        return answers

    def rest(self) -> None:
        """End the programs until the next question, except those that are answering one."""
        for chain in self._chains:
            chain.rest()

    def close(self) -> None:
        """End the programs for good."""
        for chain in self._chains:
            chain.close()


def _commands(mode: Path) -> list[list[str]]:
    """The programs of a mode file, told to answer NUL by NUL; two more bind tags to words where they are installed."""
    try:
        text = mode.read_text("utf-8")
    except OSError as error:
        raise ChainBroken(f"{mode.name} cannot be read: {error.strerror}") from None
    words = shlex.shlex(text, posix=True, punctuation_chars="|")
    words.whitespace_split = True
    commands: list[list[str]] = [[]]
    for word in words:
        if word == "|":
            commands.append([])
        elif word != "$2":  # the tagger's option, which shows ambiguity
            commands[-1].append("-n" if word == "$1" else word)
    if not all(commands):
        raise ChainBroken(f"{mode.name} is not a row of programs")
    generators = (at for at, command in enumerate(commands) if command[0] == "lt-proc" and "-n" in command)
    at = next(generators, 0)
    if at and commands[0][0] == "lt-proc" and shutil.which(_ATTACH) and shutil.which(_DETACH):
        commands = [commands[0], [_ATTACH], *commands[1:at], [_DETACH], *commands[at:]]
    return [[program, *(["-z"] if _NULL_FLUSH.fullmatch(program) else []), *rest] for program, *rest in commands]


def _translated(chain: Pipeline, texts: list[str], mode: str) -> list[str]:
    """Translate *texts* by one pair; when that breaks it, one by one: a text that breaks it again stays as it is."""
    try:
        return _ask(chain, texts)
    except ChainBroken as error:
        _log.warning("Apertium's %s was started again: %s", mode, error)
    out, broken = [], 0
    for text in texts:
        try:
            out += _ask(chain, [text])
        except ChainBroken:
            _ask(chain, ["OK"])
            if (broken := broken + 1) > _TOLERATED:
                raise
            out.append(text)
    return out


def _ask(chain: Pipeline, texts: list[str]) -> list[str]:
    """Return the answers to *texts*; raise ChainBroken unless each is certain to belong to its own text."""
    serials = [next(_serials) for _ in texts]
    answers = chain.ask(
        [encode(text, serial, bound=chain.binds_tags) for text, serial in zip(texts, serials, strict=True)]
    )
    try:
        return [decode(answer, serial) for answer, serial in zip(answers, serials, strict=True)]
    except OutOfStep:
        chain.rest()
        raise ChainBroken("answers out of step") from None


# ---- A sentence as Apertium's stream format writes it and back, with its capitals, spaces and placeholders.
#
# `Sentence` sets aside what Apertium handles badly (white space around, capitals throughout, placeholders) and puts it
# right in the result; `encode` and `decode` are the format itself, once for every pair a sentence passes through.
#
# A placeholder that stands alone travels as an invented word, since sentences need their nouns: "⟨X⟩ es bueno" would
# become "⟨X⟩ it is good". One that touches a word is a tag and travels as a superblank, which belongs to no word.
#
# Pairs of tags travel as word-bound blanks, which move with the words that they are around. The n-th pair of a text is
# U+F000 + n where it opens and U+F400 + n where it closes; in the stream each word of it carries the number:
# ``[[0]]red[[/]]``. In the answer the pair goes around the longest row of words that carry it; a pair whose words are
# all gone is left out, for the caller to see.

Part = tuple[str, frozenset[int]]
"""A piece of text, and the numbers of the pairs of tags that are bound to it."""

_UNSENDABLE = {0: " ", **dict.fromkeys([*range(0xD800, 0xE000), 0xFFFF], "\ufffd")}
"""NUL and U+FFFF end a message, as the programs see it; half a surrogate pair has no UTF-8."""

_PRIVATE = "\ue000-\uf8ff"
_PAIR = "\uf000-\uf7ff"
_SINGLE = "\ue000-\uefff\uf800-\uf8ff"
_RESERVED = re.compile(r"[\\\[\]{}^$/<>@]")
_BLANK = re.compile(f"[~{_PRIVATE}]")  # the tilde wakes the post-generator up
_ENDED = re.compile(r"[.!?]$")
_TRAILER = re.compile(r"\[([=+])(\d+)\]\s*$")
_STREAM = re.compile(r"\[\[([\d; ]+|/)\]\]|\\(.)|\[((?:[^\[\]\\]++|\\.)*+)\]", re.DOTALL)

_ALONE = re.compile(rf"(?<![\w{_SINGLE}])(?<!\w[{_PAIR}])[{_SINGLE}](?![\w{_SINGLE}]|[{_PAIR}]\w)")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_START = re.compile(rf"(?:^|(?<=[\w{_SINGLE}])(?=[^\w{_SINGLE}]*?[.!?:…]\s))[^\w{_SINGLE}]*+$")
_LETTERS = "bcdfghjklmnpqrstvwxz"
_OPEN, _CLOSE, _MOST = 0xF000, 0xF400, 0x400
_TOKEN = re.compile(r"\w+(?:['’.-]\w+)*|[!?.,;:…]")
_NONE: frozenset[int] = frozenset()

_ENGLISH_CAPITALS = re.compile(
    r"I(?:['’].+)?|.+(?:ese|ish|ian|ean|can)s?|French|German|Greek|Dutch|Swiss|Czech|Thai|Arab|Arabic|Europe|Internet"
    r"|Christmas|Easter|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?"
    r"|January|February|March|April|May|June|July|August|September|October|November|December"
)


class OutOfStep(Exception):
    """An answer that does not belong to the text it was given for."""


def encode(text: str, serial: int, *, bound: bool = False) -> bytes:
    """Return *text* in the stream format with *serial* at its end; *bound* pairs of tags move with their words."""
    sendable = text.translate(_UNSENDABLE)
    body = ""
    for part, pairs in bound_parts(sendable) if bound else [(sendable, _NONE)]:
        raw = _BLANK.sub(r"[\g<0>]", _RESERVED.sub(r"\\\g<0>", part))
        body += f"[[{'; '.join(map(str, sorted(pairs)))}]]{raw}[[/]]" if pairs else raw
    ended = _ENDED.search(body)
    return f"{body}{'' if ended else '.'}[][{'=' if ended else '+'}{serial}]".encode()


def bound_parts(text: str) -> Iterator[Part]:
    """Yield *text* in parts, each with the pairs that it belongs to; a pair without words stays in its place."""
    bound = set()  # the pairs that open before they close, once each, with a word between
    for mark in {each for each in text if _OPEN <= ord(each) < _CLOSE}:
        closing = chr(ord(mark) + _MOST)
        once = text.count(mark) == text.count(closing) == 1
        if once and re.search(r"\w", text[text.index(mark) : text.index(closing)]):
            bound.add(ord(mark) - _OPEN)
    clean: list[str] = []
    pairs: list[frozenset[int]] = []  # around each character of the text without these marks
    around = _NONE
    for character in text:
        code = ord(character) - _OPEN
        if 0 <= code < 2 * _MOST and code % _MOST in bound:
            around = around | {code} if code < _MOST else around - {code - _MOST}
        else:
            clean.append(character)
            pairs.append(around)
    unmarked, at = "".join(clean), 0
    for token in _TOKEN.finditer(unmarked):
        if numbers := _NONE.union(*pairs[token.start() : token.end()]):
            yield unmarked[at : token.start()], _NONE
            yield token[0], numbers
            at = token.end()
    yield unmarked[at:], _NONE


def decode(answer: bytes, serial: int) -> str:
    """Return the text of an answer; raise OutOfStep if it is the answer to another text."""
    stream = answer.decode("utf-8", "replace")
    trailer = _TRAILER.search(stream)
    if trailer is None or int(trailer[2]) != serial:
        raise OutOfStep
    parts, texts, pairs, at = list[Part](), list[str](), _NONE, 0
    for match in _STREAM.finditer(stream, 0, trailer.start()):
        texts.append(stream[at : match.start()])
        at = match.end()
        if match[1]:
            parts.append(("".join(texts), pairs))
            texts, pairs = [], frozenset(map(int, re.findall(r"\d{1,4}", match[1])))
        else:
            texts.append(match[2] or match[3] or "")
    parts.append(("".join((*texts, stream[at : trailer.start()])), pairs))
    text = joined(parts).rstrip()
    return text.removesuffix(".").rstrip() if trailer[1] == "+" else text


def joined(found: Iterable[Part]) -> str:
    """Return the text of the parts of an answer, with each pair that came back around its longest row of words."""
    parts = [part for part in found if part[0]]
    rows: dict[int, list[list[int]]] = defaultdict(list)
    words = 0  # met so far: a row continues as long as none is between
    last_words: dict[int, int] = {}
    for at, (text, numbers) in enumerate(parts):
        is_word = re.search(r"\w", text) is not None
        words += is_word
        for number in numbers:
            if not rows[number] or last_words[number] < words - is_word:
                rows[number].append([])
            rows[number][-1].append(at)
            last_words[number] = words
    before: dict[int, str] = defaultdict(str)
    after: dict[int, str] = defaultdict(str)
    for number, some in sorted(rows.items()):
        longest = max(some, key=lambda row: sum(len(parts[at][0]) for at in row))
        before[longest[0]] += chr(_OPEN + number)
        after[longest[-1]] = chr(_CLOSE + number) + after[longest[-1]]
    return "".join(before[at] + text + after[at] for at, (text, _) in enumerate(parts))


@dataclass(frozen=True, slots=True)
class Sentence:
    """A text made ready: `core` is what to translate, `finished` makes the result of it."""

    text: str
    core: str
    shouted: bool = False
    words: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, text: str) -> "Sentence":
        """Take *text* apart; `core` is empty when it has no letters to translate."""
        core = unicodedata.normalize("NFC", text.strip().translate(_UNSENDABLE))
        if not any(map(str.isalpha, core)):
            return cls(text, "")
        shouted = core.isupper() and len(re.findall(r"[^\W\d_]{2,}", core)) > 1
        core = core.lower() if shouted else core
        words: dict[str, str] = {}

        def invented(match: re.Match[str]) -> str:
            """Return a word that no dictionary has and no rule takes apart, and remember what it stands for."""
            number, letters = len(words), ""
            while not letters or number:
                number, digit = divmod(number, len(_LETTERS))
                letters += _LETTERS[digit]
            words[f"Xqz{letters}"] = match[0]
            return f"Xqz{letters}"

        return cls(text, core if "xqz" in core.lower() else _ALONE.sub(invented, core), shouted, words)

    def finished(self, out: str, target: str) -> str:
        """Return the translation with the text's own surroundings; the text itself when nothing came out."""
        for word, placeholder in self.words.items():
            out = re.sub(rf"\b{word}\b", placeholder, out, flags=re.IGNORECASE)
        if not (out := out.strip()):
            return self.text
        core = self.text.strip()
        out = out.upper() if self.shouted else _capitals(core, out, target)
        # Words that were dropped leave spaces behind, which are taken away where the source has no such spaces.
        if "  " not in core:
            out = re.sub(" {2,}", " ", out)
        if not re.search(r" [.,;!?]", core):
            out = re.sub(r"(?<! ) ++([.,;!?])", r"\1", out)
        before, _, after = self.text.partition(core)
        return before + unicodedata.normalize("NFC", out) + after


def _capitals(source: str, out: str, target: str) -> str:
    """Lower the capitals that rules left in mid-sentence ("Thank you By the help"), if the source has none there."""
    first = _WORD.search(source)
    if first is None or any(match[0] != match[0].lower() for match in _WORD.finditer(source, first.end())):
        return out
    lower_start = first[0][0].islower() and not re.search(f"[{_SINGLE}]", source[: first.start()])
    fixed = _ENGLISH_CAPITALS if target.startswith("en") else None

    before = 0  # where the word before ends

    def lowered(match: re.Match[str]) -> str:
        nonlocal before
        word, between, before = match[0], before, match.end()
        starts = _START.search(out, between, match.start()) and not (lower_start and match.start() == 0)
        if starts or word[1:] != word[1:].lower() or (fixed and fixed.fullmatch(word)):
            return word
        return word.lower()

    return _WORD.sub(lowered, out)


if __name__ == "__main__":
    sys.stdout.write(" ".join(DEBIAN_PACKAGES) + "\n")
