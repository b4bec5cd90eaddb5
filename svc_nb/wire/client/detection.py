"""Language detection."""

from collections.abc import Iterable

from svc_nb.wire.client.wire import read_answers, texts_of
from svc_nb.wire.models import Detection
from svc_nb.wire.transport import Transport


class LanguageDetection:
    """The operation that finds out which language a text is in."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def detect(self, texts: Iterable[str], *, tries: int | None = None) -> list[Detection]:
        """Detect the language of each of *texts*; one Detection per text, in their order.

        The service takes up to 50 texts at once. *tries* replaces the setting; 1 raises every refusal.
        """
        sent = texts_of(texts)
        reply = self._transport.request("POST", "/v3/detect/language", json={"text": sent}, tries=tries)
        return read_answers(reply, "results", Detection, sent=len(sent))
