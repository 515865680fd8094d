"""Calls that processes answer: as the server itself does, whatever happens to a process."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.answering.processes import (
    AnsweringProcesses,
    CallLostError,
    ParallelApp,
    processes_for,
)
from repo_mcp.app import App
from repo_mcp.audit.log import AuditLog
from repo_mcp.processes.pool import usual_workers
from repo_mcp.protocol.rounds import InputNeeded
from repo_mcp.settings import Options, read_options
from tests.repo_mcp.trees import write
from tests.waiting import HANG

pytestmark = pytest.mark.servers

TREE: dict[str, str | bytes] = {
    "src/card.py": "def pay(card):\n    return card\n",
    "src/cash.py": "from src.card import pay\n\n\ndef pay_cash():\n    return pay(1)\n",
    "docs/pay.md": "# How to pay\n\nWith a card: see src/card.py.\n",
}
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("repo.search", {"query": "pay"}),
    ("repo.search", {"query": "pay_?", "mode": "regex"}),
    ("repo.search", {"query": "\ud83d", "mode": "literal"}),
    ("repo.open_file", {"path": "src/card.py"}),
    ("repo.open_file", {"path": "none.py"}),
    ("repo.open_file", {"path": "src/card.py", "start_line": 10**30}),
    ("repo.outline", {"path": "src"}),
    ("repo.list_files", {}),
)
# what two servers can't have in common, which look at the files at other times
OWN = re.compile(
    r"request_id: \w+|generation \d+|\d+(?:\.\d+)? ms|\S+Z\b|warning: the index is as it was.*"
)
SAMPLED = {"query": "pay", "expand_query": True}


class Client:
    """A caller that keeps what it is told, and has a model."""

    client = "client 1"
    token = "ana"  # noqa: S105 the name of a user
    reads_structured = True
    has_silent_roots = False
    is_task = False

    def __init__(self, model: Callable[[str], str | None] = lambda _: None) -> None:
        self._model = model
        self.cancelled = threading.Event()
        self.told: list[str] = []

    def is_cancelled(self) -> bool:
        return self.cancelled.is_set()

    def progress(self, done: int, total: int, what: str) -> None:  # noqa: ARG002 of the contract
        self.told.append(what)

    def log(self, level: str, text: str) -> None:
        self.told.append(f"{level}: {text}")

    def sample(self, prompt: str, tokens: int) -> str | None:  # noqa: ARG002 as above
        return self._model(prompt)

    def list_roots(self) -> Sequence[dict[str, Any]]:
        return ()


def options_of(folder: Path, name: str) -> Options:
    root = write(folder / "shop", TREE)
    flags = [("repo_root", str(root)), ("data_dir", str(folder / name)), ("watch", "off")]
    return read_options([*flags, ("toolsets", "default,swiftindex"), ("index_share", "never")], {})


@pytest.fixture
def processes() -> Iterator[AnsweringProcesses]:
    made = AnsweringProcesses(2)
    yield made
    made.close()


@pytest.fixture
def app(tmp_path: Path, processes: AnsweringProcesses) -> ParallelApp:
    return ParallelApp(options_of(tmp_path, "data"), lambda: 1.0, processes)


@pytest.fixture
def indexed(app: ParallelApp) -> ParallelApp:
    app.run_tool("repo.search", {"query": "pay"}, Client())
    return app


def text_of(answer: Mapping[str, Any]) -> str:
    return OWN.sub("", str(answer["content"][0]["text"])).strip()


def test_answers_are_those_of_a_server_that_answers_itself(
    app: ParallelApp, tmp_path: Path
) -> None:
    alone = App(options_of(tmp_path, "other"), lambda: 1.0, links_ahead=False)
    for tool, arguments in CALLS:
        answers = [served.run_tool(tool, arguments, Client()) for served in (app, alone)]
        assert text_of(answers[0]) == text_of(answers[1])
        assert answers[0]["isError"] == answers[1]["isError"]
    alone.services.close()


def test_many_calls_at_once_have_their_own_answers(app: ParallelApp) -> None:
    def ask(number: int) -> bool:
        path = ("src/card.py", "src/cash.py", "docs/pay.md")[number % 3]
        text = text_of(app.run_tool("repo.open_file", {"path": path}, Client()))
        return str(TREE[path]).splitlines()[0] in text

    with ThreadPoolExecutor(12) as threads:
        assert all(threads.map(ask, range(60)))


def test_the_model_of_the_client_is_asked(indexed: ParallelApp) -> None:
    asked = list[str]()

    def answer(prompt: str) -> str:
        asked.append(prompt)
        return "cash\ncard"

    found = indexed.run_tool("search_code", SAMPLED, Client(answer))
    assert "Query: pay" in asked[0]
    assert "cash" in str(found["structuredContent"]["expansion"])


def test_a_model_that_is_asked_by_an_answer_leaves_the_call(indexed: ParallelApp) -> None:
    """It is made again with what the model says."""

    def ask(_: str) -> str:
        raise InputNeeded("1", "sampling/createMessage", {})

    with pytest.raises(InputNeeded):
        indexed.run_tool("search_code", SAMPLED, Client(ask))
    assert "cash" in str(indexed.run_tool("search_code", SAMPLED, Client(lambda _: "cash")))


def test_the_log_has_the_name_of_the_token(app: ParallelApp, tmp_path: Path) -> None:
    app.run_tool("repo.search", {"query": "pay"}, Client())
    (entry,) = AuditLog(str(tmp_path / "data")).recent().entries
    assert (entry.token, entry.client) == ("ana", "client 1")


def test_a_process_that_ends_costs_the_calls_that_it_answers(
    indexed: ParallelApp, processes: AnsweringProcesses
) -> None:
    def close(_: str) -> None:
        processes.close()

    with pytest.raises(CallLostError):
        indexed.run_tool("search_code", SAMPLED, Client(close))
    assert "def pay" in text_of(
        indexed.run_tool("repo.open_file", {"path": "src/card.py"}, Client())
    )


def test_a_cancelled_call_ends(app: ParallelApp) -> None:
    client = Client()
    client.cancelled.set()
    with ThreadPoolExecutor(1) as threads:
        call = threads.submit(app.run_tool, "repo.search", {"query": "pay"}, client)
        assert call.result(HANG)["isError"]


def test_an_index_that_was_begun_is_there_at_the_first_call(app: ParallelApp) -> None:
    app.begin()
    assert "src/cash.py" in text_of(app.run_tool("repo.search", {"query": "cash"}, Client()))


@pytest.mark.parametrize(
    ("users", "number", "several"),
    [
        ("", 0, False),
        ("tokens.toml", 0, usual_workers() > 1),
        ("tokens.toml", 1, False),
        ("", 3, True),
    ],
)
def test_several_users_have_several_processes(users: str, number: int, *, several: bool) -> None:
    options = Options("/r", http_tokens=users, http_processes=number)
    assert (processes_for(options) is not None) == several
