"""Small declarations that chosen lines use: constants and variables of the file, fields of types.

They take a line or two each, and without them a reader has to look up every limit and every flag.
Of the best file so do those whose names have the words that tell most, used or not.
A field is taken where its name has several words of the prompt and the repository declares it once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from repo_mcp.bundle.choose.choice import Choice
from repo_mcp.bundle.find.declarations import CONSTANTS, DeclarationLookup, Site
from repo_mcp.bundle.find.files import Files
from repo_mcp.bundle.find.test_paths import is_test
from repo_mcp.bundle.reasons import Reason, ReasonCode
from repo_mcp.bundle.weights import RelatedWeights
from repo_mcp.languages.facts.model import MODULE, Declaration
from repo_mcp.text.words import terms_of_word

# what a parser takes for names where macros hide what is declared
_NO_NAMES: Final = frozenset({"struct", "union", "enum", "static", "const", "volatile", "extern"})
_NAME: Final = re.compile(r"[^\W\d]\w{2,}")


class Detail(NamedTuple):
    """Lines of a file that declare what others use, and why they are shown."""

    path: str
    lines: list[int]
    reason: Reason


class Details:
    """Finds them for what is chosen so far."""

    def __init__(
        self,
        files: Files,
        declared: DeclarationLookup,
        choice: Choice,
        weights: Mapping[str, float],
    ) -> None:
        """`weights` says how much each word of the prompt tells."""
        self._files = files
        self._declared = declared
        self._choice = choice
        self._weights = weights
        self._used: dict[str, Counter[str]] = {}
        for excerpt in choice.excerpts:
            if excerpt.role in {"match", "definition"} and not excerpt.stale:
                names = self._used.setdefault(excerpt.path, Counter())
                names.update(_NAME.findall("\n".join(line.text for line in excerpt.lines)))

    def all(self) -> Iterator[Detail]:
        """Of the files in the order in which they were chosen, then the fields of others."""
        for number, (path, used) in enumerate(self._used.items()):
            yield from self._of_file(path, used, ReasonCode.DECLARES_SHOWN)
            if number == 0:
                names = [item.name for item in self._files.declarations(path)]
                meant = {name: 0 for name in names if name not in used and self._is_meant(name)}
                yield from self._of_file(path, meant, ReasonCode.DECLARES_WORDS)
        yield from self._fields()

    def _of_file(self, path: str, wanted: Mapping[str, int], code: ReasonCode) -> Iterator[Detail]:
        """Those of these names, by how often each is used."""
        known = Counter(item.name for item in self._files.declarations(path))
        found = [
            item
            for item in self._files.declarations(path)
            if item.name in wanted
            and known[item.name] == 1
            and item.parent == MODULE
            and item.kind in CONSTANTS
            and item.name not in _NO_NAMES
            and item.end_line - item.start_line < RelatedWeights.LONGEST
            and not self._choice.shows(path, item.name_line)
        ]
        found.sort(key=lambda item: (-self._worth(item.name), -wanted[item.name], item.start_line))
        found = found[: RelatedWeights.MOST_OF_FILE]
        if found:
            lines = [line for item in found for line in _lines(item)]
            names = tuple(item.name for item in sorted(found, key=_place))
            yield Detail(path, lines, Reason(code, names=names))

    def _fields(self) -> Iterator[Detail]:
        names = {name for used in self._used.values() for name in used}
        asked = [name for name in names if self._is_asked(name)]
        asked.sort(key=lambda name: (-self._worth(name), name))
        count = 0
        for name in asked[: RelatedWeights.MOST_LOOKED_UP]:
            sites = self._declared.sites(name) or []
            if len(sites) == 1 and self._is_wanted(sites[0]) and count < RelatedWeights.MOST_FIELDS:
                count += 1
                yield self._field(sites[0])

    def _is_wanted(self, site: Site) -> bool:
        item = site.declaration
        return (
            item.kind in CONSTANTS
            and item.end_line - item.start_line < RelatedWeights.LONGEST
            and not is_test(site.path)
            and not self._choice.shows(site.path, item.name_line)
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

    def _is_meant(self, name: str) -> bool:
        """Whether a name has one of the words that tell most."""
        most = max(self._weights.values(), default=0.0)
        return any(
            self._weights.get(term, 0.0) >= RelatedWeights.TELLING * most
            for term in terms_of_word(name)
        )

    def _worth(self, name: str) -> float:
        return sum([self._weights.get(term, 0.0) for term in terms_of_word(name)])

    def _is_asked(self, name: str) -> bool:
        terms = set(terms_of_word(name)) - {name.lower()}
        return len(terms.intersection(self._weights)) >= RelatedWeights.LEAST_WORDS


def _lines(item: Declaration) -> range:
    return range(item.start_line, item.end_line + 1)


def _place(item: Declaration) -> int:
    return item.start_line
