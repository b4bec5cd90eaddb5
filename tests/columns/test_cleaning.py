import csv
import gettext
import html
import random
import re
import sysconfig
import unicodedata
from importlib import resources
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.columns.cleaning import DEFAULT, KINDS, cleaned
from tests.growth import LINEAR, growth

DICTIONARIES = [pd.ArrowDtype(pa.dictionary(numbers, pa.string())) for numbers in (pa.int8(), pa.int32())]
DAMAGED = {
    "b'caf\\xc3\\xa9'": "café",
    "SchÃ¶n &amp; gut": "Schön & gut",
    "ÃƒÂ¼ber": "über",  # read wrongly twice
    "Kortelės KortelÄ—s “x” numeris": "Kortelės Kortelės “x” numeris",  # only a part
    "РџСЂРёРІРµС‚, РјРёСЂ!": "Привет, мир!",  # UTF-8 read as cp1251
    "Р\xa0В§РЎвЂљР\xa0С•Р\xa0В±РЎвЂ№": "Чтобы",  # twice
    "Новое: РїРѕСЃС‹Р»РєР° 😀": "Новое: посылка 😀",
    "otkaЕѕi": "otkaži",
    "R&amp;amp;D": "R&D",
    "%s -&gt; %s": "%s -> %s",
    "&lt;b&gt;A&lt;/b&gt;&amp;nbsp;B": "<b>A</b>&nbsp;B",  # HTML that was escaped once
    "It&#39;s %s": "It's %s",
    "&lt;b&gt;%s&lt;/b&gt;": "<b>%s</b>",
    "Hello\x00 world\x07": "Hello world",
    "\x1b[31mred\x1b[0m": "red",
    "one\x0btwo": "one\ntwo",
    "\ufeffHi \u200b\u200bthere": "Hi there",
    "plain\U000e0041\U000e0042": "plain",
    "cafe\u0301": "café",
    "\ud83d\ude00": "😀",
}
RIGHT = [
    "<b>R&amp;D</b>",
    "Terms &amp; <b>Conditions</b>",
    "Tom &amp; Jerry<br>&copy; 2024 &lt;b&gt;",
    'Caf&eacute; <a href="?a=1&amp;b=2">%s</a>',
    "%(page)s &#8212; %(title)s",
    "Name &lt;%s&gt;, %s &gt; %s, %s &amp; %s",
    "AT&T; R&D",
    "ТІРІ, РІРІО, СІРІ, УКЉУЧУЈУЋИ, ЗАПИС…У…С…РЯДКАХ, «НАЯРІТ»",  # capitals
    "a &unknown; b",
    "می‌خواهم",  # zero-width non-joiner
    "क़ख़",  # letters that Unicode never composes
    "👩‍👩‍👧 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ✌️",
    "សាធារណរដ្ឋ\u200bបារាំង",
    "Bonjour\u00a0! «\u202fOui\u202f»",
    "שלום \u200e(abc)\u200f",
    "Donau\u00addampf",
    "one  two ",
    "soooo",
    "ﬁ Ａ ½ “quoted” …",
    "line\r\nline\ttab",
    "100 Å² – 5 Å³",
    "SÃO PAULO",
    "b'",
]


@pytest.mark.parametrize(("before", "after"), DAMAGED.items())
def test_damage_is_repaired(before, after):
    assert cleaned(before, DEFAULT) == after


@pytest.mark.parametrize("text", RIGHT)
def test_what_is_right_stays(text):
    assert cleaned(text, DEFAULT) == text


@given(st.text(max_size=40))
def test_a_clean_text_stays(text):
    once = cleaned(text, DEFAULT)
    assert cleaned(once, DEFAULT) == once


@given(st.text(st.characters(categories=["L", "N", "P", "Zs"], exclude_characters="&<>'\"")))
def test_escaped_texts_become_what_they_were(text):
    text = cleaned(text, DEFAULT)
    assert cleaned(html.escape(f"{text} & more"), DEFAULT) == f"{text} & more"


@pytest.fixture(scope="module")
def messages():
    """Messages of real programs in many languages: those of the samples, and of the packages that are installed."""
    with resources.files("svc_nb.samples").joinpath("messages.csv").open(encoding="utf-8", newline="") as file:
        found = {text for row in csv.reader(file) for text in row if text}
    for path in Path(sysconfig.get_path("purelib")).glob("*/**/*.mo"):
        with path.open("rb") as file:
            catalogue = gettext.GNUTranslations(file)
        found |= {text for key, text in catalogue._catalog.items() if key and isinstance(text, str)}
    return sorted(found)


