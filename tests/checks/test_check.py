"""What `check` finds, and what it must leave alone."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import svc_nb
from svc_nb.checks import text_array as chunked
from svc_nb.checks.check import check
from svc_nb.checks.findings import CHECKS, checks
from svc_nb.columns import protection
from svc_nb.tabular.report import Report
from svc_nb.tabular.terms import made
from tests.checks.right_pairs import RIGHT
from tests.growth import LINEAR, growth

BIDI = "\u202e"


def found(source, target, **options) -> list[str]:
    """The codes of what is found in one row."""
    # As objects: half a surrogate pair has no place in a column of texts.
    both = (pd.Series([text], dtype=object) for text in (source, target))
    return check(*both, **options)["code"].tolist()


# ---- no finding if nothing is wrong


@pytest.mark.parametrize("pair", RIGHT, ids="→".join)
def test_a_right_translation_gives_no_finding(pair):
    sources, targets = zip(*RIGHT[pair], strict=True)
    report = check(pd.Series(sources), pd.Series(targets), source_lang=pair[0], target_lang=pair[1])
    assert report.to_dict("records") == []
    assert report.said.startswith("Nothing found in")


@pytest.mark.parametrize("pair", RIGHT, ids="→".join)
def test_a_right_translation_is_right_the_other_way_round(pair):
    targets, sources = zip(*RIGHT[pair], strict=True)
    report = check(pd.Series(sources), pd.Series(targets), source_lang=pair[1], target_lang=pair[0])
    assert report.query("severity != 'info'").to_dict("records") == []


@pytest.mark.parametrize("pair", RIGHT, ids="→".join)
def test_a_right_translation_gives_no_finding_when_the_languages_are_unknown(pair):
    sources, targets = zip(*RIGHT[pair], strict=True)
    wrong = check(pd.Series(sources), pd.Series(targets))
    expected = {"el": ["end_punctuation"], "th": ["end_punctuation"]}.get(pair[1], [])
    assert wrong["code"].tolist() == expected


# ---- every code is found where it should be, and alone

TRIGGERS = {
    "empty": [("Hello there.", None), ("Hello there.", ""), ("Hello there.", " \u200b\n")],
    "marked": [
        ("The shop is closed.", "[DE] The shop is closed."),
        ("  It costs 5 euros. Or 6?\n\nCall us.", "  [DE] It costs 5 euros. [DE] Or 6?\n\n[DE] Call us."),
        ("<p>Hello {name}.</p>", "<p>[DE] Hello {name}.</p>"),
        ("[INFO] The shop is closed.", "[DE] [INFO] The shop is closed."),
        ("[DE] The shop is closed.", "[DE] [DE] The shop is closed."),
        ("The shop is closed.", "[PT-BR] The shop is closed."),
        ("The shop is closed. Call us.", "Der Laden ist geschlossen. [DE] Call us."),
        ("The shop is closed.", "[DE] The Laden is closed."),
    ],
    "untranslated": [("The shop is closed.", "The shop is closed."), ("営業時間外です", "営業時間外です")],
    "untranslated_word": [("Microsoft", "Microsoft"), ("OK", "OK")],
    "partly_untranslated": [
        ("The shop is closed and we will open again soon.", "Der Laden ist zu, and we will open again soon."),
    ],
    "wrong_script": [("Open the door.", "Öffnen Sie die дверь."), ("Call me.", "Ruf mich аn."), ("A book.", "Ein 本.")],
    "numbers": [
        ("It costs 15 euros.", "Es kostet 51 Euro."),
        ("It costs 1.5 euros.", "Es kostet 15 Euro."),
        ("Room 12", "Zimmer"),
        ("Version 2.0.1 is out.", "Version 2.0 ist da."),
        ("Sold 5 million books.", "5 Bücher verkauft, 7 davon gut."),
        ("Take three of them.", "Nehmen Sie vier davon."),
        ("Use version 1.2.10.7 now", "Jetzt Version 1.10.2.7 verwenden"),
        ("Call 10.0.0.1 now", "Jetzt 10.0.1.0 anrufen"),
        ("It is -5 degrees cold", "Es ist 5 Grad kalt"),
        ("It costs 12,500 euros.", "Es kostet 12,5 Euro."),
    ],
    "number_words": [
        ("You have 3 messages.", "Sie haben drei Nachrichten."),
        ("Two apples", "2 Äpfel"),
        ("It costs 1,000 euros.", "Es kostet tausend Euro."),
        ("It costs 1,000,000 euros.", "Es kostet eine Million Euro."),
        ("For 3,000 people", "Für dreitausend Leute"),
    ],
    "placeholders": [
        ("Hello {name}!", "Hallo {Name}!"),
        ("Hello {{ user.name }}!", "Hallo!"),
        ("Pay ${amount} now.", "Zahlen Sie jetzt."),
        ("%s of %d pages", "%d von %s Seiten"),
        ("%(name)s is there.", "%(nam)s ist da."),
        ("%d%% complete", "%s%% fertig"),
        ("{{ if x }} stop", "{{ ende }} halt"),
        ("Copy %1$s to %2$s.", "%1$s kopieren."),
        ("Hello {} and {}!", "Hallo {}!"),
        ("%1$s of %2$s", "%1$s von %1$s"),
        ("Delete :name now", "Jetzt :Name löschen"),
        ("You have @count mails", "Sie haben @anzahl Mails"),
        ("Found by %s", "Gefunden"),
        ("{n, plural, one {# file in {place}} other {# files in {place}}}",
         "{n, plural, one {# Datei} other {# Dateien}}"),
        ("{n, plural, one {# file} other {# files}}", "{m, plural, one {# Datei} other {# Dateien}}"),
    ],
    "icu": [
        ("{n, plural, one {# file} other {# files}}", "{n, plural, one {# Datei} viele {# Dateien} other {#}}"),
        ("{n, plural, one {# file} other {# files}}", "{n, plural, one {# Datei}}"),
        ("{g, select, female {her} male {him} other {them}}", "{g, select, weiblich {sie} male {ihn} other {sie}}"),
        ("{n, plural, =0 {no file} one {# file} other {# files}}", "{n, plural, one {# Datei} other {# Dateien}}"),
    ],
    "urls": [
        ("See https://example.com/a.", "Siehe https://example.com/b."),
        ("Go to www.example.com now.", "Gehen Sie jetzt zu uns."),
    ],
    "emails": [("Write to a@example.com.", "Schreiben Sie an b@example.com.")],
    "tags": [
        ("A <b>bold</b> word", "Ein <b>fettes<b> Wort"),
        ("A <b>bold</b> word", "Ein fettes Wort"),
        ("<i>A <b>word</b></i>", "<i>Ein <b>Wort</i></b>"),
        ("One<br/>two", "Eins<br>zwei"),
    ],
    "tag_attributes": [
        ('<a href="x.html">Here</a>', '<a href="y.html">Hier</a>'),
        ('<a href="x">A</a><a href="x">B</a><a href="y">C</a>', '<a href="x">D</a><a href="y">E</a><a href="y">F</a>'),
    ],
    "entities": [("Tom & Jerry's house", "Das Haus von Tom &amp; Jerry")],
    "brackets": [
        ("The file (old) is gone.", "Die Datei (alt ist weg."),
        ("See [here] for more.", "Mehr siehe hier."),
    ],
    "quotes": [
        ('He said "yes" to it.', "Er sagte „ja dazu."),
        ('He said "yes" to it.', "Er sagte ja dazu."),
    ],
    "added_quotes": [("He said yes to it.", "Er sagte „ja“ dazu.")],
    "added_brackets": [("Close the FD.", "Den Dateideskriptor (FD) schließen.")],
    "dates": [("Due on 03/25/2024", "Fällig am 03.25.2024"), ("From 2024-03-04 on", "Ab dem 03.04.2024")],
    "calendar": [
        ("We meet on Monday in May.", "Wir treffen uns am Dienstag im Mai."),
        ("Closed in August", "Im Oktober geschlossen"),
    ],
    "negation": [
        ("The file was not saved.", "Die Datei wurde gespeichert."),
        ("The file was saved today.", "Die Datei wurde heute nicht gespeichert."),
    ],
    "units": [
        ("It weighs 5 kg.", "Es wiegt 5 g."), ("It costs €5.", "Es kostet 5 $."), ("Save 20% today", "Heute 20 sparen"),
        ("Room 20 is free", "Zimmer 20 % ist frei"), ("It takes 3 days.", "Es dauert 3 Wochen."),
        ("It is 5 km away", "Es ist 5 Meilen entfernt"),
    ],
    "identifiers": [("Please set MAX_SIZE in settings.py now.", "Bitte setzen Sie jetzt MAX SIZE in settings.py.")],
    "accelerators": [
        ("&Open file", "Datei öffnen"), ("_Print preview", "_Druckvor_schau"),
        ("Save && &Exit", "Speichern && Beenden"),
    ],
    "lost_letters": [("A beautiful house", "Ein sch?nes Haus"), ("The large house", "Das gro?e Haus")],
    "sentences": [
        ("Save the file. Then close the window. The program ends.", "Sichern Sie die Datei. Das Programm endet."),
        ("The shop in our town is closed today.", "Der Laden in unserer Stadt ist heute zu. Bitte kommen Sie morgen."),
    ],
    "preamble": [
        ("The shop is closed.", "Translation: Der Laden ist geschlossen."),
        ("The shop in the town was closed all week.",
         "Sure! Here's the translation: Der Laden in der Stadt war die ganze Woche zu."),
    ],
    "full_stop": [("Save", "Speichern.")],
    "wrong_language": [("The weather was nice all week.", "Le temps a été beau toute la semaine.")],
    "end_punctuation": [
        ("Are you there?", "Sind Sie da."),
        ("Wait for me…", "Warte auf mich."),
        ("The end.", "Das Ende"),
    ],
    "edge_spaces": [("Name: ", "Name des Kunden:"), ("Hello", " Hallo")],
    "double_spaces": [("A big house", "Ein großes  Haus")],
    "space_before_mark": [("Well, yes.", "Nun , ja."), ("Well, yes!", "Nun, ja !")],
    "newlines": [("First\nsecond", "Erstens zweitens"), ("First second", "Erstens\nzweitens")],
    "doubled_words": [("This is the house.", "Das ist ist das Haus."), ("Nice price.", "Schöner schöner Preis.")],
    "repeated_words": [
        ("I like this green house.", "Ich mag das mag das mag das Haus."),
        ("I like this green house.", "Ich sehr sehr sehr sehr mag es."),
    ],
    "repeated_characters": [("That is good", "Das ist guuuuuut")],
    "length": [
        ("Please read the following instructions carefully before you switch on the device.", "Bitte lesen."),
        ("Read this first", "Bitte lesen Sie die folgenden Anweisungen, bevor Sie das Gerät einschalten"),
    ],
    "first_letter": [("Save the file", "sichere die Datei")],
    "all_caps": [("DANGER OF DEATH", "Lebensgefahr"), ("Danger of death", "LEBENSGEFAHR")],
    "emoji": [("Well done 🎉", "Gut gemacht 🚀"), ("Well done 🎉", "Gut gemacht")],
    "mojibake": [
        ("The shop is beautiful.", "Der Laden ist schÃ¶n."),
        ("It's a nice day.", "Das ist â€™n Tag."),
        ("A nice day", "Ein sch\ufffdner Tag"),
    ],
    "invisible": [("A nice day", "Ein schö\u200bner Tag"), ("A nice day", "\ufeffEin schöner Tag")],
    "bidi": [("A nice day", f"Ein {BIDI}schöner\u202c Tag"), ("A nice day", "Ein \u2067schöner Tag")],
    "control": [("A nice day", "Ein schö\x07ner Tag"), ("A nice day", "Ein \x00schöner Tag")],
    "mask": [("Open Photoshop now.", "Öffnen Sie jetzt XK12T."), ("Open Paint now.", "Öffnen Sie [[0]] jetzt.")],
}  # fmt: skip
OF_OTHER_LANGUAGES = {
    "inverted_mark": ("Where are you?", "Dónde estás?", "es"),
    "locale_punctuation": ("Where are you?", "Où es-tu?", "fr"),
}
OF_SEVERAL_ROWS = {"inconsistent", "same_target", "shifted"}
OF_MORE_OPTIONS = {"glossary"}
CASES = [(code, *pair) for code, pairs in TRIGGERS.items() for pair in pairs]


@pytest.mark.parametrize(("code", "source", "target"), CASES)
def test_each_mistake_is_found_and_nothing_else(code, source, target):
    skip = ["brackets", "added_brackets", "numbers"] if code == "mask" else None  # a mask has brackets or a number
    assert found(source, target, source_lang="en", target_lang="de", skip=skip) == [code]


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("[INFO] The shop is closed.", "[INFO] Der Laden ist geschlossen."),
        ("[INFO] foo", "[INFO] foo"),
        ("[OK] Save", "[OK] Speichern"),
        ("[DE] Closed", "[DE] Geschlossen"),
        ("DE: Closed", "[DE] Geschlossen"),
        ("Shop [EN] now", "Shop [EN] now"),
        ("The shop is closed.", "[FR] Der Laden ist geschlossen."),
        (None, "[DE] The shop is closed."),
    ],
)
def test_a_bracket_that_is_no_mark_is_left_alone(source, target):
    assert "marked" not in found(source, target, source_lang="en", target_lang="de")


def test_without_the_mark_the_row_is_checked_like_any_other():
    codes = found("The shop is closed and we open soon.", "[DE] The shop is closed and we open soon.", skip="marked")
    assert "partly_untranslated" in codes


@pytest.mark.usefixtures("unwarned")
@pytest.mark.parametrize("target", ["DE", "EN-GB", "ZH-HANT"])
def test_what_a_service_without_a_translator_gives_is_found(marking, target):
    texts = pd.Series(
        [
            "Il negozio è chiuso. Chiamaci!\nGrazie mille a tutti.",
            "  Chiamaci subito",
            "Costa <b>5</b> euro.",
            "4 / 5",
        ],
        index=list("abcd"),
    )
    made = texts.svc.translate(target, source_lang="IT", progress=False)
    for options in ({}, {"source_lang": "IT", "target_lang": target}):
        report = texts.svc.check(made, **options)
        assert report[["row", "severity", "code"]].values.tolist() == [[row, "error", "marked"] for row in "abc"]
        assert report["message"].str.contains("NOT TRANSLATED").all()
    marked = {"split_sentences": "0", "tag_handling": "html", "protect": ["negozio"]}
    made = texts.svc.translate(target, source_lang="IT", progress=False, **marked)
    assert texts.svc.check(made)["code"].tolist() == ["marked"] * 3


@pytest.mark.parametrize("form", protection.FORMS, ids=lambda form: form.written)
def test_the_marks_of_protection_are_known(form):
    mark = form.written % 17
    assert found("Open it now.", f"Öffnen Sie {mark} jetzt.", codes="mask") == ["mask"]
    assert found(f"Open {mark} now.", f"Öffnen Sie {mark} jetzt.", codes="mask") == []


def test_an_opening_mark_is_missed_in_spanish_only():
    source, target, lang = OF_OTHER_LANGUAGES["inverted_mark"]
    assert found(source, target, target_lang=lang) == ["inverted_mark"]
    assert found(source, target, target_lang="pt") == []


@pytest.mark.parametrize(
    ("source", "target", "lang"),
    [
        ("Where are you?", "Où es-tu ?", "fr"),
        ("Where are you?", "Où es-tu?", "de"),
        ("See https://example.com?a=1, ok", "Voir https://example.com?a=1, ok", "fr"),
    ],
)
def test_marks_are_those_of_the_language(source, target, lang):
    assert found(source, target, target_lang=lang, codes="locale_punctuation") == []


@pytest.mark.parametrize(
    ("target", "fixed", "lang"),
    [
        ("Vraiment? Allez: {name}!", "Vraiment\u00a0? Allez\u00a0: {name}\u00a0!", "fr"),
        ("Vraiment? Allez: {name}!", "Vraiment? Allez\u00a0: {name}!", "fr-CA"),
        ("こんにちは,皆さん.", "こんにちは、皆さん。", "ja"),
        ("你好,世界.", "你好，世界。", "zh"),
        ("مرحبا?", "مرحبا؟", "ar"),
        ("Πώς?", "Πώς;", "el"),
    ],
)
def test_marks_of_another_language_are_put_right(target, fixed, lang):
    report = check(
        pd.Series(["Really? Go: {name}!"]), pd.Series([target]), target_lang=lang, codes="locale_punctuation"
    )
    assert report["replacement"].tolist() == [fixed]
    assert f"{lang.upper()} writes" in report["message"][0]


def test_the_sentence_that_is_missing_is_named_where_that_can_be_told():
    source = "Open the box. Take out all the parts and put them on a table. Is number 7 there? Call us now."
    parts = ["Öffnen Sie die Box.", "Nehmen Sie alle Teile heraus und legen Sie sie hin.", "Ist Nummer 7 da?"]
    last = "Rufen Sie jetzt an."
    for place, named in enumerate(["Take out all the parts", "Is number 7 there?"], 1):
        target = " ".join([*parts[:place], *parts[place + 1 :], last])
        message = check(pd.Series([source]), pd.Series([target]), target_lang="de", codes="sentences")["message"][0]
        assert f"“{named}" in message
        assert message.endswith("seems to be missing")
    both = check(pd.Series([source]), pd.Series([" ".join(parts[:2])]), target_lang="de", codes="sentences")
    assert both["message"][0].endswith("the source has 4: 2 seem to be missing")


@pytest.mark.parametrize(
    ("target", "lang"),
    [
        ("{n, plural, one {# файл} other {# файлов}}", "ru"),
        ("{n, plural, one {# plik} other {# plików}}", "pl"),
        ("{n, plural, other {# Dateien}}", "de"),
    ],
)
def test_a_plural_needs_the_arms_of_its_language(target, lang):
    source = "{n, plural, one {# file} other {# files}}"
    assert found(source, target, target_lang=lang, codes="icu") == ["icu"]


def test_a_plural_in_japanese_needs_one_arm():
    source = "{n, plural, one {# file} other {# files}}"
    assert found(source, "{n, plural, other {#個のファイル}}", target_lang="ja", codes="icu") == []


def test_english_that_stays_english_is_right_even_if_no_one_says_that_it_is_english():
    text = "The shop is closed and will open again on Monday."
    assert found(text, text, target_lang="EN-US") == []
    assert found(text, text, target_lang="DE") == ["untranslated"]


def test_rows_that_are_shifted_are_found_by_what_they_fit_to():
    source = pd.Series([f"Order {number} is {'very ' * (number % 4)}late{'.!?'[number % 3]}" for number in range(40)])
    right = pd.Series(
        [f"Bestellung {number} ist {'sehr ' * (number % 4)}spät{'.!?'[number % 3]}" for number in range(40)]
    )
    assert len(check(source, right, target_lang="de", codes="shifted")) == 0
    moved = pd.concat([right[:20], right[21:], right[20:21]], ignore_index=True)
    report = check(source, moved, target_lang="de", codes="shifted")
    assert set(range(20, 38)) <= set(report["row"]) <= set(range(18, 40))
    assert report["message"].str.contains("1 row below").all()


def test_every_code_of_the_catalogue_has_a_mistake_here():
    assert len(CHECKS) >= 20
    assert {*TRIGGERS, *OF_OTHER_LANGUAGES, *OF_SEVERAL_ROWS, *OF_MORE_OPTIONS} == set(CHECKS)
    assert checks()["code"].tolist() == list(CHECKS)
    assert set(checks()["severity"]) == {"error", "warning", "info"}


# ---- across rows


def test_equal_sources_should_be_translated_the_same():
    source = pd.Series(["Save", "Save", "Open", "Save"])
    target = pd.Series(["Sichern", "Speichern", "Öffnen", "Speichern"])
    report = check(source, target)
    assert report[["row", "code", "replacement"]].values.tolist() == [[0, "inconsistent", "Speichern"]]
    tie = check(source[:2], target[:2])
    assert tie["message"].tolist() == ["another row with this source has “Sichern”"]
    assert tie["replacement"].tolist() == [""]


def test_different_sources_with_one_translation_are_reported_but_not_for_case_or_marks():
    source = pd.Series(["the car", "a vehicle", "The car!"])
    report = check(source, pd.Series(["das Auto"] * 3), codes="same_target")
    assert report[["row", "code"]].values.tolist() == [[1, "same_target"]]
    assert "the car" in report["message"][0]


def test_rows_in_other_pieces_are_compared_as_well(monkeypatch):
    monkeypatch.setattr(chunked, "MOST_ROWS", 2)
    source = pd.Series(["Save", "Close", "Open", "Print", "Save"])
    target = pd.Series(["Sichern", "Zu", "Auf", None, "Speichern"])
    report = check(source, target)
    assert report[["row", "code"]].values.tolist() == [[3, "empty"], [4, "inconsistent"]]


# ---- glossary

TERMS = made("en", "de", ["delivery note", "note", "invoice", "house"], ["Lieferschein", "Notiz", "Rechnung", "Haus"])


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("Sign the delivery note.", "Unterschreiben Sie den Lieferschein."),
        ("Two delivery note copies", "Zwei Kopien des Lieferscheins"),
        ("The invoice is due.", "Die Rechnungen sind fällig."),
        ("Pay the invoice amount.", "Zahlen Sie den Rechnungsbetrag."),
        ("The house is big.", "Die Häuser sind groß."),
        ("The invoicer is here.", "Der Absender ist da."),
    ],
)
def test_a_term_may_be_inflected_or_part_of_a_compound(source, target):
    assert found(source, target, glossary=TERMS) == []


def test_another_word_than_the_glossary_has_is_found_with_the_right_one():
    report = check(pd.Series(["The Invoice is due."]), pd.Series(["Die Faktura ist fällig."]), glossary=TERMS)
    assert report[["code", "advice"]].values.tolist() == [["glossary", "use “Rechnung”"]]


@pytest.mark.parametrize(
    ("glossary", "source", "target", "expected"),
    [
        ({"order number": "注文番号"}, "The order number is here.", "注文番号はここにあります。", []),
        ({"order number": "注文番号"}, "The order number is here.", "オーダーナンバーはここです。", ["glossary"]),
        ({"to pay": "支払う"}, "You have to pay.", "支払いが必要です。", []),
        ({"注文番号": "order number"}, "注文番号はここにあります。", "The order numbers are here.", []),
        ({"сервер": "server"}, "Сервер не работает.", "The servers are down.", []),
        ({"C++": "C++"}, "Learn C++ today.", "Lernen Sie heute C.", ["glossary"]),
        ({"": "x", "a": ""}, "a b", "c d", []),
    ],
)  # fmt: skip
def test_scripts_and_signs_are_no_hindrance_to_a_glossary(glossary, source, target, expected):
    assert found(source, target, glossary=glossary, codes="glossary") == expected


def test_any_of_several_translations_of_a_term_will_do():
    terms = made("en", "de", ["car", "car"], ["Auto", "Wagen"])
    assert found("The car is red.", "Der Wagen ist rot.", glossary=terms) == []


def test_a_glossary_of_several_pairs_needs_to_know_which():
    terms = pd.concat([TERMS, made("en", "fr", ["invoice"], ["facture"])])
    with pytest.raises(ValueError, match="en→de, en→fr"):
        found("An invoice", "Une facture", glossary=terms)
    assert found("An invoice", "Une facture", glossary=terms, target_lang="FR") == []


# ---- detection


def test_a_translation_in_another_language_is_found_by_whoever_detects():
    asked = []

    def detect(texts):
        asked.extend(texts)
        return ["FR" if "bonne" in text else "DE" for text in texts]

    source = pd.Series(["The food was very good that evening."] * 3)
    target = pd.Series(["La nourriture était très bonne ce soir-là.", "Das Essen war an jenem Abend sehr gut.", "Ja"])
    report = check(source, target, target_lang="DE", detect=detect, codes="wrong_language")
    assert report[["row", "code"]].values.tolist() == [[0, "wrong_language"]]
    assert len(asked) == 2  # "Ja" says too little
    report.apply()
    assert len(asked) == 2


def test_the_service_finds_what_is_in_another_language(connected):
    def detect(texts):
        return [one.detected_language for one in connected.client.detection.detect(texts)]

    pairs = [pair for pair in RIGHT["en", "de"] if len(pair[1]) > 40 and "<" not in pair[1]] + [
        ("The weather was very nice all week long.", "Le temps a été très beau pendant toute la semaine."),
    ]
    source, target = (pd.Series(side) for side in zip(*pairs, strict=True))
    report = check(source, target, source_lang="en", target_lang="DE", detect=detect, codes="wrong_language")
    assert report["row"].tolist() == [len(pairs) - 1]


@pytest.mark.parametrize(
    ("lang", "wrong", "right"),
    [
        ("ko", "파일을 파일을 저장합니다", "파일을 저장합니다"),
        ("ko", "서버에 연결할 수 수 없습니다", "서버에 연결할 수 없습니다"),
        ("ko", "변경 파일 파일을 읽습니다", "변경 파일을 읽습니다"),
        ("ar", "تم حفظ الملف الملف بنجاح", "تم حفظ الملف بنجاح"),
        ("ar", "تم حفظ المِلَفّ المِلَفّ بنجاح", "تم حفظ المِلَفّ بنجاح"),
        ("ar", "لم يتم العثور على على الملف", "لم يتم العثور على الملف"),
        ("he", "לא ניתן ניתן לפתוח את הקובץ", "לא ניתן לפתוח את הקובץ"),
        ("he", "הַקֹּבֶץ הַקֹּבֶץ נשמר", "הַקֹּבֶץ נשמר"),
        ("he", "שמור את את הקובץ", "שמור את הקובץ"),
    ],
)
def test_words_that_are_doubled_in_korean_arabic_and_hebrew_are_found_and_fixed(lang, wrong, right):
    both = pd.Series(["The file was saved on the server."]), pd.Series([wrong])
    report = check(*both, source_lang="EN", target_lang=lang, codes="doubled_words")
    assert report["replacement"].tolist() == [right]
    assert found("The file was saved.", right, source_lang="EN", target_lang=lang, codes="doubled_words") == []


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("ko", "천천히 천천히 걸었다"),  # slowly
        ("ko", "파일을 하나 하나 확인합니다"),  # one by one
        ("ko", "로그 파일의 파일 이름"),  # the file's file name
        ("ko", "디렉터리가 디렉터리가 아닙니다"),  # Korean for "a directory is not a directory"
        ("ko", "show_all()이 이 위젯에 영향을 줍니다"),  # a particle, then "this"
        ("ar", "رويدا رويدا"),
        ("ar", "هذا مهم جدًا جدًا"),  # very
        ("ar", "ملف الملف"),  # the file of the file
        ("ar", "الملف والملف"),  # the file and the file
        ("he", "לאט לאט"),
        ("he", "יום יום"),  # daily
        ("he", "קובץ הקובץ"),
        ("he", "קובץ וקובץ"),
    ],
)
def test_words_that_are_rightly_said_twice_or_with_another_prefix_are_not(lang, text):
    assert found("Once in a while", text, source_lang="EN", target_lang=lang, codes="doubled_words") == []


def test_detection_needs_a_target_language_and_an_answer_for_every_text():
    with pytest.raises(ValueError, match="target_lang"):
        found("a", "b", detect=lambda texts: [None] * len(texts))
    with pytest.raises(ValueError, match="expected 1 code, one"):
        found("It is a nice day.", "Das ist ein sehr schöner Tag.", target_lang="de", detect=lambda texts: [])


# ---- shapes


def test_findings_carry_the_labels_of_the_rows_in_their_order():
    index = pd.Index(["b", "a", "a", None])
    source = pd.Series(["One.", "Two.", None, "Five {x}."], index=index)
    target = pd.Series(["Eins", None, "Drei", "Fünf!"], index=index)
    report = check(source, target, target_lang="de")
    assert isinstance(report, Report)
    assert list(report.columns) == ["row", "position", "severity", "code", "message", "replacement", "advice"]
    assert report["row"].astype(object).where(report["row"].notna(), None).tolist() == ["b", "a", None, None]
    assert report["position"].tolist() == [0, 1, 3, 3]
    assert report["code"].tolist() == ["end_punctuation", "empty", "placeholders", "end_punctuation"]
    assert "4 findings in 3 of 4 texts" in report.said


def test_columns_of_other_lengths_or_labels_are_refused():
    with pytest.raises(ValueError, match="as many texts in both, found 1 and 2"):
        check(pd.Series(["a"]), pd.Series(["b", "c"]))
    with pytest.raises(ValueError, match="different row labels"):
        check(pd.Series(["a", "b"]), pd.Series(["c", "d"], index=[1, 0]))
    with pytest.raises(TypeError, match=r"translated, row 1 \(label 1\): expected text, found int"):
        check(pd.Series(["a", "b"]), pd.Series(["c", 5]))


def test_a_code_that_does_not_exist_is_refused_with_the_nearest():
    with pytest.raises(ValueError, match="Did you mean 'numbers'"):
        found("a", "b", skip=["number"])
    with pytest.raises(ValueError, match="no check 'zzz'"):
        found("a", "b", codes="zzz")
    with pytest.raises(TypeError, match="skip: expected a code such as 'numbers', or a list of them, found 5"):
        found("a", "b", skip=5)
    with pytest.raises(TypeError, match="glossary: expected terms and translations as texts, found 5"):
        found("a", "b", glossary={"house": 5})


@pytest.mark.parametrize("dtype", ["object", "string", "category"])
def test_any_kind_of_text_column_will_do(dtype):
    source = pd.Series(["A {x}", "B", None], dtype=dtype)
    target = pd.Series(["Ä", "Be", None], dtype=dtype)
    assert check(source, target)["code"].tolist() == ["placeholders"]


def test_a_language_without_data_is_reported():
    assert "There is no data for XX" in check(pd.Series(["Do not go."]), pd.Series(["Gehe."]), target_lang="XX").said
    assert "There is no data" not in check(pd.Series(["Go."]), pd.Series(["Gehe."]), target_lang=["DE"]).said


def test_rows_may_be_in_several_languages():
    source = pd.Series(["Where?", "3 Tage", "Where?", None], index=list("aabb"))
    target = pd.Series(["Où?", "3 weeks", "Wo?", None], index=source.index)
    languages = pd.DataFrame({"from": ["en", "DE", "EN", None], "to": ["fr", "en", "de", "de"]}, index=source.index)
    report = check(source, target, source_lang=languages["from"], target_lang=languages["to"])
    assert report[["position", "code"]].values.tolist() == [[0, "locale_punctuation"], [1, "units"]]
    assert report.apply().tolist()[:3] == ["Où\u00a0?", "3 weeks", "Wo?"]
    with pytest.raises(ValueError, match="target_lang: expected a language, or 4 of them, one per row, found 1"):
        check(source, target, target_lang=["de"])


def test_a_glossary_of_the_service_is_named(connected):
    svc_nb.glossaries.push(made("en", "de", ["house"], ["Haus"]), name="Homes")
    source, translated = pd.Series(["A house"]), pd.Series(["Ein Heim"])
    assert source.svc.check(translated, glossary="Homes", target_lang="DE")["code"].tolist() == ["glossary"]
    without, named = (source.svc.score(translated, glossary=each, target_lang="DE")[0] for each in (None, "Homes"))
    assert named < without


def test_nothing_to_check_is_no_mistake():
    assert len(check(pd.Series([], dtype=object), pd.Series([], dtype=object))) == 0
    assert len(check(pd.Series([None]), pd.Series([None]))) == 0
    assert len(check(["One."], ["Eins."])) == 0


# ---- replacements

FIXABLE = {
    "all_caps", "bidi", "control", "double_spaces", "doubled_words", "edge_spaces", "emails", "entities",
    "first_letter", "invisible", "mojibake", "numbers", "placeholders", "preamble", "repeated_characters",
    "space_before_mark", "urls",
}  # fmt: skip


def test_replacements_fix_their_findings():
    fixable = set()
    for code, pairs in TRIGGERS.items():
        for source, target in pairs:
            options = {"source_lang": "en", "target_lang": "de", "codes": code}
            replacement = check(pd.Series([source]), pd.Series([target]), **options)["replacement"][0]
            if replacement:
                fixable.add(code)
                assert found(source, replacement, **options) == [], (code, target)
    assert fixable == FIXABLE


@pytest.mark.parametrize(
    ("source", "target", "fixed"),
    [
        ("{{ if x }} stop", "%s halt", "{{ if x }} halt"),
        ("Hallo Welt ------ Titel", "Haaaaaallo Welt ------ Titel", "Hallo Welt ------ Titel"),
        ("See ?a=1&copy=2 now, Tom & Jo", "Siehe ?a=1&copy=2, Tom &amp; Jo", "Siehe ?a=1&copy=2, Tom & Jo"),
    ],
)
def test_a_replacement_changes_nothing_else(source, target, fixed):
    assert check(pd.Series([source]), pd.Series([target]))["replacement"].tolist()[0] == fixed


def test_a_message_is_not_put_back_without_its_arms():
    report = check(pd.Series(["{n, plural, one {a file} other {files}}"]), pd.Series(["{n}"]))
    assert report.query("code == 'placeholders'")["replacement"].tolist() == [""]


def test_a_part_of_the_findings_can_be_applied():
    source, target = pd.Series(["See http://a.org/X.", "Go"]), pd.Series(["Siehe http://a.org/x.", " Los"])
    report = check(source, target, target_lang="de")
    assert report.query("code == 'urls'").apply().tolist() == ["Siehe http://a.org/X.", " Los"]
    assert report[report["position"] == 1].apply().tolist() == ["Siehe http://a.org/x.", "Los"]
    assert report.head(1).said == f"1 of {len(report)} findings."
    assert type(report[["row", "code"]]) is pd.DataFrame


def test_findings_can_be_kept_and_applied_later():
    source, target = pd.Series(["A house. "]), pd.Series(["Ein Haus."])
    options = {"source_lang": "en", "target_lang": "de", "glossary": {"house": "Haus"}}
    kept = pickle.loads(pickle.dumps(check(source, target, **options)))
    assert kept.apply().tolist() == ["Ein Haus. "]


def test_apply_fixes_what_has_a_replacement_and_brings_no_new_finding():
    rows = [pair for pairs in TRIGGERS.values() for pair in pairs]
    source, target = (pd.Series(texts, dtype=object, index=["same"] * len(rows)) for texts in zip(*rows, strict=True))
    before = check(source, target, target_lang="de")
    fixed = before.apply()
    after = check(source, fixed, target_lang="de")
    left = after.groupby(["position", "code"]).size()
    told = before.groupby(["position", "code"]).size()
    assert (left <= told.reindex(left.index, fill_value=0)).all()
    assert len(after) < len(before) - 15
    assert (after["code"] == "double_spaces").sum() == 0
    pd.testing.assert_index_equal(fixed.index, target.index)


def test_apply_fixes_only_the_kinds_asked_for_and_keeps_the_column_s_type():
    source = pd.Series(["One two.", "Save", None], name="en", dtype="string")
    target = pd.Series([" Eins  zwei.", "Speichern", None], name="de", dtype="string")
    report = check(source, target, target_lang="de")
    assert report.apply(kinds="double_spaces").tolist()[:2] == [" Eins zwei.", "Speichern"]
    pd.testing.assert_series_equal(
        report.apply(), pd.Series(["Eins zwei.", "Speichern", None], name="de", dtype="string")
    )
    with pytest.raises(ValueError, match="kinds: there is no check 'double'"):
        report.apply(kinds="double")
    assert report.apply(len).tolist() == [2] * 7, "with a function, it is the apply of every DataFrame"


def test_html_shows_the_texts_beside_the_findings_as_text():
    shown = check(pd.Series(["A <b>bold</b> word"]), pd.Series(["Ein <i>fettes Wort"]))._repr_html_()
    assert "A &lt;b&gt;bold&lt;/b&gt; word" in shown
    assert "Ein &lt;i&gt;fettes Wort" in shown
    assert "<i>" not in shown


def test_several_columns_are_checked_together_and_fixed_together():
    frame = pd.DataFrame({"title": ["One"], "body": ["Two {x}."], "title_DE": [" Eins"], "body_DE": ["Zwei {y}."]})
    report = frame.svc.check(["title", "body"], "de")
    assert report[["column", "row", "code"]].values.tolist() == [
        ["title_DE", 0, "edge_spaces"], ["body_DE", 0, "placeholders"],
    ]  # fmt: skip
    assert report.apply().iloc[0].to_dict() == {"title_DE": "Eins", "body_DE": "Zwei {x}."}
    assert "Two {x}." in report._repr_html_()
    assert len(frame.svc.check({"title": "title_DE"})) == 1
    with pytest.raises(KeyError, match="title_FR"):
        frame.svc.check("title", "FR")
    with pytest.raises(ValueError, match="target_lang"):
        frame.svc.check("title")


# ---- hostile texts

NASTY = [
    "<script>alert(1)</script>",
    "{0}",
    "%s",
    "$x$",
    "=1+1",
    "שלום",
    "👩‍👩‍👧",
    "\ud800",
    "\x00",
]
REPEATED = [
    "a", "{", "<a ", "(", "%", "a b ", "1,", "{a, plural, ", "@", "The end is near. ", "a.", "-x A ", ":name ", "not ",
    "?", "'", "one two ", "a_b.", "5 km ", "1.2.3-", "Ä", "\n    x", "`", "…", "\n", "(\n", "_a", "http://a)", "3rd ",
    "a_b() ", "1.2.3.4 ", "{a, plural, other {b}}",
]  # fmt: skip


def checked(texts) -> Report:
    """Each text against one that is not like it, one that nearly is, and one that is markup."""
    pairs = [(one, other) for one in texts for other in ("Hallo", one + "!", NASTY[0])]
    source, target = (pd.Series(side, dtype=object) for side in zip(*pairs, strict=True))
    return check(source, target, source_lang="en", target_lang="de", glossary={"{0}": "%s", "<script>": "=1+1"})


def test_words_of_marks_alone_are_no_mistake():
    marks = " \u093f" * 5
    assert "partly_untranslated" not in found(f"One{marks}", f"Eins{marks}", target_lang="de")


@pytest.mark.parametrize(
    ("source", "target", "lang"),
    [
        ("%1$s and %s", "%1$s und", "de"),
        ("%" + "1" * 5_000 + "$s a", "%s b", "de"),
        ("1.2." + "1" * 5_000 + " x", "1.3." + "1" * 5_000 + " x", "de"),
        ("see aa_bb_cc here", "zz_aa_bb_cc", "de"),
        ("12", "13", "el"),
    ],
)
def test_odd_texts_raise_nothing(source, target, lang):
    check(pd.Series([source]), pd.Series([target]), source_lang="en", target_lang=lang)


def test_hostile_texts_are_data():
    report = checked([*NASTY, *(unit * 1_000 for unit in REPEATED)])
    assert "<script>" not in report._repr_html_()
    assert report["message"].str.len().max() < 1_000


@pytest.mark.long
@pytest.mark.parametrize("unit", REPEATED)
def test_hostile_texts_cost_no_more_than_their_length(unit):
    small, large = (unit * (size // len(unit)) for size in (5_000, 20_000))
    assert growth(lambda text: checked([text]), small, large) < LINEAR


@pytest.mark.long
@pytest.mark.parametrize("kind", ["braces", "dots", "times", "zeros", "name", "digits", "address"])
def test_texts_that_nearly_match_cost_no_more_than_their_length(kind):
    def text(size: int) -> str:
        times = " ".join(f"{number % 24}:{number % 60}:{number % 7}" for number in range(size // 8))
        return {
            "braces": "{{" + " " * size, "dots": f"a{'.' * size}b", "times": times, "zeros": "%" + "0" * size,
            "name": "a" + "_a" * (size // 2) + "\\", "digits": "1" * size + " million",
            "address": "http://a" + ")" * size,
        }[kind]  # fmt: skip

    assert growth(lambda some: checked([some]), text(2_000), text(8_000)) < LINEAR


texts = st.text(
    st.one_of(st.characters(), st.sampled_from("{}<>%()[]\"'.,!? \n\t019aAÃ¶äß字カ한عא\u200b")), max_size=30
)


@pytest.mark.long
@given(st.lists(st.tuples(texts, texts), max_size=8))
def test_any_texts_can_be_checked_and_rows_do_not_disturb_each_other(pairs):
    source, target = (pd.Series([pair[side] for pair in pairs], dtype=object) for side in (0, 1))
    across = ["inconsistent", "same_target"]
    whole = check(source, target, source_lang="en", target_lang="ja", skip=across)
    alone = [
        (row, code)
        for row in range(len(pairs))
        for code in check(source.iloc[[row]], target.iloc[[row]], source_lang="en", target_lang="ja", skip=across)[
            "code"
        ]
    ]
    assert sorted(zip(whole["row"], whole["code"], strict=True)) == sorted(alone)


@given(texts)
def test_a_text_beside_itself_has_no_findings_but_that_it_is_untranslated(text):
    codes = set(found(text, text))
    assert codes <= {"untranslated", "untranslated_word"}


@pytest.mark.long
@settings(max_examples=25)
@given(st.integers(0, 10**9), st.integers(0, 99))
def test_a_number_is_the_same_in_every_way_to_write_it(whole, cents):
    english, german, french = (f"{whole:,}.{cents:02}".translate(str.maketrans(dict(zip(",.", marks, strict=True))))
                               for marks in (",.", ".,", "\u202f,"))  # fmt: skip
    plain = f"{whole}.{cents:02}"
    for one in (english, german, french, plain):
        for other in (english, german, french, plain):
            assert found(f"a {one} b", f"c {other} d", codes="numbers") == []
    other = f"{whole + 1}.{cents:02}"
    assert found(f"a {english} b", f"c {other} d", codes=["numbers", "number_words"]) == ["numbers"]


def test_findings_are_the_same_whatever_the_size_of_the_pieces(monkeypatch):
    source = pd.Series([pair[1] for pair in CASES] * 3)
    target = pd.Series([pair[2] for pair in CASES] * 3)
    whole = check(source, target, target_lang="de")
    monkeypatch.setattr(chunked, "MOST_ROWS", 7)
    assert np.array_equal(whole[["row", "code"]], check(source, target, target_lang="de")[["row", "code"]])
