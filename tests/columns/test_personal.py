"""Personal data stays here: found in every locale, hardly ever where there is none, and never seen on the wire."""

from __future__ import annotations

import csv
import random
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from threading import Thread

import pandas as pd
import pytest
import requests
from faker import Faker
from hypothesis import given
from hypothesis import strategies as st

import svc_nb
from svc_nb.columns import personal
from svc_nb.columns.personal import found
from svc_nb.columns.protected_spans import names_of
from svc_nb.columns.protection import Protection
from tests.growth import LINEAR, growth

LOCALES = [
    *("en_US", "en_GB", "de_DE", "fr_FR", "es_ES", "it_IT", "nl_NL", "pl_PL", "pt_PT", "pt_BR", "sv_SE", "da_DK"),
    *("no_NO", "fi_FI", "cs_CZ", "sk_SK", "ro_RO", "bg_BG", "tr_TR", "el_GR", "hu_HU", "ru_RU", "uk_UA", "ja_JP"),
    *("zh_CN", "ko_KR", "hi_IN", "en_AU", "de_CH", "fa_IR"),
]
KINDS = {"phone_number": "phones", "iban": "ibans", "credit_card_number": "cards", "email": "emails"}
SENTENCES = ("Please call {} today.", "{}", "Contact: {}, thanks", "My data ({}) and more", "请联系{}。", "Nr.:{}\nBye")
EACH = 150
MESSAGES = Path(svc_nb.__file__).parent / "samples/messages.csv"


def made(locale, provider, count=EACH):
    """Texts with one item each, and where it stands."""
    faker = Faker(locale)
    faker.seed_instance(20)
    choice = random.Random(20)
    for _ in range(count):
        item = str(getattr(faker, provider)())
        sentence = choice.choice(SENTENCES)
        start = sentence.index("{}")
        yield sentence.replace("{}", item), start, start + len(item)


@pytest.mark.parametrize("provider", KINDS)
@pytest.mark.parametrize("locale", LOCALES)
def test_of_what_people_write_98_in_100_are_masked(locale, provider):
    missed = [
        text
        for text, start, end in made(locale, provider)
        if not any(each.start <= start and end <= each.end for each in found(text))
    ]
    assert len(missed) <= 0.02 * EACH, missed


def test_hardly_a_message_has_anything_masked_that_is_no_personal_data():
    with MESSAGES.open(encoding="utf-8", newline="") as file:
        messages = [cell for row in csv.reader(file) for cell in row if cell]
    masked = [message for message in messages if found(message)]
    assert len(messages) > 5000
    assert len(masked) <= 0.005 * len(messages), masked


@given(st.text(alphabet=st.sampled_from("0123456789 +-./():xABCDEF@\u00a0٣é日")))
def test_stretches_are_in_order_apart_and_not_empty(text):
    stretches = found(text)
    assert all(each.start < each.end <= len(text) and each.kind in personal.KINDS for each in stretches)
    assert all(one.end <= other.start for one, other in pairwise(stretches))


@pytest.mark.parametrize(
    "unit", ["1", "1 ", "12-34 ", "DE12", "DE12 ", "1.2.3.4.", "ab:", "+1 (", "0", "A1", "1.23 ", "a@"]
)
def test_a_text_of_any_kind_costs_no_more_than_a_multiple_of_its_length(unit):
    assert growth(found, unit * 10_000 + " 123", unit * 40_000 + " 123") < LINEAR


def test_the_libraries_are_named_where_they_are_missing(monkeypatch):
    monkeypatch.setattr(personal, "find_spec", lambda name: None if name == "stdnum" else True)
    with pytest.raises(ImportError, match=r"python-stdnum.*pip install 'svc-nb\[personal\]'"):
        Protection("personal")
    assert Protection.of(None) is not None


# ---- names


def test_names_are_masked_whole_and_in_parts_in_every_row():
    people = pd.Series(["Anna-Lena von Berg", None, "Müller, Jo", float("nan"), "山田 太郎"])
    texts = [
        "Dear Anna-Lena, Berg and Anna-Lena von  Berg",
        "Jo Müller; Jo of von Bergen",
        "山田太郎と山田さん",
        "nobody",
    ]
    stretches = [each.stretches if each else [] for each in Protection([], people).masked(texts)]
    assert stretches == [
        ["Anna-Lena", "Berg", "Anna-Lena von  Berg"],
        ["Jo Müller"],
        ["山田太郎", "山田"],
        [],
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Müllers Auto und Muellers, MÜLLERS, Mullers", ["Müllers", "Muellers", "MÜLLERS", "Mullers"]),
        ("Anna's and Anna’s, Annas, not Annast or Annans", ["Anna", "Anna", "Annas"]),
        ("Jo Does, Jo Doe, Does it work? This does.", ["Jo Does", "Jo Doe"]),
        ("Hans, Hans' car, not Hanss", ["Hans", "Hans"]),
        ("山田s 山田", ["山田", "山田"]),
    ],
)
def test_a_name_with_the_s_of_a_genitive_is_masked_too(text, found):
    (masked,) = Protection([], ["Müller", "Anna", "Jo Doe", "Nguyen Thi", "Hans", "山田"]).masked([text])
    assert masked.stretches == found


