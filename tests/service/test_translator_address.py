"""The address of a service that somebody runs: what is read, and what is refused without repeating a secret."""

from __future__ import annotations

import traceback

import pytest

from svc_nb.service.translators import installed
from svc_nb.service.translators.address import Address, Key


def parsed(text: str, **environ: str) -> Address:
    return Address.parse(text, environ, has_model=text.startswith("openai"))


def test_an_address_has_its_options_and_its_model() -> None:
    found = parsed("openai:https://host:8443/v1/?languages=de+EN&timeout=300&key=MY_KEY#org/llama3:8b", MY_KEY="s3cret")
    assert (found.kind, str(found), found.model) == ("openai", "https://host:8443/v1", "org/llama3:8b")
    assert (found.languages, found.timeout) == ({"de", "en"}, 300.0)
    assert found.key
    assert found.key.reveal() == "s3cret"
    assert "s3cret" not in f"{found!r} {found} {found.key!r} {found.key}"


@pytest.mark.parametrize(
    ("host", "here"), [("localhost", True), ("127.0.0.1", True), ("[::1]", True), ("192.168.1.5", False)]
)
def test_it_is_known_whether_texts_leave_this_machine(host: str, here: bool) -> None:
    assert parsed(f"libretranslate:http://{host}:5000").is_loopback is here


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("libretranslate:", r"cannot be read. Write it like libretranslate:http://localhost:5000\."),
        ("libretranslate:localhost:5000", "cannot be read"),
        ("libretranslate:ftp://localhost", "cannot be read"),
        ("libretranslate:http://local host", "cannot be read"),
        ("libretranslate:http://localhost:99999", "cannot be read"),
        ("libretranslate:http://localhost#llama3", "no model to choose"),
        ("openai:http://localhost/v1", r"names no model .*http://localhost:11434/v1#llama3\."),
        ("openai:http://localhost/v1#llama3?timeout=3", "names no model that can be used"),
        ("openai:http://localhost/v1?timeout=0#a", "whole seconds from 1 to 3600"),
        ("openai:http://localhost/v1?timeout=forever#a", "whole seconds from 1 to 3600"),
        ("openai:http://localhost/v1?languages=de#a", "needs at least two languages"),
        ("openai:http://localhost/v1?languages=de+tlh#a", "'tlh', which there is not"),
        ("openai:http://localhost/v1?key=NOT_SET#a", "environment variable NOT_SET .*but it is not set"),
        ("openai:http://192.168.1.5/v1?key=MY_KEY#a", "over plain http"),
        ("openai:https://host/v1?key=SPACED#a", "from SPACED, which has spaces"),
    ],
)
def test_what_cannot_be_used_is_refused_with_what_to_do(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=f"^The address of the translator '(openai|libretranslate)' .*{said}"):
        parsed(text, MY_KEY="secret", SPACED="a b")


@pytest.mark.parametrize(
    "text",
    [
        "openai:http://me:s3cret@localhost/v1#a",
        "openai:http://s3cret@localhost/v1#a",
        "openai:http://localhost/v1?key=sk-s3cret#a",
        "openai:http://localhost/v1?api_key=s3cret#a",
        "openai:http://localhost/v1?s3cret#a",
        "https://me:s3cret@localhost/v1",
    ],
)
def test_a_secret_in_an_address_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(ValueError, match="translator") as refused:
        installed([text])
    assert "s3cret" not in "".join(traceback.format_exception(refused.value))


def test_a_key_is_hidden_wherever_it_is_quoted() -> None:
    assert Key("s3cret").hide("Bad key s3cret.") == "Bad key ****."
