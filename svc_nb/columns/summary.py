"""Counts for a quick look: before paying, and after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import TYPE_CHECKING

from svc_nb.columns.results import ColumnResult
from svc_nb.engine.outcome import DONE, FAILED, SKIPPED, UNSENT, RunReport
from svc_nb.engine.plan import Plan
from svc_nb.signatures import hides

if TYPE_CHECKING:
    from svc_nb.columns.hints import Notice


@dataclass(frozen=True, slots=True)
class Lines:
    """Named counts, shown as two columns with *notes* below; their texts are escaped."""

    title: str
    counts: Mapping[str, str]
    notes: Sequence[str] = ()

    def __str__(self) -> str:
        name = max(map(len, self.counts), default=0)
        first = max((len(_number(value)) for value in self.counts.values()), default=0)
        shown = (
            f"  {label:<{name}}  {_number(value):>{first}}{value.removeprefix(_number(value))}"
            for label, value in self.counts.items()
        )
        return "\n".join([self.title, *shown, *(f"  {note}" for note in self.notes)])

    def html(self) -> str:
        """The counts as an HTML table."""
        rows = "".join(
            f"<tr><th style='text-align:left'>{escape(label)}</th><td style='text-align:right'>"
            f"{escape(_number(value))}</td><td style='text-align:left'>"
            f"{escape(value.removeprefix(_number(value)))}</td></tr>"
            for label, value in self.counts.items()
        )
        notes = "".join(f"<li>{escape(note)}</li>" for note in self.notes)
        table = f"<table><caption style='text-align:left'>{escape(self.title)}</caption>{rows}</table>"
        return f"{table}<ul>{notes}</ul>" if notes else table


class ShownAsLines:
    """An object shown by its `_lines`, in a terminal and in a notebook."""

    __slots__ = ()

    def _lines(self) -> Lines:
        raise NotImplementedError

    def __str__(self) -> str:
        return str(self._lines())

    def __repr__(self) -> str:
        return str(self._lines())

    def _repr_html_(self) -> str:
        return self._lines().html()


@hides("of")
@dataclass(frozen=True, slots=True, repr=False)
class PlanSummary(ShownAsLines):
    """What a job will do and cost.

    `rows` are rows of the table, and so are `skipped` (by reason), `failed` (those that cannot be sent) and
    `untranslated` (those within the budget that no translator has, by language pair: their texts will only be marked,
    and `untranslated_characters` are billed for them). `unique` counts different texts, of which `stored` have a saved
    answer; `characters` will be billed, in `requests` requests. `undetected` are different texts whose language must be
    detected first; that may change the numbers, but can only lower the characters. `over_budget` are different texts
    that the budget does not cover. With a price, `cost` is the total cost. If texts are sent as HTML or XML (`tagged`),
    their tags count, although services are known to bill less. `contexts` are the different contexts of the texts to
    send; a request has one of them. `noticed` counts what is worth a look before paying, and `hints` describes it in
    sentences.
    """

    rows: int
    unique: int
    stored: int
    skipped: Mapping[str, int]
    characters: int
    requests: int
    untranslated: Mapping[str, int] = field(default_factory=dict)
    untranslated_characters: int = 0
    undetected: int = 0
    failed: int = 0
    over_budget: int = 0
    cost: float | None = None
    tagged: bool = False
    contexts: int = 0
    noticed: tuple[Notice, ...] = ()
    title: str = field(default="Plan", repr=False)

    @property
    def hints(self) -> tuple[str, ...]:
        """What is worth a look before paying, such as texts with unprotected placeholders."""
        return tuple(map(str, self.noticed))

    @classmethod
    def of(
        cls,
        plan: Plan,
        results: Sequence[ColumnResult],
        *,
        rows: int,
        undetected: int,
        guesses: Mapping[str, str],
        price: float | None,
        title: str,
    ) -> PlanSummary:
        """The counts of *plan*; *guesses* are languages of texts, *price* is for a million characters."""
        from svc_nb.columns.hints import noticed

        skipped, failed = _not_sent(plan, results)
        outcomes = [part.outcome for part in plan.asked if part.outcome]
        characters = plan.characters
        untranslated, lost = _untranslated(plan, guesses)
        units = (unit for result in results for unit in zip(result.options, result.parts, strict=True))
        contexts = {own.context for own, part in units if own.context and part and part.outcome is None}
        return cls(
            rows=rows,
            unique=len(plan.asked),
            stored=sum(outcome.answered for outcome in outcomes),
            skipped=dict(+skipped),
            characters=characters,
            requests=len(plan.batches),
            untranslated=untranslated,
            untranslated_characters=lost,
            undetected=undetected,
            failed=failed,
            over_budget=sum(outcome.reason == "budget" for outcome in outcomes),
            cost=None if price is None else characters / 1_000_000 * price,
            tagged=any(batch.kind.tags for batch in plan.batches),
            contexts=len(contexts),
            noticed=noticed(plan, skipped),
            title=title,
        )

    def _lines(self) -> Lines:
        counts = {
            "rows": f"{self.rows:,}",
            "different texts": f"{self.unique:,}",
            "in the store": f"{self.stored:,}",
            "rows skipped": by_reason(self.skipped),
            "characters billed": f"{self.characters:,}" + ("  (at most: tags are counted)" if self.tagged else ""),
            "requests": f"{self.requests:,}"
            + (f"  (for {self.contexts:,} different contexts)" if self.contexts > 1 else ""),
        }
        if self.untranslated:
            counts["rows WITHOUT A TRANSLATOR"] = by_reason(self.untranslated)
        if self.undetected:
            counts["languages to detect"] = f"{self.undetected:,}"
        if self.failed:
            counts["rows that cannot be sent"] = f"{self.failed:,}"
        if self.over_budget:
            counts["over the budget"] = f"{self.over_budget:,}"
        if self.cost is not None:
            counts["cost"] = f"{self.cost:,.2f}"
        return Lines(self.title, counts, self.hints)


def together(plans: Sequence[PlanSummary]) -> PlanSummary:
    """Plans for different texts as one."""
    from svc_nb.columns.hints import together as noticed_together

    sums = (
        "rows",
        "unique",
        "stored",
        "characters",
        "requests",
        "undetected",
        "failed",
        "over_budget",
        "contexts",
        "untranslated_characters",
    )
    skipped, untranslated = Counter[str](), Counter[str]()
    for plan in plans:
        skipped.update(plan.skipped)
        untranslated.update(plan.untranslated)
    costs = [plan.cost for plan in plans if plan.cost is not None]
    return replace(
        plans[0],
        **{name: sum(getattr(plan, name) for plan in plans) for name in sums},
        skipped=dict(skipped),
        untranslated=dict(untranslated),
        cost=sum(costs) if costs else None,
        tagged=any(plan.tagged for plan in plans),
        noticed=noticed_together(notice for plan in plans for notice in plan.noticed),
    )


def _not_sent(plan: Plan, results: Iterable[ColumnResult]) -> tuple[Counter[str], int]:
    """The rows that a rule skips, by reason, and the number of rows that cannot be sent."""
    skipped: Counter[str] = Counter()
    failed = 0
    for result in results:
        skipped["missing"] += result.missing
        failed += result.rows_of(unit for unit, each in result.settled.items() if each.status == FAILED)
    for part in dict.fromkeys(part for parts in plan.parts for part in parts):
        if part.outcome and part.outcome.status == SKIPPED:
            skipped[part.outcome.reason or ""] += part.rows
        elif part.outcome and part.outcome.status == FAILED:
            failed += part.rows
    for result in results:  # with nothing but protected text, or cells without texts
        for unit, each in result.settled.items():
            if each.status == SKIPPED:
                skipped[each.reason or ""] += result.rows[unit]
    return skipped, failed


def _untranslated(plan: Plan, guesses: Mapping[str, str]) -> tuple[dict[str, int], int]:
    """The rows without a translator, by language pair, and the characters billed for them."""
    rows: Counter[str] = Counter()
    characters = 0
    for part in plan.asked:
        if part.outcome and part.outcome.status in (DONE, UNSENT):
            continue
        kind = part.kind
        said = part.outcome and part.outcome.answer and part.outcome.answer.language
        source = said or kind.source_lang or guesses.get(part.text)
        if source and kind.untranslated(source):
            rows[f"{source.upper()} → {(kind.target_lang or '').upper()}"] += part.rows
            characters += 0 if part.outcome else part.characters
    return dict(rows), characters


def report_lines(report: RunReport, title: str) -> Lines:
    """What a run has done so far."""
    counts = {
        "rows": f"{report.rows:,}",
        "done": f"{report.done:,}",
        **({"NOT TRANSLATED, only marked": f"{report.marked:,}"} if report.marked else {}),
        "of these from the store": f"{report.stored:,}",
        "skipped": by_reason(report.skipped),
        "failed": f"{report.failed:,}",
        "not sent": by_reason(report.unsent),
        "different texts": f"{report.unique:,}",
        "requests": f"{report.requests:,}",
        "refused and retried": f"{report.refused:,}",
        "broken off and retried": f"{report.retried:,}",
        "characters billed": f"{report.billed:,}",
        "seconds": f"{report.wall_seconds:,.2f}",
    }
    if report.unclear:
        counts["characters possibly also billed"] = f"{report.unclear:,}"
    if report.waiting:
        counts["now"] = report.waiting
    return Lines(title, counts)


def by_reason(rows: Mapping[str, int]) -> str:
    """A count and its parts.

    >>> by_reason({"missing": 1200, "url": 3})
    '1,203  (missing 1,200, url 3)'
    """
    present = {reason: count for reason, count in rows.items() if count}
    total = f"{sum(present.values()):,}"
    parts = ", ".join(f"{reason.replace('_', ' ')} {count:,}" for reason, count in present.items())
    return f"{total}  ({parts})" if parts else total


def _number(value: str) -> str:
    return value.partition(" ")[0]
