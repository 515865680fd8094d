"""Answers a research question: what it asks, the symbols it names, then hop after hop."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from code_graph.query.model import LineOf
from code_graph.query.names import NameTarget
from code_graph.query.snapshot import GraphSnapshot
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.question.kinds import MOST_CHARACTERS, Intent, Question, Reading, parse_question
from repo_mcp.repository import OpenGraph, OpenIndex, OutdatedFiles, SourceFiles
from repo_mcp.research.focus.architecture import find_architecture
from repo_mcp.research.focus.dependencies import find_folder_dependencies
from repo_mcp.research.focus.flow import find_data_flow, find_folder_flow
from repo_mcp.research.focus.patterns import find_patterns
from repo_mcp.research.focus.scope import FocusScope
from repo_mcp.research.model import Diagram, Focus, Report, Subject
from repo_mcp.research.relations import (
    find_callees,
    find_callers,
    find_dependencies,
    find_dependents,
    find_impact,
    find_implementations,
)
from repo_mcp.research.subjects import PhraseMeaning, SubjectFinder
from repo_mcp.research.surroundings import (
    Search,
    connect,
    describe,
    find_by_words,
    find_flow_of_question,
    follow_hits,
)
from repo_mcp.research.trace import Journal, Progress, ResearchTrace, target_node
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.text.plurals import counted, verb

# the largest depth
MOST_HOPS: Final = 5
_MOST_LISTED: Final = 12
_Find = Callable[[ResearchTrace, Sequence[NameTarget]], str]


def no_line(_path: str, _number: int) -> str:
    """No text is at hand."""
    return ""


class Sources(NamedTuple):
    """Sources of research: the graph as far as it is linked, a ranked search, lines of files."""

    graph: GraphSnapshot | None
    search: Search
    line_of: LineOf = no_line
    # true if all files are read and linked, as they are now
    is_whole: bool = True


class Research(NamedTuple):
    """A question, how far to go, what to look at, and where."""

    question: str
    depth: int = 2
    focus: Focus | None = None
    folder: str = ""


def _no_progress(_done: int, _total: int, _text: str) -> None:
    """Nobody listens."""


class ResearchAnswer(NamedTuple):
    """A report, and the files of the graph that it is from."""

    report: Report
    files: SourceFiles | None

    def outdated(self, others: Iterable[str] = ()) -> OutdatedFiles:
        """Files of the report, and others, that have another text now."""
        named = {*self.report.paths(), *others}
        return OutdatedFiles() if self.files is None else self.files.outdated(named)


def research_opened(
    opened: OpenGraph,
    index: OpenIndex,
    sandbox: Sandbox,
    search: Search,
    asked: Research,
    budget: Budget,
    progress: Progress = _no_progress,
) -> ResearchAnswer:
    """The answer from the graph and the index as they are open."""
    if opened.graph is None:
        return ResearchAnswer(research(Sources(None, search), asked, budget, progress), None)
    files = SourceFiles(sandbox, opened.graph.snapshot)
    is_whole = opened.is_whole and index.gap is None
    sources = Sources(opened.graph, search, files.line, is_whole)
    return ResearchAnswer(research(sources, asked, budget, progress), files)


def research(
    sources: Sources, asked: Research, budget: Budget, progress: Progress = _no_progress
) -> Report:
    """The report; equal trees and questions give equal ones."""
    question = parse_question(asked.question[:MOST_CHARACTERS])
    reading = read_question(question)
    depth = min(max(asked.depth, 1), MOST_HOPS)
    if sources.graph is None:
        return _search_only(sources, asked, reading.kind, question.text, depth, budget, progress)
    trace = ResearchTrace(sources.graph, depth, budget, progress, _hop_count(reading.kind, depth))
    if not sources.is_whole:
        text = "some files are not read or not linked yet: symbols and edges of theirs are missing"
        trace.lack("linking", text)
    if sources.graph.incomplete_files:
        text = "files exceed what is followed: some of their edges are missing"
        trace.lack("edges_cut", text, sources.graph.incomplete_files)
    run = _Run(sources, asked, question, reading, trace)
    summary = run.answer()
    return Report(
        asked.question,
        run.kind,
        run.focus,
        depth,
        summary,
        [_subject(trace, meaning) for meaning in run.meanings],
        trace.hops,
        trace.chains,
        trace.diagram(),
        trace.gaps,
    )


class _Run:
    """One question in one graph."""

    def __init__(
        self,
        sources: Sources,
        asked: Research,
        question: Question,
        reading: Reading,
        trace: ResearchTrace,
    ) -> None:
        self.kind = reading.kind
        self.focus = asked.focus or _FOCUS_OF.get(reading.kind)
        self.meanings: list[PhraseMeaning] = []
        self._sources = sources
        self._question = question
        self._phrases = reading.phrases
        self._trace = trace
        self._folder = asked.folder.strip("/")
        self._finder = SubjectFinder(trace.graph, reading.kind, self._folder)

    def answer(self) -> str:
        """Follow what the question asks for; what it found in one line."""
        phrases = self._phrases
        if self.focus is not None and self.kind is Intent.SEARCH:
            self.kind = Intent(self.focus)
        folder = next(filter(None, map(self._folder_of, phrases)), None)
        if folder is None:
            self.meanings = self._finder.find_all(phrases)
        flow = ""
        if folder is None and self.kind in _FLOWS and self._question.asks_for(Intent.WAY):
            text = self._question.text
            if self.kind is Intent.CONNECTION and len(phrases) > 1:
                text = f"from {phrases[0]} to {phrases[1]}"
            flow = find_flow_of_question(
                self._trace, self._sources.search, self._sources.line_of, text
            )
        summaries = [flow] if flow else []
        if not (flow and self._trace.spent):
            summaries += self._answer_kind(folder, is_told=bool(summaries))
        if self.focus is not None and not (summaries and self._trace.spent):
            summaries.append(self._look_at(self.focus, folder))
        if not summaries:
            summaries.append(self._search())
        return "; ".join(summaries)

    def _answer_kind(self, folder: str | None, *, is_told: bool) -> Iterator[str]:
        """Follows what the kind of question asks for; no way is no answer if it `is_told`."""
        if folder is not None and self.focus is None:
            self.focus = Focus.DEPENDENCIES if self.kind in _USING else Focus.ARCHITECTURE
        if not self.meanings:
            return
        groups = [meaning.chosen for meaning in self.meanings]
        if self.kind is Intent.CONNECTION and len(groups) > 1:
            way = connect(self._trace, groups[0], groups[1])
            if way or not is_told:
                yield way or f"no way was found between {groups[0][0].name} and {groups[1][0].name}"
            return
        find = _BY_KIND.get(self.kind)
        if find is not None and (self.focus is None or self.kind not in _VAGUE):
            yield find(self._trace, groups[0])

    def _look_at(self, focus: Focus, folder: str | None) -> str:
        """An analysis of what the question names, or of the folder."""
        trace = self._trace
        targets = self.meanings[0].chosen if self.meanings else ()
        scope = FocusScope(trace.graph, self._folder if folder is None else folder)
        if targets and focus is Focus.FLOW:
            return find_data_flow(trace, targets)
        if targets and focus is Focus.DEPENDENCIES:
            summary = find_dependencies(trace, targets)
            return f"{summary}; {find_dependents(trace, targets)}"
        if targets and folder is None:
            symbol = targets[0].symbol
            around = "" if symbol is None else symbol.path.rpartition("/")[0]
            scope = FocusScope(trace.graph, around)
            described = describe(trace, targets)
            return f"{described}; {_OF_FOLDER[focus](trace, scope)}"
        return _OF_FOLDER[focus](trace, scope)

    def _search(self) -> str:
        """Ranked search, then the graph around its hits; names of the question first."""
        trace, text = self._trace, self._question.text
        found = ""
        if self._phrases and self.kind not in _OPEN and not self.meanings:
            named = ", ".join(self._phrases)
            nothing = "nothing is" if self._sources.is_whole else "nothing that was read so far is"
            trace.lack("unknown", f"{nothing} declared by the name of: {named}")
        if self.meanings:
            found = describe(trace, [item for own in self.meanings for item in own.chosen][:6])
        hits = find_by_words(trace, self._sources.search, text)
        followed = follow_hits(trace, hits)
        return f"{found}; {followed}" if found else followed

    def _folder_of(self, phrase: str) -> str | None:
        """The folder that a phrase names, if it is one that has linked files."""
        for word in phrase.split()[:_MOST_WORDS]:
            path = word.strip("`'\"/.,")
            if "/" in word and path:
                for tried in filter(None, (path, f"{self._folder}/{path}" if self._folder else "")):
                    if _has_files(self._trace.graph, tried):
                        return tried
        return None


_MOST_WORDS: Final = 24
# kinds of questions that may be about what runs one after another
_FLOWS: Final = frozenset(
    {
        Intent.CONNECTION,
        Intent.CALLEES,
        Intent.FLOW,
        Intent.SEARCH,
        Intent.DEFINITION,
    }
)
_OPEN: Final = frozenset({Intent.SEARCH, Intent.FLOW})
# kinds whose hops a focus replaces
_VAGUE: Final = frozenset({Intent.DEFINITION, Intent.FLOW, Intent.DEPENDENCIES, Intent.ARCHITECTURE,
                           Intent.PATTERNS})  # fmt: skip
_USING: Final = frozenset({Intent.DEPENDENTS, Intent.DEPENDENCIES, Intent.CALLERS, Intent.CALLEES,
                           Intent.IMPACT, Intent.TESTS})  # fmt: skip
_BY_KIND: Final[dict[Intent, _Find]] = {
    Intent.IMPLEMENTATIONS: find_implementations,
    Intent.CALLERS: find_callers,
    Intent.CALLEES: find_callees,
    Intent.DEPENDENTS: find_dependents,
    Intent.DEPENDENCIES: find_dependencies,
    Intent.IMPACT: find_impact,
    Intent.TESTS: find_impact,
    Intent.DEFINITION: describe,
    # one of the two names was not found
    Intent.CONNECTION: find_data_flow,
}
# kinds that ask about a folder where they name nothing
_FOCUS_OF: Final = {Intent(focus): focus for focus in Focus}
_KINDS: Final = frozenset(_BY_KIND) | frozenset(_FOCUS_OF)
_OF_FOLDER: Final[dict[Focus, Callable[[ResearchTrace, FocusScope], str]]] = {
    Focus.ARCHITECTURE: find_architecture,
    Focus.DEPENDENCIES: find_folder_dependencies,
    Focus.PATTERNS: find_patterns,
    Focus.FLOW: find_folder_flow,
}


def read_question(question: Question) -> Reading:
    """The first reading that is about something; if there is none, the question is a search."""
    for reading in question.readings(_KINDS):
        if reading.phrases or reading.kind in _FOCUS_OF:
            return Reading(reading.kind, reading.phrases or question.names)
    return Reading(Intent.SEARCH, question.names)


def _has_files(graph: GraphSnapshot, folder: str) -> bool:
    inside = f"{folder}/"
    count = len(graph.snapshot.file_starts) - 1
    return any(graph.path_of(number).startswith(inside) for number in range(count))


def _hop_count(kind: Intent, depth: int) -> int:
    """A lower bound of the number of hops."""
    return depth if kind in _BY_KIND else 1


def _subject(trace: ResearchTrace, meaning: PhraseMeaning) -> Subject:
    """A meaning for the report, with the declaration of the first symbol."""
    first = meaning.chosen[0].symbol
    declared = None if first is None else trace.graph.declaration(first)
    others = meaning.others[:_MOST_LISTED]
    if meaning.others:
        text = f"other symbols of the name {meaning.name} were not followed"
        trace.lack("same_name", text, len(meaning.others))
    return Subject(
        meaning.name,
        [target_node(item) for item in meaning.chosen],
        [target_node(item) for item in others],
        meaning.more or len(others) < len(meaning.others),
        "" if declared is None else declared.signature,
    )


def _search_only(
    sources: Sources,
    asked: Research,
    kind: Intent,
    text: str,
    depth: int,
    budget: Budget,
    progress: Progress,
) -> Report:
    """The report while there is no graph."""
    journal = Journal(depth, budget, progress)
    journal.lack("linking", "no symbols are linked yet: only words were searched")
    hits = find_by_words(journal, sources.search, text)
    nothing: Diagram | None = None
    return Report(
        asked.question,
        kind,
        asked.focus,
        depth,
        f"{counted(len(hits), 'passage')} {verb(len(hits), 'matches', 'match')}",
        [],
        journal.hops,
        [],
        nothing,
        journal.gaps,
    )
