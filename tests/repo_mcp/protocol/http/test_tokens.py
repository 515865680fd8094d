"""Several users over HTTP: each sees what the file of tokens lets it see, and takes its turn."""

from __future__ import annotations

import asyncio
import hashlib
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import cast

import httpx2
import pytest

from repo_mcp.answering.processes import AnsweringProcesses
from repo_mcp.app import App
from repo_mcp.audit.log import AuditLog
from repo_mcp.granted_cores import GrantedCores
from repo_mcp.protocol.http.fair_pool import FairPool
from repo_mcp.protocol.http.server import application
from repo_mcp.settings import read_options
from tests.repo_mcp.protocol.http.test_core import Http, running, shake_hands
from tests.repo_mcp.protocol.protocol_talk import META
from tests.repo_mcp.trees import write
from tests.waiting import HANG

TREE: dict[str, str | bytes] = {
    "src/card.py": "def pay():\n    pass\n",
    "secret/vault.py": "def open_vault():\n    pass\n",
}
PART = "part"
GRANTS = {"all": "", PART: 'paths = ["src"]', "same": 'paths = ["src"]'}


def write_tokens(folder: Path, grants: dict[str, str]) -> Path:
    """A file of tokens, each of which is its own name."""
    tables = (
        f'[tokens.{name}]\nsha256 = "{hashlib.sha256(name.encode()).hexdigest()}"\n{grant}\n'
        for name, grant in grants.items()
    )
    return write(folder, {"tokens.toml": "\n".join(tables)}) / "tokens.toml"


@asynccontextmanager
async def served(
    folder: Path, processes: AnsweringProcesses | None = None
) -> AsyncIterator[Callable[[str], Http]]:
    """Makes clients by their tokens."""
    root, data = write(folder / "shop", TREE), folder / "data"
    flags = [("repo_root", str(root)), ("data_dir", str(data)), ("watch", "off")]
    tokens = write_tokens(folder, GRANTS)
    options = read_options([*flags, ("http", "on"), ("http_tokens", str(tokens))], {})
    cores = GrantedCores(options, lambda: 1.0, processes)
    guard = application(cores, "127.0.0.1")
    clients = list[httpx2.AsyncClient]()

    def client(token: str) -> Http:
        headers = {"authorization": f"Bearer {token}"}
        transport = httpx2.ASGITransport(guard)
        made = httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=headers)
        clients.append(made)
        return Http(made)

    async with running(guard):
        try:
            yield client
        finally:
            for made in clients:
                await made.aclose()
            for core in cores.open_cores():
                cast("App", core._offer).services.close()


def talk(
    folder: Path,
    conversation: Callable[[Callable[[str], Http]], Awaitable[None]],
    processes: AnsweringProcesses | None = None,
) -> None:
    async def run() -> None:
        async with served(folder, processes) as client:
            await conversation(client)

    asyncio.run(run())


async def search(http: Http, query: str) -> str:
    """The text of an answer."""
    found = await http.say("tools/call", name="repo.search", arguments={"query": query}, _meta=META)
    return str(found[-1]["result"]["content"][0]["text"])


@pytest.mark.servers
@pytest.mark.parametrize("count", [0, 2])
def test_each_token_sees_what_it_may(tmp_path: Path, count: int) -> None:
    """Also where processes answer."""
    processes = AnsweringProcesses(count) if count else None

    async def conversation(client: Callable[[str], Http]) -> None:
        assert "secret/vault.py" in await search(client("all"), "vault")
        for token in ("part", "same"):
            assert "secret" not in (await search(client(token), "vault")).partition("\n")[2]
            assert "src/card.py" in await search(client(token), "pay")
        unknown = client("none")
        await unknown.say("ping", _meta=META)
        assert unknown.status == 401

    talk(tmp_path, conversation, processes)
    if processes is not None:
        processes.close()


def test_calls_are_logged_with_the_name_of_their_token(tmp_path: Path) -> None:
    """In one log for all; who asks for it by a tool gets the calls of its own token."""

    async def conversation(client: Callable[[str], Http]) -> None:
        for token in GRANTS:
            await search(client(token), f"words of {token}")
        same = client("same")
        answer = await same.say("tools/call", name="repo.audit_log", arguments={}, _meta=META)
        text = answer[-1]["result"]["content"][0]["text"]
        assert "words of same" in text
        assert "words of part" not in text
        assert "words of all" not in text

    talk(tmp_path, conversation)
    log = AuditLog(str(tmp_path / "data"))
    assert {entry.token for entry in log.recent().entries} == {*GRANTS}
    (entry,) = log.recent(token=PART).entries
    assert entry.arguments["query"] == "words of part"


def test_a_token_that_is_taken_out_of_the_file_opens_nothing_any_more(tmp_path: Path) -> None:
    async def conversation(client: Callable[[str], Http]) -> None:
        part, every = client("part"), client("all")
        await shake_hands(part)
        assert part.status == 200
        write_tokens(tmp_path, {"all": ""})
        await part.say("ping")
        assert part.status == 401
        assert "secret/vault.py" in await search(every, "vault")
        write_tokens(tmp_path, {**GRANTS, "all": 'paths = ["src"]'})
        assert "secret/vault.py" not in await search(every, "vault")

    talk(tmp_path, conversation)


def test_a_session_is_that_of_the_token_that_began_it(tmp_path: Path) -> None:
    async def conversation(client: Callable[[str], Http]) -> None:
        mine, theirs = client("all"), client("same")
        await shake_hands(mine)
        theirs.session = mine.session
        await theirs.say("ping")
        assert theirs.status == 404
        await mine.say("ping")
        assert mine.status == 200

    talk(tmp_path, conversation)


def test_whoever_asks_much_waits_for_itself() -> None:
    """One thread: the jobs of one owner come before the second job of another."""
    pool = FairPool(1, "test")
    began, go = threading.Event(), threading.Event()
    done = list[str]()

    def first() -> None:
        began.set()
        assert go.wait(HANG)

    pool.submit("much", first)
    assert began.wait(HANG)
    for number in range(3):
        pool.submit("much", partial(done.append, f"much {number}"))
    for number in range(2):
        pool.submit("little", partial(done.append, f"little {number}"))
    go.set()
    pool.shutdown()
    assert done == ["much 0", "little 0", "much 1", "little 1", "much 2"]


def test_a_job_that_fails_or_is_cancelled_costs_no_other() -> None:
    pool = FairPool(1, "test")
    began, go = threading.Event(), threading.Event()

    def fails() -> None:
        began.set()
        assert go.wait(HANG)
        raise ValueError

    failed = pool.submit("a", fails)
    assert began.wait(HANG)
    cancelled, last = pool.submit("a", lambda: 1), pool.submit("a", lambda: 2)
    assert cancelled.cancel()
    go.set()
    assert isinstance(failed.exception(HANG), ValueError)
    assert last.result(HANG) == 2
    pool.shutdown()
