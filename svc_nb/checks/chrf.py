"""chrF, how alike two wordings in one language are by their stretches of one to six characters (Popović 2015)."""

from collections import Counter

ORDERS = range(1, 7)
# How much more it counts that nothing of the reference is missing than that nothing is new.
BETA = 2
# So many characters of a text are compared: whether longer ones agree is known by then.
LONGEST = 50_000


def chrf(text: str, reference: str) -> float:
    """How alike *text* is to *reference*, from 0 to 100, as sacrebleu's chrF2 of one sentence; spaces do not count.

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
    # The means are of as many orders as both texts have; that number cancels out but for one factor.
    return 100 * (1 + BETA**2) * precision * recall / (BETA**2 * precision + recall) / len(orders)
