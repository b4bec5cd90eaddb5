"""A real kernel, talked to as JupyterLab does."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from svc_nb import service
from tests.waiting import until


class Kernel:
    """A kernel of its own, and all that it has ever said."""

    def __init__(self, manager: Any, client: Any) -> None:
        self.manager = manager
        self.client = client
        self.said: list[Any] = []

    def runs(self, code: str, *, typed: str | None = None) -> dict[str, Any]:
        """The reply to *code*, with its outputs by kind of message; *typed* is what it is told, unseen, if it asks."""
        outputs: dict[str, Any] = {}

        def hear(message: dict[str, Any]) -> None:
            kind, content = message["msg_type"], message["content"]
            self.said.append(content)
            if kind == "stream" and kind in outputs:  # what is printed may come in pieces
                content = {**content, "text": outputs[kind]["text"] + content["text"]}
            outputs[kind] = content

        def answer(message: dict[str, Any]) -> None:
            assert message["content"]["password"], "what is typed could be seen"
            self.client.input(typed)

        reply = self.client.execute_interactive(
            code, timeout=90, output_hook=hear, stdin_hook=answer, allow_stdin=typed is not None
        )
        self.said.append(reply["content"])
        return {**outputs, "reply": reply["content"]}

    def stops(self, code: str, when: Callable[[], bool]) -> dict[str, Any]:
        """The same, of code that is interrupted as soon as *when* holds."""

        def stop() -> None:
            until(when)
            os.kill(self.manager.provisioner.pid, signal.SIGINT)  # as the stop button does

        threading.Thread(target=stop, daemon=True).start()
        return self.runs(code)

    def prints(self, expression: str) -> str:
        """What an expression is."""
        return self.runs(f"print({expression})")["stream"]["text"].strip()

    def asked(self, question: str, *args: Any) -> dict[str, Any]:
        """The reply to a question such as `complete`."""
        reply = getattr(self.client, question)(*args, reply=True, timeout=60)
        self.said.append(reply["content"])
        return reply["content"]


@contextmanager
def started(served: service.Service, folder: Path) -> Iterator[Kernel]:
    """A kernel whose settings name *served*, with its store in *folder*."""
    from jupyter_client.manager import start_new_kernel

    where = {
        "SVC_BASE_URL": served.base_url,
        "SVC_API_KEY": served.api_key,
        "SVC_ADMIN_KEY": served.admin_key,
        "SVC_STORE": str(folder / "answers.sqlite"),
    }
    manager, client = start_new_kernel(kernel_name="python3", env={**os.environ, **where})
    try:
        yield Kernel(manager, client)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
