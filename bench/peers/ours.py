"""This project's own searches, as the server makes them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Final

from bench.peers.process import Ask, Tree
from bench.peers.table import Kind
from repo_mcp.budget import Budget
from repo_mcp.question.query import parse_words
from repo_mcp.search import ChunkRanker, ExactEngine, ExactQuery, RankedEngine, look_up
from repo_mcp.services import services
from repo_mcp.settings import Options

_TOP: Final = 10
_LINES: Final = 50


def engine(_name: str, tree: Tree, folder: Path) -> Mapping[Kind, Ask]:
    """Open the index once; every answer is of files as they are now."""
    found = services(Options(str(tree.root), str(folder), watch=False))
    snapshot = found.manager.snapshot()
    if snapshot is None:
        raise FileNotFoundError(folder)
    exact, answers = ExactEngine(found.sandbox), RankedEngine(found.sandbox, found.languages)

    def ranked(query: str) -> list[str]:
        best = ChunkRanker(snapshot, look_up(snapshot, parse_words(query))).best()
        return [hit.path for hit in islice(best, _TOP)]

    def passages(query: str) -> list[str]:
        hits = answers.search(snapshot, query, _TOP, None, Budget()).hits
        return [hit.path for hit in hits]

    def lines(query: str, *, regex: bool) -> list[str]:
        asked = ExactQuery((query,), regex=regex, limit=_LINES)
        return [item.path for item in exact.find(snapshot, asked, Budget()).matches]

    return {
        "ranked": ranked,
        "passages": passages,
        "phrase": lambda query: passages(f'"{query}"'),
        "literal": lambda query: lines(query, regex=False),
        "regex": lambda query: lines(query, regex=True),
        "symbol": passages,
    }
