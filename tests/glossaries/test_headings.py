"""Headings of columns in the languages of the world, in one row or two, and what a caller says about them."""

import pytest
from babel import Locale

from svc_nb import glossaries
from svc_nb.glossaries import files
from svc_nb.glossaries.headings import Heads, head_place, joined_heads
from svc_nb.language_codes import STABLE, tag_of
from svc_nb.tabular.terms import COLUMNS

WORDS = {
    "cs": ("Zdrojový termín", "Cílový termín", "Výraz", "Překlad", "Poznámka"),
    "de": ("Quelle", "Ziel", "Begriff", "Übersetzung", "Kommentar"),
    "en": ("Source", "Target", "Term", "Translation", "Comment"),
    "es": ("Origen", "Destino", "Término", "Traducción", "Comentario"),
    "fr": ("Source", "Cible", "Terme", "Traduction", "Commentaire"),
    "it": ("Origine", "Destinazione", "Termine", "Traduzione", "Commento"),
    "ja": ("原文", "訳文", "用語", "翻訳", "コメント"),
    "ko": ("원문", "대상", "용어", "번역", "비고"),
    "nl": ("Bron", "Doel", "Term", "Vertaling", "Opmerking"),
    "pl": ("Źródło", "Termin docelowy", "Termin", "Tłumaczenie", "Komentarz"),
    "pt": ("Origem", "Destino", "Termo", "Tradução", "Comentário"),
    "ru": ("Источник", "Целевой термин", "Термин", "Перевод", "Комментарий"),
    "sv": ("Källa", "Mål", "Term", "Översättning", "Anmärkning"),
    "tr": ("Kaynak", "Hedef", "Terim", "Çeviri", "Açıklama"),
    "uk": ("Джерело", "Ціль", "Термін", "Переклад", "Коментар"),
    "zh": ("源术语", "目标术语", "术语", "翻译", "备注"),
}


def save(folder, name, text):
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def rows_of(table):
    return list(table[list(COLUMNS)].itertuples(index=False, name=None))


@pytest.mark.parametrize("language", WORDS)
def test_source_target_term_and_translation_are_known_in_many_languages(tmp_path, language):
    source, target, term, translation, comment = WORDS[language]
    for head in (f"{source};{target};{comment}", f"{comment};{term};{translation}", f"{term.upper()};{target}"):
        cells = ["n", "house", "Haus"] if head.startswith(comment) else ["house", "Haus", "n"]
        text = f"{head}\n{';'.join(cells[: head.count(';') + 1])}\n"
        table = files.read(save(tmp_path, "t.csv", text), source_lang="en", target_lang="de")
        assert rows_of(table) == [("EN", "DE", "house", "Haus")]
        assert comment not in head or table[comment].tolist() == ["n"]


@pytest.mark.parametrize("language", WORDS)
def test_languages_are_known_by_their_names_in_many_languages(tmp_path, language):
    names = Locale(language).languages
    pairs = [(code, name) for code in sorted(STABLE) if (name := names.get(code))]
    assert [(code, tag_of(name)) for code, name in pairs] == [(code, code) for code, _ in pairs]
    term = WORDS[language][2]
    head = f"{names['en']},{names['de'].title()},{names['ja']} {term},{term} ({names['fr']})"
    table = files.read(save(tmp_path, "t.csv", f"{head}\nhouse,Haus,家,maison\n"))
    assert table["target_lang"].tolist() == ["DE", "JA", "FR"]
    assert table["source_lang"].unique().tolist() == ["EN"]


def test_languages_are_known_by_their_own_names():
    own = {code: Locale(code).languages.get(code) for code in STABLE}
    assert {code: tag_of(name) for code, name in own.items() if name} == {
        code: code for code, name in own.items() if name
    }


@pytest.mark.parametrize(
    "label",
    [
        "Status", "Notes", "English (notes)", "Deutsch (Kommentar)", "Term ID", "Kunde", "no.",
        "German (reviewer comments)",
        "Portuguese (Brazil) comment", "French (Canada) definition", "Portuguese (Brazil) - Status", "English, notes",
        "用語（備考）", "Deutsch (Deutschland)_Definition",
    ],
)  # fmt: skip
def test_other_headings_are_no_languages(label):
    assert Heads([label]).languages == {}


