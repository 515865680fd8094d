"""Questions of a repository with the evidence for each of their candidate files."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from bench.answers.headings import drawn_headings
from bench.answers.history import History, commits
from bench.answers.judge import kept_set, of_commits
from bench.ranking import trees
from bench.ranking.judgements import Judgement
from bench.ranking.repositories import Repository
from index_format import Snapshot
from index_format.records import replace
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.search import DEFAULT_WEIGHTS
from repo_mcp.search.query.query import parse_query
from repo_mcp.search.ranked.file_evidence import file_evidence
from repo_mcp.search.ranked.file_passages import PathWeights
from repo_mcp.search.ranked.meaning import QueryEmbedding
from repo_mcp.search.ranked.query_terms import FEWEST_WORDS, parse_words
from repo_mcp.search.ranked.ranked_chunks import ChunkRanker
from repo_mcp.search.ranked.term_lookup import look_up
from repo_mcp.services import services
from repo_mcp.settings import Options
from repo_mcp.vectors.choice import open_embedder

if TYPE_CHECKING:
    import numpy.typing as npt

WORDS_ALONE: Final = replace(DEFAULT_WEIGHTS, learned=0.0)
_COMMITS: Final = 120
_VERB: Final = re.compile(r"[A-Z][a-z]+\b")
# questions about what a sentence of documentation says
_QUESTIONS: Final = (
    "where does it {}",
    "which code is there to {}",
    "how does this {}",
    "what is used to {}",
    "I want to {}, where is that",
)


class Question(NamedTuple):
    """A question, its candidate files as words order them, and their evidence."""

    repository: str
    kind: str
    text: str
    files: list[str]
    rows: npt.NDArray[np.float64]
    right: frozenset[str]
    # false where words alone have ranked the files
    has_meaning: bool

    @property
    def labels(self) -> npt.NDArray[np.float64]:
        """1 for each right candidate."""
        return np.array([float(path in self.right) for path in self.files])


def questions(history: History, keep: Path, git: Path | None) -> list[Question]:
    """All questions of a repository that have a learned order."""
    root = keep / "trees" / history.folder
    data = keep / "vectors" / history.folder
    parts = services(
        Options(str(root), str(data), watch=False, embeddings=True, embedding_model="")
    )
    parts.manager.refresh(Budget())
    snapshot = parts.manager.snapshot()
    if snapshot is None:
        raise LookupError(root)
    embedding = QueryEmbedding(open_embedder(""), light=True)
    asked = dict.fromkeys(_asked(history, keep, root, git))
    found = (
        _with_evidence(snapshot, used, history.name, *item)
        for item in asked
        for used in (embedding, None)
    )
    return [item for item in found if item is not None]


def _asked(
    history: History, keep: Path, root: Path, git: Path | None
) -> Iterator[tuple[str, str, frozenset[str]]]:
    """Kind, text and right files."""
    for item in _commits(history, keep, root, git):
        yield "changes", item.query, _paths(item)
    for item in kept_set(keep, history.folder, "documented"):
        yield "documented", item.query, _paths(item)
        text = as_question(item.query)
        if text:
            yield "questions", text, _paths(item)
    for form, text, files in drawn_headings(root):
        yield f"headings {form}", text, frozenset(files)


def as_question(sentence: str) -> str:
    """Make "Return the name." "how does this return the name"; empty if it has no such verb."""
    if _VERB.match(sentence) is None:
        return ""
    chance = hashlib.sha256(sentence.encode()).digest()[0]
    words = sentence[0].lower() + sentence[1:].rstrip(".")
    return _QUESTIONS[chance % len(_QUESTIONS)].format(words)


def _commits(history: History, keep: Path, root: Path, git: Path | None) -> list[Judgement]:
    if git is None:
        return kept_set(keep, history.folder, "changes")
    repository = Repository(history.folder, history.split, ())
    texts = dict(trees.texts(root))
    patches = commits(git / history.folder / "repo", history)
    return of_commits(repository, texts, patches, _COMMITS)


def _paths(item: Judgement) -> frozenset[str]:
    return frozenset(place.path for place in item.places)


def _with_evidence(
    snapshot: Snapshot,
    embedding: QueryEmbedding | None,
    repository: str,
    kind: str,
    text: str,
    right: frozenset[str],
) -> Question | None:
    try:
        query = parse_words(parse_query(text).plain or text)
    except Problem:
        return None
    if len(query.words) < FEWEST_WORDS or query.written_name is not None:
        return None
    statistics = look_up(snapshot, query, WORDS_ALONE)
    meaning = None if embedding is None else embedding.of(snapshot, query, WORDS_ALONE)
    ranker = ChunkRanker(snapshot, statistics, WORDS_ALONE, meaning)
    passages = [(item.score, item.path, item.chunk) for item in ranker.best()]
    scores, ranked = ranker.looks[-1] if passages else (None, None)
    if scores is None or ranked is None or any(ranked.declares):
        return None
    cosines = None if meaning is None else meaning.of_files(passages)
    weights = PathWeights(query, WORDS_ALONE)
    best, rows = file_evidence(scores, passages, ranked.shares, statistics, weights, cosines)
    return Question(repository, kind, text, [*best], rows, right, embedding is not None)
