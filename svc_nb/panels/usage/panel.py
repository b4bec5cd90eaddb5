"""The usage panel: who used how much, and when, as a picture with its numbers beside it, and the caps of the keys.

Only what needs the service asks it, in a thread; the latest request counts. All else is drawn from what is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

import ipywidgets as widgets
import numpy as np
import pandas as pd

from svc_nb import keys
from svc_nb.panels.parts import files
from svc_nb.panels.parts.grid import Grid
from svc_nb.panels.parts.panel import Panel
from svc_nb.panels.parts.picture import Picture, in_the_dark, kept_of
from svc_nb.panels.parts.texts import admin_error_line
from svc_nb.panels.parts.widgets import classed
from svc_nb.panels.usage import view
from svc_nb.panels.usage.caps import Caps
from svc_nb.panels.usage.days import KnownDays, Range
from svc_nb.panels.usage.view import FIELDS, GROUPS, OFFERED, TOPS, UsageChoice, UsageControls
from svc_nb.signatures import hides
from svc_nb.tracebacks import verbs
from svc_nb.usage import days, totals, usage
from svc_nb.usage.display_names import coded, masks_of
from svc_nb.usage.forecast import CAPPED

HISTORY = 62  # days before this month, for a forecast to look at
LOWEST_GRID = 300
T = TypeVar("T")


@hides("choice")
@verbs
class Usage(Panel):
    """A panel for usage: dates, grouping, product, keys or tags, a chart, its numbers beside it; and caps to change.

    Whatever a click does, a method does too. Changes show at once, or when the service has answered; `wait` waits for
    that. `close` ends it. In a saved or exported notebook a picture and the first rows stay.

    Parameters
    ----------
    start, end
        The days, as `svc_nb.usage` takes them, in UTC; *start* alone may be "7 days", "30 days", "90 days", "this
        month" or "last month".
    group_by
        "key", "tag" or "nothing".
    kind
        The chart: "by_day", "by_key", "by_product", "share", "heat_map" or "caps".
    table
        Usage by key, or tag, and day to show instead of asking the service.
    """

    _words = staticmethod(admin_error_line)

    def __init__(
        self,
        start: Any = "30 days",
        end: Any = None,
        *,
        group_by: str = "key",
        kind: str = "by_day",
        table: pd.DataFrame | None = None,
    ) -> None:
        super().__init__()
        self.controls = UsageControls()
        self.picture = Picture(pairs=in_the_dark())
        self.grid = Grid("Usage")
        self.caps = Caps(changed=self._forget_caps, masks=self._masks)
        self._known = KnownDays(table)
        self._keys: pd.DataFrame | None = None
        self._dates: Range = (days.today(), days.today())
        sides = [classed(self.picture, "svc-picture-side"), classed(self.grid, "svc-grid-side")]
        beside = classed(widgets.Box(sides), "svc-beside")
        shown = widgets.VBox([self.controls.box, self.line, beside, self.controls.export_row])
        self.tabs = widgets.Tab([shown, self.caps.box], titles=["Usage", "Caps"], selected_index=0)
        self.box = classed(widgets.VBox([self.tabs]), "svc-panel")
        self._listen()
        if table is not None and len(table):
            dates = totals.dates_of(table)
            start, end = dates.min().item(), dates.max().item()
        with self._quietly():
            self._set_dates(*days.bounds(start, end, today=days.today()))
            self._choose(group_by=group_by, kind=kind)
        self._changed()

    # ---- what a person can do

    def set_range(self, start: Any, end: Any = None) -> Usage:
        """Show the days from *start* to *end*, or a range by its name, such as "30 days"."""
        with self._quietly():
            self._set_dates(*days.bounds(start, end, today=days.today()))
        self._changed()
        return self

    def show(
        self,
        kind: str | None = None,
        *,
        group_by: str | None = None,
        field: str | None = None,
        only: Sequence[str] | None = None,
        top: int | None = None,
    ) -> Usage:
        """Show another chart, in one go; what is not given stays as it is.

        Parameters
        ----------
        kind, group_by
            As for the panel itself.
        field
            The product: the name of a column of amounts.
        only
            The keys, or tags, to include, by the names on the chart; an empty list is all. They stay chosen for other
            days, also where they used nothing.
        top
            How many of the largest stand apart; 0 is as many as fit.
        """
        with self._quietly():
            self._choose(group_by=group_by, kind=kind, field=field, top=top)
            if only is not None:
                self.controls.who.value = list(only)
        self._changed()
        return self

    def refresh(self) -> Usage:
        """Ask the service anew for all that is shown."""
        self._known.forget()
        self._keys = None
        self._changed()
        return self

    @property
    def table(self) -> pd.DataFrame:
        """The usage behind what is shown: a tidy table of the chosen days and keys, or tags."""
        choice = self.choice
        return self._filtered(self._known.between(choice.asked, choice.start, choice.end))

    @property
    def rows(self) -> pd.DataFrame:
        """The rows beside the picture, as they are summed and sorted there, with exact numbers; exports have these."""
        return self.grid.table

    @property
    def choice(self) -> UsageChoice:
        """What is chosen now."""
        on = self.controls
        kind, group, field, top = on.kind.value, on.group.value, on.field.value, on.top.value
        return UsageChoice(kind, group, field, top, *self._dates, today=days.today())

    def export(self, path: str | PathLike[str]) -> Path:
        """Write what is shown to a file: the rows as .csv or .xlsx, the picture as .png or .svg. A file is replaced.

        Where the service has been asked, its answer is waited for.
        """
        self.wait()
        return files.export(path, self._bytes)

    def download(self, form: str) -> None:
        """Have the browser save what is shown, as "csv", "xlsx", "png" or "svg"."""
        start, end = self._dates
        speech = "speech-" if totals.is_minutes(self.choice.capped) else ""
        is_caps = self.controls.kind.value == "caps"
        name = f"{speech}caps-{days.today()}" if is_caps else f"usage-{start}-{end}"
        self.line.download(f"{name}.{form}", self._bytes(form), kind=files.KINDS[form])

    def close(self) -> None:
        """End the panel: its widgets go, and no thread stays."""
        self.caps.close()
        super().close()

    def _bytes(self, form: str) -> bytes:
        _one_of("the kind of file", form, tuple(files.KINDS))
        if self.picture.busy or not self.picture.svg:
            raise ValueError("there is nothing to save yet: the service has not answered what is chosen")
        if form in ("png", "svg"):
            return self.picture.png() if form == "png" else self.picture.file()
        return files.spreadsheet(form, self.rows, "Usage")

    # ---- how notebooks show it

    def __repr__(self) -> str:
        start, end = self._dates
        return f"<Usage panel, {start} to {end}: {self.picture.alt or self.line.text}>"

    def _stays(self) -> dict[str, Any]:
        return self._kept(**kept_of(self.picture, self.grid))

    # ---- the controls

    def _listen(self) -> None:
        on = self.controls
        on.presets.observe(lambda change: self._clicked(self.set_range, change.new) if change.new else None, "value")
        for date_picker in (on.start, on.end):
            date_picker.observe(lambda change: self._clicked(self._redate), "value")
        for control in (on.group, on.kind, on.field, on.top):
            control.observe(lambda change: self._clicked(self.show), "value")
        on.who.observe(lambda change: self._clicked(self._redraw), "value")
        self._on(on.refresh, self.refresh)
        for form, button in on.exports.items():
            self._on(button, self.download, form)
        self.picture.observe(lambda change: self._clicked(self._redraw), "width")
        self.picture.observe(lambda change: self._clicked(self._follow_theme), "dark")
        self.tabs.observe(lambda change: self._clicked(self.caps.open) if change.new == 1 else None, "selected_index")

    def _redate(self) -> None:
        try:
            self.set_range(*self._picked())
        except ValueError:
            with self._quietly():
                self.controls.presets.value = None  # so that each of them can be pressed
            raise

    def _picked(self) -> days.Range:
        """The dates that stand in the controls, or a ValueError that says what is wrong and what is shown instead."""
        pickers = {"From": self.controls.start, "To": self.controls.end}
        missing = [name for name, picker in pickers.items() if picker.value is None]
        still = f"The chart still shows {self._dates[0]} to {self._dates[1]}."
        if missing:
            raise ValueError(f"No date in {' and in '.join(missing)}: choose one, or press a range. {still}")
        try:
            return days.bounds(self.controls.start.value, self.controls.end.value, today=days.today())
        except ValueError as problem:
            raise ValueError(f"{problem}. {still}") from None

    def _follow_theme(self) -> None:
        if self.controls.kind.value == "heat_map":  # colours in an image cannot be exchanged by the page
            self._redraw()

    def _forget_caps(self) -> None:
        self._keys = None
        if self.controls.kind.value == "caps":
            self._changed()

    def _set_dates(self, start: days.Day, end: days.Day) -> None:
        first, last = days.day_of(start), days.day_of(end)
        on, today = self.controls, days.today()
        on.start.value, on.end.value = self._dates = first, last
        ranges = {name: days.preset(name, today=today) for name in days.PRESETS}
        pressed = [name for name, found in ranges.items() if found == (first, last)]
        if on.presets.value not in pressed:
            on.presets.value = pressed[0] if pressed else None

    def _choose(
        self, *, group_by: str | None, kind: str | None, field: str | None = None, top: int | None = None
    ) -> None:
        on = self.controls
        group = on.group.value if group_by is None else _one_of("group_by", group_by, tuple(GROUPS))
        if kind is not None:
            _one_of("kind", kind, OFFERED[group])
        on.group.value = group
        on.offer_kinds(group)
        on.who.turn_to(self.choice.noun, f"{self.choice.noun}s")
        if kind is not None:
            on.kind.value = kind
        if field is not None:
            on.field.value = _one_of("field", field, tuple(FIELDS))
        if top is not None:
            on.top.value = _one_of("top", top, [count for _, count in TOPS])

    # ---- the service

    def _changed(self) -> None:
        """Draw what is chosen, or ask for what is missing first."""
        with self._lock:
            choice = self.choice
            missing, with_keys = self._lacking(choice)
            if not missing and not with_keys:
                self._latest.drop()
                self._redraw()
                return
            self.picture.busy = True
            self.controls.allow_exports(False)
            if not self.picture.svg:
                self.line.say("Asking the service …")

            def ask() -> Any:
                tables = [usage(start, end, group_by=choice.asked) for start, end in missing]
                return tables, keys.list() if with_keys else None

            self._latest.ask(ask, lambda answer: self._answered(choice, missing, answer))

    def _lacking(self, choice: UsageChoice) -> tuple[list[Range], bool]:
        """The days that have to be asked for, and whether the keys have."""
        with_keys = choice.kind == "caps" and self._keys is None and not self._known.is_whole
        return self._known.missing(choice.asked, *_span(choice), today=choice.today), with_keys

    def _answered(self, choice: UsageChoice, ranges: Sequence[Range], answer: Any) -> None:
        with self._lock:
            if isinstance(answer, Exception):  # no old picture under new dates: only what went wrong
                self._tell(answer)
                with self.picture.hold_sync():
                    self.picture.svg, self.picture.alt, self.picture.busy = "", "", False
                self.grid.show(pd.DataFrame(), ())
                self.controls.allow_exports(False)
                return
            tables, listed = answer
            for (start, end), table in zip(ranges, tables, strict=True):
                self._known.add(choice.asked, start, end, table, today=choice.today)
            self._keys = self._keys if listed is None else listed
            self._clicked(self._redraw)

    # ---- the picture

    def _redraw(self) -> None:
        with self._lock:
            choice = self.choice
            if any(self._lacking(choice)):
                return  # it will be drawn when it is there
            whole = self._known.between(choice.asked, *_span(choice))
            with self._quietly():
                self._offer(whole)
            choice, table = self.choice, self._filtered(whole)
            keys = self._chosen_keys(table)
            height = view.height(choice, table, width=self.picture.width)
            theme = "dark" if choice.kind == "heat_map" and self.picture.dark else "light"
            self.picture.draw(lambda figure: view.paint(figure, choice, table, keys=keys, theme=theme), height=height)
            self.grid.height = max(height, LOWEST_GRID)
            self.grid.show(*view.listed(choice, table, keys=keys))
            self.controls.allow_exports(True)
            try:
                self._picked()
            except ValueError as problem:  # other dates stand above that cannot be shown
                self._tell(problem)
            else:
                ticked = len(self.controls.who.value) if len(whole) else 0
                self._say(view.said(choice, table, keys=keys, ticked=ticked))
            self._settled()

    def _offer(self, table: pd.DataFrame) -> None:
        """Offer the keys, or tags, that *table* has or that are ticked, and the products that it has."""
        noun, who = self.choice.noun, self.controls.who
        names = totals.by_key(table).index.tolist() if len(table) else []
        without_use = set(who.value) - set(names)
        names += [name for name in who.value if name in without_use]
        who.offer(names, noun=noun, nouns=f"{noun}s")
        offered = CAPPED if self.choice.kind == "caps" else totals.FIELDS
        self.controls.offer_fields([name for name in offered if name in table.columns])

    def _filtered(self, table: pd.DataFrame) -> pd.DataFrame:
        wanted = set(self.controls.who.value)
        if not wanted or not len(table):
            return table
        codes, names = coded(table)
        return table[np.array([name in wanted for name in names], dtype=bool)[codes]]

    def _masks(self) -> dict[str, str]:
        """The masks that usage has told of, by the labels that one key alone has."""
        return masks_of(self._known.between("key_and_day", date.min, date.max))

    def _chosen_keys(self, table: pd.DataFrame) -> pd.DataFrame | None:
        ticked = self.controls.who.value
        if self._keys is None or not ticked:
            return self._keys
        labels = {*ticked, *table["api_key_label"].unique()} if len(table) else set(ticked)
        return self._keys[self._keys["label"].fillna("").isin(labels)]


def _span(choice: UsageChoice) -> Range:
    """The days that the chart needs: those chosen; for caps this month, and what a forecast looks back to."""
    if choice.kind != "caps":
        return choice.start, choice.end
    return choice.today.replace(day=1) - HISTORY * days.ONE_DAY, choice.today


def _one_of(name: str, value: T, known: Sequence[T]) -> T:
    if value not in known:
        raise ValueError(f"{name}: expected one of {', '.join(map(repr, known))}, found {value!r}")
    return value
