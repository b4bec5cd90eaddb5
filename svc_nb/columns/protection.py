"""Protected text, which no translator may change: masked before it is sent, then verified and put back.

1. Every item of `protect=` finds its stretches; those that overlap or touch become one.
2. Each stretch gets a numbered mask. A mask of the first form can be beside words without joining them; a mask of the
   second form is itself a word. Numbers that already appear in mask-like parts of the text are not used.
3. An answer is accepted if every mask appears once, none was invented, tags are nested as before, and no stretch has
   left or entered an arm of a plural or a choice. Then the stretches replace their masks.
4. Otherwise the text is sent once more in the second form; after that it has failed.

Texts that differ only in their stretches look the same when masked, and so are paid for once.

By default, addresses and paths are protected. Then no row fails: a text that lost both kinds of masks is sent
unmasked, and its reason says so.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from svc_nb.advice import InPython, nearest
from svc_nb.engine.plan import sendable
from svc_nb.engine.split import VOID

if TYPE_CHECKING:
    from svc_nb.columns.protected_spans import Mark, Span

PROTECTED = "protected"
LOST = "protection_lost"
ALL, NONE, PERSONAL = "all", "none", "personal"
EMAIL, PHONE, IBAN, CARD, IP, ID = "emails", "phones", "ibans", "cards", "ip_addresses", "national_ids"
NAMES, PATTERNS = "names", "patterns"


class Kind(NamedTuple):
    """What finds the stretches of a kind, and their name; a text that contains none of the *hints* has none."""

    find: Callable[[str], Iterable[Span]]
    hints: Sequence[str] = ("",)
    example: str = ""
    noun: str = ""
    nouns: str | None = None  # the plural, if it is not the noun with an "s"


# The finders are loaded with the first text that may contain a stretch: their patterns take long to compile.
def _of_text(kind: str, text: str) -> Iterable[Span]:
    from svc_nb.columns import protected_code, protected_spans

    find: Callable[[str], Iterable[Span]] = protected_code.code if kind == "code" else getattr(protected_spans, kind)
    return find(text)


def _of_people(kind: str | None, text: str) -> Iterable[Span]:
    from svc_nb.columns import personal

    return personal.spans(kind, text)


# Personal data other than e-mail addresses.
OF_PEOPLE = {
    PHONE: ("+49 30 …", "phone number"),
    IBAN: ("DE89 3704 …", "IBAN"),
    CARD: ("4111 1111 …", "card number"),
    IP: ("10.0.0.7", "network address", "network addresses"),
    ID: ("536-22-1234", "national id"),
}
# The hints of an address are part of every mark it may have, in any spelling.
_URL_HINTS = ("/", "ww.", "WW.", "wW.", "Ww.", "@")
KINDS: dict[str, Kind] = {
    "placeholders": Kind(partial(_of_text, "placeholders"), ("{", "%"), "{x}, %s, ICU", "placeholder"),
    "tags": Kind(partial(_of_text, "tags"), ("<", "&", "]]>"), "<b>, </b>", "tag"),
    "urls": Kind(partial(_of_text, "urls"), _URL_HINTS, "https://…", "web address", "web addresses"),
    EMAIL: Kind(partial(_of_text, EMAIL), ("@",), "a@b.com", "e-mail address", "e-mail addresses"),
    "paths": Kind(partial(_of_text, "paths"), ("/", "\\"), "/a/b.txt", "path"),
    "code": Kind(partial(_of_text, "code"), ("`", "~~~"), "`x`", "piece of code", "pieces of code"),
    PERSONAL: Kind(partial(_of_people, None), example="e-mails and all below"),
    **{kind: Kind(partial(_of_people, kind), ("",), *told) for kind, told in OF_PEOPLE.items()},
}
BY_DEFAULT = ("urls", "emails", "paths")
OF_TEXT = ("placeholders", "tags", *BY_DEFAULT, "code")  # what "all" means: personal data is separate
_AT_ONCE = 64
_LIKE_A_KIND = re.compile("[a-z]+(?:[_-][a-z]+)*")
_MEANT = {
    "variables": "placeholders",
    "html": "tags",
    "xml": "tags",
    "markup": "tags",
    "links": "urls",
    "mails": "emails",
    "e-mails": "emails",
    "files": "paths",
    "pii": PERSONAL,
    "private": PERSONAL,
    "iban": "ibans",
    "ips": "ip_addresses",
    "ip": "ip_addresses",
    "ssn": "national_ids",
}


def with_code(protect: Any) -> Any:
    """*protect* and also code, unless nothing is to be protected.

    >>> with_code(None), with_code("urls"), with_code(False)
    (['urls', 'emails', 'paths', 'code'], ['urls', 'code'], [])
    """
    if isinstance(protect, Protection):
        return protect
    items = items_of(protect)
    return [*items, "code"] if items else items


class Protection:
    """What is protected: kinds of stretches, names, patterns; with *tag_handling*, the service handles tags.

    `lenient` protection sends a text unmasked rather than fail. *people* are names whose parts count too.
    """

    @classmethod
    def of(cls, protect: Any, people: Any = None, *, tag_handling: str | None = None) -> Protection | None:
        """The protection that *protect* and *people* select (by default addresses and paths), or None for nothing."""
        if isinstance(protect, Protection):
            return protect
        if protect is None and people is None:
            return DEFAULT
        made = cls(protect, people, tag_handling=tag_handling)
        return made if made.finders else None

    def __init__(
        self, protect: Any, people: Any = None, *, tag_handling: str | None = None, lenient: bool = False
    ) -> None:
        kinds, names, patterns = _sorted_out(protect)
        if tag_handling and "tags" in kinds:
            raise ValueError(
                f'protect: "tags" cannot be combined with tag_handling={tag_handling!r}, with which the service '
                'keeps tags itself. Leave out one of the two; "all" does not include tags then.'
            )
        if ALL in kinds:
            kinds |= {*OF_TEXT} - ({"tags"} if tag_handling else set())
        if not kinds.isdisjoint({PERSONAL, *OF_PEOPLE}):
            from svc_nb.columns import personal

            personal.check_installed()
        if PERSONAL in kinds:
            kinds |= {*BY_DEFAULT}  # addresses and paths may also identify a person
        self.lenient = lenient
        self.finders = {kind: KINDS[kind] for kind in KINDS if kind in kinds}
        if patterns:
            found = partial(_matches, patterns)
            self.finders[PATTERNS] = Kind(found, noun="match of a pattern", nouns="matches of patterns")
        if names or people is not None:
            from svc_nb.columns.protected_spans import Names, names_of

            if names := [*names, *names_of(people)]:
                known = Names(names)
                self.finders[NAMES] = Kind(known.spans, known.hints, noun="name")
        self._hints = [*dict.fromkeys(hint for kind in self.finders.values() for hint in kind.hints)]

    def masked(self, texts: Sequence[str | None]) -> list[Masked | None]:
        """Each text with its stretches; None if it has none."""
        found: list[Masked | None] = []
        # Most texts have no stretches: many are searched for hints at once, and only texts with a hint one by one.
        for first in range(0, len(texts), _AT_ONCE):
            some = texts[first : first + _AT_ONCE]
            together = "\n".join(filter(None, some))
            if not any(hint in together for hint in self._hints):
                found += [None] * len(some)
                continue
            # Half a surrogate pair cannot be in a column of texts either: a text with one must fail, masked or not.
            for text in some:
                spans = self.spans(text) if text else []
                found.append(Masked(text, merged(spans)) if text and spans and sendable(text) else None)
        return found

    def without(self, text: str) -> str:
        """*text* with "…" instead of each stretch."""
        masked = self.masked([text])[0]
        return "…".join(masked.texts) if masked else text

    def spans(self, text: str) -> list[Span]:
        """Where the stretches of *text* are, in no order; they may overlap."""
        spans: list[Span] = []
        for kind in self.finders.values():
            for hint in kind.hints:
                if hint in text:
                    spans += kind.find(text)
                    break
        return spans


def _matches(patterns: Sequence[re.Pattern[str]], text: str) -> list[Span]:
    """All non-empty matches of *patterns*."""
    found = chain.from_iterable(pattern.finditer(text) for pattern in patterns)
    return [span for each in found if (span := each.span())[0] < span[1]]


def items_of(protect: Any) -> list[Any]:
    """The items of *protect*, a single one or a list; the default items for None, [] for nothing at all."""
    if protect is None:
        return [*BY_DEFAULT]
    if isinstance(protect, str) and protect not in (ALL, NONE, *KINDS):
        return [_name(protect, alone=True)]
    # A frame would count as the names of its columns.
    single = isinstance(protect, str | re.Pattern) or not isinstance(protect, Iterable) or hasattr(protect, "columns")
    items = [protect] if single else list(protect)
    is_off = protect is False or (len(items) == 1 and isinstance(items[0], str) and items[0] == NONE)
    return [] if is_off else items


def _sorted_out(protect: Any) -> tuple[set[str], list[str], list[re.Pattern[str]]]:
    """The kinds, the names and the patterns among the items of *protect*."""
    items = items_of(protect)
    patterns = [item for item in items if isinstance(item, re.Pattern) and isinstance(item.pattern, str)]
    texts = [item for item in items if isinstance(item, str)]
    if len(patterns) + len(texts) < len(items):
        wrong = next(item for item in items if not isinstance(item, str) and not any(item is one for one in patterns))
        raise TypeError(
            f'protect: expected "all" or a list of {_told(KINDS)}, names and compiled patterns of text, found '
            f"{'a pattern of bytes' if isinstance(wrong, re.Pattern) else type(wrong).__name__} in it"
        )
    if NONE in texts:
        raise ValueError('protect: "none" cannot be combined with anything else. Leave it out, or everything else')
    kinds = {text for text in texts if text in KINDS or text == ALL}
    return kinds, [_name(text) for text in texts if text not in kinds], patterns


def _name(text: str, *, alone: bool = False) -> str:
    """*text* as a name; raises ValueError if it is blank, or must be meant as a kind.

    The latter is a typo in the name of a kind, and any lower-case word *alone*: protect="gdpr" does not mean to protect
    that word.
    """
    name = text.strip()
    if not name:
        raise ValueError("protect: expected a kind, a name or a pattern, found a blank text. Leave it out")
    # The kind that may be meant: if the text is in lower case, or written exactly like a kind.
    words = {**{kind: kind for kind in KINDS}, **_MEANT, ALL: ALL}
    close = name.lower() if name.lower() in words else None
    if not close and name.islower():
        close = nearest(name, [word for word in words if word != ALL and word[0] == name[0]], cutoff=0.8)
    if not close and not (alone and _LIKE_A_KIND.fullmatch(name)):
        return name
    meant = f'; did you mean "{words[close]}"?' if close else "."
    to_keep = f"pass re.compile({re.escape(name)!r})" if close else f"pass a list: protect=[{name!r}]"
    raise ValueError(
        f"protect: there is no kind {name!r}{meant} The kinds are {_told(KINDS)}. If it is a word to keep, "
        f"{InPython(to_keep, 'put it in a file and name that with --names')}."
    )


def _told(kinds: Iterable[str]) -> str:
    return ", ".join(f'"{kind}"' for kind in kinds)


DEFAULT = Protection(BY_DEFAULT, lenient=True)


def merged(spans: list[Span]) -> list[Span]:
    """*spans* in order; those that overlap or touch become one."""
    if len(spans) == 1:
        return spans
    spans.sort()
    whole = [spans[0]]
    for start, end in spans:
        before, reached = whole[-1]
        if start <= reached:
            whole[-1] = before, max(reached, end)
        else:
            whole.append((start, end))
    return whole


# ---- masks: how they are written and read, and texts with them


class _Form(NamedTuple):
    """A kind of mask: how it is written, and the variants that translators make of it or are likely to make."""

    written: str
    read: re.Pattern[str]


# Chosen by experiment: of 191 sentences in 15 language pairs of Apertium, all came back intact with "[[0]]", and with
# "XK0T" if case is ignored; 182 with "{0}", 179 with "⟦0⟧" or "__0__". No neural service was available. The first form
# is not a word: words that touch it are still translated, and a sentence that begins with it keeps its case. Spaces,
# wide brackets and look-alikes from other alphabets do no harm. Beside other text, no mask is mistaken for another.
FORMS = (
    _Form("[[%d]]", re.compile(r"([\[［【]{2}\s?(\d{1,6})\s?[\]］】]{2})")),
    _Form("XK%dT", re.compile(r"([XxХхΧχ][KkКкΚκ](\d{1,6})[TtТтΤτ])")),
)
FIRST, SECOND = range(len(FORMS))
AS_IT_IS = len(FORMS)  # not a mask at all
_OPENING, _CLOSING = FORMS[FIRST].written.split("%d")
_OTHER_OPENINGS = "［【"
_MASK_LIKE = re.compile(r"[\[［【XxХхΧχ](?:(?<=[\[［【])[\[［【]\s?|(?<=[XxХхΧχ])[KkКкΚκ])(\d{1,6})")
# A stretch within a longer word is a different word; scripts without spaces between words start at U+2E80.
_NO_LETTER_BEFORE, _NO_LETTER_AFTER = r"(?<![^\W_\u2e80-\U0010ffff])", r"(?![^\W_\u2e80-\U0010ffff])"
_NO_NUMBERS: frozenset[int] = frozenset()


class Masked:
    """A text with protected stretches: `stretches` alternate with `texts`, the parts around them."""

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
        # Anything outside the stretches that looks like a mask of any form.
        may_look_masked = not text.isascii() or _OPENING in text or "XK" in text.upper()
        self._taken = _NO_NUMBERS
        if may_look_masked:
            self._taken = frozenset(int(number) for each in self.texts for number in _MASK_LIKE.findall(each))
        # The first number of an unused sequence as long as the stretches.
        self._first = 0
        for number in sorted(self._taken):
            if number >= self._first + len(self.stretches):
                break
            self._first = number + 1

    @property
    def wording(self) -> str:
        """What there is to translate: the text without its stretches."""
        return " ".join(self.texts)

    @property
    def idle(self) -> bool:
        """Whether there are no letters to translate."""
        return not any(any(map(str.isalpha, text)) for text in self.texts)

    def asked(self, form: int) -> str:
        """The text with masks, as it is sent."""
        if form == AS_IT_IS:
            return _in_turns(self.texts, self.stretches)
        written, first = FORMS[form].written, self._first
        masks = [written % number for number in range(first, first + len(self.stretches))]
        return _in_turns(self.texts, masks)

    def restored(self, answer: str, form: int) -> str | None:
        """The *answer* with the stretches instead of their masks; None if any is lost, duplicated, new or broken up."""
        if form == AS_IT_IS:
            return answer
        if form == FIRST and (whole := self._unchanged(answer)) is not None:
            return whole
        first, count = self._first, len(self.stretches)
        texts = FORMS[form].read.split(answer)
        numbers = [int(number) - first for number in texts[2::3]]
        own = [number for number in numbers if 0 <= number < count]
        others = {number + first for number in numbers if not 0 <= number < count}
        each_once = len(own) == count == len(set(own))
        if not each_once or not others <= self._taken or not self._holds_together(own):
            return None
        put = [
            self.stretches[number] if 0 <= number < count else mark
            for number, mark in zip(numbers, texts[1::3], strict=True)
        ]
        return _in_turns(self._in_lines(texts[::3]) if numbers == [*range(count)] else texts[::3], put)

    def remasked(self, wording: str, form: int) -> str | None:
        """A user's *wording* with masks instead of the stretches; None unless it has each of them exactly once."""
        if form == AS_IT_IS:
            return wording
        left: dict[str, list[int]] = {}
        for number, stretch in enumerate(self.stretches, self._first):
            left.setdefault(stretch, []).append(number)

        def mask(found: re.Match[str]) -> str:
            numbers = left[found[0]]
            return FORMS[form].written % numbers.pop(0) if numbers else found[0]

        masked = self._whole_stretch().sub(mask, wording)
        return masked if (self.restored(masked, form) or "").strip() == wording.strip() else None

    def lacking(self, wording: str) -> list[str]:
        """The stretches that are missing or too few in a user's *wording*, in the order of the text."""
        return list((Counter(self.stretches) - Counter(self._whole_stretch().findall(wording))).elements())

    def _whole_stretch(self) -> re.Pattern[str]:
        """A pattern for the stretches, the longest first, if they are not part of a word."""
        return re.compile(
            "|".join(
                f"{_NO_LETTER_BEFORE if stretch[0].isalnum() else ''}{re.escape(stretch)}"
                f"{_NO_LETTER_AFTER if stretch[-1].isalnum() else ''}"
                for stretch in sorted(set(self.stretches), key=len, reverse=True)
            )
        )

    def _unchanged(self, answer: str) -> str | None:
        """Like `restored`, for the usual case that the masks came back unchanged and in order; else None."""
        texts = answer.split(_OPENING)
        if len(texts) != len(self.stretches) + 1 or any(mark in answer for mark in _OTHER_OPENINGS):
            return None
        for place in range(1, len(texts)):
            number = f"{self._first + place - 1}{_CLOSING}"
            if not texts[place].startswith(number):
                return None
            texts[place] = texts[place][len(number) :]
        return _in_turns(self._in_lines(texts), self.stretches)

    def _in_lines(self, texts: list[str]) -> list[str]:
        """*texts* of an answer, with the line ends beside the stretches as in the text that was sent."""
        for place, text in enumerate(self.texts):
            if not text.strip() and place in (0, len(self.stretches)):
                continue  # white space around the whole text was not sent
            start, end = len(text) - len(text.lstrip()), len(text.rstrip())
            if place and "\n" in text[:start]:
                texts[place] = text[:start] + texts[place].lstrip()
            if place < len(self.stretches) and "\n" in text[end:]:
                texts[place] = texts[place].rstrip() + text[end:]
        return texts

    def _holds_together(self, order: Sequence[int]) -> bool:
        """Whether the stretches may be in this order."""
        if order == [*range(len(order))]:
            return True
        if not nested_alike(self.stretches, [self.stretches[number] for number in order]):
            return False
        spans: list[Span] = []
        at = 0
        for text, stretch in zip(self.texts, self.stretches, strict=False):
            start = at + len(text)
            at = start + len(stretch)
            spans.append((start, at))
        return in_their_arms(_in_turns(self.texts, self.stretches), spans, order)


