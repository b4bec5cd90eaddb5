"""Translate, detect, rephrase and correct columns: what is particular to each operation."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from svc_nb.columns import lanes
from svc_nb.columns.block import OPEN, Block, Field, RowOptions
from svc_nb.columns.changes import Changes, compared
from svc_nb.columns.desk import Desk
from svc_nb.columns.job import TextJob, Watch, answered_language, kept
from svc_nb.columns.manner import Manner
from svc_nb.columns.protection import Protection
from svc_nb.columns.sheet import DETECT, Sheet, named
from svc_nb.columns.terms import Glossaries, Glossary, TermTable, given_glossaries
from svc_nb.engine.accounting import Budget
from svc_nb.engine.billing import Bill, Unlogged
from svc_nb.engine.job import Control
from svc_nb.engine.outcome import FAILED, UNSENT, Outcome, RunReport
from svc_nb.engine.plan import Part, Plan, RequestKind, TextGroup
from svc_nb.engine.skip_rules import SAME_LANGUAGE
from svc_nb.engine.store import StoredAnswer
from svc_nb.errors import Forbidden, NotFound, SvcError
from svc_nb.language_codes import normal
from svc_nb.marked import warn_of_marks
from svc_nb.sync.kinds import STYLE
from svc_nb.tabular.column import Column
from svc_nb.wire import languages
from svc_nb.wire.client import Client
from svc_nb.wire.client.text import MECHANICAL, NO_OPTIONS
from svc_nb.wire.models import TranslateOptions

MIN_CONFIDENCE = "min_confidence"
UNSUPPORTED = "unsupported_language"
LANGUAGE_UNKNOWN = "language_unknown"
GLOSSARY_LACKS_PAIR = "glossary_lacks_pair"


class Translation(TextJob):
    """Columns into one or several languages.

    *source_lang* is a language, a column of the frame, one for each row, or "detect": texts are grouped by language and
    those that are in the target language already are not sent. None means "detect" too, except where the rule
    "same_language" is switched off: then the service finds out the language. With a glossary it must be known; texts
    whose language is unknown or has no dictionary are sent without the glossary and say so as their reason.
    *context* is a text, a column of the frame or one text per row; texts with the same context travel together.
    *glossary* is a name, an id or a table of terms, or a list of them; a table is on the service only while texts are
    sent with it. *style* is the name or the id of a style rule list.
    *protect* names what must come out as it is; see `Protection`.
    """

    stage = "translating"

    def __init__(
        self,
        desk: Desk,
        sheet: Sheet,
        target_lang: str | Sequence[str],
        *,
        manner: Manner,
        source_lang: Any = None,
        context: Any = None,
        glossary: Any = None,
        style: str | None = None,
        options: TranslateOptions = NO_OPTIONS,
        reporting_tag: str | None = None,
        protect: Any = None,
        watch: Watch = TextJob.wait,
    ) -> None:
        self._target_langs = target_codes(target_lang, desk.client)
        self._alone = isinstance(target_lang, str)
        self._given_lang = source_lang
        self._source_lang = sheet.languages(source_lang, desk.client, coerce=manner.coerce)
        self._given_context = context
        self._context = sheet.contexts(context)
        _refuse_both(glossary=glossary, glossary_id=options.glossary_id, glossary_ids=options.glossary_ids)
        _refuse_both(style=style, style_id=options.style_id)
        self._given_glossaries = () if glossary is None else given_glossaries(glossary)
        self._given_style = style
        if style is not None and (not isinstance(style, str) or not style.strip()):
            found = "an empty text" if isinstance(style, str) else type(style).__name__
            raise TypeError(f"style: expected the name or id of a style rule list, found {found}")
        self._options = options
        self._reporting_tag = reporting_tag
        self._protection = Protection.of(protect, tag_handling=options.tag_handling)
        self._lane_of: dict[tuple[str, RowOptions], RequestKind] = {}
        self._tables_of: dict[RequestKind, list[TermTable]] = {}
        self._found: dict[str, str | None] = {}
        self._looked_at: Sequence[Part] = ()
        super().__init__(desk, sheet, manner, watch)

    def warn(self) -> None:
        """Warn with Unfinished when rows were not sent, and with MarkedOnly when texts were only marked."""
        super().warn()
        warn_of_marks(self.marked, f"{self._report.marked:,} of {self._report.rows:,} rows")

    @property
    def marked(self) -> set[tuple[str, str]]:
        """The languages, from and into, between which texts were only marked so far, for want of a translator."""
        return {
            (answer.language or "", block.target_lang or "")
            for block in self._blocks
            for answer in block.answers()
            if answer.marked
        }

    def entries(self) -> list[StoredAnswer]:
        """What was answered so far, as a store keeps it, also which languages texts are in."""
        return [*super().entries(), *kept(self._looked_at)]

    def over(self, sheet: Sheet, *, budget: int | None) -> Translation:
        """The same job for another *sheet*; its glossaries and its style are not looked up again."""
        other = self._made(sheet, replace(self.manner, budget=budget))
        for looked_up in ("_glossaries", "_style", "_translators"):
            other.__dict__[looked_up] = getattr(self, looked_up)
        return other

    def _made(self, sheet: Sheet, manner: Manner) -> Translation:
        return Translation(
            self.desk,
            sheet,
            self._target_langs[0] if self._alone else self._target_langs,
            manner=manner,
            source_lang=self._given_lang,
            context=self._given_context,
            glossary=self._given_glossaries or None,
            style=self._given_style,
            options=self._options,
            reporting_tag=self._reporting_tag,
            protect=self._protection,
            watch=self.watch,
        )

    def _targets(self) -> Sequence[str | None]:
        return self._target_langs

    def _title(self, what: str) -> str:
        return f"{what}: translate into {', '.join(self._target_langs)}"

    def _tag(self) -> str | None:
        own = self.desk.client.transport.settings.reporting_tag
        return own if self._reporting_tag is None else self._reporting_tag

    def _fields(self) -> Mapping[str, Field]:
        return {**super()._fields(), "translator": _translator}

    def _name(self, block: Block) -> Hashable:
        target = block.target_lang or ""
        return named(block.column.name, target) if self.sheet.is_frame else target

    def _marks(self, block: Block) -> Mapping[str, Hashable]:
        return {"target_lang": block.target_lang, **(super()._marks(block) if self.sheet.is_frame else {})}

    def _block(self, column: Column, target_lang: str | None) -> Block:
        found_out = isinstance(self._source_lang, str) and self._source_lang == DETECT
        source_lang = None if found_out else self._source_lang
        options = {"source_lang": source_lang, "context": self._context}
        return Block(column, target_lang, options, self._protection)

    # ---- lanes

    def _plan(self, control: Control | None) -> Plan:
        _ = self._glossaries, self._style  # whether they are there is known before a text is sent
        if self._detects:
            self._detect(control)
        return super()._plan(control)

    def _lanes(self, block: Block) -> Sequence[RequestKind]:
        target = block.target_lang or ""
        if self._detects:
            block.options = [
                own if own.source_lang else own._replace(source_lang=self._found.get(text or ""))
                for own, text in zip(block.options, block.wordings, strict=True)
            ]
        lane_of = {own: self._lane(target, own) for own in {*block.options}}
        return [lane_of[own] for own in block.options]

    def _lane(self, target: str, own: RowOptions) -> RequestKind:
        """The lane into a target with the options of some rows; all columns share it, and so their requests."""
        if (target, own) not in self._lane_of:
            self._lane_of[target, own] = self._bound(target, own)
        return self._lane_of[target, own]

    def _bound(self, target: str, own: RowOptions) -> RequestKind:
        """A lane with those of the glossaries that serve it."""
        style_id, style_version = self._style
        options = replace(
            self._options, **own._asdict(), style_id=style_id, glossary_id=None, glossary_ids=None
        )
        rest: dict[str, Any] = {
            "reporting_tag": self._reporting_tag,
            "style_version": style_version,
            "untranslated": lambda source: self._lacks(source, target),
        }
        if not self._has_glossaries:
            return lanes.translation(self.desk, target, options, **rest)
        language = own.source_lang
        serving = self._serving(target, language)
        if language is None or not serving:
            note = GLOSSARY_LACKS_PAIR if language else LANGUAGE_UNKNOWN
            return lanes.translation(self.desk, target, options, note=note, **rest)
        terms = self._glossaries.terms(language, target)
        lane = lanes.translation(self.desk, target, options, glossaries=serving, terms=terms, **rest)
        self._tables_of[lane] = [each for each in serving if isinstance(each, TermTable)]
        return lane

    def _lacks(self, source: str | None, target: str) -> bool:
        """Whether the service says that it has no translator from *source* into *target*.

        A text that is in the target language already needs none; Chinese may be written in the other script.
        """
        known = self._translators.get(target.lower())
        base, own = ((code or "").lower().partition("-")[0] for code in (source, target))
        needs_none = base == own and base != "zh"
        return known is not None and bool(base) and base not in known and not needs_none

    @cached_property
    def _translators(self) -> Mapping[str, Collection[str]]:
        """The languages from which the service translates into each other one; empty where it does not say.

        Only the embedded service says so, and only that one marks what it cannot translate: no other is asked.
        """
        client = self.desk.client
        if not client.transport.settings.is_loopback:
            return {}
        try:
            listed = client.languages.support("translate_text", include=("beta",), tries=1)
        except SvcError:
            return {}
        return {
            each.lang.lower(): {source.lower() for source in each.translators}
            for each in listed
            if each.translators is not None
        }

    def _serving(self, target: str, language: str | None) -> Sequence[Glossary]:
        """The glossaries to use; where one language was named for all, the service says what it thinks of the rest."""
        if language is None or (isinstance(self._source_lang, str) and not self._detects):
            return self._glossaries.all
        return self._glossaries.serving(language, target)

    @property
    def _has_glossaries(self) -> bool:
        return bool(self._given_glossaries or self._options.glossary_id or self._options.glossary_ids)

    @cached_property
    def _glossaries(self) -> Glossaries:
        client, options = self.desk.client, self._options
        if self._given_glossaries:
            return Glossaries.of(client, self._given_glossaries)
        return Glossaries.by_id(client, options.glossary_ids or filter(None, [options.glossary_id]))

    @cached_property
    def _style(self) -> tuple[str | None, int | None]:
        """The id of the style rule list, and its version."""
        client, given = self.desk.client, self._given_style
        style_id = self._options.style_id if given is None else STYLE.id_of(given, client)
        return style_id, client.style_rules.get(style_id).version if style_id else None

    def _run(
        self, plan: Plan, budget: Budget, report: RunReport, control: Control, bill: Bill | None = None
    ) -> None:
        for lane in {batch.kind for batch in plan.batches}:
            for table in self._tables_of.get(lane, ()):
                table.put()
        super()._run(plan, budget, report, control, bill)

    def _carry_out(self, control: Control, report: RunReport) -> None:
        try:
            super()._carry_out(control, report)
        finally:
            for table in {table for tables in self._tables_of.values() for table in tables}:
                table.remove()

    # ---- languages

    @property
    def _detects(self) -> bool:
        """Whether languages that nobody named are found out before texts are sent."""
        if isinstance(self._source_lang, str):
            return self._source_lang == DETECT
        return self._has_glossaries or SAME_LANGUAGE in self.manner.skip

    def _detect(self, control: Control | None) -> None:
        """Find out the languages that nobody named, as far as the store knows them or, with *control*, by asking.

        A service on this machine is asked in any case: nothing leaves it, and nothing is paid.
        """
        unnamed = [
            (block, unit, text)
            for block in self._blocks
            for unit, (own, text) in enumerate(zip(block.options, block.wordings, strict=True))
            if text and not own.source_lang
        ]
        texts = list(dict.fromkeys(text for _, _, text in unnamed))
        # They stand in no row, so that what is counted is only what is translated.
        ask = TextGroup(lanes.detection(self.desk), [_head(text.strip()) for text in texts], [0] * len(texts))
        plan = Plan([ask], store=self.desk.store, rules=self.manner.skip)
        report = self._report if control else RunReport()
        if self.manner.budget != 0 and (control or self.desk.client.transport.settings.is_loopback):
            report.stage = "detecting"
            super()._run(plan, Budget(), report, control or Control(), Unlogged())
        self._looked_at = plan.parts[0]
        found = {text: part.outcome or OPEN for text, part in zip(texts, self._looked_at, strict=True)}
        if control is None:
            failed = (FAILED, UNSENT)
            found = {text: OPEN if each.status in failed else each for text, each in found.items()}
        elif not isinstance(self._source_lang, str) and not self._has_glossaries:
            # Nobody asked for it: what fails is sent without.
            found = {text: OPEN if outcome.status == FAILED else outcome for text, outcome in found.items()}
            if isinstance(report.error, Forbidden | NotFound):
                report.error = report.stopped = None
                found = dict.fromkeys(found, OPEN)
        self._undetected = sum(outcome is OPEN for outcome in found.values())
        self._found = {text: answered_language(outcome, text) for text, outcome in found.items()}
        for block, unit, text in unnamed:
            if found[text].status in (FAILED, UNSENT) or self._report.error:
                block.settle({unit: self._undone(found[text])})

    def _guesses(self) -> Mapping[str, str]:
        answers = {part.text: part.outcome.answer for part in self._looked_at if part.outcome}
        return {
            text: answer.best_guess
            for text, answer in answers.items()
            if answer and answer.detection_status == UNSUPPORTED and answer.best_guess
        }

    def _undone(self, outcome: Outcome) -> Outcome:
        """What comes of a text whose language could not be found out, or that the end of the run kept from it."""
        error = self._report.error
        if outcome.status == FAILED or not isinstance(error, SvcError):
            return outcome
        return Outcome.of_error(UNSENT, error, self._report.stopped)


class Detection(TextJob):
    """The language of every text; a gap where none was detected, or not with *min_confidence*."""

    stage = "detecting"

    def __init__(
        self,
        desk: Desk,
        sheet: Sheet,
        manner: Manner,
        watch: Watch = TextJob.wait,
        *,
        min_confidence: float | None = None,
    ) -> None:
        if min_confidence is not None and (
            isinstance(min_confidence, bool) or not isinstance(min_confidence, Real)
        ):
            raise TypeError(f"min_confidence: expected a number from 0 to 1, found {min_confidence!r}")
        if min_confidence is not None and not 0 <= min_confidence <= 1:
            raise ValueError(f"min_confidence: expected a number from 0 to 1, found {min_confidence!r}")
        self._min_confidence = min_confidence
        super().__init__(desk, sheet, manner, watch)

    def _made(self, sheet: Sheet, manner: Manner) -> Detection:
        return Detection(self.desk, sheet, manner, self.watch, min_confidence=self._min_confidence)

    def _title(self, what: str) -> str:
        return f"{what}: detect languages"

    def _block(self, column: Column, target_lang: str | None) -> Block:
        block = Block(column)
        block.texts = [None if text is None else _head(text.strip()) for text in block.texts]
        return block

    def _lanes(self, block: Block) -> Sequence[RequestKind]:
        return [self._lane] * len(block.texts)

    @cached_property
    def _lane(self) -> RequestKind:
        return lanes.detection(self.desk)

    def _value(self, outcome: Outcome, text: str | None) -> str | None:
        return None if self._too_low(outcome) else answered_language(outcome, text)

    def _fields(self) -> Mapping[str, Field]:
        told = ("confidence", "best_guess", "second_guess", "second_confidence", "script")
        return {
            "language": self._value,
            "detection_status": self._detection_status,
            **{name: partial(_answered, name) for name in told},
        }

    def _block_table(self, block: Block, counted: set[Part]) -> pd.DataFrame:
        table = super()._block_table(block, counted)
        low = np.array([self._too_low(outcome) for outcome in block.outcomes()])[block.codes]
        table.loc[low, "reason"] = MIN_CONFIDENCE
        return table

    def _detection_status(self, outcome: Outcome, text: str | None) -> str | None:
        if self._too_low(outcome):
            return "insufficient_confidence"
        return outcome.answer.detection_status if outcome.answer else None

    def _too_low(self, outcome: Outcome) -> bool:
        """Whether a language was found, but not with the confidence that is asked for, or with one not told."""
        if self._min_confidence is None or outcome.answer is None or outcome.answer.language is None:
            return False
        return outcome.answer.confidence is None or outcome.answer.confidence < self._min_confidence


class Improvement(TextJob):
    """Texts rephrased or corrected, in their own language; *styles* are the operation's options.

    Of writing_style and tone there can be one.
    """

    def __init__(
        self,
        desk: Desk,
        sheet: Sheet,
        operation: str,
        *,
        styles: Mapping[str, str | None],
        manner: Manner,
        reporting_tag: str | None = None,
        watch: Watch = TextJob.wait,
    ) -> None:
        _check_styles(styles)
        self._operation = operation
        self._styles = dict(styles)
        self._reporting_tag = reporting_tag
        if target_lang := styles.get("target_lang"):
            self._styles["target_lang"] = languages.target(target_lang, desk.client)
        self.stage = {"rephrase": "rephrasing", "correct": "correcting"}[operation]
        super().__init__(desk, sheet, manner, watch)

    def changes(self) -> Changes:
        """What was changed so far, word by word: the rows that changed, with the text before and after."""
        self._await_columns()
        return compared(
            (
                block.column.name if self.sheet.is_frame else None,
                block.column.labels,
                [block.column.texts[code] if code >= 0 else None for code in block.column.codes],
                block.filled(self._value).tolist(),
            )
            for block in self._blocks
        )

    def warn(self) -> None:
        """Warn with Unfinished when rows were not sent, and with TidiedOnly when less was done than was asked for."""
        super().warn()
        answers = (answer for block in self._blocks for answer in block.answers())
        tidied = {answer.language or "" for answer in answers if answer.model == MECHANICAL}
        self.desk.client.text.warn_of_tidying(self._operation, tidied)

    def _made(self, sheet: Sheet, manner: Manner) -> Improvement:
        return Improvement(
            self.desk,
            sheet,
            self._operation,
            styles=self._styles,
            manner=manner,
            reporting_tag=self._reporting_tag,
            watch=self.watch,
        )

    def _title(self, what: str) -> str:
        return f"{what}: {self._operation}"

    def _tag(self) -> str | None:
        own = self.desk.client.transport.settings.reporting_tag
        return own if self._reporting_tag is None else self._reporting_tag

    def _lanes(self, block: Block) -> Sequence[RequestKind]:
        return [self._lane] * len(block.texts)

    @cached_property
    def _lane(self) -> RequestKind:
        return lanes.improvement(self.desk, self._operation, self._styles, reporting_tag=self._reporting_tag)


def _translator(outcome: Outcome, text: str | None) -> str | None:
    return outcome.answer.model if outcome.answer else None


def _answered(name: str, outcome: Outcome, text: str | None) -> Any:
    value = getattr(outcome.answer, name) if outcome.answer else None
    return normal(value) if value and name.endswith("_guess") else value


def _check_styles(styles: Mapping[str, str | None]) -> None:
    for name, value in styles.items():
        if value is not None and not isinstance(value, str):
            raise TypeError(f"{name}: expected a string, found {type(value).__name__}")
    given = [name for name in ("writing_style", "tone") if styles.get(name) not in (None, "default")]
    if len(given) > 1:
        raise ValueError("writing_style and tone: the service takes one of them at a time, both were given")


def _refuse_both(**given: object) -> None:
    """Raise ValueError where more than one of these is given."""
    names = [name for name, value in given.items() if value is not None]
    if len(names) > 1:
        raise ValueError(f"{' and '.join(names)} exclude each other: give one of them")


def target_codes(target_lang: str | Sequence[str] | None, client: Client | None = None) -> tuple[str, ...]:
    """The codes of the languages to translate into, one or several; raises TypeError or ValueError where one is none.

    *client* is asked about those that not every service has; see `languages.target`.
    """
    alone = isinstance(target_lang, str) or not isinstance(target_lang, Iterable)
    codes: tuple[Any, ...] = (target_lang,) if alone else tuple(target_lang or ())
    if not codes or not all(isinstance(code, str) and code for code in codes):
        raise TypeError(
            f'target_lang: expected a language such as "EN-US", or a list of them, found {target_lang!r}'
        )
    meant = tuple(languages.target(code, client) for code in codes)
    if twice := [code for code in meant if meant.count(code) > 1]:
        raise ValueError(f"target_lang: duplicate language {twice[0]!r}. Name each language once.")
    return meant


def _head(text: str) -> str:
    return text[: lanes.MOST_CHARACTERS_TO_DETECT]
