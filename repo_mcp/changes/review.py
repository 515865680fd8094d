"""Reviews a change: what differs, what may break by it, which tests tell, what is missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from code_graph.facts import FAILED, DamagedFactsError, Facts, decode
from code_graph.store.schema import FACTS
from index_format import Snapshot
from index_format.analysis.content import fingerprint
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.changes.asking import find_sides
from repo_mcp.changes.chosen_tests import TestChooser
from repo_mcp.changes.companions import missing_companions
from repo_mcp.changes.covered_lines import CoveredChange, covered_change
from repo_mcp.changes.graphs import (
    ChangeGraphs,
    LinkedSide,
    inner_names,
    looked_for,
    names_of_modules,
)
from repo_mcp.changes.left_unused import left_unused
from repo_mcp.changes.model import (
    BreakingPlace,
    ChosenTest,
    MissingCompanion,
    ReadText,
    UnusedDeclaration,
)
from repo_mcp.changes.places import breaking_places
from repo_mcp.changes.sides import (
    ChangeQuestion,
    ChangeSet,
    ComparedFile,
    Contents,
)
from repo_mcp.changes.two_sides import TwoSides, symbol_at
from repo_mcp.errors import Problem
from repo_mcp.history import (
    CommitIndex,
    DeclaredChange,
    FileVersions,
    Histories,
    RootHistory,
    compare_declarations,
)
from repo_mcp.repository import OpenGraph, OpenIndex, OutdatedFiles, Repository, SourceFiles
from repo_mcp.safety.denylist import Denylist
from repo_mcp.search import FILE, ExactEngine, ExactQuery
from repo_mcp.text.files import decode as decode_text

# files that are compared; a change of more is reviewed in parts
_MOST_FILES: Final = 2_000
_MOST_NAMED: Final = 20


class ChangeReview(NamedTuple):
    """The meaning of a change; parts that could not be found out are None, and notes say why."""

    old_name: str
    new_name: str
    files: Sequence[ComparedFile]
    declarations: Sequence[DeclaredChange]
    places: Sequence[BreakingPlace] | None
    unused: Sequence[UnusedDeclaration] | None
    tests: Sequence[ChosenTest]
    companions: Sequence[MissingCompanion] | None
    uncovered: Sequence[str]  # new lines that no test has run, as path:12-14
    unparsed: Sequence[str]  # files with lines, but without declarations that are known
    notes: Sequence[str]


class ReviewServices(NamedTuple):
    """The services that a review asks: the seconds are for linking each side of a change."""

    repository: Repository
    histories: Histories
    engine: ExactEngine
    seconds: float
    # commits are indexed first
    waits: bool


class ChangeReviewer:
    """Reviews one change, as often as the index is brought up to date for it."""

    def __init__(self, services: ReviewServices, asked: ChangeQuestion, budget: Budget) -> None:
        """Find the files that differ; a `Problem` where that can't be."""
        self._services = services
        self._coverage = asked.coverage
        self._budget = budget
        repository = services.repository
        denylist = Denylist(repository.settings.deny_globs)
        given = services.histories, repository.sandbox, denylist, budget
        self._sides = find_sides(asked, *given)
        if len(self._sides.files) > _MOST_FILES:
            text = f"{len(self._sides.files)} files differ: give a path, or a part of the change"
            raise Problem("argument_invalid", text)

    def review(self, opened: OpenGraph, index: OpenIndex) -> ChangeReview:
        """The review by one generation of the index and the graph."""
        if index.snapshot is None:
            raise Problem("index_unavailable", "nothing is indexed yet")
        given = self._sides, opened, index.snapshot, self._budget, self.read, self._coverage
        return _Review(self._services, *given).made()

    def outdated(self, review: ChangeReview) -> OutdatedFiles:
        """Files of the review that the index has another text of."""
        text = self._services.repository.current_index().snapshot
        if text is None:
            return OutdatedFiles()
        paths = {item.path for item in review.places or ()}
        if self._sides.is_of_checkout:
            paths |= {item.new_path for item in self._sides.files}
        files = SourceFiles(self._services.repository.sandbox, text)
        return files.outdated(path for path in paths if text.file(path) is not None)

    def read(self, path: str) -> str | None:
        """A file of the new side; None where there is none."""
        overlay = self._sides.new_overlay
        if path in overlay:
            data = overlay[path]
        else:
            try:
                data = self._services.repository.sandbox.read(path).data
            except Problem:
                return None
        text = None if data is None else decode_text(data)
        return None if text is None else text.content


