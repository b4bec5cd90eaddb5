"""The commands of `%svc`, their options, and their help."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd
from IPython.core.error import StdinNotImplementedError, UsageError

import svc_nb
from svc_nb.advice import did_you_mean
from svc_nb.clusters import pandas as local
from svc_nb.magics.line import (
    MagicCall,
    MagicParser,
    UserNamespace,
    add_result_options,
    add_translation_options,
    number,
    one_of,
    split_line,
    words,
)
from svc_nb.session import current
from svc_nb.sync import resources

GROUPS = ("key_and_day", "key", "tag_and_day", "tag", "none")
PLOTS = ("by_day", "by_key", "by_product", "heat_map", "share", "tags")
DAY = re.compile(r"\d{4}-\d{2}-\d{2}\S*")
# A key on the line is already in the history, so do not show it again.
NO_KEY = (
    "%svc connect takes no key, because the history and the notebook keep the line. If you wrote a key there, "
    "replace it. Use %svc connect --ask or --profile NAME, or set SVC_API_KEY or the keyring "
    "(docs/settings.md)"
)
NOBODY = "there is no way to type a key here: set SVC_API_KEY, a profile, or the keyring (docs/settings.md)"
EXPECTED = "a column such as df.review, a table with --columns, a list of texts or a text"
HELP = "help"
LINT = "lint"
CELLS = "translate a cell: %%translate DE, or a few words: %translate DE Good morning"


# ---- connection and cost

CONNECT = MagicParser("svc connect", "[options]", alone=NO_KEY)
CONNECT.add_argument("--profile", metavar="NAME", help="a profile of the config file")
CONNECT.add_argument("--base-url", metavar="ADDRESS", help="the address of a provider; default: the embedded service")
CONNECT.add_argument("--ask", action="store_true", help="ask for the key, hidden and without keeping it in the history")
CONNECT.add_argument("--sample", action="store_true", help="an embedded service with a year of sample usage")

STATUS = MagicParser("svc status", alone="%svc status takes no options")

USAGE = MagicParser("svc usage", "[30 days | this month | FROM TO] [options]")
USAGE.add_argument("--by", type=one_of(*GROUPS), metavar="GROUP", help=", ".join(GROUPS))
USAGE.add_argument("--plot", nargs="?", const=PLOTS[0], type=one_of(*PLOTS), metavar="KIND", help=", ".join(PLOTS))
USAGE.add_argument("--fill", action="store_true", help="include days without usage")
USAGE.add_argument("--panel", action="store_true", help="open it in a panel")
add_result_options(USAGE)


def connect(call: MagicCall) -> Any:
    """Connect, and show the status."""
    from getpass import getpass

    from svc_nb.secret import Secret

    options, key = call.options, None
    given = {"base_url": options.base_url} if options.base_url else {}
    if options.ask:
        try:
            key = Secret(getpass("Key: ").strip())  # hidden, and not in the history
        except (EOFError, StdinNotImplementedError):
            raise UsageError(NOBODY) from None
    svc_nb.connect(key, profile=options.profile or call.defaults.profile or None, sample=options.sample, **given)
    return status(call)


def status(call: MagicCall) -> Any:
    """The connection, the quota, the store and the translators."""
    from svc_nb.magics.status import Status

    return Status.of(current(), defaults=call.defaults.set_by_hand)


def usage(call: MagicCall) -> Any:
    """The usage, as a table, a chart or a panel."""
    # Two days, or one, or words such as `30 days`.
    start, end = call.title or None, None
    days = call.title.replace(" to ", " ").split()
    if len(days) == 2 and all(map(DAY.fullmatch, days)):
        start, end = days
    plot = call.options.plot
    group = call.options.by or ("tag_and_day" if plot == "tags" else "key_and_day")

    def work() -> Any:
        if call.options.panel:
            return svc_nb.panels.Usage(start or "30 days", end)
        table: Any = svc_nb.usage(start, end, group_by=None if group == "none" else group, fill=call.options.fill)
        return _shown(table.svc.plot(plot)) if plot else table

    return call.kept(work)


def _shown(axes: Any) -> Any:
    """The figure of *axes*, which a notebook shows as a picture; removed from pyplot, so that it is shown only once."""
    import matplotlib.pyplot as plt

    plt.close(axes.figure)
    return axes.figure


# ---- the texts of an expression

TRANSLATE, PLAN, DETECT = (MagicParser(f"svc {name}", "COLUMN [options]") for name in ("translate", "plan", "detect"))
for each in (TRANSLATE, PLAN, DETECT):
    each.add_argument("--columns", nargs="+", metavar="NAME", help="the columns of a table")
for each in (TRANSLATE, PLAN):
    each.add_argument("--to", nargs="+", metavar="LANGUAGE", help="one or several: DE, EN-US, German")
    add_translation_options(each)
PROTECT = "what not to translate: placeholders, tags, urls, emails, paths, code, all, personal, names, or none"
TRANSLATE.add_argument("--protect", nargs="+", metavar="WHAT", help=PROTECT)
ERRORS = "raise, or coerce for missing values if a text fails"
TRANSLATE.add_argument("--errors", type=one_of("raise", "coerce"), metavar="HOW", help=ERRORS)
PLAN.add_argument("--price", type=number, metavar="PRICE", help="the price of a million characters")
for each in (TRANSLATE, DETECT):
    each.add_argument("--table", action="store_true", help="a row for each text, with its outcome")
for each in (TRANSLATE, PLAN, DETECT):
    add_result_options(each)


def translate(call: MagicCall) -> Any:
    """The translated texts, in the same shape as the input."""
    texts, back = _texts(call)
    targets = call.targets()
    verb = "translate_table" if call.options.table else "translate"
    fields = {**call.fields(), "progress": call.defaults.progress and texts.size > 1}
    if call.options.errors:
        fields["errors"] = call.options.errors
    if protect := call.options.protect:
        fields["protect"] = protect[0] if len(protect) == 1 else protect
    return call.kept(lambda: back(_done(texts, call, verb, _single(targets), **fields)))


def plan(call: MagicCall) -> Any:
    """The plan and cost of a translation."""
    texts, _ = _texts(call)
    price = call.defaults.price if call.options.price is None else call.options.price
    targets = _single(call.targets())
    return call.kept(lambda: _done(texts, call, "plan", targets, price=price or None, **call.fields()))


def detect(call: MagicCall) -> Any:
    """The languages of the texts."""
    texts, back = _texts(call)
    verb = "detect_table" if call.options.table else "detect"
    progress = call.defaults.progress and texts.size > 1
    return call.kept(lambda: back(_done(texts, call, verb, progress=progress)))


def _texts(call: MagicCall) -> tuple[Any, Callable[[Any], Any]]:
    """The texts as a pandas object, and a function that converts the result back to the kind of the input."""
    if not call.head:
        raise UsageError(f"nothing to translate: write {EXPECTED}, before the options")
    value = call.names.value(call.head)
    if isinstance(value, pd.Series | pd.DataFrame | pd.Index):
        return value, lambda result: result
    for each in value if isinstance(value, list | tuple) else [value]:
        is_gap = isinstance(value, list | tuple) and pd.api.types.is_scalar(each) and pd.isna(each)
        if not isinstance(each, str) and not is_gap:
            raise UsageError(f"{call.head}: expected {EXPECTED}, found {type(each).__name__}")

    def back(result: Any) -> Any:
        """A text or a list of them; a table stays a table, with one row for a single text."""
        if isinstance(result, pd.DataFrame):
            return result.iloc[0] if isinstance(value, str) else result
        return local.back(result, value)

    return local.column_of(value), back


def _done(texts: Any, call: MagicCall, verb: str, *targets: Any, **fields: Any) -> Any:
    """The result of the `.svc` method *verb* for *texts*, or for the given columns of a table."""
    method = getattr(texts.svc, verb)
    if not isinstance(texts, pd.DataFrame):
        return method(*targets, **fields)
    chosen = call.options.columns
    if chosen:
        by_name = {str(name): name for name in texts.columns}
        return method([by_name.get(name, name) for name in chosen], *targets, **fields)
    if call.head.endswith("]]"):  # `df[["title", "body"]]` names them already
        return method(texts.columns.tolist(), *targets, **fields)
    shown = ", ".join(map(str, texts.columns[:8]))
    raise UsageError(f"{call.head} is a table: choose columns with --columns title body; it has {shown}")


def _single(targets: list[str]) -> Any:
    return targets[0] if len(targets) == 1 else targets


# ---- glossaries and style rule lists

GLOSSARY, STYLE = (MagicParser(f"svc {name}", "[NAME | lint TABLE] [options]") for name in ("glossary", "style"))
for each in (GLOSSARY, STYLE):
    each.add_argument("--panel", action="store_true", help="open it in a panel to edit")
    add_result_options(each)


def glossary(call: MagicCall) -> Any:
    """All glossaries, the terms of one, or the findings about a table of terms."""
    return _kept_list(call, svc_nb.glossaries, resources.GLOSSARY, panel=svc_nb.panels.Glossary)


def style(call: MagicCall) -> Any:
    """All style rule lists, one of them, or the findings about one."""
    return _kept_list(call, svc_nb.style_rules, resources.STYLE, panel=svc_nb.panels.StyleRules)


def _kept_list(call: MagicCall, home: Any, kind: resources.ResourceKind, *, panel: Callable[[str | None], Any]) -> Any:
    """What a line requests of *home*: a panel, the list, one by name, or a check of an expression."""
    if call.options.panel:
        return call.kept(lambda: panel(kind.id_of(call.title, current().client) if call.title else None))
    if not call.head:
        return call.kept(home.list)
    if words(call.head)[0].text != LINT:
        return call.kept(lambda: home.pull(call.title))
    expression = call.head.removeprefix(LINT).strip()
    if not expression:
        raise UsageError("nothing to lint: write the name of a table after lint")
    return call.kept(lambda: home.lint(call.names.value(expression)))


# ---- the commands by name, and their help


@dataclass(frozen=True)
class Command:
    """A command of `%svc`: *run* gets a MagicCall."""

    options: MagicParser
    run: Callable[[MagicCall], Any]
    says: str
    example: str


COMMANDS = {
    "connect": Command(CONNECT, connect, "Connect; without settings, to the embedded service", "--profile work"),
    "status": Command(STATUS, status, "The connection, quota and caps, the store, the translators", ""),
    "translate": Command(
        TRANSLATE, translate, "Translate a column, a table or a text", "df.review --to DE --as german"
    ),
    "plan": Command(
        PLAN, plan, "What a translation would do and cost; costs nothing", "df.review --to EN-US --price 20"
    ),
    "detect": Command(DETECT, detect, "The language of every text; costs nothing", "df.review"),
    "glossary": Command(GLOSSARY, glossary, "List glossaries, pull one, check a table of terms", "Outdoor --as terms"),
    "style": Command(STYLE, style, "List style rule lists, pull one, check one", '"House style" --as style'),
    "usage": Command(USAGE, usage, "Who used how much and when; for administrators", "30 days --by key"),
}


class Help(str):
    """Help, which a notebook shows as plain text."""

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text("".join(self))


def run(line: str, *, names: UserNamespace, defaults: Any) -> Any:
    """Run a line of `%svc`."""
    name, _, rest = line.strip().partition(" ")
    if name in ("", HELP, "--help", "-h"):
        return help_on(rest.strip())
    if name not in COMMANDS:
        raise UsageError(f"%svc has no command {name[:40]!r}. {did_you_mean(name, [*COMMANDS, HELP], shown=str)}")
    command = COMMANDS[name]
    head, given = split_line(rest)
    if rest.strip() == "-h" or any(word.text == "--help" for word in given):
        return help_on(name)
    options, left = command.options.read(given, names)
    return command.run(MagicCall(command.options.subject(head, left), options, names, defaults))


def help_on(name: str = "") -> Help:
    """All commands, or the options of one."""
    if name in ("", HELP):
        return Help(overview())
    if name not in COMMANDS:
        raise UsageError(f"there is no help on {name[:40]!r}. {did_you_mean(name, COMMANDS, shown=str)}")
    command = COMMANDS[name]
    example = f"%svc {name} {command.example}".strip()
    return Help(f"{command.says}.\n\n{command.options.help()}\n\nFor example: {example}")


def overview() -> str:
    """All commands, one line each, with an example."""
    examples = {name: f"%svc {name} {command.example}".strip() for name, command in COMMANDS.items()}
    width = max(map(len, examples.values()))
    lines = [f"  {example:<{width}}  {COMMANDS[name].says}" for name, example in examples.items()]
    more = [f"Help on one: %svc help translate. To {CELLS}.", "Defaults: %config SvcMagics"]
    return "\n".join(["Translation in this notebook.", "", *lines, "", *more])
