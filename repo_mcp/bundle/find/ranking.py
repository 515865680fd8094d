"""Ranks the declarations around the hits for a prompt, and their files.

Hits keep the order of their search; a declaration that several searches find adds up what each of
them gives. The best ones share their worth with what they use and what uses them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from code_graph.paths.path_kinds import asks_for_kept, is_kept_by_programs, is_test
from index_format import Snapshot
from index_format.tuples import NamedTuple
from repo_mcp.bundle.find.candidates import Candidate, LineHit, gather_candidates, unit_around
from repo_mcp.bundle.find.files import Files
from repo_mcp.bundle.find.graph_ties import GraphTies
from repo_mcp.bundle.find.neighbours import Neighbours, find_neighbours
from repo_mcp.bundle.find.query import BundlePrompt
from repo_mcp.bundle.find.searches import PromptHits, Searches
from repo_mcp.bundle.model import FilePlace
from repo_mcp.bundle.weights import CandidateWeights, SearchWeights
from repo_mcp.question.keywords import content_words


class RankedCandidates(NamedTuple):
    """Candidates, best first, and the files of a bundle in their order."""

    candidates: Sequence[Candidate]
    # those in tests, which are not ranked with the others unless the prompt names them
    tests: Sequence[Candidate]
    # declarations of other files that the best ones use or are used by
    linked: Sequence[Candidate]
    # without those that have the content of better ones
    files: Sequence[str]
    copies: frozenset[str]


class FileRules:
    """Tells which files a bundle shows, and which it ranks."""

    def __init__(self, query: BundlePrompt, named: frozenset[str]) -> None:
        """`named` are files that the prompt names, which are always shown."""
        self._named = named
        self._asks_for_kept = asks_for_kept(frozenset(content_words(query.prompt.prose)))

    def is_ranked(self, path: str) -> bool:
        """True for a file that is ranked with others: no test, unless the prompt names it."""
        return path in self._named or not is_test(path)

    def is_shown(self, path: str) -> bool:
        """False for files that programs keep, unless the prompt names them or asks for such."""
        return self._asks_for_kept or path in self._named or not is_kept_by_programs(path)


def rank_candidates(
    searches: Searches,
    files: Files,
    query: BundlePrompt,
    found: PromptHits,
    rules: FileRules,
    ties: GraphTies,
    *,
    is_final: bool,
) -> RankedCandidates:
    """The candidates around the hits.

    Unless `is_final`, with further passages of the best files, and with the neighbours of the best
    candidates.
    """
    hits = [_raised(hit, found.folders) for hit in found.hits]

    def gather(hits: Iterable[LineHit]) -> list[Candidate]:
        candidates = gather_candidates(hits, files)
        return [item for item in candidates if rules.is_shown(item.path)] or candidates

    def gather_ranked() -> list[Candidate]:
        return [item for item in gather(hits) if rules.is_ranked(item.path)]

    neighbours = Neighbours((), ())
    if not is_final:
        hits += searches.find_functions(query.prompt, _best_files(gather_ranked()))
        best = gather_ranked()
        neighbours = ties.read(lambda links: find_neighbours(files, best, links))
    candidates = gather([*hits, *neighbours.near])
    ranked = [item for item in candidates if rules.is_ranked(item.path)]
    order, copies = _without_copies(searches.snapshot, ranked)
    return RankedCandidates(
        ranked,
        [item for item in candidates if not rules.is_ranked(item.path)],
        gather_candidates(neighbours.far, files),
        order,
        copies,
    )


def _best_files(candidates: Sequence[Candidate]) -> list[str]:
    """The files of the best candidates."""
    least = SearchWeights.LEAST_OF_BEST * candidates[0].worth if candidates else 0.0
    paths = dict.fromkeys(item.path for item in candidates if item.worth >= least)
    return [*islice(paths, SearchWeights.BEST_FILES)]


def _raised(hit: LineHit, folders: frozenset[str]) -> LineHit:
    """A hit, which counts more in a folder that the prompt names."""
    if not any(map(hit.path.startswith, folders)):
        return hit
    return hit._replace(worth=hit.worth * CandidateWeights.FOLDER)


def _without_copies(
    snapshot: Snapshot, candidates: Sequence[Candidate]
) -> tuple[list[str], frozenset[str]]:
    """The files of candidates in their order, without copies of better ones, and the copies."""
    paths: dict[bytes, str] = {}
    copies: set[str] = set()
    for path in dict.fromkeys(item.path for item in candidates):
        known = snapshot.file(path)
        content = path.encode() if known is None else known.fingerprint
        if paths.setdefault(content, path) != path:
            copies.add(path)
    return [*paths.values()], frozenset(copies)


def list_places(
    files: Files,
    query: BundlePrompt,
    found: PromptHits,
    rules: FileRules,
    ranked: RankedCandidates,
) -> list[FilePlace]:
    """The best place of each file: those that a search gives, then others.

    A page of search in as much room has no more files. Tests come last, but for those that it has
    among its first.
    """
    places: dict[str, FilePlace] = {}
    for place in found.passages:
        if rules.is_shown(place.path):
            places.setdefault(place.path, place)
    late: dict[str, FilePlace] = {}
    if not query.request.include_tests:
        behind = [*places.values()][SearchWeights.FIRST_FILES :]
        late = {place.path: place for place in behind if not rules.is_ranked(place.path)}
    best = {path: place for path, place in places.items() if path not in late}
    best |= {path: FilePlace(path, 0, 0) for path in ranked.files if path not in best} | late
    return _describe_places(files, query.request.max_files, best.values(), ranked)


def _describe_places(
    files: Files, most: int, places: Iterable[FilePlace], ranked: RankedCandidates
) -> list[FilePlace]:
    """Up to so many places, each with its declaration, or with the best reason for it."""
    inside = {item.path: item for item in reversed(ranked.candidates)}
    described: list[FilePlace] = []
    for listed in places:
        if listed.path in ranked.copies:
            continue
        candidate = inside.get(listed.path)
        place = listed if candidate is None else candidate.place(files)
        span = place.first, place.last
        around = unit_around(files.places(place.path, *span), *span)
        if around is not None:
            place = place._replace(symbol=around.qualified, rationale="")
        elif candidate is not None:
            reasons = candidate.best_reasons[:1]
            place = place._replace(rationale="; ".join(reason.text for reason in reasons))
        if place.symbol or place.rationale:
            described.append(place)
        if len(described) == most:
            break
    return described
