"""Who may do what: keys, schemes, scopes, administrators."""

import pytest
import requests

from svc_nb import service

TRANSLATE = {"text": ["good morning"], "target_lang": "DE"}
OPERATIONS = {
    "translate:text": ("POST", "/v2/translate", TRANSLATE),
    "write:improve": ("POST", "/v2/write/correct", {"text": ["good morning"]}),
    "glossaries:read": ("GET", "/v3/glossaries", None),
    "glossaries:write": (
        "POST",
        "/v2/glossaries",
        {"name": "n", "source_lang": "de", "target_lang": "en", "entries": "a\tb"},
    ),
    "style_rules:read": ("GET", "/v3/style_rules", None),
    "style_rules:write": ("POST", "/v3/style_rules", {"name": "n", "language": "de"}),
    "languages:read": ("GET", "/v3/languages?resource=glossary", None),
    "usage:read": ("GET", "/v2/usage", None),
}


def test_without_a_key_nothing_is_answered(running, raw):
    for path in ("/v2/usage", "/v3/glossaries", "/openapi.json", "/nothing", "/v2/admin/analytics"):
        answer = raw.session.get(running.base_url + path)
        assert answer.status_code == 401
        assert answer.json()["message"] == "Not authenticated"
        assert answer.headers["WWW-Authenticate"] == "Service-Auth-Key"
        assert answer.headers["X-Trace-ID"]


@pytest.mark.parametrize(
    "header", ["", "Service-Auth-Key", "Service-Auth-Key ", "Bearer {key}", "{key}", "Service-Auth-Key wrong"]
)
def test_a_key_needs_its_scheme_word_and_to_be_known(running, raw, header):
    sent = {"Authorization": header.format(key=running.api_key)}
    assert raw.session.get(running.base_url + "/v2/usage", headers=sent).status_code == 401


def test_a_second_scheme_word_can_be_allowed():
    with service.start(memory=True, schemes=("Service-Auth-Key", "Other-Key")) as running:
        for scheme, status in (("Other-Key", 200), ("service-auth-key", 200), ("Third-Key", 401)):
            sent = {"Authorization": f"{scheme} {running.api_key}"}
            answer = requests.get(running.base_url + "/v2/usage", headers=sent, timeout=10)
            answer.close()
            assert answer.status_code == status


@pytest.mark.parametrize("scope", OPERATIONS)
def test_a_scoped_key_may_do_what_its_scope_covers_and_nothing_else(running, raw, scope):
    key = running.create_key("scoped", scopes=[scope])
    for other, (method, path, body) in OPERATIONS.items():
        answer = raw(method, path, json=body, key=key)
        if other == scope:
            assert answer.status_code < 300
        else:
            assert answer.status_code == 403
            assert answer.json() == {"message": "Forbidden", "detail": f"Missing required scope(s): {other}"}
    assert raw("POST", "/v3/detect/language", json={"text": ["a"]}, key=key).status_code == 403


def test_a_key_without_any_scope_may_do_nothing(running, raw):
    key = running.create_key("scoped", scopes=[])
    for method, path, body in OPERATIONS.values():
        assert raw(method, path, json=body, key=key).status_code == 403
    assert raw("POST", "/v3/detect/language", json={"text": ["a"]}, key=key).status_code == 403


def test_administration_needs_an_administrator_key(raw):
    path = "/v2/admin/developer-keys"
    assert raw("GET", path).status_code == 403
    assert raw.admin("GET", path).status_code == 200


def test_a_deactivated_key_is_refused_at_once_and_for_good(running, raw):
    made = raw.admin("POST", "/v2/admin/developer-keys", json={"label": "temp"}).json()
    assert raw("GET", "/v2/usage", key=made["api_key"]).status_code == 200
    ended = raw.admin("PUT", "/v2/admin/developer-keys/deactivate", json={"key_id": made["key_id"]}).json()
    assert ended["is_deactivated"]
    for path in ("/v2/usage", "/v2/translate", "/nothing"):
        assert raw("GET", path, key=made["api_key"]).status_code == 403
    again = raw.admin("PUT", "/v2/admin/developer-keys/deactivate", json={"key_id": made["key_id"]}).json()
    assert again["deactivated_time"] == ended["deactivated_time"]


def test_a_secret_is_told_once_and_never_listed(running, raw):
    made = raw.admin("POST", "/v2/admin/developer-keys", json={}).json()
    assert made["label"] == "Service API Key"
    listed = raw.admin("GET", "/v2/admin/developer-keys")
    assert made["api_key"] not in listed.text
    assert running.api_key not in listed.text
    assert "api_key" not in listed.json()[-1]


def test_an_account_without_the_beta_has_no_detection():
    with service.start(memory=True, account=service.Account(detection=False)) as running:
        sent = {"Authorization": f"Service-Auth-Key {running.api_key}"}
        body = {"text": ["Guten Tag"]}
        answer = requests.post(running.base_url + "/v3/detect/language", json=body, headers=sent, timeout=10)
        assert answer.status_code == 403
        assert answer.json()["message"] == "Forbidden"


def test_an_unknown_scope_is_refused(running):
    with pytest.raises(ValueError, match="unknown scopes"):
        running.create_key("x", scopes=["everything"])
