"""The named widgets of the style rule panel, and their layout."""

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet

from svc_nb.language_codes import name_of
from svc_nb.panels.parts import controls as widgets
from svc_nb.panels.parts.compare import ConflictList
from svc_nb.panels.parts.widgets import (
    Heard,
    Line,
    Notice,
    TryOutBox,
    button,
    classed,
    field,
    is_shown,
    offer,
    row,
    show,
)
from svc_nb.panels.parts.word_diff import word_diff
from svc_nb.panels.style_rules import messages
from svc_nb.panels.style_rules.lists import EditList
from svc_nb.panels.style_rules.widgets import Instructions, RuleTable, StyleCompare, sources
from svc_nb.session import Session
from svc_nb.style_rules.catalogue import STYLE_LANGUAGES
from svc_nb.style_rules.clone import Clone, with_nearest
from svc_nb.style_rules.style import Content, Rule
from svc_nb.style_rules.tryout import Tried
from svc_nb.sync.drafts import Waiting
from svc_nb.tabular.report import plural

LANGUAGES = sorted((name_of(code), code) for code in STYLE_LANGUAGES)
NOBODY = ("Choose a list …", "")
WITHOUT = ("Without a style", "")
AS_EDITED, AS_TRIED = "With the edited list", "With the list as it was when you tried it out"
BUTTONS = {
    "push": ("Push …", "primary"),
    "new": ("New list", ""),
    "reload": ("Reload", ""),
    "discard": ("Discard", "", "Return to the list as it was loaded; Undo brings the edits back"),
    "undo": ("Undo", ""),
    "redo": ("Redo", ""),
    "undo_push": ("Undo the push", ""),
    "confirm": ("Push", "primary"),
    "cancel": ("Cancel", ""),
    "create": ("Create", "primary"),
    "close_new": ("Cancel", ""),
    "restore": ("Restore", "primary"),
    "forget": ("Forget", ""),
    "rename": ("Rename", ""),
    "clone": ("Copy …", ""),
    "delete": ("Delete this list …", ""),
}
TOOLBAR = ("push", "new", "reload", "discard", "undo", "redo", "undo_push")
RULES, INSTRUCTIONS, _, CHANGES, MORE = range(5)  # tabs


