"""Searches whose segments are read in shards: the answers of one machine, or what is missing."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

import pytest

from index_format import DistributedSnapshot, Snapshot
from repo_mcp.budget import Budget
from repo_mcp.search import SHARD_MISSING, ExactEngine, ExactQuery, RankedEngine
from repo_mcp.vectors.choice import open_embedder
from tests.repo_mcp.search.shards import ShardsHere
from tests.repo_mcp.trees import FOREVER, Services, served, write

NOUNS = ["buffer", "packet", "socket", "header", "cursor", "window", "signal", "handle"]
VERBS = ["parse", "read", "write", "close", "open", "flush", "merge", "count"]
QUERIES = [
    *("parse", "parse header", "closing sockets of the window", "readBuffer", "parse_header_all"),
    *("flush()", "count AND merge", "packet -socket", '"def parse_header"', '"returns the buffer"'),
    *(
        "path:net socket",
        "symbol:write",
        "sig*",
        "op* cursor",
        "socxet",
        "signel",
        "nothing_at_all",
    ),
    *("net/module3.py", "fix: header: closes packets twice", "handle OR signal", "NOT parse"),
    *("merges counted windows and flushes the buffers that signals have opened before",),
]
EXACT = ["parse_", "return", "ead", "def", "ÜBER", "close_window", "xyzzy", "e"]
REGEX = [r"def \w+_header", r"(read|write)_\w+", r"\d+", r"^import", r"flush_s"]


class Tree(NamedTuple):
    services: Services
    snapshot: Snapshot


def text(random: Random, number: int) -> str:
    lines = ["import socket", f'"""Module {number} {random.choice(NOUNS)}s."""']
    for _ in range(random.randint(2, 14)):
        verb, noun = random.choice(VERBS), random.choice(NOUNS)
        lines += [
            f"def {verb}_{noun}({random.choice(NOUNS)}):",
            f'    """{verb.title()}s and returns the {noun} of every {random.choice(NOUNS)}."""',
            f"    return {random.choice(VERBS)}{noun.title()}({random.randint(0, 99)})  # Über",
            "",
        ]
    return "\n".join(lines)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    """Nine segments, in which some files are dead."""
    random, folder = Random(5), tmp_path_factory.mktemp("distributed")
    (folder / "root").mkdir()
    services = served(folder / "root", folder / "data", workers=1, embedding_model="")
    for step in range(9):
        files = {
            f"{random.choice(['net', 'io', 'tests'])}/module{number}.py": text(random, number)
            for number in range(step * 12, step * 12 + 20)
        }
        write(folder / "root", dict(files))
        services.manager.refresh(FOREVER)
    snapshot = services.manager.snapshot()
    assert snapshot is not None
    assert len(snapshot.segments) > 4
    assert any(item.dead_files for item in snapshot.segments)
    return Tree(services, snapshot)


def deal(snapshot: Snapshot, random: Random, count: int) -> list[list[str]]:
    """The segments, dealt to so many shards, of which some may be empty."""
    groups: list[list[str]] = [[] for _ in range(count)]
    for item in snapshot.segments:
        random.choice(groups).append(item.entry.name)
    return groups


def distributed(snapshot: Snapshot, seed: int, count: int) -> DistributedSnapshot:
    return DistributedSnapshot(snapshot, ShardsHere(snapshot, deal(snapshot, Random(seed), count)))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("query", QUERIES)
def test_ranked_answers_of_shares_are_those_of_one_machine(
    tree: Tree, query: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if seed % 2:  # a single term is searched by the bounds of its blocks
        monkeypatch.setattr("repo_mcp.search.ranked.candidates._PLACES", 5)
    sandbox, languages = tree.services.sandbox, tree.services.languages
    embedder = open_embedder("") if seed == 2 else None
    engine = RankedEngine(sandbox, languages, embedder=embedder)
    there = distributed(tree.snapshot, seed, seed + 1)
    for top, glob in ((3, None), (40, None), (5, "net/**")):
        asked = query, top, glob, Budget()
        expected = engine.search(tree.snapshot, *asked, explain=True)
        assert engine.search(there, *asked, explain=True) == expected


@pytest.mark.parametrize("limit", [0, 3, 1000, None])
@pytest.mark.parametrize(
    ("pattern", "regex"), [*((item, False) for item in EXACT), *((item, True) for item in REGEX)]
)
def test_exact_answers_of_shares_are_those_of_one_machine(
    tree: Tree, pattern: str, *, regex: bool, limit: int | None
) -> None:
    engine = ExactEngine(tree.services.sandbox)
    for case in (False, True):
        query = ExactQuery((pattern,), regex, case, limit=limit)
        expected = engine.find(tree.snapshot, query, Budget())
        found = engine.find(distributed(tree.snapshot, 3, 4), query, Budget())
        assert list(found.matches) == list(expected.matches)
        assert found.per_file == expected.per_file
        assert (found.complete, found.warnings) == (expected.complete, expected.warnings)


def lose(tree: Tree, seed: int) -> tuple[ShardsHere, DistributedSnapshot, set[str]]:
    """A distributed snapshot that lacks the shard of one segment, and the files in that shard."""
    groups = deal(tree.snapshot, Random(seed), 4)
    shards = ShardsHere(tree.snapshot, groups)
    shards.lost = {next(names[0] for names in groups if names)}
    lost = next(set(names) for names in groups if shards.lost & set(names))
    segments = [item for item in tree.snapshot.segments if item.entry.name in lost]
    files = {path.decode() for item in segments for path, _ in item.live_files()}
    assert files
    return shards, DistributedSnapshot(tree.snapshot, shards), files


@pytest.mark.parametrize("seed", range(3))
def test_an_exact_answer_lacks_the_files_of_a_missing_share_and_says_so(
    tree: Tree, seed: int
) -> None:
    engine = ExactEngine(tree.services.sandbox)
    shards, there, files = lose(tree, seed)
    query = ExactQuery(("return",), limit=None)
    expected = engine.find(tree.snapshot, query, Budget())
    found = engine.find(there, query, Budget())
    left = [match for match in expected.matches if match.path not in files]
    assert list(found.matches) == left
    assert not found.complete
    (warning,) = found.warnings
    assert warning.code == SHARD_MISSING
    assert set(warning.names) >= shards.lost
    assert f"{len(files)} of {tree.snapshot.file_count} files" in warning.text
    shards.lost.clear()
    assert list(engine.find(there, query, Budget()).matches) == list(expected.matches)


@pytest.mark.parametrize("query", ["parse header", "closing sockets", '"def parse_header"', "sig*"])
def test_a_ranked_answer_without_a_share_says_so_and_the_next_one_is_whole(
    tree: Tree, query: str
) -> None:
    engine = RankedEngine(tree.services.sandbox, tree.services.languages)
    shards, there, files = lose(tree, 1)
    found = engine.search(there, query, 40, None, Budget())
    assert SHARD_MISSING in {warning.code for warning in found.warnings}
    assert found.hits
    assert files.isdisjoint(hit.path for hit in found.hits)
    shards.lost.clear()
    whole = engine.search(there, query, 40, None, Budget())
    assert whole == engine.search(tree.snapshot, query, 40, None, Budget())


@pytest.mark.parametrize("query", [*QUERIES[:13], "fix: header: closes packets twice"])
def test_whoever_asks_reads_no_dictionary_and_no_postings(
    tree: Tree, query: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = distributed(tree.snapshot, 2, 3)

    def refuse(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(DistributedSnapshot, "postings", refuse)
    monkeypatch.setattr(DistributedSnapshot, "terms", refuse)
    engine = RankedEngine(tree.services.sandbox, tree.services.languages)
    assert engine.search(there, query, 10, None, Budget()).terms


def test_the_second_time_only_the_best_chunks_are_asked_for(tree: Tree) -> None:
    shards = ShardsHere(tree.snapshot, deal(tree.snapshot, Random(1), 3))
    there = DistributedSnapshot(tree.snapshot, shards)
    engine = RankedEngine(tree.services.sandbox, tree.services.languages)
    query = "closing sockets of the window"
    engine.search(there, query, 10, None, Budget())
    assert shards.asked == ["PrefixTerms", "TermCounts", "BestChunks"]
    engine.search(there, query, 10, None, Budget())
    assert shards.asked[3:] == ["BestChunks"]


@pytest.mark.parametrize("query", [*QUERIES[:12], "windov"])
def test_without_any_share_nothing_is_found_and_said_so(tree: Tree, query: str) -> None:
    shards = ShardsHere(tree.snapshot, deal(tree.snapshot, Random(1), 3))
    shards.lost = {item.entry.name for item in tree.snapshot.segments}
    there = DistributedSnapshot(tree.snapshot, shards)
    found = RankedEngine(tree.services.sandbox, tree.services.languages).search(
        there, query, 10, None, Budget()
    )
    assert found.hits == ()
    assert found.warnings[0].code == SHARD_MISSING
    assert set(found.warnings[0].names) == shards.lost
