"""Server processes: many concurrent calls, termination at any point, several on one repository."""

from __future__ import annotations

import json
import subprocess
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.repo_mcp.server_process import PROGRAM, Server, request, running
from tests.repo_mcp.trees import write
from tests.waiting import HANG

pytestmark = pytest.mark.servers

CALLS = 200
SERVERS = 4
TOLD = "notifications/progress"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(
        tmp_path / "root", {f"{n % 7}/f{n}.py": f"def word{n}(): pass\n" for n in range(90)}
    )


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """Takes a while to index."""
    text = "\n".join(f"word{n} other{n * 7}" for n in range(600))
    return write(tmp_path / "large", {f"{n}.py": f"{n}\n{text}" for n in range(60)})


def search(id_: int | str, query: str) -> bytes:
    return request(id_, "tools/call", name="repo.search", arguments={"query": query})


def hits(answer: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = answer["result"]["structuredContent"]["result"]["hits"]
    return found


def checked(root: Path, data: Path) -> str:
    """The output of `check` for an index that has to be sound."""
    command = [*PROGRAM, "check", "--repo-root", str(root), "--data-dir", str(data)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_each_of_many_calls_at_once_is_answered_by_its_own_result(
    root: Path, tmp_path: Path
) -> None:
    with running(root, tmp_path / "data") as server:
        server.ask("first", "tools/call", name="repo.refresh_index", arguments={})
        server.send(*(search(n, f"word{n % 90}") for n in range(CALLS)))
        answers = {
            answer["id"]: hits(answer) for answer in (server.receive() for _ in range(CALLS))
        }
        assert sorted(answers) == list(range(CALLS))
        for number, found in answers.items():
            assert found[0]["path"] == f"{number % 90 % 7}/f{number % 90}.py"
        assert server.close() == 0


def test_half_a_message_at_the_end_is_no_message(root: Path, tmp_path: Path) -> None:
    with running(root, tmp_path / "data") as server:
        server.ask(1, "ping")
        server.raw(request(2, "ping")[:-1])
        assert server.close() == 0


def in_the_middle(server: Server) -> None:
    """Have it index, until it has told that it does."""
    arguments: dict[str, Any] = {"force": True}
    meta = {"progressToken": 1}
    params = {"name": "repo.refresh_index", "arguments": arguments, "_meta": meta}
    server.send(request("slow", "tools/call", **params))
    assert server.receive()["method"] == TOLD


@pytest.mark.parametrize("way", ["terminate", "kill", "end of input"])
def test_the_index_is_sound_wherever_the_server_was_ended(
    large: Path, tmp_path: Path, way: str
) -> None:
    with running(large, tmp_path / "data") as server:
        server.ask("first", "tools/call", name="repo.refresh_index", arguments={})
        in_the_middle(server)
        server.process.stdin.close() if way == "end of input" else getattr(server.process, way)()  # type: ignore[union-attr]
        server.process.wait(timeout=HANG)
    assert checked(large, tmp_path / "data").endswith("sound\n")
    with running(large, tmp_path / "data") as server:
        done = server.ask(1, "tools/call", name="repo.refresh_index", arguments={})
        assert done["result"]["structuredContent"]["result"]["indexed_files"] == 60
        server.send(search(2, "word599"))
        assert hits(server.receive())
        assert server.close() == 0
    assert checked(large, tmp_path / "data").endswith("sound\n")


def test_a_cancelled_refresh_is_not_answered_and_the_server_goes_on(
    large: Path, tmp_path: Path
) -> None:
    with running(large, tmp_path / "data") as server:
        in_the_middle(server)
        cancel = {"requestId": "slow", "reason": "the person said stop"}
        message = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancel}
        server.send(json.dumps(message).encode(), request("after", "ping"))
        answers = [server.receive()]
        while answers[-1].get("id") != "after":
            answers.append(server.receive())
        assert {answer.get("method", answer.get("id")) for answer in answers} <= {TOLD, "after"}
        done = server.ask(1, "tools/call", name="repo.refresh_index", arguments={})
        assert done["result"]["structuredContent"]["result"]["indexed_files"] == 60
        assert server.close() == 0


@pytest.mark.requirement("CAE-transport")
def test_servers_that_start_at_once_build_one_index_and_answer_alike(
    root: Path, tmp_path: Path
) -> None:
    with ExitStack() as stack:
        servers = [stack.enter_context(running(root, tmp_path / "data")) for _ in range(SERVERS)]
        for server in servers:
            server.send(search("early", "word7"))
        for server in servers:
            assert hits(server.receive())[0]["path"] == "0/f7.py"
        for server in servers:
            server.ask("wait", "tools/call", name="repo.refresh_index", arguments={})
        for server in servers:
            server.send(search("late", "word8"))
        late = [server.receive()["result"]["structuredContent"]["result"] for server in servers]
        assert all(found == late[0] for found in late)
        assert late[0]["hits"][0]["path"] == "1/f8.py"
        assert [server.close() for server in servers] == [0] * SERVERS
    assert checked(root, tmp_path / "data").endswith("sound\n")
