"""Texts into the fewest requests: each once, both limits kept, and close to what is possible at all."""

import random
from itertools import chain
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.engine.packing import least, pack
from tests.growth import LINEAR, growth

TEXTS, BYTES = 50, 130_000
LIMITS = {"most_texts": TEXTS, "most_bytes": BYTES}

# Characters of a text, and bytes a character: Latin, Cyrillic and Arabic, Chinese.
LENGTHS = {
    "reviews": lambda dice: dice.lognormvariate(4.5, 1.0),
    "articles": lambda dice: dice.lognormvariate(6.5, 1.5),
    "documents": lambda dice: dice.lognormvariate(9.0, 1.2),
    "a long tail": lambda dice: 400 * dice.paretovariate(1.5),
    "a longer tail": lambda dice: 300 * dice.paretovariate(1.1),
}


def sizes_of(lengths, width, count, seed=7):
    dice = random.Random(seed)
    return [min(int(width * LENGTHS[lengths](dice)) + 3, BYTES) for _ in range(count)]


def weight(sizes, batch):
    return sum(sizes[place] for place in batch)


def fewest(sizes, most_texts, most_bytes):
    """The true optimum, by trying: each size in each batch that is still different from the others."""
    best = len(sizes)
    batches = []

    def place(number):
        nonlocal best
        if len(batches) >= best:
            return
        if number == len(sizes):
            best = len(batches)
            return
        for batch in {(sum(batch), len(batch)): batch for batch in batches}.values():
            if len(batch) < most_texts and sum(batch) + sizes[number] <= most_bytes:
                batch.append(sizes[number])
                place(number + 1)
                batch.pop()
        batches.append([sizes[number]])
        place(number + 1)
        batches.pop()

    sizes = sorted(sizes, reverse=True)
    place(0)
    return best


# A few large ones among many small ones: where both limits bind, and neither plain runs nor halves are the answer.
any_sizes = st.lists(st.one_of(st.integers(1, 8), st.integers(1, 8), st.integers(20, 130)), max_size=60)
any_limits = st.fixed_dictionaries({"most_texts": st.integers(1, 8), "most_bytes": st.integers(40, 120)})


@given(any_sizes, any_limits)
def test_each_text_travels_once_within_both_limits(sizes, limits):
    batches = pack(sizes, **limits)
    assert sorted(chain.from_iterable(batches)) == list(range(len(sizes)))
    assert all(1 <= len(batch) <= limits["most_texts"] for batch in batches)
    assert all(weight(sizes, batch) <= limits["most_bytes"] or len(batch) == 1 for batch in batches)


@given(any_sizes, any_limits)
def test_positions_rise_within_a_batch(sizes, limits):
    assert all(batch == sorted(batch) for batch in pack(sizes, **limits))


def test_nothing_makes_no_batch():
    assert pack([], **LIMITS) == []


@given(st.integers(0, 300), st.integers(1, 60))
def test_texts_of_which_any_fit_together_are_packed_in_their_order(count, most_texts):
    sizes = [7] * count
    batches = pack(sizes, most_texts=most_texts, most_bytes=7 * most_texts)
    assert list(chain.from_iterable(batches)) == list(range(count))
    assert len(batches) == ceil(count / most_texts)


def test_one_large_text_among_small_ones_does_not_break_the_order():
    assert pack([1, 90, 1, 1, 1], most_texts=2, most_bytes=91) == [[0, 1], [2, 3], [4]]


@given(st.lists(st.integers(50, 120), min_size=3))
def test_the_heaviest_batch_comes_first(sizes):
    weights = [weight(sizes, batch) for batch in pack(sizes, most_texts=3, most_bytes=130)]
    assert weights == sorted(weights, reverse=True)


def test_not_even_one_byte_over_the_limit_is_packed():
    sizes = [51, 51, 50, 22]  # 174 bytes would do with two batches, if one of them might have 101
    assert max(weight(sizes, batch) for batch in pack(sizes, most_texts=5, most_bytes=100)) <= 100


@pytest.mark.parametrize(("sizes", "most_texts"), [([35, 30, 4, 3], 2), ([29, 29, 28, 8, 7, 6], 3)])
def test_not_even_one_text_over_the_limit_is_packed(sizes, most_texts):
    # By bytes alone, the lightest or the tightest batch would get one text too many.
    assert max(map(len, pack(sizes, most_texts=most_texts, most_bytes=60))) <= most_texts


def test_a_text_over_the_limit_travels_alone_and_first():
    batches = pack([10, 500, 20, 30], most_texts=2, most_bytes=100)
    assert batches[0] == [1]
    assert len(batches) == 3


@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("lengths", LENGTHS)
@pytest.mark.parametrize("count", [60, 1_000, 8_000])
def test_heavy_tails_are_packed_within_a_hundredth_of_the_bound(lengths, width, count):
    sizes = sizes_of(lengths, width, count)
    assert len(pack(sizes, **LIMITS)) <= 1.01 * least(sizes, **LIMITS) + 1


@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("lengths", [name for name in LENGTHS if name != "a longer tail"])
def test_realistic_texts_need_few_more_requests_than_their_number_and_bytes_say(lengths, width):
    sizes = sizes_of(lengths, width, 8_000)
    halves = sum(size > BYTES / 2 for size in sizes)
    bound = max(ceil(len(sizes) / TEXTS), ceil(sum(sizes) / BYTES), halves)
    assert len(pack(sizes, **LIMITS)) <= 1.05 * bound + 1


small_cases = st.tuples(st.lists(st.integers(1, 60), min_size=1, max_size=9), st.integers(1, 5), st.integers(60, 120))


@given(small_cases)
def test_no_packing_undercuts_the_bound(case):
    sizes, most_texts, most_bytes = case
    assert least(sizes, most_texts=most_texts, most_bytes=most_bytes) <= fewest(*case)


@given(small_cases)
def test_a_small_packing_has_at_most_one_batch_more_than_the_best(case):
    sizes, most_texts, most_bytes = case
    assert len(pack(sizes, most_texts=most_texts, most_bytes=most_bytes)) <= fewest(*case) + 1


def test_most_small_packings_are_the_best_there_is():
    dice = random.Random(11)
    cases = [([dice.randint(1, 60) for _ in range(dice.randint(4, 10))], dice.randint(2, 5), 100) for _ in range(300)]
    needed = [len(pack(sizes, most_texts=texts, most_bytes=room)) for sizes, texts, room in cases]
    best = [fewest(*case) for case in cases]
    assert sum(more > less for more, less in zip(needed, best, strict=True)) <= 0.01 * len(cases)


# These two are found in the same number of tries at either size: one by spreading alone, one by filling. Elsewhere a
# size more or less decides between one try and a few, which says nothing about growth.
@pytest.mark.long
@pytest.mark.parametrize("lengths", ["reviews", "documents"])
def test_the_cost_grows_with_the_number_of_texts(lengths):
    small, large = (sizes_of(lengths, 3, count) for count in (4_000, 16_000))
    assert growth(lambda sizes: pack(sizes, **LIMITS), small, large) < LINEAR
