"""Texts: translate, rephrase and correct them, and detect their languages; and the languages of the service."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from svc_nb.advice import plural
from svc_nb.errors import warn as warn_caller
from svc_nb.language_codes import base_code
from svc_nb.marked import PSEUDO, warn_of_marks
from svc_nb.signatures import hides
from svc_nb.wire import models
from svc_nb.wire.client.ignored_options import IgnoredOptions, ignored_in
from svc_nb.wire.client.resource import ResourceClient, check, listing, read_answers, read_rows, several, tagged
from svc_nb.wire.models import Detection, TranslateOptions, Translation
from svc_nb.wire.transport import Reply, Transport

NO_OPTIONS = TranslateOptions()
OPTIONS = "TranslateOptions (or its fields by name: formality=, glossary_id=, ...)"
MECHANICAL = "mechanical"
# Requests the name of the model with every answer. A service that does not know the preference ignores it.
SAY_MODEL = {"Prefer": "model_type_used"}

ONLY_TIDIED = {
    "rephrase": "{0}: the service cannot rephrase, so the texts were only corrected. Connect to a "
    "service that rephrases.",
    "correct": "{0}: the service has no word list for it, so only spaces, doubled words and capitals were corrected. "
    "Connect to a service that can correct it.",
}


class TidiedOnly(UserWarning):
    """Texts were only corrected instead of rephrased, or only partly corrected, because the service cannot do more."""


class Echo:
    """Whether this service's answers repeat the question; if so, an answer that does not match is another request's."""

    def __init__(self) -> None:
        self._counts_characters = False
        self._languages: set[str] = set()

    def check(self, reply: Reply, rows: Sequence[Any], texts: Sequence[str], options: TranslateOptions) -> None:
        """Raise BadReply if *rows* cannot be the answers to *texts*."""
        if not (options.tag_handling or options.style_id or options.custom_instructions):
            lengths = list(map(len, texts))
            billed = [row.billed_characters for row in rows]
            if billed == lengths:
                self._counts_characters = self._counts_characters or any(lengths)
            elif self._counts_characters:
                others = sum(said not in (None, 0, length) for said, length in zip(billed, lengths, strict=True))
                if others > len(rows) / 2:
                    raise reply.bad("Expected the characters of these texts, found those of others")
        if source := base_code(options.source_lang or ""):
            found = {*map(base_code, {row.detected_source_language for row in rows})}
            if found == {source}:
                self._languages.add(source)
            elif source in self._languages and source not in found:
                raise reply.bad(f"Expected answers to texts in {source}, found those to others")


@hides("translated_rows", "warn_of_tidying")
class Text(ResourceClient):
    """The operations on texts; each answers with one result per text, in the order of the texts."""

    def __init__(self, transport: Transport, ignored: IgnoredOptions) -> None:
        super().__init__(transport)
        self._ignored = ignored
        self._warned: set[tuple[str, str]] = set()
        self._warned_of_tidying: set[tuple[str, str]] = set()
        self._echo = Echo()

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
            A list of texts; the service accepts up to 50 at once.
        target_lang
            The code of the target language, in upper or lower case: "DE", "en-US".
        options
            Other options of the translation; *fields* (source_lang=, formality=, glossary_id=, ...) override them.
        reporting_tag
            The tag under which the service reports the characters, instead of the one in the settings.
        tries
            How often to send the request at most, instead of the setting; 1 raises every refusal.
        warn
            Whether to warn at all.

        Warns with MarkedOnly, once per language pair, if the embedded service has no translator for it, and with
        OptionsIgnored, once per option, if its translators cannot follow one.
        """
        sent = several("texts", texts, str, "a string")
        check("options", options, TranslateOptions, OPTIONS)
        asked = replace(options, **fields)
        reply = self._ask_to_translate(sent, target_lang, asked, reporting_tag, tries)
        ignored = ignored_in(reply)
        translations = read_answers(reply, "translations", Translation, sent=len(sent), ignored_options=ignored)
        self._echo.check(reply, translations, sent, asked)
        if warn:
            self._ignored.hear(ignored)
            self._ignored.warn()
            marked = [each for each in translations if each.model_type_used == PSEUDO]
            pairs = {(each.detected_source_language.upper(), target_lang.upper()) for each in marked}
            if not pairs <= self._warned:
                self._warned |= pairs
                warn_of_marks(pairs, f"{len(marked):,} of {plural(len(sent), 'text')}")
        return translations

    def translated_rows(
        self, texts: list[str], target_lang: str, *, options: TranslateOptions, reporting_tag: str | None = None
    ) -> tuple[list[Any], str | None, tuple[str, ...]]:
        """Like `translate` with one try, but faster: bare structs, their trace id and the ignored options."""
        reply = self._ask_to_translate(texts, target_lang, options, reporting_tag, 1)
        rows = read_rows(reply, "translations", Translation, sent=len(texts))
        self._echo.check(reply, rows, texts, options)
        return rows, reply.trace_id, ignored_in(reply)

    def _ask_to_translate(
        self,
        texts: list[str],
        target_lang: str,
        options: TranslateOptions,
        reporting_tag: str | None,
        tries: int | None,
    ) -> Reply:
        return self._transport.request(
            "POST",
            "/v2/translate",
            json=translate_body(texts, target_lang, options),
            headers={**SAY_MODEL, **tagged(self._transport.settings, reporting_tag)},
            tries=tries,
        )

    def rephrase(
        self,
        texts: Iterable[str],
        *,
        target_lang: str | None = None,
        writing_style: str | None = None,
        tone: str | None = None,
        reporting_tag: str | None = None,
        tries: int | None = None,
        warn: bool = True,
    ) -> list[models.Improvement]:
        """Rephrase *texts*; without *target_lang* each one stays in its own language.

        The characters are reported under *reporting_tag*, or under the one in the settings. Warns with TidiedOnly, once
        per language, if the embedded service could only correct the texts, and with OptionsIgnored, once each, about a
        style and a tone that it could not follow.
        """
        styles = {"target_lang": target_lang, "writing_style": writing_style, "tone": tone}
        return self._improve("rephrase", texts, styles, reporting_tag, tries, warn)

    def correct(
        self,
        texts: Iterable[str],
        *,
        target_lang: str | None = None,
        reporting_tag: str | None = None,
        tries: int | None = None,
        warn: bool = True,
    ) -> list[models.Improvement]:
        """Correct spelling and grammar of *texts* and change nothing else.

        The characters are reported under *reporting_tag*, or under the one in the settings. Warns with TidiedOnly, once
        per language, if the embedded service has no word list for it.
        """
        return self._improve("correct", texts, {"target_lang": target_lang}, reporting_tag, tries, warn)

    def _improve(
        self,
        operation: str,
        texts: Iterable[str],
        styles: dict[str, str | None],
        reporting_tag: str | None,
        tries: int | None,
        warn: bool,
    ) -> list[models.Improvement]:
        sent = several("texts", texts, str, "a string")
        body = improve_body(sent, styles)
        headers = {**SAY_MODEL, **tagged(self._transport.settings, reporting_tag)}
        reply = self._transport.request("POST", f"/v2/write/{operation}", json=body, headers=headers, tries=tries)
        ignored = ignored_in(reply)
        made = read_answers(reply, "improvements", models.Improvement, sent=len(sent), ignored_options=ignored)
        if warn:
            self._ignored.hear(ignored)
            self._ignored.warn()
            tidied = (each.detected_source_language for each in made if each.model_type_used == MECHANICAL)
            self.warn_of_tidying(operation, tidied)
        return made

    def warn_of_tidying(self, operation: str, languages: Iterable[str]) -> None:
        """Warn with TidiedOnly about *languages* in which less was done than requested: once each, in one line."""
        new = {(operation, language.upper()) for language in languages} - self._warned_of_tidying
        self._warned_of_tidying |= new
        if new:
            named = ", ".join(sorted(language for _, language in new))
            warn_caller(TidiedOnly(ONLY_TIDIED[operation].format(named)))


