"""Where a service is that someone runs, as people write it: `openai:http://localhost:11434/v1?languages=de+en#llama3`.

The first word is the kind of service, then comes its address, with options after `?` and the model after `#`. A key
never stands in it: `key=NAME` names the environment variable that holds it.
"""

import ipaddress
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from ..catalogue import languages

SECONDS = 120.0
LONGEST_SECONDS = 3600.0
OPTIONS = ("key", "languages", "timeout")

_MODEL = re.compile(r"[\w./:@+-]{1,100}", re.ASCII)
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")


class Key:
    """A key that shows in no repr; only `reveal` gives it away."""

    __slots__ = ("__value",)

    def __init__(self, value: str) -> None:
        self.__value = value

    def reveal(self) -> str:
        """Give it away; call it only where it leaves the process."""
        return self.__value

    def hide(self, text: str) -> str:
        """Return *text* with stars for each copy of it."""
        return text.replace(self.__value, "****")

    def __repr__(self) -> str:
        return "****"


@dataclass(frozen=True, slots=True)
class Address:
    """Where a service is: *url* has no slash at its end, an answer may take *timeout* seconds.

    With *languages*, which are codes of languages without variant, it is asked for these only.
    """

    kind: str
    url: str
    model: str = ""
    key: Key | None = None
    languages: frozenset[str] = frozenset()
    timeout: float = SECONDS

    def __str__(self) -> str:
        return self.url

    @property
    def is_loopback(self) -> bool:
        """Whether it is on this machine, so that no text leaves it."""
        return _is_loopback(urlsplit(self.url).hostname or "")

    @classmethod
    def parse(cls, text: str, environ: Mapping[str, str], *, has_model: bool) -> "Address":
        """Read *text*, with its key from *environ*. ValueError says what is wrong, and repeats nothing secret."""
        kind, _, url = text.partition(":")
        example = f"{kind}:http://localhost:11434/v1#llama3" if has_model else f"{kind}:http://localhost:5000"
        try:
            parts = _parts(url, example)
            options = dict(parse_qsl(parts.query, keep_blank_values=True))
            if any(name not in OPTIONS for name in options):
                raise ValueError(f"has an unknown option. There are {', '.join(OPTIONS)}.")
            model = unquote(parts.fragment)
            if model and not has_model:
                raise ValueError(f"has a '#', but there is no model to choose. Write it like {example}.")
            if has_model and not _MODEL.fullmatch(model):
                raise ValueError(f"names no model that can be used. Write it at the end, like {example}.")
            if "key" in options and parts.scheme == "http" and not _is_loopback(parts.hostname or ""):
                raise ValueError("would send its key over plain http, for everyone on the way to read. Use https.")
            return cls(
                kind,
                f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}",
                model,
                _key(options["key"], environ) if "key" in options else None,
                _languages(options["languages"]) if "languages" in options else frozenset(),
                _seconds(options["timeout"]) if "timeout" in options else SECONDS,
            )
        except ValueError as problem:
            raise ValueError(f"The address of the translator '{kind}' {problem}") from None


def _parts(url: str, example: str) -> SplitResult:
    try:
        parts = urlsplit(url if re.fullmatch("[!-~]+", url) else "")
        is_whole = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        is_whole = False
    if not is_whole:
        raise ValueError(f"cannot be read. Write it like {example}.")
    if "@" in parts.netloc:
        raise ValueError(
            "has a user name or password in it. Put the key into an environment variable, and name that variable at "
            "the end of the address: ?key=NAME."
        )
    return parts


def _key(name: str, environ: Mapping[str, str]) -> Key:
    if not _VARIABLE.fullmatch(name):  # it may be the key itself, so it is not repeated
        raise ValueError("takes as key= the name of an environment variable, in capitals, and not the key itself.")
    if not (value := environ.get(name)):
        raise ValueError(f"names the environment variable {name} for its key, but it is not set. Set it first.")
    if not re.fullmatch("[!-~]+", value):
        raise ValueError(f"takes its key from {name}, which has spaces or special letters in it. Copy the key again.")
    return Key(value)


def _languages(text: str) -> frozenset[str]:
    codes = frozenset(map(languages.normalise, text.split()))
    if unknown := sorted(codes - languages.SOURCES):
        raise ValueError(f"names the language {unknown[0]!r}, which there is not. Write codes like languages=de+en+fr.")
    if len(codes) < 2:
        raise ValueError("needs at least two languages. Write codes like languages=de+en+fr.")
    return codes


def _seconds(text: str) -> float:
    if not re.fullmatch(r"\d{1,4}", text) or not 1 <= int(text) <= LONGEST_SECONDS:
        raise ValueError(f"takes as timeout= whole seconds from 1 to {LONGEST_SECONDS:.0f}.")
    return float(text)


def _is_loopback(host: str) -> bool:
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host.lower() == "localhost"
