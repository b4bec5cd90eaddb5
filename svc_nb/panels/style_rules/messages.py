"""What the style rule panel says, in counts and words of the catalogue: of what people wrote only that it differs."""

from collections import Counter
from collections.abc import Collection
from collections.abc import Set as AbstractSet

import pandas as pd

from svc_nb.language_codes import name_of
from svc_nb.panels.style_rules.lists import EditList, named, titled
from svc_nb.style_rules.catalogue import offers
from svc_nb.style_rules.clone import Clone, first_of
from svc_nb.style_rules.diff import Difference, StyleDiff
from svc_nb.style_rules.labels import category_label, option_label, rule_label
from svc_nb.style_rules.lint import StyleFinding
from svc_nb.style_rules.merge import THEIRS, Merge, Place
from svc_nb.style_rules.style import Content, Rule, Style
from svc_nb.style_rules.table import rows_of
from svc_nb.style_rules.tryout import Tried
from svc_nb.sync.drafts import Waiting
from svc_nb.tabular.report import plural
from svc_nb.wire.client.ignored_options import INSTRUCTIONS_OF_STYLE, OF_STYLE, without_effect

COLLIDES = "Some settings were changed both here and on the service: choose what to take first, then go on."
BILLED = "Translates twice, with and without the list; both are billed. A temporary list is created and then deleted."
TAKEN_BACK = "The push was taken back on the service. Your edits are still here, not pushed."
HOW = "Choose a style rule list, or create a new one."
FIRST = "There is no style rule list yet: give one a name and a language, and create it."
NOT_SET = "Not set"
FIELD_NAMES = {"label": "label", "prompt": "prompt", "source_language": "source language", "name": "Name"}
TABS = {"list": "More", "rules": "Rules", "instructions": "Instructions"}  # where findings are shown
MOST_TOLD = 12


def differences(found: StyleDiff) -> list[Difference]:
    """The rows of *found* as values."""
    return [Difference(*cells) for _, cells in rows_of(pd.DataFrame(found))]


def summed_up(edits: EditList, found: list[StyleFinding], *, offered: int, idle: AbstractSet[Rule]) -> str:
    """How things stand: what the list has, of the rules *offered*, what changed, and what is wrong or *idle*."""
    title = titled(edits.content.name, edits.language, edits.base.version)
    instructions = plural(len(edits.content.instructions), "instruction")
    # What an instruction lacks in which nothing is written yet is not counted; a push refuses it.
    blank = [not (each.label or each.prompt) for each in edits.content.instructions]
    found = [each for each in found if each.table != "instructions" or not blank[each.place]]
    changes, errors = edits.diff.total, sum(each.severity == "error" for each in found)
    there = "In sync with the service."
    if changes:
        there = (
            f"{plural(changes, 'change')} not pushed: the service does not use {'it' if changes == 1 else 'them'} yet."
        )
    if edits.base.style_id is None:
        there = "Push it to use it in translations."
    counts = {"error": errors, "warning": len(found) - errors}
    told = " and ".join(plural(count, name) for name, count in counts.items() if count)
    where = " and ".join(tab for table, tab in TABS.items() if any(each.table == table for each in found))
    problems = f"{told}: see {where}." if told else ""
    unheard = sum((category, rule) in idle or (category, "") in idle for category, rule in edits.content.rules)
    if unheard:
        problems = f"{problems} {plural(unheard, 'rule has', 'rules have')} no effect on this service.".strip()
    rules = f"{len(edits.content.rules):,} of {plural(offered, 'rule')} set"
    return f"{title}: {rules}, {instructions}. {there} {problems or 'No problems found.'}"


def push_question(edits: EditList) -> tuple[str, str]:
    """The question whether to push, and the answer that does it."""
    is_new = edits.base.style_id is None
    spoken = Counter(_spoken(each, is_new=is_new) for each in differences(edits.diff))
    spoken.pop("", None)
    lines = [f"• {_counted(line, count)}" for line, count in spoken.items()]
    rest = sum(list(spoken.values())[MOST_TOLD:])
    more = [f"… and {plural(rest, 'change')} more"] if rest else []
    called = named(edits.content.name, edits.language)
    changes = plural(edits.diff.total, "change")
    what, yes = f"Push {changes} to {called}?", f"Push {changes}"
    if is_new:
        what, yes = f"Create the list {called}?", "Create list"
    return "\n".join([what, *lines[:MOST_TOLD], *more]), yes


