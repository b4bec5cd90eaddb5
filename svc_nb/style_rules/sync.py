"""Style rule lists on the service: list, pull, push with as few calls as possible, delete, and undo.

A push finds the list, plans its steps from the current state, checks everything, keeps a backup and only then writes.
Each write is tried once. If it is unclear whether a failed write took effect, the list is read again and the rest is
planned again, so neither a lost response nor a push that is repeated after an interruption creates anything twice.
"""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from svc_nb.advice import Option
from svc_nb.errors import BadRequest, InvalidRows, NotFound
from svc_nb.language_codes import as_bcp47, as_normal, normal
from svc_nb.style_rules.diff import ComparedInstruction, StyleDiff, diff, instructions_of, paired
from svc_nb.style_rules.files import from_json, to_json
from svc_nb.style_rules.lint import UNKNOWN, StyleFinding, report
from svc_nb.style_rules.merge import Clash, Merge, aligned
from svc_nb.style_rules.style import Content, Style, styled
from svc_nb.style_rules.table import is_rules, mapped, nouns, quoted, rows_of
from svc_nb.sync.backups import Backups
from svc_nb.sync.changes import Change, Push, send
from svc_nb.sync.resources import STYLE, Synced
from svc_nb.tabular.report import Report, plural
from svc_nb.tabular.text_column import text_array
from svc_nb.wire.client import Client
from svc_nb.wire.models import StyleRuleList

LISTED = ("style_id", "name", "language", "version", "rules", "instructions", "creation_time", "updated_time")
PARTS = ("rules", "instructions")
# Unknown rules may still be correct if the service already has them.
NOT_OURS = UNKNOWN | {"source_language"}


# ---- reading


def pull(client: Client, style_id: str) -> Style:
    """A complete list on the service, by its id or its name; rules that the catalogue does not know are kept."""
    return Style.from_noun(STYLE.get(client, style_id))


def listed(client: Client) -> Report:
    """All lists of the account, one row each, with their numbers of rules and instructions."""
    found = list(client.style_rules.iterate(detailed=True))
    rows = [
        (
            noun.style_id,
            noun.name,
            as_normal(noun.language),
            noun.version,
            sum(map(len, (noun.configured_rules or {}).values())),
            len(noun.custom_instructions or ()),
            noun.creation_time,
            noun.updated_time,
        )
        for noun in found
    ]
    frame = pd.DataFrame(rows, columns=list(LISTED), dtype=object)
    columns: dict[str, Any] = {name: text_array(frame[name].tolist()) for name in LISTED[:3]}
    columns |= {name: frame[name].astype("int64") for name in LISTED[3:6]}
    columns |= {name: frame[name].astype("datetime64[us, UTC]") for name in LISTED[6:]}
    said = f"{plural(len(found), 'style rule list')}. Next: svc_nb.style_rules.pull(style_id)"
    none = "There are no style rule lists. Next: create a Style, then svc_nb.style_rules.push() it"
    return Report(pd.DataFrame(columns), said if found else none)


# ---- changing


class ChangedMeanwhile(Exception):
    """Others have changed a list since it was pulled; `now` is its current state."""

    def __init__(self, now: Style) -> None:
        super().__init__(now.style_id)
        self.now = now


def is_other(base: Style, now: Style) -> bool:
    """Whether the list on the service differs from *base*, which was pulled before."""
    return now.style_id != base.style_id or now.version != base.version or bool(len(diff(base, now)))


