"""A server that may follows the folders that its client has open."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.app import App
from repo_mcp.protocol.call import Call
from repo_mcp.protocol.eras import Peer
from repo_mcp.protocol.rounds import Answers
from repo_mcp.settings import read_options
from repo_mcp.settings.values import ConfigError
from repo_mcp.settings.workspace_roots import roots_of_client
from tests.repo_mcp.protocol.protocol_talk import KEY, META, MODERN, Talk
from tests.repo_mcp.tree_files import write
from tests.repo_mcp.workspace.workspaces import serve

LIST = "roots/list"
WITH_ROOTS = {**META, KEY + "clientCapabilities": {"roots": {}}}


class Client:
    """A caller with folders open."""

    client = "tests"
    token = ""
    reads_structured = True
    is_task = False
    has_silent_roots = False

    def __init__(self, *folders: Path) -> None:
        self.folders = folders
        self.asked = 0

    def is_cancelled(self) -> bool:
        return False

    def progress(self, done: int, total: int, what: str) -> None: ...

    def log(self, level: str, text: str) -> None: ...

    def sample(self, prompt: str, tokens: int) -> None: ...

    def list_roots(self) -> Sequence[dict[str, Any]]:
        self.asked += 1
        return [{"uri": folder.as_uri(), "name": folder.name} for folder in self.folders]


@pytest.fixture
def top(tmp_path: Path) -> Path:
    write(tmp_path / "lib", {"rates.py": "def add_tax(price):\n    return price\n"})
    write(tmp_path / "web", {"till.py": "def total(prices):\n    return add_tax(1)\n"})
    return tmp_path


def search(app: App, caller: Client) -> str:
    found = app.run_tool("repo.search", {"query": "add_tax"}, caller)
    return str(found["content"][0]["text"])


def test_the_folders_that_a_client_has_open_are_served(
    top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("repo_mcp.settings.workspace_roots.is_too_broad", lambda _: False)
    flags = [("repo_root", str(top / "web")), ("client_roots", "on")]
    with serve(*flags, data=top / "data") as app:
        caller = Client(top / "lib", top / "web")
        found = search(app, caller)
        assert "lib/rates.py" in found
        assert "web/till.py" in found
        search(app, caller)
        assert caller.asked == 1
        caller.folders = (top / "lib",)
        app.roots_changed()
        found = search(app, caller)
        assert "\nrates.py" in found
        assert "till.py" not in found
        caller.folders = ()
        app.roots_changed()
        assert "\nrates.py" in search(app, caller)
        assert caller.asked == 3


def test_a_client_that_says_no_changes_is_asked_again_after_a_minute(
    top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("repo_mcp.settings.workspace_roots.is_too_broad", lambda _: False)
    flags = [("repo_root", str(top / "web")), ("client_roots", "on")]
    with serve(*flags, data=top / "data") as app:
        now = [1.0]
        app._roots._clock = lambda: now[0]
        caller = Client(top / "lib")
        caller.has_silent_roots = True
        search(app, caller)
        caller.folders = (top / "web",)
        now[0] = 60.0
        assert "rates.py" in search(app, caller)
        assert caller.asked == 1
        now[0] = 61.0
        assert "till.py" in search(app, caller)
        assert caller.asked == 2


def test_folders_that_change_keep_to_one_data_folder(
    top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("repo_mcp.settings.workspace_roots.is_too_broad", lambda _: False)
    flags = [("repo_root", str(top / "web")), ("client_roots", "on")]
    with serve(*flags, data=top / "data") as app:
        caller = Client(top / "lib")
        for folders in ((top / "lib",), (top / "lib", top / "web"), (top / "web",)):
            caller.folders = folders
            app.roots_changed()
            search(app, caller)
    assert sorted(path.name[:3] for path in (top / "data" / "roots").iterdir()) == ["lib", "web"]
    assert not [*(top / "data" / "roots").glob("*/roots")]


def test_a_server_in_a_broad_folder_waits_for_the_folders_of_its_client(
    top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("repo_mcp.settings.workspace_roots.is_too_broad", lambda _: False)
    monkeypatch.setenv("HOME", str(top))
    monkeypatch.chdir(top)
    flags = [("client_roots", "on"), ("data_dir", str(top / "data")), ("watch", "off")]
    with pytest.raises(ConfigError, match="too broad"):
        read_options(flags, {})
    app = App(read_options(flags, {}, serves=True), lambda: 1.0, links_ahead=False)
    app.begin()
    assert [item["name"] for item in app.resources()] == ["repo-mcp"]  # the skill
    caller = Client()
    refused = search(app, caller)
    assert "root_missing" in refused
    assert "the client tells none" in refused
    assert not (top / ".repo_mcp").exists()
    caller.folders = (top / "lib",)
    app.roots_changed()
    assert "rates.py" in search(app, caller)
    app.services.close()


@pytest.mark.parametrize(
    ("version", "offered", "silent"),
    [
        ("2025-11-25", {"roots": {"listChanged": True}}, False),
        ("2025-11-25", {"roots": {}}, True),
        ("2025-11-25", {}, False),
        ("2026-07-28", {"roots": {"listChanged": True}}, True),
        ("2026-07-28", {}, False),
    ],
)
def test_clients_that_do_not_say_changes(
    version: str,
    offered: dict[str, Any],
    silent: bool,  # noqa: FBT001 a case
) -> None:
    call = Call(Peer(version, offered), Talk().session, {}, Answers())
    assert call.has_silent_roots is silent


def test_nobody_is_asked_unless_the_user_allows_it(top: Path) -> None:
    with serve(("repo_root", str(top / "web")), data=top / "data") as app:
        caller = Client(top / "lib")
        assert "till.py" in search(app, caller)
        app.roots_changed()
        assert "rates.py" not in search(app, caller)
        assert caller.asked == 0


@pytest.mark.skipif(sys.platform == "win32", reason="paths of POSIX")
@pytest.mark.parametrize(
    "uri",
    [
        "file:///",
        "file:///tmp",
        "file:///nowhere/at/all",
        "file://elsewhere{lib}",
        "https://host{lib}",
        "{lib}",
        "file:rates",
        "file:///%00{lib}",
        "file://[{lib}",
        "",
    ],
)
def test_an_address_that_is_no_folder_here_is_left_out(top: Path, uri: str) -> None:
    listed: list[dict[str, Any]] = [{"uri": uri.format(lib=top / "lib")}, {"uri": 7}, {}]
    assert roots_of_client(listed) == ()


def test_folders_of_one_name_get_numbers(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("repo_mcp.settings.workspace_roots.is_too_broad", lambda _: False)
    other = write(top / "deep" / "lib", {"x.py": "1\n"})
    listed = [{"uri": (top / "lib").as_uri()}, {"uri": other.as_uri()}, {"uri": other.as_uri()}]
    assert [root.name for root in roots_of_client(listed)] == ["lib", "lib-2"]


@pytest.mark.parametrize(
    ("capabilities", "asked"), [({"roots": {}}, 1), ({"roots": {"listChanged": True}}, 1), ({}, 0)]
)
def test_only_a_client_that_has_roots_is_asked(
    capabilities: dict[str, Any], asked: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("repo_mcp.protocol.deprecated.ROOTS_SECONDS", 0.0)
    talk = Talk("2025-11-25", capabilities)
    found: list[Any] = []

    def does(_: object, caller: Any) -> dict[str, Any]:  # noqa: ANN401 a call
        assert isinstance(caller, Call)
        found.extend(caller.list_roots())
        return {"content": [], "isError": False}

    talk.offer.does = does
    talk.result("tools/call", name="do.it", arguments={})
    assert found == []
    assert len([message for message in talk.sent if message.get("method") == LIST]) == asked


def test_a_client_tells_its_folders_and_that_they_changed() -> None:
    talk = Talk("2025-11-25", {"roots": {}})
    found: list[Any] = []
    sent = talk.session._send

    def answer(line: bytes) -> None:
        sent(line)
        message = talk.sent[-1]
        if message.get("method") == LIST:
            reply = {"roots": [{"uri": "file:///a"}, "no root"]}
            talk.session.receive(
                b'{"jsonrpc": "2.0", "id": "%s", "result": %s}'
                % (message["id"].encode(), str(reply).replace("'", '"').encode())
            )

    talk.session._send = answer  # a client that answers at once

    def does(_: object, caller: Any) -> dict[str, Any]:  # noqa: ANN401 a call
        found.extend(caller.list_roots())
        return {"content": [], "isError": False}

    talk.offer.does = does
    talk.result("tools/call", name="do.it", arguments={})
    assert found == [{"uri": "file:///a"}]
    talk.tell("notifications/roots/list_changed")
    assert talk.offer.changes_of_roots == 1


def test_a_client_of_the_modern_era_tells_its_folders_in_a_second_round() -> None:
    talk = Talk(MODERN)
    found: list[Any] = []

    def does(_: object, caller: Any) -> dict[str, Any]:  # noqa: ANN401 a call
        found.append(caller.list_roots())
        return {"content": [], "isError": False}

    talk.offer.does = does
    asked = {"name": "do.it", "arguments": {}, "_meta": WITH_ROOTS}
    first = talk.result("tools/call", **asked)
    assert first["resultType"] == "input_required"
    ((key, question),) = first["inputRequests"].items()
    assert question == {"method": LIST, "params": {}}
    for answer, told in (
        ({"roots": [{"uri": "file:///a", "name": "a"}, 7]}, [{"uri": "file:///a", "name": "a"}]),
        ({"roots": "none"}, []),
        (None, []),
    ):
        again = {"requestState": first["requestState"], "inputResponses": {key: answer}}
        assert talk.result("tools/call", **asked, **again)["resultType"] == "complete"
        assert found.pop() == told
    assert found == []


def test_a_client_of_the_modern_era_without_roots_is_not_asked() -> None:
    talk = Talk(MODERN)
    found: list[Any] = []

    def does(_: object, caller: Any) -> dict[str, Any]:  # noqa: ANN401 a call
        found.extend(caller.list_roots())
        return {"content": [], "isError": False}

    talk.offer.does = does
    answer = talk.result("tools/call", name="do.it", arguments={}, _meta=META)
    assert answer["resultType"] == "complete"
    assert found == []
