"""Lines of magic are taken apart without losing a letter, and nothing in them is run."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from svc_nb.magics.line import quoted, split_line, unquoted, words

ANY = st.text(st.sampled_from("ab \t\"'[](){}=-é😀ا"), max_size=30)


@given(ANY)
def test_words_lose_no_letter_but_the_blanks_between_them(line):
    found = words(line)
    assert all(line[word.start :].startswith(word.text) for word in found)
    between = line
    for word in reversed(found):
        between = between[: word.start] + between[word.start + len(word.text) :]
    assert not between.strip()


@given(st.text(st.sampled_from("ab é-=[']"), min_size=1, max_size=12))
def test_a_name_in_quotes_is_one_word_and_comes_back(name):
    (word,) = words(quoted(name))
    assert unquoted(word.text) == name


def test_an_expression_with_brackets_and_blanks_stays_as_it_is_written():
    head, options = split_line('df[df["n"] > 1]["my  words"].head( 2 )  --to DE FR --as x')
    assert head == 'df[df["n"] > 1]["my  words"].head( 2 )'
    assert [word.text for word in options] == ["--to", "DE", "FR", "--as", "x"]


def test_an_apostrophe_is_not_a_quote():
    assert [word.text for word in words("It's the dog's")] == ["It's", "the", "dog's"]
