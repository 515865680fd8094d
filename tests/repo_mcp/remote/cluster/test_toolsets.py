"""Every tool of a server whose workers read a published index: the answers of one machine.

The server keeps no copy of the index: what it does not ask workers for, it reads in place.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
pytest.importorskip("obstore", reason="the extra `cluster` is not installed")

from docs.sample_shop import commit_files
from repo_mcp.app import App
from repo_mcp.remote import publish_index
from repo_mcp.services import services
from repo_mcp.settings import Options
from repo_mcp.toolsets.catalog import TOOLSETS
from tests.repo_mcp.trees import FOREVER, write
from tests.waiting import until

pytestmark = pytest.mark.servers

FILES: dict[str, str | bytes] = {
    "shop/__init__.py": "",
    "shop/base.py": (
        "from abc import ABC, abstractmethod\n\n\n"
        "class Account(ABC):\n"
        '    """A kind of account."""\n\n'
        "    @abstractmethod\n"
        "    def pay(self, amount: int) -> bool: ...\n"
    ),
    "shop/cards.py": (
        "from shop.base import Account\n\n\n"
        "class Card(Account):\n"
        "    def pay(self, amount: int) -> bool:\n"
        "        return self._check(amount)\n\n"
        "    def _check(self, amount):\n"
        "        return len(str(amount)) < 9\n"
    ),
    "tests/test_till.py": "from shop.till import sell\n\n\ndef test_sell():\n    assert sell\n",
    "docs/guide.md": "# Paying\n\nHow an account pays for what is sold at the till.\n",
    **{
        f"shop/till{number or ''}.py": (
            "from shop.base import Account\nfrom shop.cards import Card\n\n\n"
            f"def sell{number or ''}(account: Account, price: int):\n"
            f'    """Sells at till {number}."""\n'
            "    return account.pay(price)\n\n\n"
            f"def sell_by_card{number or ''}(price):\n"
            "    card = Card()\n"
            "    return card.pay(price) or card.pay(0)\n"
        )
        for number in range(12)
    },
}
# which symbol a tool of the graph is asked about
SYMBOL: Final = "$shop.cards.Card.pay"
ASKED: Final[dict[str, list[dict[str, Any]]]] = {
    "repo.search": [
        *({"query": query} for query in ("sell card", '"account pays"', "path:docs till", "sel*")),
        {"query": "price", "mode": "literal", "show": "symbols"},
        {"query": r"def sell\w*\(", "mode": "regex"},
        {"query": "selll at tilll"},
        {"query": "nothing of this", "mode": "literal"},
    ],
    "repo.ask": [{"names": ["shop.cards.Card.pay"], "more": ["where is an amount checked"]}],
    "repo.open_file": [{"path": "shop/till.py", "start_line": 2}],
    "repo.outline": [{"path": "shop/cards.py", "with_references": True}],
    "repo.symbol": [{"name": "shop.cards.Card.pay"}],
    "repo.changes": [{}, {"rev": "HEAD"}],
    "repo.history": [{"text": "pay"}, {"path": "shop/cards.py", "lines": "1-3"}],
    "repo.list_files": [{"glob": "shop/*.py"}],
    "repo.build_context_bundle": [
        {"prompt": "how does Card.pay check an amount at the till?", "with_references": True},
        {"prompt": "tests of sell", "include_tests": True},
    ],
    "list_directory": [{"path": "shop"}],
    "read_file": [{"path": "shop/base.py"}],
    "search_symbols": [{"query": "sell"}, {"query": "pay", "node_type": "function"}],
    "get_file_outline": [{"path": "shop/base.py"}],
    "get_callers": [{"node_id": SYMBOL, "include_dispatch": True}],
    "get_callees": [{"node_id": SYMBOL, "include_external": True}],
    "get_references": [{"node_id": SYMBOL}],
    "get_symbol": [{"node_id": SYMBOL}],
    "lookup_symbol": [{"qualified_name": "shop.till.sell_by_card"}],
    "get_implementations": [{"node_id": "$shop.base.Account"}],
    "get_dependencies": [{"node_id": "$shop.till.sell_by_card", "include_external": True}],
    "get_dependents": [{"node_id": "$shop.cards.Card"}],
    "get_impact": [{"node_id": SYMBOL}],
    "get_path": [{"source": "shop.till.sell_by_card", "target": "shop.cards.Card"}],
    "find_similar": [{"node_id": "$shop.till.sell_by_card"}],
    "get_source_spans": [{"node_id": SYMBOL}],
    "get_directory_tree": [{"path": "", "depth": 2}],
    "search_code": [
        {"query": "sell by card"},
        {"query": "card = Card()\n    return card.pay(price) or card.pay(0)"},
    ],
    "search_docs": [{"query": "paying at the till"}],
    "code_research": [{"query": "how is a card paid?", "depth": 2}],
}
# they tell of the server itself: its folders, times and calls; or change the index
OF_THE_SERVER: Final = {
    *("repo.status", "repo.refresh_index", "repo.audit_log"),
    *("index_files", "get_status", "index_codebase"),
}
# they are asked of two folders that have indexes of their own
OF_FOLDERS: Final = "retrieval"


class Servers(NamedTuple):
    """One machine, and one that asks workers."""

    alone: App
    distributed: App
    data: Path


def checkout(
    folder: Path,
    files: Mapping[str, str | bytes] = FILES,
    **more: Any,  # noqa: ANN401 any option
) -> Options:
    """A checkout of some files, served with all tools."""
    root = write(folder / "root", dict(files))
    commit_files(root)
    for path in root.rglob("*.*"):  # listings tell when a file was changed
        os.utime(path, (1_700_000_000, 1_700_000_000))
    given: dict[str, Any] = {"watch": False, "workers": 1, "toolsets": ("all",), **more}
    return Options(str(root), str(folder / "data"), **given)


def publish_in_parts(folder: Path, url: str) -> None:
    """An index of several segments, as edits leave behind."""
    every = sorted(FILES)
    (folder / "root").mkdir(parents=True)
    parts = services(checkout(folder, {}))
    for at in range(3):
        checkout(folder, {path: FILES[path] for path in every[at::3]})
        parts.manager.refresh(FOREVER)
    snapshot = parts.manager.snapshot()
    assert snapshot is not None
    assert len(snapshot.segments) == 3
    parts.manager.link(FOREVER)
    publish_index(parts.settings, parts.manager.single, url, FOREVER)


def call(app: App, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return dict(app.call(name, arguments, lambda: False))


def given(app: App, arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments, with the id of the symbol whose name they have."""
    node = arguments.get("node_id", "")
    if not node.startswith("$"):
        return arguments
    (found,) = structured(call(app, "lookup_symbol", {"qualified_name": node[1:]}))["results"]
    return {**arguments, "node_id": found["node_id"]}


