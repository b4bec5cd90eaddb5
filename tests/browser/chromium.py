"""Which Chromium the browser tests drive, and how to get one; run as a script it says the path or how."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

# The first one has no windows, and needs a sixth less time for the same pages.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")

HOW = (
    "no Chromium was found; on Debian: apt-get install chromium-headless-shell; "
    "elsewhere: python -m playwright install chromium; or name one in SVC_CHROMIUM"
)

FLAGS = (
    "--no-sandbox",  # Chromium refuses to start as root without it
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # nothing leaves this machine
)


def find() -> str | None:
    """Return the path of a Chromium: the named one, else one on PATH, else Playwright's own; None without any."""
    named = os.environ.get("SVC_CHROMIUM")
    if named:
        return shutil.which(named)
    return next(filter(None, map(shutil.which, NAMES)), None) or _of_playwright()


def _of_playwright() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


if __name__ == "__main__":
    found = find()
    print(found or HOW)
    sys.exit(found is None)
