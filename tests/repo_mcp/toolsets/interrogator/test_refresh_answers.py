"""Answers of `repo.refresh_index` before its work is complete."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from index_format import IndexWriter
from repo_mcp.budget import Budget
from repo_mcp.indexing.build.tasks import FileTasks
from repo_mcp.indexing.keep import refresh
from repo_mcp.indexing.keep.refresh import Refresh
from repo_mcp.repository import repository
from tests.repo_mcp.server_process import Server, request, running
from tests.repo_mcp.toolsets.interrogator.calls import Caller
from tests.repo_mcp.trees import FOREVER, served, write
from tests.waiting import HANG

INFO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "tester", "version": "1.0"},
}
CANCEL = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}'
BUSY = "another process is writing the index"


class Gate:
    """Holds a round up, and lets those whose budget it decides wait until it is reached."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.reached = threading.Event()
        self.free = threading.Event()

    def open(self) -> None:
        """Hold nothing up any more."""
        self.name = ""
        self.reached.clear()
        self.free.set()

    def budget(self, own: Budget) -> Budget:
        """One that is spent once the round is reached."""
        gate = self

        class Until(Budget):
            @property
            def spent(self) -> bool:
                return gate.reached.is_set()

        return Until(None, own._cancelled)


def held(monkeypatch: pytest.MonkeyPatch, name: str, root: Path) -> Gate:
    """Holds up refreshes of this root alone: threads of other tests may still be at work."""
    gate = Gate(name)
    go_on = Refresh._round

    def wait(
        run: Refresh,
        writer: IndexWriter,
        name: str,
        wanted: FileTasks,
        **options: Any,  # noqa: ANN401 as they are
    ) -> bool:
        if name == gate.name and Path(run._text.sandbox.anchor).samefile(root):
            gate.reached.set()
            assert gate.free.wait(HANG)
        return go_on(run, writer, name, wanted, **options)

    monkeypatch.setattr(Refresh, "_round", wait)
    monkeypatch.setattr(refresh, "_ONE_ROUND_BYTES", 0)
    return gate


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files: dict[str, str | bytes] = {
        "a.py": "def needle(): pass\n",
        "b.py": "def thread(): pass\n",
        "c.txt": "text\n",
    }
    return write(tmp_path / "root", files)


@pytest.fixture
def call(root: Path, tmp_path: Path) -> Caller:
    return Caller(root, tmp_path / "data")


@pytest.fixture
def gate(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, root: Path
) -> Iterator[Gate]:
    found = held(monkeypatch, request.param, root)
    with monkeypatch.context() as limited:
        limited.setattr(Budget, "within", lambda own, _: found.budget(own))
        limited.setattr(repository, "PatientBudget", lambda own, *_, **__: found.budget(own))
        yield found
        found.open()


@pytest.mark.requirement("INT-11.6-refresh")
@pytest.mark.parametrize("gate", ["symbols"], indirect=True)
def test_when_only_declarations_are_left_all_else_is_told(call: Caller, gate: Gate) -> None:
    answer = call("repo.refresh_index")
    found = answer["result"]
    assert (found["added"], found["updated"], found["removed"]) == (3, 0, 0)
    assert (found["indexed_files"], found["text_left"], found["declarations_left"]) == (3, 0, 2)
    assert (found["complete"], found["text_complete"]) == (False, True)
    assert any("the refresh continues in the background" in text for text in answer["warnings"])
    status = call.result("repo.status")
    assert found["timestamp"] == status["last_refresh"] != ""
    assert status["declarations_complete"] is False
    assert [hit["path"] for hit in call.result("repo.search", query="needle")["hits"]] == ["a.py"]
    gate.open()
    assert call.result("repo.refresh_index")["complete"]
    assert call.result("repo.status")["declarations_complete"]


@pytest.mark.parametrize("gate", ["words"], indirect=True)
def test_what_is_not_read_yet_is_not_called_added(call: Caller, gate: Gate) -> None:
    found = call.result("repo.refresh_index")
    assert (found["added"], found["indexed_files"], found["timestamp"]) == (0, 0, "")
    assert (found["text_left"], found["declarations_left"]) == (3, 2)
    assert (found["complete"], found["text_complete"]) == (False, False)
    gate.open()
    # what ends while it waits is counted too: the first answer could not tell of it
    assert call.result("repo.refresh_index")["added"] == 3