class StyleRulesView:
    """All widgets by name; *heard* gets the messages of its own widgets, *tried* the sentence to try out."""

    def __init__(self, line: Line, *, heard: Heard, tried: Callable[[str], None]) -> None:
        self.buttons = {
            name: button(text, style=style, help="".join(help)) for name, (text, style, *help) in BUTTONS.items()
        }
        self.board = RuleTable(heard)
        self.instructions = Instructions(heard)
        self.trial = TryOutBox(tried, action="Try out")
        self.differences = StyleCompare("Changes")
        self.conflicts = ConflictList(heard)
        self.collisions = self.conflicts.table
        settling = ("settle", self.conflicts.go_on), ("leave", self.conflicts.not_now)
        self.buttons |= {**dict(settling), "all_mine": self.conflicts.all_mine, "all_theirs": self.conflicts.all_theirs}
        self.left = StyleCompare("What does not carry over")
        self.left_behind: Clone | None = None  # the copy that is asked about
        self.nearest = widgets.Checkbox(description="Use the nearest options")
        show(self.nearest, False)
        self.tried = Line()
        self._tried: Content | None = None  # what was tried out last
        self.tried.say(messages.BILLED)
        self.lists = _choice("Style rule list", [NOBODY], "380px")
        self.name = _text("Name of a new list", "220px")
        self.name.continuous_update = True
        self.language = _choice("Its language", LANGUAGES, "130px")
        self.language.value = "EN"
        self.source = _choice("Translate from", [("Detected", ""), *sources()], "190px")
        self.before = _choice("Compare with", [WITHOUT], "220px")
        self.new_name = _text("New name", "260px")
        self._named = ""  # the name shown there last
        self.other = _choice("Copy for", LANGUAGES, "130px")
        self.other_name = _text("Name of the copy", "220px", placeholder="the same")
        self.box = self._laid_out(line, heard)

    def _laid_out(self, line: Line, heard: Heard) -> widgets.Box:
        on = self.buttons
        toolbar = classed(row(self.lists, *(on[name] for name in TOOLBAR)), "svc-style-toolbar")
        self.question = Notice(on["confirm"], on["cancel"])
        self.offer = Notice(on["restore"], on["forget"], escapes=False)
        self.making = classed(row(self.name, self.language, on["create"], on["close_new"]), "svc-style-new")
        trial = widgets.VBox([row(self.source, self.before), self.trial, self.tried])
        copy = widgets.VBox([row(self.other, self.other_name, on["clone"]), self.nearest, self.left])
        renaming = row(self.new_name, on["rename"])
        more = classed(widgets.VBox([copy, renaming, row(on["delete"])]), "svc-style-more")
        pages = [self.board, self.instructions, trial, self.differences, more]
        self.tabs = widgets.Tab(pages, selected_index=0)
        self.title_tabs(0, 0)
        show(self.making, False)
        asked = [self.question.box, self.conflicts.box, self.offer.box]
        parts = [toolbar, *asked, self.making, line, self.tabs]
        box = widgets.UndoBox(parts)
        box.on_msg(lambda part, message, buffers: heard(message))
        return classed(box, "svc-panel", "svc-style")

    def display(self, edits: EditList | None, *, none_yet: bool, idle: AbstractSet[Rule] = frozenset()) -> str:
        """Show a list, or that none is open, and return the current state; with *none_yet* there is none to open.

        Rules that are *idle* have no effect on this service.
        """
        show(self.tabs, edits is not None)
        self._title_tried(edits)
        if edits is None:
            self.board.clear()
            self.instructions.clear()
            self.title_tabs(0, 0)
            show(self.making, none_yet or is_shown(self.making))
            return messages.FIRST if none_yet else messages.HOW
        found = edits.style.findings()
        self.board.display(edits, found, idle)
        self.instructions.display(edits, found)
        self.differences.display_diff(edits.diff)
        self.title_tabs(len(edits.content.instructions), edits.diff.total)
        offered = sum(len(each["rules"]) for each in self.board.content["categories"])
        return messages.summed_up(edits, found, offered=offered, idle=idle)

    def show_making(self, wanted: bool = True) -> None:
        """Show the fields for a new list, or hide them; the focus goes there or back to the lists."""
        show(self.making, wanted)
        (self.name if wanted else self.lists).focus()

    def clear_search(self) -> None:
        """Clear the search in the rules and the instructions."""
        self.board.clear_search()
        self.instructions.clear_search()

    def show_left(self, made: Clone | None, *, nearest: bool = False) -> None:
        """Show what does not carry over to a copy, and whether to use the nearest options; None hides it."""
        self.left_behind = made
        self.nearest.value = nearest
        show(self.nearest, made is not None and with_nearest(made) is not made.style)
        if made is None:
            self.left.display((), [], said="")
        else:
            self.left.display_clone(made)

    def go_to_error(self, edits: EditList) -> None:
        """Show the tab of the first thing that the service would reject, with the focus there if it is a text field."""
        first = next((each for each in edits.style.findings() if each.severity == "error"), None)
        if first is not None:
            self.tabs.selected_index = INSTRUCTIONS if first.table == "instructions" else RULES
        if first is not None and first.table == "instructions":
            field = next((name for name in ("label", "prompt") if f"the {name} " in first.message), "language")
            self.instructions.go_to(edits.content.instructions[first.place].number, field)

    def bring_into_view(self, before: Content, after: Content) -> None:
        """Scroll to the first rule or instruction that differs."""
        rules = [rule for rule in {**before.rules, **after.rules} if before.rules.get(rule) != after.rules.get(rule)]
        numbers = [number for number, each in after.numbers.items() if before.numbers.get(number) != each]
        if rules:
            self.board.bring_into_view(rules[0])
        elif numbers:
            self.instructions.bring_into_view(numbers[0])

    def show_tried(self, content: Content, answer: Tried, title: str) -> None:
        """Show the result of a try-out of *content*; *title* says what it is compared with."""
        self.trial.busy = False
        self._tried = content
        before, after = word_diff(answer.plain, answer.text)
        self.trial.show([(AS_EDITED, after), (title, before)])
        self.tried.say(messages.tried_out(answer))

    def _title_tried(self, edits: EditList | None) -> None:
        """Say whether the list has changed since it was tried out."""
        if self.trial.results:
            title = AS_EDITED if edits is not None and edits.content == self._tried else AS_TRIED
            (before, text), *rest = self.trial.results
            if title != before:
                self.trial.show([(title, text), *rest])

    def drop_trial(self) -> None:
        """Show that a try-out failed."""
        if self.trial.busy:
            self.trial.busy = False
            self.tried.say(messages.BILLED)
            self.trial.show([])

    def title_tabs(self, instructions: int, changes: int) -> None:
        """Show counts on the tabs."""
        self.tabs.titles = [
            "Rules",
            f"Instructions ({instructions:,})" if instructions else "Instructions",
            "Try out",
            f"Changes ({changes:,})" if changes else "Changes",
            "More",
        ]

    def offer_lists(self, options: Sequence[tuple[str, str]], chosen: str, *, name: str, is_there: bool) -> None:
        """Offer these lists, as titles and keys; *chosen* is open, has this *name*, and *is_there* on the service."""
        titles = [title for title, _ in options]
        apart = [(f"{title} · {key[:8]}" if titles.count(title) > 1 else title, key) for title, key in options]
        offer(self.lists, apart if chosen else [NOBODY, *apart], chosen)
        befores = [WITHOUT, *([("The list as on the service", "service")] if is_there else [])]
        offer(self.before, befores, self.before.value if is_there else "")
        if self._named != name:  # otherwise keep what a person is writing there
            self._named = self.new_name.value = name

    def offer_edits(self, beside: EditList | None, waiting: Waiting | None, *, others: int) -> None:
        """Ask whether to restore edits of a panel *beside* this one or of an earlier kernel, if any."""
        names = ("Restore", "Forget …") if beside is None else ("Continue here", "Not now")
        for name, text in zip(("restore", "forget"), names, strict=True):
            self.buttons[name].description = self.buttons[name].tooltip = text
        if beside is not None:
            self.offer.ask(messages.offered_beside(beside, others))
        elif waiting is not None:
            self.offer.ask(messages.offered(waiting, others))
        elif self.offer.waits:
            self.offer.drop()

    def allow(
        self,
        edits: EditList | None,
        *,
        busy: bool,
        asked: bool,
        collides: bool,
        undoable: tuple[str, int | None, Session] | None,
    ) -> None:
        """Enable the buttons that can be used; *undoable* without a version is a deletion."""
        changes, on = edits.diff.total if edits else 0, self.buttons
        on["push"].description = f"Push {plural(changes, 'change')} …" if changes else "Push …"
        on["push"].button_style = "" if asked or collides else "primary"  # one at a time
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
            if name not in ("settle", "new", "close_new"):
                each.disabled = busy or not can.get(name, True)
        if self.question.waits and not asked:
            self.question.drop()
            self.show_left(None)
        show(on["undo_push"], undoable is not None)
        self.lists.disabled = busy
        self.board.show(busy=busy)
        self.instructions.show(busy=busy)


def _choice(name: str, options: Sequence[tuple[str, str]], width: str) -> widgets.Dropdown:
    return field(widgets.Dropdown(options=options, description=name), width)


def _text(name: str, width: str, *, placeholder: str = "") -> widgets.Text:
    return field(widgets.Text(description=name, placeholder=placeholder, continuous_update=False), width)
