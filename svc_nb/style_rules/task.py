"""What a push is to reach: which list is meant, what it is to be, the steps to it, and whether they may be sent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from svc_nb.errors import InvalidRows, NotFound
from svc_nb.language_codes import normal
from svc_nb.style_rules.lint import UNKNOWN, Finding, findings, report
from svc_nb.style_rules.steps import Step, steps
from svc_nb.style_rules.style import Style, styled
from svc_nb.style_rules.tables import is_rules, quoted, rows_of
from svc_nb.sync.kinds import STYLE
from svc_nb.tabular.report import plural
from svc_nb.wire.client import Client

PARTS = ("rules", "instructions")
# What is unknown here may still be right where the service holds it already.
NOT_OURS = UNKNOWN | {"source_language"}


@dataclass(frozen=True)
class View:
    """What is wanted, what is there now, and the steps between them."""

    wanted: Style
    now: Style | None
    steps: list[Step]


class Task:
    """What a push is to reach; `look` compares it with what is there at that moment.

    `style_id` is that of the list as soon as it is known, and `sent` counts the steps that were done.
    """

    def __init__(
        self,
        client: Client,
        given: Style | pd.DataFrame,
        name: str | None,
        language: str | None,
        style_id: str | None,
        allow_unknown: bool,
    ) -> None:
        self.client = client
        self._draft = styled(given, name=name, language=language)
        self._part = None if isinstance(given, Style) else "rules" if is_rules(given) else "instructions"
        self.style_id = style_id or (given.style_id if isinstance(given, Style) else None)
        self.sent = 0
        self._allow_unknown = allow_unknown

    def look(self, *, check: bool = True) -> View:
        """Find the list and plan what is left to do; raises InvalidRows unless told not to *check*."""
        now = self._found()
        wanted = self._completed(now)
        if check:
            _refuse(wanted, now, allow_unknown=self._allow_unknown)
        return View(wanted, now, steps(wanted, now))

    def _found(self) -> Style | None:
        """The list that is meant: by its id, else by name and language."""
        if self.style_id is not None:
            return _by_id(self.client, self.style_id)
        draft = self._draft
        if draft.name is None:
            raise ValueError("expected a list to push to: give name=, or style_id= of one that is there")
        language = None if draft.language is None else normal(draft.language)
        lists = [
            (each.style_id, each.name)
            for each in self.client.style_rules.iterate()
            if language in (None, normal(each.language))
        ]
        self.style_id = STYLE.named(draft.name, lists)
        return None if self.style_id is None else _by_id(self.client, self.style_id)

    def _completed(self, now: Style | None) -> Style:
        """The draft, with what was not given taken from the list that is there."""
        draft = self._draft
        if now is None:
            if draft.language is None:
                raise ValueError(
                    f"there is no list {quoted(draft.name or '')} yet: give language= to create it"
                )
            return draft
        if draft.language is not None and normal(draft.language) != normal(now.language or ""):
            raise ValueError(
                f"the list {now.style_id} is for {now.language}, which cannot be changed to {draft.language}; make one "
                "for another language with svc_nb.style_rules.clone()"
            )
        members: dict[str, Any] = {"name": draft.name or now.name, "language": now.language}
        if self._part == "rules":
            members["instructions"] = now.instructions
        elif self._part == "instructions":
            members["rules"] = now.rules
        return draft.replace(**members)


def _by_id(client: Client, style_id: str) -> Style:
    try:
        return Style.from_noun(client.style_rules.get(style_id))
    except NotFound as problem:
        problem.add_note(
            f"There is no list {style_id} in this account. To create one, push style.replace(style_id=None)."
        )
        raise


def _refuse(wanted: Style, now: Style | None, *, allow_unknown: bool) -> None:
    """Raise InvalidRows for what the service would refuse; what it has already cannot be wrong there."""
    bad = [
        found
        for found in findings(wanted)
        if found.severity == "error" or (found.code in UNKNOWN and not allow_unknown)
    ]
    if now is not None and bad:
        has = {name: {cells[-3:] for _, cells in rows_of(getattr(now, name))} for name in PARTS}
        cells = {name: [cells[-3:] for _, cells in rows_of(getattr(wanted, name))] for name in PARTS}
        bad = [
            found
            for found in bad
            if found.code not in NOT_OURS or cells[found.table][found.place] not in has[found.table]
        ]
    if bad:
        raise invalid(bad)


def invalid(bad: list[Finding], said: str = "") -> InvalidRows:
    """The error for findings, the gravest first; *said* is what happened, unless nothing was sent."""
    bad = sorted(bad, key=lambda found: found.severity != "error")
    first = bad[0]
    where = f"{first.table}, row {first.row!r}: {first.message}"
    hint = f" (suggestion: {quoted(first.suggestion)[1:-1]})" if first.suggestion else ""
    more = f", and {plural(len(bad) - 1, 'more finding')}" if len(bad) > 1 else ""
    is_unknown = all(found.code in UNKNOWN for found in bad) and not said
    advice = "; if the service does have it, push with allow_unknown=True" if is_unknown else ""
    message = f"{said or 'Nothing was sent'}: {where}{hint}{more}{advice}. See .findings"
    return InvalidRows(message, rows=[found.row for found in bad], findings=report(bad))
