"""Models of translators on disk: where they are, what is known of them, how they get there and go."""

import os
from pathlib import Path

import platformdirs


class BrokenModel(Exception):
    """A model that cannot be used; the message says why, and continues after the model's name."""


def default_folder() -> Path:
    """Where `svc-nb models add` puts models, and where every embedded service looks for them."""
    return Path(platformdirs.user_data_dir("svc_nb", appauthor=False)) / "models"


def folders() -> list[Path]:
    """Where models are looked for, best first: SVC_MODEL_DIR, if it is set, and the default folder, if it is there."""
    named = os.environ.get("SVC_MODEL_DIR")
    own = default_folder()
    return [*([Path(named).expanduser()] if named else []), *([own] if own.is_dir() else [])]
