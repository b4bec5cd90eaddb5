"""Stands between a client and `svc-nb mcp`, and keeps every byte: `python -m tests.agents.tap FILE WORDS…`."""

from __future__ import annotations

import os
import subprocess
import sys
import threading


def pump(source: int, sink: int, kept: int) -> None:
    """Hand on all bytes, and close the sink at the end."""
    while piece := os.read(source, 65536):
        os.write(kept, piece)
        left = memoryview(piece)
        while left:
            left = left[os.write(sink, left) :]
    os.close(sink)


def main(path: str, *words: str) -> int:
    """Run the server until the client closes its pipe."""
    kept = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    pipe = subprocess.PIPE
    server = subprocess.Popen([sys.executable, "-m", "svc_nb", "mcp", *words], stdin=pipe, stdout=pipe, bufsize=0)
    ends = [(0, os.dup(server.stdin.fileno())), (os.dup(server.stdout.fileno()), 1)]
    server.stdin.close()
    threads = [threading.Thread(target=pump, args=(*each, kept), daemon=True) for each in ends]
    for each in threads:
        each.start()
    threads[1].join()
    return server.wait()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
