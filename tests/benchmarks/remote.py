"""The embedded service in a process of its own, told what to do line by line: a benchmark's other end of the wire.

Each line that comes in is a JSON object with one member: `add` (a fault's settings), `clear` (anything), `count`
(anything). Each is answered with a line.
"""

from __future__ import annotations

import json
import sys

from svc_nb import service
from tests.toy import TOY

SCHEMES = ("Service-Auth-Key", "DeepL-Auth-Key")


def main() -> None:
    with service.start(memory=True, translators=TOY, schemes=SCHEMES) as running:
        tell({"base_url": running.base_url, "api_key": running.api_key})
        for line in sys.stdin:
            tell(obeyed(running, json.loads(line)))


def obeyed(running: service.Service, order: dict) -> dict:
    if "add" in order:
        running.faults.add(order["add"].pop("kind"), **order["add"])
    elif "clear" in order:
        running.faults.clear()
    traffic = running.traffic
    answered = [[name, status, count] for (name, status), count in traffic.answered.items()]
    return {"answered": answered, "peak": traffic.peak, "billed": sum(running.state.ledger.spent().values())}


def tell(said: dict) -> None:
    print(json.dumps(said), flush=True)


if __name__ == "__main__":
    main()
