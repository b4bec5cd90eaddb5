"""The server as such: what it says of itself, what passes through its pipes, and how it ends."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import suppress

import psutil
import pytest

from svc_nb.cli.command import build_parser
from svc_nb.wire.models.text import FORMALITIES
from tests import forked
from tests.agents.conftest import ROOT, Refused, account, agent_of
from tests.waiting import until

READS = {
    *("detect", "plan", "glossary_list", "glossary_read", "glossary_lint", "glossary_diff"),
    *("languages", "pairs", "quota", "usage"),
}


def test_every_tool_says_what_it_does_and_whether_it_changes_something(agent):
    tools = {tool.name: tool for tool in agent.portal.call(agent.client.list_tools).tools}
    assert {name for name, tool in tools.items() if tool.annotations.read_only_hint} == READS
    assert {name for name, tool in tools.items() if tool.annotations.destructive_hint} == {"glossary_push"}
    assert set(tools) == {*READS, "translate", "glossary_push"}
    for tool in tools.values():
        assert tool.title
        assert len(tool.description) > 30
        assert not tool.input_schema["additionalProperties"]
        described = tool.input_schema["properties"].values()
        assert all(len(each.get("description", "")) >= 15 for each in described), tool.name


def test_the_page_about_agents_names_every_tool_and_its_configuration_is_understood(agent):
    page = (ROOT / "docs" / "agents.md").read_text("utf-8")
    for tool in agent.portal.call(agent.client.list_tools).tools:
        assert f"| `{tool.name}`" in page or f", `{tool.name}`" in page
    (example,) = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    (server,) = json.loads(example)["mcpServers"].values()
    assert build_parser().parse(server["args"]).budget == 200_000


def test_the_formalities_are_those_of_the_service(agent):
    tools = {tool.name: tool for tool in agent.portal.call(agent.client.list_tools).tools}
    assert tools["translate"].input_schema["properties"]["formality"]["enum"] == ["", *FORMALITIES]


def test_the_server_says_how_it_is_used(agent):
    said = agent.client.instructions
    assert "give\n  translate a budget that the person agreed to" in said
    assert "NOT TRANSLATED" in said
    assert "Never ask the person for a key" in said


def test_a_tool_that_there_is_not_is_told_with_what_was_meant(agent):
    with pytest.raises(Refused, match=r"There is no tool 'translat'\. Did you mean 'translate'\?"):
        agent("translat", rows=["a"])


@pytest.mark.long
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_no_key_passes_through_the_pipes_whatever_goes_wrong(running, tmp_path, mode):
    key = running.create_key("Agent")
    with agent_of(tmp_path, {**account(running), "SVC_API_KEY": key}, mode=mode) as agent:
        agent("translate", rows=["Der Schlüssel"], target_lang="EN-US", source_lang="DE", budget=100)
        agent("usage", group_by="key_and_day")
        for status in (401, 403, 500):
            running.faults.add("status", status=status, operation="POST /v2/translate")
            with suppress(Refused):
                agent("translate", rows=[f"Fehler {status}"], target_lang="EN-US", source_lang="DE", budget=100)
            running.faults.clear()
        with pytest.raises(Refused, match="Keys are never given here"):
            agent("translate", rows=["a"], target_lang="DE", admin_key="no")
    passed = agent.passed.read_bytes() + agent.log.read_bytes()
    assert b"[EN-US] Der Schl" in passed
    for secret in (key, running.api_key, running.admin_key):
        assert secret.encode() not in passed
        assert secret.upper().encode() not in passed.upper()


def test_only_the_protocol_goes_to_stdout(started, agent):
    agent("translate", rows=["Nur das Protokoll"], target_lang="FR", source_lang="DE", budget=100)
    lines = started.passed.read_bytes().splitlines()
    assert len(lines) > 2
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in lines)
    assert started.log.read_text() == ""


CLIENT = """
import sys, anyio
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
async def main():
    server = StdioServerParameters(command=sys.executable, args=["-m", "svc_nb", "mcp"], env=ENV)
    async with Client(stdio_client(server)) as client:
        await client.call_tool("quota", {})
        print("ready", flush=True)
        await client.call_tool("translate", TRANSLATE)
        await anyio.sleep_forever()
anyio.run(main)
"""


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="ends a process as POSIX does")
def test_a_client_that_is_killed_takes_the_server_and_its_embedded_service_with_it(tmp_path):
    homes = {f"XDG_{name}_HOME": str(tmp_path) for name in ("CONFIG", "DATA", "CACHE")}
    env = {"HOME": str(tmp_path), "SVC_STORE": str(tmp_path / "answers.sqlite"), **homes}
    env["PYTHONPATH"] = os.pathsep.join([str(ROOT), *sys.path])
    texts = {"rows": ["Der Hund schläft. " * 200] * 20, "target_lang": "EN-US", "budget": 100_000}
    code = f"ENV, TRANSLATE = {env!r}, {texts!r}\n{CLIENT}"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as client:
        assert client.stdout.readline() == "ready\n"
        below = psutil.Process(client.pid).children(recursive=True)
        assert len(below) >= 2  # the server, and its embedded service
        client.send_signal(signal.SIGKILL)
    until(lambda: not any(each.is_running() and each.status() != psutil.STATUS_ZOMBIE for each in below))


def test_without_the_package_one_line_says_what_to_install(tmp_path):
    code = "import sys; sys.modules['mcp'] = None; from svc_nb.cli import main; sys.exit(main(['mcp']))"
    ended = forked.run([sys.executable, "-c", code], capture_output=True)
    assert ended.returncode == 1
    assert ended.stdout == b""
    said = r"svc-nb: the package mcp is not installed, or too old: pip install '(mcp>=.*|svc-nb\[agents\])'\n"
    assert re.fullmatch(said, ended.stderr.decode())


def test_a_setting_that_is_wrong_ends_the_server_at_once_with_one_line(tmp_path):
    env = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path)}
    command = [sys.executable, "-m", "svc_nb", "mcp", "--profile", "nowhere"]
    ended = forked.run(command, capture_output=True, env=env, stdin=subprocess.DEVNULL)
    assert ended.returncode == 1
    assert ended.stdout == b""
    assert ended.stderr.startswith(b"svc-nb: ")
    assert ended.stderr.count(b"\n") == 1


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="ends a process as POSIX does")
@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_a_server_that_is_told_to_end_does_so_though_the_service_hangs(running, tmp_path, ending):
    running.faults.add("hang", seconds=300, operation="POST /v2/translate")
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    texts = {"rows": ["Es hängt"], "target_lang": "EN-US", "source_lang": "DE", "budget": 100}
    messages = [
        {"id": 1, "method": "initialize", "params": client},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": "translate", "arguments": texts}},
    ]
    env = {**os.environ, **account(running), "SVC_STORE": str(tmp_path / "answers.sqlite")}
    pipe = subprocess.PIPE
    command = [sys.executable, "-m", "svc_nb", "mcp"]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=env, cwd=ROOT, bufsize=0) as server:
        for message in messages:
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        until(lambda: running.traffic.in_flight, process=server)
        server.send_signal(ending)
        assert server.wait(60) == 128 + ending
        assert server.stderr.read() == b"svc-nb: interrupted\n"
