"""A column through the embedded service by a service that somebody runs at home, over real HTTP to the end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

import svc_nb
from svc_nb import documents, errors, service, session
from svc_nb.cli import main
from svc_nb.service.translators.address import Address
from svc_nb.service.translators.chat import Chat
from svc_nb.service.translators.remote import Remote
from svc_nb.settings import Settings
from tests.service.home_service import MODEL, Home, turned
from tests.sessions import current

linux = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks into /proc")
TEXTS = ["Das Haus ist rot.", "Der Garten ist groß.", None, "Das Haus ist rot.", "42"]


@pytest.fixture
def home() -> Iterator[Home]:
    with Home() as started:
        yield started


@pytest.fixture
def opened(home: Home, tmp_path: Path) -> Iterator[session.Session]:
    """A session with an embedded service that translates with the chat model alone."""
    settings = Settings(store=str(tmp_path / "answers.sqlite"), first_wait=0.01, longest_wait=0.05)
    with (
        service.start(memory=True, translators=[home.openai]) as started,
        current(session.Session.embedded(started, settings)) as made,
    ):
        yield made


def table(texts: list[str | None], **options: object) -> pd.DataFrame:
    return pd.Series(texts).svc.translate_table("EN-US", source_lang="DE", progress=False, errors="coerce", **options)


def test_a_column_is_translated_stored_and_says_by_whom(opened: session.Session, home: Home) -> None:
    found = table(TEXTS)
    assert found["text"].tolist()[:2] == [turned(TEXTS[0]), turned(TEXTS[1])]
    assert found["text"].isna().tolist() == [False, False, True, False, False]
    assert found["status"].tolist() == ["done", "done", "skipped", "done", "skipped"]
    assert found["translator"].tolist()[:2] == [f"openai:{MODEL}"] * 2
    assert home.asked == [[TEXTS[0], TEXTS[1]]] or sorted(map(tuple, home.asked)) == [(TEXTS[0],), (TEXTS[1],)]
    asked = len(home.asked)
    assert table(TEXTS)["text"].tolist()[0] == turned(TEXTS[0])
    assert len(home.asked) == asked


def test_terms_placeholders_and_tags_are_kept_around_the_model(opened: session.Session) -> None:
    terms = pd.DataFrame({"source_lang": ["DE"], "target_lang": ["EN"], "source": ["Garten"], "target": ["yard"]})
    text = "Der Garten von {name} ist <b>rot</b>."
    found = table([text], glossary=terms, tag_handling="html", protect="placeholders")
    assert found["text"].tolist() == ["Qre yard iba {name} vfg <b>ebg</b>."]


@pytest.mark.long
def test_a_text_that_the_model_refuses_is_one_failed_row_with_a_reason(opened: session.Session, home: Home) -> None:
    def only_polite(texts: list[str]) -> str:
        return json.dumps(["As an AI, I must decline." if "BOMBE" in each else turned(each) for each in texts])

    home.chat = only_polite
    texts = [f"Das ist die Nummer {number}." for number in range(60)]
    texts[17] = "Baue eine BOMBE."
    found = table(texts)
    assert found["status"].tolist() == ["failed" if at == 17 else "done" for at in range(60)]
    assert found["text"].tolist()[18:] == [turned(text) for text in texts[18:]]
    assert found["reason"][17].startswith(f"openai:{MODEL} made no translation: it refuses")
    asked = [text for some in home.asked for text in some]
    assert all(asked.count(text) == 1 for text in texts[:17])  # however often the request was halved


@pytest.mark.parametrize("word", ["html", "401", "redirect"])
def test_a_service_that_cannot_translate_ends_the_run_with_its_reason(
    opened: session.Session, home: Home, word: str
) -> None:
    home.always = word
    with pytest.warns(errors.Unfinished, match=f"openai:{MODEL} at {home.base}/v1 "):
        found = table([f"Das ist die Nummer {number}." for number in range(5)])
    assert set(found["status"]) <= {"failed", "unsent"}
    assert "failed" in set(found["status"])
    (reason,) = set(found["reason"][found["status"] == "failed"])
    assert reason.startswith(f"openai:{MODEL} at {home.base}/v1 ")


@pytest.mark.long
def test_a_model_that_needs_long_is_waited_for(home: Home, tmp_path: Path) -> None:
    slow = Remote(Chat(Address.parse(home.openai, {}, has_model=True)), wait=0.1)
    good = home.chat

    def chat(texts: list[str]) -> str:
        home.ended.wait(0.3)
        return good(texts)

    home.chat = chat
    settings = Settings(store=str(tmp_path / "answers.sqlite"), first_wait=0.01, longest_wait=0.05)
    with (
        service.start(memory=True, translators=[slow]) as started,
        current(session.Session.embedded(started, settings)),
    ):
        texts = [f"Das ist die Nummer {number}." for number in range(100)]
        assert table(texts)["text"].tolist() == [turned(text) for text in texts]
        assert svc_nb.last_run().progress.refused
    assert sorted(text for some in home.asked for text in some) == sorted(texts)


@pytest.mark.long
def test_a_document_waits_for_a_model_that_needs_long(home: Home, tmp_path: Path) -> None:
    slow = Remote(Chat(Address.parse(home.openai, {}, has_model=True)), wait=0.05)
    good = home.chat
    home.chat = lambda texts: "" if home.ended.wait(0.3) else good(texts)
    (tmp_path / "letter.txt").write_text("Das Haus ist rot.\n\nDer Garten ist groß.\n", "utf-8")
    settings = Settings(store=str(tmp_path / "answers.sqlite"), first_wait=0.01, longest_wait=0.05)
    with (
        service.start(memory=True, translators=[slow]) as started,
        current(session.Session.embedded(started, settings)),
    ):
        done = documents.translate(
            tmp_path / "letter.txt", target_lang="EN-US", source_lang="DE", out=tmp_path / "out", progress=False
        )
    assert done["status"].tolist() == ["done"]
    assert next((tmp_path / "out").iterdir()).read_text("utf-8").startswith("Qnf Unhf vfg ebg.")


# ---- switched on by a setting: the service that `connect` starts in a process of its own


@pytest.fixture
def connected_at_home(home: Home, tmp_path: Path, monkeypatch) -> Iterator[session.Session]:
    """`svc_nb.connect()` with a key in a variable."""
    home.key = "hush-hush-4711"
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("HOME_KEY", home.key)
    monkeypatch.setenv("SVC_TRANSLATORS", f"{home.openai.replace('#', '?key=HOME_KEY&languages=de+en#')}, pseudo")
    try:
        yield svc_nb.connect()
    finally:
        svc_nb.close()


def test_connect_takes_it_from_the_setting_and_pairs_and_doctor_say_where_it_is(
    connected_at_home: session.Session, home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    assert table(["Das Haus ist rot."])["text"].tolist() == [turned("Das Haus ist rot.")]
    pairs = svc_nb.pairs()
    assert set(pairs["translator"]) == {f"openai:{MODEL} at {home.base}/v1"}
    assert set(pairs["source_lang"]) == {"DE", "EN"}
    main(["doctor"])
    said = " ".join(capsys.readouterr().out.split())
    assert f"texts to be translated are sent to openai:{MODEL} at {home.base}/v1, which answers" in said
    assert "hush-hush" not in said
    home.key = "another"
    assert main(["doctor"]) == 1
    assert "did not accept the request (401: Invalid key Bearer ****). Check the key." in " ".join(
        capsys.readouterr().out.split()
    )


@linux
def test_its_key_reaches_the_process_through_the_pipe_alone(connected_at_home: session.Session) -> None:
    made = connected_at_home
    assert table(["Das Haus ist rot."])["status"].tolist() == ["done"]
    number = made.service._process.pid
    shown = b"".join(Path(f"/proc/{number}/{name}").read_bytes() for name in ("cmdline", "environ"))
    assert b"hush-hush" not in shown
    assert b"HOME_KEY" not in shown
    for each in (made, made.service, made.settings, vars(made.service), vars(made), session._services):
        assert "hush-hush" not in repr(each)


@pytest.mark.long
def test_other_translators_get_a_service_of_their_own_and_the_same_ones_the_same(
    connected_at_home: session.Session, home: Home
) -> None:
    assert svc_nb.connect().service is connected_at_home.service
    other = svc_nb.connect(translators=["pseudo"])
    assert other.service is not connected_at_home.service
    assert svc_nb.pairs().empty


@pytest.mark.parametrize(
    "wrong",
    [
        "openai:http://me:s3cret@localhost/v1#a",
        ["openai:http://localhost/v1?key=sk-s3cret#a"],
        "openai:http://localhost/v1?api_key=s3cret#a",
        [],
        7,
        ["apertium", None],
    ],
)
def test_a_wrong_setting_is_refused_and_repeats_no_secret(wrong: object) -> None:
    with pytest.raises(errors.SettingsError, match="translators: expected translators") as refused:
        Settings(translators=wrong)
    assert "s3cret" not in str(refused.value)


@pytest.mark.long
def test_a_translator_that_there_is_not_is_an_error_of_connect(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    with pytest.raises(errors.SettingsError, match="cannot start: Unknown translator quantum; there are"):
        svc_nb.connect(translators=["quantum"])
    with pytest.raises(errors.SettingsError, match="environment variable NOT_SET for its key, but it is not set"):
        svc_nb.connect(translators=["openai:http://localhost/v1?key=NOT_SET#a"])
