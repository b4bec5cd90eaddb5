"""Typed methods for every operation of the service, grouped by resource.

client = Client(transport)
client.text.translate(["Guten Tag"], "EN-GB")[0].text      # 'Hello'
"""

from svc_nb.signatures import hides
from svc_nb.wire.client.admin import UNSET, Account, Admin
from svc_nb.wire.client.documents import Documents
from svc_nb.wire.client.glossaries import Glossaries
from svc_nb.wire.client.ignored_options import IgnoredOptions
from svc_nb.wire.client.memories import Memories
from svc_nb.wire.client.style_rules import StyleRules
from svc_nb.wire.client.text import LanguageDetection, Languages, Text
from svc_nb.wire.client.voice import SpokenTermCollections, Voice
from svc_nb.wire.transport import Transport

__all__ = ["UNSET", "Client"]


@hides("transport", "ignored_options")
class Client:
    """The service as Python methods: arguments and results are values, and failures raise an SvcError.

    The client checks little by itself, because the service knows its limits. Only arguments that cannot be written as a
    request are refused here, with a TypeError or a ValueError. Language codes and option values are passed on
    unchanged. Creations are retried like everything else, so if an answer is lost, a resource may exist twice, and a
    deletion may end in NotFound.

    `ignored_options` records which options the service accepted without following them.
    """

    def __init__(self, transport: Transport) -> None:
        self.transport = transport
        self.ignored_options = IgnoredOptions()
        self.text = Text(transport, self.ignored_options)
        self.detection = LanguageDetection(transport)
        self.documents = Documents(transport, self.ignored_options)
        self.glossaries = Glossaries(transport)
        self.memories = Memories(transport)
        self.style_rules = StyleRules(transport)
        self.spoken_terms = SpokenTermCollections(transport)
        self.voice = Voice(transport)
        self.languages = Languages(transport)
        self.account = Account(transport)
        self.admin = Admin(transport)

    def close(self) -> None:
        """Close all connections; every further operation raises Closed."""
        self.transport.close()

    def __repr__(self) -> str:
        return f"Client({self.transport!r})"
