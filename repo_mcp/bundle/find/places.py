"""Where a prompt points to itself: frames of traces, and paths."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from index_format import Snapshot
from repo_mcp.bundle.find.declarations import DeclarationLookup, Site
from repo_mcp.bundle.find.file_names import named_by
from repo_mcp.bundle.find.files import Files
from repo_mcp.bundle.find.hits import Evidence, Hit
from repo_mcp.bundle.find.named_paths import NamedPaths, PathMatch
from repo_mcp.bundle.find.score_declarations import of_file
from repo_mcp.bundle.model import Keyword, SearchKind
from repo_mcp.bundle.prompt.keywords import other_number
from repo_mcp.bundle.reasons import Reason, ReasonCode
from repo_mcp.bundle.weights import PlaceWeights
from repo_mcp.search.ranked.term_matcher import TermMatcher


class PlaceHit(NamedTuple):
    """What one frame or path leads to."""

    kind: SearchKind
    query: str
    hits: list[Hit]


class Places:
    """Follows what a prompt names; what it does not find here is left to searches by words."""

    def __init__(
        self,
        snapshot: Snapshot,
        files: Files,
        declared: DeclarationLookup,
        telling: TermMatcher,
        ranked: Callable[[str], Iterator[Hit]],
        words: Sequence[str],
    ) -> None:
        """`ranked` is what answers the prompt in the file of this path; `words` are its words."""
        self._words = words
        self._snapshot = snapshot
        self._files = files
        self._declared = declared
        self._telling = telling
        self._ranked = ranked
        self._asked = 0
        self.named: set[str] = set()
        self.folders: set[str] = set()
        self.traced = False

    def all(self, keywords: Sequence[Keyword]) -> Iterator[PlaceHit]:
        """What each of them leads to."""
        followed = [item for item in keywords if item.kind in {"frame", "path"}]
        paths = NamedPaths(self._snapshot, [item.text for item in followed])
        for item in followed:
            named = paths.get(item.text)
            if item.kind == "path":
                yield from self._path(item, named)
                continue
            hits = list(self._frame(item, named) if item.line else self._function(item))
            self.named.update(hit.path for hit in hits)
            self.traced |= bool(hits)
            yield PlaceHit(SearchKind.FRAME, _said(item), hits)
        if not self.named:
            yield from self._files_named()

    def _files_named(self) -> Iterator[PlaceHit]:
        """What of the files that are named by words of the prompt has to do with it."""
        weights = self._telling.weights
        least = PlaceWeights.RARE * max(weights.values(), default=0.0)
        rare = {
            word: weight
            for word, weight in weights.items()
            if weight >= least and (word in self._words or "_" in word)
        }
        for name, paths in named_by(
            self._snapshot, self._files.languages, self._words, rare
        ).items():
            plain = [path for path in paths[: PlaceWeights.MOST_COVERED] if self._covers(path)]
            if not 0 < len(plain) <= PlaceWeights.MOST_NAMESAKES:
                continue
            worth = (
                PlaceWeights.STEM
                * (PlaceWeights.PIECES if name not in rare else 1.0)
                / math.sqrt(len(plain))
            )
            hits = [hit for path in plain for hit in self._of_file(path, worth, by_words=True)]
            if len(plain) == 1:
                self.named.update(plain)
            yield PlaceHit(SearchKind.PATH, name, hits)

    def _function(self, item: Keyword) -> Iterator[Hit]:
        """What a trace names without a file."""
        sites = self._declared.sites(item.function) or []
        worth = PlaceWeights.FRAME * item.weight / math.sqrt(max(1, len(sites)))
        for site in sites[: PlaceWeights.MOST_SITES]:
            reason = Reason(ReasonCode.DEFINES_FRAME, site.qualified)
            yield _whole(site, _said(item), worth, reason)

    def _frame(self, item: Keyword, named: PathMatch) -> Iterator[Hit]:
        """Lines of a function; the function, where it stands at other lines by now."""
        worth = PlaceWeights.FRAME * item.weight
        for path in named.files:
            sites = self._declared.in_file(path, item.function) if item.function else []
            # where only the last name of a path agrees, the function has to be there, too
            if item.function and not sites and named.shared < min(named.parts, 2):
                continue
            if sites and not any(_holds(site, item.line) for site in sites):
                reason = Reason(ReasonCode.FRAME_MOVED, item.function, number=item.line)
                yield _whole(sites[0], _said(item), worth, reason)
                continue
            yield from self._lines(path, item, worth)

    def _lines(self, path: str, item: Keyword, worth: float) -> Iterator[Hit]:
        source = self._files.source(path)
        if source is not None and item.line <= source.rows.count:
            first, last = item.line, item.line
            held = self._files.places(path, first, last)[-1:]
            floor = held[0].start_line if held else 1
            roof = held[0].end_line if held else source.rows.count
            first, last = max(floor, first - PlaceWeights.NEAR), min(roof, last + PlaceWeights.NEAR)
            code = ReasonCode.FRAME_LINE if item.function else ReasonCode.PROMPT_LINE
            evidence = Evidence(SearchKind.FRAME, _said(item))
            yield Hit(path, first, last, evidence, worth, Reason(code, number=item.line))

    def _path(self, item: Keyword, named: PathMatch) -> Iterator[PlaceHit]:
        """What of a file has to do with the prompt; its beginning, where no line has."""
        if named.folder:
            self.folders.add(f"{named.folder}/")
        if not named.files or (named.parts > 1 and named.shared < 2):
            return
        hits: list[Hit] = []
        for path in named.files:
            if item.weight > 1:
                self.named.add(path)
            hits += self._of_file(path, PlaceWeights.FILE * item.weight / len(named.files))
        yield PlaceHit(SearchKind.PATH, item.text, hits)

    def _covers(self, path: str) -> bool:
        """Whether a file speaks of about half of the prompt."""
        source = self._files.source(path)
        if source is None:
            return False
        last = min(source.rows.count, PlaceWeights.MOST_COVER_LINES)
        text = "\n".join([path, *source.rows.between(1, last)])
        found = self._telling.finder.found_in(text)
        flat = {word: math.sqrt(weight) for word, weight in self._telling.weights.items()}
        held = sum(weight for word, weight in flat.items() if word in found)
        return held >= PlaceWeights.COVERED * sum(
            weight for word, weight in flat.items() if other_number(word) not in found - {word}
        )

    def _of_file(self, path: str, weight: float, *, by_words: bool = False) -> list[Hit]:
        evidence = Evidence(SearchKind.PATH, path)
        reason = Reason(ReasonCode.IN_FILE_NAME if by_words else ReasonCode.IN_PATH, path)
        found = list(islice(of_file(self._files, path, self._telling, 1.0), PlaceWeights.TOP))
        if not found and self._asked < PlaceWeights.MOST_FILE_SEARCHES:
            self._asked += 1
            found = [hit for hit in self._ranked(_glob(path)) if hit.path == path]
        best = max((hit.worth for hit in found), default=1.0)
        hits = [
            hit._replace(evidence=evidence, reason=reason, worth=weight * hit.worth / best)
            for hit in found
        ]
        source = self._files.source(path)
        if source is not None and not hits:
            last = min(source.rows.count, PlaceWeights.HEAD_LINES)
            code = ReasonCode.TOP_OF_FILE_NAME if by_words else ReasonCode.TOP_OF_PATH
            hits = [Hit(path, 1, last, evidence, weight, Reason(code, path))]
        return hits


def _whole(site: Site, place: str, worth: float, reason: Reason) -> Hit:
    span = site.declaration.start_line, site.declaration.end_line
    return Hit(site.path, *span, Evidence(SearchKind.FRAME, place), worth, reason, site.qualified)


def _holds(site: Site, line: int) -> bool:
    return site.declaration.start_line <= line <= site.declaration.end_line


def _said(item: Keyword) -> str:
    return f"{item.text}:{item.line}" if item.line else item.text


def _glob(path: str) -> str:
    """A glob that this path matches, and hardly any other."""
    special = "\\*?[]{}!"
    return "/" + "".join("?" if character in special else character for character in path)
