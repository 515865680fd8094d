"""Plain Whoosh: its BM25F and its analyser over chunks of 200 lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

from whoosh.analysis import StandardAnalyzer
from whoosh.fields import STORED, TEXT, Schema
from whoosh.filedb.filestore import RamStorage
from whoosh.query import Or, Term
from whoosh.scoring import BM25F

from bench.ranking.metrics import Ranked
from bench.ranking.trees import texts

LINES: Final = 200
# several chunks of one file must not displace other files
_DEEPER: Final = 10
_FIELDS: Final = ("body", "path")


def whoosh_chunks(root: Path) -> Callable[[str, int], list[Ranked]]:
    """Search a tree by an index in memory."""
    analyzer = StandardAnalyzer()
    fields = {name: TEXT(analyzer=analyzer, phrase=False) for name in _FIELDS}
    index = RamStorage().create_index(Schema(place=STORED, **fields))
    writer = index.writer(limitmb=256)
    for path, text in texts(root):
        for first, last, body in chunks(text):
            writer.add_document(body=body, path=path, place=(path, first, last))
    writer.commit()
    searcher = index.searcher(weighting=BM25F())

    def search(query: str, limit: int) -> list[Ranked]:
        asked = dict.fromkeys(token.text for token in analyzer(query))
        terms = [Term(field, word) for word in asked for field in _FIELDS]
        found = searcher.search(Or(terms), limit=limit * _DEEPER)
        return until((Ranked(*hit["place"]) for hit in found), limit)

    return search


def until(answers: Iterable[Ranked], files: int) -> list[Ranked]:
    """The first answers with so many different files, or all if there are fewer."""
    taken: list[Ranked] = []
    seen: set[str] = set()
    for answer in answers:
        if len(seen | {answer.path}) > files:
            break
        seen.add(answer.path)
        taken.append(answer)
    return taken


def chunks(text: str) -> Iterator[tuple[int, int, str]]:
    """First line, last line and text of each chunk, from line 1."""
    rows = text.split("\n")
    for start in range(0, len(rows), LINES):
        part = rows[start : start + LINES]
        yield start + 1, start + len(part), "\n".join(part)
