"""Anything at all is sent to every operation the service publishes: it keeps to its own description, never 500."""

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from svc_nb import service
from svc_nb.service.app import OPERATIONS
from svc_nb.service.operations import document

CHECKS = (
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
)


@pytest.fixture(scope="module")
def running():
    with service.start(memory=True, translators=["pseudo"]) as started:
        yield started


# Ending keys is left out: the fuzzer would end the one it uses, and every answer would be 403.
schema = schemathesis.openapi.from_dict(document(OPERATIONS)).exclude(path_regex="developer-keys/deactivate")


@schema.parametrize()
@settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)
def test_every_operation_keeps_to_its_description(case, running):
    with requests.Session() as session:
        answer = case.call(
            base_url=running.base_url,
            session=session,
            headers={"Authorization": f"Service-Auth-Key {running.admin_key}"},
            timeout=30,
        )
        case.validate_response(answer, checks=CHECKS)
    assert "x-trace-id" in {name.lower() for name in answer.headers}