def _in_turns(texts: Sequence[str], between: Sequence[str]) -> str:
    """The first of *texts*, the first of *between*, the second text, and so on."""
    whole = [""] * (len(texts) + len(between))
    whole[::2], whole[1::2] = texts, between
    return "".join(whole)


# ---- whether stretches in another order still fit together: nested tags, arms with their contents

Tree = Counter[tuple[int, str]]

_TOP = 0


def nested_alike(stretches: Sequence[str], moved: Sequence[str]) -> bool:
    """Whether the tags in *moved*, the *stretches* in another order, are nested as before."""
    from svc_nb.columns.protected_spans import marks

    found = {stretch: marks(stretch) for stretch in {*stretches} if "<" in stretch or "]]>" in stretch}
    if not any(found.values()):
        return True
    numbers: dict[tuple[int, str], int] = {}
    before, after = (
        _tree([*chain.from_iterable(found.get(each, ()) for each in order)], numbers) for order in (stretches, moved)
    )
    return before == after


def in_their_arms(text: str, stretches: Sequence[Span], order: Iterable[int]) -> bool:
    """Whether the *stretches* of *text* in this *order* are each in the same arm of a plural or a choice as before."""
    from svc_nb.columns.protected_spans import message_braces

    braces = message_braces(text)
    opened, count, at = [_TOP], 0, 0
    arms: dict[int, tuple[int, int]] = {}  # the innermost open brace before and after each stretch
    for number, (start, end) in enumerate(stretches if braces else ()):
        before = opened[-1]
        while at < len(braces) and braces[at] < end:
            place, at = braces[at], at + 1
            if place < start:  # it is not protected
                continue
            if text[place] == "{":
                count += 1
                opened.append(count)
            elif len(opened) > 1:
                opened.pop()
        arms[number] = before, opened[-1]
    arm = _TOP
    for number in order:
        before, behind = arms.get(number, (_TOP, _TOP))
        if before != arm:
            return False
        arm = behind
    return True


def _tree(tags: Sequence[Mark], numbers: dict[tuple[int, str], int]) -> Tree:
    """How often each tag appears in each element; *numbers* has the number of each element, by its parent and tag."""
    closed = _pairs(tags)
    closing = {*closed.values()}
    tree: Tree = Counter()
    inside = [_TOP]
    for place, tag in enumerate(tags):
        if place in closing:
            inside.pop()
            continue
        element = inside[-1], tag.written
        if place in closed or tag.name not in VOID:
            tree[element] += 1
        if place in closed:
            inside.append(numbers.setdefault(element, len(numbers) + 1))
    return tree


def _pairs(tags: Sequence[Mark]) -> dict[int, int]:
    """Which tag closes which, by their positions."""
    opened: list[int] = []
    open_now: Counter[str] = Counter()
    pairs: dict[int, int] = {}
    for place, tag in enumerate(tags):
        if tag.opens:
            opened.append(place)
            open_now[tag.name] += 1
        elif open_now[tag.name]:
            while tags[last := opened.pop()].name != tag.name:
                open_now[tags[last].name] -= 1  # it is never closed
            open_now[tag.name] -= 1
            pairs[last] = place
    return pairs
