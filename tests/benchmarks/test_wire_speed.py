"""What a request costs of our own processor time, beside the standard library's client alone, within one run."""

from __future__ import annotations

import http.client
import json
import statistics
import threading
import time
from queue import SimpleQueue

import pytest

from svc_nb.wire.models import TranslateOptions
from tests.benchmarks.bench import Remote, connected, sentence

REQUESTS, ROUNDS, THREADS = 100, 5, 8


def processor_time(batches, send) -> float:
    """What it takes to send all *batches* from a few threads; the service has a process of its own."""
    waiting: SimpleQueue = SimpleQueue()
    for batch in [*batches, *[None] * THREADS]:
        waiting.put(batch)

    def work():
        while (batch := waiting.get()) is not None:
            send(batch)

    threads = [threading.Thread(target=work) for _ in range(THREADS)]
    started = time.process_time()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.process_time() - started


@pytest.mark.long
def test_a_request_costs_hardly_more_than_the_bare_client_of_the_standard_library():
    remote = Remote()
    local, opened = threading.local(), []
    host = remote.base_url.partition("//")[2]
    headers = {"Authorization": f"Service-Auth-Key {remote.api_key}", "Content-Type": "application/json"}
    options = TranslateOptions(source_lang="DE")

    def plainly(texts):
        if not hasattr(local, "connection"):
            local.connection = http.client.HTTPConnection(host)
            opened.append(local.connection)
        body = json.dumps({"text": texts, "target_lang": "EN", "source_lang": "DE"}).encode()
        local.connection.request("POST", "/v2/translate", body, headers)
        assert len(json.loads(local.connection.getresponse().read())["translations"]) == len(texts)

    ratios = []
    with connected(remote) as session:

        def ours(texts):
            session.client.text.translated_rows(texts, "EN", options=options)

        for turn in range(ROUNDS):
            batches = [[sentence(number * 50 + i, f"{turn}-") for i in range(50)] for number in range(REQUESTS)]
            ratios.append(processor_time(batches, ours) / processor_time(batches, plainly))
    for connection in opened:
        connection.close()
    remote.stop()
    print(f"\nprocessor time of a request, of that of http.client: {statistics.median(ratios):.2f}")
    assert statistics.median(ratios) < 1.5
