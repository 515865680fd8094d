"""Questions about symbols of packages: what they name, and where they are asked first."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Final, Generic, TypeVar

from repo_mcp.dependencies.catalog import Packages
from repo_mcp.errors import Problem
from repo_mcp.place.arguments import SYMBOLS, texts_of
from repo_mcp.place.place import Place, PlacedQuestion

# problems that say that there is no such symbol, or none so far
UNKNOWN: Final = frozenset({"symbol_missing", "graph_missing", "index_behind"})
_FIRST: Final = re.compile(r"[^.:#/\s]+")
# packages whose graphs one question is linked with
_MOST_LINKED: Final = 8

T = TypeVar("T")


def packages_of_names(
    arguments: Mapping[str, Any], packages: Packages, shown_in: Callable[[str], Sequence[str]]
) -> Sequence[str]:
    """The packages that the names of symbols in arguments begin with.

    `shown_in` gives those of an id that was shown before.
    """
    found: dict[str, None] = {}
    for text in _texts(arguments):
        first = _FIRST.match(text)
        mounts: Sequence[str] = packages.of_import(text)
        if not mounts and first is not None and first.end() < len(text):
            mounts = packages.find(first[0])
        found.update(dict.fromkeys(mounts or shown_in(text)))
    return [*found][:_MOST_LINKED]


class SymbolQuestion(Generic[T]):
    """A question about a symbol of packages, whose users in the project are part of the answer.

    Files with the name are linked for it. Where they do not tell the symbol, the packages alone are
    asked, whose graph is of all their files, and then the users of what that tells.
    """

    def __init__(
        self,
        ask: Callable[[PlacedQuestion], T | None],
        place_of: Callable[[T], str],
        packages: Packages,
        roots: Collection[str],
    ) -> None:
        """`ask` gives None or raises a `Problem` where there is no such symbol.

        `place_of` gives path and line of an answer about one symbol, or an empty text.
        """
        self._ask = ask
        self._place_of = place_of
        self._packages = packages
        self._roots = roots
        self._problem: Problem | None = None

    def answer(self, mounts: Sequence[str], arguments: Mapping[str, Any]) -> T | None:
        """The answer from these packages; None, or the `Problem` of the last try, without one."""
        apart = Place(packages=tuple(mounts))
        together = apart._replace(roots=tuple(self._roots))
        found = self._find(PlacedQuestion(together, arguments))
        if found is not None:
            return found
        alone = self._find(PlacedQuestion(apart, arguments))
        inside = {} if alone is not None else self._names_inside(mounts, arguments)
        if inside:
            alone = self._find(PlacedQuestion(apart, inside))
        if alone is None:
            if self._problem is not None:
                raise self._problem
            return None
        place = self._place_of(alone)
        with_users = PlacedQuestion(together, {**arguments, "name": place})
        return (self._find(with_users) if place else None) or alone

    def _find(self, question: PlacedQuestion) -> T | None:
        self._problem = None
        try:
            return self._ask(question)
        except Problem as problem:
            if problem.code not in UNKNOWN:
                raise
            self._problem = problem.with_traceback(None)
            return None

    def _names_inside(
        self, mounts: Sequence[str], arguments: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """The arguments with names as files in a package have them; empty if none has others."""
        offers = [name for mount in mounts for name in self._packages.by_mount[mount].offers]
        found = {
            key: value[len(offer) + 1 :]
            for key in SYMBOLS
            if isinstance(value := arguments.get(key), str)
            for offer in offers
            if value.startswith(offer) and len(value) > len(offer) + 1
        }
        return {**arguments, **found} if found else {}


def _texts(arguments: Mapping[str, Any]) -> Iterator[str]:
    for name, value in arguments.items():
        if name in SYMBOLS:
            yield from (text.strip() for text in texts_of(value))
