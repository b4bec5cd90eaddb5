"""Options that the service accepted without following them: which, and a warning of each, once."""

import re
from collections.abc import Collection, Iterable

from svc_nb.errors import warn as warn_caller
from svc_nb.wire.transport import Reply

HEADER = "x-service-ignored-options"
OF_STYLE = "style_id."
INSTRUCTIONS_OF_STYLE = "style_id.custom_instructions"
MOST_RULES = 5
# What an option can be called; nothing else of an answer's head gets into a message.
NAME = re.compile(r"[a-z_]+(\.[a-z_]+)*")


class OptionsIgnored(UserWarning):
    """Options were accepted but had no effect, because nothing that is installed on the service follows them."""


class IgnoredOptions:
    """What the service said of options without effect, in the answers of one session."""

    def __init__(self) -> None:
        self._heard: set[str] = set()
        self._warned: set[str] = set()

    def hear(self, options: Iterable[str]) -> None:
        """Take in the names of *options* without effect; from any thread."""
        self._heard.update(options)

    @property
    def heard(self) -> frozenset[str]:
        """The names of all that had no effect so far."""
        return frozenset(self._heard)

    def warn(self) -> None:
        """Warn with OptionsIgnored of all that was heard, of each option once, in one line."""
        if said := self.said():
            warn_caller(OptionsIgnored(said))

    def said(self) -> str:
        """The line that `warn` would warn with, "" if there is nothing new; it counts as said then."""
        new = self._heard - self._warned
        self._warned |= new
        return without_effect(new) if new else ""


def ignored_in(reply: Reply) -> tuple[str, ...]:
    """The options that had no effect on *reply*, as its head names them."""
    names = (name.strip() for name in reply.headers.get(HEADER, "").split(","))
    return tuple(name for name in names if NAME.fullmatch(name))


def without_effect(options: Collection[str]) -> str:
    """That *options* had no effect, in a line; "" if there are none. Of many style rules it names the first few."""
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
        f"No effect: {', '.join(plain)}. The service accepted that, but nothing installed there can do it. Leave it "
        "out, or connect to a service that can."
    )
