"""The output of `%svc status`: the connection, the quota left, the store, the translators. Never a key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from svc_nb.engine.billing import PROCESS_BILLED
from svc_nb.errors import ApiError, SvcError
from svc_nb.settings import DEFAULT_PROFILE
from svc_nb.supported import pairs_of
from svc_nb.tabular.report import plural
from svc_nb.wire.models.admin import UNLIMITED
from svc_nb.wire.transport import version

if TYPE_CHECKING:
    from svc_nb.session import Session
    from svc_nb.wire.models import Usage

PERCENT = 100
FULL, NEARLY_FULL = 100.0, 90.0
# The colours of the notebook's theme, or similar ones without a theme.
COLOURS = {
    "ok": "var(--jp-success-color1, #388e3c)",
    "warning": "var(--jp-warn-color1, #f57c00)",
    "error": "var(--jp-error-color1, #d32f2f)",
    "track": "var(--jp-border-color2, rgba(128, 128, 128, .3))",
}


@dataclass(frozen=True)
class Status:
    """The status as named lines; `used` is the percentage of the quota, `problem` why the service did not answer."""

    title: str
    lines: Mapping[str, str]
    used: float | None = None
    problem: str | None = None

    @classmethod
    def of(cls, session: Session, *, defaults: Mapping[str, object]) -> Status:
        """The status of *session*; *defaults* are the settings of the magics."""
        quota: dict[str, str] = {}
        used = problem = translators = None
        how, settings = "connected with", session.settings
        try:
            quota, used = _quota(session.client.account.usage())
            if session.service is not None:  # other services do not report their translators
                translators = _translators(session)
        except SvcError as error:
            problem = str(error)
            how = "refused by" if isinstance(error, ApiError) else "no answer from"
        where = f"the embedded service at {session.base_url}" if session.service else str(session.base_url)
        admin = "set, with an administrator key"
        lines = {
            "problem": problem,
            "profile": settings.profile if settings.profile != DEFAULT_PROFILE else None,
            **quota,
            "key": admin if settings.administrator else "set, without an administrator key (for usage and caps)",
            "this kernel": f"{plural(PROCESS_BILLED.characters, 'character')} billed so far",
            "store": _store(session),
            "translators": translators,
            "defaults": ", ".join(f"{name} = {value!r}" for name, value in defaults.items()),
        }
        shown = {name: line for name, line in lines.items() if line}
        return cls(f"svc_nb {version()}: {how} {where}", shown, used, problem)

    def __str__(self) -> str:
        width = max(map(len, self.lines))
        return "\n".join([self.title, *(f"  {name:<{width}}  {line}" for name, line in self.lines.items())])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        bar = ""  # the share as a bar; the number is in the text beside it
        if self.used is not None:
            state = "error" if self.used >= FULL else "warning" if self.used >= NEARLY_FULL else "ok"
            inner = f"<div style='width: {self.used:.1f}%; height: 100%; background: {COLOURS[state]}'></div>"
            look = f"width: 16em; height: 6px; margin-top: 4px; background: {COLOURS['track']}"
            bar = f"<div role='img' aria-label='{self.used:.1f} % of the quota used' style='{look}'>{inner}</div>"
        rows = "".join(
            f"<tr><th style='text-align: left; vertical-align: top'>{escape(name)}</th>"
            f"<td style='text-align: left'>{escape(line)}{bar if name == 'quota' else ''}</td></tr>"
            for name, line in self.lines.items()
        )
        dot = COLOURS["error" if self.problem else "ok"]
        title = f"<span aria-hidden='true' style='color: {dot}'>●</span> {escape(self.title)}"
        return f"<div class='tex2jax_ignore mathjax_ignore'><p>{title}</p><table>{rows}</table></div>"


def _translators(session: Session) -> str:
    pairs = Counter(pairs_of(session)["translator"])
    real = ", ".join(f"{name} for {plural(count, 'pair')}" for name, count in sorted(pairs.items()))
    none = "none: texts are not translated, only marked, such as [DE] …"
    return f"{real}; texts of other pairs are not translated, only marked" if real else none


def _quota(usage: Usage) -> tuple[dict[str, str], float | None]:
    """What the account and the key have used, in words, and the percentage used of the limit that runs out first."""
    used, most = usage.character_count, usage.character_limit
    key_used, key_most = usage.api_key_character_count or 0, usage.api_key_character_limit
    if 0 < most < UNLIMITED:
        until = f" until {usage.end_time:%Y-%m-%d}" if usage.end_time else ""
        lines = {"quota": f"{used:,} of {plural(most, 'character')} used, {max(most - used, 0):,} left{until}"}
    else:
        lines = {"quota": f"{plural(used, 'character')} used; no limit"}
    if key_most is not None and key_most < most:
        lines["key's cap"] = f"{key_used:,} of {plural(key_most, 'character')} used"
    limits = [(used, most), (key_used, key_most)]
    shares = [PERCENT * count / limit for count, limit in limits if limit and limit < UNLIMITED]
    return lines, min(max(shares), FULL) if shares else None


def _store(session: Session) -> str:
    try:
        info = session.store.info()
    except SvcError as error:
        return str(error)
    size = f"{info.bytes / 1e6:,.1f} MB" if info.bytes >= 1e6 else f"{info.bytes / 1e3:.0f} kB"
    path = info.path
    with suppress(ValueError, RuntimeError):
        path = f"~/{Path(path).relative_to(Path.home()).as_posix()}"
    return f"{plural(info.entries, 'answer')}, {size}, in {path}"