def clone_question(made: Clone, style: Style) -> str:
    """The question whether to make a copy that is *style*, maybe with nearest options; what it lacks is named."""
    left = pd.DataFrame(made.left)
    lost = left[left["severity"] == "warning"]
    chosen = {cells for _, cells in rows_of(style.rules)}
    names = [
        f"“{rule_label(category, rule)}”"
        for category, rule, near in zip(lost["category"], lost["rule"], lost["nearest"], strict=True)
        if not near or first_of(category, rule, near) not in chosen
    ]
    more = f" and {len(names) - MOST_TOLD} more" if len(names) > MOST_TOLD else ""
    behind = f"\nNot carried over: {', '.join(names[:MOST_TOLD])}{more}." if names else ""
    counts = f"{plural(len(made.style.rules), 'rule')} and {plural(len(style.instructions), 'instruction')} carry over"
    nearest = len(style.rules) - len(made.style.rules)
    taken = f", {plural(nearest, 'nearest option is', 'nearest options are')} taken" if nearest else ""
    language = name_of(style.language or "")
    return f"Copy to {language}? {counts}{taken}; the copy is only here until you push it.{behind}"


def delete_question(edits: EditList) -> str:
    """The question whether to delete a list."""
    title = titled(edits.base.name or edits.content.name, edits.language, edits.base.version)
    is_new = edits.base.style_id is None
    content = edits.content if is_new else edits.began
    counts = f"{plural(len(content.rules), 'rule')} and {plural(len(content.instructions), 'instruction')}"
    if is_new:
        return f"Delete {title}, with {counts}? It is only here, so this cannot be undone."
    unsaved = f" {plural(edits.diff.total, 'change')} not pushed will be lost." if edits.is_changed else ""
    return f"Delete {title} with {counts}?{unsaved}"


def changed_elsewhere(merge: Merge, version: int | None) -> str:
    """That others have made another *version*, and what of it was taken over, also by choice."""
    chosen = [clash.place for clash in merge.clashes if merge.choices.get(clash.place) == THEIRS]
    places = Counter(_placed(place) for place in [*merge.taken, *chosen])
    names = [name if count == 1 else plural(count, "instruction") for name, count in places.items()]
    more = f" and {len(names) - MOST_TOLD} more" if len(names) > MOST_TOLD else ""
    changes = plural(places.total(), "change")
    taken = f" {changes} made there taken over: {', '.join(names[:MOST_TOLD])}{more}." if names else ""
    return f"The list was changed elsewhere: version {version} now.{taken}"


def _placed(place: Place) -> str:
    """A place of a merge in words; of an instruction not what people wrote."""
    kind, *rest = place
    return f"“{rule_label(*rest)}”" if kind == "rule" else "an instruction" if kind == "instruction" else "the name"


def forget_question(waiting: Waiting) -> str:
    """The question whether to delete the draft of an earlier kernel."""
    steps = plural(waiting.steps, "step")
    return f"Forget the edits of {waiting.name} from {_when(waiting)}, {steps}? They cannot be restored then."


def deletion_taken_back(style_id: str | None) -> str:
    """That a list is there again, under another id."""
    return f"The deletion was taken back. The list has a new id: {style_id}. Code with `style_id=` needs that one."


def kept_rows(content: Content) -> list[tuple[str, str]]:
    """The rules and instructions of a list, as a saved notebook keeps them where that was asked for."""
    rules = [(rule_label(*rule), option_label(*rule, option)) for rule, option in content.rules.items()]
    return rules + [(each.label, each.prompt) for each in content.instructions]


def _spoken(difference: Difference, *, is_new: bool) -> str:
    """What differs as one line, in the words of the catalogue; of what people wrote only that it differs.

    An instruction that was added or removed is told once, with its prompt: "" for its other fields.
    """
    if difference.what == "list":
        return f"Name: {difference.after} (on the service: {difference.before})"
    if difference.what != "rule":
        if difference.change != "changed":
            return f"Instruction {difference.change}" if difference.field == "prompt" else ""
        return f"Instruction {difference.change}: its {FIELD_NAMES[difference.field]}"
    category, rule = difference.category or "", difference.item or ""
    after, before = (
        NOT_SET if option is None else option_label(category, rule, option)
        for option in (difference.after, difference.before)
    )
    said = f"{category_label(category)} › {rule_label(category, rule)}: {after}"
    return said if is_new else f"{said} (on the service: {before})"


