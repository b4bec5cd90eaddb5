"""Apertium: its pairs and routes with ordinary programs in its place, then the real thing where it is installed."""

from __future__ import annotations

import ast
import csv
import itertools
import logging
import os
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from svc_nb.service.translators import NoTranslator, TranslatorFailed, Translators, probes
from svc_nb.service.translators.apertium import DEBIAN_PACKAGES, ROUTES, Apertium

REVIEWS = Path(__file__).with_name("reviews.tsv")

# In a pipe, like Apertium's own programs: puts its name before a text, and breaks at certain words.
PROGRAM = """
import os, pathlib, sys, time
name, diary = sys.argv[1], pathlib.Path(sys.argv[2])
with diary.open("a") as file: file.write(name + "\\n")
rest, late = b"", None
while part := os.read(0, 65536):
    *messages, rest = (rest + part).split(b"\\0")
    for message in messages:
        if b"poison" in message or diary.with_name("down").exists(): os._exit(134)
        if b"hang" in message: time.sleep(60)
        if b"shift" in message: late = b"somebody's secret.[][=1]"
        body, trailer = message.rsplit(b"[][", 1)
        answer = name.encode() + b" " + body + b"[][" + trailer
        answer, late = (late, answer) if late is not None else (answer, None)
        os.write(1, answer + b"\\0")
"""


