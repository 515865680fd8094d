"""Hits have one order: whoever asks for fewer, or by pages, gets the beginning of what is there."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from repo_mcp.search.ranked.engine import RankedEngine
from tests.repo_mcp.toolsets.interrogator.calls import Caller
from tests.repo_mcp.trees import FOREVER, Services, served, write

WORDS = ["parser", "token", "cache", "header", "stream", "socket"]
WORDS += ["buffer", "reader", "writer", "handle", "frame", "index"]
LINES = ["control character at {}", "import {}", "def {}_{}(order):"]
LINES += ["    return {}({}, {})", "{} {}"]
QUERIES = [
    "parser token",
    "how is the cache of a stream read by a handle",
    'the reader fails with "control character at socket" when the buffer is a frame',
    "error: control character at buffer 17 in the header of index 4",
    '"control character at socket"',
    '"control character" parser',
    "buffer -socket",
    "parser_token",
    "class cache",
    "token_stream",
    "head* frame",
    "tests of the socket",
    "import stream",
]


def tree(seed: int) -> dict[str, str | bytes]:
    """Files with more chunks than candidates, and some equal ones."""
    chance = random.Random(seed)
    files: dict[str, str | bytes] = {}
    for number in range(260):
        folder = chance.choice(["src", "tests", "docs", chance.choice(WORDS)])
        name = f"{folder}/{chance.choice(WORDS)}_{number}.{chance.choice(['py', 'py', 'md'])}"
        rows = [
            chance.choice(LINES).format(*chance.choices(WORDS, k=3))
            for _ in range(chance.randint(1, 160))
        ]
        files[name] = "\n".join(rows) + "\n"
    for number in range(4):
        files[f"src/long_{number}.py"] = (
            f"def own_token_stream_{number}(order):\n    return token_stream{'_of' * number}\n"
        )
    for name in chance.sample(sorted(files), 10):
        files[f"copy/{name}"] = files[name]
    return files


@pytest.fixture(scope="module", params=[1, 2])
def services(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Services:
    folder: Path = tmp_path_factory.mktemp("order")
    found = served(write(folder / "root", tree(request.param)), folder / "data")
    found.manager.refresh(FOREVER, force=False)
    return found


@pytest.mark.parametrize("query", QUERIES)
def test_fewer_hits_are_the_first_of_more(services: Services, query: str) -> None:
    snapshot = services.manager.snapshot()
    assert snapshot is not None
    engine = RankedEngine(services.sandbox, services.languages)

    def first(count: int) -> list[tuple[str, int, int, float]]:
        found = engine.search(snapshot, query, count, None, FOREVER)
        return [(hit.path, hit.start_line, hit.end_line, hit.score) for hit in found.hits]

    every = first(150)
    assert len(every) > 1
    assert [score for *_, score in every] == sorted((row[3] for row in every), reverse=True)
    for count in (1, 2, 5, 10, 37, 80):
        assert first(count) == every[:count]


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory) -> Caller:
    folder: Path = tmp_path_factory.mktemp("pages")
    return Caller(write(folder / "root", tree(3)), folder / "data")


@pytest.mark.parametrize("query", QUERIES)
def test_pages_together_are_the_deep_answer(call: Caller, query: str) -> None:
    deep = call.result("repo.search", query=query, top_k=30, max_chars=100_000)["hits"]
    paged: list[dict[str, object]] = []
    cursor = None
    while len(paged) < len(deep):
        found = call.result("repo.search", query=query, **({"cursor": cursor} if cursor else {}))
        paged += found["hits"]
        cursor = found.get("cursor")
        if not cursor:
            break
    places = [(hit["path"], hit["start_line"]) for hit in paged]
    assert places[: len(deep)] == [(hit["path"], hit["start_line"]) for hit in deep]
