"""A folder of documents beside the code, as a client on standard input sees it: each kind."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

import pytest

from tests.repo_mcp.documents.pdf_files import pdf_of
from tests.repo_mcp.server_process import Server, running
from tests.repo_mcp.tree_files import write

pytestmark = pytest.mark.servers

CELLS: Final = [
    {"cell_type": "markdown", "metadata": {}, "source": ["# Harbour\n", "\n", "Barges moor.\n"]},
    {"cell_type": "code", "metadata": {}, "source": ["moor = 1\n"], "outputs": []},
]
NOTEBOOK: Final = json.dumps({"cells": CELLS, "metadata": {}, "nbformat": 4}, indent=1)
TICKETS: Final = json.dumps([{"number": 7, "title": "Forklift", "body": "The forklift squeaks."}])


class Kind(NamedTuple):
    """A document, a word that it alone has with its line, and the section around that, if any."""

    path: str
    data: str | bytes
    word: str
    line: int
    text: str
    section: str = ""


KINDS: Final = [
    Kind("a.md", "# Docks\n\nGulls nest.\n", "gulls", 3, "Gulls nest.", "Docks"),
    Kind("b.rst", "Piers\n=====\n\nSeals bask.\n", "seals", 4, "Seals bask.", "Piers"),
    Kind("c.adoc", "= Quays\n\nCrabs hide.\n", "crabs", 3, "Crabs hide.", "Quays"),
    Kind("d.html", "<h1>Locks</h1>\n<p>Eels pass.</p>\n", "eels", 2, "<p>Eels pass.</p>", "Locks"),
    Kind("e.ipynb", NOTEBOOK, "barges", 9, '    "Barges moor.\\n"', "Harbour"),
    Kind("f.txt", "Tides\n\nWaves rise.\n", "waves", 3, "Waves rise."),
    Kind("g.issues.json", TICKETS, "squeaks", 3, "The forklift squeaks.", "7: Forklift"),
    Kind("h.pdf", pdf_of(["Buoys float."]), "buoys", 2, "Buoys float."),
    Kind("i.csv", "ship,load\nketch,rope\n", "ketch", 2, "ketch,rope"),
    Kind("j.xml", "<log>\n<entry>Anchors hold.</entry>\n</log>\n", "anchors", 2, "<entry>Anchors"),
]


class Client:
    """Calls tools of one server."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._number = 1
        about = {"protocolVersion": "2025-06-18", "capabilities": {}}
        info = {"name": "test", "version": "1"}
        server.ask(1, "initialize", **about, clientInfo=info)
        server.send(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')

    def call(self, tool: str, /, **arguments: object) -> tuple[str, Mapping[str, Any]]:
        """The text of an answer and its values."""
        self._number += 1
        found = self._server.ask(self._number, "tools/call", name=tool, arguments=arguments)
        result = found["result"]
        return result["content"][0]["text"], result["structuredContent"]["result"]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    top = tmp_path_factory.mktemp("documents")
    write(top / "shop", {"till.py": "def total(prices):\n    return sum(prices)\n"})
    write(top / "handbook", {f"port/{kind.path}": kind.data for kind in KINDS})
    write(top, {"all.toml": '[roots]\nshop = "shop"\nhandbook = "handbook"\n'})
    with running(top / "all.toml", top / "data") as server:
        client = Client(server)
        client.call("repo.refresh_index")
        yield client


@pytest.mark.parametrize("kind", KINDS, ids=[kind.path for kind in KINDS])
def test_a_document_is_found_with_its_section(client: Client, kind: Kind) -> None:
    text, found = client.call("repo.search", query=kind.word)
    assert text.count("handbook/port/") >= 1
    hit = found["hits"][0]
    assert hit["path"] == f"handbook/port/{kind.path}"
    assert hit["start_line"] <= kind.line <= hit["end_line"]
    assert kind.section in (hit.get("symbol") or "")


@pytest.mark.parametrize("kind", KINDS, ids=[kind.path for kind in KINDS])
def test_its_lines_are_found_and_opened_as_they_are_named(client: Client, kind: Kind) -> None:
    _, found = client.call("repo.search", query=kind.word, mode="literal", ignore_case=True)
    (hit,) = found["files"]
    assert hit["path"] == f"handbook/port/{kind.path}"
    assert hit["lines"].startswith(f"{kind.line}: ")
    text, _ = client.call(
        "repo.open_file", path=hit["path"], start_line=kind.line, end_line=kind.line
    )
    assert kind.text in text


@pytest.mark.parametrize("kind", KINDS, ids=[kind.path for kind in KINDS])
def test_its_outline_lists_its_sections(client: Client, kind: Kind) -> None:
    text, _ = client.call("repo.outline", path=f"handbook/port/{kind.path}")
    assert not text.startswith("failed")
    assert kind.section in text


def test_a_question_is_answered_from_the_documents(client: Client) -> None:
    text, _ = client.call("repo.build_context_bundle", prompt="where do seals bask")
    assert "handbook/port/b.rst" in text
    assert "Seals bask." in text


def test_the_documents_alone_are_asked_by_their_name(client: Client) -> None:
    text, _ = client.call("repo.search", query="total repo:handbook")
    assert "till.py" not in text
    text, _ = client.call("repo.search", query="total")
    assert "shop/till.py" in text


def test_all_documents_are_indexed(client: Client) -> None:
    _, found = client.call("repo.list_files", glob="handbook/**")
    assert len(found["files"]) == len(KINDS)
