"""An account of the free plan, over real HTTP and as our client sees it."""

import pytest

from svc_nb import errors, service
from svc_nb.session import Session
from tests.conftest import Raw

TEXT = {"text": ["a" * 100_000], "source_lang": "EN", "target_lang": "DE"}


@pytest.fixture
def running():
    with service.start(memory=True, translators=["pseudo"], free=True) as started:
        yield started


def test_its_key_ends_in_fx_and_so_do_further_ones(running):
    assert running.api_key.endswith(":fx")
    assert running.create_key("second").endswith(":fx")


def test_it_has_half_a_million_characters_a_month(raw):
    assert raw("GET", "/v2/usage").json() == {"character_count": 0, "character_limit": 500_000}
    for _ in range(5):
        assert raw("POST", "/v2/translate", json=TEXT).status_code == 200
    refused = raw("POST", "/v2/translate", json={**TEXT, "text": ["a"]})
    assert refused.status_code == 456
    assert refused.json()["message"] == "Quota for this billing period has been exceeded."
    assert raw("GET", "/v2/usage").json()["character_count"] == 500_000


def test_another_quota_counts_before_the_plan():
    with service.start(memory=True, free=True, account=service.Account(quota=7)) as running:
        assert Raw(running)("GET", "/v2/usage").json()["character_limit"] == 7


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v2/admin/developer-keys"),
        ("POST", "/v2/admin/developer-keys"),
        ("PUT", "/v2/admin/developer-keys/limits"),
        ("GET", "/v2/admin/analytics?start_date=2026-01-01&end_date=2026-01-02"),
        ("GET", "/v2/admin/analytics/custom-tags?start_date=2026-01-01&end_date=2026-01-02"),
    ],
)
def test_administration_is_refused_whatever_the_key(raw, method, path):
    for answer in (raw(method, path), raw.admin(method, path)):
        assert answer.status_code == 403
    assert "not available for your plan" in answer.json()["message"]


def test_our_client_reads_its_usage_and_is_refused_administration(running):
    session = Session.embedded(running)
    usage = session.client.account.usage()
    assert (usage.character_limit, usage.products, usage.end_time) == (500_000, None, None)
    with pytest.raises(errors.Forbidden, match="not available for your plan"):
        session.admin.keys()
    session.close()
