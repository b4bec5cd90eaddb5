"""How much of the package one text passes: the functions that it calls, and how deep the call is that sends it."""

from __future__ import annotations

import sys
import threading
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

import svc_nb

PACKAGE = str(Path(svc_nb.__file__).parent)
SERVICE = f"{PACKAGE}/service/"
MOST_FUNCTIONS = 205  # with the parser's calls, one for each kind of what comes
MOST_CALLS = 20
RESULTS = Path(__file__).with_name("way.md")


def is_ours(code) -> bool:
    return code.co_filename.startswith(PACKAGE) and not code.co_filename.startswith(SERVICE)


def ours_below(frame) -> list[str]:
    """The functions of the package that are being called, from the first to *frame*."""
    found = []
    while frame:
        if is_ours(frame.f_code):
            found.append(frame.f_code.co_qualname)
        frame = frame.f_back
    return found[::-1]


class Watch:
    """Counts the functions of the package that are called, and keeps the deepest way to a socket."""

    def __init__(self) -> None:
        self.functions: set[tuple[str, str]] = set()
        self.way: list[str] = []
        self.caller = threading.get_ident()

    def __call__(self, frame, event, arg) -> None:
        code = frame.f_code
        if event == "call" and is_ours(code) and not code.co_name.startswith("<"):
            self.functions.add((code.co_filename.removeprefix(f"{PACKAGE}/"), code.co_qualname))
        elif event == "c_call" and getattr(arg, "__name__", "") in ("send", "sendall") and ours_below(frame):
            # What waits in the thread of the caller belongs to the way as well.
            waiting = [] if threading.get_ident() == self.caller else sys._current_frames()[self.caller]
            way = (ours_below(waiting) if waiting else []) + ours_below(frame)
            self.way = max(self.way, way, key=len)

    def __enter__(self) -> Watch:
        threading.setprofile(self)
        sys.setprofile(self)
        return self

    def __exit__(self, *what) -> None:
        sys.setprofile(None)
        threading.setprofile(None)


@pytest.mark.filterwarnings("ignore::svc_nb.marked.MarkedOnly")
def test_one_text_passes_few_functions_and_is_sent_by_a_short_chain_of_calls(connected):
    options = {"source_lang": "DE", "progress": False}
    pd.Series(["Warm"]).svc.translate("EN-US", **options)
    with Watch() as watch:
        pd.Series(["Guten Tag, wie geht es Ihnen heute?"]).svc.translate("EN-US", **options)
    rooms = Counter(file.partition("/")[0].removesuffix(".py") for file, _ in watch.functions)
    lines = [
        "# The way of one text\n",
        f"One `s.svc.translate` of one text calls {len(watch.functions)} functions of the package, and sends it by a "
        f"chain of {len(watch.way)} calls.\n",
        "| room | functions |",
        "|---|--:|",
        *(f"| {room} | {count} |" for room, count in rooms.most_common()),
        "",
        "The calls to the socket: " + ", ".join(f"`{name}`" for name in watch.way) + ".",
    ]
    RESULTS.write_text("\n".join(lines) + "\n")
    print("\n".join(lines))
    assert 0 < len(watch.way) <= MOST_CALLS
    assert len(watch.functions) <= MOST_FUNCTIONS