def test_hardly_a_message_has_a_word_masked_for_the_s_of_a_genitive():
    faker = Faker(["en_US", "de_DE", "fr_FR", "es_ES", "sv_SE", "nl_NL"])
    faker.seed_instance(20)
    names = names_of([faker.name() for _ in range(2000)])
    with MESSAGES.open(encoding="utf-8", newline="") as file:
        messages = [cell for row in csv.reader(file) for cell in row if cell]
    masked = [each.stretches for each in Protection([], names).masked(messages) if each]
    known = {*names}
    for_nothing = [words for words in masked if any(word[-1] in "sS" and word[:-1] in known for word in words)]
    assert len(for_nothing) <= 0.005 * len(messages), for_nothing


def test_a_slip_in_the_name_of_the_column_with_names_is_told(connected):
    frame = pd.DataFrame({"text": ["Ann is here"], "customer": ["Ann Lee"]})
    for verb in ("plan", "translate", "translate_table"):
        with pytest.raises(KeyError, match=r"no column 'custmer'\. Did you mean 'customer'\?"):
            getattr(frame.svc, verb)("text", "DE", names="custmer")
    with pytest.raises(KeyError, match=r"no column 'custmer'\. Did you mean 'customer'\?"):
        frame.svc.protect_report("text", names="custmer")
    assert frame.svc.protect_report("text", names="customer")["kind"].tolist() == ["names"]


@pytest.mark.parametrize(
    ("written", "text", "kept"),
    [
        ("ANNA KOWALSKA", "Anna Kowalska called, then Anna", ["Anna Kowalska", "Anna"]),
        ("anna kowalska", "ANNA and Anna Kowalska", ["ANNA", "Anna Kowalska"]),
        ("LEE, ANN", "Ann Lee, or Lee, Ann", ["Ann Lee", "Lee", "Ann"]),
        ("ludwig van beethoven", "Ludwig van Beethoven, a van", ["Ludwig van Beethoven"]),
        ("Patrick O'Brien", "Patrick O’Brien, O'Brien", ["Patrick O’Brien", "O'Brien"]),
        ("Anna Kowalska; Tom Ray", "Tom Ray and Kowalska", ["Tom Ray", "Kowalska"]),
        ("Max Müller", "Max Mueller, MUELLER, Muller", ["Max Mueller", "MUELLER", "Muller"]),
    ],
)
def test_names_are_kept_however_a_list_writes_them(written, text, kept):
    (masked,) = Protection([], names_of([written])).masked([text])
    assert masked.stretches == kept


def test_a_column_of_names_in_a_list_is_told():
    frame = pd.DataFrame({"text": ["Ann is here"], "customer": ["Ann Lee"]})
    with pytest.raises(ValueError, match="'customer' is a column; pass names='customer'"):
        frame.svc.protect_report("text", names=["customer"])


@pytest.mark.parametrize("given", ["Anna", 5, pd.DataFrame({"a": ["Anna"]}), [5]])
def test_what_is_no_list_of_names_is_refused(given):
    with pytest.raises(TypeError, match="names: expected"):
        names_of(given)


@pytest.mark.parametrize("dtype", ["object", "category", "string"])
def test_a_column_of_names_may_be_of_any_type_and_have_gaps(dtype):
    assert names_of(pd.Series(["Ann Lee", None], dtype=dtype)) == names_of(["Ann Lee"])


def test_names_are_found_in_capitals_and_without_accents_too(connected):
    column = pd.Series(["MARÍA RUIZ, maria ruiz, Ruíz? RUIZ, Maria", "La maría es una tortuga"])
    report = column.svc.protect_report(names=["María Ruiz"])
    assert report["position"].tolist() == [0, 0, 0, 0]
    whole = [column[0][start:end] for start, end in zip(report["start"], report["end"], strict=True)]
    assert whole == ["MARÍA RUIZ", "maria ruiz", "RUIZ", "Maria"]


def test_personal_data_comes_on_top_of_addresses_and_paths(connected):
    report = pd.Series(["See https://x.example/y or call +49 171 1234567"]).svc.protect_report(protect="personal")
    assert report[["kind", "leaves"]].values.tolist() == [["urls", False], ["phones", False]]


