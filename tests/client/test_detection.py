import pytest

from svc_nb import errors, service
from svc_nb.client import Client
from svc_nb.models import Detection
from svc_nb.secret import Secret
from svc_nb.settings import Settings
from svc_nb.transport import Transport


def test_each_text_has_its_detection_in_order(client):
    found = client.detection.detect(
        ["Guten Morgen, wie geht es Ihnen?", "12345", "Les chaussures sont belles."]
    )
    assert [(each.detection_status, each.detected_language) for each in found] == [
        ("success", "de"),
        ("no_language_detected", None),
        ("success", "fr"),
    ]
    assert all(isinstance(each, Detection) and each.trace_id for each in found)


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
