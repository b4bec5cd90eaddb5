"""`%svc glossary` and `%svc style`: what the service keeps, listed, pulled, checked and opened in a panel."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from IPython.core.error import UsageError

from svc_nb.magics.call import Call, Command
from svc_nb.magics.line import words
from svc_nb.magics.options import Options, add_result_options
from svc_nb.session import current

if TYPE_CHECKING:
    from svc_nb.sync.kinds import Kind

LINT = "lint"


def glossary(call: Call) -> Any:
    """All glossaries, the terms of one, or what is wrong with a table of terms."""
    from svc_nb import glossaries, panels
    from svc_nb.sync.kinds import GLOSSARY

    return call.kept(_work(call, glossaries, GLOSSARY, panel=panels.Glossary))


def style(call: Call) -> Any:
    """All style rule lists, one of them, or what is wrong with one."""
    from svc_nb import panels, style_rules
    from svc_nb.sync.kinds import STYLE

    return call.kept(_work(call, style_rules, STYLE, panel=panels.StyleRules))


def _work(call: Call, home: Any, kind: Kind, *, panel: Callable[[str | None], Any]) -> Callable[[], Any]:
    """What is asked of *home*: a panel, its list, one by name, or a check of what an expression stands for."""
    if call.options.panel:
        return lambda: panel(kind.id_of(call.title, current().client) if call.title else None)
    if not call.head:
        return lambda: home.list()
    first = words(call.head)[0].text
    if first != LINT:
        return lambda: home.pull(call.title)
    expression = call.head.removeprefix(LINT).strip()
    if not expression:
        raise UsageError("lint what? Write the name of a table after it")
    return lambda: home.lint(call.names.value(expression))


def _options(name: str) -> Options:
    options = Options(f"svc {name}", "[NAME | lint TABLE] [options]")
    options.add_argument("--panel", action="store_true", help="open it in a panel, to click and edit")
    add_result_options(options)
    return options


COMMANDS = {
    "glossary": Command(
        _options("glossary"),
        glossary,
        "List glossaries, pull one, check a table of terms",
        "Outdoor --as terms",
    ),
    "style": Command(
        _options("style"), style, "List style rule lists, pull one, check one", '"House style" --as style'
    ),
}
