"""Pages of docs/, README.md, notebooks/ and the docstrings: `make docs` puts them into build/docs.

Sphinx reads the whole checkout, so that a link between two Markdown files works here as it does on the web.
"""

import ast
import inspect
import re
import sys
from importlib import metadata
from itertools import groupby
from pathlib import Path
from typing import Any

from sphinx.addnodes import pending_xref
from sphinx.domains.python import PyXRefRole
from sphinx.util.nodes import make_refnode

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

import reference_tables  # noqa: E402

project = "svc_nb"
author = "The svc_nb authors"
copyright = "The svc_nb authors, MIT licence"
release = version = metadata.version("svc-nb")

root_doc = "docs/index"
include_patterns = [
    "*.md",
    "binder/*.md",
    "docs/**",
    "notebooks/**",
    "tests/benchmarks/*.md",
    "tests/benchmarks/*/*.md",
]
exclude_patterns = [".*", "**/.*", "build", "dist", "docs/templates", "svc_nb", "tests/[!b]*", "tests/b[!e]*"]
extensions = ["sphinx.ext.autodoc", "sphinx.ext.napoleon", "myst_nb"]

# ---- Markdown and notebooks: shown as they were saved, never run here

nb_execution_mode = "off"
nb_ipywidgets_js: dict[str, Any] = {}  # panels are saved as pictures; the scripts would come from another host
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3

# ---- docstrings: `names` in them are links where there is such a thing, and code where there is none

default_role = "py:named"
add_module_names = False
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_default_options = {"members": True}
python_maximum_signature_line_length = 130
napoleon_google_docstring = False
napoleon_use_rtype = False

# ---- the pages: whatever they load lies beside them

html_theme = "furo"
html_title = f"svc_nb {release}"
html_static_path = ["static"]
html_css_files = ["pages.css"]
templates_path = ["templates"]
html_additional_pages = {"index": "index.html"}
html_copy_source = False
html_show_search_summary = False  # a page that was opened from the disk may not read others
html_show_sphinx = False


def with_tables(app: Any, page: str, source: list[str]) -> None:
    """Put the tables that a page asks for in their places."""
    source[0] = reference_tables.filled(source[0])


PICTURE = re.compile(r"^!\[([^\]]*)\]\(([^)]+)\.png\)$", re.MULTILINE)
OF_README = re.compile(r'^<picture>.*?<img alt="([^"]*)" src="([^"]+)\.png".*?</picture>$', re.MULTILINE | re.DOTALL)
BOTH = """```{{image}} {path}.png
:alt: {alt}
:class: only-light
```

```{{image}} {path}-dark.png
:alt: {alt}
:class: only-dark
```"""


def with_dark_pictures(app: Any, page: str, source: list[str]) -> None:
    """Show the picture that fits the theme, where there is a dark one beside it."""

    def both(found: re.Match[str]) -> str:
        alt, path = found.groups()
        dark = (HERE.parent / page).parent / f"{path}-dark.png"
        return BOTH.format(alt=alt, path=path) if dark.exists() else found[0]

    for pattern in (PICTURE, OF_README):
        source[0] = pattern.sub(both, source[0])


def with_examples(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Set examples in the docstring of a module, and what is indented there, as they are written."""
    if what == "module":
        runs = [(bool(blank), list(run)) for blank, run in groupby(lines, key=lambda line: not line.strip())]
        lines[:] = [line for blank, run in runs for line in (run if blank else literal(run))]


def as_written(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Undo what napoleon does to the sentence of a property: words before a colon are no type here."""
    if what == "property":
        lines[:] = [*(inspect.getdoc(thing) or "").splitlines(), ""]


def literal(paragraph: list[str]) -> list[str]:
    """A paragraph as reStructuredText: Python becomes an example, what is indented a block, the rest stays."""
    if paragraph[0].startswith(">>>"):
        return paragraph
    if is_python(paragraph):
        return [".. code-block:: python", "", *(f"    {line.strip()}" for line in paragraph)]
    if all(line.startswith("    ") for line in paragraph):
        return ["::", "", *paragraph]
    return paragraph


def is_python(paragraph: list[str]) -> bool:
    """Whether a paragraph can be run: a sentence cannot."""
    try:
        ast.parse("\n".join(line.strip() for line in paragraph))
    except SyntaxError:
        return False
    return True


class Named(PyXRefRole):
    """A link to the thing of that name, shown as it was written."""

    def process_link(self, env: Any, refnode: Any, explicit: bool, title: str, target: str) -> tuple[str, str]:
        """Look in the class and the module first."""
        refnode["py:module"], refnode["py:class"] = (
            env.ref_context.get("py:module"),
            env.ref_context.get("py:class"),
        )
        return title, target


def exactly(app: Any, tree: Any) -> None:
    """Let no name in a signature be a link to something else that is called the same elsewhere."""
    for link in tree.findall(pending_xref):
        if link.get("refdomain") == "py" and "." not in link["reftarget"]:
            link.attributes.pop("refspecific", None)


def by_last_name(app: Any, env: Any, link: Any, shown: Any) -> Any:
    """A link to the only class of that name, wherever it stands."""
    if link.get("refdomain") != "py" or link["reftarget"][:1].islower():
        return None
    found = env.domains.python_domain.find_obj(env, None, None, link["reftarget"], None, 1)
    homes = {(thing.docname, thing.node_id) for _, thing in found if not thing.aliased}
    if len(homes) != 1:
        return None
    return make_refnode(app.builder, link["refdoc"], *homes.pop(), shown, link["reftarget"])


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.add_role_to_domain("py", "named", Named())
    app.connect("doctree-read", exactly)
    app.connect("missing-reference", by_last_name)
    app.connect("source-read", with_tables)
    app.connect("source-read", with_dark_pictures)
    app.connect("autodoc-process-docstring", with_examples)
    app.connect("autodoc-process-docstring", as_written, priority=600)  # napoleon comes with 500
