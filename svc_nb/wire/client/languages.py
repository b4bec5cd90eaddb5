"""The languages that the service knows, and what it can do in each."""

from collections.abc import Sequence

from svc_nb.wire.client.resource import ResourceClient, listing, several
from svc_nb.wire.models import Language, LanguageSupport, Resource


class Languages(ResourceClient):
    """Languages by resource (v3), and the plain lists of source and target languages (v2)."""

    def source(self) -> list[Language]:
        """Return the languages that can be translated from."""
        return self._plain("source")

    def target(self) -> list[Language]:
        """Return the languages that can be translated into."""
        return self._plain("target")

    def support(self, resource: str, *, include: Sequence[str] = (), tries: int | None = None) -> list[LanguageSupport]:
        """Return what *resource* ("translate_text", "glossary", ...) can do in each language.

        *include* may add "beta" and "external" to the stable ones. *tries* replaces the setting.
        """
        params = {"resource": resource, "include": several("include", include, str, "a string")}
        return self._ask(listing(LanguageSupport.from_wire), "GET", "/v3/languages", params=params, tries=tries)

    def resources(self) -> list[Resource]:
        """Return the resources that `support` can be asked for, with their features."""
        return self._ask(listing(Resource.from_wire), "GET", "/v3/languages/resources")

    def _plain(self, side: str) -> list[Language]:
        return self._ask(listing(Language.from_wire), "GET", "/v2/languages", params={"type": side})
