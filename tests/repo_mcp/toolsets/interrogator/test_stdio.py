"""Real servers on one data folder: sequences of calls, and their audit log."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.repo_mcp.server_process import Server, running
from tests.repo_mcp.toolsets.interrogator.calls import check
from tests.repo_mcp.trees import write

pytestmark = pytest.mark.servers

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("repo.status", {}),
    ("repo.refresh_index", {}),
    ("repo.search", {"query": "needle"}),
    ("repo.search", {"query": "needle(", "mode": "literal"}),
    ("repo.search", {"query": r"need\w+", "mode": "regex"}),
    ("repo_list_files", {"glob": "**/*.py"}),
    ("repo.outline", {"path": "src/a.py"}),
    ("repo.open_file", {"path": "src/a.py", "end_line": "1"}),
    ("repo.open_file", {"path": ".env"}),
    ("repo.open_file", {"path": "../outside"}),
    ("repo.open_file", {"path": "none.py"}),
    ("repo.build_context_bundle", {"prompt": "fix needle()"}),
    ("repo.audit_log", {"limit": 3}),
]
INFO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "tester", "version": "1.0"},
}


def begin(server: Server) -> None:
    server.ask("begin", "initialize", **INFO)
    server.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')


@pytest.mark.requirement("INT-14-tests", "INT-11.8-audit-log", "INT-12-observability")
def test_every_call_of_every_server_is_in_the_log_once(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "src/a.py": "def needle(hay):\n    return hay\n",
        ".env": "TOKEN=hidden",
    }
    root, data = write(tmp_path / "root", files), tmp_path / "data"
    answered: list[tuple[str, str, bool, bool]] = []
    with running(root, data) as one, running(root, data) as two:
        begin(one)
        begin(two)
        for number, (name, arguments) in enumerate(CALLS):
            for server in (one, two):
                reply = server.ask(number, "tools/call", name=name, arguments=arguments)
                dotted = name.replace("repo_", "repo.")
                check(dotted, reply["result"], 10_000)
                found = reply["result"]["structuredContent"]
                answered.append((dotted, found["request_id"], found["ok"], found["blocked"]))
                assert "hidden" not in json.dumps(reply)
        assert (one.close(), two.close()) == (0, 0)
    lines = (data / "audit.jsonl").read_text().splitlines()
    records = [json.loads(line) for line in lines]
    written = [(it["tool"], it["request_id"], it["ok"], it["blocked"]) for it in records]
    assert written == answered
    assert {record["client"] for record in records} == {"tester 1.0"}
    assert len({record["process"] for record in records}) == 2
    codes = [record["code"] for record in records if not record["ok"]]
    assert codes == ["path_denied"] * 2 + ["path_outside"] * 2 + ["not_found"] * 2
    assert "outside" not in json.dumps([record["arguments"] for record in records]).replace(
        "path_outside", ""
    )