@pytest.mark.parametrize("gate", ["symbols"], indirect=True)
def test_changes_and_removals_are_told_too(
    root: Path, tmp_path: Path, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as free:
        free.setattr(gate, "name", "")
        served(root, tmp_path / "data").manager.refresh(FOREVER)
    write(root, {"a.py": "def changed(): pass\n", "d.py": "new = 1\n"})
    (root / "c.txt").unlink()
    found = Caller(root, tmp_path / "data").result("repo.refresh_index")
    assert (found["added"], found["updated"], found["removed"]) == (1, 1, 1)
    assert (found["indexed_files"], found["declarations_left"]) == (3, 2)


def test_two_at_once_are_both_answered(call: Caller) -> None:
    answers: list[dict[str, Any]] = []
    threads = [
        threading.Thread(target=lambda: answers.append(call.result("repo.refresh_index")))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(HANG)
    assert [(found["complete"], found["indexed_files"]) for found in answers] == [(True, 3)] * 4


def test_another_process_is_waited_for_no_longer_than_the_limit(root: Path, tmp_path: Path) -> None:
    other = served(root, tmp_path / "data").manager
    other.refresh(FOREVER)
    call = Caller(root, tmp_path / "data")
    call.clock.step = call.app.services.running().tools.repository.settings.refresh_seconds / 20
    with other.text.store.lock(0):
        answer = call("repo.refresh_index")
        assert any(BUSY in text for text in answer["warnings"])
        assert (answer["result"]["complete"], answer["result"]["indexed_files"]) == (False, 3)
        status = call.result("repo.status")
        assert (status["refreshing"], status["progress"]) == (True, BUSY)


def begun(server: Server) -> Server:
    server.ask("begin", "initialize", **INFO)
    return server


def ask(server: Server, id_: int) -> None:
    server.send(
        request(
            id_,
            "tools/call",
            name="repo.refresh_index",
            arguments={},
            _meta={"progressToken": id_},
        )
    )


def until_told(server: Server, what: str) -> None:
    while what not in str(server.receive()["params"].get("message")):
        pass


def answer_of(server: Server) -> dict[str, Any]:
    while "result" not in (message := server.receive()):
        assert message["method"] == "notifications/progress"
    found: dict[str, Any] = message["result"]["structuredContent"]
    return found


@pytest.mark.servers
def test_a_server_waits_for_another_process_and_answers_from_what_it_made(
    root: Path, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    other = served(root, data).manager
    other.refresh(FOREVER)
    with running(root, data, "--no-watch") as server:
        begun(server)
        with other.text.store.lock(0):
            ask(server, 1)
            until_told(server, BUSY)
        answer = answer_of(server)
    assert any("for another process that was" in text for text in answer["warnings"])
    found = answer["result"]
    assert (found["added"], found["indexed_files"], found["complete"]) == (0, 3, True)


@pytest.mark.servers
def test_who_waits_for_another_process_can_be_cancelled(root: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    other = served(root, data).manager
    other.refresh(FOREVER)
    with running(root, data, "--no-watch") as server:
        begun(server)
        with other.text.store.lock(0):
            ask(server, 1)
            until_told(server, BUSY)
            server.send(CANCEL, request(2, "ping"))
            while (message := server.receive()).get("id") != 2:
                assert message["method"] == "notifications/progress"
        ask(server, 3)
        assert answer_of(server)["result"]["complete"]


@pytest.mark.servers
def test_two_servers_index_once(root: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    with running(root, data, "--no-watch") as one, running(root, data, "--no-watch") as two:
        servers = [begun(one), begun(two)]
        for server in servers:
            ask(server, 1)
        found = [answer_of(server)["result"] for server in servers]
    assert [item["complete"] for item in found] == [True, True]
    assert [item["indexed_files"] for item in found] == [3, 3]
    assert sum(item["added"] for item in found) == 3
