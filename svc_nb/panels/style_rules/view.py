"""The named widgets of the style rule panel, and where each of them stands."""

from collections.abc import Callable, Sequence
from typing import Any

import ipywidgets as widgets

from svc_nb.language_codes import name_of
from svc_nb.panels.parts.edit_panel import Conflicts
from svc_nb.panels.parts.widgets import Heard, Line, TryOutBox, button, classed, field, offer, row, show
from svc_nb.panels.style_rules import messages
from svc_nb.panels.style_rules.lists import EditList
from svc_nb.panels.style_rules.widgets import Compare, Instructions, RuleTable, sources
from svc_nb.session import Session
from svc_nb.style_rules.catalogue import STYLE_LANGUAGES
from svc_nb.sync.drafts import Waiting
from svc_nb.tabular.report import plural

LANGUAGES = [(name_of(code), code) for code in STYLE_LANGUAGES]
NOBODY = ("Choose a list …", "")
WITHOUT = ("Without a style", "")
BUTTONS = {
    "undo": ("Undo", ""),
    "redo": ("Redo", ""),
    "discard": ("Discard", ""),
    "push": ("Push …", "primary"),
    "confirm": ("Yes", "warning"),
    "cancel": ("Not now", ""),
    "undo_push": ("Undo the push", ""),
    "reload": ("Reload", ""),
    "create": ("Create", ""),
    "restore": ("Restore", "primary"),
    "forget": ("Forget", ""),
    "all_mine": ("All as here", ""),
    "all_theirs": ("All as on the service", ""),
    "settle": ("Go on", "primary"),
    "rename": ("Rename", ""),
    "clone": ("See what carries over …", ""),
    "delete": ("Delete this list …", ""),
}
CHANGES, MORE = 3, 4  # tabs


