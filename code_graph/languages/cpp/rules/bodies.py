"""Tells functions of C++ whose symbol has bodies in several files, or stands for others, too.

One is declared in a header and defined for each platform, or by each program of a folder; and a
function in no scope shares its symbol with others that take as many parameters, as C has it. The
symbol is right, and which of the bodies runs is not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from code_graph.declared.overloads import MatchedFunction, best_by
from code_graph.evaluate.source_file import SourceFile
from code_graph.facts import MODULE, Declaration
from code_graph.languages.c.rules.includes import HEADERS, Includes
from code_graph.languages.c.rules.library import STANDARD
from code_graph.languages.c.rules.linkage import DEFINITION, shared, word_of
from code_graph.languages.cpp.parameters import overload_key, types_key
from code_graph.languages.cpp.rules.shared import (
    VALUE,
    named,
    shared_whole,
    specializations,
    whole_name,
    whole_names,
)
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.declared.evaluation import DeclaredEvaluation

_LANGUAGE: Final = "cpp"
_FUNCTIONS: Final = frozenset({"function", "prototype", "method", "constructor", "destructor"})
_MACRO: Final = "macro"
_PROTOTYPE: Final = "prototype"
_FREE: Final = frozenset({"function", _PROTOTYPE})
_WORD: Final = re.compile(r"[A-Za-z_]\w*")
# files that are looked into for bodies
_MOST_FILES: Final = 8


class Bodies:
    """Certainty that a function runs and no other in its place."""

    def __init__(self, evaluation: DeclaredEvaluation, includes: Includes) -> None:
        self._evaluation = evaluation
        self._engine = evaluation.engine
        self._includes = includes

    def certain(self, file: SourceFile, declaration: int, strategy: Strategy) -> Strategy:
        """The strategy of a found declaration, or of a choice among several."""
        if strategy >= Strategy.OVERLOAD:
            return strategy
        item = file.declarations[declaration]
        if item.kind == _MACRO or item.kind in _FUNCTIONS:
            self._evaluation.classes.depend_on_declaration(file, declaration)
        if item.kind == _MACRO and item.decl_context.startswith("#"):
            # another system's name of a function of the library, or what a compiler lacks
            is_renamed = item.name in STANDARD or word_of(item) == f"_{item.name}"
            return Strategy.NAME if is_renamed else Strategy.OVERLOAD
        if item.kind not in _FUNCTIONS:
            return strategy
        if "friend" in item.modifiers or (item.kind in _FREE and item.name in STANDARD):
            return Strategy.OVERLOAD  # found by arguments alone; the library's may be meant
        if strategy == Strategy.DECLARED and self._is_specialised(file, item):
            return Strategy.OVERLOAD
        key = ("several bodies", file.path, declaration)
        has_several = self._engine.unit(
            key, lambda: self._has_several(file, declaration), nothing=False
        )
        return Strategy.OVERLOAD if has_several else strategy

    def preferred(
        self, file: SourceFile, call: int, candidates: Sequence[MatchedFunction]
    ) -> Sequence[MatchedFunction]:
        """The functions that stand under conditions of the names that the call does."""
        caller = file.owner(file.code.scope_of[call])
        names = _conditions(file.declarations[caller]) if caller >= 0 else frozenset()
        if not names:
            return candidates
        return best_by(
            candidates,
            lambda one: len(names & _conditions(one.declaration)) if one.declaration else 0,
        )

    def _is_specialised(self, file: SourceFile, item: Declaration) -> bool:
        """True for a member whose class has specialisations, which may be meant."""
        if item.parent == MODULE:
            return False
        self._evaluation.classes.depend_on_declaration(file, item.parent)
        special = specializations(file)
        name = file.declarations[item.parent].name
        return any(file.declarations[number].name == name for number in special)

    def _has_several(self, file: SourceFile, declaration: int) -> bool:
        item = file.declarations[declaration]
        whole = whole_name(file, declaration)
        last = whole.rpartition(".")[2]
        if "static" in item.modifiers and item.scope_kind != "class":
            return False
        self._includes.holding(_LANGUAGE, named(last))  # what all declarations of it take
        paths = self._engine.files.declaring(_LANGUAGE, shared_whole(whole, VALUE))
        sources = [path for path in paths if not path.endswith(HEADERS)]
        if "." not in whole:
            sources += self._includes.holding("c", shared(last, DEFINITION))
        is_own = not file.path.endswith(HEADERS) and item.kind != _PROTOTYPE
        defining = {file.path} if is_own else set()
        for path in sources[:_MOST_FILES] if len({*defining, *sources}) > 1 else ():
            other = self._evaluation.file(path)
            for row in () if other is None else self._declared(other, whole):
                if "static" in row.modifiers or not self._is_one(item, row, whole):
                    continue
                if types_key(row.parameters) != types_key(item.parameters):
                    return True
                if row.kind != _PROTOTYPE:
                    defining.add(path)
        return len(defining) > 1

    def _is_one(self, one: Declaration, other: Declaration, whole: str) -> bool:
        """True if two functions of a name have one symbol."""
        is_scoped = "." in whole
        return overload_key(one, is_scoped=is_scoped) == overload_key(other, is_scoped=is_scoped)

    def _declared(self, file: SourceFile, whole: str) -> Iterator[Declaration]:
        if file.language == _LANGUAGE:
            numbers = whole_names(file).get((whole, VALUE), [])
        else:
            numbers = self._evaluation.types.table(file).members.get((MODULE, whole), [])
        rows = map(file.declarations.__getitem__, numbers)
        yield from (item for item in rows if item.kind in _FUNCTIONS)


def _conditions(item: Declaration) -> frozenset[str]:
    """The names in the `#if` conditions around a declaration, without those of `#else`."""
    found: list[set[str]] = []
    for part in item.decl_context.split(" > ") if "#" in item.decl_context else ():
        if part.startswith("#el"):
            found = found[:-1]
        if part.startswith("#"):
            found.append({*_WORD.findall(part)[1:]} - {"defined"})
    return frozenset().union(*found)
