"""Stretches of a text that no translator may change: masked before it is sent, verified and put back after.

1. Every item of `protect=` finds its stretches; those that overlap or touch become one.
2. Each stretch gets a numbered mask. A mask of the first form stands beside words without joining them; one of the
   second is a word itself. Numbers that the text has in masks of its own are left alone.
3. An answer is taken if every mask is there once, none was invented, tags are nested as they were, and no stretch has
   left or entered an arm of a plural or a choice. Then the stretches take the places of their masks.
4. Otherwise the text is asked for once more in the second form, and after that it has failed.

Texts that differ in their stretches alone look the same when they are masked, and so are paid for once.
"""

from svc_nb.columns.protection.items import ALL, KINDS, Protection
from svc_nb.columns.protection.masks import FIRST, FORMS, SECOND, Masked

PROTECTED = "protected"
LOST = "protection_lost"

__all__ = ["ALL", "FIRST", "FORMS", "KINDS", "LOST", "PROTECTED", "SECOND", "Masked", "Protection"]
