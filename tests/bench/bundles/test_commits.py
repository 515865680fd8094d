"""The figures of bundles for commits: what a client gets, compared with a search of equal size."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.bundles.client import BUNDLE, Client
from bench.bundles.commits import measure, read, summary
from bench.ranking.judgements import Judgement, Place
from tests.repo_mcp.trees import write
from tests.waiting import until

FILES: dict[str, str | bytes] = {
    "cart.py": "def checkout(cart):\n    return total(cart)\n",
    "price.py": "def total(cart):\n    return sum(cart)\n",
    "walls.py": "def paint(colour):\n    return colour\n",
}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Client:
    folder = tmp_path_factory.mktemp("commits")
    return Client(write(folder / "root", FILES), folder / "data")


def _judgement(query: str, *paths: str) -> Judgement:
    return Judgement("shop", "subject", query, tuple(map(Place, paths)))


def test_recall_and_precision_are_shares_of_changed_and_shown_files(client: Client) -> None:
    found = measure(client, _judgement("checkout gives the wrong total", "cart.py", "walls.py"))
    assert set(found.shown) == {"cart.py", "price.py"}
    assert (found.recall, found.precision) == (0.5, 0.5)
    assert found.search_in_room_recall == found.search_recall == 0.5


def test_the_answer_is_that_of_the_tool_with_defaults(client: Client) -> None:
    judgement = _judgement("checkout gives the wrong total", "cart.py")
    linked = until(
        lambda: client(BUNDLE, prompt=judgement.query).result["audit"]["ties"] == "graph"
    )
    found = measure(client, judgement)
    answer = client(BUNDLE, prompt=judgement.query)
    assert linked
    cited = [item["citation"].rpartition(":")[0] for item in answer.result["excerpts"]]
    assert found.shown == tuple(cited)
    assert found.lines == answer.result["used"]["lines"] == 4
    assert found.characters == answer.size
    assert 0 < found.text_share < 1


def test_judgements_are_read_by_repository_and_the_first_few_of_each(tmp_path: Path) -> None:
    rows = [_judgement(f"query {at}", "a.py") for at in range(4)]
    path = tmp_path / "changes.test.txt"
    path.write_text("".join(f"{row.line()}\n" for row in rows))
    assert read(path, 3, []) == {"shop": rows[:3]}
    assert read(path, 3, ["other"]) == {}


def test_a_summary_has_the_mean_of_all(client: Client) -> None:
    rows = [
        measure(client, _judgement("checkout", "cart.py")),
        measure(client, _judgement("checkout", "walls.py")),
    ]
    assert "recall 0.500" in "\n".join(summary(rows))
