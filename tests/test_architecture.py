"""What docs/ARCHITECTURE.md names is there."""

import inspect
import re
from pathlib import Path

import svc_nb

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "ARCHITECTURE.md"


def named_paths() -> set[str]:
    """Files and folders in backticks: with a slash in them, or ending in .py."""
    return set(re.findall(r"`([\w/]+(?:/|\.py))`", PAGE.read_text()))


def test_every_file_and_folder_that_the_page_names_is_there():
    places = [ROOT, ROOT / "svc_nb", ROOT / "svc_nb" / "panels"]
    paths = named_paths() - {"panel.py", "view.py", "messages.py"}
    assert len(paths) > 40
    assert [name for name in sorted(paths) if not any((place / name).exists() for place in places)] == []


def test_every_panel_is_a_room_with_its_class_in_panel():
    rooms = [room for room in (ROOT / "svc_nb" / "panels").iterdir() if (room / "panel.py").exists()]
    assert {"glossary", "style_rules", "translate", "documents", "detect", "usage"} <= {room.name for room in rooms}


def test_every_room_of_the_package_is_in_the_picture():
    picture = PAGE.read_text().split("```")[1]
    rooms = {path.name for path in (ROOT / "svc_nb").iterdir() if (path / "__init__.py").exists()} - {"samples"}
    assert rooms - set(re.findall(r"\w+", picture)) == set()


def test_one_word_says_that_something_is_to_be_replaced():
    nouns = (
        "glossaries",
        "style_rules",
        "spoken_terms",
        "memories",
        "documents",
        "notebooks",
        "panels",
        "keys",
        "store",
    )
    verbs = {
        f"{noun}.{name}": getattr(getattr(svc_nb, noun), name)
        for noun in nouns
        for name in getattr(svc_nb, noun).__all__
    }
    options = {name: set(inspect.signature(verb).parameters) for name, verb in verbs.items() if callable(verb)}
    assert "replace" in options["glossaries.undo"]
    others = {"force", "overwrite", "confirm", "clobber", "yes", "exist_ok"}
    assert {name: found for name, given in options.items() if (found := given & others)} == {}
