"""The design card: each named package does what it is for, and large repositories start fast."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import msgpack
import pytest
import xxhash
from mcp.server.lowlevel import Server as SdkServer
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern
from whoosh.scoring import BM25FScorer

from bench.conftest import SCHEMA
from bench.corpus import CHUNKS_PER_FILE, document, synthetic
from index_format import Index, MemoryStore, WeightedTerm, top_chunks
from index_format.analysis.content import fingerprint
from index_format.codec.segment_meta import SegmentMeta, encode_meta
from index_format.store.memory_store import MemoryReader
from repo_mcp.indexing.walk.gitignore import IgnoreRules
from repo_mcp.protocol.http.server import SingleCore, application
from tests.repo_mcp.server_process import PROGRAM, Server
from tests.repo_mcp.trees import write
from tests.waiting import HANG

if TYPE_CHECKING:
    from repo_mcp.protocol.core import Core

ROOT = Path(__file__).parents[2]
TEXT = b"def needle(): pass\n"
FEW, MANY = 200, 3200
CODEX: Final[dict[str, Any]] = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "codex-mcp-client", "version": "1"},
}


class RefusedError(Exception):
    """A package was asked for what it is for."""


def refuse(*_: object, **__: object) -> object:
    raise RefusedError


def packed() -> object:
    return encode_meta(SegmentMeta(1, 1, []), SCHEMA)


def fingerprinted() -> object:
    return fingerprint(TEXT)


def ignored() -> object:
    rules = IgnoreRules().with_rules(b"card*card.so*\n")
    return rules.ignores("card-card.so.1", folder=False)


def scored() -> object:
    index = indexed(1)[1]
    return top_chunks(index.snapshot(), [WeightedTerm("body", b"w0", 1.0)], 1)


def served() -> object:
    return application(SingleCore(cast("Core", object()), "token"), "127.0.0.1")


@pytest.mark.requirement("CARD-packages")
@pytest.mark.parametrize(
    ("owner", "name", "act"),
    [
        (msgpack, "packb", packed),
        (xxhash, "xxh3_128_digest", fingerprinted),
        (GitIgnoreSpecPattern, "pattern_to_regex", ignored),
        (BM25FScorer, "__init__", scored),
        (SdkServer, "__init__", served),
    ],
    ids=["msgpack", "xxhash", "pathspec", "whoosh", "mcp"],
)
def test_each_package_of_the_card_does_what_it_is_for(
    monkeypatch: pytest.MonkeyPatch, owner: object, name: str, act: Callable[[], object]
) -> None:
    monkeypatch.setattr(owner, name, refuse)
    with pytest.raises(RefusedError):
        act()


class CountingReader(MemoryReader):
    """Counts the bytes that are read."""

    total = 0

    def read(self, offset: int, length: int) -> bytes:
        type(self).total += length
        return super().read(offset, length)


class CountingStore(MemoryStore):
    """A store whose readers count."""

    def open(self, name: str) -> MemoryReader:
        reader = super().open(name)
        return CountingReader(name, reader.read(0, reader.size))


def indexed(files: int) -> tuple[CountingStore, Index]:
    store = CountingStore()
    index = Index(store, SCHEMA)
    with index.writer() as writer:
        for file in synthetic(files * CHUNKS_PER_FILE):
            writer.add(document(file, writer.vocabulary, 30))
        writer.commit()
    return store, index


def read_by_a_cold_query(files: int) -> tuple[int, int]:
    """Bytes of an index, and how many of them its first reader reads to look one word up."""
    store, _ = indexed(files)
    size = sum(store.open(name).size for name in store.names())
    CountingReader.total = 0
    snapshot = Index(store, SCHEMA).snapshot()
    assert snapshot.counts(snapshot.postings(0, b"w1f4"))[0] > 0
    return size, CountingReader.total


@pytest.mark.requirement("CARD-monorepo")
def test_a_cold_query_reads_a_part_of_a_large_index_that_grows_more_slowly() -> None:
    small, read_of_small = read_by_a_cold_query(FEW)
    large, read_of_large = read_by_a_cold_query(MANY)
    assert large > 8 * small
    assert read_of_large < 4 * read_of_small
    assert read_of_large < large / 4


@pytest.mark.servers
@pytest.mark.requirement("CARD-monorepo", "CARD-packages")
def test_the_regression_suite_runs_as_a_user_runs_it_and_its_results_compare(
    tmp_path: Path,
) -> None:
    stored = tmp_path / "stored.json"
    suite = ["bench/regressions", "-k", "build", "--benchmark-enable", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", *suite, f"--benchmark-json={stored}"]
    # as a user runs it, and not in a worker of the tests, where nothing is timed
    around = {name: text for name, text in os.environ.items() if "PYTEST" not in name}
    done = subprocess.run(
        command, cwd=ROOT, env=around, capture_output=True, text=True, timeout=HANG, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads(stored.read_text("utf-8"))
    (timed,) = result["benchmarks"]
    assert timed["extra_info"]["times the fixed work"] > 0
    timed["stats"]["median"] *= 3
    timed["extra_info"]["times the fixed work"] *= 3
    other = tmp_path / "other.json"
    other.write_text(json.dumps(result), "utf-8")
    command = [sys.executable, "-m", "bench.compare", str(stored), str(other)]
    said = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=HANG, check=True
    ).stdout
    assert "median_ms / build" in said
    assert "noted / build / times the fixed work" in said
    assert said.count("+200%") == 2


@pytest.mark.servers
@pytest.mark.requirement("CARD-monorepo")
def test_codex_starts_the_server_that_is_installed_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write(tmp_path / "root", {"a.py": TEXT, ".git/HEAD": "x"})
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    install = [*PROGRAM, "install", "codex", "--repo-root", str(root)]
    subprocess.run(install, cwd=root, capture_output=True, timeout=HANG, check=True)
    written = tomllib.loads((tmp_path / "codex" / "config.toml").read_text("utf-8"))
    (entry,) = written["mcp_servers"].values()
    with subprocess.Popen(
        [entry["command"], *entry["args"]],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=tmp_path,
        env={**os.environ, **entry.get("env", {})},
    ) as process:
        assert process.stdin
        assert process.stdout
        server = Server(process, process.stdin, process.stdout)
        opened = server.ask(1, "initialize", **CODEX)
        assert opened["result"]["serverInfo"]["name"] == "repo-mcp"
        server.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
        names = [tool["name"] for tool in server.ask(2, "tools/list")["result"]["tools"]]
        (search,) = [name for name in names if name in {"repo.search", "repo_search"}]
        found = server.ask(3, "tools/call", name=search, arguments={"query": "needle"})
        assert "a.py" in json.dumps(found["result"])
        assert server.close() == 0
