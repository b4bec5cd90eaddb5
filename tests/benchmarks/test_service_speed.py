"""What the embedded service costs beyond the work itself: ratios within one run, printed and kept to a bar."""

from __future__ import annotations

import json
import socket
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from svc_nb import samples, service
from svc_nb.secret import Secret
from svc_nb.service.detector import Detector
from svc_nb.service.translation.pipeline import Rendering
from svc_nb.service.translation.pipeline import translate as render
from svc_nb.service.translators import Pseudo
from svc_nb.settings import Settings
from svc_nb.wire.client import Client
from svc_nb.wire.transport import Transport

ROUNDS = 200
IMPORT_PANDAS = "import pandas"
START_SERVICE = "from svc_nb import service; service.start(memory=True)"


def cpu(work) -> float:
    """Processor time of this process, the service's thread included: what a noisy machine changes least."""
    started = time.process_time()
    work()
    return time.process_time() - started


def seconds(code: str) -> float:
    """Time within a fresh interpreter to run *code*, the interpreter's own start not counted."""
    timed = f"import os, time; t = time.perf_counter()\n{code}\nprint(time.perf_counter() - t, flush=True); os._exit(0)"
    return float(subprocess.run([sys.executable, "-c", timed], capture_output=True, text=True, check=True).stdout)


@pytest.fixture(scope="module")
def running():
    with service.start(memory=True) as started:
        yield started


class Bare:
    """A kept-alive connection that costs next to nothing, so that what is measured is the service."""

    def __init__(self, running, texts):
        body = json.dumps({"text": texts}, ensure_ascii=False).encode()
        head = (
            f"POST /v3/detect/language HTTP/1.1\r\nHost: loopback\r\nContent-Type: application/json\r\n"
            f"Authorization: Service-Auth-Key {running.api_key}\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        self.request = head.encode() + body
        self.connection = socket.create_connection(("127.0.0.1", running.port))
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self):
        self.connection.sendall(self.request)
        answer = b""
        while not answer.endswith(b"]}"):
            answer += self.connection.recv(65536)
        assert b" 200 " in answer[:16]


def test_detecting_50_texts_costs_at_most_half_more_than_the_detector_alone(running):
    texts = samples.reviews()["review"].head(50).tolist()
    detector, bare = Detector(), Bare(running, texts)
    client = Client(Transport(Settings(base_url=running.base_url, api_key=Secret(running.api_key))))
    ways = {
        "detector": lambda: detector.detect(texts),
        "service": bare.send,
        "client and service": lambda: client.detection.detect(texts),
    }
    costs: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, way in ways.items():
            costs[name].append(cpu(way))
    bare.connection.close()
    client.close()
    alone, served, whole = (statistics.median(each) for each in costs.values())
    print(f"\ndetect 50 texts: detector alone {alone * 1e3:.2f} ms CPU, a request {served / alone:.2f} x,")
    print(f"with our client's own work {whole / alone:.2f} x")
    assert served <= 1.5 * alone


def test_what_is_done_around_a_translator_costs_little_beside_detection():
    texts = samples.reviews()["review"].head(50).tolist()
    detector, rendering = Detector(), Rendering("de", "en")
    detector.detect(texts)
    costs = [
        (cpu(lambda: detector.detect(texts)), cpu(lambda: render(texts, rendering, Pseudo()))) for _ in range(ROUNDS)
    ]
    detection, around = (statistics.median(column) for column in zip(*costs, strict=True))
    print(f"\ntranslating 50 texts, without the translator itself: {around / detection:.2f} x detecting them")
    assert around <= 0.5 * detection


def test_starting_the_service_takes_at_most_3_times_importing_pandas():
    runs = [(seconds(IMPORT_PANDAS), seconds(START_SERVICE)) for _ in range(5)]
    pandas, start = (statistics.median(column) for column in zip(*runs, strict=True))
    print(f"\nimport pandas {pandas:.2f} s, start the service {start:.2f} s, {start / pandas:.2f} x")
    assert start <= 3 * pandas


def test_64_connections_at_once_are_served_without_an_error(running):
    body = {"text": ["Guten Morgen, wie geht es dir heute?"] * 10}
    headers = {"Authorization": f"Service-Auth-Key {running.api_key}"}
    url = running.base_url + "/v3/detect/language"

    def talk(_):
        with requests.Session() as session:
            return [session.post(url, json=body, headers=headers, timeout=60).status_code for _ in range(20)]

    started = time.perf_counter()
    with ThreadPoolExecutor(64) as pool:
        statuses = [status for each in pool.map(talk, range(64)) for status in each]
    taken = time.perf_counter() - started
    rate = len(statuses) / taken
    print(f"\n64 connections x 20 requests of 10 texts: {rate:.0f} requests/s, peak {running.traffic.peak}")
    assert set(statuses) == {200}