@pytest.mark.parametrize(
    ("label", "code"),
    [
        ("中文（简体）", "ZH-HANS"), ("中国語（繁体字）", "ZH-HANT"), ("英語（米国）", "EN-US"),
        ("英文(美国)", "EN-US"),
        ("Traducción al inglés", "EN"), ("Перевод на русский", "RU"), ("Traduction vers l’anglais", "EN"),
        ("English - US", "EN-US"), ("German - DE", "DE"), ("English_United_States", "EN-US"),
        ("Chinese - Simplified", "ZH-HANS"),
        ("Inglês (EUA)", "EN-US"), ("Inglés (EE. UU.)", "EN-US"), ("Portugiesisch (Brasilien)", "PT-BR"),
        ("Espagnol (Mexique)", "ES-MX"), ("Engels (VS)", "EN-US"), ("Engels (XY)", "EN"), ("German (AT)", "DE-AT"),
        ("Vereenvoudigd Chinees", "ZH-HANS"), ("Deutsch (Deutschland)_Term", "DE-DE"),
        ("English_United_States_Def", None), ("German - reviewer", None),
    ],
)  # fmt: skip
def test_a_language_is_known_with_its_region_and_nothing_is_made_up(label, code):
    assert Heads([label]).languages == ({0: code} if code else {})


@pytest.mark.parametrize("language", sorted(STABLE))
def test_regions_are_known_by_their_names_in_many_languages(language):
    locale = Locale(language)
    for code, region in (("en", "US"), ("en", "GB"), ("fr", "CA"), ("pt", "BR"), ("es", "MX"), ("de", "AT")):
        label = f"{locale.languages[code]} ({locale.territories[region]})"
        assert Heads([label]).languages == {0: f"{code}-{region}".upper()}, label


def test_an_error_about_languages_says_that_columns_can_be_named(tmp_path):
    for text, more in (
        ("English 1,English 2\na,b\n", {}),
        ("English 1,English 2\na,b\n", {"header": True}),
        ("English,German,German\na,b,c\n", {}),
        ("one,two,three,four,five\na,b,c,d,e\n", {}),
    ):
        with pytest.raises(ValueError, match="columns="):
            files.read(save(tmp_path, "t.csv", text), **more)


def test_a_side_is_known_behind_a_language_with_its_region():
    heads = Heads(["English (UK)_Term", "French (Canada) target", "German term (preferred)"])
    assert heads.languages == {0: "EN-GB", 1: "FR-CA", 2: "DE"}
    assert heads.sides == {0: "", 1: "target", 2: ""}


def test_notes_beside_a_language_with_a_region_are_no_terms(tmp_path):
    text = "English,Portuguese (Brazil),Portuguese (Brazil) comment\nbus,ônibus,\ntrain,,still to be translated\n"
    table = files.read(save(tmp_path, "t.csv", text))
    assert rows_of(table) == [("EN", "PT-BR", "bus", "ônibus")]
    text = "English (UK),,French (Canada),\nTerm,Definition,Term,Definition\nlorry,big car,camion,gros\n"
    table = files.read(save(tmp_path, "t.csv", text))
    assert rows_of(table) == [("EN-GB", "FR-CA", "lorry", "camion")]
    assert table["French (Canada) Definition"].tolist() == ["gros"]


def test_behind_the_languages_a_source_is_where_a_term_is_from(tmp_path):
    table = files.read(save(tmp_path, "t.csv", "Deutsch,Englisch,Quelle\nHaus,house,Duden\n"))
    assert rows_of(table) == [("DE", "EN", "Haus", "house")]
    assert table["Quelle"].tolist() == ["Duden"]


# ---- what the caller says


def test_columns_that_the_caller_names_win_over_headings(tmp_path):
    path = save(tmp_path, "t.csv", "Wort,Palabra,English,DE\nHaus,casa,house,x\n")
    table = files.read(path, columns={"Wort": "de", "palabra ": "Spanish"})
    assert rows_of(table) == [("DE", "ES", "Haus", "casa"), ("DE", "EN", "Haus", "house")]
    assert table["DE"].tolist() == ["x", "x"]
    table = files.read(path, columns={"Wort": "source", "Palabra": "target"}, source_lang="de", target_lang="es")
    assert rows_of(table) == [("DE", "ES", "Haus", "casa")]
    table = files.read(path, columns={"DE": None, "Wort": "de-AT"})
    assert rows_of(table) == [("DE-AT", "EN", "Haus", "house")]
    assert "Read as you specified: 'Wort' as DE-AT." in table.said


def test_a_column_that_the_file_does_not_have_is_an_error_that_lists_its_columns(tmp_path):
    path = save(tmp_path, "t.csv", "Our glossary\nWort,Palabra\nHaus,casa\n")
    with pytest.raises(ValueError, match=r"t\.csv: columns: the file has no column 'Mot'\. .*'Wort', 'Palabra'"):
        files.read(path, columns={"Wort": "de", "Mot": "fr"})
    with pytest.raises(ValueError, match=r"columns: expected a language, source, .* for 'Wort', found 'Klingon'"):
        files.read(path, columns={"Wort": "Klingon"})
    assert rows_of(files.read(path, columns={"Wort": "de", "Palabra": "es"})) == [("DE", "ES", "Haus", "casa")]


