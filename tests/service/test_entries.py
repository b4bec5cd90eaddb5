import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.service.glossaries import from_tsv, parse, to_tsv
from svc_nb.service.problems import Problem

terms = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1, max_size=20).filter(
    lambda text: text == text.strip() and text
)


def read(text, entries_format="tsv"):
    return parse(text, entries_format=entries_format, source_lang="de", target_lang="en")


def detail(text, entries_format="tsv"):
    with pytest.raises(Problem) as caught:
        read(text, entries_format)
    assert caught.value.status == 400
    assert caught.value.body.message == "Invalid glossary entries provided"
    return caught.value.body.detail


@given(st.dictionaries(terms, terms, min_size=1))
def test_what_was_written_is_read_again(entries):
    assert read(to_tsv(entries)) == entries
    assert from_tsv(to_tsv(entries)) == entries


def test_windows_line_ends_blank_lines_and_a_last_newline_are_fine():
    assert read("Haus\thouse\r\n\r\nBaum\ttree\r\n") == {"Haus": "house", "Baum": "tree"}


def test_a_duplicate_is_named_with_both_places():
    assert detail("Hund\tdog\nHund\thound") == (
        "Key with the index 1 (starting at position 9) duplicates key with the index 0 (starting at position 0)"
    )


def test_quoted_csv_fields_hold_commas_and_quotes():
    assert read('"a, b","say ""x"""\n', "csv") == {"a, b": 'say "x"'}


def test_csv_rows_of_another_pair_are_left_out():
    text = "Haus,house,DE,EN-US\nHaus,maison,de,fr\nBaum,tree,de,en\n"
    assert read(text, "csv") == {"Haus": "house", "Baum": "tree"}


@pytest.mark.parametrize(
    ("text", "entries_format", "complaint"),
    [
        ("Haus", "tsv", "misses tab separator"),
        ("a\tb\tc", "tsv", "more than one tab"),
        ("\thouse", "tsv", "empty source"),
        ("Haus\t", "tsv", "empty target"),
        (" Haus\thouse", "tsv", "whitespace in its source"),
        ("Haus\thouse\u3000", "tsv", "whitespace in its target"),
        ("Ha\x85us\thouse", "tsv", "control character"),
        ("Ha\u2028us\thouse", "tsv", "control character"),
        ("Haus", "csv", "misses comma"),
        ("a,b,c,d,e", "csv", "more than four"),
        ('"Haus,house', "csv", "not valid CSV"),
        ("", "tsv", "no entries"),
        ("\n\n", "csv", "no entries"),
    ],
)
def test_bad_entries_are_refused_by_name(text, entries_format, complaint):
    assert complaint in detail(text, entries_format)


def test_a_side_has_at_most_1024_bytes():
    assert read(f"{'ä' * 512}\tx")
    assert "more than 1024 bytes" in detail(f"{'ä' * 512}a\tx")