class _Review:
    """One review."""

    def __init__(
        self,
        services: ReviewServices,
        sides: ChangeSet,
        opened: OpenGraph,
        text: Snapshot,
        budget: Budget,
        read: ReadText,
        coverage: str,
    ) -> None:
        self._repository, self._histories, self._engine, self._seconds, self._waits = services
        self._sides = sides
        self._coverage = coverage
        self._text = text
        self._budget = budget
        self._read = read
        graph = None if opened.on_demand is not None else opened.graph
        # the graph of all files, which may be a little older than they are
        self._whole = graph if graph is not None and graph.progress.complete else None
        self._current = self._whole if opened.follows and self._is_indexed() else None
        self._graphs = ChangeGraphs(
            self._repository.manager, self._engine, text, self._current, budget, self._seconds
        )
        self._notes: list[str] = []

    def made(self) -> ChangeReview:
        """The review."""
        sides = self._sides
        old_facts = self._facts(
            {item.old_path: item.old for item in sides.files}, sides.old_overlay
        )
        new_facts = self._facts(
            {item.new_path: item.new for item in sides.files}, sides.new_overlay
        )
        versions = [_versions(item, old_facts, new_facts) for item in sides.files]
        changes = compare_declarations(versions, self._budget.check)
        has_code = self._repository.languages.has_code
        is_of_code = any(has_code(item.path) for item in sides.files)
        both = self._both(changes, old_facts, new_facts) if is_of_code else None
        places: list[BreakingPlace] | None = None if is_of_code else []
        unused: list[UnusedDeclaration] | None = None if is_of_code else []
        if both is not None:
            two, paths = both
            places = breaking_places(two, changes, paths)
            if two.new is self._current:
                unused = left_unused(two.new, sides.files, _without_texts(old_facts))
        companions = self._companions()
        covered = self._covered()
        chooser = self._chooser(both and both[0], changes, places or (), companions or ())
        if covered is not None:
            chooser.add_covering(covered.tests)
        tests = chooser.chosen()
        unparsed = [
            item.path
            for item in sides.files
            if not item.is_binary
            and item.old_path not in old_facts
            and item.new_path not in new_facts
        ]
        return ChangeReview(
            sides.old_name,
            sides.new_name,
            sides.files,
            changes,
            places,
            unused,
            tests,
            companions,
            () if covered is None else covered.uncovered,
            unparsed,
            self._notes,
        )

    def _is_indexed(self) -> bool:
        """True if the index has the files that differ as the checkout has them."""
        for file in self._sides.files:
            known = self._text.file(file.new_path) if file.new_path else None
            if known is None or file.new_path in self._sides.new_overlay or file.new is None:
                continue
            if known.fingerprint != fingerprint(file.new):
                return False
        return True

    # --- declarations

    def _facts(
        self, texts: Mapping[str, bytes | None], overlay: Contents
    ) -> dict[str, tuple[str, Facts]]:
        """The texts and declarations of files of one side, of as many as there is time for."""
        languages = self._repository.languages
        wanted = {
            path: data
            for path, data in texts.items()
            if path and data is not None and languages.language_of(path)
        }
        encoded: dict[str, bytes] = {}
        for path, data in wanted.items():
            known = None if path in overlay else self._text.file(path)
            if known is not None and known.fingerprint == fingerprint(data):
                encoded[path] = self._text.attachment(path, FACTS)
        left = [path for path in wanted if not encoded.get(path)]
        own = {path: wanted[path] for path in left}
        limit = self._budget.within(4 * self._seconds)
        while left and not limit.spent:
            parsed = self._repository.manager.parse_on_demand(left, self._seconds, limit, own)
            if not parsed:
                break
            encoded |= {path: item.facts for path, item in parsed.items()}
            left = [path for path in left if path not in parsed]
        if left:
            self._notes.append(f"{len(left)} files were not parsed in time: {_named(left)}")
        return dict(_decoded(wanted, encoded))

    # --- edges

    def _both(
        self,
        changes: Sequence[DeclaredChange],
        old_facts: Mapping[str, tuple[str, Facts]],
        new_facts: Mapping[str, tuple[str, Facts]],
    ) -> tuple[TwoSides, Sequence[str]] | None:
        """The graphs of both sides, and the old files that are compared.

        The old one is not linked where all that was declared and imported still is.
        """
        sides = self._sides
        has_code = self._repository.languages.has_code
        is_whole_new = self._current is not None and sides.is_of_checkout
        names = [*looked_for(changes, all_kinds=not is_whole_new)]
        names += names_of_modules(sides.files)
        for change in changes:
            facts = old_facts.get(change.old_path)
            names += () if facts is None else inner_names(change, facts[1])
        own_old = [item.old_path for item in sides.files if has_code(item.old_path or ".")]
        own_new = [item.new_path for item in sides.files if has_code(item.new_path or ".")]
        changed = {item.old_path: None for item in sides.files}
        changed |= {item.new_path: None for item in sides.files}
        lacks = bool(names) or _lacks_imports(sides.files, old_facts, new_facts)
        users = self._graphs.using(names, changed)
        if not lacks and is_whole_new and self._current is not None:
            return TwoSides(None, self._current, sides.files, self._read), ()
        old = self._graphs.linked([*own_old, *users], sides.old_overlay)
        new = self._graphs.linked([*own_new, *users], sides.new_overlay)
        if old is None or new is None:
            self._notes.append("edges of both sides could not be linked in time")
            return None
        self._note_linked(old, new)
        two = TwoSides(old.graph, new.graph, sides.files, self._read)
        return two, [path for path in (*own_old, *users) if old.graph.is_linked(path)]

    def _note_linked(self, old: LinkedSide, new: LinkedSide) -> None:
        for name, side in (("before", old), ("after", new)):
            files = side.files
            if files is not None and files.linked < files.asked:
                text = f"{files.linked} of {files.asked} files that may use what changed were"
                self._notes.append(f"{text} linked as they are {name} the change")
        if self._whole is None:
            self._notes.append(
                "the graph of all files is not linked yet: uses are those in files with the names,"
                " and tests are chosen by names and history"
            )

    # --- tests and companions

    def _companions(self) -> list[MissingCompanion] | None:
        found: list[MissingCompanion] = []
        is_known = False
        for prefix, root in self._histories.roots.items():
            own = [item.path for item in self._sides.files if item.path.startswith(prefix)]
            if not own:
                continue
            commits = self._commits(root)
            if commits is None:
                continue
            is_known = True
            with root.history.reading():
                rows = missing_companions(
                    commits,
                    [path.removeprefix(prefix) for path in own],
                    partial(self._is_there, prefix),
                    self._budget.check,
                )
            denied = root.history.denylist
            found += [
                item._replace(path=prefix + item.path, because=prefix + item.because)
                for item in rows
                if not denied.rule(item.path)
            ]
        if not is_known and self._sides.files:
            self._notes.append(
                "the history is not indexed yet: what usually changes along is not known"
            )
        return found if is_known else None

    def _is_there(self, prefix: str, path: str) -> bool:
        return self._text.file(prefix + path) is not None

    def _commits(self, root: RootHistory) -> CommitIndex | None:
        """The commits of a root, if they are indexed, or are waited for."""
        try:
            opened = root.open(self._budget) if self._waits else root.peek()
        except Problem as problem:
            if problem.code == "cancelled":
                raise
            return None
        return None if opened is None else opened.commits

    def _covered(self) -> CoveredChange | None:
        prefixes = self._histories.roots
        try:
            found = covered_change(self._repository.sandbox, self._sides, self._coverage, prefixes)
        except Problem as problem:
            if self._coverage:
                raise
            self._notes.append(f"coverage was not read: {problem.reason}")
            return None
        if found is not None:
            self._notes.append(f"what tests have run is that of {found.source}")
        return found

    def _chooser(
        self,
        two: TwoSides | None,
        changes: Sequence[DeclaredChange],
        places: Sequence[BreakingPlace],
        companions: Sequence[MissingCompanion],
    ) -> TestChooser:
        """The tests with their reasons."""
        chooser = TestChooser(self._whole, [*self._text.paths()])
        files = self._sides.files
        changed = [] if two is None else [*_changed_ids(two, changes)]
        chooser.add_changed(files, changed)
        if two is not None:
            chooser.add_reaching([*changed, *_enclosing(two, changes)], [*_around(two, places)])
        chooser.add_namesakes(item.path for item in files)
        languages = self._repository.languages
        bare = [item.path for item in files if not languages.has_code(item.path)]
        chooser.add_naming({path: self._naming(path) for path in bare[:_MOST_NAMED]})
        chooser.add_companions(item for item in companions if languages.has_code(item.path))
        return chooser

    def _naming(self, path: str) -> list[str]:
        """The files with the name of a file in a line."""
        name = path.rpartition("/")[2]
        query = ExactQuery((name,), scope=FILE, limit=_MOST_NAMED * 10, counted=False)
        found = self._engine.find(self._text, query, self._budget.within(self._seconds))
        return [*dict.fromkeys(item.path for item in found.matches)]


