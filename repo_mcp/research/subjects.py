"""Finds the symbols that the phrases of a question mean, and chooses among those of one name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from code_graph.paths.path_kinds import ASIDE, PROSE
from code_graph.query.choice import (
    candidates,
    spellings,
    target_of,
    unlikeliness,
    without_constructors,
)
from code_graph.query.edges import reference_count, sources_of
from code_graph.query.model import FUNCTIONS, TYPES
from code_graph.query.names import NameTarget, symbols_named
from code_graph.query.neighbours import SUBTYPES
from code_graph.query.snapshot import GraphSnapshot
from index_format.tuples import NamedTuple
from repo_mcp.question.kinds import Intent, explicit_names
from repo_mcp.question.word_lists import CODE_WORDS, FUNCTION_WORDS, STOP
from repo_mcp.research.trace import BLOCKS

# symbols of one name that are all followed; of more the most used one is
FEW: Final = 6
_MOST_LISTED: Final = 40
_MOST_NAMES: Final = 8
# words of a phrase that are tried together as one name
_LONGEST_NAME: Final = 4
_MOST_WORDS: Final = 24
_WORD: Final = re.compile(r"\w+")
_CALL: Final = re.compile(r"\([^()]*\)$")
_QUOTES: Final = "`'\"\u2018\u2019\u201c\u201d \t"
_VALUES: Final = frozenset({"property", "variable"})
_PLACES: Final = frozenset({"module", "file"})
# kinds of symbols that a word before a name stands for
_KIND_WORDS: Final = {
    **dict.fromkeys(("class", "struct", "enum", "record", "actor", "object"), TYPES),
    **dict.fromkeys(("interface", "protocol", "trait", "type", "types", "component"), TYPES),
    **dict.fromkeys(("function", "method", "func", "constructor", "initializer"), FUNCTIONS),
    **dict.fromkeys(("property", "field", "variable", "constant"), _VALUES),
    **dict.fromkeys(("module", "package", "namespace", "file", "folder"), _PLACES),
}
_WANTED: Final = {
    Intent.IMPLEMENTATIONS: TYPES,
    Intent.CALLERS: FUNCTIONS,
    Intent.CALLEES: FUNCTIONS,
}
# words that say nothing about which symbol is meant
_COMMON: Final = STOP | FUNCTION_WORDS | CODE_WORDS


class PhraseMeaning(NamedTuple):
    """Symbols that a phrase means: those that are followed, and others of the same name."""

    name: str
    chosen: Sequence[NameTarget]
    others: Sequence[NameTarget] = ()
    more: bool = False


class SubjectFinder:
    """Finds symbols by the phrases of one question; symbols of a folder come first."""

    def __init__(self, graph: GraphSnapshot, kind: Intent, folder: str = "") -> None:
        self._graph = graph
        self._kind = kind
        self._folder = folder

    def find(self, phrase: str) -> PhraseMeaning | None:
        """The meaning of a phrase; None for one without a declared name."""
        wanted = self._wanted(phrase)
        for name in _names(phrase):
            found = self._resolve(name, wanted, is_all=name == _clean(phrase))
            if found is not None:
                return found
        return self._find_words(phrase, wanted)

    def find_all(self, phrases: Iterable[str]) -> list[PhraseMeaning]:
        """The meanings of names that stand in a text, each symbol once."""
        found: list[PhraseMeaning] = []
        known: set[int] = set()
        for phrase in phrases:
            meaning = self.find(phrase)
            if meaning is not None and meaning.chosen[0].id not in known:
                known.update(item.id for item in meaning.chosen)
                found.append(meaning)
        return found

    def _wanted(self, phrase: str) -> frozenset[str]:
        words = {word.lower() for word in _WORD.findall(phrase)}
        for word, kinds in _KIND_WORDS.items():
            if word in words and word != phrase.lower():
                return kinds
        is_call = _CALL.search(phrase.strip(_QUOTES)) is not None
        return FUNCTIONS if is_call else _WANTED.get(self._kind, frozenset())

    def _resolve(self, name: str, wanted: frozenset[str], *, is_all: bool) -> PhraseMeaning | None:
        """The meaning of a name, which is all of a phrase or stands among other words."""
        targets, truncated = candidates(self._graph, name)
        if not targets or not (is_all or _is_own(targets)):
            return None
        return self._choose(name, targets, wanted, more=truncated)

    def _find_words(self, phrase: str, wanted: frozenset[str]) -> PhraseMeaning | None:
        """The longest run of words that spells a declared name."""
        words = _WORD.findall(_without_names(phrase))[:_MOST_WORDS]
        for length in range(min(_LONGEST_NAME, len(words)), 0, -1):
            for at in range(len(words) - length + 1):
                run = words[at : at + length]
                if all(word.lower() in _COMMON for word in run):
                    continue
                found: dict[int, NameTarget] = {}
                for name in spellings(run):
                    for symbol in symbols_named(self._graph, name, _MOST_LISTED)[0]:
                        found.setdefault(symbol.id, target_of(symbol))
                is_meant = bool(found) and (len(words) == length or _is_own(found.values()))
                if is_meant and not (length > 1 and run[0].lower() in _COMMON):
                    targets = without_constructors([*found.values()])
                    return self._choose(" ".join(run), targets, wanted, more=False)
        return None

    def _choose(
        self,
        name: str,
        targets: Sequence[NameTarget],
        wanted: frozenset[str],
        *,
        more: bool,
    ) -> PhraseMeaning:
        """The symbols that are followed: of the wanted kinds, outside of tests, all if few."""
        ranks = {target.id: self._rank(target, wanted) for target in targets}
        best = min(ranks.values())
        fitting = [target for target in targets if ranks[target.id] == best]
        fitting.sort(key=lambda target: (-self._weight(target), target.name, target.id))
        chosen = fitting if len(fitting) <= FEW else fitting[:1]
        chosen = [self._main_part(target) for target in chosen]
        ids = {target.id for target in chosen}
        others = [target for target in targets if target.id not in ids]
        return PhraseMeaning(
            name, chosen, others[:_MOST_LISTED], more or len(others) > _MOST_LISTED
        )

    def _main_part(self, target: NameTarget) -> NameTarget:
        """A symbol by the declaration of it that is no block which extends it."""
        parts = self._graph.spans(target.id) if target.symbol is not None else []
        for part in parts:
            declared = self._graph.declaration(part)
            if declared is not None and declared.kind not in BLOCKS:
                return target._replace(symbol=part)
        return target

    def _rank(self, target: NameTarget, wanted: frozenset[str]) -> tuple[int, ...]:
        rank, symbol = unlikeliness(target), target.symbol
        if symbol is None:
            return True, True, True, rank
        outside = bool(self._folder) and not symbol.path.startswith(f"{self._folder}/")
        return rank == PROSE, outside, bool(wanted) and symbol.node_type not in wanted, rank

    def _weight(self, target: NameTarget) -> int:
        if self._kind == Intent.IMPLEMENTATIONS:
            return len(sources_of(self._graph, target.id, SUBTYPES)[0])
        return reference_count(self._graph, target.id)


def _is_own(targets: Iterable[NameTarget]) -> bool:
    """True if any is the project's own: a word of a sentence means nothing in a copied library."""
    return any(unlikeliness(target) != ASIDE for target in targets)


def _names(phrase: str) -> Iterator[str]:
    """The names in a phrase that can be told by their form, and the phrase itself."""
    whole = _clean(phrase)
    if whole and not any(blank in whole for blank in " \t"):
        yield whole
    for name in explicit_names(phrase)[:_MOST_NAMES]:
        cleaned = _clean(name)
        if cleaned and cleaned != whole:
            yield cleaned


def _clean(name: str) -> str:
    """A name without quotes, the parentheses of a call, and a slash at its end."""
    text = name.strip(_QUOTES)
    return _CALL.sub("", text).strip(_QUOTES).rstrip("/") or text


def _without_names(phrase: str) -> str:
    """The words beside the names: a name that is declared nowhere does not mean a part of it."""
    for name in explicit_names(phrase):
        phrase = phrase.replace(name, " ")
    return phrase
