"""The check of `make lint` for phrases that we do not write."""

from tests import words


def test_a_phrase_is_found_with_its_place_and_what_to_write(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("There is no file.\nThis is no file.\nA word stands twice.\n", "utf-8")
    assert list(words.found_in([page])) == [
        f"{page}:2: “is no file”: write “is not a …”",
        f"{page}:3: “stands twice”: write “appears twice, duplicate”",
    ]


def test_code_docs_and_notebooks_are_looked_at_and_other_peoples_texts_are_not():
    names = {path.as_posix() for path in words.looked_at()}
    assert {"svc_nb/errors.py", "README.md", "docs/tutorial.md", "Makefile"} <= names
    assert any(name.startswith("notebooks/") for name in names)
    assert not any(name.startswith("svc_nb/samples/") for name in names)
