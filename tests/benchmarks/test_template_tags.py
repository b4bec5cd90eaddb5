"""Templates of the packages that are installed: how many of them have a tag that a translation changed."""

from __future__ import annotations

import re
import sysconfig
from pathlib import Path

import jinja2

from svc_nb.notebooks.documents import Html
from tests.notebooks.translators import answered, longer, louder
from tests.service.formats.renderings import rendered, upper

ENDINGS = (".html", ".j2", ".jinja", ".jinja2", ".ejs", ".hbs", ".mustache")
TAG = re.compile(r"\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\}|<%.*?%>|<\?.*?\?>", re.DOTALL)
LONGEST = 20_000
MOST = 100


def templates() -> dict[Path, str]:
    """Different pages with at least two tags, by path."""
    found: dict[str, Path] = {}
    for path in sorted(Path(sysconfig.get_path("purelib")).rglob("*")):
        is_page = path.suffix in ENDINGS and not {".css", ".js", ".py"} & set(path.suffixes)
        if is_page and path.stat().st_size <= LONGEST:
            text = path.read_text(encoding="utf-8", errors="replace")
            if len(TAG.findall(text)) > 1:
                found.setdefault(text, path)
    return {path: text for text, path in list(found.items())[:MOST]}


def tags(text: str) -> list:
    """The tags as Jinja reads them where it can, and as anybody sees them elsewhere."""
    try:
        return [(kind, text.strip()) for _, kind, text in jinja2.Environment().lex(text) if kind != "data"]
    except jinja2.TemplateError:
        return TAG.findall(text)


def test_no_tag_of_a_template_changes():
    sources = templates()
    assert len(sources) >= 60
    changed = []
    for path, text in sources.items():
        before = tags(text)
        made = [
            answered(Html(text), louder).text,
            answered(Html(text), longer).text,
            rendered("html", text, upper).decode(),
        ]
        changed += [path for after in made if tags(after) != before]
        assert made[0] != text or not re.search(r">\s*[A-Za-z]{3,} [a-z]{3,}", text), f"{path}: nothing is translated"
    print(f"{len(sources)} templates, {len(changed)} changed")
    assert not changed
