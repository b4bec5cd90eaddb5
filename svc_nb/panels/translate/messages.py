"""The panel's messages about plans and runs: sentences with counts, never with the text of a row."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence

from svc_nb.columns.operations import GLOSSARY_LACKS_PAIR
from svc_nb.columns.protection import KINDS
from svc_nb.columns.rewording import LacksProtected
from svc_nb.columns.summary import PlanSummary
from svc_nb.engine.outcome import DONE, FAILED, MARKED, SKIPPED, UNSENT, RunReport
from svc_nb.engine.skip_rules import SAME_LANGUAGE
from svc_nb.errors import one_line
from svc_nb.panels.parts.columns import NO_COLUMN, label_list
from svc_nb.panels.parts.figures import Figure, figure
from svc_nb.panels.parts.texts import lasting, sentence
from svc_nb.panels.translate.plan import Order
from svc_nb.panels.translate.run import (
    ALL,
    EDITED,
    FOUND,
    GRAVE,
    PROBLEMS,
    SKIPPED_WORDS,
    STORED,
    UNSENT_WORDS,
    Pace,
    Results,
    reason_of,
    settled,
)
from svc_nb.tabular.findings import tally
from svc_nb.tabular.report import plural

STALE_COLUMNS = " The frame does not have it yet. Press “Update the frame”."
STAGES = {"": "Starting", "planning": "Planning", "detecting": "Detecting languages"}
KEPT = "Finished rows are kept and not billed again"
SPENT = "Budget spent: raise it to continue"
LONGEST_REASON = 150
MOST_PAIRS = 6  # of languages that are named
COUNTED = {
    PROBLEMS: "Rows in which the checks found an error or a warning",
    FOUND: "Rows in which the checks found anything: errors, warnings and notes",
}
PAUSED = "Paused: nothing new is sent. Press Continue to resume."


def figures(plan: PlanSummary, unit: str = "row", *, budget: int | None = None, spent: int = 0) -> list[Figure]:
    """The counts of a plan: the name, number and note of each; *unit* is a row or a cell.

    Earlier runs have *spent* this many characters of the *budget*.
    """
    found = [
        figure(f"{unit.capitalize()}s", plan.rows),
        figure("Different texts" if unit == "row" else f"Different {unit}s", plan.unique),
        figure("Saved answers", plan.stored, "paid for before"),
        figure(f"Skipped {unit}s", sum(plan.skipped.values()), reasons(plan.skipped)),
        figure("Characters to pay", plan.characters, key="main"),
    ]
    found = [each for each in found if each["value"] != "0" or each["key"]]
    if plan.untranslated:
        lost, billed = sum(plan.untranslated.values()), plan.untranslated_characters
        cost = f", {plural(billed, 'character')} billed" if billed else ""
        note = f"{largest_first(plan.untranslated)}: not translated{cost}"
        found.append(figure("No translator", lost, note, unit=unit, key="warning"))
    if budget is not None and spent:
        found.append(figure("Budget left", max(0, budget - spent), f"{spent:,} of {budget:,} used"))
    if plan.over_budget:
        found.append(figure("Over the budget", plan.over_budget, "left out", unit="text", key="warning"))
    if plan.failed:
        found.append(figure("Cannot be sent", plan.failed, "no text, or too long", key="warning"))
    if plan.undetected:
        found.append(figure("Languages to detect", plan.undetected, "costs nothing"))
    if without := {each.about: each.count for each in plan.noticed if each.what == GLOSSARY_LACKS_PAIR}:
        found.append(figure("Pair not in glossary", sum(without.values()), largest_first(without)))
    # Rows already in the target language are among the skipped ones.
    for notice in plan.noticed:
        if notice.what not in (SAME_LANGUAGE, GLOSSARY_LACKS_PAIR):
            kept = notice.what in KINDS  # offer what the panel has a control for
            note = f"Keep {notice.what}" if kept else str(notice).partition(" ")[2]
            name = f"With {notice.what}" if kept else notice.what.replace("_", " ").capitalize()
            unit, does = ("text", notice.what) if kept else ("", "")
            found.append(figure(name, notice.count, note, unit=unit, does=does))
    if plan.cost is not None:
        found.append({**figure("Cost", 0, key="main"), "value": money(plan.cost)})
    return found


def facts(
    results: Results,
    report: RunReport,
    pairs: set[tuple[str, str]],
    *,
    billed: int,
    pressed: str = ALL,
    unit: str = "row",
) -> list[Figure]:
    """The results of a run; each count of rows shows them when it is *pressed*. *pairs* have no translator.

    *billed* is the job's number of characters; *report* is about its last run.
    """
    severities = Counter(results.found["severity"].tolist())
    table = results.table
    lost = table[table["status"] == FAILED]
    failed = ", ".join(f"HTTP {code}" for code in lost["http_status"].dropna().unique())
    if len(whys := lost["reason"].dropna().unique()) == 1:
        failed = ": ".join(filter(None, (failed, one_line(reason_of(whys[0]), limit=LONGEST_REASON))))
    unsent = ", ".join(UNSENT_WORDS.get(why, why) for why, rows in report.unsent.items() if rows)
    told = {
        DONE: ("Translated", "", ""),
        MARKED: ("Not translated", lacking_pairs(pairs), "warning"),
        STORED: ("Of these, saved answers", "not billed again", ""),
        SKIPPED: ("Skipped", reasons(report.skipped), ""),
        FAILED: ("Failed", failed, "error"),
        UNSENT: ("Not sent", unsent, "warning"),
        PROBLEMS: ("Problems", tally(Counter({each: severities[each] for each in GRAVE})), "warning"),
        FOUND: ("Findings", tally(severities), ""),
        EDITED: ("Edited by you", "", ""),
    }
    counts = {kind: results.count(kind) for kind in told}
    same = counts[FOUND] == counts[PROBLEMS]  # then they are the same rows
    wanted = [kind for kind in told if kind == pressed or (counts[kind] and not (kind == FOUND and same))]
    shown = [figure(f"All {unit}s", len(results.table), kind=ALL)]
    for kind in wanted:
        name, note, key = told[kind]
        of = unit if kind in (PROBLEMS, FOUND) else ""  # the note counts findings, of which a row may have several
        look = key if counts[kind] else ""
        shown.append(figure(name, counts[kind], note, unit=of, key=look, kind=kind, help=COUNTED.get(kind, "")))
    unclear = f"maybe {report.unclear:,} more, because answers were cut off" if report.unclear else ""
    return [*shown, figure("Billed characters", billed, unclear)]


def largest_first(pairs: Mapping[str, int]) -> str:
    """Rows by pair of languages, those with the most rows first; of many pairs only the first are named.

    >>> largest_first({"EN → AR": 1, "EN → DE": 1200})
    '1,200 EN → DE, 1 EN → AR'
    """
    ordered = sorted(pairs.items(), key=lambda each: -each[1])
    return _first_pairs([f"{rows:,} {pair}" for pair, rows in ordered])


def _first_pairs(told: Sequence[str]) -> str:
    more = f" and {len(told) - MOST_PAIRS:,} more" if len(told) > MOST_PAIRS else ""
    return f"{', '.join(told[:MOST_PAIRS])}{more}"


def money(cost: float) -> str:
    """A cost with two decimals, or more if it is less than a cent.

    >>> money(1234.5), money(0.00076), money(0)
    ('1,234.50', '0.00076', '0.00')
    """
    return f"{cost:,.2f}" if cost >= 0.01 or not cost else f"{cost:.2g}"


def reasons(rows: Mapping[str, int]) -> str:
    """Rows by reason, in words."""
    counts: Counter[str] = Counter()
    for why, count in rows.items():
        counts[SKIPPED_WORDS.get(why, why.replace("_", " "))] += count
    return ", ".join(f"{count:,} {why}" for why, count in counts.items() if count)


def to_send(plan: PlanSummary) -> int:
    """The number of different texts to send."""
    return max(0, plan.unique - plan.stored - plan.over_budget) if plan.characters or plan.requests else 0


def pressed(plan: PlanSummary, unit: str = "row") -> str:
    """The label of the start button: what it will do and cost; "" if there is nothing to start."""
    rows = plural(plan.rows - sum(plan.skipped.values()) - plan.failed, unit)
    if texts := to_send(plan):
        what = f"{plural(texts, 'text')} within the budget" if plan.over_budget else rows
        return f"Translate {what}, {costs(plan)}"
    if plan.over_budget and plan.stored:
        return f"Fill in {plural(plan.stored, 'text')} from the store, no cost"
    return f"Fill in {rows} from the store, no cost" if plan.stored else ""


def costs(plan: PlanSummary) -> str:
    """The characters that will be billed, and their cost if the price is known."""
    cost = "" if plan.cost is None else f", cost {money(plan.cost)}"
    return f"{'at most ' if plan.undetected else ''}{plural(plan.characters, 'character')}{cost}"


def nothing(plan: PlanSummary, spent: int = 0) -> str:
    """Why there is nothing to start; *spent* was used from the budget before."""
    if not plan.rows:
        return "There are no rows to translate."
    if plan.over_budget and spent:
        return over_budget(plan.over_budget, spent)
    if plan.over_budget:
        return f"The budget leaves out everything that remains: {plural(plan.over_budget, 'text')}."
    why = reasons(plan.skipped)
    failed = f"{plural(plan.failed, 'row')} cannot be sent" if plan.failed else ""
    told = "; ".join(part for part in (f"skipped: {why}" if why else "", failed) if part)
    return f"There is nothing to translate in these rows ({told})." if told else "There is nothing to translate."


def over_budget(texts: int, spent: int) -> str:
    """The message that the budget is spent, and how to continue."""
    return f"{SPENT}. {plural(spent, 'character')} used, {plural(texts, 'text')} left."


def lacking(order: Order, columns: int) -> str:
    """What to choose before there can be a plan."""
    if not columns:
        return NO_COLUMN
    missing = [
        *(["a column"] if not order.columns else []),
        *(["a language to translate into"] if not order.targets else []),
    ]
    return f"Choose {' and '.join(missing)}." if missing else "Calculating the cost …"


def dearer(plan: PlanSummary, promised: PlanSummary) -> str:
    """The message that the cost is higher than shown."""
    return (
        f"More characters will be billed than the plan said, {plan.characters:,} instead of "
        f"{plural(promised.characters, 'character')}: the frame or the store has changed. Nothing was sent. Press the "
        "button again to continue."
    )


def moving(
    report: RunReport, pace: Pace, *, before: int = 0, paused: bool = False, cancelled: bool = False, unit: str = "row"
) -> str:
    """The progress of a run: rows, speed, characters, time left, requests in progress.

    The runs that it continues were billed this many characters *before*.
    """
    if report.stage in STAGES and not report.finished:
        return f"{STAGES[report.stage]} …"
    done, state = settled(report), "Cancelling" if cancelled else "Paused" if paused else ""
    parts = [*([state] if state else []), f"{done:,} of {plural(report.rows, unit)}"]
    if pace.rate and not state:
        fast = pace.rate >= 1
        rate = plural(round(pace.rate if fast else pace.rate * 60), unit)
        parts.append(f"{rate} a {'second' if fast else 'minute'}")
    parts += _not_done(report)
    parts.append(f"{plural(before + report.billed, 'character')} billed")
    left = pace.left(report.rows - done)
    if left is not None and not state and done < report.rows:
        parts.append(f"about {lasting(left)} left")
    if report.in_flight:
        parts.append(f"{plural(report.in_flight, 'request')} in progress")
    if report.refused:
        parts.append(f"{report.refused:,} refused and retried")
    if report.waiting:
        parts.append(report.waiting)
    return " · ".join(parts)


def _not_done(report: RunReport) -> list[str]:
    """What the hatched part of the meter shows."""
    counts = {"not translated": report.marked, "failed": report.failed}
    return [f"{count:,} {what}" for what, count in counts.items() if count]


def over(report: RunReport, targets: Sequence[str], state: str, *, cancelled: bool = False, unit: str = "row") -> str:
    """The outcome of a finished run into *targets*, and how long it took; *state* is that of the meter."""
    stopped = "Cancelled" if cancelled else "Budget spent" if report.unsent["budget"] else "Not finished"
    how = {"stopped": stopped, "failed": "Failed"}.get(state, "Done")
    rows = f"{report.done + report.skipped.total():,} of {plural(report.rows, unit)}"
    lost = "".join(f", {each}" for each in _not_done(report))
    return f"{how} in {lasting(report.wall_seconds)} · {', '.join(targets)} · {rows}{lost}"


def ended(report: RunReport, *, cancelled: bool, again: int, unit: str = "row") -> str:
    """The outcome of a run in words, and what to do next; `facts` has the counts. An error comes first."""
    error = report.error
    parts = [one_line(str(error), limit=500)] if isinstance(error, Exception) else ["Cancelled."] if cancelled else []
    if report.marked:
        parts.append(f"{plural(report.marked, unit)} NOT TRANSLATED, only marked.")
    if report.failed and error is None:
        parts.append(f"{plural(report.failed, unit)} failed.")
    if again and report.answered:
        parts.append(f"{KEPT}. Press “{retried(again, cancelled=cancelled, unit=unit)}” to continue.")
    elif report.unsent["budget"]:
        parts.append(f"{SPENT}. {plural(report.unsent['budget'], unit)} not sent.")
    return " ".join(parts)


def retried(rows: int, *, cancelled: bool = False, unit: str = "row") -> str:
    """The label of the button that retries *rows*, or continues after a person *cancelled* the run."""
    return f"{'Continue with' if cancelled else 'Retry'} {plural(rows, unit)}"


def survives(answers: int) -> str:
    """What survives of a run after a kernel restart."""
    if not answers:
        return ""
    kept = plural(answers, "answer is", "answers are")
    return f"{kept} saved. With the same options, nothing is billed twice."


def lacking_pairs(pairs: set[tuple[str, str]]) -> str:
    """Which language pairs have no translator."""
    if not pairs:
        return ""
    return f"no translator for {_first_pairs([f'{one.upper()} → {other.upper()}' for one, other in sorted(pairs)])}"


def checked(problems: int, found: int, unit: str = "row") -> str:
    """What the checks found, in counts of rows with problems, and with anything *found*."""
    if problems:
        return f"{plural(problems, f'{unit} has', f'{unit}s have')} problems. Check the worst first."
    return f"No problems, but notes in {plural(found, unit)}." if found else "No problems found."


def added(names: Sequence[Hashable], report: RunReport, refused: Sequence[str] = ()) -> str:
    """The message that these columns are in the frame, with caveats; *refused* are rows with rejected edits."""
    left = report.rows - report.done - report.marked - report.skipped.total()
    told = [
        (report.marked, "cell is", "cells are", "NOT TRANSLATED, only marked"),
        (left, "cell is", "cells are", "empty: failed or not sent"),
        (len(refused), "edit was", "edits were", f"rejected and not added: {label_list(refused)}"),
    ]
    but = "".join(f" {plural(count, one, many)} {what}." for count, one, many, what in told if count > 0)
    return f"Added to the frame: {label_list(names)}.{but}"


def edited(rows: int) -> str:
    """The message that a translation has a user's wording, and in how many rows."""
    others = f" {plural(rows, 'row has', 'rows have')} this text and use your wording." if rows > 1 else ""
    return f"Your wording is kept, and used whenever this text is translated with these options.{others}"


def refused(problem: ValueError) -> str:
    """Why a user's wording is rejected; shown only to them, because it may quote texts."""
    if isinstance(problem, LacksProtected):
        missing = ", ".join(problem.missing)
        return f"Missing: {missing}" if missing else "Each protected text may appear only once."
    return sentence(str(problem))


def turned(word: str, step: str, rows: int) -> str:
    """The message that a *step*, an edit of a row, was undone or redone, and in how many rows."""
    if word == "redo":
        return f"Redone: {step}. {edited(rows)}"
    return f"Undone: {step}. The wording from before your edit is restored. Nothing was billed."
