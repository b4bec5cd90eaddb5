"""Facts, as data: languages and what each can do, style rules and their options, scripts, abbreviations, typos."""

import json
from functools import cache
from importlib import resources
from typing import Any


@cache
def read(name: str) -> Any:
    """Return the decoded content of the JSON file *name* of this package, which no one changes."""
    return json.loads(resources.files(__name__).joinpath(name).read_text(encoding="utf-8"))
