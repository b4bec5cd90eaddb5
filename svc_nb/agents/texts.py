"""Texts and rows of tables that an agent gives: detected, planned, and translated within a budget."""

import threading
from dataclasses import asdict
from typing import Annotated, Any, Literal, cast

import pandas as pd
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from svc_nb.advice import plural
from svc_nb.agents.threads import in_thread, over
from svc_nb.columns import detection, translation
from svc_nb.columns.job import TextJob
from svc_nb.columns.options import Fields
from svc_nb.columns.summary import by_reason
from svc_nb.engine.outcome import ANSWERED
from svc_nb.tabular.records import records

MOST_ROWS = 500
MOST_CHARACTERS = 100_000

Row = str | None | dict[str, str | int | float | bool | None]
Rows = Annotated[
    list[Row],
    Field(
        min_length=1,
        max_length=MOST_ROWS,
        description=f"Texts, or rows of a table as objects: at most {MOST_ROWS}, with {MOST_CHARACTERS:,} characters "
        "in all. null is a gap and stays one.",
    ),
]
Columns = Annotated[
    list[str] | None, Field(description="Where rows are objects: the names of the columns that hold the texts.")
]
Target = Annotated[str, Field(description='The language to translate into, such as "DE" or "EN-US".')]
Source = Annotated[
    str,
    Field(
        description="The language of the texts, or where rows are objects the name of a column that has it. "
        "If empty, it is detected."
    ),
]
Glossary = Annotated[str, Field(description="A glossary of the service, by its name or id.")]
Style = Annotated[str, Field(description="A style rule list of the service, by its name or id.")]
Formality = Annotated[
    Literal["", "default", "more", "less", "prefer_more", "prefer_less"],
    Field(description="How formal the translation is; some languages have no formality."),
]
About = Annotated[
    str,
    Field(
        description="What the texts are about, which is neither translated nor billed; where rows are objects, it may "
        "be the name of a column."
    ),
]
Protect = Annotated[
    list[str] | None,
    Field(
        description='What must come out unchanged: kinds ("placeholders", "tags", "urls", "emails", "paths", "code", '
        '"all", "personal"), and names.'
    ),
]


class Allowance:
    """The characters that the calls of one server may cost together; None is no limit."""

    def __init__(self, characters: int | None) -> None:
        self._left = characters
        self._lock = threading.Lock()

    def take(self, budget: int) -> None:
        """Set *budget* aside; ToolError where less is left."""
        with self._lock:
            if self._left is None:
                return
            if budget > self._left:
                raise ToolError(
                    f"budget: the person allowed this server {plural(self._left, 'more character')}, found {budget:,}. "
                    "Give a smaller budget, or ask the person to start it with a larger --budget"
                )
            self._left -= budget

    def give_back(self, characters: int) -> None:
        """Release what was reserved and not spent."""
        with self._lock:
            if self._left is not None:
                self._left += characters


allowance = Allowance(None)


async def detect(rows: Rows, call: Context[Any, Any], columns: Columns = None) -> dict[str, Any]:
    """Detect the language of each text. It costs nothing.

    Each row has the code of its `language`, how sure that is (`confidence`, 0 to 1) and the `best_guess` where it is
    not sure enough; `status` and `reason` say the outcome of it.
    """
    job = await in_thread(detection, *_taken(rows, columns), False, {})
    await _followed(job, call)
    return _told(job)


async def plan(
    rows: Rows,
    target_lang: Target,
    columns: Columns = None,
    source_lang: Source = "",
    glossary: Glossary = "",
    style: Style = "",
    formality: Formality = "",
    context: About = "",
    protect: Protect = None,
    price: Annotated[float | None, Field(ge=0, description="What a million characters cost, to see the cost.")] = None,
) -> dict[str, Any]:
    """Say what a translation would bill, without paying: `characters` is the budget that it needs.

    `unique` counts different texts, of which `stored` are answered already and cost nothing; `skipped` rows are not
    sent, by reason. `untranslated` rows have no translator: they would only be marked, NOT TRANSLATED, and are billed.
    """
    texts = {
        "source_lang": source_lang,
        "glossary": glossary,
        "style": style,
        "formality": formality,
        "context": context,
    }
    job = await in_thread(_translation, *_taken(rows, columns), target_lang, texts, protect)
    summary = await in_thread(job.plan, price=price)
    hidden = ("title", "noticed", "tagged", "contexts")
    facts = {name: value for name, value in asdict(summary).items() if name not in hidden}
    return {**facts, "hints": list(summary.hints)}