@pytest.mark.parametrize("cell", [["a@x.example"], b"a@x.example", 34612345678])
def test_what_is_no_text_is_refused_by_the_report_as_by_a_translation(connected, cell):
    with pytest.raises(TypeError, match="expected text"):
        pd.Series([cell]).svc.protect_report(protect="personal")


# ---- the wire


class Recorder(ThreadingHTTPServer):
    """Hands requests on to *address*, and keeps what is in them."""

    def __init__(self, address):
        self.bodies = bodies = []

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                bodies.append(f"{self.path} {self.headers}".encode() + body)
                headers = {name: value for name, value in self.headers.items() if name.lower() != "host"}
                answer = requests.request(self.command, address + self.path, data=body, headers=headers, timeout=60)
                self.send_response(answer.status_code)
                for name in ("Content-Type", "X-Trace-ID"):
                    if name in answer.headers:
                        self.send_header(name, answer.headers[name])
                self.send_header("Content-Length", str(len(answer.content)))
                self.end_headers()
                self.wfile.write(answer.content)

            do_GET = do_POST

            def log_message(self, *what):
                pass

        super().__init__(("127.0.0.1", 0), Handler)


@pytest.fixture
def recorder(running):
    with Recorder(running.base_url) as started:
        thread = Thread(target=started.serve_forever)
        thread.start()
        yield started
        started.shutdown()
        thread.join()


def test_nothing_personal_is_sent_logged_or_stored(recorder, reached, tmp_path, caplog):
    caplog.set_level(0)
    session = reached(base_url=f"http://127.0.0.1:{recorder.server_port}")
    items, rows = [], []
    for locale in LOCALES:
        faker = Faker(locale)
        faker.seed_instance(20)
        for provider in (*KINDS, "ipv4_public", "name"):
            for _ in range(3):
                items.append((provider, str(getattr(faker, provider)())))
                rows.append(f"We wrote to {items[-1][1]} about the large house, number {len(rows)}.")
    people = [item for provider, item in items if provider == "name"]
    frame = pd.DataFrame({"text": rows, "about": [*rows[:60], *[None] * (len(rows) - 60)][::-1]})
    frame["customer"] = pd.Series(people)
    made_of = frame.svc.translate(
        "text", "DE", protect="personal", names="customer", context="about", errors="coerce", progress=False
    )
    whole = b"\n".join(recorder.bodies)
    assert b"about the large house" in whole
    stored = b"".join(path.read_bytes() for path in tmp_path.glob("answers.sqlite*") if path.is_file())
    assert b"about the large house" in stored
    said = caplog.text.encode()
    seen = [
        (where, provider, item)
        for provider, item in items
        for where, held in {"wire": whole, "store": stored, "log": said}.items()
        if item.encode() in held
    ]
    assert seen == []
    done = made_of["text_DE"].dropna()
    assert len(done) == len(rows)
    assert all(item in text for (_, item), text in zip(items, done, strict=True))
    session.close()


def test_the_store_shows_each_text_as_it_was_sent(counters):
    letters = pd.Series(["Call Ann Lee: +49 171 1234567.", "Pay to DE89 3704 0044 0532 0130 00, please."])
    letters.svc.translate("ES", source_lang="EN", protect="personal", names=["Ann Lee"], progress=False)
    assert svc_nb.store.find("Call", target_lang="ES")["source"].tolist() == ["Call [[0]]: [[1]]."]
    assert {*svc_nb.store.find("")["source"]} == {"Call [[0]]: [[1]].", "Pay to [[0]], please."}


def test_without_it_the_wire_shows_them(recorder, reached):
    reached(base_url=f"http://127.0.0.1:{recorder.server_port}")
    pd.Series(["Call +49 171 1234567 about the house."]).svc.translate("DE", progress=False, source_lang="EN")
    assert b"+49 171 1234567" in b"".join(recorder.bodies)


# ---- the report


