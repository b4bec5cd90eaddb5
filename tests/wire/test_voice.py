import pickle
import traceback

import pytest
from IPython.core.ultratb import VerboseTB

from svc_nb import errors
from svc_nb.secret import Secret
from svc_nb.wire.models import TermList, VoiceRequest, VoiceSession, WireError

AUTO = VoiceRequest(source_media_content_type="audio/auto")
TOKEN = "a-token-that-nobody-sees"
ANSWER = {"streaming_url": "wss://voice.example/connect", "token": TOKEN, "session_id": "s-1"}


def test_a_session_has_an_address_and_a_token_that_is_not_shown(client):
    session = client.voice.session(AUTO)
    assert session.streaming_url.startswith("ws://127.0.0.1")
    assert session.session_id
    assert session.token.reveal() not in repr(session)
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(session)


def test_a_session_uses_spoken_terms_that_are_there(client):
    made = client.spoken_terms.create("names", [TermList("de", "Kubernetes")])
    fields = {
        "source_media_content_type": "audio/auto",
        "source_language": "de",
        "target_languages": ["en-US"],
    }
    assert client.voice.session(VoiceRequest(**fields, spoken_terms_id=made.spoken_terms_id)).token
    client.spoken_terms.delete(made.spoken_terms_id)
    with pytest.raises(errors.BadRequest, match="Spoken terms not found"):
        client.voice.session(VoiceRequest(**fields, spoken_terms_id=made.spoken_terms_id))


def test_a_session_is_taken_up_again_once_with_its_token(client):
    session = client.voice.session(AUTO)
    again = client.voice.reconnect(session.token)
    assert again.session_id == session.session_id
    assert again.token != session.token
    with pytest.raises(errors.Forbidden):
        client.voice.reconnect(session.token)


def test_only_what_was_asked_for_is_sent_with_the_tag(told, scripted):
    client = told(ANSWER, reporting_tag="team")
    request = VoiceRequest(source_media_content_type="audio/auto", target_languages=["de"], formality="less")
    assert client.voice.session(request) == VoiceSession(ANSWER["streaming_url"], Secret(TOKEN), "s-1")
    client.voice.session(AUTO, "other")
    first, second = scripted.asked
    assert first.json == {
        "source_media_content_type": "audio/auto",
        "target_languages": ["de"],
        "formality": "less",
    }
    assert [each.headers["x-service-reporting-tag"] for each in (first, second)] == ["team", "other"]


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"target_languages": ["de"] * 6}, "at most 5, found 6"),
        ({"target_media_languages": ["de", "fr"]}, "at most 1"),
        ({"glossary_ids": ["g"] * 6}, "at most 5"),
        ({"glossary_id": "g", "glossary_ids": ["h"]}, "found both"),
        ({"source_language_mode": "fixed"}, "source_language"),
    ],
)
def test_what_no_service_takes_is_not_sent(told, scripted, wrong, why):
    with pytest.raises(ValueError, match=why):
        told(ANSWER).voice.session(VoiceRequest(source_media_content_type="audio/auto", **wrong))
    assert scripted.asked == []


def test_a_single_string_where_a_list_belongs_is_refused():
    with pytest.raises(TypeError, match="Put it in a list"):
        VoiceRequest(source_media_content_type="audio/auto", target_languages="de")


def test_what_is_no_request_or_no_token_is_not_sent(told, scripted):
    with pytest.raises(TypeError, match="VoiceRequest"):
        told(ANSWER).voice.session({"source_media_content_type": "audio/auto"})
    with pytest.raises(TypeError, match="Secret"):
        told(ANSWER).voice.reconnect(TOKEN)
    assert scripted.asked == []


def test_an_answer_without_a_token_is_a_bad_reply(told):
    with pytest.raises(errors.BadReply, match="`token`"):
        told({"streaming_url": "wss://voice.example"}).voice.session(AUTO)
    with pytest.raises(WireError, match="object"):
        VoiceSession.from_wire([])


@pytest.mark.parametrize("way", ["refused", "reset", "no session"])
def test_a_token_shows_nowhere_when_a_reconnect_fails(told, scripted, way):
    client = told(tries=1)
    scripted.answers = {
        "refused": [scripted.answer(403, {"message": f"no {TOKEN}", "detail": f"/?token={TOKEN}"})],
        "reset": [scripted.reset],
        "no session": [scripted.answer(200, {"token": TOKEN})],
    }[way]
    with pytest.raises(errors.SvcError) as caught:
        client.voice.reconnect(Secret(TOKEN))
    problem = caught.value
    frames = caught.tb.tb_next  # without this test's own, which has the token
    shown = [
        *traceback.TracebackException(type(problem), problem, frames, capture_locals=True).format(),
        VerboseTB().text(type(problem), problem, frames),
        repr(vars(problem)),
        str(pickle.dumps(problem)),
    ]
    assert "voice.py" in "".join(map(str, shown))
    assert TOKEN not in "".join(map(str, shown))
    assert scripted.asked[0].target == f"/v3/voice/realtime?token={TOKEN}"


@pytest.mark.parametrize(
    ("wrong", "name"),
    [({"target_languages": [float("nan")]}, "target_languages"), ({"message_format": 3}, "message_format")],
)
def test_what_is_not_text_is_refused_by_name_before_it_is_sent(client, wrong, name):
    with pytest.raises(TypeError, match=f"{name}: expected text"):
        client.voice.session(VoiceRequest(source_media_content_type="audio/auto", **wrong))


def test_a_reporting_tag_that_is_not_text_is_refused(client):
    with pytest.raises(TypeError, match="reporting_tag: expected a string, found int"):
        client.voice.session(AUTO, 3)
