"""What `%svc` can do: its commands by name, and the help on them."""

from __future__ import annotations

from typing import Any

from IPython.core.error import UsageError

from svc_nb.magics import account, lists, texts
from svc_nb.magics.call import Call, Command
from svc_nb.magics.cell import OPTIONS as CELL_OPTIONS
from svc_nb.magics.line import said
from svc_nb.magics.names import Names
from svc_nb.magics.options import Options
from svc_nb.magics.slips import instead

COMMANDS: dict[str, Command] = {
    name: {**account.COMMANDS, **texts.COMMANDS, **lists.COMMANDS}[name]
    for name in ("connect", "status", "translate", "plan", "detect", "glossary", "style", "usage")
}
HELP = "help"
CELLS = "translate a cell: %%translate DE, or a few words: %translate DE Good morning"


class Help(str):
    """Help, which a notebook shows as it is."""

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text("".join(self))


def run(line: str, *, names: Names, defaults: Any) -> Any:
    """Do what a line of `%svc` says."""
    name, _, rest = line.strip().partition(" ")
    if name in ("", HELP, "--help", "-h"):
        return help_on(rest.strip())
    if name not in COMMANDS:
        raise UsageError(f"%svc has no command {name[:40]!r}{instead(name, [*COMMANDS, HELP])}")
    command = COMMANDS[name]
    head, given = said(rest)
    if rest.strip() == "-h" or any(word.text == "--help" for word in given):
        return help_on(name)
    options, left = command.options.read(given, names)
    return command.run(Call(command.options.subject(head, left), options, names, defaults))


def help_on(name: str = "") -> Help:
    """What there is, or what one command takes."""
    if name in ("", HELP):
        return Help(overview())
    if name not in COMMANDS:
        raise UsageError(f"there is no help on {name[:40]!r}{instead(name, COMMANDS)}")
    command = COMMANDS[name]
    example = f"%svc {name} {command.example}".strip()
    return Help(f"{command.says}.\n\n{told(command.options)}\n\nFor example: {example}")


def overview() -> str:
    """All commands, one line each, with an example."""
    examples = {name: f"%svc {name} {command.example}".strip() for name, command in COMMANDS.items()}
    width = max(map(len, examples.values()))
    lines = [f"  {example:<{width}}  {COMMANDS[name].says}" for name, example in examples.items()]
    more = [f"Help on one: %svc help translate. To {CELLS}.", "What always holds: %config SvcMagics"]
    return "\n".join(["Translation in this notebook.", "", *lines, "", *more])


def told(options: Options) -> str:
    """The options of a magic, as they are written."""
    return f"{options.takes}\n\n{options.format_help()}".strip()


def cell_help() -> str:
    """What `%translate?` says."""
    return f"""Translate a cell of Markdown, HTML or text, or the words of a line.

{told(CELL_OPTIONS)}

For example: %translate DE Good morning
             %%translate FR --glossary Outdoor --as french
"""
