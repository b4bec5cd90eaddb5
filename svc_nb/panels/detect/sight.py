"""Which rows of a column are looked at: those in doubt, those relabelled, or samples of a language."""

from __future__ import annotations

from dataclasses import dataclass, replace

from svc_nb.language_codes import name_of
from svc_nb.panels.detect.findings import Findings, Places
from svc_nb.tabular.report import plural

LOOK_AT = "look at"
RELABELLED = "relabelled"
FEW = 20
MORE = 5  # times as many


@dataclass(frozen=True)
class Sight:
    """`name` is `LOOK_AT`, `RELABELLED` or the code of a language, of which at most `most` samples are shown."""

    name: str = LOOK_AT
    most: int = FEW

    @property
    def is_language(self) -> bool:
        """Whether it is of a language."""
        return self.name not in (LOOK_AT, RELABELLED)

    def or_first(self, findings: Findings) -> Sight:
        """This one or, where no row is to be looked at, the commonest language."""
        if self.name != LOOK_AT or len(findings.to_look_at) or findings.mix.empty:
            return self
        return Sight(str(findings.mix["language"].iloc[0]))

    def more(self) -> Sight:
        """The same with more samples."""
        return replace(self, most=self.most * MORE)

    def places(self, findings: Findings) -> Places:
        """The rows to show."""
        if self.is_language:
            return findings.samples(self.name, self.most)
        return findings.to_look_at if self.name == LOOK_AT else findings.relabelled

    def every(self, findings: Findings) -> int:
        """How many rows there are to show."""
        return len(findings.of(self.name) if self.is_language else self.places(findings))

    def told(self, findings: Findings, places: Places) -> str:
        """What stands below the rows at *places*, which are those of this sight, or were before a relabelling."""
        own = len(set(findings.labels.own).intersection(places.tolist()))
        by_hand = f", {own:,} of them relabelled by hand" if own and self.name != RELABELLED else ""
        return f"{self._counted(len(places), self.every(findings))}{by_hand}"

    def _counted(self, shown: int, every: int) -> str:
        if self.name == LOOK_AT:
            return plural(shown, "row") if shown else "No rows to look at"
        if self.name == RELABELLED:
            return plural(shown, "row")
        language = name_of(self.name)
        return f"{plural(shown, 'sample')} of {plural(every, 'row')} in {language}"


def sights(findings: Findings) -> dict[str, str]:
    """All there is to look at, by name, with its count: rows in doubt, rows relabelled, and every language."""
    look, own = len(findings.to_look_at), len(findings.relabelled)
    found = {LOOK_AT: f"To look at ({look:,})"}
    if own:
        found[RELABELLED] = f"Relabelled ({own:,})"
    mix = findings.mix
    for code, rows in zip(mix["language"].tolist(), mix["rows"].tolist(), strict=True):
        if isinstance(code, str):
            found[code] = f"{name_of(code)} ({rows:,})"
    return found
