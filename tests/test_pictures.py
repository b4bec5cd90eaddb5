"""The pictures of the README and the guides: each in both themes, small, shown somewhere, and taken by a script."""

import re
import struct
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PICTURES = sorted(path for path in (ROOT / "docs").glob("*.png") if not path.stem.endswith("-dark"))
LARGEST = 80_000

every_picture = pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.stem)


def size(path):
    return struct.unpack(">II", path.read_bytes()[16:24])


@every_picture
def test_a_picture_is_there_in_both_themes_and_small(path):
    dark = path.with_stem(f"{path.stem}-dark")
    assert size(path)[0] == size(dark)[0]
    assert max(path.stat().st_size, dark.stat().st_size) < LARGEST


@every_picture
def test_a_picture_is_shown_with_words_for_those_who_do_not_see_it(path):
    texts = [page.read_text(encoding="utf-8") for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]]
    name = re.escape(path.name)
    shown = re.compile(rf'!\[[^\]]{{20,}}\]\({name}\)|<img alt="[^"]{{20,}}" src="docs/{name}"')
    assert any(shown.search(text) for text in texts)


def test_every_picture_is_taken_by_the_script():
    script = (ROOT / "tests" / "pictures.py").read_text(encoding="utf-8")
    taken = re.findall(r'^    "([a-z-]+)": ', script.partition("PICTURES:")[2], flags=re.MULTILINE)
    assert sorted(taken) == [path.stem for path in PICTURES]