class Fake:
    """A data folder with pairs made of ordinary programs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.diary = folder / "diary"
        (folder / "modes").mkdir()
        (folder / "program.py").write_text(PROGRAM)

    def pair(self, mode: str, command: str = "") -> None:
        words = [sys.executable, "-SE", str(self.folder / "program.py"), mode, str(self.diary)]
        text = command or f"cat | {shlex.join(words)} | cat\n"
        (self.folder / "modes" / f"{mode}.mode").write_text(text)

    def starts(self) -> Counter[str]:
        return Counter(self.diary.read_text().split()) if self.diary.exists() else Counter()

    def break_down(self) -> None:
        (self.folder / "down").touch()


@pytest.fixture
def fake(tmp_path: Path) -> Fake:
    return Fake(tmp_path)


@pytest.fixture
def engine(fake: Fake) -> Iterator[Apertium]:
    engine = Apertium([fake.folder], patience=10.0)
    yield engine
    engine.close()


def test_only_pairs_with_every_step_installed_are_offered(fake: Fake, engine: Apertium) -> None:
    for mode in ("spa-eng", "ro-es", "ita-cat", "spa-eng_US", "eng-cat_valencia", "nno-nob", "README"):
        fake.pair(mode)
    assert sorted(engine.pairs()) == [
        ("es", "en"),
        ("es", "en-us"),
        ("ro", "en"),
        ("ro", "en-us"),
        ("ro", "es"),
    ]


def test_without_apertium_there_are_no_pairs(tmp_path: Path) -> None:
    engine = Apertium([tmp_path])
    assert list(engine.pairs()) == []
    assert not engine.ready("es", "en")


def test_texts_pass_through_every_step_of_the_route(fake: Fake, engine: Apertium) -> None:
    fake.pair("ro-es")
    fake.pair("spa-eng")
    assert engine.translate(["bun"], "ro", "en") == ["spa-eng ro-es bun"]


def test_a_variant_has_its_own_last_step(fake: Fake, engine: Apertium) -> None:
    fake.pair("spa-eng")
    fake.pair("spa-eng_US")
    assert engine.translate(["a"], "es", "en-us") == ["spa-eng_US a"]
    assert engine.translate(["a"], "es", "en") == ["spa-eng a"]


def test_every_text_gets_its_own_translation_in_order(fake: Fake, engine: Apertium) -> None:
    fake.pair("spa-eng")
    texts = [f"texto {number}" for number in range(230)]
    assert engine.translate(texts, "es", "en") == [f"spa-eng texto {number}" for number in range(230)]
    assert fake.starts() == {"spa-eng": 1}


def test_a_nul_or_nothing_to_say_shifts_no_results(fake: Fake, engine: Apertium) -> None:
    fake.pair("spa-eng")
    texts = ["a\0b", "", "\0", " c\n", "12", "d\uffff", "\ud800e", "f"]
    out = engine.translate(texts, "es", "en")
    assert out == [
        "spa-eng a b",
        "",
        "\0",
        " spa-eng c\n",
        "12",
        "spa-eng d\ufffd",
        "spa-eng \ufffde",
        "spa-eng f",
    ]


def test_equal_texts_are_translated_once_but_keep_their_own_surroundings(fake: Fake, engine: Apertium) -> None:
    fake.pair("spa-eng")
    assert engine.translate(["a", " a", "a"], "es", "en") == ["spa-eng a", " spa-eng a", "spa-eng a"]


@pytest.mark.parametrize(
    "command",
    [
        "false",
        "cat | false",
        "no-such-program -x",
        "cat",
        "cat | | cat",
        "",
        "sh -c 'kill -SEGV $$'",
    ],
)
def test_a_broken_pair_fails_its_self_test_and_is_offered_no_more(fake: Fake, engine: Apertium, command: str) -> None:
    fake.pair("spa-eng", command or " ")
    assert ("es", "en") in engine.pairs()
    assert not engine.ready("es", "en")
    assert ("es", "en") not in engine.pairs()
    with pytest.raises(TranslatorFailed):
        engine.translate(["hola"], "es", "en")
    with pytest.raises(NoTranslator):
        Translators([engine]).choose("es", "en")


def test_a_pair_is_tested_once(fake: Fake, engine: Apertium) -> None:
    fake.pair("spa-eng")
    fake.break_down()
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(lambda _: engine.ready("es", "en"), range(8))) == {False}
    assert fake.starts() == {"spa-eng": 1}


def test_the_next_best_route_takes_the_place_of_a_broken_one(
    fake: Fake, engine: Apertium, caplog: pytest.LogCaptureFixture
) -> None:
    fake.pair("spa-eng", "false")
    fake.pair("spa-cat")
    fake.pair("cat-eng")
    assert engine.translate(["a"], "es", "en") == ["cat-eng spa-cat a"]
    assert "spa-eng is left out" in caplog.text


def test_a_text_that_breaks_the_programs_stays_as_it_is_and_the_others_are_translated(
    fake: Fake, engine: Apertium, caplog: pytest.LogCaptureFixture
) -> None:
    fake.pair("spa-eng")
    texts = ["a", "poison pill", "b"]
    assert engine.translate(texts, "es", "en") == ["spa-eng a", "poison pill", "spa-eng b"]
    assert engine.translate(["c"], "es", "en") == ["spa-eng c"]
    assert "was started again" in caplog.text
    assert "pill" not in caplog.text


@pytest.mark.long
def test_a_hanging_program_is_ended_and_started_again(fake: Fake) -> None:
    fake.pair("spa-eng")
    engine = Apertium([fake.folder], patience=2.0)
    assert engine.translate(["hang", "b"], "es", "en") == ["hang", "spa-eng b"]
    engine.close()


def test_an_answer_out_of_step_never_reaches_another_text(fake: Fake, engine: Apertium) -> None:
    fake.pair("spa-eng")
    texts = ["a", "shift it", "b", "c"]
    assert engine.translate(texts, "es", "en") == ["spa-eng a", "shift it", "spa-eng b", "spa-eng c"]


def test_a_pair_that_breaks_down_for_good_is_an_error_and_offered_no_more(fake: Fake, engine: Apertium) -> None:
    fake.pair("spa-eng")
    engine.translate(["a"], "es", "en")
    fake.break_down()
    with pytest.raises(TranslatorFailed, match="es to en"):
        engine.translate(["secreto"], "es", "en")
    assert not engine.ready("es", "en")


@pytest.mark.long
def test_a_batch_of_nothing_but_poison_is_not_swallowed(fake: Fake, engine: Apertium) -> None:
    fake.pair("spa-eng")
    with pytest.raises(TranslatorFailed):
        engine.translate([f"poison {number}" for number in range(10)], "es", "en")


def test_callers_from_many_threads_get_their_own_texts(fake: Fake, engine: Apertium) -> None:
    fake.pair("spa-eng")

    def translated(caller: int) -> bool:
        texts = [f"{caller} x {number}" for number in range(120)]
        return engine.translate(texts, "es", "en") == [f"spa-eng {text}" for text in texts]

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(translated, range(16)))
    assert fake.starts() == {"spa-eng": 1}


def test_only_so_many_pairs_are_kept_running(fake: Fake) -> None:
    fake.pair("spa-eng")
    fake.pair("eng-spa")
    engine = Apertium([fake.folder], live=1)
    engine.translate(["a"], "es", "en")
    engine.translate(["a"], "en", "es")
    assert engine.running == ["eng-spa"]
    assert engine.translate(["b"], "es", "en") == ["spa-eng b"]
    assert engine.running == ["spa-eng"]
    engine.close()
    assert engine.running == []


def test_a_closed_engine_starts_nothing(fake: Fake, engine: Apertium) -> None:
    fake.pair("spa-eng")
    engine.translate(["a"], "es", "en")
    engine.close()
    with pytest.raises(TranslatorFailed):
        engine.translate(["a"], "es", "en")
    assert engine.running == []


def test_the_data_folder_can_be_named_in_the_environment(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    fake.pair("spa-eng")
    monkeypatch.setenv("APERTIUM_DATADIR", str(fake.folder))
    engine = Apertium()
    assert engine.translate(["a"], "es", "en") == ["spa-eng a"]
    engine.close()


def test_a_longer_route_is_preferred_only_where_it_is_clearly_better() -> None:
    by_pair = itertools.groupby(ROUTES, key=lambda route: (route[0].split()[0], route[0].split()[-1]))
    pairs = [(pair, list(routes)) for pair, routes in by_pair]
    assert len(pairs) == len({pair for pair, _ in pairs})
    for _, ((best, figure), *others) in pairs:
        for way, other in others:
            steps = len(best.split()) - len(way.split())
            assert figure >= other + (3 if steps > 0 else -3 if steps < 0 else 0), (best, way)


def test_no_route_is_listed_twice_or_comes_through_a_language_twice() -> None:
    assert len({way for way, _ in ROUTES}) == len(ROUTES)
    for way, _ in ROUTES:
        assert len(set(way.split())) == len(way.split())


# Which route each pair takes, with programs that only say their names; files come in another order each time.
TAKEN = """
import sys
from svc_nb.service.translators.apertium import Apertium
engine = Apertium([sys.argv[1]])
print([(pair, engine.translate(["a"], *pair)) for pair in engine.pairs()])
engine.close()
"""


@pytest.mark.long
def test_every_process_takes_the_same_routes(fake: Fake, tmp_path: Path) -> None:
    for mode in ("fra-cat", "cat-eng", "cat-spa", "spa-eng", "fr-es", "spa-cat", "es-pt", "cat-por", "ro-es", "pt-es"):
        fake.pair(mode)
    started = [
        subprocess.Popen(
            [sys.executable, "-c", TAKEN, str(fake.folder)],
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed in range(3)
    ]
    said = {each.communicate()[0] for each in started}
    assert len(said) == 1
    taken = dict(ast.literal_eval(said.pop()))
    assert taken["fr", "en"] == ["spa-eng cat-spa fra-cat a"]
    assert taken["ro", "pt"] == ["cat-por spa-cat ro-es a"]
    assert taken["es", "pt"] == ["cat-por spa-cat a"]


def test_every_source_language_has_probes_of_its_own() -> None:
    sources = {way.split()[0] for way, _ in ROUTES}
    assert all(len(probes(source)) == 3 for source in sources)
    assert len({probes(source) for source in sources}) == len(sources)


# The real thing.


def needs_apertium(test: Callable[..., None]) -> Callable[..., None]:
    """Run with the system's Apertium."""
    reason = f"Apertium is not installed: sudo apt-get install {' '.join(DEBIAN_PACKAGES)}"
    return pytest.mark.skipif(shutil.which("apertium") is None, reason=reason)(test)


