"""Backups of spoken terms: those of glossaries, in a folder of their own and in their own words."""

from __future__ import annotations

from svc_nb.sync.backups import Backups
from svc_nb.tabular.report import Report, plural

HISTORY = "svc_nb.spoken_terms.history() lists what was changed"


class SpokenTermsBackups(Backups):
    """The backups of the collections on one service."""

    def history(self, thing_id: str | None = None) -> Report:
        """All backups of this service, or those of one collection, by its id or a name, the newest first."""
        found = super().history(thing_id)
        return Report(
            found.rename(columns={"glossary_id": "spoken_terms_id"}), self._said(len(found), thing_id)
        )

    def _said(self, count: int, thing_id: str | None) -> str:
        if count:
            back = "svc_nb.spoken_terms.undo(spoken_terms_id) takes the last change of one back"
            return f"{plural(count, 'backup')} in {self.folder}. Next: {back}, undo() that of this kernel."
        if thing_id is not None:
            return f"Nothing was changed in {thing_id[:60]!r} from here."
        return f"No backups in {self.folder}: nothing was changed from here yet."