class StyleRulesView:
    """All widgets by name; *heard* is told what happens in the own widgets, *tried* the sentence to try."""

    def __init__(self, line: Line, *, heard: Heard, tried: Callable[[str], None]) -> None:
        self.buttons = {name: button(text, style=style) for name, (text, style) in BUTTONS.items()}
        self.board = RuleTable(heard)
        self.instructions = Instructions(heard)
        self.trial = TryOutBox(tried, action="Try out")
        self.differences = Compare("Changes")
        self.collisions = Compare("Conflicts", heard)
        self.left = Compare("What does not carry over")
        self.offer, self.tried = Line(), Line()
        self.lists = _choice("Style rule list", [NOBODY], "380px")
        self.name = _text("Name of a new list", "220px")
        self.language = _choice("Its language", LANGUAGES, "130px")
        self.source = _choice("Translate from", [("Detected", ""), *sources()], "190px")
        self.before = _choice("Compare with", [WITHOUT], "220px")
        self.new_name = _text("New name", "260px")
        self.other = _choice("Copy for", LANGUAGES, "130px")
        self.other_name = _text("Name of the copy", "220px", placeholder="the same")
        self.box = self._laid_out(line)

    def _laid_out(self, line: Line) -> widgets.Box:
        on = self.buttons
        choosing = classed(row(self.lists, on["reload"], self.name, self.language, on["create"]), "svc-style-shelf")
        self.offer_box = widgets.VBox([self.offer, row(on["restore"], on["forget"])])
        choices = row(on["all_mine"], on["all_theirs"], on["settle"])
        self.conflict_box = classed(widgets.VBox([self.collisions, choices]), "svc-style-conflicts")
        trial = widgets.VBox([row(self.source, self.before), self.trial, self.tried])
        copy = widgets.VBox([row(self.other, self.other_name, on["clone"]), self.left])
        renaming = row(self.new_name, on["rename"])
        more = classed(widgets.VBox([copy, renaming, row(on["delete"])]), "svc-style-more")
        pages = [self.board, self.instructions, trial, self.differences, more]
        self.tabs = widgets.Tab(pages, selected_index=0)
        self.title_tabs(0, 0)
        deeds = row(*(on[name] for name in ("confirm", "cancel", "push", "undo_push", "undo", "redo", "discard")))
        parts = [choosing, self.offer_box, line, deeds, self.conflict_box, self.tabs]
        return classed(widgets.VBox(parts), "svc-panel", "svc-style")

    def display(self, edits: EditList | None) -> str:
        """Show a list, or that none is open, and return how things stand."""
        if edits is None:
            self.board.clear()
            self.instructions.clear()
            self.title_tabs(0, 0)
            return messages.HOW
        found = edits.style.findings()
        self.board.display(edits, found)
        self.instructions.display(edits, found)
        self.differences.display_diff(edits.diff)
        self.title_tabs(len(edits.content.instructions), len(edits.diff))
        offered = sum(len(each["rules"]) for each in self.board.content["categories"])
        return messages.summed_up(edits, found, offered=offered)

    def title_tabs(self, instructions: int, changes: int) -> None:
        """Say on the tabs how much there is behind them."""
        self.tabs.titles = [
            "Rules",
            f"Instructions ({instructions:,})" if instructions else "Instructions",
            "Try out",
            f"Changes ({changes:,})" if changes else "Changes",
            "More",
        ]

    def offer_lists(self, options: Sequence[tuple[str, str]], chosen: str, *, name: str, is_there: bool) -> None:
        """Offer these lists, titles and keys; *chosen* is open, has this *name*, and *is_there* on the service."""
        titles = [title for title, _ in options]
        apart = [(f"{title} · {key[:8]}" if titles.count(title) > 1 else title, key) for title, key in options]
        offer(self.lists, apart if chosen else [NOBODY, *apart], chosen)
        befores = [WITHOUT, *([("The list as on the service", "service")] if is_there else [])]
        offer(self.before, befores, self.before.value if is_there else "")
        self.new_name.value = name

    def offer_edits(self, beside: EditList | None, waiting: Waiting | None, *, others: int) -> None:
        """Ask whether to take up edits of a panel *beside* this one, or of an earlier kernel, if there are any."""
        show(self.offer_box, beside is not None or waiting is not None)
        show(self.buttons["forget"], beside is None)
        self.buttons["restore"].description = "Restore" if beside is None else "Go on here"
        if beside is not None:
            self.offer.say(messages.offered_beside(beside), "change")
        elif waiting is not None:
            self.offer.say(messages.offered(waiting, others), "change")

    def show_conflicts(self, conflicts: Conflicts | None) -> None:
        """Show which side was chosen for each conflict, while there are some."""
        show(self.conflict_box, conflicts is not None)
        if conflicts is not None:
            labels = range(len(conflicts.table))
            self.collisions.show(choices=[conflicts.sides.get(label) for label in labels])
            self.buttons["settle"].disabled = not conflicts.is_settled

    def allow(
        self,
        edits: EditList | None,
        *,
        busy: bool,
        asked: bool,
        collides: bool,
        undoable: tuple[str, int | None, Session] | None,
    ) -> None:
        """Let the buttons be pressed that have something to do; *undoable* without a version is a deletion."""
        changes, on = len(edits.diff) if edits else 0, self.buttons
        on["push"].description = f"Push {plural(changes, 'change')} …" if changes else "Push …"
        deleted = undoable is not None and undoable[1] is None
        on["undo_push"].description = "Undo the deletion" if deleted else "Undo the push"
        is_new = edits is not None and edits.base.style_id is None
        can = {
            "undo": bool(edits and edits.undoable),
            "redo": bool(edits and edits.redoable),
            "discard": bool(changes),
            "push": bool(changes or is_new) and not asked and not collides,
            **dict.fromkeys(("rename", "clone", "delete"), edits is not None),
        }
        for name, each in on.items():
            if name != "settle":
                each.disabled = busy or not can.get(name, True)
        show(on["confirm"], asked)
        show(on["cancel"], asked or collides)
        show(on["undo_push"], undoable is not None)
        self.lists.disabled = busy
        self.board.show(busy=busy)
        self.instructions.show(busy=busy)


def _choice(name: str, options: Sequence[tuple[str, str]], width: str) -> Any:
    return field(widgets.Dropdown(options=options, description=name), width)


def _text(name: str, width: str, *, placeholder: str = "") -> Any:
    return field(widgets.Text(description=name, placeholder=placeholder, continuous_update=False), width)