@pytest.fixture(scope="module")
def apertium() -> Iterator[Apertium]:
    engine = Apertium()
    yield engine
    engine.close()


@needs_apertium
def test_plain_sentences_are_translated(apertium: Apertium) -> None:
    assert apertium.translate(["Los zapatos son muy cómodos."], "es", "en") == ["The shoes are very comfortable."]
    assert apertium.translate(["Vi kjøpte en ny bok."], "nb", "da") == ["Vi købte en ny bog."]


@needs_apertium
def test_a_text_gains_no_marks_and_no_full_stop(apertium: Apertium) -> None:
    out = apertium.translate(["El Xyzzyvich es bueno", "Es bueno.", "¡Es bueno!"], "es", "en")
    assert out == ["The Xyzzyvich is good", "It is good.", "It is good!"]


@needs_apertium
def test_american_spelling_is_given_where_it_is_asked_for(apertium: Apertium) -> None:
    assert apertium.translate(["El color."], "es", "en") == ["The colour."]
    assert apertium.translate(["El color."], "es", "en-us") == ["The color."]


@pytest.mark.long
@needs_apertium
@pytest.mark.parametrize("pair", [("es", "en"), ("fr", "en"), ("en", "es"), ("sv", "da")])
def test_placeholders_come_through_exactly_once(apertium: Apertium, pair: tuple[str, str]) -> None:
    texts = []
    for text in reviews()[pair[0]]:
        words = text.split(" ")
        for place in range(0, len(words), 2):
            texts.append(" ".join([*words[:place], "\ue000", *words[place:-1], f"\ue001{words[-1]}"]))
    for text, out in zip(texts, apertium.translate(texts, *pair), strict=True):
        assert sorted(sign for sign in out if "\ue000" <= sign <= "\uf8ff") == ["\ue000", "\ue001"], text