async def translate(
    rows: Rows,
    target_lang: Target,
    call: Context[Any, Any],
    budget: Annotated[
        int | None,
        Field(ge=0, strict=True, description="The most characters to bill: a hard stop. Without it nothing is sent."),
    ] = None,
    columns: Columns = None,
    source_lang: Source = "",
    glossary: Glossary = "",
    style: Style = "",
    formality: Formality = "",
    context: About = "",
    protect: Protect = None,
) -> dict[str, Any]:
    """Translate texts or columns of rows. It costs characters: call `plan` first, and give a budget that is agreed.

    The answer has a row for each text, in order, with its number from 0. Its `status` is "done"; "marked", which means
    NOT TRANSLATED, the text was only marked with the language; "skipped" (`text` is as it was, `reason` says why);
    "failed"; or "unsent", such as over the budget. Only texts with the status "done" are translations. Answers are kept
    on the person's machine: the same text with the same options is not billed again.
    """
    texts = {
        "source_lang": source_lang,
        "glossary": glossary,
        "style": style,
        "formality": formality,
        "context": context,
    }
    job = await in_thread(_translation, *_taken(rows, columns), target_lang, texts, protect, budget)
    if budget is None:
        summary = await in_thread(job.plan)
        cost, lacking = plural(summary.characters, "character"), by_reason(summary.untranslated)
        marked = f" NOT TRANSLATED, only marked, would be rows: {lacking}." if summary.untranslated else ""
        raise ToolError(
            f"Nothing was sent: translate needs a budget. This would bill at most {cost}.{marked} If the person agrees "
            f"to that, call it again with budget={summary.characters}"
        )
    allowance.take(budget)
    try:
        await _followed(job, call)
    finally:
        if job.done():
            allowance.give_back(budget - job.progress.billed - job.progress.unclear)
    return _told(job)


def _taken(rows: list[Row], columns: list[str] | None) -> tuple[Any, list[str] | None]:
    """The rows as a column, or as a table and the names of its columns; ToolError for rows that are neither."""
    objects = [row for row in rows if isinstance(row, dict)]
    if columns is None and objects:
        raise ToolError("columns: expected the names of the columns that hold the texts, because rows are objects")
    if columns is not None and (not columns or len(objects) < len(rows)):
        raise ToolError("columns: expected only where all rows are objects, with at least one name; else leave it out")
    cells = [cell for row in rows for cell in (row.values() if isinstance(row, dict) else [row])]
    characters = sum(len(cell) for cell in cells if isinstance(cell, str))
    if characters > MOST_CHARACTERS:
        raise ToolError(
            f"rows: expected at most {MOST_CHARACTERS:,} characters in one call, found {characters:,}. Send fewer rows"
        )
    if columns is None:
        return pd.Series(rows, dtype=object), None
    return pd.DataFrame(objects, dtype=object), columns


def _translation(
    table: Any,
    columns: list[str] | None,
    target_lang: str,
    texts: dict[str, str],
    protect: list[str] | None,
    budget: int | None = None,
) -> TextJob:
    """The job, with those options in *texts* that are not empty; the service is asked for what they name."""
    fields = cast("Fields", {name: value for name, value in texts.items() if value})
    if protect is not None:
        fields["protect"] = protect[0] if len(protect) == 1 else protect
    return translation(table, columns, target_lang, False, {**fields, "budget": budget})


async def _followed(job: TextJob, call: Context[Any, Any]) -> None:
    """Run *job* to its end and report how far it is; if the call is cancelled, it ends, and keeps what it paid for."""
    told = 0

    async def tell() -> None:
        nonlocal told
        report = job.progress
        if report.finished > told:
            told = report.finished
            await call.report_progress(told, report.rows, f"{plural(report.billed, 'character')} billed")

    await over(job, tell)
    job.check()
    report = job.progress
    if report.error and not report.answered:
        raise report.error


def _told(job: TextJob) -> dict[str, Any]:
    """The outcome of every row and of all together; warnings become notes."""
    table = job.table().reset_index(names="row")
    table["trace_id"] = table["trace_id"].where(~table["status"].isin(ANSWERED))  # of use where something went wrong
    job.warn()
    return {
        "rows": [
            {name: value for name, value in row.items() if value is not None and value is not False}
            for row in records(table)
        ],
        "counts": {str(status): int(count) for status, count in table["status"].value_counts(sort=False).items()},
        "billed_characters": job.progress.billed,
        **({"characters_perhaps_billed_besides": job.progress.unclear} if job.progress.unclear else {}),
    }
