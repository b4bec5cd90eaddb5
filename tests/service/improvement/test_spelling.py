import csv
from importlib import resources

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.service.improvement import COMMON_TYPOS, LANGUAGES, LONGEST, corrector, improved, meant, origins, spelled
from tests.growth import LINEAR, growth

CORRECTED = [
    ("de", "Ich bin entäuscht, udn die Qualtität ist nciht gut.", "enttäuscht, und die Qualität ist nicht"),
    ("de", "Leider ist der Reißverschlus kaputt.", "der Reißverschluss kaputt"),
    ("de", "Das ist ziehmlich schreklich.", "ziemlich schrecklich"),
    (
        "en",
        "I recieve teh package untill tommorow, definately.",
        "receive the package until tomorrow, definitely.",
    ),
    ("en", "Becuase it occured seperately, we beleive it.", "Because it occurred separately, we believe it."),
    ("es", "El envio es rapido y tambien facil, qeu bien.", "envío es rápido y también fácil, que bien."),
    (
        "fr",
        "La livrasion est tres rapide, l'hotel est deja complet.",
        "livraison est très rapide, l'hotel est déjà",
    ),
    (
        "it",
        "La spedizzione è ecellente, sopratutto perche è piu veloce.",
        "spedizione è eccellente, soprattutto perché è più",
    ),
    ("pt", "Voce tambem nao recebeu o produot hoje.", "Você também não recebeu o produto hoje."),
]

STAYS = [
    ("de", "Frau Hofmann und Herr Schmid aus Wanne-Eickel fahren einen Skoda Octavia."),
    ("de", "Die Strasse in Zürich ist gross, und der Reissverschluss klemmt."),
    ("de", "Das Rückgaberecht und die Umsatzsteuervoranmeldung wurden geprüft."),
    ("en", "Sjoerd met Mr Jonson and Ms Smyth at the Tannwick store in Wrocław."),
    ("en", "Please order the SKU AB-1234-XL, the P320iX and the RECIEVE set for Katarzyna."),
    ("en", "See https://exmaple.com/recieve/teh or write to recieve@exmaple.com about /usr/lcoal/bin."),
    ("en", "Hello {nmae}, you have %(cuont)s parcels, <b clas='recieve'>really</b>, and `pip instal teh`."),
    ("en", "The colour of the aluminium tyre is grey, and we organised the catalogue in the theatre."),
    ("en", "My hubby and I love kimchi, gnocchi and tteokbokki with gochujang sauce."),
    ("en", "I work for Recieve Ltd. with the Becuase people."),
    ("en", "Wiliam was late for the meeting. Rebeca was not."),
    ("en", "Look at the cpu, the bga and the dma of this board."),
    ("en", "It is formaly a stiring text."),  # formally or formal, stirring or string
    ("es", "El paquete fue descartado porque se especifica otra cosa."),
    ("en", "We refactor the code, rerun pytest and push the Dockerfile to GitLab."),
    ("es", "Encargué dos tallas y devolví una; me reembolsaron enseguida el importe."),
    ("es", "Ojalá hubiéramos sabido que el cargador venía aparte, usando otro envío que falló."),
    ("fr", "Il a téléchargé l'appli, reçu un texto et liké la page de K-Way chez Décathlon."),
    ("fr", "C'est qu'aujourd'hui l'entreprise n'emploie presque plus d'intérimaires."),
    ("it", "Gliel'ho detto ieri che lo rispediremo col corriere, un po' rigido, da Esselunga."),
    ("pt", "A equipe econômica recebeu o prêmio, e o objecto tem uma seção no ecrã."),
    ("pt", "Devolvi-o na loja e reembolsaram-me logo o telemóvel e o celular."),
]


@pytest.mark.long
@pytest.mark.parametrize(("language", "text", "expected"), CORRECTED)
def test_slips_of_many_kinds_are_put_right(language, text, expected):
    assert expected in spelled(text, language)


@pytest.mark.parametrize(("language", "text"), STAYS)
def test_names_codes_links_placeholders_and_rare_words_stay(language, text):
    assert spelled(text, language) == text


def test_the_texts_of_the_samples_stay_but_for_the_slip_that_is_in_them():
    with resources.files("svc_nb.samples").joinpath("reviews.csv").open(encoding="utf-8") as file:
        reviews = [(row["language"], row["review"]) for row in csv.DictReader(file)]
    assert {language for language, _ in reviews} >= LANGUAGES
    changed = [(text, made) for language, text in reviews if (made := spelled(text, language)) != text]
    assert [made for text, made in changed] == [text.replace("absolutly", "absolutely") for text, _ in changed]
    assert len(changed) == 1


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_right_words_in_the_wrong_language_stay(language):
    for text in ("Tere tulemast meie poodi, kallis külaline.", "Zxcv qwerty asdf", "recieve"):
        assert spelled(text, language) == text


def test_a_text_without_a_word_list_stays_and_says_so():
    assert spelled("Dit is teh beste", "nl") == "Dit is teh beste"
    assert (corrector("en-GB"), corrector("ja")) == ("speller", "mechanical")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is teh best.", "It is the best."),
        ("Teh best is here.", "The best is here."),
        ("It is TEH best.", "It is TEH best."),
        ("It is (“teh”), best; teh!", "It is (“the”), best; the!"),
        ("It is\tteh\r\n  best \u00a0of all.", "It is\tthe\r\n  best \u00a0of all."),
    ],
)
def test_case_signs_and_spaces_stay(text, expected):
    assert spelled(text, "en") == expected


def test_common_slips_end_in_words_that_stay():
    for language, slips in COMMON_TYPOS.items():
        assert not {*slips} & {*slips.values()}
        for right in slips.values():
            assert all(meant(part, language) is None for part in right.split()), right


SLIPS = [
    "teh",
    "recieve",
    "dont",
    "adn",
    "Teh",
    "becuase",
    "it",
    "is",
    "The",
    "here.",
    "the",
    "i",
    "a",
    "No",
    "nice ,",
]


@given(st.lists(st.sampled_from(SLIPS), max_size=12), st.sampled_from([" ", "  ", "\n"]))
def test_improving_twice_changes_nothing_more(words, space):
    once = improved(space.join(words), "en")
    assert improved(once, "en") == once


GERMAN = ["die", "dei", "Reperatur", "Qualtität", "ist", "nciht", "gut.", "Lieferrung", "udn", "eine"]


@given(st.lists(st.sampled_from(GERMAN), max_size=8))
def test_improving_german_twice_changes_nothing_more(words):
    once = improved(" ".join(words), "de")
    assert improved(once, "de") == once


@given(st.text(max_size=60), st.sampled_from(sorted(LANGUAGES)))
def test_any_text_passes(text, language):
    assert improved(text, language) is not None


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_for_even_the_worst_word_only_so_many_others_are_looked_up(language):
    worst = ("".join("aeiouc"[place * step % 6] for place in range(LONGEST)) for step in range(1, 6))
    assert max(len(origins(word, language)) for word in worst) < 2_200


@pytest.mark.parametrize("hostile", ["<", "`a", "{", "a", "a-", "a.a'"])
def test_hostile_texts_cost_no_more_than_their_length(hostile):
    small, large = ("nicht nicht " + hostile * (size // len(hostile)) for size in (10_000, 40_000))
    assert growth(lambda text: spelled(text, "de"), small, large) < LINEAR


def test_short_words_need_a_very_common_one():
    assert meant("teh", "en") == "the"
    assert [meant(word, "en") for word in ("cpu", "args", "cron", "ipc", "fflush")] == [None] * 5
