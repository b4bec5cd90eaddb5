"""What went wrong, as a panel says it: one line, and what to do."""

from __future__ import annotations

from svc_nb.errors import Forbidden, SvcError, one_line

NO_ADMINISTRATOR = (
    "This key may not see or change this: the service answers 403. Connect with an administrator's key: "
    "svc_nb.connect(admin_key=…) or SVC_ADMIN_KEY."
)


def told_administrators(problem: Exception) -> str:
    """As `told`, where a 403 means that the key is no administrator's."""
    return NO_ADMINISTRATOR if isinstance(problem, Forbidden) else told(problem)


def told(problem: Exception) -> str:
    """*problem* in a line; of what should not have happened its kind, too."""
    known = isinstance(problem, SvcError | ValueError | OSError)
    return one_line(str(problem) if known else f"{type(problem).__name__}: {problem}", limit=600)
