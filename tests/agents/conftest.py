"""An agent: the SDK's own client, which starts `svc-nb mcp` and speaks with it through pipes; every byte is kept."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from svc_nb import service
from svc_nb.service import Service
from tests.toy import PAIRS, Toy

ROOT = Path(__file__).parents[2]


class IntoEnglish(Toy):
    """Translates into English alone; into other languages texts are only marked."""

    def pairs(self) -> Collection[tuple[str, str]]:
        return {pair for pair in PAIRS if pair[1].upper().startswith("EN")}


class Refused(Exception):
    """A tool said no."""


@dataclass
class Agent:
    """Calls tools; `passed` is the file of all bytes that went through the pipes, `log` that of stderr."""

    client: Client
    portal: BlockingPortal
    passed: Path
    log: Path
    progress: list[tuple[float, float | None]] = field(default_factory=list)

    def __call__(self, tool: str, **arguments: Any) -> Any:
        """What the tool answers; Refused with its words where it is an error."""

        async def heard(done: float, total: float | None, message: str | None) -> None:
            self.progress.append((done, total))

        async def call() -> Any:
            return await self.client.call_tool(tool, arguments, progress_callback=heard)

        result = self.portal.call(call)
        if result.is_error:
            raise Refused(result.content[0].text)
        return result.structured_content


@contextmanager
def agent_of(folder: Path, environ: dict[str, str], *words: str, **client: Any) -> Iterator[Agent]:
    """An agent whose server has these settings alone, and is started with *words*."""
    passed, log = folder / "passed.jsonl", folder / "log.txt"
    own = {"SVC_STORE": str(folder / "answers.sqlite"), "SVC_FIRST_WAIT": "0.01", "HOME": str(folder)}
    homes = {f"XDG_{name}_HOME": str(folder) for name in ("CONFIG", "DATA", "CACHE")}
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "tests.agents.tap", str(passed), *words],
        env={**own, **homes, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]), **environ},
    )
    with log.open("w") as errors, start_blocking_portal() as portal:
        opened = Client(stdio_client(server, errlog=errors), **client)
        with portal.wrap_async_context_manager(opened) as entered:
            yield Agent(entered, portal, passed, log)


def account(running: Service) -> dict[str, str]:
    """The settings of a person who has an account with *running*."""
    return {
        "SVC_BASE_URL": running.base_url,
        "SVC_API_KEY": running.api_key,
        "SVC_ADMIN_KEY": running.admin_key,
    }


@pytest.fixture(scope="session")
def lasting() -> Iterator[Service]:
    with service.start(memory=True, translators=[IntoEnglish(), "pseudo"]) as started:
        yield started


@pytest.fixture
def running(lasting: Service) -> Iterator[Service]:
    """The service that all agents use; it behaves again when the test is over."""
    yield lasting
    lasting.faults.clear()


@pytest.fixture(scope="session")
def started(lasting: Service, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Agent]:
    with agent_of(tmp_path_factory.mktemp("agent"), account(lasting)) as opened:
        yield opened


@pytest.fixture
def agent(started: Agent, running: Service) -> Agent:
    """An agent that all tests share, connected with `running`."""
    started.progress.clear()
    return started
