"""Which extensions JupyterLab finds on this machine, and which of them somebody has switched off."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def installed() -> set[str]:
    """The names of the prebuilt extensions in Jupyter's data folders."""
    from jupyter_core.paths import jupyter_path

    found = set()
    for folder in map(Path, jupyter_path("labextensions")):
        for manifest in (*folder.glob("*/package.json"), *folder.glob("@*/*/package.json")):
            found.add(manifest.parent.relative_to(folder).as_posix())
    return found


def disabled() -> set[str]:
    """The names of extensions, or of their plugins, that a page_config.json switches off."""
    from jupyter_core.paths import jupyter_config_path

    found: set[str] = set()
    for folder in map(Path, jupyter_config_path()):
        said = _read(folder / "labconfig" / "page_config.json").get("disabledExtensions", {})
        names = said if isinstance(said, list) else [name for name, off in said.items() if off]
        found |= {str(name).partition(":")[0] for name in names}
    return found


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
