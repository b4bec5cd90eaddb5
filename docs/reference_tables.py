"""The tables of the reference, made from the package's own: a page has the line `<!-- table: settings -->` for one.

`tests/test_reference.py` checks that all words of the package are explained here, and no others.
"""

import argparse
import dataclasses
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import svc_nb
from svc_nb import errors, settings
from svc_nb.accessor.column import ColumnTexts
from svc_nb.accessor.frame import FrameTexts, Tables
from svc_nb.checks.findings import CHECKS
from svc_nb.cli.command import build_parser
from svc_nb.columns.options import TOLD, Fields
from svc_nb.documents.files import KINDS as DOCUMENT_KINDS
from svc_nb.service.__main__ import _parser as service_parser

SERVE = "svc-nb serve"
PLACE = re.compile(r"^<!-- table: (\w+) -->$", re.MULTILINE)

STATUSES = {
    "done": "Translated. `translator` names the model; it is `unchanged` if there was nothing to do, and `person` if "
    "you corrected the answer.",
    "marked": "NOT TRANSLATED. The embedded service has no translator for the pair and put `[DE]` before it.",
    "skipped": "Not sent, because a rule says that it need not be. The text passes through as it is.",
    "failed": "The service refused this text, or its answer could not be used.",
    "unsent": "The run ended before this text was sent. Run it again to continue.",
}
REASONS = {
    "missing": ("skipped", "The cell is empty (None, NaN, NA)."),
    "blank": ("skipped", "Only white space and invisible characters."),
    "no_letters": ("skipped", "Numbers and signs, but no letter."),
    "emoji": ("skipped", "Only emoji."),
    "url": ("skipped", "Only web addresses."),
    "email": ("skipped", "Only e-mail addresses."),
    "same_language": ("skipped", "The text is in the target language already."),
    "protected": ("skipped", "Everything in the text is protected, so nothing is left to translate."),
    "not_text": ("skipped", "A path leads to a list or a dict where a text was expected."),
    "not_json": ("skipped", "A cell starts like JSON but cannot be read as JSON."),
    "protection_lost": (
        "failed, done",
        "The service lost the masks of protected text twice. The row fails if you asked for the protection; with the "
        "default protection it is sent unmasked and is `done`.",
    ),
    "min_confidence": ("done", "The language was detected with less than `min_confidence=`."),
    "glossary_lacks_pair": ("done", "The glossary has no terms for this language pair; it was not used."),
    "language_unknown": ("done", "The language is in doubt, so the glossary was not used."),
    "budget": ("unsent", "The text is over the budget."),
    "quota": ("unsent", "The account's quota or the key's cap is spent."),
    "interrupted": ("unsent", "Ctrl-C, the stop button or `job.cancel()`."),
    "error": ("unsent", "An error ended the run, such as a rejected key."),
    "store": ("unsent", "The store could not be written, so the run stopped before paying for more."),
}
SERVICE_OPTIONS = {
    "formality": "How formal the translation is: `default`, `more`, `less`, `prefer_more` or `prefer_less`.",
    "glossary_id": "A glossary by its id. `glossary` takes a name as well.",
    "glossary_ids": "Up to five glossaries by their ids.",
    "style_id": "A style rule list by its id. `style` takes a name as well.",
    "custom_instructions": "Instructions in your own words, a list of sentences.",
    "model_type": "Which kind of model the service uses, such as `quality_optimized` or `latency_optimized`.",
    "tag_handling": "`xml` or `html`: the service keeps the tags of the texts.",
    "tag_handling_version": "Which version of its tag handling the service uses.",
    "outline_detection": "False: the service does not guess from the tags where sentences end.",
    "non_splitting_tags": "Tags that do not end a sentence.",
    "splitting_tags": "Tags that always end a sentence.",
    "ignore_tags": "Tags whose content is not translated.",
    "split_sentences": "How texts are split: `0` not at all, `1` at marks and line breaks, `nonewlines` at marks only.",
    "preserve_formatting": "True: the service does not correct punctuation and capitals at the ends of a text.",
    "translation_memory_id": "A translation memory by its id.",
    "translation_memory_threshold": "How similar a segment of the memory must be, in percent.",
    "enable_beta_languages": "True: languages that are in beta are allowed, too.",
}
DETECTION = {
    "success": "`language` is the language.",
    "insufficient_confidence": "The text is too short or too ambiguous, or less certain than `min_confidence=`.",
    "unsupported_language": "A language that the service does not detect. `best_guess` may have it.",
    "no_language_detected": "No words: numbers, addresses, random letters.",
}
DOCUMENTS = {
    "waiting": "Not sent yet. A plan calls it `to send`.",
    "uploading": "Being uploaded.",
    "queued": "With the service, not started yet.",
    "translating": "With the service, being translated.",
    "ready": "Translated, not downloaded yet. A plan calls it `to fetch`. You are not billed yet.",
    "downloading": "Being downloaded.",
    "done": "The translation is in the file `output`.",
    "marked": "NOT TRANSLATED, in whole or in part: no translator has the pair. `error` says so.",
    "error": "The service failed on the document. `error` says why.",
    "refused": "Not sent, because the service would refuse it. `error` says why.",
    "skipped": "A file in a folder of a kind that is not translated.",
    "lost": "The service counts it as downloaded, but the file is gone. `again=True` translates and pays again.",
    "elsewhere": "Another notebook or process is working on it.",
}
EXIT_CODES = {
    "0": "All is well.",
    "1": "Something failed; or `lint` found an error or a warning, `fix` left an error, `diff` found a difference, "
    "`doctor` found a problem.",
    "2": "Called the wrong way: an unknown command, option or column. The message suggests what you may mean.",
    "3": "Nothing failed, but some texts are NOT TRANSLATED: no translator has the pair, so they are only marked.",
    "129": "Ended by SIGHUP: the terminal was closed.",
    "130": "Ended by Ctrl-C.",
    "143": "Ended by SIGTERM, as `kill`, `timeout` and schedulers send it.",
}
VARIABLES = {
    "SVC_PROFILE": "The profile in the config file, as `connect(profile=…)`.",
    "SVC_CONFIG_FILE": "The config file, in place of `config.toml` in your config folder.",
    "SVC_MODEL_DIR": "A folder with models of the embedded service, before the user's own.",
    "SVC_MODEL_MIRROR": "The address from which `svc-nb models add` downloads, instead of Mozilla's.",
}