def _changed_ids(two: TwoSides, changes: Sequence[DeclaredChange]) -> Iterator[int]:
    """The symbols that have changed, and files whose other code has."""
    for change in changes:
        symbol = None
        if change.behind is not None:
            symbol = symbol_at(two.new, change.path, change.behind.name_line)
        elif change.before is not None and two.old is not None:
            symbol = symbol_at(two.old, change.old_path, change.before.name_line)
        if symbol is not None:
            yield symbol.id
    told = {path for change in changes for path in (change.path, change.old_path)}
    for path in two.by_new.keys() - told:
        yield from (symbol.id for symbol, _ in two.new.outline(path)[:1])


def _enclosing(two: TwoSides, changes: Sequence[DeclaredChange]) -> Iterator[int]:
    """The functions around changed ones, which make them."""
    for change in changes:
        declared = change.behind
        if declared is not None and declared.scope_kind == "function":
            for symbol, around in two.new.outline(change.path):
                if around is None or around is declared:
                    continue
                if symbol.start_line < declared.start_line <= symbol.end_line:
                    yield symbol.id


def _around(two: TwoSides, places: Iterable[BreakingPlace]) -> Iterator[int]:
    """The symbols around places."""
    for place in places:
        around = [
            symbol
            for symbol, declared in two.new.outline(place.path)
            if declared is not None and symbol.start_line <= place.line <= symbol.end_line
        ]
        yield from (symbol.id for symbol in around[-1:])


