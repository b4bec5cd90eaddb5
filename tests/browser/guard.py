"""Runs a command until its own standard input ends, which happens however the writer of it ended.

So no server outlives the tests that started it: not when they are done, nor interrupted, nor killed.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

PATIENCE = 10.0


def run(command: list[str]) -> int:
    """Run *command* away from the terminal's Ctrl-C, and return how it ended."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=2, start_new_session=True)
    signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    threading.Thread(target=_end_with_input, args=[process], daemon=True).start()
    return process.wait()


def _end_with_input(process: subprocess.Popen[bytes]) -> None:
    while os.read(0, 1):
        pass
    process.terminate()
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
