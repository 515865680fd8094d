"""Questions of a repository with the evidence for each of their candidate files."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple
from zlib import crc32

import numpy as np

from bench.answers.headings import drawn_headings
from bench.answers.history import History, commits, known_past, repository_folder
from bench.answers.judge import is_source, kept_set, of_commits
from bench.answers.paraphrase import own_words, paraphrases, shared_words, tells
from bench.ranking import messages, trees
from bench.ranking.judgements import Judgement, Place
from bench.ranking.ours import opened
from bench.ranking.repositories import Repository
from code_graph.facts import decode_declarations
from code_graph.paths.path_kinds import is_test
from code_graph.query.model import FUNCTIONS
from code_graph.store.schema import FACTS
from index_format import Snapshot
from index_format.records import replace
from repo_mcp.errors import Problem
from repo_mcp.question.query import FEWEST_ASKED, FEWEST_WORDS, Query, parse_request
from repo_mcp.question.syntax.query import parse_query
from repo_mcp.search import DEFAULT_WEIGHTS, PastChanges
from repo_mcp.search.ranked.meaning import QueryEmbedding
from repo_mcp.search.ranked.past import QueryPast, is_about_change
from repo_mcp.search.ranked.ranked_chunks import ChunkRanker
from repo_mcp.search.ranked.term_lookup import look_up
from repo_mcp.search.ranked.weights import Weights
from repo_mcp.search.similar.rows import SymbolRows
from repo_mcp.services import Services
from repo_mcp.vectors.choice import open_embedder
from repo_mcp.vectors.words import parts_of_word

if TYPE_CHECKING:
    import numpy.typing as npt

WORDS_ALONE: Final = replace(DEFAULT_WEIGHTS, learned=0.0)
_COMMITS: Final = 120
_FEWEST_LEFT: Final = 3
# words of a message that is as long as a report
_FEWEST_TOLD: Final = 40
_WORD: Final = re.compile(r"\w+")
_VERB: Final = re.compile(r"[A-Z][a-z]+\b")
# questions about what a sentence of documentation says
_QUESTIONS: Final = (
    "where does it {}",
    "which code is there to {}",
    "how does this {}",
    "what is used to {}",
    "I want to {}, where is that",
)

# questions made of names: so many of a repository, of names with so many words behind the first, of
# functions with so many lines behind the first
_NAMED: Final = 15
_FEWEST_OTHER_WORDS: Final = 2
_FEWEST_LINES: Final = 4
_NAMED_QUESTIONS: Final = (
    "where is the {rest} {done}",
    "where does it {first} {rest}",
    "which code is there to {first} the {rest}",
    "how is {rest} {done} here",
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
    # true where commits are known
    has_past: bool

    @property
    def labels(self) -> npt.NDArray[np.float64]:
        """1 for each right candidate."""
        return np.array([float(path in self.right) for path in self.files])


def questions(history: History, keep: Path, git: Path | None) -> list[Question]:
    """All questions of a repository that have a learned order."""
    parts, snapshot, embedding = opened_tree(history, keep)
    asked = dict.fromkeys(_asked(history, keep, snapshot, git))
    commit = (git, history.base) if git is not None else None
    with known_past(parts, keep / "trees" / history.folder, history.name, commit) as past:
        found = [
            _with_evidence(snapshot, used, known, history.name, *item)
            for item in asked
            for used, known in _known(embedding, past)
        ]
    return [item for item in found if item is not None]


def _known(
    embedding: QueryEmbedding, past: PastChanges | None
) -> Iterator[tuple[QueryEmbedding | None, PastChanges | None]]:
    """The evidence that may be known beside words."""
    yield embedding, None
    yield None, None
    if past is not None:
        yield embedding, past


def opened_tree(history: History, keep: Path) -> tuple[Services, Snapshot, QueryEmbedding]:
    """The services of a repository, a snapshot of its index, and the meaning of its questions."""
    parts, snapshot = opened(keep / "trees" / history.folder, keep / "vectors" / history.folder, "")
    embedder = open_embedder("")
    return parts, snapshot, QueryEmbedding(embedder, light=True, rows=SymbolRows(embedder.width))


def _asked(
    history: History, keep: Path, snapshot: Snapshot, git: Path | None
) -> Iterator[tuple[str, str, frozenset[str]]]:
    """Kind, text and right files."""
    root = keep / "trees" / history.folder
    for item in _commits(history, keep, root, git):
        yield "changes", item.query, _paths(item)
    if git is not None:
        yield from whole_messages(history, root, git)
    for kind, text, place in chain(asked_functions(history, keep, root), named_functions(snapshot)):
        yield kind, text, frozenset((place.path,))
    for form, text, files in drawn_headings(root):
        yield f"headings {form}", text, frozenset(files)


def whole_messages(
    history: History, root: Path, git: Path
) -> Iterator[tuple[str, str, frozenset[str]]]:
    """Messages of commits of several paragraphs, whole: kind, text and right files."""
    texts = dict(trees.texts(root))
    known = messages.parts(texts)
    drawn = []
    for patch in commits(repository_folder(git, history.name), history):
        right = frozenset(path for path in patch.paths if path in texts and is_source(path))
        told = (messages.plain(part, known) for part in (patch.title, *patch.paragraphs))
        text = "\n\n".join(filter(None, told))
        if right and patch.paragraphs and len(text.split()) >= _FEWEST_TOLD:
            drawn.append((hashlib.sha256(text.encode()).digest(), text, right))
    for _, text, right in sorted(drawn)[:_COMMITS]:
        yield "reports", text, right


def reported(
    asked: Iterable[tuple[Path, Judgement, str]], indexes: Path, git: Path
) -> Iterator[Question]:
    """Whole texts of issues, each in the tree of the commit before its fix."""
    embedder = open_embedder("")
    embedding = QueryEmbedding(embedder, light=True, rows=SymbolRows(embedder.width))
    for root, item, commit in asked:
        if not item.places:
            continue
        parts, snapshot = opened(root, indexes / root.name, "")
        told = item.repository, "issues", item.query, _paths(item)
        with known_past(parts, root, item.repository, (git, commit)) as past:
            for used, known in _known(embedding, past):
                found = _with_evidence(snapshot, used, known, *told)
                if found is not None:
                    yield found


def asked_functions(history: History, keep: Path, root: Path) -> Iterator[tuple[str, str, Place]]:
    """Questions for functions: kind, text and where the function is."""
    for item in kept_set(keep, history.folder, "documented"):
        (place,) = item.places
        yield "documented", item.query, place
        text = as_question(item.query)
        if text:
            yield "questions", text, place
        for left in _in_fewer_words(root, item.query, place):
            yield "fewer words", left, place
    for asked in paraphrases(history.split):
        if asked.repository == history.name:
            yield "other words", asked.question, asked.place


def named_functions(snapshot: Snapshot) -> Iterator[tuple[str, str, Place]]:
    """Questions with words of the names of some functions: kind, text and place."""
    drawn: dict[str, list[Place]] = defaultdict(list)
    for path in snapshot.paths():
        data = b"" if is_test(path) else snapshot.attachment(path, FACTS)
        for item in decode_declarations(data).declarations if data else ():
            if item.kind in FUNCTIONS and item.end_line - item.start_line >= _FEWEST_LINES:
                drawn[item.name].append(Place(path, item.start_line, item.end_line))
    alone = [name for name, places in drawn.items() if len(places) == 1]
    telling = [name for name in alone if len(parts_of_word(name)) > _FEWEST_OTHER_WORDS]
    # by chance, which the name alone decides
    chances = sorted((hashlib.sha256(name.encode()).digest(), name) for name in telling)
    for chance, name in chances[:_NAMED]:
        first, *rest = parts_of_word(name)
        done = f"{first}d" if first.endswith("e") else f"{first}ed"
        form = _NAMED_QUESTIONS[chance[0] % len(_NAMED_QUESTIONS)]
        yield "named", form.format(first=first, done=done, rest=" ".join(rest)), drawn[name][0]


def as_question(sentence: str) -> str:
    """Make "Return the name." "how does this return the name"; empty if it has no such verb."""
    if _VERB.match(sentence) is None:
        return ""
    chance = hashlib.sha256(sentence.encode()).digest()[0]
    words = sentence[0].lower() + sentence[1:].rstrip(".")
    return _QUESTIONS[chance % len(_QUESTIONS)].format(words)


def _in_fewer_words(root: Path, sentence: str, place: Place) -> Iterator[str]:
    """A sentence without the words that its function has, and without about half of them."""
    own = own_words((root / place.path).read_text("utf-8", "replace"), place)
    shared = set(shared_words(sentence, own))
    for gone in (shared, {word for word in shared if crc32(word.encode()) % 2}):
        if gone:
            pattern = rf"\b(?:{'|'.join(map(re.escape, sorted(gone)))})\b"
            left = re.sub(pattern, "", sentence).split()
            telling = sum(map(tells, _WORD.findall(" ".join(left))))
            if len(left) >= FEWEST_ASKED and telling >= _FEWEST_LEFT:
                yield " ".join(left)


def _commits(history: History, keep: Path, root: Path, git: Path | None) -> list[Judgement]:
    if git is None:
        return kept_set(keep, history.folder, "changes")
    repository = Repository(history.folder, history.split, ())
    texts = dict(trees.texts(root))
    patches = commits(repository_folder(git, history.name), history)
    return of_commits(repository, texts, patches, _COMMITS)


def _paths(item: Judgement) -> frozenset[str]:
    return frozenset(place.path for place in item.places)


def parsed(text: str) -> Query | None:
    """The query of a text that has a learned order; None for others."""
    try:
        query = parse_request(parse_query(text).plain or text)
    except Problem:
        return None
    few = len(query.words) < FEWEST_WORDS
    return None if few or query.written_name is not None else query


def ranker_of(
    snapshot: Snapshot,
    query: Query,
    embedding: QueryEmbedding | None,
    weights: Weights,
    past: PastChanges | None = None,
) -> ChunkRanker:
    """The ranker of a query, with its meaning, what is near to it, and its past, if given."""
    meaning = None if embedding is None else embedding.of(snapshot, query, weights)
    near = None if embedding is None else embedding.near(meaning, query, weights)
    voted = QueryPast(past, query) if past is not None and is_about_change(query) else None
    return ChunkRanker(snapshot, look_up(snapshot, query, weights), weights, meaning, near, voted)


def _with_evidence(
    snapshot: Snapshot,
    embedding: QueryEmbedding | None,
    past: PastChanges | None,
    repository: str,
    kind: str,
    text: str,
    right: frozenset[str],
) -> Question | None:
    query = parsed(text)
    if query is None or (past is not None and not is_about_change(query)):
        return None
    ranker = ranker_of(snapshot, query, embedding, WORDS_ALONE, past)
    if not any(ranker.best()) or any(ranker.looks[-1].found.declares):
        return None
    found = ranker.evidence(ranker.looks[-1])
    paths = [*found.best]
    order = sorted(range(len(paths)), key=lambda at: (-found.best[paths[at]], paths[at]))
    ordered = [paths[at] for at in order]
    known = embedding is not None, past is not None
    return Question(repository, kind, text, ordered, found.rows[order], right, *known)
