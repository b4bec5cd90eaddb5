"""Finds phrases that we do not write, in everything that people read: code, comments, docs, notebooks.

`make lint` runs it. Readers stumbled over each of these phrases; beside it is what to write instead.
"""

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

PHRASES = {
    r"(?<![Tt]here )\bis no (?:text|file|folder|column|table|notebook|number|TMX|JSON|document|id)\b": "is not a …",
    r"\bstands? (?:there )?twice\b": "appears twice, duplicate",
    r"\bborne\b|\bbears it\b": "handled, accepted",
    r"\bare to be had\b|\bis to be had\b": "available",
    r"\bat hand\b": "available, there is",
    r"\b[Ww]hat is done is kept\b": "Finished rows are kept",
    r"\bthereof\b|\bsuch a one\b|\blikewise\b": "rephrase",
    r"\bfor want of\b": "because there is no",
    r"\bis meant to be\?": "unexpected …",
    r"\bperhaps \S+ is meant\b": "Did you mean …?",
    r"\bas wanted already\b": "already is as requested",
    r"\bthe gravest\b": "the most severe",
    r"\bcalled so\b": "has this name",
    r"\bhears of\b": "gets, is called with",
    r"\bmend(?:s|ed|ing)? (?:it|them|what|is)\b": "fix",
}
# Tests have data and names of their own; what else is left out is recorded, built or other people's text.
LOOKED_AT = ("svc_nb", "docs", "notebooks", "binder", "README.md", "CONTRIBUTING.md", "Makefile")
LEFT_OUT = ("svc_nb/samples/", "svc_nb/lab/extension/built/")
KINDS = {".py", ".js", ".ts", ".tsx", ".css", ".md", ".ipynb", ".sql", ""}


def found_in(paths: Iterable[Path]) -> Iterator[str]:
    """A line for each phrase: where it is, and what to write instead."""
    phrases = [(re.compile(phrase), instead) for phrase, instead in PHRASES.items()]
    for path in paths:
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            for phrase, instead in phrases:
                if match := phrase.search(line):
                    yield f"{path}:{number}: “{match[0]}”: write “{instead}”"


def looked_at() -> list[Path]:
    """The files that people read."""
    listed = subprocess.run(["git", "ls-files", "-z", *LOOKED_AT], capture_output=True, check=True, text=True).stdout
    paths = [Path(name) for name in listed.split("\0") if name and not name.startswith(LEFT_OUT)]
    return [path for path in paths if path.suffix in KINDS and path.is_file()]


if __name__ == "__main__":
    found = list(found_in(looked_at()))
    print("\n".join(found) or "All words are plain.")
    sys.exit(bool(found))