def test_the_report_says_what_stays_and_what_would_leave(connected):
    column = pd.Series(
        ["Mail ann.lee@example.com or +49 171 1234567", None, "DE89 3704 0044 0532 0130 00 of Anna Berg"],
        index=["a", "a", "b"],
    )
    report = column.svc.protect_report(protect=["phones"], names=["Anna Berg"])
    assert report[["row", "position", "kind", "leaves"]].values.tolist() == [
        ["a", 0, "emails", True],
        ["a", 0, "phones", False],
        ["b", 2, "ibans", True],
        ["b", 2, "names", False],
    ]
    assert report["stretch"].tolist() == ["a***@example.com", "+4***67", "DE***00", "An***rg"]
    place = report.iloc[1]
    assert column.iloc[0][place["start"] : place["end"]] == "+49 171 1234567"
    assert report.said == (
        '1 phone number, 1 name stay on this machine; 1 e-mail address, 1 IBAN would be sent. To prevent that, add protect="personal".'
    )
    shown = repr(report) + report._repr_html_()
    assert "ann.lee" not in shown
    assert "1234567" not in shown


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "Ann pays DE89 3704 0044 0532 0130 00",
            '1 name stays on this machine; 1 IBAN would be sent. To prevent that, add protect="personal".',
        ),
        ("Ann and Ann", "2 names stay on this machine."),
        ("Run `ls` in A-1", "1 piece of code, 1 match of a pattern stay on this machine."),
        ("Run `ls` and `cd`", "2 pieces of code stay on this machine."),
    ],
)
def test_the_report_counts_in_the_singular_and_in_the_plural(connected, text, said):
    report = pd.Series([text]).svc.protect_report(protect=["code", re.compile(r"A-\d")], names=["Ann"])
    assert report.said == said


@pytest.mark.parametrize("dtype", [object, "string", "category"])
def test_gaps_are_the_same_whatever_is_protected(connected, dtype):
    column = pd.Series(["Ann wrote to a@b.example", None, "+49 171 1234567"], dtype=dtype)
    plain, kept = (
        column.svc.translate("DE", source_lang="EN", progress=False, protect=protect, names=names)
        for protect, names in ((False, None), ("personal", ["Ann"]))
    )
    assert (kept.dtype == "category") == (plain.dtype == "category")
    assert type(kept.iloc[1]) is type(plain.iloc[1])
    assert kept.isna().tolist() == plain.isna().tolist() == [False, True, False]


def test_by_default_addresses_and_paths_stay(connected):
    report = pd.Series(["see https://x.example/y, a@b.example, /usr/lib/x.so"]).svc.protect_report()
    assert report[["kind", "leaves"]].values.tolist() == [["urls", False], ["emails", False], ["paths", False]]
    off = pd.Series(["see https://x.example/y, a@b.example"]).svc.protect_report(protect=False)
    assert off[["kind", "leaves"]].values.tolist() == [["emails", True]]


def test_a_report_of_columns_names_them_and_one_of_nothing_says_so(connected):
    frame = pd.DataFrame({"a": ["x@y.example"], "b": ["nothing"], "c": ["Ann Lee"]})
    report = frame.svc.protect_report(["a", "b"], names="c")
    assert report[["column", "row", "kind"]].values.tolist() == [["a", 0, "emails"]]
    empty = pd.Series([], dtype=object).svc.protect_report()
    assert empty.empty
    assert "No personal data and no protected text was found" in repr(empty)


# ---- by default


TEXT = "See https://youtu.be/dQw4w9WgXcQ and C:\\Temp\\a.txt or Ann.Lee@Example.com, please."


def test_by_default_addresses_and_paths_are_not_sent(recorder, reached):
    reached(base_url=f"http://127.0.0.1:{recorder.server_port}")
    column = pd.Series([TEXT])
    out = column.svc.translate("DE", source_lang="EN", progress=False).iloc[0]
    for kept in ("https://youtu.be/dQw4w9WgXcQ", "C:\\Temp\\a.txt", "Ann.Lee@Example.com"):
        assert kept in out
        assert kept.encode() not in b"".join(recorder.bodies)
    column.svc.translate("DE", source_lang="EN", progress=False, protect=False)
    assert b"https://youtu.be/dQw4w9WgXcQ" in b"".join(recorder.bodies)


def test_what_has_no_such_stretch_keeps_its_stored_answer(counters):
    column = pd.Series(["A large house.", "and/or 1/2", TEXT])
    column.svc.translate("DE", source_lang="EN", progress=False, protect=False)
    spent = counters.characters
    table = column.svc.translate_table("DE", source_lang="EN", progress=False)
    assert table["from_store"].tolist() == [True, True, False]
    assert counters.characters > spent


def test_an_address_alone_is_skipped_by_its_own_rule_and_a_path_alone_is_protected(connected):
    table = pd.Series(["https://x.example", "a@b.example", "C:\\Temp\\a.txt"]).svc.translate_table("DE", progress=False)
    assert table["reason"].tolist() == ["url", "email", "protected"]


def test_addresses_in_attributes_come_back_where_the_service_handles_tags(connected):
    text = '<p>See <a href="https://x.example/Y?a=1&amp;b=2">the house</a> in /usr/lib/X.so</p>'
    out = pd.Series([text]).svc.translate("DE", source_lang="EN", tag_handling="html", progress=False).iloc[0]
    assert 'href="https://x.example/Y?a=1&amp;b=2"' in out
    assert "/usr/lib/X.so" in out
