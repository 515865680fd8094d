"""Links one file after the other: a file's symbols, and an edge for each place that means one."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager
from functools import cached_property
from typing import Final

from code_graph.contracts.join.edges import ContractEdges
from code_graph.evaluate.definitions import Definition, Finder
from code_graph.evaluate.engine import Engine
from code_graph.evaluate.evaluators import Resolver
from code_graph.evaluate.source_file import SourceFile
from code_graph.expressions import NONE, Op
from code_graph.identity import declaration_ids
from code_graph.language import BY_PROJECT, load
from code_graph.language_table import PLAIN, language_named
from code_graph.link.exports import list_exports, list_project_exports
from code_graph.link.families import Family, make_family
from code_graph.link.places import LinkContext, Places
from code_graph.link.shared_names import names_of
from code_graph.link.symbols import list_symbols, type_arities
from code_graph.model import CalledSignature, LinkedFile, LinkedSymbol
from code_graph.projects.finders import Finders, ModuleFinder
from code_graph.projects.tree import Probe
from code_graph.recent import RecentValues
from code_graph.scip.occurrences import ScipTree
from code_graph.scip.overlay import ScipOverlay
from code_graph.tree import LinkFocus, Tree

# Python frames of the deepest evaluation
_FRAMES: Final = 12_000
# files of which the ids of all declarations are remembered
_MOST_FILES: Final = 1024


class GraphLinker:
    """Links the files of a tree; files of one family of languages see each other."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._begin()

    def forget(self) -> None:
        """Give back the memory of all that was linked."""
        self.__dict__.pop("_probe", None)
        self._begin()

    def _begin(self) -> None:
        tree = self._tree
        self._engine = Engine(tree)
        self._ids: RecentValues[str, list[int]] = RecentValues(_MOST_FILES)
        self._families: dict[str, Family | None] = {}
        self._contracts = ContractEdges(self._engine, self._finder_of)
        self._scip: ScipOverlay | None = None
        if isinstance(tree, ScipTree) and tree.scip is not None:
            self._scip = ScipOverlay(tree.scip, self._engine.files.get, self.ids)

    def link(self, path: str, focus: LinkFocus | None = None) -> LinkedFile:
        """The symbols and edges of one file, or of what a `focus` names in it."""
        with _deep_frames:
            return self._link(path, focus)

    def _link(self, path: str, focus: LinkFocus | None) -> LinkedFile:
        file = self._engine.files.get(path)
        if file is None:
            return LinkedFile(path, b"", "", "")
        places = self._visit(file, focus)
        if self._engine.is_spent and not self._engine.is_overworked:
            places = self._visit(file, focus, alone=True)
        if self._engine.is_overworked:
            # the caches of rules save steps, too; they refer to themselves, and are large
            del places
            self.forget()
            gc.collect()
            file = self._engine.files.get(path) or file
            places = self._visit(file, focus, alone=True, fresh=True)
        ids = self.ids(path)
        linked = LinkedFile(
            path,
            file.fingerprint,
            self._finders.projects.project_of(path, self._probe).id,
            file.language,
            list_symbols(file, ids, self._module(file)),
            tuple(sorted(places.edges)),
            tuple(sorted(places.external)),
            tuple(sorted(places.unresolved)),
            self._engine.dependencies(),
            list_exports(file, names_of(file), ids),
            is_complete=not self._engine.is_spent,
        )
        if self._scip is None:
            return linked
        return self._scip.apply(linked, file, lambda target: self._name(places.targets.get(target)))

    def called_signatures(self, path: str) -> tuple[CalledSignature, ...]:
        """The signatures that calls of a file call, where one symbol has several."""
        file = self._engine.files.get(path)
        family = None if file is None else self._family(file.language)
        if file is None or family is None or not language_named(file.language).merges_declarations:
            return ()
        with _deep_frames:
            return tuple(self._signatures(file, family.resolver))

    def _signatures(self, file: SourceFile, resolver: Resolver) -> Iterator[CalledSignature]:
        for number, item in enumerate(file.expressions):
            if item.op not in {Op.CALL, Op.NEW} or item.of == NONE:
                continue
            if not self._engine.begin_place():
                return
            for path, line in resolver.signatures(file, number):
                yield CalledSignature(*file.place(item.of), path, line)

    def _visit(
        self,
        file: SourceFile,
        focus: LinkFocus | None,
        *,
        alone: bool = False,
        fresh: bool = False,
    ) -> Places:
        """Find what the uses of a file mean; `alone` and `fresh` as of `Engine.begin_file`."""
        size = len(file.expressions)
        self._engine.begin_file(file.path, size, file.language, alone=alone, fresh=fresh)
        places = self._places(file, focus)
        places.visit()
        if focus is None:
            self._contracts.add(file, places.add)
        return places

    def _name(self, found: Definition | None) -> str:
        """The name of a declaration; empty for a file."""
        file = None if found is None else self._engine.files.get(found.path)
        return "" if file is None or found is None else file.declarations[found.declaration].name

    def _module(self, file: SourceFile) -> str | None:
        """The path of a module where its files do not say it."""
        language = language_named(file.language)
        if language.module != BY_PROJECT:
            return None
        finder: ModuleFinder = self._finders.of(load(language.imports))
        return finder.module_of(file.path, self._probe)

    def ids(self, path: str) -> list[int]:
        """The ids of a file's declarations."""
        return self._ids.get(path, self._find_ids)

    def _find_ids(self, path: str) -> list[int]:
        file = self._engine.files.get(path)
        return [] if file is None else _ids_of(file)

    def _places(self, file: SourceFile, focus: LinkFocus | None) -> Places:
        family = self._family(file.language)
        if family is None:
            file = SourceFile(file.path, file.facts, None, file.fingerprint)
            family = self._family(PLAIN.name)
        assert family is not None  # noqa: S101 it has rules
        parts = self._engine, family.resolver, family.definitions, self.ids
        context = LinkContext(*parts, focus)
        return family.places(context, file)

    def _family(self, language: str) -> Family | None:
        rules = language_named(language).rules
        if rules not in self._families:
            self._families[rules] = make_family(self._engine, language)
        return self._families[rules]

    def _finder_of(self, language: str) -> Finder | None:
        family = self._family(language)
        return None if family is None else family.definitions

    def declared(self, path: str) -> tuple[LinkedSymbol, ...]:
        """The symbols of a file as its declarations tell them, without edges."""
        file = self._engine.files.get(path)
        return () if file is None else list_symbols(file, self.ids(path), self._module(file))

    def project_exports(self) -> list[tuple[int, int]]:
        """The exports of the tree's paths and manifests, which belong to no file."""
        return list_project_exports(self._finders)

    @property
    def _finders(self) -> Finders:
        return self._engine.files.finders

    @cached_property
    def _probe(self) -> Probe:
        return Probe(self._finders.projects.tree, self._engine.depend_on_note)


class _DeepFrames(AbstractContextManager[None]):
    """Raises the interpreter's recursion limit while any thread is inside.

    It is process-wide, and what reads messages relies on the usual one.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._usual = 0

    def __enter__(self) -> None:
        with self._lock:
            self._inside += 1
            if self._inside == 1:
                self._usual = sys.getrecursionlimit()
                sys.setrecursionlimit(max(self._usual, _FRAMES))

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                sys.setrecursionlimit(self._usual)


_deep_frames: Final = _DeepFrames()


def _ids_of(file: SourceFile) -> list[int]:
    place = language_named(file.language).scopes
    scopes: list[int] | None = load(place)(file) if place else None
    arities = type_arities(file)
    return declaration_ids(file.language, file.path, file.declarations, arities, scopes)
