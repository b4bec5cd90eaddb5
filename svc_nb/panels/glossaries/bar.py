"""What stands above the grid: which glossary, which languages, and what to do with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import ipywidgets as widgets
import pandas as pd

from svc_nb.glossaries.table import Pair
from svc_nb.panels.glossaries.pairs import languages
from svc_nb.panels.panel import button, field, row
from svc_nb.tabular.report import plural

NEW = "new"
ADD = ("", "")
LONGEST_NAME = 60
LONGEST_PAIRS = 3


class Bar:
    """The controls by name; *actions* has what is done where "push", "discard", … is pressed."""

    def __init__(self, actions: dict[str, Callable[[], Any]]) -> None:
        self.glossary = field(
            widgets.Dropdown(description="Glossary", options=[("New glossary …", NEW)]), "340px"
        )
        self.name = field(
            widgets.Text(description="Name of the new glossary", continuous_update=False), "220px"
        )
        self.pair = field(widgets.Dropdown(description="Languages", options=[("All pairs", None)]), "200px")
        self.source_lang = field(
            widgets.Dropdown(description="From", options=languages(), value="EN"), "150px"
        )
        self.target_lang = field(widgets.Dropdown(description="To", options=languages(), value="DE"), "150px")
        self.add_pair = button("Add pair", actions["add_pair"])
        self.push = button(
            "Push …", actions["push"], style="primary", help="Send what changed to the service"
        )
        self.discard = button("Discard", actions["discard"], help="Go back to what was loaded")
        self.reload = button(
            "Reload", actions["reload"], help="Bring in what was changed elsewhere; edits stay"
        )
        self.undo = button("Undo the push", actions["undo_push"], help="Take back the last push from here")
        self._pair_fields = (self.source_lang, self.target_lang, self.add_pair)
        doing = row(self.push, self.discard, self.reload, self.undo)
        doing.add_class("svc-doing")
        self.box = row(self.glossary, self.name, self.pair, *self._pair_fields, doing)
        self.box.add_class("svc-glossary-bar")
        self.show_name(False)
        self.show_adding(False)

    def offer(self, listed: pd.DataFrame, chosen: str | None) -> None:
        """Offer the glossaries of *listed*, and a new one; *chosen* is the id of the one that is open."""
        ids = listed["glossary_id"].tolist()
        options = list(zip(_titles(listed), ids, strict=True))
        if chosen is not None and chosen not in ids:
            options.append((f"({chosen})", chosen))
        _offer(self.glossary, [*options, ("New glossary …", NEW)], NEW if chosen is None else chosen)

    def offer_pairs(self, options: Sequence[tuple[str, Pair | None]], chosen: Pair | None) -> None:
        """Offer these pairs, and to add one."""
        _offer(self.pair, [*options, ("Add a pair …", ADD)], chosen)

    def show_name(self, shown: bool) -> None:
        """Whether the glossary is new, and has a name to write."""
        self.name.layout.display = "" if shown else "none"

    def show_adding(self, shown: bool) -> None:
        """Whether two languages are to be chosen for a further pair."""
        for each in self._pair_fields:
            each.layout.display = "" if shown else "none"


def _titles(listed: pd.DataFrame) -> list[str]:
    """What glossaries are called: the name, the pairs, the number of terms; two alike are told apart by their ids."""
    columns = (listed[name].tolist() for name in ("name", "pairs", "entry_count", "glossary_id"))
    rows = list(zip(*columns, strict=True))
    titles = [
        f"{_short(name)} · {_short_pairs(pairs)} · {plural(count, 'term')}" for name, pairs, count, _ in rows
    ]
    again = Counter(name for name, *_ in rows)
    return [
        f"{title} · {glossary_id[:8]}" if again[name] > 1 else title
        for title, (name, *_, glossary_id) in zip(titles, rows, strict=True)
    ]


def _short(name: str) -> str:
    one = " ".join(name.split())
    return one if len(one) <= LONGEST_NAME else one[: LONGEST_NAME - 1] + "…"


def _short_pairs(pairs: str) -> str:
    each = pairs.split(", ") if pairs else []
    more = f" and {len(each) - LONGEST_PAIRS} more" if len(each) > LONGEST_PAIRS else ""
    return ", ".join(each[:LONGEST_PAIRS]) + more or "no pairs"


def _offer(control: widgets.Dropdown, options: list[tuple[str, Any]], chosen: Any) -> None:
    """Give *control* these options, and choose one; nothing is sent where nothing changes."""
    if list(control.options) != options:
        control.options = options
    if control.value != chosen:
        control.value = chosen
