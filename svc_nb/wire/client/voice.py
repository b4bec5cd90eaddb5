"""Voice: the request for a session. The stream of audio itself is left to a library for WebSockets."""

from svc_nb.errors import SvcError
from svc_nb.secret import Secret
from svc_nb.wire.client.wire import check, read, tagged
from svc_nb.wire.models import VoiceRequest, VoiceSession
from svc_nb.wire.transport import Reply, Transport

PATH = "/v3/voice/realtime"


class Voice:
    """Sessions for live speech: the service answers with an address, `{streaming_url}?token=...`, that is good once."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def session(self, request: VoiceRequest, reporting_tag: str | None = None) -> VoiceSession:
        """Ask for a session.

        The minutes are booked under *reporting_tag*, or under the one in the settings: the stream carries no headers,
        so a session has one tag.
        """
        check("request", request, VoiceRequest, "a VoiceRequest")
        headers = tagged(self._transport.settings, reporting_tag)
        reply = self._transport.request("POST", PATH, json=request.checked().to_wire(), headers=headers)
        return read(reply, VoiceSession.from_wire)

    def reconnect(self, token: Secret) -> VoiceSession:
        """Ask for a new token for a session whose stream broke, with its last `token`, which is used up by this."""
        check("token", token, Secret, "the token of a session, a Secret")
        outcome = self._answered(token)
        if isinstance(outcome, Reply):
            return read(outcome, VoiceSession.from_wire)
        raise outcome

    def _answered(self, token: Secret) -> Reply | BaseException:
        """What came of it; raised from here, an error would bring frames along in which the token can be read."""
        try:
            return self._transport.request("GET", PATH, params={"token": token.reveal()})
        except SvcError as problem:
            problem.message = token.hide(problem.message)
            problem.detail = problem.detail and token.hide(problem.detail)
            problem.args = (problem.message,)
            return problem.with_traceback(None)
        except BaseException as problem:
            return problem.with_traceback(None)
