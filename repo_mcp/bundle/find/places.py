"""Finds the places that a prompt names: frames of traces, and paths."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from code_graph.paths.globs import literal_glob
from index_format import Snapshot
from index_format.tuples import NamedTuple
from repo_mcp.bundle.find.candidates import Evidence, LineHit
from repo_mcp.bundle.find.declarations import DeclarationLookup, Site
from repo_mcp.bundle.find.files import Files
from repo_mcp.bundle.find.paths import NamedPaths, PathMatch
from repo_mcp.bundle.model import SearchKind
from repo_mcp.bundle.reasons import Reason, ReasonCode
from repo_mcp.bundle.weights import PlaceWeights as Weights
from repo_mcp.question.keywords import Keyword


class PlaceHits(NamedTuple):
    """The hits of one frame or path."""

    kind: SearchKind
    query: str
    hits: list[LineHit]


class PlaceFinder:
    """Turns frames and paths into hits."""

    def __init__(
        self,
        snapshot: Snapshot,
        files: Files,
        lookup: DeclarationLookup,
        search_file: Callable[[str], Iterator[LineHit]],
    ) -> None:
        """`search_file` searches a glob for the prompt."""
        self._snapshot = snapshot
        self._files = files
        self._lookup = lookup
        self._search_file = search_file
        self._file_searches = 0
        self.named: set[str] = set()
        self.folders: set[str] = set()

    def find(self, keywords: Sequence[Keyword]) -> Iterator[PlaceHits]:
        """The hits of each frame and path."""
        followed = [item for item in keywords if item.kind in {"frame", "path"}]
        paths = NamedPaths(self._snapshot, [item.text for item in followed])
        for item in followed:
            named = paths.get(item.text)
            if item.kind == "path":
                yield from self._path(item, named)
                continue
            hits = list(self._frame(item, named) if item.line else self._function(item))
            self.named.update(hit.path for hit in hits)
            yield PlaceHits(SearchKind.FRAME, _key(item), hits)

    def _function(self, item: Keyword) -> Iterator[LineHit]:
        """Definitions of a function that a trace names without a file."""
        sites = self._lookup.sites(item.function) or []
        worth = Weights.FRAME * item.weight / math.sqrt(max(1, len(sites)))
        for site in sites[: Weights.MOST_NAMED]:
            reason = Reason(ReasonCode.DEFINES_FRAME, site.qualified)
            yield _hit_of(site, _key(item), worth, reason)

    def _frame(self, item: Keyword, named: PathMatch) -> Iterator[LineHit]:
        """The line of a frame; the whole function if it has moved."""
        worth = Weights.FRAME * item.weight
        for path in named.files:
            sites = self._lookup.in_file(path, item.function) if item.function else []
            # if only the last name of the path agrees, the file must have the function
            if item.function and not sites and named.shared < min(named.parts, 2):
                continue
            if sites and not any(_contains(site, item.line) for site in sites):
                reason = Reason(ReasonCode.FRAME_MOVED, item.function, number=item.line)
                yield _hit_of(sites[0], _key(item), worth, reason)
                continue
            yield from self._lines(path, item, worth)

    def _lines(self, path: str, item: Keyword, worth: float) -> Iterator[LineHit]:
        source = self._files.source(path)
        if source is not None and item.line <= source.rows.count:
            around = self._files.places(path, item.line, item.line)[-1:]
            top = around[0].start_line if around else 1
            bottom = around[0].end_line if around else source.rows.count
            first, last = max(top, item.line - Weights.NEAR), min(bottom, item.line + Weights.NEAR)
            code = ReasonCode.FRAME_LINE if item.function else ReasonCode.PROMPT_LINE
            evidence = Evidence(SearchKind.FRAME, _key(item))
            yield LineHit(path, first, last, evidence, worth, Reason(code, number=item.line))

    def _path(self, item: Keyword, named: PathMatch) -> Iterator[PlaceHits]:
        """Declarations of the file that match the prompt; if none does, its first lines."""
        if named.folder:
            self.folders.add(f"{named.folder}/")
        if not named.files or (named.parts > 1 and named.shared < 2):
            return
        hits: list[LineHit] = []
        for path in named.files:
            if item.weight > 1:
                self.named.add(path)
            hits += self._in_file(path, Weights.FILE * item.weight / len(named.files))
        yield PlaceHits(SearchKind.PATH, item.text, hits)

    def _in_file(self, path: str, weight: float) -> list[LineHit]:
        evidence = Evidence(SearchKind.PATH, path)
        reason = Reason(ReasonCode.IN_PATH, path)
        found: list[LineHit] = []
        if self._file_searches < Weights.MOST_NAMED:
            self._file_searches += 1
            found = [hit for hit in self._search_file(f"/{literal_glob(path)}") if hit.path == path]
        best = max((hit.worth for hit in found), default=1.0)
        hits = [
            hit._replace(evidence=evidence, reason=reason, worth=weight * hit.worth / best)
            for hit in found
        ]
        source = self._files.source(path)
        if source is not None and not hits:
            last = min(source.rows.count, Weights.HEAD_LINES)
            reason = Reason(ReasonCode.TOP_OF_PATH, path)
            hits = [LineHit(path, 1, last, evidence, weight, reason)]
        return hits


def _hit_of(site: Site, place: str, worth: float, reason: Reason) -> LineHit:
    span = site.declaration.start_line, site.declaration.end_line
    return LineHit(
        site.path, *span, Evidence(SearchKind.FRAME, place), worth, reason, site.qualified
    )


def _contains(site: Site, line: int) -> bool:
    return site.declaration.start_line <= line <= site.declaration.end_line


def _key(item: Keyword) -> str:
    return f"{item.text}:{item.line}" if item.line else item.text
