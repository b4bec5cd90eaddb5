"""Processes of their own that translate a column through one service and one store."""

from __future__ import annotations

import os
import subprocess
import sys

from tests import forked

OPENING = """
import json, sys, warnings
warnings.simplefilter("ignore")
import pandas as pd
import svc_nb

def translate(**fields):
    texts = [f"text number {number}" for number in range(int(sys.argv[1]))]
    return pd.Series(texts).svc.translate("DE", source_lang="EN", **fields)

def tell(column):
    print(json.dumps([cell if isinstance(cell, str) else None for cell in column]), flush=True)

svc_nb.connect()
print("ready", flush=True)
sys.stdin.readline()
"""


class Child:
    """A process that waits for `go`, then does *script*; ended at the latest when the block is left."""

    def __init__(self, running, store, script, *, rows, **settings):
        environ = {name: value for name, value in os.environ.items() if not name.startswith("SVC_")}
        environ |= {"SVC_BASE_URL": running.base_url, "SVC_API_KEY": running.api_key, "SVC_STORE": str(store)}
        environ |= {f"SVC_{name.upper()}": str(value) for name, value in settings.items()}
        self.process = forked.Popen(
            [sys.executable, "-c", OPENING + script, str(rows)],
            env=environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.process.kill()
        self.process.communicate()

    def go(self):
        """Let it begin, once it is ready."""
        assert self.process.stdout.readline() == "ready\n", self.process.stderr.read()
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def told(self):
        """What it printed until it ended, and how it ended."""
        out, err = self.process.communicate(timeout=60)
        return out, err, self.process.returncode
