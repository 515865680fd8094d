"""Finds what completes chosen excerpts: tests, used constants and fields, and an outline.

Constants and fields take a line or two each, and save a reader from looking up limits and flags. A
name is used only if one declaration has it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from repo_mcp.bundle.choose.choice import Choice
from repo_mcp.bundle.find.candidates import Candidate, Evidence, gather_candidates
from repo_mcp.bundle.find.declarations import CONSTANTS, DeclarationLookup, Site
from repo_mcp.bundle.find.files import Files, is_test
from repo_mcp.bundle.find.score_declarations import rank_files
from repo_mcp.bundle.find.searches import Searches
from repo_mcp.bundle.model import Excerpt, SearchKind, Trait
from repo_mcp.bundle.reasons import Reason, ReasonCode
from repo_mcp.bundle.weights import RelatedWeights, SearchWeights
from repo_mcp.languages.facts import MODULE, Declaration
from repo_mcp.text.words import terms_of_word

# keywords that a parser takes for names where macros hide a declaration
_NO_NAMES: Final = frozenset({"struct", "union", "enum", "static", "const", "volatile", "extern"})
_NAME: Final = re.compile(r"[^\W\d]\w{2,}")


class Detail(NamedTuple):
    """Lines that complete an excerpt, and why."""

    path: str
    lines: list[int]
    reason: Reason


class DetailFinder:
    """Finds the constants and fields that chosen excerpts use.

    In the best file, unused constants are found, too, if their names have the rarest words of the
    prompt. A field of another file must have several words of the prompt in its name.
    """

    def __init__(
        self,
        files: Files,
        lookup: DeclarationLookup,
        choice: Choice,
        weights: Mapping[str, float],
    ) -> None:
        """`weights` are the weights of the prompt's terms."""
        self._files = files
        self._lookup = lookup
        self._choice = choice
        self._weights = weights
        self._used: dict[str, Counter[str]] = {}
        for excerpt in choice.excerpts:
            if excerpt.role in {"match", "definition"} and not excerpt.stale:
                names = self._used.setdefault(excerpt.path, Counter())
                names.update(_NAME.findall("\n".join(line.text for line in excerpt.lines)))

    def find(self) -> Iterator[Detail]:
        """Constants by file in the order of choice, then fields of other files."""
        for number, (path, used) in enumerate(self._used.items()):
            yield from self._constants(path, used, ReasonCode.DECLARES_SHOWN)
            if number == 0:
                names = [item.name for item in self._files.declarations(path)]
                unused = {name: 0 for name in names if name not in used and self._is_rare(name)}
                yield from self._constants(path, unused, ReasonCode.DECLARES_WORDS)
        yield from self._fields()

    def _constants(self, path: str, names: Mapping[str, int], code: ReasonCode) -> Iterator[Detail]:
        """The constants of these names, by weight, then by number of uses."""
        declared = self._files.declarations(path)
        counts = Counter(item.name for item in declared)
        constants = [
            item
            for item in declared
            if item.name in names
            and counts[item.name] == 1
            and item.parent == MODULE
            and item.name not in _NO_NAMES
            and self._is_small_and_hidden(path, item)
        ]
        constants.sort(key=lambda item: (-self._worth(item.name), -names[item.name], _line(item)))
        constants = constants[: RelatedWeights.MOST_OF_FILE]
        if constants:
            lines = [line for item in constants for line in _lines(item)]
            names_in_order = tuple(item.name for item in sorted(constants, key=_line))
            yield Detail(path, lines, Reason(code, names=names_in_order))

    def _fields(self) -> Iterator[Detail]:
        names = {name for used in self._used.values() for name in used}
        matching = [name for name in names if self._has_words(name)]
        matching.sort(key=lambda name: (-self._worth(name), name))
        count = 0
        for name in matching[: RelatedWeights.MOST_LOOKED_UP]:
            sites = self._lookup.sites(name) or []
            if len(sites) != 1 or is_test(sites[0].path):
                continue
            hidden = self._is_small_and_hidden(sites[0].path, sites[0].declaration)
            if hidden and count < RelatedWeights.MOST_FIELDS:
                count += 1
                yield self._field(sites[0])

    def _is_small_and_hidden(self, path: str, item: Declaration) -> bool:
        return (
            item.kind in CONSTANTS
            and item.end_line - item.start_line < RelatedWeights.LONGEST
            and not self._choice.shows(path, item.name_line)
        )

    def _field(self, site: Site) -> Detail:
        item = site.declaration
        lines = list(_lines(item))
        if item.parent != MODULE:
            holder = self._files.declarations(site.path)[item.parent]
            first = max(holder.start_line, item.start_line - RelatedWeights.AROUND)
            last = min(holder.end_line, item.end_line + RelatedWeights.AROUND)
            lines = [holder.name_line, *range(first, last + 1)]
        users = [path for path, used in self._used.items() if item.name in used]
        reason = Reason(ReasonCode.DECLARES_USED, user=users[0], names=(site.qualified,))
        return Detail(site.path, lines, reason)

    def _is_rare(self, name: str) -> bool:
        """Whether a name has one of the prompt's rarest words."""
        least = RelatedWeights.RARE_SHARE * max(self._weights.values(), default=0.0)
        return any(self._weights.get(term, 0.0) >= least for term in terms_of_word(name))

    def _worth(self, name: str) -> float:
        return sum([self._weights.get(term, 0.0) for term in terms_of_word(name)])

    def _has_words(self, name: str) -> bool:
        terms = set(terms_of_word(name)) - {name.lower()}
        return len(terms.intersection(self._weights)) >= RelatedWeights.LEAST_WORDS


