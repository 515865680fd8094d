"""Files of a question in words have a learned order; names, quotes and conditions have none."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from index_format.records import replace
from repo_mcp.model import SearchAnswer
from repo_mcp.question.query import parse_words
from repo_mcp.search import DEFAULT_WEIGHTS
from repo_mcp.search.ranked.engine import RankedEngine
from repo_mcp.search.ranked.file_evidence import COLUMNS, name_parts
from repo_mcp.search.ranked.learned_order import LEARNED_ORDER
from repo_mcp.search.ranked.ranked_chunks import ChunkRanker
from repo_mcp.search.ranked.term_lookup import look_up
from repo_mcp.search.ranked.trees import MODELS, parse_trees, read_trees
from tests.repo_mcp.trees import FOREVER, Services, served, write

QUESTION = "how is the cache of a reader filled"
TREE: dict[str, str | bytes] = {
    "src/reader_cache.py": "def fill_cache(reader):\n    reader.cache = dict(reader.items())\n",
    "src/reader.py": "class Reader:\n    def items(self):\n        return self.cache\n",
    "src/writer.py": "def write(cache, reader):\n    return cache\n",
    "tests/test_reader_cache.py": "def test_cache(reader):\n    assert reader.cache\n",
    "docs/cache.md": "# Cache\n\nA reader has a cache that is filled once.\n",
}
Split = tuple[int, float, bool]
Node = float | tuple[Split, Any, Any]


def ask(services: Services, query: str, *, explain: bool = False, **weights: float) -> SearchAnswer:
    snapshot = services.manager.snapshot()
    assert snapshot is not None
    engine = RankedEngine(services.sandbox, services.languages, replace(DEFAULT_WEIGHTS, **weights))
    return engine.search(snapshot, query, 10, None, FOREVER, explain=explain)


def unlearned(services: Services, query: str) -> SearchAnswer:
    return ask(services, query, learned=0.0)


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Services:
    folder: Path = tmp_path_factory.mktemp("learned")
    found = served(write(folder / "root", TREE), folder / "data")
    found.manager.refresh(FOREVER, force=False)
    return found


def test_the_explanation_has_the_factor_of_each_file(services: Services) -> None:
    plain = {(hit.path, hit.start_line): hit.score for hit in unlearned(services, QUESTION).hits}
    seen = set()
    for hit in ask(services, QUESTION, explain=True).hits:
        factors = [reason.weight for reason in hit.reasons if reason.field == "learned"]
        before = plain[hit.path, hit.start_line]
        assert hit.score == pytest.approx(before * (factors[0] if factors else 1.0), rel=0.01)
        seen.update(factors)
    assert len(seen) > 1


def test_the_best_score_stays_as_it_was(services: Services) -> None:
    best, before = (
        max(hit.score for hit in found(services, QUESTION).hits) for found in (ask, unlearned)
    )
    assert best == pytest.approx(before)


@pytest.mark.parametrize(
    "query",
    [
        "reader",
        "fill_cache",
        "reader cache",
        '"reader.cache" is filled by whom',
        "+cache reader fill",
    ],
)
def test_names_quotes_and_conditions_are_left_to_words(services: Services, query: str) -> None:
    learned, plain = ask(services, query), unlearned(services, query)
    assert [(hit.path, hit.score) for hit in learned.hits] == [
        (hit.path, hit.score) for hit in plain.hits
    ]


def test_the_order_does_not_depend_on_the_segments_of_the_index(
    services: Services, tmp_path: Path
) -> None:
    root = tmp_path / "root"
    write(root, {path: TREE[path] for path in list(TREE)[3:]})
    apart = served(root, tmp_path / "data")
    apart.manager.refresh(FOREVER, force=False)
    for path in reversed(list(TREE)[:3]):
        write(root, {path: TREE[path]})
        apart.manager.refresh(FOREVER, force=True)
    for query in (QUESTION, "fix: fill the cache of readers", "where a reader has items"):
        one, other = (
            [(hit.path, hit.score) for hit in ask(item, query).hits] for item in (services, apart)
        )
        assert one == other


@st.composite
def nodes(draw: st.DrawFn, leaves: int = 4) -> Node:
    if leaves == 1:
        return float(draw(st.integers(-8, 8)))
    split = draw(st.integers(0, 3)), float(draw(st.integers(-3, 3))), draw(st.booleans())
    left = draw(st.integers(1, leaves - 1))
    return split, draw(nodes(left)), draw(nodes(leaves - left))


def walk(node: Node, row: list[float]) -> float:
    """The leaf of one row, by the splits one after the other."""
    while isinstance(node, tuple):
        (column, threshold, missing_left), left, right = node
        number = row[column]
        goes_left = missing_left if math.isnan(number) else number <= threshold
        node = left if goes_left else right
    return node


def as_data(node: Node) -> dict[str, Any]:
    splits: list[Split] = []
    leaves: list[tuple[dict[int, int], float]] = []

    def visit(node: Node, way: dict[int, int]) -> None:
        if not isinstance(node, tuple):
            leaves.append((way, node))
            return
        number = len(splits)
        splits.append(node[0])
        visit(node[1], {**way, number: 1})
        visit(node[2], {**way, number: -1})

    visit(node, {})
    return {
        "columns": [split[0] for split in splits],
        "thresholds": [split[1] for split in splits],
        "missing_left": [int(split[2]) for split in splits],
        "paths": [[way.get(at, 0) for at in range(len(splits))] for way, _ in leaves],
        "values": [value for _, value in leaves],
    }


NUMBER = st.one_of(st.just(math.nan), st.integers(-4, 4).map(float))


@given(
    st.lists(nodes(), min_size=1, max_size=5),
    st.lists(st.lists(NUMBER, min_size=4, max_size=4), min_size=1, max_size=6),
)
def test_all_trees_at_once_add_up_to_what_each_gives(
    made: list[Node], rows: list[list[float]]
) -> None:
    trees = parse_trees(
        json.dumps({"columns": list("abcd"), "slope": 1.0, "trees": list(map(as_data, made))})
    )
    expected = [sum(walk(node, row) for node in made) for row in rows]
    assert trees.sums(np.array(rows)).tolist() == expected


def test_what_was_learned_speaks_of_the_evidence_there_is() -> None:
    trees = read_trees(LEARNED_ORDER)
    assert trees.columns == COLUMNS
    assert trees.slope > 0
    assert 0 <= trees.split_columns.min() <= trees.split_columns.max() < len(COLUMNS)
    # each leaf's way begins at the first split, and no two leaves of a tree are the same
    for tree in json.loads(Path(MODELS, LEARNED_ORDER).read_bytes())["trees"]:
        used = [tuple(way) for way in tree["paths"] if any(way)]
        assert len(set(used)) == len(used)


@pytest.mark.parametrize(
    ("path", "same"),
    [
        ("a/test_reader_cache.py", "b/reader_cache.py"),
        ("ReaderCache.test.ts", "readerCache.ts"),
        ("tests/ReaderCacheTest.java", "ReaderCache.java"),
        ("x/HTTPServerSpec.kt", "http_server.kt"),
    ],
)
def test_a_test_has_the_name_of_what_it_tests(path: str, same: str) -> None:
    assert name_parts(path) == name_parts(same)


def test_a_test_is_evidence_for_what_it_tests_and_not_for_itself(services: Services) -> None:
    snapshot = services.manager.snapshot()
    assert snapshot is not None
    ranker = ChunkRanker(snapshot, look_up(snapshot, parse_words(QUESTION)))
    assert any(ranker.best())
    evidence = ranker.evidence(ranker.looks[-1])
    tested = dict(zip(evidence.best, evidence.rows[:, COLUMNS.index("tested")], strict=True))
    assert tested["src/reader_cache.py"] > 0
    assert tested["tests/test_reader_cache.py"] == 0
