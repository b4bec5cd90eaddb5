"""Documents: kept encrypted with a key that only the caller has, translated by clerks, handed out once, then billed.

The life of a document: `Shelf.add` seals the file with a new key and forgets the key; a `Clerk` that is offered the key
opens it, translates it and seals the result; `Delivery.begin` sends the result, and bills and removes the document when
all of it has gone out. After a restart the next question about a document brings its key, and the work goes on.
"""

from .clerk import Clerk
from .delivery import Delivery
from .shelf import DONE, ERROR, QUEUED, TRANSLATING, Document, Shelf
from .ticket import Ticket, Wanted

__all__ = [
    "DONE",
    "ERROR",
    "QUEUED",
    "TRANSLATING",
    "Clerk",
    "Delivery",
    "Document",
    "Shelf",
    "Ticket",
    "Wanted",
]
