import pytest

from svc_nb import errors, service
from svc_nb.secret import Secret
from svc_nb.settings import Settings
from svc_nb.wire.client import Client
from svc_nb.wire.models import Detection
from svc_nb.wire.transport import Transport


def test_each_text_has_its_detection_in_order(client):
    found = client.detection.detect(["Guten Morgen, wie geht es Ihnen?", "12345", "Les chaussures sont belles."])
    assert [(each.detection_status, each.detected_language) for each in found] == [
        ("success", "de"),
        ("no_language_detected", None),
        ("success", "fr"),
    ]
    assert all(isinstance(each, Detection) and each.trace_id for each in found)


def test_how_sure_it_is_comes_with_the_answer(client):
    sure, short, other = client.detection.detect(
        ["Guten Morgen, wie geht es Ihnen?", "ok", "Motxila hau oso arina da eta poltsiko asko ditu."]
    )
    assert (sure.best_guess, sure.script) == ("de", "Latn")
    assert sure.confidence > 0.9 > 0.1 > sure.second_confidence
    assert (short.detection_status, short.detected_language) == ("insufficient_confidence", None)
    assert short.best_guess != short.second_guess
    assert short.confidence >= short.second_confidence > 0
    assert (other.detection_status, other.detected_language) == ("unsupported_language", None)
    assert other.best_guess == "eu"


def test_a_service_that_tells_no_confidence_leaves_it_open(told):
    body = {"results": [{"detection_status": "success", "detected_language": "de"}]}
    [found] = told(body).detection.detect(["Guten Morgen"])
    assert (found.detection_status, found.detected_language) == ("success", "de")
    unknown = (found.confidence, found.best_guess, found.second_guess, found.second_confidence, found.script)
    assert unknown == (None,) * 5


def test_too_few_or_too_many_texts_are_a_bad_request(client):
    for texts in ([], ["a"] * 51):
        with pytest.raises(errors.BadRequest):
            client.detection.detect(texts)


def test_an_account_outside_of_the_beta_is_forbidden():
    with service.start(memory=True, account=service.Account(detection=False)) as running:
        client = Client(Transport(Settings(base_url=running.base_url, api_key=Secret(running.api_key))))
        with pytest.raises(errors.Forbidden, match="beta"):
            client.detection.detect(["Guten Morgen"])
        client.close()
