"""The languages that the service knows, and what it can do in each."""

from collections.abc import Sequence

from svc_nb.wire.client.wire import listing, read, several
from svc_nb.wire.models import Language, LanguageSupport, Resource
from svc_nb.wire.transport import Transport


class Languages:
    """Languages by resource (v3), and the plain lists of source and target languages (v2)."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def source(self) -> list[Language]:
        """Return the languages that can be translated from."""
        return self._plain("source")

    def target(self) -> list[Language]:
        """Return the languages that can be translated into."""
        return self._plain("target")

    def support(
        self, resource: str, *, include: Sequence[str] = (), tries: int | None = None
    ) -> list[LanguageSupport]:
        """Return what *resource* ("translate_text", "glossary", ...) can do in each language.

        *include* may add "beta" and "external" to the stable ones. *tries* replaces the setting.
        """
        params = {"resource": resource, "include": several("include", include, str, "a string")}
        reply = self._transport.request("GET", "/v3/languages", params=params, tries=tries)
        return read(reply, listing(LanguageSupport.from_wire))

    def resources(self) -> list[Resource]:
        """Return the resources that `support` can be asked for, with their features."""
        return read(self._transport.request("GET", "/v3/languages/resources"), listing(Resource.from_wire))

    def _plain(self, side: str) -> list[Language]:
        reply = self._transport.request("GET", "/v2/languages", params={"type": side})
        return read(reply, listing(Language.from_wire))
