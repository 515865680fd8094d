"""A hook is answered by the server that runs for its folder, as it would answer by itself."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.app import App
from repo_mcp.errors import Problem
from repo_mcp.hook import endpoint, running_server
from repo_mcp.hook.answer import answer_event
from repo_mcp.hook.event import format_answer, read_event
from repo_mcp.hook.listener import HookAnswers, listen
from repo_mcp.hook.question import question_in
from repo_mcp.running_services import ServiceStarter
from repo_mcp.settings import fix_paths
from tests.repo_mcp.hook.hook_tree import HookTree
from tests.repo_mcp.server_process import PROGRAM, running
from tests.waiting import HANG, until

PROMPT = "prompt"
LONG = 600.0


def event_in(folder: Path, prompt: str = "add_tax?") -> bytes:
    fields = {"hook_event_name": "UserPromptSubmit", "transcript_path": "", "prompt": prompt}
    return json.dumps({**fields, "cwd": str(folder)}).encode()


@pytest.fixture
def meeting() -> Iterator[Path]:
    """A folder for sockets, whose names may not be long."""
    folder = Path(tempfile.mkdtemp(prefix="hook", dir="/tmp"))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running_server, "_SECONDS", LONG)
    monkeypatch.setattr("repo_mcp.hook.weights.EventLimits.SECONDS", LONG)


@pytest.fixture
def answers(shop: HookTree) -> Iterator[HookAnswers]:
    app = App(fix_paths(shop.options), links_ahead=False)
    with closing(app.services.repository()._refresher):  # type: ignore[type-var]
        yield HookAnswers(fix_paths(shop.options), app.services)


@pytest.fixture
def listening(
    answers: HookAnswers, meeting: Path, shop: HookTree, monkeypatch: pytest.MonkeyPatch
) -> HookAnswers:
    assert listen(answers, meeting)
    monkeypatch.chdir(shop.root)
    return answers


def ask(meeting: Path, kind: str, event: bytes) -> bytes | None:
    return running_server.ask_server(kind, event, str(meeting))


@pytest.mark.usefixtures("listening")
@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("prompt", {"hook_event_name": "UserPromptSubmit", "prompt": "add_tax, Cart.total?"}),
        ("prompt", {"hook_event_name": "UserPromptSubmit", "prompt": "hello there"}),
        ("search", {"hook_event_name": "PostToolUse", "tool_input": {"pattern": "def zorptal"}}),
    ],
)
def test_the_answer_is_that_of_the_hook_itself(
    meeting: Path, shop: HookTree, kind: str, fields: dict[str, Any]
) -> None:
    data = json.dumps({**fields, "transcript_path": "", "cwd": str(shop.root)}).encode()
    event = read_event(data)
    assert event is not None
    question = question_in(kind, event)
    text = answer_event(kind, event, question, shop.options, LONG)
    own = format_answer(event, text) if text else b""
    assert ask(meeting, kind, data) == own
    if text:
        log = Path(str(shop.options.data_dir), "audit.jsonl")
        first, second = (json.loads(row) for row in log.read_text("utf-8").splitlines()[-2:])
        assert first["shown"] == second["shown"]
        assert first["tool"] == second["tool"] == f"hook.{kind}"


@pytest.mark.usefixtures("listening")
def test_what_a_client_writes_is_answered_with_silence(meeting: Path, shop: HookTree) -> None:
    assert ask(meeting, PROMPT, event_in(shop.root, "/compact")) == b""


@pytest.mark.usefixtures("listening")
@pytest.mark.parametrize(
    "event", [b"", b"add_tax?", event_in(Path("/")), event_in(Path("/no/such")), b"\0" * 9]
)
def test_an_event_of_another_folder_is_not_answered(meeting: Path, event: bytes) -> None:
    assert ask(meeting, PROMPT, event) is None


def test_a_request_of_another_version_is_not_answered(
    listening: HookAnswers, shop: HookTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = event_in(shop.root)
    assert listening.answer(endpoint.pack("prompt", event)) is not None
    assert listening.answer(endpoint.pack("stop", event)) is None
    assert listening.answer(b"") is None
    monkeypatch.setattr(endpoint, "__version__", "0.0.1")
    request_before = endpoint.pack("prompt", event)
    monkeypatch.undo()
    assert listening.answer(request_before) is None


def test_the_server_of_the_repository_around_a_folder_answers(
    meeting: Path, own_shop: HookTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = fix_paths(own_shop.options)
    app = App(options, links_ahead=False)
    assert listen(HookAnswers(options, app.services), meeting)
    inside = own_shop.root / "shop"
    monkeypatch.chdir(inside)
    assert ask(meeting, PROMPT, event_in(inside))
    (inside / ".git").mkdir()
    assert ask(meeting, PROMPT, event_in(inside)) is None


@pytest.mark.usefixtures("listening")
def test_a_hook_that_a_client_starts_elsewhere_asks_by_the_folder_of_its_event(
    meeting: Path, shop: HookTree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    event = event_in(shop.root)
    assert ask(meeting, PROMPT, event)
    assert ask(meeting, PROMPT, event.replace(b'"cwd": ', b'"cwd":'))
    # in doubt it looks by itself
    assert ask(meeting, PROMPT, event.replace(b"/", b"\\/")) is None
    assert ask(meeting, PROMPT, b'{"cwd": "relative"}') is None


def test_where_others_can_enter_nobody_listens_or_asks(
    listening: HookAnswers, meeting: Path, shop: HookTree
) -> None:
    event = event_in(shop.root)
    assert ask(meeting, PROMPT, event)
    meeting.chmod(0o755)
    assert ask(meeting, PROMPT, event) is None
    assert not listen(listening, meeting)
    meeting.chmod(0o700)
    link = meeting / "link"
    link.symlink_to(meeting)
    assert ask(link, PROMPT, event) is None
    assert not listen(listening, link)
    assert not listen(listening, meeting / "a" / "b")


def test_what_servers_leave_that_have_ended_is_removed(answers: HookAnswers, meeting: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as ended:
        ended.bind(str(meeting / "ended"))
    (meeting / "1-2.ended").symlink_to("ended")
    assert listen(answers, meeting)
    one = {path.name for path in meeting.iterdir()}
    assert len(one) == 2
    assert listen(answers, meeting)
    both = {path.name for path in meeting.iterdir()}
    assert one < both
    assert len(both) == 4


def test_after_an_error_the_hook_looks_by_itself(
    meeting: Path, shop: HookTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: ServiceStarter) -> None:
        raise Problem("internal")

    monkeypatch.setattr(ServiceStarter, "repository", fail)
    answers = HookAnswers(fix_paths(shop.options), App(shop.options).services)
    assert listen(answers, meeting)
    monkeypatch.chdir(shop.root)
    assert ask(meeting, PROMPT, event_in(shop.root)) is None
    # it goes on
    assert ask(meeting, PROMPT, event_in(shop.root, "/compact")) == b""


def test_a_server_that_does_not_answer_is_not_waited_for(
    meeting: Path, shop: HookTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running_server, "_SECONDS", 0.001)
    monkeypatch.chdir(shop.root)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as stopped:
        stopped.bind(str(meeting / "stopped"))
        stopped.listen()
        name = endpoint.link_name(shop.root.stat(), "stopped")
        (meeting / name).symlink_to("stopped")
        assert ask(meeting, PROMPT, event_in(shop.root)) is None


@pytest.mark.parametrize(
    "line",
    [
        ["serve"],
        ["hook"],
        ["hook", "stop"],
        ["hook", "prompt", "add_tax"],
        ["hook", "prompt", "--json"],
    ],
)
def test_the_input_of_other_commands_is_not_read(line: list[str]) -> None:
    assert running_server.read_input(line) is None


# a server's answer needs none of it, and each takes milliseconds
SLOW = {"argparse", "collections", "enum", "json", "numpy", "pathlib", "re", "socket", "typing"}
PROBE = """
import sys
sys.path.insert(0, {path!r})
sys.argv = ["repo-mcp", "hook", "prompt"]
from repo_mcp.server import main
main()
print("\\n", *sys.modules, sep="\\n")
"""


@pytest.mark.servers
def test_a_process_asks_the_server_of_its_folder(own_shop: HookTree) -> None:
    """Both as clients start them; the hook loads nothing that takes long."""
    root = own_shop.root
    (root / ".git").mkdir()
    begin = endpoint.link_name(root.stat(), "")
    folder = Path(endpoint.own_folder())

    def is_listening() -> bool:
        return folder.is_dir() and any(path.name.startswith(begin) for path in folder.iterdir())

    def hook(*line: str) -> bytes:
        data = event_in(root)
        done = subprocess.run(
            line, input=data, cwd=root, capture_output=True, timeout=HANG, check=False
        )
        assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout

    with running(root, Path(str(own_shop.options.data_dir))) as server:
        server.ask(1, "initialize", protocolVersion="2025-06-18")
        server.send(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}).encode())
        server.ask(2, "tools/list")
        assert until(is_listening)
        code = PROBE.format(path=str(Path(__file__).parents[3]))
        printed, _, modules = hook(sys.executable, "-I", "-S", "-c", code).partition(b"\n\n")
        output = json.loads(printed)["hookSpecificOutput"]
        assert "- add_tax: function, shop/tax.py:8-11" in output["additionalContext"]
        assert SLOW & {*modules.decode().split()} == set()
    # the hook alone finds no index, as it is in a folder that only the server was told of
    assert hook(*PROGRAM, "hook", "prompt") == b""