def filled(page: str) -> str:
    """*page* with the tables that it asks for."""
    return PLACE.sub(lambda place: "\n".join(TABLES[place[1]]()), page)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A table in Markdown."""
    yield f"| {' | '.join(head)} |"
    yield "|---" * len(head) + "|"
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|').replace(chr(10), ' ') for cell in row)} |"


def code(*words: str) -> str:
    """*words* as code."""
    return ", ".join(f"`{word}`" for word in words)


def linked(name: str, home: str) -> str:
    """*name* as a link to where the reference of Python has it."""
    return f"{{py:obj}}`{name} <{home}>`"


def first_line(thing: Any) -> str:
    """What the docstring says first."""
    return (inspect.getdoc(thing) or "").partition("\n\n")[0].replace("\n", " ")


# ---- one function for each table


def verbs() -> Iterator[str]:
    """What `svc_nb` and `.svc` can do."""
    for title, kind in (
        ('On a column: `df["review"].svc`', ColumnTexts),
        ("On a table: `df.svc`", FrameTexts),
        ("On a table of terms, style rules, pairs or usage: `terms.svc`", Tables),
    ):
        home = f"{kind.__module__}.{kind.__qualname__}"
        methods = {name: method for name, method in vars(kind).items() if name[0] != "_"}
        yield from ("", f"## {title}", "")
        rows = ((linked(name, f"{home}.{name}"), first_line(method)) for name, method in methods.items())
        yield from table(["verb", "what it does"], rows)
    things = {name: getattr(svc_nb, name) for name in svc_nb.__all__}
    modules = {name: thing for name, thing in things.items() if inspect.ismodule(thing)}
    yield from ("", "## In `svc_nb`", "")
    rest = ((f"`{name}`", first_line(thing)) for name, thing in things.items() if name not in modules)
    yield from table(["name", "what it is"], rest)
    for name, module in modules.items():
        public = getattr(module, "__all__", ())
        yield from ("", f"## `svc_nb.{name}`", "", first_line(module), "")
        if public:
            yield from table(
                ["name", "what it is"], ((f"`{each}`", first_line(getattr(module, each))) for each in public)
            )


def options() -> Iterator[str]:
    """What a translation takes by name."""
    described = {name.strip(): text for names, text in TOLD.items() for name in names.split(",")} | SERVICE_OPTIONS
    rows = ((f"`{name}`", described[name]) for name in Fields.__annotations__)
    others = ((f"`{name}`", text) for name, text in described.items() if name not in Fields.__annotations__)
    return table(["option", "meaning"], [*rows, *others])


def named_settings() -> Iterator[str]:
    """Every setting with its default and its variable."""
    told = dict(_parameters(inspect.getdoc(settings.Settings) or ""))
    variables: dict[str, list[str]] = {}
    for variable, name in settings.ENVIRONMENT.items():
        variables.setdefault(name, []).append(variable)
    defaults = {each.name: each.default for each in dataclasses.fields(settings.Settings)}
    return table(
        ["setting", "environment", "meaning"],
        (
            (
                f"`{name}`",
                code(*variables[name]),
                told[name] if defaults[name] is None else f"{told[name]} Default: `{defaults[name]}`.",
            )
            for name in settings.CHECKS
        ),
    )


def _parameters(docstring: str) -> Iterator[tuple[str, str]]:
    for names, text in re.findall(r"^(\w[\w, ]*)\n((?:    .*\n?)+)", docstring, re.MULTILINE):
        for name in names.split(", "):
            yield name, " ".join(text.split())


def error_classes() -> Iterator[str]:
    """Every error and warning."""
    classes = [each for each in vars(errors).values() if inspect.isclass(each) and each.__module__ == errors.__name__]
    status = {kind: str(number) for number, kind in errors.BY_STATUS.items()}
    faults = [each for each in classes if issubclass(each, errors.SvcError)]
    warnings = [*(each for each in classes if issubclass(each, Warning)), svc_nb.MarkedOnly, svc_nb.OptionsIgnored]
    rows = (
        (
            linked(each.__name__, f"svc_nb.errors.{each.__name__}"),
            status.get(each, ""),
            "yes" if each.retryable else "",
            first_line(each) if isinstance(each.advice, property) else f"{first_line(each)} {each.advice}".strip(),
        )
        for each in faults
    )
    yield from table(["error", "status", "retried", "what happened, and what to do"], rows)
    yield from ("", "## Warnings", "", "A warning never changes a result. All of them are a `UserWarning`.", "")
    yield from table(["warning", "what happened"], ((f"`{each.__name__}`", first_line(each)) for each in warnings))


def checks() -> Iterator[str]:
    """Every check with how bad a finding is."""
    return table(
        ["code", "severity", "what it finds"],
        ((f"`{name}`", severity, meaning) for name, (severity, meaning) in CHECKS.items()),
    )


def statuses() -> Iterator[str]:
    """The outcome of a row."""
    return table(["status", "meaning"], ((f"`{name}`", text) for name, text in STATUSES.items()))


def reasons() -> Iterator[str]:
    """Why."""
    return table(
        ["reason", "with the status", "meaning"],
        ((f"`{name}`", code(*status.split(", ")), text) for name, (status, text) in REASONS.items()),
    )


def detection() -> Iterator[str]:
    """The outcome of a detection."""
    return table(["detection_status", "meaning"], ((f"`{name}`", text) for name, text in DETECTION.items()))


def documents() -> Iterator[str]:
    """The outcome of a document."""
    return table(["status", "meaning"], ((f"`{name}`", text) for name, text in DOCUMENTS.items()))


def document_formats() -> Iterator[str]:
    """Which files are documents, and how large they may be."""
    return table(
        ["file", "comes back as", "at most, Free", "at most, Pro"],
        (
            (f"`.{name}`", code(kind.comes_back, *kind.outputs), _size(kind.free), _size(kind.pro))
            for name, kind in DOCUMENT_KINDS.items()
        ),
    )


def _size(number: int) -> str:
    return f"{number / 1e6:g} MB"


def exit_codes() -> Iterator[str]:
    """How a command ends."""
    return table(["code", "meaning"], ((f"`{number}`", text) for number, text in EXIT_CODES.items()))


def variables() -> Iterator[str]:
    """Variables that are no settings."""
    return table(["environment", "meaning"], ((f"`{name}`", text) for name, text in VARIABLES.items()))


def commands() -> Iterator[str]:
    """Every command with its options, as `--help` tells them."""
    for parser in all_commands(build_parser()):
        if parser.commands:
            continue
        yield from ("", f"## {parser.prog}", "", parser.description or "", "")
        # This one has a parser of its own.
        yield from table(["option", "meaning"], _options(service_parser(SERVE) if parser.prog == SERVE else parser))
        example = (parser.epilog or "").partition("example:\n")[2]
        if example:
            yield from ("", "```sh", inspect.cleandoc(example), "```")


def all_commands(parser: Any) -> Iterator[Any]:
    """The parser of every command, and of every command below one."""
    for command in parser.commands.values():
        yield command
        yield from all_commands(command)


def _options(parser: argparse.ArgumentParser) -> Iterator[tuple[str, str]]:
    for action in parser._actions:
        if action.help in (argparse.SUPPRESS, None) or isinstance(action, argparse._HelpAction):
            continue
        value = "" if action.nargs == 0 else f" {action.metavar or action.dest.upper()}"
        names = [f"{name}{value}" for name in action.option_strings] or [value.strip()]
        meaning = str(action.help) % {"default": action.default, "prog": parser.prog}
        yield code(*names), meaning


def magics() -> Iterator[str]:
    """Every command of `%svc`."""
    from svc_nb.magics.commands import COMMANDS

    for name, command in COMMANDS.items():
        yield from ("", f"## %svc {name}", "", f"{command.says}.", "")
        found = [action for action in command.options._actions if action.help]
        if found:
            yield from table(["option", "meaning"], _options(command.options))
        yield from ("", "```text", f"%svc {name} {command.example}".rstrip(), "```")


TABLES: dict[str, Callable[[], Iterator[str]]] = {
    "verbs": verbs,
    "options": options,
    "settings": named_settings,
    "variables": variables,
    "errors": error_classes,
    "checks": checks,
    "statuses": statuses,
    "reasons": reasons,
    "detection": detection,
    "documents": documents,
    "document_formats": document_formats,
    "exit_codes": exit_codes,
    "commands": commands,
    "magics": magics,
}
