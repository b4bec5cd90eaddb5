"""Voice: the request for a session, whose stream is not handled here, and the spoken terms that it can name."""

from collections.abc import Iterable
from typing import Any

from svc_nb.errors import SvcError
from svc_nb.secret import Secret
from svc_nb.wire.client.resource import CollectionClient, ResourceClient, check, read, segment, several, tagged
from svc_nb.wire.models import SpokenTerms, TermList, TermListInfo, VoiceRequest, VoiceSession

SESSIONS = "/v3/voice/realtime"
A_LIST = "a TermList"
ENTRIES = r'text, one term a line, such as "Kubernetes\nBrötchen"'


class Voice(ResourceClient):
    """Sessions for live speech: the service answers with an address, `{streaming_url}?token=...`, that works once."""

    def session(self, request: VoiceRequest, reporting_tag: str | None = None) -> VoiceSession:
        """Request a session.

        The minutes are reported under *reporting_tag*, or under the one in the settings: the stream carries no headers,
        so a session has one tag.
        """
        check("request", request, VoiceRequest, "a VoiceRequest")
        headers = tagged(self._transport.settings, reporting_tag)
        return self._ask(VoiceSession.from_wire, "POST", SESSIONS, json=request.checked().to_wire(), headers=headers)

    def reconnect(self, token: Secret) -> VoiceSession:
        """Request a new token for a session whose stream broke, with its last `token`, which then becomes invalid."""
        check("token", token, Secret, "the token of a session, a Secret")
        try:
            reply = self._transport.request("GET", SESSIONS, params={"token": token.reveal()})
        except BaseException as problem:
            if isinstance(problem, SvcError):
                problem.message = token.hide(problem.message)
                problem.detail = problem.detail and token.hide(problem.detail)
                problem.args = (problem.message,)
            # Raised later, without its frames, which contain the token.
            failed = problem.with_traceback(None)
        else:
            return read(reply, VoiceSession.from_wire)
        raise failed


class SpokenTermCollections(CollectionClient[SpokenTerms]):
    """Collections of spoken terms, which a voice session names by their id."""

    _path, _noun, _member = "/v3/spoken-terms", SpokenTerms, "spoken_terms"

    def get(self, spoken_terms_id: str) -> SpokenTerms:
        """Return one collection, without its terms."""
        return self._get(spoken_terms_id)

    def delete(self, spoken_terms_id: str) -> None:
        """Delete a collection with all its lists, for good."""
        self._delete(spoken_terms_id)

    def create(self, name: str, term_lists: Iterable[TermList], *, tries: int | None = None) -> SpokenTerms:
        """Create a collection with a list for each of its languages.

        *tries* is how often to send the request at most; if an answer is lost, a retry creates a second collection.
        """
        listed = several("term_lists", term_lists, TermList, A_LIST)
        body = {"name": name, "term_lists": [_written(each) for each in listed]}
        return self._one("POST", "", body, tries=tries)

    def update(
        self, spoken_terms_id: str, *, name: str | None = None, term_lists: Iterable[TermList] = ()
    ) -> SpokenTerms:
        """Rename a collection, merge terms into its lists, or both; existing terms stay."""
        listed = several("term_lists", term_lists, TermList, A_LIST)
        named = {} if name is None else {"name": name}
        merged = {"term_lists": [_written(each) for each in listed]} if listed else {}
        return self._one("PATCH", f"/{segment(spoken_terms_id)}", {**named, **merged})

    def entries(self, spoken_terms_id: str, lang: str) -> TermList:
        """Return the terms of one language."""
        path = f"{self._path}/{segment(spoken_terms_id)}/entries"
        return self._ask(TermList.from_wire, "GET", path, params={"lang": lang})

    def replace_list(self, spoken_terms_id: str, term_list: TermList) -> TermListInfo:
        """Replace the list of the language with *term_list*, or add it."""
        path = f"{self._path}/{segment(spoken_terms_id)}/term-lists"
        return self._ask(TermListInfo.from_wire, "PUT", path, json=_written(term_list))

    def delete_list(self, spoken_terms_id: str, lang: str) -> None:
        """Delete the list of one language, for good."""
        path = f"{self._path}/{segment(spoken_terms_id)}/term-lists"
        self._transport.request("DELETE", path, params={"lang": lang})


def _written(term_list: TermList) -> dict[str, Any]:
    check("term_list", term_list, TermList, A_LIST)
    check("entries", term_list.entries, str, ENTRIES)
    return term_list.to_wire()
