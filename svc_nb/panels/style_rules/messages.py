"""The messages of the style rule panel, with counts and catalogue terms. User texts are not quoted."""

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

COLLIDES = "Some settings were changed both here and on the service. Choose which version to keep, then continue."
BILLED = "Translates twice, with and without the list; both are billed. A temporary list is created and then deleted."
TAKEN_BACK = "The push was undone on the service. Your edits are still here, not pushed."
HOW = "Choose a style rule list, or create a new one."
FIRST = "There are no style rule lists yet. Enter a name and a language to create one."
NOT_SET = "Not set"
FIELD_NAMES = {"label": "label", "prompt": "prompt", "source_language": "source language", "name": "Name"}
TABS = {"list": "More", "rules": "Rules", "instructions": "Instructions"}  # where findings are shown
MOST_TOLD = 12


def differences(found: StyleDiff) -> list[Difference]:
    """The rows of *found* as values."""
    return [Difference(*cells) for _, cells in rows_of(pd.DataFrame(found))]


def summed_up(edits: EditList, found: list[StyleFinding], *, offered: int, idle: AbstractSet[Rule]) -> str:
    """The current state: how many of the rules *offered* are set, what changed, and which are wrong or *idle*."""
    title = titled(edits.content.name, edits.language, edits.base.version)
    instructions = plural(len(edits.content.instructions), "instruction")
    # An instruction that is still empty is not counted as a problem, but a push rejects it.
    blank = [not (each.label or each.prompt) for each in edits.content.instructions]
    found = [each for each in found if each.table != "instructions" or not blank[each.place]]
    changes, errors = edits.diff.total, sum(each.severity == "error" for each in found)
    there = "In sync with the service."
    if changes:
        there = (
            f"{plural(changes, 'change')} not pushed. The service does not use {'it' if changes == 1 else 'them'} yet."
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
    """The question whether to push, and the label of its answer."""
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
    """The question whether to create the copy *style*, maybe with nearest options; it names what is missing."""
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
    taken = f", {plural(nearest, 'nearest option is', 'nearest options are')} used" if nearest else ""
    language = name_of(style.language or "")
    return f"Copy to {language}? {counts}{taken}. The copy is only here until you push it.{behind}"


def delete_question(edits: EditList) -> str:
    """The question whether to delete a list."""
    title = titled(edits.base.name or edits.content.name, edits.language, edits.base.version)
    is_new = edits.base.style_id is None
    content = edits.content if is_new else edits.began
    counts = f"{plural(len(content.rules), 'rule')} and {plural(len(content.instructions), 'instruction')}"
    if is_new:
        return f"Delete {title} with {counts}? It is only here, so you cannot undo this."
    unsaved = f" {plural(edits.diff.total, 'change')} not pushed will be lost." if edits.is_changed else ""
    return f"Delete {title} with {counts}?{unsaved}"


def changed_elsewhere(merge: Merge, version: int | None) -> str:
    """The message that there is a newer *version* by others, and which changes were merged."""
    chosen = [clash.place for clash in merge.clashes if merge.choices.get(clash.place) == THEIRS]
    places = Counter(_placed(place) for place in [*merge.taken, *chosen])
    names = [name if count == 1 else plural(count, "instruction") for name, count in places.items()]
    more = f" and {len(names) - MOST_TOLD} more" if len(names) > MOST_TOLD else ""
    changes = plural(places.total(), "change")
    taken = f" Merged {changes} made there: {', '.join(names[:MOST_TOLD])}{more}." if names else ""
    return f"The list was changed elsewhere and is now at version {version}.{taken}"


def _placed(place: Place) -> str:
    """A place of a merge in words; the texts of instructions are not quoted."""
    kind, *rest = place
    return f"“{rule_label(*rest)}”" if kind == "rule" else "an instruction" if kind == "instruction" else "the name"


def forget_question(waiting: Waiting) -> str:
    """The question whether to delete the draft of an earlier kernel."""
    steps = plural(waiting.steps, "step")
    return f"Forget the edits of {waiting.name} from {_when(waiting)} ({steps})? You will not be able to restore them."


def deletion_taken_back(style_id: str | None) -> str:
    """The message that a list is restored under a new id."""
    return f"The deletion was undone. The list has a new id: {style_id}. Use it in code with `style_id=`."


def kept_rows(content: Content) -> list[tuple[str, str]]:
    """The rules and instructions of a list, for a saved notebook if the user asked to keep them."""
    rules = [(rule_label(*rule), option_label(*rule, option)) for rule, option in content.rules.items()]
    return rules + [(each.label, each.prompt) for each in content.instructions]


def _spoken(difference: Difference, *, is_new: bool) -> str:
    """A difference as one line, in catalogue terms; user texts are not quoted.

    An added or removed instruction is reported once, with its prompt: "" for its other fields.
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
    """A line about a number of changes.

    >>> _counted("Instruction added", 2), _counted("Instruction changed: its label", 2)
    ('2 instructions added', 'Instruction changed: its label × 2')
    """
    if count == 1:
        return line
    if line.startswith("Instruction ") and ":" not in line:
        return line.replace("Instruction", plural(count, "instruction"))
    return f"{line} × {count:,}"


def worded(message: str, category: str, rule: str, option: str) -> str:
    """A finding about a rule with its labels instead of its names.

    >>> worded("punctuation.serial_comma: use is offered for EN", "punctuation", "serial_comma", "use")
    'Serial comma: Use is offered for EN'
    """
    told = message.replace(f"{category}.{rule}", rule_label(category, rule))
    return told.replace(f": {option} is", f": {option_label(category, rule, option)} is")


def of_card(code: str, message: str) -> str:
    """A finding about an instruction as shown on its card, where rows have no numbers.

    >>> of_card("repeated_label", "the label 'Tone' stands in row 0 already")
    'Another instruction has this label already.'
    """
    return (
        "Another instruction has this label already." if code == "repeated_label" else message[:1].upper() + message[1:]
    )


def idle_rules(options: Collection[str]) -> frozenset[Rule]:
    """The rules among *options* that the service accepted but ignored; a rule of "" means a whole category."""
    names = (name.removeprefix(OF_STYLE).partition(".") for name in options if name.startswith(OF_STYLE))
    return frozenset((category, rule) for category, _, rule in names if category in offers())


def no_effect(options: Collection[str]) -> str:
    """The message that *options* had no effect, with the labels of rules; "" if all had one."""
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
    """The question about a number of conflicts."""
    items = plural(count, "item was", "items were")
    return f"{items} changed both here and on the service (version {loaded} when it was loaded, {now} now)."


def offered(waiting: Waiting, others: int) -> str:
    """The question whether to restore the edits of an earlier kernel, with the number of *others*."""
    return f"Edits of {waiting.name} from {_when(waiting)} were not pushed. Restore them?{_also(others)}"


def _when(waiting: Waiting) -> str:
    return f"{waiting.edited:%d %B %Y, %H:%M}"


def _also(others: int) -> str:
    return f" {plural(others, 'other list also has', 'other lists also have')} unpushed edits." if others else ""


def offered_beside(edits: EditList, others: int) -> str:
    """The question whether to continue with the edits of another panel, with the number of *others*."""
    said = f"Edits of {named(edits.content.name, edits.language)} are in another panel of this notebook"
    return f"{said}: {plural(edits.diff.total, 'change')}. Continue with them here?{_also(others)}"


def tried_out(answer: Tried) -> str:
    """The cost of a try-out, and notes on it."""
    same = "Both translations are the same."
    if answer.untranslated:
        language = name_of(answer.untranslated)
        same = f"The text is already in {language}, so it was not translated and no rules were applied."
    parts = [same if answer.text == answer.plain else "Differences are marked."]
    parts.append(f"Billed for both: {plural(answer.billed, 'character')}.")
    if answer.marked_only:
        parts.append("The embedded service has no translator for this pair, so the text was not translated.")
    if answer.left_behind:
        parts.append(f"A temporary list could not be removed yet: {answer.left_behind}.")
    return " ".join(filter(None, [*parts, no_effect(answer.ignored_options)]))