def _lines(item: Declaration) -> range:
    return range(item.start_line, item.end_line + 1)


def _line(item: Declaration) -> int:
    return item.start_line


def outline_file(
    files: Files, choice: Choice, candidates: Sequence[Candidate], most: int
) -> Iterator[Detail]:
    """Name lines of the best file's other declarations, if no evidence locates a line in it.

    Matching declarations come first, the others in the order of the file.
    """
    ranked = rank_files(candidates)
    if not ranked or (len(ranked) > 1 and ranked[1][1] > RelatedWeights.AS_GOOD) or most < 1:
        return
    path = ranked[0][0]
    inside = [item for item in candidates if item.path == path]
    if not choice.shown(path) or any(item.has(Trait.SAYS_WHERE) for item in inside):
        return
    worths = {(item.first, item.last): item.worth for item in inside}
    declared = {
        (item.start_line, item.end_line): item.name_line
        for item in files.declarations(path)
        if item.end_line > item.start_line
        and (item.parent == MODULE or (item.start_line, item.end_line) in worths)
    }
    spans = sorted(declared, key=lambda span: (-worths.get(span, 0.0), span))
    lines = [declared[span] for span in spans if not choice.shows(path, declared[span])]
    yield Detail(path, lines[:most], Reason(ReasonCode.OUTLINE, path))


def find_tests(
    searches: Searches, files: Files, excerpts: Sequence[Excerpt], words: str
) -> list[tuple[Candidate, tuple[Reason, ...]]]:
    """Declarations in tests that mention chosen symbols, best first, with these symbols."""
    names = list(
        dict.fromkeys(
            item.symbol.rpartition(".")[2]
            for item in sorted(excerpts, key=lambda item: -item.score)
            if item.symbol and item.role == "match" and not is_test(item.path)
        )
    )[: SearchWeights.TEST_SYMBOLS]
    hits = [
        hit._replace(evidence=Evidence(SearchKind.TESTS, name))
        for name in names
        for hit in searches.find_more(
            SearchKind.TESTS,
            f"test {name} {words}".strip()[: SearchWeights.LONGEST_TEST_QUERY],
            SearchWeights.TEST_HITS,
        )
        if is_test(hit.path)
    ]
    tests: list[tuple[Candidate, tuple[Reason, ...]]] = []
    for item in gather_candidates(hits, files):
        mentioned = _mentioned(files, item, names)
        if mentioned:
            tests.append((item, (Reason(ReasonCode.TESTS, names=mentioned),)))
    return tests


def _mentioned(files: Files, item: Candidate, names: Sequence[str]) -> tuple[str, ...]:
    source = files.source(item.path)
    text = "" if source is None else "\n".join(source.rows.between(item.first, item.last))
    return tuple(name for name in names if name in text)
