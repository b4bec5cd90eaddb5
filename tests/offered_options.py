"""The style options that the embedded service knows, as its catalogue has them."""

from svc_nb.service.catalogue import read


def options(language=None):
    """Return category, rule and its options: those that *language* offers, or all there are."""
    offered = {}
    for category, rules in read("style_rules.json").items():
        for rule, offers in rules.items():
            some = [each for each, languages in offers.items() if language is None or language in languages.split()]
            if some:
                offered.setdefault(category, {})[rule] = some
    return offered
