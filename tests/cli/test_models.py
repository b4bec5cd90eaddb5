"""`svc-nb models`, against a real mirror on loopback that misbehaves as networks and proxies do."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread

import pytest

from svc_nb.cli import doctor
from svc_nb.service.models import default_folder, mirror
from svc_nb.service.translators import installed
from tests import forked
from tests.toy_firefox import build, install_library
from tests.waiting import until

GERMAN = {"The": "Das", "house": "Haus", "is": "ist", "big.": "groß."}
ENGLISH = {"Das": "The", "Haus": "house", "ist": "is", "groß.": "big."}
FRENCH = {"The": "La", "house": "maison", "is": "est", "big.": "grande."}
PADDING = " " * 300_000  # a model long enough to break off in


@pytest.fixture(autouse=True)
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    install_library(tmp_path / "library", monkeypatch)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    for name in ("SVC_MODEL_DIR", "SVC_MODEL_MIRROR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(mirror, "FIRST_PAUSE", 0.001)
    return default_folder()


@dataclass
class Served:
    """A mirror: its files by their paths, what it does wrong with each, and what it was asked for."""

    port: int = 0
    files: dict[str, bytes] = field(default_factory=dict)
    records: list[dict[str, object]] = field(default_factory=list)
    faults: dict[str, list[str]] = field(default_factory=dict)
    asked: list[tuple[str, str]] = field(default_factory=list)
    gone_on: Event = field(default_factory=Event)  # ends what stalls

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/models/records.json"

    def offer(self, source: str, target: str, words: dict[str, str], **more: object) -> None:
        """Add a model: its records, and its files where they say."""
        letters = f"{source}{target}".replace("-", "").lower()
        contents = {
            "model": (f"model.{letters}.intgemm.alphas.bin", json.dumps(words) + PADDING),
            "vocab": (f"vocab.{letters}.spm", "pieces"),
        }
        for kind, (name, content) in contents.items():
            location = f"{more.get('version', '3.0')}/{name}"
            self.files[f"/models/{location}"] = content.encode()
            attachment = {
                "hash": hashlib.sha256(content.encode()).hexdigest(),
                "size": len(content),
                "filename": name,
                "location": location,
            }
            languages = {"sourceLanguage": source, "targetLanguage": target}
            about = {"name": name, "fileType": kind, "version": "3.0", "architecture": "tiny", **languages, **more}
            self.records.append({**about, "attachment": attachment})

    def counts(self) -> Counter[str]:
        return Counter(path for path, _ in self.asked)


@pytest.fixture
def served():
    state = Served()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            wanted = self.headers.get("Range", "")
            state.asked.append((self.path, wanted))
            faults = state.faults.get(self.path, [])
            fault = faults.pop(0) if faults else ""
            records = json.dumps({"data": state.records}).encode()
            content = {**state.files, "/models/records.json": records}.get(self.path)
            if content is None:
                return self.send_error(404)
            if fault == "busy":
                return self.send_error(503)
            if fault == "page":
                return self.answer(200, b"<html>Please log in</html>", {"Content-Type": "text/html"})
            if fault == "bare page":
                return self.answer(200, b"\n<!DOCTYPE html>Please log in")
            if fault == "other":
                content = b"x" * len(content)
            if fault == "longer":
                content += b"x"
            start = int(wanted.removeprefix("bytes=").removesuffix("-")) if wanted and fault != "no range" else 0
            headers = {"Content-Range": f"bytes {start}-{len(content) - 1}/{len(content)}"} if start else {}
            broken = len(content) // 2 if fault == "break" else len(content)
            if fault == "stall":
                self.answer(200, content, headers, until=len(content) // 2)
                self.wfile.flush()
                return state.gone_on.wait(60)
            return self.answer(206 if start else 200, content[start:], headers, until=max(broken - start, 1000))

        def answer(self, status: int, content: bytes, headers=(), until: int | None = None) -> None:
            self.send_response(status)
            for name, value in dict(headers).items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content[:until])

        def log_message(self, *_) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.port = server.server_port
    Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield state
    server.shutdown()
    server.server_close()


@pytest.fixture
def german(served: Served) -> str:
    """The path of a model that the mirror has for de-en."""
    served.offer("de", "en", ENGLISH)
    return "/models/3.0/model.deen.intgemm.alphas.bin"


def add(shell, served: Served, pair: str = "de-en"):
    return shell("models", "add", pair, "--mirror", served.address, "--yes")


def pairs() -> dict[tuple[str, str], str]:
    """What an embedded service that starts now translates by such models."""
    return installed(["firefox"]).pairs()


def files(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


# ---- downloads


def test_a_pair_is_downloaded_tested_listed_used_and_removed(shell, served: Served, own: Path, german: str) -> None:
    ended = add(shell, served)
    assert ended.code == 0
    assert "de-en: version 3.0, 0.3 MB to download" in ended.out
    assert f"From {served.address}; licence: not stated by this mirror" in ended.out
    assert "Added firefox-de-en: de-en, 0.3 MB, passed its self-test" in ended.out
    (listed,) = json.loads(shell("models", "list", "--json").out)
    assert listed["name"] == "firefox-de-en"
    assert listed["pair"] == "de-en"
    assert listed["engine"] == "firefox"
    assert listed["self_test"] == "passed"
    assert listed["source"] == f"127.0.0.1:{served.port}"
    assert shell("models", "where").out.strip() == str(own)
    assert pairs() == {("de", "en"): "firefox"}
    ended = shell("models", "remove", "de-en", "--yes")
    assert ended.code == 0
    assert ended.out == "Deleted firefox-de-en: 0.3 MB freed.\n"
    assert files(own) == []


def test_a_pair_without_a_model_takes_two_and_only_what_is_not_there(shell, served: Served, german: str) -> None:
    served.offer("en", "fr", FRENCH)
    assert add(shell, served).code == 0
    served.asked.clear()
    ended = add(shell, served, "de-fr")
    assert ended.code == 0
    assert "There is no model de-fr; de-en and en-fr together translate it." in ended.out
    assert "de-en: version" not in ended.out
    assert german not in served.counts()
    assert pairs()["de", "fr"] == "firefox (de-en, en-fr)"


def test_what_is_there_is_not_asked_for_again(shell, served: Served, german: str) -> None:
    add(shell, served)
    served.asked.clear()
    ended = add(shell, served)
    assert (ended.code, ended.out) == (0, "There is a Firefox model de-en already.\n")
    assert served.asked == []


def test_the_newest_release_that_the_library_reads_is_taken(shell, served: Served, own: Path) -> None:
    served.offer("de", "en", {"*": ""}, version="2.9")
    served.offer("de", "en", ENGLISH, version="3.2")
    served.offer("de", "en", {"*": ""}, version="3.1")
    served.offer("de", "en", {"*": ""}, version="3.9", filter_expression="env.channel == 'nightly'")
    served.offer("de", "en", {"*": ""}, version="3.10a1")
    served.offer("de", "en", {"*": ""}, version="4.0")
    ended = add(shell, served)
    assert ended.code == 0, ended.err
    assert "version 3.2" in ended.out


def test_codes_of_mozilla_are_those_of_the_service(shell, served: Served) -> None:
    served.offer("no", "en", {"Jeg": "I", "Vi": "We", "Hva": "What"})
    served.offer("en", "zh-Hans", GERMAN)
    assert add(shell, served, "nb-en").code == 0
    assert "en-zh" in add(shell, served, "en-zh").out


@pytest.mark.parametrize("times", [1, 4])
def test_a_download_that_breaks_off_goes_on_where_it_stopped(
    shell, served: Served, own: Path, german: str, times: int
) -> None:
    served.faults[german] = ["break"] * times
    assert add(shell, served).code == 0
    ranges = [wanted for path, wanted in served.asked if path == german]
    assert ranges[0] == ""
    assert len(ranges) == times + 1
    assert all(wanted.startswith("bytes=") for wanted in ranges[1:])


def test_a_command_that_was_ended_is_continued_by_the_next(shell, served: Served, own: Path, german: str) -> None:
    served.faults[german] = ["break", *["busy"] * 10]
    ended = add(shell, served)
    assert ended.code == 1
    assert "broke off 5 times in a row (503 Service Unavailable)" in ended.err
    assert "Run the command again to continue where it stopped" in ended.err
    assert [Path(each).parent.name for each in files(own)] == [".partial"]
    served.faults.clear()
    served.asked.clear()
    assert add(shell, served).code == 0
    (wanted,) = (wanted for path, wanted in served.asked if path == german)
    assert wanted.startswith("bytes=1")
    assert not any("partial" in each for each in files(own))


@pytest.mark.long
def test_a_killed_command_leaves_what_the_next_continues(shell, served: Served, own: Path, german: str) -> None:
    served.faults[german] = ["stall"]
    command = [sys.executable, "-m", "svc_nb", "models", "add", "de-en", "--mirror", served.address, "--yes"]
    with forked.Popen(command, stdout=subprocess.DEVNULL) as process:
        until(lambda: any(part.stat().st_size > 100_000 for part in own.glob(".partial/*")), process=process)
        process.kill()
    served.gone_on.set()
    served.asked.clear()
    assert add(shell, served).code == 0
    (wanted,) = (wanted for path, wanted in served.asked if path == german)
    assert int(wanted.removeprefix("bytes=").removesuffix("-")) > 100_000
    assert [path.name for path in own.glob(".new-*")] == []


def test_a_mirror_without_ranges_begins_anew(shell, served: Served, german: str) -> None:
    served.faults[german] = ["break", "no range"]
    assert add(shell, served).code == 0


def test_what_was_kept_of_another_file_is_not_built_upon(shell, served: Served, own: Path, german: str) -> None:
    digest = hashlib.sha256(served.files[german]).hexdigest()
    (own / ".partial").mkdir(parents=True)
    (own / ".partial" / digest).write_bytes(b"x" * 1000)
    assert add(shell, served).code == 0


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("other", "its SHA-256 differs. Try another mirror"),
        ("longer", "is larger than the mirror's list says"),
        ("page", "is a web page, not a file of a model. Is a login or a proxy in between?"),
        ("bare page", "is a web page, not a file of a model. Is a login or a proxy in between?"),
    ],
)
def test_a_file_that_is_not_the_right_one_is_refused(
    shell, served: Served, own: Path, german: str, fault: str, said: str
) -> None:
    served.faults[german] = [fault] * 3
    ended = add(shell, served)
    assert ended.code == 1
    assert said in ended.line
    assert not any(each.startswith("firefox") for each in files(own))
    served.faults.clear()
    assert add(shell, served).code == 0


def test_a_file_that_is_missing_is_not_asked_for_twice(shell, served: Served, own: Path, german: str) -> None:
    del served.files[german]
    ended = add(shell, served)
    assert (ended.code, served.counts()[german]) == (1, 1)
    assert f"http://127.0.0.1:{served.port}{german}: 404 Not Found. Is the mirror complete?" in ended.line
    assert files(own) == []


def test_a_list_that_is_a_web_page_is_said(shell, served: Served, german: str) -> None:
    served.faults["/models/records.json"] = ["page"]
    assert "records.json is a web page" in add(shell, served).line


def test_a_list_that_is_busy_is_asked_again(shell, served: Served, german: str) -> None:
    served.faults["/models/records.json"] = ["busy"] * 3
    assert add(shell, served).code == 0


def test_a_mirror_that_is_not_there_is_one_line(shell, served: Served) -> None:
    ended = shell("models", "add", "de-en", "--yes", "--mirror", "http://127.0.0.1:9/records.json")
    assert ended.code == 1
    assert "127.0.0.1:9 cannot be reached" in ended.line


@pytest.mark.parametrize("address", ["http://example.com/records.json", "ftp://127.0.0.1/x", "/etc/passwd"])
def test_what_others_could_change_on_the_way_is_refused(shell, address: str) -> None:
    ended = shell("models", "add", "de-en", "--yes", "--mirror", address)
    assert ended.code == 1
    assert f"begins with https://, this one does not: {address!r}" in ended.line


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"data": 5}', '{"data": [5]}', '{"data": [{"version": "3.0"}]}'])
def test_a_list_that_is_none_is_said(shell, served: Served, content: str) -> None:
    served.files["/models/other.json"] = content.encode()
    address = served.address.replace("records", "other")
    ended = shell("models", "add", "de-en", "--yes", "--mirror", address)
    assert ended.code == 1
    assert "is no list of Firefox models" in ended.line


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("location", "../../secret"),
        ("location", "//elsewhere/x"),
        ("location", "https://elsewhere/x"),
        ("hash", "../../x"),
        ("size", -1),
        ("size", 1 << 40),
        ("name", "../../.bashrc"),
        ("name", "/etc/passwd"),
    ],
)
def test_a_record_is_data_and_no_path(shell, served: Served, own: Path, german: str, name: str, value: object) -> None:
    record = served.records[0]
    (record if name == "name" else record["attachment"])[name] = value
    ended = add(shell, served)
    assert ended.code == 1
    assert "has a record that cannot be used" in ended.line
    assert files(own) == []


def test_a_pair_that_the_mirror_lacks_is_said_with_what_it_has(shell, served: Served, german: str) -> None:
    line = add(shell, served, "fr-en").line
    assert f"127.0.0.1:{served.port} has no way from fr to en" in line
    assert "from fr it has models into nothing, into en from de" in line


def test_a_model_that_does_not_translate_leaves_nothing(shell, served: Served, own: Path) -> None:
    served.offer("de", "en", {"*": ""})
    ended = add(shell, served)
    assert "the model de-en of 127.0.0.1" in ended.line
    assert "cannot be added: it failed its self-test" in ended.line
    assert files(own) == []


def test_a_mirror_can_be_set_for_all_commands(shell, served: Served, german: str, monkeypatch) -> None:
    monkeypatch.setenv("SVC_MODEL_MIRROR", served.address)
    assert shell("models", "add", "de-en", "--yes").code == 0


def test_a_remote_settings_server_says_where_its_files_are(shell, served: Served, german: str) -> None:
    base = f"http://127.0.0.1:{served.port}/models"
    served.files["/v1/"] = json.dumps({"capabilities": {"attachments": {"base_url": base}}}).encode()
    path = "/v1/buckets/main/collections/translations-models-v2/records"
    served.files[path] = json.dumps({"data": served.records}).encode()
    address = f"http://127.0.0.1:{served.port}{path}"
    assert shell("models", "add", "de-en", "--yes", "--mirror", address).code == 0


# ---- questions


class Terminal:
    """A standard input at which somebody sits."""

    def __init__(self, answer: str) -> None:
        self.answer = answer

    def isatty(self) -> bool:
        return True

    def readline(self) -> str:
        return self.answer


def test_without_a_terminal_and_yes_nobody_is_asked_anything(shell, served: Served, german: str) -> None:
    ended = shell("models", "add", "de-en", "--mirror", served.address)
    assert ended.code == 2
    assert "Use --yes if no one can answer" in ended.line
    assert served.asked == []


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("n\n", 1), ("\n", 1)])
def test_a_person_sees_size_licence_and_source_and_decides(
    served: Served, own: Path, german: str, monkeypatch, capsys, answer: str, code: int
) -> None:
    from svc_nb.cli import main

    monkeypatch.setattr(sys, "stdin", Terminal(answer))
    assert main(["models", "add", "de-en", "--mirror", served.address]) == code
    said = capsys.readouterr()
    assert "version 3.0, 0.3 MB" in said.out
    assert "licence: not stated" in said.out
    assert "Download 0.3 MB? [y/N]" in said.err
    assert bool(files(own)) == (code == 0)
    assert ("nothing was downloaded" in said.err) == (code == 1)


# ---- what lies on this machine


def test_a_folder_is_added_with_its_name_as_source(shell, own: Path, tmp_path: Path) -> None:
    folder = build(tmp_path / "de-en", ENGLISH)
    ended = shell("models", "add", folder)
    assert ended.code == 0
    assert "Added firefox-de-en" in ended.out
    (listed,) = json.loads(shell("models", "list", "--json").out)
    assert listed["source"] == "de-en"
    again = shell("models", "add", folder)
    assert again.code == 1
    assert "there is a model firefox-de-en already; remove it first: `svc-nb models remove firefox-de-en`" in again.line


def test_what_is_no_model_is_one_line(shell, own: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.zip").write_text("not a model")
    assert (
        "notes.zip cannot be added: it is no archive that can be read"
        in shell("models", "add", tmp_path / "notes.zip").line
    )
    ended = shell("models", "add", "nowhere/at-all")
    assert ended.code == 1
    assert "there is no file or folder nowhere/at-all; a pair of languages is written as de-en" in ended.line


def test_a_list_with_a_broken_model_says_so_by_its_exit_code(shell, own: Path, tmp_path: Path) -> None:
    shell("models", "add", build(tmp_path / "de-en", ENGLISH))
    (own / "firefox-de-en" / "vocab.xxyy.spm").write_text("other")
    ended = shell("models", "list")
    assert ended.code == 1
    assert "has changed since the model was added" in ended.out


def test_an_empty_list_says_how_to_get_a_model(shell, own: Path) -> None:
    ended = shell("models", "list")
    assert (ended.code, ended.out) == (0, "")
    assert f"no models in {own}; get one with `svc-nb models add de-en`" in ended.line


def test_what_is_not_there_cannot_be_removed(shell, own: Path, tmp_path: Path) -> None:
    shell("models", "add", build(tmp_path / "de-en", ENGLISH))
    ended = shell("models", "remove", "../../x", "--yes")
    assert ended.code == 1
    assert "there is no model '../../x'" in ended.line
    assert "there are: firefox-de-en" in ended.line
    ended = shell("models", "remove", "de-en")
    assert ended.code == 2
    assert "Delete the model firefox-de-en, 0.1 MB? Use --yes" in ended.line


def test_doctor_knows_the_models(shell, own: Path, tmp_path: Path) -> None:
    assert doctor.models().advice == "`svc-nb models add de-en` gets one, for any pair of languages"
    shell("models", "add", build(tmp_path / "de-en", ENGLISH))
    assert doctor.models().state == "ok"
    assert doctor.models().said == f"1 model of firefox, 0.1 MB, in {own}"
    (own / "firefox-de-en" / "vocab.xxyy.spm").write_text("other")
    assert doctor.models().state == "problem"
    assert doctor.models().advice == "svc-nb models remove firefox-de-en, and add it again"
