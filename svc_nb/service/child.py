"""The service as the child of a notebook: it tells where it is and its keys, and ends with the pipe that it hears."""

import contextlib
import faulthandler
import json
import os
import threading
import time
from pathlib import Path
from typing import IO, Any

from .server import GRACE_SECONDS, Service, StartError

FROZEN_SECONDS = 60.0


def main(orders: IO[bytes], answers: IO[str], **options: Any) -> None:
    """Serve until *orders* ends; *options* are those of `Service`.

    When no thread gets its turn for FROZEN_SECONDS, as within one endless search of a regular expression, the process
    ends: what is stored is served again by the one that is started in its place. One in memory is left as it is.
    """

    with contextlib.suppress(OSError):  # only Linux has it
        Path("/proc/self/oom_score_adj").write_text("1000")  # of the two, the kernel is to stay when memory runs out

    def tell(**said: object) -> None:
        with answers:
            answers.write(json.dumps(said) + "\n")

    try:
        service = Service(**options)
    except StartError as error:
        tell(problem=str(error))
        return

    def end_with_parent() -> None:
        orders.read(1)
        service.end()
        time.sleep(2 * GRACE_SECONDS)
        os._exit(1)  # a request has not let go

    def end_when_frozen() -> None:
        while True:
            faulthandler.dump_traceback_later(FROZEN_SECONDS, exit=True)
            time.sleep(FROZEN_SECONDS / 10)

    def introduce() -> None:
        tell(
            port=service.port,
            api_key=service.api_key,
            admin_key=service.admin_key,
            folder=service.folder and str(service.folder),
            unreadable_documents=service.unreadable_documents,
        )

    threading.Thread(target=end_with_parent, daemon=True).start()
    if service.folder:
        threading.Thread(target=end_when_frozen, daemon=True).start()
    service.serve(introduce)