@pytest.mark.long
def test_hardly_any_real_message_changes_and_none_by_mistake(messages):
    assert len(messages) > 8_000
    made = {text: kinds for text in messages if cleaned(text, DEFAULT, kinds := {}) != text}
    assert len(made) <= len(messages) / 10_000
    for before, kinds in made.items():
        after = cleaned(before, DEFAULT)
        # What changes is written in another form, or has a character that nobody sees.
        seen = "".join(letter for letter in before if unicodedata.category(letter) not in ("Cc", "Cf"))
        assert unicodedata.normalize("NFC", seen) == unicodedata.normalize("NFC", after), kinds


def test_messages_of_the_samples_stay():
    with resources.files("svc_nb.samples").joinpath("messages.csv").open(encoding="utf-8", newline="") as file:
        texts = [text for row in csv.reader(file) for text in row]
    assert [text for text in texts if cleaned(text, DEFAULT) != text] == []


def sprinkled(signs):
    dice = random.Random(3)

    def damage(text):
        place = dice.randrange(len(text) + 1)
        return text[:place] + dice.choice(signs) + text[place:]

    return damage


INJECTED = {
    "latin-1": lambda text: text.encode().decode("latin-1"),
    "cp1252": lambda text: text.encode().decode("sloppy-windows-1252"),
    "twice": lambda text: text.encode().decode("sloppy-windows-1252").encode().decode("sloppy-windows-1252"),
    "entities": lambda text: "".join(f"&#{ord(each)};" if ord(each) > 127 else html.escape(each) for each in text),
    "escaped": html.escape,
    "cp1251": lambda text: text.encode().decode("sloppy-windows-1251") if re.search("[а-я]{2}", text) else text,
    "control": sprinkled("\0\x01\x07\x08\x1f\x7f"),
    "decomposed": lambda text: unicodedata.normalize("NFD", text),
    "bytes": lambda text: str(text.encode()),
}


@pytest.mark.parametrize("damage", INJECTED)
def test_98_of_100_damaged_messages_are_repaired(damage):
    import ftfy.bad_codecs  # noqa: F401  it registers the encoding

    with resources.files("svc_nb.samples").joinpath("messages.csv").open(encoding="utf-8", newline="") as file:
        texts = random.Random(0).sample(sorted({text for row in csv.reader(file) for text in row if text}), 3000)
    pairs = [(text, broken) for text in texts if (broken := INJECTED[damage](text)) != text]
    repaired = sum(cleaned(broken, DEFAULT) == text for text, broken in pairs)
    assert len(pairs) > 50
    assert repaired >= 0.98 * len(pairs)


# ---- columns


def test_index_name_length_gaps_and_type_survive():
    texts = pd.Series(["SchÃ¶n", None, "gut", "SchÃ¶n"], index=["a", "b", "b", "c"], name="review", dtype="str")
    made = texts.svc.clean()
    assert made.tolist()[0::2] == ["Schön", "gut"]
    assert made.isna().tolist() == [False, True, False, False]
    assert made.index.tolist() == ["a", "b", "b", "c"]
    assert (made.name, made.dtype) == ("review", texts.dtype)
    assert texts.iloc[0] == "SchÃ¶n"


@pytest.mark.parametrize("dtype", ["object", "string", "category", *DICTIONARIES], ids=str)
def test_every_kind_of_text_column_keeps_its_type(dtype):
    texts = pd.Series(["SchÃ¶n", None, "Schön"], dtype=dtype)
    made = texts.svc.clean()
    assert made.iloc[[0, 2]].tolist() == ["Schön", "Schön"]
    assert made.isna().tolist() == [False, True, False]
    assert made.dtype == texts.dtype or dtype == "category"  # of two categories that became equal one is left
    assert texts.svc.clean_plan().said.startswith("Cleaning changes 1 of 3 rows.")


def test_a_gap_stays_the_kind_of_gap_that_it_was():
    gaps = [None, float("nan"), pd.NA, pd.NaT]
    for cells in (["SchÃ¶n", *gaps], [b"caf\xc3\xa9", *gaps], gaps):
        made = pd.Series(cells, dtype=object).svc.clean()
        assert all(after is before for before, after in zip(gaps, made.tolist()[-4:], strict=True))
    assert pd.Series(["SchÃ¶n", None], dtype="string").svc.clean().iloc[1] is pd.NA


def test_an_index_and_an_empty_column_are_cleaned_too():
    assert pd.Index(["SchÃ¶n", "gut"], name="n").svc.clean().equals(pd.Index(["Schön", "gut"], name="n"))
    assert pd.Series([], dtype=object).svc.clean().tolist() == []
    assert pd.Series([], dtype=object).svc.clean_plan().said == "Cleaning changes 0 of 0 rows."