def push(
    client: Client,
    style: Style | pd.DataFrame,
    *,
    name: str | None = None,
    language: str | None = None,
    style_id: str | None = None,
    dry_run: bool = False,
    allow_unknown: bool = False,
    base: Style | None = None,
    backups: Backups,
) -> Push:
    """Give the list on the service the content of *style*; see svc_nb.style_rules.push.

    With *base*, nothing is sent if the list on the service has changed since; ChangedMeanwhile has its current state.
    """
    draft = styled(style, name=name, language=language)
    known = [] if style_id or draft.style_id else list(client.style_rules.iterate())
    now = _found(client, draft, style_id or draft.style_id, known)
    if base is not None and now is not None and is_other(base, now):
        raise ChangedMeanwhile(now)
    wanted = _completed(draft, now, None if isinstance(style, Style) else style)
    _refuse(wanted, now, allow_unknown=allow_unknown)
    change = Change(STYLES, now.style_id if now else None, now, wanted)
    pushed = send(client, change, backups, known=known, dry_run=dry_run)
    if now and draft.version not in (None, now.version) and draft.style_id == now.style_id:
        since = f"version {draft.version} then, {now.version} now"
        pushed.said = f"The list was changed since it was pulled ({since}). {pushed.said}"
    if change.is_none:
        pushed.after = now
    return pushed


def _found(client: Client, draft: Style, style_id: str | None, known: Sequence[StyleRuleList]) -> Style | None:
    """The target list: by its id, otherwise by name and language."""
    if style_id is None:
        if draft.name is None:
            raise ValueError(
                f"expected a list to push to. Give {Option('name')}, or the {Option('style_id')} of an existing list"
            )
        language = None if draft.language is None else normal(draft.language)
        style_id = STYLE.named(
            draft.name, [(each.style_id, each.name) for each in known if language in (None, normal(each.language))]
        )
    if style_id is None:
        return None
    try:
        return Style.from_noun(client.style_rules.get(style_id))
    except NotFound as problem:
        problem.add_note(
            f"There is no list {style_id} in this account. To create one, push style.replace(style_id=None)."
        )
        raise


def _completed(draft: Style, now: Style | None, table: pd.DataFrame | None) -> Style:
    """The draft, completed from the existing list; for a single *table*, that includes the other table."""
    if now is None:
        if draft.language is None:
            raise ValueError(f"there is no list {quoted(draft.name or '')} yet. Give {Option('language')} to create it")
        return draft
    if draft.language is not None and normal(draft.language) != normal(now.language or ""):
        raise ValueError(
            f"the list {now.style_id} is for {now.language}, which cannot be changed to {draft.language}. Make a list "
            "for another language with svc_nb.style_rules.clone()"
        )
    members: dict[str, Any] = {"name": draft.name or now.name, "language": now.language}
    if table is not None:
        part = "instructions" if is_rules(table) else "rules"
        members[part] = getattr(now, part)
    return draft.replace(**members)


