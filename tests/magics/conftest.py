"""A real IPython shell with the magics, as a person has it."""

from __future__ import annotations

import atexit
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd
import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from svc_nb import service
from tests.toy import TOY


@dataclass(frozen=True)
class Seen:
    """What a person sees of a cell."""

    value: Any
    out: str
    err: str
    error: BaseException | None

    @property
    def line(self) -> str:
        """The only line that is shown, where something went wrong."""
        assert self.error is not None, f"it went well: {self.value!r}"
        lines = (self.out + self.err).strip().splitlines()
        assert len(lines) == 1, f"more than one line: {lines}"
        return lines[0]


class Person:
    """Somebody at a shell."""

    def __init__(self, shell: InteractiveShell, capsys: pytest.CaptureFixture[str]) -> None:
        self.shell = shell
        self._capsys = capsys

    def __call__(self, cell: str) -> Seen:
        self._capsys.readouterr()
        ran = self.shell.run_cell(cell)
        shown = self._capsys.readouterr()
        return Seen(ran.result, shown.out, shown.err, ran.error_in_exec or ran.error_before_exec)

    def knows(self, **names: Any) -> None:
        """Give the notebook names."""
        self.shell.push(names)

    def __getitem__(self, name: str) -> Any:
        return self.shell.user_ns[name]

    def presses_tab(self, text: str) -> list[str]:
        """The ways in which the line then goes on, whole."""
        with provisionalcompleter():
            found = list(self.shell.Completer.completions(text, len(text)))
        return [text[: each.start] + each.text for each in found]

    def bundle(self, value: Any) -> dict[str, str]:
        """What a notebook is given to show *value*."""
        return self.shell.display_formatter.format(value)[0]


def opened(config: dict[str, Any] | None = None) -> InteractiveShell:
    """A shell that leaves no history, and no colours."""
    settings = {
        "HistoryManager": {"enabled": False},
        "InteractiveShell": {"colors": "nocolor"},
        **(config or {}),
    }
    shell = InteractiveShell(config=Config(settings))
    atexit.unregister(shell.atexit_operations)  # each would look through all memory for garbage when the tests end
    return shell


@pytest.fixture
def running() -> Iterator[service.Service]:
    """A service of its own for one test, which marks texts whatever translators are installed."""
    with service.start(memory=True, translators=TOY) as started:
        yield started


@pytest.fixture
def person(capsys, monkeypatch, tmp_path) -> Iterator[Person]:
    """Somebody who has said `%load_ext svc_nb`; `df` is a table of theirs."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    main, hook = sys.modules["__main__"], sys.displayhook
    somebody = Person(opened(), capsys)
    assert somebody("%load_ext svc_nb").error is None
    somebody.knows(df=pd.DataFrame({"review": ["The house is red.", None, "The dog."], "my words": ["a", "b", "c"]}))
    yield somebody
    sys.modules["__main__"], sys.displayhook = main, hook
