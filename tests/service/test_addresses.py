"""Addresses and paths come back as they were sent, whoever translates: over HTTP, in texts, HTML and documents."""

from __future__ import annotations

import shutil

import pytest

from svc_nb.service.translation import addresses
from tests.growth import LINEAR, growth
from tests.served import lasting, running

from .sending_documents import Documents
from .test_translate_operation import translate

# One service for all tests of this file.
__all__ = ["lasting", "running"]

KEPT = (
    "https://youtu.be/dQw4w9WgXcQ",
    "http://Example.ORG/A_(B)?q=One&r=Two#Top",
    "www.Casa-Grande.example",
    "Max.Muster@Casa.Example",
    r"C:\Temp\Casa.txt",
    r"C:\Program Files (x86)\App\a.exe",
    "/usr/lib/La_Casa.so",
    "~/Mis/Cosas",
    "./una/casa.txt",
    "src/app/Main.py",
)
PAIRS = [("ES", "EN-US"), ("EN", "ES"), ("DE", "JA")]  # the last has no translator
NEEDS_APERTIUM = pytest.mark.skipif(not shutil.which("apertium"), reason="Apertium is not installed")


@pytest.mark.parametrize(
    ("text", "found"),
    {
        "See https://youtu.be/dQw4w9WgXcQ, C:\\Temp\\a.txt.": ["https://youtu.be/dQw4w9WgXcQ", "C:\\Temp\\a.txt"],
        "请看https://d.example/x了解 (https://e.org/x_(y)).": ["https://d.example/x", "https://e.org/x_(y)"],
        "http://例え.jp/x or bit.ly/AbC or mailto:a@b.example": [
            "http://例え.jp/x",
            "bit.ly/AbC",
            "mailto:a@b.example",
        ],
        "and/or km/h 1/2 he/she. 12/05/2024 TCP/IP a@b </b> foo.txt": [],
        "no hint at all": [],
    }.items(),
)
def test_what_is_an_address_or_a_path(text, found):
    assert [text[start:end] for start, end in addresses.find(text)] == found


@pytest.mark.parametrize("unit", ["a/", "a.", "./", "a@", "a-", "http://", "http://a(", "C:\\ A", "www.a", "a+"])
def test_a_text_of_any_kind_costs_no_more_than_a_multiple_of_its_length(unit):
    assert growth(addresses.find, unit * 20_000 + "/@", unit * 80_000 + "/@") < LINEAR


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
@pytest.mark.parametrize("kept", KEPT)
def test_an_address_comes_back_from_every_translator(raw, pair, kept):
    source, target = pair
    sentences = [f"La casa es grande: {kept} es buena.", f"{kept} es grande.", f"Mira {kept}", kept]
    options = {"source_lang": source, "target_lang": target}
    for each, answer in zip(sentences, translate(raw, *sentences, **options), strict=True):
        assert answer["text"].count(kept) == each.count(kept) == 1


@NEEDS_APERTIUM
def test_what_stands_around_an_address_is_translated(raw):
    text = "La casa es grande: https://youtu.be/dQw4w9WgXcQ y C:\\Temp\\La.txt."
    (answer,) = translate(raw, text, source_lang="ES", target_lang="EN-US")
    assert "house" in answer["text"]
    assert "https://youtu.be/dQw4w9WgXcQ" in answer["text"]
    assert "C:\\Temp\\La.txt" in answer["text"]


@pytest.mark.parametrize("kept", KEPT)
def test_an_address_in_html_comes_back_between_tags_and_in_attributes(raw, kept):
    escaped = kept.replace("&", "&amp;")
    text = f'<p>Mira <b>{escaped}</b> y <a href="{escaped}">la casa {escaped}</a>.</p>'
    (answer,) = translate(raw, text, source_lang="ES", target_lang="EN-US", tag_handling="html")
    assert answer["text"].count(escaped) == 3


def test_addresses_in_a_document_come_back(raw):
    documents = Documents(raw)
    text = "\n".join(f"La casa es {kept} grande." for kept in KEPT).encode()
    answer = documents.result(documents.done(text, "casa.txt")).content.decode()
    assert all(kept in answer for kept in KEPT)


def test_a_term_within_an_address_is_left_alone_and_beside_it_is_not(raw):
    dictionary = {"source_lang": "es", "target_lang": "en", "entries": "casa\tPALACE", "entries_format": "tsv"}
    made = raw("POST", "/v3/glossaries", json={"name": "terms", "dictionaries": [dictionary]}).json()
    text = "La casa: https://casa.example/casa y la casa."
    (answer,) = translate(raw, text, source_lang="ES", target_lang="EN-US", glossary_id=made["glossary_id"])
    assert answer["text"].count("https://casa.example/casa") == 1
    assert answer["text"].count("PALACE") == 2
