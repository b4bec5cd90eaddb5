"""What the account has used and may use."""

from svc_nb.wire.client.wire import read
from svc_nb.wire.models import Usage
from svc_nb.wire.transport import Transport


class Account:
    """The account that the key belongs to."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def usage(self) -> Usage:
        """Return the use in the current period, by product where the plan tells it."""
        return read(self._transport.request("GET", "/v2/usage"), Usage.from_wire)
