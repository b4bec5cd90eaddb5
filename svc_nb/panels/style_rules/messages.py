"""What the style rule panel says, in counts and words of the catalogue: of what people wrote only that it differs."""

import pandas as pd

from svc_nb.language_codes import name_of
from svc_nb.panels.style_rules.lists import EditList, titled
from svc_nb.style_rules.diff import Difference, StyleDiff
from svc_nb.style_rules.labels import category_label, option_label, rule_label
from svc_nb.style_rules.lint import StyleFinding
from svc_nb.style_rules.merge import Merge
from svc_nb.style_rules.style import Content, Style
from svc_nb.style_rules.table import rows_of
from svc_nb.style_rules.tryout import Tried
from svc_nb.sync.drafts import Waiting
from svc_nb.tabular.report import plural
from svc_nb.wire.client.ignored_options import without_effect

COLLIDES = "Some settings were changed both here and on the service: choose what to take first, then go on."
HOW = "Choose a style rule list, or give a name and a language and create one."
NOT_SET = "Not set"
FIELD_NAMES = {"label": "label", "prompt": "prompt", "source_language": "source language", "name": "Name"}
MOST_TOLD = 12


def differences(found: StyleDiff) -> list[Difference]:
    """The rows of *found* as values."""
    return [Difference(*cells) for _, cells in rows_of(pd.DataFrame(found))]


def summed_up(edits: EditList, found: list[StyleFinding], *, offered: int) -> str:
    """How things stand: what the list has, of the rules *offered*, what changed, and what is wrong."""
    title = titled(edits.content.name, edits.language, edits.base.version)
    instructions = plural(len(edits.content.instructions), "instruction")
    changes, errors = len(edits.diff), sum(each.severity == "error" for each in found)
    said = [
        f"{title}: {len(edits.content.rules):,} of {plural(offered, 'rule')} set, {instructions}.",
        f"{plural(changes, 'change')} not pushed." if changes else "Nothing is changed.",
    ]
    counts = {"error": errors, "warning": len(found) - errors}
    if told := [plural(count, name) for name, count in counts.items() if count]:
        said.append(f"{' and '.join(told)}: see Rules and Instructions.")
    return " ".join(said)


def push_question(edits: EditList) -> tuple[str, str]:
    """The question whether to push, and the answer that does it."""
    changes = differences(edits.diff)
    lines = [f"• {line}" for line in dict.fromkeys(map(_spoken, changes))]
    more = [f"… and {plural(len(lines) - MOST_TOLD, 'change')} more"] if len(lines) > MOST_TOLD else []
    title = titled(edits.content.name, edits.language, edits.base.version)
    what, yes = f"Push to {title}?", f"Yes, push {plural(len(changes), 'change')}"
    if edits.base.style_id is None:
        what, yes = f"Create {title}?", "Yes, create it"
    return "\n".join([what, *lines[:MOST_TOLD], *more]), yes


def clone_question(style: Style) -> str:
    """The question whether to make a copy that says *style*."""
    counts = f"{plural(len(style.rules), 'rule')} and {plural(len(style.instructions), 'instruction')}"
    language = name_of(style.language or "")
    return f"Copy for {language}: {counts} carry over. Make it? A push then puts it on the service."


def delete_question(edits: EditList) -> str:
    """The question whether to delete a list."""
    title = titled(edits.base.name or "", edits.language, edits.base.version)
    unsaved = f" {plural(len(edits.diff), 'change')} not pushed will be lost." if edits.is_changed else ""
    return f"Really delete {title} with all its rules and instructions?{unsaved}"


def changed_elsewhere(merge: Merge, version: int | None, said: str) -> str:
    """That others have made another *version*, how much of it was taken over, and what is *said* then."""
    taken = f", {plural(len(merge.taken), 'change')} made there taken over" if merge.taken else ""
    return f"The list was changed elsewhere: version {version} now{taken}. {said}".strip()


def kept_rows(content: Content) -> list[tuple[str, str]]:
    """The rules and instructions of a list, as a saved notebook keeps them where that was asked for."""
    rules = [(rule_label(*rule), option_label(*rule, option)) for rule, option in content.rules.items()]
    return rules + [(each.label, each.prompt) for each in content.instructions]


def _spoken(difference: Difference) -> str:
    """What differs as one line, in the words of the catalogue; of what people wrote only that it differs."""
    if difference.what == "list":
        return f"Name: {difference.after} (now {difference.before})"
    if difference.what != "rule":
        return f"An instruction is {difference.change}: its {FIELD_NAMES[difference.field]}"
    category, rule = difference.category or "", difference.item or ""
    after, before = (
        NOT_SET if option is None else option_label(category, rule, option)
        for option in (difference.after, difference.before)
    )
    return f"{category_label(category)} › {rule_label(category, rule)}: {after} (now {before})"


def what_collides(count: int, loaded: int | None, now: int | None) -> str:
    """What is asked where so many things were changed here and elsewhere."""
    things = plural(count, "thing was", "things were")
    return (
        f"{things} changed here and on the service, differently (version {loaded} when it was loaded, {now} now). "
        "Nothing was sent, nothing is overwritten. Choose what to take:"
    )


def offered(waiting: Waiting, others: int) -> str:
    """The question whether to restore the edits of an earlier kernel; there are *others*, too."""
    when, steps = f"{waiting.made.astimezone():%d %B %Y, %H:%M}", plural(waiting.steps, "step")
    more = f" There are edits of {plural(others, 'other list')}, too." if others else ""
    return f"Edits of “{waiting.name}” from {when} were not pushed: {steps}. Restore them?{more}"


def offered_beside(edits: EditList) -> str:
    """The question whether to go on with the edits of another panel."""
    said = f"Edits of “{edits.content.name}” are in another panel of this notebook"
    return f"{said}: {plural(len(edits.diff), 'change')}. Go on with them here?"


def tried_out(answer: Tried) -> str:
    """What a try-out cost, and what there is to know of it."""
    parts = [f"Billed for both: {plural(answer.billed, 'character')}."]
    if answer.text == answer.plain:
        parts.append("Both are the same.")
    if answer.marked_only:
        parts.append("The embedded service has no translator for this pair: it only marked the text.")
    if answer.left_behind:
        parts.append(f"A temporary list could not be removed yet: {answer.left_behind}.")
    return " ".join(filter(None, [*parts, without_effect(answer.ignored_options)]))
