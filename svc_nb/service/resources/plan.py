"""What only some plans have."""

from __future__ import annotations

from ..account import Account
from ..problems import Problem


def refuse_free(account: Account) -> None:
    """Raise 403 for an account whose plan has no administration, text improvement, spoken terms or voice."""
    if account.free:
        raise Problem(403, "Forbidden. Authorization failed or feature not available for your plan.")
