"""Making a thing on the service once: a creation whose answer was lost is looked for before it is sent again."""

from __future__ import annotations

from collections.abc import Callable

from svc_nb.errors import ApiError, BadReply, ServerError, SvcError
from svc_nb.wire.transport import Transport


def created(transport: Transport, send: Callable[[], str], find: Callable[[], str | None]) -> str:
    """The id of the thing that *send* makes; it is sent again, as the settings say, only where *find* finds none.

    *send* must not try again itself. *find* looks for a thing that was made although its answer was lost.
    """
    settings = transport.settings
    wait, tries = settings.first_wait, settings.tries
    while True:
        try:
            return send()
        except SvcError as error:
            if _may_be_done(error) and (found := find()):
                return found
            tries, wait = tries - 1, error.retry_after or wait
            if not error.retryable or not tries or wait > settings.longest_retry_after:
                raise
        transport.sleep(wait)
        wait = min(2 * wait, settings.longest_wait)


def was_refused(error: BaseException) -> bool:
    """Whether the service surely did not do what it was asked."""
    return isinstance(error, ApiError) and not isinstance(error, ServerError)


def _may_be_done(error: SvcError) -> bool:
    return not was_refused(error) and (error.retryable or isinstance(error, BadReply))
