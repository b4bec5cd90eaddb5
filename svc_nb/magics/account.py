"""`%svc connect`, `%svc status` and `%svc usage`: the connection, and what it has cost."""

from __future__ import annotations

import re
from typing import Any

from IPython.core.error import StdinNotImplementedError, UsageError

from svc_nb.magics.call import Call, Command
from svc_nb.magics.options import Options, add_result_options, one_of

GROUPS = ("key_and_day", "key", "tag_and_day", "tag", "none")
PLOTS = ("by_day", "by_key", "by_product", "heat_map", "share", "tags")
DAY = re.compile(r"\d{4}-\d{2}-\d{2}\S*")
# A key on the line stands in the history by now, so it is not shown once more.
NO_KEY = (
    "%svc connect takes no key, since the line is kept in the history and in the notebook; one that you wrote there "
    "should be replaced. Write %svc connect --ask or --profile NAME, or set SVC_API_KEY or the keyring "
    "(docs/settings.md)"
)
NOBODY = "nobody can type a key here: set SVC_API_KEY, a profile, or the keyring (docs/settings.md)"


def connect(call: Call) -> Any:
    """Connect, and show the status."""
    from svc_nb import session

    options = call.options
    given = {"base_url": options.base_url} if options.base_url else {}
    key = _asked() if options.ask else None
    profile = options.profile or call.defaults.profile or None
    session.connect(key, profile=profile, sample=options.sample, **given)
    return status(call)


def status(call: Call) -> Any:
    """The connection, the quota, the store and the translators."""
    from svc_nb.magics.status import Status
    from svc_nb.session import current

    return Status.of(current(), defaults=call.defaults.set_by_hand)


def usage(call: Call) -> Any:
    """What was used, as a table, a chart or a panel."""
    from svc_nb import panels
    from svc_nb.usage import usage

    (start, end), plot = _days(call.title), call.options.plot
    group = call.options.by or ("tag_and_day" if plot == "tags" else "key_and_day")

    def work() -> Any:
        if call.options.panel:
            return panels.Usage(start or "30 days", end)
        chosen = None if group == "none" else group
        table: Any = usage(start, end, group_by=chosen, fill=call.options.fill)
        return table.svc.plot(plot) if plot else table

    return call.kept(work)


def _asked() -> Any:
    """A key that was typed unseen; it is in no history."""
    from getpass import getpass

    from svc_nb.secret import Secret

    try:
        return Secret(getpass("Key: ").strip())
    except (EOFError, StdinNotImplementedError):
        raise UsageError(NOBODY) from None


def _days(said: str) -> tuple[str | None, str | None]:
    """The start and the end: two days, or one, or words such as `30 days`."""
    parts = said.replace(" to ", " ").split()
    if len(parts) == 2 and all(DAY.fullmatch(part) for part in parts):
        return parts[0], parts[1]
    return said or None, None


def _connecting() -> Options:
    options = Options("svc connect", "[options]", alone=NO_KEY)
    add = options.add_argument
    add("--profile", metavar="NAME", help="a profile of the config file")
    add("--base-url", metavar="ADDRESS", help="the address of a provider; none is the embedded service")
    add("--ask", action="store_true", help="ask for the key, unseen and kept in no history")
    add("--sample", action="store_true", help="an embedded service with a year of invented use")
    return options


def _using() -> Options:
    options = Options("svc usage", "[30 days | this month | FROM TO] [options]")
    add = options.add_argument
    add("--by", type=one_of(*GROUPS), metavar="GROUP", help=", ".join(GROUPS))
    add("--plot", type=one_of(*PLOTS), metavar="KIND", help=", ".join(PLOTS))
    add("--fill", action="store_true", help="days without use too")
    add("--panel", action="store_true", help="open it in a panel")
    add_result_options(options)
    return options


COMMANDS = {
    "connect": Command(
        _connecting(), connect, "Connect; with nothing set, with the embedded service", "--profile work"
    ),
    "status": Command(
        Options("svc status", alone="%svc status takes nothing more"),
        status,
        "The connection, quota and caps, the store, the translators",
        "",
    ),
    "usage": Command(
        _using(), usage, "What was used, by whom and when; for administrators", "30 days --by key"
    ),
}
