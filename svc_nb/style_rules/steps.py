"""What has to be sent so that a list on the service becomes another: only the calls that are needed, in a safe order.

Rules come first, because a refusal there is the likeliest and then nothing has changed yet. Instructions are deleted
before others are added, so that there are never more than the service takes, and the name is changed last.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import NamedTuple

from svc_nb.language_codes import as_bcp47
from svc_nb.style_rules.diff import Instruction, instructions_of, paired
from svc_nb.style_rules.style import Style
from svc_nb.style_rules.tables import mapped, nouns
from svc_nb.tabular.report import plural
from svc_nb.wire.client import Client


class Step(NamedTuple):
    """One call: what it does, to what, from which row of the instructions, and how it is sent."""

    step: str
    item: str
    detail: str
    send: Callable[[Client], object]
    row: Hashable = None


def steps(wanted: Style, now: Style | None) -> list[Step]:
    """The calls that make *wanted* of what is there *now*, None for nothing; none where they agree."""
    if now is None or now.style_id is None:
        return [_create(wanted)]
    style_id = now.style_id
    return [
        *_rules(wanted, now, style_id),
        *_instructions(wanted, now, style_id),
        *_rename(wanted, now, style_id),
    ]


def deletion(style: Style) -> Step:
    """The call that deletes a list."""
    style_id = style.style_id or ""
    return Step(
        "delete", style.name or "", _counts(style), lambda client: client.style_rules.delete(style_id)
    )


def _counts(style: Style) -> str:
    counts = f"{plural(len(style.rules), 'rule')}, {plural(len(style.instructions), 'instruction')}"
    return f"{style.language or ''}: {counts}"


def _create(wanted: Style) -> Step:
    name, language = wanted.name or "", as_bcp47(wanted.language or "")

    def send(client: Client) -> object:
        return client.style_rules.create(
            name,
            language,
            configured_rules=mapped(wanted.rules),
            custom_instructions=[
                each.__class__(each.label, each.prompt, each.source_language)
                for each in nouns(wanted.instructions)
            ],
        )

    return Step("create", name, _counts(wanted), send)


def _rules(wanted: Style, now: Style, style_id: str) -> Iterator[Step]:
    before, after = mapped(now.rules), mapped(wanted.rules)
    if before != after:
        detail = f"{plural(len(wanted.rules), 'rule')} in place of {len(now.rules):,}"
        yield Step(
            "rules",
            "configured_rules",
            detail,
            lambda client: client.style_rules.replace_rules(style_id, after),
        )


def _instructions(wanted: Style, now: Style, style_id: str) -> Iterator[Step]:
    before, after = instructions_of(now), instructions_of(wanted)
    pairs = list(zip(paired(before, after), after, strict=True))
    kept = {was.id for was, _ in pairs if was}
    yield from (_delete(each, style_id) for each in before if each.id not in kept)
    yield from (_replace(was, each, style_id) for was, each in pairs if was and was.content != each.content)
    yield from (_add(each, style_id) for was, each in pairs if was is None)


def _delete(gone: Instruction, style_id: str) -> Step:
    id_ = gone.id or ""
    return Step("delete", gone.label, "", lambda client: client.style_rules.delete_instruction(style_id, id_))


def _replace(was: Instruction, now: Instruction, style_id: str) -> Step:
    fields = ("label", "prompt", "source_language")
    detail = ", ".join(field for field in fields if getattr(was, field) != getattr(now, field))
    return Step(
        "replace",
        now.label,
        detail,
        lambda client: client.style_rules.replace_instruction(
            style_id,
            was.id or "",
            now.label,
            now.prompt,
            source_language=as_bcp47(now.source_language or "") or None,
        ),
        now.row,
    )


def _add(new: Instruction, style_id: str) -> Step:
    return Step(
        "add",
        new.label,
        "",
        lambda client: client.style_rules.add_instruction(
            style_id, new.label, new.prompt, source_language=as_bcp47(new.source_language or "") or None
        ),
        new.row,
    )


def _rename(wanted: Style, now: Style, style_id: str) -> Iterator[Step]:
    name = wanted.name
    if name is not None and name != now.name:
        yield Step(
            "rename", name, f"was {now.name}", lambda client: client.style_rules.rename(style_id, name)
        )