@needs_apertium
def test_odd_signs_break_nothing_and_come_back(apertium: Apertium, caplog: pytest.LogCaptureFixture) -> None:
    odd = [
        *"\\[]{}^$/<>@~*#+=_|&%…«»\t\n\x01\x7f\xa0\u200b\u2028\ufeff\ufffd😀中\0\uffff",
        "[[t:b:1]]",
        "^a<n>$",
        "[=5]",
    ]
    texts = [f"la casa {sign} es {sign}{sign} grande" for sign in odd]
    for sign, out in zip(odd, apertium.translate(texts, "es", "en"), strict=True):
        assert sign in out or sign in "\0\uffff^a<n>$", (sign, out)
        assert "casa" not in out
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


@needs_apertium
def test_many_threads_give_what_one_gives(apertium: Apertium) -> None:
    texts = [f"{text} {number}" for number in range(5) for text in reviews()["es"]]
    alone = apertium.translate(texts, "es", "en")
    with ThreadPoolExecutor(8) as pool:
        parts = list(pool.map(lambda start: apertium.translate(texts[start::8], "es", "en"), range(8)))
    assert [parts[place % 8][place // 8] for place in range(len(texts))] == alone


# The first of these texts has a word of a kind that the tagger of Spanish to Italian does not know, and learns.
MEMORABLE = ["Esa opción no está entre las disponibles.", "Corrija el dato duplicado para la silla.", "Es un regalo."]
ROUTE = """
import sys
from svc_nb.service.translators.apertium import Apertium
engine = Apertium()
source, target, *texts = sys.argv[1:]
print(engine.translate(texts, source, target))
engine.close()
"""


@needs_apertium
def test_a_translation_does_not_depend_on_the_texts_before(apertium: Apertium) -> None:
    pair, texts, alone = ("es", "it"), MEMORABLE, []
    for text in texts:
        fresh = Apertium()
        alone += fresh.translate([text], *pair)
        fresh.close()
    assert apertium.translate(texts, *pair) == alone
    assert apertium.translate(texts[::-1], *pair) == alone[::-1]
    with ThreadPoolExecutor(4) as pool:
        for out in pool.map(lambda start: apertium.translate(texts[start:] + texts[:start], *pair), range(3)):
            assert sorted(out) == sorted(alone)


@pytest.mark.long
@needs_apertium
@pytest.mark.parametrize("pair", [("ro", "pt"), ("fr", "en"), ("en", "it")])
def test_longer_routes_give_every_process_the_same(apertium: Apertium, pair: tuple[str, str]) -> None:
    texts = reviews()[pair[0]][:8]
    here = apertium.translate(texts, *pair)
    orders = [texts, texts[::-1], texts[4:] + texts[:4]]
    started = [
        subprocess.Popen(
            [sys.executable, "-c", ROUTE, *pair, *order],
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed, order in enumerate(orders)
    ]
    for order, each in zip(orders, started, strict=True):
        out = ast.literal_eval(each.communicate()[0])
        assert [out[order.index(text)] for text in texts] == here


@pytest.mark.long
@needs_apertium
@pytest.mark.parametrize("pair", ["es en", "fr en", "it en", "pt en", "ro en", "en es", "es fr", "nb da"])
def test_a_pair_is_as_good_as_was_measured(apertium: Apertium, pair: str) -> None:
    source, target = pair.split()
    figure = next(figure for way, figure in ROUTES if way.split()[0] == source and way.split()[-1] == target)
    table = reviews()
    assert chrf(apertium.translate(table[source], source, target), table[target]) > figure - 8


def reviews() -> dict[str, list[str]]:
    """The same 20 sentences in every language."""
    with REVIEWS.open(encoding="utf-8", newline="") as file:
        names, *rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
    return {name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}


def chrf(outs: list[str], references: list[str]) -> float:
    """The character F-score of 100: n-grams up to 6, recall twice as heavy as precision."""
    score = 0.0
    for size in range(1, 7):
        both = had = wanted = 0
        for out, reference in zip(outs, references, strict=True):
            ours, theirs = grams(out, size), grams(reference, size)
            both, had, wanted = both + (ours & theirs).total(), had + ours.total(), wanted + theirs.total()
        score += 5 * both / (4 * wanted + had) if both else 0.0
    return 100 * score / 6


def grams(text: str, size: int) -> Counter[str]:
    letters = text.replace(" ", "")
    return Counter(letters[at : at + size] for at in range(len(letters) - size + 1))