def test_languages_that_the_caller_gives_win_over_headings(tmp_path):
    path = save(tmp_path, "t.csv", "English,German\ncolour,Farbe\n")
    assert rows_of(files.read(path, source_lang="en-GB")) == [("EN-GB", "DE", "colour", "Farbe")]
    assert rows_of(files.read(path, target_lang="de-CH")) == [("EN", "DE-CH", "colour", "Farbe")]
    table = files.read(path, source_lang="fr", target_lang="it")
    assert rows_of(table) == [("FR", "IT", "colour", "Farbe")]
    assert "Read as you specified: 'English' as FR, 'German' as IT." in table.said
    assert rows_of(files.read(path, source_lang="de", target_lang="en")) == [("DE", "EN", "Farbe", "colour")]
    assert rows_of(files.read(path, source_lang="fr")) == [("FR", "DE", "colour", "Farbe")]
    assert rows_of(files.read(path, target_lang="es")) == [("EN", "ES", "colour", "Farbe")]
    assert rows_of(files.read(path, source_lang="en", target_lang="es")) == [("EN", "ES", "colour", "Farbe")]
    assert rows_of(files.read(path, source_lang="es", target_lang="en")) == [("ES", "EN", "Farbe", "colour")]
    many = save(tmp_path, "m.csv", "English,German,French\ncolour,Farbe,couleur\n")
    for wrong in ("source_lang", "target_lang"):
        with pytest.raises(ValueError, match=f"{wrong}: expected one of"):
            files.read(many, **{wrong: "es"})


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("Begriff;Übersetzung;Quelle\nhouse;Haus;Duden\n", [("EN", "DE", "house", "Haus")]),
        ("Term,Translation,Definition,Source\nhouse,Haus,x,Duden\n", [("EN", "DE", "house", "Haus")]),
        ("Term,de,Source\nhouse,Haus,Duden\n", [("EN", "DE", "house", "Haus")]),
        ("source,target,term\nhouse,Haus,noun\n", [("EN", "DE", "house", "Haus")]),
    ],
)
def test_of_two_columns_that_may_be_sources_the_first_one_is(tmp_path, text, rows):
    assert rows_of(files.read(save(tmp_path, "t.csv", text), source_lang="en", target_lang="de")) == rows


def test_behind_terms_and_languages_source_is_no_term(tmp_path):
    path = save(tmp_path, "t.csv", "Term,de,fr,Source\nhouse,Haus,maison,Duden\n")
    table = files.read(path, source_lang="en")
    assert rows_of(table) == [("EN", "DE", "house", "Haus"), ("EN", "FR", "house", "maison")]
    assert table["Source"].tolist() == ["Duden", "Duden"]
    table = files.read(save(tmp_path, "u.csv", "en,de,source\nhouse,Haus,Duden\n"))
    assert list(table.columns)[5:] == ["source.1"]
    assert len(glossaries.lint(table)) == 0


@pytest.mark.parametrize("head", ["ID", "No", "Nr"])
def test_a_column_of_numbers_is_no_language_wherever_it_stands(tmp_path, head):
    path = save(tmp_path, "t.csv", f"en,de,{head}\nmug,Becher,1\npot,Topf,2\n")
    table = files.read(path)
    assert rows_of(table) == [("EN", "DE", "mug", "Becher"), ("EN", "DE", "pot", "Topf")]
    assert table[head].tolist() == ["1", "2"]


def test_numbers_are_terms_where_there_is_no_other_language_and_where_the_caller_says_so(tmp_path):
    path = save(tmp_path, "t.csv", "en,id\nmug,1\npot,2\n")
    assert rows_of(files.read(path)) == [("EN", "ID", "mug", "1"), ("EN", "ID", "pot", "2")]
    path = save(tmp_path, "u.csv", "en,de,id\nmug,Becher,1\n")
    assert len(files.read(path, columns={"id": "id"})) == 2
    path = save(tmp_path, "v.csv", "en,de,id\nmug,Becher,cangkir 2\npot,Topf,panci\n")
    assert len(files.read(path)) == 4


