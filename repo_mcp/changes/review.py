"""Reviews a change: what differs, what may break by it, which tests tell, what is missing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from code_graph.facts import Facts, last_part
from code_graph.packages.catalog import TreePackages
from code_graph.paths.path_kinds import PROSE, rank_path
from code_graph.projects.source import is_manifest
from code_graph.query.model import FUNCTIONS, TYPES
from code_graph.query.names import symbols_named
from code_graph.query.snapshot import GraphSnapshot
from index_format import Snapshot
from index_format.analysis.content import fingerprint
from index_format.tuples import NamedTuple
from repo_mcp.ask import is_unused, looks_used
from repo_mcp.ask.owners import owners_of_files
from repo_mcp.ask.packages import rebuilds
from repo_mcp.budget import Budget
from repo_mcp.changes.asking import find_sides
from repo_mcp.changes.changed_symbols import (
    changed_symbols,
    enclosing_functions,
    names_called_otherwise,
    names_gone,
    run_as_before,
    symbols_around,
    symbols_of_files,
)
from repo_mcp.changes.chosen_tests import TestChooser
from repo_mcp.changes.companions import companions_of_roots
from repo_mcp.changes.covered_lines import CoveredChange, covered_change
from repo_mcp.changes.graphs import ChangeGraphs, LinkedTrees
from repo_mcp.changes.model import (
    BreakingPlace,
    ChosenTest,
    MissingCompanion,
    ReadText,
    UnusedDeclaration,
)
from repo_mcp.changes.places import breaking_places
from repo_mcp.changes.side_facts import SideFacts, read_side, versions_of
from repo_mcp.changes.sides import (
    ChangeQuestion,
    ChangeSet,
    ComparedFile,
    Contents,
    check_number,
)
from repo_mcp.changes.two_sides import WORD, TwoSides
from repo_mcp.errors import Problem
from repo_mcp.git import gaps_text
from repo_mcp.history import DeclaredChange, Histories, compare_declarations
from repo_mcp.owners import OWNER_FILES
from repo_mcp.owners.ownership import Ownership
from repo_mcp.repository import (
    OpenGraph,
    OpenIndex,
    OutdatedFiles,
    Repository,
    SourceFiles,
    lines_with_word,
    local_name,
)
from repo_mcp.safety.denylist import Denylist
from repo_mcp.search import FILE, ExactEngine, ExactQuery
from repo_mcp.text.files import decode as decode_text

# files that are compared; a change of more is reviewed in parts
_MOST_NAMED: Final = 20
_MOST_SHOWN: Final = 3
# lines with one name that are looked through
_MOST_MENTIONS: Final = 400
# shorter names are in too many lines
_SHORTEST: Final = 4
# no word of a natural language: two parts, or digits
_NO_WORD: Final = re.compile(r"[a-z\d][A-Z]|\w_\w|\d|[A-Z]{2}")
_OTHER_TEXT: Final = "what is not used any more is known of the files as they are now alone"
_WITHOUT_GRAPH: Final = (
    "this is a part of the answer, as the graph of all files is still being linked: uses are those"
    " in files with the names, and tests are chosen by names and history; ask again later"
)
_GRAPH_BEHIND: Final = (
    "the graph of all files is behind the files as they are now, and is being linked again: uses"
    " are those in files that were linked for this answer, which have the names or types beside"
    " them; ask again for all"
)
_KINDS: Final = FUNCTIONS | TYPES
# of a document
_SECTION: Final = "section"
# names that are looked up, and symbols of one of them
_MOST_NAMES: Final = 2_000
_MOST_OF_NAME: Final = 20


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
    owners: Sequence[str]  # who reviews: owners by the files of the side before
    rebuilds: Sequence[str]  # packages of the files of the side after, and their dependents
    mentions: Sequence[str]  # lines of documents that name what is gone
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
    # graphs of commits that earlier questions have linked
    trees: LinkedTrees | None = None


class ChangeReviewer:
    """Reviews one change, as often as the index is brought up to date for it."""

    def __init__(self, services: ReviewServices, asked: ChangeQuestion, budget: Budget) -> None:
        """Read nothing yet; a `Problem` where more than one comparison is asked for."""
        asked.check()
        self._services = services
        self._asked = asked
        self._budget = budget
        self._found: ChangeSet | None = None

    def review(self, opened: OpenGraph, index: OpenIndex) -> ChangeReview:
        """The review by one generation of the index and the graph.

        A `Problem` where the files that differ can't be found.
        """
        if index.snapshot is None:
            raise Problem("index_unavailable", "nothing is indexed yet")
        if self._found is None:
            self._found = self._find_sides(is_current=opened.compared)
        coverage = self._asked.coverage
        given = self._sides, opened, index.snapshot, self._budget, self.read, coverage
        return _Review(self._services, *given).made()

    @property
    def _sides(self) -> ChangeSet:
        """The files that differ, which are found once."""
        if self._found is None:
            self._found = self._find_sides(is_current=False)
        return self._found

    def _find_sides(self, *, is_current: bool) -> ChangeSet:
        """The files that differ; the index `is_current` if it was compared with all files."""
        repository = self._services.repository
        denylist = Denylist(repository.settings.deny_globs, repository.settings.entries)
        given = self._asked, self._services.histories, repository.sandbox, denylist, self._budget
        found = find_sides(*given, is_current=is_current)
        check_number(len(found.files))
        return found

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
        self._repository, self._histories, self._engine, self._seconds, self._waits, trees = (
            services
        )
        self._sides = sides
        self._coverage = coverage
        self._text = text
        self._budget = budget
        self._read = read
        self._rows: dict[str, list[str]] = {}
        graph = None if opened.on_demand is not None else opened.graph
        # the graph of all files, which may be a little older than they are
        self._whole = graph if graph is not None and graph.progress.complete else None
        follows = opened.follows and self._whole is not None and self._whole.progress.is_of(text)
        self._current = self._whole if follows and self._is_indexed() else None
        given = self._repository.manager, self._engine, text, self._current, self._whole, budget
        self._graphs = ChangeGraphs(*given, self._seconds, trees or LinkedTrees())
        self._notes: list[str] = [text for text in (gaps_text(sides.gaps),) if text]

    def made(self) -> ChangeReview:
        """The review."""
        sides = self._sides
        old = self._facts({item.old_path: item.old for item in sides.files}, sides.old_overlay)
        new = self._facts({item.new_path: item.new for item in sides.files}, sides.new_overlay)
        languages = self._repository.languages
        versions = [versions_of(item, old, new, languages) for item in sides.files]
        changes = compare_declarations(versions, self._budget.check)
        is_of_code = any(languages.is_lowered(item.path) for item in sides.files)
        linked = self._graphs.both(sides, changes, old, new) if is_of_code else None
        places: list[BreakingPlace] | None = None if is_of_code else []
        unused: list[UnusedDeclaration] | None = None if is_of_code else []
        two = None
        if linked is not None:
            self._notes += linked.notes
            given = linked.old, linked.new, sides.files, self._read
            two = TwoSides(*given, linked.importing)
            places = breaking_places(two, changes, linked.paths, linked.users)
            if linked.new is self._current:
                unused = left_unused(linked.new, sides.files, old.files)
                unused += left_imports(sides.files, old.files, new.files)
            elif self._current is not None:
                self._notes.append(_OTHER_TEXT)
        elif is_of_code:
            self._notes.append("edges of both sides could not be linked in time")
        if is_of_code and self._whole is None:
            self._notes.append(_WITHOUT_GRAPH)
        elif is_of_code and self._current is None:
            self._notes.append(_GRAPH_BEHIND)
        companions = self._companions()
        covered = self._covered()
        tests = self._tests(two, changes, places or (), companions or (), covered)
        unparsed = [
            item.path
            for item in sides.files
            if item.path in sides.unread
            or (
                not item.is_binary
                and item.old_path not in old.files
                and item.new_path not in new.files
            )
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
            self._owners(),
            self._rebuilds(),
            self._mentions(changes),
            () if covered is None else covered.uncovered,
            unparsed,
            self._notes,
        )

    def _owners(self) -> list[str]:
        """The owners of the files that differ, as the side before says."""
        before = {item.old_path: item.old for item in self._sides.files if item.old_path}
        paths = [item.new_path or item.old_path for item in self._sides.files]

        def read_text(path: str) -> str | None:
            if path not in before:
                return None if path in paths else self._read(path)
            text = decode_text(before[path] or b"")
            return None if text is None else text.content

        return owners_of_files(Ownership(self._text.paths_named(OWNER_FILES), read_text), paths)

    def _rebuilds(self) -> list[str]:
        """The packages that the change rebuilds, as the manifests of the side after say."""
        sides = self._sides
        after = {*self._text.paths(), *sides.new_overlay, *(item.path for item in sides.files)}
        # what is gone was a part of its package, but declares none
        gone = {path for path, data in sides.new_overlay.items() if data is None}
        gone |= {item.old_path for item in sides.files} - {item.new_path for item in sides.files}
        after -= {path for path in gone if is_manifest(path)}
        return rebuilds(TreePackages(after, self._read), [item.path for item in sides.files])

    def _is_indexed(self) -> bool:
        """True if the index has the files that differ as the checkout has them."""
        overlay = self._sides.new_overlay
        rows = ({it.old_path: None, it.new_path: it.new} for it in self._sides.files)
        for path, data in (pair for row in rows for pair in row.items()):
            # one that is not indexed may be left out
            known = None if not path or path in overlay else self._text.file(path)
            if known is not None and (data is None or known.fingerprint != fingerprint(data)):
                return False
        return True

    def _facts(self, contents: Mapping[str, bytes | None], overlay: Contents) -> SideFacts:
        manager = self._repository.manager
        given = manager, self._text, contents, overlay, self._seconds, self._budget
        found = read_side(*given)
        if found.unparsed:
            count, shown = len(found.unparsed), ", ".join(sorted(found.unparsed)[:_MOST_SHOWN])
            self._notes.append(f"{count} files were not parsed in time, as {shown}")
        return found

    def _companions(self) -> list[MissingCompanion] | None:
        files = self._sides.files
        found = companions_of_roots(
            self._histories,
            files,
            lambda path: path not in self._sides.others and self._text.file(path) is not None,
            self._budget,
            waits=self._waits,
        )
        if found is None and files:
            self._notes.append("commits are not indexed yet: what changes along is not known")
        return found

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

    def _tests(
        self,
        two: TwoSides | None,
        changes: Sequence[DeclaredChange],
        places: Sequence[BreakingPlace],
        companions: Sequence[MissingCompanion],
        covered: CoveredChange | None,
    ) -> list[ChosenTest]:
        chooser = TestChooser(self._whole, self._text)
        files = self._sides.files
        changed = [] if two is None else [*changed_symbols(two, changes, self._whole)]
        chooser.add_changed(files, changed)
        if two is not None:
            inner = [*changed, *enclosing_functions(two, changes)]
            others = [change for change in changes if not run_as_before(change)]
            run = {*changed_symbols(two, others, self._whole), *enclosing_functions(two, others)}
            broken = [*symbols_around(two, places)]
            chooser.add_reaching(inner, broken, run, self._lines_naming, self._row)
            unread = [*symbols_of_files(two, self._sides.unread)]
            chooser.add_perhaps_changed(unread, self._lines_naming, self._row)
        if covered is not None:
            chooser.add_covering(covered.tests)
        has_code = self._repository.languages.has_code
        coded = [item.path for item in files if has_code(item.path)]
        for root in self._histories.roots:
            own = [path for path in coded if path.startswith(root)]
            if own:
                chooser.add_namesakes(root, own, has_code)
        bare = [item.path for item in files if not has_code(item.path)]
        chooser.add_naming({path: self._naming(path) for path in bare[:_MOST_NAMED]})
        chooser.add_companions(item for item in companions if has_code(item.path))
        return chooser.chosen()

    def _mentions(self, changes: Sequence[DeclaredChange]) -> list[str]:
        """The lines of files without code that name what is gone, or call what has changed."""
        gone = dict(names_gone(changes))
        called = dict.fromkeys(names_called_otherwise(changes))
        found: list[tuple[str, int, str]] = []
        for name, change in gone.items():
            places = self._texts(name)
            if _NO_WORD.search(name) is None:
                written = _written_as_code(name, change.old_name or change.name)
                places = [at for at in places if written.search(self._row(*at))]
            found += ((*at, name) for at in places)
        for name in called:
            places = self._texts(name) if len(name) >= _SHORTEST else []
            found += ((*at, f"{name}(") for at in places if f"{name}(" in self._row(*at))
        found.sort(key=lambda item: rank_path(item[0]) != PROSE)
        return [f"{path}:{line} `{name}`" for path, line, name in found[:_MOST_NAMED]]

    def _row(self, path: str, line: int) -> str:
        if path not in self._rows:
            self._rows[path] = (self._read(path) or "").split("\n")
        return "".join(self._rows[path][max(line - 1, 0) : line])

    def _texts(self, name: str) -> list[tuple[str, int]]:
        """The lines of files without code that have a name."""
        has_code = self._repository.languages.has_code
        query = ExactQuery((name,), whole_word=True, limit=_MOST_MENTIONS, counted=False)
        matches = self._engine.find(self._text, query, self._budget.within(self._seconds)).matches
        return [(item.path, item.line) for item in matches if not has_code(item.path)]

    def _lines_naming(self, word: str) -> list[tuple[str, int]]:
        """The lines of code with a name, in its own letters."""
        if len(word) < _SHORTEST:
            return []
        found = lines_with_word(self._engine, self._text, self._budget, word, self._seconds)
        has_code = self._repository.languages.has_code
        return [(item.path, item.line) for item in found.lines if has_code(item.path)]

    def _naming(self, path: str) -> list[str]:
        """The files with the name of a file in a line."""
        name = path.rpartition("/")[2]
        query = ExactQuery((name,), scope=FILE, limit=_MOST_NAMED * 10, counted=False)
        found = self._engine.find(self._text, query, self._budget.within(self._seconds))
        return [*dict.fromkeys(item.path for item in found.matches)]


def _written_as_code(name: str, full_name: str) -> re.Pattern[str]:
    """Matches a name that is a word of a language, too, where it is surely one of code."""
    owner = last_part(full_name.rpartition(".")[0])
    member = rf"\b{re.escape(owner)}(?:\.|::|->|#)" if owner else "`"
    return re.compile(rf"{member}{re.escape(name)}\b|\b{re.escape(name)}\(")


def left_unused(
    graph: GraphSnapshot, files: Iterable[ComparedFile], old_facts: Mapping[str, tuple[str, Facts]]
) -> list[UnusedDeclaration]:
    """Functions and types that gone lines named, and nothing uses in the graph of all files."""
    found: dict[int, UnusedDeclaration] = {}
    names = dict.fromkeys(name for file in files for name in _gone_names(file, old_facts))
    for name in [*names][:_MOST_NAMES]:
        symbols, _ = symbols_named(graph, name, _MOST_OF_NAME)
        for symbol in symbols:
            declared = graph.declaration(symbol)
            if declared is None or symbol.node_type not in _KINDS or declared.kind == _SECTION:
                continue
            if not looks_used(symbol, declared) and is_unused(graph, symbol):
                place = symbol.path, declared.name_line
                shown = local_name(graph, symbol)
                found[symbol.id] = UnusedDeclaration(shown, symbol.node_type, *place)
    return sorted(found.values(), key=lambda item: (item.path, item.line))


def left_imports(
    files: Iterable[ComparedFile],
    old_facts: Mapping[str, tuple[str, Facts]],
    new_facts: Mapping[str, tuple[str, Facts]],
) -> list[UnusedDeclaration]:
    """Imported names that a file used, and has only in its imports now."""
    found: list[UnusedDeclaration] = []
    for file in files:
        old, new = old_facts.get(file.old_path), new_facts.get(file.new_path)
        if old is None or new is None:
            continue
        before, behind = _used_words(*old), _used_words(*new)
        for item in new[1].imports:
            name = item.alias or item.name
            if WORD.fullmatch(name) and name in before and name not in behind:
                found.append(UnusedDeclaration(name, "import", file.new_path, item.line))
    return found


def _used_words(text: str, facts: Facts) -> frozenset[str]:
    """The words of all lines but those of imports."""
    imports = {item.line for item in facts.imports}
    rows = text.split("\n")
    kept = (row for line, row in enumerate(rows, 1) if line not in imports)
    return frozenset(word for row in kept for word in WORD.findall(row))


def _gone_names(file: ComparedFile, old_facts: Mapping[str, tuple[str, Facts]]) -> Iterator[str]:
    """The words of lines that are gone, but for names that are declared on them."""
    known = old_facts.get(file.old_path)
    if known is None or file.old is None:
        return
    declared = {(item.name_line, item.name) for item in known[1].declarations}
    rows = file.old.decode("utf-8", "replace").split("\n")
    for hunk in file.lines.hunks:
        for line in range(hunk.old + 1, hunk.old_end + 1):
            for word in WORD.findall(rows[line - 1]):
                if (line, word) not in declared:
                    yield word
                if f"#{word}" in rows[line - 1] and (line, f"#{word}") not in declared:
                    yield f"#{word}"
