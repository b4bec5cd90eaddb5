"""The question whether to restore a saved draft: of the open glossary, of another one, or of a deleted one."""

from datetime import datetime

from svc_nb.panels.glossary import push
from svc_nb.panels.glossary.open_glossary import RestoredBook, restored_book, waiting_of
from svc_nb.panels.glossary.terms_panel import TermsPanel
from svc_nb.panels.parts.drafts import drafts_of
from svc_nb.panels.parts.widgets import Notice, button
from svc_nb.sync.drafts import Waiting
from svc_nb.tabular.report import plural


class DraftOffer:
    """Offers a draft in `notice`, and restores it in *panel*."""

    def __init__(self, panel: TermsPanel) -> None:
        self._panel = panel
        self.notice = Notice(button("Restore", style="primary"), button("Forget"), escapes=False)
        restore, forget = self.notice.answers
        panel._on(restore, panel._press, self.restore)
        panel._on(forget, panel.forget)

    def ask(self, waiting: Waiting | None, *, is_lost: bool = False) -> None:
        """Offer to restore a draft, which may be of a glossary that *is_lost*; None offers nothing."""
        opened = self._panel.opened
        opened.waiting, opened.is_lost = waiting, is_lost
        if waiting is None:
            self.notice.drop()
        else:
            is_open = waiting.thing_id == opened.glossary_id
            names = (
                ("Restore" if is_open or is_lost else "Open", "Forget …")
                if not waiting.here
                else ("Continue here", "Not now")
            )
            for answer, name in zip(self.notice.answers, names, strict=True):
                answer.description = answer.tooltip = name
            self.notice.ask(offered(waiting, is_open=is_open, is_lost=is_lost, is_edited=opened.is_edited))

    def restore(self) -> None:
        """Restore the offered draft with all its steps."""
        panel, waiting, session = self._panel, self.waiting, self._panel.opened.session

        def restored(found: RestoredBook) -> None:
            if panel.opened.waiting is not waiting:  # another glossary was opened, or the draft was restored already
                return
            panel._push.undoable = None
            panel.opened.restore(waiting, found)
            panel._show_book()
            self.ask(waiting_of(session, panel.opened.glossary_id))
            panel._sum_up("Your draft is restored.")

        panel._do(lambda: restored_book(session, waiting, panel._lock), restored)

    def forget(self) -> None:
        """Remove the offered draft; a draft of another panel is kept and only no longer offered."""
        panel, waiting, session = self._panel, self.waiting, self._panel.opened.session
        if not waiting.here:
            drafts_of(session).forget(waiting)
        self.ask(waiting_of(session, waiting.thing_id), is_lost=panel.opened.is_lost)
        panel._do(lambda: push.listed(session), panel._list)

    @property
    def waiting(self) -> Waiting:
        """The offered draft; raises ValueError if there is none."""
        if self._panel.opened.waiting is None:
            raise ValueError("there is no draft to restore or to forget")
        return self._panel.opened.waiting


def offered(waiting: Waiting, *, is_open: bool, is_lost: bool, is_edited: bool) -> str:
    """The question whether to restore a draft: of the glossary that *is_open*, of another, or of one that *is_lost*.

    If the open glossary *is_edited*, too, its edits are then kept as a draft.
    """
    steps = plural(waiting.steps, "step")
    name = f"“{waiting.name}”" if waiting.name else "a new glossary"
    if waiting.here:
        return f"The previous panel has unpushed edits of {name} ({steps}). Continue with them here?"
    edited = waiting.edited
    when = f"{edited:%H:%M}" if edited.date() == datetime.now().date() else f"{edited:%d %B %Y, %H:%M}"
    if is_lost:
        return f"{name} is no longer on this service. Restore your draft from {when} as a new glossary?"
    verb = "Restore" if is_open else "Open"
    instead = "; your edits here are kept as a draft" if is_edited else ""
    return f"You have unpushed edits of {name} from {when} ({steps}). {verb} them{instead}?"