def test_identifiers_are_no_indonesian_unless_the_caller_says_so(tmp_path):
    path = save(tmp_path, "t.csv", "id,en,de\nhouse,house,Haus\n")
    assert rows_of(files.read(path)) == [("EN", "DE", "house", "Haus")]
    table = files.read(path, columns={"id": "id"})
    assert rows_of(table) == [("ID", "EN", "house", "house"), ("ID", "DE", "house", "Haus")]
    assert rows_of(files.read(path, source_lang="id", target_lang="de")) == [("ID", "DE", "house", "Haus")]


def test_a_heading_that_is_a_language_without_glossaries_is_named(tmp_path):
    path = save(tmp_path, "t.csv", "en,sw\nhouse,nyumba\n")
    with pytest.raises(ValueError, match=r"t\.csv: glossaries do not have the language 'sw'.*header=False"):
        files.read(path)
    assert rows_of(files.read(path, source_lang="en", target_lang="de", header=False))[0] == ("EN", "DE", "en", "sw")


# ---- headers of two rows

NOTED = ("Term", "Note", "Term", "Note")


@pytest.mark.parametrize(
    ("group", "below", "joined"),
    [
        (["English", "", "German", ""], [*NOTED], ["English", "English Note", "German", "German Note"]),
        (["No", "English", "", "German"], ["", *NOTED], ["No", "English", "English Note", "German", "German Note"]),
        (["Source", "", "Target"], [*NOTED], ["Source", "Source Note", "Target", "Target Note"]),
        (["English", "German"], ["en-US", "de"], ["en-US", "German"]),
        (["en", "pt-BR", "Note"], ["English", "Portuguese"], ["en", "pt-BR", "Note"]),
        (["English", "German"], ["en", "fr"], None),
        (["English", "German"], ["English", "German"], None),
        (["English", "German"], ["house", "Haus"], None),
        (["English", "", "German"], ["house", "n", "Haus"], None),
        (["English", "", "German"], ["term", "", "Begriff"], None),
    ],
)  # fmt: skip
def test_a_row_of_groups_above_the_headings_is_a_part_of_the_header(group, below, joined):
    assert joined_heads(group, below) == joined


def test_a_header_of_two_rows_is_read_and_reported(tmp_path):
    text = "Glossary,,v2,\nEnglish,,German,\nTerm,Note,Term,Note\nhouse,n,Haus,m\ntree,,Baum,\n"
    table = files.read(save(tmp_path, "t.csv", text))
    assert rows_of(table) == [("EN", "DE", "house", "Haus"), ("EN", "DE", "tree", "Baum")]
    assert table["line"].tolist() == [4, 5]
    assert table["English Note"].tolist() == ["n", ""]
    assert "Its header has two rows." in table.said


def test_synonyms_and_forbidden_terms_under_a_language_are_notes(tmp_path):
    below = "Preferred term,Synonym,Forbidden term"
    text = f"English,,,French (Canada),,\n{below},{below}\ntruck,lorry,wagon,camion,poids lourd,truck\n"
    table = files.read(save(tmp_path, "t.csv", text))
    assert rows_of(table) == [("EN", "FR-CA", "truck", "camion")]
    assert table["French (Canada) Synonym"].tolist() == ["poids lourd"]
    table = files.read(save(tmp_path, "t.csv", "English,German,French\nen,de,fr\nbox,Kiste,boîte\n"))
    assert rows_of(table) == [("EN", "DE", "box", "Kiste"), ("EN", "FR", "box", "boîte")]


@pytest.mark.parametrize(
    ("columns", "pairs"),
    [
        ({"English": "en-GB"}, [("EN-GB", "DE")]),
        ({"German Synonym": "fr"}, [("EN", "DE"), ("EN", "FR")]),
        ({"Synonym": "fr"}, [("EN", "DE"), ("EN", "FR")]),
        ({"Synonym": "fr", "German": None}, [("EN", "FR")]),
    ],
)
def test_columns_of_a_header_of_two_rows_are_named_as_they_are_read_or_by_the_lower_row(tmp_path, columns, pairs):
    path = save(tmp_path, "t.csv", "Terms,v2\nEnglish,,German,,\nTerm,Note,Term,Note,Synonym\nhouse,n,Haus,m,maison\n")
    table = files.read(path, columns=columns)
    assert list(table[["source_lang", "target_lang"]].itertuples(index=False, name=None)) == pairs
    with pytest.raises(
        ValueError, match=r"no column 'Note'. Its columns are 'English', 'English Note', 'German', 'Ger"
    ):
        files.read(path, columns={"Note": "fr"})


def test_a_title_has_fewer_cells_than_the_header():
    assert head_place([["Glossary", "v2", ""], ["en", "de", "note"]]) == 1
    assert head_place([["house", "Haus"], ["en", "de"]]) is None
    assert head_place([["house", "Haus", "n"], ["en", "de"]]) is None
