"""Each limit of the contract, from the client's side and in plain HTTP: just inside passes, just outside is refused
with the named status, and then nothing is stored or billed."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from svc_nb import errors
from svc_nb.secret import Secret
from svc_nb.settings import Settings
from svc_nb.wire.client import Client
from svc_nb.wire.models import CustomInstruction, Dictionary
from svc_nb.wire.transport import Transport

MIB = 1024 * 1024
pytestmark = pytest.mark.filterwarnings("ignore::svc_nb.marked.MarkedOnly", "ignore::svc_nb.OptionsIgnored")
PAIR = {"source_lang": "de", "target_lang": "en"}


class Plain:
    """Sends what a limit is about as plain HTTP; every method gives the status."""

    def __init__(self, raw):
        self.raw = raw

    def send(self, method, path, **rest):
        return self.raw(method, path, **rest).status_code

    def translate(self, texts, target="DE", **options):
        return self.send("POST", "/v2/translate", json={"text": texts, "target_lang": target, **options})

    def correct(self, texts):
        return self.send("POST", "/v2/write/correct", json={"text": texts})

    def detect(self, texts):
        return self.send("POST", "/v3/detect/language", json={"text": texts})

    def create_v2(self, name, entries):
        return self.send("POST", "/v2/glossaries", json={"name": name, **PAIR, "entries": entries})

    def create(self, name, entries):
        body = {"name": name, "dictionaries": [{**PAIR, "entries": entries}]}
        return self.send("POST", "/v3/glossaries", json=body)

    def replace(self, glossary_id, entries):
        body = {**PAIR, "entries": entries}
        return self.send("PUT", f"/v3/glossaries/{glossary_id}/dictionaries", json=body)

    def merge(self, glossary_id, entries):
        body = {"dictionaries": [{**PAIR, "entries": entries}]}
        return self.send("PATCH", f"/v3/glossaries/{glossary_id}", json=body)

    def style_page(self, page_size):
        return self.send("GET", f"/v3/style_rules?page_size={page_size}")

    def create_style(self, name, instructions):
        made = [{"label": label, "prompt": prompt} for label, prompt in instructions]
        body = {"name": name, "language": "en", "custom_instructions": made}
        return self.send("POST", "/v3/style_rules", json=body)

    def add_instruction(self, style_id, label, prompt):
        path = f"/v3/style_rules/{style_id}/custom_instructions"
        return self.send("POST", path, json={"label": label, "prompt": prompt})

    def cap(self, key_id, **caps):
        path = "/v2/admin/developer-keys/limits"
        return self.send("PUT", path, key=self.raw.running.admin_key, json={"key_id": key_id, **caps})


class Typed:
    """Sends the same through the client; the status is that of the error, or 200."""

    def __init__(self, running):
        self.client = connected(running, running.api_key)
        self.admin = connected(running, running.admin_key).admin

    def ask(self, ask, *values, **options):
        try:
            ask(*values, **options)
        except errors.SvcError as error:
            return error.status if error.trace_id else None
        return 200

    def translate(self, texts, target="DE", **options):
        return self.ask(self.client.text.translate, texts, target, **options)

    def correct(self, texts):
        return self.ask(self.client.text.correct, texts)

    def detect(self, texts):
        return self.ask(self.client.detection.detect, texts)

    def create_v2(self, name, entries):
        return self.ask(self.client.glossaries.v2.create, name, "de", "en", entries)

    def create(self, name, entries):
        return self.ask(self.client.glossaries.create, name, [Dictionary("de", "en", entries)])

    def replace(self, glossary_id, entries):
        change = self.client.glossaries.replace_dictionary
        return self.ask(change, glossary_id, Dictionary("de", "en", entries))

    def merge(self, glossary_id, entries):
        change = self.client.glossaries.update
        return self.ask(change, glossary_id, dictionary=Dictionary("de", "en", entries))

    def style_page(self, page_size):
        return self.ask(self.client.style_rules.list, page_size=page_size)

    def create_style(self, name, instructions):
        made = [CustomInstruction(label=label, prompt=prompt) for label, prompt in instructions]
        return self.ask(self.client.style_rules.create, name, "en", custom_instructions=made)

    def add_instruction(self, style_id, label, prompt):
        return self.ask(self.client.style_rules.add_instruction, style_id, label, prompt)

    def cap(self, key_id, **caps):
        return self.ask(self.admin.set_limits, key_id, **caps)


def connected(running, key):
    return Client(Transport(Settings(base_url=running.base_url, api_key=Secret(key), tries=1)))


@pytest.fixture(params=["plain", "typed"])
def side(request, running, raw):
    return Plain(raw) if request.param == "plain" else Typed(running)


@pytest.fixture
def traces(raw):
    """What the account holds and owes, to compare before and after."""

    def look():
        paths = ("/v2/glossaries", "/v3/glossaries", "/v3/style_rules?detailed=true")
        usage = raw("GET", "/v2/usage").json()["character_count"]
        return [raw("GET", path).json() for path in paths], usage

    return look


def refused(traces, act, status):
    before = traces()
    assert act() == status
    assert traces() == before


def made(raw, entries="Haus\thouse"):
    body = {"name": "terms", "dictionaries": [{**PAIR, "entries": entries}]}
    return raw("POST", "/v3/glossaries", json=body).json()["glossary_id"]


def entries_of(size):
    """Valid entries of exactly *size* bytes."""
    lines, used = [], 0
    while size - used > 1100:
        lines.append(f"{len(lines):07d}\t{'x' * 1000}")
        used += len(lines[-1]) + 1
    lines.append("last\t" + "y" * (size - used - 5))
    text = "\n".join(lines)
    assert len(text.encode()) == size
    return text


def passes(status):
    return status in (200, 201)


@pytest.mark.long
def test_a_new_glossary_holds_10_mib(side, traces):
    assert passes(side.create("v3", entries_of(10 * MIB)))
    assert passes(side.create_v2("v2", entries_of(10 * MIB)))
    refused(traces, lambda: side.create("v3", entries_of(10 * MIB + 1)), 413)
    refused(traces, lambda: side.create_v2("v2", entries_of(10 * MIB + 1)), 413)


@pytest.mark.long
def test_a_replaced_dictionary_holds_10_mib(side, raw, traces):
    glossary_id = made(raw)
    assert passes(side.replace(glossary_id, entries_of(10 * MIB)))
    refused(traces, lambda: side.replace(glossary_id, entries_of(10 * MIB + 1)), 413)


@pytest.mark.long
def test_all_dictionaries_of_a_glossary_together_hold_10_mib(side, raw, traces):
    glossary_id = made(raw)
    french = {"source_lang": "de", "target_lang": "fr", "entries": entries_of(6 * MIB)}
    assert raw("PUT", f"/v3/glossaries/{glossary_id}/dictionaries", json=french).status_code == 200
    assert passes(side.replace(glossary_id, entries_of(4 * MIB)))
    refused(traces, lambda: side.replace(glossary_id, entries_of(4 * MIB + 1)), 413)
    refused(traces, lambda: side.merge(glossary_id, "noch\tone more"), 413)


@pytest.mark.parametrize("letter", ["a", "ä", "語", "🙂"])
def test_each_side_of_an_entry_has_1024_bytes(side, traces, letter):
    letters = letter * (1024 // len(letter.encode()))
    most = letters + "x" * (1024 - len(letters.encode()))
    assert passes(side.create("inside", f"{most}\t{most}"))
    refused(traces, lambda: side.create("outside", f"{most}a\tx"), 400)
    refused(traces, lambda: side.create("outside", f"x\t{most}a"), 400)
    refused(traces, lambda: side.create_v2("outside", f"{most}a\tx"), 400)


def test_a_glossary_name_has_1024_bytes(side, traces):
    assert passes(side.create("ä" * 512, "a\tb"))
    assert passes(side.create_v2("ä" * 512, "a\tb"))
    refused(traces, lambda: side.create("ä" * 512 + "a", "a\tb"), 400)
    refused(traces, lambda: side.create_v2("ä" * 512 + "a", "a\tb"), 400)


def test_an_account_has_1000_glossaries(side, running, traces):
    with running.state.database.write() as connection:
        rows = [
            (f"00000000-0000-0000-0000-{number:012d}", "name", "2026-01-01T00:00:00.000Z", 0) for number in range(999)
        ]
        connection.executemany("INSERT INTO glossaries VALUES (?, ?, ?, ?)", rows)
    assert passes(side.create("the thousandth", "a\tb"))
    refused(traces, lambda: side.create("one more", "a\tb"), 456)
    refused(traces, lambda: side.create_v2("one more", "a\tb"), 456)


def test_a_request_names_5_glossaries(side, raw, traces):
    ids = [made(raw) for _ in range(6)]
    assert passes(side.translate(["Haus"], target="EN-US", source_lang="DE", glossary_ids=ids[:5]))
    six = {"target": "EN-US", "source_lang": "DE", "glossary_ids": ids}
    refused(traces, lambda: side.translate(["Haus"], **six), 400)


def test_a_detection_takes_50_texts(side, traces):
    assert passes(side.detect(["Guten Tag"] * 50))
    refused(traces, lambda: side.detect(["Guten Tag"] * 51), 400)


def test_a_translation_takes_50_texts(side, traces):
    assert passes(side.translate(["good morning"] * 50))
    refused(traces, lambda: side.translate(["good morning"] * 51), 400)


def test_a_page_of_style_rules_has_1_to_25(side, traces):
    assert passes(side.style_page(1))
    assert passes(side.style_page(25))
    refused(traces, lambda: side.style_page(0), 400)
    refused(traces, lambda: side.style_page(26), 400)


def test_a_style_rule_list_has_200_instructions(side, raw, traces):
    assert passes(side.create_style("inside", [("label", "prompt")] * 200))
    style_id = raw("GET", "/v3/style_rules").json()["style_rules"][0]["style_id"]
    refused(traces, lambda: side.create_style("outside", [("label", "prompt")] * 201), 400)
    refused(traces, lambda: side.add_instruction(style_id, "label", "prompt"), 400)


def test_an_instruction_has_a_label_of_100_and_a_prompt_of_300(side, raw, traces):
    assert passes(side.create_style("list", [("l" * 100, "p" * 300)]))
    style_id = raw("GET", "/v3/style_rules").json()["style_rules"][0]["style_id"]
    assert passes(side.add_instruction(style_id, "語" * 100, "語" * 300))
    refused(traces, lambda: side.add_instruction(style_id, "l" * 101, "p"), 400)
    refused(traces, lambda: side.add_instruction(style_id, "l", "p" * 301), 400)
    refused(traces, lambda: side.create_style("list", [("l" * 101, "p")]), 400)


def test_a_style_rule_list_name_has_1024_characters(side, traces):
    assert passes(side.create_style("n" * 1024, []))
    refused(traces, lambda: side.create_style("n" * 1025, []), 400)


@pytest.mark.parametrize("inside", [0, 100])
def test_a_threshold_is_from_0_to_100(side, traces, inside):
    assert passes(side.translate(["good morning"], translation_memory_threshold=inside))
    outside = -1 if inside == 0 else 101
    refused(traces, lambda: side.translate(["good morning"], translation_memory_threshold=outside), 400)


def test_a_translation_has_10_instructions_of_300_characters(side, traces):
    assert passes(side.translate(["good morning"], custom_instructions=["i" * 300] * 10))
    refused(traces, lambda: side.translate(["good morning"], custom_instructions=["i"] * 11), 400)
    refused(traces, lambda: side.translate(["good morning"], custom_instructions=["i" * 301]), 400)


def test_a_translation_has_128_kib(raw, traces):
    empty = len(json.dumps({"text": [""], "target_lang": "DE"}))
    most = "a" * (128 * 1024 - empty)
    assert raw("POST", "/v2/translate", json={"text": [most], "target_lang": "DE"}).status_code == 200
    too_long = {"text": [most + "a"], "target_lang": "DE"}
    refused(traces, lambda: raw("POST", "/v2/translate", json=too_long).status_code, 413)


def test_a_translation_of_more_than_128_kib_is_too_large_for_the_client_too(running, traces):
    typed = Typed(running)
    assert typed.translate(["a" * 130_900]) == 200
    refused(traces, lambda: typed.translate(["a" * 131_072]), 413)


def test_an_improvement_has_10_kib(side, traces):
    assert passes(side.correct(["good " * 2_000]))
    refused(traces, lambda: side.correct(["good " * 2_048]), 413)


def test_a_cap_blocks_at_0_is_removed_by_null_and_holds_to_the_character(side, running, raw, traces):
    key_id = raw.admin("GET", "/v2/admin/developer-keys").json()[0]["key_id"]
    assert passes(side.cap(key_id, characters=0))
    refused(traces, lambda: side.translate(["good"]), 456)
    assert passes(side.cap(key_id, characters=10))
    assert passes(side.translate(["0123456789"]))
    refused(traces, lambda: side.translate(["x"]), 456)
    refused(traces, lambda: side.correct(["x"]), 456)
    assert passes(side.cap(key_id, characters=None))
    assert passes(side.translate(["x"]))
    refused(traces, lambda: side.cap(key_id, characters=-1), 400)


def test_a_cap_is_counted_by_month(side, running, raw):
    key_id = raw.admin("GET", "/v2/admin/developer-keys").json()[0]["key_id"]
    last_month = datetime(2025, 1, 31, 12, tzinfo=UTC)
    running.record_usage(running.api_key, "text_translation", 500, moment=last_month)
    assert passes(side.cap(key_id, characters=4))
    assert passes(side.translate(["good"]))
