"""chrF, the similarity of two texts in one language by their sequences of one to six characters (Popović 2015)."""

from collections import Counter

ORDERS = range(1, 7)
# How much more recall (nothing of the reference is missing) counts than precision (nothing is new).
BETA = 2
# How many characters of a text are compared: that is enough to know whether longer ones agree.
LONGEST = 50_000


def chrf(text: str, reference: str) -> float:
    """How similar *text* is to *reference*, from 0 to 100, like sacrebleu's chrF2 of one sentence; ignores spaces.

    >>> round(chrf("Thanks for your order.", "Thank you for your order."), 1), chrf("abc", "abc"), chrf("", "abc")
    (70.7, 100.0, 0.0)
    """
    found, wanted = ("".join(each[:LONGEST].split()) for each in (text, reference))
    if found == wanted:
        return 100.0 if wanted else 0.0
    precision = recall = 0.0
    orders = [order for order in ORDERS if order <= min(len(found), len(wanted))]
    for order in orders:
        ours, theirs = (
            Counter([each[place : place + order] for place in range(len(each) - order + 1)]) for each in (found, wanted)
        )
        shared = sum(min(count, theirs[piece]) for piece, count in ours.items() if piece in theirs)
        precision += shared / (len(found) - order + 1)
        recall += shared / (len(wanted) - order + 1)
    if not precision:
        return 0.0
    # The means are over the orders that both texts have; their number cancels out except for one factor.
    return 100 * (1 + BETA**2) * precision * recall / (BETA**2 * precision + recall) / len(orders)
