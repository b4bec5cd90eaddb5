"""What is written down of documents, and that nobody can read their keys."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from svc_nb.documents.storage import FETCHING, DocumentRecord, KeyEncryption, KeyGone, Storage, open_storage
from svc_nb.errors import StoreError
from svc_nb.secret import Secret
from svc_nb.wire.models import DocumentHandle

KEY = "0123456789ABCDEF" * 4
NEW = DocumentRecord("identity", "address", "/in/a.txt", 3, "digest", "DE", "{}", output="/out/a.txt")


class Entries:
    """A keyring that keeps its entries, or none, or fails."""

    def __init__(self, *, keeps=True, fails=False):
        self.entries = {}
        self.keeps, self.fails = keeps, fails

    def get_password(self, service, name):
        if self.fails:
            raise RuntimeError("no desktop")
        return self.entries.get((service, name))

    def set_password(self, service, name, password):
        if self.fails:
            raise RuntimeError("no desktop")
        if self.keeps:
            self.entries[service, name] = password


@pytest.fixture
def path(tmp_path):
    return tmp_path / "store" / "documents.sqlite"


@pytest.fixture
def storage(path):
    made = Storage(path, keyring=Entries(fails=True))
    yield made
    made.close()


def sent(storage, *, identity="identity"):
    """A job that has sent a document."""
    job = storage.enter()
    storage.claim(NEW, job)
    storage.keep_handle(identity, DocumentHandle("D" * 32, Secret(KEY)))
    return job


# ---- keys


@pytest.mark.parametrize(
    "entries", [Entries(), Entries(keeps=False), Entries(fails=True)], ids=["keeps", "null", "fails"]
)
def test_a_sealed_secret_is_read_by_the_next_process_with_whatever_keyring(tmp_path, entries):
    first = KeyEncryption(tmp_path / "documents.sqlite", entries)
    first.prepare()
    sealed = first.seal(Secret(KEY))
    assert KEY.encode() not in sealed
    second = KeyEncryption(tmp_path / "documents.sqlite", entries)
    second.prepare()
    assert second.unseal(sealed) == Secret(KEY)
    assert (tmp_path / "documents.sqlite.key").exists() is not bool(entries.entries)


def test_a_key_that_is_gone_is_reported_and_a_new_one_can_be_made(tmp_path):
    path = tmp_path / "documents.sqlite"
    encryption = KeyEncryption(path, Entries(fails=True))
    encryption.prepare()
    sealed = encryption.seal(Secret(KEY))
    for content in (None, "", "no key"):
        file = tmp_path / "documents.sqlite.key"
        file.unlink() if content is None else file.write_text(content)
        other = KeyEncryption(path, Entries(fails=True))
        with pytest.raises(KeyGone, match=r"documents\.sqlite\.key"):
            other.unseal(sealed)
        other.prepare()
        assert other.unseal(other.seal(Secret("new"))) == Secret("new")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no modes")
def test_only_its_owner_can_read_what_is_written_down(storage, path):
    sent(storage)
    for file in path.parent.iterdir():
        if file.is_file():
            assert stat.S_IMODE(file.stat().st_mode) == 0o600, file.name
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_no_file_holds_a_key_of_a_document_in_the_clear(storage, path):
    job = sent(storage)
    storage.note("identity", stage=FETCHING)
    assert storage.handle("identity") == DocumentHandle("D" * 32, Secret(KEY))
    files = [file for file in path.parent.rglob("*") if file.is_file()]
    assert files
    assert not any(KEY.encode() in file.read_bytes() for file in files)
    assert KEY not in repr([storage.find("identity"), storage.handle("identity"), vars(storage)])
    storage.leave(job)


def test_a_key_that_no_one_needs_any_more_is_forgotten(storage):
    sent(storage)
    storage.close_handle("identity", stage="fetched")
    with pytest.raises(KeyGone, match="its key was deleted"):
        storage.handle("identity")


# ---- who has what


def test_one_job_at_a_time_has_a_document(storage, path):
    first, second = storage.enter(), storage.enter()
    other = Storage(path, keyring=Entries(fails=True))  # as another process has it
    third = other.enter()
    assert storage.claim(NEW, first) == storage.claim(NEW, first) != None  # noqa: E711
    assert storage.claim(NEW, second) is None
    assert other.claim(NEW, third) is None
    storage.release("identity", first)
    assert other.claim(NEW, third) is not None
    assert storage.claim(NEW, first) is None
    other.close()
    assert storage.claim(NEW, first) is not None


def test_what_was_never_sent_is_forgotten_and_what_was_sent_is_not(storage):
    job = storage.enter()
    storage.claim(NEW, job)
    storage.release("identity", job)
    assert storage.find("identity") is None
    job = sent(storage)
    storage.leave(job)
    assert [each.stage for each in storage.under_way()] == ["sent"]
    assert not storage.is_held("identity")


def test_a_restart_finds_what_was_written_down(storage, path):
    sent(storage)
    storage.close()
    again = Storage(path, keyring=Entries(fails=True))
    assert again.handle("identity").document_key == Secret(KEY)
    assert again.find("identity").output == "/out/a.txt"
    assert again.under_way("elsewhere") == []
    assert again.forget("D" * 32) == 1
    assert again.forget("D" * 32) == 0
    again.close()


def test_a_file_that_is_no_shelf_is_reported_with_its_name(path):
    path.parent.mkdir()
    path.write_bytes(b"no database at all, but long enough to be looked at" * 30)
    with pytest.raises(StoreError, match=r"documents\.sqlite"):
        Storage(path).enter()


def test_a_process_has_one_shelf_for_a_file(path):
    one = open_storage(str(path))
    assert open_storage(str(path)) is one


@settings(max_examples=25)
@given(st.text(st.characters(blacklist_categories=["Cs"])))
def test_every_path_and_error_comes_back_as_it_was(text):
    storage = Storage(":memory:", keyring=Entries(keeps=True))
    job = storage.enter()
    storage.claim(DocumentRecord("i", "a", text, 1, "d", "DE", "{}"), job)
    storage.note("i", error=text, output=text)
    found = storage.find("i")
    assert (found.path, found.error, found.output) == (text, text, text)


def test_a_forked_child_holds_nothing(storage):
    if not hasattr(os, "fork"):
        pytest.skip("no fork on this system")
    job = sent(storage)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        mine = storage.enter()
        os.write(write, b"held" if storage.claim(NEW, mine) is None else b"free")
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(read, 4) == b"held"
    storage.leave(job)
    assert Path(f"{storage._database.path}-jobs").is_dir()
