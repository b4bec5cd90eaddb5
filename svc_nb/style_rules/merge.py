"""Two people edit one list: merge what each has changed since it was loaded, and find the conflicts."""

from dataclasses import replace
from typing import Any, NamedTuple

from svc_nb.style_rules.style import Content

MINE, THEIRS = "mine", "theirs"
Place = tuple[Any, ...]  # ("name",), ("rule", category, rule) or ("instruction", number)


class Clash(NamedTuple):
    """One item that was changed differently on both sides; None means that it was removed."""

    place: Place
    base: Any
    mine: Any
    theirs: Any


class Merge:
    """The merge of *mine* and *theirs*, which both started from *base*, in a list for *language*.

    `taken` are the places that only they changed, and `clashes` those that both changed; `choices` says for each whose
    version wins. Instructions are matched by their number; see `aligned`.
    """

    def __init__(self, base: Content, mine: Content, theirs: Content, *, language: str) -> None:
        self._mine, self._theirs = mine, theirs
        was, own, other = (content.places(language) for content in (base, mine, theirs))
        places = list(dict.fromkeys([*other, *own, *was]))
        self.taken = [
            place for place in places if own.get(place) == was.get(place) and other.get(place) != was.get(place)
        ]
        self.clashes = [
            Clash(place, was.get(place), own.get(place), other.get(place))
            for place in places
            if own.get(place) != was.get(place) and other.get(place) not in (was.get(place), own.get(place))
        ]
        self.choices: dict[Place, str] = {}
        self._whose = {place: THEIRS if own.get(place) == was.get(place) else MINE for place in places}

    @property
    def is_settled(self) -> bool:
        """Whether every conflict has a choice."""
        return all(clash.place in self.choices for clash in self.clashes)

    @property
    def content(self) -> Content:
        """The merged content; mine wins for conflicts without a choice."""
        theirs, mine = self._theirs, self._mine
        rules = {}
        for rule in dict.fromkeys([*theirs.rules, *mine.rules]):
            option = self._side(("rule", *rule)).rules.get(rule)
            if option is not None:
                rules[rule] = option
        instructions = []
        for number in dict.fromkeys([*theirs.numbers, *mine.numbers]):
            found = self._side(("instruction", number)).numbers.get(number)
            if found is not None:
                known = theirs.numbers.get(number)
                instructions.append(replace(found, id=known.id if known else None))
        return Content(self._side(("name",)).name, rules, tuple(instructions))

    def _side(self, place: Place) -> Content:
        whose = self.choices.get(place) or self._whose.get(place, MINE)
        return self._mine if whose == MINE else self._theirs


def aligned(theirs: Content, *known: Content, language: str, next_number: int) -> Content:
    """*theirs* with the numbers that its instructions have in *known*, matched by id, otherwise by content."""
    items = [each for content in known for each in content.instructions]
    by_id = {each.id: each.number for each in items if each.id}
    by_words = {each.says(language): each.number for each in items if not each.id}
    used: set[int] = set()
    made = []
    for each in theirs.instructions:
        number = by_id.get(each.id or "") or by_words.get(each.says(language))
        if number is None or number in used:
            number, next_number = next_number, next_number + 1
        used.add(number)
        made.append(replace(each, number=number))
    return theirs.with_instructions(made)
