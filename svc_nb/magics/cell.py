"""`%%translate` and `%translate`: a cell of Markdown, HTML or text, or the words of a line, in another language."""

from __future__ import annotations

import re
from typing import Any

import pandas as pd
from IPython.core.error import UsageError

from svc_nb.errors import warn
from svc_nb.magics.call import Call
from svc_nb.magics.line import Word, words
from svc_nb.magics.names import Names
from svc_nb.magics.options import Options, add_language_options, add_result_options
from svc_nb.magics.shown import HTML, MARKDOWN, RAW, TEXT, Translated
from svc_nb.tabular.report import plural


class StayedAsItWas(UserWarning):
    """Part of a text could not be translated without changing what is not text, so it stayed."""


WHERE = 'into which language? Write %%translate DE, or set one: %config SvcMagics.target_lang = "DE"'
# Shorter ones are done before a bar could be read.
LONG = 5_000
CAPITALS = re.compile(r"[A-Z]{2,3}(-[A-Z0-9]{2,4})*")


def _options() -> Options:
    options = Options("translate", "LANGUAGE [options] words …    or    %%translate [LANGUAGE] [options]")
    add = options.add_argument
    add("--to", action="append", metavar="LANGUAGE", help="the language, where it does not stand first")
    add_language_options(options)
    add(
        "--html",
        dest="kind",
        action="store_const",
        const=HTML,
        help="the cell is HTML; without, it is Markdown",
    )
    add("--text", dest="kind", action="store_const", const=TEXT, help="the cell is plain text")
    add("--raw", action="store_true", help="show the letters of the result, not how it looks")
    add_result_options(options)
    return options


OPTIONS = _options()


def parted(line: str, *, default: str) -> tuple[str, list[Word], str]:
    """The language, the options and the text of a line; where there is a *default*, a language is in capitals.

    >>> language, options, text = parted("DE --from EN It's  {fine}", default="")
    >>> language, [word.text for word in options], text
    ('DE', ['--from', 'EN'], "It's  {fine}")
    >>> parted("it works", default="DE")[0], parted("FR it works", default="DE")[0]
    ('', 'FR')
    """
    language, options, found = "", list[Word](), words(line)

    def has_language() -> bool:
        return bool(language) or any(word.text.startswith("--to") for word in options)

    while found:
        if found[0].is_option:
            count = 1 if _is_whole(found[0].text) else 2
            options += found[:count]
            del found[:count]
        elif has_language() or (default and not CAPITALS.fullmatch(found[0].text)):
            break
        else:
            language = found.pop(0).text
    return language, options, line[found[0].start :].rstrip() if found else ""


def _is_whole(option: str) -> bool:
    """Whether no value stands behind an option."""
    action = OPTIONS.action(option)
    return "=" in option or action is None or action.nargs == 0


def translated(line: str, cell: str | None, *, names: Names, defaults: Any) -> Translated | None:
    """The cell, or without one the words of the line, translated; None where it was given a name."""
    language, given, words_said = parted(line, default=defaults.target_lang if cell is None else "")
    options, _ = OPTIONS.read(given, names)
    if cell is not None and words_said:
        raise UsageError(
            f"%%translate: the text stands below this line; what is {words_said[:40]!r} meant to be?"
        )
    options.to = options.to or ([_meant(language, names)] if language else None)
    text = words_said if cell is None else cell
    if not text.strip():
        raise UsageError(
            "there is no text: write it behind the language, or in the cell below %%translate DE"
        )
    if not options.to and not defaults.target_lang:
        raise UsageError(WHERE)
    call = Call(text, options, names, defaults)
    targets = call.targets()
    if len(targets) != 1:
        raise UsageError("%%translate takes one language; several at once: %svc translate")
    kind = options.kind or (TEXT if cell is None else MARKDOWN)
    return call.kept(lambda: _result(call, text, targets[0], kind))  # type: ignore[no-any-return]


def _result(call: Call, text: str, target: str, kind: str) -> Translated | str | None:
    progress = call.defaults.progress and len(text) >= LONG
    made = _translate(text, target, kind, {**call.fields(), "progress": progress})
    if made is None or call.options.name is not None:
        return made
    return Translated(made, kind=RAW if call.options.raw else kind, target_lang=target)


def _translate(text: str, target: str, kind: str, fields: dict[str, Any]) -> str | None:
    from svc_nb import notebooks

    if kind == TEXT:
        texts: Any = pd.Series([text], dtype=object)
        found = texts.svc.translate(target, **fields).iloc[0]
        return None if pd.isna(found) else str(found)  # the budget may be spent
    made = notebooks.translate_source(text, target, kind=kind, **fields)
    if len(made.left):
        reasons = ", ".join(sorted(set(made.left["reason"])))
        warn(StayedAsItWas(f"{plural(len(made.left), 'part')} of the text stayed as it was: {reasons}"))
    return made.text


def _meant(language: str, names: Names) -> str:
    """The language as it is written; `{lang}` is what the notebook calls so."""
    is_name = language.startswith("{") and language.endswith("}")
    return str(names.value(language[1:-1])) if is_name else language
