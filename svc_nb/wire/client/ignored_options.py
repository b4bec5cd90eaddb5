"""Options that the service accepted without following them, and a single warning about each."""

import re
from collections.abc import Collection, Iterable

from svc_nb.errors import warn as warn_caller
from svc_nb.wire.transport import Reply

HEADER = "x-service-ignored-options"
OF_STYLE = "style_id."
INSTRUCTIONS_OF_STYLE = "style_id.custom_instructions"
MOST_RULES = 5
# The possible names of options; nothing else in an answer's head gets into a message.
NAME = re.compile(r"[a-z_]+(\.[a-z_]+)*")


class OptionsIgnored(UserWarning):
    """Options were accepted but had no effect, because nothing installed on the service supports them."""


class IgnoredOptions:
    """The options without effect that the service reported in the answers of one session."""

    def __init__(self) -> None:
        self._heard: set[str] = set()
        self._warned: set[str] = set()

    def hear(self, options: Iterable[str]) -> None:
        """Record the names of *options* without effect; callable from any thread."""
        self._heard.update(options)

    @property
    def heard(self) -> frozenset[str]:
        """The names of all options that had no effect so far."""
        return frozenset(self._heard)

    def warn(self) -> None:
        """Warn with OptionsIgnored about all recorded options, once each, in one line."""
        if said := self.said():
            warn_caller(OptionsIgnored(said))

    def said(self) -> str:
        """The line of the warning, "" if there is nothing new; afterwards it counts as said."""
        new = self._heard - self._warned
        self._warned |= new
        return without_effect(new) if new else ""


def ignored_in(reply: Reply) -> tuple[str, ...]:
    """The options that had no effect on *reply*, according to its head."""
    names = (name.strip() for name in reply.headers.get(HEADER, "").split(","))
    return tuple(name for name in names if NAME.fullmatch(name))


def without_effect(options: Collection[str]) -> str:
    """A line that *options* had no effect; "" if there are none. Of many style rules it names only the first few."""
    plain = sorted(name for name in options if not name.startswith(OF_STYLE))
    if INSTRUCTIONS_OF_STYLE in options:
        plain.append("the style's custom instructions")
    rules = sorted(
        name.removeprefix(OF_STYLE) for name in options if name.startswith(OF_STYLE) and name != INSTRUCTIONS_OF_STYLE
    )
    if rules:
        more = f" and {len(rules) - MOST_RULES} more" if len(rules) > MOST_RULES else ""
        plain.append(f"the style rule{'s' * (len(rules) > 1)} {', '.join(rules[:MOST_RULES])}{more}")
    if not plain:
        return ""
    return (
        f"No effect: {', '.join(plain)}. The service accepted this, but nothing installed there supports it. Leave it "
        "out, or connect to a service that can."
    )
