"""The table of the product is the one that its card and the list of repositories tell of."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from bench.vectors import repositories
from repo_mcp.vectors.choice import BUILT_IN
from repo_mcp.vectors.model import CARD, open_table
from repo_mcp.vectors.sides import open_sides

# of the table, and of the vectors of both sides
_MOST_BYTES = 8_000_000 + 10_500_000
_FOLDER = Path(BUILT_IN)


def test_the_table_is_whole_and_small() -> None:
    table = open_table(_FOLDER)
    assert open_sides(_FOLDER, table) is not None
    assert sum(path.stat().st_size for path in _FOLDER.iterdir()) <= _MOST_BYTES


def test_its_card_tells_of_the_listed_repositories() -> None:
    facts = json.loads((_FOLDER / CARD).read_text("utf-8"))["training"]
    listed = repositories.read()
    assert facts["repositories"] == sum(row.split == "train" for row in listed)
    assert facts["validation"] == sum(row.split == "validation" for row in listed)
    assert facts["licences"] == dict(Counter(row.licence for row in listed))


def test_its_words_are_parts_of_words_in_lower_case() -> None:
    words = [word.decode() for word in open_table(_FOLDER).words]
    assert all(word == word.lower() and len(word) > 1 for word in words)
    assert not any(set(word) & set("0123456789_ ") for word in words)
