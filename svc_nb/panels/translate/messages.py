"""What the panel says of plans and runs: sentences of counts, in which no text of a row ever stands."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence

import pandas as pd

from svc_nb.columns.job import UNSENT_WORDS
from svc_nb.columns.summary import PlanSummary
from svc_nb.engine.outcome import RunReport
from svc_nb.engine.skip_rules import SAME_LANGUAGE
from svc_nb.errors import one_line
from svc_nb.panels.parts.columns import NO_COLUMN, label_list
from svc_nb.panels.translate.plan import Order
from svc_nb.panels.translate.run import SKIPPED_WORDS, Pace
from svc_nb.tabular.findings import tally
from svc_nb.tabular.report import plural

STALE_COLUMNS = " The columns that you added to the frame do not have it yet: add them again."
STAGES = {"": "Beginning", "planning": "Planning", "detecting": "Finding out languages"}
Figure = dict[str, str]


def figures(plan: PlanSummary) -> list[Figure]:
    """The counts of a plan: what each is called, its number, and what it is made of."""
    found = [
        _figure("Rows", plan.rows),
        _figure("Different texts", plan.unique),
        _figure("In the store", plan.stored, "paid for before" if plan.stored else ""),
        _figure("Skipped rows", sum(plan.skipped.values()), reasons(plan.skipped)),
        _figure("Characters to pay", plan.characters, key="main"),
        _figure("Requests", plan.requests),
    ]
    if plan.untranslated:
        pairs = ", ".join(f"{rows:,} {pair}" for pair, rows in plan.untranslated.items())
        found.append(_figure("Rows without a translator", sum(plan.untranslated.values()), pairs, key="warning"))
    if plan.over_budget:
        found.append(_figure("Over the budget", plan.over_budget, "left out", key="warning"))
    if plan.failed:
        found.append(_figure("Cannot be sent", plan.failed, "no text, or too long", key="warning"))
    if plan.undetected:
        found.append(_figure("Languages to find out", plan.undetected, "costs nothing"))
    # What is in its language already is among the skipped rows.
    for notice in plan.noticed:
        if notice.what != SAME_LANGUAGE:
            name = notice.what.replace("_", " ").capitalize()
            found.append(_figure(name, notice.count, str(notice).partition(" ")[2]))
    if plan.cost is not None:
        found.append({"name": "Cost", "value": money(plan.cost), "note": "", "key": "main"})
    return found


def _figure(name: str, count: int, note: str = "", *, key: str = "") -> Figure:
    return {"name": name, "value": f"{count:,}", "note": note, "key": key}


def money(cost: float) -> str:
    """A cost with two decimals, or with more where it is less than a cent.

    >>> money(1234.5), money(0.00076), money(0)
    ('1,234.50', '0.00076', '0.00')
    """
    return f"{cost:,.2f}" if cost >= 0.01 or not cost else f"{cost:.2g}"


def reasons(rows: Mapping[str, int]) -> str:
    """Rows by reason, in words."""
    return ", ".join(
        f"{count:,} {SKIPPED_WORDS.get(why, why.replace('_', ' '))}" for why, count in rows.items() if count
    )


def to_send(plan: PlanSummary) -> int:
    """How many different texts will be sent."""
    return max(0, plan.unique - plan.stored - plan.over_budget) if plan.characters or plan.requests else 0


def pressed(plan: PlanSummary) -> str:
    """What the button that begins says: what it will cost; "" where there is nothing to begin."""
    texts = to_send(plan)
    if texts:
        cost = "" if plan.cost is None else f", cost {money(plan.cost)}"
        most = "at most " if plan.undetected else ""
        return f"Translate {plural(texts, 'text')}, {most}{plural(plan.characters, 'character')}{cost}"
    if plan.stored:
        return f"Fill in {plural(plan.stored, 'text')} from the store, nothing to pay"
    return ""


def nothing(plan: PlanSummary) -> str:
    """Why there is nothing to begin."""
    if not plan.rows:
        return "There are no rows to translate."
    if plan.over_budget:
        return f"The budget leaves out all that is left: {plural(plan.over_budget, 'text')}."
    why = reasons(plan.skipped)
    failed = f"{plural(plan.failed, 'row')} cannot be sent" if plan.failed else ""
    told = "; ".join(part for part in (f"skipped: {why}" if why else "", failed) if part)
    return f"There is nothing to translate in these rows ({told})." if told else "There is nothing to translate."


def lacking(order: Order, columns: int) -> str:
    """What is to be chosen before there can be a plan."""
    if not columns:
        return NO_COLUMN
    missing = [
        *(["a column"] if not order.columns else []),
        *(["a language to translate into"] if not order.targets else []),
    ]
    return f"Choose {' and '.join(missing)}." if missing else "Working out what it will cost …"


def dearer(plan: PlanSummary, promised: PlanSummary) -> str:
    """That there is more to pay than was shown."""
    return (
        f"There is more to pay than the plan said, {plan.characters:,} instead of "
        f"{plural(promised.characters, 'character')}: the frame or the store has changed. Nothing was sent; press the "
        "button again if that is meant."
    )


def found(findings: pd.DataFrame) -> str:
    """What the checks found, in counts."""
    counts = Counter(findings["severity"].tolist())
    return f"Checks: {tally(counts)}." if counts else "The checks found nothing."


def moving(report: RunReport, pace: Pace, *, paused: bool = False) -> str:
    """How a run stands: rows, speed, characters, time left, requests on their way."""
    if report.stage in STAGES and not report.finished:
        return f"{STAGES[report.stage]} …"
    parts = [f"{report.finished:,} of {plural(report.rows, 'row')}"]
    if paused:
        parts.append("paused")
    elif pace.rate:
        fast = pace.rate >= 1
        parts.append(f"{pace.rate if fast else pace.rate * 60:,.0f} rows a {'second' if fast else 'minute'}")
    parts.append(f"{plural(report.billed, 'character')} billed")
    left = pace.left(report.rows - report.finished)
    if left is not None and not paused and report.finished < report.rows:
        parts.append(f"about {lasting(left)} left")
    if report.in_flight:
        parts.append(f"{plural(report.in_flight, 'request')} on {'its' if report.in_flight == 1 else 'their'} way")
    if report.refused:
        parts.append(f"{report.refused:,} refused and sent again")
    return " · ".join(parts)


def over(report: RunReport) -> str:
    """How far a run came that has ended, and how long it took."""
    return f"{report.done + report.skipped.total():,} of {plural(report.rows, 'row')} in {lasting(report.wall_seconds)}"


def lasting(seconds: float) -> str:
    """A time as people say it.

    >>> lasting(0.2), lasting(42), lasting(200), lasting(9000)
    ('1 s', '42 s', '3 min', '2.5 h')
    """
    if seconds < 60:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 3600 else f"{seconds / 3600:.1f} h"


def ended(report: RunReport, *, cancelled: bool, again: int) -> str:
    """How a run ended, with what is kept and what can be done; the error that ended it comes first."""
    error = report.error
    head = f"{one_line(str(error), limit=500)} " if isinstance(error, Exception) else ""
    how = "Cancelled: " if cancelled and not head else ""
    parts = [f"{report.done:,} of {plural(report.rows, 'row')} done"]
    if report.marked:
        parts.append(f"{report.marked:,} NOT TRANSLATED, only marked")
    if report.stored:
        parts[-1] += f", {report.stored:,} {'in all' if report.marked else 'of them'} from the store"
    if skipped := report.skipped.total():
        parts.append(f"{skipped:,} skipped")
    if report.failed:
        parts.append(f"{report.failed:,} failed")
    if report.unsent.total():
        unsent = [f"{rows:,} {UNSENT_WORDS.get(why, why)}" for why, rows in report.unsent.items() if rows]
        parts.append(f"not sent: {', '.join(unsent)}")
    parts.append(f"{plural(report.billed, 'character')} billed")
    unclear = f" Perhaps {plural(report.unclear, 'character')} more: answers broke off." if report.unclear else ""
    kept = " What is done is kept and not paid for again"
    goes_on = f"{kept}; “Try again” goes on." if again else ""
    if report.unsent["budget"] and not again:
        goes_on = f"{kept}; a larger budget sends the rest."
    return f"{head}{how}{'; '.join(parts)}.{unclear}{goes_on}"


def marked(pairs: set[tuple[str, str]]) -> str:
    """That texts were not translated but only marked."""
    if not pairs:
        return ""
    told = ", ".join(f"{source.upper()} → {target.upper()}" for source, target in sorted(pairs)[:6])
    more = f" and {len(pairs) - 6} more" if len(pairs) > 6 else ""
    return f"No translator is installed for {told}{more}."


def added(names: Sequence[Hashable], report: RunReport) -> str:
    """That these columns are in the frame now, and how many of their cells are empty."""
    left = report.rows - report.done - report.marked - report.skipped.total()
    gaps = f" {plural(left, 'cell is', 'cells are')} empty: failed, or not done yet." if left > 0 else ""
    return f"Added to the frame: {label_list(names)}.{gaps}"


def edited(rows: int) -> str:
    """That a translation has a person's wording now, and in how many rows."""
    others = f" {plural(rows, 'row has', 'rows have')} this text, and your wording." if rows > 1 else ""
    return f"Your wording is kept, and used whenever this text is translated.{others}"


def turned(word: str, rows: int) -> str:
    """That an edit was undone or redone."""
    if word == "redo":
        return edited(rows)
    gone = "" if rows else " No row of this result has the text."
    return f"The wording before your edit is back; nothing was paid for that.{gone}"