def _counted(line: str, count: int) -> str:
    """A line about so many changes.

    >>> _counted("Instruction added", 2), _counted("Instruction changed: its label", 2)
    ('2 instructions added', 'Instruction changed: its label × 2')
    """
    if count == 1:
        return line
    if line.startswith("Instruction ") and ":" not in line:
        return line.replace("Instruction", plural(count, "instruction"))
    return f"{line} × {count:,}"


def worded(message: str, category: str, rule: str, option: str) -> str:
    """A finding about a rule with its labels in the place of its names.

    >>> worded("punctuation.serial_comma: use is offered for EN", "punctuation", "serial_comma", "use")
    'Serial comma: Use is offered for EN'
    """
    told = message.replace(f"{category}.{rule}", rule_label(category, rule))
    return told.replace(f": {option} is", f": {option_label(category, rule, option)} is")


def of_card(code: str, message: str) -> str:
    """A finding about an instruction as its card says it, where no rows have numbers.

    >>> of_card("repeated_label", "the label 'Tone' stands in row 0 already")
    'Another instruction has this label already.'
    """
    return (
        "Another instruction has this label already." if code == "repeated_label" else message[:1].upper() + message[1:]
    )


def idle_rules(options: Collection[str]) -> frozenset[Rule]:
    """The rules among *options* that the service accepted without following them; a rule of "" is all of a category."""
    names = (name.removeprefix(OF_STYLE).partition(".") for name in options if name.startswith(OF_STYLE))
    return frozenset((category, rule) for category, _, rule in names if category in offers())


def no_effect(options: Collection[str]) -> str:
    """That *options* had no effect, with rules by their labels; "" where all had."""
    rules = [
        f"“{rule_label(category, rule) if rule else category_label(category)}”"
        for category, rule in sorted(idle_rules(options))
    ]
    if INSTRUCTIONS_OF_STYLE in options:
        rules.append("instructions")
    if not rules:
        return without_effect(options)
    more = f" and {len(rules) - MOST_TOLD} more" if len(rules) > MOST_TOLD else ""
    return f"This service ignores {', '.join(rules[:MOST_TOLD])}{more}."


def what_collides(count: int, loaded: int | None, now: int | None) -> str:
    """What is asked where so many things were changed here and elsewhere."""
    items = plural(count, "item was", "items were")
    return f"{items} changed both here and on the service (version {loaded} when it was loaded, {now} now)."


def offered(waiting: Waiting, others: int) -> str:
    """The question whether to restore the edits of an earlier kernel; there are *others*, too."""
    return f"Edits of {waiting.name} from {_when(waiting)} were not pushed. Restore them?{_also(others)}"


def _when(waiting: Waiting) -> str:
    return f"{waiting.edited:%d %B %Y, %H:%M}"


def _also(others: int) -> str:
    return f" {plural(others, 'other list also has', 'other lists also have')} unpushed edits." if others else ""


def offered_beside(edits: EditList, others: int) -> str:
    """The question whether to go on with the edits of another panel; there are *others*, too."""
    said = f"Edits of {named(edits.content.name, edits.language)} are in another panel of this notebook"
    return f"{said}: {plural(edits.diff.total, 'change')}. Go on with them here?{_also(others)}"


def tried_out(answer: Tried) -> str:
    """What a try-out cost, and what there is to know of it."""
    same = "Both are the same."
    if answer.untranslated:
        language = name_of(answer.untranslated)
        same = f"The text is in {language} already, so it is not translated, and no rule is applied."
    parts = [same if answer.text == answer.plain else "What differs is marked."]
    parts.append(f"Billed for both: {plural(answer.billed, 'character')}.")
    if answer.marked_only:
        parts.append("The embedded service has no translator for this pair: it only marked the text.")
    if answer.left_behind:
        parts.append(f"A temporary list could not be removed yet: {answer.left_behind}.")
    return " ".join(filter(None, [*parts, no_effect(answer.ignored_options)]))
