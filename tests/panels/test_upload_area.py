"""Files that are dropped on a panel."""

from __future__ import annotations

from svc_nb.panels.parts.upload import UploadArea


class Place:
    """A place to drop files on, and what came of them."""

    def __init__(self) -> None:
        self.files: list[tuple[str, bytes]] = []
        self.problems: list[str] = []
        self.drop = UploadArea(
            lambda name, data: self.files.append((name, data)),
            refused=self.problems.append,
            suffixes=[".csv", ".tbx"],
        )

    def send(self, name: str, data: bytes, *, piece: int = 4, number: str = "1", size: int | None = None) -> None:
        for at in range(0, max(1, len(data)), piece):
            message = {"kind": "piece", "number": number, "name": name, "at": at}
            self.drop.hear({**message, "size": len(data) if size is None else size}, [data[at : at + piece]])


def test_the_pieces_of_a_file_become_the_file():
    place = Place()
    place.send("terms.CSV", b"dog,Hund\ncat,Katze\n")
    assert place.files == [("terms.CSV", b"dog,Hund\ncat,Katze\n")]
    assert not place.problems


def test_a_name_is_never_a_path():
    place = Place()
    place.send("../../etc/terms.csv", b"a,b")
    place.send("C:\\temp\\terms.csv", b"a,b")
    assert [name for name, _ in place.files] == ["terms.csv", "terms.csv"]


def test_what_is_too_large_empty_or_of_another_kind_is_refused_in_a_sentence():
    place = Place()
    place.send("terms.csv", b"", size=20_000_001)
    place.send("terms.csv", b"")
    place.send("terms.exe", b"MZ")
    place.drop.hear({"kind": "several"})
    assert not place.files
    assert ["at most 20,000,000" in place.problems[0], "empty" in place.problems[1]] == [True, True]
    assert [".csv, .tbx" in place.problems[2], "One file" in place.problems[3]] == [True, True]


def test_the_browser_hears_that_a_file_was_refused_and_says_no_longer_that_it_is_sent():
    place = Place()
    said = []
    place.drop.send = lambda message, buffers=None: said.append(message["kind"])
    place.send("terms.exe", b"MZ")
    assert said == ["done"]


def test_a_new_file_takes_the_place_of_one_that_was_not_finished():
    place = Place()
    place.drop.hear({"kind": "piece", "number": "1", "name": "a.csv", "size": 8, "at": 0}, [b"aaaa"])
    place.send("b.csv", b"bbbbb", number="2")
    place.drop.hear({"kind": "piece", "number": "1", "name": "a.csv", "size": 8, "at": 4}, [b"aaaa"])
    assert place.files == [("b.csv", b"bbbbb")]
