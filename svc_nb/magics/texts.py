"""`%svc translate`, `%svc plan` and `%svc detect`: the texts that an expression stands for."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pandas as pd
from IPython.core.error import UsageError

from svc_nb.clusters import local
from svc_nb.magics.call import Call, Command
from svc_nb.magics.options import Options, add_language_options, add_result_options, number, one_of

EXPECTED = "a column such as df.review, a table with --columns, a list of texts or a text"


def translate(call: Call) -> Any:
    """The translated texts, in the shape of those given."""
    texts, back = _texts(call)
    targets = call.targets()
    verb = "translate_table" if call.options.table else "translate"
    fields = {**call.fields(), "progress": _progress(texts, call)}
    for name in ("errors", "protect"):
        if getattr(call.options, name):
            fields[name] = getattr(call.options, name)
    return call.kept(lambda: back(_done(texts, call, verb, _single(targets), **fields)))


def plan(call: Call) -> Any:
    """What a translation would do and cost."""
    texts, _ = _texts(call)
    price = call.defaults.price if call.options.price is None else call.options.price
    targets = _single(call.targets())
    return call.kept(lambda: _done(texts, call, "plan", targets, price=price or None, **call.fields()))


def detect(call: Call) -> Any:
    """The languages of the texts."""
    texts, back = _texts(call)
    verb = "detect_table" if call.options.table else "detect"
    return call.kept(lambda: back(_done(texts, call, verb, progress=_progress(texts, call))))


def _done(texts: Any, call: Call, verb: str, *targets: Any, **fields: Any) -> Any:
    """What the method *verb* of `.svc` makes of *texts*."""
    columns = [_columns(texts, call)] if isinstance(texts, pd.DataFrame) else []
    return getattr(texts.svc, verb)(*columns, *targets, **fields)


def _progress(texts: Any, call: Call) -> bool:
    """Whether to paint a bar: not for a single text."""
    return bool(call.defaults.progress) and texts.size > 1


def _texts(call: Call) -> tuple[Any, Callable[[Any], Any]]:
    """The texts as pandas has them, and what makes the result be of the kind that was given."""
    if not call.head:
        raise UsageError(f"what? Write {EXPECTED}, before the options")
    value = call.value()
    if isinstance(value, pd.Series | pd.DataFrame | pd.Index):
        return value, lambda result: result
    if isinstance(value, str):
        return local.column_of(value), partial(_shaped, value)
    others = [each for each in value if not _is_text(each)] if isinstance(value, list | tuple) else [value]
    if others:
        raise UsageError(f"{call.head}: expected {EXPECTED}, found {type(others[0]).__name__}")
    return local.column_of(value), partial(_shaped, value)


def _is_text(value: Any) -> bool:
    """Whether it is a text, or a gap between texts."""
    return isinstance(value, str) or (pd.api.types.is_scalar(value) and bool(pd.isna(value)))


def _shaped(texts: Any, result: pd.Series[Any] | pd.DataFrame) -> Any:
    """What came of *texts*: a text or a list of them; a table stays one, and of a single text is its row."""
    if isinstance(result, pd.DataFrame):
        return result.iloc[0] if isinstance(texts, str) else result
    return local.back(result, texts)


def _columns(frame: pd.DataFrame, call: Call) -> list[Any]:
    """The columns that are meant; `df[["title", "body"]]` has said so already."""
    chosen = call.options.columns
    if not chosen and call.head.endswith("]]"):
        return frame.columns.tolist()
    if not chosen:
        shown = ", ".join(map(str, frame.columns[:8]))
        raise UsageError(f"{call.head} is a table: say which columns, --columns title body; it has {shown}")
    by_name = {str(name): name for name in frame.columns}
    return [by_name.get(name, name) for name in chosen]


def _single(targets: list[str]) -> Any:
    return targets[0] if len(targets) == 1 else targets


def _options(name: str) -> Options:
    options = Options(f"svc {name}", "COLUMN [options]")
    options.add_argument("--columns", nargs="+", metavar="NAME", help="the columns of a table")
    return options


def _into(name: str) -> Options:
    options = _options(name)
    options.add_argument("--to", nargs="+", metavar="LANGUAGE", help="one or several: DE, EN-US, German")
    add_language_options(options)
    return options


def _commands() -> dict[str, Command]:
    translation, costs, detection = _into("translate"), _into("plan"), _options("detect")
    failed = "raise, or coerce for gaps where a text fails"
    kept = "what stays: placeholders, tags, urls, emails, all, or names"
    translation.add_argument("--protect", nargs="+", metavar="WHAT", help=kept)
    translation.add_argument("--errors", type=one_of("raise", "coerce"), metavar="HOW", help=failed)
    costs.add_argument("--price", type=number, metavar="PRICE", help="what a million characters cost")
    for options in (translation, detection):
        options.add_argument("--table", action="store_true", help="a row for each text, with what came of it")
    for options in (translation, costs, detection):
        add_result_options(options)
    return {
        "translate": Command(
            translation, translate, "Translate a column, a table or a text", "df.review --to DE --as german"
        ),
        "plan": Command(
            costs,
            plan,
            "What a translation would do and cost; pays nothing",
            "df.review --to EN-US --price 20",
        ),
        "detect": Command(detection, detect, "The language of every text; costs nothing", "df.review"),
    }


COMMANDS = _commands()