def translate_body(texts: list[str], target_lang: str, options: TranslateOptions) -> dict[str, Any]:
    """The body of a request that translates *texts*."""
    return {"text": texts, "target_lang": target_lang, "show_billed_characters": True, **options.to_wire()}


def improve_body(texts: list[str], styles: Mapping[str, str | None]) -> dict[str, Any]:
    """The body of a request that rephrases or corrects *texts*."""
    return {"text": texts, **{name: value for name, value in styles.items() if value is not None}}


class LanguageDetection(ResourceClient):
    """The operation that detects the language of a text."""

    def detect(self, texts: Iterable[str], *, tries: int | None = None) -> list[Detection]:
        """Detect the language of each of *texts*; one Detection per text, in their order.

        The service accepts up to 50 texts at once. *tries* replaces the setting; 1 raises every refusal.
        """
        sent = several("texts", texts, str, "a string")
        reply = self._transport.request("POST", "/v3/detect/language", json={"text": sent}, tries=tries)
        return read_answers(reply, "results", Detection, sent=len(sent))


class Languages(ResourceClient):
    """Languages by resource (v3), and the plain lists of source and target languages (v2)."""

    def source(self) -> list[models.Language]:
        """Return the languages that can be translated from."""
        return self._plain("source")

    def target(self) -> list[models.Language]:
        """Return the languages that can be translated into."""
        return self._plain("target")

    def support(
        self, resource: str, *, include: Sequence[str] = (), tries: int | None = None
    ) -> list[models.LanguageSupport]:
        """Return what *resource* ("translate_text", "glossary", ...) can do in each language.

        *include* may add "beta" and "external" to the stable ones. *tries* replaces the setting.
        """
        params = {"resource": resource, "include": several("include", include, str, "a string")}
        return self._ask(listing(models.LanguageSupport.from_wire), "GET", "/v3/languages", params=params, tries=tries)

    def resources(self) -> list[models.Resource]:
        """Return the resources that `support` accepts, with their features."""
        return self._ask(listing(models.Resource.from_wire), "GET", "/v3/languages/resources")

    def _plain(self, side: str) -> list[models.Language]:
        return self._ask(listing(models.Language.from_wire), "GET", "/v2/languages", params={"type": side})
