"""Rotten bytes in a store: what is read is right, or there is one error, which names the file and says what to do."""

from __future__ import annotations

import random
import shutil

import keyring
import pytest
from keyring.backends import null

from svc_nb.documents.storage import DocumentRecord, Output, Storage
from svc_nb.engine.outcome import TextAnswer
from svc_nb.engine.store import Store, StoredAnswer
from svc_nb.errors import StoreError
from svc_nb.secret import Secret
from svc_nb.wire.models import DocumentHandle

KEYS = [number.to_bytes(32) for number in range(400)]
NEW = DocumentRecord("new", "address", "/in/a.txt", 3, "digest", "DE", "{}")


def answered(path):
    store = Store(path)
    texts = [f"Vertraulich {number} äöü" for number in range(len(KEYS))]
    pairs = zip(KEYS, texts, strict=True)
    store.put([StoredAnswer(key, text, TextAnswer(text, "DE", 7), "translate", "x", "DE", "EN") for key, text in pairs])
    store.close()


def use_answers(path):
    store = Store(path)
    yield store.info
    yield lambda: list(store.entries())
    yield lambda: store.get(KEYS)
    yield lambda: store.get(KEYS[:1])
    yield lambda: store.claim(KEYS[:200], "run")
    yield lambda: store.put([StoredAnswer(b"new", "x", TextAnswer("x", "DE", 1), "translate")])
    yield store.charges
    yield lambda: store.clear(target_lang="FR")
    yield store.close


def sent(path):
    storage = Storage(path)
    job = storage.enter()
    for number in range(60):
        name = f"/in/Vertraulich {number} ä.txt"
        storage.claim(DocumentRecord(f"{number}", "address", name, 3, "digest", "DE", "{}"), job)
        storage.keep_handle(f"{number}", DocumentHandle("D" * 32, Secret("A" * 64)))
        storage.keep_output(Output(f"/out/{number}", f"{number}", name, "DE", "digest"))
    storage.leave(job)
    storage.close()


def use_documents(path):
    storage = Storage(path)
    yield lambda: [each.asked_options for each in storage.under_way()]
    yield lambda: storage.leave(storage.enter())
    yield lambda: storage.claim(NEW, "job")
    yield lambda: [storage.handle(f"{number}") for number in range(60)]
    yield lambda: [storage.find(f"{number}") for number in range(60)]
    yield lambda: storage.copies("3")
    yield lambda: storage.is_held("3")
    yield lambda: storage.note("5", status="x")
    yield storage.close


def decayed(data: bytes, randomly: random.Random):
    """Copies of *data* with other bytes in some places, or without its end."""
    for name in (b"Vertraulich 7", b"operation TEXT", b"translator", b"/in/"):
        yield data.replace(name, name[:3] + b"\xce" + name[4:])
    for _ in range(8):
        flipped = bytearray(data)
        for _ in range(200):
            flipped[randomly.randrange(100, len(data))] ^= 1 << randomly.randrange(8)
        yield bytes(flipped)
        for size, gap in ((512, bytes(512)), (4096, randomly.randbytes(4096))):
            begin = randomly.randrange(0, len(data), size)
            yield data[:begin] + gap + data[begin + size :]
        yield data[: randomly.randrange(100, len(data))]
    for begin in range(0, len(data), 4096):
        yield data[:begin] + bytes(4096) + data[begin + 4096 :]


@pytest.fixture
def no_keyring():
    before = keyring.get_keyring()
    keyring.set_keyring(null.Keyring())
    yield
    keyring.set_keyring(before)


@pytest.mark.long
@pytest.mark.usefixtures("no_keyring")
@pytest.mark.filterwarnings("ignore::svc_nb.errors.NotStored")  # said at the end, of what was put
@pytest.mark.parametrize(("make", "use"), [(answered, use_answers), (sent, use_documents)], ids=["store", "documents"])
def test_rotten_bytes_are_one_error_that_names_the_file_and_says_what_to_do(tmp_path, make, use):
    whole = tmp_path / "whole.sqlite"
    make(whole)
    said = []
    for number, rotten in enumerate(decayed(whole.read_bytes(), random.Random(1))):
        path = tmp_path / f"{number}" / "rotten.sqlite"
        path.parent.mkdir()
        path.write_bytes(rotten)
        if make is sent:
            shutil.copy(f"{whole}.key", f"{path}.key")
        for step in use(path):
            try:
                step()
            except StoreError as error:
                said.append(str(error).replace(str(path), "FILE"))
    # A rotten key of a document concerns it alone.
    said = [each for each in said if "its key was deleted" not in each and "keys of documents" not in each]
    assert len(said) > 20
    assert [
        each for each in said if not each.startswith("The store FILE is damaged") or "Move it away" not in each
    ] == []
