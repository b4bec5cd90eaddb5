"""What `%svc status` shows: the connection, what is left of the quota, the store, the translators. Never a key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from svc_nb.engine.bill import TALLY
from svc_nb.errors import ApiError, SvcError
from svc_nb.settings import DEFAULT_PROFILE
from svc_nb.tabular.report import plural
from svc_nb.wire.transport import version

if TYPE_CHECKING:
    from svc_nb.session import Session
    from svc_nb.wire.models import Usage

PERCENT = 100
FULL, NEARLY_FULL = 100.0, 90.0
# Those of the notebook's theme, or their like where there is none.
COLOURS = {
    "ok": "var(--jp-success-color1, #388e3c)",
    "warning": "var(--jp-warn-color1, #f57c00)",
    "error": "var(--jp-error-color1, #d32f2f)",
    "track": "var(--jp-border-color2, rgba(128, 128, 128, .3))",
}
# The service's way to say that there is no bound.
BOUNDLESS = 10**12


@dataclass(frozen=True)
class Status:
    """What holds now, as named lines; `used` is the share of the quota in percent, None where nobody knows.

    `problem` is why the service did not answer, else None. Texts are shown as text, never as HTML.
    """

    title: str
    lines: Mapping[str, str]
    used: float | None = None
    problem: str | None = None

    @classmethod
    def of(cls, session: Session, *, defaults: Mapping[str, object]) -> Status:
        """The status of *session*; *defaults* are the settings of the magics."""
        usage, error = _usage(session)
        lines = {
            "problem": error and str(error),
            "profile": session.settings.profile if session.settings.profile != DEFAULT_PROFILE else None,
            "quota": usage and _quota(usage),
            "key's cap": usage and _cap(usage),
            "key": _key(session),
            "this kernel": f"{plural(TALLY.characters, 'character')} billed so far",
            "store": _store(session),
            "translators": _translators(session),
            "defaults": ", ".join(f"{name} = {value!r}" for name, value in defaults.items()),
        }
        shown = {name: line for name, line in lines.items() if line}
        return cls(
            _title(session, error), shown, _share(usage) if usage else None, str(error) if error else None
        )

    def __str__(self) -> str:
        width = max(map(len, self.lines))
        return "\n".join([self.title, *(f"  {name:<{width}}  {line}" for name, line in self.lines.items())])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        bar = "" if self.used is None else _bar(self.used)
        rows = "".join(
            f"<tr><th style='text-align: left; vertical-align: top'>{escape(name)}</th>"
            f"<td style='text-align: left'>{escape(line)}{bar if name == 'quota' else ''}</td></tr>"
            for name, line in self.lines.items()
        )
        dot = COLOURS["error" if self.problem else "ok"]
        title = f"<span aria-hidden='true' style='color: {dot}'>●</span> {escape(self.title)}"
        return f"<div class='tex2jax_ignore mathjax_ignore'><p>{title}</p><table>{rows}</table></div>"


def _usage(session: Session) -> tuple[Usage | None, SvcError | None]:
    try:
        return session.client.account.usage(), None
    except SvcError as error:
        return None, error


def _title(session: Session, error: SvcError | None) -> str:
    where = f"the embedded service at {session.base_url}" if session.service else str(session.base_url)
    how = "refused by" if isinstance(error, ApiError) else "no answer from" if error else "connected with"
    return f"svc_nb {version()}: {how} {where}"


def _quota(usage: Usage) -> str:
    used = f"{usage.character_count:,}"
    if not 0 < usage.character_limit < BOUNDLESS:
        return f"{used} characters used; no limit"
    left = max(usage.character_limit - usage.character_count, 0)
    until = f" until {usage.end_time:%Y-%m-%d}" if usage.end_time else ""
    return f"{used} of {usage.character_limit:,} characters used, {left:,} left{until}"


def _cap(usage: Usage) -> str | None:
    """What the key alone may use, where that is less than the account may."""
    if usage.api_key_character_limit is None or usage.api_key_character_limit >= usage.character_limit:
        return None
    return f"{usage.api_key_character_count or 0:,} of {usage.api_key_character_limit:,} characters used"


def _share(usage: Usage) -> float | None:
    """How much of what runs out first is used, in percent."""
    pairs = [
        (usage.character_count, usage.character_limit),
        (usage.api_key_character_count or 0, usage.api_key_character_limit),
    ]
    shares = [PERCENT * used / most for used, most in pairs if most and most < BOUNDLESS]
    return min(max(shares), FULL) if shares else None


def _key(session: Session) -> str:
    if session.settings.administrator:
        return "set, also one for administration"
    return "set; none for administration (usage of all keys, caps)"


def _store(session: Session) -> str:
    try:
        info = session.store.info()
    except SvcError as error:
        return str(error)
    size = f"{info.bytes / 1e6:,.1f} MB" if info.bytes >= 1e6 else f"{info.bytes / 1e3:.0f} kB"
    return f"{plural(info.entries, 'answer')}, {size}, in {_short(info.path)}"


def _short(path: str) -> str:
    try:
        return f"~/{Path(path).relative_to(Path.home()).as_posix()}"
    except (ValueError, RuntimeError):
        return path


def _translators(session: Session) -> str | None:
    """What the embedded service translates with; another service does not tell."""
    if session.service is None:
        return None
    pairs = Counter(session.service.pairs().values())
    real = ", ".join(f"{name} for {plural(count, 'pair')}" for name, count in sorted(pairs.items()))
    return (
        f"{real}; texts of other pairs are only marked"
        if real
        else "none: texts are only marked, such as [DE] …"
    )


def _bar(used: float) -> str:
    """The share as a bar; its number is in words beside it."""
    colour = COLOURS["error" if used >= FULL else "warning" if used >= NEARLY_FULL else "ok"]
    inner = f"<div style='width: {used:.1f}%; height: 100%; background: {colour}'></div>"
    look = f"width: 16em; height: 6px; margin-top: 4px; background: {COLOURS['track']}"
    return f"<div role='img' aria-label='{used:.1f} % of the quota used' style='{look}'>{inner}</div>"
