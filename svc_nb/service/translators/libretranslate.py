"""LibreTranslate: `libretranslate:http://localhost:5000`, the languages that it has, and a list of texts at once."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..catalogue import languages, read
from . import TextFailed, TranslatorFailed
from .address import Address
from .exchange import Exchange, KeyInBody, Rejected
from .remote import PARALLEL, Remote

LANGUAGES_SECONDS = 10.0
_CODES: dict[str, str] = read("language_codes.json")
_OWN_NAMES = {"zh-hans": "zh"}  # plain Chinese is simplified here


def at(text: str, environ: Mapping[str, str]) -> Remote:
    """Return the engine for the address *text*; ValueError where it cannot be read."""
    return Remote(LibreTranslate(Address.parse(text, environ, has_model=False)))


class LibreTranslate:
    """What LibreTranslate takes."""

    name = "libretranslate"
    most_texts = 50
    most_characters = 10_000

    def __init__(self, address: Address) -> None:
        self.address = address
        self._title = f"{self.name} at {address}"
        self._exchange = Exchange(address, self._title, KeyInBody(address), connections=PARALLEL)

    def pairs(self) -> Mapping[tuple[str, str], tuple[str, str]]:
        """The pairs that it lists, with its own codes; one that lists no targets has each language in all others."""
        try:
            listed = self._exchange.get("/languages", timeout=LANGUAGES_SECONDS)
        except Rejected as error:
            raise TranslatorFailed(f"{self._title} {error}. Check its address.") from None
        found = dict(self._listed(listed))
        if not found:
            raise TranslatorFailed(f"{self._title} lists no languages to translate between. Check its address.")
        return found

    def _listed(self, listed: Any) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
        languages_ = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
        own = [each["code"] for each in languages_ if isinstance(each.get("code"), str)]
        for each in languages_:
            of, targets = each.get("code"), each.get("targets", own)
            if not isinstance(of, str) or not isinstance(targets, list):
                continue
            for to in targets:
                pair = (_code(of), _code(to)) if isinstance(to, str) else ("", "")
                wanted = self.address.languages or {languages.base(code) for code in pair}
                if pair[0] != pair[1] and {languages.base(code) for code in pair} <= wanted:
                    yield pair, (of, to)

    def ask(self, texts: Sequence[str], source: str, target: str) -> list[str | TextFailed]:
        """Translate all texts at once; one at a time where that is refused, or has the wrong number of answers."""
        problem = ""
        try:
            answers = self._translated(texts, source, target)
        except Rejected as error:
            problem = str(error)
        else:
            if answers is not None:
                return [
                    answer.strip() or TextFailed(f"{self.name} answered a text with nothing.") for answer in answers
                ]
            problem = "answered something else than one translation"
        if len(texts) == 1:
            return [TextFailed(f"{self.name} {problem} for a text.")]
        return [answer for text in texts for answer in self.ask([text], source, target)]

    def _translated(self, texts: Sequence[str], source: str, target: str) -> list[str] | None:
        """The answers; None if they are not one text for each."""
        body = {"q": list(texts), "source": source, "target": target, "format": "text"}
        made = self._exchange.post("/translate", body)
        answers = made.get("translatedText") if isinstance(made, dict) else None
        fits = (
            isinstance(answers, list) and len(answers) == len(texts) and all(isinstance(each, str) for each in answers)
        )
        return answers if fits else None

    def close(self) -> None:
        """Let the connections go."""
        self._exchange.close()


def _code(code: str) -> str:
    """The code that the embedded service has for one of LibreTranslate's."""
    own = languages.normalise(code)
    own = _CODES.get(own, own)
    return _OWN_NAMES.get(own, own)