def test_bytes_are_decoded_and_what_cannot_be_stays_with_a_warning():
    cells = [b"caf\xc3\xa9", bytearray(b"na\xefve text"), "x", None, b"\x81\x8d\xff"]
    texts = pd.Series(cells, index=list("abcde"), dtype=object)
    with pytest.warns(UserWarning, match="1 cell of bytes could not be decoded and stayed unchanged .rows: e."):
        made = texts.svc.clean()
    assert made.tolist()[:3] == ["café", "naïve text", "x"]
    assert made.iloc[4] == b"\x81\x8d\xff"
    plan = texts.svc.clean_plan()
    assert plan.set_index("kind").loc["bytes", "rows"] == 2
    assert "cp1252" in plan.said
    assert "Cleaning changes 2 of 5 rows." in plan.said


def test_bytes_in_another_encoding_are_decoded_by_all_of_them():
    texts = ["Введите правильное значение.", "Введите правильный URL.", "Это поле обязательно."]
    assert pd.Series([text.encode("cp1251") for text in texts], dtype=object).svc.clean().tolist() == texts


@pytest.mark.parametrize("cell", [1, ["a"], {"a": 1}])
def test_other_cells_raise(cell):
    with pytest.raises(TypeError, match=r"row 1 \(label 'b'\): expected text, found"):
        pd.Series(["a", cell], index=["a", "b"], dtype=object).svc.clean()


def test_kinds_can_be_switched_on_and_off():
    texts = pd.Series([" SchÃ¶n  und\x00 soooooo!!!!! "])
    assert texts.svc.clean(kinds="control").tolist() == [" SchÃ¶n  und soooooo!!!!! "]
    assert texts.svc.clean(skip=["control"]).tolist() == [" Schön  und\x00 soooooo!!!!! "]
    assert texts.svc.clean(kinds="all").tolist() == ["Schön und sooo!!!"]
    assert texts.svc.clean(kinds="all", skip="repeated_characters").tolist() == ["Schön und soooooo!!!!!"]
    assert texts.svc.clean(also="doubled_spaces").tolist() == [" Schön und soooooo!!!!! "]
    assert texts.svc.clean(also=["outer_spaces"], skip="mojibake").tolist() == ["SchÃ¶n  und soooooo!!!!!"]
    assert texts.svc.clean(kinds="control", also="outer_spaces").tolist() == ["SchÃ¶n  und soooooo!!!!!"]
    frame = texts.to_frame("a")
    assert frame.svc.clean("a", also="doubled_spaces")["a"].tolist() == [" Schön und soooooo!!!!! "]
    plan = frame.svc.clean_plan("a", also="doubled_spaces").set_index("kind")
    assert plan.index[~plan["on"]].tolist() == ["tags", "outer_spaces", "repeated_characters"]


def test_an_unknown_kind_is_an_error_with_a_suggestion():
    with pytest.raises(ValueError, match=r"kinds: there is no kind 'mojibak'. Did you mean 'mojibake'\?"):
        pd.Series(["a"]).svc.clean(kinds="mojibak")
    with pytest.raises(ValueError, match=r"skip: there is no kind 'x'\. There are 'bytes', "):
        pd.Series(["a"]).svc.clean_plan(skip=["x"])
    with pytest.raises(ValueError, match='tags: expected "keep" or "strip", found True'):
        pd.Series(["a"]).svc.clean(tags=True)
    with pytest.raises(TypeError, match='kinds: expected a kind, a list of kinds or "all", found 5'):
        pd.Series(["a"]).svc.clean(kinds=5)
    with pytest.raises(ValueError, match=r"also: there is no kind 5\. There are 'bytes', "):
        pd.Series(["a"]).svc.clean_plan(also=[5])


@pytest.mark.parametrize("skip", ["tags", ["tags", "control"], "all"])
def test_stripping_tags_and_skipping_them_is_a_contradiction(skip):
    with pytest.raises(ValueError, match='tags="strip" removes tags, but skip= leaves them in'):
        pd.Series(["<b>a</b>"]).svc.clean(tags="strip", skip=skip)


def test_tags_are_kept_or_stripped_with_scripts_and_comments():
    page = "<p>A&nbsp;&amp; <b>b</b></p><style>p {}</style><script>1 < 2</script><!-- no --><p>c<br/>d, 3 < 4 &lt;i&gt;"
    texts = pd.Series([page])
    assert texts.svc.clean().tolist() == [page]
    assert texts.svc.clean(kinds="all", tags="keep").tolist() == [page]
    assert texts.svc.clean(kinds="all", skip="tags").tolist() == [page]
    for options in ({"tags": "strip"}, {"also": "tags"}, {"kinds": "all"}):
        assert texts.svc.clean(**options).tolist() == ["A\u00a0& b\nc\nd, 3 < 4 <i>"]
    assert texts.svc.clean(kinds="tags").tolist() == ["A&nbsp;&amp; b\nc\nd, 3 < 4 &lt;i&gt;"]