def _lacks_imports(
    files: Iterable[ComparedFile],
    old: Mapping[str, tuple[str, Facts]],
    new: Mapping[str, tuple[str, Facts]],
) -> bool:
    """True if some file does not import any more what it did."""
    for file in files:
        before, behind = old.get(file.old_path), new.get(file.new_path)
        if before is None or behind is None:
            continue
        there = {(item.module, item.name, item.alias) for item in behind[1].imports}
        if any((item.module, item.name, item.alias) not in there for item in before[1].imports):
            return True
    return False


def _without_texts(facts: Mapping[str, tuple[str, Facts]]) -> dict[str, Facts]:
    return {path: found for path, (_, found) in facts.items()}


def _versions(
    file: ComparedFile,
    old: Mapping[str, tuple[str, Facts]],
    new: Mapping[str, tuple[str, Facts]],
) -> FileVersions:
    return FileVersions(
        file.old_path or file.new_path,
        file.new_path or file.old_path,
        old.get(file.old_path),
        new.get(file.new_path),
    )


def _decoded(
    texts: Mapping[str, bytes], encoded: Mapping[str, bytes]
) -> Iterator[tuple[str, tuple[str, Facts]]]:
    for path, data in texts.items():
        text = decode_text(data)
        if text is None or not encoded.get(path):
            continue
        try:
            facts = decode(encoded[path])
        except DamagedFactsError:
            continue
        if facts.status != FAILED:
            yield path, (text.content, facts)


def _named(paths: Iterable[str]) -> str:
    shown = sorted(paths)
    return ", ".join(shown[:3]) + (" …" if len(shown) > 3 else "")
