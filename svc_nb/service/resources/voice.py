"""Voice sessions: a request for one is checked and answered with a token, good once; no audio is streamed here."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from ..catalogue import languages, read
from ..ledger import SPEECH
from ..operations import KIB, Call, Nothing, Operations
from ..problems import Problem, bad_request, unsupported
from . import spoken_terms
from .texts import reporting_tag

operations = Operations()
PATH = "/v3/voice/realtime"
STREAM = f"{PATH}/connect"

SOURCE_MEDIA, TARGET_MEDIA = (frozenset(read("voice_media.json")[side]) for side in ("source", "target"))
SOURCES = languages.RESOURCES["voice"].sources
TARGETS = languages.RESOURCES["voice"].targets
SPOKEN = next(each.languages for each in languages.RESOURCES["voice"].features if each.name == "translated_speech")


class VoiceBody(Struct):
    """What is to be heard, and what is to become of it."""

    source_media_content_type: str
    message_format: Literal["json", "msgpack"] = "json"
    source_language: str = ""
    source_language_mode: Literal["auto", "fixed"] = "auto"
    target_languages: Annotated[list[str], Meta(max_length=5)] = []
    target_media_languages: Annotated[list[str], Meta(max_length=1)] = []
    target_media_content_type: str = "audio/webm;codecs=opus"
    target_media_voice: Literal["male", "female"] | None = None
    spoken_terms_id: str | None = None
    glossary_id: str | None = None
    glossary_ids: Annotated[list[str], Meta(max_length=5)] = []
    formality: Literal["default", "formal", "more", "informal", "less"] = "default"


class VoiceQuery(Struct):
    """The token of a session."""

    token: str


class VoiceAnswer(Struct):
    """Where the stream is, and what opens it, once."""

    streaming_url: str
    token: str
    session_id: str


@operations.add("POST", PATH, scope=None, limit=64 * KIB)
def begin(call: Call[VoiceBody, Nothing]) -> VoiceAnswer:
    """Ask for a voice session: the address of its stream, and a token that opens it once."""
    call.refuse_free()
    reporting_tag(call.headers)
    body = call.body
    for name, known in (("source_media_content_type", SOURCE_MEDIA), ("target_media_content_type", TARGET_MEDIA)):
        if "".join(getattr(body, name).lower().split()) not in known:
            raise unsupported(name, f"There are {', '.join(sorted(known))}.")
    _check_languages("source_language", [body.source_language] if body.source_language else [], SOURCES)
    if body.source_language_mode == "fixed" and not body.source_language:
        raise bad_request("The source_language_mode 'fixed' requires the source_language parameter.")
    _check_languages("target_languages", body.target_languages, TARGETS)
    _check_languages("target_media_languages", body.target_media_languages, SPOKEN)
    if body.glossary_id is not None and body.glossary_ids:
        raise bad_request("Use either glossary_id or glossary_ids, not both.")
    try:
        for glossary_id in [*body.glossary_ids, *([] if body.glossary_id is None else [body.glossary_id])]:
            call.state.glossaries.get(glossary_id)
        if body.spoken_terms_id is not None:
            spoken_terms.find(call.state.database, body.spoken_terms_id)
    except Problem as problem:  # what a session names has to be there; the contract of voice knows no 404
        raise bad_request(problem.body.message, detail=problem.body.detail) from None
    cap = call.key.speech_to_text_milliseconds
    if cap is not None and call.state.ledger.spent().get((call.key.key_id, SPEECH), 0) >= cap:
        raise Problem(456, detail="The speech limit of this key is reached.")
    return _answer(call.address, *call.state.voice.begin())


@operations.add("GET", PATH, scope=None)
def reconnect(call: Call[Nothing, VoiceQuery]) -> VoiceAnswer:
    """Ask for a new token for a session whose stream broke; the old token is used up."""
    return _answer(call.address, *call.state.voice.reconnect(call.query.token))


@operations.add("GET", STREAM, scope=None, signed=lambda call: call.state.voice.enter(call.query.token))
def stream(call: Call[Nothing, VoiceQuery]) -> None:
    """Where the stream would be: a right token, used up by this, is told that there is none."""
    raise Problem(501, "The embedded service takes requests for voice sessions, but streams no audio.")


def _check_languages(name: str, codes: list[str], known: frozenset[str]) -> None:
    for code in codes:
        if languages.normalise(code) not in known:
            raise unsupported(name, f"No language '{code}' there.")


def _answer(address: str, session_id: str, token: str) -> VoiceAnswer:
    return VoiceAnswer(f"{address.replace('http', 'ws', 1)}{STREAM}", token, session_id)