def test_the_plan_counts_rows_and_shows_what_cannot_be_seen():
    texts = pd.Series(["SchÃ¶n", "SchÃ¶n", "x\u200by", "cafe\u0301", "a  b", None])
    plan = texts.svc.clean_plan()
    assert plan.columns.tolist() == ["kind", "on", "rows", "example_before", "example_after"]
    by_kind = plan.set_index("kind")
    assert by_kind["rows"].to_dict() == {
        **dict.fromkeys(KINDS, 0), "mojibake": 2, "invisible": 1, "unicode_form": 1, "doubled_spaces": 1,
    }  # fmt: skip
    assert by_kind.index[~by_kind["on"]].tolist() == ["tags", "doubled_spaces", "outer_spaces", "repeated_characters"]
    assert by_kind.loc["invisible", ["example_before", "example_after"]].tolist() == ["“xU+200By”", "“xy”"]
    assert by_kind.loc["unicode_form", "example_before"] == "“cafe⟨U+0301⟩”"
    assert plan.said == (
        "Cleaning changes 4 of 6 rows. Kinds that are off would change 1 more row. Add them with also=. "
        "Next: .svc.clean(), then .svc.changes(cleaned)."
    )


@given(st.lists(st.sampled_from([*DAMAGED, *RIGHT, None]), max_size=8))
def test_the_plan_promises_what_cleaning_does(texts):
    column = pd.Series(texts, dtype=object)
    changed = len(column.svc.changes(column.svc.clean()))
    assert f"Cleaning changes {changed:,} of " in column.svc.clean_plan().said


def test_columns_of_a_frame_are_cleaned_and_planned_together():
    frame = pd.DataFrame({"a": ["SchÃ¶n", "x"], "b": ["y", "z\x00"], "n": [1, 2]}, index=[5, 5])
    made = frame.svc.clean(["a", "b"])
    assert made.columns.tolist() == ["a", "b"]
    assert made.to_numpy().tolist() == [["Schön", "y"], ["x", "z"]]
    assert made.index.tolist() == [5, 5]
    plan = frame.svc.clean_plan(["a", "b"])
    found = plan[plan["rows"] > 0]
    assert found[["column", "kind", "rows"]].to_numpy().tolist() == [["a", "mojibake", 1], ["b", "control", 1]]
    assert plan.said.startswith("Cleaning changes 2 of 4 rows.")
    assert len(frame.svc.changes(made)) == 2


def test_paths_into_cells_are_not_for_cleaning_and_checks():
    frame = pd.DataFrame({"chat": [["SchÃ¶n"]], "chat_DE": [["Schön"]]})
    for method in (frame.svc.clean, frame.svc.clean_plan, lambda path: frame.svc.check(path, "DE")):
        with pytest.raises(ValueError, match=r"expected columns of texts, found the path 'chat\[\*\]' into cells"):
            method("chat[*]")


def test_changes_show_bytes_white_space_and_forms_that_look_the_same():
    texts = pd.Series([b"caf\xc3\xa9 ole", "cafe\u0301", "a  b", "x\ufff9y"], dtype=object)
    shown = repr(texts.svc.changes(texts.svc.clean(kinds="all"))).splitlines()
    assert shown[:4] == [
        "0: [-b'caf\\xc3\\xa9-]{+café+} ole[-'-]",
        "1: [-cafe⟨U+0301⟩-]{+café+}",
        "2: a[-··-]{+·+}b",
        "3: [-x⟨U+FFF9⟩y-]{+xy+}",
    ]


@pytest.mark.parametrize("before", ["", "<p>x"])
@pytest.mark.parametrize(
    "piece",
    [
        "SchÃ¶n & gut &amp; <b>x</b> \u200b", "&amp;" * 8, "<", "e\u0301", "Ã", "b'\\", "РІ", "Р°А", "%s &lt; ",
        " " * 4, "\t\u00a0", " \n", "<br> ", "<script ", "<style><script>", "'", '"', "&", "&#1", "1", "\x1b[",
    ],
)  # fmt: skip
def test_the_time_for_a_text_grows_with_its_length(before, piece):
    texts = {size: f"{before}{piece * size}x" for size in (2_000, 8_000)}
    assert growth(lambda size: cleaned(texts[size], [*KINDS]), 2_000, 8_000) < LINEAR


def test_examples_of_long_texts_are_short():
    plan = pd.Series(["x" * 100_000 + "\x00" + "y" * 100_000]).svc.clean_plan().set_index("kind")
    before = plan.loc["control", "example_before"]
    assert "U+0000" in before
    assert len(before) < 80


def test_numpy_texts_are_texts():
    assert pd.Series([np.str_("SchÃ¶n")], dtype=object).svc.clean().tolist() == ["Schön"]
    assert re.fullmatch("Schön", pd.Series([np.str_("SchÃ¶n")], dtype=object).svc.clean().iloc[0])
