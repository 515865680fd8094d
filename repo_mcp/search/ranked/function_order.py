"""The order of the functions of the best files, each a document of its own.

It was learned from questions, messages and reports whose functions are known; where words alone
rank, as for names, functions share the scores of their files by the words that they have. Of a
report, files are ordered by their best functions, too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from code_graph.facts import Declaration
from code_graph.paths.path_kinds import is_test
from code_graph.query.model import FUNCTIONS
from index_format import SCORE_DIGITS, Snapshot
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.search.passage.current_files import CurrentFiles
from repo_mcp.search.passage.term_matcher import TermMatcher
from repo_mcp.search.ranked.declarations import declarations_of
from repo_mcp.search.ranked.function_documents import FunctionDocuments
from repo_mcp.search.ranked.passage_table import BEST_FUNCTION, PassageTable
from repo_mcp.search.ranked.ranked_chunks import RankedChunk
from repo_mcp.search.ranked.term_lookup import F64
from repo_mcp.search.ranked.trees import read_trees

if TYPE_CHECKING:
    from repo_mcp.search.ranked.near_declarations import NearDeclarations

LEARNED_FUNCTIONS: Final = "learned_functions.json"
# files whose functions have one order
FILES: Final = 10
_MACRO: Final = "macro"
_TEST: Final = "test"
_KINDS: Final = FUNCTIONS | {_TEST, _MACRO, "getter", "setter"}
# the exponent of its best function's worth in the score of a file
_SHARE: Final = 0.5
_DIGITS: Final = 6
_TINY: Final = 1e-9

Cosines = Mapping[tuple[int, int], float]


class FunctionEvidence(NamedTuple):
    """The numbers that functions are ordered by, in the order of the trees' columns."""

    # log of the file's score, relative to the best file's
    file: float
    # the function's score as a document, relative to the best of all
    document: float
    # shares of the query's weight: in the function's lines, and in its name
    held: float
    named: float
    # how many functions of the file have a better score
    place: float
    # cosine with the question, relative to the nearest declaration of all; missing if it is far
    nearest: float
    # log of the number of its lines
    length: float
    # 1 for a test
    test: float


_FILE: Final = FunctionEvidence._fields.index("file")
_DOCUMENT: Final = FunctionEvidence._fields.index("document")
_NEAREST: Final = FunctionEvidence._fields.index("nearest")


class FunctionOrder:
    """Orders the functions of files for one query."""

    def __init__(
        self, snapshot: Snapshot, files: CurrentFiles, matcher: TermMatcher, budget: Budget
    ) -> None:
        """Read nothing yet."""
        self._snapshot = snapshot
        self._files = files
        self._matcher = matcher
        self._budget = budget
        # the files that were ordered by their functions, and these
        self.first: tuple[frozenset[str], list[RankedChunk]] = frozenset(), []

    def rescore(self, table: PassageTable) -> None:
        """Add a factor to the first files, by the worth of the best function of each.

        One without functions counts as the mean of the others; files behind stay behind.
        """
        best, chunks = table.best_of_files(), table.chunk_of_files()
        paths = sorted(best, key=lambda path: (-best[path], path))[:FILES]
        files = [RankedChunk(path, chunks[path], 1, 1, best[path]) for path in paths]
        functions = self.order(files, None, is_learned=True)
        self.first = frozenset(paths), functions
        worths: dict[str, float] = {}
        for function in functions:
            worths.setdefault(function.path, math.log(max(function.score, _TINY)))
        if not worths:
            return
        mean = math.fsum(worths.values()) / len(worths)
        factors = {path: math.exp(_SHARE * worths.get(path, mean)) for path in paths}
        least = min(factors.values())
        every = {path: factors.get(path, least) for path in best}
        top = max(best.values()) / max(best[path] * every[path] for path in best)
        table.multiply_files(BEST_FUNCTION, {path: every[path] * top for path in every})

    def order(
        self, files: Sequence[RankedChunk], near: NearDeclarations | None, *, is_learned: bool
    ) -> list[RankedChunk]:
        """The functions of these files, best first."""
        functions, evidence = self.candidates(files, near)
        if not functions:
            return []
        top = max(file.score for file in files)
        if is_learned:
            trees = read_trees(LEARNED_FUNCTIONS)
            sums = np.round(trees.sums(evidence), _DIGITS)
            worths = np.exp((sums - sums.max()) / trees.slope) * top
        else:
            worths = np.exp(evidence[:, _FILE]) * evidence[:, _DOCUMENT] * top
        scored = [
            function._replace(score=round(worth, SCORE_DIGITS))
            for function, worth in zip(functions, worths.tolist(), strict=True)
        ]
        return sorted(scored, key=lambda function: function.order)

    def candidates(
        self, files: Sequence[RankedChunk], near: NearDeclarations | None
    ) -> tuple[list[RankedChunk], F64]:
        """The functions of these files with words of the query or near to it, and their evidence.

        A file that has changed since it was indexed stands for its functions.
        """
        documents = FunctionDocuments(self._matcher)
        for best in files:
            self._budget.check()
            file = self._files.get(best.path)
            if file is None or self._snapshot.fingerprint_of(best.chunk) != file.fingerprint:
                documents.add_unread(best)
            else:
                rows = file.rows.between(1, file.rows.count)
                documents.add(best, self._declared(best.chunk), rows)
        every = self._evidence(files, documents, near)
        is_near = ~np.isnan(every[:, _NEAREST])
        kept = ((every[:, _DOCUMENT] > 0) | is_near).nonzero()[0]
        return [documents.functions[at] for at in kept.tolist()], every[kept]

    def _evidence(
        self,
        files: Sequence[RankedChunk],
        documents: FunctionDocuments,
        near: NearDeclarations | None,
    ) -> F64:
        """A row for each function, with the columns of `FunctionEvidence`."""
        scores, held, named = documents.scores(), *documents.shares()
        top = max((file.score for file in files), default=1.0)
        of_files = {file.path: math.log(max(file.score / top, _TINY)) for file in files}
        cosines: dict[str, Cosines] = {}
        if near is not None:
            cosines = {path: near.of_file(path) for path in of_files}
        most = 0.0 if near is None else max(near.of_files().values(), default=0.0)
        rows = [
            FunctionEvidence(
                of_files[item.path],
                *evidence,
                cosines.get(item.path, {}).get((item.first, item.last), math.nan) - most,
                math.log(item.last - item.first + 1),
                float(kind == _TEST or is_test(item.path)),
            )
            for item, kind, evidence in zip(
                documents.functions,
                documents.kinds,
                zip(scores, held, named, _places(documents.functions, scores), strict=True),
                strict=True,
            )
        ]
        shape = len(rows), len(FunctionEvidence._fields)
        return np.array(rows, dtype=np.float64).reshape(shape)

    def _declared(self, chunk: int) -> list[Declaration]:
        every = declarations_of(self._snapshot, chunk)
        return [item for item in every if item.kind in _KINDS and not _is_value(item)]


def _is_value(item: Declaration) -> bool:
    """True for a macro that has no body: a number, or a mark that a header was read."""
    return item.kind == _MACRO and not item.parameters and item.start_line == item.end_line


def _places(functions: Sequence[RankedChunk], scores: Sequence[float]) -> list[float]:
    """By function, how many of its file have a better score, or the same before it."""
    places = [0.0] * len(functions)
    taken: dict[str, float] = {}
    for at in sorted(range(len(functions)), key=lambda at: (-scores[at], functions[at].first)):
        path = functions[at].path
        places[at] = taken.get(path, 0.0)
        taken[path] = places[at] + 1
    return places
