"""Texts: translate, rephrase, correct."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from svc_nb.client.wire import check, read_answers, texts_of
from svc_nb.errors import warn as warn_caller
from svc_nb.models import Improvement, TranslateOptions, Translation
from svc_nb.transport import Transport

NO_OPTIONS = TranslateOptions()
OPTIONS = "TranslateOptions (or its fields by name: formality=, glossary_id=, ...)"
PSEUDO = "pseudo"

ONLY_MARKED = (
    "{0} to {1}: no translator for that is installed, so the texts were only marked with the language. "
    "Install Apertium with the pair, or svc-nb[offline] and a model folder in SVC_MODEL_DIR, or connect to a "
    "service that translates."
)


class MarkedOnly(UserWarning):
    """Texts were not translated but only marked with the target language, for want of a translator."""


class Text:
    """The operations on texts; each answers with one result per text, in the order of the texts."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._warned: set[tuple[str, str]] = set()

    def translate(
        self,
        texts: Iterable[str],
        target_lang: str,
        *,
        options: TranslateOptions = NO_OPTIONS,
        reporting_tag: str | None = None,
        tries: int | None = None,
        warn: bool = True,
        **fields: Any,
    ) -> list[Translation]:
        """Translate *texts* into *target_lang*; one Translation per text, in their order.

        Parameters
        ----------
        texts
            A list of texts; the service takes up to 50 at once.
        target_lang
            The code of the language to translate into, in any case: "DE", "en-US".
        options
            What else shapes the translation; *fields* (source_lang=, formality=, glossary_id=, ...)
            override it.
        reporting_tag
            The tag to book the characters under, in place of the one in the settings.
        tries
            How often to send the request at most, in place of the setting; 1 raises every refusal.
        warn
            Whether to warn at all.

        Warns with MarkedOnly, once for a language pair, when the embedded service had no translator for it.
        """
        sent = texts_of(texts)
        check("options", options, TranslateOptions, OPTIONS)
        reply = self._transport.request(
            "POST",
            "/v2/translate",
            json=translate_body(sent, target_lang, replace(options, **fields)),
            headers=self._tag(reporting_tag),
            tries=tries,
        )
        translations = read_answers(reply, "translations", Translation, sent=len(sent))
        if warn:
            marked = [each for each in translations if each.model_type_used == PSEUDO]
            self.warn_of_marks((each.detected_source_language, target_lang) for each in marked)
        return translations

    def rephrase(
        self,
        texts: Iterable[str],
        *,
        target_lang: str | None = None,
        writing_style: str | None = None,
        tone: str | None = None,
        tries: int | None = None,
    ) -> list[Improvement]:
        """Put *texts* into better words; without *target_lang* each one stays in its own language."""
        styles = {"target_lang": target_lang, "writing_style": writing_style, "tone": tone}
        return self._improve("/v2/write/rephrase", texts, styles, tries)

    def correct(
        self, texts: Iterable[str], *, target_lang: str | None = None, tries: int | None = None
    ) -> list[Improvement]:
        """Correct spelling and grammar of *texts* and change nothing else."""
        return self._improve("/v2/write/correct", texts, {"target_lang": target_lang}, tries)

    def _improve(
        self, path: str, texts: Iterable[str], styles: dict[str, str | None], tries: int | None
    ) -> list[Improvement]:
        sent = texts_of(texts)
        reply = self._transport.request("POST", path, json=improve_body(sent, styles), tries=tries)
        return read_answers(reply, "improvements", Improvement, sent=len(sent))

    def warn_of_marks(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Warn with MarkedOnly of language *pairs* whose texts were only marked: once of each, and in one line."""
        new = {(source.upper(), target.upper()) for source, target in pairs} - self._warned
        self._warned |= new
        for target in sorted({target for _, target in new}):
            sources = ", ".join(sorted(source for source, other in new if other == target))
            warn_caller(MarkedOnly(ONLY_MARKED.format(sources, target)))

    def _tag(self, reporting_tag: str | None) -> dict[str, str]:
        settings = self._transport.settings
        tag = settings.reporting_tag if reporting_tag is None else reporting_tag
        return {settings.tag_header: tag.strip()} if tag else {}


def translate_body(texts: list[str], target_lang: str, options: TranslateOptions) -> dict[str, Any]:
    """The body of a request that translates *texts*."""
    return {"text": texts, "target_lang": target_lang, "show_billed_characters": True, **options.to_wire()}


def improve_body(texts: list[str], styles: Mapping[str, str | None]) -> dict[str, Any]:
    """The body of a request that rephrases or corrects *texts*."""
    return {"text": texts, **{name: value for name, value in styles.items() if value is not None}}
