"""Gives the graphs of both sides of a change.

The graph of all files is that of the checkout. A side that is another one is linked for the
question, in memory: its files that differ, and those that may use what they declare.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from code_graph import language_named
from code_graph.evaluate.dependencies import body_key
from code_graph.facts import Declaration, Facts, last_part
from code_graph.model import EdgeType
from code_graph.paths.path_kinds import rank_path
from code_graph.query.edges import EdgeFilter, edges_into, paths_lacking
from code_graph.query.model import USES
from code_graph.query.names import symbols_named
from code_graph.query.neighbours import source_ids
from code_graph.query.snapshot import GraphSnapshot
from code_graph.store.dependents import ExportChanges
from code_graph.store.records import unpack_exports
from code_graph.store.schema import EXPORTS
from index_format import Snapshot
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.changes.changed_symbols import names_called_otherwise
from repo_mcp.changes.contracts import words_of_lost
from repo_mcp.changes.demands import changed_members, family_of, members_like, types_around
from repo_mcp.changes.side_facts import SideFacts
from repo_mcp.changes.sides import ChangeSet, ComparedFile, Contents
from repo_mcp.changes.typed_literals import paths_of_literals
from repo_mcp.history import DeclaredChange
from repo_mcp.indexing.keep.manager import Indexes
from repo_mcp.model import QuestionFiles
from repo_mcp.search import FILE, ExactEngine, ExactQuery
from repo_mcp.text.plurals import counted

# declarations of which no use has to be looked for elsewhere
_LOCAL: Final = "function"
_MOST_FILES: Final = 400
# of files that only have the word, so many are linked beside those where a use has no target
_MOST_NAMING: Final = 24
# in a tree of more files those are compared that looked up what has changed, if they are so few
_LARGE: Final = 20_000
_MOST_REACHED: Final = 100
# a use of another declaration of the name counts more than a word
_MEANING: Final = 10
_BEHIND_DOT: Final = 100
# other declarations of a name, and uses of each, that are looked at
_MOST_SAME: Final = 20
_MOST_EDGES: Final = 200
# graphs of commits that are kept for the next question
_MOST_TREES: Final = 4
# a use without a target counts more than all words
_LACKING: Final = 1_000
_MOST_NAMES: Final = 60
# files that a note names
_MOST_SHOWN: Final = 5
# symbols of one name that are looked at
_MOST_NAMED: Final = 100
_IMPORTS: Final = EdgeFilter((EdgeType.IMPORTS,))
_CONTAINS: Final = EdgeFilter((EdgeType.CONTAINS,))
_CONSTRUCTOR: Final = "constructor"
_WORD: Final = re.compile(r"\w+")


class LinkedSide(NamedTuple):
    """A graph of one side, and those of the files that it was asked for that it has not."""

    graph: GraphSnapshot
    left: Sequence[str] = ()


class LinkedTrees:
    """The graphs of whole trees of commits that were linked last, each of some of its files."""

    def __init__(self) -> None:
        """Nothing is linked yet."""
        self._kept: dict[bytes, LinkedSide] = {}

    def find(self, tree: bytes, paths: Iterable[str]) -> LinkedSide | None:
        """The graph of a tree with these files, if it is kept."""
        kept = self._kept.get(tree)
        if kept is None or not all(map(kept.graph.is_linked, paths)):
            return None
        self.keep(tree, kept)
        return kept

    def keep(self, tree: bytes, side: LinkedSide) -> None:
        """Keep a graph in place of another one of the tree, and of the one that was used first."""
        self._kept.pop(tree, None)
        self._kept[tree] = side
        if len(self._kept) > _MOST_TREES:
            del self._kept[next(iter(self._kept))]


class LinkedSides(NamedTuple):
    """The graphs of both sides, the old files that are compared, and what is missing.

    There is no old graph where no use can have lost its target.
    """

    old: GraphSnapshot | None
    new: GraphSnapshot
    paths: Sequence[str]
    notes: Sequence[str]
    # new files that may use what has changed
    users: Sequence[str] = ()
    # new files that import other things than before
    importing: frozenset[str] = frozenset()


class ChangeGraphs:
    """Links the sides of one change, from one generation of the index."""

    def __init__(
        self,
        manager: Indexes,
        engine: ExactEngine,
        text: Snapshot,
        whole: GraphSnapshot | None,
        older: GraphSnapshot | None,
        budget: Budget,
        seconds: float,
        trees: LinkedTrees,
    ) -> None:
        """`whole` is the graph of all files of the checkout as they are now, if there is one.

        An `older` one, of the files as they were a moment ago, still tells where to look.
        """
        self._manager = manager
        self._engine = engine
        self._text = text
        self._whole = whole
        self._older = whole or older
        self._budget = budget
        self._seconds = seconds
        self._trees = trees
        # the files with a word, as a review asks for one more than once
        self._named: dict[str, Iterable[str]] = {}

    def linked(self, paths: Sequence[str], overlay: Contents, tree: bytes) -> LinkedSide | None:
        """The graph of a side, of these files if it is not the checkout; None if that fails.

        That of a whole `tree` of a commit is the same whatever else differs in the checkout.
        """
        if not overlay and self._whole is not None:
            return LinkedSide(self._whole)
        wanted = [path for path in paths if overlay.get(path, b"") is not None]
        kept = self._trees.find(tree, filter(self._manager.languages.is_lowered, wanted))
        if tree and kept is not None:
            return kept
        asked = QuestionFiles(wanted)
        made = self._manager.on_demand.link(self._text, asked, self._seconds, self._budget, overlay)
        if made is None:
            return None
        graph = GraphSnapshot(made.snapshot)
        side = LinkedSide(graph, [path for path in wanted if not graph.is_linked(path)])
        if tree and not side.left:
            self._trees.keep(tree, side)
        return side

    def using(
        self, names: Iterable[str], changed: Mapping[str, object], members: Container[str] = ()
    ) -> Counter[str]:
        """The files that may use declarations of these names, and how likely each is to.

        The graph of all files has uses without a target by their names. A use that has another
        target now is in a file with the word, and mostly one that uses something of the name;
        that of one of the `members` stands behind a dot.
        """
        counts: Counter[str] = Counter()
        importing = self._importing(changed)
        # what has no name, as the constructor in a type, is used without one
        for name in [*dict.fromkeys(filter(None, names))][:_MOST_NAMES]:
            self._budget.check()
            lacking = () if self._whole is None else paths_lacking(self._whole, name)
            weighed = [(_LACKING, lacking), (_MEANING, self._meaning(name))]
            weighed.append((1, self._naming(name)))
            if name in members:
                weighed.append((_BEHIND_DOT, self._naming(f".{name}")))
            for weight, found in weighed:
                counts.update({path: weight for path in found if path not in changed})
        for path in counts.keys() & importing:
            counts[path] += _MEANING
        return counts

    def _likeliest(self, counts: Counter[str]) -> list[str]:
        """The files to look at; of those that only have a word, few where the graph is whole."""
        ordered = sorted(counts, key=lambda path: (-counts[path], rank_path(path), path))
        if self._whole is None:
            return ordered[:_MOST_FILES]
        sure = [path for path in ordered if counts[path] >= _LACKING]
        return [*sure[:_MOST_FILES], *ordered[len(sure) :][:_MOST_NAMING]]

    def _using_unknown(self, names: Iterable[str], changed: Mapping[str, object]) -> Counter[str]:
        """The files with uses without a target of names that nothing declares any more."""
        graph, counts = self._whole, Counter[str]()
        for name in dict.fromkeys(filter(None, names)) if graph is not None else ():
            if graph is not None and not symbols_named(graph, name, 1)[0]:
                found = paths_lacking(graph, name)
                counts.update({path: _LACKING for path in found if path not in changed})
        return counts

    def _is_large(self) -> bool:
        return self._whole is not None and len(self._whole.file_ids) > _LARGE

    def _reached(
        self,
        sides: ChangeSet,
        paths: Sequence[str],
        changed: Mapping[str, object],
        facts: SideFacts,
    ) -> list[str] | None:
        """The files that looked up names of the files that differ as they were.

        What functions give does not count. None if they are many, or the files that differ could
        not be linked in time.
        """
        side = self.linked(paths, sides.old_overlay, sides.old_tree)
        if side is None or side.left or self._whole is None:
            return None
        keys = ExportChanges(self._whole.snapshot)
        for path in paths:
            data = side.graph.snapshot.attachment(path, EXPORTS)
            keys.compare(path, unpack_exports(data), _keys_of_bodies(path, facts))
        found = keys.dependents(changed.keys())
        if len(found) > _MOST_REACHED:
            return None
        return sorted(found, key=lambda path: (rank_path(path), path))

    def _importing(self, changed: Iterable[str]) -> frozenset[str]:
        """The files that import changed files, as the graph of all files knows."""
        graph = self._whole
        if graph is None:
            return frozenset()
        files = (graph.outline(path)[:1] for path in islice(changed, _MOST_NAMES) if path)
        edges = (
            edges_into(graph, symbol.id, _IMPORTS, limit=_MOST_EDGES).edges
            for rows in files
            for symbol, _ in rows
        )
        return frozenset(edge.path for found in edges for edge in found)

    def _lacking(self, names: Iterable[str], known: Container[str]) -> Iterator[str]:
        """The files with a use of a name that has no target, as the graph of all files knows.

        One that stands behind a dot may have a target outside that gives back what it is called on.
        """
        graph = self._whole
        if graph is None:
            return
        for name in [*dict.fromkeys(names)][:_MOST_NAMES]:
            behind_dot = islice(self._naming(f".{name}"), _MOST_NAMING)
            for path in dict.fromkeys((*paths_lacking(graph, name), *behind_dot)):
                if path not in known:
                    yield path

    def _interfaces_with(self, members: Iterable[str]) -> list[str]:
        """The files of interfaces that have members of these names, as the graph of all knows."""
        found: dict[str, None] = {}
        graph = self._whole
        if graph is None:
            return []
        for name in dict.fromkeys(members):
            for symbol in symbols_named(graph, name, _MOST_NAMED)[0]:
                owners = map(graph.symbol, source_ids(graph, symbol.id, _CONTAINS))
                if any(owner is not None and owner.node_type == "interface" for owner in owners):
                    found[symbol.path] = None
        return [*found]

    def _kin(self, changes: Iterable[DeclaredChange]) -> tuple[list[str], list[str]]:
        """The files of types beside a changed member: its kin by name, and by what they have.

        They are as the graph of all files knows, even if that is a little older.
        """
        graph = self._older
        by_name: dict[str, None] = {}
        by_shape: dict[str, None] = {}
        if graph is None:
            return [], []
        for path, owner, name in (it for change in changes for it in changed_members(change)):
            for symbol in types_around(graph, path, owner):
                if language_named(symbol.language).has_implicit_interfaces:
                    is_demand = symbol.node_type == "interface"
                    alike = members_like(graph, symbol, name) if is_demand else ()
                    by_shape |= dict.fromkeys(item.path for item in alike)
                else:
                    family = family_of(graph, symbol)
                    kin = filter(None, map(graph.symbol, family))
                    by_name |= dict.fromkeys(item.path for item in kin)
                    if language_named(symbol.language).is_structural:
                        by_name |= dict.fromkeys(paths_of_literals(graph, family))
        return [*by_name][:_MOST_FILES], [*by_shape][:_MOST_FILES]

    def _meaning(self, name: str) -> Iterable[str]:
        """The files that use another declaration of a name, as the graph of all files knows."""
        graph = self._whole
        found: dict[str, None] = {}
        for symbol in () if graph is None else symbols_named(graph, name, _MOST_SAME)[0]:
            if graph is not None:
                edges = edges_into(graph, symbol.id, EdgeFilter(USES), limit=_MOST_EDGES).edges
                found |= dict.fromkeys(edge.path for edge in edges)
        return found

    def _naming(self, name: str) -> Iterable[str]:
        """The files with a word; with a dot before it, those that have it as a member."""
        if name not in self._named:
            self._named[name] = self._find_naming(name)
        return self._named[name]

    def _find_naming(self, name: str) -> Iterable[str]:
        query = ExactQuery(
            (name,),
            whole_word=name[0] != ".",
            scope=FILE,
            limit=_MOST_FILES,
            counted=False,
            columns=False,
        )
        found = self._engine.find(self._text, query, self._budget.within(self._seconds))
        return dict.fromkeys(item.path for item in found.matches)

    def both(
        self,
        sides: ChangeSet,
        changes: Sequence[DeclaredChange],
        old_facts: SideFacts,
        new_facts: SideFacts,
    ) -> LinkedSides | None:
        """The graphs of both sides; None if they can't be linked in time.

        The old one is not linked where all that was declared and imported still is.
        """
        has_code = self._manager.languages.is_lowered
        is_whole_new = self._whole is not None and sides.is_of_checkout
        names = [*looked_for(changes, all_kinds=not is_whole_new)]
        if not is_whole_new:  # those that are one of a type name it
            members_now = (it for change in changes for it in changed_members(change))
            names += (last_part(owner) for _, owners, _ in members_now for owner in owners)
        names += names_of_modules(sides.files)
        names += words_of_lost(sides.files, old_facts, new_facts)
        for change in changes:
            facts = old_facts.files.get(change.old_path)
            names += () if facts is None else inner_names(change, facts[1])
            names += () if facts is None else one_of_several(change, facts[1])
        own_old = [item.old_path for item in sides.files if has_code(item.old_path or ".")]
        own_new = [item.new_path for item in sides.files if has_code(item.new_path or ".")]
        changed = {item.old_path: None for item in sides.files}
        changed |= {item.new_path: None for item in sides.files}
        imports = dict(importing_others(sides.files, old_facts, new_facts))
        members = [*_members_of_implicit(changes, new_facts)]
        own = {last_part(one.name) for one in _members_before(changes)}
        by_name, by_shape = self._kin(changes)
        lacks = bool(names or members or by_shape) or any(imports.values())
        near: list[str] | None = None
        if is_whole_new and lacks and self._is_large():
            near = self._reached(sides, own_old, changed, old_facts)
        interfaces = self._interfaces_with(members)
        if near is None:
            using = self._likeliest(self.using(names, changed, own))
        else:  # a name that nothing has any more may be used through values of unknown types
            using = [*near, *self._likeliest(self._using_unknown(names, changed))]
        kin = (*by_shape, *(by_name if lacks else ()))
        users = [*dict.fromkeys((*interfaces, *kin, *using))]
        near = users if near is None else near
        compared = [*dict.fromkeys((*interfaces, *kin, *near))]
        lacking = [*self._lacking(names_called_otherwise(changes), {*changed, *users})]
        if not lacks and is_whole_new and self._whole is not None:
            return LinkedSides(None, self._whole, (), (), [*own_new, *users, *lacking])
        old = self.linked([*own_old, *compared], sides.old_overlay, sides.old_tree)
        new_paths = [*dict.fromkeys((*own_new, *by_name, *compared))]
        new = self.linked(new_paths, sides.new_overlay, sides.new_tree)
        if old is None or new is None:
            return None
        known = old.graph.snapshot
        paths = [path for path in (*own_old, *compared) if known.file(path) is not None]
        notes = [*_missing(old, new)]
        others = frozenset(imports)
        return LinkedSides(old.graph, new.graph, paths, notes, [*own_new, *users, *lacking], others)


def _keys_of_bodies(path: str, facts: SideFacts) -> frozenset[int]:
    """The keys of what the functions of a file give."""
    known = facts.files.get(path)
    rows = () if known is None else known[1].declarations
    names: list[str] = []
    for item in rows:
        around = names[item.parent] if 0 <= item.parent < len(names) else ""
        names.append(f"{around}.{item.name}" if around else item.name)
    return frozenset(body_key(path, name) for name in names)


def _members_before(changes: Iterable[DeclaredChange]) -> Iterator[Declaration]:
    """The members of types that have changed, as they were."""
    for change in changes:
        if change.before is not None and change.before.scope_kind == "class":
            yield change.before


def _missing(old: LinkedSide, new: LinkedSide) -> Iterator[str]:
    """Notes about files that were not linked in time."""
    for name, side in (("before", old), ("after", new)):
        if side.left:
            shown, more = side.left[:_MOST_SHOWN], len(side.left) - _MOST_SHOWN
            named = ", ".join([*shown, *([f"{more} more"] if more > 0 else [])])
            text = f"{counted(len(side.left), 'file')} that may use what changed could not be"
            yield f"{text} compared in time, as they are {name} the change: {named}"


def _members_of_implicit(changes: Iterable[DeclaredChange], new: SideFacts) -> Iterator[str]:
    """The names of members with another signature, by which their types were of interfaces."""
    for change in changes:
        declared, known = change.behind, new.files.get(change.path)
        if change.kind == "signature" and declared is not None and known is not None:
            row = language_named(known[1].language)
            is_implicit = row.has_implicit_interfaces or row.is_structural
            if is_implicit and declared.scope_kind == "class":
                yield last_part(declared.name)


def importing_others(
    files: Iterable[ComparedFile], old: SideFacts, new: SideFacts
) -> Iterator[tuple[str, bool]]:
    """The files whose imports differ by their new paths, and whether they lack any."""
    for file in files:
        before, behind = old.files.get(file.old_path), new.files.get(file.new_path)
        if before is not None and behind is not None:
            one, other = _imported(before[1]), _imported(behind[1])
            if one != other:
                yield file.new_path, not one <= other


def _imported(facts: Facts) -> set[tuple[str, str, str]]:
    return {(item.module, item.name, item.alias) for item in facts.imports}


def looked_for(changes: Iterable[DeclaredChange], *, all_kinds: bool) -> Iterator[str]:
    """The names by which files are found that may use what has changed.

    Uses of what only has another signature are looked for with `all_kinds`.
    """
    for change in changes:
        declared = change.before
        is_wanted = change.kind in {"removed", "renamed", "moved"}
        is_wanted |= change.kind == "signature" and (all_kinds or _has_other_bases(change))
        if declared is None or not is_wanted or declared.scope_kind == _LOCAL:
            continue
        yield last_part(declared.name)
        if declared.kind == _CONSTRUCTOR or declared.name.startswith("__"):
            old_name = change.old_name or change.name
            yield last_part(old_name.rpartition(".")[0])


def one_of_several(change: DeclaredChange, facts: Facts) -> Iterator[str]:
    """The name of a function whose signature differs, if its calls may mean another one of it.

    A base from outside may have one, too.
    """
    declared = change.before
    if declared is None or change.kind != "signature" or declared.scope_kind == _LOCAL:
        return
    if not language_named(facts.language).overloads:
        return
    around = facts.declarations[declared.parent] if declared.parent >= 0 else None
    if (around is not None and around.bases) or any(
        (item.name, item.kind, item.parent) == (declared.name, declared.kind, declared.parent)
        for item in facts.declarations
        if item is not declared
    ):
        yield last_part(declared.name)


def _has_other_bases(change: DeclaredChange) -> bool:
    one, other = change.before, change.behind
    return one is not None and other is not None and one.bases != other.bases


def inner_names(change: DeclaredChange, facts: Facts) -> Iterator[str]:
    """The names of members that went with a declaration."""
    declared = change.before
    if declared is None or change.kind not in {"removed", "moved", "renamed"}:
        return
    for item in facts.declarations:
        if item is not declared and _is_inside(item, declared) and item.scope_kind != _LOCAL:
            yield last_part(item.name)


def _is_inside(item: Declaration, outer: Declaration) -> bool:
    return outer.start_line <= item.start_line and item.end_line <= outer.end_line


def names_of_modules(files: Iterable[ComparedFile]) -> Iterator[str]:
    """The words that import files which are gone, or elsewhere now."""
    for file in files:
        if file.old_path and file.old_path != file.new_path:
            words: list[str] = _WORD.findall(file.old_path.rpartition(".")[0])
            yield from words[-2:]  # the second may name the folder of an `index` or `__init__`
