"""kill -9 at any moment: every row is right after a second run, and only what was on its way is paid again."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time

import pandas as pd
import pytest

from tests import forked
from tests.counters import DETECT, TRANSLATE, Counters, listed, marked

pytestmark = [pytest.mark.long, pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")]

CHILD = """
import sys
import pandas as pd
import svc_nb
from tests.columns.test_killed import texts_of, verbs

svc_nb.connect()
print("ready", flush=True)
sys.stdin.readline()
verbs[sys.argv[1]](pd.Series(texts_of(int(sys.argv[2]))))
"""
KILLS = 25
A_REQUEST = 50
REQUESTS = 40
POOL = 8

verbs = {
    TRANSLATE: lambda column: column.svc.translate("DE", source_lang="EN", progress=False),
    DETECT: lambda column: column.svc.detect(),
}


def texts_of(number):
    return [f"This is the text {number}.{row} of many" for row in range(REQUESTS * A_REQUEST)]


@pytest.mark.parametrize("operation", [TRANSLATE, DETECT])
def test_a_killed_process_loses_what_is_in_flight_and_nothing_else(running, reached, operation):
    here = reached(pool_size=POOL)
    running.faults.add("latency", operation=operation, seconds=0.05)
    environ = {
        **{name: value for name, value in os.environ.items() if not name.startswith("SVC_")},
        "SVC_BASE_URL": running.base_url,
        "SVC_API_KEY": here.settings.api_key.reveal(),
        "SVC_STORE": here.settings.store,
        "SVC_POOL_SIZE": str(POOL),
    }
    moments = random.Random(27)
    killed_at_work = 0
    for number in range(KILLS):
        counters = Counters(running, here)
        with forked.Popen(
            [sys.executable, "-c", CHILD, operation, str(number)],
            env=environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as child:
            assert child.stdout.readline() == "ready\n"
            child.stdin.write("\n")
            child.stdin.flush()
            time.sleep(moments.uniform(0.0, 0.35))
            child.kill()
        answered = counters.requests(200, operation=operation)
        killed_at_work += 0 < answered < REQUESTS
        result = listed(verbs[operation](pd.Series(texts_of(number))))
        if operation == TRANSLATE:
            assert result == marked(texts_of(number))
        again = counters.requests(200, operation=operation) - REQUESTS
        assert 0 <= again <= min(answered, 2 * POOL + 1)  # how many may be in flight, and how many may be stored
    assert killed_at_work >= KILLS // 3
