"""Superscripts, subscripts and the marks of notes keep to their letters, wherever a translator moves the words."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import docx
import openpyxl
import pptx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont

from svc_nb.service.formats.tagged_text import Run, Style, TaggedText, flat, joined
from svc_nb.service.translators import installed
from tests.growth import LINEAR, growth
from tests.service.formats.renderings import pipeline, rendered, upper
from tests.service.formats.wording import by, translated

SIGNS = {"": "", "superscript": "^", "subscript": "_"}
SENTENCES = [  # with what must be in the translation; raised letters are in braces
    ("The house has an area of 100 m^{2} and a red door.", ["100 m^{2}"]),
    ("Water (H_{2}O) boils at 100 degrees.", ["(H_{2}O)"]),
    ("The CO_{2} emissions of the big city grow every year.", ["CO_{2} "]),
    ("He lives on the 1^{st} floor of the old building.", ["1^{st} "]),
    ("The red house^{1} is big and the green door^{2} is small.", ["casa^{1} roja", "puerta^{2} verde"]),
    ("The Acme^{®} phone is the best phone of the year.", ["Acmé^{®}"]),
    ("Glucose is C_{6}H_{12}O_{6} and is sweet.", ["C_{6}H_{12}O_{6} "]),
    ("Einstein wrote that E = mc^{2} in a short article.", ["mc^{2} "]),
    ("The speed is 5 × 10^{−3} m s^{−1} in the first tube.", ["10^{−3} m s^{−1} "]),
    ("A great company^{™} sells red cars^{3}, and green cars.", ["empresa^{™} ", "coches^{3} rojos"]),
]


def runs(text: str) -> list[tuple[str, str]]:
    """The texts of *text* as written in SENTENCES, each with how it is raised."""
    found = re.findall(r"([\^_])\{(.*?)\}|([^\^_]+)", text)
    names = {sign: name for name, sign in SIGNS.items()}
    return [(raised or plain, names[sign]) for sign, raised, plain in found]


def written(found) -> str:
    """The opposite of `runs`."""
    return "".join(f"{SIGNS[raised]}{{{text}}}" if raised else text for text, raised in found)


def document(path: Path, sentences: list[str]) -> None:
    made = docx.Document()
    for sentence in sentences:
        paragraph = made.add_paragraph()
        for text, raised in runs(sentence):
            run = paragraph.add_run(text)
            if raised:
                setattr(run.font, raised, True)
    made.save(path)


def show(path: Path, sentences: list[str]) -> None:
    made = pptx.Presentation()
    frame = made.slides.add_slide(made.slide_layouts[5]).shapes.title.text_frame
    for sentence in sentences:
        paragraph = frame.add_paragraph()
        for text, raised in runs(sentence):
            run = paragraph.add_run()
            run.text = text
            if raised:
                run.font._element.set("baseline", {"superscript": "30000", "subscript": "-25000"}[raised])
    made.save(path)


def book(path: Path, sentences: list[str]) -> None:
    made = openpyxl.Workbook()
    for sentence in sentences:
        blocks = (TextBlock(InlineFont(vertAlign=raised), text) if raised else text for text, raised in runs(sentence))
        made.active.append([CellRichText(*blocks)])
    made.save(path)


def read(path: Path) -> list[str]:
    if path.suffix == ".docx":
        return [
            written(
                (run.text, "superscript" if run.font.superscript else "subscript" if run.font.subscript else "")
                for run in paragraph.runs
            )
            for paragraph in docx.Document(path).paragraphs
        ]
    if path.suffix == ".pptx":
        heights = {"30000": "superscript", "-25000": "subscript", None: ""}
        paragraphs = pptx.Presentation(path).slides[0].shapes.title.text_frame.paragraphs[1:]
        return [
            written((run.text, heights[run.font._element.get("baseline")]) for run in each.runs) for each in paragraphs
        ]
    cells = (row[0].value for row in openpyxl.load_workbook(path, rich_text=True).active)
    return [
        written((str(each), (isinstance(each, TextBlock) and each.font.vertAlign) or "") for each in cell)
        for cell in cells
    ]


@pytest.fixture(scope="module")
def spanish():
    if shutil.which("apertium") is None:
        pytest.skip("Apertium is not installed")
    translators = installed(["apertium"])
    yield pipeline(translators)
    translators.close()


KINDS = {"docx": document, "pptx": show, "xlsx": book}


@pytest.mark.parametrize("kind", KINDS)
def test_formulas_units_and_marks_keep_to_their_letters_in_spanish(tmp_path, kind, spanish):
    KINDS[kind](tmp_path / f"a.{kind}", [sentence for sentence, _ in SENTENCES])
    done = read(translated(tmp_path / f"a.{kind}", spanish))
    assert len(done) == len(SENTENCES)
    for sentence, (_, wanted) in zip(done, SENTENCES, strict=True):
        assert all(each in sentence for each in wanted), sentence
        assert len(re.findall(r"[\^_]\{", sentence)) == len(re.findall(r"[\^_]\{", "".join(wanted))), sentence


@pytest.mark.parametrize("kind", KINDS)
def test_a_mark_follows_its_word_and_a_symbol_is_one_tag(tmp_path, kind):
    KINDS[kind](tmp_path / f"a.{kind}", ["The red house^{1} has H_{2}O, and 5 m^{2}."])
    sent: list[str] = []

    def moved(text: str) -> str:
        sent.append(text)
        return "<x3/>, <x2/>: la <g1>casa</g1> roja"

    assert read(translated(tmp_path / f"a.{kind}", by(moved))) == ["m^{2}, H_{2}O: la casa^{1} roja"]
    assert sent == ["The red <g1>house</g1> has <x2/>, and 5 <x3/>."]


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("Well done^{very fine indeed} he said", "Well done<g1>very fine indeed</g1> he said"),
        ("Brand^{New} car", "Brand<g1>New</g1> car"),
        ("the end.^{4} Then more", "the end.<g1>4</g1> Then more"),
        ("it^{1} and us^{*} and Ca^{2+} now", "<g1>it</g1> and <g2>us</g2> and <x3/> now"),
        ("V_{max} is x_{i}^{2} here", "is <x1/> here"),
        ("micro^{2}fluid part", "micro<g1>2</g1>fluid part"),
        ("a space^{2 }behind", "a <g1>space</g1> behind"),
        ("the bridges^{b, c} and walls^{[1, 2]} now", "the <g1>bridges</g1> and <g2>walls</g2> now"),
        ("water, ^{b}University of the city", "water, <x1/>University of the city"),
        ("the ^{14}C dating of ^{3}H", "the <x1/> dating of"),
        ("see ^{1}A house and ^{2}In it", "see <x1/>A house and <x2/>In it"),
        ("House ^{of} Cards", "House <g1>of</g1> Cards"),
    ],
)
def test_what_is_a_mark_and_what_is_a_symbol(text, sent):
    pieces = [Run(part, Style((raised,), raised=raised)) for part, raised in runs(text)]
    assert (
        TaggedText(joined(pieces, Style(("",)))).text.strip() == sent
        or sent in TaggedText(joined(pieces, Style(("",)))).text
    )


MARKED = {  # marks before words, and lists of them
    "^{a}Department of water, ^{b}University of the city": "^{a}Departamento de agua, ^{b}Universidad de la ciudad",
    "The red house^{a} and the old bridges^{b, c} are finished.": (
        "La casa^{a} roja y los puentes^{b, c} viejos están acabados."
    ),
    "^{14}C is old.": "^{14}C es viejo.",
    "The isotope ^{14}C is old.": "El isótopo ^{14}C es viejo.",
    "^{*}The house is red.": "^{*}La casa es roja.",
    "^{1} The house is red.": "^{1} La casa es roja.",
}


@pytest.mark.parametrize("kind", [*KINDS, "html"])
def test_a_mark_never_takes_the_word_beside_it_up_or_keeps_it_from_being_translated(tmp_path, kind, spanish):
    if kind == "html":
        raised = (re.sub(r"\^\{(.*?)\}", r"<sup>\1</sup>", text) for text in MARKED)
        done = rendered("html", "".join(f"<p>{text}</p>\n" for text in raised), spanish, "ES").decode()
        found = [re.sub("<sup>(.*?)</sup>", r"^{\1}", line) for line in re.findall("<p>(.*)</p>", done)]
    else:
        KINDS[kind](tmp_path / f"a.{kind}", list(MARKED))
        found = read(translated(tmp_path / f"a.{kind}", spanish))
    assert found == list(MARKED.values())


PARTS = st.lists(
    st.tuples(st.text("aB2 .,(®", min_size=1, max_size=6), st.sampled_from(sorted(SIGNS))), min_size=1, max_size=8
)


@given(PARTS)
def test_no_letter_and_no_formatting_is_lost(parts):
    pieces = [Run(text, Style((raised,), raised=raised)) for text, raised in parts]
    line = TaggedText(joined(pieces, Style(("",))))
    letters = [
        (letter, style.raised if style else "")
        for text, style in flat(line.read(line.text), Style(("",)))
        for letter in str(text)
        if not letter.isspace()
    ]
    assert letters == [(letter, raised) for text, raised in parts for letter in text if not letter.isspace()]
    [changed] = upper([line.text])
    assert len("".join(str(text) for text, _ in flat(line.read(changed), None))) == sum(len(text) for text, _ in parts)


@pytest.mark.long
def test_a_giant_word_before_a_mark_is_no_trouble():
    def pieces(count: int) -> list[Run]:
        return [
            Run("a" * count + " b", Style(())),
            Run("1", Style((1,), raised="superscript")),
            Run("c" * count, Style(())),
        ]

    def tagged(found: list[Run]) -> str:
        return TaggedText(joined(found, Style(()))).text

    assert growth(tagged, pieces(100_000), pieces(400_000)) < LINEAR