def as_bytes(answer: dict[str, Any]) -> bytes:
    """An answer as a client gets it, but for the id of the call."""
    request = str(answer.get("_meta", {}).get("repo-mcp/request_id", "-"))
    return json.dumps(answer).replace(request, "-").encode()


def structured(answer: dict[str, Any]) -> Any:  # noqa: ANN401 whatever the tool answers
    return answer["structuredContent"]


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    folder = tmp_path_factory.mktemp("servers")
    url = (folder / "published").as_uri()
    publish_in_parts(folder / "one", url)
    cache = str(folder / "cache")
    # a copy would be merged, and count its generations otherwise
    in_place = checkout(folder / "two", index_from=url, index_in_place=True, index_cache=cache)
    on_workers = checkout(folder / "three", engine="local:2", segments=url, index_cache=cache)
    # time stands still, so that no answer says that files are being compared again
    alone, distributed = (App(options, lambda: 1.0) for options in (in_place, on_workers))
    try:
        for app in (alone, distributed):
            call(app, "repo.search", {"query": "sell"})
            background = app.services.running().background
            background.refresh(FOREVER)
            assert background.wait_until_linked(FOREVER)
        wait_for_workers(distributed)
        yield Servers(alone, distributed, folder / "three" / "data")
    finally:
        for app in (alone, distributed):
            app.services.close()


def wait_for_workers(app: App) -> None:
    """Until the workers have opened the snapshot that the server answers from."""
    running = app.services.running()
    snapshot = running.tools.repository.current_index().snapshot
    assert snapshot is not None
    distributed = running.distributed
    assert distributed is not None
    assert until(lambda: distributed(snapshot).is_distributed)


def test_all_tools_are_asked() -> None:
    tools = {
        tool.name for toolset in TOOLSETS if toolset.name != OF_FOLDERS for tool in toolset.tools
    }
    assert tools == {*ASKED, *OF_THE_SERVER}


@pytest.mark.parametrize("name", ASKED)
def test_a_tool_answers_as_on_one_machine(servers: Servers, name: str) -> None:
    for arguments in ASKED[name]:
        asked = given(servers.alone, arguments)
        expected = call(servers.alone, name, asked)
        assert not expected.get("isError"), expected
        assert as_bytes(call(servers.distributed, name, asked)) == as_bytes(expected)


def test_no_segment_is_kept(servers: Servers) -> None:
    assert call(servers.distributed, "repo.search", {"query": "sell"})
    # commits are indexed here, and a local engine's workers have folders of their own there
    kept = {path.relative_to(servers.data).parts[0] for path in servers.data.rglob("seg-*.rix")}
    assert {name.partition("-")[0] for name in kept} <= {"engine", "history"}
    distributed = servers.distributed.services.running().distributed
    assert distributed is not None
    assert distributed.readers is not None
    assert distributed.readers._durations  # workers have answered