def _refuse(wanted: Style, now: Style | None, *, allow_unknown: bool) -> None:
    """Raise InvalidRows if the service would refuse something; rules that it already has cannot be wrong."""
    bad = [
        found
        for found in wanted.findings()
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


def invalid(bad: list[StyleFinding], said: str = "") -> InvalidRows:
    """The error for findings, the most severe first; *said* is what happened, unless nothing was sent."""
    bad = sorted(bad, key=lambda found: found.severity != "error")
    first = bad[0]
    where = f"{first.table}, row {first.row!r}: {first.message}"
    hint = f" (suggestion: {quoted(first.suggestion)[1:-1]})" if first.suggestion else ""
    more = f", and {plural(len(bad) - 1, 'more finding')}" if len(bad) > 1 else ""
    is_unknown = all(found.code in UNKNOWN for found in bad) and not said
    advice = f"; if the service does have it, push with {Option('allow_unknown', True)}" if is_unknown else ""
    message = f"{said or 'Nothing was sent'}: {where}{hint}{more}{advice}. See .findings"
    return InvalidRows(message, rows=[found.row for found in bad], findings=report(bad))


# ---- how a list gets from one state to another


class StyleStep(NamedTuple):
    """One call: what it does, and to what; for an instruction, its old and its new content."""

    step: str
    item: str
    detail: str = ""
    was: ComparedInstruction | None = None
    new: ComparedInstruction | None = None


class SyncedStyles(Synced[Style]):
    """How sync handles a style rule list."""

    kind = STYLE
    called = "the list"
    unit = "setting"
    repeats = False
    reads_back = True
    columns = ("step", "item", "detail")

    def backups(self, folder: str | Path, *, origin: str, process: str | None = None) -> Backups:
        """The backups, with the facts about each list."""
        return Backups(
            folder, origin=origin, room=self.kind.room, id_name=self.kind.id_name, facts=self.facts, process=process
        )

    def facts(self, wire: Any) -> dict[str, Any]:
        """The facts about a list in a backup."""
        counts = {part: len(wire[part]) for part in PARTS}
        return {"language": wire["language"], "version": wire["version"], **counts}

    def to_wire(self, state: Style) -> dict[str, Any]:
        """The complete list, as in a file."""
        return to_json(state)

    def state(self, wire: Any) -> Style:
        """The list from the result of `to_wire`."""
        return from_json(wire)

    def steps(self, now: Style | None, wanted: Style | None) -> list[StyleStep]:
        """The necessary calls, in a safe order.

        Rules come first, because they are the most likely to be refused, and then nothing has changed yet. Instructions
        are deleted before others are added, so that there are never more than the service allows, and the name is
        changed last.
        """
        if now is None or wanted is None:
            whole = wanted or now or Style()
            counts = f"{plural(len(whole.rules), 'rule')}, {plural(len(whole.instructions), 'instruction')}"
            detail = f"{whole.language or ''}: {counts}"
            return [StyleStep("delete" if wanted is None else "create", whole.name or "", detail)]
        found = []
        if mapped(now.rules) != mapped(wanted.rules):
            detail = f"{plural(len(wanted.rules), 'rule')} instead of {len(now.rules):,}"
            found.append(StyleStep("rules", "configured_rules", detail))
        before, after = instructions_of(now), instructions_of(wanted)
        pairs = list(zip(paired(before, after), after, strict=True))
        kept = {was.id for was, _ in pairs if was}
        found += [StyleStep("delete", gone.label, was=gone) for gone in before if gone.id not in kept]
        for was, new in pairs:
            if was and was.content != new.content:
                fields = ("label", "prompt", "source_language")
                detail = ", ".join(field for field in fields if getattr(was, field) != getattr(new, field))
                found.append(StyleStep("replace", new.label, detail, was, new))
        found += [StyleStep("add", new.label, new=new) for was, new in pairs if was is None]
        if wanted.name not in (None, now.name):
            found.append(StyleStep("rename", wanted.name or "", f"was {now.name}"))
        return found

    def difference(self, old: Style, new: Style) -> StyleDiff:
        """The rules and instructions that differ."""
        return diff(old, new)

    def differing(self, one: Style, other: Style) -> set[Any]:
        """The rules and instructions that differ; the order of rows does not matter."""
        found = diff(one, other)
        return set(zip(found["what"], found["item"], strict=True))

    def is_between(self, state: Style, before: Style, after: Style) -> bool:
        """Whether every part of *state* is as before or as after the change."""
        both = (before, after)
        known = {each.content for style in both for each in instructions_of(style)}
        return (
            state.name in [each.name for each in both]
            and mapped(state.rules) in [mapped(each.rules) for each in both]
            and all(each.content in known for each in instructions_of(state))
        )

    def merged(self, base: Style, mine: Style, theirs: Style) -> tuple[Style, Report]:
        """*mine* with the changes of others, and a table of the rules and instructions that both changed."""
        language = normal(theirs.language or "")
        was, count = Content.of(base), len(base.instructions) + 1
        own = aligned(Content.of(mine), was, language=language, next_number=count)
        count += len(mine.instructions)
        merge = Merge(
            was, own, aligned(Content.of(theirs), was, own, language=language, next_number=count), language=language
        )
        clashes = [clash for clash in merge.clashes if clash.place != ("name",)]

        def item(clash: Clash) -> str:
            """The rule, or the label of the instruction."""
            if clash.place[0] == "rule":
                return ".".join(clash.place[1:])
            return str(next(side[0] for side in clash[1:] if side))

        def said(side: Any) -> str | None:
            return side if side is None or isinstance(side, str) else side[1]

        sides = {name: [said(getattr(each, name)) for each in clashes] for name in ("base", "mine", "theirs")}
        columns = {name: text_array(cells) for name, cells in {"item": list(map(item, clashes)), **sides}.items()}
        return merge.content.to_style(theirs), Report(pd.DataFrame(columns))

    def read(self, client: Client, given: str) -> tuple[str, Style]:
        """A list by its id."""
        style = pull(client, given)
        return style.style_id or "", style

    def is_like(self, listed: StyleRuleList, wanted: Style) -> bool:
        """Whether the name and the language match."""
        return listed.name == wanted.name and normal(listed.language) == normal(wanted.language or "")

    def create(self, client: Client, wanted: Style) -> str:
        """Create it with a single request."""
        told = [each.__class__(each.label, each.prompt, each.source_language) for each in nouns(wanted.instructions)]
        try:
            return client.style_rules.create(
                wanted.name or "",
                as_bcp47(wanted.language or ""),
                configured_rules=mapped(wanted.rules),
                custom_instructions=told,
            ).style_id
        except BadRequest as problem:
            _locate(problem, StyleStep("create", wanted.name or ""), wanted)
            raise

    def do(self, client: Client, thing_id: str, step: StyleStep, wanted: Style) -> None:
        """Send one call."""
        was_id, new = step.was.id if step.was else None, step.new
        try:
            if step.step == "rules":
                client.style_rules.replace_rules(thing_id, mapped(wanted.rules))
            elif step.step == "rename":
                client.style_rules.rename(thing_id, step.item)
            elif new is None:
                with suppress(NotFound):  # someone else has already deleted it
                    client.style_rules.delete_instruction(thing_id, was_id or "")
            else:
                said = new.label, new.prompt
                source = as_bcp47(new.source_language or "") or None
                if was_id:
                    client.style_rules.replace_instruction(thing_id, was_id, *said, source_language=source)
                else:
                    client.style_rules.add_instruction(thing_id, *said, source_language=source)
        except BadRequest as problem:
            _locate(problem, step, wanted)
            raise

    def check(self, wanted: Style | None, known: Sequence[Any] | None = None) -> None:
        """Refuse to create a list if another has its name, because lists are found by name and language."""
        taken = next((each for each in known or () if wanted and self.is_like(each, wanted)), None)
        if wanted and taken:
            raise ValueError(
                f"there is now another list {quoted(wanted.name or '')} for {wanted.language} ({taken.style_id}), so "
                "the deleted one was not recreated. Rename that one first, then undo again"
            )

    def told(self, change: Change[Style]) -> str:
        """What happens to a list, as a participle."""
        if change.action == "change":
            return f"changed in {plural(len(change.steps), 'step')}"
        return f"{change.action}d ({change.steps[0].detail})"

    def use(self, thing_id: str) -> str:
        """How to translate with it."""
        return f".svc.translate(..., style_id={thing_id!r}) uses it"


STYLES = SyncedStyles()


def _locate(problem: BadRequest, step: StyleStep, wanted: Style) -> None:
    """Say which rows a refusal is about, if known."""
    unknown = [found for found in wanted.findings() if found.code in UNKNOWN]
    if unknown and step.step in ("create", "rules"):
        raise invalid(unknown, f"The service refused rules ({problem.detail or problem.message})") from problem
    where = f", row {step.new.row!r} of the instructions" if step.new else ""
    problem.add_note(f"The service refused to {step.step} {quoted(step.item)}{where}.")
