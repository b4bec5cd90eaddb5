"""The usage panel: who used how much and when, as a chart with its numbers beside it, and the caps of the keys.

Requests to the service run in a thread, and the latest one counts. Everything else is drawn from known data.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from svc_nb import keys
from svc_nb.panels.parts import controls as widgets
from svc_nb.panels.parts import files
from svc_nb.panels.parts.panel import Panel, can_retry
from svc_nb.panels.parts.picture import Picture, in_the_dark, kept_of
from svc_nb.panels.parts.texts import admin_error_line
from svc_nb.panels.parts.widgets import Notice, button, classed, offer_titles
from svc_nb.panels.usage import rows, view
from svc_nb.panels.usage.caps import Caps
from svc_nb.panels.usage.days import KnownDays, Range
from svc_nb.panels.usage.view import FIELDS, GROUPS, OFFERED, PERIODS, TOPS, UsageChoice, UsageControls
from svc_nb.plots.colours import SLOTS, KeyColours, number_of
from svc_nb.session import connect
from svc_nb.signatures import hides
from svc_nb.tabular.text_column import TEXT
from svc_nb.tracebacks import verbs
from svc_nb.usage import days, totals, usage
from svc_nb.usage.display_names import NO_LABEL, NO_TAG, called, coded, distinct, masks_of
from svc_nb.usage.forecast import CAPPED
from svc_nb.usage.outliers import AROUND, outliers
from svc_nb.wire.models.admin import EARLIEST

HISTORY = 62  # days before this month, for the forecast
YEAR = "365 days"
LOWEST_GRID = 300
UNTAGGED = SLOTS  # the number after the last colour: a dotted grey, because the others are grey
SHORT, SHORT_GRID = 15, 460  # rows shown without scrolling, including the total, and their height
NEW_SERVICE = "Nothing has been translated on this service yet. Translate something, or connect to sample data."
T = TypeVar("T")


@hides("choice")
@verbs
class Usage(Panel):
    """A panel for usage: dates, grouping, product, keys or tags, a chart with its numbers, and caps to change.

    Everything a click does is also a method. Changes show at once, or when the service has answered; `wait` waits for
    that. `close` ends the panel. A saved or exported notebook keeps a picture and the first rows.

    Parameters
    ----------
    start, end
        The days, as `svc_nb.usage` takes them, in UTC; *start* alone may be "7 days", "30 days", "90 days", "365 days",
        "this month" or "last month".
    group_by
        "key", "tag" or "nothing"; a *table* of tags is shown by tag.
    kind
        The chart: "by_day", "by_key", "by_product", "share", "heat_map" or "caps".
    table
        Usage by key or tag and day, to show instead of asking the service.
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
        self.grid = rows.UsageGrid("Usage")
        self.caps = Caps(changed=self._forget_caps, masks=self._masks)
        self._known = KnownDays(table)
        self._keys: pd.DataFrame | None = None
        self._labels: Counter[str] | None = None  # of the keys that the service lists, once loaded
        self._everyone: dict[str, pd.DataFrame] = {}  # keys, or tags, with usage within a year
        self._colours = {"key": KeyColours(), "tag": KeyColours()}
        self._dates: Range = (days.today(), days.today())
        self._drawn: UsageChoice | None = None
        sides = [classed(self.picture, "svc-picture-side"), classed(self.grid, "svc-grid-side")]
        beside = classed(widgets.Box(sides), "svc-beside")
        shown = widgets.VBox([self.controls.box, self.line, beside, self.controls.export_row])
        self.tabs = widgets.Tab([shown, self.caps.box], titles=["Usage", "Caps"], selected_index=0)
        self.offer = Notice(button("Take over", style="primary"), button("Not now"))
        self.box = classed(widgets.VBox([self.offer.box, self.tabs]), "svc-panel")
        self.caps.drafted = self._tell_unsent
        self._listen()
        if table is not None:
            own = ("tag",) if "custom_tag" in table.columns else ("key", "nothing")
            offer_titles(self.controls.group, {name: GROUPS[name] for name in own})
            group_by = "tag" if own == ("tag",) and group_by == "key" else group_by
        if table is not None and len(table):
            dates = totals.dates_of(table)
            start, end = dates.min().item(), dates.max().item()
        with self._quietly():
            self._set_dates(*_range(start, end))
            self._choose(group_by=group_by, kind=kind)
        self._changed()
        if waiting := self.caps.waiting():
            self.offer.ask(waiting.question)

    # ---- what a person can do

    def set_range(self, start: Any, end: Any = None) -> Usage:
        """Show the days from *start* to *end*, or a range by its name, such as "30 days"."""
        with self._quietly():
            self._set_dates(*_range(start, end))
        self._changed()
        return self

    def show(
        self,
        kind: str | None = None,
        *,
        group_by: str | None = None,
        field: str | None = None,
        every: str | None = None,
        only: Sequence[str] | None = None,
        hidden: Sequence[str] | None = None,
        top: int | None = None,
    ) -> Usage:
        """Change several settings of the chart at once; whatever is not given stays as it is.

        Parameters
        ----------
        kind, group_by
            As for the panel itself.
        field
            The product: the name of a column of amounts.
        every
            "day", "week" or "month" for each bar and row; "auto" depends on the range.
        only
            The keys, or tags, to include, by their names on the chart; an empty list means all. They stay chosen for
            other days, even without usage.
        hidden
            Those to hide in the chart over time, as a click in its legend does; the table still has them.
        top
            How many of the largest to show separately; 0 is as many as fit.
        """
        with self._quietly():
            self._choose(group_by=group_by, kind=kind, field=field, top=top)
            if every is not None:
                self.controls.every.value = _one_of("every", every, tuple(PERIODS))
            if only is not None:
                self.controls.who.value = list(only)
            if hidden is not None:
                self.picture.hidden = list(hidden)
        self._changed()
        return self

    def take_over(self) -> Usage:
        """Take over the unsent edits of caps from another panel of this notebook."""
        self.offer.drop()
        if waiting := self.caps.waiting():
            self.tabs.selected_index = 1
            self.caps.take_over(waiting)
        return self

    def refresh(self) -> Usage:
        """Ask the service again for everything shown."""
        self._known.forget()
        self._keys = None
        self._changed()
        return self

    @property
    def table(self) -> pd.DataFrame:
        """The usage shown, as a tidy table of the chosen days and keys or tags."""
        choice = self.choice
        return self._filtered(self._told(choice, choice.start, choice.end))

    @property
    def rows(self) -> pd.DataFrame:
        """The rows beside the chart, summed and sorted as shown, with exact numbers; this is what exports contain."""
        return self.grid.table

    @property
    def choice(self) -> UsageChoice:
        """The current choices."""
        on = self.controls
        kind, group, field, top = on.kind.value, on.group.value, on.field.value, on.top.value
        return UsageChoice(kind, group, field, top, on.every.value, *self._dates, today=days.today())

    def export(self, path: str | PathLike[str]) -> Path:
        """Write the content to a file: the rows as .csv or .xlsx, the picture as .png or .svg. An existing file is
        replaced. Waits for answers from the service.
        """
        self.wait()
        return files.export(path, self._bytes)

    def download(self, form: str) -> None:
        """Have the browser save the content, as "csv", "xlsx", "png" or "svg"."""
        start, end = self._dates
        speech = "speech-" if totals.is_minutes(self.choice.capped) else ""
        is_caps = self.controls.kind.value == "caps"
        name = f"{speech}caps-{days.today()}" if is_caps else f"usage-{start}-{end}"
        self.line.download(f"{name}.{form}", self._bytes(form), kind=files.KINDS[form])

    def close(self) -> None:
        """Close the panel: its widgets go, and its threads end."""
        self.caps.close()
        super().close()

    def _bytes(self, form: str) -> bytes:
        _one_of("the kind of file", form, tuple(files.KINDS))
        if self.picture.busy or not self.picture.svg or any(self._lacking(self.choice)):
            raise ValueError("Nothing to save yet: still waiting for the service.")
        if form in ("png", "svg"):
            return self.picture.png() if form == "png" else self.picture.file()
        listed = self.rows
        if "name" in listed and self.choice.group == "key" and self.choice.kind != "caps":
            _, pairs = distinct(named := self._named(self._told(self.choice, *_span(self.choice))))
            masks = dict(zip(coded(named)[1], [mask for mask, _ in pairs], strict=True))
            listed = listed.assign(api_key=listed["name"].map(masks))
        return files.spreadsheet(form, listed, "Usage")

    # ---- how notebooks show it

    def __repr__(self) -> str:
        start, end = self._dates
        return f"<Usage panel, {start} to {end}: {self.picture.alt or self.line.text}>"

    @property
    def _survives(self) -> str:
        return self.caps.survives

    def _stays(self) -> dict[str, Any]:
        return self._kept(**kept_of(self.picture, self.grid))

    # ---- the controls

    def _listen(self) -> None:
        on = self.controls
        on.presets.observe(lambda change: self._clicked(self.set_range, change.new) if change.new else None, "value")
        for date_picker in (on.start, on.end):
            date_picker.observe(lambda change: self._clicked(self._redate), "value")
        for control in (on.group, on.kind, on.every, on.field, on.top):
            control.observe(lambda change: self._clicked(self.show), "value")
        on.who.observe(lambda change: self._clicked(self._redraw), "value")
        self._on(on.refresh, self.refresh)
        self._on_each(dict(zip(self.offer.answers, (self.take_over, self.offer.drop), strict=True)))
        for form, pressed in on.exports.items():
            self._on(pressed, self.download, form)
        self.picture.observe(lambda change: self._clicked(self._redraw), ["width", "hidden"])
        self.picture.observe(lambda change: self._clicked(self._follow_theme), "dark")
        self.tabs.observe(lambda change: self._clicked(self.caps.open) if change.new == 1 else None, "selected_index")

    def _redate(self) -> None:
        try:
            self.set_range(*self._picked())
        except ValueError:
            with self._quietly():
                self.controls.presets.value = None  # so that each button can be pressed
            raise

    def _picked(self) -> days.Range:
        """The dates in the controls; raises a ValueError that says what is wrong and which dates are shown instead."""
        pickers = {"From": self.controls.start, "To": self.controls.end}
        missing = [name for name, picker in pickers.items() if picker.value is None]
        still = f"the chart still shows {self._dates[0]} to {self._dates[1]}"
        if missing:
            raise ValueError(f"No date in {' and in '.join(missing)}: choose one, or press a range; {still}.")
        try:
            return _range(self.controls.start.value, self.controls.end.value)
        except ValueError as problem:
            raise ValueError(f"{problem}; {still}.") from None

    def _tell_unsent(self) -> None:
        """Show the number of unsent caps on their tab, and report them to the host."""
        count = self.caps.count
        self.tabs.titles = ("Usage", f"Caps ({count} not sent)" if count else "Caps")
        self._tell_host()

    def _follow_theme(self) -> None:
        if self.controls.kind.value == "heat_map":  # the page cannot change colours in an image
            self._redraw()

    def _forget_caps(self) -> None:
        self._keys = None
        if self.controls.kind.value == "caps":
            self._changed()

    def _set_dates(self, start: days.Day, end: days.Day) -> None:
        first, last = days.day_of(start), days.day_of(end)
        on, today = self.controls, days.today()
        on.start.value, on.end.value = self._dates = first, last
        ranges = {name: days.preset(name, today=today) for name in view.RANGES}
        pressed = [name for name, found in ranges.items() if found == (first, last)]
        if on.presets.value not in pressed:
            on.presets.value = pressed[0] if pressed else None

    def _choose(
        self, *, group_by: str | None, kind: str | None, field: str | None = None, top: int | None = None
    ) -> None:
        on = self.controls
        offered = [name for _, name in on.group.options]
        group = on.group.value if group_by is None else _one_of("group_by", group_by, offered)
        if kind is not None:
            _one_of("kind", kind, OFFERED[group])
        on.group.value = group
        on.offer_kinds(group)
        on.who.turn_to(self.choice.things)
        if kind is not None:
            on.kind.value = kind
        if field is not None:
            on.field.value = _one_of("field", field, tuple(FIELDS))
        if top is not None:
            on.top.value = _one_of("top", top, [count for _, count in TOPS])

    # ---- the service

    def _changed(self) -> None:
        """Draw the current choices, or request missing data first."""
        with self._lock:
            choice = self.choice
            missing, with_keys, with_everyone = self._lacking(choice)
            if not missing and not with_keys and not with_everyone:
                self._latest.drop()
                self._redraw()
                return
            self.picture.busy = True
            self.controls.allow_exports(False)
            if not self.picture.svg:
                self.line.say("Asking the service …")

            def ask() -> Any:
                tables = [usage(start, end, group_by=group) for group, start, end in missing]
                everyone = usage(YEAR, group_by=choice.noun) if with_everyone else None
                return tables, keys.list() if with_keys else None, everyone

            self._latest.ask(ask, lambda answer: self._answered(choice, missing, answer))

    def _lacking(self, choice: UsageChoice) -> tuple[list[tuple[str, date, date]], bool, bool]:
        """The groups and days to request, and whether to request the keys and who used something in a year.

        Tags are requested together with all usage, to find untagged usage; the keys and a whole year once, for their
        colours.
        """
        wanted = self._keys is None if choice.kind == "caps" else choice.group == "key" and self._labels is None
        found = [
            (group, *days)
            for group in dict.fromkeys((choice.asked, "key_and_day"))
            for days in self._known.missing(group, *_around(choice), today=choice.today)
        ]
        new = choice.noun not in self._everyone
        return found, wanted and not self._known.is_whole, new and not self._known.is_whole

    def _answered(self, choice: UsageChoice, ranges: Sequence[tuple[str, date, date]], answer: Any) -> None:
        with self._lock:
            if isinstance(answer, Exception):  # no old picture under new dates: show only the error
                self._again = self.refresh if can_retry(answer) else None
                self._tell(answer)
                self.picture.busy = False
                if choice != self._drawn:
                    self.picture.clear()
                    self.grid.show(pd.DataFrame(), ())
                self.controls.allow_exports(False)
                return
            tables, listed, everyone = answer
            for (group, start, end), table in zip(ranges, tables, strict=True):
                self._known.add(group, start, end, table, today=choice.today)
            if listed is not None:
                self._keys = listed
                self._take_labels(listed)
            if everyone is not None:
                self._everyone[choice.noun] = everyone
            self._clicked(self._redraw)

    # ---- the picture

    def _redraw(self) -> None:
        with self._lock:
            choice = self.choice
            if any(self._lacking(choice)):
                return  # it will be drawn when the data arrives
            whole = self._named(self._told(choice, *_span(choice)))
            with self._quietly():
                self._offer(whole)
                self.controls.show_useful()
            choice, table = self.choice, self._filtered(whole)
            self._drawn = choice
            unusual = self._unusual(choice, table)
            keys = self._chosen_keys(table) if choice.kind == "caps" else None
            # Everyone active in the last year gets a colour first, so that colours are the same in every range.
            everyone = self._everyone.get(choice.noun, self._known.between(choice.asked, date.min, date.max))
            slots, hidden = self._slots(everyone) | self._slots(whole) | self._slots(table), self.picture.hidden
            height = view.height(choice, table, width=self.picture.width)
            dark = choice.kind == "heat_map" and self.picture.dark
            own: dict[str, Any] = {"keys": keys, "slots": slots, "hidden": hidden, "unusual": unusual}
            legend = view.legend_of(choice, table, slots, unusual=unusual)
            self.picture.draw(
                lambda figure: view.paint(figure, choice, table, **own, dark=dark, legend=False),
                height=height,
                legend=legend,
                for_files=lambda figure: view.paint(figure, choice, table, **own),
            )
            listed = rows.listed(choice, table, keys=keys)
            (self.grid.add_class if choice.kind == "caps" else self.grid.remove_class)(rows.NEAR)
            self.grid.height = max(height, LOWEST_GRID, SHORT_GRID if len(listed[0]) <= SHORT else 0)
            unseen = [entry["name"] for entry in legend if entry["name"] in hidden]
            below = f"Hidden in the chart: {', '.join(unseen)}." if unseen else ""
            notes = rows.notes_of(listed[0], unusual, every=choice.every)
            self.grid.show_rows(*listed, slots, notes=notes, said=below)
            self.controls.allow_exports(True)
            try:
                self._picked()
            except ValueError as problem:  # the controls have other dates, which cannot be shown
                self._tell(problem)
            else:
                ticked = len(self.controls.who.value) if len(whole) else 0
                said = view.said(choice, table, keys=keys, ticked=ticked, unusual=unusual)
                known = (self._told(choice, *_around(choice)), *self._everyone.values())
                self._say_use(said, is_new=not any(map(len, known)))
            self._settled()

    def _say_use(self, said: str, *, is_new: bool) -> None:
        """Summarize the usage; if the service on this machine has none yet, offer sample data."""
        self._again, session = None, self._session
        if is_new and not self._known.is_whole and session is not None and session.service is not None:
            self._again = self._show_sample
            self._say("")
            self.line.say(f"{said.removesuffix(view.OTHER_DATES)}{NEW_SERVICE}", retry="Show sample data")
        else:
            self._say(said)

    def _show_sample(self) -> None:
        connect(sample=True)
        self._labels, self._everyone = None, {}  # as in a panel created with the sample
        self._colours = {"key": KeyColours(), "tag": KeyColours()}
        self.refresh()

    def _unusual(self, choice: UsageChoice, shown: pd.DataFrame) -> pd.DataFrame:
        """The unusually high days of those *shown*, compared with the weeks around them and with all keys."""
        table = self._told(choice, *_around(choice))
        if choice.kind == "caps" or not len(table) or choice.field not in table.columns:
            return outliers(pd.DataFrame({"usage_date": [], choice.field: []}), field=choice.field)
        if choice.group == "nothing":
            table = self._filtered(table).drop(columns=view.WHO, errors="ignore")
            return outliers(table, field=choice.field, within=(choice.start, choice.end))
        found = outliers(self._named(table), field=choice.field, within=(choice.start, choice.end))
        return found[found["name"].isin(coded(shown)[1])]

    def _told(self, choice: UsageChoice, start: date, end: date) -> pd.DataFrame:
        """The usage of these days; by tag also the untagged usage, which is all usage less what is tagged."""
        table = self._known.between(choice.asked, start, end)
        if choice.group != "tag" or self._known.is_whole:
            return table
        return view.with_untagged(table, self._known.between("key_and_day", start, end))

    def _named(self, table: pd.DataFrame) -> pd.DataFrame:
        """*table* with labels that distinguish all keys of the account, so a key has the same name in every range."""
        if self.choice.kind == "caps" or not {*view.WHO} <= {*table.columns}:
            return table
        known = distinct(self._known.between("key_and_day", date.min, date.max))[1]
        shared = [("", label) for label, count in (self._labels or {}).items() if count > 1]
        names = dict(zip([*known, *shared], called([*known, *shared]), strict=True))
        codes, pairs = distinct(table)
        return table.assign(api_key_label=pd.array([names.get(pair, pair[1]) for pair in pairs], TEXT).take(codes))

    # ---- colours

    def _take_labels(self, listed: pd.DataFrame) -> None:
        """Register the keys of the account: while there are enough colours, they are assigned by creation time."""
        table = pd.DataFrame(listed).sort_values(["creation_time", "key_id"], kind="stable")
        labels = table["label"].fillna("").tolist()
        self._labels = Counter(labels)
        if len(labels) <= SLOTS:
            self._colours["key"].add(label for label in labels if label.strip() and self._labels[label] == 1)

    def _slots(self, table: pd.DataFrame) -> dict[str, int]:
        """The colour number of each name in *table*; it belongs to the key, whatever its name here."""
        if not len(table) or self.choice.group == "nothing":
            return {}
        if self.choice.group == "tag":
            own = {name: name for name in coded(table)[1] if name != NO_TAG}
        else:
            pairs = distinct(table)[1]
            listed = self._labels or Counter()
            plain = [(mask, label.removesuffix(f" ({mask})").removeprefix(NO_LABEL).strip()) for mask, label in pairs]
            marks = [label if label and listed[label] == 1 else f"{label} {mask}" for mask, label in plain]
            own = dict(zip(called(pairs), marks, strict=True))
        colours = self._colours[self.choice.noun]
        marks = [own[name] for name in totals.by_key(table).index if name in own]
        parts = [[*colours.slots, *sorted({*marks} - {*colours.slots}, key=number_of)]]
        if len(parts[0]) > SLOTS:  # assign colours to the largest together, so that those shown separately differ
            parts = [sorted(part, key=number_of) for part in (marks[: SLOTS // 2], marks[: 2 * SLOTS], marks)]
        for part in parts:
            colours.add(part)
        return {name: colours.slots[mark] for name, mark in own.items()} | {NO_TAG: UNTAGGED}

    def _offer(self, table: pd.DataFrame) -> None:
        """Offer the keys, or tags, in *table* or ticked, and the products in it."""
        who = self.controls.who
        offered = table if len(table) else self._named(self._everyone.get(self.choice.noun, table))
        names = totals.by_key(offered).index.tolist() if len(offered) else []
        without_use = set(who.value) - set(names)
        names += [name for name in who.value if name in without_use]
        who.offer_names(names, who.value)
        products = CAPPED if self.choice.kind == "caps" else totals.FIELDS
        self.controls.offer_fields([name for name in products if name in table.columns])

    def _filtered(self, table: pd.DataFrame) -> pd.DataFrame:
        wanted = set(self.controls.who.value)
        if not wanted or not len(table):
            return table
        codes, names = coded(self._named(table))
        return table[np.array([name in wanted for name in names], dtype=bool)[codes]]

    def _masks(self) -> dict[str, str]:
        """The masks in the usage data, by labels that are unique."""
        return masks_of(self._known.between("key_and_day", date.min, date.max))

    def _chosen_keys(self, table: pd.DataFrame) -> pd.DataFrame | None:
        ticked = self.controls.who.value
        if self._keys is None or not ticked:
            return self._keys
        labels = {*ticked, *table["api_key_label"].unique()} if len(table) else set(ticked)
        return self._keys[self._keys["label"].fillna("").isin(labels)]


def _span(choice: UsageChoice) -> Range:
    """The days that the chart needs: those chosen or, for caps, this month and the days before for the forecast."""
    if choice.kind != "caps":
        return choice.start, choice.end
    return choice.today.replace(day=1) - HISTORY * days.ONE_DAY, choice.today


def _around(choice: UsageChoice) -> Range:
    """The days to request: those of the chart, and the weeks around them for comparison."""
    start, end = _span(choice)
    if choice.kind == "caps":
        return start, end
    return max(start - AROUND * days.ONE_DAY, EARLIEST), min(end + AROUND * days.ONE_DAY, max(choice.today, end))


def _range(start: Any, end: Any) -> days.Range:
    """The given range, which ends today or earlier."""
    today = days.today()
    if end is not None and not days.is_range(start):
        first, last = (days.day_of(days.read_day(name, day)) for name, day in (("start", start), ("end", end)))
        if last > today:
            raise ValueError(f"The end date {last} is in the future (today is {today} UTC)")
        if last < first:
            raise ValueError(f"The end date {last} is before the start date {first}")
    return days.bounds(start, end, today=today)


def _one_of(name: str, value: T, known: Sequence[T]) -> T:
    if value not in known:
        raise ValueError(f"{name}: expected one of {', '.join(map(repr, known))}, found {value!r}")
    return value
